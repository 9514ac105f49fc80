//! Entries of the minds' logs: appended in batches, read by log in the order of their numbers; and the one codec
//! between an entry and its row ([`row_of`], [`entry_of`]).
//!
//! Leaves what an entry means to the crate `mind`. The kind has a column of its own and is not repeated in the payload.
//! What a record is worth has columns besides its payload, for who asks the database; they are made from it and never
//! read back. Invariants: `entry_of(row_of(e))` is `e`; a kind that this program does not know reads as `Event::Other`;
//! a row is written once however often it is handed in (the key is which log and which number), so batches may come
//! again after a failure or a crash; a batch is written whole or not at all; rows are never changed, and go only with
//! their character, or into an archive (`agent_archives.rs`). Here is what lies in rows; `logs.rs` reads whole logs.
//! The newest entry of a log is always a row.
//!
//! Nearly all rows are records of what happened. Who wants only the others finds them by an index of their own.

use super::{Store, StoreError, canonical, in_transaction, on_reader};
use anyhow::Context;
use dreaming::log_search::Point;
use mind::{Event, LogEntry, LogId, appraisal};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::AssertSqlSafe;
use std::collections::BTreeMap;

/// The kind of entries that let somebody read.
const GRANT: &str = "share.grant";

/// What has a default here need not be asked for. As JSON it is a line of an archive, which says whose it is in its
/// first line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentEvent {
    /// Canonical.
    #[serde(skip)]
    pub name: String,
    /// Which of the character's minds, from 0.
    #[serde(skip)]
    pub mind: i64,
    pub seq: i64,
    /// The world's input that brought it.
    pub number: i64,
    pub tick: i64,
    /// When that input came.
    pub at: i64,
    /// Id of the session record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<i64>,
    pub kind: String,
    /// JSON object of what the kind has.
    pub payload: String,
    /// From here on of records only. −3..=3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valence: Option<i64>,
    /// 1..=10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub importance: Option<i64>,
    /// 0.1..=1, at the moment that it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub salience0: Option<f64>,
    /// 1: the first of its sort.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub novel: Option<i64>,
    /// JSON list of the seqs that it stands on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// The same in the logs of all who were there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub social_event_id: Option<String>,
}

from_row!(AgentEvent {
    name, mind, seq, number, tick, at, session, kind, payload, optional valence, optional importance,
    optional salience0, optional novel, optional evidence, optional social_event_id
});

/// `session`: id of the session record.
pub fn row_of(log: impl Into<LogId>, entry: &LogEntry, session: Option<i64>) -> AgentEvent {
    let log = log.into();
    let count = |number: u64| i64::try_from(number).expect("numbers and ticks are counted from 0, one by one");
    let mut payload = serde_json::to_value(&entry.event).expect("an event has string keys only");
    let kind = payload.as_object_mut().and_then(|members| members.shift_remove("kind"));
    let Some(Value::String(kind)) = kind else { unreachable!("an event is an object with its kind") };
    let happening = match &entry.event {
        Event::Happening(happening) => Some(&**happening),
        _ => None,
    };
    // What was recorded counts, be it 0 because nothing is worth anything in that session.
    let worth = happening.map(|happening| {
        let by_table = appraisal::appraise(happening);
        let recorded = happening.valence.unwrap_or(by_table.valence);
        appraisal::with_valence(happening, recorded, by_table.liking)
    });
    AgentEvent {
        name: log.character().to_string(),
        mind: log.mind().into(),
        seq: count(entry.seq),
        number: count(entry.input),
        tick: count(entry.tick),
        at: entry.at_ms,
        session,
        kind,
        payload: payload.to_string(),
        valence: worth.map(|worth| worth.valence.into()),
        importance: worth.map(|worth| worth.importance.into()),
        salience0: worth.map(|worth| worth.salience),
        novel: happening.map(|happening| i64::from(appraisal::is_novel(happening))),
        // A record stands on itself.
        evidence: happening.map(|_| format!("[{}]", entry.seq)),
        social_event_id: happening.and_then(|happening| happening.social_event_id).map(|id| id.to_string()),
    }
}

