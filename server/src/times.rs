//! Times: now, and as the command line has them, durations such as `90s` or `2d` and moments as RFC 3339 or unix
//! seconds.
//!
//! Moments are unix milliseconds everywhere else in the program.

use jiff::Timestamp;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// Where a server has the time from. In a lab somebody sets it, so that what is played there has the same times, and is
/// remembered the same, on every machine.
#[derive(Clone, Default, Debug)]
pub enum WallClock {
    /// What this machine says.
    #[default]
    Machine,
    /// Unix milliseconds, until somebody sets others.
    Set(Arc<AtomicI64>),
}

impl WallClock {
    /// One that stands at a moment (unix milliseconds) until it is set to another.
    pub fn standing_at(ms: i64) -> WallClock {
        WallClock::Set(Arc::new(AtomicI64::new(ms)))
    }

    /// Unix milliseconds.
    pub fn now_ms(&self) -> i64 {
        match self {
            WallClock::Machine => unix_ms(),
            WallClock::Set(ms) => ms.load(Ordering::Relaxed),
        }
    }

    /// It is so late now, in unix milliseconds. That of the machine is not set by us.
    pub fn set(&self, ms: i64) {
        if let WallClock::Set(now) = self {
            now.store(ms, Ordering::Relaxed);
        }
    }
}

/// Now, in milliseconds since 1970; 0 on a clock that is before that.
pub fn unix_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |d| d.as_millis() as i64)
}

/// Now, in microseconds since 1970; 0 on a clock that is before that.
pub fn unix_us() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |d| d.as_micros() as u64)
}

/// A moment as people read it in the game: `29 November 2026, at 01:33 (UTC)`.
pub fn for_people(ms: i64) -> String {
    let at = Timestamp::from_millisecond(ms).map(|at| at.strftime("%-d %B %Y, at %H:%M").to_string());
    at.map_or("an unknown time".to_string(), |at| format!("{at} (UTC)"))
}

/// A number with a unit: `30s`, `15m`, `1h`, `2d`, `1w`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is no duration; write a number and a unit, such as 30s, 15m, 1h or 2d");
    world::clock::span_seconds(text.trim()).map(Duration::from_secs).ok_or_else(wrong)
}

/// Unix milliseconds of RFC 3339 (`2026-03-01T12:00:00Z`, or with an offset) or of unix seconds.
pub fn parse_moment(text: &str) -> Result<i64, String> {
    let wrong = || {
        format!("{text:?} is no time; write it as 2026-03-01T12:00:00Z, or as seconds since 1970, such as 1772366400")
    };
    let text = text.trim();
    if let Ok(seconds) = text.parse::<i64>() {
        let moment = Timestamp::from_second(seconds).map_err(|_| wrong())?;
        return Ok(moment.as_millisecond());
    }
    text.parse::<Timestamp>().map(|moment| moment.as_millisecond()).map_err(|_| wrong())
}

/// A moment, or a duration before `now_ms`.
pub fn parse_moment_or_ago(text: &str, now_ms: i64) -> Result<i64, String> {
    if let Ok(ago) = parse_duration(text) {
        let ago_ms = i64::try_from(ago.as_millis()).unwrap_or(i64::MAX);
        return Ok(now_ms.saturating_sub(ago_ms));
    }
    parse_moment(text).map_err(|_| {
        format!(
            "{text:?} is neither a duration nor a time; write 30s, 15m, 1h or 2d, or 2026-03-01T12:00:00Z, or seconds \
             since 1970"
        )
    })
}

/// RFC 3339 with milliseconds, UTC: `2026-03-01T12:00:00.250Z`.
pub fn rfc3339_ms(unix_ms: i64) -> String {
    match Timestamp::from_millisecond(unix_ms) {
        Ok(moment) => format!("{moment:.3}"),
        // Outside the years -9999 to 9999, where RFC 3339 has no words.
        Err(_) => unix_ms.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_a_number_with_a_unit() {
        for (text, seconds) in [("30s", 30), ("15m", 900), ("1h", 3600), ("2d", 172_800), (" 1w ", 604_800), ("0s", 0)]
        {
            assert_eq!(parse_duration(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for text in ["", "5", "h", "-1h", "1.5h", "1 hour", "1h30m", "99999999999999999999s", "9999999999999999999d"] {
            let error = parse_duration(text).expect_err(text);
            assert!(error.contains("30s, 15m, 1h or 2d"), "{error}");
        }
    }

    #[test]
    fn moments_are_rfc_3339_or_unix_seconds() {
        for (text, ms) in [
            ("0", 0),
            ("1772366400", 1_772_366_400_000),
            ("2026-03-01T12:00:00Z", 1_772_366_400_000),
            ("2026-03-01T13:00:00.25+01:00", 1_772_366_400_250),
            ("2026-03-01 12:00:00Z", 1_772_366_400_000),
        ] {
            assert_eq!(parse_moment(text), Ok(ms), "{text}");
        }
        for text in ["", "yesterday", "2026-03-01", "2026-13-01T00:00:00Z", "2026-03-01T12:00:00", "999999999999999"] {
            let error = parse_moment(text).expect_err(text);
            assert!(error.contains("is no time"), "{error}");
        }
    }

    #[test]
    fn a_duration_counts_back_from_now() {
        assert_eq!(parse_moment_or_ago("15m", 1_000_000), Ok(100_000));
        assert_eq!(parse_moment_or_ago("60", 1_000_000), Ok(60_000));
        let error = parse_moment_or_ago("soon", 0).expect_err("that is neither");
        assert!(error.contains("neither a duration nor a time"), "{error}");
    }

    #[test]
    fn what_is_written_is_read_again() {
        for ms in [0, 1_772_366_400_250, -1, 253_402_207_199_999] {
            let text = rfc3339_ms(ms);
            assert_eq!(parse_moment(&text), Ok(ms), "{text}");
        }
        assert_eq!(rfc3339_ms(1_772_366_400_250), "2026-03-01T12:00:00.250Z");
    }
}
