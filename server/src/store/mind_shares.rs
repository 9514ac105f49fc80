//! Whose minds may be open to whom, the other way round than logs say it: made from the entries `share.grant` as these
//! are written (`agent_events::append`), in the same transaction.
//!
//! Invariant: it tells where to look and nothing else. What is granted says the log alone, so a row too many does no
//! harm; rows go with their owner (`logs::delete`).

use super::{Store, StoreError, on_reader};

/// Names of those who granted something to a person, the latest first.
pub async fn owners(store: &Store, person: u32, most: i64) -> Result<Vec<String>, StoreError> {
    on_reader!(store, "looking who shares a mind", |on| sqlx::query_scalar(
        "SELECT name FROM mind_share WHERE person = $1 ORDER BY granted_at DESC, name LIMIT $2"
    )
    .bind(i64::from(person))
    .bind(most)
    .fetch_all(on))
}
