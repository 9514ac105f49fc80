//! The world's clock. One tick is two seconds; a MUD hour is 32 ticks. Source: game reference §3.

pub use protocol::calendar::{DAYS_PER_MONTH, HOURS_PER_DAY, TICKS_PER_HOUR};
use protocol::calendar::{HOUR_ZERO, MONTHS, YEAR_ZERO};
use serde::{Deserialize, Serialize};

pub const MONTHS_PER_YEAR: u64 = MONTHS.len() as u64;

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
    fn hours(self) -> u64 {
        self.tick / TICKS_PER_HOUR + HOUR_ZERO
    }

    /// 0..=23.
    pub fn hour(self) -> u64 {
        self.hours() % HOURS_PER_DAY
    }

    /// From 1.
    pub fn day(self) -> u64 {
        self.hours() / HOURS_PER_DAY % DAYS_PER_MONTH + 1
    }

    /// From 0.
    pub fn month(self) -> u64 {
        self.hours() / (HOURS_PER_DAY * DAYS_PER_MONTH) % MONTHS_PER_YEAR
    }

    pub fn year(self) -> u64 {
        self.hours() / (HOURS_PER_DAY * DAYS_PER_MONTH * MONTHS_PER_YEAR) + YEAR_ZERO
    }

    pub fn month_name(self) -> &'static str {
        MONTHS[self.month() as usize]
    }

    pub fn day_name(self) -> &'static str {
        DAYS[(self.hours() / HOURS_PER_DAY % 7) as usize]
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
    fn a_day_has_24_hours_of_32_ticks() {
        let clock = Clock { tick: 0 };
        assert_eq!((clock.hour(), clock.day()), (8, 1));
        let next_day = Clock { tick: 24 * 32 };
        assert_eq!((next_day.hour(), next_day.day()), (8, 2));
        assert!(Clock { tick: 13 * 32 }.is_night(), "at 21 the sun has set");
    }
}
