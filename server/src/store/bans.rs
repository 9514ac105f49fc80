//! Who is kept out. The server holds them in memory (`limits::Bans`); here they are kept over a restart.

use super::{Store, StoreError, on_reader, on_writer};
use crate::limits::{Ban, Banned};

struct Columns {
    target: String,
    until: Option<i64>,
    reason: String,
    by_name: String,
    at: i64,
}

from_row!(Columns { target, until, reason, by_name, at });

/// In place of an earlier one of the same.
pub async fn put(store: &Store, ban: &Ban) -> Result<(), StoreError> {
    on_writer!(store, "keeping a ban", |on| async {
        sqlx::query(
            "INSERT INTO ban (target, until, reason, by_name, at) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (target) DO UPDATE SET until = excluded.until, reason = excluded.reason, \
         by_name = excluded.by_name, at = excluded.at",
        )
        .bind(ban.who.to_string())
        .bind(ban.until)
        .bind(&ban.reason)
        .bind(&ban.by)
        .bind(ban.at)
        .execute(on)
        .await
        .map(drop)
    })
}

/// `false`: there was none.
pub async fn remove(store: &Store, who: &Banned) -> Result<bool, StoreError> {
    let target = who.to_string();
    let gone = on_writer!(store, "ending a ban", |on| async {
        sqlx::query("DELETE FROM ban WHERE target = $1")
            .bind(&target)
            .execute(on)
            .await
            .map(|done| done.rows_affected())
    })?;
    Ok(gone > 0)
}

/// Those that are over go with it.
pub async fn tidy(store: &Store, now_ms: i64) -> Result<(), StoreError> {
    on_writer!(store, "forgetting old bans", |on| async {
        sqlx::query("DELETE FROM ban WHERE until <= $1").bind(now_ms).execute(on).await.map(drop)
    })
}

/// All that are kept, the newest first. One that cannot be read, as of a later version, keeps nobody out.
pub async fn all(store: &Store) -> Result<Vec<Ban>, StoreError> {
    let rows: Vec<Columns> = on_reader!(store, "reading the bans", |on| sqlx::query_as(
        "SELECT target, until, reason, by_name, at FROM ban ORDER BY at DESC, target"
    )
    .fetch_all(on))?;
    let ban = |row: Columns| match Banned::parse(&row.target) {
        Ok(who) => Some(Ban { who, until: row.until, reason: row.reason, by: row.by_name, at: row.at }),
        Err(why) => {
            tracing::error!(target = row.target, why, "a ban cannot be read, and keeps nobody out");
            None
        }
    };
    Ok(rows.into_iter().filter_map(ban).collect())
}
