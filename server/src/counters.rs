//! Counters of the world whose numbers nobody may get twice: the database knows how far each has come, and a world
//! without the state of before goes on above that.
//!
//! One row for each. Ahead of the world a block of numbers is set aside (`serve/counters.rs`), so that what is in the
//! database is above all that was ever used, whatever crashed when.

use crate::store::{Store, StoreError, meta};
use world::World;
use world::world::State;

/// One of them.
pub struct Counter {
    /// The fact in the database above which numbers are free.
    key: &'static str,
    /// Numbers that are set aside at a time.
    pub block: u64,
    /// What is given next.
    next: fn(&State) -> u64,
    /// Goes on at this number or above.
    go_on: fn(&mut State, u64),
}

pub const COUNTERS: &[Counter] = &[
    // Serials of instances.
    Counter {
        key: "next_serial",
        block: 1 << 20,
        next: |state| state.next_serial,
        go_on: |state, next| state.next_serial = state.next_serial.max(next),
    },
    // Ids of persons and channels, which have 32 bits.
    Counter {
        key: "next_person",
        block: 1 << 12,
        next: |state| state.channels.next_id().into(),
        go_on: |state, next| state.channels.count_from(u32::try_from(next).unwrap_or(u32::MAX), 0),
    },
    Counter {
        key: "next_message",
        block: 1 << 20,
        next: |state| state.channels.next_message(),
        go_on: |state, next| state.channels.count_from(0, next),
    },
];

impl Counter {
    pub fn next(&self, world: &World) -> u64 {
        (self.next)(&world.state)
    }

    /// Nothing below this is free for a world without the state of before.
    pub async fn raise(&self, store: &Store, free: u64) -> Result<(), StoreError> {
        meta::raise_counter(store, self.key, i64::try_from(free).unwrap_or(i64::MAX)).await
    }
}

/// From where on numbers are free, as the database says, in the order of [`COUNTERS`].
pub struct Free(Vec<u64>);

impl Free {
    pub async fn read(store: &Store) -> Result<Free, StoreError> {
        let mut free = Vec::new();
        for counter in COUNTERS {
            free.push(meta::counter(store, counter.key).await?.max(0) as u64);
        }
        Ok(Free(free))
    }

    /// For a world that is not the end of its journal: what it gives from now on is above all that was given.
    pub fn count_from(&self, world: &mut World) {
        for (counter, free) in COUNTERS.iter().zip(&self.0) {
            (counter.go_on)(&mut world.state, *free);
        }
    }

    /// For a new world. The instances that it has made already are numbered anew.
    pub fn renumber(&self, world: &mut World, inputs: world::InputNumber) {
        world.renumber(inputs, self.0[0]);
        self.count_from(world);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::on_each_store;
    use std::sync::Arc;
    use world::rules::Rules;

    fn world() -> World {
        let scene = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenes/green");
        let (content, _) = crate::content_files::read_world(&scene, None).expect("the scene is there");
        World::new(Arc::new(content), Arc::new(Rules::built_in()), 7)
    }

    #[tokio::test]
    async fn a_new_world_goes_on_above_all_that_was_set_aside() {
        on_each_store(async |store| {
            let untouched = world();
            let mut fresh = world();
            Free::read(store).await.expect("read").renumber(&mut fresh, 0);
            assert_eq!(fresh.hashes(), untouched.hashes(), "a new database knows of no number");
            for (n, counter) in (1_000..).zip(COUNTERS) {
                counter.raise(store, n).await.expect("raised");
                counter.raise(store, 5).await.expect("a counter never goes back");
            }
            Free::read(store).await.expect("read").renumber(&mut fresh, 40);
            assert_eq!(fresh.state.number, 40);
            assert_eq!(COUNTERS[1..].iter().map(|counter| counter.next(&fresh)).collect::<Vec<_>>(), [1_001, 1_002]);
            assert!(fresh.state.characters.iter().all(|(_, who)| who.serial >= 1_000), "also what is there already");
        })
        .await;
    }
}
