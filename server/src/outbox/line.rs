//! A line for any number of readers, with what each kind of reader gets made once.

use protocol::outcome::Outcome;
use protocol::payload::{append_event, append_json};
use std::sync::{Arc, OnceLock};
use world::report::Line;

/// A line for any number of readers.
#[derive(Debug)]
pub struct Shared {
    pub line: Arc<Line>,
    /// What it tells programs besides its words.
    pub outcome: Option<Arc<Happened>>,
    frame: OnceLock<Arc<str>>,
}

impl Shared {
    pub fn new(line: Arc<Line>) -> Shared {
        let outcome = line.outcome.clone().map(|outcome| Arc::new(Happened::new(outcome)));
        Shared { line, outcome, frame: OnceLock::new() }
    }

    /// The `data` of its `event` frame.
    pub fn event_data(&self) -> &Arc<str> {
        self.frame.get_or_init(|| {
            let mut data = String::with_capacity(self.line.text.len() + 48);
            append_event(&mut data, self.line.kind.event_kind(), self.line.from.as_deref(), &self.line.text);
            data.into()
        })
    }

    /// What it counts in an outbox, bytes: the text is shared, but each reader's socket carries all of it.
    pub fn size(&self) -> usize {
        self.line.text.len() + 64
    }
}

/// What happened, for any number of programs.
#[derive(Debug)]
pub struct Happened {
    pub outcome: Arc<Outcome>,
    json: OnceLock<Box<str>>,
}

impl Happened {
    pub fn new(outcome: Arc<Outcome>) -> Happened {
        Happened { outcome, json: OnceLock::new() }
    }

    /// As an entry of `EVENTS`.
    pub fn json(&self) -> &str {
        self.json.get_or_init(|| {
            let mut json = String::new();
            append_json(&mut json, &*self.outcome);
            json.into()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_encoded_once_for_all_its_readers() {
        let shared = Shared::new(Arc::new(Line { text: "Hello.".into(), ..Line::default() }));
        assert!(Arc::ptr_eq(shared.event_data(), shared.event_data()));
    }
}
