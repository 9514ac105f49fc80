//! The months of decisions: on PostgreSQL a partition for each, made ahead of time and dropped as a whole when old. On
//! SQLite there are none, and old rows go a few at a time.
//!
//! Invariants: nothing is refused for want of a partition, as what belongs to none waits in the default one and moves
//! when its month is made. The names of tables in statements are our own.

use super::{Postgres, Store, StoreError, on_reader, on_writer};
use sqlx::AssertSqlSafe;
use std::fmt;

/// Names the making of partitions among PostgreSQL's advisory locks: "dpmonths" in ASCII.
const PARTITION_LOCK: i64 = i64::from_be_bytes(*b"dpmonths");
/// Partitions are made for this month and so many after it.
pub(super) const MONTHS_AHEAD: i32 = 2;
/// Length of a span. Shorter ones would cost more to note, longer ones more to read of what is not asked for.
pub(super) const SPAN_MS: i64 = 600_000;
/// Rows that one statement of a clean-up takes away, so that saves have their turn in between.
const REMOVE_ROWS: i64 = 5000;

/// A month of the calendar, UTC: months since the year 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Month(i32);

impl Month {
    /// `None` outside the years 1 to 9998, where no clock is.
    pub fn of(unix_ms: i64) -> Option<Month> {
        let date = jiff::Timestamp::from_millisecond(unix_ms).ok()?.to_zoned(jiff::tz::TimeZone::UTC).date();
        let year = i32::from(date.year());
        (1..9999).contains(&year).then(|| Month(year * 12 + i32::from(date.month()) - 1))
    }

    fn year_and_month(self) -> (i32, i32) {
        (self.0.div_euclid(12), self.0.rem_euclid(12) + 1)
    }

    /// Its first millisecond. `None` outside the calendar.
    pub fn begins(self) -> Option<i64> {
        let (year, month) = self.year_and_month();
        let first = jiff::civil::Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, 1).ok()?;
        Some(first.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_millisecond())
    }

    fn table(self) -> String {
        format!("decision_{}", self.to_string().replace('-', "_"))
    }

    fn of_table(table: &str) -> Option<Month> {
        let (year, month) = table.strip_prefix("decision_")?.split_once('_')?;
        let month: i32 = month.parse().ok().filter(|month| (1..=12).contains(month))?;
        Some(Month(year.parse::<i32>().ok()? * 12 + month - 1))
    }
}

/// `2026-03`.
impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month) = self.year_and_month();
        write!(f, "{year:04}-{month:02}")
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000;
    /// 2026-11-21T00:00:00Z.
    const NOW: i64 = 1_795_219_200_000;

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
