//! E21: how many sentences of made-up lives are untrue.

use super::Setup;
use super::report::{Kind, Measure, Report};
use crate::counts::untrue::{Judged, judged_life};
use serde_json::json;

/// Untrue sentences that are shown.
const SHOWN: usize = 5;

pub fn run(setup: &mut Setup) -> anyhow::Result<Report> {
    let lives: u64 = setup.size.pick(100, 1_000, 10_000);
    let mut report = Report::new(setup, json!({"lives": lives, "records_each": "20 to 419"}));
    let mut all = Judged::default();
    for number in 0..lives {
        all.add(judged_life(setup.seed.wrapping_mul(1_000_000).wrapping_add(number)));
        if number % 500 == 499 {
            (setup.progress)(&format!(
                "{} lives, {} sentences, {} untrue",
                number + 1,
                all.sentences,
                all.untrue.len()
            ));
        }
    }
    report.n = all.sentences;
    let borne_out = all.sentences.saturating_sub(all.untrue.len() as u64);
    report.add(
        Measure::share(Kind::Result, "sentences that the records bear out", borne_out, all.sentences).at_least(1.0),
    );
    for untrue in all.untrue.iter().take(SHOWN) {
        report.notes.push(format!("{} ({})", untrue.sentence, untrue.why));
    }
    report.notes.push("Graph, stories of three lengths, what three tiers are given at a login, six questions.".into());
    Ok(report)
}
