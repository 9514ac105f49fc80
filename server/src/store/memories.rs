//! What characters remember: the graph of each one's dreams and how far they have come, in one transaction.
//!
//! Leaves what is in a graph to the crate `dreaming`. Invariants: graph and cursor are of the same dream; neither goes
//! back, so of two dreams at once the later one stays, whichever is written last; what is remembered goes with the log,
//! and a dream that ends after its character was deleted writes nothing.

use super::{Store, StoreError, in_transaction, on_reader};
use mind::LogId;
use std::io;

/// Of the compression: what the nights write is read at logins, and kept in every backup.
const ZSTD_LEVEL: i32 = 3;

/// A graph as the database has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredGraph {
    pub compressed: Vec<u8>,
    /// Of the document: `dreaming::graph::content_hash`.
    pub hash: String,
}

from_row!(StoredGraph { compressed, hash });

impl StoredGraph {
    /// Compresses what `document` writes, which returns its hash; some 100 MB a second. The document is never in memory
    /// as a whole: a large one takes more than the graph.
    pub fn of(document: impl FnOnce(&mut dyn io::Write) -> io::Result<String>) -> io::Result<StoredGraph> {
        let mut encoder = zstd::Encoder::new(Vec::new(), ZSTD_LEVEL)?;
        let hash = document(&mut encoder)?;
        Ok(StoredGraph { compressed: encoder.finish()?, hash })
    }

    /// The canonical document. Errors where it is not what was compressed; whether it is what was dreamt is for its
    /// hash to say.
    pub fn document(&self) -> io::Result<Vec<u8>> {
        zstd::decode_all(self.compressed.as_slice())
    }
}

/// How far somebody's dreams have come, and their story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryCursor {
    /// The newest entry of the log that was dreamt, and its time as it is in the log.
    pub last_seq: i64,
    pub last_at: i64,
    /// Days since 1970-01-01 in the calendar of the graph's terms.
    pub through: i64,
    pub dreamt_at: i64,
    pub summary: String,
    /// Of the story.
    pub hash: String,
    /// 1: the dream counted every valence as 0.
    pub flat: i64,
}

from_row!(MemoryCursor { last_seq, last_at, through, dreamt_at, summary, hash, flat });

/// What became of a dream that was to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saved {
    Written,
    /// Another dream has come further; its memories stay.
    Overtaken,
    /// The log is gone: the character was deleted meanwhile.
    Forgotten,
}

pub async fn graph(store: &Store, log: impl Into<LogId>) -> Result<Option<StoredGraph>, StoreError> {
    let log = log.into();
    on_reader!(store, "reading what somebody remembers", |on| sqlx::query_as(
        "SELECT graph AS compressed, hash FROM memory_graph WHERE name = $1 AND mind = $2"
    )
    .bind(log.character())
    .bind(i64::from(log.mind()))
    .fetch_optional(on))
}

pub async fn cursor(store: &Store, log: impl Into<LogId>) -> Result<Option<MemoryCursor>, StoreError> {
    let log = log.into();
    on_reader!(store, "reading how far somebody has dreamt", |on| sqlx::query_as(
        "SELECT last_seq, last_at, through, dreamt_at, summary, hash, flat FROM memory_cursor \
         WHERE name = $1 AND mind = $2"
    )
    .bind(log.character())
    .bind(i64::from(log.mind()))
    .fetch_optional(on))
}

/// How far a log was dreamt of, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastDream {
    pub log: LogId,
    pub last_seq: i64,
    pub dreamt_at: i64,
}

/// The last dreams of everybody, without what was dreamt; in no order.
pub async fn last_dreams(store: &Store) -> Result<Vec<LastDream>, StoreError> {
    let rows: Vec<(String, i64, i64, i64)> = on_reader!(store, "reading who has dreamt when", |on| sqlx::query_as(
        "SELECT name, mind, last_seq, dreamt_at FROM memory_cursor"
    )
    .fetch_all(on))?;
    let of = |(name, mind, last_seq, dreamt_at): (String, i64, i64, i64)| LastDream {
        log: LogId::new(&name, u8::try_from(mind).unwrap_or(u8::MAX)),
        last_seq,
        dreamt_at,
    };
    Ok(rows.into_iter().map(of).collect())
}

/// Keeps a dream: graph, cursor and story, or nothing of it.
pub async fn save(
    store: &Store,
    log: impl Into<LogId>,
    graph: &StoredGraph,
    cursor: &MemoryCursor,
) -> Result<Saved, StoreError> {
    let log = log.into();
    let (name, mind) = (log.character(), i64::from(log.mind()));
    // PostgreSQL cannot store it, and no story of ours has it.
    let summary = cursor.summary.replace('\0', "");
    in_transaction!(store, "keeping a dream", |tx| {
        // Changes nothing, but holds the row: a deletion of this log waits until the dream is written, and then takes
        // it along; or it was first, and there is no row any more.
        let there =
            sqlx::query("UPDATE agent_event SET seq = seq WHERE name = $1 AND mind = $2 AND seq = $3 AND at = $4")
                .bind(name)
                .bind(mind)
                .bind(cursor.last_seq)
                .bind(cursor.last_at)
                .execute(&mut **tx)
                .await?
                .rows_affected();
        // Archived since it was read, its file's row is held instead, which a deletion takes away behind that one.
        let archived = match there {
            0 => sqlx::query(
                "UPDATE agent_archive SET made_at = made_at \
                 WHERE name = $1 AND mind = $2 AND first_seq <= $3 AND last_seq >= $3",
            )
            .bind(name)
            .bind(mind)
            .bind(cursor.last_seq)
            .execute(&mut **tx)
            .await?
            .rows_affected(),
            _ => 0,
        };
        if there + archived == 0 {
            return Ok(Saved::Forgotten);
        }
        let written = sqlx::query(
            "INSERT INTO memory_cursor (name, mind, last_seq, last_at, through, dreamt_at, summary, hash, flat) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (name, mind) DO UPDATE SET \
             last_seq = excluded.last_seq, last_at = excluded.last_at, through = excluded.through, \
             dreamt_at = excluded.dreamt_at, summary = excluded.summary, hash = excluded.hash, \
             flat = excluded.flat WHERE excluded.last_seq >= memory_cursor.last_seq \
             AND excluded.through >= memory_cursor.through",
        )
        .bind(name)
        .bind(mind)
        .bind(cursor.last_seq)
        .bind(cursor.last_at)
        .bind(cursor.through)
        .bind(cursor.dreamt_at)
        .bind(&summary)
        .bind(&cursor.hash)
        .bind(cursor.flat)
        .execute(&mut **tx)
        .await?
        .rows_affected();
        if written == 0 {
            return Ok(Saved::Overtaken);
        }
        sqlx::query(
            "INSERT INTO memory_graph (name, mind, graph, hash) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (name, mind) DO UPDATE SET graph = excluded.graph, hash = excluded.hash",
        )
        .bind(name)
        .bind(mind)
        .bind(&graph.compressed)
        .bind(&graph.hash)
        .execute(&mut **tx)
        .await?;
        Saved::Written
    })
}

