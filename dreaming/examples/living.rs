//! What it costs to remember while things happen, and how much room a mind takes:
//! `cargo run --release -p dreaming --example living -- [records] [a day]`.
#![allow(clippy::disallowed_types)] // It measures time; the crate does not.

use dreaming::calendar::day_of;
use dreaming::retrieve::{Query, Scratch};
use dreaming::synthetic::{AGENT, Life, Shape};
use dreaming::{Graph, Living, Record, Terms};
use std::time::{Duration, Instant};

/// Records that come one by one, after the others.
const NEW: usize = 2_000;

fn main() {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<usize>().expect("a number"));
    let (known, per_day) = (args.next().unwrap_or(10_000), args.next().unwrap_or(20_000));
    let shape = Shape { events_per_day: per_day as u32, ..Shape::default() };
    let records: Vec<Record> = Life::new(shape).take(known + NEW).collect();
    let day = |record: &Record| day_of(record.at_ms, 0);
    let before_kb = resident_kb();
    let begun = Instant::now();
    let mut living = Living::new(Graph::new(AGENT, Terms::default()), &records[..known], day(&records[known - 1]));
    living.recall(&Query::question("Who betrayed me?", 0), &mut Scratch::default());
    let (made, nodes) = (begun.elapsed(), living.graph().stored_count());
    let bytes = (resident_kb() - before_kb) * 1_024 / nodes as u64;
    println!("{known} records at once: {nodes} nodes in {:.1} ms, {bytes} bytes each", made.as_secs_f64() * 1e3);
    let (mut followed, mut asked, mut scratch) = (Vec::new(), Vec::new(), Scratch::default());
    for record in &records[known..] {
        let begun = Instant::now();
        living.live_on(std::slice::from_ref(record), day(record));
        followed.push(begun.elapsed());
        let begun = Instant::now();
        let found = living.recall(&Query::question("Who betrayed me?", record.tick), &mut scratch);
        asked.push(begun.elapsed());
        assert!(!found.found.is_empty(), "lives have traitors");
    }
    told("a record, one at a time", followed);
    told("a question", asked);
    println!("the index was made {} times for {NEW} records", living.indexed());
}

fn told(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let of = |permille: usize| times[(times.len() - 1) * permille / 1_000].as_secs_f64() * 1e3;
    println!("{what}: p50 {:.3} ms, p99 {:.3} ms, longest {:.1} ms", of(500), of(990), of(1_000));
}

/// Memory of this process, kilobytes; 0 where the system does not tell.
fn resident_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
