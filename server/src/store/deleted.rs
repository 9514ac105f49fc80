//! What stays of characters that are deleted: records of their sessions and their decisions, under a name that says
//! nothing of them. What lies in archives keeps its name: those files are never written again.

use super::months::SPAN_MS;
use super::{Store, StoreError, canonical, in_transaction};

/// In `meta`: how many there were.
const COUNT: &str = "deleted";

/// Gives what is recorded of a character the next name of its kind, `deleted-7`, and returns that.
pub async fn rename(store: &Store, name: &str) -> Result<String, StoreError> {
    let name = canonical(name);
    in_transaction!(store, "renaming what a deleted character left", |tx| {
        let count: Option<String> =
            sqlx::query_scalar("SELECT value FROM meta WHERE key = $1").bind(COUNT).fetch_optional(&mut **tx).await?;
        let count = count.and_then(|digits| digits.parse::<u64>().ok()).unwrap_or(0) + 1;
        sqlx::query(
            "INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        )
        .bind(COUNT)
        .bind(count.to_string())
        .execute(&mut **tx)
        .await?;
        let nameless = format!("deleted-{count}");
        sqlx::query("UPDATE session SET name = $2 WHERE name = $1")
            .bind(&name)
            .bind(&nameless)
            .execute(&mut **tx)
            .await?;
        let spans: Vec<i64> = sqlx::query_scalar("SELECT span FROM decision_span WHERE name = $1")
            .bind(&name)
            .fetch_all(&mut **tx)
            .await?;
        // There is no index by name: its spans say where it has rows.
        for span in spans {
            sqlx::query("UPDATE decision SET name = $2 WHERE at >= $3 AND at < $4 AND name = $1")
                .bind(&name)
                .bind(&nameless)
                .bind(span * SPAN_MS)
                .bind((span + 1) * SPAN_MS)
                .execute(&mut **tx)
                .await?;
        }
        sqlx::query("UPDATE decision_span SET name = $2 WHERE name = $1")
            .bind(&name)
            .bind(&nameless)
            .execute(&mut **tx)
            .await?;
        nameless
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::decision_tests::decision;
    use crate::store::decisions::{self, Cursor, KnownSpans};
    use crate::store::sessions::{self, NewSession};
    use crate::store::testing::on_each_store;

    #[tokio::test]
    async fn what_is_left_of_the_deleted_has_their_name_no_more() {
        on_each_store(async |store| {
            let rows = [decision("ann", 1_000, 1), decision("ann", 9_000_000, 2), decision("bob", 1_000, 3)];
            decisions::insert(store, &rows, &mut KnownSpans::default()).await.expect("written");
            let session = NewSession { name: "ann".into(), started_at: 5, ..NewSession::default() };
            sessions::begin(store, &session).await.expect("begun");
            let found = async |name: &str| {
                let newest = decisions::newest(store, name, Cursor::from(i64::MIN), i64::MAX, 9).await.expect("read");
                let sessions = sessions::of(store, name, 9).await.expect("read");
                (newest.iter().map(|row| row.number).collect::<Vec<_>>(), sessions.len())
            };
            assert_eq!(found("ann").await, (vec![2, 1], 1));
            assert_eq!(rename(store, "Ann").await.expect("renamed"), "deleted-1");
            assert_eq!(found("ann").await, (vec![], 0));
            assert_eq!(found("deleted-1").await, (vec![2, 1], 1));
            assert_eq!(found("bob").await, (vec![3], 0));
            assert_eq!(rename(store, "bob").await.expect("renamed"), "deleted-2");
        })
        .await;
    }
}
