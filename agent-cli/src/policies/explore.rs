//! Walking: to where there is something to hunt, else to where one has not been, else to where one hunted well.
//!
//! Every step costs movement points, and they come back slowly: the nearest prey that one is fit for comes first, and
//! who is not fit for any rests before it walks.

use super::prey::is_ground;
use super::regions::{Grade, grade};
use super::{Perception, Proposal};
use crate::map::Room;

/// A place that one has just left is as one left it.
const FRESH_MS: u64 = 40_000;
/// What was killed comes back after some minutes.
const RETURN_MS: u64 = 300_000;
/// Farther than that one does not go for a known quarry while there is something unseen nearer.
const NEAR: usize = 15;
const FAR: usize = 60;
/// To go where one has never been one is this fit, in percent.
const VENTURE_HP_PERCENT: i32 = 70;
const VENTURE_MOVES_PERCENT: i32 = 25;
/// An exit that was passed by so often cannot be taken, whatever it looks like from afar.
const VISITS_MAX: u32 = 25;
/// Nobody waits for more than that.
const RIPE_HP_PERCENT: i32 = 90;

pub fn explore(seen: &Perception<'_>) -> Proposal {
    if seen.known.recovering || !seen.stands() {
        return Proposal::Pass;
    }
    if seen.is_dark() && seen.state.exits().is_empty() {
        // Nothing can be seen, so nothing can be chosen: the way that one came is the best there is.
        return back(seen);
    }
    plan(seen).map_or(Proposal::Pass, |direction| seen.walk(&direction))
}

/// The direction to go in, for who is on its feet; `None`: to rest, or there is nowhere to go.
pub fn plan(seen: &Perception<'_>) -> Option<String> {
    let map = &seen.known.map;
    let may = |vnum: i32, room: &Room| seen.may_enter(vnum, room);
    let prey_for = |hp_percent: i32| {
        map.way_to(seen.now_ms, may, |vnum, room| {
            may(vnum, room)
                && seen.now_ms.saturating_sub(room.left_ms) > FRESH_MS
                && is_ground(seen, vnum, room, hp_percent)
        })
    };
    let hp_percent = seen.state.hp_percent();
    let quarry = prey_for(hp_percent);
    if let Some(way) = quarry.as_ref().filter(|way| way.length <= NEAR) {
        return Some(way.step.clone());
    }
    if hp_percent < RIPE_HP_PERCENT && prey_for(100).is_some_and(|way| way.length <= NEAR) {
        // There is something near for who is fit.
        return None;
    }
    // What lies behind a way that nobody took may be anything: not hurt, and not tired.
    if hp_percent < VENTURE_HP_PERCENT || seen.state.moves_percent() < VENTURE_MOVES_PERCENT {
        return None;
    }
    if grade(seen, seen.room()) != Grade::TooHard
        && let Some(direction) = unseen_here(seen)
    {
        return Some(direction);
    }
    let unseen_in = |wanted: &dyn Fn(i32) -> bool| {
        map.way_to(seen.now_ms, may, |vnum, room| {
            may(vnum, room) && room.visits <= VISITS_MAX && leads_on(seen, vnum, room) && wanted(vnum)
        })
    };
    // First where there is something for one's own kind.
    let unseen = unseen_in(&|vnum| grade(seen, vnum) == Grade::Fit).filter(|way| way.length <= NEAR);
    let unseen = unseen.or_else(|| unseen_in(&|vnum| grade(seen, vnum) != Grade::TooHard));
    let unseen = unseen.filter(|way| way.length <= FAR);
    let way = match (quarry, unseen) {
        (Some(quarry), Some(unseen)) if quarry.length < unseen.length * 2 => Some(quarry),
        (quarry, unseen) => unseen.or(quarry),
    };
    way.map(|way| way.step).or_else(|| hunting_ground(seen)).or_else(|| oldest(seen)).or_else(|| homewards(seen))
}

/// Out of where one has no business.
fn homewards(seen: &Perception<'_>) -> Option<String> {
    let home = seen.known.home.filter(|_| grade(seen, seen.room()) == Grade::TooHard)?;
    seen.known.map.way_home(home, seen.now_ms).map(|way| way.step)
}

/// It has an exit that was never taken and did not refuse lately.
fn leads_on(seen: &Perception<'_>, vnum: i32, room: &Room) -> bool {
    room.exits.iter().any(|(direction, exit)| {
        exit.to.is_none()
            && exit.blocked_until_ms <= seen.now_ms
            && seen.known.refused_actions.blocks(vnum, direction, seen.now_ms).is_none()
    })
}

/// The nearest room where one killed something, some time ago.
fn hunting_ground(seen: &Perception<'_>) -> Option<String> {
    let may = |vnum: i32, room: &Room| seen.may_enter(vnum, room);
    let way = seen.known.map.way_to(seen.now_ms, may, |vnum, room| {
        may(vnum, room)
            && room.kills > 0
            && seen.now_ms.saturating_sub(room.left_ms) > RETURN_MS
            && grade(seen, vnum) != Grade::TooHard
    });
    way.filter(|way| way.length <= FAR).map(|way| way.step)
}

/// An exit of this room that was never taken.
fn unseen_here(seen: &Perception<'_>) -> Option<String> {
    let room = seen.known.map.room()?;
    let open = |direction: &str| seen.known.refused_actions.blocks(seen.room(), direction, seen.now_ms).is_none();
    let shown = seen.state.exits().iter().filter(|exit| open(exit));
    let mut unseen = shown.filter(|exit| {
        room.exits.get(&***exit).is_none_or(|exit| exit.to.is_none() && exit.blocked_until_ms <= seen.now_ms)
    });
    unseen.next().map(|exit| exit.to_string())
}

/// All is known: to the room where one has not been for longest, so that what comes back is found.
fn oldest(seen: &Perception<'_>) -> Option<String> {
    let here = seen.room();
    let rooms = seen.known.map.rooms.iter().filter(|(vnum, room)| {
        **vnum != here
            && seen.now_ms.saturating_sub(room.left_ms) > RETURN_MS
            && seen.may_enter(**vnum, room)
            && grade(seen, **vnum) != Grade::TooHard
    });
    let mut by_age: Vec<(u64, i32)> = rooms.map(|(vnum, room)| (room.left_ms, *vnum)).collect();
    by_age.sort_unstable();
    let may = |vnum: i32, room: &Room| seen.may_enter(vnum, room);
    let mut ways = by_age
        .into_iter()
        .take(8)
        .filter_map(|(_, wanted)| seen.known.map.way_to(seen.now_ms, may, |vnum, _| vnum == wanted));
    ways.find(|way| seen.known.refused_actions.blocks(here, &way.step, seen.now_ms).is_none()).map(|way| way.step)
}

fn back(seen: &Perception<'_>) -> Proposal {
    let map = &seen.known.map;
    let exits = map.room().into_iter().flat_map(|room| room.exits.iter());
    // The one behind which one was longest ago, or one goes to and fro.
    let mut ways: Vec<(u64, &String)> =
        exits.filter_map(|(direction, exit)| Some((map.rooms.get(&exit.to?)?.left_ms, direction))).collect();
    ways.sort();
    match seen.first_of(ways.into_iter().map(|(_, direction)| direction.clone())) {
        Proposal::Pass => {
            let all = ["north", "east", "south", "west", "up", "down"];
            let start = seen.chance as usize;
            seen.first_of((0..6).map(|at| all[(start + at) % 6].to_string()))
        }
        step => step,
    }
}
