//! Every trigger of the security review at once against a real server on which ordinary players play:
//! `cargo run --release -p lab --bin siege`.
//!
//! Prints players' latencies before, while and after, what each trigger was told, and which promises were kept; exits
//! with 1 where one is broken. See `lab/src/siege`, and docs/OPERATIONS.md, "Under siege".

use clap::Parser;
use lab::siege::{self, Bounds, Options, Strength};
use lab::world_folder::root;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

#[derive(Parser)]
#[command(about = "Besieges a dp-server while people play on it, and judges what they noticed", max_term_width = 100)]
struct Args {
    /// Ordinary players; half by telnet, half agents
    #[arg(long, default_value_t = 200)]
    players: usize,
    /// Seconds of each stage: calm, siege, and after it
    #[arg(long, default_value_t = 60.0)]
    seconds: f64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value_t = 2_000, value_name = "MS")]
    tick_ms: u64,
    /// The world to play in; the project's own if it is not given
    #[arg(long, value_name = "DIR")]
    world: Option<PathBuf>,
    /// Only this trigger, or these; all if none is given
    #[arg(long = "trigger", value_name = "NAME")]
    triggers: Vec<String>,
    /// How far the attackers stand back for the others here (on a network they have machines of their own); 0: not
    #[arg(long, default_value_t = 0, value_name = "NICE", allow_negative_numbers = true)]
    attackers_nice: i32,
    /// Of the sockets that triggers open, 0 to 1
    #[arg(long, default_value_t = 1.0)]
    share: f64,
    /// Most that 99 of 100 commands may take in the siege
    #[arg(long, default_value_t = Bounds::default().p99_ms, value_name = "MS")]
    p99_ms: f64,
    /// Most that 99 of 100 logins may take in the siege
    #[arg(long, default_value_t = Bounds::default().login_p99_ms, value_name = "MS")]
    login_p99_ms: f64,
    /// Most that the start after the kill may take
    #[arg(long, default_value_t = Bounds::default().restart.as_secs_f64(), value_name = "SECONDS")]
    restart: f64,
    /// Further words for the server, such as `--server-arg=--connections-per-address=0`
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    server_arg: Vec<String>,
    /// One JSON object instead of the table
    #[arg(long)]
    json: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    let bounds = Bounds {
        p99_ms: args.p99_ms,
        login_p99_ms: args.login_p99_ms,
        restart: Duration::from_secs_f64(args.restart.max(0.0)),
        ..Bounds::default()
    };
    let options = Options {
        world: args.world.unwrap_or_else(|| root().join("data/world")),
        players: args.players,
        seconds: args.seconds.max(1.0),
        seed: args.seed,
        tick_ms: args.tick_ms,
        triggers: args.triggers,
        strength: Strength { share: args.share, nice: args.attackers_nice },
        more: args.server_arg,
        bounds,
    };
    match siege::run(&options).await {
        Ok(report) => {
            match args.json {
                true => println!("{:#}", report.to_json()),
                false => println!("{report}"),
            }
            if report.broken().is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
