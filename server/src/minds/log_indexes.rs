//! What finds entries of logs by their words (`dreaming::log_search`): an index for each log that was asked of late,
//! made from the database on first use and continued from there. A log with more in its archives than `ARCHIVED_HELD`
//! is looked through for each question instead, and nothing of it is held; so is one for who reads a part of it.
//!
//! Invariants: nothing here writes. An answer knows all that was written before it was asked, be it in the database
//! yet or not. One task at a time reads a log into an index; all that are held have `HELD_BYTES`, and who was asked
//! longest ago gives way. Two logs at a time are looked through: whoever plays needs the rest of the machine.

use super::Append;
use crate::store::agent_archives::{self, ArchiveRow};
use crate::store::agent_events::{AgentEvent, entry_of};
use crate::store::{Store, StoreError, logs};
use dreaming::log_search::{Counted, LogHit, LogIndex, LogQuery, Sought, counted};
use futures_util::{StreamExt, stream};
use mind::{LogEntry, LogId};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Bytes of all indexes that are held: that of a log of 50,000 entries takes up to some 12 MB, a young one far less.
const HELD_BYTES: usize = 384 << 20;
/// Entries that are read at a time.
const PAGE: i64 = 5_000;
/// Entries in archives of a log that is indexed as a whole.
const ARCHIVED_HELD: u64 = if cfg!(test) { 100 } else { 100_000 };
/// Files of one log that are read at once, and logs that are.
const FILES_AT_ONCE: usize = 2;
const LOGS_AT_ONCE: usize = 2;

/// An index, and what it lacks: the entries of archives that cannot be read, with the reason.
#[derive(Debug, Default)]
struct Indexed {
    index: LogIndex,
    lacks: Lacks,
}

/// Entries from one number to another that could not be looked through.
type Lacks = Vec<(i64, i64)>;

/// Shared with whoever asks it: an index that gives way, or whose character is deleted, is let go behind them.
type Shared = Arc<tokio::sync::Mutex<Indexed>>;

/// What was found, best first.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Findings {
    pub found: Vec<Found>,
    pub lacks: Lacks,
}

#[derive(Debug, Default)]
struct Held {
    indexes: BTreeMap<LogId, HeldIndex>,
    uses: u64,
}

#[derive(Debug, Default)]
struct HeldIndex {
    /// The number of its last use.
    used: u64,
    /// Its size after its last use.
    bytes: usize,
    shared: Shared,
}

#[derive(Debug)]
pub(super) struct LogIndexes {
    held: Mutex<Held>,
    looking: Semaphore,
}

impl Default for LogIndexes {
    fn default() -> LogIndexes {
        LogIndexes { held: Mutex::default(), looking: Semaphore::new(LOGS_AT_ONCE) }
    }
}

/// One entry that was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    pub hit: LogHit,
    pub entry: LogEntry,
}

impl LogIndexes {
    /// The best entries of a log for a question. `on_their_way`: what the database may not have yet, in order, as it
    /// was before this was called. Errors where the database does not answer, or holds what no program of ours wrote.
    pub async fn find(
        &self,
        store: &Store,
        log: &LogId,
        query: LogQuery,
        on_their_way: Vec<Append>,
    ) -> anyhow::Result<Findings> {
        let (hits, lacks) = match agent_archives::count(store, log).await? {
            // The index knows all of the log, and what others read of it is to be found as if that were all.
            _ if query.scopes.is_some() => {
                let _turn = self.looking.acquire().await?;
                look_through(store, log, query, &on_their_way).await?
            }
            archived if archived > ARCHIVED_HELD => {
                // What was held while there was less of it is of no use any more.
                self.held.lock().indexes.remove(log);
                let _turn = self.looking.acquire().await?;
                look_through(store, log, query, &on_their_way).await?
            }
            _ => self.ask_index(store, log, query, &on_their_way).await?,
        };
        let seqs: Vec<i64> = hits.iter().map(|hit| i64::try_from(hit.seq)).collect::<Result<_, _>>()?;
        let mut entries: BTreeMap<u64, LogEntry> = BTreeMap::new();
        for row in logs::these(store, log, &seqs).await? {
            let entry = entry_of(&row)?;
            entries.insert(entry.seq, entry);
        }
        entries.extend(on_their_way.iter().flat_map(Append::entries).map(|entry| (entry.seq, entry.clone())));
        let with_entry = |hit: LogHit| Some(Found { entry: entries.get(&hit.seq)?.clone(), hit });
        Ok(Findings { found: hits.into_iter().filter_map(with_entry).collect(), lacks })
    }

