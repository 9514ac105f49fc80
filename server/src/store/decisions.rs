//! Decisions: every captured command with the character before and after, written in batches and read by exports.
//!
//! On PostgreSQL the table is partitioned by month of `at` (UTC); partitions are made ahead of time here, and what
//! belongs to none waits in the default partition. Invariants: a row is written once however often it is handed in
//! (the key is when, which input, which part), so batches may come again after a failure or a crash. Rows are never
//! changed. Wherever a name has rows, `decision_span` names the span of time: it is written with them.

use super::{Postgres, Sqlite, Store, StoreError, canonical, on_reader, on_writer};
use sqlx::{AssertSqlSafe, Postgres as PostgresDialect, Sqlite as SqliteDialect};
use std::collections::HashSet;
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

/// Length of a span. Shorter ones would cost more to note, longer ones more to read of what is not asked for.
const SPAN_MS: i64 = 600_000;

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
    static STATEMENTS: LazyLock<[String; 3]> = LazyLock::new(|| {
        SQLITE_STATEMENTS.map(|rows| sqlite_statement(concat!("decision (", columns!(), ")"), COLUMN_COUNT, rows))
    });
    static SPAN_STATEMENTS: LazyLock<[String; 3]> =
        LazyLock::new(|| SQLITE_STATEMENTS.map(|rows| sqlite_statement("decision_span (name, span)", 2, rows)));
    let mut rest = rows;
    let mut written = 0;
    let mut transaction = sqlite.writer.begin_with("BEGIN IMMEDIATE").await?;
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
         $21::TEXT[], $22::TEXT[], $23::TEXT[], $24::TEXT[], $25::TEXT[], $26::TEXT[]) ON CONFLICT DO NOTHING"
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

/// The next decisions of one name, oldest first, at most `limit` and perhaps fewer; none when there are no more.
/// `until` is not among them. Read page by page, a reader that pauses holds nothing open.
pub async fn page(
    store: &Store,
    name: &str,
    after: Cursor,
    until: i64,
    limit: i64,
) -> Result<Vec<Decision>, StoreError> {
    let name = canonical(name);
    let mut from_span = after.at.div_euclid(SPAN_MS);
    loop {
        let span: Option<i64> = on_reader!(store, "looking for decisions", |on| sqlx::query_scalar(
            "SELECT MIN(span) FROM decision_span WHERE name = $1 AND span >= $2"
        )
        .bind(&name)
        .bind(from_span)
        .fetch_one(on))?;
        let Some(span) = span.filter(|span| span * SPAN_MS < until) else { return Ok(Vec::new()) };
        let rows: Vec<Decision> = on_reader!(store, "reading decisions", |on| sqlx::query_as(concat!(
            "SELECT ",
            columns!(),
            " FROM decision WHERE (at, number, part) > ($1, $2, $3) AND at >= $4 AND at < $5 AND name = $6 \
             ORDER BY at, number, part LIMIT $7"
        ))
        .bind(after.at)
        .bind(after.number)
        .bind(after.part)
        .bind(span * SPAN_MS)
        .bind(until.min((span + 1) * SPAN_MS))
        .bind(&name)
        .bind(limit)
        .fetch_all(on))?;
        if !rows.is_empty() {
            return Ok(rows);
        }
        from_span = span + 1;
    }
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
    let removed = match store {
        Store::Sqlite(_) => {
            let rows = remove_rows(store, at).await?;
            (rows > 0).then(|| format!("{rows} rows"))
        }
        Store::Postgres(postgres) => {
            let tables = drop_partitions(postgres, at)
                .await
                .map_err(|cause| store.failed("dropping old partitions of decisions", cause))?;
            (!tables.is_empty()).then(|| tables.join(", "))
        }
    };
    // Spans before the oldest row that is left have none.
    on_writer!(store, "removing old decisions", |on| async {
        sqlx::query(
            "DELETE FROM decision_span WHERE span < $1 AND span < COALESCE((SELECT MIN(at) FROM decision), $2) / $3 - 1",
        )
        .bind(at.div_euclid(SPAN_MS))
        .bind(at)
        .bind(SPAN_MS)
        .execute(on)
        .await
        .map(drop)
    })?;
    Ok(removed)
}

