//! E18: memories that nothing can make use of.

use super::Setup;
use super::report::{Kind, Measure, Report};
use crate::counts::junk::junk;
use dreaming::synthetic::{AGENT, Life, Shape};
use dreaming::{Config, Dreamer, Graph, calendar};
use serde_json::json;
use std::sync::Arc;

pub fn run(setup: &mut Setup) -> anyhow::Result<Report> {
    let (days, per_day, sample) = setup.size.pick((30, 40, 60), (365, 60, 1_000), (365, 600, 5_000));
    let config = json!({"days": days, "events_per_day": per_day, "sample": sample, "k": 10});
    let mut report = Report::new(setup, config);
    let life = Life::new(Shape { seed: setup.seed, events_per_day: per_day, ..Shape::default() });
    let mut dreamer = Dreamer::new(Graph::new(AGENT, Config::new(AGENT, 0).terms));
    life.take(days * per_day as usize).for_each(|record| dreamer.feed(&record));
    let mut graph = dreamer.graph;
    graph.through = calendar::day_of(graph.cursor.at_ms, 0);
    let found = junk(&Arc::new(graph), sample, setup.seed);
    report.n = found.stored;
    let name = "memories that no question and no decision can refer to";
    report.add(Measure::share(Kind::Result, name, found.junk, found.stored).at_most(0.05));
    for (row, count) in &found.by_row {
        report.add(Measure::share(Kind::Detail, *row, *count, found.stored));
    }
    let name = "of a sample of the others, never among ten when asked for";
    report.add(Measure::share(Kind::Detail, name, found.never, found.asked));
    let kinds = |of: &std::collections::BTreeMap<String, u64>| {
        of.iter().map(|(kind, count)| format!("{kind} {count}")).collect::<Vec<_>>().join(", ")
    };
    if found.junk > 0 {
        report.notes.push(format!("Junk by kind: {}.", kinds(&found.junk_kinds)));
    }
    if found.never > 0 {
        report.notes.push(format!("Never among ten, by kind: {}.", kinds(&found.never_kinds)));
    }
    report.notes.push("Elsewhere: 97.8 % of 10,134 memories were junk in one audit of a memory by extraction.".into());
    Ok(report)
}
