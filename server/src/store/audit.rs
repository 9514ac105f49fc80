//! Who looked at whose mind, and what operators did. Rows are added and never changed.

use super::{Store, StoreError, on_reader, on_writer};

/// Not written yet, so without a number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub at: i64,
    pub actor: String,
    pub origin: &'static str,
    pub action: String,
    pub target: String,
    pub detail: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    pub id: i64,
    /// Unix milliseconds.
    pub at: i64,
    pub actor: String,
    pub origin: String,
    pub action: String,
    pub target: String,
    pub detail: String,
}

from_row!(Written { id, at, actor, origin, action, target, detail });

pub async fn add(store: &Store, entry: &Entry) -> Result<(), StoreError> {
    on_writer!(store, "noting what an operator did", |on| async {
        sqlx::query("INSERT INTO audit (at, actor, origin, action, target, detail) VALUES ($1, $2, $3, $4, $5, $6)")
            .bind(entry.at)
            .bind(&entry.actor)
            .bind(entry.origin)
            .bind(&entry.action)
            .bind(&entry.target)
            .bind(&entry.detail)
            .execute(on)
            .await
            .map(drop)
    })
}

/// Those before one of a number, of one action or of any, the newest first.
pub async fn newest(
    store: &Store,
    before: Option<i64>,
    action: Option<&str>,
    most: i64,
) -> Result<Vec<Written>, StoreError> {
    on_reader!(store, "reading what operators did", |on| sqlx::query_as(
        "SELECT id, at, actor, origin, action, target, detail FROM audit WHERE id < $1 AND ($2 = '' OR action = $2) \
         ORDER BY id DESC LIMIT $3"
    )
    .bind(before.unwrap_or(i64::MAX))
    .bind(action.unwrap_or_default())
    .bind(most)
    .fetch_all(on))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::on_each_store;

    #[tokio::test]
    async fn entries_are_read_newest_first_and_page_by_page() {
        on_each_store(async |store| {
            for n in 0..3 {
                let entry = Entry {
                    at: n,
                    actor: "operator".into(),
                    origin: "admin",
                    action: if n == 1 { "unban" } else { "ban" }.into(),
                    target: format!("bob{n}"),
                    detail: String::new(),
                };
                add(store, &entry).await.expect("written");
            }
            let first = newest(store, None, None, 2).await.expect("read");
            assert_eq!(first.iter().map(|row| &*row.target).collect::<Vec<_>>(), ["bob2", "bob1"]);
            let next = newest(store, Some(first[1].id), None, 2).await.expect("read");
            assert_eq!((next.len(), &*next[0].target, &*next[0].origin), (1, "bob0", "admin"));
            let bans = newest(store, None, Some("ban"), 9).await.expect("read");
            assert_eq!(bans.iter().map(|row| &*row.target).collect::<Vec<_>>(), ["bob2", "bob0"]);
        })
        .await;
    }
}
