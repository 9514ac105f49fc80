//! The database: one `Store` over SQLite (a file, no set-up) or PostgreSQL (by URL), with the same queries on both.
//!
//! Opening, migrating and the transactions are here, what went wrong is in `error.rs`, and each noun has one file
//! with its rows and its queries. What the rows mean (passwords, rules of the game) is left to others.
//!
//! Invariants: SQL is written nowhere else in the project. A function here either did all of what it says or
//! nothing, and has an end: a database that keeps silent is an error after [`StoreOptions::answer_ms`] (and what was
//! under way then may still have happened, as whenever an answer is lost). Names are stored as [`canonical`] makes
//! them, whoever passes them. Times are unix milliseconds.
//!
//! Walkthrough of a table that comes later (boards, mail, houses, clans, agents' events): one pair of files of the
//! same number in `migrations/`, one line in `migrations.rs`, one file here beside the others.

// Before the files that use it.
#[macro_use]
mod from_row;

pub mod accounts;
pub mod agent_archives;
pub mod agent_events;
pub mod agents;
pub mod audit;
pub mod bans;
pub mod channels;
pub mod characters;
pub mod complaints;
pub mod decision_archives;
#[cfg(test)]
pub(crate) mod decision_tests;
pub mod decisions;
pub mod deleted;
pub mod dump;
#[cfg(test)]
mod dump_tests;
mod error;
pub mod happenings;
pub mod keys;
pub mod legacies;
pub mod logs;
pub mod memories;
pub mod messages;
pub mod meta;
mod migrations;
pub mod mind_shares;
pub mod months;
mod open;
pub mod owner_keys;
pub mod plots;
pub mod samples;
pub mod sessions;
#[cfg(test)]
pub mod testing;
#[cfg(test)]
mod tests;
pub mod tokens;

use sqlx::{PgPool, SqlitePool};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::error::Elapsed;

pub use error::StoreError;
pub use open::StoreOptions;

/// A database that is open and migrated. Cloning is cheap; all clones share the connections.
#[derive(Clone, Debug)]
pub enum Store {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

/// One writer, because SQLite has one, so that writers queue here in order and not in a busy loop; a few readers,
/// which WAL lets work meanwhile.
#[derive(Clone, Debug)]
pub struct Sqlite {
    writer: SqlitePool,
    readers: SqlitePool,
    place: Arc<str>,
    patience: Duration,
    archives: Arc<agent_archives::Archives>,
}

#[derive(Clone, Debug)]
pub struct Postgres {
    pool: PgPool,
    place: Arc<str>,
    patience: Duration,
    archives: Arc<agent_archives::Archives>,
}

/// The form of a name that is stored and compared: trimmed, lower-case.
pub fn canonical(name: &str) -> String {
    name.trim().to_lowercase()
}

impl Store {
    /// What this database is called in messages: a path, or user, host and database. Never a password.
    pub fn place(&self) -> &str {
        match self {
            Store::Sqlite(sqlite) => &sqlite.place,
            Store::Postgres(postgres) => &postgres.place,
        }
    }

    pub fn is_postgres(&self) -> bool {
        matches!(self, Store::Postgres(_))
    }

    /// One trip to the database and back, for `/health`.
    pub async fn ping(&self) -> Result<(), StoreError> {
        on_writer!(self, "asking whether it answers", |on| sqlx::query_scalar::<_, i64>("SELECT CAST(1 AS BIGINT)")
            .fetch_one(on))?;
        Ok(())
    }

    /// Lets running statements finish and closes all connections; with SQLite the file is whole afterwards.
    pub async fn close(&self) {
        match self {
            Store::Sqlite(sqlite) => {
                sqlite.readers.close().await;
                sqlite.writer.close().await;
            }
            Store::Postgres(postgres) => postgres.pool.close().await,
        }
    }

