//! The minds of the characters: the verbs of a mind are answered here, beside the world, and what they write goes into
//! each character's log.
//!
//! The core hands over what the world asks for and what it recorded (`Minds::take`) when the journal has the input, and
//! goes on; it never waits. For each log that is asked something there is one task at a time (`worker.rs`): it
//! reads the log on first use, answers with the crate `mind`, and tells the asker and whoever watches. A record needs
//! no answer: where nothing is under way for its character it goes straight to the writer, so that people who never ask
//! their minds anything cost no reading; else it queues behind what is. Another task writes the entries in batches
//! (`writer.rs`, `write_queue.rs`).
//! Invariants: the inputs of a log are answered and written in the order of their numbers, requests and records
//! alike: what goes past the queue finds it empty and nobody at work, and all that was answered before stands before it
//! in line. So what the database has of a log is always its beginning, but for what was refused or given up, whatever
//! crashed when. An input that may write is in `unwritten` from the moment it is handed over until its entries are in
//! the database or it is refused; so a snapshot that is made in between holds it, and a recovery finds those that came
//! after in the journal. Answering depends on nothing but the log before, so a request that comes again after a crash
//! writes what it would have written; one whose number is not above the newest entry was done before, and is skipped. A
//! record that comes again is the same row, which is written once.

pub mod council;
mod log_indexes;
pub(crate) mod login;
pub mod past;
mod recall;
mod records;
mod sharing;
mod status;
#[cfg(test)]
mod tests;
mod why;
mod worker;
mod writer;

pub use login::{LOGIN_LONGEST, at_login, night_told};

use crate::capture::Verdict;
use crate::log_input::LogInput;
use crate::memories::{Listed, Memories};
use crate::outbox::{Happened, Out, Outbox, Wake};
use crate::session::SessionFacts;
use crate::store::{Store, StoreError, agent_events, logs};
use crate::write_queue::{Failure, Hold, WriteQueue};
use log_indexes::LogIndexes;
pub use log_indexes::{Findings, Found};
use mind::derive::Open;
use mind::projects::Shelf;
use mind::{LogEntry, LogId, MindState};
use parking_lot::Mutex;
use protocol::cause::Cause;
use protocol::minds::MindName;
use protocol::outcome::Outcome;
use sharing::Reader;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use tokio::sync::{Notify, mpsc};

/// Minds that are kept in memory although nobody asks them anything just now. One is small until its history was asked
/// for.
const KEPT_MAX: usize = 1_000;
/// Requests that may wait to be written. Beyond them, which is hours of a database that is away, new ones are refused.
const UNWRITTEN_MAX: Volume = Volume { count: if cfg!(test) { 1_200 } else { 50_000 }, bytes: 32 << 20 };
/// Records of all characters that may wait to be written, and of one. Beyond them records are lost and counted: those
/// of whoever has most waiting first, so that one character's flood costs nobody else a memory.
const RECORDS_MAX: Volume =
    Volume { count: if cfg!(test) { 1_500 } else { 150_000 }, bytes: if cfg!(test) { 4 << 20 } else { 64 << 20 } };
const RECORDS_PER_LOG_MAX: Volume =
    Volume { count: if cfg!(test) { 1_000 } else { 20_000 }, bytes: if cfg!(test) { 1 << 20 } else { 16 << 20 } };

/// How much waits: inputs, and bytes that they take (`LogInput::bytes`). Few of the longest take as much as many short
/// ones, so both have their bounds.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Volume {
    count: usize,
    bytes: usize,
}

impl Volume {
    fn add(&mut self, input: &LogInput) {
        self.count += 1;
        self.bytes += input.bytes();
    }

    fn remove(&mut self, input: &LogInput) {
        self.count -= 1;
        self.bytes -= input.bytes();
    }

    /// There is room for no more.
    fn fills(&self, most: Volume) -> bool {
        self.count >= most.count || self.bytes >= most.bytes
    }

    fn exceeds(&self, most: Volume) -> bool {
        self.count > most.count || self.bytes > most.bytes
    }
}

/// Who asked.
#[derive(Clone, Debug)]
pub struct Asker {
    pub outbox: Arc<Outbox>,
    pub facts: Arc<SessionFacts>,
    /// Where the answer is told to the record of decisions, if it has one of this command.
    pub verdict: Option<Verdict>,
    /// The command that asked, where its client wants to be told what follows from it, and the tick at which it did.
    pub cause: Option<(Cause, u64)>,
}

