//! Archiving: old entries of logs go from rows into files, so that a server which runs for years opens its minds as
//! quickly as on its first day. So do old decisions (`decisions.rs`).
//!
//! What a file is, is the business of `archive_files`; the rows that name the files, and reading through them, that of
//! `store::agent_archives`. `command.rs` is `dp-server archive`, `verifying.rs` compares what there is with itself.
//! Invariants: a file is on the disk before its entries stop being rows, which one transaction does that names the
//! file, too: a kill in between leaves a file that nobody names, and the next run writes it again. The newest entry of
//! a log is always a row. Nothing is moved that a dream or a session file is still to read, unless somebody says how
//! far. One archiver at a time works in a folder. An entry that this program does not know stays a row, with all behind
//! it: what it did to the mind is not known here.

pub mod command;
pub mod decisions;
#[cfg(test)]
mod decisions_tests;
#[cfg(test)]
mod tests;
mod verifying;

use crate::archive_files::{self, Header};
use crate::dreams::Dreams;
use crate::files::make_private_folder;
use crate::log_base::{self, go_on};
use crate::store::Store;
use crate::store::agent_archives::{self, ArchiveRow, Cut, ENTRIES, folder_of};
use crate::store::agent_events::{self, AgentEvent, Sort};
use crate::times::unix_ms;
use anyhow::{Context, bail};
use mind::LogId;
use mind::base::Base;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Rows of a log that stay rows, the newest.
pub const ROWS_MAX: i64 = if cfg!(test) { 60 } else { 50_000 };
/// Days that entries stay rows.
pub const KEEP_DAYS: u32 = 30;
/// Entries of one file, and about the bytes that it may have before it is packed.
const FILE_ENTRIES: usize = if cfg!(test) { 25 } else { 10_000 };
const FILE_BYTES: usize = 16 << 20;
/// Fewer are left for another night: each file costs a base, too.
const WORTH_A_FILE: i64 = if cfg!(test) { 5 } else { 500 };
/// Rows that are read at a time.
const PAGE: i64 = if cfg!(test) { 10 } else { 2_500 };
/// Between two files: whoever plays and the disk have the word meanwhile.
const PAUSE: Duration = Duration::from_millis(2);
/// Where no night is dreamt, it is archived as often.
const DAY: Duration = Duration::from_secs(24 * 3_600);
const DAY_MS: i64 = 24 * 3_600 * 1_000;
const LOCK: &str = ".lock";

/// What of a log is to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Upto {
    /// What is older than so many days, or beyond `ROWS_MAX`, as far as dreams and session files have read.
    Kept(u32),
    /// All before this entry.
    Entry(i64),
    /// All that is older than so many days.
    Days(u32),
}

/// What went of one log.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Moved {
    pub files: u64,
    pub entries: u64,
    pub bytes: u64,
    /// Why not all went that should.
    pub held_back: Option<String>,
}

/// The folder of archives, held against other archivers.
#[must_use = "dropping it lets others archive"]
#[derive(Debug)]
pub struct Turn {
    folder: PathBuf,
    lock: File,
}

impl Drop for Turn {
    /// As a folder of dreams is given back: a process that is just being started has the file open, too.
    fn drop(&mut self) {
        let _closed_soon = self.lock.unlock();
    }
}

impl Turn {
    /// `None`: somebody else archives just now.
    pub fn take(folder: &Path) -> anyhow::Result<Option<Turn>> {
        let locking = || format!("locking the folder of archives {}", folder.display());
        make_private_folder(folder).with_context(locking)?;
        let mut options = File::options();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let lock = options.open(folder.join(LOCK)).with_context(locking)?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Turn { folder: folder.to_path_buf(), lock })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error).with_context(locking),
        }
    }
}

/// The last entry that is to go; `None`: none is.
fn last_of(cut: &Cut, upto: Upto) -> Option<i64> {
    let old = cut.young.map_or(cut.newest, |young| young - 1);
    let last = match upto {
        Upto::Kept(_) => {
            let dreamt = cut.undreamt.map_or(i64::MAX, |first| first - 1);
            old.max(cut.beyond.unwrap_or(0)).min(dreamt).min(cut.exported.unwrap_or(i64::MAX))
        }
        Upto::Entry(before) => before - 1,
        Upto::Days(_) => old,
    };
    // The newest stays in any case.
    Some(last.min(cut.newest - 1)).filter(|last| *last > 0)
}

