//! Session files: what happened to agents, as JSONL for agents of any make: `{sessions-dir}/{Name}/{start, UTC}.jsonl`.
//!
//! When an agent's session is over, what its log got since the last file is written as `dreaming::records::export` has
//! it. What happens to a body whose connection is gone comes into the same file, when it has left the world, when the
//! next session begins or ends, or when the server ends, whichever is first. What a crash left without a file, or out
//! of one, is written at the next start.
//! Invariants: each record of an agent's log comes into one file, in order; `session.exported_seq` says how far they
//! are, so writing again changes nothing; while more is put into a file it says nothing, so that a crash has it written
//! again before any later one. A file is there whole or not at all. Nobody waits for it but the end of the
//! server, and that not for long. What could not be written is told, counted, and tried again after a pause,
//! at the next session, and at the next start.

use crate::minds::Minds;
use crate::store::agent_events::entry_of;
use crate::store::sessions::{self, Bounds, Exportable};
use crate::store::{Store, accounts, canonical, happenings};
use crate::write_queue::{Backlog, Failure, Policy, WriteQueue};
use anyhow::Context;
use dreaming::records::{EXPORT_VERSION, Header};
use jiff::Timestamp;
use parking_lot::Mutex;
use std::collections::{BTreeSet, VecDeque};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tempfile::NamedTempFile;
use tokio::time::Instant;

/// Where session files are by default, in the state folder: what keeps that folder keeps them.
const SESSIONS_DIR: &str = "sessions";
/// The flag that names another.
pub const SESSIONS_FLAG: &str = "--sessions-dir";
/// Where they were by default before, from wherever the server was started.
const SESSIONS_DIR_BEFORE: &str = "data/sessions";
/// Records that are read at a time.
const PAGE: i64 = 5_000;
/// One agent at a time. Any failure is that agent's alone: a folder that is in the way keeps nobody else's file from
/// being written.
const POLICY: Policy = Policy {
    noun: "session files",
    aside: "it is tried again after a pause, at the next session and at the next start",
    gather: Duration::ZERO,
    batch_max: 1,
    retry_first: Duration::from_secs(if cfg!(test) { 0 } else { 5 }),
    retry_longest: Duration::from_secs(600),
};
const FAILED: &str = "A session file could not be written; the log says why.";
/// How long the last records of a session may take to the database.
const WRITTEN_LONGEST: Duration = Duration::from_secs(20);

/// The folder in a state folder.
pub fn own_folder(state: &Path) -> PathBuf {
    state.join(SESSIONS_DIR)
}

/// The folder that a flag names, else that in the state folder; `none`, or nothing: no files are written.
pub fn folder(named: Option<&Path>, state: &Path) -> Option<PathBuf> {
    let Some(named) = named else {
        let (folder, before) = (own_folder(state), Path::new(SESSIONS_DIR_BEFORE));
        if before.is_dir() && !folder.exists() {
            tracing::warn!(
                "session files were in {before} until now, and go to {folder} from here on: move the folder there, or \
                 go on with {SESSIONS_FLAG} {before}",
                before = before.display(),
                folder = folder.display()
            );
        }
        return Some(folder);
    };
    let off = named.as_os_str().is_empty() || named == Path::new("none");
    (!off).then(|| named.to_path_buf())
}

#[derive(Debug, Default)]
struct Names {
    waiting: VecDeque<String>,
    /// In hand.
    busy: bool,
    /// Whose files could not be written, and when all of them are tried again: one pause for all, for what ails one
    /// mostly ails the others, a full disk or a database that is away.
    failed: BTreeSet<String>,
    again_at: Option<Instant>,
    pause: Duration,
}

/// Writes the session files of a server.
#[derive(Debug)]
pub struct Exports {
    store: Store,
    minds: Arc<Minds>,
    folder: PathBuf,
    names: Mutex<Names>,
    pub queue: WriteQueue,
    /// Files that were written, those that were written once more among them.
    pub files: AtomicU64,
}

impl Exports {
    pub fn new(store: Store, minds: Arc<Minds>, folder: PathBuf) -> Arc<Exports> {
        Arc::new(Exports {
            store,
            minds,
            folder,
            names: Mutex::default(),
            queue: WriteQueue::new(POLICY),
            files: AtomicU64::new(0),
        })
    }

