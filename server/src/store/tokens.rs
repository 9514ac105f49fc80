//! Login tokens: digests of what lets a client come back without its password, for a day.

use super::{Store, StoreError, canonical, in_transaction, on_reader, on_writer};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRow {
    /// SHA-256 of the token, hex.
    pub digest: String,
    /// Of the one character that this token logs in; canonical.
    pub name: String,
    pub is_agent: bool,
    /// The key that was the way in; `None`: a password.
    pub key_id: Option<i64>,
    /// The host's key for which it was issued; `None`: for a login of its own.
    pub owner_key_id: Option<i64>,
    pub expires_at: i64,
}

/// So many tokens of one character count at a time, so that a client that logs in every second, and never by token,
/// does not fill the table for a day. The one that ends first makes room.
pub const TOKENS_PER_NAME: i64 = 10;

/// Stores it and clears this character's expired ones. `false`: there is no such account, or the key of this token
/// has been revoked meanwhile; nothing was stored.
pub async fn insert(store: &Store, token: &TokenRow, now_ms: i64) -> Result<bool, StoreError> {
    let name = canonical(&token.name);
    in_transaction!(store, "storing a login token", |tx| {
        let stored = sqlx::query(
            "INSERT INTO login_token (digest, name, is_agent, key_id, expires_at, owner_key_id) \
             SELECT $1, name, $3, $4, $5, $6 FROM account WHERE name = $2 \
             AND ($4 IS NULL OR EXISTS (SELECT 1 FROM agent_key WHERE id = $4 AND revoked_at IS NULL)) \
             AND ($6 IS NULL OR EXISTS (SELECT 1 FROM owner_key WHERE id = $6 AND revoked_at IS NULL))",
        )
        .bind(&token.digest)
        .bind(&name)
        .bind(i64::from(token.is_agent))
        .bind(token.key_id)
        .bind(token.expires_at)
        .bind(token.owner_key_id)
        .execute(&mut **tx)
        .await?
        .rows_affected();
        sqlx::query(
            "DELETE FROM login_token WHERE name = $1 AND (expires_at <= $2 OR digest NOT IN \
             (SELECT digest FROM login_token WHERE name = $1 ORDER BY expires_at DESC, digest LIMIT $3))",
        )
        .bind(&name)
        .bind(now_ms)
        .bind(TOKENS_PER_NAME)
        .execute(&mut **tx)
        .await?;
        stored > 0
    })
}

/// digest, name, is_agent, key_id, expires_at, owner_key_id.
type Columns = (String, String, i64, Option<i64>, i64, Option<i64>);

/// Expired ones too: the caller compares the times.
pub async fn by_digest(store: &Store, digest: &str) -> Result<Option<TokenRow>, StoreError> {
    let row: Option<Columns> = on_reader!(store, "looking for a login token", |on| sqlx::query_as(
        "SELECT digest, name, is_agent, key_id, expires_at, owner_key_id FROM login_token WHERE digest = $1"
    )
    .bind(digest)
    .fetch_optional(on))?;
    Ok(row.map(|(digest, name, is_agent, key_id, expires_at, owner_key_id)| TokenRow {
        digest,
        name,
        is_agent: is_agent != 0,
        key_id,
        owner_key_id,
        expires_at,
    }))
}

/// Clears the expired ones of everybody; for the start and now and then. Returns how many.
pub async fn delete_expired(store: &Store, now_ms: i64) -> Result<u64, StoreError> {
    let done = on_writer!(store, "clearing expired tokens", |on| async {
        sqlx::query("DELETE FROM login_token WHERE expires_at <= $1")
            .bind(now_ms)
            .execute(on)
            .await
            .map(|done| done.rows_affected())
    })?;
    Ok(done)
}
