//! The calendar that nights go by. Pure: what time it is comes in.
//!
//! Invariant: the calendar of a zone is the same in summer and in winter, so a change of clocks makes no graph anew.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::str::FromStr;

/// Whose nights count, unless somebody says otherwise. Source: the mission, 3:30 in the morning in New York.
pub const DREAM_ZONE: &str = "America/New_York";

/// What `--dream-zone` says: a zone of the IANA data, which the program brings along where the system has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone {
    zone: TimeZone,
}

impl FromStr for Zone {
    type Err = String;

    fn from_str(text: &str) -> Result<Zone, String> {
        let zone = TimeZone::get(text.trim()).map_err(|_| {
            "there is no such time zone; write one such as America/New_York, Europe/Berlin or UTC".to_string()
        })?;
        Ok(Zone { zone })
    }
}

impl Default for Zone {
    fn default() -> Zone {
        DREAM_ZONE.parse().expect("a zone of the IANA data")
    }
}

impl Zone {
    pub fn time_zone(&self) -> TimeZone {
        self.zone.clone()
    }

    /// Minutes east of UTC of the calendar that nights go by: the zone's time without summer time, all the year. A
    /// graph is made on one calendar, so one that moved with the clocks would be made anew twice a year. Changes only
    /// with the law of the place, at the new year.
    pub fn calendar_minutes(&self, now: Timestamp) -> i32 {
        let year = now.to_zoned(TimeZone::UTC).year();
        let offset = |month| {
            let at = jiff::civil::date(year, month, 1).at(12, 0, 0, 0).to_zoned(TimeZone::UTC);
            at.map_or(0, |at| self.zone.to_offset(at.timestamp()).seconds() / 60)
        };
        offset(1).min(offset(7))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calendar_does_not_move_with_the_clocks() {
        for (zone, minutes) in [
            ("America/New_York", -300),
            ("Europe/Berlin", 60),
            ("Europe/Dublin", 0),
            ("Australia/Sydney", 600),
            ("Asia/Kolkata", 330),
            ("UTC", 0),
        ] {
            let zone: Zone = zone.parse().expect("a zone");
            for now in ["2026-01-15T00:00:00Z", "2026-07-15T00:00:00Z", "2026-12-31T23:59:59Z"] {
                let at: Timestamp = now.parse().expect("a time");
                assert_eq!(zone.calendar_minutes(at), minutes, "{zone:?} at {now}");
            }
        }
    }

    #[test]
    fn what_is_no_zone_says_what_to_write() {
        assert!("Mars/Olympus".parse::<Zone>().expect_err("no zone").contains("America/New_York"));
        assert_eq!(Zone::default(), DREAM_ZONE.parse().expect("a zone"));
        assert_eq!(Zone::default().calendar_minutes(Timestamp::UNIX_EPOCH), -300);
    }
}
