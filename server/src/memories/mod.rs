//! What characters remember, in memory: the graph of the last dream with all that happened since, and an index of it,
//! both kept up to date record by record.
//!
//! `recall.rs` answers the verb, `story.rs` how the story of a dream is told, `minds/login.rs` makes what an agent
//! is told when it comes in. Leaves logs and the order of requests to `minds`, dreams that are kept to the nights.
//! Invariants: nothing here writes. What happened since the last dream is dreamt in memory, through today, so that an
//! agent remembers this morning; it is dreamt again by night, for good. Memories of one character are made by one task
//! at a time, off the runtime's threads, and of all characters by `WORKING_MAX` at a time, of which those with a long
//! day behind them take `HEAVY_MAX`: nobody's past keeps others waiting. Of what happened since the last dream the
//! newest `SINCE_MAX` are read; who has more is dreamt before the night (`overdue`). What is answered knows all else
//! that was recorded before it was asked. Those kept take no more than `KEPT_BYTES_MAX` together, so that many
//! minds take bounded room, and who has not been asked for `KEPT_TICKS` is let go. Only who was asked is kept: a login
//! looks at a graph and lets it go. Memories are of one arm: those of a session without valence are made from the log,
//! or go on from a dream without it, and what the other arm holds or dreamt is not looked at.

mod recall;
pub mod story;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod timing;

pub use recall::{Answer, Listed, answer, is_of_memories};

use crate::store::agent_events::entry_of;
use crate::store::memories::MemoryCursor;
use crate::store::{Store, happenings, legacies, memories};
use dreaming::calendar::day_of;
use dreaming::retrieve::{Query, Recall, Scratch};
use dreaming::{Dreamer, Graph, Living, Record, Terms, Valence, legacy};
use mind::LogId;
use parking_lot::{Mutex, MutexGuard};
use protocol::words::capitalised;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use tokio::sync::{Notify, Semaphore};

/// Happenings that are read at a time.
const PAGE: i64 = 5_000;
/// Characters whose memories are made at the same time: the world needs cores too.
const WORKING_MAX: usize = 2;
/// Of these, characters to whom more than `HEAVY_MIN` has happened since their last dream.
const HEAVY_MAX: usize = 1;
const HEAVY_MIN: i64 = 2_000;
/// Happenings since the last dream that are read, the newest: some 20 MB of them, and half a second. Ten times what a
/// busy agent meets in a day.
const SINCE_MAX: i64 = if cfg!(test) { 200 } else { 20_000 };
/// Bytes that all graphs that are kept take together with what finds things in them (`Graph::bytes`): some 150,000
/// nodes.
const KEPT_BYTES_MAX: usize = if cfg!(test) { 300_000 } else { 96 << 20 };
/// How long memories are kept that nobody asks for, in ticks: two hours.
const KEPT_TICKS: u64 = 3_600;
/// How often, in ticks, those are looked for.
const SWEEP_TICKS: u64 = 30;

/// When it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Now {
    pub tick: u64,
    /// Unix milliseconds.
    pub at_ms: i64,
}

/// The arm of a session or a dream: without valence all that was ever recorded counts as 0.
pub fn arm(flat: bool) -> Valence {
    if flat { Valence::Flat } else { Valence::Recorded }
}

/// What becomes of memories when they are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// They were asked, and will be again.
    ForLater,
    /// Somebody looks at them once: only a graph is made, without what finds things in it.
    No,
}

/// What was made of somebody's memories, to be looked at.
#[derive(Debug)]
pub enum Remembered {
    Held(Arc<Held>),
    Passing(Box<Graph>),
}

impl Remembered {
    pub fn look<T>(&self, at: impl FnOnce(&Graph) -> T) -> T {
        match self {
            Remembered::Held(held) => at(held.mind().graph()),
            Remembered::Passing(graph) => at(graph),
        }
    }
}

