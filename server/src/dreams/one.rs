//! One dream of one character, from the database into the database and the files.
//!
//! What is new in the log since the last dream is read in pages, fed into the graph, and kept: graph, cursor and story
//! in one transaction, then the three files. Invariants: dreaming twice changes nothing, and dreaming every night gives
//! the same bytes as dreaming once. Two dreams of one character exclude each other by the lock on its folder; where no
//! folder can be made, by the transaction, which never goes back. What was dreamt of a character that is deleted
//! meanwhile is gone when this returns. Whoever is played without valence dreams without: such a graph is on other
//! terms, so it is made anew from the whole log when the arm changes.

use crate::memories::{arm, record_in};
use crate::store::agent_events::entry_of;
use crate::store::memories::{self, MemoryCursor, Saved, StoredGraph};
use crate::store::{Store, StoreError, accounts, agent_events, canonical, characters, happenings, legacies};
use crate::times::WallClock;
use anyhow::Context;
use dream_folder::{Folder, Lock, LockError, Outcome};
use dreaming::calendar::{MS_PER_DAY, day_of, iso_day};
use dreaming::consolidate::Tally;
use dreaming::records::{PROBLEMS_TOLD, Problem};
use dreaming::{Config, Dream, Dreamer, Graph, Record, Terms, dream};
use mind::{HAPPENING, LogId};
use protocol::names::clean_text;
use protocol::words::capitalised;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Rows of one query.
const PAGE_ROWS: i64 = if cfg!(test) { 30 } else { 5_000 };
/// Records that are in memory at a time, some 30 MB.
const HELD_MAX: usize = if cfg!(test) { 40 } else { 50_000 };
/// How long a dream waits for another one of the same character.
const LOCK_LONGEST: Duration = Duration::from_secs(10);
const LOCK_AGAIN: Duration = Duration::from_millis(100);

