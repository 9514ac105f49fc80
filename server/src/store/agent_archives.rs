//! Archives of logs: which files have the old entries of which log, moving entries there and back, and reading them as
//! if they were rows still.
//!
//! Leaves the bytes of a file to `archive_files`, and what is to be moved to `log_archives`. Invariants: the files of a
//! log follow each other and go before all of its rows; an entry is in a row or in a file that a row of this table
//! names, never in neither. What was moved while one read is noticed, and read again (`steadily!`). The newest file
//! that was read is kept in memory: who pages through a log asks for it several times.

use super::agent_events::{AgentEvent, Sort, append};
use super::decisions::Decision;
use super::{Store, StoreError, in_transaction, on_reader};
use crate::archive_files::{self, Header, Trouble};
use mind::{HAPPENING, LogId, MindNumber};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the lines of these files are.
pub const ENTRIES: &str = "entries";
/// The folder in a state folder.
pub const ARCHIVE_DIR: &str = "archive";
/// Readings that are begun again because entries were moved meanwhile; an archiver takes longer for one file.
pub(super) const AGAIN_MAX: usize = 5;

/// The folder of archives in a state folder.
pub fn own_folder(state: &Path) -> PathBuf {
    state.join(ARCHIVE_DIR)
}

/// Where the files are, and those that were read last, by their sums.
#[derive(Debug, Default)]
pub struct Archives {
    folder: Option<PathBuf>,
    last: LastRead<AgentEvent>,
    pub(super) last_decisions: LastRead<Decision>,
}

/// The rows of the file that was read last, by its sum.
#[derive(Debug)]
pub(super) struct LastRead<T>(Mutex<Option<(String, Arc<Vec<T>>)>>);

impl<T> Default for LastRead<T> {
    fn default() -> LastRead<T> {
        LastRead(Mutex::new(None))
    }
}

impl<T> LastRead<T> {
    pub(super) fn get(&self, sha256: &str) -> Option<Arc<Vec<T>>> {
        self.0.lock().as_ref().filter(|(sum, _)| sum == sha256).map(|(_, rows)| rows.clone())
    }

    pub(super) fn keep(&self, sha256: &str, rows: &Arc<Vec<T>>) {
        *self.0.lock() = Some((sha256.to_string(), rows.clone()));
    }

    fn forget(&self) {
        *self.0.lock() = None;
    }
}

impl Archives {
    pub fn new(folder: Option<PathBuf>) -> Archives {
        Archives { folder, ..Archives::default() }
    }

    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Takes the files of a character away, whose rows are gone already.
    pub(super) async fn remove_of(&self, name: &str) {
        let Some(folder) = self.folder.as_ref().and_then(|folder| Some(folder.join(folder_of(name)?))) else { return };
        self.last.forget();
        self.last_decisions.forget();
        let removing = tokio::task::spawn_blocking(move || match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err((folder, error)),
            _ => Ok(()),
        });
        if let Ok(Err((folder, error))) = removing.await {
            tracing::error!(folder = %folder.display(), %error, "the archives of a deleted character are still there");
        }
    }
}

/// A character's folder among the archives. `None`: no character has such a name.
pub fn folder_of(name: &str) -> Option<&str> {
    protocol::names::check_name(name).ok().map(|_| name)
}

/// One file, without the base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveRow {
    pub name: String,
    pub mind: i64,
    pub first_seq: i64,
    pub last_seq: i64,
    /// Below the folder of archives.
    pub file: String,
    /// Of the file, hex.
    pub sha256: String,
    pub entries: i64,
    /// Those that are happenings, and those that are words.
    pub deeds: i64,
    pub talk: i64,
    /// Of the file.
    pub bytes: i64,
    /// SHA-256 of the base as JSON.
    pub base_hash: String,
    pub made_at: i64,
}

from_row!(ArchiveRow {
    name,
    mind,
    first_seq,
    last_seq,
    file,
    sha256,
    entries,
    deeds,
    talk,
    bytes,
    base_hash,
    made_at
});

macro_rules! columns {
    () => {
        "name, mind, first_seq, last_seq, file, sha256, entries, deeds, talk, bytes, base_hash, made_at"
    };
}

