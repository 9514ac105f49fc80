//! Lets one mind, one that votes, and councils build on the shipped plots, and prints what came of it:
//! `council [council|regret] [--tasks village,causeway,garden] [--seeds 10] [--steps 50] [--json]`.
//!
//! Prints a table in markdown, or one JSON object.

use clap::{Parser, ValueEnum};
use content::Content;
use lab::agents::council::{self, Options, Site};
use lab::agents::regret;
use lab::world_folder::{read_content, root};
use serde_json::json;
use std::path::PathBuf;

#[derive(Clone, Copy, ValueEnum)]
enum Suite {
    /// One mind, votes and councils beside each other
    Council,
    /// At each conflict of a council, what it chose beside what it did not, in forks
    Regret,
}

#[derive(Parser)]
#[command(about = "Lets one mind, votes and councils build on plots, and measures score, imbalance, calls and tokens.")]
struct Arguments {
    #[arg(value_enum, default_value = "council")]
    suite: Suite,
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
    if let Suite::Regret = arguments.suite {
        return regrets(&arguments, &content, &options);
    }
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

fn regrets(arguments: &Arguments, content: &Content, options: &Options) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    for task in &arguments.tasks {
        let of_task = regret::rows(&Site::of(content, task)?, options)?;
        of_task.iter().for_each(|row| eprintln!("{task}, {}: right {:.2} of {}", row.by, row.right, row.conflicts));
        rows.extend(of_task);
    }
    match arguments.json {
        true => {
            let (seeds, rows) = (&options.seeds, regret::json(&rows));
            println!("{}", json!({"seeds": seeds, "steps": options.steps, "ticks": regret::TICKS, "rows": rows}));
        }
        false => print!("{}", regret::markdown(&rows)),
    }
    Ok(())
}