/// How to dream.
#[derive(Clone, Debug)]
pub struct Way {
    /// Below it each character has its folder.
    pub dir: PathBuf,
    /// The last night to sleep through; `None`: the day of the last event, but not after today.
    pub through: Option<i32>,
    /// Minutes east of UTC of the calendar of nights.
    pub calendar: Calendar,
    /// Write nothing.
    pub dry_run: bool,
    /// How long to wait for another dream of the same character.
    pub patience: Duration,
    pub clock: WallClock,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Calendar {
    /// This one. A graph that was made on another is made anew.
    Of(i32),
    /// That of the graph; for the first dream, this one.
    Kept(i32),
}

impl Way {
    pub fn new(dir: PathBuf, calendar: Calendar) -> Way {
        Way { dir, through: None, calendar, dry_run: false, patience: LOCK_LONGEST, clock: WallClock::Machine }
    }
}

/// What became of it.
#[derive(Debug)]
pub enum Came {
    Dreamt(Box<Dreamt>),
    /// Nothing happened yet that is over: so many records are of days to come.
    Nothing {
        waiting: u64,
    },
    /// The character was deleted meanwhile, and nothing is left of the dream.
    Gone,
}

#[derive(Debug)]
pub struct Dreamt {
    pub outcome: Outcome,
    /// The database has the dream, but the files could not be written: why.
    pub trouble: Option<String>,
    /// Numbers of the entries that could not be read and were left out, rising.
    pub unreadable: Vec<i64>,
}

/// Why nothing was dreamt. Nothing has changed.
#[derive(Debug, thiserror::Error)]
pub enum DreamError {
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("there is no log of {name:?} in the database {place}{hint}")]
    NoLog { name: String, place: String, hint: &'static str },
    #[error("{0}; nothing was changed")]
    Dreaming(LockError),
    #[error("what is remembered cannot be read ({why}), and could not be kept aside: {kept:#}. Nothing was changed")]
    NotKept { why: String, kept: anyhow::Error },
    #[error("no entry of the log can be read, the first for this reason: {first}")]
    Unreadable {
        first: String,
        /// Numbers of those entries, rising.
        seqs: Vec<i64>,
    },
    #[error("{0:#}")]
    Failed(#[from] anyhow::Error),
}

/// The folder of a dream, held where that is possible.
struct Held {
    folder: Option<Folder>,
    _lock: Option<Lock>,
    trouble: Option<String>,
}

/// Dreams. `told` hears how many of how many records are read.
pub async fn dream_of(
    store: &Store,
    log: impl Into<LogId>,
    way: &Way,
    told: &mut (dyn FnMut(u64, u64) + Send),
) -> Result<Came, DreamError> {
    let log = log.into();
    let Some(newest_at) = happenings::latest_at(store, &log).await? else {
        return Err(no_log(store, log.character()).await?);
    };
    if memories::cursor(store, &log).await?.is_none() {
        // Nothing is made for who has no day behind it yet.
        let (Calendar::Of(minutes) | Calendar::Kept(minutes)) = way.calendar;
        let through =
            way.through.unwrap_or_else(|| day_of(newest_at, minutes).min(day_of(way.clock.now_ms(), minutes)));
        let span = happenings::span(store, &log, 0, end_of(through, minutes)).await?;
        if span.last.is_none() {
            return Ok(Came::Nothing { waiting: count(span.waiting) });
        }
    }
    let called = called(store, log.character()).await?;
    let held = hold(way, &called).await?;

    let stored = memories::graph(store, &log).await?;
    // Of the graph that need not be written again if this dream changes nothing.
    let mut before = None;
    let mut notices = Vec::new();
    let graph = match stored {
        None => None,
        Some(stored) => {
            let (of, hash) = (called.clone(), stored.hash.clone());
            match blocking(move || Ok(restored(stored, &of))).await? {
                Ok(graph) => {
                    before = Some(hash);
                    Some(graph)
                }
                Err(damaged) => {
                    notices.push(keep_aside(&held, way.dry_run, damaged)?);
                    None
                }
            }
        }
    };
    let kept = graph.as_ref().map(|graph| graph.terms.utc_offset_minutes);
    let offset = match way.calendar {
        Calendar::Of(minutes) => minutes,
        Calendar::Kept(minutes) => kept.unwrap_or(minutes),
    };
    let flat = accounts::dreams_flat(store, log.character()).await?;
    let terms = Terms { utc_offset_minutes: offset, valence: arm(flat), ..Terms::default() };
    let slept = graph.as_ref().map(|graph| graph.through);
    let (graph, rebuilt) = match graph {
        Some(graph) if graph.terms == terms && !graph.is_outdated() => (graph, None),
        // Made anew from the whole log, which is all there: what others hand down is in files only.
        Some(graph) => {
            let why = if graph.is_outdated() {
                "it was made by an older program"
            } else {
                "the terms of the dream are others"
            };
            (Graph::new(&called, terms.clone()), Some(why.to_string()))
        }
        None => (Graph::new(&called, terms.clone()), None),
    };
    let today = day_of(way.clock.now_ms(), offset);
    let wanted = way.through.unwrap_or_else(|| day_of(newest_at, offset).min(today));
    if let Some(slept) = slept.filter(|slept| way.through.is_some_and(|asked| asked < *slept)) {
        notices.push(format!("the night of {} was slept through already, and is not taken back", iso_day(slept)));
    }
    let mut config = Config::new(&called, slept.map_or(wanted, |slept| slept.max(wanted)));
    config.terms = terms;
    let end_ms = end_of(config.through, offset);
    let cursor = i64::try_from(graph.cursor.seq).context("a number beyond all counting")?;
    // What came before is in the graph; of one that is made anew, all of it comes again.
    config.inherit = legacies::after(store, &log, cursor).await?;
    let span = happenings::span(store, &log, cursor, end_ms).await?;
    if span.last.is_none() && graph.cursor.count == 0 {
        return Ok(Came::Nothing { waiting: count(span.waiting) });
    }

    let mut reading = Reading::new(graph, span.ahead == 0);
    let mut after = cursor;
    while let Some(last) = span.last.filter(|last| after < *last) {
        let rows = happenings::between(store, &log, after, last, PAGE_ROWS).await?;
        // They were deleted meanwhile: `keep` will find that too.
        let Some(newest) = rows.last() else { break };
        after = newest.seq;
        reading = blocking(move || Ok(reading.take(rows))).await?;
        told(reading.lines as u64, count(span.count));
    }
    if let Some(problem) = reading.problems.first().filter(|_| reading.is_empty()) {
        return Err(DreamError::Unreadable { first: problem.to_string(), seqs: reading.unreadable });
    }
    let unreadable = std::mem::take(&mut reading.unreadable);
    let last_at = match reading.last_at {
        Some(at) => at,
        None => match memories::cursor(store, &log).await?.filter(|kept| kept.last_seq == cursor) {
            Some(kept) => kept.last_at,
            None => match happenings::between(store, &log, cursor - 1, cursor, 1).await?.first() {
                Some(row) => row.at,
                None => return gone(held, way.dry_run).await,
            },
        },
    };
    let trouble = held.trouble.clone();
    let (dreamt, stored, mut outcome) = blocking(move || {
        let (dreamt, mut outcome) = reading.finish(&config);
        outcome.report.rebuilt = rebuilt;
        outcome.report.events_waiting = count(span.waiting);
        outcome.report.notices.extend(notices);
        let stored = StoredGraph::of(|to| dreamt.graph.write_json(to)).context("compressing the graph")?;
        Ok((dreamt, stored, outcome))
    })
    .await?;
    if way.dry_run {
        return Ok(Came::Dreamt(Box::new(Dreamt { outcome, trouble: None, unreadable })));
    }
    let cursor = MemoryCursor {
        last_seq: i64::try_from(dreamt.graph.cursor.seq).context("a number beyond all counting")?,
        last_at,
        through: i64::from(dreamt.graph.through),
        dreamt_at: way.clock.now_ms(),
        summary: dreamt.summary.text.clone(),
        hash: dreamt.report.summary_hash.clone(),
        flat: flat.into(),
    };
    if before.as_ref() != Some(&stored.hash) || memories::cursor(store, &log).await?.is_none() {
        match memories::save(store, &log, &stored, &cursor).await? {
            Saved::Written => {}
            Saved::Overtaken => {
                let what = "another dream has come further meanwhile, and what it made stays";
                outcome.report.notices.push(what.into());
                return Ok(Came::Dreamt(Box::new(Dreamt { outcome, trouble, unreadable })));
            }
            Saved::Forgotten => return gone(held, false).await,
        }
    }
    drop(stored);
    let kept = keep_files(store, &log, held, dreamt, outcome, cursor).await?;
    Ok(match kept {
        Some((outcome, trouble)) => Came::Dreamt(Box::new(Dreamt { outcome, trouble, unreadable })),
        None => Came::Gone,
    })
}

/// Writes the files; gives the outcome and why they could not be written, or nothing where the character is deleted
/// meanwhile.
async fn keep_files(
    store: &Store,
    log: &LogId,
    held: Held,
    dreamt: Dream,
    mut outcome: Outcome,
    cursor: MemoryCursor,
) -> Result<Option<(Outcome, Option<String>)>, DreamError> {
    let (held, outcome, trouble) = blocking(move || {
        let trouble = match &held.folder {
            Some(folder) if held.trouble.is_none() => {
                folder.write(&dreamt, &mut outcome).err().map(|error| format!("{error:#}"))
            }
            _ => held.trouble.clone(),
        };
        Ok((held, outcome, trouble))
    })
    .await?;
    // A deletion takes the files away after the log; so either it found these, or the log is gone by now.
    let still = match happenings::between(store, log, cursor.last_seq - 1, cursor.last_seq, 1).await {
        // It is in an archive that cannot be read, which a deletion would have taken along.
        Err(StoreError::Archive { .. }) => true,
        found => found?.first().is_some_and(|row| row.at == cursor.last_at),
    };
    if !still {
        gone(held, false).await?;
        return Ok(None);
    }
    Ok(Some((outcome, trouble)))
}

/// Runs what computes or waits for a disk away from the threads that serve players.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> anyhow::Result<T> + Send + 'static) -> anyhow::Result<T> {
    tokio::task::spawn_blocking(work).await.context("a dream broke off; this is a mistake of the program")?
}

/// When a day is over, unix milliseconds.
fn end_of(day: i32, offset_minutes: i32) -> i64 {
    (i64::from(day) + 1) * MS_PER_DAY - i64::from(offset_minutes) * 60_000
}

fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

async fn no_log(store: &Store, name: &str) -> Result<DreamError, StoreError> {
    let hint = match characters::exists(store, name).await? {
        true => ": nothing was recorded that happened to this character",
        false => ", and no such character; `dp-server keys` lists those of agents",
    };
    Ok(DreamError::NoLog { name: name.to_string(), place: store.place().to_string(), hint })
}

/// The name as the character is called. One whose row is not there yet is called by the name of its log.
pub async fn called(store: &Store, name: &str) -> Result<String, DreamError> {
    #[derive(serde::Deserialize)]
    struct Named {
        name: String,
    }
    let row = characters::load(store, name).await?;
    if let Some(named) = row.and_then(|row| serde_json::from_str::<Named>(&row.data).ok())
        && canonical(&named.name) == canonical(name)
    {
        return Ok(named.name);
    }
    Ok(capitalised(name))
}

/// Holds the folder of a character. Where there can be none, says why; the dream goes on without.
async fn hold(way: &Way, called: &str) -> Result<Held, DreamError> {
    let folder = match Folder::open(&way.dir, called) {
        Ok(folder) => folder,
        Err(error) => return Ok(Held { folder: None, _lock: None, trouble: Some(format!("{error:#}")) }),
    };
    if way.dry_run {
        return Ok(Held { folder: Some(folder), _lock: None, trouble: None });
    }
    let deadline = Instant::now() + way.patience;
    loop {
        let of = folder.clone();
        match blocking(move || Ok(of.lock())).await? {
            Ok(lock) => return Ok(Held { folder: Some(folder), _lock: Some(lock), trouble: None }),
            Err(LockError::Dreaming { .. }) if Instant::now() < deadline => tokio::time::sleep(LOCK_AGAIN).await,
            Err(error @ LockError::Dreaming { .. }) => return Err(DreamError::Dreaming(error)),
            Err(LockError::Failed(error)) => {
                return Ok(Held { folder: Some(folder), _lock: None, trouble: Some(format!("{error:#}")) });
            }
        }
    }
}

/// A document that is no graph of this character, and why.
struct Damaged {
    bytes: Vec<u8>,
    why: String,
}

fn restored(stored: StoredGraph, called: &str) -> Result<Graph, Damaged> {
    let document = match stored.document() {
        Ok(document) => document,
        Err(error) => return Err(Damaged { bytes: stored.compressed, why: format!("it cannot be unpacked: {error}") }),
    };
    let why = match Graph::from_json(&document, called) {
        Ok(graph) if dreaming::graph::content_hash(&document) == stored.hash => return Ok(graph),
        Ok(_) => "it is not what was written: its hash is another".to_string(),
        Err(error) => error.to_string(),
    };
    Err(Damaged { bytes: document, why })
}

fn keep_aside(held: &Held, dry_run: bool, damaged: Damaged) -> Result<String, DreamError> {
    let what = "the graph in the database";
    if dry_run {
        return Ok(format!("{what} would be kept aside as a file and made anew from the log: {}", damaged.why));
    }
    let kept = match (&held.folder, &held.trouble) {
        (Some(folder), None) => folder.keep_document(&damaged.bytes),
        (_, Some(trouble)) => Err(anyhow::anyhow!("{trouble}")),
        (None, None) => Err(anyhow::anyhow!("there is no folder for it")),
    };
    match kept {
        Ok(kept) => Ok(format!("{what} was kept aside as {kept} and made anew from the log: {}", damaged.why)),
        Err(kept) => Err(DreamError::NotKept { why: damaged.why, kept }),
    }
}

/// The character is deleted: nothing of its dreams stays.
async fn gone(held: Held, dry_run: bool) -> Result<Came, DreamError> {
    if let Some(folder) = held.folder.clone().filter(|_| !dry_run) {
        blocking(move || folder.remove()).await?;
    }
    drop(held);
    Ok(Came::Gone)
}

/// A log on its way into a graph.
struct Reading {
    dreamer: Dreamer,
    /// Read, but not fed yet.
    held: Vec<Record>,
    /// Whether what is held may be fed before the rest is there. Not where a clock was ahead: such a record is set
    /// right by those around it.
    in_parts: bool,
    lines: usize,
    records: u64,
    alive_before: u64,
    sessions: BTreeSet<Option<i64>>,
    problems: Vec<Problem>,
    problems_count: usize,
    unreadable: Vec<i64>,
    /// Time of the newest record, as the log has it.
    last_at: Option<i64>,
}

impl Reading {
    fn new(graph: Graph, in_parts: bool) -> Reading {
        Reading {
            alive_before: graph.alive_count() as u64,
            dreamer: Dreamer::new(graph),
            held: Vec::new(),
            in_parts,
            lines: 0,
            records: 0,
            sessions: BTreeSet::new(),
            problems: Vec::new(),
            problems_count: 0,
            unreadable: Vec::new(),
            last_at: None,
        }
    }

