//! What was built in rooms, for a world that has lost its own: the newest of each, whole.
//!
//! It is written with channels and agents, in their batches (`channels.rs`). A room that this server's world lacks
//! keeps its row.

use super::from_row::count;
use super::{Store, StoreError, on_reader};
use sqlx::AssertSqlSafe;
use std::sync::Arc;
use world::channel::row::Row;
use world::ground::Ground;

/// Binds room, revision, what stands there as JSON, and the number of the input that made it so.
pub const PUT: &str = "INSERT INTO plot (room, revision, data, number) VALUES ($1, $2, $3, $4) \
     ON CONFLICT (room) DO UPDATE SET revision = excluded.revision, data = excluded.data, number = excluded.number \
     WHERE excluded.number >= plot.number";

/// Whether nothing was built.
pub async fn is_empty(store: &Store) -> Result<bool, StoreError> {
    let any: Option<i64> = on_reader!(store, "looking whether anything was built", |on| sqlx::query_scalar(
        "SELECT room FROM plot LIMIT 1"
    )
    .fetch_optional(on))?;
    Ok(any.is_none())
}

/// All of them. One that cannot be read, as of a later version, is left where it is.
pub async fn all(store: &Store) -> Result<Vec<Row>, StoreError> {
    let read: Vec<(i64, i64, String)> = on_reader!(store, "reading what was built", |on| sqlx::query_as(
        AssertSqlSafe("SELECT room, revision, data FROM plot ORDER BY room")
    )
    .fetch_all(on))?;
    let mut rows = Vec::new();
    for (room, revision, data) in read {
        let ground: Result<Ground, _> = serde_json::from_str(&data);
        match (i32::try_from(room), ground) {
            (Ok(room), Ok(ground)) => rows.push(Row::Plot { room, ground: Arc::new(ground) }),
            (_, Err(error)) => {
                tracing::error!(room, revision = count(revision), "what was built there cannot be read: {error}");
            }
            (Err(_), _) => tracing::error!(room, "no room has such a number"),
        }
    }
    Ok(rows)
}
