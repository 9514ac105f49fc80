//! Accounts: who may log in, and with which password. One account is one character.
//!
//! Passwords arrive here already hashed; checking them is `crate::accounts`.

use super::characters::CharacterRow;
use super::keys::NewKey;
use super::{Store, StoreError, canonical, in_transaction, keys, on_reader, on_writer};
use sqlx::AssertSqlSafe;
use std::collections::BTreeMap;

#[derive(Clone, PartialEq, Eq)]
pub struct AccountRow {
    /// Canonical.
    pub name: String,
    /// As it was typed when the account was made.
    pub display_name: String,
    /// PHC string. `None`: logs in by key only.
    pub password_hash: Option<String>,
    pub created_at: i64,
    pub last_login_at: Option<i64>,
}

from_row!(AccountRow { name, display_name, password_hash, created_at, last_login_at });

/// Without the hash, which is nobody's business in a log.
impl std::fmt::Debug for AccountRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AccountRow").field("name", &self.name).field("created_at", &self.created_at).finish()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum CreateError {
    /// Perhaps since a moment ago, by somebody else. Nothing was written.
    #[error("the name {name} is taken; choose another")]
    NameTaken { name: String },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Writes the account, the first state of its character and perhaps a key, all or nothing. `account.name` and
/// `character.name` are the same name.
pub async fn create(
    store: &Store,
    account: &AccountRow,
    character: &CharacterRow,
    key: Option<&NewKey>,
) -> Result<(), CreateError> {
    let name = canonical(&account.name);
    assert_eq!(name, canonical(&character.name), "an account and its character have one name");
    let level = (character.level, character.immortal_level);
    let created = in_transaction!(store, "making an account", |tx| {
        let taken = sqlx::query(
            "INSERT INTO account (name, display_name, password_hash, created_at, last_login_at, born_input) \
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (name) DO NOTHING",
        )
        .bind(&name)
        .bind(&account.display_name)
        .bind(&account.password_hash)
        .bind(account.created_at)
        .bind(account.last_login_at)
        .bind(character.input_column())
        .execute(&mut **tx)
        .await?
        .rows_affected()
            == 0;
        if taken {
            return Ok(false);
        }
        let taken = sqlx::query(
            "INSERT INTO character (name, data, written_by_input, updated_at, level, immortal_level) \
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (name) DO NOTHING",
        )
        .bind(&name)
        .bind(&character.data)
        .bind(character.input_column())
        .bind(character.updated_at)
        .bind(level.0)
        .bind(level.1)
        .execute(&mut **tx)
        .await?
        .rows_affected()
            == 0;
        if taken {
            return Ok(false);
        }
        if let Some(key) = key {
            sqlx::query(keys::INSERT)
                .bind(&name)
                .bind(&key.prefix)
                .bind(&key.digest)
                .bind(key.created_at)
                .execute(&mut **tx)
                .await?;
        }
        true
    })?;
    match created {
        true => Ok(()),
        false => Err(CreateError::NameTaken { name: account.display_name.clone() }),
    }
}

pub async fn find(store: &Store, name: &str) -> Result<Option<AccountRow>, StoreError> {
    let name = canonical(name);
    on_reader!(store, "looking for an account", |on| sqlx::query_as(
        "SELECT name, display_name, password_hash, created_at, last_login_at FROM account WHERE name = $1"
    )
    .bind(&name)
    .fetch_optional(on))
}

/// Sorted by name.
pub async fn all(store: &Store) -> Result<Vec<AccountRow>, StoreError> {
    on_reader!(store, "listing the accounts", |on| sqlx::query_as(
        "SELECT name, display_name, password_hash, created_at, last_login_at FROM account ORDER BY name"
    )
    .fetch_all(on))
}

pub async fn count(store: &Store) -> Result<i64, StoreError> {
    on_reader!(store, "counting the accounts", |on| sqlx::query_scalar("SELECT COUNT(*) FROM account").fetch_one(on))
}

/// Whether a character is played without valence for good, whatever its clients ask for: the flat arm of an experiment
/// (`dp-server fork --flat`).
pub async fn is_flat(store: &Store, name: &str) -> Result<bool, StoreError> {
    let name = canonical(name);
    let flat: Option<i64> = on_reader!(store, "looking for the arm of a character", |on| sqlx::query_scalar(
        "SELECT flat FROM account WHERE name = $1"
    )
    .bind(&name)
    .fetch_optional(on))?;
    Ok(flat == Some(1))
}

/// Whether somebody dreams without valence: it is flat for good, or its newest session was one without.
pub async fn dreams_flat(store: &Store, name: &str) -> Result<bool, StoreError> {
    let name = canonical(name);
    let flat: Option<i64> = on_reader!(store, "looking for the arm of a character", |on| sqlx::query_scalar(
        "SELECT CAST(CASE WHEN a.flat = 1 OR COALESCE((SELECT s.valence FROM session AS s WHERE s.name = a.name \
         AND s.started_at >= a.created_at ORDER BY s.started_at DESC, s.id DESC LIMIT 1), 1) = 0 \
         THEN 1 ELSE 0 END AS BIGINT) FROM account AS a WHERE a.name = $1"
    )
    .bind(&name)
    .fetch_optional(on))?;
    Ok(flat == Some(1))
}

