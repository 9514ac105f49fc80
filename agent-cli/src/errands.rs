//! What there is to do for others, as far as one asked: who has work, what is offered where, and what came of it.
//!
//! What one is about already the game says in `TASKS`; here stands only what it does not.

use protocol::outcome::TaskState;
use std::collections::{BTreeMap, BTreeSet};

/// A question that led to nothing is not asked again before so long.
const SAID_MS: u64 = 300_000;

#[derive(Clone, Debug, Default)]
pub struct Errands {
    /// Rooms where more than one thing is offered, and nobody listed them yet.
    pub unlisted: BTreeSet<i32>,
    /// What was listed, by room.
    pub offered: BTreeMap<i32, BTreeSet<String>>,
    /// Rooms where something was taken on.
    pub givers: BTreeSet<i32>,
    /// Kinds of people who had no work, and until when they are not asked again, wherever they stand.
    idle_until_ms: BTreeMap<i32, u64>,
    /// When each task last came nearer to its end.
    changed_ms: BTreeMap<String, u64>,
    /// Questions, and when they were asked.
    said_ms: BTreeMap<String, u64>,
}

impl Errands {
    /// A line leaves, in this room.
    pub fn sent(&mut self, room: i32, line: &str, now_ms: u64) {
        if line == "tasks" {
            self.unlisted.remove(&room);
        } else if line.starts_with("ask ") {
            self.said_ms.insert(line.to_string(), now_ms);
        }
    }

    /// Whether a question was asked lately.
    pub fn was_said(&self, line: &str, now_ms: u64) -> bool {
        self.said_ms.get(line).is_some_and(|at| now_ms < at + SAID_MS)
    }

    /// `accept` was refused.
    pub fn refused(&mut self, room: i32, what: &str, reason: &str) {
        if reason.contains("More than one thing") {
            self.unlisted.insert(room);
        } else if let Some(offered) = self.offered.get_mut(&room) {
            offered.remove(what);
        }
    }

    /// These have no work: they are not asked before then.
    pub fn leave_alone(&mut self, kinds: impl Iterator<Item = i32>, until_ms: u64) {
        self.idle_until_ms.extend(kinds.map(|kind| (kind, until_ms)));
    }

    /// Whether somebody of a kind said so lately.
    pub fn is_idle(&self, kind: i32, now_ms: u64) -> bool {
        self.idle_until_ms.get(&kind).is_some_and(|until| now_ms < *until)
    }

    /// Everybody may have work again.
    pub fn ask_again(&mut self) {
        self.idle_until_ms.clear();
    }

    /// The page of `tasks`: `  A Penny a Tail, by Old Marrable. (accept tails)`.
    pub fn read(&mut self, room: i32, page: &str) {
        let offer = |line: &str| Some(line.trim_end().strip_suffix(')')?.rsplit_once("(accept ")?.1.to_string());
        for id in page.lines().filter_map(offer) {
            self.offered.entry(room).or_default().insert(id);
        }
    }

    /// A task of one's own came on.
    pub fn changed(&mut self, room: i32, id: &str, state: TaskState, now_ms: u64) {
        self.changed_ms.insert(id.to_string(), now_ms);
        if state == TaskState::Accepted {
            self.givers.insert(room);
            for offered in self.offered.values_mut() {
                offered.remove(id);
            }
        }
    }

    /// Whether a task came on since then.
    pub fn came_on_since(&self, id: &str, since_ms: u64) -> bool {
        self.changed_ms.get(id).is_some_and(|at| *at >= since_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_offered_is_read_from_the_list_until_it_is_taken_or_refused() {
        let mut errands = Errands::default();
        errands.refused(5, "", "More than one thing is offered here. tasks lists them.");
        assert!(errands.unlisted.contains(&5));
        errands.sent(5, "tasks", 1_000);
        assert!(errands.unlisted.is_empty());
        let lines =
            ["Offered here:", "  A Penny a Tail, by Old Marrable. (accept tails)", "  Lamps, by Wick. (accept lamps)"];
        let page = format!("{}\nDone: Socks (worn).", lines.join("\n"));
        errands.read(5, &page);
        let offered = |errands: &Errands| errands.offered[&5].iter().cloned().collect::<Vec<_>>();
        assert_eq!(offered(&errands), ["lamps", "tails"]);
        errands.changed(5, "tails", TaskState::Accepted, 2_000);
        assert_eq!(offered(&errands), ["lamps"]);
        assert!(errands.givers.contains(&5) && errands.came_on_since("tails", 2_000));
        assert!(!errands.came_on_since("tails", 2_001) && !errands.came_on_since("lamps", 0));
        errands.refused(5, "lamps", "You have outgrown that. Leave it to the young.");
        assert!(offered(&errands).is_empty());
    }

    #[test]
    fn a_question_waits_before_it_is_asked_again() {
        let mut errands = Errands::default();
        errands.sent(5, "ask edda about waking", 1_000);
        assert!(errands.was_said("ask edda about waking", 2_000) && !errands.was_said("ask edda about work", 2_000));
        assert!(!errands.was_said("ask edda about waking", 1_000 + SAID_MS));
    }
}
