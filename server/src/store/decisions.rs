//! Decisions: every captured command with the character before and after, written in batches and read by exports.
//!
//! On PostgreSQL the table is partitioned by month of `at` (UTC); partitions are made ahead of time here, and what
//! belongs to none waits in the default partition. Invariants: a row is written once however often it is handed in
//! (the key is who, when, which input, which part), so batches may come again after a failure or a crash. Rows are never
//! changed.

use super::{Postgres, Sqlite, Store, StoreError, canonical, on_reader, on_writer};
use sqlx::{AssertSqlSafe, Postgres as PostgresDialect, Sqlite as SqliteDialect};
use std::sync::{Arc, LazyLock};

/// Texts are shared: most are the same in thousands of rows.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
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
    pub error: Option<Arc<str>>,
    /// From its coming to its end. `None`: not known, as it waited over a restart.
    pub latency_us: Option<i64>,
    pub model: Option<Arc<str>>,
    pub harness: Option<Arc<str>>,
    pub version: Option<Arc<str>>,
    /// JSON.
    pub memory_ids: Option<Arc<str>>,
    pub source: Option<Arc<str>>,
    /// JSON of what else came with the command.
    pub meta: Option<Arc<str>>,
}

macro_rules! columns {
    () => {
        "name, at, number, part, tick, session, command, args, pre_hp, pre_mana, pre_move, pre_position, pre_room, \
         post_hp, post_mana, post_move, post_position, post_room, error, latency_us, model, harness, version, \
         memory_ids, source, meta"
    };
}

const COLUMN_COUNT: usize = 26;

/// Rows in one statement of SQLite: few sizes, so that each stays prepared. More than the first gain nothing.
const SQLITE_STATEMENTS: [usize; 3] = [64, 8, 1];
/// Rows in one statement of PostgreSQL. Encoding so many takes about a millisecond, in which a session may wait.
const POSTGRES_ROWS: usize = 1000;

/// Writes those that are not there yet, all or nothing. Returns how many were new.
pub async fn insert(store: &Store, rows: &[Decision]) -> Result<u64, StoreError> {
    if rows.is_empty() {
        return Ok(0);
    }
    match store {
        Store::Sqlite(sqlite) => insert_sqlite(sqlite, rows).await,
        Store::Postgres(postgres) => insert_postgres(postgres, rows).await,
    }
    .map_err(|cause| store.failed("recording decisions", cause))
}

/// Rows as parameters: one JSON text read with `json_each` took twice as long.
async fn insert_sqlite(sqlite: &Sqlite, rows: &[Decision]) -> Result<u64, sqlx::Error> {
    static STATEMENTS: LazyLock<[String; 3]> = LazyLock::new(|| {
        SQLITE_STATEMENTS.map(|rows| {
            let row = format!("(?{})", ", ?".repeat(COLUMN_COUNT - 1));
            let all = vec![row.as_str(); rows].join(", ");
            format!(concat!("INSERT INTO decision (", columns!(), ") VALUES {} ON CONFLICT DO NOTHING"), all)
        })
    });
    // In the order of the table: neighbours share a page that is in the cache already.
    let mut sorted: Vec<&Decision> = rows.iter().collect();
    sorted.sort_unstable_by_key(|row| (&row.name, row.at, row.number, row.part));
    let mut rest = sorted.as_slice();
    let mut written = 0;
    let mut transaction = sqlite.writer.begin_with("BEGIN IMMEDIATE").await?;
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
}

/// One array per column, whatever the number of rows.
async fn insert_postgres(postgres: &Postgres, rows: &[Decision]) -> Result<u64, sqlx::Error> {
    const STATEMENT: &str = concat!(
        "INSERT INTO decision (",
        columns!(),
        ") SELECT * FROM UNNEST($1::TEXT[], $2::BIGINT[], $3::BIGINT[], $4::BIGINT[], $5::BIGINT[], $6::BIGINT[], \
         $7::TEXT[], $8::TEXT[], $9::BIGINT[], $10::BIGINT[], $11::BIGINT[], $12::TEXT[], $13::BIGINT[], \
         $14::BIGINT[], $15::BIGINT[], $16::BIGINT[], $17::TEXT[], $18::BIGINT[], $19::TEXT[], $20::BIGINT[], \
         $21::TEXT[], $22::TEXT[], $23::TEXT[], $24::TEXT[], $25::TEXT[], $26::TEXT[]) ON CONFLICT DO NOTHING"
    );
    let mut written = 0;
    let mut transaction = postgres.pool.begin().await?;
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
            .execute(&mut *transaction)
            .await?
            .rows_affected();
    }
    transaction.commit().await?;
    Ok(written)
}

