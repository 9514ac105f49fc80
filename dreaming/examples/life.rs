//! A made-up life as session files, to try `dp-agent dream` on: `cargo run -p dreaming --example life -- FOLDER COUNT
//! [per_day]` writes one file for each day into `FOLDER/Brenda`.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)] // It writes files; the crate does not.

use dreaming::records::export;
use dreaming::synthetic::{AGENT, Life, Shape};
use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let mut args = std::env::args().skip(1);
    let folder = PathBuf::from(args.next().expect("a folder")).join(AGENT);
    let mut number = |default: usize| args.next().map_or(default, |arg| arg.parse().expect("a number"));
    let (count, per_day) = (number(1_000_000), number(8_640));
    std::fs::create_dir_all(&folder)?;
    // In the past, so that no record waits for its night.
    let from_ms = 1_704_096_000_000;
    let mut life = Life::new(Shape { events_per_day: per_day as u32, from_ms, ..Shape::default() });
    let mut left = count;
    for day in 0.. {
        let records: Vec<_> = life.by_ref().take(left.min(per_day)).collect();
        if records.is_empty() {
            break;
        }
        left -= records.len();
        std::fs::write(folder.join(format!("day-{day:05}.jsonl")), export(AGENT, true, &records))?;
    }
    Ok(())
}