impl Asker {
    /// What its client reads: the answer, as what follows from the command, and that the command is done.
    pub fn answer(&self, answer: impl IntoIterator<Item = Out>, line: Option<Out>) {
        let mut out: Vec<Out> = answer.into_iter().collect();
        if let Some(line) = line {
            out.extend(self.cause.map(|(cause, _)| Out::Because(cause)));
            out.push(line);
        }
        if let Some((Cause { id: Some(id), input }, tick)) = self.cause {
            out.push(Out::Outcome(Arc::new(Happened::new(Arc::new(Outcome::Done { id, input, tick })))));
        }
        // In one go, so that nothing comes between.
        self.outbox.release(&mut out, Vec::new(), None, Wake::Now);
    }

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
    Answer(LogInput, Option<Asker>),
    /// This reader is told the state, and each entry from then on; and what others share with this person.
    Watch(Watcher, Option<u32>),
    /// Whoever watches is told what others share with them by now.
    Shared,
    /// A login wants to know what the character is about to do.
    Goals(tokio::sync::oneshot::Sender<Vec<String>>),
    /// Somebody wants to look at the state, behind all that came before.
    State(tokio::sync::oneshot::Sender<Box<MindState>>),
}

/// Who is told of the entries of a log.
#[derive(Clone, Debug)]
struct Watcher {
    outbox: Weak<Outbox>,
    /// Each frame says of which mind it is: its client reads all of a body's.
    names_mind: bool,
}

impl Watcher {
    fn upgrade(&self) -> Option<Arc<Outbox>> {
        self.outbox.upgrade()
    }

    /// What its frames say of whose they are.
    fn mind(&self, log: &LogId) -> Option<MindName> {
        log.mind_name().filter(|_| self.names_mind)
    }
}

/// A log as far as it is needed in memory.
#[derive(Debug, Default)]
struct Mind {
    state: MindState,
    /// What projects that wait have put away.
    shelf: Shelf,
    /// `None` until somebody asks for the history: most never do, and it is most of what a mind takes.
    recent: Option<Recent>,
    /// Entries that a fold is about and those after them; only while one is answered.
    span: Option<Vec<LogEntry>>,
    /// The newest number in the log; that of the state, unless a newer program wrote what is no entry.
    last: u64,
}

/// The newest entries of a log, oldest first: at most `HISTORY_MAX` of the mind's own, as many deeds and as much talk,
/// so that none of these push the others out.
#[derive(Debug, Default)]
struct Recent(Vec<LogEntry>);

/// What there is of one character.
#[derive(Debug, Default)]
struct Slot {
    jobs: VecDeque<Job>,
    /// A task is at it.
    busy: bool,
    /// `None`: not read yet, or in the hands of the task.
    mind: Option<Box<Mind>>,
    /// By their first number.
    unwritten: BTreeMap<u64, LogInput>,
    /// The records among them.
    records: Volume,
    /// What was last recalled, in the order in which it was told.
    listed: Vec<Listed>,
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

/// Entries that wait to be written: all of one input, which are written together.
#[derive(Clone, Debug)]
pub(crate) struct Append {
    input: LogInput,
    /// Of a request; a record is its own entry.
    entries: Arc<[LogEntry]>,
    facts: Option<Arc<SessionFacts>>,
}

#[derive(Debug, Default)]
struct Inner {
    slots: BTreeMap<LogId, Slot>,
    /// Who is told of each entry. One at a time: a character has one connection.
    watchers: BTreeMap<LogId, Watcher>,
    /// Those of them who are told what others share with them.
    readers: BTreeMap<LogId, Reader>,
    /// Slots that a task is to be made for.
    ready: VecDeque<LogId>,
    /// In the order of their answers. What its slot no longer counts as unwritten is passed over.
    to_write: VecDeque<Append>,
    /// Some in `to_write` are to be passed over.
    has_dropped: bool,
    uses: u64,
    lives: u64,
    /// Requests and records that are unwritten.
    requests: Volume,
    records: Volume,
}

impl Inner {
    /// Of somebody who is in use now; made where there is none.
    fn slot(&mut self, log: &LogId) -> &mut Slot {
        self.uses += 1;
        if !self.slots.contains_key(log) {
            self.lives += 1;
            self.slots.insert(log.clone(), Slot { life: self.lives, ..Slot::default() });
        }
        let slot = self.slots.get_mut(log).expect("it is there now");
        slot.used = self.uses;
        slot
    }

    /// Takes up what is to be written. `false`: it was taken up before.
    fn add_unwritten(&mut self, input: &LogInput) -> bool {
        let is_record = input.is_record();
        let slot = self.slot(input.log());
        if slot.unwritten.insert(input.first(), input.clone()).is_some() {
            return false;
        }
        if is_record {
            slot.records.add(input);
            self.records.add(input);
        } else {
            self.requests.add(input);
        }
        true
    }

