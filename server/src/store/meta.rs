//! Facts about the database itself: which one it is, and counters that must never go back.

use super::{Store, StoreError, on_reader, on_writer};

/// Key of the random id that a database gets once; a journal names the database that it belongs to by it.
const DATABASE_ID: &str = "database_id";

pub async fn get(store: &Store, key: &str) -> Result<Option<String>, StoreError> {
    on_reader!(store, "reading a fact", |on| sqlx::query_scalar("SELECT value FROM meta WHERE key = $1")
        .bind(key)
        .fetch_optional(on))
}

pub async fn set(store: &Store, key: &str, value: &str) -> Result<(), StoreError> {
    on_writer!(store, "writing a fact", |on| async {
        sqlx::query(
            "INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        )
        .bind(key)
        .bind(value)
        .execute(on)
        .await
        .map(drop)
    })
}

/// The value that is there; where none is, `first`, which is there from now on. Two callers get the same.
pub async fn get_or_set(store: &Store, key: &str, first: &str) -> Result<String, StoreError> {
    // The update that changes nothing makes both databases return the row that was there.
    on_writer!(store, "reading or writing a fact", |on| {
        sqlx::query_scalar(
        "INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = meta.value RETURNING value"
    )
    .bind(key)
    .bind(first)
    .fetch_one(on)
    })
}

/// 32 hex digits, made when first asked for, the same ever after.
pub async fn database_id(store: &Store) -> Result<String, StoreError> {
    let mut id = [0; 16];
    getrandom::fill(&mut id).expect("the operating system gives random bytes");
    get_or_set(store, DATABASE_ID, &hex::encode(id)).await
}

/// A counter, 0 where it was never raised.
pub async fn counter(store: &Store, key: &str) -> Result<i64, StoreError> {
    let value = get(store, key).await?;
    Ok(value.and_then(|digits| digits.parse().ok()).unwrap_or(0))
}

/// Raises a counter to at least `value`; it never goes back. To be sure that no number is ever given twice, raise by
/// a block of numbers before the first of them is used, and go on above what is here after a start.
pub async fn raise_counter(store: &Store, key: &str, value: i64) -> Result<(), StoreError> {
    on_writer!(store, "raising a counter", |on| async {
        sqlx::query(
            "INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value \
             WHERE CAST(excluded.value AS BIGINT) > CAST(meta.value AS BIGINT)",
        )
        .bind(key)
        .bind(value.to_string())
        .execute(on)
        .await
        .map(drop)
    })
}

/// Facts whose key begins with this, sorted by key.
pub async fn beginning_with(store: &Store, start: &str) -> Result<Vec<(String, String)>, StoreError> {
    on_reader!(store, "reading facts", |on| sqlx::query_as(
        "SELECT key, value FROM meta WHERE SUBSTR(key, 1, LENGTH($1)) = $1 ORDER BY key"
    )
    .bind(start)
    .fetch_all(on))
}

pub async fn remove(store: &Store, key: &str) -> Result<(), StoreError> {
    on_writer!(store, "removing a fact", |on| async {
        sqlx::query("DELETE FROM meta WHERE key = $1").bind(key).execute(on).await.map(drop)
    })
}