/// Moves what is to go of one log. What went before a failure is archived, and the rest is as it was.
pub async fn archive_log(store: &Store, turn: &Turn, log: &LogId, upto: Upto, now_ms: i64) -> anyhow::Result<Moved> {
    let days = match upto {
        Upto::Kept(days) | Upto::Days(days) => i64::from(days),
        Upto::Entry(_) => 0,
    };
    let cut = agent_archives::cut_of(store, log, now_ms - days * DAY_MS, ROWS_MAX).await?;
    let mut moved = Moved::default();
    let Some(last) = last_of(&cut, upto) else { return Ok(moved) };
    let done = agent_archives::end(store, log).await?;
    if matches!(upto, Upto::Kept(_)) && last - done < WORTH_A_FILE {
        return Ok(moved);
    }
    let files = agent_archives::files_after(store, log, 0).await?;
    let mut before = files.last().map(|file| file.sha256.clone());
    let mut base = log_base::behind(store, &files).await?;
    refresh(store, files.last(), &base).await?;
    let mut rows = next_rows(store, log, done, last).await?;
    // A file that is on the disk, whose entries are rows still.
    let mut made_before: Option<Made> = None;
    while let Some(end) = rows.last().map(|row| row.seq) {
        let (folder, of) = (turn.folder.clone(), log.clone());
        let making = tokio::task::spawn_blocking(move || make_file(&folder, &of, rows, base, before));
        // The database's threads read on and move the file before meanwhile, which takes as long.
        let (made, following, gone_out) =
            tokio::join!(making, next_rows(store, log, end, last), move_out(store, turn, log, made_before.take()));
        let made = made.context("an archiver broke off; this is a mistake of the program")?;
        let (made, unknown) = match (made, gone_out) {
            (made, Ok(file)) => {
                moved.add(file);
                made?
            }
            (made, Err(error)) => {
                // What follows a file that was not moved is none.
                if let Ok((Some(made), _)) = made {
                    let _best_effort = std::fs::remove_file(turn.folder.join(&made.row.file));
                }
                return Err(error);
            }
        };
        let Some(made) = made else {
            moved.held_back = unknown;
            break;
        };
        (base, before) = (made.base.clone(), Some(made.row.sha256.clone()));
        made_before = Some(made);
        if unknown.is_some() {
            moved.held_back = unknown;
            break;
        }
        rows = following?;
        tokio::time::sleep(PAUSE).await;
    }
    moved.add(move_out(store, turn, log, made_before).await?);
    Ok(moved)
}

/// The entries of a file are rows no more; what was moved so.
async fn move_out(store: &Store, turn: &Turn, log: &LogId, made: Option<Made>) -> anyhow::Result<Moved> {
    let Some(Made { row, packed_base, .. }) = made else { return Ok(Moved::default()) };
    if !agent_archives::move_out(store, &row, &packed_base).await? {
        // Deleted meanwhile, or moved by somebody who has another folder.
        let _best_effort = std::fs::remove_file(turn.folder.join(&row.file));
        bail!("the log of {log} changed while it was archived; nothing more was moved");
    }
    remove_leftovers(&turn.folder, &row);
    Ok(Moved { files: 1, entries: u64::try_from(row.entries)?, bytes: u64::try_from(row.bytes)?, held_back: None })
}

/// Makes the base behind the newest file anew where that of the database cannot be used here.
async fn refresh(store: &Store, newest: Option<&ArchiveRow>, base: &Base) -> anyhow::Result<()> {
    let Some(newest) = newest else { return Ok(()) };
    let (packed, hash) = log_base::packed(base)?;
    if hash != newest.base_hash {
        agent_archives::replace_base(store, newest, &packed, &hash).await?;
        tracing::info!(log = %newest.log(), file = newest.file, "what the mind was behind an archive was noted anew");
    }
    Ok(())
}

/// The rows of the next file: not after `last`.
async fn next_rows(store: &Store, log: &LogId, done: i64, last: i64) -> anyhow::Result<Vec<AgentEvent>> {
    if done >= last {
        return Ok(Vec::new());
    }
    let (mut rows, mut bytes, mut after): (Vec<AgentEvent>, usize, i64) = (Vec::new(), 0, done);
    while rows.len() < FILE_ENTRIES && bytes < FILE_BYTES {
        let most = PAGE.min(i64::try_from(FILE_ENTRIES - rows.len())?);
        let page = agent_events::rows_after(store, log, after, most).await?;
        let is_last = (page.len() as i64) < most || page.last().is_none_or(|row| row.seq >= last);
        after = page.last().map_or(after, |row| row.seq);
        bytes += page.iter().map(|row| row.payload.len()).sum::<usize>();
        rows.extend(page.into_iter().take_while(|row| row.seq <= last));
        if is_last {
            break;
        }
    }
    Ok(rows)
}

/// A file that is on the disk.
struct Made {
    row: ArchiveRow,
    packed_base: Vec<u8>,
    base: Base,
}

