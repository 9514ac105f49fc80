//! What people would have done: taking it on, doing what lies on the way, and going back for the pay.
//!
//! Killing is hunting's part: prey that somebody wants dead is worth more to it (`is_wanted`). What has to be escorted,
//! found or sat out is left to who decides.

use super::{Perception, Proposal};
use crate::map::{Room, Vnum};
use protocol::payload::RoomMob;
use protocol::task::{TaskSeen, TaskStepSeen, TaskWork};

/// So far one walks for a step, and for the pay.
const WAY_MAX: usize = 15;
const WAY_TO_PAY_MAX: usize = 30;
/// A room that one left without having got on is not tried again before so long.
const AGAIN_MS: u64 = 300_000;
/// So many coins one keeps for food and light.
const RESERVE: i64 = 30;
/// Who is about so many things takes on no more.
const OPEN_ENOUGH: usize = 6;

pub fn errands(seen: &Perception<'_>) -> Proposal {
    if !seen.stands() || seen.known.recovering || seen.is_dark() {
        return Proposal::Pass;
    }
    let deeds = due(seen).flat_map(|(_, step)| deed(seen, step));
    if let Proposal::Do(line) = seen.first_of(deeds) {
        return Proposal::Do(line);
    }
    if let Proposal::Do(line) = take_on(seen) {
        return Proposal::Do(line);
    }
    if seen.known.spent {
        return Proposal::Pass;
    }
    let way = seen.ways().iter().take_while(|way| way.length <= WAY_TO_PAY_MAX);
    let way = way.into_iter().find(|way| {
        let room = seen.known.map.rooms.get(&way.to);
        room.is_some_and(|room| is_goal(seen, way.to, room, way.length))
    });
    way.map_or(Proposal::Pass, |way| seen.walk(&way.step))
}

fn tasks<'a>(seen: &Perception<'a>) -> impl Iterator<Item = &'a TaskSeen> {
    seen.state.tasks.iter().flatten()
}

/// Steps that count now.
fn due<'a>(seen: &Perception<'a>) -> impl Iterator<Item = (&'a TaskSeen, &'a TaskStepSeen)> {
    let open = tasks(seen).filter(|task| !task.ready);
    open.flat_map(|task| {
        task.steps.iter().filter(|step| step.due && step.done < step.need).map(move |step| (task, step))
    })
}

/// Whether somebody wants beings of that name dead.
pub fn is_wanted(seen: &Perception<'_>, name: &str) -> bool {
    due(seen).any(|(_, step)| step.work == TaskWork::Kill && step.what.as_deref() == Some(name))
}

/// Whether there was such a being in a room.
pub fn is_wanted_in(seen: &Perception<'_>, vnum: Vnum) -> bool {
    let mut wanted = due(seen).filter(|(_, step)| step.work == TaskWork::Kill).peekable();
    if wanted.peek().is_none() {
        return false;
    }
    let mobs = seen.known.map.rooms.get(&vnum).map(|room| room.mobs.iter());
    let names: Vec<&str> = wanted.filter_map(|(_, step)| step.what.as_deref()).collect();
    let mut kinds = mobs.into_iter().flatten().filter_map(|mob| seen.known.bestiary.get(*mob));
    kinds.any(|kind| names.contains(&&*kind.name))
}

/// Whether a thing of that name is for somebody.
pub fn is_for_somebody(seen: &Perception<'_>, name: &str) -> bool {
    due(seen).any(|(_, step)| step.work == TaskWork::Bring && step.what.as_deref() == Some(name))
}

fn mob_named<'a>(seen: &Perception<'a>, name: &str) -> Option<&'a RoomMob> {
    seen.state.mobs().iter().find(|mob| mob.name.eq_ignore_ascii_case(name))
}

/// What to do for a step here and now.
fn deed(seen: &Perception<'_>, step: &TaskStepSeen) -> Option<String> {
    let whom = &mob_named(seen, step.to.as_deref()?)?.target_string;
    let line = work(seen, step, whom)?;
    (!seen.known.errands.was_said(&line, seen.now_ms)).then_some(line)
}

