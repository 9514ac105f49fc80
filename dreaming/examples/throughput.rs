//! How fast records become memories (E4): `cargo run --release -p dreaming --example throughput -- 1000000 [per_day]`.
//!
//! Records are made outside of what is timed. Prints records per second, nodes, and the memory of the process.

use dreaming::synthetic::{Life, Shape};
use dreaming::{Config, Dreamer, Graph};
use std::time::{Duration, Instant};

fn main() {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<u64>().expect("a number"));
    let count = args.next().unwrap_or(1_000_000);
    let per_day = args.next().unwrap_or(8_640) as u32;
    let mut config = Config::new(dreaming::synthetic::AGENT, i32::MAX / 8);
    config.terms.events_max = usize::MAX;
    let mut life = Life::new(Shape { events_per_day: per_day, ..Shape::default() });
    let mut dreamer = Dreamer::new(Graph::new(&config.agent, config.terms.clone()));
    let (mut spent, mut left) = (Duration::ZERO, count);
    while left > 0 {
        let batch: Vec<_> = life.by_ref().take(left.min(10_000) as usize).collect();
        left -= batch.len() as u64;
        let begun = Instant::now();
        for record in &batch {
            dreamer.feed(record);
        }
        spent += begun.elapsed();
    }
    let per_second = count as f64 / spent.as_secs_f64();
    let graph = &dreamer.graph;
    println!(
        "{count} records, {per_day} a day: {:.3} s, {per_second:.0} records/s; {} nodes stored, {} buried, {} reflections, {} facts; {} MB peak",
        spent.as_secs_f64(),
        graph.stored_count(),
        dreamer.tally.buried,
        dreamer.tally.reflections,
        graph.facts.len(),
        peak_mb()
    );
}

/// The largest resident size of this process, where the system tells it.
fn peak_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).map_or(0, |kb| kb / 1024)
}
