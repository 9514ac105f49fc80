//! The circuit breaker of the model, which says when it is left alone: after repeated failures for longer and longer,
//! and for as long as its endpoint asks.

use crate::thought::ModelError;
use std::time::Duration;
use tokio::time::Instant;

/// Failures in a row that are forgiven.
const FORGIVEN: u32 = 2;
/// The longest rest, and the longest wait that an endpoint may ask for.
const REST_MAX: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, Default)]
pub struct Circuit {
    failures: u32,
    rests_until: Option<Instant>,
    waits_until: Option<Instant>,
}

impl Circuit {
    /// Whether the model may be asked now.
    pub fn check(&mut self, now: Instant) -> Result<(), ModelError> {
        let left = |until: Option<Instant>| {
            let left = until?.saturating_duration_since(now);
            // Rounded up, so that whoever waits so long does not come too early.
            (!left.is_zero()).then(|| left.as_millis() as u64 + 1)
        };
        if let Some(ms) = left(self.waits_until) {
            return Err(ModelError::Waiting(ms));
        }
        match left(self.rests_until) {
            Some(ms) => Err(ModelError::Resting(ms)),
            None => Ok(()),
        }
    }

    pub fn failed(&mut self, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        if self.failures > FORGIVEN {
            let seconds = 1u64 << (self.failures - FORGIVEN - 1).min(6);
            self.rests_until = Some(now + Duration::from_secs(seconds).min(REST_MAX));
        }
    }

    pub fn wait(&mut self, now: Instant, asked: Duration) {
        self.waits_until = Some(now + asked.min(REST_MAX));
    }

    pub fn succeeded(&mut self) {
        *self = Circuit::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rests_grow_to_a_minute_and_end_with_a_success() {
        let mut circuit = Circuit::default();
        let mut now = Instant::now();
        let mut rests = Vec::new();
        for _ in 0..11 {
            circuit.failed(now);
            let rest = match circuit.check(now) {
                Ok(()) => 0,
                Err(ModelError::Resting(ms)) => ms - 1,
                Err(other) => panic!("{other}"),
            };
            rests.push(rest / 1000);
            now += Duration::from_millis(rest + 1);
            assert_eq!(circuit.check(now), Ok(()), "then it is tried again");
        }
        assert_eq!(rests, [0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
        circuit.succeeded();
        circuit.failed(now);
        assert_eq!(circuit.check(now), Ok(()));
    }

    #[test]
    fn a_wait_that_is_asked_for_is_kept_within_bounds() {
        let mut circuit = Circuit::default();
        let now = Instant::now();
        circuit.wait(now, Duration::from_secs(5));
        assert_eq!(circuit.check(now), Err(ModelError::Waiting(5_001)));
        assert_eq!(circuit.check(now + Duration::from_secs(5)), Ok(()));
        circuit.wait(now, Duration::from_secs(86_400));
        assert_eq!(circuit.check(now), Err(ModelError::Waiting(60_001)));
    }
}