/// The line by which a step is done before whoever it is about, if one has what it takes.
fn work(seen: &Perception<'_>, step: &TaskStepSeen, whom: &str) -> Option<String> {
    match step.work {
        TaskWork::Ask => Some(format!("ask {whom} about {}", topic(&step.text))),
        TaskWork::Bring => {
            let what = step.what.as_deref()?;
            let thing = seen.state.carried().iter().find(|item| *item.name == *what)?;
            Some(format!("give {} {whom}", seen.known.objects.target(thing)?))
        }
        TaskWork::Pay => {
            let coins = i64::from(step.need - step.done);
            (seen.state.gold.unwrap_or(0) >= coins + RESERVE).then(|| format!("give {coins} coins {whom}"))
        }
        _ => None,
    }
}

/// What to ask about: the last word of what is to be done.
fn topic(text: &str) -> &str {
    let last = text.trim_end_matches(|c: char| !c.is_alphanumeric()).rsplit(' ').next();
    last.unwrap_or("work")
}

/// Takes on what is offered here. Where the server does not say what that is, it asks people whether they have work,
/// once each.
fn take_on(seen: &Perception<'_>) -> Proposal {
    let (room, errands) = (seen.room(), &seen.known.errands);
    if tasks(seen).count() >= OPEN_ENOUGH || seen.state.tasks.is_none() {
        return Proposal::Pass;
    }
    if errands.unlisted.contains(&room) {
        return seen.step("tasks");
    }
    let listed = errands.offered.get(&room).into_iter().flatten();
    if let Proposal::Do(line) = seen.first_of(listed.map(|id| format!("accept {id}"))) {
        return Proposal::Do(line);
    }
    if let Some(offers) = &seen.state.room_offers {
        return seen.first_of(offers.tasks.iter().map(|task| format!("accept {}", task.id)));
    }
    let may_be_asked = |mob: &RoomMob| may_have_work(mob) && !errands.is_idle(mob.vnum, seen.now_ms);
    if seen.state.mobs().iter().any(may_be_asked) { seen.step("accept") } else { Proposal::Pass }
}

/// People have names of their own, or nobody may fight them; beasts have neither.
fn may_have_work(mob: &RoomMob) -> bool {
    !mob.attackable || mob.name.starts_with(char::is_uppercase)
}

/// Whether one gets on in a room, as one saw it last.
fn is_goal(seen: &Perception<'_>, vnum: Vnum, room: &Room, steps: usize) -> bool {
    if vnum == seen.room() {
        return false;
    }
    let is_fresh = |id: &str| {
        room.visits == 0
            || seen.now_ms.saturating_sub(room.left_ms) > AGAIN_MS
            || seen.known.errands.came_on_since(id, room.left_ms)
    };
    let is_in = |name: &str| {
        let kinds = &seen.known.bestiary;
        room.mobs.iter().filter_map(|mob| kinds.get(*mob)).any(|kind| kind.name.eq_ignore_ascii_case(name))
    };
    let is_called = |place: &Option<std::sync::Arc<str>>| place.as_deref() == Some(&*room.name);
    let pays = |task: &TaskSeen| {
        task.ready && is_fresh(&task.id) && (is_called(&task.place) || task.giver.as_deref().is_some_and(is_in))
    };
    if tasks(seen).any(pays) {
        return true;
    }
    let leads_on = |(task, step): (&TaskSeen, &TaskStepSeen)| {
        if !is_fresh(&task.id) {
            return false;
        }
        match step.work {
            TaskWork::Visit => is_called(&step.place),
            TaskWork::Ask | TaskWork::Bring | TaskWork::Pay => {
                work(seen, step, "").is_some() && (is_called(&step.place) || step.to.as_deref().is_some_and(is_in))
            }
            _ => false,
        }
    };
    steps <= WAY_MAX && due(seen).any(leads_on)
}
