//! Numbers of the world's counters, set aside in the database by blocks, so that none is ever used twice, even after a
//! crash that took the journal along.

use crate::counters::COUNTERS;
use crate::engine::Engine;
use crate::store::{Store, StoreError};
use std::sync::Arc;
use std::time::Duration;
use world::World;

/// How often it is looked whether the blocks will last.
const WATCH: Duration = Duration::from_secs(10);

pub struct Reserved {
    /// Of each counter the first that is not set aside.
    firsts: Vec<u64>,
}

impl Reserved {
    /// Sets the first blocks aside.
    pub async fn set_aside(store: &Store, world: &World) -> Result<Reserved, StoreError> {
        let mut firsts = Vec::new();
        for counter in COUNTERS {
            let first = counter.next(world) + counter.block;
            counter.raise(store, first).await?;
            firsts.push(first);
        }
        Ok(Reserved { firsts })
    }

    /// Sets more aside before the blocks are used up. Never returns.
    pub async fn keep_ahead(&mut self, engine: &Arc<Engine>, store: &Store) {
        loop {
            tokio::time::sleep(WATCH).await;
            for (counter, first) in COUNTERS.iter().zip(&mut self.firsts) {
                let next = engine.with_world(|world| counter.next(world));
                if next + counter.block / 2 > *first {
                    match counter.raise(store, next + counter.block).await {
                        Ok(()) => *first = next + counter.block,
                        Err(error) => tracing::error!(%error, "no more numbers could be set aside"),
                    }
                }
            }
        }
    }

    /// At the end: whatever could not be set aside, no counter is below what was used.
    pub async fn close(&self, engine: &Arc<Engine>, store: &Store) {
        for counter in COUNTERS {
            let next = engine.with_world(|world| counter.next(world));
            if let Err(error) = counter.raise(store, next).await {
                tracing::warn!(%error, "a counter was not brought up to date");
            }
        }
    }
}
