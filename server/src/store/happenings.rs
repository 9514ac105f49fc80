//! What dreams read of the logs: entries of the kind `happening`, by name and number, and of a body those that say what
//! came of its own counsel (`plan.end`, `conflict.outcome`). Who has only those has nothing to dream of. Plans of one
//! mind of several are that mind's, and nobody dreams for it alone: what came of them is told to the body's log.
//!
//! The rows are those of `agent_events.rs`; here they are only read, through to the archives as there.

use super::agent_archives::{self, steadily};
use super::agent_events::{AgentEvent, Sort};
use super::{Store, StoreError, on_reader};
use mind::{CONFLICT_OUTCOME, FIRST_MIND, HAPPENING, LogId, PLAN_END};

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
    steadily!(store, &log, |end| {
        let is_told = |entry: &AgentEvent| kinds(&log).contains(&entry.kind.as_str());
        let archived = agent_archives::after(store, &log, end, (seq, i64::MAX), i64::MAX, is_told).await?;
        let rows = span_of_rows(store, &log, seq.max(end), end_ms).await?;
        if archived.is_empty() {
            return Ok(rows);
        }
        let last = rows.last.or(archived.iter().rev().find(|entry| entry.at < end_ms).map(|entry| entry.seq));
        let upto = last.unwrap_or(0);
        let counted = archived.iter().filter(|entry| entry.seq <= upto);
        Ok(Span {
            last,
            count: rows.count + counted.clone().count() as i64,
            ahead: rows.ahead + counted.filter(|entry| entry.at >= end_ms).count() as i64,
            waiting: rows.waiting + archived.iter().filter(|entry| entry.seq > upto).count() as i64,
        })
    })
}

/// The kinds of entries of a log of which memories may be made.
fn kinds(log: &LogId) -> [&'static str; 3] {
    match log.mind() {
        FIRST_MIND => [HAPPENING, PLAN_END, CONFLICT_OUTCOME],
        _ => [HAPPENING; 3],
    }
}

async fn span_of_rows(store: &Store, log: &LogId, seq: i64, end_ms: i64) -> Result<Span, StoreError> {
    let [happening, plan, conflict] = kinds(log);
    let last: Option<i64> = on_reader!(store, "looking for the end of a day", |on| sqlx::query_scalar(
        "SELECT MAX(seq) FROM agent_event \
         WHERE name = $1 AND mind = $4 AND seq > $2 AND at < $3 AND kind IN ($5, $6, $7)"
    )
    .bind(log.character())
    .bind(seq)
    .bind(end_ms)
    .bind(i64::from(log.mind()))
    .bind(happening)
    .bind(plan)
    .bind(conflict)
    .fetch_one(on))?;
    let (count, ahead, waiting): (i64, i64, i64) = on_reader!(store, "counting happenings", |on| sqlx::query_as(
        "SELECT CAST(COALESCE(SUM(CASE WHEN seq <= $3 THEN 1 ELSE 0 END), 0) AS BIGINT), \
         CAST(COALESCE(SUM(CASE WHEN seq <= $3 AND at >= $4 THEN 1 ELSE 0 END), 0) AS BIGINT), \
         CAST(COALESCE(SUM(CASE WHEN seq > $3 THEN 1 ELSE 0 END), 0) AS BIGINT) \
         FROM agent_event WHERE name = $1 AND mind = $5 AND seq > $2 AND kind IN ($6, $7, $8)"
    )
    .bind(log.character())
    .bind(seq)
    .bind(last.unwrap_or(0))
    .bind(end_ms)
    .bind(i64::from(log.mind()))
    .bind(happening)
    .bind(plan)
    .bind(conflict)
    .fetch_one(on))?;
    Ok(Span { last, count, ahead, waiting })
}

/// What memories may be made of after one number and up to another, oldest first, so many at most.
pub async fn between(
    store: &Store,
    log: impl Into<LogId>,
    after: i64,
    upto: i64,
    most: i64,
) -> Result<Vec<AgentEvent>, StoreError> {
    let log = log.into();
    steadily!(store, &log, |end| {
        let is_told = |entry: &AgentEvent| kinds(&log).contains(&entry.kind.as_str());
        let mut found = agent_archives::after(store, &log, end, (after, upto), most, is_told).await?;
        let left = most - found.len() as i64;
        if left > 0 && upto > end {
            let [happening, plan, conflict] = kinds(&log);
            let rows: Vec<AgentEvent> = on_reader!(store, "reading what happened to somebody", |on| sqlx::query_as(
                "SELECT name, mind, seq, number, tick, at, session, kind, payload FROM agent_event \
                 WHERE name = $1 AND mind = $5 AND seq > $2 AND seq <= $3 AND kind IN ($6, $7, $8) \
                 ORDER BY seq LIMIT $4"
            )
            .bind(log.character())
            .bind(after.max(end))
            .bind(upto)
            .bind(left)
            .bind(i64::from(log.mind()))
            .bind(happening)
            .bind(plan)
            .bind(conflict)
            .fetch_all(on))?;
            found.extend(rows);
        }
        Ok(found)
    })
}