/// The memories of one character. They go on changing while they are held: who asks locks them.
#[derive(Debug)]
pub struct Held {
    mind: Mutex<Awake>,
    /// Which dream they go on from; `None`: it has never dreamt in this arm.
    dream: Option<DreamId>,
    /// The arm that they are of.
    valence: Valence,
}

/// A mind that lives on, and room to search it in.
pub struct Awake {
    living: Living,
    scratch: Scratch,
}

impl std::fmt::Debug for Awake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Awake({} nodes)", self.living.graph().stored_count())
    }
}

impl Awake {
    pub fn graph(&self) -> &Graph {
        self.living.graph()
    }

    pub fn is_empty(&self) -> bool {
        self.living.is_empty()
    }

    pub fn recall(&mut self, query: &Query) -> Recall {
        self.living.recall(query, &mut self.scratch)
    }
}

/// What tells one kept dream of a character from another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct DreamId {
    last_seq: i64,
    through: i64,
    dreamt_at: i64,
}

impl DreamId {
    fn of(cursor: &MemoryCursor) -> DreamId {
        DreamId { last_seq: cursor.last_seq, through: cursor.through, dreamt_at: cursor.dreamt_at }
    }
}

#[derive(Debug, Default)]
struct Slot {
    /// Whoever has it makes the memories of this character.
    turn: Arc<tokio::sync::Mutex<()>>,
    held: Option<Arc<Held>>,
    /// Of what is held, as it was counted last.
    size: Size,
    used: u64,
    used_tick: u64,
    /// Changes when the character is deleted: what was on its way then is another's.
    life: u64,
}

/// How much a graph is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Size {
    nodes: usize,
    bytes: usize,
}

#[derive(Debug, Default)]
struct Cache {
    slots: BTreeMap<LogId, Slot>,
    uses: u64,
    swept_tick: u64,
}

#[derive(Debug)]
pub struct Memories {
    store: Store,
    cache: Mutex<Cache>,
    working: Semaphore,
    heavy: Semaphore,
    /// Who should dream before the night.
    overdue: Mutex<BTreeSet<LogId>>,
    overdue_told: Notify,
    /// Minutes east of UTC of the calendar of those who have never dreamt.
    calendar: AtomicI32,
    /// How often memories were made or renewed, and microseconds that it took.
    pub made: AtomicU64,
    pub made_us: AtomicU64,
    /// Logins of agents that had to do without.
    pub missed: AtomicU64,
}

impl Memories {
    pub fn new(store: Store) -> Memories {
        Memories {
            store,
            cache: Mutex::default(),
            working: Semaphore::new(WORKING_MAX),
            heavy: Semaphore::new(HEAVY_MAX),
            overdue: Mutex::default(),
            overdue_told: Notify::new(),
            calendar: AtomicI32::new(0),
            made: AtomicU64::new(0),
            made_us: AtomicU64::new(0),
            missed: AtomicU64::new(0),
        }
    }

    /// The calendar that nights go by: minutes east of UTC. Whoever has dreamt in the arm that is asked for keeps that
    /// of its dreams.
    pub fn set_calendar(&self, minutes: i32) {
        self.calendar.store(minutes, Ordering::Relaxed);
    }

    /// What somebody remembers now, to be asked, in an arm: `Recorded` or `Flat` ([`arm`]). `unwritten` gives the
    /// happenings that are on their way to the database, oldest first. Errors where the database does not answer, or
    /// holds what no program of ours wrote.
    pub async fn of(
        &self,
        log: impl Into<LogId>,
        valence: Valence,
        now: Now,
        unwritten: impl FnOnce() -> Vec<Record>,
    ) -> anyhow::Result<Arc<Held>> {
        match self.make(log.into(), valence, now, Keep::ForLater, unwritten).await? {
            Remembered::Held(held) => Ok(held),
            Remembered::Passing(_) => unreachable!("what is kept for later is held"),
        }
    }

