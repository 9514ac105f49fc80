//! How fast records become memories (E4): `cargo run --release -p dreaming --example throughput -- 1000000 [per_day]`,
//! with a third argument `1` from JSON lines.
//!
//! Records, or their lines, are made outside of what is timed. Prints records per second by the clock and by the time
//! that the processor spent on it, nodes, and the largest memory of the process.
#![allow(clippy::disallowed_types)] // It measures time; the crate does not.

use dreaming::records::{Reader, export};
use dreaming::synthetic::{AGENT, Life, Shape};
use dreaming::{Config, Dreamer, Graph};
use std::time::Duration;
use std::time::Instant;

fn main() {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<u64>().expect("a number"));
    let count = args.next().unwrap_or(1_000_000);
    let per_day = args.next().unwrap_or(8_640) as u32;
    let from_json = args.next() == Some(1);
    let mut config = Config::new(AGENT, i32::MAX / 8);
    config.terms.events_max = usize::MAX;
    let mut life = Life::new(Shape { events_per_day: per_day, ..Shape::default() });
    let mut dreamer = Dreamer::new(Graph::new(&config.agent, config.terms.clone()));
    let (mut spent, mut worked, mut left) = (Duration::ZERO, 0.0, count);
    while left > 0 {
        let mut batch: Vec<_> = life.by_ref().take(left.min(10_000) as usize).collect();
        left -= batch.len() as u64;
        let lines = if from_json { export(AGENT, true, &batch) } else { String::new() };
        let (begun, worked_before) = (Instant::now(), processor_seconds());
        if from_json {
            let mut reader = Reader::new(AGENT);
            reader.file("batch", lines.as_bytes());
            batch = reader.finish().expect("one kind of log").records;
        }
        for record in &batch {
            dreamer.feed(record);
        }
        spent += begun.elapsed();
        worked += processor_seconds() - worked_before;
    }
    let graph = &dreamer.graph;
    println!(
        "{count} records, {per_day} a day{}: {:.3} s ({:.0}/s by the clock), {worked:.3} s of a processor ({:.0}/s); \
         {} nodes stored, {} buried, {} reflections, {} facts; {} MB peak",
        if from_json { ", from JSON" } else { "" },
        spent.as_secs_f64(),
        count as f64 / spent.as_secs_f64(),
        count as f64 / worked,
        graph.stored_count(),
        dreamer.tally.buried,
        dreamer.tally.reflections,
        graph.facts.len(),
        peak_mb()
    );
}

/// What this thread has had of a processor, where the system tells it: nanoseconds in the first word of `schedstat`.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).map_or(f64::NAN, |ns| ns / 1e9)
}

/// The largest resident size of this process, where the system tells it.
fn peak_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).map_or(0, |kb| kb / 1024)
}
