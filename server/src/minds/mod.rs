//! The minds of the characters: the verbs of a mind are answered here, beside the world, and what they write goes into
//! each character's log.
//!
//! The core hands over what the world asks for and what it recorded (`Minds::take`) when the journal has the input, and
//! goes on; it never waits. For each character that is asked something there is one task at a time (`working.rs`): it
//! reads the log on first use, answers with the crate `mind`, and tells the asker and whoever watches. A record needs
//! no answer: where nothing is under way for its character it goes straight to the writer, so that people who never ask
//! their minds anything cost no reading; else it queues behind what is. Another task writes the entries in batches
//! (`writing.rs`).
//! Invariants: the matters of a character are answered and written in the order of their numbers, requests and records
//! alike: what goes past the queue finds it empty and nobody at work, and all that was answered before stands before it
//! in line. So what the database has of a log is always its beginning, but for what was refused or given up, whatever
//! crashed when. A matter that may write is in `unwritten` from the moment it is handed over until its entries are in
//! the database or it is refused; so a snapshot that is made in between holds it, and a recovery finds those that came
//! after in the journal. Answering depends on nothing but the log before, so a request that comes again after a crash
//! writes what it would have written; one whose number is not above the newest entry was done before, and is skipped. A
//! record that comes again is the same row, which is written once.

mod matter;
mod recording;
mod remembering;
mod rows;
#[cfg(test)]
mod tests;
mod working;
mod writing;

pub use matter::{Matter, Record, Request, in_order};
pub use rows::{entry_of, row_of};
pub use writing::Hold;

use crate::capture::Verdict;
use crate::exports::Exports;
use crate::memories::Memories;
use crate::outbox::Outbox;
use crate::session::SessionFacts;
use crate::store::trouble::Trouble;
use crate::store::{Store, StoreError, agent_events, canonical};
use mind::{Entry, MindState};
use parking_lot::Mutex;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use tokio::sync::Notify;

/// Minds that are kept in memory although nobody asks them anything just now. A usual one takes some 10 KB.
const KEPT_MAX: usize = 1_000;
/// Requests that may wait to be written. Beyond them, which is hours of a database that is away, new ones are refused.
const UNWRITTEN_MAX: usize = if cfg!(test) { 1_200 } else { 50_000 };
/// Records that may wait to be written, some 150 MB of them. Beyond them new ones are lost, and counted.
const RECORDS_MAX: usize = if cfg!(test) { 1_500 } else { 200_000 };

/// Who asked.
#[derive(Clone, Debug)]
pub struct Asker {
    pub outbox: Arc<Outbox>,
    pub facts: Arc<SessionFacts>,
    /// Where the answer is told to the record of decisions, if it has one of this command.
    pub verdict: Option<Verdict>,
}

impl Asker {
    fn tell_verdict(&self, refused: Option<&str>) {
        if let Some(verdict) = &self.verdict {
            verdict.tell(refused);
        }
    }
}

/// What there is to do for one character, in order.
#[derive(Debug)]
enum Job {
    /// No asker: a recovery brought it back, or its connection is gone.
    Answer(Matter, Option<Asker>),
    /// This reader is told the state, and each entry from then on.
    Watch(Weak<Outbox>),
    /// A login wants to know what the character is about to do.
    Goals(tokio::sync::oneshot::Sender<Vec<String>>),
}

/// A log as far as it is needed in memory.
#[derive(Debug, Default)]
struct Mind {
    state: MindState,
    /// The newest entries, oldest first: at most `HISTORY_MAX` of its own and as many records, so that neither push the
    /// others out.
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
    unwritten: BTreeMap<u64, Matter>,
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

/// Entries that wait to be written: all of one matter, which are written together.
#[derive(Clone, Debug)]
struct Written {
    matter: Matter,
    /// Of a request; a record is its own entry.
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
    /// Requests and records that are unwritten.
    requests: usize,
    records: usize,
}

impl Inner {
    /// Of somebody who is in use now; made where there is none.
    fn slot(&mut self, name: &str) -> &mut Slot {
        self.uses += 1;
        if !self.slots.contains_key(name) {
            self.lives += 1;
            self.slots.insert(name.to_string(), Slot { life: self.lives, ..Slot::default() });
        }
        let slot = self.slots.get_mut(name).expect("it is there now");
        slot.used = self.uses;
        slot
    }

