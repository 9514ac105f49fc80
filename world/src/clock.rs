//! The world's clock: hours, days of the week, sun and night. Dates are those of `protocol::calendar`. One tick is two
//! seconds; a MUD hour is 32 ticks. Source: game reference §3.

use protocol::calendar::GameDate;
pub use protocol::calendar::TICKS_PER_HOUR;
use protocol::words::counted;
use serde::{Deserialize, Serialize};

/// Seconds of a tick.
pub const TICK_SECONDS: u64 = 2;
pub const TICKS_PER_MINUTE: u64 = 60 / TICK_SECONDS;
/// Ticks of an hour and of a day of real time.
pub const HOUR_TICKS: u64 = 60 * TICKS_PER_MINUTE;
pub const DAY_TICKS: u64 = 24 * HOUR_TICKS;

/// "2 days 3 hours", "5 minutes", of real time at the usual pace.
pub fn duration(ticks: u64) -> String {
    let minutes = ticks * TICK_SECONDS / 60;
    let some = |n: u64, unit: &str| counted(n, unit);
    match (minutes / 1440, minutes / 60 % 24, minutes % 60) {
        (0, 0, 0) => "less than a minute".to_string(),
        (0, 0, m) => some(m, "minute"),
        (0, h, 0) => some(h, "hour"),
        (0, h, m) => format!("{} {}", some(h, "hour"), some(m, "minute")),
        (d, 0, _) => some(d, "day"),
        (d, h, _) => format!("{} {}", some(d, "day"), some(h, "hour")),
    }
}

/// `90s`, `10m`, `2h`, `1d`, `1w`: at least a tick.
pub fn span_ticks(text: &str) -> Option<u64> {
    span_seconds(text).filter(|seconds| *seconds > 0).map(|seconds| seconds.div_ceil(TICK_SECONDS))
}

/// Seconds of a number with a unit: `90s`, `10m`, `2h`, `1d`, `1w`.
pub fn span_seconds(text: &str) -> Option<u64> {
    let at = text.find(|sign: char| !sign.is_ascii_digit())?;
    let (digits, unit) = text.split_at(at);
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        "w" => 7 * 86_400,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(seconds)
}

const DAYS: [&str; 7] = ["Hearthday", "Tarday", "Millday", "Wattleday", "Restday", "Market", "Cinderday"];

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Clock {
    pub tick: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sun {
    Rise,
    Light,
    Set,
    Dark,
}

impl Clock {
    pub fn date(self) -> GameDate {
        GameDate::at(self.tick)
    }

    /// 0..=23.
    pub fn hour(self) -> u64 {
        self.date().hour
    }

    /// From 1.
    pub fn day(self) -> u64 {
        self.date().day
    }

    /// From 0.
    pub fn month(self) -> u64 {
        self.date().month
    }

    pub fn year(self) -> u64 {
        self.date().year
    }

    pub fn month_name(self) -> &'static str {
        self.date().month_name()
    }

    pub fn day_name(self) -> &'static str {
        DAYS[(self.date().days % 7) as usize]
    }

    /// True on the tick that begins a MUD hour.
    pub fn is_new_hour(self) -> bool {
        self.tick.is_multiple_of(TICKS_PER_HOUR)
    }

    pub fn sun(self) -> Sun {
        match self.hour() {
            5 => Sun::Rise,
            6..=20 => Sun::Light,
            21 => Sun::Set,
            _ => Sun::Dark,
        }
    }

    pub fn is_night(self) -> bool {
        matches!(self.sun(), Sun::Set | Sun::Dark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_told_in_its_two_largest_units() {
        for (ticks, text) in [
            (0, "less than a minute"),
            (30, "1 minute"),
            (1800, "1 hour"),
            (1830, "1 hour 1 minute"),
            (43_200 + 3600, "1 day 2 hours"),
            (86_400, "2 days"),
        ] {
            assert_eq!(duration(ticks), text, "{ticks} ticks");
        }
    }

    #[test]
    fn a_span_is_a_number_with_a_unit() {
        for (text, ticks) in [("90s", 45), ("1s", 1), ("10m", 300), ("2h", 3_600), ("3d", 129_600), ("1w", 302_400)] {
            assert_eq!(span_ticks(text), Some(ticks), "{text}");
        }
        for text in ["", "m", "0m", "10", "-1h", "1.5h", "1 h", "10x", "1\u{e9}", "99999999999999999999s"] {
            assert_eq!(span_ticks(text), None, "{text}");
        }
        assert_eq!(span_ticks("9999999999999999999w"), None, "more than there are ticks");
    }

    #[test]
    fn a_day_has_24_hours_of_32_ticks() {
        let clock = Clock { tick: 0 };
        assert_eq!((clock.hour(), clock.day()), (8, 1));
        let next_day = Clock { tick: 24 * 32 };
        assert_eq!((next_day.hour(), next_day.day()), (8, 2));
        assert!(Clock { tick: 13 * 32 }.is_night(), "at 21 the sun has set");
    }
}
