//! Decisions: every captured command with the character before and after, written in batches and read by exports.
//!
//! On PostgreSQL the table is partitioned by month of `at` (UTC), which is the affair of `months`. Invariants: a row is
//! written once however often it is handed in (the key is when, which input, which part), so batches may come again
//! after a failure or a crash. Rows are never changed. Wherever a name has rows, `decision_span` names the span of
//! time: it is written with them. What a client said of itself at login is in a row only where the row knows no session
//! record; [`page`] reads it from there.

use super::months::{MONTHS_AHEAD, SPAN_MS};
use super::{Postgres, Sqlite, Store, StoreError, on_reader};
use serde::{Deserialize, Serialize};
use sqlx::{AssertSqlSafe, Connection, Postgres as PostgresDialect, Sqlite as SqliteDialect, SqliteConnection};
use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

/// Texts are shared: most are the same in thousands of rows. As JSON it is a line of an archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Canonical.
    pub name: Arc<str>,
    /// When the command came.
    pub at: i64,
    /// The world's input that brought it.
    pub number: i64,
    /// Its place among the commands that an alias made of that input, from 0.
    pub part: i64,
    /// At which it ran.
    pub tick: i64,
    /// Id of the session record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<i64>,
    pub command: Arc<str>,
    pub args: Arc<str>,
    pub pre_hp: i64,
    pub pre_mana: i64,
    pub pre_move: i64,
    pub pre_position: Arc<str>,
    /// Vnum.
    pub pre_room: i64,
    pub post_hp: i64,
    pub post_mana: i64,
    pub post_move: i64,
    pub post_position: Arc<str>,
    pub post_room: i64,
    /// The sentence with which it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Arc<str>>,
    /// From its coming to its end. `None`: not known, as it waited over a restart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_us: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Arc<str>>,
    /// JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_ids: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Arc<str>>,
    /// JSON of what else came with the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Arc<str>>,
    /// `None`: recorded before it was kept, as with the four behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pre_exp: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub post_exp: Option<i64>,
    /// In hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pre_gold: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub post_gold: Option<i64>,
    /// 0: nothing was worth anything to who sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valence: Option<i64>,
    /// Of the session record, where there is one: for who reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world: Option<Arc<str>>,
    /// The 64 bits of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
}

from_row!(Decision {
    name,
    at,
    number,
    part,
    tick,
    session,
    command,
    args,
    pre_hp,
    pre_mana,
    pre_move,
    pre_position,
    pre_room,
    post_hp,
    post_mana,
    post_move,
    post_position,
    post_room,
    error,
    latency_us,
    model,
    harness,
    version,
    memory_ids,
    source,
    meta,
    pre_exp,
    post_exp,
    pre_gold,
    post_gold,
    valence,
    world,
    seed
});

macro_rules! columns {
    () => {
        "name, at, number, part, tick, session, command, args, pre_hp, pre_mana, pre_move, pre_position, pre_room, \
         post_hp, post_mana, post_move, post_position, post_room, error, latency_us, model, harness, version, \
         memory_ids, source, meta, pre_exp, post_exp, pre_gold, post_gold, valence"
    };
}

const COLUMN_COUNT: usize = 31;

/// Rows in one statement of SQLite: few sizes, so that each stays prepared. More than the first gain nothing.
const SQLITE_STATEMENTS: [usize; 3] = [64, 8, 1];
/// Rows in one statement of PostgreSQL. Encoding so many takes about a millisecond, in which a session may wait.
const POSTGRES_ROWS: usize = 1000;

/// What of `decision_span` a writer knows to be there already, so that it is not asked for each row. Empty at first.
#[derive(Debug, Default)]
pub struct KnownSpans(HashSet<(i64, Arc<str>)>);

impl KnownSpans {
    /// Beyond that many they are learnt anew.
    const MOST: usize = 100_000;

    fn missing(&self, rows: &[Decision]) -> HashSet<(i64, Arc<str>)> {
        let spans = rows.iter().map(|row| (row.at.div_euclid(SPAN_MS), row.name.clone()));
        spans.filter(|span| !self.0.contains(span)).collect()
    }

