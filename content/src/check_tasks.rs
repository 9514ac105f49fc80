//! What may be wrong with tasks: they name what does not exist, wait for each other, or cannot be finished in this
//! world because what they ask for never comes into it.

use crate::content::Content;
use crate::draft::Draft;
use crate::origins::{Faults, place_of};
use crate::supply::Supply;
use crate::tasks::{Notice, StepKind, TaskProto};
use crate::text::Text;
use crate::vnum::Vnum;

/// Errors, then warnings.
pub(crate) fn faults(draft: &Draft) -> (Faults, Faults) {
    let mut errors = Vec::new();
    let Draft { content, origins, .. } = draft;
    for pair in origins.tasks.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        let (id, first, again) = (&pair[0].0, pair[0].1, pair[1].1);
        let what = format!("task {id:?} is already at {}:{}", origins.path(first), first.line);
        errors.push((again, what));
    }
    for (object, _) in &content.notices {
        let place = place_of(&origins.notices, object);
        if content.object_index(*object).is_none() {
            errors.push((place, format!("object #{object} of boards or tablets does not exist")));
        }
    }
    for task in &content.tasks {
        let place = place_of(&origins.tasks, &task.id);
        errors.extend(missing(content, task).into_iter().map(|what| (place, what)));
        if let Some(circle) = circle(content, task) {
            errors.push((place, circle));
        }
    }
    (errors, Vec::new())
}

/// Warnings: tasks of which something can never be done.
pub(crate) fn unfinishable(draft: &Draft, supply: &Supply) -> Faults {
    let Draft { content, origins, .. } = draft;
    let of_task = |task: &TaskProto| {
        let place = place_of(&origins.tasks, &task.id);
        unobtainable(content, supply, task).into_iter().map(move |what| (place, what))
    };
    content.tasks.iter().flat_map(of_task).collect()
}

/// What the task names and the world does not have.
fn missing(content: &Content, task: &TaskProto) -> Vec<String> {
    let id = &task.id;
    let mut found = Vec::new();
    let mut mob = |vnum: Vnum| {
        if content.mob_index(vnum).is_none() {
            found.push(format!("task {id:?} names mob #{vnum}, which does not exist"));
        }
    };
    task.giver.into_iter().for_each(&mut mob);
    for step in &task.steps {
        match step.kind {
            StepKind::Bring { to, .. } | StepKind::Pay { to, .. } => mob(to),
            StepKind::Kill { mob: vnum, .. } | StepKind::Ask { mob: vnum, .. } | StepKind::Escort { mob: vnum, .. } => {
                mob(vnum);
            }
            StepKind::Visit { .. } | StepKind::Find { .. } | StepKind::Survive { .. } => {}
        }
    }
    let objects = task.steps.iter().filter_map(|step| match step.kind {
        StepKind::Bring { object, .. } | StepKind::Find { object } => Some(object),
        _ => None,
    });
    for object in objects.chain(task.reward.objects.iter().copied()) {
        if content.object_index(object).is_none() {
            found.push(format!("task {id:?} names object #{object}, which does not exist"));
        }
    }
    for step in &task.steps {
        match step.kind {
            StepKind::Visit { room } | StepKind::Escort { to: room, .. } if content.room_id(room).is_none() => {
                found.push(format!("task {id:?} names room #{room}, which does not exist"));
            }
            StepKind::Survive { zone, .. } if content.zone_index(zone).is_none() => {
                found.push(format!("task {id:?} names zone {zone}, which does not exist"));
            }
            _ => {}
        }
    }
    if let Some(after) = task.after.as_ref().filter(|after| content.task(after).is_none()) {
        found.push(format!("task {id:?} comes after task {after:?}, which does not exist"));
    }
    found
}

/// A task that can never be begun, since it waits for itself.
fn circle(content: &Content, task: &TaskProto) -> Option<String> {
    let mut seen: Vec<&Text> = vec![&task.id];
    let mut at = task;
    while let Some(after) = at.after.as_ref().and_then(|after| content.task(after)) {
        if after.id == task.id {
            let ids: Vec<&str> = seen.iter().map(|id| &***id).collect();
            return Some(format!("task {:?} waits for itself: {} → {}", task.id, ids.join(" → "), task.id));
        }
        if seen.contains(&&after.id) {
            return None;
        }
        seen.push(&after.id);
        at = after;
    }
    None
}

/// What the task asks for and nothing in the world brings forth, or nobody can come to.
fn unobtainable(content: &Content, supply: &Supply, task: &TaskProto) -> Vec<String> {
    let id = &task.id;
    let mut found = Vec::new();
    let mut lacks = |what: String| found.push(format!("task {id:?} cannot be finished: {what}"));
    let mob = |vnum: Vnum| content.mob_index(vnum).is_some() && !supply.mobs.contains(&vnum);
    let object = |vnum: Vnum| content.object_index(vnum).is_some() && !supply.objects.contains(&vnum);
    let room = |vnum: Vnum| content.room_id(vnum).is_some() && !supply.rooms.contains(&vnum);
    if let Some(giver) = task.giver.filter(|giver| mob(*giver)) {
        lacks(format!("no reset brings its giver, mob #{giver}"));
    }
    let apart = |vnum: Vnum, who: String| {
        let room = supply.apart.get(&vnum)?;
        Some(format!("{who} stands in room #{room}, and no way leads there from where newcomers wake"))
    };
    if let Some(what) = task.giver.and_then(|giver| apart(giver, format!("its giver, mob #{giver},"))) {
        lacks(what);
    }
    let is_board = |(object, notice): &(Vnum, Notice)| *notice == Notice::Board && supply.objects.contains(object);
    if task.giver.is_none() && !content.notices.iter().any(is_board) {
        lacks("it has no giver, and no reset brings a board that it could hang on".to_string());
    }
    for step in &task.steps {
        let mobs = match step.kind {
            StepKind::Bring { to, .. } | StepKind::Pay { to, .. } => Some(to),
            StepKind::Kill { mob, .. } | StepKind::Ask { mob, .. } | StepKind::Escort { mob, .. } => Some(mob),
            _ => None,
        };
        if let Some(vnum) = mobs.filter(|vnum| mob(*vnum)) {
            lacks(format!("no reset brings mob #{vnum}"));
        }
        let others = mobs.filter(|vnum| task.giver != Some(*vnum));
        if let Some(what) = others.and_then(|vnum| apart(vnum, format!("mob #{vnum}"))) {
            lacks(what);
        }
        match step.kind {
            StepKind::Bring { object: vnum, .. } | StepKind::Find { object: vnum } if object(vnum) => {
                lacks(format!("no reset, shop, task or trade brings object #{vnum}"));
            }
            StepKind::Visit { room: vnum } | StepKind::Escort { to: vnum, .. } if room(vnum) => {
                lacks(format!("no way leads to room #{vnum} from where newcomers wake"));
            }
            _ => {}
        }
    }
    found
}
