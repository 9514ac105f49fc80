//! Counting what was done in an input for the tasks that ask for it.

use super::offer::told;
use super::{due_steps, giver_here, is_ready, mob_here, reward};
use crate::arena::{CharacterId, ObjectId};
use crate::report::LineKind;
use crate::task::Deed;
use crate::world::World;
use content::words::{Recurrence, StepOrder};
use content::{Content, StepKind, TaskProto, TaskStep, Text, spoken_words};
use protocol::outcome::TaskState;
use std::sync::Arc;

/// Deeds may follow from deeds (a reward that is asked for elsewhere); so often they are looked at in one input.
const ROUNDS_MAX: usize = 4;

/// Counts the deeds of this input, and ends the tasks that are done.
pub(crate) fn settle(world: &mut World) {
    let content = world.content.clone();
    for _ in 0..ROUNDS_MAX {
        let deeds = std::mem::take(&mut world.deeds);
        if deeds.is_empty() {
            return;
        }
        for (who, deed) in deeds {
            count(world, &content, who, &deed);
        }
    }
    world.deeds.clear();
}

fn count(world: &mut World, content: &Arc<Content>, who: CharacterId, deed: &Deed) {
    let Some(tasks) = world.tasks_of(who) else { return };
    let ids: Vec<Text> = tasks.open.keys().cloned().collect();
    let mut counted: Vec<&Text> = Vec::new();
    for task in ids.iter().filter_map(|id| content.task(id)) {
        let gained = advance(world, who, task, deed);
        if gained.is_some() {
            counted.push(&task.id);
        }
        let open = world.tasks_of(who).and_then(|tasks| tasks.open.get(&task.id));
        if open.is_some_and(|open| is_ready(task, open)) {
            let giver = giver_here(world, who, task);
            if task.giver.is_none() || giver.is_some() {
                reward::finish(world, who, task, giver);
            }
        }
        if gained == Some(Used::Up) {
            return;
        }
    }
    if matches!(deed, Deed::Killed(_)) {
        count_for_group(world, content, who, deed, &counted);
    }
}

/// A kill counts for those of a group who are about it, whoever of them struck last: for all of them by the first.
fn count_for_group(world: &mut World, content: &Content, who: CharacterId, deed: &Deed, counted: &[&Text]) {
    let mut counted: Vec<Text> = counted.iter().map(|id| (*id).clone()).collect();
    for other in world.group_here(who).into_iter().filter(|other| *other != who) {
        let Some(tasks) = world.tasks_of(other) else { continue };
        let ids: Vec<Text> = tasks.open.keys().filter(|id| !counted.contains(id)).cloned().collect();
        for task in ids.iter().filter_map(|id| content.task(id)).filter(|task| task.shared) {
            if advance(world, other, task, deed).is_some() {
                counted.push(task.id.clone());
                world.did(other, Deed::Came);
            }
        }
    }
}

/// What is left of a deed that counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Used {
    /// It may count for another task, too.
    Once,
    Up,
}

/// Counts a deed for the steps of a task that can be done now; `None`: it is for none of them.
fn advance(world: &mut World, who: CharacterId, task: &TaskProto, deed: &Deed) -> Option<Used> {
    let open = world.tasks_of(who).and_then(|tasks| tasks.open.get(&task.id))?;
    // What comes again and again is not done by keeping what was found once.
    if matches!(deed, Deed::Had) && task.again != Recurrence::Once {
        return None;
    }
    for step in due_steps(task, open) {
        let kind = &task.steps[step].kind;
        if let (StepKind::Escort { mob, .. }, Deed::Came) = (kind, deed) {
            come_along(world, who, *mob);
        }
        let open = world.tasks_of(who).and_then(|tasks| tasks.open.get(&task.id));
        let left = kind.need() - open.map_or(0, |open| super::done_of(open, step));
        let gained = gain(world, who, kind, left, deed);
        if gained == 0 {
            continue;
        }
        add(world, who, task, step, gained);
        // What comes next may be so already.
        world.did(who, Deed::Came);
        world.did(who, Deed::Had);
        if task.shared {
            for other in world.group_here(who) {
                let about = |tasks: &crate::task::Tasks| {
                    tasks.open.get(&task.id).is_some_and(|open| due_steps(task, open).contains(&step))
                };
                if other != who && world.tasks_of(other).is_some_and(about) {
                    add(world, other, task, step, gained);
                    // Where its own affair ends is looked at as if it had come here.
                    world.did(other, Deed::Came);
                }
            }
        }
        return Some(if uses_up(world, who, kind, gained, deed) { Used::Up } else { Used::Once });
    }
    None
}

