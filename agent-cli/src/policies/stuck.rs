//! Getting out of where nothing gets on.

use super::light::way_home_in_the_dark;
use super::lying::{lacks_strength, may_lie};
use super::{Perception, Proposal};

/// So long without any change of room, experience, hit points or things, and not resting.
const STUCK_MS: u64 = 25_000;
/// Who lacks strength waits for it: it comes with the hour. Where one may not lie down, not for long.
const WAITING_MS: u64 = 150_000;
const ON_FEET_MS: u64 = 40_000;
/// Then home, by prayer.
const LOST_MS: u64 = 45_000;

/// How long to wait for strength.
fn waits_ms(seen: &Perception<'_>) -> u64 {
    let room = seen.known.map.room();
    if room.is_some_and(|room| may_lie(seen, seen.room(), room)) { WAITING_MS } else { ON_FEET_MS }
}

/// Whether a way leads to where one does not go, as far as one knows.
fn is_known_as_bad(seen: &Perception<'_>, way: &str) -> bool {
    let map = &seen.known.map;
    let to = map.room().and_then(|room| room.exits.get(way)).and_then(|exit| exit.to);
    let next = to.and_then(|to| Some((to, map.rooms.get(&to)?)));
    next.is_some_and(|(to, room)| !seen.may_enter(to, room))
}

pub fn unstuck(seen: &Perception<'_>) -> Proposal {
    let idle = seen.now_ms.saturating_sub(seen.known.progress_ms);
    if idle < STUCK_MS || !seen.stands() || (lacks_strength(seen) && idle < waits_ms(seen)) {
        return Proposal::Pass;
    }
    // In a lit corner without a light: home through the dark, where the policy of light walks on; where that would turn
    // back at the first step, by prayer.
    if !seen.has_light() {
        let home = way_home_in_the_dark(seen).map(|way| seen.walk(&way.step));
        match home.unwrap_or_else(|| if seen.may_pray() { seen.step("home") } else { Proposal::Pass }) {
            Proposal::Pass => {}
            step => return step,
        }
    }
    let exits = seen.state.exits();
    if !exits.is_empty() {
        let start = seen.chance as usize % exits.len();
        let mut ways: Vec<String> = (0..exits.len()).map(|at| exits[(start + at) % exits.len()].to_string()).collect();
        // A step to where one would not stay leads back to here.
        ways.sort_by_key(|way| is_known_as_bad(seen, way));
        if let Proposal::Do(line) = seen.first_of(ways) {
            return Proposal::Do(line);
        }
        let doors = exits.iter().map(|exit| format!("open {exit}"));
        if let Proposal::Do(line) = seen.first_of(doors) {
            return Proposal::Do(line);
        }
    } else {
        let blind = ["north", "east", "south", "west", "up", "down"];
        let start = seen.chance as usize % blind.len();
        if let Proposal::Do(line) = seen.first_of((0..blind.len()).map(|at| blind[(start + at) % 6].to_string())) {
            return Proposal::Do(line);
        }
    }
    if idle > LOST_MS { seen.step("home") } else { Proposal::Pass }
}
