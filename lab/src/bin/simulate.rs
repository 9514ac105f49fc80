//! Plays a simulation of any length: `simulate --players 200 --ticks 2000 --seed 7 --world DIR`, with `--careful`,
//! `--twice` and `--judge` as wanted.
//!
//! Prints how it goes, and in the end the hash of the world; `--twice` plays it again and compares the hashes of each
//! stretch; `--judge` has everybody dream of it and judges each sentence of that (`dreaming::check`). Exits with 1 when
//! anything was wrong.

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

struct Options {
    players: usize,
    ticks: u64,
    seed: u64,
    world: PathBuf,
    careful: bool,
    twice: bool,
    judge: bool,
}

fn options() -> anyhow::Result<Options> {
    let mut options = Options {
        players: 50,
        ticks: 500,
        seed: 1,
        world: root().join("data/world"),
        careful: false,
        twice: false,
        judge: false,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| anyhow::anyhow!("{argument} needs a value"));
        match argument.as_str() {
            "--players" => options.players = value()?.parse()?,
            "--ticks" => options.ticks = value()?.parse()?,
            "--seed" => options.seed = value()?.parse()?,
            "--world" => options.world = value()?.into(),
            "--careful" => options.careful = true,
            "--twice" => options.twice = true,
            "--judge" => options.judge = true,
            other => anyhow::bail!("unknown option {other}; see the head of this program's file"),
        }
    }
    anyhow::ensure!(options.players > 0, "at least one player is needed");
    Ok(options)
}

/// Plays it through. The hashes after each stretch, of the world and of what was remembered, or what was wrong.
fn play(content: &Arc<Content>, options: &Options) -> anyhow::Result<Vec<(StateHashes, u64)>> {
    let mut simulation = Simulation::new(content.clone(), options.seed, options.players);
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
    let options = options()?;
    let content = Arc::new(read_content(&options.world));
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
