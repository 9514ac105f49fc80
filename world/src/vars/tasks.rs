//! What the variables `TASKS` and `ROOM_OFFERS` show.

use crate::arena::CharacterId;
use crate::task::OpenTask;
use crate::tasks::{Offer, done_of, due_steps, giver_here, is_ready, place_of_mob, standing};
use crate::world::World;
use content::{Content, StepKind, TaskProto};
use protocol::task::{RoomOffers, TaskOffered, TaskSeen, TaskStepSeen, TaskWork};
use std::sync::Arc;

impl World {
    /// What somebody is about for others. What content no longer has is not told.
    pub fn tasks_seen(&self, who: CharacterId) -> Vec<TaskSeen> {
        let Some(tasks) = self.tasks_of(who) else { return Vec::new() };
        let known = tasks.open.iter().filter_map(|(id, open)| Some((self.content.task(id)?, open)));
        known.map(|(task, open)| seen(&self.content, task, open)).collect()
    }

    /// What there is to be had of those whom somebody sees here: as much as `list` and `tasks` tell it.
    pub fn offers_seen(&self, who: CharacterId) -> RoomOffers {
        if !self.room(self.who(who).room).characters.iter().any(|id| self.who(*id).is_mob()) {
            return RoomOffers::default();
        }
        let keeper = self.shop_here(who, &self.content).map(|(keeper, _)| keeper);
        let offered = |task: &TaskProto| {
            let giver = giver_here(self, who, task).filter(|giver| self.sees(who, *giver))?;
            let is_open = standing(self, who, task) == Offer::Open;
            is_open.then(|| TaskOffered {
                id: task.id.clone(),
                title: task.title.clone(),
                giver: self.name_for(who, giver).into(),
            })
        };
        RoomOffers {
            keeper: keeper.filter(|keeper| self.sees(who, *keeper)).map(|keeper| self.name_for(who, keeper).into()),
            tasks: self.content.tasks.iter().filter_map(offered).collect(),
        }
    }
}

fn seen(content: &Content, task: &TaskProto, open: &OpenTask) -> TaskSeen {
    let due = due_steps(task, open);
    let step = |(at, step): (usize, &content::TaskStep)| {
        let Aims { work, what, to } = aims(content, &step.kind);
        TaskStepSeen {
            text: step.text.clone(),
            done: done_of(open, at),
            need: step.kind.need(),
            work,
            due: due.contains(&at),
            what,
            to,
            place: place_of_step(content, &step.kind).map(Into::into),
        }
    };
    let ready = is_ready(task, open);
    let place = match due.first() {
        Some(step) => place_of_step(content, &task.steps[*step].kind),
        None => task.giver.and_then(|giver| place_of_mob(content, giver)),
    };
    TaskSeen {
        id: task.id.clone(),
        title: task.title.clone(),
        giver: task.giver.and_then(|giver| content.mob(giver)).map(|mob| mob.short.clone()),
        steps: task.steps.iter().enumerate().map(step).collect(),
        ready,
        place: place.map(Into::into),
    }
}

/// What a step is about, by the names by which one meets it.
struct Aims {
    work: TaskWork,
    what: Option<Arc<str>>,
    to: Option<Arc<str>>,
}

fn aims(content: &Content, step: &StepKind) -> Aims {
    let mob = |vnum: &i32| content.mob(*vnum).map(|mob| mob.short.clone());
    let object = |vnum: &i32| content.object(*vnum).map(|object| object.short.clone());
    let room = |vnum: &i32| content.room_id(*vnum).map(|id| content.room(id).name.clone());
    let (work, what, to) = match step {
        StepKind::Bring { object: thing, to, .. } => (TaskWork::Bring, object(thing), mob(to)),
        StepKind::Kill { mob: whom, .. } => (TaskWork::Kill, mob(whom), None),
        StepKind::Visit { .. } => (TaskWork::Visit, None, None),
        StepKind::Ask { mob: whom, .. } => (TaskWork::Ask, None, mob(whom)),
        StepKind::Escort { mob: whom, to } => (TaskWork::Escort, mob(whom), room(to)),
        StepKind::Find { object: thing } => (TaskWork::Find, object(thing), None),
        StepKind::Survive { .. } => (TaskWork::Survive, None, None),
        StepKind::Pay { to, .. } => (TaskWork::Pay, None, mob(to)),
    };
    Aims { work, what, to }
}

fn place_of_step<'c>(content: &'c Content, step: &StepKind) -> Option<&'c str> {
    match step {
        StepKind::Bring { to: mob, .. }
        | StepKind::Pay { to: mob, .. }
        | StepKind::Kill { mob, .. }
        | StepKind::Ask { mob, .. }
        | StepKind::Escort { mob, .. } => place_of_mob(content, *mob),
        StepKind::Visit { room } => content.room_id(*room).map(|id| &*content.room(id).name),
        StepKind::Survive { zone, .. } => content.zone_index(*zone).map(|index| &*content.zones[index].name),
        StepKind::Find { .. } => None,
    }
}
