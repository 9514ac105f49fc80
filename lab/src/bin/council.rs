//! Lets one mind, one that votes, and councils build on the shipped plots, and prints what came of it:
//! `council [--tasks village,causeway,garden] [--seeds 10] [--steps 50] [--json]`.
//!
//! Prints a table in markdown, or one JSON object.

use clap::Parser;
use lab::agents::council::{self, Options, Site};
use lab::world_folder::{read_content, root};
use serde_json::json;
use std::path::PathBuf;

#[derive(Parser)]
#[command(about = "Lets one mind, votes and councils build on plots, and measures score, imbalance, calls and tokens.")]
struct Arguments {
    /// Names with commas between
    #[arg(long, default_value = "village,causeway,garden", value_delimiter = ',')]
    tasks: Vec<String>,
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Decisions of each run
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    steps: u32,
    #[arg(long)]
    world: Option<PathBuf>,
    /// One JSON object on standard output
    #[arg(long)]
    json: bool,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let world = arguments.world.clone().unwrap_or_else(|| root().join("data/world"));
    let content = read_content(&world);
    let options = Options {
        seeds: (arguments.seed..arguments.seed.saturating_add(arguments.seeds)).collect(),
        steps: arguments.steps,
    };
    let mut rows = Vec::new();
    for task in &arguments.tasks {
        let of_task = council::rows(&Site::of(&content, task)?, &options)?;
        // The whole takes long: each task is told when it is known.
        of_task.iter().for_each(|row| eprintln!("{task}, {}: score {:.0}", row.way, row.score));
        rows.extend(of_task);
    }
    match arguments.json {
        true => println!("{}", json!({"steps": options.steps, "rows": council::json(&rows)})),
        false => print!("{}", council::markdown(&rows)),
    }
    Ok(())
}
