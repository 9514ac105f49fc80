//! Agent keys: their digests, and until when they count. The keys themselves are never here.

use super::{Store, StoreError, canonical, in_transaction, on_reader, on_writer};

/// A key that was just made. `digest` is SHA-256 of the whole key in hex, `prefix` its first 8 hex digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewKey {
    pub prefix: String,
    pub digest: String,
    pub created_at: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRow {
    pub id: i64,
    /// Of the one character that this key logs in; canonical.
    pub name: String,
    pub prefix: String,
    pub created_at: i64,
    pub revoked_at: Option<i64>,
    pub last_used_at: Option<i64>,
}

from_row!(KeyRow { id, name, prefix, created_at, revoked_at, last_used_at });

/// name, prefix, digest, created_at. Shared with the making of an account.
pub(super) const INSERT: &str = "INSERT INTO agent_key (name, prefix, digest, created_at) VALUES ($1, $2, $3, $4)";

/// `None`: there is no account of this name.
pub async fn insert(store: &Store, name: &str, key: &NewKey) -> Result<Option<i64>, StoreError> {
    let name = canonical(name);
    on_writer!(store, "storing a key", |on| sqlx::query_scalar(
        "INSERT INTO agent_key (name, prefix, digest, created_at) \
         SELECT name, $2, $3, $4 FROM account WHERE name = $1 RETURNING id"
    )
    .bind(&name)
    .bind(&key.prefix)
    .bind(&key.digest)
    .bind(key.created_at)
    .fetch_optional(on))
}

/// Revoked ones too: the caller says so in its own words.
pub async fn by_digest(store: &Store, digest: &str) -> Result<Option<KeyRow>, StoreError> {
    on_reader!(store, "looking for a key", |on| sqlx::query_as(
        "SELECT id, name, prefix, created_at, revoked_at, last_used_at FROM agent_key WHERE digest = $1"
    )
    .bind(digest)
    .fetch_optional(on))
}

/// Sorted by id; may be empty. Two keys of one prefix are possible, if unlikely.
pub async fn by_prefix(store: &Store, prefix: &str) -> Result<Vec<KeyRow>, StoreError> {
    on_reader!(store, "looking for a key", |on| sqlx::query_as(
        "SELECT id, name, prefix, created_at, revoked_at, last_used_at FROM agent_key WHERE prefix = $1 ORDER BY id"
    )
    .bind(prefix)
    .fetch_all(on))
}

pub async fn by_id(store: &Store, id: i64) -> Result<Option<KeyRow>, StoreError> {
    on_reader!(store, "looking for a key", |on| sqlx::query_as(
        "SELECT id, name, prefix, created_at, revoked_at, last_used_at FROM agent_key WHERE id = $1"
    )
    .bind(id)
    .fetch_optional(on))
}

/// Of one character, or of all. Revoked ones too. Sorted by name, then by id.
pub async fn list(store: &Store, name: Option<&str>) -> Result<Vec<KeyRow>, StoreError> {
    let name = name.map(canonical);
    on_reader!(store, "listing the keys", |on| sqlx::query_as(
        "SELECT id, name, prefix, created_at, revoked_at, last_used_at FROM agent_key \
         WHERE $1 IS NULL OR name = $1 ORDER BY name, id"
    )
    .bind(&name)
    .fetch_all(on))
}

/// The tokens that this key opened end with it. `false`: it was revoked already, or there is none.
pub async fn revoke(store: &Store, id: i64, now_ms: i64) -> Result<bool, StoreError> {
    in_transaction!(store, "revoking a key", |tx| {
        let revoked = sqlx::query("UPDATE agent_key SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL")
            .bind(id)
            .bind(now_ms)
            .execute(&mut **tx)
            .await?
            .rows_affected();
        sqlx::query("DELETE FROM login_token WHERE key_id = $1").bind(id).execute(&mut **tx).await?;
        revoked > 0
    })
}
