//! The minds of the characters: the verbs of a mind are answered here, beside the world, and what they write goes into
//! each character's log.
//!
//! The core hands over what the world asks for (`Minds::take`) when the journal has the input, and goes on; it never
//! waits. For each character that has something to do there is one task at a time (`working.rs`): it reads the log on
//! first use, answers with the crate `mind`, and tells the asker and whoever watches. Another task writes the entries
//! in batches (`writing.rs`).
//! Invariants: the requests of a character are answered and written in the order of their numbers. A request that may
//! write is in `unwritten` from the moment it is handed over until its entries are in the database or it is refused; so
//! a snapshot that is made in between holds it, and a recovery finds those that came after in the journal. Answering
//! depends on nothing but the log before, so a request that comes again after a crash writes what it would have
//! written; one whose number is not above the newest entry was done before, and is skipped.

mod rows;
#[cfg(test)]
mod tests;
mod working;
mod writing;

pub use rows::{entry_of, row_of};
pub use writing::Hold;

use crate::capture::SessionFacts;
use crate::engine::Outbox;
use crate::store::trouble::Trouble;
use crate::store::{Store, StoreError, agent_events, canonical};
use mind::{Entry, MindState};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use tokio::sync::Notify;
use world::InputNumber;
use world::report::MindRequest;

/// Minds that are kept in memory although nobody asks them anything just now. A usual one takes some 10 KB.
const KEPT_MAX: usize = 1_000;
/// Requests that may wait to be written. Beyond them, which is hours of a database that is away, new ones are refused.
const UNWRITTEN_MAX: usize = if cfg!(test) { 1_200 } else { 50_000 };

/// A request as the journal brings it back: what was asked, and by which input.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Request {
    /// Canonical.
    pub name: String,
    pub verb: String,
    pub args: String,
    /// The first of the numbers that are set aside for its entries, and how many; 0: it only asks.
    pub first: u64,
    pub numbers: u8,
    pub number: InputNumber,
    pub tick: u64,
    /// When the input came, unix milliseconds: the same in a replay, as the journal has it.
    pub at_ms: i64,
    /// As `MindRequest::present`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub present: Vec<String>,
}

impl Request {
    pub fn new(asked: &MindRequest, number: InputNumber, tick: u64, at_ms: i64) -> Request {
        Request {
            name: canonical(&asked.name),
            verb: asked.verb.to_string(),
            args: asked.args.to_string(),
            first: asked.first,
            numbers: asked.numbers,
            number,
            tick,
            at_ms,
            present: asked.present.iter().map(|key| key.to_string()).collect(),
        }
    }

    /// The last of its numbers.
    fn last(&self) -> u64 {
        (self.first + u64::from(self.numbers)).saturating_sub(1)
    }
}

/// Who asked.
#[derive(Clone, Debug)]
pub struct Asker {
    pub outbox: Arc<Outbox>,
    pub facts: Arc<SessionFacts>,
}

/// What there is to do for one character, in order.
#[derive(Debug)]
enum Job {
    /// No asker: a recovery brought it back, or its connection is gone.
    Answer(Arc<Request>, Option<Asker>),
    /// This reader is told the state, and each entry from then on.
    Watch(Weak<Outbox>),
}

/// A log as far as it is needed in memory.
#[derive(Debug, Default)]
struct Mind {
    state: MindState,
    /// The newest entries, oldest first.
    recent: Vec<Entry>,
    /// The newest number in the log; that of the state, unless a newer program wrote what is no entry.
    last: u64,
}

/// What there is of one character.
#[derive(Debug, Default)]
struct Slot {
    jobs: VecDeque<Job>,
    /// A task is at it.
    busy: bool,
    /// `None`: not read yet, or in the hands of the task.
    mind: Option<Box<Mind>>,
    /// By their first number.
    unwritten: BTreeMap<u64, Arc<Request>>,
    /// Counts up with each use of any slot.
    used: u64,
    /// Changes when the character was deleted: what was under way then is of another character.
    life: u64,
}

impl Slot {
    fn is_idle(&self) -> bool {
        !self.busy && self.jobs.is_empty() && self.unwritten.is_empty()
    }
}

/// Entries that wait to be written: all of one request, which are written together.
#[derive(Clone, Debug)]
struct Written {
    request: Arc<Request>,
    entries: Arc<[Entry]>,
    facts: Option<Arc<SessionFacts>>,
}

#[derive(Debug, Default)]
struct Inner {
    slots: BTreeMap<String, Slot>,
    /// Who is told of each entry, by name. One at a time: a character has one connection.
    watchers: BTreeMap<String, Weak<Outbox>>,
    /// Names of slots that a task is to be made for.
    ready: VecDeque<String>,
    /// In the order of their answers.
    to_write: VecDeque<Written>,
    uses: u64,
    lives: u64,
    unwritten: usize,
}

pub struct Minds {
    store: Store,
    inner: Mutex<Inner>,
    /// There is something in `ready`.
    wake: Notify,
    /// There is something in `to_write`.
    wake_writer: Notify,
    idle: Notify,
    /// Whoever has it writes; nobody else does meanwhile.
    turn: Arc<tokio::sync::Mutex<()>>,
    trouble: Trouble,
    /// Requests that were answered, those that were refused among them.
    pub answered: AtomicU64,
    pub refused: AtomicU64,
    /// Entries that were written.
    pub written: AtomicU64,
    /// Batches that could not be written, and logs that could not be read, and were tried again.
    pub failures: AtomicU64,
    /// Requests whose entries the database will never take.
    pub lost: AtomicU64,
}