/// Errors where the row is none that this program, or a newer one, wrote.
pub fn entry_of(row: &AgentEvent) -> anyhow::Result<LogEntry> {
    let count = |number: i64| u64::try_from(number);
    let event = Event::read(&row.kind, &row.payload).with_context(|| format!("entry {} of {}", row.seq, row.name))?;
    Ok(LogEntry { seq: count(row.seq)?, tick: count(row.tick)?, at_ms: row.at, input: count(row.number)?, event })
}

/// As [`entry_of`], of many.
pub fn entries_of(rows: &[AgentEvent]) -> anyhow::Result<Vec<LogEntry>> {
    rows.iter().map(entry_of).collect()
}

macro_rules! columns {
    () => {
        "name, mind, seq, number, tick, at, session, kind, payload, valence, importance, salience0, novel, \
         evidence, social_event_id"
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

const COLUMNS: usize = 15;
/// Rows of one statement, where there are as many: SQLite is asked less often.
const ROWS: usize = 32;

/// Binds the columns of a row, in the order of `columns!`.
macro_rules! bind_row {
    ($query:expr, $row:expr) => {
        $query
            .bind(canonical(&$row.name))
            .bind($row.mind)
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
    format!("{into} VALUES {} ON CONFLICT (name, mind, seq) DO NOTHING", all.join(", "))
}

/// The person whom an entry lets in, if it is one that does: `mind_shares` finds it by them.
fn let_in_by(row: &AgentEvent) -> Option<i64> {
    if row.kind != GRANT || row.mind != 0 {
        return None;
    }
    match entry_of(row).ok()?.event {
        Event::ShareGrant { person, .. } => Some(person.into()),
        _ => None,
    }
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
        for (row, person) in rows.iter().filter_map(|row| Some((row, let_in_by(row)?))) {
            sqlx::query(
                "INSERT INTO mind_share (person, name, granted_at) VALUES ($1, $2, $3) \
                 ON CONFLICT (person, name) DO UPDATE SET granted_at = excluded.granted_at",
            )
            .bind(person)
            .bind(&row.name)
            .bind(row.at)
            .execute(&mut **tx)
            .await?;
        }
        written
    })
}

/// Rows as one value, a JSON list of what `AgentEvent` is as JSON. SQLite's driver hands rows over one by one, from
/// thread to thread, and copies each of their columns: of thousands, that takes several times as long as all the rest.
/// Numbers that are no integers are written with 17 digits, which is what they are.
macro_rules! as_one_value {
    ($rows:expr) => {
        concat!(
            "SELECT json_group_array(json_object('seq', seq, 'number', number, 'tick', tick, 'at', at, \
             'session', session, 'kind', kind, 'payload', payload, 'valence', valence, 'importance', importance, \
             'salience0', CASE WHEN salience0 IS NULL THEN NULL ELSE json(format('%!.17g', salience0)) END, \
             'novel', novel, 'evidence', evidence, 'social_event_id', social_event_id)) FROM (",
            $rows,
            ")"
        )
    };
}

/// Rows of a log after a number ($2) and up to another ($5), oldest first, so many at most ($3).
macro_rules! page {
    ($condition:literal) => {
        concat!(
            "SELECT ",
            columns!(),
            " FROM agent_event WHERE ",
            $condition,
            "name = $1 AND mind = $4 AND seq > $2 AND seq <= $5 ORDER BY seq LIMIT $3"
        )
    };
}

async fn page_of(
    store: &Store,
    log: &LogId,
    (rows, one_value): (&'static str, &'static str),
    (after, upto): (i64, i64),
    most: i64,
) -> Result<Vec<AgentEvent>, StoreError> {
    let mind = i64::from(log.mind());
    let answer = async {
        match store {
            Store::Sqlite(sqlite) => {
                let query = sqlx::query_scalar::<_, String>(one_value).bind(log.character()).bind(after).bind(most);
                let json = query.bind(mind).bind(upto).fetch_one(&sqlite.readers).await?;
                let mut rows: Vec<AgentEvent> =
                    serde_json::from_str(&json).map_err(|cause| sqlx::Error::Decode(cause.into()))?;
                // Each is of this log, so it is not said of each.
                rows.iter_mut().for_each(|row| (row.name, row.mind) = (log.character().to_owned(), mind));
                // They come in order, though nothing promises it.
                rows.sort_by_key(|row| row.seq);
                Ok(rows)
            }
            Store::Postgres(postgres) => {
                let query = sqlx::query_as(rows).bind(log.character()).bind(after).bind(most);
                query.bind(mind).bind(upto).fetch_all(&postgres.pool).await
            }
        }
    };
    store.judged("reading the log of a mind", tokio::time::timeout(store.patience(), answer).await)
}

/// A log's rows after a number, oldest first, so many at most.
pub(crate) async fn rows_after(store: &Store, log: &LogId, seq: i64, most: i64) -> Result<Vec<AgentEvent>, StoreError> {
    page_of(store, log, (page!(""), as_one_value!(page!(""))), (seq, i64::MAX), most).await
}

/// The same without the records, up to a number.
pub(super) async fn own_rows_after(
    store: &Store,
    log: &LogId,
    range: (i64, i64),
    most: i64,
) -> Result<Vec<AgentEvent>, StoreError> {
    // The words of the condition are those of the index.
    macro_rules! own {
        () => {
            page!("kind NOT IN ('happening', 'heard', 'said') AND ")
        };
    }
    page_of(store, log, (own!(), as_one_value!(own!())), range, most).await
}

/// The number of the first row after a number that is later than a moment.
pub(super) async fn first_past(
    store: &Store,
    log: &LogId,
    after: i64,
    point: Point,
) -> Result<Option<i64>, StoreError> {
    macro_rules! first {
        ($column:literal) => {
            concat!(
                "SELECT seq FROM agent_event WHERE name = $1 AND mind = $2 AND seq > $3 AND ",
                $column,
                " > $4 ORDER BY seq LIMIT 1"
            )
        };
    }
    let (first, until) = match point {
        Point::Entry(seq) => (first!("seq"), i64::try_from(seq).unwrap_or(i64::MAX)),
        Point::Tick(tick) => (first!("tick"), i64::try_from(tick).unwrap_or(i64::MAX)),
        Point::Time(at_ms) => (first!("at"), at_ms),
    };
    on_reader!(store, "looking for a moment in the log of a mind", |on| sqlx::query_scalar(first)
        .bind(log.character())
        .bind(i64::from(log.mind()))
        .bind(after)
        .bind(until)
        .fetch_optional(on))
}

/// The newest row below a number and above another.
pub(super) async fn newest_between(
    store: &Store,
    log: &LogId,
    (after, before): (i64, i64),
) -> Result<Option<AgentEvent>, StoreError> {
    on_reader!(store, "looking for a moment in the log of a mind", |on| sqlx::query_as(concat!(
        "SELECT ",
        columns!(),
        " FROM agent_event WHERE name = $1 AND mind = $2 AND seq > $3 AND seq < $4 ORDER BY seq DESC LIMIT 1"
    ))
    .bind(log.character())
    .bind(i64::from(log.mind()))
    .bind(after)
    .bind(before)
    .fetch_optional(on))
}

/// What an entry is: the mind's own, or a record of a deed or of words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    Own,
    Deeds,
    Talk,
}