    /// Whether there is nothing to dream of, old or new.
    fn is_empty(&self) -> bool {
        self.records == 0 && self.dreamer.graph.cursor.count == 0
    }

    fn take(mut self, rows: Vec<agent_events::AgentEvent>) -> Reading {
        if self.in_parts && self.held.len() + rows.len() > HELD_MAX {
            for record in self.held.drain(..) {
                self.dreamer.feed(&record);
            }
        }
        for row in rows {
            self.lines += 1;
            self.sessions.insert(row.session);
            let what = match entry_of(&row).map(record_in) {
                Ok(Some(record)) => {
                    self.records += 1;
                    self.last_at = Some(record.at_ms);
                    self.held.push(record);
                    continue;
                }
                // Of a log of before, where they did not say enough to be remembered.
                Ok(None) if row.kind != HAPPENING => continue,
                Ok(None) => "it is no happening".to_string(),
                Err(error) => format!("{error:#}"),
            };
            self.problems_count += 1;
            self.unreadable.push(row.seq);
            if self.problems.len() < PROBLEMS_TOLD {
                let line = usize::try_from(row.seq).unwrap_or(0);
                let what = clean_text(&what).into_owned();
                self.problems.push(Problem { file: "the log in the database".into(), line, what });
            }
        }
        self
    }

