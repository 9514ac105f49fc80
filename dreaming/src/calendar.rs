//! Days and dates: nights are counted by calendar day in the time of the events, and told in two calendars.
//!
//! The game's calendar is `protocol::calendar`.

use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};
use protocol::calendar::GameDate;

pub const MS_PER_DAY: i64 = 86_400_000;
/// A tick is two seconds.
pub const MS_PER_TICK: i64 = 2_000;
pub const TICKS_PER_WORLD_HOUR: f64 = 1_800.0;

/// The day of a time: days since 1970-01-01, `offset_minutes` east of UTC. Times beyond what a day number holds are
/// taken as the last or first that it does.
pub fn day_of(at_ms: i64, offset_minutes: i32) -> i32 {
    let day = at_ms.saturating_add(i64::from(offset_minutes) * 60_000).div_euclid(MS_PER_DAY);
    day.clamp(i64::from(i32::MIN / 4), i64::from(i32::MAX / 4)) as i32
}

/// A date of the game: `4 Sowing 612`.
pub fn game_date(tick: u64) -> String {
    GameDate::at(tick).to_string()
}

fn format_date(at_ms: i64, offset_minutes: i32, format: &str) -> String {
    let zone = Offset::from_seconds(offset_minutes * 60).map_or(TimeZone::UTC, TimeZone::fixed);
    match Timestamp::from_millisecond(at_ms) {
        Ok(at) => at.to_zoned(zone).strftime(format).to_string(),
        Err(_) => "an unknown time".to_string(),
    }
}

/// `Jan 12, 2026`.
pub fn date(at_ms: i64, offset_minutes: i32) -> String {
    format_date(at_ms, offset_minutes, "%b %-d, %Y")
}

/// `3:15 PM`.
pub fn time_of_day(at_ms: i64, offset_minutes: i32) -> String {
    format_date(at_ms, offset_minutes, "%-I:%M %p")
}

/// Of which zone a time of day is: `UTC`, `UTC-5`, `UTC+5:30`.
pub fn zone_name(offset_minutes: i32) -> String {
    let (hours, minutes) = (offset_minutes / 60, offset_minutes.abs() % 60);
    match (offset_minutes, minutes) {
        (0, _) => "UTC".to_string(),
        (_, 0) => format!("UTC{hours:+}"),
        // Less than an hour has a sign too.
        _ => format!("UTC{}{}:{minutes:02}", if offset_minutes < 0 { '-' } else { '+' }, hours.abs()),
    }
}

/// `2026-01-12`.
pub fn iso_date(at_ms: i64, offset_minutes: i32) -> String {
    format_date(at_ms, offset_minutes, "%Y-%m-%d")
}

/// A day by its number, as `2026-01-12`.
pub fn iso_day(day: i32) -> String {
    iso_date(i64::from(day) * MS_PER_DAY, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_midnight_of_the_calendar() {
        assert_eq!((day_of(0, 0), day_of(-1, 0), day_of(MS_PER_DAY - 1, 0), day_of(MS_PER_DAY, 0)), (0, -1, 0, 1));
        assert_eq!(day_of(0, -300), -1, "five hours west it is still yesterday");
        assert_eq!(date(1_768_230_900_000, 0), "Jan 12, 2026");
        assert_eq!((time_of_day(1_768_230_900_000, 0), iso_day(0)), ("3:15 PM".into(), "1970-01-01".into()));
        assert_eq!(date(i64::MAX, 0), "an unknown time");
        for (offset, name) in [(0, "UTC"), (-300, "UTC-5"), (60, "UTC+1"), (330, "UTC+5:30"), (-30, "UTC-0:30")] {
            assert_eq!(zone_name(offset), name);
        }
    }
}
