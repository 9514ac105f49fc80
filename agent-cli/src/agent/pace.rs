//! The rate of commands: a bucket somewhat smaller than the server's, so that nothing is dropped there.

/// Commands per second, and at once. The server's: 10 and 10.
const PER_SECOND: u64 = 8;
const BURST: u64 = 8;
/// After the server dropped one, nothing is sent for so long.
const PAUSE_MS: u64 = 1_000;

#[derive(Clone, Debug)]
pub struct Bucket {
    /// Thousandths of a command.
    level: u64,
    at_ms: u64,
    paused_until_ms: u64,
}

impl Default for Bucket {
    fn default() -> Bucket {
        Bucket { level: BURST * 1_000, at_ms: 0, paused_until_ms: 0 }
    }
}

impl Bucket {
    fn fill(&mut self, now_ms: u64) {
        let gained = now_ms.saturating_sub(self.at_ms).saturating_mul(PER_SECOND);
        self.level = (self.level + gained).min(BURST * 1_000);
        self.at_ms = now_ms.max(self.at_ms);
    }

    /// Whether a command may be sent now.
    pub fn has(&mut self, now_ms: u64) -> bool {
        self.fill(now_ms);
        self.level >= 1_000 && now_ms >= self.paused_until_ms
    }

    /// Whether so many more could be sent now.
    pub fn spares(&mut self, count: u64, now_ms: u64) -> bool {
        self.has(now_ms) && self.level >= count * 1_000
    }

    /// Takes one, if it may be sent now.
    pub fn take(&mut self, now_ms: u64) -> bool {
        let has = self.has(now_ms);
        if has {
            self.level -= 1_000;
        }
        has
    }

    pub fn pause(&mut self, now_ms: u64) {
        self.paused_until_ms = now_ms + PAUSE_MS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_never_lets_more_through_than_the_server_takes() {
        let mut bucket = Bucket::default();
        let mut server = 10_000u64;
        for ms in 0..60_000u64 {
            server = (server + 10).min(10_000);
            if bucket.take(ms) {
                assert!(server >= 1_000, "dropped at {ms}");
                server -= 1_000;
            }
        }
        let mut paused = Bucket::default();
        paused.pause(0);
        assert!(!paused.take(999) && paused.take(1_000));
    }
}
