//! How tasks go on: what may be taken on, what counts for it, and what comes of it in the end.
//!
//! The code by which something happens notes a `Deed` (`World::did`); at the end of each input `settle` counts the
//! deeds and ends what is done, so that words and rewards come behind what brought them. The verbs are
//! `commands/tasks.rs`, the rows `content::TaskProto`. Invariants: a reward is given in the input in which its task
//! leaves the open ones, so neither a kill of the server nor two who finish at once double it; what is counted for one
//! task (a thing that is given, coins) counts for no other.

mod offer;
mod reward;
mod settle;

pub use offer::{Offer, offers_here, offers_on_boards};
pub(crate) use offer::{
    accept, asked_of, asks_for_work, is_for, is_offered_here, named_offer, standing, where_offered,
};
pub(crate) use settle::{comes_first, counts, is_wanted, settle, waits_for_time};

use crate::act::capitalised;
use crate::arena::CharacterId;
use crate::task::{OpenTask, Tasks};
use crate::world::World;
use content::words::StepOrder;
use content::{Content, ResetAction, TaskProto, Vnum};

impl World {
    pub(crate) fn tasks_of(&self, who: CharacterId) -> Option<&Tasks> {
        self.character(who)?.player().map(|player| &*player.tasks)
    }
}

/// How much of a step is done; nothing where content has more steps than before.
pub(crate) fn done_of(open: &OpenTask, step: usize) -> i32 {
    open.steps.get(step).copied().unwrap_or_default()
}

pub(crate) fn is_step_done(task: &TaskProto, open: &OpenTask, step: usize) -> bool {
    done_of(open, step) >= task.steps[step].kind.need()
}

/// Whether nothing is left to do but to say so.
pub(crate) fn is_ready(task: &TaskProto, open: &OpenTask) -> bool {
    let mut steps = (0..task.steps.len()).map(|step| is_step_done(task, open, step));
    match task.order {
        StepOrder::Any => steps.any(|done| done),
        StepOrder::InOrder | StepOrder::All => steps.all(|done| done),
    }
}

/// The steps that can be done now.
pub(crate) fn due_steps(task: &TaskProto, open: &OpenTask) -> Vec<usize> {
    if is_ready(task, open) {
        return Vec::new();
    }
    let undone = (0..task.steps.len()).filter(|step| !is_step_done(task, open, *step));
    match task.order {
        StepOrder::InOrder => undone.take(1).collect(),
        StepOrder::All | StepOrder::Any => undone.collect(),
    }
}

/// The giver of a task, if it is here and in a state to talk.
pub(crate) fn giver_here(world: &World, who: CharacterId, task: &TaskProto) -> Option<CharacterId> {
    let giver = task.giver?;
    mob_here(world, who, giver).filter(|mob| {
        let c = world.who(*mob);
        c.is_awake() && c.fighting.is_none() && world.sees(*mob, who)
    })
}

/// A mob of that number in the room of `who`.
fn mob_here(world: &World, who: CharacterId, vnum: Vnum) -> Option<CharacterId> {
    let here = &world.room(world.who(who).room).characters;
    here.iter().copied().find(|id| world.mob_proto(*id).is_some_and(|proto| proto.vnum == vnum))
}

/// What a mob is called where it is not seen: "Brother Tam", "a ferryman".
pub(crate) fn mob_name(content: &Content, vnum: Vnum) -> String {
    content.mob(vnum).map_or_else(|| "somebody who is gone".to_string(), |mob| mob.short.to_string())
}

/// The same at the beginning of a sentence.
pub(crate) fn mob_name_first(content: &Content, vnum: Vnum) -> String {
    capitalised(&mob_name(content, vnum))
}

/// What a mob is called, with its place where it has one: "Lorcan the scribe of returns (The Reading Room)".
pub(crate) fn mob_and_place(content: &Content, vnum: Vnum) -> String {
    let name = mob_name(content, vnum);
    match place_of_mob(content, vnum).filter(|place| !says_where(&name, place)) {
        Some(place) => format!("{name} ({place})"),
        None => name,
    }
}

/// Whether a name holds the place: "Orrin Vetch of the Lamp Room" is in The Lamp Room.
pub(crate) fn says_where(name: &str, place: &str) -> bool {
    name.to_lowercase().contains(&place.to_lowercase())
}

/// Where a mob is put when its zone is reset: the name of the room.
pub(crate) fn place_of_mob(content: &Content, vnum: Vnum) -> Option<&str> {
    let resets = content.zones.iter().flat_map(|zone| &zone.resets);
    let room = resets.into_iter().find_map(|reset| match reset.action {
        ResetAction::Mob { mob, room, .. } if mob == vnum => Some(room),
        _ => None,
    })?;
    content.room_id(room).map(|id| &*content.room(id).name)
}
