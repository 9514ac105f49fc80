//! Dumps: every table of a database as JSON lines, and back into an empty database of either kind.
//!
//! One line is one row, an object of all its columns: whole numbers as numbers, bytes as hex, and fractions as text,
//! since no reader of JSON need keep all their digits. Nothing here knows the tables: they come from the database's own
//! catalogue (without what the migrator and the database keep for themselves), so a later migration is not forgotten.
//!
//! Invariants: a dump shows one moment, however long its reading takes. A load does all or nothing, and only where
//! there is no row. Ids that were ever given are not given again afterwards. What is in memory is bounded
//! by the size of a part.

use super::{Store, StoreError, migrations};
use anyhow::{Context, bail, ensure};
use futures_util::TryStreamExt;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::{AssertSqlSafe, ColumnIndex, Decode, Postgres, Row, Sqlite, Transaction, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;
use tokio::sync::mpsc;

/// Rows of one statement of a load, at most; fewer where their columns would be too many or their texts too long.
const BATCH_ROWS: usize = 500;
const BATCH_BYTES: usize = 1 << 20;
/// A part is passed on when it is as long; it is one row longer at most.
const PART_BYTES: usize = 4 << 20;
/// SQLite's limit is 32,766, PostgreSQL's twice that.
const PARAMETERS_MAX: usize = 30_000;

/// One row, sorted by column, so that the same row is the same line in either kind of database.
type Line = BTreeMap<String, Value>;

/// What a column holds. Migrations use no other kinds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Integer,
    Text,
    Fraction,
    Bytes,
}

#[derive(Clone, Debug)]
struct Column {
    name: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
pub struct Table {
    pub name: String,
    columns: Vec<Column>,
    /// Columns of the primary key, in its order.
    key: Vec<String>,
    /// The column whose values the database gives out, each once.
    identity: Option<String>,
    /// Tables that its rows refer to.
    refers_to: BTreeSet<String>,
}

/// Some lines of a table, each whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    pub table: String,
    /// From 1.
    pub number: u32,
    pub lines: Vec<u8>,
}

/// What was read of a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Written {
    pub table: String,
    pub rows: u64,
    /// The highest id that was ever given, also to rows that are gone. `None`: it gives none, or gave none.
    pub last_id: Option<i64>,
}

