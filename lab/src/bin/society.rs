//! Plays societies and families of agents in one process, and measures what minds, words and inheritance do in them:
//! `society <ablation|generations|spread|interview> [--seeds 6] [--seed 1] [--json]`.
//!
//! Prints a table in markdown, or one JSON object. What each suite asks and found is told in `docs/EVALUATION.md`.

use clap::{Args, Parser, Subcommand};
use lab::agents::council::Site;
use lab::agents::{ablation, generations, interview, society};
use lab::world_folder::{read_content, root};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Parser)]
#[command(about = "Plays societies of agents, and measures what minds, words and inheritance do in them.")]
struct Arguments {
    #[command(subcommand)]
    suite: Suite,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
struct Common {
    #[arg(long, global = true, default_value_t = 6, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// The first seed
    #[arg(long, global = true, default_value_t = 1)]
    seed: u64,
    #[arg(long, global = true)]
    world: Option<PathBuf>,
    /// One JSON object on standard output
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum Suite {
    /// A society is forked at one input, and one of its councils has a mind less from there on
    Ablation(AblationArgs),
    /// One after the other plays at one task, with what those before it handed down and without
    Generations(GenerationsArgs),
    /// Many live in one world, two of them are told something, and it spreads by word of mouth
    Spread(SpreadArgs),
    /// The same, and all of them are asked what they know, with parts of their minds and without
    Interview(SpreadArgs),
}

#[derive(Args)]
struct AblationArgs {
    /// Names with commas between
    #[arg(long, default_value = "village,causeway,garden", value_delimiter = ',')]
    tasks: Vec<String>,
    /// In one world, all before the same plot
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=12))]
    agents: u64,
    /// Ticks until the fork
    #[arg(long, default_value_t = 30)]
    before: u64,
    /// Ticks after it
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    ticks: u64,
}

#[derive(Args)]
struct GenerationsArgs {
    /// One after the other
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=12))]
    generations: u64,
    /// Minutes of the game that each plays
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    minutes: u64,
    /// Where each begins [default: where newcomers wake]
    #[arg(long)]
    start: Option<i32>,
}

#[derive(Args)]
struct SpreadArgs {
    #[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u64).range(2..))]
    agents: u64,
    /// All in all: two days of the game
    #[arg(long, default_value_t = 1_536)]
    ticks: u64,
}

fn main() -> anyhow::Result<()> {
    let Arguments { suite, common } = Arguments::parse();
    let world = common.world.clone().unwrap_or_else(|| root().join("data/world"));
    let content = Arc::new(read_content(&world));
    let seeds: Vec<u64> = (common.seed..common.seed.saturating_add(common.seeds)).collect();
    match suite {
        Suite::Ablation(AblationArgs { tasks, agents, before, ticks }) => {
            let options = ablation::Options { seeds, agents: agents as usize, before, ticks };
            let mut rows = Vec::new();
            for task in &tasks {
                let of_task = ablation::rows(&content, &Site::of(&content, task)?, &options)?;
                // The whole takes long: each task is told when it is known.
                of_task.iter().for_each(|row| eprintln!("{task}, {}: {} part", row.left_out, row.parted));
                rows.extend(of_task);
            }
            let json = || {
                json!({
                    "seeds": options.seeds, "agents": agents, "before": before, "ticks": ticks,
                    "rows": ablation::json(&rows),
                })
            };
            tell(&common, json, || ablation::markdown(&rows));
        }
        Suite::Generations(GenerationsArgs { generations, minutes, start }) => {
            let options = generations::Options { seeds, generations: generations as usize, minutes, start };
            let rows = generations::rows(&content, &options)?;
            let json = || json!({"seeds": options.seeds, "minutes": minutes, "rows": generations::json(&rows)});
            tell(&common, json, || generations::markdown(&rows));
        }
        Suite::Spread(SpreadArgs { agents, ticks }) => {
            let options = society::Options { seeds, agents: agents as usize, ticks, world };
            let rows = society::rows(&content, &options)?;
            tell(&common, || society::json(&rows), || society::markdown(&rows));
        }
        Suite::Interview(SpreadArgs { agents, ticks }) => {
            let options = society::Options { seeds, agents: agents as usize, ticks, world };
            let (societies, sheet) = interview::rows(&content, &options)?;
            let json = || {
                let (society, interview) = (society::json(&societies), interview::json(&sheet));
                json!({"agents": agents, "ticks": ticks, "society": society, "interview": interview})
            };
            tell(&common, json, || format!("{}\n{}", society::markdown(&societies), interview::markdown(&sheet)));
        }
    }
    Ok(())
}

fn tell(common: &Common, json: impl Fn() -> serde_json::Value, markdown: impl Fn() -> String) {
    match common.json {
        true => println!("{}", json()),
        false => print!("{}", markdown()),
    }
}
