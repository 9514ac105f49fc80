//! Doors and ways that do not let one through.

use super::Knowledge;

/// A way that did not let one through is left alone so long.
const BLOCKED_MS: u64 = 300_000;

/// A door in the way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClosedDoor {
    pub room: i32,
    pub direction: String,
    pub at_ms: u64,
    pub locked: bool,
    /// What it is called: `door`, `gate`.
    pub word: String,
    /// Steps of opening that were tried.
    pub tries: u32,
}

impl Knowledge {
    pub(super) fn refused_step(&mut self, room: i32, direction: &'static str, reason: &str, now_ms: u64) {
        let closed = reason.strip_prefix("The ").and_then(|rest| rest.strip_suffix(" is closed."));
        if let Some(word) = closed {
            let same = self.shut.as_ref().filter(|shut| shut.room == room && shut.direction == direction);
            let tries = same.map_or(0, |shut| shut.tries);
            let word = word.to_string();
            self.shut =
                Some(ClosedDoor { room, direction: direction.into(), at_ms: now_ms, locked: false, word, tries });
        } else if reason.contains("legs will not carry") {
            // Not the way's fault.
            self.recovering = true;
        } else if !reason.contains("Not now") && !reason.contains("first") {
            self.map.block(room, direction, now_ms + BLOCKED_MS);
        }
    }

    /// The door will not open: it is a wall for a while.
    pub fn give_up_door(&mut self, now_ms: u64) {
        if let Some(shut) = self.shut.take() {
            self.map.block(shut.room, &shut.direction, now_ms + BLOCKED_MS);
        }
    }
}