    /// Asks the index of a whole log, which knows all that was written when it answers.
    async fn ask_index(
        &self,
        store: &Store,
        log: &LogId,
        query: LogQuery,
        on_their_way: &[Append],
    ) -> anyhow::Result<(Vec<LogHit>, Lacks)> {
        let shared = self.shared(log);
        let mut indexed = shared.lock().await;
        // A reading that breaks off leaves an index that begins anew.
        let Indexed { index: mut reading, mut lacks } = std::mem::take(&mut *indexed);
        if reading.last() == 0 {
            (reading, lacks) = (LogIndex::new(), Vec::new());
        }
        loop {
            let read = lacks.last().map_or(0, |(_, last)| *last).max(i64::try_from(reading.last())?);
            let rows = match logs::after(store, log, read, PAGE).await {
                // All else is found: who asks is told what is missing.
                Err(StoreError::Archive { first, last, log, file, trouble }) if last > read => {
                    tracing::error!(%log, first, last, file, %trouble, "an archive of a log cannot be searched");
                    lacks.push((first.max(read + 1), last));
                    continue;
                }
                rows => rows?,
            };
            let is_last = (rows.len() as i64) < PAGE;
            reading = tokio::task::spawn_blocking(move || {
                for row in &rows {
                    reading.take(counted(entry_of(row)?, None));
                }
                Ok::<_, anyhow::Error>(reading)
            })
            .await??;
            if is_last {
                break;
            }
        }
        for entry in on_their_way.iter().flat_map(Append::entries) {
            reading.add(entry);
        }
        let (hits, reading) = tokio::task::spawn_blocking(move || (reading.find(&query), reading)).await?;
        let bytes = reading.bytes();
        *indexed = Indexed { index: reading, lacks: lacks.clone() };
        drop(indexed);
        self.make_room(log, bytes);
        Ok((hits, lacks))
    }

    /// A character is deleted: who has its name next has another log.
    pub fn forget(&self, character: &str) {
        self.held.lock().indexes.retain(|log, _| log.character() != character);
    }

    fn shared(&self, log: &LogId) -> Shared {
        let mut held = self.held.lock();
        held.uses += 1;
        let uses = held.uses;
        let index = held.indexes.entry(log.clone()).or_default();
        index.used = uses;
        index.shared.clone()
    }

    /// Lets go of those that were asked longest ago, until all have room beside this one.
    fn make_room(&self, log: &LogId, bytes: usize) {
        let mut held = self.held.lock();
        // It may have been let go, or its character deleted, while it was read.
        if let Some(index) = held.indexes.get_mut(log) {
            index.bytes = bytes;
        }
        while held.indexes.values().map(|index| index.bytes).sum::<usize>() > HELD_BYTES {
            let others = held.indexes.iter().filter(|(other, _)| *other != log);
            let Some(oldest) = others.min_by_key(|(_, index)| index.used).map(|(log, _)| log.clone()) else { break };
            held.indexes.remove(&oldest);
        }
    }
}

/// Looks through a log from its beginning to its end for one question. Holds a few files of it at a time.
async fn look_through(
    store: &Store,
    log: &LogId,
    query: LogQuery,
    on_their_way: &[Append],
) -> anyhow::Result<(Vec<LogHit>, Lacks)> {
    let sought = Arc::new(Sought::new(query));
    let (mut index, mut lacks) = (LogIndex::of((*sought).clone()), Lacks::new());
    let mut read = 0;
    let files = agent_archives::files_after(store, log, 0).await?;
    let counting = files.into_iter().map(|file| counted_of_file(store, file, sought.clone()));
    let mut counting = stream::iter(counting).buffered(FILES_AT_ONCE);
    while let Some((file, of_file)) = counting.next().await {
        read = file.last_seq;
        match of_file {
            Ok(entries) => index = taken(index, entries?).await?,
            Err(error) => {
                tracing::error!(%log, file = file.file, %error, "an archive of a log cannot be searched");
                lacks.push((file.first_seq, file.last_seq));
            }
        }
    }
    loop {
        // Through to archives: some of the rows may have been moved meanwhile.
        let rows = logs::after(store, log, read, PAGE).await?;
        let Some(last) = rows.last() else { break };
        read = last.seq;
        let (of_rows, is_last) = (sought.clone(), (rows.len() as i64) < PAGE);
        let entries = tokio::task::spawn_blocking(move || counted_of(rows, &of_rows)).await??;
        index = taken(index, entries).await?;
        if is_last {
            break;
        }
    }
    for entry in on_their_way.iter().flat_map(Append::entries) {
        index.add(entry);
    }
    let hits = tokio::task::spawn_blocking(move || index.answer()).await?;
    Ok((hits, lacks))
}

/// An index that takes these entries, beside whoever plays.
async fn taken(mut index: LogIndex, entries: Vec<Counted>) -> anyhow::Result<LogIndex> {
    let taking = move || {
        entries.into_iter().for_each(|entry| index.take(entry));
        index
    };
    Ok(tokio::task::spawn_blocking(taking).await?)
}

/// The file, and what it holds of what is sought; outer errors: it cannot be used.
async fn counted_of_file(
    store: &Store,
    file: ArchiveRow,
    sought: Arc<Sought>,
) -> (ArchiveRow, Result<anyhow::Result<Vec<Counted>>, StoreError>) {
    let read = agent_archives::read_once(store, &file, move |rows| counted_of(rows, &sought)).await;
    (file, read)
}

fn counted_of(rows: Vec<AgentEvent>, sought: &Sought) -> anyhow::Result<Vec<Counted>> {
    rows.iter().map(|row| Ok(counted(entry_of(row)?, Some(sought)))).collect()
}
