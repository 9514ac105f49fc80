//! Archives of decisions: which files have the old decisions of which character, and reading them with the rows as if
//! they were rows still.
//!
//! Leaves the bytes of a file to `archive_files`, and what is to be moved to `log_archives::decisions`. Invariants: a
//! decision is in a row or in a file that a row of this table names, or, for a while, in both, and is read once. What
//! its session's record said of the client and the world stands in the line itself: the record may be gone.

use super::decisions::{self, Cursor, Decision};
use super::{Store, StoreError, canonical, in_transaction, on_reader};
use crate::archive_files::{self, Header, Trouble};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Commands that one input may be, at most: an alias makes so many.
const PARTS: i64 = 16;

/// What the lines of these files are.
pub const DECISIONS: &str = "decisions";

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionFile {
    /// Canonical.
    pub name: String,
    /// Of the character's files, from 1.
    pub nr: i64,
    /// `2026-03`.
    pub month: String,
    /// Below the folder of archives.
    pub file: String,
    /// Of the file, hex.
    pub sha256: String,
    pub decisions: i64,
    pub first_at: i64,
    pub first_number: i64,
    pub first_part: i64,
    pub last_at: i64,
    pub last_number: i64,
    pub last_part: i64,
    /// Of the file.
    pub bytes: i64,
    pub made_at: i64,
}

from_row!(DecisionFile {
    name,
    nr,
    month,
    file,
    sha256,
    decisions,
    first_at,
    first_number,
    first_part,
    last_at,
    last_number,
    last_part,
    bytes,
    made_at
});

macro_rules! columns {
    () => {
        "name, nr, month, file, sha256, decisions, first_at, first_number, first_part, last_at, last_number, \
         last_part, bytes, made_at"
    };
}

impl DecisionFile {
    pub fn first(&self) -> Cursor {
        Cursor { at: self.first_at, number: self.first_number, part: self.first_part }
    }

    pub fn last(&self) -> Cursor {
        Cursor { at: self.last_at, number: self.last_number, part: self.last_part }
    }

    fn unusable(&self, trouble: Trouble) -> StoreError {
        let (name, file) = (self.name.clone(), self.file.clone());
        StoreError::DecisionArchive { name, month: self.month.clone(), file, trouble }
    }
}

/// Every file of every character, in the order of their making.
pub async fn all(store: &Store) -> Result<Vec<DecisionFile>, StoreError> {
    on_reader!(store, "listing archives of decisions", |on| sqlx::query_as(concat!(
        "SELECT ",
        columns!(),
        " FROM decision_archive ORDER BY name, nr"
    ))
    .fetch_all(on))
}

/// The files of one character, in the order of their making.
pub async fn of(store: &Store, name: &str) -> Result<Vec<DecisionFile>, StoreError> {
    on_reader!(store, "listing archives of decisions", |on| sqlx::query_as(concat!(
        "SELECT ",
        columns!(),
        " FROM decision_archive WHERE name = $1 ORDER BY nr"
    ))
    .bind(canonical(name))
    .fetch_all(on))
}

/// The files in which the next decisions after one are: the first of those that go on behind it and begin before
/// `until`, and what overlaps with that.
async fn next_files(store: &Store, name: &str, after: Cursor, until: i64) -> Result<Vec<DecisionFile>, StoreError> {
    let first: Option<DecisionFile> =
        on_reader!(store, "looking for archives of decisions", |on| sqlx::query_as(concat!(
            "SELECT ",
            columns!(),
            " FROM decision_archive WHERE name = $1 AND (last_at, last_number, last_part) > ($2, $3, $4) \
         AND first_at < $5 ORDER BY first_at, first_number, first_part LIMIT 1"
        ))
        .bind(name)
        .bind(after.at)
        .bind(after.number)
        .bind(after.part)
        .bind(until)
        .fetch_optional(on))?;
    let Some(first) = first else { return Ok(Vec::new()) };
    let last = first.last();
    let mut files = vec![first];
    let overlapping: Vec<DecisionFile> =
        on_reader!(store, "looking for archives of decisions", |on| sqlx::query_as(concat!(
            "SELECT ",
            columns!(),
            " FROM decision_archive WHERE name = $1 AND (last_at, last_number, last_part) > ($2, $3, $4) \
             AND (first_at, first_number, first_part) <= ($5, $6, $7) AND nr <> $8 ORDER BY nr"
        ))
        .bind(name)
        .bind(after.at)
        .bind(after.number)
        .bind(after.part)
        .bind(last.at)
        .bind(last.number)
        .bind(last.part)
        .bind(files[0].nr)
        .fetch_all(on))?;
    files.extend(overlapping);
    Ok(files)
}

