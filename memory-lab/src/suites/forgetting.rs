//! E6: what a year of nights lets go, and what it keeps.

use super::report::{Kind, Measure, Report};
use super::{Setup, Size};
use crate::counts::forgetting::{NEUTRAL_NIGHTS, RECENT_DAYS, Years, live};
use serde_json::json;

pub fn run(setup: &mut Setup) -> anyhow::Result<Report> {
    let (nights, per_day) = setup.size.pick((70, 15), (365, 60), (1_095, 200));
    let (cap, capped_nights, capped_per_day) = setup.size.pick((200, 40, 30), (2_000, 120, 100), (20_000, 365, 1_000));
    let config = json!({"nights": nights, "events_per_day": per_day,
        "capped": {"events_max": cap, "nights": capped_nights, "events_per_day": capped_per_day}});
    let mut report = Report::new(setup, config);
    (setup.progress)(&format!("{nights} nights"));
    let seen = live(&Years { seed: setup.seed, nights, per_day, events_max: 200_000 });
    report.n = seen.events;
    let (first, last) = (NEUTRAL_NIGHTS.start(), NEUTRAL_NIGHTS.end());
    let neutral = seen.neutral_right + seen.neutral_wrong;
    let name = format!("neutral events gone after {first} to {last} nights");
    report.add(Measure::share(Kind::Result, name, seen.neutral_right, neutral).at_least(1.0));
    for (hundredths, (least, most, count)) in &seen.neutral {
        let salience = f64::from(*hundredths) / 100.0;
        let name = format!("nights that a neutral event of salience {salience} is remembered");
        let measure = Measure::new(Kind::Detail, name, f64::from(*most)).of(*count);
        report.add(measure.interval((least != most).then(|| [f64::from(*least), f64::from(*most)])));
    }
    let name = format!("events of the last {RECENT_DAYS} days that are gone");
    report.add(Measure::share(Kind::Result, name, seen.recent_lost, seen.recent).at_most(0.0));
    let name = "nights in which one met every week is forgotten";
    report.add(Measure::share(Kind::Result, name, seen.weekly_lost, seen.weekly).at_most(0.0));
    report.add(Measure::new(Kind::Detail, "nodes forgotten in all", seen.buried as f64));
    let bound = f64::from(per_day) * LIFE_MAX_NIGHTS + NAMES_MAX;
    report.add(Measure::new(Kind::Result, "nodes that took room, at most", seen.nodes_most as f64).at_most(bound));
    if setup.size != Size::Quick {
        let name = "nodes in the last sixth of the nights, by those in the sixth before";
        report.add(Measure::new(Kind::Result, name, seen.growth_at_the_end()).at_most(1.05));
    }
    (setup.progress)(&format!("{capped_nights} nights with room for {cap} events"));
    let years = Years { seed: setup.seed, nights: capped_nights, per_day: capped_per_day, events_max: cap };
    let capped = live(&years);
    // The cap is kept at the end of a day's night; the day itself and its meeting come on top.
    let most = (cap + capped_per_day as usize + 1) as f64;
    let name = format!("events kept at most, with a cap of {cap} and a day of {capped_per_day} on top");
    report.add(Measure::new(Kind::Result, name, capped.events_most as f64).at_most(most));
    report.notes.push("The system before this one: nothing was forgotten in 15 nights.".into());
    Ok(report)
}

/// The strongest event lives 115 nights, and a third of what has faded may wait to be cleared.
const LIFE_MAX_NIGHTS: f64 = 116.0 * 1.5;
/// Who, what and where a made-up life knows of by default, with an insight about each.
const NAMES_MAX: f64 = 2.0 * (120.0 + 40.0 + 400.0 + 240.0) + 1_024.0;