    fn add(&mut self, spans: HashSet<(i64, Arc<str>)>) {
        if self.0.len() + spans.len() > Self::MOST {
            self.0.clear();
        }
        self.0.extend(spans);
    }
}

/// Writes those that are not there yet, all or nothing. Returns how many were new.
pub async fn insert(store: &Store, rows: &[Decision], known: &mut KnownSpans) -> Result<u64, StoreError> {
    if rows.is_empty() {
        return Ok(0);
    }
    let spans = known.missing(rows);
    let written = match store {
        Store::Sqlite(sqlite) => insert_sqlite(sqlite, rows, &spans).await,
        Store::Postgres(postgres) => {
            let mut result = insert_postgres(postgres, rows, &spans).await;
            for _ in 0..=MONTHS_AHEAD {
                // A month was made while these were on their way to where rows without one wait. Now they find it.
                if result.as_ref().is_err_and(is_misplaced) {
                    result = insert_postgres(postgres, rows, &spans).await;
                }
            }
            result
        }
    };
    let written = written.map_err(|cause| store.failed("recording decisions", cause))?;
    known.add(spans);
    Ok(written)
}

/// A row that its partition may not hold (check_violation; the table has no checks of its own).
fn is_misplaced(cause: &sqlx::Error) -> bool {
    cause.as_database_error().and_then(|error| error.code()).is_some_and(|code| code == "23514")
}

/// Rows as parameters: one JSON text read with `json_each` took twice as long.
async fn insert_sqlite(
    sqlite: &Sqlite,
    rows: &[Decision],
    spans: &HashSet<(i64, Arc<str>)>,
) -> Result<u64, sqlx::Error> {
    let mut connection = sqlite.writer.acquire().await?;
    let outcome = insert_on_sqlite(&mut connection, rows, spans).await;
    if outcome.as_ref().is_err_and(super::error::spoils_connection) {
        // As in `in_transaction!`: it would count the transaction as open for ever.
        connection.close_on_drop();
    }
    outcome
}

async fn insert_on_sqlite(
    connection: &mut SqliteConnection,
    rows: &[Decision],
    spans: &HashSet<(i64, Arc<str>)>,
) -> Result<u64, sqlx::Error> {
    static STATEMENTS: LazyLock<[String; 3]> = LazyLock::new(|| {
        SQLITE_STATEMENTS.map(|rows| sqlite_statement(concat!("decision (", columns!(), ")"), COLUMN_COUNT, rows))
    });
    static SPAN_STATEMENTS: LazyLock<[String; 3]> =
        LazyLock::new(|| SQLITE_STATEMENTS.map(|rows| sqlite_statement("decision_span (name, span)", 2, rows)));
    let mut rest = rows;
    let mut written = 0;
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    // At the turn of a span there is one for each name, so they come many at a time too.
    let spans: Vec<&(i64, Arc<str>)> = spans.iter().collect();
    let mut spans = spans.as_slice();
    for (rows, statement) in SQLITE_STATEMENTS.into_iter().zip(SPAN_STATEMENTS.iter()) {
        while let Some((chunk, after)) = spans.split_at_checked(rows) {
            let query = sqlx::query::<SqliteDialect>(AssertSqlSafe(statement.as_str()));
            let query = chunk.iter().fold(query, |query, (span, name)| query.bind(name.clone()).bind(*span));
            query.execute(&mut *transaction).await?;
            spans = after;
        }
    }
    for (rows, statement) in SQLITE_STATEMENTS.into_iter().zip(STATEMENTS.iter()) {
        while let Some((chunk, after)) = rest.split_at_checked(rows) {
            let query = sqlx::query::<SqliteDialect>(AssertSqlSafe(statement.as_str()));
            let query = chunk.iter().fold(query, |query, row| bind_row(query, row));
            written += query.execute(&mut *transaction).await?.rows_affected();
            rest = after;
        }
    }
    transaction.commit().await?;
    Ok(written)
}

