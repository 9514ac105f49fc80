//! Instants of the calendar outside the game, RFC 3339 in UTC, for what may not ask a clock or a library of times.
//!
//! Its users are `world` (until when somebody sleeps or is muted) and `mind` (when something was said); programs with
//! a clock use `jiff`.

/// `2026-12-01T08:00:00Z` of unix milliseconds, as [`parse`] reads it.
pub fn text(unix_ms: i64) -> String {
    let seconds = unix_ms.div_euclid(1_000);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = date_of(days);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day of so many days since 1970. Source: the proleptic Gregorian calendar, with years that begin in
/// March, so that the leap day is their last.
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let years = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * years + years / 4 - years / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + years + i64::from(month <= 2), month, day)
}

/// Unix milliseconds of `2026-12-01T08:00:00Z`, with or without seconds; without a zone it is UTC too.
pub fn parse(text: &str) -> Option<i64> {
    let (date, time) = text.split_once(['T', 't'])?;
    let time = time.strip_suffix(['Z', 'z']).or_else(|| time.strip_suffix("+00:00")).unwrap_or(time);
    let number = |text: &str, length: usize| -> Option<i64> {
        let digits = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse().ok()).flatten()
    };
    let mut date = date.split('-');
    let (year, month, day) = (number(date.next()?, 4)?, number(date.next()?, 2)?, number(date.next()?, 2)?);
    let mut time = time.split(':');
    let (hour, minute) = (number(time.next()?, 2)?, number(time.next()?, 2)?);
    let second = match time.next() {
        Some(text) => number(text, 2)?,
        None => 0,
    };
    let days_of_month = match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    let fits = (1..=days_of_month).contains(&day) && hour < 24 && minute < 60 && second < 60;
    if !fits || date.next().is_some() || time.next().is_some() {
        return None;
    }
    Some((((days_since_1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1_000)
}

/// Source: the proleptic Gregorian calendar, with years that begin in March, so that the leap day is their last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_as_the_calendar_has_them() {
        for (date, days) in
            [((1970, 1, 1), 0), ((2000, 2, 29), 11_016), ((2026, 11, 23), 20_780), ((2100, 3, 1), 47_541)]
        {
            assert_eq!(days_since_1970(date.0, date.1, date.2), days, "{date:?}");
            assert_eq!(date_of(days), date);
        }
        for days in (-200_000..200_000).step_by(13) {
            let (year, month, day) = date_of(days);
            assert_eq!(days_since_1970(year, month, day), days, "{year}-{month}-{day}");
        }
        for written in ["2026-12-01T08:00:00Z", "2028-02-29T23:59:59Z"] {
            assert_eq!(super::text(parse(written).expect(written)), written);
        }
    }

    #[test]
    fn what_is_no_instant_in_utc_is_not_read() {
        for text in [
            "",
            "soon",
            "2026-13-01T00:00:00Z",
            "2026-11-31T00:00:00Z",
            "2027-02-29T00:00:00Z",
            "2026-12-01T24:00:00Z",
            "2026-12-01T08:00:00+02:00",
            "2026-12-01",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
