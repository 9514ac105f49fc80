//! What players complained of, with the moment: written with the rows of `channels.rs`, for those who keep order.

use super::from_row::{column, count};
use super::{Store, StoreError, on_reader};
use world::channel::row::Complaint;

/// Binds id, by_person, by_name, about, about_name, room, place, words, tick, input, at.
pub(super) const INSERT: &str = "INSERT INTO complaint (id, by_person, by_name, about, about_name, room, place, words, \
     tick, input, at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (id) DO NOTHING";

/// Binds a person whose account is gone, and what it is called from then on.
pub(super) const FORGET: [&str; 2] =
    ["UPDATE complaint SET by_name = $2 WHERE by_person = $1", "UPDATE complaint SET about_name = $2 WHERE about = $1"];

/// A complaint as it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stored {
    pub complaint: Complaint,
    /// Unix milliseconds.
    pub at_ms: i64,
}

struct Columns {
    id: i64,
    by_person: i64,
    by_name: String,
    about: i64,
    about_name: String,
    room: i64,
    place: String,
    words: String,
    tick: i64,
    input: i64,
    at: i64,
}

from_row!(Columns { id, by_person, by_name, about, about_name, room, place, words, tick, input, at });

/// Those before one of a number, the newest first.
pub async fn newest(store: &Store, before: Option<u64>, most: u32) -> Result<Vec<Stored>, StoreError> {
    let rows: Vec<Columns> = on_reader!(store, "reading complaints", |on| sqlx::query_as(
        "SELECT id, by_person, by_name, about, about_name, room, place, words, tick, input, at FROM complaint \
         WHERE id < $1 ORDER BY id DESC LIMIT $2"
    )
    .bind(before.map_or(i64::MAX, column))
    .bind(i64::from(most))
    .fetch_all(on))?;
    let person = |id: i64| u32::try_from(id).unwrap_or_default();
    let stored = |row: Columns| Stored {
        complaint: Complaint {
            id: count(row.id),
            by: person(row.by_person),
            by_name: row.by_name.into(),
            about: person(row.about),
            about_name: row.about_name.into(),
            room: i32::try_from(row.room).unwrap_or_default(),
            place: row.place.into(),
            words: row.words.into(),
            tick: count(row.tick),
            input: count(row.input),
        },
        at_ms: row.at,
    };
    Ok(rows.into_iter().map(stored).collect())
}