/// `into`: the table with its columns.
fn sqlite_statement(into: &str, columns: usize, rows: usize) -> String {
    let row = format!("(?{})", ", ?".repeat(columns - 1));
    let all = vec![row.as_str(); rows].join(", ");
    format!("INSERT INTO {into} VALUES {all} ON CONFLICT DO NOTHING")
}

type SqliteQuery<'q> = sqlx::query::Query<'q, SqliteDialect, sqlx::sqlite::SqliteArguments>;

fn bind_row<'q>(query: SqliteQuery<'q>, row: &Decision) -> SqliteQuery<'q> {
    query
        .bind(row.name.clone())
        .bind(row.at)
        .bind(row.number)
        .bind(row.part)
        .bind(row.tick)
        .bind(row.session)
        .bind(row.command.clone())
        .bind(row.args.clone())
        .bind(row.pre_hp)
        .bind(row.pre_mana)
        .bind(row.pre_move)
        .bind(row.pre_position.clone())
        .bind(row.pre_room)
        .bind(row.post_hp)
        .bind(row.post_mana)
        .bind(row.post_move)
        .bind(row.post_position.clone())
        .bind(row.post_room)
        .bind(row.error.clone())
        .bind(row.latency_us)
        .bind(row.model.clone())
        .bind(row.harness.clone())
        .bind(row.version.clone())
        .bind(row.memory_ids.clone())
        .bind(row.source.clone())
        .bind(row.meta.clone())
        .bind(row.pre_exp)
        .bind(row.post_exp)
        .bind(row.pre_gold)
        .bind(row.post_gold)
        .bind(row.valence)
}

/// One array per column, whatever the number of rows.
async fn insert_postgres(
    postgres: &Postgres,
    rows: &[Decision],
    spans: &HashSet<(i64, Arc<str>)>,
) -> Result<u64, sqlx::Error> {
    const STATEMENT: &str = concat!(
        "INSERT INTO decision (",
        columns!(),
        ") SELECT * FROM UNNEST($1::TEXT[], $2::BIGINT[], $3::BIGINT[], $4::BIGINT[], $5::BIGINT[], $6::BIGINT[], \
         $7::TEXT[], $8::TEXT[], $9::BIGINT[], $10::BIGINT[], $11::BIGINT[], $12::TEXT[], $13::BIGINT[], \
         $14::BIGINT[], $15::BIGINT[], $16::BIGINT[], $17::TEXT[], $18::BIGINT[], $19::TEXT[], $20::BIGINT[], \
         $21::TEXT[], $22::TEXT[], $23::TEXT[], $24::TEXT[], $25::TEXT[], $26::TEXT[], $27::BIGINT[], \
         $28::BIGINT[], $29::BIGINT[], $30::BIGINT[], $31::BIGINT[]) ON CONFLICT DO NOTHING"
    );
    let mut written = 0;
    let mut transaction = postgres.pool.begin().await?;
    // In one order, so that two servers do not wait for each other in a circle.
    let mut spans: Vec<&(i64, Arc<str>)> = spans.iter().collect();
    spans.sort();
    sqlx::query(
        "INSERT INTO decision_span (name, span) SELECT * FROM UNNEST($1::TEXT[], $2::BIGINT[]) ON CONFLICT DO NOTHING",
    )
    .bind(spans.iter().map(|(_, name)| &**name).collect::<Vec<&str>>())
    .bind(spans.iter().map(|(span, _)| *span).collect::<Vec<i64>>())
    .execute(&mut *transaction)
    .await?;
    for chunk in rows.chunks(POSTGRES_ROWS) {
        macro_rules! column {
            ($field:ident) => {
                chunk.iter().map(|row| row.$field).collect::<Vec<_>>()
            };
            ($field:ident, text) => {
                chunk.iter().map(|row| &*row.$field).collect::<Vec<&str>>()
            };
            ($field:ident, some_text) => {
                chunk.iter().map(|row| row.$field.as_deref()).collect::<Vec<Option<&str>>>()
            };
        }
        written += sqlx::query::<PostgresDialect>(STATEMENT)
            .bind(column!(name, text))
            .bind(column!(at))
            .bind(column!(number))
            .bind(column!(part))
            .bind(column!(tick))
            .bind(column!(session))
            .bind(column!(command, text))
            .bind(column!(args, text))
            .bind(column!(pre_hp))
            .bind(column!(pre_mana))
            .bind(column!(pre_move))
            .bind(column!(pre_position, text))
            .bind(column!(pre_room))
            .bind(column!(post_hp))
            .bind(column!(post_mana))
            .bind(column!(post_move))
            .bind(column!(post_position, text))
            .bind(column!(post_room))
            .bind(column!(error, some_text))
            .bind(column!(latency_us))
            .bind(column!(model, some_text))
            .bind(column!(harness, some_text))
            .bind(column!(version, some_text))
            .bind(column!(memory_ids, some_text))
            .bind(column!(source, some_text))
            .bind(column!(meta, some_text))
            .bind(column!(pre_exp))
            .bind(column!(post_exp))
            .bind(column!(pre_gold))
            .bind(column!(post_gold))
            .bind(column!(valence))
            .execute(&mut *transaction)
            .await?
            .rows_affected();
    }
    transaction.commit().await?;
    Ok(written)
}

