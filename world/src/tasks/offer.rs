//! Which tasks are open to somebody, and taking one on.

use super::{giver_here, is_ready};
use crate::arena::{CharacterId, ObjectId};
use crate::character::LEVEL_IMMORTAL;
use crate::refusal::Done;
use crate::report::LineKind;
use crate::task::{Deed, OPEN_MAX, OpenTask};
use crate::world::World;
use content::words::Recurrence;
use content::{Notice, RoomId, TaskProto, Text, spoken_words};
use protocol::outcome::{Outcome, TaskState};

/// Words by which one asks somebody whether there is something to do.
const ASKING: &[&str] = &["task", "tasks", "work", "job", "jobs", "errand", "errands", "help", "quest"];

/// A task as it stands to somebody.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Offer {
    /// It can be taken on.
    Open,
    /// It is being done already.
    Underway,
    /// Done, and not to be done again, or not today.
    Done,
    /// For others: another level or calling, or another task comes first.
    NotYours,
}

/// How a task stands to somebody.
pub(crate) fn standing(world: &World, who: CharacterId, task: &TaskProto) -> Offer {
    let Some(tasks) = world.tasks_of(who) else { return Offer::NotYours };
    if tasks.open.contains_key(&task.id) {
        return Offer::Underway;
    }
    let today = world.state.clock.date().days;
    let again = |day: u64| match task.again {
        Recurrence::Once => false,
        Recurrence::Daily => day < today,
        Recurrence::Always => true,
    };
    if tasks.done.get(&task.id).is_some_and(|done| !again(done.day)) {
        return Offer::Done;
    }
    if is_for(world, who, task).is_ok() { Offer::Open } else { Offer::NotYours }
}

/// Refuses who is of another level or calling, or has to do something else before.
pub(crate) fn is_for(world: &World, who: CharacterId, task: &TaskProto) -> Done {
    let c = world.who(who);
    let (low, high) = task.levels;
    if c.level < low {
        return Err(format!("That is for those who are of level {low} or higher.").into());
    }
    if c.level > high && c.level < LEVEL_IMMORTAL {
        return Err("You have outgrown that. Leave it to the young.".into());
    }
    if !task.classes.is_empty() && !task.classes.contains(&c.class) {
        return Err("That is for those of another calling.".into());
    }
    let before = task.after.as_ref().filter(|after| world.tasks_of(who).is_none_or(|t| !t.done.contains_key(*after)));
    if let Some(before) = before {
        let Some(task) = world.content.task(before) else {
            return Err(format!("First there is something else to do: {before}.").into());
        };
        let asks = task.giver.map(|giver| format!(" It is for {}.", super::mob_and_place(&world.content, giver)));
        let title = task.title_ended();
        return Err(format!("First there is something else to do: {title}{}", asks.unwrap_or_default()).into());
    }
    Ok(())
}

/// Tasks of those who stand here, with how they stand to `who`.
pub fn offers_here<'c>(world: &World, who: CharacterId, tasks: &'c [TaskProto]) -> Vec<(&'c TaskProto, Offer)> {
    let here = tasks.iter().filter(|task| giver_here(world, who, task).is_some());
    here.map(|task| (task, standing(world, who, task))).collect()
}

/// Tasks that a board shows to `who`: those that can be taken on, those for the youngest first.
pub fn offers_on_boards<'c>(world: &World, who: CharacterId, tasks: &'c [TaskProto]) -> Vec<&'c TaskProto> {
    let mut open: Vec<&TaskProto> = tasks.iter().filter(|task| standing(world, who, task) == Offer::Open).collect();
    open.sort_by_key(|task| task.levels);
    open
}

/// Whether it can be taken on where somebody stands: from its giver, or off a board.
pub(crate) fn is_offered_here(world: &World, who: CharacterId, task: &TaskProto) -> bool {
    giver_here(world, who, task).is_some() || at_board(world, who)
}

/// Where it can be taken on, for who stands elsewhere.
pub(crate) fn where_offered(world: &World, task: &TaskProto) -> String {
    if let Some(giver) = task.giver {
        return format!("Ask {}, or take it off a board.", super::mob_and_place(&world.content, giver));
    }
    let is_board = |thing: &ObjectId| world.content.notice(world.object(*thing).vnum) == Some(Notice::Board);
    let rooms = world.content.rooms.iter().enumerate().map(|(at, room)| (RoomId(at as u32), room));
    let board = rooms.into_iter().find(|(id, _)| world.room(*id).objects.iter().any(is_board));
    match board {
        Some((_, room)) => format!("It hangs on a board: {}.", room.name),
        None => "It hangs on a board.".to_string(),
    }
}

/// Whether there is a board where `who` is, or in its hands.
fn at_board(world: &World, who: CharacterId) -> bool {
    let c = world.who(who);
    let mut objects = world.room(c.room).objects.iter().chain(&c.carrying);
    objects.any(|id| world.content.notice(world.object(*id).vnum) == Some(Notice::Board) && world.sees_object(who, *id))
}