/// Lets somebody's dreams begin anew; the log stays. `false`: there were none.
pub async fn delete(store: &Store, log: impl Into<LogId>) -> Result<bool, StoreError> {
    let log = log.into();
    in_transaction!(store, "deleting what somebody remembers", |tx| {
        let mut gone = 0;
        for table in ["memory_graph", "memory_cursor"] {
            let sql = format!("DELETE FROM {table} WHERE name = $1 AND mind = $2");
            let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(log.character()).bind(i64::from(log.mind()));
            gone += query.execute(&mut **tx).await?.rows_affected();
        }
        gone > 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::agent_events::{self, AgentEvent};
    use crate::store::logs;
    use crate::store::testing::on_each_store;

    fn event(name: &str, seq: i64) -> AgentEvent {
        let (number, tick, at) = (seq, seq, seq * 1_000);
        let (name, kind, payload) = (name.into(), "task.done".into(), "{}".into());
        AgentEvent { name, seq, number, tick, at, kind, payload, ..AgentEvent::default() }
    }

    fn dreamt(last_seq: i64, through: i64) -> (StoredGraph, MemoryCursor) {
        let document = format!("{{\"seq\":{last_seq}}}\n");
        let cursor = MemoryCursor {
            last_seq,
            last_at: last_seq * 1_000,
            through,
            dreamt_at: 5,
            summary: format!("The story of {last_seq}."),
            hash: "c0ffee".into(),
            flat: 0,
        };
        let hash = format!("hash {last_seq}");
        let stored = StoredGraph::of(|to| to.write_all(document.as_bytes()).map(|()| hash));
        (stored.expect("it is compressed"), cursor)
    }

    #[tokio::test]
    async fn a_dream_is_kept_and_never_goes_back() {
        on_each_store(async |store| {
            agent_events::append(store, &[event("ann", 3), event("ann", 9)]).await.expect("written");
            assert_eq!(graph(store, "ann").await.expect("read"), None);
            assert_eq!(cursor(store, "ann").await.expect("read"), None);
            let (later, at_nine) = dreamt(9, 20);
            assert_eq!(save(store, "Ann", &later, &at_nine).await.expect("written"), Saved::Written);
            assert_eq!(save(store, "Ann", &later, &at_nine).await.expect("again"), Saved::Written);
            for (seq, through) in [(3, 20), (9, 19)] {
                let (earlier, at) = dreamt(seq, through);
                assert_eq!(save(store, "ann", &earlier, &at).await.expect("asked"), Saved::Overtaken);
            }
            assert_eq!(cursor(store, "ANN").await.expect("read"), Some(at_nine));
            let kept = graph(store, "ann").await.expect("read").expect("there is one");
            assert_eq!((kept.document().expect("whole"), kept), (b"{\"seq\":9}\n".to_vec(), later));
        })
        .await;
    }

    #[tokio::test]
    async fn a_dream_of_who_was_deleted_is_not_kept() {
        on_each_store(async |store| {
            agent_events::append(store, &[event("ann", 3), event("bob", 3)]).await.expect("written");
            let (document, at) = dreamt(3, 20);
            for name in ["ann", "bob"] {
                assert_eq!(save(store, name, &document, &at).await.expect("written"), Saved::Written);
            }
            assert_eq!(logs::delete(store, "Ann").await.expect("deleted"), 1);
            assert_eq!(graph(store, "ann").await.expect("read"), None);
            assert_eq!(cursor(store, "ann").await.expect("read"), None);
            assert_eq!(save(store, "ann", &document, &at).await.expect("asked"), Saved::Forgotten);
            // One of the same name, made afterwards, has another log.
            agent_events::append(store, &[AgentEvent { at: 1, ..event("ann", 3) }]).await.expect("written");
            assert_eq!(save(store, "ann", &document, &at).await.expect("asked"), Saved::Forgotten);
            assert_eq!(graph(store, "ann").await.expect("read"), None);
            assert!(graph(store, "bob").await.expect("read").is_some(), "nobody else is touched");
            assert!(delete(store, "bob").await.expect("deleted") && !delete(store, "bob").await.expect("asked"));
            assert_eq!(agent_events::newest(store, "bob").await.expect("read").seq, 3, "the log stays");
        })
        .await;
    }
}
