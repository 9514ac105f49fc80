//! Whether a name that somebody wants to be shown by is anybody's already: also of those who are not in the world, or
//! never were. The answer goes back as an input.
//!
//! What waits to be written need not be looked at: the world knows everybody who was ever in it, and has looked there.

use crate::engine::{AdminCall, Engine};
use crate::store::{Store, channels};
use std::sync::Arc;
use tokio::sync::mpsc;
use world::channel::names;
use world::report::NameRequest;

const UNANSWERED: &str = "That name cannot be looked up just now. Try again in a moment.";

/// Answers requests until the server ends.
pub async fn answer(engine: Arc<Engine>, store: Store, mut requests: mpsc::UnboundedReceiver<NameRequest>) {
    while let Some(NameRequest { by, asked_by, person, canonical, name }) = requests.recv().await {
        let (folded, looks) = (names::folded(&name), names::looks(&name));
        let taken = match channels::is_taken(&store, &folded, &looks, &canonical).await {
            Ok(taken) => taken,
            Err(error) => {
                tracing::warn!(%error, "a name could not be looked up");
                engine.tell(asked_by.to_string(), UNANSWERED.to_string());
                continue;
            }
        };
        // Nobody waits for the answer; it is told in the game.
        let _done = engine.admin(AdminCall::Named { person, name, taken, by }).await;
    }
}