impl Minds {
    pub fn new(store: Store) -> Arc<Minds> {
        Arc::new(Minds {
            store,
            inner: Mutex::default(),
            wake: Notify::new(),
            wake_writer: Notify::new(),
            idle: Notify::new(),
            turn: Arc::default(),
            trouble: Trouble::default(),
            answered: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            written: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            lost: AtomicU64::new(0),
        })
    }

    /// Takes a request that the journal has, to be answered soon. Never waits.
    pub fn take(&self, request: Request, asker: Option<Asker>) {
        let name = request.name.clone();
        self.put(&name, Job::Answer(Arc::new(request), asker));
    }

    /// This reader gets a `mind` frame with the state, and one for each entry from then on, in place of whoever watched
    /// before. Never waits.
    pub fn watch(&self, name: &str, outbox: &Arc<Outbox>) {
        self.put(&canonical(name), Job::Watch(Arc::downgrade(outbox)));
    }

    /// Takes what a start found unwritten: from a snapshot, and from the replay of what followed, oldest first.
    pub fn take_over(&self, requests: Vec<Arc<Request>>) {
        for request in requests {
            let name = request.name.clone();
            self.put(&name, Job::Answer(request, None));
        }
    }

    fn put(&self, name: &str, job: Job) {
        let mut inner = self.inner.lock();
        let inner = &mut *inner;
        inner.uses += 1;
        let slot = match inner.slots.get_mut(name) {
            Some(slot) => slot,
            None => {
                inner.lives += 1;
                let life = inner.lives;
                inner.slots.entry(name.to_string()).or_insert(Slot { life, ..Slot::default() })
            }
        };
        slot.used = inner.uses;
        if let Job::Answer(request, _) = &job
            && request.numbers > 0
            && slot.unwritten.insert(request.first, request.clone()).is_none()
        {
            inner.unwritten += 1;
        }
        slot.jobs.push_back(job);
        if !slot.busy {
            slot.busy = true;
            inner.ready.push_back(name.to_string());
            self.wake.notify_one();
        }
    }

    /// Everything that may still write and that the database does not have, for a snapshot. By name and number.
    pub fn unwritten(&self) -> Vec<Arc<Request>> {
        let inner = self.inner.lock();
        inner.slots.values().flat_map(|slot| slot.unwritten.values().cloned()).collect()
    }

    /// Requests that wait to be answered or written.
    pub fn backlog(&self) -> usize {
        self.inner.lock().unwritten
    }

    /// The newest number of somebody's log and the input that brought it, those that wait to be written among them: a
    /// character that comes into the world with an older save goes on from there.
    pub async fn newest(&self, name: &str) -> Result<agent_events::Newest, StoreError> {
        let name = canonical(name);
        let mut newest = agent_events::newest(&self.store, &name).await?;
        if let Some(slot) = self.inner.lock().slots.get(&name)
            && let Some((_, request)) = slot.unwritten.last_key_value()
        {
            newest.seq = newest.seq.max(request.last());
            newest.number = newest.number.max(request.number);
        }
        Ok(newest)
    }

    /// Deletes somebody's log, with what is on its way to it. For a character that is not in the world and will not be
    /// again. Returns how many entries there were.
    pub async fn forget(&self, name: &str) -> Result<u64, StoreError> {
        let name = canonical(name);
        let _hold = self.hold().await;
        {
            let mut inner = self.inner.lock();
            let inner = &mut *inner;
            inner.watchers.remove(&name);
            inner.to_write.retain(|written| written.request.name != name);
            inner.lives += 1;
            if let Some(slot) = inner.slots.get_mut(&name) {
                inner.unwritten -= slot.unwritten.len();
                // A task that is at it finds another life, and lets go of what it had.
                *slot = Slot { busy: slot.busy, life: inner.lives, ..Slot::default() };
            }
        }
        agent_events::delete(&self.store, &name).await
    }

    /// Does what there is to do until the server ends.
    pub async fn run(self: Arc<Self>) {
        tokio::spawn(self.clone().write());
        loop {
            let next = self.inner.lock().ready.pop_front();
            match next {
                Some(name) => drop(tokio::spawn(self.clone().work(name))),
                None => self.wake.notified().await,
            }
        }
    }

    /// Does what there is to do, here and now, and writes it: for simulations, where nobody runs and every run must be
    /// the same.
    pub async fn settle(self: &Arc<Self>) -> Result<(), StoreError> {
        loop {
            let next = self.inner.lock().ready.pop_front();
            match next {
                Some(name) => self.clone().work(name).await,
                None => break,
            }
        }
        self.write_all().await
    }

    /// Whether somebody waits for an answer.
    pub fn is_asked(&self) -> bool {
        !self.inner.lock().ready.is_empty()
    }

    /// Forgets who has not been asked for longest, where there are many. What is unwritten stays.
    fn tidy(inner: &mut Inner) {
        if inner.slots.len() <= KEPT_MAX {
            return;
        }
        inner.watchers.retain(|_, outbox| outbox.strong_count() > 0);
        let mut idle: Vec<(u64, String)> = inner
            .slots
            .iter()
            .filter(|(_, slot)| slot.is_idle())
            .map(|(name, slot)| (slot.used, name.clone()))
            .collect();
        idle.sort_unstable();
        // A tenth at once, so that it is not done for every request.
        let most = inner.slots.len() - (KEPT_MAX - KEPT_MAX / 10);
        for (_, name) in idle.into_iter().take(most) {
            inner.slots.remove(&name);
        }
    }

    fn count(counter: &AtomicU64, more: u64) {
        counter.fetch_add(more, Ordering::Relaxed);
    }
}