/// Where a reading goes on: behind this row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cursor {
    pub at: i64,
    pub number: i64,
    pub part: i64,
}

impl Cursor {
    /// Before all that came at this time.
    pub fn from(at: i64) -> Cursor {
        Cursor { at, number: -1, part: -1 }
    }

    pub fn behind(row: &Decision) -> Cursor {
        Cursor { at: row.at, number: row.number, part: row.part }
    }
}

/// What is read of a decision, with what the record of its session says.
macro_rules! read_columns {
    () => {
        "SELECT d.name, d.at, d.number, d.part, d.tick, d.session, d.command, d.args, d.pre_hp, d.pre_mana, \
         d.pre_move, d.pre_position, d.pre_room, d.post_hp, d.post_mana, d.post_move, d.post_position, \
         d.post_room, d.error, d.latency_us, COALESCE(d.model, s.model) AS model, \
         COALESCE(d.harness, s.harness) AS harness, COALESCE(d.version, s.version) AS version, d.memory_ids, \
         d.source, d.meta, d.pre_exp, d.post_exp, d.pre_gold, d.post_gold, \
         COALESCE(d.valence, s.valence, CASE WHEN s.id IS NULL THEN NULL ELSE 1 END) AS valence, s.world, s.seed \
         FROM decision AS d LEFT JOIN session AS s ON s.id = d.session \
         WHERE (d.at, d.number, d.part) > ($1, $2, $3) AND d.at >= $4 AND d.at < $5 "
    };
}

/// The next rows of one name, which is canonical, oldest first, at most `limit` and perhaps fewer; none when there are
/// no more. `until` is not among them. Read page by page, a reader that pauses holds nothing open. What lies in
/// archives is not among them: `decision_archives::page` has both.
pub(super) async fn rows(
    store: &Store,
    name: &str,
    after: Cursor,
    until: i64,
    limit: i64,
) -> Result<Vec<Decision>, StoreError> {
    let mut from_span = after.at.div_euclid(SPAN_MS);
    loop {
        let span: Option<i64> = on_reader!(store, "looking for decisions", |on| sqlx::query_scalar(
            "SELECT MIN(span) FROM decision_span WHERE name = $1 AND span >= $2"
        )
        .bind(name)
        .bind(from_span)
        .fetch_one(on))?;
        let Some(span) = span.filter(|span| span * SPAN_MS < until) else { return Ok(Vec::new()) };
        let rows: Vec<Decision> = on_reader!(store, "reading decisions", |on| sqlx::query_as(concat!(
            read_columns!(),
            "AND d.name = $6 ORDER BY d.at, d.number, d.part LIMIT $7"
        ))
        .bind(after.at)
        .bind(after.number)
        .bind(after.part)
        .bind(span * SPAN_MS)
        .bind(until.min((span + 1) * SPAN_MS))
        .bind(name)
        .bind(limit)
        .fetch_all(on))?;
        if !rows.is_empty() {
            return Ok(rows);
        }
        from_span = span + 1;
    }
}