impl ArchiveRow {
    pub fn log(&self) -> LogId {
        // Only this program writes the column, as a number of that type.
        LogId::new(&self.name, MindNumber::try_from(self.mind).unwrap_or(MindNumber::MAX))
    }

    /// How many entries of a sort it has.
    fn count(&self, sort: Sort) -> i64 {
        match sort {
            Sort::Own => self.entries - self.deeds - self.talk,
            Sort::Deeds => self.deeds,
            Sort::Talk => self.talk,
        }
    }

    fn unusable(&self, trouble: Trouble) -> StoreError {
        let (log, file) = (self.log().to_string(), self.file.clone());
        StoreError::Archive { log, first: self.first_seq, last: self.last_seq, file, trouble }
    }
}

/// The last number of a log that lies in an archive; 0: none does.
pub async fn end(store: &Store, log: &LogId) -> Result<i64, StoreError> {
    on_reader!(store, "looking how far a log is archived", |on| sqlx::query_scalar(
        "SELECT COALESCE(MAX(last_seq), 0) FROM agent_archive WHERE name = $1 AND mind = $2"
    )
    .bind(log.character())
    .bind(i64::from(log.mind()))
    .fetch_one(on))
}

/// Reads with the number up to which a log is archived, again while entries are moved meanwhile:
/// `steadily!(store, &log, |end| { … Ok(value) })`. A macro, since a future with a closure's borrows would not be
/// `Send`.
macro_rules! steadily {
    ($store:expr, $log:expr, |$end:ident| $read:block) => {{
        let (store, log): (&$crate::store::Store, &mind::LogId) = ($store, $log);
        let mut before = $crate::store::agent_archives::end(store, log).await?;
        let mut tries = 0;
        loop {
            let $end = before;
            let value: Result<_, $crate::store::StoreError> = async { $read }.await;
            let now = $crate::store::agent_archives::end(store, log).await?;
            tries += 1;
            if now == before || tries > $crate::store::agent_archives::AGAIN_MAX {
                break value;
            }
            before = now;
        }
    }};
}

pub(super) use steadily;

/// The files of a log that have entries after a number, oldest first.
pub async fn files_after(store: &Store, log: &LogId, seq: i64) -> Result<Vec<ArchiveRow>, StoreError> {
    on_reader!(store, "looking which archives a log has", |on| sqlx::query_as(concat!(
        "SELECT ",
        columns!(),
        " FROM agent_archive WHERE name = $1 AND mind = $2 AND last_seq > $3 ORDER BY first_seq"
    ))
    .bind(log.character())
    .bind(i64::from(log.mind()))
    .bind(seq)
    .fetch_all(on))
}

/// Every file of every log, oldest first.
pub async fn all(store: &Store) -> Result<Vec<ArchiveRow>, StoreError> {
    on_reader!(store, "listing archives", |on| sqlx::query_as(concat!(
        "SELECT ",
        columns!(),
        " FROM agent_archive ORDER BY name, mind, first_seq"
    ))
    .fetch_all(on))
}

/// Entries of a log that lie in archives.
pub async fn count(store: &Store, log: &LogId) -> Result<u64, StoreError> {
    let count: i64 = on_reader!(store, "counting what lies in archives", |on| sqlx::query_scalar(
        "SELECT CAST(COALESCE(SUM(entries), 0) AS BIGINT) FROM agent_archive WHERE name = $1 AND mind = $2"
    )
    .bind(log.character())
    .bind(i64::from(log.mind()))
    .fetch_one(on))?;
    Ok(u64::try_from(count).unwrap_or(0))
}

/// Bytes of all bases.
pub async fn base_bytes(store: &Store) -> Result<i64, StoreError> {
    on_reader!(store, "counting what minds were", |on| sqlx::query_scalar(
        "SELECT CAST(COALESCE(SUM(LENGTH(base)), 0) AS BIGINT) FROM agent_archive"
    )
    .fetch_one(on))
}