    /// It is written, refused or given up. `false`: that was known.
    fn remove_unwritten(&mut self, input: &LogInput) -> bool {
        let Some(slot) = self.slots.get_mut(input.log()) else { return false };
        let Some(removed) = slot.unwritten.remove(&input.first()) else { return false };
        if removed.is_record() {
            slot.records.remove(&removed);
            self.records.remove(&removed);
        } else {
            self.requests.remove(&removed);
        }
        true
    }

    fn is_unwritten(&self, append: &Append) -> bool {
        let slot = self.slots.get(append.input.log());
        slot.is_some_and(|slot| slot.unwritten.contains_key(&append.input.first()))
    }
}

/// What was found out about the mind of a character; names are canonical.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Find {
    /// A line of it that nobody typed, and that is to come by an input of the world as any other.
    Line { name: String, verb: &'static str, args: String },
    /// What is open in it when a session begins to read it.
    Open { name: String, open: Open },
    /// A session begins to read it.
    Read { name: String },
}

pub struct Minds {
    store: Store,
    /// What characters remember of what happened to them.
    pub memories: Memories,
    /// What finds entries of logs by their words.
    log_indexes: LogIndexes,
    inner: Mutex<Inner>,
    /// There is something in `ready`.
    wake: Notify,
    /// Who makes inputs of what is found out about minds.
    finds: Mutex<Option<mpsc::UnboundedSender<Find>>>,
    pub queue: WriteQueue,
    /// Requests that were answered, those that were refused among them.
    pub answered: AtomicU64,
    pub refused: AtomicU64,
    /// Records that were taken, and those that are lost: too many waited, or the database will never take them.
    pub recorded: AtomicU64,
    pub records_lost: AtomicU64,
    /// Logs that could not be read, and were tried again.
    pub failures: AtomicU64,
    /// Requests whose entries the database will never take.
    pub lost: AtomicU64,
}

impl Minds {
    pub fn new(store: Store) -> Arc<Minds> {
        Arc::new(Minds {
            memories: Memories::new(store.clone()),
            log_indexes: LogIndexes::default(),
            store,
            inner: Mutex::default(),
            wake: Notify::new(),
            finds: Mutex::default(),
            queue: WriteQueue::new(writer::POLICY),
            answered: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            recorded: AtomicU64::new(0),
            records_lost: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            lost: AtomicU64::new(0),
        })
    }

    /// Takes what the journal has, to be answered or written soon. `asker`: who has its character's connection. Never
    /// waits.
    pub fn take(&self, input: LogInput, asker: Option<Asker>) {
        match input {
            LogInput::Record(log, entry) => self.record(log, entry, asker),
            LogInput::Request(_) => {
                let log = input.log().clone();
                self.put(&log, Job::Answer(input, asker));
            }
        }
    }

    /// This reader gets a `mind` frame with the state, and one for each entry from then on, in place of whoever watched
    /// before; and frames with what others share with it, where the world has a number for it. Never waits.
    pub fn watch(&self, log: impl Into<LogId>, person: Option<u32>, outbox: &Arc<Outbox>) {
        let watcher = Watcher { outbox: Arc::downgrade(outbox), names_mind: false };
        self.put(&log.into(), Job::Watch(watcher, person));
    }

    /// The same of all minds of a body, each frame with the mind that it is of.
    pub fn watch_all(&self, name: &str, person: Option<u32>, outbox: &Arc<Outbox>) {
        for mind in MindName::ALL {
            let watcher = Watcher { outbox: Arc::downgrade(outbox), names_mind: true };
            self.put(&LogId::of(name, mind), Job::Watch(watcher, person.filter(|_| mind.is_body())));
        }
    }

    /// From now on what is found out about minds is told there.
    pub fn tell_finds(&self, finds: mpsc::UnboundedSender<Find>) {
        *self.finds.lock() = Some(finds);
    }

    fn find(&self, find: Find) {
        if let Some(finds) = &*self.finds.lock() {
            // Whoever makes inputs of them ends with the server.
            let _gone = finds.send(find);
        }
    }

    /// Takes what a start found unwritten: from a snapshot, and from the replay of what followed, oldest first.
    pub fn take_over(&self, inputs: Vec<LogInput>) {
        for input in inputs {
            self.take(input, None);
        }
    }

    fn put(&self, log: &LogId, job: Job) {
        let mut inner = self.inner.lock();
        let inner = &mut *inner;
        if let Job::Answer(input, _) = &job
            && input.may_write()
        {
            inner.add_unwritten(input);
        }
        let slot = inner.slot(log);
        slot.jobs.push_back(job);
        if !std::mem::replace(&mut slot.busy, true) {
            inner.ready.push_back(log.clone());
            self.wake.notify_one();
        }
    }