impl Sort {
    pub const ALL: [Sort; 3] = [Sort::Own, Sort::Deeds, Sort::Talk];

    pub fn of(row: &AgentEvent) -> Sort {
        match row.kind.as_str() {
            mind::HAPPENING => Sort::Deeds,
            "heard" | "said" => Sort::Talk,
            _ => Sort::Own,
        }
    }

    /// Its entries, newest first. The words of the conditions are those of the indexes.
    fn newest(self) -> &'static str {
        macro_rules! newest {
            ($condition:literal) => {
                concat!(
                    "SELECT ",
                    columns!(),
                    " FROM agent_event WHERE ",
                    $condition,
                    " AND name = $1 AND mind = $3 ORDER BY seq DESC LIMIT $2"
                )
            };
        }
        match self {
            Sort::Own => newest!("kind NOT IN ('happening', 'heard', 'said')"),
            Sort::Deeds => newest!("kind = 'happening'"),
            Sort::Talk => newest!("kind IN ('heard', 'said')"),
        }
    }
}

/// The newest rows of a sort, newest first, so many at most.
pub(crate) async fn last_rows_of(
    store: &Store,
    log: &LogId,
    sort: Sort,
    most: i64,
) -> Result<Vec<AgentEvent>, StoreError> {
    on_reader!(store, "reading the newest entries of a mind's log", |on| sqlx::query_as(sort.newest())
        .bind(log.character())
        .bind(most)
        .bind(i64::from(log.mind()))
        .fetch_all(on))
}