    fn finish(self, config: &Config) -> (Dream, Outcome) {
        let Tally { records, created, reinforced, reflections, clock_jumps, .. } = self.dreamer.tally;
        let graph = self.dreamer.graph;
        let alive = graph.alive_count() as u64;
        let dreamt = dream(Some(graph), &self.held, config);
        let mut report = dreamt.report.clone();
        report.events_extracted = self.records;
        report.events_dreamt += records;
        report.reinforced += reinforced;
        report.reflections += reflections;
        report.clock_jumps += clock_jumps;
        if clock_jumps > 0 {
            let what = format!("{clock_jumps} older records have a time before that of an earlier one");
            report.notices.push(what);
        }
        // What the last call made is what it had before it slept, less what was there when it began.
        report.nodes_before = self.alive_before + created + report.nodes_before.saturating_sub(alive);
        report.pruned = report.nodes_before.saturating_sub(report.nodes_after);
        let outcome = Outcome {
            sessions_read: self.sessions.len(),
            lines_read: self.lines,
            lines_twice: 0,
            report,
            graph_hash: None,
            problems_count: self.problems_count,
            problems: self.problems,
            sentences: dreamt.summary.sentences.clone(),
            summary: dreamt.summary.text.clone(),
        };
        (dreamt, outcome)
    }
}
