//! Characters: the whole of each as one JSON text, written in batches off the tick.
//!
//! Leaves what is in the JSON to the world. Invariant: a row is replaced only by one that a later input of the world
//! made (or the same input again, after a crash), so saves may come late, twice, or out of order.

use super::{Store, StoreError, canonical, in_transaction, on_reader, on_writer};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CharacterRow {
    /// Canonical when it comes from here; in any case when it goes in.
    pub name: String,
    /// JSON of the whole character.
    pub data: String,
    /// Number of the world's input that made this state. Tools that change a character while no server runs keep
    /// the number they found.
    pub written_by_input: u64,
    pub updated_at: i64,
    /// For lists, as is the next; the truth is in `data`.
    pub level: i64,
    /// 0 for mortals.
    pub immortal_level: i64,
}

from_row!(CharacterRow { name, data, counter written_by_input, updated_at, level, immortal_level });

impl CharacterRow {
    /// The number of an input as the column holds it: a million inputs a second reach 2^63 in 292,000 years.
    pub(super) fn input_column(&self) -> i64 {
        i64::try_from(self.written_by_input).expect("inputs are counted from 0, one by one")
    }
}

/// How a character is listed, without its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CharacterLine {
    pub name: String,
    pub level: i64,
    pub immortal_level: i64,
    pub updated_at: i64,
}

from_row!(CharacterLine { name, level, immortal_level, updated_at });

/// Writes all in one transaction, each only where it is not older than what is there. Returns how many were written;
/// the others were older. One name may come several times.
pub async fn save_batch(store: &Store, rows: &[CharacterRow]) -> Result<u64, StoreError> {
    if rows.is_empty() {
        return Ok(0);
    }
    in_transaction!(store, "saving characters", |tx| {
        let mut written = 0;
        for row in rows {
            written += sqlx::query(
                "INSERT INTO character (name, data, written_by_input, updated_at, level, immortal_level) \
                 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (name) DO UPDATE SET data = excluded.data, \
                 written_by_input = excluded.written_by_input, updated_at = excluded.updated_at, \
                 level = excluded.level, immortal_level = excluded.immortal_level \
                 WHERE excluded.written_by_input >= character.written_by_input",
            )
            .bind(canonical(&row.name))
            .bind(&row.data)
            .bind(row.input_column())
            .bind(row.updated_at)
            .bind(row.level)
            .bind(row.immortal_level)
            .execute(&mut **tx)
            .await?
            .rows_affected();
        }
        written
    })
}

pub async fn load(store: &Store, name: &str) -> Result<Option<CharacterRow>, StoreError> {
    let name = canonical(name);
    on_reader!(store, "loading a character", |on| sqlx::query_as(
        "SELECT name, data, written_by_input, updated_at, level, immortal_level FROM character WHERE name = $1"
    )
    .bind(&name)
    .fetch_optional(on))
}

pub async fn exists(store: &Store, name: &str) -> Result<bool, StoreError> {
    let name = canonical(name);
    let found: Option<i64> = on_reader!(store, "looking for a character", |on| sqlx::query_scalar(
        "SELECT CAST(1 AS BIGINT) FROM character WHERE name = $1"
    )
    .bind(&name)
    .fetch_optional(on))?;
    Ok(found.is_some())
}

/// `false`: there was none. A save of this character that is still on its way makes the row again, so take the
/// character out of the world first.
pub async fn delete(store: &Store, name: &str) -> Result<bool, StoreError> {
    let name = canonical(name);
    let gone = on_writer!(store, "deleting a character", |on| async {
        sqlx::query("DELETE FROM character WHERE name = $1")
            .bind(&name)
            .execute(on)
            .await
            .map(|done| done.rows_affected())
    })?;
    Ok(gone > 0)
}

pub async fn count(store: &Store) -> Result<i64, StoreError> {
    on_reader!(store, "counting the characters", |on| sqlx::query_scalar("SELECT COUNT(*) FROM character")
        .fetch_one(on))
}

/// Everybody with all data, sorted by name: for tools that copy a database, not for a running game.
pub async fn all(store: &Store) -> Result<Vec<CharacterRow>, StoreError> {
    on_reader!(store, "loading all characters", |on| sqlx::query_as(
        "SELECT name, data, written_by_input, updated_at, level, immortal_level FROM character ORDER BY name"
    )
    .fetch_all(on))
}

/// Everybody without the data, sorted by name.
pub async fn list(store: &Store) -> Result<Vec<CharacterLine>, StoreError> {
    on_reader!(store, "listing the characters", |on| sqlx::query_as(
        "SELECT name, level, immortal_level, updated_at FROM character ORDER BY name"
    )
    .fetch_all(on))
}

/// Names of those whose row was made by a later input than this one.
pub async fn newer_than(store: &Store, number: u64) -> Result<Vec<String>, StoreError> {
    let number = i64::try_from(number).unwrap_or(i64::MAX);
    on_reader!(store, "looking for newer saves", |on| sqlx::query_scalar(
        "SELECT name FROM character WHERE written_by_input > $1 ORDER BY name"
    )
    .bind(number)
    .fetch_all(on))
}

/// The number of the last input whose work is here, 0 where nothing is: a world must number its inputs from above it.
pub async fn newest_input(store: &Store) -> Result<u64, StoreError> {
    let newest: i64 = on_reader!(store, "looking for the newest save", |on| sqlx::query_scalar(
        "SELECT COALESCE(MAX(written_by_input), 0) FROM character"
    )
    .fetch_one(on))?;
    Ok(newest.max(0).unsigned_abs())
}

/// For tests: from now on SQLite refuses rows of this name, and of no other.
#[cfg(test)]
pub async fn refuse_name(store: &Store, name: &str) {
    let trigger = format!(
        "DROP TRIGGER IF EXISTS poison; CREATE TRIGGER poison BEFORE INSERT ON character WHEN NEW.name = '{name}' \
         BEGIN SELECT RAISE(ABORT, 'no'); END"
    );
    let done: Result<(), StoreError> = on_writer!(store, "meddling", |on| async {
        sqlx::raw_sql(sqlx::AssertSqlSafe(trigger)).execute(on).await.map(drop)
    });
    done.expect("a trigger can be made");
}
