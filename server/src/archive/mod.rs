//! The archive: persons, channels and what was said in them, agents and plots, on their way to the database, and asked
//! for again.
//!
//! The core hands over the rows of each report when the journal has its input, and goes on; a task writes them in
//! batches (`write_queue.rs`), `store::{channels, messages}` has the tables. `history.rs` answers who asks for more
//! than the world holds. Invariants: of each thing only the newest row waits, and a message keeps the time at which it
//! was said; what the database has not taken yet is in every snapshot, and a recovery makes again what the tail of the
//! journal tells, so nothing is lost to a kill. A row that the database never takes stops no other.

pub mod export;
pub mod history;
#[cfg(test)]
mod tests;

use crate::store::channels::{self, Change, Changes};
use crate::store::{Store, StoreError};
use crate::write_queue::{Backlog, Failure, Policy, WriteQueue};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use world::agent::row::AgentKey;
use world::channel::row::{Row, RowKey};
use world::channel::{Channel, MESSAGES_MAX, Message};
use xxhash_rust::xxh3::xxh3_64;

const POLICY: Policy = Policy {
    noun: "messages and channels",
    aside: "it is set aside, and the next change of it is tried",
    gather: Duration::from_millis(100),
    batch_max: 512,
    retry_first: Duration::from_millis(500),
    retry_longest: Duration::from_secs(10),
};
/// Rows that may wait while the database is away. Beyond them, which is hours of much talk, the oldest messages are
/// lost to history; of all else there is as much as the world has.
const WAITING_MAX: usize = 200_000;

/// By key. A row is never in none of them on its way, and the first that has a key has its newest.
#[derive(Default)]
struct Rows {
    waiting: Changes,
    /// What is being written right now.
    in_hand: BTreeMap<RowKey, Change>,
    /// What the database has of who may come in, by channel: written again only where it is otherwise.
    doors: BTreeMap<u32, u64>,
}

pub struct Archive {
    store: Store,
    rows: Mutex<Rows>,
    pub queue: WriteQueue,
    /// Messages that were lost to history.
    pub lost: AtomicU64,
}

/// Of who may come into a channel.
fn doors_of(channel: &Channel) -> u64 {
    let doors = (&channel.keys, &channel.invited, &channel.requests);
    xxh3_64(&postcard::to_allocvec(&doors).expect("words and numbers are bytes, and memory has no end"))
}

impl Archive {
    pub fn new(store: Store) -> Arc<Archive> {
        Arc::new(Archive { store, rows: Mutex::default(), queue: WriteQueue::new(POLICY), lost: AtomicU64::new(0) })
    }

