//! Serials of instances, set aside in the database by blocks, so that none is ever used twice, even after a crash.

use crate::engine::Engine;
use crate::initial_world::SERIAL_COUNTER;
use crate::store::{Store, StoreError, meta};
use std::sync::Arc;
use std::time::Duration;

/// Serials that are set aside at a time.
const BLOCK: i64 = 1 << 20;
/// How often it is looked whether the block will last.
const WATCH: Duration = Duration::from_secs(10);

pub struct Serials {
    /// The first that is not set aside.
    reserved: i64,
}

impl Serials {
    /// Sets the first block aside. `next`: the first that the world may use.
    pub async fn set_aside(store: &Store, next: u64) -> Result<Serials, StoreError> {
        let reserved = next as i64 + BLOCK;
        meta::raise_counter(store, SERIAL_COUNTER, reserved).await?;
        Ok(Serials { reserved })
    }

    /// Sets more aside before the block is used up. Never returns.
    pub async fn keep_ahead(&mut self, engine: &Arc<Engine>, store: &Store) {
        loop {
            tokio::time::sleep(WATCH).await;
            let next = next_serial(engine);
            if next + BLOCK / 2 > self.reserved {
                match meta::raise_counter(store, SERIAL_COUNTER, next + BLOCK).await {
                    Ok(()) => self.reserved = next + BLOCK,
                    Err(error) => tracing::error!(%error, "no more instance numbers could be set aside"),
                }
            }
        }
    }

    /// At the end: whatever could not be set aside, the counter is not below what was used.
    pub async fn close(&self, engine: &Arc<Engine>, store: &Store) {
        if let Err(error) = meta::raise_counter(store, SERIAL_COUNTER, next_serial(engine)).await {
            tracing::warn!(%error, "the counter of instances was not brought up to date");
        }
    }
}

fn next_serial(engine: &Arc<Engine>) -> i64 {
    engine.with_world(|world| world.state.next_serial) as i64
}