/// Makes the file of as many of these rows as this program knows; `None` where that is none. With why it are no more.
fn make_file(
    folder: &Path,
    log: &LogId,
    mut rows: Vec<AgentEvent>,
    base: Base,
    before: Option<String>,
) -> anyhow::Result<(Option<Made>, Option<String>)> {
    let (base, known, unknown) = go_on(base, &rows);
    let unknown = unknown.map(|why| format!("{why:#}"));
    rows.truncate(known);
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok((None, unknown)) };
    let (first_seq, last_seq) = (first.seq, last.seq);
    let of_character = folder_of(log.character()).with_context(|| format!("{log} is no name for a folder"))?;
    let of_mind = if log.mind() == mind::FIRST_MIND { String::new() } else { format!("{}.", log.mind()) };
    let file = format!("{of_character}/{of_mind}{first_seq}-{last_seq}.jsonl.zst");
    let header = Header::new(ENTRIES, &log.to_string(), (first_seq, last_seq), rows.len() as u64, before);
    let packed = archive_files::pack(&header, &rows).context("packing an archive")?;
    let path = folder.join(&file);
    archive_files::write(&path, &packed).with_context(|| format!("writing the archive {}", path.display()))?;
    let (packed_base, base_hash) = log_base::packed(&base)?;
    let of_sort = |sort| rows.iter().filter(|row| Sort::of(row) == sort).count() as i64;
    let row = ArchiveRow {
        name: log.character().to_string(),
        mind: log.mind().into(),
        first_seq,
        last_seq,
        file,
        sha256: packed.sha256,
        entries: rows.len() as i64,
        deeds: of_sort(Sort::Deeds),
        talk: of_sort(Sort::Talk),
        bytes: packed.bytes.len() as i64,
        base_hash,
        made_at: unix_ms(),
    };
    Ok((Some(Made { row, packed_base, base }), unknown))
}

/// Takes away what a run left that was killed before it named its file: a file of a part of these very entries.
fn remove_leftovers(folder: &Path, row: &ArchiveRow) {
    let path = folder.join(&row.file);
    let Some(entries) = path.parent().and_then(|folder| std::fs::read_dir(folder).ok()) else { return };
    for other in entries.flatten().map(|entry| entry.path()).filter(|other| *other != path) {
        let name = other.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let range = name.strip_suffix(".jsonl.zst").and_then(|range| range.split_once('-'));
        let number = |text: &str| text.parse::<i64>().ok();
        let range = range.and_then(|(first, last)| Some((number(first)?, number(last)?)));
        if row.mind == 0 && range.is_some_and(|(first, last)| first >= row.first_seq && last <= row.last_seq) {
            let _best_effort = std::fs::remove_file(other);
        }
    }
}

/// The archiver of a running server.
#[derive(Debug)]
pub struct Archiver {
    store: Store,
    folder: PathBuf,
    /// Days; 0: nothing is archived by itself.
    keep_days: u32,
    /// Since the start.
    pub files: AtomicU64,
    pub entries: AtomicU64,
    pub failures: AtomicU64,
    /// Of the last run.
    pub failing: AtomicU64,
}

impl Moved {
    fn add(&mut self, more: Moved) {
        self.files += more.files;
        self.entries += more.entries;
        self.bytes += more.bytes;
    }
}

impl Archiver {
    pub fn new(store: Store, folder: PathBuf, keep_days: u32) -> Archiver {
        let (files, entries, failures, failing) = Default::default();
        Archiver { store, folder, keep_days, files, entries, failures, failing }
    }

    /// Archives after each night, or once a day where nobody dreams, until the server ends.
    pub async fn run(self: Arc<Self>, dreams: Arc<Dreams>) {
        if self.keep_days == 0 {
            return;
        }
        loop {
            // The night tells that it is over; the day that passes without one is as good.
            let _night = tokio::time::timeout(DAY + DAY / 12, dreams.over.notified()).await;
            self.all().await;
        }
    }

    /// Archives of every log what is to go.
    pub async fn all(&self) {
        let turn = match Turn::take(&self.folder) {
            Ok(Some(turn)) => turn,
            Ok(None) => return tracing::info!("somebody else archives just now; the next night does the rest"),
            Err(error) => return self.fail(&format!("{error:#}")),
        };
        let (mut after, mut failed) = (None, 0);
        loop {
            let log = match agent_archives::next_log(&self.store, after.as_ref()).await {
                Ok(Some(log)) => log,
                Ok(None) => break,
                Err(error) => {
                    self.fail(&error.to_string());
                    failed += 1;
                    break;
                }
            };
            match archive_log(&self.store, &turn, &log, Upto::Kept(self.keep_days), unix_ms()).await {
                Ok(moved) => {
                    self.files.fetch_add(moved.files, Ordering::Relaxed);
                    self.entries.fetch_add(moved.entries, Ordering::Relaxed);
                    if moved.files > 0 {
                        let (entries, files, bytes) = (moved.entries, moved.files, moved.bytes);
                        tracing::info!(%log, entries, files, bytes, "old entries of a log were archived");
                    }
                    if let Some(why) = moved.held_back {
                        tracing::warn!(%log, why, "a log is not archived further");
                    }
                }
                Err(error) => {
                    failed += 1;
                    self.fail(&format!("{log}: {error:#}"));
                }
            }
            after = Some(log);
            tokio::time::sleep(PAUSE).await;
        }
        self.failing.store(failed, Ordering::Relaxed);
    }

    fn fail(&self, error: &str) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        self.failing.fetch_max(1, Ordering::Relaxed);
        tracing::error!(%error, "a log could not be archived; it is tried again in the next night");
    }
}
