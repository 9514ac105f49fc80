//! E4: how fast records become memories, and how much room that takes.
//!
//! What is timed is extraction, graph and consolidation, in one thread, with nights in between; records (or their lines
//! of JSON) are made outside of that, ten thousand at a time. Time is what the processor spent on the thread,
//! so that others on the machine do not count; the best of a few runs.

use super::machine::{self, Stopwatch};
use super::report::{Kind, Measure, Report};
use super::{Setup, Size};
use crate::counts::statistics::growth;
use dreaming::records::{Reader, export};
use dreaming::synthetic::{AGENT, Life, Shape};
use dreaming::{Config, Dreamer, Graph};
use serde_json::json;

/// A busy agent: something each five seconds, thirteen hours a day.
const PER_DAY: u32 = 8_640;
const BATCH: usize = 10_000;
/// The life that the aims of speed and size are for.
const AIMED_AT: u64 = 1_000_000;

struct Timing {
    seconds: f64,
    nodes: usize,
    buried: u64,
    peak_mb: Option<f64>,
}

fn once(seed: u64, events: u64, from_json: bool) -> anyhow::Result<Timing> {
    let mut config = Config::new(AGENT, i32::MAX / 8);
    config.terms.events_max = usize::MAX;
    let mut life = Life::new(Shape { seed, events_per_day: PER_DAY, ..Shape::default() });
    let peak = machine::forget_peak();
    let mut dreamer = Dreamer::new(Graph::new(AGENT, config.terms));
    let (mut seconds, mut left) = (0.0, events);
    while left > 0 {
        let mut batch: Vec<_> = life.by_ref().take((left as usize).min(BATCH)).collect();
        left -= batch.len() as u64;
        let lines = if from_json { export(AGENT, true, &batch) } else { String::new() };
        let watch = Stopwatch::start();
        if from_json {
            let mut reader = Reader::new(AGENT);
            reader.file("batch", lines.as_bytes());
            batch = reader.finish()?.records;
        }
        for record in &batch {
            dreamer.feed(record);
        }
        seconds += watch.worked().as_secs_f64();
    }
    let peak_mb = if peak { machine::peak_mb() } else { None };
    Ok(Timing { seconds, nodes: dreamer.graph.stored_count(), buried: dreamer.tally.buried, peak_mb })
}

/// The run that took the least.
fn best(seed: u64, events: u64, from_json: bool, size: Size) -> anyhow::Result<Timing> {
    let runs = if events > 2_000_000 || size == Size::Quick { 1 } else { 3 };
    let mut best = once(seed, events, from_json)?;
    for _ in 1..runs {
        let run = once(seed, events, from_json)?;
        if run.seconds < best.seconds {
            best = run;
        }
    }
    Ok(best)
}

pub fn run(setup: &mut Setup) -> anyhow::Result<Report> {
    let sizes: &[u64] = setup.size.pick(
        &[1_000, 10_000, 30_000],
        &[1_000, 10_000, 100_000, 300_000, 1_000_000],
        &[1_000, 10_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000],
    );
    let mut report = Report::new(setup, json!({"events_per_day": PER_DAY, "sizes": sizes, "terms": "default, no cap"}));
    let before_mb = machine::now_mb();
    if sizes.contains(&AIMED_AT) {
        // Before all others: what they leave behind in the heap would count.
        (setup.progress)(&format!("{AIMED_AT} records, for their size"));
        if let Some(peak_mb) = once(setup.seed, AIMED_AT, false)?.peak_mb {
            let name = format!("{AIMED_AT} records, largest size of the process");
            report.add(Measure::new(Kind::Timing, name, peak_mb).unit("MB").at_most(300.0));
        }
    }
    let mut costs = Vec::new();
    for &events in sizes {
        (setup.progress)(&format!("{events} records"));
        let plain = best(setup.seed, events, false, setup.size)?;
        report.n += events;
        costs.push((events as f64, plain.seconds));
        let target = |measure: Measure, aim: f64| if events == AIMED_AT { measure.at_least(aim) } else { measure };
        let per_second = Measure::new(Kind::Timing, format!("{events} records"), events as f64 / plain.seconds);
        report.add(target(per_second.unit("records/s"), 1e6));
        if events <= AIMED_AT {
            let json = best(setup.seed, events, true, setup.size)?;
            let name = format!("{events} records, from JSON");
            let per_second = Measure::new(Kind::Timing, name, events as f64 / json.seconds);
            report.add(target(per_second.unit("records/s"), 4e5));
        }
        if let (Some(peak_mb), true) = (plain.peak_mb, events > AIMED_AT) {
            let name = format!("{events} records, largest size of the process");
            report.add(Measure::new(Kind::Timing, name, peak_mb).unit("MB"));
        }
        if events == sizes[sizes.len() - 1] {
            let nodes = plain.nodes as f64;
            report.add(Measure::new(Kind::Detail, format!("{events} records, nodes that take room at the end"), nodes));
            let buried = plain.buried as f64;
            report.add(Measure::new(Kind::Detail, format!("{events} records, nodes forgotten on the way"), buried));
        }
    }
    let large: Vec<(f64, f64)> = costs.iter().copied().filter(|(events, _)| *events >= 1e5).collect();
    if let Some(slope) = growth(&large) {
        let name = format!("slope of log time over log records, 10⁵ to {}", sizes[sizes.len() - 1]);
        report.add(Measure::new(Kind::Timing, name, slope).of(large.len() as u64).at_most(1.10));
    }
    if let Some(before_mb) = before_mb {
        report.notes.push(format!("The process had {before_mb:.0} MB before; sizes include that."));
    }
    report.notes.push(
        "The system before this one, the same task: 48,000 records/s at 10³, 8,700 at 10⁴, 1,000 at 10⁵ (quadratic)."
            .into(),
    );
    Ok(report)
}