/// Where a reading goes on: behind this row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

/// The next decisions of one name, oldest first, at most `limit`; `until` is not among them. Read page by page, a
/// reader that pauses holds nothing open.
pub async fn page(
    store: &Store,
    name: &str,
    after: Cursor,
    until: i64,
    limit: i64,
) -> Result<Vec<Decision>, StoreError> {
    let name = canonical(name);
    on_reader!(store, "reading decisions", |on| sqlx::query_as(concat!(
        "SELECT ",
        columns!(),
        " FROM decision WHERE name = $1 AND (at, number, part) > ($2, $3, $4) AND at < $5 \
         ORDER BY at, number, part LIMIT $6"
    ))
    .bind(&name)
    .bind(after.at)
    .bind(after.number)
    .bind(after.part)
    .bind(until)
    .bind(limit)
    .fetch_all(on))
}

/// Whether anything was ever recorded of that name.
pub async fn has(store: &Store, name: &str) -> Result<bool, StoreError> {
    Ok(!page(store, name, Cursor::from(i64::MIN), i64::MAX, 1).await?.is_empty())
}

pub async fn count(store: &Store) -> Result<i64, StoreError> {
    on_reader!(store, "counting decisions", |on| sqlx::query_scalar("SELECT COUNT(*) FROM decision").fetch_one(on))
}

/// Names the making of partitions among PostgreSQL's advisory locks: "dpmonths" in ASCII.
const PARTITION_LOCK: i64 = i64::from_be_bytes(*b"dpmonths");
/// Partitions are made for this month and so many after it.
const MONTHS_AHEAD: i32 = 2;
/// Rows that one statement of a clean-up takes away, so that saves have their turn in between.
const REMOVE_ROWS: i64 = 5000;

/// A month of the calendar, UTC: months since the year 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Month(i32);

impl Month {
    /// `None` outside the years 1 to 9998, where no clock is.
    fn of(unix_ms: i64) -> Option<Month> {
        let date = jiff::Timestamp::from_millisecond(unix_ms).ok()?.to_zoned(jiff::tz::TimeZone::UTC).date();
        let year = i32::from(date.year());
        (1..9999).contains(&year).then(|| Month(year * 12 + i32::from(date.month()) - 1))
    }

    fn year_and_month(self) -> (i32, i32) {
        (self.0.div_euclid(12), self.0.rem_euclid(12) + 1)
    }

    /// Its first millisecond. `None` outside the calendar.
    fn begins(self) -> Option<i64> {
        let (year, month) = self.year_and_month();
        let first = jiff::civil::Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, 1).ok()?;
        Some(first.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_millisecond())
    }

    fn table(self) -> String {
        let (year, month) = self.year_and_month();
        format!("decision_{year:04}_{month:02}")
    }

    fn of_table(table: &str) -> Option<Month> {
        let (year, month) = table.strip_prefix("decision_")?.split_once('_')?;
        let month: i32 = month.parse().ok().filter(|month| (1..=12).contains(month))?;
        Some(Month(year.parse::<i32>().ok()? * 12 + month - 1))
    }
}

/// Makes the partitions of this month and the next two where they are missing; what waited for them in the default
/// partition moves there. Returns the names of those that are new. Safe when several servers do it at once. Nothing to
/// do on SQLite.
pub async fn make_partitions(store: &Store, now_ms: i64) -> Result<Vec<String>, StoreError> {
    let (Store::Postgres(postgres), Some(this)) = (store, Month::of(now_ms)) else { return Ok(Vec::new()) };
    let mut made = Vec::new();
    for month in (this.0..=this.0 + MONTHS_AHEAD).map(Month) {
        let (Some(begins), Some(ends)) = (month.begins(), Month(month.0 + 1).begins()) else { continue };
        let table = month.table();
        let new = make_partition(postgres, &table, begins, ends)
            .await
            .map_err(|cause| store.failed("making a partition for decisions", cause))?;
        if new {
            made.push(table);
        }
    }
    Ok(made)
}

