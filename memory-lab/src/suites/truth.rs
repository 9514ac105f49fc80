//! E11: conflict, cascade and absence, by bi-temporal look-up.

use super::Setup;
use super::report::{Kind, Measure, Report};
use crate::counts::truth;
use serde_json::json;

pub fn run(setup: &mut Setup) -> anyhow::Result<Report> {
    let (events, each) = setup.size.pick((3_000, 100), (20_000, 1_000), (100_000, 5_000));
    let mut report = Report::new(setup, json!({"events": events, "questions_each": each, "days": 30}));
    let (dreamt, questions) = truth::life(setup.seed, events, each);
    report.n = questions.len() as u64;
    let scores = truth::score(&dreamt.graph, &questions);
    let all = scores.values().fold((0, 0), |(asked, right), of| (asked + of.0, right + of.1));
    report.add(Measure::share(Kind::SelfTest, "all sets", all.1, all.0).at_least(0.99));
    for (set, (asked, right)) in &scores {
        report.add(Measure::share(Kind::SelfTest, set.name(), *right, *asked).at_least(0.99));
    }
    report.notes.push(
        "Answers come from a replay of the records that knows nothing of facts. Elsewhere: 2 to 7 % of multi-hop \
         conflicts (MemoryAgentBench), cascade 3 %, absence 1 % (MEME)."
            .into(),
    );
    Ok(report)
}