    /// A session of this agent has begun or ended, or somebody has left the world. Never waits.
    pub fn look_at(&self, name: &str) {
        let name = canonical(name);
        let mut names = self.names.lock();
        if !names.waiting.contains(&name) {
            names.waiting.push_back(name);
        }
        self.queue.wake();
    }

    /// Writes until the server ends; first what sessions before this start have left.
    pub async fn run(self: Arc<Self>) {
        match sessions::unexported(&self.store).await {
            Ok(names) => names.iter().for_each(|name| self.look_at(name)),
            Err(error) => tracing::error!(%error, "which sessions have no file yet could not be looked up"),
        }
        self.queue.run(&*self).await;
    }

    /// Some files could not be written, and were not since.
    pub fn failing(&self) -> bool {
        !self.names.lock().failed.is_empty()
    }

    /// Waits until nothing is to be written, at most so long. True when all is, but for what failed.
    pub async fn drain(&self, longest: Duration) -> bool {
        self.queue.drain(self, longest).await
    }

    /// Brings the files of one agent up to date.
    pub async fn export(&self, name: &str) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.minds.wait_for(name, WRITTEN_LONGEST).await,
            "what happened in the session is not in the database yet"
        );
        let Some(account) = accounts::find(&self.store, name).await? else {
            // Its log went with it.
            return Ok(());
        };
        for session in sessions::exportable(&self.store, name, account.created_at).await? {
            let bounds = sessions::export_bounds(&self.store, &session, account.created_at).await?;
            self.write(&account.display_name, &session, bounds).await?;
        }
        Ok(())
    }

    /// Takes away the files that were written of a character that was deleted: another one of its name has nothing to
    /// do with them.
    pub async fn forget(&self, name: &str) {
        let Ok(name) = protocol::names::check_name(name) else { return };
        let folder = self.folder.join(name);
        let removed = tokio::task::spawn_blocking(move || remove_exports(&folder).map_err(|error| (folder, error)));
        if let Ok(Err((folder, error))) = removed.await {
            let (folder, error) = (folder.display(), format!("{error:#}"));
            tracing::error!(%folder, error, "the session files of a deleted character are still there");
        }
    }

    /// Writes the file of one session with all that there is of it, unless it has all of it.
    async fn write(&self, display_name: &str, session: &Exportable, bounds: Bounds) -> anyhow::Result<()> {
        let upto = bounds.upto;
        let after = session.exported_seq.unwrap_or(bounds.base);
        let is_new = happenings::between(&self.store, &session.name, after, upto, 1).await?;
        if is_new.is_empty() {
            if session.exported_seq.is_none() {
                sessions::exported(&self.store, session.id, bounds.base).await?;
            }
            return Ok(());
        }
        if session.exported_seq.is_some() {
            // Should it end between the file and the note, a later file would repeat what this one has.
            sessions::reopen(&self.store, session.id).await?;
        }
        // A name of a character is fit for a path; one that is not was made by nobody.
        let name = protocol::names::check_name(&session.name)
            .ok()
            .with_context(|| format!("{:?} is no name for a folder", session.name))?;
        let folder = self.folder.join(name);
        let path = folder.join(file_name(session.started_at, bounds.twins)?);
        let with_path = || format!("writing {}", path.display());
        let header = Header {
            log: "happenings".into(),
            version: EXPORT_VERSION,
            agent: display_name.into(),
            valence: session.valence != Some(0),
        };
        let mut file = tokio::task::spawn_blocking(move || {
            crate::files::make_private_folder(&folder)?;
            let mut file = tempfile::Builder::new().prefix(".session-").suffix(".new").tempfile_in(&folder)?;
            writeln!(file, "{}", serde_json::to_string(&header)?)?;
            Ok::<NamedTempFile, std::io::Error>(file)
        })
        .await?
        .with_context(with_path)?;
        let mut last = bounds.base;
        loop {
            let rows = happenings::between(&self.store, &session.name, last, upto, PAGE).await?;
            let Some(newest) = rows.last().map(|row| row.seq) else { break };
            file = tokio::task::spawn_blocking(move || {
                let mut lines = Vec::new();
                for row in &rows {
                    serde_json::to_writer(&mut lines, &entry_of(row)?)?;
                    lines.push(b'\n');
                }
                file.write_all(&lines)?;
                Ok::<_, anyhow::Error>(file)
            })
            .await?
            .with_context(with_path)?;
            last = newest;
        }
        let to = path.clone();
        tokio::task::spawn_blocking(move || {
            file.as_file().sync_all()?;
            file.persist(&to).map_err(|error| error.error)?;
            crate::files::sync_folder(&to)
        })
        .await?
        .with_context(with_path)?;
        // After the file: a crash in between writes the same file once more.
        sessions::exported(&self.store, session.id, last).await?;
        self.files.fetch_add(1, Ordering::Relaxed);
        tracing::debug!(file = %path.display(), "a session file is written");
        Ok(())
    }
}