/// Whether `receiver` has asked for that object, and would take it from `who` now.
pub(crate) fn is_wanted(world: &World, who: CharacterId, object: ObjectId, receiver: CharacterId) -> bool {
    counts(world, who, &Deed::Gave { to: receiver, object })
}

/// Whether a step that somebody is at asks for that deed.
pub(crate) fn counts(world: &World, who: CharacterId, deed: &Deed) -> bool {
    let Some(tasks) = world.tasks_of(who) else { return false };
    tasks.open.iter().any(|(id, open)| {
        let Some(task) = world.content.task(id) else { return false };
        due_steps(task, open).into_iter().any(|step| gain(world, who, &task.steps[step].kind, 1, deed) > 0)
    })
}

/// What has to be done before a deed counts that is a gift for a later step of a task in order.
pub(crate) fn comes_first<'w>(world: &'w World, who: CharacterId, gift: &Deed) -> Option<&'w str> {
    if counts(world, who, gift) {
        return None;
    }
    world.tasks_of(who)?.open.iter().find_map(|(id, open)| {
        let task = world.content.task(id).filter(|task| task.order == StepOrder::InOrder)?;
        let due = *due_steps(task, open).first()?;
        let is_meant = |step: &TaskStep| gain(world, who, &step.kind, 1, gift) > 0;
        task.steps[due + 1..].iter().any(is_meant).then(|| &*task.steps[due].text)
    })
}

/// How much a deed brings a step on, at most what is `left` of it.
fn gain(world: &World, who: CharacterId, kind: &StepKind, left: i32, deed: &Deed) -> i32 {
    let is = |mob: CharacterId, vnum: i32| world.mob_proto(mob).is_some_and(|proto| proto.vnum == vnum);
    let once = |yes: bool| i32::from(yes).min(left);
    match (kind, deed) {
        (StepKind::Bring { object, to, .. }, Deed::Gave { to: receiver, object: given }) => {
            let there = world.character(*receiver).is_some() && world.state.objects.get(*given).is_some();
            once(there && is(*receiver, *to) && world.object(*given).vnum == *object)
        }
        (StepKind::Kill { mob, .. }, Deed::Killed(vnum)) => once(mob == vnum),
        (StepKind::Visit { room }, Deed::Came) => {
            once(world.room_proto(world.who(who).room).vnum == *room && world.sees_room(who))
        }
        (StepKind::Ask { mob, about }, Deed::Spoke { to, words }) => {
            let hears = match to {
                Some(to) => world.character(*to).is_some() && is(*to, *mob),
                None => mob_here(world, who, *mob).is_some(),
            };
            let said = || spoken_words(words).any(|word| about.iter().any(|wanted| **wanted == *word));
            once(hears && (about.is_empty() || said()))
        }
        (StepKind::Escort { mob, to }, Deed::Came) => {
            let here = world.room_proto(world.who(who).room).vnum == *to;
            once(here && companion(world, who, *mob).is_some())
        }
        (StepKind::Find { object }, Deed::Took(vnum)) => once(object == vnum),
        (StepKind::Find { object }, Deed::Had) => once(world.carries_one(who, *object)),
        (StepKind::Survive { zone, .. }, Deed::Lasted(ticks)) => {
            match world.room_proto(world.who(who).room).zone == *zone {
                true => (*ticks).min(left),
                false => left - kind.need(),
            }
        }
        (StepKind::Pay { to, .. }, Deed::Paid { to: receiver, coins }) => {
            let there = world.character(*receiver).is_some() && is(*receiver, *to);
            if there { (*coins).min(left) } else { 0 }
        }
        _ => 0,
    }
}

