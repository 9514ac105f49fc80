//! Archiving decisions: months that are long over go from rows into files, one character's in each.
//!
//! All rows of these months are read once, in their order, since they lie in that order; a file is written when a
//! character has enough of them, or when too many of all are held. Invariants: rows are taken away when all of them are
//! in files, never before, and a reader that finds a decision in both sees it once (`store::decision_archives`). So a
//! kill at any moment loses nothing and doubles nothing: the next run finds in the files what it need not write. What a
//! character left that was deleted is taken away with the rows.

use super::Turn;
use crate::archive_files::{self, Header};
use crate::store::agent_archives::folder_of;
use crate::store::decision_archives::{self, DECISIONS, DecisionFile, read_file};
use crate::store::decisions::{self, Cursor, Decision};
use crate::store::months::{self, Month};
use crate::store::{Store, accounts, characters};
use crate::times::unix_ms;
use anyhow::{Context, bail};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// Days that decisions stay rows, at least: a month goes as a whole.
pub const KEEP_DECISIONS_DAYS: u32 = 90;
/// Decisions of one file.
const FILE_ROWS: usize = if cfg!(test) { 20 } else { 20_000 };
/// Decisions that are held, of all characters: some 50 MB.
const HELD_ROWS: usize = if cfg!(test) { 50 } else { 50_000 };
/// Rows that are read at a time.
const PAGE: i64 = if cfg!(test) { 10 } else { 2_500 };
/// Rows that may have come while one looked, after a crash that was recovered from: then one looks again.
const LOOKS_MAX: usize = 5;

/// What went into files.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Archived {
    pub files: u64,
    pub decisions: u64,
    pub bytes: u64,
    /// What rows were taken away, in words.
    pub removed: Option<String>,
}

/// Archives all months that were over by then.
pub async fn archive_before(store: &Store, turn: &Turn, before_ms: i64) -> anyhow::Result<Archived> {
    let mut archived = Archived::default();
    let Some(begins) = Month::of(before_ms).and_then(Month::begins) else { return Ok(archived) };
    for _ in 0..LOOKS_MAX {
        let seen = Sweep { store, turn, archived: &mut archived, held: BTreeMap::new(), known: BTreeMap::new() }
            .run(begins)
            .await?;
        if decisions::count_before(store, begins).await? == seen {
            archived.removed = months::remove_before(store, begins).await?;
            return Ok(archived);
        }
    }
    bail!("old decisions came faster than they could be archived; they stay in the database for now");
}

/// What is known of a character.
struct Known {
    /// `None`: it was deleted, or never was.
    folder: Option<String>,
    /// In the order of their making.
    files: Vec<DecisionFile>,
    /// The decisions of one of these files, by its number.
    keys: Option<(i64, HashSet<Cursor>)>,
}

struct Sweep<'a> {
    store: &'a Store,
    turn: &'a Turn,
    archived: &'a mut Archived,
    /// What is to be written, by name.
    held: BTreeMap<Arc<str>, Vec<Decision>>,
    known: BTreeMap<Arc<str>, Known>,
}

