//! Entries of the minds' logs: appended in batches, read by name in the order of their numbers.
//!
//! Leaves what an entry means to the crate `mind`. Invariants: a row is written once however often it is handed in (the
//! key is whose and which number), so batches may come again after a failure or a crash; a batch is written whole or
//! not at all; rows are never changed, and go only with their character.
//!
//! Nearly all rows are records of what happened. Who wants only the others finds them by an index of their own.

use super::{Store, StoreError, canonical, in_transaction, on_reader};
use sqlx::AssertSqlSafe;

/// What has a default here need not be asked for.
#[derive(Clone, Debug, Default, PartialEq)]
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
    /// From here on of records only. −3..=3.
    pub valence: Option<i64>,
    /// 1..=10.
    pub importance: Option<i64>,
    /// 0.1..=1, at the moment that it happened.
    pub salience0: Option<f64>,
    /// 1: the first of its sort.
    pub novel: Option<i64>,
    /// JSON list of the seqs that it stands on.
    pub evidence: Option<String>,
    /// The same in the logs of all who were there.
    pub social_event_id: Option<String>,
}

from_row!(AgentEvent { name, seq, number, tick, at, session, kind, payload, optional valence, optional importance, optional salience0, optional novel, optional evidence, optional social_event_id });

/// The kind of those that are records of what happened.
pub const RECORD: &str = "happening";

macro_rules! columns {
    () => {
        "name, seq, number, tick, at, session, kind, payload, valence, importance, salience0, novel, evidence, \
         social_event_id"
    };
}

/// The end of somebody's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Newest {
    pub seq: u64,
    /// The input that brought it.
    pub number: u64,
}

from_row!(Newest { counter seq, counter number });

const COLUMNS: usize = 14;
/// Rows of one statement, where there are as many: SQLite is asked less often.
const ROWS: usize = 32;

/// Binds the columns of a row, in the order of `columns!`.
macro_rules! bind_row {
    ($query:expr, $row:expr) => {
        $query
            .bind(canonical(&$row.name))
            .bind($row.seq)
            .bind($row.number)
            .bind($row.tick)
            .bind($row.at)
            .bind($row.session)
            .bind($row.kind.clone())
            .bind($row.payload.clone())
            .bind($row.valence)
            .bind($row.importance)
            .bind($row.salience0)
            .bind($row.novel)
            .bind($row.evidence.clone())
            .bind($row.social_event_id.clone())
    };
}

/// `numbered`: PostgreSQL numbers its places; SQLite would look a numbered one up among all the others each time.
fn statement(rows: usize, numbered: bool) -> String {
    let place = |at: usize| if numbered { format!("${}", at + 1) } else { "?".to_owned() };
    let row = |row: usize| {
        let places: Vec<String> = (0..COLUMNS).map(|column| place(row * COLUMNS + column)).collect();
        format!("({})", places.join(", "))
    };
    let all: Vec<String> = (0..rows).map(row).collect();
    let into = concat!("INSERT INTO agent_event (", columns!(), ")");
    format!("{into} VALUES {} ON CONFLICT (name, seq) DO NOTHING", all.join(", "))
}

/// Writes those that are not there yet, all or nothing. Returns how many were new.
pub async fn append(store: &Store, rows: &[AgentEvent]) -> Result<u64, StoreError> {
    if rows.is_empty() {
        return Ok(0);
    }
    // As many as fill whole statements, and the rest one by one: so there are two statements, which stay prepared.
    let (many, one) = (statement(ROWS, store.is_postgres()), statement(1, store.is_postgres()));
    let (whole, rest) = rows.as_chunks::<ROWS>();
    in_transaction!(store, "writing the logs of minds", |tx| {
        let mut written = 0;
        for chunk in whole.iter().map(|chunk| &chunk[..]).chain(rest.chunks(1)) {
            let sql = if chunk.len() == ROWS { &many } else { &one };
            let mut query = sqlx::query(AssertSqlSafe(sql.as_str()));
            for row in chunk {
                query = bind_row!(query, row);
            }
            written += query.execute(&mut **tx).await?.rows_affected();
        }
        written
    })
}

/// Somebody's entries after a number, oldest first, so many at most.
pub async fn after(store: &Store, name: &str, seq: i64, most: i64) -> Result<Vec<AgentEvent>, StoreError> {
    let name = canonical(name);
    on_reader!(store, "reading the log of a mind", |on| sqlx::query_as(concat!(
        "SELECT ",
        columns!(),
        " FROM agent_event WHERE name = $1 AND seq > $2 ORDER BY seq LIMIT $3"
    ))
    .bind(&name)
    .bind(seq)
    .bind(most)
    .fetch_all(on))
}

/// The same without the records.
pub async fn without_records(store: &Store, name: &str, seq: i64, most: i64) -> Result<Vec<AgentEvent>, StoreError> {
    let name = canonical(name);
    // The words of the condition are those of the index.
    on_reader!(store, "reading the log of a mind", |on| sqlx::query_as(concat!(
        "SELECT ",
        columns!(),
        " FROM agent_event WHERE kind <> 'happening' AND name = $1 AND seq > $2 ORDER BY seq LIMIT $3"
    ))
    .bind(&name)
    .bind(seq)
    .bind(most)
    .fetch_all(on))
}

/// The newest records of somebody, newest first, so many at most.
pub async fn last_records(store: &Store, name: &str, most: i64) -> Result<Vec<AgentEvent>, StoreError> {
    let name = canonical(name);
    on_reader!(store, "reading the newest records of a log", |on| sqlx::query_as(concat!(
        "SELECT ",
        columns!(),
        " FROM agent_event WHERE name = $1 AND kind = 'happening' ORDER BY seq DESC LIMIT $2"
    ))
    .bind(&name)
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