    /// Takes what one input changed, to be written soon. Never waits.
    pub fn take(&self, kept: Vec<Row>, number: u64, at_ms: i64) {
        let mut rows = self.rows.lock();
        for row in kept {
            let doors = match &row {
                Row::Channel { id, channel: Some(channel) } => rows.doors.get(id) != Some(&doors_of(channel)),
                _ => false,
            };
            rows.waiting.put(Change { number, at_ms, row, doors });
        }
        // Only where the database is away for long is it worth counting what of it are messages.
        while rows.waiting.0.len() > WAITING_MAX {
            // The first of the messages: their keys are the last.
            let oldest = rows.waiting.0.range(RowKey::Message(0)..).next().map(|(key, _)| *key);
            let Some(oldest) = oldest else { break };
            rows.waiting.0.remove(&oldest);
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
        drop(rows);
        self.queue.wake();
    }

    /// Everything that the database has not taken yet, for a snapshot.
    pub fn unwritten(&self) -> Vec<Change> {
        let rows = self.rows.lock();
        let mut newest = rows.in_hand.clone();
        newest.extend(rows.waiting.0.iter().map(|(key, change)| (*key, change.clone())));
        newest.into_values().collect()
    }

    /// Takes what a start found unwritten: from a snapshot, and from the replay of what followed, in this order.
    pub fn take_over(&self, changes: Vec<Change>) {
        let mut rows = self.rows.lock();
        for change in changes {
            // Nobody knows here what the database has.
            rows.waiting.put(Change { doors: true, ..change });
        }
        drop(rows);
        self.queue.wake();
    }

    /// Rows that wait to be written.
    pub fn backlog(&self) -> usize {
        self.waiting()
    }

    /// Writes until the server ends.
    pub async fn run(self: Arc<Self>) {
        self.queue.run(&*self).await;
    }

    /// Waits until everything is written that can be, at most so long. True when it is.
    pub async fn drain(&self, longest: Duration) -> bool {
        self.queue.drain(self, longest).await
    }

    /// Messages of a channel that the database may not have yet, oldest first, with the time at which they were said.
    fn on_the_way(&self, channel: u32) -> Vec<(Arc<Message>, i64)> {
        let rows = self.rows.lock();
        let mut found: BTreeMap<u64, (Arc<Message>, i64)> = BTreeMap::new();
        for (_, change) in rows.in_hand.iter().chain(&rows.waiting.0) {
            if let Row::Message { channel: its, message } = &change.row
                && *its == channel
            {
                found.insert(message.id, (message.clone(), change.at_ms));
            }
        }
        found.into_values().collect()
    }
}

/// All that the database has of channels, for a world that has lost its own.
pub async fn all(store: &Store) -> Result<Vec<Row>, StoreError> {
    channels::all(store, MESSAGES_MAX as i64).await
}

impl Backlog for Archive {
    type Batch = BTreeMap<RowKey, Change>;

    fn waiting(&self) -> usize {
        let rows = self.rows.lock();
        rows.waiting.0.len() + rows.in_hand.len()
    }

    fn writable(&self) -> usize {
        self.rows.lock().waiting.0.len()
    }

    fn next_batch(&self, most: usize) -> Option<(Self::Batch, usize)> {
        let mut rows = self.rows.lock();
        let waiting = &mut rows.waiting.0;
        let later = waiting.keys().nth(most).copied().map(|key| waiting.split_off(&key));
        rows.in_hand = std::mem::replace(waiting, later.unwrap_or_default());
        let batch = rows.in_hand.clone();
        let count = batch.len();
        (count > 0).then_some((batch, count))
    }

    async fn write(&self, batch: &Self::Batch) -> Result<u64, Failure> {
        let changes: Vec<Change> = batch.values().cloned().collect();
        Ok(channels::write(&self.store, &changes).await?)
    }

    fn done(&self, batch: Self::Batch) {
        let mut rows = self.rows.lock();
        rows.in_hand.clear();
        for change in batch.into_values() {
            match &change.row {
                Row::Channel { id, channel: Some(channel) } => drop(rows.doors.insert(*id, doors_of(channel))),
                Row::Channel { id, channel: None } => drop(rows.doors.remove(id)),
                _ => {}
            }
        }
    }

    fn put_back(&self, batch: Self::Batch) {
        let mut rows = self.rows.lock();
        let newer = std::mem::replace(&mut rows.waiting, Changes(batch));
        for change in newer.0.into_values() {
            rows.waiting.put(change);
        }
        rows.in_hand.clear();
    }

    fn set_aside(&self, batch: Self::Batch) -> String {
        let mut rows = self.rows.lock();
        rows.in_hand.clear();
        match batch.keys().next() {
            Some(RowKey::Person(id)) => format!("person {id}"),
            Some(RowKey::Agent(AgentKey::Record(id) | AgentKey::Order(id))) => format!("agent {id}"),
            Some(RowKey::Agent(AgentKey::Right(person))) => format!("the right of {person} as to agents"),
            Some(RowKey::Channel(id)) => format!("channel {id}"),
            Some(RowKey::Plot(room)) => format!("the plot of room {room}"),
            Some(RowKey::Member(id, person)) => format!("person {person} in channel {id}"),
            Some(RowKey::Complaint(id)) => format!("complaint {id}"),
            Some(RowKey::Message(id)) => format!("message {id}"),
            None => String::new(),
        }
    }
}
