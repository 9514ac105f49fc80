//! Whether the database answers, for `/health`.
//!
//! Invariants: whoever asks waits at most [`WAIT`]; the database is asked at most once in [`NEWS`], however many ask.

use crate::store::Store;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long an answer from the database counts as news.
const NEWS: Duration = Duration::from_secs(1);
/// How long whoever asks waits for the database.
const WAIT: Duration = Duration::from_millis(500);
/// So long the database may take before it counts as silent. A large batch of saves comes first in its line.
const SILENT: Duration = Duration::from_secs(2);

/// Whether the database answers, asked when somebody wants to know: saves alone would not tell while nobody plays.
pub struct Pulse {
    store: Store,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    asked: Option<Instant>,
    asking: bool,
    trouble: Option<&'static str>,
}

impl Pulse {
    pub fn new(store: Store) -> Arc<Pulse> {
        Arc::new(Pulse { store, known: Mutex::default() })
    }

    /// What is wrong with the database, as far as known after [`WAIT`].
    pub async fn trouble(self: &Arc<Self>) -> Option<&'static str> {
        if self.begin() {
            let pulse = self.clone();
            let asking = tokio::spawn(async move { pulse.ask().await });
            // It goes on if it takes longer, and whoever comes next sees what came of it.
            let _soon = tokio::time::timeout(WAIT, asking).await;
        }
        self.known.lock().trouble
    }

    /// True: what is known is old, and it is the caller who asks.
    fn begin(&self) -> bool {
        let mut known = self.known.lock();
        if known.asking || known.asked.is_some_and(|at| at.elapsed() < NEWS) {
            return false;
        }
        known.asking = true;
        true
    }

    async fn ask(&self) {
        let trouble = match tokio::time::timeout(SILENT, self.store.ping()).await {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.in_public()),
            Err(_) => Some("The database does not answer."),
        };
        *self.known.lock() = Known { asked: Some(Instant::now()), asking: false, trouble };
    }

    /// What is known is old.
    #[cfg(test)]
    pub fn forget(&self) {
        self.known.lock().asked = None;
    }
}
