//! The tasks without which the world does not go on: the ticker, the writers. None of them ends before the server does.
//!
//! Invariant: a task that panics is not lost in silence: whoever waits for [`Tasks::failed`] is told its name.

use std::collections::BTreeMap;
use tokio::task::{AbortHandle, Id, JoinSet};

#[derive(Default)]
pub struct Tasks {
    running: JoinSet<()>,
    names: BTreeMap<Id, (&'static str, AbortHandle)>,
}

impl Tasks {
    /// `name`: as the operator reads it.
    pub fn spawn(&mut self, name: &'static str, task: impl Future<Output = ()> + Send + 'static) {
        let handle = self.running.spawn(task);
        self.names.insert(handle.id(), (name, handle));
    }

    /// The name of the first that ends, by a panic or by itself. Never returns while all run. Dropping it on the way
    /// loses nothing.
    pub async fn failed(&mut self) -> &'static str {
        loop {
            let id = match self.running.join_next_with_id().await {
                Some(Ok((id, ()))) => id,
                Some(Err(error)) => error.id(),
                None => std::future::pending().await,
            };
            // One that was ended on purpose has no name any more.
            if let Some((name, _)) = self.names.remove(&id) {
                return name;
            }
        }
    }

    /// Ends one that is no longer needed; that is no failure.
    pub fn end(&mut self, name: &str) {
        self.names.retain(|_, (of, handle)| {
            let stays = *of != name;
            if !stays {
                handle.abort();
            }
            stays
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn a_task_that_panics_is_named_and_one_that_was_ended_is_not() {
        let mut tasks = Tasks::default();
        tasks.spawn("writer", std::future::pending());
        tasks.spawn("ticker", async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            panic!("a mistake of ours");
        });
        tasks.end("writer");
        assert_eq!(tasks.failed().await, "ticker");
        let nobody = tokio::time::timeout(Duration::from_millis(20), tasks.failed()).await;
        assert!(nobody.is_err(), "{nobody:?}");
    }
}
