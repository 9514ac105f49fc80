//! What finds entries of logs by their words (`dreaming::log_search`): an index for each log that was asked of late,
//! made from the database on first use and continued from there.
//!
//! Invariants: nothing here writes. An answer knows all that was written before it was asked, be it in the database
//! yet or not. One task at a time reads a log; `HELD_MAX` indexes are held, and who was asked longest ago gives way.

use super::Append;
use crate::store::agent_events::entry_of;
use crate::store::logs;
use crate::store::{Store, StoreError};
use dreaming::log_search::{LogHit, LogIndex, LogQuery};
use mind::{LogEntry, LogId};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes of all indexes that are held: that of a log of 50,000 entries takes up to some 12 MB, a young one far less.
const HELD_BYTES: usize = 384 << 20;
/// Entries that are read at a time.
const PAGE: i64 = 5_000;

/// An index, and what it lacks: the entries of archives that cannot be read, with the reason.
#[derive(Debug, Default)]
struct Indexed {
    index: LogIndex,
    lacks: Vec<(i64, i64)>,
}

/// Shared with whoever asks it: an index that gives way, or whose character is deleted, is let go behind them.
type Shared = Arc<tokio::sync::Mutex<Indexed>>;

/// What was found, best first.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Findings {
    pub found: Vec<Found>,
    /// Entries from one number to another that could not be looked through.
    pub lacks: Vec<(i64, i64)>,
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

#[derive(Debug, Default)]
pub(super) struct LogIndexes {
    held: Mutex<Held>,
}

/// One entry that was found.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Found {
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
                    reading.add(&entry_of(row)?);
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
