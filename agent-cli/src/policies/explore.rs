//! Walking: to where there is something to hunt, else to where one has not been, else to where one hunted well.
//!
//! Every step costs movement points, and they come back slowly: the nearest prey that one is fit for comes first, and
//! who is not fit for any rests before it walks.

use super::errands::is_wanted_in;
use super::lying::lacks_strength;
use super::prey::{is_full, is_ground, of_level, yields};
use super::regions::{Grade, grade};
use super::whims::{whim, whim_of_part};
use super::{Perception, Proposal};
use crate::map::{Room, Way, step_of};
use crate::nature::share;
use protocol::payload::Word;
use std::rc::Rc;

/// A place that one has just left is as one left it.
const FRESH_MS: u64 = 40_000;
/// What was killed comes back after some minutes.
const RETURN_MS: u64 = 300_000;
/// Who has nothing else to do, and lacks no strength, looks again where it has not been for so long.
const WANDER_MS: u64 = 60_000;
/// Farther than that one does not go for a known quarry while there is something unseen nearer.
const NEAR: usize = 15;
const FAR: usize = 60;
/// To go where one has never been one is this fit, in percent.
const VENTURE_HP_PERCENT: i32 = 70;
const VENTURE_MOVES_PERCENT: i32 = 25;
/// An exit that was passed by so often cannot be taken, whatever it looks like from afar.
const VISITS_MAX: u32 = 25;
/// What one asks of oneself about where to.
const HEADING: u64 = 5 << 32;
/// So many steps it is worth to come a step farther the way that one is drawn to: to prey, and to what one never saw.
/// Less than 1, or one would never turn back for what one left out.
const LEAN: f64 = 0.3;
const LEAN_UNSEEN: f64 = 0.8;
/// So many steps it is worth that somebody wants the prey dead.
const WANTED: f64 = 8.0;
/// Prey that yields less than an equal so far away does not keep one from looking for better.
const STEPS_TO_AN_EQUAL: f64 = 30.0;
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
    seen.memo.plan.get_or_init(|| planned(seen).map(|step| step.to_string())).clone()
}

fn planned(seen: &Perception<'_>) -> Option<Rc<str>> {
    let curious = seen.nature.tastes.curious;
    let near = (NEAR as f64 * (1.5 - curious)) as usize;
    let is_prey_for = |hp_percent: i32| {
        move |vnum: i32, room: &Room| {
            seen.now_ms.saturating_sub(room.left_ms) > FRESH_MS && is_ground(seen, vnum, room, hp_percent)
        }
    };
    let hp_percent = seen.state.hp_percent();
    let quarries: Vec<&Way> = within(seen, FAR, is_prey_for(hp_percent)).collect();
    let best = best(seen, &quarries);
    let pays = best.is_some_and(|(_, yields)| yields * STEPS_TO_AN_EQUAL >= of_level(seen.level()) as f64);
    let best = best.map(|(way, _)| way);
    let ventures =
        hp_percent >= VENTURE_HP_PERCENT && !seen.known.spent && seen.state.moves_percent() >= VENTURE_MOVES_PERCENT;
    if let Some(way) = best.filter(|_| pays || !ventures)
        && quarries.iter().any(|way| way.length <= near)
    {
        return Some(way.step.clone());
    }
    if hp_percent < RIPE_HP_PERCENT && within(seen, near, is_prey_for(100)).next().is_some() {
        // There is something near for who is fit.
        return None;
    }
    // What lies behind a way that nobody took may be anything: not hurt, and not tired.
    if !ventures {
        return None;
    }
    let leading: Vec<&Way> =
        within(seen, FAR, |vnum, room| room.visits <= VISITS_MAX && leads_on(seen, vnum, room)).collect();
    if grade(seen, seen.room()) != Grade::TooHard
        && let Some(direction) = unseen_here(seen)
        && !is_better_elsewhere(seen, &leading, &direction)
    {
        return Some(direction.into());
    }
    let unseen_in = |most: usize, wanted: &dyn Fn(i32) -> bool| {
        let ways = leading.iter().copied().filter(|way| way.length <= most && wanted(way.to));
        ways.min_by(|a, b| frontier(seen, a).total_cmp(&frontier(seen, b)))
    };
    // First where there is something for one's own kind.
    let unseen = unseen_in(NEAR, &|vnum| grade(seen, vnum) == Grade::Fit);
    let unseen = unseen.or_else(|| unseen_in(FAR, &|vnum| grade(seen, vnum) != Grade::TooHard));
    // The curious go on to what they never saw, the others back to what they know.
    let patience = 3.0 - 2.0 * curious;
    let way = match (best, unseen) {
        (Some(quarry), Some(unseen)) if pays && (quarry.length as f64) < unseen.length as f64 * patience => {
            Some(quarry)
        }
        (quarry, unseen) => unseen.or(quarry),
    };
    let fit = |vnum: i32| grade(seen, vnum) != Grade::TooHard;
    let way = way.or_else(|| hunting_ground(seen)).or_else(|| oldest(seen, RETURN_MS, fit)).map(|way| way.step.clone());
    // No way home is known, and what may be entered is not where the danger stood.
    let wander = || oldest(seen, WANDER_MS, |_| true).filter(|_| !lacks_strength(seen));
    way.or_else(|| homewards(seen)).or_else(|| wander().map(|way| way.step.clone()))
}

/// Everybody is drawn some way from where it began, so that those who begin together part: as steps east and north.
fn heading(seen: &Perception<'_>) -> (f64, f64) {
    let (north, east) = (share(seen.own(HEADING)) * std::f64::consts::TAU).sin_cos();
    (east, north)
}

