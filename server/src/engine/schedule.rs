//! When the next tick is due: how far the world is behind its schedule now, even while nothing ticks at all.
//!
//! Invariant: the due time moves on only when a tick was applied, so a ticker that is stuck, a mailbox that is not
//! emptied and a command that never ends all show.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Microseconds are counted from when it was made.
#[derive(Debug)]
pub struct Schedule {
    made: Instant,
    /// 0: the world ticks only when told to, and is never behind.
    interval_us: AtomicU64,
    due_us: AtomicU64,
    /// Ticks that were left out since the last that was applied.
    left_out: AtomicU64,
}

impl Default for Schedule {
    fn default() -> Schedule {
        Schedule {
            made: Instant::now(),
            interval_us: AtomicU64::new(0),
            due_us: AtomicU64::new(0),
            left_out: AtomicU64::new(0),
        }
    }
}

impl Schedule {
    /// From now on the world ticks by itself; the first tick is due in `interval`.
    pub fn begin(&self, interval: Duration) {
        self.interval_us.store(interval.as_micros() as u64, Ordering::Relaxed);
        self.set_due(Instant::now() + interval);
    }

    /// The tick that was due is applied now.
    pub fn applied(&self) {
        let ticks = 1 + self.left_out.swap(0, Ordering::Relaxed);
        self.due_us.fetch_add(ticks * self.interval_us.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// The tick that was due is left out: the world stands still. It stays due until the next is applied.
    pub fn left_out(&self) {
        self.left_out.fetch_add(1, Ordering::Relaxed);
    }

    /// How long ago the next tick was due; zero while it is still to come.
    pub fn overdue(&self, now: Instant) -> Duration {
        if self.interval_us.load(Ordering::Relaxed) == 0 {
            return Duration::ZERO;
        }
        (now - self.made).saturating_sub(Duration::from_micros(self.due_us.load(Ordering::Relaxed)))
    }

    fn set_due(&self, due: Instant) {
        self.due_us.store((due - self.made).as_micros() as u64, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_world_that_no_longer_ticks_falls_behind() {
        let second = Duration::from_secs(1);
        let schedule = Schedule::default();
        let begun = Instant::now();
        assert_eq!(schedule.overdue(begun + 60 * second), Duration::ZERO, "it does not tick by itself");
        schedule.begin(second);
        assert_eq!(schedule.overdue(begun), Duration::ZERO, "the first is still to come");
        // The first tick came late, and then no other: the schedule does not wait for them.
        schedule.applied();
        let whole_seconds = |at| (schedule.overdue(at) + second / 2).as_secs();
        assert_eq!(whole_seconds(begun + 2 * second), 0);
        assert_eq!(whole_seconds(begun + 9 * second), 7);
        // A world that stood still is behind until it goes on, and not for ever.
        (2..9).for_each(|_| schedule.left_out());
        assert_eq!(whole_seconds(begun + 9 * second), 7);
        schedule.applied();
        assert_eq!(whole_seconds(begun + 10 * second), 0);
    }
}
