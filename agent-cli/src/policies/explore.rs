//! Walking: to where there was something to hunt, else to where one has not been.

use super::hunt::{Suits, suits_at};
use super::regions::{Grade, grade};
use super::{Seen, Step};
use crate::map::Map;

/// A place that one has just left is as one left it.
const FRESH_MS: u64 = 40_000;
/// Farther than that one does not go for a known quarry while there is something unseen nearer.
const NEAR: usize = 15;
const FAR: usize = 60;
/// To go where one has never been one is this fit, in percent.
pub const VENTURE_HP_PERCENT: i32 = 70;
pub const VENTURE_MOVES_PERCENT: i32 = 25;

pub fn explore(seen: &Seen<'_>) -> Step {
    if seen.known.recovering || !seen.stands() {
        return Step::Pass;
    }
    if seen.is_dark() && seen.state.exits().is_empty() {
        // Nothing can be seen, so nothing can be chosen: the way that one came is the best there is.
        return back(seen);
    }
    let may = |vnum: i32, room: &crate::map::Room| seen.may_enter(vnum, room);
    let quarry = seen.known.map.way_to(seen.now_ms, may, |vnum, room| {
        may(vnum, room)
            && !room.peaceful
            && seen.now_ms.saturating_sub(room.left_ms) > FRESH_MS
            && grade(seen, vnum) != Grade::TooHard
            && room.mobs.iter().any(|mob| matches!(suits_at(seen, *mob, 100), Suits::Yes(_)))
    });
    if let Some(way) = quarry.as_ref().filter(|way| way.length <= NEAR) {
        return seen.walk(&way.step);
    }
    // What lies behind a way that nobody took may be anything: not hurt, and not tired.
    if seen.state.hp_percent() < VENTURE_HP_PERCENT || seen.state.moves_percent() < VENTURE_MOVES_PERCENT {
        return Step::Pass;
    }
    if grade(seen, seen.room()) != Grade::TooHard
        && let Some(direction) = unseen_here(seen)
    {
        return seen.walk(&direction);
    }
    let unseen_in = |wanted: &dyn Fn(i32) -> bool| {
        seen.known.map.way_to(seen.now_ms, may, |vnum, room| {
            may(vnum, room) && Map::unseen_exit(room, seen.now_ms).is_some() && wanted(vnum)
        })
    };
    // First where there is something for one's own kind.
    let unseen = unseen_in(&|vnum| grade(seen, vnum) == Grade::Fit).filter(|way| way.length <= NEAR);
    let unseen = unseen.or_else(|| unseen_in(&|vnum| grade(seen, vnum) != Grade::TooHard));
    match (quarry, unseen) {
        (Some(quarry), Some(unseen)) if quarry.length < unseen.length * 2 => seen.walk(&quarry.step),
        (_, Some(unseen)) if unseen.length <= FAR => seen.walk(&unseen.step),
        (Some(quarry), _) => seen.walk(&quarry.step),
        _ => oldest(seen),
    }
}

/// An exit of this room that was never taken.
fn unseen_here(seen: &Seen<'_>) -> Option<String> {
    let room = seen.known.map.room()?;
    let open = |direction: &str| seen.known.breaker.blocks(seen.room(), direction, seen.now_ms).is_none();
    let shown = seen.state.exits().iter().filter(|exit| open(exit));
    let mut unseen = shown.filter(|exit| {
        room.exits.get(&***exit).is_none_or(|exit| exit.to.is_none() && exit.blocked_until_ms <= seen.now_ms)
    });
    unseen.next().map(|exit| exit.to_string())
}

/// All is known: to the room where one has not been for longest, so that what comes back is found.
fn oldest(seen: &Seen<'_>) -> Step {
    let here = seen.room();
    let rooms =
        seen.known.map.rooms.iter().filter(|(vnum, room)| {
            **vnum != here && seen.may_enter(**vnum, room) && grade(seen, **vnum) != Grade::TooHard
        });
    let mut by_age: Vec<(u64, i32)> = rooms.map(|(vnum, room)| (room.left_ms, *vnum)).collect();
    by_age.sort_unstable();
    for (_, vnum) in by_age.into_iter().take(8) {
        let way = seen.known.map.way_to(seen.now_ms, |vnum, room| seen.may_enter(vnum, room), |other, _| other == vnum);
        if let Some(way) = way
            && let Step::Do(line) = seen.walk(&way.step)
        {
            return Step::Do(line);
        }
    }
    Step::Pass
}

fn back(seen: &Seen<'_>) -> Step {
    let room = seen.known.map.room();
    let ways = room.into_iter().flat_map(|room| room.exits.iter()).filter(|(_, exit)| exit.to.is_some());
    match seen.first_of(ways.map(|(direction, _)| direction.clone())) {
        Step::Pass => {
            let all = ["north", "east", "south", "west", "up", "down"];
            let start = seen.chance as usize;
            seen.first_of((0..6).map(|at| all[(start + at) % 6].to_string()))
        }
        step => step,
    }
}
