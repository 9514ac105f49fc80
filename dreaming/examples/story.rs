//! Tells the story of a made-up life: `cargo run -p dreaming --example story -- [days] [per_day] [seed]`.

use dreaming::synthetic::{AGENT, Life, Shape};
use dreaming::{Config, calendar, dream};

fn main() {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<u32>().expect("a number"));
    let (days, per_day) = (args.next().unwrap_or(30), args.next().unwrap_or(60));
    let seed = u64::from(args.next().unwrap_or(1));
    let life = Life::new(Shape { seed, events_per_day: per_day, ..Shape::default() });
    let records: Vec<_> = life.take((days * per_day) as usize).collect();
    let last = records.last().expect("at least one day").at_ms;
    let told = dream(None, &records, &Config::new(AGENT, calendar::day_of(last, 0)));
    println!("{}", told.summary.text);
    println!("{:#?}", told.report);
}
