//! Not staying where somebody dangerous is, and going where it was safe before.

use super::{Seen, Step};
use crate::map::Map;

pub fn retreat(seen: &Seen<'_>) -> Step {
    let threat = seen.state.mobs().iter().any(|mob| seen.is_dangerous(mob));
    if !threat {
        return Step::Pass;
    }
    match way_out(seen) {
        Some(direction) => seen.walk(&direction),
        None => Step::Pass,
    }
}

/// The way to leave this room by: towards safety if that is known, else anywhere that is not worse.
pub fn way_out(seen: &Seen<'_>) -> Option<String> {
    let map = &seen.known.map;
    let safe = map.way_to(
        seen.now_ms,
        |vnum, room| seen.may_enter(vnum, room),
        |vnum, room| (room.safe || Some(vnum) == seen.known.home) && seen.may_enter(vnum, room),
    );
    if let Some(way) = safe
        && seen.known.breaker.blocks(seen.room(), &way.step, seen.now_ms).is_none()
    {
        return Some(way.step);
    }
    let room = map.room()?;
    let usable = |direction: &&String| seen.known.breaker.blocks(seen.room(), direction, seen.now_ms).is_none();
    let shown = |direction: &&String| seen.state.exits().iter().any(|exit| **exit == ***direction);
    let known = room.exits.iter().filter(|(_, exit)| exit.blocked_until_ms <= seen.now_ms);
    let tame = known.clone().find(|(direction, exit)| {
        let tame = exit.to.is_some_and(|to| map.rooms.get(&to).is_some_and(|next| seen.may_enter(to, next)));
        tame && usable(direction) && shown(direction)
    });
    if let Some((direction, _)) = tame {
        return Some(direction.clone());
    }
    if let Some(unseen) = Map::unseen_exit(room, seen.now_ms) {
        return Some(unseen.to_string());
    }
    known.map(|(direction, _)| direction).find(|direction| usable(direction) && shown(direction)).cloned()
}