/// A few at a time.
async fn remove_rows(store: &Store, before: i64) -> Result<u64, StoreError> {
    let mut removed = 0;
    loop {
        let far: Option<i64> = on_reader!(store, "looking for old decisions", |on| sqlx::query_scalar(
            "SELECT at FROM decision WHERE at < $1 ORDER BY at LIMIT 1 OFFSET $2"
        )
        .bind(before)
        .bind(REMOVE_ROWS)
        .fetch_optional(on))?;
        let end = far.map_or(before, |at| at + 1);
        removed += on_writer!(store, "removing old decisions", |on| async {
            sqlx::query("DELETE FROM decision WHERE at < $1")
                .bind(end)
                .execute(on)
                .await
                .map(|done| done.rows_affected())
        })?;
        if far.is_none() {
            return Ok(removed);
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

/// For tests: from now on SQLite refuses rows of this command.
#[cfg(test)]
pub async fn refuse_command(store: &Store, command: &str) {
    let trigger = format!(
        "CREATE TRIGGER poison BEFORE INSERT ON decision WHEN NEW.command = '{command}' \
         BEGIN SELECT RAISE(ABORT, 'no'); END"
    );
    let done: Result<(), StoreError> =
        on_writer!(store, "meddling", |on| async { sqlx::raw_sql(AssertSqlSafe(trigger)).execute(on).await.map(drop) });
    done.expect("a trigger can be made");
}

/// For tests: nobody else writes to a SQLite file as long as this lives.
#[cfg(test)]
pub async fn lock(store: &Store) -> sqlx::Transaction<'static, SqliteDialect> {
    let Store::Sqlite(sqlite) = store else { panic!("only SQLite is locked as a whole") };
    sqlite.writer.begin_with("BEGIN IMMEDIATE").await.expect("nobody else writes")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::testing::{on_each_place, on_each_store};
    use super::*;

    const HOUR: i64 = 3_600_000;
    const DAY: i64 = 24 * HOUR;
    /// 2026-11-21T00:00:00Z.
    const NOW: i64 = 1_795_219_200_000;

    fn decision(name: &str, at: i64, number: i64) -> Decision {
        Decision {
            name: name.into(),
            at,
            number,
            part: 0,
            tick: 7,
            session: Some(3),
            command: "say".into(),
            args: "„ünseen“ 'quoted'; DROP".into(),
            pre_hp: 20,
            pre_mana: 100,
            pre_move: 82,
            pre_position: "standing".into(),
            pre_room: 3001,
            post_hp: -3,
            post_mana: 90,
            post_move: 81,
            post_position: "mortally wounded".into(),
            post_room: -1,
            error: Some("You cannot.".into()),
            latency_us: Some(1_234_567),
            model: Some("m".into()),
            harness: Some("h".into()),
            version: Some("1".into()),
            memory_ids: Some("[1,\"\\u0000\"]".into()),
            source: Some("reflex".into()),
            meta: Some("{\"more\":[]}".into()),
        }
    }

    fn bare(name: &str, at: i64, number: i64) -> Decision {
        Decision {
            session: None,
            error: None,
            latency_us: None,
            model: None,
            harness: None,
            version: None,
            memory_ids: None,
            source: None,
            meta: None,
            args: "".into(),
            ..decision(name, at, number)
        }
    }

    async fn write(store: &Store, rows: &[Decision]) -> Result<u64, StoreError> {
        insert(store, rows, &mut KnownSpans::default()).await
    }

    async fn all(store: &Store, name: &str) -> Vec<Decision> {
        let (mut rows, mut after) = (Vec::new(), Cursor::from(i64::MIN));
        loop {
            let page = page(store, name, after, i64::MAX, 1000).await.unwrap();
            let Some(last) = page.last() else { return rows };
            after = Cursor::behind(last);
            rows.extend(page);
        }
    }

    #[tokio::test]
    async fn what_is_recorded_is_read_as_it_was_and_each_only_once() {
        on_each_store(async |store| {
            let rows = [decision("ada", NOW, 5), bare("ada", NOW, 6), Decision { part: 1, ..bare("ada", NOW, 6) }];
            assert_eq!(write(store, &rows[..2]).await.unwrap(), 2);
            assert_eq!(write(store, &rows).await.unwrap(), 1, "two are there already");
            assert_eq!(write(store, &[rows[0].clone(), rows[0].clone()]).await.unwrap(), 0);
            let changed = Decision { post_hp: 99, ..rows[0].clone() };
            assert_eq!(write(store, &[changed]).await.unwrap(), 0, "a row is never changed");
            assert_eq!(write(store, &[]).await.unwrap(), 0);
            assert_eq!(all(store, "ADA").await, rows);
            assert_eq!(all(store, "Bob").await, []);
            assert!(has(store, "Ada").await.unwrap() && !has(store, "Bob").await.unwrap());
        })
        .await;
    }

    #[tokio::test]
    async fn pages_follow_each_other_without_gap_or_overlap() {
        on_each_store(async |store| {
            // More than one statement of each size, several in one millisecond, and handed in out of order.
            let mut rows: Vec<Decision> = (0..2_345).map(|n| bare("ada", NOW + n / 7, n)).collect();
            rows.extend((0..40).map(|n| bare("adam", NOW, 9_000 + n)));
            rows.reverse();
            assert_eq!(write(store, &rows).await.unwrap(), 2_385);
            assert_eq!(count(store).await.unwrap(), 2_385);
            let (mut seen, mut after) = (Vec::new(), Cursor::from(NOW + 1));
            loop {
                let page = page(store, "Ada", after, NOW + 300, 100).await.unwrap();
                let Some(last) = page.last() else { break };
                assert!(page.len() <= 100);
                after = Cursor::behind(last);
                seen.extend(page.iter().map(|row| row.number));
            }
            assert_eq!(seen, (7..2_100).collect::<Vec<i64>>(), "from the second millisecond to the last before 300");
        })
        .await;
    }

    #[tokio::test]
    async fn old_rows_go_and_new_ones_stay() {
        on_each_store(async |store| {
            make_partitions(store, NOW - 90 * DAY).await.unwrap();
            make_partitions(store, NOW).await.unwrap();
            let rows: Vec<Decision> = (0..6_000)
                .map(|n| bare("ada", NOW - 80 * DAY + n, n))
                .chain([
                    bare("ada", NOW, 8_000),
                    bare("bob", NOW - 70 * DAY, 8_001),
                    bare("bob", NOW - 400 * DAY, 8_002),
                ])
                .collect();
            write(store, &rows).await.unwrap();
            assert_eq!(remove_before(store, NOW - 500 * DAY).await.unwrap(), None);
            let removed = remove_before(store, NOW - 30 * DAY).await.unwrap();
            assert!(removed.is_some());
            let left = |rows: Vec<Decision>| rows.iter().map(|row| row.number).collect::<Vec<_>>();
            assert_eq!((left(all(store, "ada").await), left(all(store, "bob").await)), (vec![8_000], vec![]));
            assert_eq!(remove_before(store, NOW - 30 * DAY).await.unwrap(), None, "nothing is left to remove");
        })
        .await;
    }

    async fn rows_of(store: &Store, table: &str) -> i64 {
        let Store::Postgres(postgres) = store else { panic!("only PostgreSQL has partitions") };
        let count = format!("SELECT COUNT(*) FROM ONLY {table}");
        sqlx::query_scalar(AssertSqlSafe(count)).fetch_one(&postgres.pool).await.unwrap()
    }

    #[tokio::test]
    async fn months_are_made_ahead_and_take_what_waited_for_them() {
        on_each_store(async |store| {
            if !store.is_postgres() {
                assert_eq!(make_partitions(store, NOW).await.unwrap(), Vec::<String>::new());
                return;
            }
            // Before any month is made, and after a jump of the clock: nothing is refused.
            let december = Month::of(NOW + 15 * DAY).unwrap().begins().unwrap();
            let rows = [
                bare("ada", NOW, 1),
                bare("ada", december - 1, 2),
                bare("ada", december, 3),
                bare("ada", NOW + 4000 * DAY, 4),
                bare("ada", 0, 5),
            ];
            write(store, &rows).await.unwrap();
            assert_eq!(rows_of(store, "decision_default").await, 5);
            let made = make_partitions(store, NOW).await.unwrap();
            assert_eq!(made, ["decision_2026_11", "decision_2026_12", "decision_2027_01"]);
            assert_eq!(rows_of(store, "decision_2026_11").await, 2);
            assert_eq!(rows_of(store, "decision_2026_12").await, 1);
            assert_eq!(rows_of(store, "decision_default").await, 2);
            assert_eq!(all(store, "ada").await.len(), 5, "none was lost on the way");
            write(store, &[bare("ada", NOW + DAY, 6)]).await.unwrap();
            assert_eq!(rows_of(store, "decision_2026_11").await, 3);
            assert_eq!(write(store, &rows).await.unwrap(), 0, "the same rows are still known");
            assert_eq!(make_partitions(store, NOW).await.unwrap(), Vec::<String>::new());
            assert_eq!(make_partitions(store, NOW + 30 * DAY).await.unwrap(), ["decision_2027_02"]);
        })
        .await;
    }

    #[tokio::test]
    async fn several_servers_make_the_months_while_others_write() {
        on_each_place(async |place| {
            let (one, two) = (place.open().await, place.open().await);
            let writing = async {
                for n in 0..60 {
                    write(&one, &[bare("ada", NOW + n * DAY, n)]).await.unwrap();
                }
            };
            let making = async |store: &Store| make_partitions(store, NOW).await.unwrap();
            let ((), first, second) = tokio::join!(writing, making(&one), making(&two));
            assert_eq!(first.len() + second.len(), if one.is_postgres() { 3 } else { 0 }, "{first:?} {second:?}");
            assert_eq!(all(&two, "ada").await.len(), 60);
            one.close().await;
            two.close().await;
        })
        .await;
    }

    #[test]
    fn a_month_knows_its_table_and_its_first_moment() {
        for (at, table, begins) in [
            (NOW, "decision_2026_11", NOW - 20 * DAY),
            (NOW - 20 * DAY, "decision_2026_11", NOW - 20 * DAY),
            (NOW - 20 * DAY - 1, "decision_2026_10", NOW - 51 * DAY),
            (0, "decision_1970_01", 0),
            (-1, "decision_1969_12", -31 * DAY),
            (1_709_164_800_000, "decision_2024_02", 1_706_745_600_000),
        ] {
            let month = Month::of(at).unwrap();
            assert_eq!((month.table().as_str(), month.begins()), (table, Some(begins)), "{at}");
            assert_eq!(Month::of_table(table), Some(month));
        }
        assert_eq!(Month::of(i64::MAX), None);
        for table in ["decision_default", "decision_2026_13", "decision_2026", "decisions_2026_11", "decision_x_11"] {
            assert_eq!(Month::of_table(table), None, "{table}");
        }
    }
}
