//! Resting until fit, and getting up again.

use super::{Seen, Step};

/// Beside a model, one rests by itself only when it is dire.
const DIRE_PERCENT: i32 = 35;
/// Farther than that one does not walk to a safe place, hurt.
const WAY_MAX: usize = 12;

pub fn rest(seen: &Seen<'_>) -> Step {
    if !seen.known.recovering || (!seen.alone && seen.state.hp_percent() >= DIRE_PERCENT) {
        return Step::Pass;
    }
    if seen.state.is_in("resting") || seen.state.is_in("sleeping") {
        return if seen.alone { Step::Stay } else { Step::Pass };
    }
    let room = seen.known.map.room();
    let safe = room.is_some_and(|room| room.safe) || Some(seen.room()) == seen.known.home;
    let unquiet = seen.known.is_shunned(seen.room(), seen.level(), seen.now_ms)
        || seen.state.mobs().iter().any(|mob| {
            let kind = seen.known.lore.get(mob.vnum);
            kind.is_some_and(|kind| kind.aggressive)
        });
    if !safe && seen.stands() && seen.state.moves_percent() > 5 {
        let way = seen.known.map.way_to(
            seen.now_ms,
            |vnum, room| seen.may_enter(vnum, room),
            |vnum, room| (room.safe || Some(vnum) == seen.known.home) && seen.may_enter(vnum, room),
        );
        if let Some(way) = way.filter(|way| way.length <= if unquiet { WAY_MAX * 2 } else { WAY_MAX })
            && let Step::Do(line) = seen.walk(&way.step)
        {
            return Step::Do(line);
        }
        if unquiet
            && let Some(direction) = super::retreat::way_out(seen)
            && let Step::Do(line) = seen.walk(&direction)
        {
            return Step::Do(line);
        }
    }
    seen.step("rest")
}

pub fn stand(seen: &Seen<'_>) -> Step {
    seen.get_up().unwrap_or(Step::Pass)
}
