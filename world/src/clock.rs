//! The world's clock: hours, days of the week, sun and night. Dates are those of `protocol::calendar`. One tick is two
//! seconds; a MUD hour is 32 ticks. Source: game reference §3.

use protocol::calendar::GameDate;
pub use protocol::calendar::TICKS_PER_HOUR;
use serde::{Deserialize, Serialize};

/// Seconds of a tick.
pub const TICK_SECONDS: u64 = 2;
pub const TICKS_PER_MINUTE: u64 = 60 / TICK_SECONDS;

/// "2 days 3 hours", "5 minutes", of real time at the usual pace.
pub fn duration(ticks: u64) -> String {
    let minutes = ticks * TICK_SECONDS / 60;
    let some = |n: u64, unit: &str| counted(n as u32, unit);
    match (minutes / 1440, minutes / 60 % 24, minutes % 60) {
        (0, 0, 0) => "less than a minute".to_string(),
        (0, 0, m) => some(m, "minute"),
        (0, h, 0) => some(h, "hour"),
        (0, h, m) => format!("{} {}", some(h, "hour"), some(m, "minute")),
        (d, 0, _) => some(d, "day"),
        (d, h, _) => format!("{} {}", some(d, "day"), some(h, "hour")),
    }
}

/// "1 kill", "12 kills".
pub fn counted(n: u32, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
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
    fn a_day_has_24_hours_of_32_ticks() {
        let clock = Clock { tick: 0 };
        assert_eq!((clock.hour(), clock.day()), (8, 1));
        let next_day = Clock { tick: 24 * 32 };
        assert_eq!((next_day.hour(), next_day.day()), (8, 2));
        assert!(Clock { tick: 13 * 32 }.is_night(), "at 21 the sun has set");
    }
}
