//! Plays a simulation of any length: `simulate --players 200 --ticks 2000 --seed 7 --world DIR`, with `--careful`,
//! `--twice` and `--judge` as wanted.
//!
//! Prints how it goes, and in the end the hash of the world; `--twice` plays it again and compares the hashes of each
//! stretch; `--judge` has everybody dream of it and judges each sentence of that (`dreaming::check`). Exits with 1 when
//! anything was wrong.

use clap::Parser;
use content::Content;
use lab::simulation::Simulation;
use lab::world_folder::{read_content, root};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use world::hash::StateHashes;

/// Ticks between two words of progress.
const STRETCH: u64 = 100;
/// Untrue sentences that are shown.
const UNTRUE_SHOWN: usize = 20;

#[derive(Parser)]
#[command(about = "Plays a simulation of any length and checks that all is as it has to be.")]
struct Options {
    /// Players who do something each tick
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    players: u64,
    #[arg(long, default_value_t = 500)]
    ticks: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// [default: the shipped world]
    #[arg(long, value_name = "DIR")]
    world: Option<PathBuf>,
    /// Stores and restores the world as it goes, and checks after each input
    #[arg(long)]
    careful: bool,
    /// Plays it again and compares the hashes of each stretch
    #[arg(long)]
    twice: bool,
    /// Everybody dreams of it, and each sentence of that is judged
    #[arg(long)]
    judge: bool,
}

/// Plays it through. The hashes after each stretch, of the world and of what was remembered, or what was wrong.
fn play(content: &Arc<Content>, options: &Options) -> anyhow::Result<Vec<(StateHashes, u64)>> {
    let mut simulation = Simulation::new(content.clone(), options.seed, options.players as usize);
    simulation.careful = options.careful;
    simulation.remembered.keep = options.judge;
    let mut hashes = Vec::new();
    let mut left = options.ticks;
    while left > 0 {
        let stretch = left.min(STRETCH);
        simulation.run(stretch).map_err(|failure| anyhow::anyhow!("{failure}"))?;
        left -= stretch;
        hashes.push((simulation.world.hashes(), simulation.remembered.hash()));
        println!(
            "tick {}: {} inputs, {} lines, {} characters, {} things, {} coins",
            simulation.world.tick(),
            simulation.world.state.number,
            simulation.lines,
            simulation.world.state.characters.len(),
            simulation.world.state.objects.len(),
            simulation.world.coins(),
        );
    }
    let (unused, idle) = simulation.unused();
    println!("stored and restored {} times", simulation.round_trips);
    println!("remembered: {}", simulation.remembered);
    println!("never typed: {unused:?}");
    println!("always refused: {idle:?}");
    println!("messages: {}", simulation.channel_law.messages);
    println!("never done: {:?}", simulation.parts_undone());
    if options.judge {
        let judged = simulation.remembered.judged();
        println!("judged: {} sentences, {} untrue", judged.sentences, judged.untrue.len());
        for untrue in judged.untrue.iter().take(UNTRUE_SHOWN) {
            println!("  {} ({})", untrue.sentence, untrue.why);
        }
        anyhow::ensure!(judged.untrue.is_empty(), "what they remember is not what happened");
    }
    Ok(hashes)
}

fn run() -> anyhow::Result<()> {
    let options = Options::parse();
    let world = options.world.clone().unwrap_or_else(|| root().join("data/world"));
    let content = Arc::new(read_content(&world));
    let hashes = play(&content, &options)?;
    if let Some(last) = hashes.last() {
        println!("hash {:016x}", last.0.all);
    }
    if options.twice {
        let again = play(&content, &options)?;
        for (n, (one, two)) in hashes.iter().zip(&again).enumerate() {
            let differences = one.0.differences(&two.0);
            anyhow::ensure!(differences.is_empty(), "stretch {n} differs in {differences:?}");
            anyhow::ensure!(one.1 == two.1, "stretch {n} is remembered otherwise");
        }
        println!("the same again");
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
