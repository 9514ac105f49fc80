//! Whole logs, wherever their entries lie: what is in archives comes first, as it was, and then the rows.
//!
//! The rows are those of `agent_events.rs`, the files those of `agent_archives.rs`. Invariant: a reader sees each entry
//! once, also while entries are moved (it reads again then).

use super::agent_archives::{self, steadily};
use super::agent_events::{self, AgentEvent, Sort};
use super::{Store, StoreError, canonical, in_transaction};
use dreaming::log_search::Point;
use mind::LogId;

/// A log's entries after a number, oldest first, so many at most.
pub async fn after(store: &Store, log: impl Into<LogId>, seq: i64, most: i64) -> Result<Vec<AgentEvent>, StoreError> {
    let log = log.into();
    steadily!(store, &log, |end| {
        let mut rows = agent_archives::after(store, &log, end, (seq, i64::MAX), most, |_| true).await?;
        let left = most - rows.len() as i64;
        if left > 0 {
            rows.extend(agent_events::rows_after(store, &log, seq.max(end), left).await?);
        }
        Ok(rows)
    })
}

/// The same without the records, up to a number.
pub async fn without_records(
    store: &Store,
    log: impl Into<LogId>,
    (seq, upto): (i64, i64),
    most: i64,
) -> Result<Vec<AgentEvent>, StoreError> {
    let log = log.into();
    steadily!(store, &log, |end| {
        let is_own = |row: &AgentEvent| Sort::of(row) == Sort::Own;
        let mut rows = agent_archives::after(store, &log, end, (seq, upto), most, is_own).await?;
        let left = most - rows.len() as i64;
        if left > 0 {
            rows.extend(agent_events::own_rows_after(store, &log, (seq.max(end), upto), left).await?);
        }
        Ok(rows)
    })
}

/// How far a log is at a moment, of those entries that are in no archive.
#[derive(Clone, Debug)]
pub struct Until {
    /// The newest entry up to then.
    pub last: Option<AgentEvent>,
    /// There are later ones.
    pub goes_on: bool,
}

/// How far a log is at a moment, that is, before the first entry that is later. `None`: some of the entries after this
/// number are in archives.
pub async fn until(
    store: &Store,
    log: impl Into<LogId>,
    after: i64,
    point: Point,
) -> Result<Option<Until>, StoreError> {
    let log = log.into();
    steadily!(store, &log, |end| {
        if end > after {
            return Ok(None);
        }
        let past = agent_events::first_past(store, &log, after, point).await?;
        let last = agent_events::newest_between(store, &log, (after, past.unwrap_or(i64::MAX))).await?;
        Ok(Some(Until { last, goes_on: past.is_some() }))
    })
}

/// The newest entries of a sort, newest first, so many at most.
pub async fn last_of(
    store: &Store,
    log: impl Into<LogId>,
    sort: Sort,
    most: i64,
) -> Result<Vec<AgentEvent>, StoreError> {
    let log = log.into();
    steadily!(store, &log, |end| {
        let mut rows = agent_events::last_rows_of(store, &log, sort, most).await?;
        rows.retain(|row| row.seq > end);
        let left = most - rows.len() as i64;
        if left > 0 {
            rows.extend(agent_archives::newest_of(store, &log, end, 0, sort, left).await?);
        }
        Ok(rows)
    })
}

/// The entries of a log with these numbers, in the order of the numbers.
pub async fn these(store: &Store, log: impl Into<LogId>, seqs: &[i64]) -> Result<Vec<AgentEvent>, StoreError> {
    let log = log.into();
    steadily!(store, &log, |end| {
        let (archived, rows): (Vec<i64>, Vec<i64>) = seqs.iter().partition(|seq| **seq <= end);
        let mut found = agent_archives::these(store, &log, &archived).await?;
        found.extend(agent_events::these_rows(store, &log, &rows).await?);
        found.sort_by_key(|row| row.seq);
        Ok(found)
    })
}

/// Deletes all logs of a character, its archives (those of its decisions, too), and what was dreamt of them. Returns
/// how many entries there were in no archive. Entries on their way make rows again, so let `minds::Minds::forget` do
/// it where a server runs.
pub async fn delete(store: &Store, name: &str) -> Result<u64, StoreError> {
    let name = canonical(name);
    let gone = in_transaction!(store, "deleting the log of a mind", |tx| {
        // The log first: a dream that is being kept holds a row of it until it is done (`memories::save`).
        let gone = sqlx::query("DELETE FROM agent_event WHERE name = $1").bind(&name).execute(&mut **tx).await?;
        sqlx::query("DELETE FROM agent_archive WHERE name = $1").bind(&name).execute(&mut **tx).await?;
        sqlx::query("DELETE FROM decision_archive WHERE name = $1").bind(&name).execute(&mut **tx).await?;
        sqlx::query("DELETE FROM mind_share WHERE name = $1").bind(&name).execute(&mut **tx).await?;
        sqlx::query("DELETE FROM memory_graph WHERE name = $1").bind(&name).execute(&mut **tx).await?;
        sqlx::query("DELETE FROM memory_cursor WHERE name = $1").bind(&name).execute(&mut **tx).await?;
        // What was to be handed down to it.
        let waiting = super::legacies::waiting_for(&name);
        sqlx::query("DELETE FROM meta WHERE SUBSTR(key, 1, LENGTH($1)) = $1").bind(&waiting).execute(&mut **tx).await?;
        gone.rows_affected()
    })?;
    // Behind the rows: files that nobody names are no harm, and rows without files would be.
    store.archives().remove_of(&name).await;
    Ok(gone)
}