    /// The same to be looked at once; what others hold already is used, and nothing new is held.
    pub async fn glance(
        &self,
        log: impl Into<LogId>,
        valence: Valence,
        now: Now,
        unwritten: impl FnOnce() -> Vec<Record>,
    ) -> anyhow::Result<Remembered> {
        self.make(log.into(), valence, now, Keep::No, unwritten).await
    }

    async fn make(
        &self,
        log: LogId,
        valence: Valence,
        now: Now,
        keep: Keep,
        unwritten: impl FnOnce() -> Vec<Record>,
    ) -> anyhow::Result<Remembered> {
        let (turn, life) = {
            let mut cache = self.cache.lock();
            cache.sweep(now.tick);
            let slot = cache.slot(&log);
            slot.used_tick = now.tick;
            (slot.turn.clone(), slot.life)
        };
        let _turn = turn.lock().await;
        let held = self.cache.lock().slot(&log).held.clone();
        // Before the database is asked: what is written meanwhile is in both, not in neither.
        let unwritten = unwritten();
        let cursor = memories::cursor(&self.store, &log).await?;
        // A dream of the other arm is none: what it made faded otherwise.
        let cursor = cursor.filter(|cursor| arm(cursor.flat == 1) == valence);
        let dream = cursor.as_ref().map(DreamId::of);
        let before = held.filter(|held| held.dream == dream && held.valence == valence);
        let known = before.as_ref().map(|held| held.mind.lock().graph().cursor.seq);
        let known = known.or(cursor.as_ref().and_then(|cursor| u64::try_from(cursor.last_seq).ok())).unwrap_or(0);
        let is_heavy = happenings::newest_from(&self.store, &log, i64::try_from(known)?, HEAVY_MIN).await?.is_some();
        let _heavy = if is_heavy { Some(self.heavy.acquire().await?) } else { None };
        let _working = self.working.acquire().await?;
        let begun = std::time::Instant::now();
        let graph = match (&before, &dream) {
            (Some(_), _) | (None, None) => None,
            (None, Some(_)) => self.kept_graph(&log).await?.filter(|graph| graph.terms.valence == valence),
        };
        let known = before.as_ref().map(|held| held.mind.lock().graph().cursor.seq);
        let after = known.or(graph.as_ref().map(|graph| graph.cursor.seq)).unwrap_or(0);
        let records = self.since(&log, after, unwritten).await?;
        let handed = legacies::after(&self.store, &log, i64::try_from(after)?).await?;
        let is_same = |held: &Arc<Held>| {
            records.is_empty() && held.is_of_today(now) && legacy::is_known(held.mind.lock().graph(), &handed)
        };
        if let Some(held) = before.clone().filter(is_same) {
            return Ok(Remembered::Held(held));
        }
        let owner = log.clone();
        let utc_offset_minutes = self.calendar.load(Ordering::Relaxed);
        let terms = Terms { utc_offset_minutes, valence, ..Terms::default() };
        let living = tokio::task::spawn_blocking(move || {
            let offset = match (&before, &graph) {
                (Some(held), _) => held.mind.lock().graph().terms.utc_offset_minutes,
                (None, Some(graph)) => graph.terms.utc_offset_minutes,
                (None, None) => terms.utc_offset_minutes,
            };
            let (records, today) = (believed(records, now), day_of(now.at_ms, offset));
            let graph = match before {
                Some(held) => {
                    let mut mind = held.mind.lock();
                    mind.living.live_on(&records, today);
                    mind.living.receive(&handed);
                    drop(mind);
                    return Remembered::Held(held);
                }
                None => graph.unwrap_or_else(|| Graph::new(&capitalised(owner.character()), terms)),
            };
            match keep {
                Keep::ForLater => {
                    let mut living = Living::new(graph, &records, today);
                    living.receive(&handed);
                    let mind = Mutex::new(Awake { living, scratch: Scratch::default() });
                    Remembered::Held(Arc::new(Held { mind, dream, valence }))
                }
                Keep::No => {
                    let mut dreamer = Dreamer::new(graph);
                    records.iter().for_each(|record| dreamer.feed(record));
                    dreamer.graph.through = dreamer.graph.through.max(today);
                    if !legacy::is_known(&dreamer.graph, &handed) {
                        legacy::receive(&mut dreamer.graph, &handed, today);
                    }
                    Remembered::Passing(Box::new(dreamer.graph))
                }
            }
        });
        let remembered = match living.await {
            Ok(remembered) => remembered,
            Err(error) => {
                // What broke off half-way is not to be asked again.
                self.cache.lock().let_go(&log);
                return Err(error.into());
            }
        };
        self.made.fetch_add(1, Ordering::Relaxed);
        self.made_us.fetch_add(begun.elapsed().as_micros() as u64, Ordering::Relaxed);
        match &remembered {
            Remembered::Held(held) => {
                let size = held.size();
                self.cache.lock().keep(&log, life, held.clone(), size);
            }
            Remembered::Passing(_) => self.cache.lock().drop_empty(),
        }
        Ok(remembered)
    }

