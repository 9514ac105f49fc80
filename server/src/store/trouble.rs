//! What keeps a writer from the database, or last did: for `/health`, metrics and the log. Characters and minds each
//! have a writer behind the tick, and tell their trouble alike.

use parking_lot::Mutex;
use std::time::{Duration, Instant};

#[derive(Default)]
pub struct Trouble(Mutex<Known>);

#[derive(Clone, Copy, Default)]
struct Known {
    /// Since when nothing can be written; `None` while all is well.
    since: Option<Instant>,
    /// A sentence that anybody may read.
    last: Option<&'static str>,
}

impl Trouble {
    /// Something could not be written, for this reason.
    pub fn failed(&self, sentence: &'static str) {
        let mut known = self.0.lock();
        known.since.get_or_insert_with(Instant::now);
        known.last = Some(sentence);
    }

    /// Something was written. How long nothing could be, if this is the end of it.
    pub fn passed(&self) -> Option<Duration> {
        self.0.lock().since.take().map(|since| since.elapsed())
    }

    /// How long nothing could be written; `None` while all is well.
    pub fn lasts(&self) -> Option<Duration> {
        self.0.lock().since.map(|since| since.elapsed())
    }

    /// What it last was, also when it is over.
    pub fn last(&self) -> Option<&'static str> {
        self.0.lock().last
    }
}