/// The base behind a file as it is stored: JSON, packed.
pub async fn base(store: &Store, row: &ArchiveRow) -> Result<Option<Vec<u8>>, StoreError> {
    on_reader!(store, "reading what a mind was", |on| sqlx::query_scalar(
        "SELECT base FROM agent_archive WHERE name = $1 AND mind = $2 AND first_seq = $3"
    )
    .bind(&row.name)
    .bind(row.mind)
    .bind(row.first_seq)
    .fetch_optional(on))
}

/// Where a log may be cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cut {
    /// The newest entry; 0: there is none.
    pub newest: i64,
    /// The first that is no older than the time that was asked for.
    pub young: Option<i64>,
    /// The newest of those beyond so many rows.
    pub beyond: Option<i64>,
    /// The first deed that no dream has read.
    pub undreamt: Option<i64>,
    /// The last one that is in a session file, where there are any.
    pub exported: Option<i64>,
}

/// Looks where the rows of a log may be cut.
pub async fn cut_of(store: &Store, log: &LogId, young_ms: i64, rows_max: i64) -> Result<Cut, StoreError> {
    let mind = i64::from(log.mind());
    let newest = on_reader!(store, "looking for the end of a mind's log", |on| sqlx::query_scalar(
        "SELECT COALESCE(MAX(seq), 0) FROM agent_event WHERE name = $1 AND mind = $2"
    )
    .bind(log.character())
    .bind(mind)
    .fetch_one(on))?;
    let young = on_reader!(store, "looking what of a log is old", |on| sqlx::query_scalar(
        "SELECT MIN(seq) FROM agent_event WHERE name = $1 AND mind = $2 AND at >= $3"
    )
    .bind(log.character())
    .bind(mind)
    .bind(young_ms)
    .fetch_one(on))?;
    let beyond = on_reader!(store, "looking how long a log is", |on| sqlx::query_scalar(
        "SELECT seq FROM agent_event WHERE name = $1 AND mind = $2 ORDER BY seq DESC LIMIT 1 OFFSET $3"
    )
    .bind(log.character())
    .bind(mind)
    .bind(rows_max)
    .fetch_optional(on))?;
    let undreamt = on_reader!(store, "looking what was not dreamt", |on| sqlx::query_scalar(
        "SELECT MIN(seq) FROM agent_event WHERE name = $1 AND mind = $2 AND kind = $3 AND seq > \
         COALESCE((SELECT last_seq FROM memory_cursor WHERE name = $1 AND mind = $2), 0)"
    )
    .bind(log.character())
    .bind(mind)
    .bind(HAPPENING)
    .fetch_one(on))?;
    let exported = on_reader!(store, "looking how far sessions were written", |on| sqlx::query_scalar(
        "SELECT MAX(exported_seq) FROM session WHERE name = $1 AND is_agent = 1 AND $2 = 0"
    )
    .bind(log.character())
    .bind(mind)
    .fetch_one(on))?;
    Ok(Cut { newest, young, beyond, undreamt, exported })
}

/// The first log after `after`, by name and mind. Steps over the entries of a log by the key, however many they are.
pub async fn next_log(store: &Store, after: Option<&LogId>) -> Result<Option<LogId>, StoreError> {
    let (name, mind) = after.map_or(("", -1), |log| (log.character(), i64::from(log.mind())));
    let next: Option<(String, i64)> = on_reader!(store, "looking who has a log", |on| sqlx::query_as(
        "SELECT name, mind FROM agent_event WHERE (name, mind) > ($1, $2) ORDER BY name, mind LIMIT 1"
    )
    .bind(name)
    .bind(mind)
    .fetch_optional(on))?;
    Ok(next.map(|(name, mind)| LogId::new(&name, MindNumber::try_from(mind).unwrap_or(MindNumber::MAX))))
}

/// Puts another base in the place of one that this program cannot use.
pub async fn replace_base(store: &Store, row: &ArchiveRow, base: &[u8], hash: &str) -> Result<(), StoreError> {
    in_transaction!(store, "keeping what a mind was", |tx| {
        sqlx::query(
            "UPDATE agent_archive SET base = $4, base_hash = $5 WHERE name = $1 AND mind = $2 AND first_seq = $3",
        )
        .bind(&row.name)
        .bind(row.mind)
        .bind(row.first_seq)
        .bind(base)
        .bind(hash)
        .execute(&mut **tx)
        .await?;
    })
}

