//! Actions that the game refused: what failed is not tried again at once, and what failed three times is dropped for a
//! while.
//!
//! An action is a line in a room: the same words somewhere else are another action. Reflexes do not ask: who is dying
//! tries again.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// After a failure the same line waits so long, so that nothing is sent twice into the same wall.
pub const AGAIN_MS: u64 = 8_000;
/// So many failures on end drop the action.
const FAILURES_MAX: u32 = 3;
/// For so long, doubled each time it comes to that again, up to `DROPPED_MAX_MS`.
pub const DROPPED_MS: u64 = 120_000;
pub const DROPPED_MAX_MS: u64 = 1_920_000;
/// What a model wanted waits longer, since it may want the same for ever: so long after the first failure, doubled with
/// each further one.
pub const INSISTED_MS: u64 = 60_000;
/// Actions that are remembered.
const KEPT_MAX: usize = 2_000;

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Failures {
    count: u32,
    trips: u32,
    /// Of a model, without a success in between.
    insisted: u32,
    until_ms: u64,
    reason: String,
}

/// As a list of rows where it is written down: no line can be the key of an object together with a room.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<RefusedAction>", into = "Vec<RefusedAction>")]
pub struct RefusedActions {
    failed: BTreeMap<(i32, String), Failures>,
    /// How often it dropped an action.
    pub trips: u64,
}

/// One of them, written down.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct RefusedAction {
    room: i32,
    line: String,
    #[serde(flatten)]
    failures: Failures,
}

impl From<Vec<RefusedAction>> for RefusedActions {
    fn from(rows: Vec<RefusedAction>) -> RefusedActions {
        let failed = rows.into_iter().map(|row| ((row.room, row.line), row.failures)).collect();
        RefusedActions { failed, trips: 0 }
    }
}

impl From<RefusedActions> for Vec<RefusedAction> {
    fn from(refused: RefusedActions) -> Vec<RefusedAction> {
        let rows = refused.failed.into_iter();
        rows.map(|((room, line), failures)| RefusedAction { room, line, failures }).collect()
    }
}

impl RefusedActions {
    pub fn len(&self) -> usize {
        self.failed.len()
    }

    pub fn is_empty(&self) -> bool {
        self.failed.is_empty()
    }

    pub fn failed(&mut self, room: i32, line: &str, reason: &str, now_ms: u64) {
        if self.failed.len() >= KEPT_MAX {
            self.failed.retain(|_, failures| failures.until_ms > now_ms);
        }
        let failures = self.failed.entry((room, line.to_ascii_lowercase())).or_default();
        failures.count += 1;
        failures.reason = reason.to_string();
        failures.until_ms = now_ms + AGAIN_MS;
        if failures.count >= FAILURES_MAX {
            let dropped = DROPPED_MS.saturating_mul(1 << failures.trips.min(4)).min(DROPPED_MAX_MS);
            failures.until_ms = now_ms + dropped;
            failures.trips += 1;
            failures.count = 0;
            self.trips += 1;
        }
    }

    /// What just failed was a model's wish.
    pub fn insisted(&mut self, room: i32, line: &str, now_ms: u64) {
        if let Some(failures) = self.failed.get_mut(&(room, line.to_ascii_lowercase())) {
            let wait_ms = (INSISTED_MS << failures.insisted.min(5)).min(DROPPED_MAX_MS);
            failures.until_ms = failures.until_ms.max(now_ms + wait_ms);
            failures.insisted += 1;
        }
    }

    /// The same, for a failure that lasts: not before then.
    pub fn hold(&mut self, room: i32, line: &str, reason: &str, until_ms: u64) {
        let failures = self.failed.entry((room, line.to_ascii_lowercase())).or_default();
        failures.until_ms = failures.until_ms.max(until_ms);
        failures.reason = reason.to_string();
        failures.trips = failures.trips.max(1);
    }

    pub fn succeeded(&mut self, room: i32, line: &str) {
        self.failed.remove(&(room, line.to_ascii_lowercase()));
    }

    /// Why this line is not to be sent here now: the reason that the game gave.
    pub fn blocks(&self, room: i32, line: &str, now_ms: u64) -> Option<&str> {
        let failures = self.failed.get(&(room, line.to_ascii_lowercase()))?;
        (now_ms < failures.until_ms).then_some(&failures.reason)
    }

    /// The world changed: what failed once may work now. What was dropped stays so.
    pub fn forgive(&mut self, room: i32) {
        self.failed.retain(|(where_, _), failures| *where_ != room || failures.trips > 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_failures_on_end_drop_an_action_for_longer_each_time() {
        let mut refused = RefusedActions::default();
        let mut now = 0;
        for trip in 0..3 {
            for _ in 0..FAILURES_MAX {
                assert_eq!(refused.blocks(1, "kill rat", now), None);
                refused.failed(1, "Kill rat", "No.", now);
                assert_eq!(refused.blocks(1, "kill rat", now), Some("No."));
                now += AGAIN_MS;
            }
            assert_eq!(refused.blocks(1, "kill rat", now), Some("No."));
            now += (DROPPED_MS << trip) - AGAIN_MS;
        }
        assert_eq!(refused.trips, 3);
        assert_eq!(refused.blocks(2, "kill rat", 0), None, "another room is another action");
    }

    #[test]
    fn what_a_model_insists_on_waits_longer_each_time() {
        let mut refused = RefusedActions::default();
        let (mut now, mut waits) = (0, Vec::new());
        for _ in 0..4 {
            refused.failed(1, "kill dragon", "No.", now);
            refused.insisted(1, "kill dragon", now);
            let from = now;
            while refused.blocks(1, "kill dragon", now).is_some() {
                now += 1_000;
            }
            waits.push((now - from) / 1_000);
        }
        assert_eq!(waits, [60, 120, 240, 480]);
        refused.insisted(1, "get all", 0);
        assert_eq!(refused.blocks(1, "get all", 0), None, "it has not failed");
    }

    #[test]
    fn a_success_clears_the_count() {
        let mut refused = RefusedActions::default();
        for _ in 0..10 {
            refused.failed(1, "get all", "No.", 0);
            refused.succeeded(1, "get all");
        }
        assert_eq!((refused.trips, refused.blocks(1, "get all", 0)), (0, None));
    }
}
