//! E5: twice is once, in parts is at once, and the same bytes come out of any machine.

use super::Setup;
use super::report::{Kind, Measure, Report};
use crate::counts::sameness;
use serde_json::json;

pub fn run(setup: &mut Setup) -> anyhow::Result<Report> {
    let (lives, days, per_day, splits) = setup.size.pick((8, 20, 25, 3), (30, 45, 40, 5), (200, 60, 60, 5));
    let config = json!({"lives": lives, "days": days, "events_per_day": per_day, "splits": splits});
    let mut report = Report::new(setup, config);
    let same = sameness::sameness(setup.seed, lives, days, per_day, splits);
    report.n = same.lives + same.parts;
    report.add(
        Measure::new(Kind::Result, "nodes that a second dream changes", same.changed_nodes as f64)
            .of(same.lives)
            .at_most(0.0),
    );
    let bytes = "lives whose bytes a second dream changes";
    report.add(Measure::share(Kind::Result, bytes, same.changed_lives, same.lives).at_most(0.0));
    let parts = "dreams in parts that differ from the one at once";
    report.add(Measure::share(Kind::Result, parts, same.parts_differ, same.parts).at_most(0.0));
    let known = u64::from(sameness::known_life() != sameness::KNOWN.trim());
    let name = "known lives whose hash is another on this machine";
    report.add(Measure::new(Kind::Result, name, known as f64).of(1).at_most(0.0));
    report.notes.push(format!(
        "Hash of all documents: `{}`. Another machine must print the same for this seed, size and version.",
        same.hash
    ));
    report.notes.push("The system before this one: a second run changed everything, times became \"now\".".into());
    Ok(report)
}
