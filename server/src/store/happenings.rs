//! What dreams read of the logs: entries of the kind `happening`, by name and number.
//!
//! The rows are those of `agent_events.rs`; here they are only read.

use super::agent_events::AgentEvent;
use super::{Store, StoreError, canonical, on_reader};

/// `Event::Happening` in the column `kind`.
const KIND: &str = "happening";

/// What there is to dream of: the entries after the cursor, up to the last one of the last night.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Span {
    /// The newest entry before the end of the last night; `None`: there is none.
    pub last: Option<i64>,
    pub count: i64,
    /// How many of these say that they are of later than the last night: their clock was wrong.
    pub ahead: i64,
    /// Entries behind the last, of days to come.
    pub waiting: i64,
}

/// Looks through somebody's happenings after number `seq`; `end_ms`: when the last night to be dreamt is over.
pub async fn span(store: &Store, name: &str, seq: i64, end_ms: i64) -> Result<Span, StoreError> {
    let name = canonical(name);
    let last: Option<i64> = on_reader!(store, "looking for the end of a day", |on| sqlx::query_scalar(
        "SELECT MAX(seq) FROM agent_event WHERE name = $1 AND seq > $2 AND kind = $3 AND at < $4"
    )
    .bind(&name)
    .bind(seq)
    .bind(KIND)
    .bind(end_ms)
    .fetch_one(on))?;
    let (count, ahead, waiting): (i64, i64, i64) = on_reader!(store, "counting happenings", |on| sqlx::query_as(
        "SELECT CAST(COALESCE(SUM(CASE WHEN seq <= $4 THEN 1 ELSE 0 END), 0) AS BIGINT), \
         CAST(COALESCE(SUM(CASE WHEN seq <= $4 AND at >= $5 THEN 1 ELSE 0 END), 0) AS BIGINT), \
         CAST(COALESCE(SUM(CASE WHEN seq > $4 THEN 1 ELSE 0 END), 0) AS BIGINT) \
         FROM agent_event WHERE name = $1 AND seq > $2 AND kind = $3"
    )
    .bind(&name)
    .bind(seq)
    .bind(KIND)
    .bind(last.unwrap_or(0))
    .bind(end_ms)
    .fetch_one(on))?;
    Ok(Span { last, count, ahead, waiting })
}

/// Somebody's happenings after one number and up to another, oldest first, so many at most.
pub async fn between(
    store: &Store,
    name: &str,
    after: i64,
    upto: i64,
    most: i64,
) -> Result<Vec<AgentEvent>, StoreError> {
    let name = canonical(name);
    on_reader!(store, "reading what happened to somebody", |on| sqlx::query_as(
        "SELECT name, seq, number, tick, at, session, kind, payload FROM agent_event \
         WHERE name = $1 AND seq > $2 AND seq <= $3 AND kind = $4 ORDER BY seq LIMIT $5"
    )
    .bind(&name)
    .bind(after)
    .bind(upto)
    .bind(KIND)
    .bind(most)
    .fetch_all(on))
}

/// The time of somebody's newest happening, unix milliseconds; newest by number.
pub async fn latest_at(store: &Store, name: &str) -> Result<Option<i64>, StoreError> {
    let name = canonical(name);
    on_reader!(store, "looking for the newest happening", |on| sqlx::query_scalar(
        "SELECT at FROM agent_event WHERE name = $1 AND kind = $2 ORDER BY seq DESC LIMIT 1"
    )
    .bind(&name)
    .bind(KIND)
    .fetch_optional(on))
}

/// The first name after `after` that has happenings, by name. Steps over the entries of a log by the key, however many
/// they are.
pub async fn next_name(store: &Store, after: &str) -> Result<Option<String>, StoreError> {
    let mut after = after.to_owned();
    loop {
        let next: Option<String> = on_reader!(store, "looking who has a log", |on| sqlx::query_scalar(
            "SELECT name FROM agent_event WHERE name > $1 ORDER BY name LIMIT 1"
        )
        .bind(&after)
        .fetch_optional(on))?;
        let Some(name) = next else { return Ok(None) };
        if latest_at(store, &name).await?.is_some() {
            return Ok(Some(name));
        }
        after = name;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::agent_events;
    use crate::store::testing::on_each_store;

    fn event(name: &str, seq: i64, at: i64, kind: &str) -> AgentEvent {
        let (name, kind, payload) = (name.into(), kind.into(), "{}".into());
        AgentEvent { name, seq, number: seq, tick: seq, at, session: Some(1), kind, payload, ..AgentEvent::default() }
    }

    #[tokio::test]
    async fn the_span_ends_with_the_night() {
        on_each_store(async |store| {
            let ats = [(2, 10), (3, 20), (5, 99), (6, 30), (8, 100), (9, 120)];
            let mut rows: Vec<_> = ats.iter().map(|(seq, at)| event("ann", *seq, *at, KIND)).collect();
            rows.push(event("ann", 4, 15, "note.add"));
            rows.push(event("aaron", 1, 1, "note.add"));
            rows.push(event("zoe", 1, 1, KIND));
            agent_events::append(store, &rows).await.expect("written");
            let all = span(store, "Ann", 0, 50).await.expect("read");
            assert_eq!(all, Span { last: Some(6), count: 4, ahead: 1, waiting: 2 });
            let rest = span(store, "ann", 6, 101).await.expect("read");
            assert_eq!(rest, Span { last: Some(8), count: 1, ahead: 0, waiting: 1 });
            assert_eq!(span(store, "ann", 0, 5).await.expect("read"), Span { waiting: 6, ..Span::default() });
            assert_eq!(span(store, "nobody", 0, 5).await.expect("read"), Span::default());
            let seqs = |rows: Vec<AgentEvent>| rows.into_iter().map(|row| row.seq).collect::<Vec<_>>();
            assert_eq!(seqs(between(store, "ann", 2, 8, 10).await.expect("read")), [3, 5, 6, 8]);
            assert_eq!(seqs(between(store, "ann", 0, 8, 2).await.expect("read")), [2, 3]);
            assert_eq!(latest_at(store, "ann").await.expect("read"), Some(120));
            assert_eq!(latest_at(store, "aaron").await.expect("read"), None);
            let first = next_name(store, "").await.expect("read").expect("somebody");
            let second = next_name(store, &first).await.expect("read").expect("somebody");
            assert_eq!((first.as_str(), second.as_str()), ("ann", "zoe"), "a log without happenings is stepped over");
            assert_eq!(next_name(store, &second).await.expect("read"), None);
        })
        .await;
    }
}
