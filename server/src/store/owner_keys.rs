//! Keys of hosts, by which a program plays the agents of an owner: their digests, and until when they count. The keys
//! themselves are never here. Rows are those of `keys`, with the owner in the place of the character.

use super::keys::{KeyRow, NewKey};
use super::{Store, StoreError, canonical, in_transaction, on_reader, on_writer};

/// `None`: there is no account of this name.
pub async fn insert(store: &Store, owner: &str, key: &NewKey) -> Result<Option<i64>, StoreError> {
    let owner = canonical(owner);
    on_writer!(store, "storing a host's key", |on| sqlx::query_scalar(
        "INSERT INTO owner_key (owner, prefix, digest, created_at) \
         SELECT name, $2, $3, $4 FROM account WHERE name = $1 RETURNING id"
    )
    .bind(&owner)
    .bind(&key.prefix)
    .bind(&key.digest)
    .bind(key.created_at)
    .fetch_optional(on))
}

/// Revoked ones too: the caller says so in its own words.
pub async fn by_digest(store: &Store, digest: &str) -> Result<Option<KeyRow>, StoreError> {
    on_reader!(store, "looking for a host's key", |on| sqlx::query_as(
        "SELECT id, owner AS name, prefix, created_at, revoked_at, last_used_at FROM owner_key WHERE digest = $1"
    )
    .bind(digest)
    .fetch_optional(on))
}

/// Sorted by id; may be empty. Two keys of one prefix are possible, if unlikely.
pub async fn by_prefix(store: &Store, prefix: &str) -> Result<Vec<KeyRow>, StoreError> {
    on_reader!(store, "looking for a host's key", |on| sqlx::query_as(
        "SELECT id, owner AS name, prefix, created_at, revoked_at, last_used_at FROM owner_key WHERE prefix = $1 \
         ORDER BY id"
    )
    .bind(prefix)
    .fetch_all(on))
}

pub async fn by_id(store: &Store, id: i64) -> Result<Option<KeyRow>, StoreError> {
    on_reader!(store, "looking for a host's key", |on| sqlx::query_as(
        "SELECT id, owner AS name, prefix, created_at, revoked_at, last_used_at FROM owner_key WHERE id = $1"
    )
    .bind(id)
    .fetch_optional(on))
}

/// Of one owner, or of all. Revoked ones too. Sorted by owner, then by id.
pub async fn list(store: &Store, owner: Option<&str>) -> Result<Vec<KeyRow>, StoreError> {
    let owner = owner.map(canonical);
    on_reader!(store, "listing the keys of hosts", |on| sqlx::query_as(
        "SELECT id, owner AS name, prefix, created_at, revoked_at, last_used_at FROM owner_key \
         WHERE $1 IS NULL OR owner = $1 ORDER BY owner, id"
    )
    .bind(&owner)
    .fetch_all(on))
}

/// Notes that a host came in by it.
pub async fn used(store: &Store, id: i64, now_ms: i64) -> Result<(), StoreError> {
    on_writer!(store, "noting the use of a host's key", |on| async {
        let used = sqlx::query("UPDATE owner_key SET last_used_at = $2 WHERE id = $1").bind(id).bind(now_ms);
        used.execute(on).await.map(drop)
    })
}

/// The tokens of the agents that were claimed by it end with it. `false`: it was revoked already, or there is none.
pub async fn revoke(store: &Store, id: i64, now_ms: i64) -> Result<bool, StoreError> {
    in_transaction!(store, "revoking a host's key", |tx| {
        let revoked = sqlx::query("UPDATE owner_key SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL")
            .bind(id)
            .bind(now_ms)
            .execute(&mut **tx)
            .await?
            .rows_affected();
        sqlx::query("DELETE FROM login_token WHERE owner_key_id = $1").bind(id).execute(&mut **tx).await?;
        revoked > 0
    })
}
