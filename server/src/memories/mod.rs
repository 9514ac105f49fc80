//! What characters remember, in memory: the graph of the last dream with all that happened since, and an index of it.
//!
//! `recall.rs` answers the verb, `login.rs` makes what an agent is told when it comes in. Leaves logs and the order of
//! requests to `minds`, dreams that are kept to the nights.
//! Invariants: nothing here writes. What happened since the last dream is dreamt in memory, through today, so that an
//! agent remembers this morning; it is dreamt again by night, for good. Memories of one character are made by one task
//! at a time, off the runtime's threads, and of all characters by `WORKING_MAX` at a time; those kept have no more than
//! `KEPT_NODES_MAX` nodes together, so that many minds take bounded room.

mod login;
mod recall;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod timing;

pub use login::{LOGIN_LONGEST, at_login};
pub use recall::{Answer, answer};

use crate::minds::entry_of;
use crate::store::memories::MemoryCursor;
use crate::store::{Store, canonical, happenings, memories};
use dreaming::calendar::day_of;
use dreaming::retrieve::{Index, Scratch};
use dreaming::{Dreamer, Graph, Record, Terms};
use mind::Event;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use tokio::sync::Semaphore;

/// Happenings that are read at a time.
const PAGE: i64 = 5_000;
/// Characters whose memories are made at the same time: the world needs cores too.
const WORKING_MAX: usize = 2;
/// Nodes of all graphs that are kept. One with its share of the index takes some 600 bytes.
const KEPT_NODES_MAX: usize = if cfg!(test) { 400 } else { 250_000 };
/// What comes to mind in a moment may be as old as this, in ticks: a minute. What is asked for is always of now.
const MOMENT_TICKS: u64 = 30;

/// When it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Now {
    pub tick: u64,
    /// Unix milliseconds.
    pub at_ms: i64,
}

/// How new memories have to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fresh {
    /// All that is in the log.
    Now,
    /// Of the last minute.
    Moment,
}

/// The memories of one character.
#[derive(Debug)]
pub struct Held {
    pub graph: Arc<Graph>,
    pub index: Index,
    scratch: Mutex<Scratch>,
    /// Which dream they go on from; `None`: it has never dreamt.
    dream: Option<DreamId>,
    made_tick: u64,
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
    used: u64,
    /// Changes when the character is deleted: what was on its way then is another's.
    life: u64,
}

#[derive(Debug, Default)]
struct Cache {
    slots: BTreeMap<String, Slot>,
    uses: u64,
}

#[derive(Debug)]
pub struct Memories {
    store: Store,
    cache: Mutex<Cache>,
    working: Semaphore,
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
            calendar: AtomicI32::new(0),
            made: AtomicU64::new(0),
            made_us: AtomicU64::new(0),
            missed: AtomicU64::new(0),
        }
    }

    /// The calendar that nights go by: minutes east of UTC. Whoever has dreamt keeps that of its dreams.
    pub fn set_calendar(&self, minutes: i32) {
        self.calendar.store(minutes, Ordering::Relaxed);
    }

    /// What somebody remembers now. `unwritten` gives the happenings that are on their way to the database, oldest
    /// first. Errors where the database does not answer, or holds what no program of ours wrote.
    pub async fn of(
        &self,
        name: &str,
        now: Now,
        fresh: Fresh,
        unwritten: impl FnOnce() -> Vec<Record>,
    ) -> anyhow::Result<Arc<Held>> {
        let name = canonical(name);
        let (turn, life) = {
            let mut cache = self.cache.lock();
            let slot = cache.slot(&name);
            (slot.turn.clone(), slot.life)
        };
        let _turn = turn.lock().await;
        let held = self.cache.lock().slot(&name).held.clone();
        if let Some(held) = &held
            && fresh == Fresh::Moment
            && held.is_of_the_moment(now)
        {
            return Ok(held.clone());
        }
        let _working = self.working.acquire().await?;
        let begun = std::time::Instant::now();
        // Before the database is asked: what is written meanwhile is in both, not in neither.
        let unwritten = unwritten();
        let cursor = memories::cursor(&self.store, &name).await?;
        let dream = cursor.as_ref().map(DreamId::of);
        let before = held.clone().filter(|held| held.dream == dream);
        let graph = match (&before, &dream) {
            (Some(_), _) | (None, None) => None,
            (None, Some(_)) => self.kept_graph(&name).await?,
        };
        let known = before.as_ref().map(|held| held.graph.cursor.seq);
        let after = known.or(graph.as_ref().map(|graph| graph.cursor.seq)).unwrap_or(0);
        let records = self.since(&name, after, unwritten).await?;
        let (owner, made_tick) = (name.clone(), now.tick);
        let terms = Terms { utc_offset_minutes: self.calendar.load(Ordering::Relaxed), ..Terms::default() };
        let (made, held) = tokio::task::spawn_blocking(move || match before {
            Some(held) if records.is_empty() && held.is_of_today(now) => (false, held),
            before => {
                let graph = before.map(|held| Graph::clone(&held.graph)).or(graph);
                let graph = graph.unwrap_or_else(|| Graph::new(&called(&owner), terms));
                let graph = Arc::new(lived_on(graph, &records, now));
                let index = Index::new(graph.clone());
                (true, Arc::new(Held { graph, index, scratch: Mutex::default(), dream, made_tick }))
            }
        })
        .await?;
        if made {
            self.made.fetch_add(1, Ordering::Relaxed);
            self.made_us.fetch_add(begun.elapsed().as_micros() as u64, Ordering::Relaxed);
            self.cache.lock().keep(&name, life, held.clone());
        }
        Ok(held)
    }

    /// The graph of the last dream. One that is damaged or newer than this program is made anew from the log, here as
    /// by night.
    async fn kept_graph(&self, name: &str) -> anyhow::Result<Option<Graph>> {
        let Some(stored) = memories::graph(&self.store, name).await? else { return Ok(None) };
        let owner = called(name);
        let read = tokio::task::spawn_blocking(move || -> anyhow::Result<Graph> {
            Ok(Graph::from_json(&stored.document()?, &owner)?)
        })
        .await?;
        match read {
            Ok(graph) => Ok(Some(graph)),
            Err(error) => {
                tracing::error!(%name, error = %format!("{error:#}"), "a memory graph is damaged; the log is read anew");
                Ok(None)
            }
        }
    }

    /// What happened after an entry, by rising number.
    async fn since(&self, name: &str, after: u64, unwritten: Vec<Record>) -> anyhow::Result<Vec<Record>> {
        let mut records = Vec::new();
        let mut last = i64::try_from(after)?;
        loop {
            let rows = happenings::between(&self.store, name, last, i64::MAX, PAGE).await?;
            let Some(newest) = rows.last() else { break };
            let is_last = (rows.len() as i64) < PAGE;
            last = newest.seq;
            let read = tokio::task::spawn_blocking(move || records_of(&rows)).await??;
            records.extend(read);
            if is_last {
                break;
            }
        }
        let newest = records.last().map_or(after, |record| record.seq);
        records.extend(unwritten.into_iter().filter(|record| record.seq > newest));
        Ok(records)
    }

    /// The entries of so many numbers that are happenings, by number. A log that was cut short may lack some.
    pub async fn records(&self, name: &str, seqs: &[u64]) -> anyhow::Result<Vec<Record>> {
        let mut records = Vec::new();
        for seq in seqs {
            let seq = i64::try_from(*seq)?;
            let rows = happenings::between(&self.store, name, seq - 1, seq, 1).await?;
            records.extend(records_of(&rows)?);
        }
        Ok(records)
    }

    /// Lets go of what a deleted character remembered.
    pub fn forget(&self, name: &str) {
        let mut cache = self.cache.lock();
        let slot = cache.slot(&canonical(name));
        slot.held = None;
        slot.life += 1;
    }

    /// Nodes of all that is kept.
    pub fn nodes(&self) -> usize {
        self.cache.lock().slots.values().filter_map(|slot| slot.held.as_ref()).map(|held| held.nodes()).sum()
    }
}

