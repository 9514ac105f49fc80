//! Kills a real server again and again while a crowd plays:
//! `cargo run --release -p lab --bin torture -- --rounds 200`.
//!
//! Prints one line for each round and a summary; exits with 1 when anything that was shown was undone, or anything was
//! lost or came from nowhere. See `lab/src/torture`.

use clap::Parser;
use lab::torture::{self, Options};
use lab::world_folder::{read_content, root};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

#[derive(Parser)]
struct Args {
    /// Times that the server is killed, stopped or restarted
    #[arg(long, default_value_t = 20)]
    rounds: u32,
    /// Players; four of five are agents, the others people
    #[arg(long, default_value_t = 50)]
    bots: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A database instead of SQLite in the state folder; it must be empty
    #[arg(long, value_name = "URL")]
    db: Option<String>,
    /// The world to play in; the project's own if it is not given
    #[arg(long, value_name = "DIR")]
    world: Option<PathBuf>,
    #[arg(long, default_value_t = 50, value_name = "MS")]
    tick_ms: u64,
    /// Longest round
    #[arg(long, default_value_t = 3_000, value_name = "MS")]
    round_ms: i32,
    /// Afterwards, or with `--rounds 0` only this: so many ticks of the simulation are journaled and replayed twice
    #[arg(long, default_value_t = 0, value_name = "TICKS")]
    replay_ticks: u64,
    /// Further words for the server, such as `--server-arg=--fsync=always`
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    server_arg: Vec<String>,
}

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    let options = Options {
        rounds: args.rounds,
        bots: args.bots.max(1),
        seed: args.seed,
        world: args.world.unwrap_or_else(|| root().join("data/world")),
        tick_ms: args.tick_ms.max(1),
        round_ms: args.round_ms.max(100),
        database: args.db,
        more: args.server_arg,
        tell: true,
    };
    match play(&options, args.replay_ticks).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn play(options: &Options, replay_ticks: u64) -> anyhow::Result<()> {
    if options.rounds > 0 {
        println!("{}", torture::run(options).await?);
    }
    if replay_ticks > 0 {
        let folder = tempfile::tempdir()?;
        let content = Arc::new(read_content(&options.world));
        let (seed, bots) = (options.seed, options.bots);
        let told = torture::replay_twice(folder.path(), &options.world, content, seed, bots, replay_ticks)?;
        println!(
            "{replay_ticks} ticks with {bots} bots: {} hashes equal on two fresh processes; with the command of input \
             {} changed, {} differ at tick {}",
            told.hashes, told.changed, told.section, told.changed_tick
        );
    }
    Ok(())
}
