//! A rate limit with a burst (a token bucket): so many a second, and so many at once before the rate counts.
//!
//! Invariant: whatever the times it is asked at, no second lets more pass than the burst and the rate together.

/// A rate with a burst, in 16 bytes: it remembers when the last of what was taken will have been paid for (the
/// "generic cell rate algorithm"), so nothing has to be filled up by a timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    paid_at_us: u64,
    /// What one costs. 0: nothing is counted.
    interval_us: u32,
    burst: u32,
}

/// How many milliseconds until one more may be taken; at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitMs(pub u64);

impl Bucket {
    /// Full. A rate of 0 is no limit; a burst below 1 is 1.
    pub fn new(per_second: u32, burst: u32) -> Bucket {
        let interval_us = 1_000_000_u32.checked_div(per_second).unwrap_or(0);
        Bucket { paid_at_us: 0, interval_us, burst: burst.max(1) }
    }

    /// Full, for what comes seldom. A rate of 0 is no limit; a burst below 1 is 1.
    pub fn per_hour(count: u32, burst: u32) -> Bucket {
        let interval_us = 3_600_000_000_u32.checked_div(count).unwrap_or(0);
        Bucket { paid_at_us: 0, interval_us, burst: burst.max(1) }
    }

    /// Takes one, or says how long to wait and takes nothing.
    pub fn take(&mut self, now_ms: u64) -> Result<(), WaitMs> {
        self.take_some(1, now_ms)
    }

    /// Takes so many at once, or none. More than the burst count as the burst, or they would never pass.
    pub fn take_some(&mut self, count: u32, now_ms: u64) -> Result<(), WaitMs> {
        if self.interval_us == 0 {
            return Ok(());
        }
        let now_us = now_ms.saturating_mul(1_000);
        let interval_us = u64::from(self.interval_us);
        let paid_at_us = self.paid_at(now_us);
        let count = count.clamp(1, self.burst);
        let latest_us = now_us.saturating_add(interval_us * u64::from(self.burst - count));
        if paid_at_us > latest_us {
            return Err(WaitMs((paid_at_us - latest_us).div_ceil(1_000)));
        }
        self.paid_at_us = paid_at_us.saturating_add(interval_us * u64::from(count));
        Ok(())
    }

    /// Whether nothing has been taken that is not paid for: such a bucket need not be remembered.
    pub(super) fn is_full(&self, now_ms: u64) -> bool {
        let now_us = now_ms.saturating_mul(1_000);
        self.paid_at(now_us) <= now_us
    }

    /// Never in the past, and never further ahead than a whole burst: more can only mean that the clock went back.
    fn paid_at(&self, now_us: u64) -> u64 {
        let whole_burst_us = u64::from(self.interval_us) * u64::from(self.burst);
        match self.paid_at_us > now_us.saturating_add(whole_burst_us) {
            true => now_us,
            false => self.paid_at_us.max(now_us),
        }
    }
}