    /// Everything that may still write and that the database does not have, for a snapshot. By name and number.
    pub fn unwritten(&self) -> Vec<LogInput> {
        let inner = self.inner.lock();
        inner.slots.values().flat_map(|slot| slot.unwritten.values().cloned()).collect()
    }

    /// Requests and records that wait to be answered or written.
    pub fn backlog(&self) -> usize {
        let inner = self.inner.lock();
        inner.requests.count + inner.records.count
    }

    /// Those of them that are records.
    pub fn records_waiting(&self) -> usize {
        self.inner.lock().records.count
    }

    /// The newest number of somebody's log and the input that brought it, those that wait to be written among them: a
    /// character that comes into the world with an older save goes on from there.
    pub async fn newest(&self, log: impl Into<LogId>) -> Result<agent_events::Newest, StoreError> {
        let log = log.into();
        let mut newest = agent_events::newest(&self.store, &log).await?;
        if let Some(slot) = self.inner.lock().slots.get(&log)
            && let Some((_, input)) = slot.unwritten.last_key_value()
        {
            newest.seq = newest.seq.max(input.last());
            newest.number = newest.number.max(input.input());
        }
        Ok(newest)
    }

    /// The newest of all logs of a character: they have their numbers from one counter.
    pub async fn newest_of_all(&self, name: &str) -> Result<agent_events::Newest, StoreError> {
        let mut newest = agent_events::Newest::default();
        for mind in MindName::ALL {
            let of_one = self.newest(LogId::of(name, mind)).await?;
            newest.seq = newest.seq.max(of_one.seq);
            newest.number = newest.number.max(of_one.number);
        }
        Ok(newest)
    }

    /// Deletes all logs of a character, with what is on its way to them. For a character that is not in the world and
    /// will not be again. Returns how many entries there were.
    pub async fn forget(&self, name: &str) -> Result<u64, StoreError> {
        let own = LogId::from(name);
        let is_own = |log: &LogId| log.character() == own.character();
        let _hold = self.hold().await;
        {
            let mut inner = self.inner.lock();
            let inner = &mut *inner;
            inner.watchers.retain(|log, _| !is_own(log));
            inner.readers.retain(|log, _| !is_own(log));
            inner.readers.values_mut().for_each(|reader| reader.is_due |= reader.knows(&own));
            inner.to_write.retain(|append| !is_own(append.input.log()));
            inner.lives += 1;
            for (_, slot) in inner.slots.iter_mut().filter(|(log, _)| is_own(log)) {
                for input in slot.unwritten.values() {
                    let waiting = if input.is_record() { &mut inner.records } else { &mut inner.requests };
                    waiting.remove(input);
                }
                // A task that is at it finds another life, and lets go of what it had.
                *slot = Slot { busy: slot.busy, life: inner.lives, ..Slot::default() };
            }
        }
        self.memories.forget(&own);
        self.log_indexes.forget(own.character());
        self.queue.no_longer_aside(own.character());
        logs::delete(&self.store, own.character()).await
    }

    /// Waits for the write in hand and keeps further ones back until the hold is dropped; requests queue meanwhile.
    pub async fn hold(&self) -> Hold {
        self.queue.hold().await
    }

    /// Does what there is to do until the server ends.
    pub async fn run(self: Arc<Self>) {
        let writer = self.clone();
        tokio::spawn(async move { writer.queue.run(&*writer).await });
        loop {
            let next = self.inner.lock().ready.pop_front();
            match next {
                Some(log) => drop(tokio::spawn(self.clone().work(log))),
                None => self.wake.notified().await,
            }
        }
    }

    /// Does what there is to do, here and now, and writes it: for simulations, where nobody runs and every run must be
    /// the same.
    pub async fn settle(self: &Arc<Self>) -> Result<(), Failure> {
        loop {
            let next = self.inner.lock().ready.pop_front();
            match next {
                Some(log) => self.clone().work(log).await,
                None => break,
            }
        }
        self.queue.write_all(&**self).await
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
        inner.watchers.retain(|_, watcher| watcher.outbox.strong_count() > 0);
        let watchers = &inner.watchers;
        inner.readers.retain(|log, _| watchers.contains_key(log));
        let mut idle: Vec<(u64, LogId)> =
            inner.slots.iter().filter(|(_, slot)| slot.is_idle()).map(|(log, slot)| (slot.used, log.clone())).collect();
        idle.sort_unstable();
        // A tenth at once, so that it is not done for every request.
        let most = inner.slots.len() - (KEPT_MAX - KEPT_MAX / 10);
        for (_, log) in idle.into_iter().take(most) {
            inner.slots.remove(&log);
        }
    }

    fn count(counter: &AtomicU64, more: u64) {
        counter.fetch_add(more, Ordering::Relaxed);
    }
}