    /// Waits for somebody to whom so much has happened since the last dream that not all of it is remembered.
    pub async fn next_overdue(&self) -> LogId {
        loop {
            if let Some(log) = self.overdue.lock().pop_first() {
                return log;
            }
            self.overdue_told.notified().await;
        }
    }

    /// The graph of the last dream. One that is damaged or newer than this program is made anew from the log, here as
    /// by night.
    async fn kept_graph(&self, log: &LogId) -> anyhow::Result<Option<Graph>> {
        let Some(stored) = memories::graph(&self.store, log).await? else { return Ok(None) };
        let owner = capitalised(log.character());
        let read = tokio::task::spawn_blocking(move || -> anyhow::Result<Graph> {
            Ok(Graph::from_json(&stored.document()?, &owner)?)
        })
        .await?;
        match read {
            Ok(graph) => Ok(Some(graph)),
            Err(error) => {
                tracing::error!(%log, error = %format!("{error:#}"), "a memory graph is damaged; the log is read anew");
                Ok(None)
            }
        }
    }

    /// What happened after an entry, by rising number: of very much the newest.
    async fn since(&self, log: &LogId, after: u64, unwritten: Vec<Record>) -> anyhow::Result<Vec<Record>> {
        let mut records = Vec::new();
        let mut last = i64::try_from(after)?;
        if let Some(from) = happenings::newest_from(&self.store, log, last, SINCE_MAX).await? {
            last = from - 1;
            if self.overdue.lock().insert(log.clone()) {
                tracing::info!(%log, "more has happened since the last dream than is read at once; a dream comes early");
                self.overdue_told.notify_one();
            }
        }
        loop {
            let rows = happenings::between(&self.store, log, last, i64::MAX, PAGE).await?;
            let Some(newest) = rows.last() else { break };
            let is_last = (rows.len() as i64) < PAGE;
            last = newest.seq;
            let read = tokio::task::spawn_blocking(move || records_of(&rows)).await??;
            records.extend(read);
            // Ends of plans come beside what happened, and nobody counts them before.
            records.drain(..records.len().saturating_sub(SINCE_MAX as usize));
            if is_last {
                break;
            }
        }
        let newest = records.last().map_or(after, |record| record.seq);
        records.extend(unwritten.into_iter().filter(|record| record.seq > newest));
        Ok(records)
    }

    /// The entries of so many numbers that are happenings, by number. A log that was cut short may lack some.
    pub async fn records(&self, log: &LogId, seqs: &[u64]) -> anyhow::Result<Vec<Record>> {
        let mut records = Vec::new();
        for seq in seqs {
            let seq = i64::try_from(*seq)?;
            let rows = happenings::between(&self.store, log, seq - 1, seq, 1).await?;
            records.extend(records_of(&rows)?);
        }
        Ok(records)
    }

    /// Lets go of what a deleted character remembered.
    pub fn forget(&self, log: impl Into<LogId>) {
        let (log, mut cache) = (log.into(), self.cache.lock());
        cache.let_go(&log);
        cache.slot(&log).life += 1;
    }