/// The entries of a file that is on the disk are in it from now on, and no rows any more. `false`: the rows are others
/// than those by now, and nothing was changed.
pub async fn move_out(store: &Store, row: &ArchiveRow, base: &[u8]) -> Result<bool, StoreError> {
    in_transaction!(store, "archiving a log", |tx| {
        let gone = sqlx::query("DELETE FROM agent_event WHERE name = $1 AND mind = $2 AND seq >= $3 AND seq <= $4")
            .bind(&row.name)
            .bind(row.mind)
            .bind(row.first_seq)
            .bind(row.last_seq)
            .execute(&mut **tx)
            .await?
            .rows_affected();
        if i64::try_from(gone) != Ok(row.entries) {
            return Ok(false);
        }
        sqlx::query(concat!(
            "INSERT INTO agent_archive (",
            columns!(),
            ", base) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
        ))
        .bind(&row.name)
        .bind(row.mind)
        .bind(row.first_seq)
        .bind(row.last_seq)
        .bind(&row.file)
        .bind(&row.sha256)
        .bind(row.entries)
        .bind(row.deeds)
        .bind(row.talk)
        .bind(row.bytes)
        .bind(&row.base_hash)
        .bind(row.made_at)
        .bind(base)
        .execute(&mut **tx)
        .await?;
        true
    })
}

/// The entries of the newest file of a log are rows again. The file stays: who calls takes it away.
pub async fn move_back(store: &Store, row: &ArchiveRow) -> Result<(), StoreError> {
    // Rows first: what is in both is read once. Files never overlap, so each row is new, or from a try that broke off.
    append(store, &entries_of_file(store, row).await?).await?;
    in_transaction!(store, "taking a log out of its archive", |tx| {
        sqlx::query("DELETE FROM agent_archive WHERE name = $1 AND mind = $2 AND first_seq = $3")
            .bind(&row.name)
            .bind(row.mind)
            .bind(row.first_seq)
            .execute(&mut **tx)
            .await?;
    })
}

/// All entries of a file, as the rows that they were.
pub async fn entries_of_file(store: &Store, row: &ArchiveRow) -> Result<Vec<AgentEvent>, StoreError> {
    Ok(read(store, row).await?.to_vec())
}

async fn read(store: &Store, row: &ArchiveRow) -> Result<Arc<Vec<AgentEvent>>, StoreError> {
    let archives = store.archives();
    if let Some(rows) = archives.last.get(&row.sha256) {
        return Ok(rows);
    }
    let rows = Arc::new(read_once(store, row, |rows| rows).await?);
    archives.last.keep(&row.sha256, &rows);
    Ok(rows)
}

/// Reads a file without keeping it, and makes something of its entries, beside whoever plays.
pub async fn read_once<T: Send + 'static>(
    store: &Store,
    row: &ArchiveRow,
    made: impl FnOnce(Vec<AgentEvent>) -> T + Send + 'static,
) -> Result<T, StoreError> {
    let Some(folder) = store.archives().folder.clone() else {
        let why = "nobody said which folder the archives are in; name the state folder".to_string();
        return Err(row.unusable(Trouble::Unread(why)));
    };
    let of = row.clone();
    match tokio::task::spawn_blocking(move || read_file(&folder, &of).map(|(_, rows)| made(rows))).await {
        Ok(read) => read.map_err(|trouble| row.unusable(trouble)),
        Err(error) => Err(row.unusable(Trouble::Unread(error.to_string()))),
    }
}