impl Cache {
    fn slot(&mut self, name: &str) -> &mut Slot {
        self.uses += 1;
        let slot = match self.slots.contains_key(name) {
            true => self.slots.get_mut(name).expect("it is there"),
            false => self.slots.entry(name.to_string()).or_default(),
        };
        slot.used = self.uses;
        slot
    }

    /// Keeps memories, and lets go of those that nobody has asked for longest while there are too many. The newest stay
    /// in any case.
    fn keep(&mut self, name: &str, life: u64, held: Arc<Held>) {
        let slot = self.slot(name);
        if slot.life != life {
            return;
        }
        slot.held = Some(held);
        let mut nodes: usize = self.slots.values().filter_map(|slot| slot.held.as_ref()).map(|held| held.nodes()).sum();
        while nodes > KEPT_NODES_MAX {
            let others = self.slots.iter_mut().filter(|(other, slot)| slot.held.is_some() && *other != name);
            let Some((_, oldest)) = others.min_by_key(|(_, slot)| slot.used) else { break };
            nodes -= oldest.held.take().map_or(0, |held| held.nodes());
        }
        // A slot without memories is small, but names are many.
        self.slots.retain(|_, slot| slot.held.is_some() || Arc::strong_count(&slot.turn) > 1);
    }
}

impl Held {
    fn nodes(&self) -> usize {
        self.graph.stored_count()
    }

    fn is_of_the_moment(&self, now: Now) -> bool {
        now.tick.saturating_sub(self.made_tick) < MOMENT_TICKS && self.is_of_today(now)
    }

    fn is_of_today(&self, now: Now) -> bool {
        day_of(now.at_ms, self.graph.terms.utc_offset_minutes) <= self.graph.through
    }
}

/// A graph with what happened since, as it is today.
fn lived_on(graph: Graph, records: &[Record], now: Now) -> Graph {
    let mut dreamer = Dreamer::new(graph);
    for record in records {
        // A clock that was wrong does not make yesterday's memories old.
        let record = Record { at_ms: record.at_ms.min(now.at_ms), ..record.clone() };
        dreamer.feed(&record);
    }
    let mut graph = dreamer.graph;
    graph.through = graph.through.max(day_of(now.at_ms, graph.terms.utc_offset_minutes));
    graph
}

fn records_of(rows: &[crate::store::agent_events::AgentEvent]) -> anyhow::Result<Vec<Record>> {
    let entries = rows.iter().map(entry_of).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(entries.into_iter().filter_map(|entry| record_of(&entry)).collect())
}

/// The record of an entry that is a happening.
pub fn record_of(entry: &mind::Entry) -> Option<Record> {
    match &entry.event {
        Event::Happening(happening) => {
            let happening = (**happening).clone();
            Some(Record { seq: entry.seq, tick: entry.tick, at_ms: entry.at_ms, happening })
        }
        _ => None,
    }
}

/// A canonical name as people write it.
fn called(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