    /// The files of old entries, which belong to this database.
    pub fn archives(&self) -> &agent_archives::Archives {
        match self {
            Store::Sqlite(sqlite) => &sqlite.archives,
            Store::Postgres(postgres) => &postgres.archives,
        }
    }

    /// How long an answer may take.
    fn patience(&self) -> Duration {
        match self {
            Store::Sqlite(sqlite) => sqlite.patience,
            Store::Postgres(postgres) => postgres.patience,
        }
    }

    fn judged<T>(&self, doing: &'static str, answer: Result<Result<T, sqlx::Error>, Elapsed>) -> Result<T, StoreError> {
        match answer {
            Ok(answer) => answer.map_err(|cause| self.failed(doing, cause)),
            Err(_) => {
                let place = self.place().to_owned();
                Err(StoreError::Silent { doing, place, seconds: self.patience().as_secs() })
            }
        }
    }

    fn failed(&self, doing: &'static str, cause: sqlx::Error) -> StoreError {
        StoreError::Failed { doing, place: self.place().to_owned(), cause }
    }
}

/// Runs one reading query on whichever database it is: `on_reader!(store, "doing what", |on| query.fetch_all(on))`.
macro_rules! on_reader {
    ($store:expr, $doing:literal, |$on:ident| $query:expr) => {{
        let store: &$crate::store::Store = $store;
        let answer = async {
            match store {
                $crate::store::Store::Sqlite(sqlite) => {
                    let $on = &sqlite.readers;
                    $query.await
                }
                $crate::store::Store::Postgres(postgres) => {
                    let $on = &postgres.pool;
                    $query.await
                }
            }
        };
        store.judged($doing, tokio::time::timeout(store.patience(), answer).await)
    }};
}

/// Runs one writing statement, a transaction of its own.
macro_rules! on_writer {
    ($store:expr, $doing:literal, |$on:ident| $query:expr) => {{
        let store: &$crate::store::Store = $store;
        let answer = async {
            match store {
                $crate::store::Store::Sqlite(sqlite) => {
                    let $on = &sqlite.writer;
                    $query.await
                }
                $crate::store::Store::Postgres(postgres) => {
                    let $on = &postgres.pool;
                    $query.await
                }
            }
        };
        store.judged($doing, tokio::time::timeout(store.patience(), answer).await)
    }};
}

/// Runs a block in one transaction; statements go to `&mut **tx`. The block's value is committed and returned.
/// `return Ok(value)` inside the block, and `?` on an error, leave the database as it was.
macro_rules! in_transaction {
    ($store:expr, $doing:literal, |$tx:ident| $body:block) => {{
        let store: &$crate::store::Store = $store;
        let answer = async {
            match store {
                // A transaction that reads first and writes later fails at once when another program writes in
                // between; IMMEDIATE makes it wait its turn instead.
                $crate::store::Store::Sqlite(sqlite) => {
                    $crate::store::in_transaction!(@run sqlite.writer, "BEGIN IMMEDIATE", $tx, $body)
                }
                $crate::store::Store::Postgres(postgres) => {
                    $crate::store::in_transaction!(@run postgres.pool, "BEGIN", $tx, $body)
                }
            }
        };
        store.judged($doing, tokio::time::timeout(store.patience(), answer).await)
    }};
    (@run $pool:expr, $begin:literal, $tx:ident, $body:block) => {
        async {
            let mut connection = $pool.acquire().await?;
            let outcome = async {
                let mut transaction = sqlx::Connection::begin_with(&mut *connection, $begin).await?;
                let value = {
                    let $tx = &mut transaction;
                    $body
                };
                transaction.commit().await?;
                Ok::<_, sqlx::Error>(value)
            }
            .await;
            if outcome.as_ref().is_err_and($crate::store::error::spoils_connection) {
                // A full disk makes SQLite go back by itself; the connection would count that transaction as open for
                // ever, and refuse all that come after it.
                connection.close_on_drop();
            }
            outcome
        }
        .await
    };
}

use {in_transaction, on_reader, on_writer};