impl Sweep<'_> {
    /// Returns how many rows there were.
    async fn run(mut self, until: i64) -> anyhow::Result<i64> {
        let (mut after, mut seen, mut held) = (Cursor::from(i64::MIN), 0, 0);
        let mut month = None;
        loop {
            let page = decisions::rows_of_all(self.store, after, until, PAGE).await?;
            let Some(newest) = page.last() else { break };
            after = Cursor::behind(newest);
            seen += i64::try_from(page.len())?;
            for row in page {
                if month != Month::of(row.at) {
                    self.write_all().await?;
                    (month, held) = (Month::of(row.at), 0);
                }
                let name = row.name.clone();
                if !self.is_new(&row).await? {
                    continue;
                }
                let own = self.held.entry(name.clone()).or_default();
                own.push(row);
                held += 1;
                if own.len() >= FILE_ROWS {
                    held -= self.write(&name).await?;
                }
            }
            while held > HELD_ROWS {
                let longest = self.held.iter().max_by_key(|(_, own)| own.len()).map(|(name, _)| name.clone());
                let Some(longest) = longest else { break };
                held -= self.write(&longest).await?;
            }
        }
        self.write_all().await?;
        Ok(seen)
    }

    /// Whether a decision is to be written: it is somebody's who is there, and in no file yet.
    async fn is_new(&mut self, row: &Decision) -> anyhow::Result<bool> {
        if !self.known.contains_key(&row.name) {
            let known = known(self.store, &row.name).await?;
            self.known.insert(row.name.clone(), known);
        }
        let known = self.known.get_mut(&row.name).context("it is known now")?;
        if known.folder.is_none() {
            return Ok(false);
        }
        let key = Cursor::behind(row);
        let files = known.files.iter().filter(|file| file.first() <= key && key <= file.last());
        for file in files.cloned().collect::<Vec<_>>() {
            if known.keys.as_ref().is_none_or(|(nr, _)| *nr != file.nr) {
                let (folder, of) = (self.turn.folder.clone(), file.clone());
                let read = tokio::task::spawn_blocking(move || read_file(&folder, &of)).await?;
                // One that cannot be used is written anew: better twice than never.
                let keys = read.map(|(_, rows)| rows.iter().map(Cursor::behind).collect()).unwrap_or_default();
                known.keys = Some((file.nr, keys));
            }
            if known.keys.as_ref().is_some_and(|(_, keys)| keys.contains(&key)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn write_all(&mut self) -> anyhow::Result<()> {
        while let Some(name) = self.held.keys().next().cloned() {
            self.write(&name).await?;
        }
        Ok(())
    }

    /// Writes what is held of a character into a file. Returns how many they were.
    async fn write(&mut self, name: &Arc<str>) -> anyhow::Result<usize> {
        let Some(rows) = self.held.remove(name) else { return Ok(0) };
        let count = rows.len();
        let known = self.known.get_mut(name).context("it is known")?;
        let folder = known.folder.clone().context("it has a folder")?;
        let (in_folder, before) = (self.turn.folder.clone(), known.files.last().cloned());
        let making = tokio::task::spawn_blocking(move || make_file(&in_folder, &folder, &rows, before.as_ref()));
        let file = making.await.context("an archiver broke off; this is a mistake of the program")??;
        decision_archives::add(self.store, &file).await?;
        self.archived.files += 1;
        self.archived.decisions += u64::try_from(file.decisions)?;
        self.archived.bytes += u64::try_from(file.bytes)?;
        known.files.push(file);
        Ok(count)
    }
}

async fn known(store: &Store, name: &str) -> anyhow::Result<Known> {
    let is_there = accounts::find(store, name).await?.is_some() || characters::exists(store, name).await?;
    let folder = folder_of(name).filter(|_| is_there).map(str::to_string);
    Ok(Known { folder, files: decision_archives::of(store, name).await?, keys: None })
}

/// `before`: the newest of its files.
fn make_file(
    folder: &Path,
    of_character: &str,
    rows: &[Decision],
    before: Option<&DecisionFile>,
) -> anyhow::Result<DecisionFile> {
    let (first, last) = rows.first().zip(rows.last()).context("there is something to write")?;
    let month = Month::of(first.at).context("it came in a month")?.to_string();
    let nr = before.map_or(0, |file| file.nr) + 1;
    let file = format!("{of_character}/decisions-{month}-{nr}.jsonl.zst");
    let before = before.map(|file| file.sha256.clone());
    let header = Header::new(DECISIONS, &first.name, (first.at, last.at), rows.len() as u64, before);
    let packed = archive_files::pack(&header, rows).context("packing an archive")?;
    let path = folder.join(&file);
    archive_files::write(&path, &packed).with_context(|| format!("writing the archive {}", path.display()))?;
    Ok(DecisionFile {
        name: first.name.to_string(),
        nr,
        month,
        file,
        sha256: packed.sha256,
        decisions: i64::try_from(rows.len())?,
        first_at: first.at,
        first_number: first.number,
        first_part: first.part,
        last_at: last.at,
        last_number: last.number,
        last_part: last.part,
        bytes: i64::try_from(packed.bytes.len())?,
        made_at: unix_ms(),
    })
}
