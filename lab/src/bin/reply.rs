//! Plays a server's past on with one reply changed, and says what came of it: `reply --state-dir data/state --message
//! 413 --instead "You were right." --seeds 20 --ticks 300`. The same as `dp-agent eval reply`.
//!
//! Prints tables; `--json` prints one object, `--show SEED` the talk of both arms side by side. The state folder is
//! only read, and its server may be running.

use agent_cli::stub::PolicyKind;
use anyhow::Context;
use clap::Parser;
use lab::agents::reply::{Question, Terms, ask};
use server::replay::PastArgs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

#[derive(Parser)]
#[command(about = "Plays a server's past on with one reply changed, and says what came of it.")]
struct Options {
    #[command(flatten)]
    past: PastArgs,
    /// The message that is changed
    #[arg(long, value_name = "ID")]
    message: u64,
    /// Its other words, of at most 2,000 characters
    #[arg(long, value_name = "TEXT")]
    instead: String,
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// How long each arm is played, in ticks of two seconds
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    ticks: u64,
    /// The policy of `dp-agent stub` that is everybody's model
    #[arg(long, value_enum, default_value = "mirror")]
    policy: PolicyKind,
    /// JSON lines for `scripted` and `replay`
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    #[arg(long, default_value_t = 5_000)]
    think_ms: u64,
    /// How long a model takes for an answer
    #[arg(long, default_value_t = 800)]
    model_ms: u64,
    /// One JSON object on standard output
    #[arg(long)]
    json: bool,
    /// Also print what was said in both arms of this seed, side by side
    #[arg(long, value_name = "SEED", conflicts_with = "json")]
    show: Option<u64>,
    /// How many messages of each arm are shown
    #[arg(long, default_value_t = 12, requires = "show")]
    most: usize,
}

fn run() -> anyhow::Result<()> {
    let options = Options::parse();
    let script = match &options.script {
        Some(path) => Some(std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?),
        None => None,
    };
    let begun = Instant::now();
    let answer = ask(Question {
        past: options.past,
        message: options.message,
        instead: options.instead,
        terms: Terms {
            seeds: options.seeds,
            ticks: options.ticks,
            policy: options.policy,
            script,
            think_ms: options.think_ms,
            model_ms: options.model_ms,
        },
    })?;
    let shown = options.show.map(|seed| answer.side_by_side(seed, options.most)).transpose()?;
    match options.json {
        true => println!("{}", answer.json()),
        false => print!("{}", answer.markdown()),
    }
    if let Some(shown) = shown {
        print!("\n{shown}");
    }
    eprintln!("took {:.1} s", begun.elapsed().as_secs_f64());
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("reply: {error:#}");
            ExitCode::FAILURE
        }
    }
}
