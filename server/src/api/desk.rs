//! Where replays are asked for: one runs, some wait, and who comes then is told to come again.

use super::error::{ApiError, Code};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Who may wait for a replay, the one that runs among them.
const WAITING_MAX: usize = 9;

pub struct Desk {
    places: Arc<Semaphore>,
    running: Arc<Semaphore>,
}

/// A replay may run until both are dropped: the turn where it runs, the place where somebody waits for it.
pub struct Turn {
    pub turn: OwnedSemaphorePermit,
    pub place: OwnedSemaphorePermit,
}

impl Default for Desk {
    fn default() -> Desk {
        Desk { places: Arc::new(Semaphore::new(WAITING_MAX)), running: Arc::new(Semaphore::new(1)) }
    }
}

impl Desk {
    /// Waits for one's turn. `busy` is said where too many do.
    pub async fn turn(&self, busy: &str) -> Result<Turn, ApiError> {
        let Ok(place) = self.places.clone().try_acquire_owned() else {
            return Err(ApiError::new(Code::Busy, busy).wait_ms(2_000));
        };
        let turn = self.running.clone().acquire_owned().await.map_err(|error| ApiError::unavailable(&error))?;
        Ok(Turn { turn, place })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_runs_eight_wait_and_the_next_is_told_so() {
        let desk = Arc::new(Desk::default());
        let runs = desk.turn("Busy.").await.expect("nobody is there");
        let waiting: Vec<_> = (0..8)
            .map(|_| {
                let desk = desk.clone();
                tokio::spawn(async move { desk.turn("Busy.").await.map(drop) })
            })
            .collect();
        while desk.places.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert!(desk.turn("Busy.").await.is_err());
        drop(runs);
        for one in waiting {
            one.await.expect("it does not panic").expect("it has its turn");
        }
        desk.turn("Busy.").await.expect("all have gone");
    }
}
