//! Lets agents play without sockets, many seeds at once, and measures how they fare:
//! `agents --seeds 20 --minutes 60 --start 8200 --level 1 [--mode fsm] [--compare] [--json] [--stories]`.
//!
//! Prints a line for each seed and the means; `--stories` tells what came before each death and each time stuck.

use clap::Parser;
use mind::budget::Tier;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use tests::agents::{Mode, Report, Setting, compare, play_all};
use tests::scene::{read_content, tests_folder};
use world::words::Class;

#[derive(Parser)]
#[command(about = "Lets agents play in the world without sockets, and measures how they fare.")]
struct Options {
    /// Who decides
    #[arg(long, value_enum, default_value_t = Mode::Fsm)]
    mode: Mode,
    /// Plays every mode and compares each with the first, seed by seed
    #[arg(long)]
    compare: bool,
    #[arg(long, default_value_t = 20)]
    seeds: u64,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    first: u64,
    /// Minutes of the game, 30 ticks each
    #[arg(long, default_value_t = 60)]
    minutes: u64,
    /// Agents in one world
    #[arg(long, default_value_t = 1)]
    players: usize,
    /// 1: newborn
    #[arg(long, default_value_t = 1)]
    level: i32,
    /// `warrior`, `cleric`, `thief`, `magic-user`, …
    #[arg(long, default_value = "warrior")]
    class: String,
    /// The room to begin in; without it, where newcomers wake
    #[arg(long)]
    start: Option<i32>,
    /// Begin in the first room of this zone
    #[arg(long, conflicts_with = "start")]
    zone: Option<i32>,
    #[arg(long, default_value_t = 5_000)]
    think_ms: u64,
    #[arg(long, default_value_t = 800)]
    model_ms: u64,
    /// How large the prompts are
    #[arg(long, default_value = "medium")]
    tier: Tier,
    #[arg(long)]
    world: Option<PathBuf>,
    /// One JSON object on standard output
    #[arg(long)]
    json: bool,
    /// What came before each death and each time stuck
    #[arg(long)]
    stories: bool,
    /// Every command
    #[arg(long)]
    trace: bool,
}

fn setting(options: &Options, mode: Mode) -> anyhow::Result<Setting> {
    let class = Class::ALL.iter().find(|class| class.name().eq_ignore_ascii_case(&options.class));
    Ok(Setting {
        mode,
        minutes: options.minutes,
        players: options.players,
        class: *class.ok_or_else(|| anyhow::anyhow!("there is no class {}", options.class))?,
        level: options.level,
        start: options.start.or(options.zone.map(|zone| zone * 100)),
        think_ms: options.think_ms,
        model_ms: options.model_ms,
        tier: options.tier,
        trace: options.trace,
        ..Setting::default()
    })
}

fn show(mode: Mode, reports: &[Report], stories: bool) {
    println!("{}:", mode.name());
    println!(
        "  seed  deaths    exp/h  level  kills  rooms  stuck s (room)  repeated  refused  commands  thoughts  fight/rest/other s"
    );
    for r in reports {
        let spent = |doing: &str| r.spent_s.get(doing).copied().unwrap_or(0);
        println!(
            "  {:>4}  {:>6}  {:>7.0}  {}->{:<2}  {:>5}  {:>5}  {:>7} ({:>5})  {:>8}  {:>7}  {:>8}  {:>8}  {}/{}/{}",
            r.seed,
            r.deaths,
            r.experience_per_hour(),
            r.level_start,
            r.level,
            r.kills,
            r.rooms,
            r.stuck_longest_s,
            r.stuck_room,
            r.repeated,
            r.refused.values().sum::<u64>(),
            r.commands(),
            r.thoughts,
            spent("fighting"),
            spent("resting"),
            spent("other"),
        );
    }
    let n = reports.len().max(1) as f64;
    let mean = |of: &dyn Fn(&Report) -> f64| reports.iter().map(of).sum::<f64>() / n;
    println!(
        "  mean: {:.2} deaths/h, {:.0} exp/h, level {:.2}, {:.1} kills, {:.1} rooms; stuck at most {} s",
        mean(&Report::deaths_per_hour),
        mean(&Report::experience_per_hour),
        mean(&|r| f64::from(r.level)),
        mean(&|r| f64::from(r.kills)),
        mean(&|r| r.rooms as f64),
        reports.iter().map(|r| r.stuck_longest_s).max().unwrap_or(0),
    );
    let mut by: BTreeMap<&str, u64> = BTreeMap::new();
    let mut refused: BTreeMap<&str, u64> = BTreeMap::new();
    for r in reports {
        r.by_policy.iter().for_each(|(name, count)| *by.entry(name).or_default() += count);
        r.refused.iter().for_each(|(why, count)| *refused.entry(why).or_default() += count);
    }
    let most = |counts: BTreeMap<&str, u64>, shown: usize| {
        let mut counts: Vec<(u64, String)> = counts.into_iter().map(|(name, n)| (n, name.to_string())).collect();
        counts.sort_by(|a, b| b.cmp(a));
        counts.into_iter().take(shown).map(|(n, name)| format!("\n    {n:>7} {name}")).collect::<String>()
    };
    println!("  commands by source:{}", most(by, 24));
    println!("  refused most:{}", most(refused, 16));
    for r in reports {
        for line in &r.trace {
            println!("  seed {}: {line}", r.seed);
        }
    }
    if stories {
        for r in reports {
            for story in &r.stories {
                println!("  seed {}: {story}", r.seed);
            }
        }
    }
}

fn run() -> anyhow::Result<()> {
    let options = Options::parse();
    let world = options.world.clone().unwrap_or_else(|| tests_folder().join("../data/world"));
    let content = Arc::new(read_content(&world));
    let seeds: Vec<u64> = (options.first..options.first + options.seeds).collect();
    let modes: Vec<Mode> =
        if options.compare { <Mode as clap::ValueEnum>::value_variants().to_vec() } else { vec![options.mode] };
    let mut played: Vec<(Mode, Vec<Report>)> = Vec::new();
    let mut out = Vec::new();
    for mode in modes {
        let begun = Instant::now();
        let reports = play_all(&content, &setting(&options, mode)?, &seeds)?;
        let took_s = begun.elapsed().as_secs_f64();
        if options.json {
            out.push(json!({"mode": mode.name(), "took_s": took_s,
                "seeds": reports.iter().map(Report::json).collect::<Vec<_>>()}));
        } else {
            show(mode, &reports, options.stories);
            println!("  took {took_s:.1} s");
        }
        played.push((mode, reports));
    }
    let mut compared = Vec::new();
    if let Some(((first, base), others)) = played.split_first() {
        for (mode, reports) in others {
            let comparison = compare(base, reports);
            let name = format!("{} against {}", mode.name(), first.name());
            if options.json {
                compared.push(json!({"what": name, "result": comparison.json()}));
            } else {
                println!(
                    "{name}: {:.2} times the experience (95 %: {:.2} to {:.2}); better in {}, worse in {}, p = {:.2e}",
                    comparison.ratio,
                    comparison.ratio_interval[0],
                    comparison.ratio_interval[1],
                    comparison.better,
                    comparison.worse,
                    comparison.p_value
                );
                println!(
                    "  deaths/h {:.2} and {:.2} (difference 95 %: {:+.2} to {:+.2})",
                    comparison.deaths_per_hour[0],
                    comparison.deaths_per_hour[1],
                    comparison.deaths_interval[0],
                    comparison.deaths_interval[1]
                );
            }
        }
    }
    if options.json {
        println!("{}", json!({"minutes": options.minutes, "modes": out, "comparisons": compared}));
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