/// How many rows [`these_rows`] reads at a time.
const THESE: usize = 10;

/// The rows with these numbers, in the order of the numbers.
pub(super) async fn these_rows(store: &Store, log: &LogId, seqs: &[i64]) -> Result<Vec<AgentEvent>, StoreError> {
    let mut found = Vec::with_capacity(seqs.len());
    for seqs in seqs.chunks(THESE) {
        // One statement, which stays prepared: fewer numbers are filled up with the last of them.
        let last = seqs.last().copied().unwrap_or(0);
        let rows: Vec<AgentEvent> = on_reader!(store, "reading entries of a mind's log", |on| {
            let mut query = sqlx::query_as(concat!(
                "SELECT ",
                columns!(),
                " FROM agent_event WHERE name = $1 AND mind = $2 \
                 AND seq IN ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ORDER BY seq"
            ))
            .bind(log.character())
            .bind(i64::from(log.mind()));
            for at in 0..THESE {
                query = query.bind(seqs.get(at).copied().unwrap_or(last));
            }
            query.fetch_all(on)
        })?;
        found.extend(rows);
    }
    Ok(found)
}

/// The newest entry of a log; zeros where there is none.
pub async fn newest(store: &Store, log: impl Into<LogId>) -> Result<Newest, StoreError> {
    let log = log.into();
    let found: Option<Newest> = on_reader!(store, "looking for the end of a mind's log", |on| sqlx::query_as(
        "SELECT seq, number FROM agent_event WHERE name = $1 AND mind = $2 ORDER BY seq DESC LIMIT 1"
    )
    .bind(log.character())
    .bind(i64::from(log.mind()))
    .fetch_optional(on))?;
    Ok(found.unwrap_or_default())
}

/// How many entries a log has below a number, those in archives not counted.
pub async fn count_below(store: &Store, log: impl Into<LogId>, seq: i64) -> Result<u64, StoreError> {
    let log = log.into();
    let count: i64 = on_reader!(store, "counting the entries of a mind's log", |on| sqlx::query_scalar(
        "SELECT COUNT(*) FROM agent_event WHERE name = $1 AND mind = $2 AND seq < $3"
    )
    .bind(log.character())
    .bind(i64::from(log.mind()))
    .bind(seq)
    .fetch_one(on))?;
    Ok(u64::try_from(count).unwrap_or(0))
}

/// Names of one statement.
const NAMES: usize = 64;

/// The newest entries of the first logs of many characters, by canonical name; who has none is not among them.
pub async fn newest_of(store: &Store, names: &[String]) -> Result<BTreeMap<String, Newest>, StoreError> {
    let mut found = BTreeMap::new();
    for names in names.chunks(NAMES) {
        // Each by the primary key; a group or a maximum over several names would look at whole logs.
        let one = |place: usize| {
            format!(
                "SELECT * FROM (SELECT name, seq, number FROM agent_event WHERE name = ${place} AND mind = 0 \
                 ORDER BY seq DESC LIMIT 1) AS of_{place}"
            )
        };
        let sql = (1..=names.len()).map(one).collect::<Vec<_>>().join(" UNION ALL ");
        let rows: Vec<NewestOf> = on_reader!(store, "looking for the ends of logs", |on| {
            let mut query = sqlx::query_as(AssertSqlSafe(sql.as_str()));
            for name in names {
                query = query.bind(canonical(name));
            }
            query.fetch_all(on)
        })?;
        found.extend(rows.into_iter().map(|row| (row.name, Newest { seq: row.seq, number: row.number })));
    }
    Ok(found)
}

struct NewestOf {
    name: String,
    seq: u64,
    number: u64,
}

from_row!(NewestOf { name, counter seq, counter number });