    /// One more that is unwritten, or one less.
    fn count(&mut self, matter: &Matter) -> &mut usize {
        if matter.is_record() { &mut self.records } else { &mut self.requests }
    }
}

pub struct Minds {
    store: Store,
    /// What characters remember of what happened to them.
    pub memories: Memories,
    inner: Mutex<Inner>,
    /// There is something in `ready`.
    wake: Notify,
    /// There is something in `to_write`.
    wake_writer: Notify,
    idle: Notify,
    /// Whoever has it writes; nobody else does meanwhile.
    turn: Arc<tokio::sync::Mutex<()>>,
    trouble: Trouble,
    /// Whoever wants to know that a character has left the world.
    exports: OnceLock<Weak<Exports>>,
    /// Requests that were answered, those that were refused among them.
    pub answered: AtomicU64,
    pub refused: AtomicU64,
    /// Entries that were written, records among them.
    pub written: AtomicU64,
    /// Records that were taken, and those that are lost: too many waited, or the database will never take them.
    pub recorded: AtomicU64,
    pub records_lost: AtomicU64,
    /// Batches that could not be written, and logs that could not be read, and were tried again.
    pub failures: AtomicU64,
    /// Requests whose entries the database will never take.
    pub lost: AtomicU64,
}

impl Minds {
    pub fn new(store: Store) -> Arc<Minds> {
        Arc::new(Minds {
            memories: Memories::new(store.clone()),
            store,
            inner: Mutex::default(),
            wake: Notify::new(),
            wake_writer: Notify::new(),
            idle: Notify::new(),
            turn: Arc::default(),
            trouble: Trouble::default(),
            exports: OnceLock::new(),
            answered: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            written: AtomicU64::new(0),
            recorded: AtomicU64::new(0),
            records_lost: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            lost: AtomicU64::new(0),
        })
    }

    /// From now on they are told who leaves the world.
    pub fn tell_leavers(&self, exports: &Arc<Exports>) {
        // Whoever came first is told; there is one in a server.
        let _first = self.exports.set(Arc::downgrade(exports));
    }

    /// A character has left the world, and all that happened to it was taken. Never waits.
    pub fn left(&self, name: &str) {
        if let Some(exports) = self.exports.get().and_then(Weak::upgrade) {
            exports.look_at(name);
        }
    }

    /// Takes what the journal has, to be answered or written soon. `asker`: who has its character's connection. Never
    /// waits.
    pub fn take(&self, matter: Matter, asker: Option<Asker>) {
        match matter {
            Matter::Happened(record) => self.record(record, asker),
            Matter::Asked(_) => {
                let name = matter.name().to_string();
                self.put(&name, Job::Answer(matter, asker));
            }
        }
    }

    /// This reader gets a `mind` frame with the state, and one for each entry from then on, in place of whoever watched
    /// before. Never waits.
    pub fn watch(&self, name: &str, outbox: &Arc<Outbox>) {
        self.put(&canonical(name), Job::Watch(Arc::downgrade(outbox)));
    }

    /// Takes what a start found unwritten: from a snapshot, and from the replay of what followed, oldest first.
    pub fn take_over(&self, matters: Vec<Matter>) {
        for matter in matters {
            self.take(matter, None);
        }
    }

    fn put(&self, name: &str, job: Job) {
        let mut inner = self.inner.lock();
        let inner = &mut *inner;
        let counted = match &job {
            Job::Answer(matter, _) if matter.may_write() => Some(matter.clone()),
            _ => None,
        };
        let slot = inner.slot(name);
        let is_new =
            counted.as_ref().filter(|matter| slot.unwritten.insert(matter.first(), (*matter).clone()).is_none());
        slot.jobs.push_back(job);
        let begins = !std::mem::replace(&mut slot.busy, true);
        if let Some(matter) = is_new {
            *inner.count(matter) += 1;
        }
        if begins {
            inner.ready.push_back(name.to_string());
            self.wake.notify_one();
        }
    }

    /// Everything that may still write and that the database does not have, for a snapshot. By name and number.
    pub fn unwritten(&self) -> Vec<Matter> {
        let inner = self.inner.lock();
        inner.slots.values().flat_map(|slot| slot.unwritten.values().cloned()).collect()
    }

    /// Requests and records that wait to be answered or written.
    pub fn backlog(&self) -> usize {
        let inner = self.inner.lock();
        inner.requests + inner.records
    }

    /// Those of them that are records.
    pub fn records_waiting(&self) -> usize {
        self.inner.lock().records
    }

    /// The newest number of somebody's log and the input that brought it, those that wait to be written among them: a
    /// character that comes into the world with an older save goes on from there.
    pub async fn newest(&self, name: &str) -> Result<agent_events::Newest, StoreError> {
        let name = canonical(name);
        let mut newest = agent_events::newest(&self.store, &name).await?;
        if let Some(slot) = self.inner.lock().slots.get(&name)
            && let Some((_, matter)) = slot.unwritten.last_key_value()
        {
            newest.seq = newest.seq.max(matter.last());
            newest.number = newest.number.max(matter.number());
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
            inner.to_write.retain(|written| written.matter.name() != name);
            inner.lives += 1;
            if let Some(slot) = inner.slots.get_mut(&name) {
                let records = slot.unwritten.values().filter(|matter| matter.is_record()).count();
                inner.records -= records;
                inner.requests -= slot.unwritten.len() - records;
                // A task that is at it finds another life, and lets go of what it had.
                *slot = Slot { busy: slot.busy, life: inner.lives, ..Slot::default() };
            }
        }
        self.memories.forget(&name);
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
