//! What the machine tells of this process: time of the processor, memory. Where it tells nothing, nothing is reported.

use std::time::Duration;

/// What the processor has spent on this thread. Others on the machine do not count, nor does waiting.
pub struct Stopwatch {
    begun: Duration,
}

impl Stopwatch {
    pub fn start() -> Stopwatch {
        Stopwatch { begun: worked() }
    }

    pub fn worked(&self) -> Duration {
        worked().saturating_sub(self.begun)
    }
}

fn worked() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
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