impl Backlog for Exports {
    type Batch = String;

    fn waiting(&self) -> usize {
        let names = self.names.lock();
        names.waiting.len() + usize::from(names.busy)
    }

    fn writable(&self) -> usize {
        let mut names = self.names.lock();
        if names.again_at.is_some_and(|at| at <= Instant::now()) {
            names.again_at = None;
            let names = &mut *names;
            names
                .waiting
                .extend(names.failed.iter().filter(|name| !names.waiting.contains(name)).cloned().collect::<Vec<_>>());
        }
        names.waiting.len()
    }

    fn due(&self) -> Option<Instant> {
        self.names.lock().again_at
    }

    fn next_batch(&self, _: usize) -> Option<(String, usize)> {
        let mut names = self.names.lock();
        let name = names.waiting.pop_front()?;
        names.busy = true;
        Some((name, 1))
    }

    async fn write(&self, name: &String) -> Result<u64, Failure> {
        let failed = |error| Failure { why: format!("{error:#}"), in_public: FAILED, blames_row: true };
        self.export(name).await.map(|()| 1).map_err(failed)
    }

    fn done(&self, name: String) {
        let mut names = self.names.lock();
        names.busy = false;
        if names.failed.remove(&name) {
            self.queue.no_longer_aside(&name);
            if names.failed.is_empty() {
                (names.again_at, names.pause) = (None, Duration::ZERO);
                tracing::info!("all session files are written again");
            }
        }
    }

    fn put_back(&self, name: String) {
        let mut names = self.names.lock();
        names.busy = false;
        names.waiting.push_front(name);
    }

    fn set_aside(&self, name: String) -> String {
        let mut names = self.names.lock();
        names.busy = false;
        if names.again_at.is_none() {
            names.pause =
                (names.pause * 2).clamp(POLICY.retry_first.max(Duration::from_millis(20)), POLICY.retry_longest);
            names.again_at = Some(Instant::now() + names.pause);
        }
        names.failed.insert(name.clone());
        name
    }
}

/// `2026-11-21-083000.jsonl`, of the start of the session in UTC; with a number where another began in the same second.
fn file_name(started_ms: i64, twins: i64) -> anyhow::Result<String> {
    let began = Timestamp::from_millisecond(started_ms).context("a session began at no time there is")?;
    let twin = if twins == 0 { String::new() } else { format!("_{}", twins + 1) };
    Ok(format!("{}{twin}.jsonl", began.strftime("%Y-%m-%d-%H%M%S")))
}

/// Removes what begins as our files do, and the folder if nothing else is in it.
fn remove_exports(folder: &Path) -> anyhow::Result<()> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let mut others = false;
    for entry in entries {
        let path = entry?.path();
        let mut first = String::new();
        if path.is_file() {
            let file = std::io::Read::take(std::fs::File::open(&path)?, 4_096);
            // A line that is no text is none of ours.
            let _none = std::io::BufRead::read_line(&mut std::io::BufReader::new(file), &mut first);
        }
        if serde_json::from_str::<Header>(&first).is_ok_and(|header| header.log == "happenings") {
            std::fs::remove_file(&path)?;
        } else {
            others = true;
        }
    }
    if !others {
        std::fs::remove_dir(folder)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
