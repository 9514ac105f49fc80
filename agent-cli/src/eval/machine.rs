//! What the machine tells of this process: time of the processor, memory. Where it tells nothing, nothing is reported.

use std::time::{Duration, Instant};

/// A clock that does not count what others use of the machine, where the system has one.
pub struct Stopwatch {
    begun: Instant,
    worked: Option<Duration>,
}

impl Stopwatch {
    pub fn start() -> Stopwatch {
        Stopwatch { begun: Instant::now(), worked: worked() }
    }

    /// By the clock on the wall.
    pub fn passed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// What this thread has had of a processor since the start.
    pub fn worked(&self) -> Option<Duration> {
        worked()?.checked_sub(self.worked?)
    }
}

/// Nanoseconds in the first word of `schedstat`.
fn worked() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    stat.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// Forgets how large this process has been. False where the system cannot.
pub fn forget_peak() -> bool {
    std::fs::write("/proc/self/clear_refs", "5").is_ok()
}

/// The largest resident size of this process so far, in megabytes (10⁶ bytes).
pub fn peak_mb() -> Option<f64> {
    status_kib("VmHWM:").map(|kib| kib * 1024.0 / 1e6)
}

/// The resident size of this process now, in megabytes.
pub fn now_mb() -> Option<f64> {
    status_kib("VmRSS:").map(|kib| kib * 1024.0 / 1e6)
}

fn status_kib(field: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    line.split_whitespace().next()?.parse().ok()
}
