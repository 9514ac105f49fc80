//! When and where to lie down.

use super::Perception;
use super::prey::is_full;
use crate::map::{Room, Vnum};

/// Nobody lies down within reach of who attacks and is so many levels above.
const FEARED_LEVELS: i32 = 2;
/// With more than that there is little to lie down for.
const WHOLE_HP_PERCENT: i32 = 90;
const WHOLE_MOVES_PERCENT: i32 = 80;

pub fn lacks_strength(seen: &Perception<'_>) -> bool {
    seen.state.hp_percent() < WHOLE_HP_PERCENT || seen.state.moves_percent() < WHOLE_MOVES_PERCENT
}

/// Whether one may lie down in a room: it is not where one was struck last, and nobody fierce is there or next door.
pub fn may_lie(seen: &Perception<'_>, vnum: Vnum, room: &Room) -> bool {
    let struck = seen.known.struck.is_some_and(|struck| struck.room == vnum);
    let next = room.exits.values().filter_map(|exit| seen.known.map.rooms.get(&exit.to?));
    let mut mobs = room.mobs.iter().chain(next.flat_map(|next| &next.mobs));
    !struck && !mobs.any(|mob| is_feared(seen, *mob))
}

fn is_feared(seen: &Perception<'_>, vnum: i32) -> bool {
    let kind = seen.known.bestiary.get(vnum).filter(|kind| kind.aggressive && !kind.untouchable);
    kind.is_some_and(|kind| kind.level().is_none_or(|level| level >= seen.level() + FEARED_LEVELS))
}

/// A place to rest at: quiet so far, and not full of others.
pub fn is_resting_place(seen: &Perception<'_>, vnum: Vnum, room: &Room) -> bool {
    (room.safe || Some(vnum) == seen.known.home) && may_lie(seen, vnum, room) && !is_full(seen, vnum)
}

/// How to lie down here: asleep where nothing ever attacked and nobody about may, else with open eyes.
pub fn lie_down(seen: &Perception<'_>) -> &'static str {
    let quiet = seen.known.map.room().is_some_and(|room| room.safe || room.peaceful);
    let tame = seen.state.mobs().iter().all(|mob| {
        !mob.attackable || seen.known.bestiary.get(mob.vnum).is_some_and(|kind| !kind.aggressive || kind.untouchable)
    });
    if quiet && tame && seen.known.struck.is_none_or(|struck| Some(struck.room) != seen.known.map.here) {
        "sleep"
    } else {
        "rest"
    }
}
