//! What dreams read of the logs: entries of the kind `happening`, by name and number.
//!
//! The rows are those of `agent_events.rs`; here they are only read.

use super::agent_events::AgentEvent;
use super::{Store, StoreError, on_reader};
use mind::{HAPPENING, LogId, MindNumber};

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
pub async fn span(store: &Store, log: impl Into<LogId>, seq: i64, end_ms: i64) -> Result<Span, StoreError> {
    let log = log.into();
    let last: Option<i64> = on_reader!(store, "looking for the end of a day", |on| sqlx::query_scalar(
        "SELECT MAX(seq) FROM agent_event WHERE name = $1 AND mind = $5 AND seq > $2 AND kind = $3 AND at < $4"
    )
    .bind(log.character())
    .bind(seq)
    .bind(HAPPENING)
    .bind(end_ms)
    .bind(i64::from(log.mind()))
    .fetch_one(on))?;
    let (count, ahead, waiting): (i64, i64, i64) = on_reader!(store, "counting happenings", |on| sqlx::query_as(
        "SELECT CAST(COALESCE(SUM(CASE WHEN seq <= $4 THEN 1 ELSE 0 END), 0) AS BIGINT), \
         CAST(COALESCE(SUM(CASE WHEN seq <= $4 AND at >= $5 THEN 1 ELSE 0 END), 0) AS BIGINT), \
         CAST(COALESCE(SUM(CASE WHEN seq > $4 THEN 1 ELSE 0 END), 0) AS BIGINT) \
         FROM agent_event WHERE name = $1 AND mind = $6 AND seq > $2 AND kind = $3"
    )
    .bind(log.character())
    .bind(seq)
    .bind(HAPPENING)
    .bind(last.unwrap_or(0))
    .bind(end_ms)
    .bind(i64::from(log.mind()))
    .fetch_one(on))?;
    Ok(Span { last, count, ahead, waiting })
}

/// Somebody's happenings after one number and up to another, oldest first, so many at most.
pub async fn between(
    store: &Store,
    log: impl Into<LogId>,
    after: i64,
    upto: i64,
    most: i64,
) -> Result<Vec<AgentEvent>, StoreError> {
    let log = log.into();
    on_reader!(store, "reading what happened to somebody", |on| sqlx::query_as(
        "SELECT name, mind, seq, number, tick, at, session, kind, payload FROM agent_event \
         WHERE name = $1 AND mind = $6 AND seq > $2 AND seq <= $3 AND kind = $4 ORDER BY seq LIMIT $5"
    )
    .bind(log.character())
    .bind(after)
    .bind(upto)
    .bind(HAPPENING)
    .bind(most)
    .bind(i64::from(log.mind()))
    .fetch_all(on))
}

/// The time of somebody's newest happening, unix milliseconds; newest by number.
pub async fn latest_at(store: &Store, log: impl Into<LogId>) -> Result<Option<i64>, StoreError> {
    let log = log.into();
    on_reader!(store, "looking for the newest happening", |on| sqlx::query_scalar(
        "SELECT at FROM agent_event WHERE name = $1 AND mind = $3 AND kind = $2 ORDER BY seq DESC LIMIT 1"
    )
    .bind(log.character())
    .bind(HAPPENING)
    .bind(i64::from(log.mind()))
    .fetch_optional(on))
}

/// The number of the oldest of somebody's newest `most` happenings after `seq`; `None` where there are no more than
/// those.
pub async fn newest_from(store: &Store, log: impl Into<LogId>, seq: i64, most: i64) -> Result<Option<i64>, StoreError> {
    let log = log.into();
    // One more than are asked for, so that whoever has just as many is left alone.
    let beyond: Option<i64> = on_reader!(store, "looking how much happened to somebody", |on| sqlx::query_scalar(
        "SELECT seq FROM agent_event WHERE name = $1 AND mind = $2 AND seq > $3 AND kind = $4 \
         ORDER BY seq DESC LIMIT 1 OFFSET $5"
    )
    .bind(log.character())
    .bind(i64::from(log.mind()))
    .bind(seq)
    .bind(HAPPENING)
    .bind(most)
    .fetch_optional(on))?;
    Ok(beyond.map(|seq| seq + 1))
}

/// The first log after `after` that has happenings, by name and mind; `None` for the first of all. Steps over the
/// entries of a log by the key, however many they are.
pub async fn next_log(store: &Store, after: Option<&LogId>) -> Result<Option<LogId>, StoreError> {
    let mut after = after.cloned();
    loop {
        let (name, mind) = after.as_ref().map_or(("", -1), |log| (log.character(), i64::from(log.mind())));
        let next: Option<(String, i64)> = on_reader!(store, "looking who has a log", |on| sqlx::query_as(
            "SELECT name, mind FROM agent_event WHERE (name, mind) > ($1, $2) ORDER BY name, mind LIMIT 1"
        )
        .bind(name)
        .bind(mind)
        .fetch_optional(on))?;
        let Some((name, mind)) = next else { return Ok(None) };
        // Only this program writes the column, as a number of that type.
        let log = LogId::new(&name, MindNumber::try_from(mind).unwrap_or(MindNumber::MAX));
        if latest_at(store, &log).await?.is_some() {
            return Ok(Some(log));
        }
        after = Some(log);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::agent_events;
    use crate::store::testing::on_each_store;

    const KIND: &str = HAPPENING;

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
            assert_eq!(newest_from(store, "ann", 0, 6).await.expect("read"), None, "there are just six");
            assert_eq!(newest_from(store, "ann", 0, 2).await.expect("read"), Some(7));
            assert_eq!(newest_from(store, "ann", 6, 2).await.expect("read"), None);
            let second_mind = AgentEvent { mind: 1, ..event("ann", 70, 1, KIND) };
            agent_events::append(store, &[second_mind]).await.expect("written");
            let (mut logs, mut after) = (Vec::new(), None);
            while let Some(log) = next_log(store, after.as_ref()).await.expect("read") {
                logs.push(log.to_string());
                after = Some(log);
            }
            assert_eq!(logs, ["ann", "ann/1", "zoe"], "a log without happenings is stepped over");
            assert_eq!(latest_at(store, "ann").await.expect("read"), Some(120), "each mind has a log of its own");
        })
        .await;
    }
}
