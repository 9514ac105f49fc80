//! Resting until fit, lying down where there is nothing else to do, and getting up again.

use super::explore::plan;
use super::lying::{is_resting_place, lacks_strength, lie_down, may_lie};
use super::prey::prey;
use super::retreat::{goes_to_and_fro, way_out};
use super::whims::whim;
use super::{Perception, Proposal};
use crate::map::Way;
use crate::reflexes::FLEE_PERCENT;

/// Beside a model, one rests by itself only when it is dire.
const DIRE_PERCENT: i32 = 35;
/// With more than that there is nothing to lie down for.
const FIT_PERCENT: i32 = 95;
/// Farther than that one does not walk to a safe place, hurt.
const WAY_MAX: usize = 12;
/// With more hit points than that, in percent, one is tired and not hurt: to walk to a place to rest at would cost what
/// one rests for.
const UNHURT_PERCENT: i32 = 60;
/// So many steps more one takes to a place that one likes better than the nearest.
const FARTHER: usize = 4;

pub fn rest(seen: &Perception<'_>) -> Proposal {
    if !seen.known.recovering || (!seen.alone && seen.state.hp_percent() >= DIRE_PERCENT) {
        return Proposal::Pass;
    }
    if seen.state.is_in("resting") || seen.state.is_in("sleeping") {
        return if seen.alone { Proposal::Stay } else { Proposal::Pass };
    }
    let room = seen.known.map.room();
    let here = room.is_some_and(|room| is_resting_place(seen, seen.room(), room));
    let unquiet = seen.known.is_shunned(seen.room(), seen.level(), seen.now_ms)
        || room.is_some_and(|room| !may_lie(seen, seen.room(), room))
        || seen.state.mobs().iter().any(|mob| {
            let kind = seen.known.bestiary.get(mob.vnum);
            kind.is_some_and(|kind| kind.aggressive)
        });
    // Nearly beaten by somebody who may come after it, one does not lie down in the wild.
    if !here && seen.stands() && seen.is_hunted() && seen.state.hp_percent() < FLEE_PERCENT && seen.may_pray() {
        return seen.step("home");
    }
    let only_tired = seen.state.hp_percent() >= UNHURT_PERCENT && !seen.is_hunted();
    // Where a model decides, it decides about ways too: one lies down where one is, if nobody there is known to attack.
    if !here && ((seen.alone && !only_tired) || unquiet) && seen.stands() && seen.state.moves_percent() > 5 {
        let way = resting_place(seen);
        // Back past whoever it just ran from nobody goes, hurt: home by prayer.
        let first = way.and_then(|way| room?.exits.get(&*way.step)?.to);
        let past_them = first.is_some() && first == seen.fled_from();
        if past_them && seen.state.hp_percent() < DIRE_PERCENT && seen.may_pray() {
            return seen.step("home");
        }
        let way = way.filter(|way| way.length <= if unquiet { WAY_MAX * 2 } else { WAY_MAX });
        let way = way.or_else(|| {
            let way = || seen.way_to(|vnum, room| may_lie(seen, vnum, room) && room.visits > 0);
            if unquiet { way().filter(|way| way.length <= WAY_MAX) } else { None }
        });
        if let Some(way) = way
            && let Proposal::Do(line) = seen.walk(&way.step)
        {
            return Proposal::Do(line);
        }
        if unquiet
            && !goes_to_and_fro(seen)
            && let Some(direction) = way_out(seen)
            && let Proposal::Do(line) = seen.walk(&direction)
        {
            return Proposal::Do(line);
        }
    }
    lie(seen)
}

/// The way to the resting place that one likes best, of those that are hardly farther than the nearest.
fn resting_place<'s>(seen: &'s Perception<'_>) -> Option<&'s Way> {
    let nearest = seen.way_to(|vnum, room| is_resting_place(seen, vnum, room))?;
    // Who is badly hurt, or followed, has no time for likings.
    if seen.is_hunted() || seen.state.hp_percent() < DIRE_PERCENT {
        return Some(nearest);
    }
    let rooms = &seen.known.map.rooms;
    let near = seen.ways().iter().take_while(|way| way.length <= nearest.length + FARTHER);
    let places = near.filter(|way| rooms.get(&way.to).is_some_and(|room| is_resting_place(seen, way.to, room)));
    places.min_by(|a, b| whim(seen, a).total_cmp(&whim(seen, b)))
}

/// Lies down, where one may; where one may not, one prays to be taken home.
fn lie(seen: &Perception<'_>) -> Proposal {
    match seen.known.map.room() {
        Some(room) if may_lie(seen, seen.room(), room) => seen.step(lie_down(seen)),
        _ if seen.may_pray() && seen.state.hp_percent() < DIRE_PERCENT => seen.step("home"),
        _ => Proposal::Pass,
    }
}

/// Gets up when there is something to do.
pub fn stand(seen: &Perception<'_>) -> Proposal {
    let Some(up) = seen.get_up() else { return Proposal::Pass };
    let whole = seen.state.hp_percent() >= FIT_PERCENT && seen.state.moves_percent() >= FIT_PERCENT;
    let worth = || prey(seen).is_some() || plan(seen).is_some();
    if whole || worth() { up } else { Proposal::Stay }
}

/// Last of all: one lacks strength, and there is nothing else to do.
pub fn linger(seen: &Perception<'_>) -> Proposal {
    if !seen.stands() || !lacks_strength(seen) || prey(seen).is_some() || plan(seen).is_some() {
        return Proposal::Pass;
    }
    match seen.known.map.room() {
        Some(room) if may_lie(seen, seen.room(), room) => seen.step(lie_down(seen)),
        _ => Proposal::Pass,
    }
}