/// The time of somebody's newest happening, unix milliseconds; newest by number.
pub async fn latest_at(store: &Store, log: impl Into<LogId>) -> Result<Option<i64>, StoreError> {
    let log = log.into();
    steadily!(store, &log, |end| {
        let of_rows = on_reader!(store, "looking for the newest happening", |on| sqlx::query_scalar(
            "SELECT at FROM agent_event WHERE name = $1 AND mind = $3 AND kind = $2 ORDER BY seq DESC LIMIT 1"
        )
        .bind(log.character())
        .bind(HAPPENING)
        .bind(i64::from(log.mind()))
        .fetch_optional(on))?;
        if of_rows.is_some() {
            return Ok(of_rows);
        }
        let archived = agent_archives::newest_of(store, &log, end, 0, Sort::Deeds, 1).await?;
        Ok(archived.first().map(|entry| entry.at))
    })
}

/// The number of the oldest of somebody's newest `most` happenings after `seq`; `None` where there are no more than
/// those.
pub async fn newest_from(store: &Store, log: impl Into<LogId>, seq: i64, most: i64) -> Result<Option<i64>, StoreError> {
    let log = log.into();
    // One more than are asked for, so that whoever has just as many is left alone.
    let beyond = steadily!(store, &log, |end| {
        let beyond: Option<i64> = on_reader!(store, "looking how much happened to somebody", |on| sqlx::query_scalar(
            "SELECT seq FROM agent_event WHERE name = $1 AND mind = $2 AND seq > $3 AND kind = $4 \
             ORDER BY seq DESC LIMIT 1 OFFSET $5"
        )
        .bind(log.character())
        .bind(i64::from(log.mind()))
        .bind(seq.max(end))
        .bind(HAPPENING)
        .bind(most)
        .fetch_optional(on))?;
        if beyond.is_some() || end <= seq {
            return Ok(beyond);
        }
        let newer: i64 = on_reader!(store, "counting happenings", |on| sqlx::query_scalar(
            "SELECT COUNT(*) FROM agent_event WHERE name = $1 AND mind = $2 AND seq > $3 AND kind = $4"
        )
        .bind(log.character())
        .bind(i64::from(log.mind()))
        .bind(end)
        .bind(HAPPENING)
        .fetch_one(on))?;
        agent_archives::deed_before(store, &log, end, seq, most - newer).await
    })?;
    Ok(beyond.map(|seq| seq + 1))
}

/// The first log after `after` that has happenings, by name and mind; `None` for the first of all. Steps over the
/// entries of a log by the key, however many they are.
pub async fn next_log(store: &Store, after: Option<&LogId>) -> Result<Option<LogId>, StoreError> {
    let mut after = after.cloned();
    loop {
        let Some(log) = agent_archives::next_log(store, after.as_ref()).await? else { return Ok(None) };
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
            // What came of a body's own counsel is read with what happened to it; of another mind it is that one's own.
            let counsel = |seq, kind| event("ann", seq, 97, kind);
            let of_another = AgentEvent { mind: 1, ..counsel(71, PLAN_END) };
            let rows = [counsel(7, PLAN_END), counsel(10, CONFLICT_OUTCOME), of_another, event("bob", 1, 1, PLAN_END)];
            agent_events::append(store, &rows).await.expect("written");
            assert_eq!(seqs(between(store, "ann", 5, 99, 10).await.expect("read")), [6, 7, 8, 9, 10]);
            let second = LogId::new("ann", 1);
            assert_eq!(seqs(between(store, &second, 0, 99, 10).await.expect("read")), [70]);
            let all = span(store, "ann", 6, 100).await.expect("read");
            assert_eq!(all, Span { last: Some(10), count: 4, ahead: 2, waiting: 0 });
            assert_eq!(latest_at(store, "bob").await.expect("read"), None, "of a plan alone nobody dreams");
        })
        .await;
    }
}
