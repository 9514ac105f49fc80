//! When somebody who goes to sleep wants to think again: a span of the world's time, or an instant of the calendar
//! outside, which becomes a tick by the epoch that the engine told at its start.

use crate::agent::Epoch;
use crate::clock::{DAY_TICKS, HOUR_TICKS, TICKS_PER_MINUTE, span_ticks};
use crate::refusal::Refusal;
use protocol::instant;
use protocol::words::counted;

/// Nobody sleeps longer at a time: a month.
const SLEEP_TICKS_MAX: u64 = 31 * DAY_TICKS;
const HOW: &str = "Until when? agent sleep 10m, agent sleep 2h, or agent sleep 2026-12-01T08:00:00Z";

/// The tick before which somebody does not want to think, and the instant that it named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Moment {
    pub until: u64,
    pub wakes_ms: Option<i64>,
}

/// Refuses what is no such moment, what is past, and what is more than a month away.
pub(super) fn sleep_until(text: &str, now: u64, epoch: Option<Epoch>) -> Result<Moment, Refusal> {
    let (until, wakes_ms) = match span_ticks(text) {
        Some(ticks) => (now.saturating_add(ticks), None),
        None => {
            let at_ms = instant::parse(text).ok_or(HOW)?;
            let epoch = epoch.ok_or("The world does not know the calendar just now. Say how long: agent sleep 2h")?;
            (epoch.tick_at(at_ms).filter(|until| *until > now).ok_or("That moment is past.")?, Some(at_ms))
        }
    };
    if until - now > SLEEP_TICKS_MAX {
        return Err("Nobody sleeps longer than a month at a time.".into());
    }
    Ok(Moment { until, wakes_ms })
}

/// So many ticks in words, for who sleeps so long.
pub(super) fn in_words(ticks: u64) -> String {
    match ticks {
        0..TICKS_PER_MINUTE => counted((ticks * 2).max(2), "second"),
        TICKS_PER_MINUTE..HOUR_TICKS => counted(ticks / TICKS_PER_MINUTE, "minute"),
        HOUR_TICKS..DAY_TICKS => counted(ticks / HOUR_TICKS, "hour"),
        _ => counted(ticks / DAY_TICKS, "day"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-23T13:00:00Z at tick 100, two seconds a tick.
    const EPOCH: Epoch = Epoch { tick: 100, unix_ms: 1_795_438_800_000, tick_ms: 2_000 };

    #[test]
    fn a_span_or_an_instant_becomes_a_tick() {
        for (text, until) in [
            ("10m", 1_300),
            ("2h", 4_600),
            ("1d", 44_200),
            ("3s", 1_002),
            ("2026-11-23T14:00:00Z", 1_900),
            ("2026-11-23t14:00", 1_900),
            ("2026-11-23T14:00:01+00:00", 1_901),
        ] {
            let moment = sleep_until(text, 1_000, Some(EPOCH)).expect(text);
            assert_eq!(moment.until, until, "{text}");
            assert_eq!(moment.wakes_ms.is_some(), text.contains(['T', 't']), "{text}");
        }
    }

    #[test]
    fn what_is_no_moment_to_come_is_refused() {
        for text in [
            "",
            "m",
            "0m",
            "-5m",
            "10",
            "soon",
            "é",
            "32d",
            "99999999999999999999h",
            "18446744073709551615s",
            "2026-11-23T13:20:00Z",
            "1970-01-01T00:00:00Z",
            "2026-12-01",
            "9999-12-31T23:59:59Z",
        ] {
            assert!(sleep_until(text, 1_000, Some(EPOCH)).is_err(), "{text}");
        }
        assert!(sleep_until("2026-11-23T14:00:00Z", 1_000, None).is_err(), "nobody has told the calendar");
        assert_eq!(sleep_until("1m", 1_000, None), Ok(Moment { until: 1_030, wakes_ms: None }));
    }
}
