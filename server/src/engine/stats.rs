//! What the engine counts while it works, for `/health` and `/metrics`. Invariant: reading it waits for nothing.

use super::schedule::Schedule;
use crate::script_files::ScriptFacts;
use parking_lot::Mutex;
use prometheus_client::metrics::histogram::Histogram;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use world::script::Scripts;

/// What `/health` and the log tell, kept outside the core so that asking costs nothing.
#[derive(Debug, Default)]
pub struct Stats {
    pub tick: AtomicU64,
    /// How late the newest tick began, in milliseconds.
    pub lag_ms: AtomicU64,
    /// Ticks that began more than 50 ms late.
    pub late_ticks: AtomicU64,
    pub commands: AtomicU64,
    /// Inputs that a mistake of ours ended half-way; the journal has them.
    pub inputs_given_up: AtomicU64,
    /// Times that a mistake of ours kept something that inputs caused from a reader.
    pub releases_given_up: AtomicU64,
    /// How long the newest tick took, in microseconds.
    pub tick_us: AtomicU64,
    /// How long all ticks of this run took.
    pub tick_seconds: TickSeconds,
    pub schedule: Schedule,
    pub players: AtomicU64,
    /// Of the newest input.
    pub number: AtomicU64,
    scripts: Mutex<ScriptFacts>,
}

impl Stats {
    /// How it goes with the scripts.
    pub fn note_scripts(&self, scripts: &Scripts) {
        let mut facts = self.scripts.lock();
        if facts.calls != scripts.calls || facts.loaded != scripts.len() || !facts.stopped.is_empty() {
            *facts = ScriptFacts::of(scripts);
        }
    }

    pub fn scripts(&self) -> ScriptFacts {
        self.scripts.lock().clone()
    }

    /// How far the world is behind its schedule: as late as the newest tick began, or more if the next is overdue.
    pub fn lag(&self, now: Instant) -> Duration {
        Duration::from_millis(self.lag_ms.load(Ordering::Relaxed)).max(self.schedule.overdue(now))
    }
}

/// A tick is late when it starts more than this after its schedule.
pub const LATE_MS: u64 = 50;

/// Seconds. A tick of the stock world takes some hundred microseconds; 2 s is a whole tick's time.
const TICK_BUCKETS: [f64; 13] = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 2.0];

/// How long ticks took.
#[derive(Debug)]
pub struct TickSeconds(Histogram);

impl Default for TickSeconds {
    fn default() -> TickSeconds {
        TickSeconds(Histogram::new(TICK_BUCKETS))
    }
}

impl TickSeconds {
    /// For `/metrics`: one more handle on it.
    pub fn histogram(&self) -> Histogram {
        self.0.clone()
    }

    pub fn observe(&self, took: std::time::Duration) {
        self.0.observe(took.as_secs_f64());
    }
}