async fn make_partition(postgres: &Postgres, table: &str, begins: i64, ends: i64) -> Result<bool, sqlx::Error> {
    let mut transaction = postgres.pool.begin().await?;
    sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(PARTITION_LOCK).execute(&mut *transaction).await?;
    let there: bool =
        sqlx::query_scalar("SELECT to_regclass($1) IS NOT NULL").bind(table).fetch_one(&mut *transaction).await?;
    if there {
        return Ok(false);
    }
    // Made apart and attached, as `PARTITION OF` would refuse while the default partition holds rows of the month; and
    // under a lock, so that none comes in after they were moved. Writers of other months go on meanwhile.
    let steps = format!(
        "LOCK TABLE decision_default IN ACCESS EXCLUSIVE MODE;
         CREATE TABLE {table} (LIKE decision INCLUDING ALL);
         WITH moved AS (DELETE FROM decision_default WHERE at >= {begins} AND at < {ends} RETURNING *)
             INSERT INTO {table} SELECT * FROM moved;
         ALTER TABLE decision ATTACH PARTITION {table} FOR VALUES FROM ({begins}) TO ({ends});"
    );
    // The name and the numbers are our own.
    sqlx::raw_sql(AssertSqlSafe(steps)).execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(true)
}

/// Takes away what came before that time. On PostgreSQL a month goes as a whole, when all of it is older, so some rows
/// stay up to a month longer. Returns what was removed, in words; `None`: nothing was.
pub async fn remove_before(store: &Store, at: i64) -> Result<Option<String>, StoreError> {
    match store {
        Store::Sqlite(_) => {
            let rows = remove_rows(store, at).await?;
            Ok((rows > 0).then(|| format!("{rows} rows")))
        }
        Store::Postgres(postgres) => {
            let tables = drop_partitions(postgres, at)
                .await
                .map_err(|cause| store.failed("dropping old partitions of decisions", cause))?;
            Ok((!tables.is_empty()).then(|| tables.join(", ")))
        }
    }
}

/// Name by name, as the table is sorted, and few at a time.
async fn remove_rows(store: &Store, before: i64) -> Result<u64, StoreError> {
    let mut removed = 0;
    let mut name = String::new();
    loop {
        let next: Option<String> = on_reader!(store, "looking for old decisions", |on| sqlx::query_scalar(
            "SELECT MIN(name) FROM decision WHERE name > $1"
        )
        .bind(&name)
        .fetch_one(on))?;
        let Some(next) = next else { return Ok(removed) };
        name = next;
        loop {
            let far: Option<i64> = on_reader!(store, "looking for old decisions", |on| sqlx::query_scalar(
                "SELECT at FROM decision WHERE name = $1 AND at < $2 ORDER BY at LIMIT 1 OFFSET $3"
            )
            .bind(&name)
            .bind(before)
            .bind(REMOVE_ROWS)
            .fetch_optional(on))?;
            let end = far.map_or(before, |at| at + 1);
            removed += on_writer!(store, "removing old decisions", |on| async {
                sqlx::query("DELETE FROM decision WHERE name = $1 AND at < $2")
                    .bind(&name)
                    .bind(end)
                    .execute(on)
                    .await
                    .map(|done| done.rows_affected())
            })?;
            if far.is_none() {
                break;
            }
        }
    }
}

async fn drop_partitions(postgres: &Postgres, before: i64) -> Result<Vec<String>, sqlx::Error> {
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT c.relname::TEXT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid \
         WHERE i.inhparent = 'decision'::regclass ORDER BY 1",
    )
    .fetch_all(&postgres.pool)
    .await?;
    let old = |table: &String| {
        let ends = Month::of_table(table).and_then(|month| Month(month.0 + 1).begins());
        ends.is_some_and(|ends| ends <= before)
    };
    let mut dropped = Vec::new();
    for table in tables.into_iter().filter(old) {
        // Of the form that `of_table` reads. Another server may have dropped it meanwhile.
        let drop = format!("DROP TABLE IF EXISTS {table}");
        sqlx::query(AssertSqlSafe(drop)).execute(&postgres.pool).await?;
        dropped.push(table);
    }
    let strays = sqlx::query("DELETE FROM decision_default WHERE at < $1").bind(before).execute(&postgres.pool).await?;
    if strays.rows_affected() > 0 {
        dropped.push(format!("{} rows without a month", strays.rows_affected()));
    }
    Ok(dropped)
}
