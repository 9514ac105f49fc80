//! Not staying where somebody dangerous is, and going where it was safe before.

use super::{Perception, Proposal};
use crate::map::Map;

/// After so many steps between no more than two rooms one is not getting away, but tired.
const TO_AND_FRO: usize = 5;

pub fn retreat(seen: &Perception<'_>) -> Proposal {
    let threat = seen.state.mobs().iter().any(|mob| seen.is_dangerous(mob));
    if !threat || goes_to_and_fro(seen) {
        return Proposal::Pass;
    }
    match way_out(seen) {
        Some(direction) => seen.walk(&direction),
        None => Proposal::Pass,
    }
}

/// Somebody dangerous stands in either of two rooms and has not struck yet: who runs from one to the other all the time
/// has no strength left when it does.
pub fn goes_to_and_fro(seen: &Perception<'_>) -> bool {
    let last = seen.known.trail.iter().rev().take(TO_AND_FRO);
    last.len() == TO_AND_FRO && last.collect::<std::collections::BTreeSet<_>>().len() <= 2
}

/// How to leave this room, nearly beaten and out of a fight: home by prayer, where no door leads to somebody worse; by
/// the way out where that is not heard.
pub fn way_of_flight(seen: &Perception<'_>) -> Option<String> {
    if seen.may_pray() { Some("home".to_string()) } else { way_out(seen) }
}

/// The way to leave this room by: towards safety if that is known, else anywhere that is not worse.
pub fn way_out(seen: &Perception<'_>) -> Option<String> {
    let map = &seen.known.map;
    let safe = seen.way_to(|vnum, room| room.safe || Some(vnum) == seen.known.home);
    if let Some(way) = safe
        && seen.known.refused_actions.blocks(seen.room(), &way.step, seen.now_ms).is_none()
    {
        return Some(way.step.to_string());
    }
    let room = map.room()?;
    let usable = |direction: &&String| seen.known.refused_actions.blocks(seen.room(), direction, seen.now_ms).is_none();
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