/// A file that is on the disk is one of the archives from now on.
pub async fn add(store: &Store, file: &DecisionFile) -> Result<(), StoreError> {
    in_transaction!(store, "archiving decisions", |tx| {
        sqlx::query(concat!(
            "INSERT INTO decision_archive (",
            columns!(),
            ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)"
        ))
        .bind(&file.name)
        .bind(file.nr)
        .bind(&file.month)
        .bind(&file.file)
        .bind(&file.sha256)
        .bind(file.decisions)
        .bind(file.first_at)
        .bind(file.first_number)
        .bind(file.first_part)
        .bind(file.last_at)
        .bind(file.last_number)
        .bind(file.last_part)
        .bind(file.bytes)
        .bind(file.made_at)
        .execute(&mut **tx)
        .await?;
    })
}

/// The next decisions of one name, from files and rows, oldest first, at most `limit` and perhaps fewer; none when
/// there are no more. `until` is not among them.
pub async fn page(
    store: &Store,
    name: &str,
    after: Cursor,
    until: i64,
    limit: i64,
) -> Result<Vec<Decision>, StoreError> {
    let name = canonical(name);
    let files = next_files(store, &name, after, until).await?;
    let rows = decisions::rows(store, &name, after, until, limit).await?;
    let Some(first) = files.first() else { return Ok(rows) };
    // Beyond the end of the first file others may have some, and beyond what was read there may be more rows.
    let end = rows.last().map_or(first.last(), |row| first.last().min(Cursor::behind(row)));
    let mut found: BTreeMap<Cursor, Decision> = BTreeMap::new();
    for file in &files {
        for decision in read(store, file).await?.iter() {
            let key = Cursor::behind(decision);
            if key > after && key <= end && key.at < until {
                found.insert(key, decision.clone());
            }
        }
    }
    found.extend(rows.into_iter().map(|row| (Cursor::behind(&row), row)).filter(|(key, _)| *key <= end));
    let most = usize::try_from(limit).unwrap_or(0);
    Ok(found.into_values().take(most).collect())
}

/// What one input of a character's ran, in order; `at`: when it came.
pub async fn of_input(store: &Store, name: &str, at: i64, number: i64) -> Result<Vec<Decision>, StoreError> {
    let before = Cursor { at, number: number - 1, part: i64::MAX };
    let mut rows = page(store, name, before, at.saturating_add(1), PARTS).await?;
    rows.retain(|row| row.number == number);
    Ok(rows)
}

/// Whether anything was ever recorded of that name.
pub async fn has(store: &Store, name: &str) -> Result<bool, StoreError> {
    Ok(!page(store, name, Cursor::from(i64::MIN), i64::MAX, 1).await?.is_empty())
}

/// The newest file that was read is kept: who pages through asks for it several times.
async fn read(store: &Store, file: &DecisionFile) -> Result<Arc<Vec<Decision>>, StoreError> {
    let archives = store.archives();
    if let Some(decisions) = archives.last_decisions.get(&file.sha256) {
        return Ok(decisions);
    }
    let Some(folder) = archives.folder().map(Path::to_path_buf) else {
        let why = "nobody said which folder the archives are in; name the state folder".to_string();
        return Err(file.unusable(Trouble::Unread(why)));
    };
    let of = file.clone();
    let decisions = match tokio::task::spawn_blocking(move || read_file(&folder, &of)).await {
        Ok(read) => Arc::new(read.map_err(|trouble| file.unusable(trouble))?.1),
        Err(error) => return Err(file.unusable(Trouble::Unread(error.to_string()))),
    };
    archives.last_decisions.keep(&file.sha256, &decisions);
    Ok(decisions)
}

/// Reads one file and compares it with what is known of it.
pub fn read_file(folder: &Path, file: &DecisionFile) -> Result<(Header, Vec<Decision>), Trouble> {
    let (header, decisions) = archive_files::read::<Decision>(&folder.join(&file.file), &file.sha256)?;
    if (header.archive.as_str(), &header.of) != (DECISIONS, &file.name) {
        return Err(Trouble::Damaged(format!("it has {} of {}", header.archive, header.of)));
    }
    let is_whole = i64::try_from(decisions.len()) == Ok(file.decisions)
        && decisions.first().is_some_and(|first| Cursor::behind(first) == file.first())
        && decisions.last().is_some_and(|last| Cursor::behind(last) == file.last())
        && decisions.is_sorted_by(|one, next| Cursor::behind(one) < Cursor::behind(next));
    match is_whole {
        true => Ok((header, decisions)),
        false => Err(Trouble::Damaged("its lines are not those that its row names".to_string())),
    }
}
