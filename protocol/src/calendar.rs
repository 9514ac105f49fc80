//! The calendar of the game: how ticks become hours, days and years, and what the months are called.
//!
//! The one home of game dates: the world tells time by it (`world::clock`), and memories are told in it
//! (`dreaming::calendar`). Source: game reference §3.

use serde::{Deserialize, Serialize};

pub const TICKS_PER_HOUR: u64 = 32;
pub const HOURS_PER_DAY: u64 = 24;
pub const DAYS_PER_MONTH: u64 = 35;
/// Year of tick 0, and the hour of its first day, so that a new world begins in the morning.
pub const YEAR_ZERO: u64 = 612;
pub const HOUR_ZERO: u64 = 8;

pub const MONTHS: [&str; 17] = [
    "Coldwake",
    "Thaw",
    "Lambing",
    "Sowing",
    "Larksong",
    "Highgrass",
    "Longlight",
    "Flamemoon",
    "Haymoon",
    "Reaping",
    "Apples",
    "Smoke",
    "Slaughter",
    "Frost",
    "Longdark",
    "Embers",
    "Ashes",
];

/// The hour and the date, as programs read them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WorldTime {
    /// 0..=23.
    pub hour: u64,
    /// Of the month, from 1.
    pub day: u64,
    /// From 1.
    pub month: u64,
    pub month_name: String,
    pub year: u64,
}

impl From<GameDate> for WorldTime {
    fn from(date: GameDate) -> WorldTime {
        let GameDate { hour, day, month, year, .. } = date;
        WorldTime { hour, day, month: month + 1, month_name: date.month_name().to_string(), year }
    }
}

/// A moment in the calendar of the game. Written as `4 Sowing 612`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameDate {
    /// 0..=23.
    pub hour: u64,
    /// Of the month, from 1.
    pub day: u64,
    /// From 0, a place in `MONTHS`.
    pub month: u64,
    pub year: u64,
    /// Days since the first one, which is 0: for days of the week.
    pub days: u64,
}

impl GameDate {
    pub const fn at(tick: u64) -> GameDate {
        let hours = tick / TICKS_PER_HOUR + HOUR_ZERO;
        let days = hours / HOURS_PER_DAY;
        let months = days / DAYS_PER_MONTH;
        let months_per_year = MONTHS.len() as u64;
        GameDate {
            hour: hours % HOURS_PER_DAY,
            day: days % DAYS_PER_MONTH + 1,
            month: months % months_per_year,
            year: months / months_per_year + YEAR_ZERO,
            days,
        }
    }

    pub const fn month_name(self) -> &'static str {
        MONTHS[self.month as usize]
    }

    /// `6 o'clock in the evening`.
    pub fn hour_in_words(self) -> String {
        match self.hour {
            0 => "midnight".to_string(),
            12 => "noon".to_string(),
            h @ 1..=11 => format!("{h} o'clock in the morning"),
            h @ 13..=17 => format!("{} o'clock in the afternoon", h - 12),
            h @ 18..=21 => format!("{} o'clock in the evening", h - 12),
            h => format!("{} o'clock at night", h - 12),
        }
    }
}

impl std::fmt::Display for GameDate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {}", self.day, self.month_name(), self.year)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_year_has_seventeen_months_of_thirty_five_days() {
        assert_eq!((GameDate::at(0).to_string(), GameDate::at(0).hour), ("1 Coldwake 612".to_string(), 8));
        let day = TICKS_PER_HOUR * HOURS_PER_DAY;
        let before_midnight = (HOURS_PER_DAY - HOUR_ZERO) * TICKS_PER_HOUR - 1;
        assert_eq!(GameDate::at(before_midnight).day, 1);
        assert_eq!((GameDate::at(before_midnight + 1).day, GameDate::at(before_midnight + 1).hour), (2, 0));
        assert_eq!(GameDate::at(35 * day).to_string(), "1 Thaw 612");
        assert_eq!(GameDate::at(17 * 35 * day).to_string(), "1 Coldwake 613");
        let mut before = 0;
        for tick in (0..2 * 17 * 35 * day).step_by(97) {
            let date = GameDate::at(tick);
            let at = ((date.year * 17 + date.month) * 35 + date.day - 1) * 24 + date.hour;
            assert!(at >= before && date.days == (at - 612 * 17 * 35 * 24) / 24, "time goes on at {tick}");
            before = at;
        }
    }
}