enum Open {
    Sqlite(Transaction<'static, Sqlite>),
    Postgres(Transaction<'static, Postgres>),
}

/// Runs the same statement on whichever database it is.
macro_rules! on_open {
    ($open:expr, |$on:ident| $query:expr) => {
        match $open {
            Open::Sqlite(transaction) => {
                let $on = &mut **transaction;
                $query.await
            }
            Open::Postgres(transaction) => {
                let $on = &mut **transaction;
                $query.await
            }
        }
    };
}

/// A database as it is at one moment.
pub struct Dump {
    open: Open,
    /// Each after those that it refers to.
    tables: Vec<Table>,
    migration: i64,
    place: String,
}

impl Dump {
    /// Fixes the moment. Others go on reading and writing meanwhile.
    pub async fn begin(store: &Store) -> anyhow::Result<Dump> {
        let failed = |cause| store.failed("beginning a backup", cause);
        let mut open = match store {
            Store::Sqlite(sqlite) => Open::Sqlite(sqlite.readers.begin_with("BEGIN").await.map_err(failed)?),
            Store::Postgres(postgres) => {
                let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";
                Open::Postgres(postgres.pool.begin_with(begin).await.map_err(failed)?)
            }
        };
        // The first statement that reads is what fixes it, on both.
        let migration = "SELECT CAST(COALESCE(MAX(version), 0) AS BIGINT) FROM _sqlx_migrations";
        let migration: i64 = on_open!(&mut open, |on| sqlx::query_scalar(migration).fetch_one(on)).map_err(failed)?;
        let tables = catalogue(&mut open).await.with_context(|| reading_catalogue(store.place()))?;
        Ok(Dump { open, tables, migration, place: store.place().to_owned() })
    }

    /// Number of the newest migration of this database.
    pub fn migration(&self) -> i64 {
        self.migration
    }

    pub fn tables(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(|table| table.name.as_str())
    }

    /// Reads all rows of a table, in the order of its primary key, and passes them on in parts. Waits while the other
    /// side of the channel is busy; fails when it is gone.
    pub async fn read<T: From<Part>>(&mut self, table: &str, to: &mpsc::Sender<T>) -> anyhow::Result<Written> {
        let table = self.tables.iter().find(|known| known.name == table).context("a table of this dump")?;
        let (name, is_postgres) = (&table.name, matches!(self.open, Open::Postgres(_)));
        let columns: Vec<String> = table
            .columns
            .iter()
            .map(|column| match (is_postgres, column.kind) {
                // Narrower numbers are read as wide ones.
                (true, Kind::Integer) => format!("CAST({} AS BIGINT)", quoted(&column.name)),
                (true, Kind::Fraction) => format!("CAST({} AS DOUBLE PRECISION)", quoted(&column.name)),
                _ => quoted(&column.name),
            })
            .collect();
        let order: Vec<String> = table.key.iter().map(|column| quoted(column)).collect();
        let order = if order.is_empty() { String::new() } else { format!(" ORDER BY {}", order.join(", ")) };
        let select = format!("SELECT {} FROM {}{order}", columns.join(", "), quoted(name));
        let failed = |cause| StoreError::Failed { doing: "reading a table", place: self.place.clone(), cause };

        let mut rows = 0;
        let mut part = Part { table: name.clone(), number: 1, lines: Vec::new() };
        on_open!(&mut self.open, |on| async {
            let mut found = sqlx::query(AssertSqlSafe(select)).persistent(false).fetch(on);
            while let Some(row) = found.try_next().await.map_err(failed)? {
                let line = line_of(&row, &table.columns).map_err(failed)?;
                serde_json::to_writer(&mut part.lines, &line)?;
                part.lines.push(b'\n');
                rows += 1;
                if part.lines.len() >= PART_BYTES {
                    let next = Part { table: name.clone(), number: part.number + 1, lines: Vec::new() };
                    pass_on(to, std::mem::replace(&mut part, next)).await?;
                }
            }
            if !part.lines.is_empty() {
                pass_on(to, part).await?;
            }
            Ok::<_, anyhow::Error>(())
        })
        .with_context(|| format!("reading the table {name}"))?;
        let last_id = match &table.identity {
            Some(column) => last_id(&mut self.open, name, column).await.map_err(failed)?,
            None => None,
        };
        Ok(Written { table: name.clone(), rows, last_id })
    }
}

async fn pass_on<T: From<Part>>(to: &mpsc::Sender<T>, part: Part) -> anyhow::Result<()> {
    to.send(T::from(part)).await.ok().context("nobody takes the rows any more")
}

/// Rows on their way into an empty database; nothing stays of it unless `finish` is called.
pub struct Load {
    open: Open,
    tables: Vec<Table>,
    place: String,
}

impl Load {
    /// Refuses a database with a row in it.
    pub async fn begin(store: &Store) -> anyhow::Result<Load> {
        let failed = |cause| store.failed("beginning to load a backup", cause);
        let mut open = match store {
            Store::Sqlite(sqlite) => Open::Sqlite(sqlite.writer.begin_with("BEGIN IMMEDIATE").await.map_err(failed)?),
            Store::Postgres(postgres) => Open::Postgres(postgres.pool.begin_with("BEGIN").await.map_err(failed)?),
        };
        if let Open::Sqlite(transaction) = &mut open {
            // Rows that refer to each other may come in any order.
            sqlx::query("PRAGMA defer_foreign_keys = ON").execute(&mut **transaction).await.map_err(failed)?;
        }
        let tables = catalogue(&mut open).await.with_context(|| reading_catalogue(store.place()))?;
        for table in &tables {
            let any = format!("SELECT COUNT(*) FROM (SELECT 1 FROM {} LIMIT 1) AS found", quoted(&table.name));
            let any: i64 =
                on_open!(&mut open, |on| sqlx::query_scalar(AssertSqlSafe(any)).fetch_one(on)).map_err(failed)?;
            ensure!(
                any == 0,
                "the database {} is not empty: its table {} has rows; a backup goes into a new database only, name one \
                 with --db",
                store.place(),
                table.name
            );
        }
        Ok(Load { open, tables, place: store.place().to_owned() })
    }

    /// Puts lines of a dumped table into the table of that name. All have the columns of the first; columns that this
    /// database has besides get their defaults. Tables come in the order of the dump. How many rows there were.
    pub async fn write(&mut self, table: &str, lines: impl BufRead, last_id: Option<i64>) -> anyhow::Result<u64> {
        let Some(known) = self.tables.iter().find(|known| known.name == table) else {
            bail!("the backup has a table {table}, which the database {} does not have", self.place);
        };
        let known = known.clone();
        let mut columns: Option<Vec<Column>> = None;
        let (mut batch, mut bytes): (Vec<Line>, usize) = (Vec::new(), 0);
        let mut rows = 0;
        for (number, line) in (1_u64..).zip(lines.lines()) {
            let at = || format!("line {number} of the table {table}");
            let line = line.with_context(at)?;
            let row: Line = serde_json::from_str(&line).with_context(at)?;
            let columns = match &columns {
                Some(columns) => columns,
                None => columns.insert(columns_of(&row, &known).with_context(at)?),
            };
            ensure!(
                row.len() == columns.len() && columns.iter().all(|column| row.contains_key(&column.name)),
                "{} has other columns than the first",
                at()
            );
            bytes += line.len();
            rows += 1;
            batch.push(row);
            if batch.len() == BATCH_ROWS || batch.len() * columns.len() >= PARAMETERS_MAX || bytes >= BATCH_BYTES {
                self.insert(table, columns, std::mem::take(&mut batch)).await.with_context(at)?;
                bytes = 0;
            }
        }
        if let (Some(columns), false) = (columns, batch.is_empty()) {
            self.insert(table, &columns, batch).await.with_context(|| format!("the end of the table {table}"))?;
        }
        if let Some(column) = &known.identity {
            let failed = |cause| StoreError::Failed { doing: "counting on", place: self.place.clone(), cause };
            count_on(&mut self.open, table, column, last_id).await.map_err(failed)?;
        }
        Ok(rows)
    }

    async fn insert(&mut self, table: &str, columns: &[Column], batch: Vec<Line>) -> anyhow::Result<()> {
        /// Binds every value of the batch to the query.
        macro_rules! bound {
            ($query:expr) => {{
                let mut query = $query;
                for row in &batch {
                    for Column { name, kind } in columns {
                        let value = &row[name];
                        query = match kind {
                            Kind::Integer => query.bind(integer(value).with_context(|| misfit(name, value))?),
                            Kind::Text => query.bind(text(value).with_context(|| misfit(name, value))?),
                            Kind::Fraction => query.bind(fraction(value).with_context(|| misfit(name, value))?),
                            Kind::Bytes => query.bind(bytes(value).with_context(|| misfit(name, value))?),
                        };
                    }
                }
                query
            }};
        }
        let names: Vec<String> = columns.iter().map(|column| quoted(&column.name)).collect();
        let width = columns.len();
        // SQLite looks up a numbered place among all others each time: a batch of them takes ten times as long.
        let numbered = matches!(self.open, Open::Postgres(_));
        let place = |number: usize| if numbered { format!("${number}") } else { "?".to_owned() };
        let rows: Vec<String> = (0..batch.len())
            .map(|row| {
                let places: Vec<String> = (1..=width).map(|column| place(row * width + column)).collect();
                format!("({})", places.join(", "))
            })
            .collect();
        let insert = format!("INSERT INTO {} ({}) VALUES {}", quoted(table), names.join(", "), rows.join(", "));
        // Batches of the same size are the same statement, which stays prepared.
        match &mut self.open {
            Open::Sqlite(on) => bound!(sqlx::query(AssertSqlSafe(insert))).execute(&mut **on).await.map(drop),
            Open::Postgres(on) => bound!(sqlx::query(AssertSqlSafe(insert))).execute(&mut **on).await.map(drop),
        }
        .map_err(|cause| StoreError::Failed { doing: "loading a backup", place: self.place.clone(), cause })?;
        Ok(())
    }

    pub async fn finish(self) -> anyhow::Result<()> {
        let done = match self.open {
            Open::Sqlite(transaction) => transaction.commit().await,
            Open::Postgres(transaction) => transaction.commit().await,
        };
        let failed = |cause| StoreError::Failed { doing: "finishing the load of a backup", place: self.place, cause };
        Ok(done.map_err(failed)?)
    }
}

/// The newest migration that this program knows: a dump with a newer one cannot be loaded.
pub fn newest_migration() -> i64 {
    migrations::newest()
}

fn reading_catalogue(place: &str) -> String {
    format!("reading which tables the database {place} has")
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn kind_of(declared: &str, table: &str, column: &str) -> anyhow::Result<Kind> {
    Ok(match declared.to_ascii_lowercase().as_str() {
        "bigint" | "integer" | "smallint" => Kind::Integer,
        "text" | "character varying" => Kind::Text,
        "double precision" | "real" => Kind::Fraction,
        "blob" | "bytea" => Kind::Bytes,
        other => bail!("the column {column} of the table {table} is a {other}, which no backup can hold"),
    })
}

/// All tables, each after those that it refers to, else by name.
async fn catalogue(open: &mut Open) -> anyhow::Result<Vec<Table>> {
    let mut found = match open {
        Open::Sqlite(transaction) => sqlite_tables(transaction).await?,
        Open::Postgres(transaction) => postgres_tables(transaction).await?,
    };
    let mut ordered: Vec<Table> = Vec::new();
    while !found.is_empty() {
        let ready = |table: &Table| {
            table.refers_to.iter().all(|other| *other == table.name || found.iter().all(|f| f.name != *other))
        };
        // Tables that refer to each other in a circle: SQLite looks at the end, PostgreSQL will say what is wrong.
        let next = found.iter().position(ready).unwrap_or(0);
        ordered.push(found.remove(next));
    }
    Ok(ordered)
}

async fn sqlite_tables(on: &mut Transaction<'static, Sqlite>) -> anyhow::Result<Vec<Table>> {
    let named: Vec<(String, String)> = sqlx::query_as(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
         AND name <> '_sqlx_migrations' ORDER BY name",
    )
    .fetch_all(&mut **on)
    .await?;
    let mut tables = Vec::new();
    for (name, sql) in named {
        let described: Vec<(String, String, i64)> =
            sqlx::query_as("SELECT name, type, pk FROM pragma_table_info($1) ORDER BY cid")
                .bind(&name)
                .fetch_all(&mut **on)
                .await?;
        let refers_to: Vec<String> = sqlx::query_scalar("SELECT \"table\" FROM pragma_foreign_key_list($1)")
            .bind(&name)
            .fetch_all(&mut **on)
            .await?;
        let columns = described
            .iter()
            .map(|(column, declared, _)| Ok(Column { name: column.clone(), kind: kind_of(declared, &name, column)? }));
        let columns = columns.collect::<anyhow::Result<Vec<_>>>()?;
        let mut key: Vec<(i64, String)> =
            described.iter().filter(|(_, _, at)| *at > 0).map(|(column, _, at)| (*at, column.clone())).collect();
        key.sort();
        let key: Vec<String> = key.into_iter().map(|(_, column)| column).collect();
        // The word can stand nowhere else than behind the one column of the primary key.
        let counts = without_comments(&sql).to_ascii_uppercase().contains("AUTOINCREMENT");
        let identity = key.first().filter(|_| counts).cloned();
        tables.push(Table { columns, key, identity, refers_to: refers_to.into_iter().collect(), name });
    }
    Ok(tables)
}

/// SQLite keeps the text of CREATE TABLE as it was written.
fn without_comments(sql: &str) -> String {
    sql.lines().map(|line| line.split("--").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

async fn postgres_tables(on: &mut Transaction<'static, Postgres>) -> anyhow::Result<Vec<Table>> {
    // Partitions are read and written through the table that they are part of.
    let named: Vec<(i64, String)> = sqlx::query_as(
        "SELECT CAST(oid AS BIGINT), CAST(relname AS TEXT) FROM pg_class \
         WHERE relnamespace = to_regnamespace(quote_ident(current_schema())) AND relkind IN ('r', 'p') \
         AND NOT relispartition AND relname <> '_sqlx_migrations' ORDER BY CAST(relname AS TEXT) COLLATE \"C\"",
    )
    .fetch_all(&mut **on)
    .await?;
    let mut tables = Vec::new();
    for (oid, name) in named {
        let described: Vec<(String, String, bool)> = sqlx::query_as(
            "SELECT CAST(attname AS TEXT), format_type(atttypid, NULL), attidentity <> '' FROM pg_attribute \
             WHERE CAST(attrelid AS BIGINT) = $1 AND attnum > 0 AND NOT attisdropped AND attgenerated = '' \
             ORDER BY attnum",
        )
        .bind(oid)
        .fetch_all(&mut **on)
        .await?;
        let key: Vec<String> = sqlx::query_scalar(
            "SELECT CAST(a.attname AS TEXT) FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY \
             AS k (number, at) JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number \
             WHERE CAST(i.indrelid AS BIGINT) = $1 AND i.indisprimary ORDER BY k.at",
        )
        .bind(oid)
        .fetch_all(&mut **on)
        .await?;
        let refers_to: Vec<String> = sqlx::query_scalar(
            "SELECT CAST(other.relname AS TEXT) FROM pg_constraint c JOIN pg_class other ON other.oid = c.confrelid \
             WHERE c.contype = 'f' AND CAST(c.conrelid AS BIGINT) = $1",
        )
        .bind(oid)
        .fetch_all(&mut **on)
        .await?;
        let columns = described
            .iter()
            .map(|(column, declared, _)| Ok(Column { name: column.clone(), kind: kind_of(declared, &name, column)? }));
        let columns = columns.collect::<anyhow::Result<Vec<_>>>()?;
        let identity = described.iter().find(|(_, _, counts)| *counts).map(|(column, _, _)| column.clone());
        tables.push(Table { columns, key, identity, refers_to: refers_to.into_iter().collect(), name });
    }
    Ok(tables)
}

/// One row as an object.
fn line_of<R>(row: &R, columns: &[Column]) -> Result<Line, sqlx::Error>
where
    R: Row,
    usize: ColumnIndex<R>,
    for<'r> i64: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> f64: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> String: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> Vec<u8>: Decode<'r, R::Database> + Type<R::Database>,
{
    let mut line = Line::new();
    for (at, column) in columns.iter().enumerate() {
        let value = match column.kind {
            Kind::Integer => row.try_get::<Option<i64>, _>(at)?.map(Value::from),
            Kind::Text => row.try_get::<Option<String>, _>(at)?.map(Value::from),
            // The shortest text that is read back as the same number.
            Kind::Fraction => row.try_get::<Option<f64>, _>(at)?.map(|number| Value::from(format!("{number:?}"))),
            Kind::Bytes => row.try_get::<Option<Vec<u8>>, _>(at)?.map(|bytes| Value::from(hex::encode(bytes))),
        };
        line.insert(column.name.clone(), value.unwrap_or(Value::Null));
    }
    Ok(line)
}

/// The columns that a line names, as this database has them.
fn columns_of(row: &Line, table: &Table) -> anyhow::Result<Vec<Column>> {
    let known = |name: &String| table.columns.iter().find(|column| column.name == *name).cloned();
    row.keys()
        .map(|name| known(name).with_context(|| format!("the table {} has no column {name} here", table.name)))
        .collect()
}

fn misfit(column: &str, value: &Value) -> String {
    let what = match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) | Value::Object(_) => "a list",
    };
    // The value itself may be a password's hash.
    format!("the column {column} cannot hold {what} as it is there")
}

fn integer(value: &Value) -> anyhow::Result<Option<i64>> {
    if value.is_null() { Ok(None) } else { value.as_i64().map(Some).context("no whole number of 64 bits") }
}

fn text(value: &Value) -> anyhow::Result<Option<String>> {
    if value.is_null() { Ok(None) } else { value.as_str().map(|text| Some(text.to_owned())).context("no text") }
}

fn fraction(value: &Value) -> anyhow::Result<Option<f64>> {
    let digits = text(value)?;
    digits.map(|digits| digits.parse()).transpose().context("no number")
}

fn bytes(value: &Value) -> anyhow::Result<Option<Vec<u8>>> {
    let digits = text(value)?;
    digits.map(hex::decode).transpose().context("no hex digits")
}

/// The highest id that was given. Sequences of PostgreSQL stand outside of transactions, so it may belong to a row that
/// is younger than the dump, which does no harm.
async fn last_id(open: &mut Open, table: &str, column: &str) -> Result<Option<i64>, sqlx::Error> {
    match open {
        Open::Sqlite(on) => {
            sqlx::query_scalar("SELECT seq FROM sqlite_sequence WHERE name = $1")
                .bind(table)
                .fetch_optional(&mut **on)
                .await
        }
        Open::Postgres(on) => {
            sqlx::query_scalar("SELECT pg_sequence_last_value(CAST(pg_get_serial_sequence($1, $2) AS REGCLASS))")
                .bind(quoted(table))
                .bind(column)
                .fetch_one(&mut **on)
                .await
        }
    }
}

/// New ids go on after `last` and after all that are there.
async fn count_on(open: &mut Open, table: &str, column: &str, last: Option<i64>) -> Result<(), sqlx::Error> {
    let highest = format!("SELECT CAST(COALESCE(MAX({}), 0) AS BIGINT) FROM {}", quoted(column), quoted(table));
    let highest: i64 = on_open!(&mut *open, |on| sqlx::query_scalar(AssertSqlSafe(highest)).fetch_one(on))?;
    let last = highest.max(last.unwrap_or(0));
    if last < 1 {
        return Ok(());
    }
    match open {
        Open::Sqlite(on) => {
            sqlx::query("DELETE FROM sqlite_sequence WHERE name = $1").bind(table).execute(&mut **on).await?;
            sqlx::query("INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)")
                .bind(table)
                .bind(last)
                .execute(&mut **on)
                .await?;
        }
        Open::Postgres(on) => {
            sqlx::query("SELECT setval(CAST(pg_get_serial_sequence($1, $2) AS REGCLASS), $3)")
                .bind(quoted(table))
                .bind(column)
                .bind(last)
                .execute(&mut **on)
                .await?;
        }
    }
    Ok(())
}
