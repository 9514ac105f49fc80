//! When it is night: a cron expression read in a time zone.
//!
//! Pure: what time it is comes in.

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use dream_folder::Zone;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use std::str::FromStr;

/// What `--dream-cron` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Schedule {
    Off,
    At(Box<Cron>),
}

impl FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Schedule, String> {
        if text.trim().eq_ignore_ascii_case("off") {
            return Ok(Schedule::Off);
        }
        let wrong = |why: &dyn std::fmt::Display| {
            format!(
                "it is no cron expression ({why}); write minute, hour, day of the month, month and day of the week, \
                 such as \"30 3 * * *\", or off"
            )
        };
        let parser = CronParser::builder().seconds(Seconds::Optional).year(Year::Disallowed).build();
        let cron = parser.parse(text).map_err(|error| wrong(&error))?;
        // The 30th of February is a date to the parser.
        let from = Timestamp::UNIX_EPOCH.to_zoned(TimeZone::UTC);
        cron.find_next_occurrence(&from, false).map_err(|_| wrong(&"there is no such day"))?;
        Ok(Schedule::At(Box::new(cron)))
    }
}

impl Schedule {
    /// The first night after a time. A time that the clocks leave out is taken as the moment after the gap; of one
    /// that comes twice, the first counts. `None`: there are no nights.
    pub fn next(&self, after: Timestamp, zone: &Zone) -> Option<Timestamp> {
        self.found(after, zone, |cron, now| cron.find_next_occurrence(now, false))
    }

    /// The last night at or before a time.
    pub fn previous(&self, before: Timestamp, zone: &Zone) -> Option<Timestamp> {
        self.found(before, zone, |cron, now| cron.find_previous_occurrence(now, true))
    }

    fn found(
        &self,
        now: Timestamp,
        zone: &Zone,
        find: impl Fn(&Cron, &Zoned) -> Result<Zoned, croner::errors::CronError>,
    ) -> Option<Timestamp> {
        let Schedule::At(cron) = self else { return None };
        // The end of all calendars is the only error left: `from_str` has looked for a first.
        find(cron, &now.to_zoned(zone.time_zone())).ok().map(|at| at.timestamp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().expect("a time")
    }

    fn nights(cron: &str, zone: &str, after: &str, count: usize) -> Vec<String> {
        let (cron, zone) = (cron.parse::<Schedule>().expect("good"), zone.parse::<Zone>().expect("good"));
        let mut now = at(after);
        (0..count)
            .map(|_| {
                now = cron.next(now, &zone).expect("there is one");
                assert_eq!(cron.previous(now, &zone), Some(now));
                now.to_string()
            })
            .collect()
    }

    #[test]
    fn the_night_is_where_the_clock_says_so_in_summer_and_winter() {
        let spring = nights("30 3 * * *", "America/New_York", "2026-03-06T12:00:00Z", 3);
        assert_eq!(spring, ["2026-03-07T08:30:00Z", "2026-03-08T07:30:00Z", "2026-03-09T07:30:00Z"]);
        let autumn = nights("30 3 * * *", "America/New_York", "2026-10-30T12:00:00Z", 3);
        assert_eq!(autumn, ["2026-10-31T07:30:00Z", "2026-11-01T08:30:00Z", "2026-11-02T08:30:00Z"]);
    }

    #[test]
    fn a_time_that_is_left_out_is_a_night_all_the_same() {
        // On 8 March 2026 the clocks of New York go from 2:00 to 3:00.
        let nights = nights("30 2 * * *", "America/New_York", "2026-03-07T12:00:00Z", 2);
        assert_eq!(nights, ["2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z"]);
    }

    #[test]
    fn a_time_that_comes_twice_is_one_night() {
        // On 1 November 2026 they go from 2:00 back to 1:00.
        let both = nights("30 1 * * *", "America/New_York", "2026-10-31T12:00:00Z", 2);
        assert_eq!(both, ["2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"]);
        let between = nights("30 1 * * *", "America/New_York", "2026-11-01T05:45:00Z", 1);
        assert_eq!(between, ["2026-11-02T06:30:00Z"]);
    }

    #[test]
    fn seconds_may_be_said() {
        assert_eq!(
            nights("* * * * * *", "UTC", "2026-01-01T00:00:00.5Z", 2),
            ["2026-01-01T00:00:01Z", "2026-01-01T00:00:02Z"]
        );
    }

    #[test]
    fn a_night_that_was_missed_is_found() {
        let cron: Schedule = "30 3 * * *".parse().expect("good");
        let zone: Zone = "America/New_York".parse().expect("good");
        assert_eq!(cron.previous(at("2026-07-04T07:29:59Z"), &zone), Some(at("2026-07-03T07:30:00Z")));
        assert_eq!(cron.previous(at("2026-07-04T07:30:00Z"), &zone), Some(at("2026-07-04T07:30:00Z")));
    }

    #[test]
    fn what_is_no_schedule_says_what_to_write() {
        for text in ["", "noon", "30 3 * *", "61 3 * * *", "30 3 30 2 *", "30 3 * * * * 2026"] {
            let error = text.parse::<Schedule>().expect_err(text);
            assert!(error.contains("30 3 * * *") && error.contains("or off"), "{error}");
        }
        assert_eq!("OFF".parse(), Ok(Schedule::Off));
        assert_eq!(Schedule::Off.next(Timestamp::UNIX_EPOCH, &"UTC".parse().expect("a zone")), None);
    }
}
