//! What a mind was after an entry, whole: where the log before it lies in an archive, it goes on from here.
//!
//! Invariant: a base and the entries after it give what all entries give. A base of an older program, or a newer one,
//! is none: entries may mean something else here, so the state is made anew from all of them.

use crate::event::{Event, LogEntry};
use crate::projects::Shelf;
use crate::state::MindState;
use serde::{Deserialize, Serialize};

/// Raise it when a kind of entries that there was comes to mean something else in `state`, `goals` or `projects`: what
/// older bases say would differ from what their logs say. A new kind needs nothing: no base was made behind one of it.
pub const BASE_VERSION: u32 = 1;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Base {
    pub version: u32,
    /// Of the last entry: its number, tick, time and input.
    pub seq: u64,
    pub tick: u64,
    pub at_ms: i64,
    pub input: u64,
    pub state: MindState,
    /// What projects that wait have put away.
    pub shelf: Shelf,
}

impl Default for Base {
    /// Of an empty log.
    fn default() -> Base {
        let (state, shelf) = (MindState::default(), Shelf::default());
        Base { version: BASE_VERSION, seq: 0, tick: 0, at_ms: 0, input: 0, state, shelf }
    }
}

impl Base {
    /// Takes in the next entry. `false`: it is of a kind that this program does not know, so what it means is not known
    /// either; nothing has changed.
    #[must_use]
    pub fn note(&mut self, entry: &LogEntry) -> bool {
        if matches!(entry.event, Event::Other) {
            return false;
        }
        (self.seq, self.tick, self.at_ms, self.input) = (entry.seq, entry.tick, entry.at_ms, entry.input);
        self.state.project(entry);
        self.shelf.note(entry);
        self.shelf.retain(&self.state.projects);
        true
    }

    /// Goes past a record, which changes nothing but how far the log is.
    pub fn pass(&mut self, seq: u64, tick: u64, at_ms: i64, input: u64) {
        (self.seq, self.tick, self.at_ms, self.input) = (seq, tick, at_ms, input);
        self.state.seq = self.state.seq.max(seq);
    }

    /// As JSON; equal bases are equal bytes.
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a base has string keys only")
    }

    /// `None`: no base of this version.
    pub fn from_json(json: &[u8]) -> Option<Base> {
        serde_json::from_slice(json).ok().filter(|base: &Base| base.version == BASE_VERSION)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Workspace;
    use serde_json::json;

    fn entries() -> Vec<LogEntry> {
        let paused = Workspace { context: "half-way".into(), ..Workspace::new(3, 30, "the well", "") };
        let events = vec![
            Event::TaskSet { text: "Find the well.".into() },
            Event::MemorySet { path: "people.bob.trust".into(), value: json!(0.1 + 0.2), weight: Some(1.0 / 3.0) },
            Event::ProjectCreate { key: "tower".into(), summary: Some("Climb it.".into()), context: None },
            Event::StepAdd { text: "Ask.".into() },
            Event::ProjectPause { key: "main".into(), context: String::new(), workspace: Box::new(paused) },
            Event::ProjectResume { key: "tower".into(), from: 3, workspace: Box::default() },
            Event::NoteAdd { text: "The stairs are cut.".into() },
        ];
        let entry = |(seq, event)| LogEntry { seq, tick: seq * 10, at_ms: 5, input: seq + 100, event };
        (1..).zip(events).map(entry).collect()
    }

    #[test]
    fn a_base_and_the_rest_give_what_all_entries_give() {
        let mut whole = Base::default();
        entries().iter().for_each(|entry| assert!(whole.note(entry)));
        for cut in 0..=entries().len() {
            let mut base = Base::default();
            entries()[..cut].iter().for_each(|entry| assert!(base.note(entry)));
            let mut base = Base::from_json(&base.to_json()).expect("it is a base");
            entries()[cut..].iter().for_each(|entry| assert!(base.note(entry)));
            assert_eq!(base, whole, "cut behind {cut}");
            assert_eq!(base.to_json(), whole.to_json());
        }
        let json = String::from_utf8(whole.to_json()).expect("text");
        let other = json.replacen(r#""version":1"#, r#""version":2"#, 1);
        assert_eq!(Base::from_json(other.as_bytes()), None, "of another program");
        let unknown = LogEntry { seq: 8, tick: 80, at_ms: 5, input: 200, event: Event::Other };
        assert!(!whole.note(&unknown));
        assert_eq!(whole.seq, 7, "what it means is not known");
    }
}