/// Reads one file and compares it with what is known of it.
pub fn read_file(folder: &Path, row: &ArchiveRow) -> Result<(Header, Vec<AgentEvent>), Trouble> {
    let (header, mut rows) = archive_files::read::<AgentEvent>(&folder.join(&row.file), &row.sha256)?;
    let log = row.log().to_string();
    if (header.archive.as_str(), &header.of, header.first, header.last) != (ENTRIES, &log, row.first_seq, row.last_seq)
    {
        return Err(Trouble::Damaged(format!("it is of {} #{} to #{}", header.of, header.first, header.last)));
    }
    // A line does not say whose it is.
    rows.iter_mut().for_each(|entry| (entry.name, entry.mind) = (row.name.clone(), row.mind));
    let is_whole = i64::try_from(rows.len()) == Ok(row.entries)
        && rows.first().is_some_and(|first| first.seq == row.first_seq)
        && rows.last().is_some_and(|last| last.seq == row.last_seq)
        && rows.is_sorted_by(|one, next| one.seq < next.seq);
    match is_whole {
        true => Ok((header, rows)),
        false => Err(Trouble::Damaged("its lines are not those that its row names".to_string())),
    }
}

/// Entries after one number and up to another, oldest first, so many at most, of those that are wanted. `end`: as far
/// as the log is archived.
pub async fn after(
    store: &Store,
    log: &LogId,
    end: i64,
    (after, upto): (i64, i64),
    most: i64,
    is_wanted: impl Fn(&AgentEvent) -> bool,
) -> Result<Vec<AgentEvent>, StoreError> {
    let mut found = Vec::new();
    if end <= after {
        return Ok(found);
    }
    let most = usize::try_from(most).unwrap_or(0);
    for row in files_after(store, log, after).await? {
        if row.first_seq > upto || found.len() >= most {
            break;
        }
        let rows = read(store, &row).await?;
        let from = rows.partition_point(|entry| entry.seq <= after);
        let wanted = rows[from..].iter().take_while(|entry| entry.seq <= upto).filter(|entry| is_wanted(entry));
        found.extend(wanted.take(most - found.len()).cloned());
    }
    Ok(found)
}

/// The newest entries of a sort after a number, newest first, so many at most. `end` as above.
pub async fn newest_of(
    store: &Store,
    log: &LogId,
    end: i64,
    after: i64,
    sort: Sort,
    most: i64,
) -> Result<Vec<AgentEvent>, StoreError> {
    let mut found = Vec::new();
    if end <= after {
        return Ok(found);
    }
    let most = usize::try_from(most).unwrap_or(0);
    for row in files_after(store, log, after).await?.iter().rev().filter(|row| row.count(sort) > 0) {
        if found.len() >= most {
            break;
        }
        let rows = read(store, row).await?;
        let wanted = rows.iter().rev().take_while(|entry| entry.seq > after).filter(|entry| Sort::of(entry) == sort);
        found.extend(wanted.take(most - found.len()).cloned());
    }
    Ok(found)
}

/// The number of the deed before which there are just so many newer ones, all after a number. `None`: there are fewer.
pub(super) async fn deed_before(
    store: &Store,
    log: &LogId,
    end: i64,
    after: i64,
    newer: i64,
) -> Result<Option<i64>, StoreError> {
    let mut left = newer;
    if end <= after {
        return Ok(None);
    }
    for row in files_after(store, log, after).await?.iter().rev() {
        if row.deeds <= left && row.first_seq > after {
            left -= row.deeds;
            continue;
        }
        let rows = read(store, row).await?;
        let deeds = rows.iter().rev().take_while(|entry| entry.seq > after).filter(|entry| entry.kind == HAPPENING);
        for entry in deeds {
            if left == 0 {
                return Ok(Some(entry.seq));
            }
            left -= 1;
        }
    }
    Ok(None)
}

/// The entries with these numbers.
pub async fn these(store: &Store, log: &LogId, seqs: &[i64]) -> Result<Vec<AgentEvent>, StoreError> {
    let Some(least) = seqs.iter().min() else { return Ok(Vec::new()) };
    let mut found: BTreeMap<i64, AgentEvent> = BTreeMap::new();
    for row in files_after(store, log, least - 1).await? {
        if !seqs.iter().any(|seq| (row.first_seq..=row.last_seq).contains(seq)) {
            continue;
        }
        let rows = read(store, &row).await?;
        for seq in seqs {
            if let Ok(at) = rows.binary_search_by_key(seq, |entry| entry.seq) {
                found.insert(*seq, rows[at].clone());
            }
        }
    }
    Ok(found.into_values().collect())
}
