//! Entries of the minds' logs: appended in batches, read by name in the order of their numbers.
//!
//! Leaves what an entry means to the crate `mind`. Invariants: a row is written once however often it is handed in (the
//! key is whose and which number), so batches may come again after a failure or a crash; a batch is written whole or
//! not at all; rows are never changed, and go only with their character.

use super::{Store, StoreError, canonical, in_transaction, on_reader};

#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct AgentEvent {
    /// Canonical.
    pub name: String,
    pub seq: i64,
    /// The world's input that brought it.
    pub number: i64,
    pub tick: i64,
    /// When that input came.
    pub at: i64,
    /// Id of the session record.
    pub session: Option<i64>,
    pub kind: String,
    /// JSON object of what the kind has.
    pub payload: String,
}

/// The end of somebody's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, sqlx::FromRow)]
pub struct Newest {
    #[sqlx(try_from = "i64")]
    pub seq: u64,
    /// The input that brought it.
    #[sqlx(try_from = "i64")]
    pub number: u64,
}

/// Writes those that are not there yet, all or nothing. Returns how many were new.
pub async fn append(store: &Store, rows: &[AgentEvent]) -> Result<u64, StoreError> {
    if rows.is_empty() {
        return Ok(0);
    }
    in_transaction!(store, "writing the logs of minds", |tx| {
        let mut written = 0;
        for row in rows {
            written += sqlx::query(
                "INSERT INTO agent_event (name, seq, number, tick, at, session, kind, payload) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (name, seq) DO NOTHING",
            )
            .bind(canonical(&row.name))
            .bind(row.seq)
            .bind(row.number)
            .bind(row.tick)
            .bind(row.at)
            .bind(row.session)
            .bind(&row.kind)
            .bind(&row.payload)
            .execute(&mut **tx)
            .await?
            .rows_affected();
        }
        written
    })
}

/// Somebody's entries after a number, oldest first, so many at most.
pub async fn after(store: &Store, name: &str, seq: i64, most: i64) -> Result<Vec<AgentEvent>, StoreError> {
    let name = canonical(name);
    on_reader!(store, "reading the log of a mind", |on| sqlx::query_as(
        "SELECT name, seq, number, tick, at, session, kind, payload FROM agent_event \
         WHERE name = $1 AND seq > $2 ORDER BY seq LIMIT $3"
    )
    .bind(&name)
    .bind(seq)
    .bind(most)
    .fetch_all(on))
}

/// The newest entry of a log; zeros where there is none.
pub async fn newest(store: &Store, name: &str) -> Result<Newest, StoreError> {
    let name = canonical(name);
    let found: Option<Newest> = on_reader!(store, "looking for the end of a mind's log", |on| sqlx::query_as(
        "SELECT seq, number FROM agent_event WHERE name = $1 ORDER BY seq DESC LIMIT 1"
    )
    .bind(&name)
    .fetch_optional(on))?;
    Ok(found.unwrap_or_default())
}

/// Deletes a log and what was dreamt of it. Returns how many entries there were. Entries on their way make rows again,
/// so let `minds::Minds::forget` do it where a server runs.
pub async fn delete(store: &Store, name: &str) -> Result<u64, StoreError> {
    let name = canonical(name);
    in_transaction!(store, "deleting the log of a mind", |tx| {
        // The log first: a dream that is being kept holds a row of it until it is done (`memories::save`).
        let gone = sqlx::query("DELETE FROM agent_event WHERE name = $1").bind(&name).execute(&mut **tx).await?;
        sqlx::query("DELETE FROM memory_graph WHERE name = $1").bind(&name).execute(&mut **tx).await?;
        sqlx::query("DELETE FROM memory_cursor WHERE name = $1").bind(&name).execute(&mut **tx).await?;
        gone.rows_affected()
    })
}