/// Somebody of that number who follows `who` and is here.
fn companion(world: &World, who: CharacterId, vnum: i32) -> Option<CharacterId> {
    let room = world.who(who).room;
    let mut followers = world.who(who).followers.iter().copied();
    followers.find(|id| world.who(*id).room == room && world.mob_proto(*id).is_some_and(|proto| proto.vnum == vnum))
}

/// Who is to be escorted follows whoever comes for it, if it follows nobody yet.
fn come_along(world: &mut World, who: CharacterId, vnum: i32) {
    if companion(world, who, vnum).is_some() {
        return;
    }
    let Some(mob) = mob_here(world, who, vnum) else { return };
    let c = world.who(mob);
    let is_free = c.leader.is_none() && c.is_awake() && c.fighting.is_none();
    if is_free && world.sees(mob, who) && world.may_follow(mob, who).is_ok() {
        world.start_following(mob, who);
    }
}

fn add(world: &mut World, who: CharacterId, task: &TaskProto, step: usize, gained: i32) {
    let need = task.steps[step].kind.need();
    let Some(open) = world.player_mut(who).tasks_mut().open.get_mut(&task.id) else { return };
    open.steps.resize(task.steps.len().max(open.steps.len()), 0);
    open.steps[step] = (open.steps[step] + gained).clamp(0, need);
    let done = open.steps[step];
    let ready = is_ready(task, open);
    // Time passes without a word, until enough of it has.
    if matches!(task.steps[step].kind, StepKind::Survive { .. }) && done < need {
        return;
    }
    let outcome = world.note(told(world, who, task, TaskState::Step, Some((step, done))));
    let stands = if done >= need { "done".to_string() } else { format!("{done} of {need}") };
    world.send_outcome(who, LineKind::Text, format!("{}: {stands}.", task.steps[step].text), outcome);
    if ready && let (Some(giver), None) = (task.giver, giver_here(world, who, task)) {
        let outcome = world.note(told(world, who, task, TaskState::Ready, None));
        let name = super::mob_name_first(&world.content, giver);
        let text = format!("That is all of it. {name} will want to hear.");
        world.send_outcome(who, LineKind::Text, text, outcome);
    }
}

/// Takes away what was given for a step. True when that was it, and no other task may count it.
fn uses_up(world: &mut World, who: CharacterId, kind: &StepKind, gained: i32, deed: &Deed) -> bool {
    match (kind, deed) {
        (StepKind::Bring { .. }, Deed::Gave { object, .. }) => {
            world.extract_object(*object);
            true
        }
        (StepKind::Pay { .. }, Deed::Paid { to, .. }) => {
            let paid = gained.min(world.who(*to).gold);
            world.who_mut(*to).gold -= paid;
            world.mint(-i64::from(paid));
            true
        }
        (StepKind::Escort { mob, .. }, Deed::Came) => {
            if let Some(mob) = companion(world, who, *mob) {
                world.stop_following(mob);
                let scene = crate::act::Scene::new(mob, LineKind::Text);
                world.show(&scene, "", "", "$n looks about, nods to $mself, and goes $s way.");
                world.extract_character(mob);
            }
            false
        }
        _ => false,
    }
}

/// Whether somebody has to be somewhere for a while.
pub(crate) fn waits_for_time(world: &World, who: CharacterId) -> bool {
    let Some(tasks) = world.tasks_of(who) else { return false };
    tasks.open.iter().any(|(id, open)| {
        let survives = |task: &TaskProto, step: usize| matches!(task.steps[step].kind, StepKind::Survive { .. });
        let task = world.content.task(id);
        task.is_some_and(|task| due_steps(task, open).into_iter().any(|step| survives(task, step)))
    })
}