    /// Nodes of all that is kept.
    pub fn nodes(&self) -> usize {
        self.cache.lock().slots.values().map(|slot| slot.size.nodes).sum()
    }
}

impl Cache {
    fn slot(&mut self, log: &LogId) -> &mut Slot {
        self.uses += 1;
        let slot = match self.slots.contains_key(log) {
            true => self.slots.get_mut(log).expect("it is there"),
            false => self.slots.entry(log.clone()).or_default(),
        };
        slot.used = self.uses;
        slot
    }

    /// Keeps memories, and lets go of those that nobody has asked for longest while there are too many. The newest stay
    /// in any case.
    fn keep(&mut self, log: &LogId, life: u64, held: Arc<Held>, size: Size) {
        let slot = self.slot(log);
        if slot.life != life {
            return;
        }
        (slot.held, slot.size) = (Some(held), size);
        let mut bytes = self.bytes();
        while bytes > KEPT_BYTES_MAX {
            let others = self.slots.iter_mut().filter(|(other, slot)| slot.held.is_some() && *other != log);
            let Some((_, oldest)) = others.min_by_key(|(_, slot)| slot.used) else { break };
            oldest.held = None;
            bytes -= std::mem::take(&mut oldest.size).bytes;
        }
        self.drop_empty();
    }

    fn let_go(&mut self, log: &LogId) {
        let slot = self.slot(log);
        (slot.held, slot.size) = (None, Size::default());
    }

    /// Lets go of memories that nobody has asked for in a while.
    fn sweep(&mut self, tick: u64) {
        if tick.abs_diff(self.swept_tick) < SWEEP_TICKS {
            return;
        }
        self.swept_tick = tick;
        for slot in self.slots.values_mut().filter(|slot| tick.saturating_sub(slot.used_tick) > KEPT_TICKS) {
            (slot.held, slot.size) = (None, Size::default());
        }
        self.drop_empty();
    }

    fn bytes(&self) -> usize {
        self.slots.values().map(|slot| slot.size.bytes).sum()
    }

    fn drop_empty(&mut self) {
        // A slot without memories is small, but names are many.
        self.slots.retain(|_, slot| slot.held.is_some() || Arc::strong_count(&slot.turn) > 1);
    }
}

impl Held {
    /// What is remembered, to be asked. Whoever has it keeps others of the same mind waiting: not over an `await`.
    pub fn mind(&self) -> MutexGuard<'_, Awake> {
        self.mind.lock()
    }

    fn size(&self) -> Size {
        let mind = self.mind.lock();
        Size { nodes: mind.graph().stored_count(), bytes: mind.graph().bytes() }
    }

    fn is_of_today(&self, now: Now) -> bool {
        let mind = self.mind.lock();
        day_of(now.at_ms, mind.graph().terms.utc_offset_minutes) <= mind.graph().through
    }
}

/// A clock that was wrong does not make yesterday's memories old.
fn believed(mut records: Vec<Record>, now: Now) -> Vec<Record> {
    records.iter_mut().for_each(|record| record.at_ms = record.at_ms.min(now.at_ms));
    records
}

fn records_of(rows: &[crate::store::agent_events::AgentEvent]) -> anyhow::Result<Vec<Record>> {
    let entries = rows.iter().map(entry_of).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(entries.into_iter().filter_map(record_in).collect())
}

/// The record of an entry of which one remembers something.
pub fn record_of(entry: &mind::LogEntry) -> Option<Record> {
    let happening = entry.event.remembered()?.clone();
    Some(Record { seq: entry.seq, tick: entry.tick, at_ms: entry.at_ms, happening })
}

/// The same of an entry that nobody needs any more.
pub fn record_in(entry: mind::LogEntry) -> Option<Record> {
    let mind::LogEntry { seq, tick, at_ms, event, .. } = entry;
    Some(Record { seq, tick, at_ms, happening: event.into_remembered()? })
}
