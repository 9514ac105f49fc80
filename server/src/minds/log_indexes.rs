//! What finds entries of logs by their words (`dreaming::log_search`): an index for each log that was asked of late,
//! made from the database on first use and continued from there.
//!
//! Invariants: nothing here writes. An answer knows all that was written before it was asked, be it in the database
//! yet or not. One task at a time reads a log; `HELD_MAX` indexes are held, and who was asked longest ago gives way.

use super::Append;
use crate::store::Store;
use crate::store::agent_events::{self, entry_of};
use dreaming::log_search::{LogHit, LogIndex, LogQuery};
use mind::{LogEntry, LogId};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Indexes that are held: each takes up to some 12 MB, for 50,000 entries.
const HELD_MAX: usize = 32;
/// Entries that are read at a time.
const PAGE: i64 = 5_000;

/// Shared with whoever asks it: an index that gives way, or whose character is deleted, is let go behind them.
type Shared = Arc<tokio::sync::Mutex<LogIndex>>;

#[derive(Debug, Default)]
struct Held {
    /// With the number of their last use.
    indexes: BTreeMap<LogId, (u64, Shared)>,
    uses: u64,
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
    ) -> anyhow::Result<Vec<Found>> {
        let shared = self.shared(log);
        let mut index = shared.lock().await;
        // A reading that breaks off leaves an index that begins anew.
        let mut reading = std::mem::take(&mut *index);
        if reading.last() == 0 {
            reading = LogIndex::new();
        }
        loop {
            let rows = agent_events::after(store, log, i64::try_from(reading.last())?, PAGE).await?;
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
        *index = reading;
        drop(index);
        let seqs: Vec<i64> = hits.iter().map(|hit| i64::try_from(hit.seq)).collect::<Result<_, _>>()?;
        let mut entries: BTreeMap<u64, LogEntry> = BTreeMap::new();
        for row in agent_events::these(store, log, &seqs).await? {
            let entry = entry_of(&row)?;
            entries.insert(entry.seq, entry);
        }
        entries.extend(on_their_way.iter().flat_map(Append::entries).map(|entry| (entry.seq, entry.clone())));
        let with_entry = |hit: LogHit| Some(Found { entry: entries.get(&hit.seq)?.clone(), hit });
        Ok(hits.into_iter().filter_map(with_entry).collect())
    }

    /// A character is deleted: who has its name next has another log.
    pub fn forget(&self, character: &str) {
        self.held.lock().indexes.retain(|log, _| log.character() != character);
    }

    fn shared(&self, log: &LogId) -> Shared {
        let mut held = self.held.lock();
        held.uses += 1;
        let uses = held.uses;
        if let Some((used, shared)) = held.indexes.get_mut(log) {
            *used = uses;
            return shared.clone();
        }
        if held.indexes.len() >= HELD_MAX {
            let oldest = held.indexes.iter().min_by_key(|(_, (used, _))| *used).map(|(log, _)| log.clone());
            oldest.and_then(|log| held.indexes.remove(&log));
        }
        let shared = Shared::default();
        held.indexes.insert(log.clone(), (uses, shared.clone()));
        shared
    }
}
