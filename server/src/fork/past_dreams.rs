//! What characters remembered at the tick: whoever had dreamt by then dreams anew in the fork, of its log up to then.
//!
//! Dreaming at once gives what dreaming night by night gave, to the byte, so nothing is copied that later nights have
//! changed. Invariant: only what is in the fork's own log is dreamt, in the arm that the character has there.

use super::Cast;
use crate::dreams::called;
use crate::dreams::one::{Calendar, Came, DreamError, Way, dream_of};
use crate::store::memories::MemoryCursor;
use crate::store::{Store, memories};
use anyhow::Context;
use dream_folder::Zone;
use dreaming::Graph;
use dreaming::calendar::day_of;
use jiff::Timestamp;
use mind::LogId;
use std::path::PathBuf;

/// Dreams of each log that had been dreamt of by then; `dir`: the fork's folder of dreams. How many were.
pub(super) async fn dream_anew(
    source: &Store,
    fork: &Store,
    at_ms: i64,
    cast: &Cast,
    dir: PathBuf,
) -> anyhow::Result<usize> {
    let mut count = 0;
    let mut dreamers = memories::last_dreams(source).await?;
    dreamers.retain(|dream| cast.remembers(dream.log.character()));
    dreamers.sort_by(|a, b| a.log.cmp(&b.log));
    for log in dreamers.into_iter().map(|dream| dream.log) {
        let Some(cursor) = memories::cursor(source, &log).await? else { continue };
        let offset = calendar_of(source, &log, at_ms).await?;
        let mut way = Way::new(dir.clone(), Calendar::Of(offset));
        way.through = Some(last_night(&cursor, at_ms, offset));
        match dream_of(fork, &log, &way, &mut |_, _| ()).await {
            Ok(Came::Dreamt(_)) => count += 1,
            // Its first night was after the tick.
            Ok(Came::Nothing { .. } | Came::Gone) | Err(DreamError::NoLog { .. }) => {}
            Err(error) => return Err(error).with_context(|| format!("dreaming what {log} remembered then")),
        }
    }
    Ok(count)
}

/// The last night that was slept through by then: that of the last dream, or, where that one is of later, the night
/// before the tick.
fn last_night(cursor: &MemoryCursor, at_ms: i64, offset: i32) -> i32 {
    let newest = i32::try_from(cursor.through).unwrap_or(i32::MAX);
    if cursor.dreamt_at <= at_ms { newest } else { newest.min(day_of(at_ms, offset) - 1) }
}

/// Minutes east of UTC of the calendar that somebody's nights go by.
async fn calendar_of(source: &Store, log: &LogId, at_ms: i64) -> anyhow::Result<i32> {
    let by_default =
        Zone::default().calendar_minutes(Timestamp::from_millisecond(at_ms).context("the time of the tick")?);
    let Some(stored) = memories::graph(source, log).await? else { return Ok(by_default) };
    let name = called(source, log.character()).await?;
    // A graph that is damaged is made anew by any dream.
    let read = tokio::task::spawn_blocking(move || Graph::from_json(&stored.document().ok()?, &name).ok());
    Ok(read
        .await
        .context("reading what somebody remembers")?
        .map_or(by_default, |graph| graph.terms.utc_offset_minutes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_night_after_the_tick_is_not_slept_through() {
        let day_ms = 86_400_000;
        let dreamt = |through, dreamt_at| MemoryCursor {
            last_seq: 1,
            last_at: 1,
            through,
            dreamt_at,
            summary: String::new(),
            hash: String::new(),
            flat: 0,
        };
        let tick = 100 * day_ms + 5;
        assert_eq!(last_night(&dreamt(99, tick - 1), tick, 0), 99, "the last dream was before it");
        assert_eq!(last_night(&dreamt(100, tick - 1), tick, 0), 100, "and of that very day");
        assert_eq!(last_night(&dreamt(107, tick + 1), tick, 0), 99, "a week of nights came later");
        assert_eq!(last_night(&dreamt(98, tick + 1), tick, 0), 98, "it was dreamt later, of earlier days");
        assert_eq!(last_night(&dreamt(107, tick + 1), tick, -60), 98, "where it is the day before still");
    }
}