/// The newest rows of one name, which is canonical, newest first: those that came after a time and ran up to a tick.
/// What lies in archives is not among them.
pub async fn newest(
    store: &Store,
    name: &str,
    after: Cursor,
    through_tick: i64,
    limit: i64,
) -> Result<Vec<Decision>, StoreError> {
    let (mut until_span, mut found) = (i64::MAX, Vec::new());
    loop {
        let span: Option<i64> = on_reader!(store, "looking for decisions", |on| sqlx::query_scalar(
            "SELECT MAX(span) FROM decision_span WHERE name = $1 AND span < $2"
        )
        .bind(name)
        .bind(until_span)
        .fetch_one(on))?;
        let Some(span) = span.filter(|span| (span + 1) * SPAN_MS > after.at) else { return Ok(found) };
        let rows: Vec<Decision> = on_reader!(store, "reading decisions", |on| sqlx::query_as(concat!(
            read_columns!(),
            "AND d.name = $6 AND d.tick <= $7 ORDER BY d.at DESC, d.number DESC, d.part DESC LIMIT $8"
        ))
        .bind(after.at)
        .bind(after.number)
        .bind(after.part)
        .bind(span * SPAN_MS)
        .bind((span + 1) * SPAN_MS)
        .bind(name)
        .bind(through_tick)
        .bind(limit)
        .fetch_all(on))?;
        found.extend(rows);
        let most = usize::try_from(limit).unwrap_or(0);
        if found.len() >= most {
            found.truncate(most);
            return Ok(found);
        }
        until_span = span;
    }
}

/// The next rows of all names before a time, in their order.
pub async fn rows_of_all(store: &Store, after: Cursor, until: i64, limit: i64) -> Result<Vec<Decision>, StoreError> {
    on_reader!(store, "reading old decisions", |on| sqlx::query_as(concat!(
        read_columns!(),
        "ORDER BY d.at, d.number, d.part LIMIT $6"
    ))
    .bind(after.at)
    .bind(after.number)
    .bind(after.part)
    .bind(after.at)
    .bind(until)
    .bind(limit)
    .fetch_all(on))
}

/// How many rows came before a time.
pub async fn count_before(store: &Store, at: i64) -> Result<i64, StoreError> {
    on_reader!(store, "counting old decisions", |on| sqlx::query_scalar("SELECT COUNT(*) FROM decision WHERE at < $1")
        .bind(at)
        .fetch_one(on))
}

pub async fn count(store: &Store) -> Result<i64, StoreError> {
    on_reader!(store, "counting decisions", |on| sqlx::query_scalar("SELECT COUNT(*) FROM decision").fetch_one(on))
}

/// For tests: from now on SQLite refuses rows of this command.
#[cfg(test)]
pub async fn refuse_command(store: &Store, command: &str) {
    let trigger = format!(
        "CREATE TRIGGER poison BEFORE INSERT ON decision WHEN NEW.command = '{command}' \
         BEGIN SELECT RAISE(ABORT, 'no'); END"
    );
    let done: Result<(), StoreError> = super::on_writer!(store, "meddling", |on| async {
        sqlx::raw_sql(AssertSqlSafe(trigger)).execute(on).await.map(drop)
    });
    done.expect("a trigger can be made");
}

/// For tests: nobody else writes to a SQLite file as long as this lives.
#[cfg(test)]
pub async fn lock(store: &Store) -> sqlx::Transaction<'static, SqliteDialect> {
    let Store::Sqlite(sqlite) = store else { panic!("only SQLite is locked as a whole") };
    sqlite.writer.begin_with("BEGIN IMMEDIATE").await.expect("nobody else writes")
}

/// For tests: how many rows have a client's text of their own.
#[cfg(test)]
pub async fn texts_in_rows(store: &Store) -> i64 {
    let count: Result<i64, StoreError> = on_reader!(store, "counting", |on| sqlx::query_scalar(
        "SELECT COUNT(*) FROM decision WHERE COALESCE(model, harness, version) IS NOT NULL"
    )
    .fetch_one(on));
    count.expect("it answers")
}