/// Takes a task on: from its giver, or off a board.
pub(crate) fn accept(world: &mut World, who: CharacterId, task: &TaskProto) -> Done {
    match standing(world, who, task) {
        Offer::Underway => return Err("You are about that already.".into()),
        Offer::Done if task.again == Recurrence::Daily => {
            return Err("You have done that today. Come again tomorrow.".into());
        }
        Offer::Done => return Err("You have done that, and once was enough.".into()),
        Offer::NotYours => is_for(world, who, task)?,
        Offer::Open => {}
    }
    let giver = giver_here(world, who, task);
    if !is_offered_here(world, who, task) {
        return Err(format!("Nobody here offers that. {}", where_offered(world, task)).into());
    }
    let tick = world.tick();
    let open = &mut world.player_mut(who).tasks_mut().open;
    if open.len() >= OPEN_MAX {
        return Err(format!("You are about {OPEN_MAX} things already. Finish or abandon one first.").into());
    }
    let steps = vec![0; task.steps.len()];
    open.insert(task.id.clone(), OpenTask { steps, accepted_tick: tick });
    let outcome = world.note(told(world, who, task, TaskState::Accepted, None));
    world.send_outcome(who, LineKind::Text, format!("You take it on: {} (tasks)", task.title_ended()), outcome);
    match giver {
        Some(giver) if !task.accepted.is_empty() => crate::speech::speak(world, giver, &task.accepted),
        Some(_) => {}
        // Nobody has told what it is about.
        None => world.send(who, LineKind::Text, task.offer.to_string()),
    }
    // Where one stands already may be where one has to go, and what one has what one has to find.
    world.did(who, Deed::Came);
    world.did(who, Deed::Had);
    Ok(())
}

/// The outcome that says how a task stands.
pub(super) fn told(
    world: &World,
    who: CharacterId,
    task: &TaskProto,
    state: TaskState,
    step: Option<(usize, i32)>,
) -> Outcome {
    let step_row = step.map(|(step, done)| (&task.steps[step], done));
    Outcome::Task {
        who: world.as_who(who),
        task: task.id.clone(),
        title: task.title.clone(),
        state,
        step: step_row.map(|(step, _)| step.text.clone()),
        done: step_row.map(|(_, done)| done),
        need: step_row.map(|(step, _)| step.kind.need()),
    }
}

/// What somebody answers who is asked about work, or about one of its tasks by name.
pub(crate) struct Told {
    pub words: Text,
    /// What can be taken on.
    pub offers: Option<Text>,
}

/// Whether words ask for something to do, whatever it is.
pub(crate) fn asks_for_work(words: &str) -> bool {
    spoken_words(words).any(|word| ASKING.contains(&word.as_str()))
}

/// What a giver says to who asks for something to do: of the first task that can be taken on, those for the youngest
/// before others, else of one that it waits for. Whoever names a task is told of that one.
pub(crate) fn asked_of(world: &World, who: CharacterId, mob: CharacterId, words: &str) -> Option<Told> {
    let words: Vec<String> = spoken_words(words).collect();
    let asks = words.iter().any(|word| ASKING.contains(&word.as_str()));
    let is_named = |task: &TaskProto| words.iter().any(|word| *word == *task.id);
    let mut meant: Vec<&TaskProto> = tasks_of_giver(world, who, mob).filter(|task| asks || is_named(task)).collect();
    meant.sort_by_key(|task| (!is_named(task), task.levels));
    let open = meant.iter().find(|task| standing(world, who, task) == Offer::Open);
    if let Some(task) = open {
        return Some(Told { words: task.offer.clone(), offers: Some(task.id.clone()) });
    }
    let tasks = world.tasks_of(who)?;
    let waits = |task: &&TaskProto| {
        let open = tasks.open.get(&task.id)?;
        (!is_ready(task, open) && !task.waits.is_empty()).then(|| task.waits.clone())
    };
    meant.iter().find_map(waits).map(|words| Told { words, offers: None })
}

/// A task of somebody's that one of the words names and `who` could take on: where what it answers is about something
/// else, that is worth a line.
pub(crate) fn named_offer(world: &World, who: CharacterId, mob: CharacterId, words: &str) -> Option<Text> {
    let words: Vec<String> = spoken_words(words).collect();
    let mut named = tasks_of_giver(world, who, mob).filter(|task| words.iter().any(|word| *word == *task.id));
    named.find(|task| standing(world, who, task) == Offer::Open).map(|task| task.id.clone())
}

fn tasks_of_giver(world: &World, who: CharacterId, mob: CharacterId) -> impl Iterator<Item = &TaskProto> {
    let vnum = world.mob_proto(mob).map(|proto| proto.vnum);
    let of_giver = move |task: &&TaskProto| vnum.is_some() && task.giver == vnum;
    world.content.tasks.iter().filter(of_giver).filter(move |task| giver_here(world, who, task) == Some(mob))
}
