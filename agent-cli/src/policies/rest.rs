//! Resting until fit, and getting up again.

use super::explore::plan;
use super::hunt::{Suits, suits};
use super::{Perception, Proposal};
use crate::reflexes::FLEE_PERCENT;

/// Beside a model, one rests by itself only when it is dire.
const DIRE_PERCENT: i32 = 35;
/// With more than that there is nothing to lie down for.
const FIT_PERCENT: i32 = 95;
/// Farther than that one does not walk to a safe place, hurt.
const WAY_MAX: usize = 12;

pub fn rest(seen: &Perception<'_>) -> Proposal {
    if !seen.known.recovering || (!seen.alone && seen.state.hp_percent() >= DIRE_PERCENT) {
        return Proposal::Pass;
    }
    if seen.state.is_in("resting") || seen.state.is_in("sleeping") {
        return if seen.alone { Proposal::Stay } else { Proposal::Pass };
    }
    let room = seen.known.map.room();
    let safe = room.is_some_and(|room| room.safe) || Some(seen.room()) == seen.known.home;
    let unquiet = seen.known.is_shunned(seen.room(), seen.level(), seen.now_ms)
        || seen.state.mobs().iter().any(|mob| {
            let kind = seen.known.bestiary.get(mob.vnum);
            kind.is_some_and(|kind| kind.aggressive)
        });
    // Nearly beaten by somebody who may come after it, one does not lie down in the wild.
    if !safe && seen.stands() && seen.is_hunted() && seen.state.hp_percent() < FLEE_PERCENT && seen.may_pray() {
        return seen.step("home");
    }
    // Where a model decides, it decides about ways too: one lies down where one is, if nobody there is known to attack.
    if !safe && (seen.alone || unquiet) && seen.stands() && seen.state.moves_percent() > 5 {
        let way = seen.known.map.way_to(
            seen.now_ms,
            |vnum, room| seen.may_enter(vnum, room),
            |vnum, room| (room.safe || Some(vnum) == seen.known.home) && seen.may_enter(vnum, room),
        );
        // Back past whoever it just ran from nobody goes, hurt: home by prayer.
        let first = way.as_ref().and_then(|way| room?.exits.get(&way.step)?.to);
        let past_them = first.is_some() && first == seen.fled_from();
        if past_them && seen.state.hp_percent() < DIRE_PERCENT && seen.may_pray() {
            return seen.step("home");
        }
        if let Some(way) = way.filter(|way| way.length <= if unquiet { WAY_MAX * 2 } else { WAY_MAX })
            && let Proposal::Do(line) = seen.walk(&way.step)
        {
            return Proposal::Do(line);
        }
        if unquiet
            && let Some(direction) = super::retreat::way_out(seen)
            && let Proposal::Do(line) = seen.walk(&direction)
        {
            return Proposal::Do(line);
        }
    }
    seen.step("rest")
}

/// Gets up when there is something to do.
pub fn stand(seen: &Perception<'_>) -> Proposal {
    let Some(up) = seen.get_up() else { return Proposal::Pass };
    let whole = seen.state.hp_percent() >= FIT_PERCENT && seen.state.moves_percent() >= FIT_PERCENT;
    let prey = seen.state.mobs().iter().any(|mob| matches!(suits(seen, mob.vnum), Suits::Yes(_)));
    if whole || prey || plan(seen).is_some() { up } else { Proposal::Stay }
}

/// Last of all: nothing else is to be done, and one is not quite fit.
pub fn linger(seen: &Perception<'_>) -> Proposal {
    if !seen.stands() || (seen.state.hp_percent() >= FIT_PERCENT && seen.state.moves_percent() >= FIT_PERCENT) {
        return Proposal::Pass;
    }
    seen.step("rest")
}