/// `hash` is a PHC string. The tokens that the old password opened end with it. `false`: there is no such account.
pub async fn set_password(store: &Store, name: &str, hash: &str) -> Result<bool, StoreError> {
    let name = canonical(name);
    in_transaction!(store, "changing a password", |tx| {
        let found = sqlx::query("UPDATE account SET password_hash = $2 WHERE name = $1")
            .bind(&name)
            .bind(hash)
            .execute(&mut **tx)
            .await?
            .rows_affected();
        sqlx::query("DELETE FROM login_token WHERE name = $1 AND key_id IS NULL AND owner_key_id IS NULL")
            .bind(&name)
            .execute(&mut **tx)
            .await?;
        found > 0
    })
}

/// Notes that somebody came in, and the key that was used.
pub async fn record_login(store: &Store, name: &str, key_id: Option<i64>, now_ms: i64) -> Result<(), StoreError> {
    let name = canonical(name);
    in_transaction!(store, "recording a login", |tx| {
        sqlx::query("UPDATE account SET last_login_at = $2 WHERE name = $1")
            .bind(&name)
            .bind(now_ms)
            .execute(&mut **tx)
            .await?;
        if let Some(id) = key_id {
            sqlx::query("UPDATE agent_key SET last_used_at = $2 WHERE id = $1")
                .bind(id)
                .bind(now_ms)
                .execute(&mut **tx)
                .await?;
        }
    })
}

/// Removes the account with its keys and tokens; the character and the records of its sessions stay. `false`: there
/// was none.
pub async fn delete(store: &Store, name: &str) -> Result<bool, StoreError> {
    let name = canonical(name);
    let gone = on_writer!(store, "deleting an account", |on| async {
        sqlx::query("DELETE FROM account WHERE name = $1")
            .bind(&name)
            .execute(on)
            .await
            .map(|done| done.rows_affected())
    })?;
    Ok(gone > 0)
}

/// When an account was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Birth {
    pub created_at: i64,
    /// The newest input of the world then; `None`: made before this was noted.
    pub born_input: Option<i64>,
}

impl Birth {
    /// Whether what an input brought, at a time, was for the character of this account, not for one of the same name
    /// before it. The clock is asked only where the number is not known: it may have been set back since.
    pub fn is_before(&self, input: u64, at_ms: i64) -> bool {
        match self.born_input {
            Some(born) => i64::try_from(input).is_ok_and(|input| born < input),
            None => self.created_at <= at_ms,
        }
    }
}

/// What a start has to know of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    pub birth: Birth,
    /// The world's input that made the stored state of its character; `None`: nothing is stored.
    pub written_by_input: Option<u64>,
}

struct StandingRow {
    name: String,
    created_at: i64,
    born_input: Option<i64>,
    written_by_input: Option<i64>,
}

from_row!(StandingRow { name, created_at, born_input, written_by_input });

/// Names of one statement.
const NAMES: usize = 64;

/// The standing of many accounts, by canonical name; who has none is not among them. For a start, which may have to
/// know it of a thousand: one statement for each would be most of the time that it takes.
pub async fn standings(store: &Store, names: &[String]) -> Result<BTreeMap<String, Standing>, StoreError> {
    let mut found = BTreeMap::new();
    for names in names.chunks(NAMES) {
        let places: Vec<String> = (1..=names.len()).map(|place| format!("${place}")).collect();
        let sql = format!(
            "SELECT a.name, a.created_at, a.born_input, c.written_by_input FROM account AS a \
             LEFT JOIN character AS c ON c.name = a.name WHERE a.name IN ({})",
            places.join(", ")
        );
        let rows: Vec<StandingRow> = on_reader!(store, "looking for accounts", |on| {
            let mut query = sqlx::query_as(AssertSqlSafe(sql.as_str()));
            for name in names {
                query = query.bind(canonical(name));
            }
            query.fetch_all(on)
        })?;
        found.extend(rows.into_iter().map(|row| {
            let birth = Birth { created_at: row.created_at, born_input: row.born_input };
            let written_by_input = row.written_by_input.map(|input| input.max(0).unsigned_abs());
            (row.name, Standing { birth, written_by_input })
        }));
    }
    Ok(found)
}

/// Names after `after`, in order and so many at most, of accounts that nobody has used since a time: no login, no key,
/// and a character of the first level that was not saved since, or none at all.
pub async fn idle_beginners(store: &Store, before_ms: i64, after: &str, most: i64) -> Result<Vec<String>, StoreError> {
    on_reader!(store, "looking for characters that were never played", |on| sqlx::query_scalar(
        "SELECT a.name FROM account AS a LEFT JOIN character AS c ON c.name = a.name \
         WHERE a.name > $1 AND a.created_at < $2 AND COALESCE(a.last_login_at, a.created_at) < $2 \
         AND (c.name IS NULL OR (c.updated_at < $2 AND c.level <= 1 AND c.immortal_level = 0)) \
         AND NOT EXISTS (SELECT 1 FROM agent_key AS k WHERE k.name = a.name) ORDER BY a.name LIMIT $3"
    )
    .bind(after)
    .bind(before_ms)
    .bind(most)
    .fetch_all(on))
}