/// How far that is the way one is drawn to.
fn along(seen: &Perception<'_>, (east, north): (i32, i32)) -> f64 {
    let heading = heading(seen);
    f64::from(east) * heading.0 + f64::from(north) * heading.1
}

/// How far a room lies that way, from here.
fn lies_along(seen: &Perception<'_>, vnum: i32) -> f64 {
    let map = &seen.known.map;
    let place = |room: Option<&Room>| room.and_then(|room| room.place);
    let to = place(map.rooms.get(&vnum)).zip(place(map.room()));
    to.map_or(0.0, |(to, here)| along(seen, (to.0.saturating_sub(here.0), to.1.saturating_sub(here.1))))
}

/// The ways, not longer than that, to the rooms that are wanted.
fn within<'s>(
    seen: &'s Perception<'_>,
    most: usize,
    wanted: impl Fn(i32, &Room) -> bool + 's,
) -> impl Iterator<Item = &'s Way> {
    let ways = seen.ways().iter().take_while(move |way| way.length <= most);
    ways.filter(move |way| seen.known.map.rooms.get(&way.to).is_some_and(|room| wanted(way.to, room)))
}

/// The way to the prey that yields most for the steps that it seems away, and what it yields.
fn best<'w>(seen: &Perception<'_>, ways: &[&'w Way]) -> Option<(&'w Way, f64)> {
    let rooms = &seen.known.map.rooms;
    let yields = |way: &&'w Way| Some((*way, yields(seen, rooms.get(&way.to)?, seems(seen, way))));
    ways.iter().filter_map(yields).max_by(|(_, a), (_, b)| a.total_cmp(b))
}

/// How many steps a way seems to be.
fn seems(seen: &Perception<'_>, way: &Way) -> f64 {
    let wanted = if is_wanted_in(seen, way.to) { WANTED } else { 0.0 };
    whim(seen, way) - LEAN * lies_along(seen, way.to) - wanted
}

/// The way that one likes best: a near one, but of those that are not much farther everybody has its own.
fn liked<'w>(seen: &Perception<'_>, ways: impl Iterator<Item = &'w Way>) -> Option<&'w Way> {
    ways.min_by(|a, b| seems(seen, a).total_cmp(&seems(seen, b)))
}

/// The same for a way to a room with an exit that was never taken.
fn frontier(seen: &Perception<'_>, way: &Way) -> f64 {
    let exits = seen.known.map.rooms.get(&way.to).map(|room| room.exits.iter());
    let unseen = exits.into_iter().flatten().filter(|(_, exit)| exit.to.is_none());
    let ahead = unseen.map(|(direction, _)| along(seen, step_of(direction))).max_by(f64::total_cmp).unwrap_or(0.0);
    whim(seen, way) - LEAN_UNSEEN * (lies_along(seen, way.to) + ahead)
}

/// Whether one would rather walk to the unseen elsewhere than through an exit of this room. Who comes there thinks
/// better of it, not worse, so that nobody walks to and fro.
fn is_better_elsewhere(seen: &Perception<'_>, leading: &[&Way], direction: &str) -> bool {
    let here = whim_of_part(seen, seen.room()) - LEAN_UNSEEN * along(seen, step_of(direction));
    let others = leading.iter().filter(|way| grade(seen, way.to) != Grade::TooHard);
    others.map(|way| frontier(seen, way)).any(|elsewhere| elsewhere + 1.0 < here)
}

/// Out of where one has no business.
fn homewards(seen: &Perception<'_>) -> Option<Rc<str>> {
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

/// A room where one killed something, some time ago.
fn hunting_ground<'s>(seen: &'s Perception<'_>) -> Option<&'s Way> {
    let grounds = within(seen, FAR, |vnum, room| {
        room.kills > 0
            && seen.now_ms.saturating_sub(room.left_ms) > RETURN_MS
            && grade(seen, vnum) != Grade::TooHard
            && !is_full(seen, vnum)
    });
    liked(seen, grounds)
}

/// An exit of this room that was never taken.
fn unseen_here(seen: &Perception<'_>) -> Option<String> {
    let room = seen.known.map.room()?;
    let open = |direction: &str| seen.known.refused_actions.blocks(seen.room(), direction, seen.now_ms).is_none();
    let shown = seen.state.exits().iter().filter(|exit| open(exit));
    let unseen = shown.filter(|exit| {
        room.exits.get(&***exit).is_none_or(|exit| exit.to.is_none() && exit.blocked_until_ms <= seen.now_ms)
    });
    // The own order of the ways, but the one that one is drawn to first.
    let order = |exit: &&Word| share(seen.known.map.order(seen.room(), exit)) - along(seen, step_of(exit));
    unseen.min_by(|a, b| order(a).total_cmp(&order(b))).map(|exit| exit.to_string())
}

/// All is known: to the room where one has not been for longest, so that what comes back is found.
fn oldest<'s>(seen: &'s Perception<'_>, left_ms: u64, fit: impl Fn(i32) -> bool) -> Option<&'s Way> {
    let here = seen.room();
    let rooms = seen.known.map.rooms.iter().filter(|(vnum, room)| {
        **vnum != here
            && seen.now_ms.saturating_sub(room.left_ms) > left_ms
            && seen.may_enter(**vnum, room)
            && fit(**vnum)
    });
    let mut by_age: Vec<(u64, i32)> = rooms.map(|(vnum, room)| (room.left_ms, *vnum)).collect();
    by_age.sort_unstable();
    let mut ways = by_age.into_iter().take(8).filter_map(|(_, wanted)| seen.way_to(|vnum, _| vnum == wanted));
    ways.find(|way| seen.known.refused_actions.blocks(here, &way.step, seen.now_ms).is_none())
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
