//! Lets agents play without sockets, many seeds at once, and measures how they fare:
//! `agents --seeds 20 --minutes 60 --start 8200 --level 1 [--mode fsm] [--compare] [--json] [--stories]`.
//!
//! `--compare` sets the utility policy against policies alone; with `--slow 2000` also a slow model against a quick
//! one, with `--outage 0-60` an endpoint that is out against policies alone, with `--outage 20-30` one that is out for
//! a while against one that never is. `--mode adversarial` lets the model do wrong what a model can, with `--each` one
//! fault after the other, and counts what evaluation E14 asks. `--table` prints the figures by which policies are
//! judged: 1, 2, 5 and 10 in one world, then each class at levels 1 to 5. `--map FILE.svg` draws where the players of
//! the first seed went, `--page FILE.md` tells what each did. Prints a line for each seed and the means; `--stories`
//! tells what came before each death, each time stuck, and each time that one lay down for nothing.

use agent_cli::stub::policy::{FAULTS, Fault};
use anyhow::Context;
use clap::{Parser, ValueEnum};
use content::Content;
use content::words::Class;
use lab::agents::deeds::Deeds;
use lab::agents::oracle::{Out, Outage};
use lab::agents::robustness::Sum;
use lab::agents::way_map::Label;
use lab::agents::{Mode, Report, Setting, compare, page, play, play_all, play_each, table, way_map};
use lab::world_folder::{read_content, root};
use mind::budget::Tier;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

#[derive(Parser)]
#[command(about = "Lets agents play in the world without sockets, and measures how they fare.")]
struct Options {
    /// Who decides
    #[arg(long, value_enum, default_value_t = Mode::Fsm)]
    mode: Mode,
    /// Plays with policies alone and with a model, and compares seed by seed
    #[arg(long)]
    compare: bool,
    /// With `--compare`: also a model that takes so many milliseconds; may be repeated
    #[arg(long, value_name = "MS", requires = "compare")]
    slow: Vec<u64>,
    /// With `--compare`: also a model whose endpoint is out in these minutes; may be repeated
    #[arg(long, value_name = "FROM-TO", value_parser = minutes, requires = "compare")]
    outage: Vec<(u64, u64)>,
    /// What an endpoint does while it is out
    #[arg(long, value_enum, default_value_t = Out::Refused)]
    out: Out,
    /// In the adversarial mode: this fault alone
    #[arg(long, value_enum)]
    fault: Option<Fault>,
    /// In the adversarial mode: each fault alone, then all together
    #[arg(long, conflicts_with = "fault")]
    each: bool,
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
    /// What came before each death, each time stuck, and each time that one got up again for nothing
    #[arg(long)]
    stories: bool,
    /// Every command
    #[arg(long)]
    trace: bool,
    /// The figures by which policies are judged, as a table: several in one world, and each class at levels 1 to 5
    #[arg(long, conflicts_with_all = ["compare", "players", "level", "class", "map", "page"])]
    table: bool,
    /// Each player has tastes of its own: one thing it likes much, and another little
    #[arg(long)]
    varied: bool,
    /// Draws where the players of the first seed went
    #[arg(long, value_name = "FILE.svg")]
    map: Option<PathBuf>,
    /// Tells what each player of the first seed did; its picture is that of `--map`
    #[arg(long, value_name = "FILE.md", requires = "map")]
    page: Option<PathBuf>,
}

fn minutes(text: &str) -> Result<(u64, u64), String> {
    let parsed = text.split_once('-').and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    parsed.filter(|(from, to)| from < to).ok_or_else(|| "write it as FROM-TO, in minutes, such as 20-30".to_string())
}

/// One way to play, and which of those before it it is set against.
struct Arm {
    name: String,
    setting: Setting,
    against: Option<usize>,
}

fn arms(options: &Options) -> anyhow::Result<Vec<Arm>> {
    let of = |mode: Mode| setting(options, mode);
    if !options.compare {
        return Ok(vec![Arm { name: options.mode.name().into(), setting: of(options.mode)?, against: None }]);
    }
    let mut arms = Vec::new();
    for (mode, against) in [(Mode::Fsm, None), (Mode::Utility, Some(0))] {
        arms.push(Arm { name: mode.name().into(), setting: of(mode)?, against });
    }
    for model_ms in &options.slow {
        let setting = Setting { model_ms: *model_ms, ..of(Mode::Utility)? };
        arms.push(Arm { name: format!("utility in {model_ms} ms"), setting, against: Some(1) });
    }
    for &(from_minute, to_minute) in &options.outage {
        let outage = Outage { from_minute, to_minute, out: options.out };
        let setting = Setting { outage: Some(outage), ..of(Mode::Utility)? };
        // One that never answers is no better than none.
        let always = from_minute == 0 && to_minute >= options.minutes;
        let name = format!("utility out in minutes {from_minute} to {to_minute}");
        arms.push(Arm { name, setting, against: Some(usize::from(!always)) });
    }
    Ok(arms)
}

/// Evaluation E14: one row for each fault.
fn adversarial(options: &Options, content: &Arc<Content>, seeds: &[u64]) -> anyhow::Result<ExitCode> {
    let faults: Vec<Option<Fault>> = match (options.each, options.fault) {
        (true, _) => FAULTS.iter().copied().map(Some).chain([None]).collect(),
        (false, fault) => vec![fault],
    };
    println!("{}", Sum::HEADER);
    let mut all = Sum::default();
    for fault in faults {
        let setting = Setting { fault, ..setting(options, Mode::Adversarial)? };
        let sum = Sum::of(play_each(content, &setting, seeds));
        let name = fault.and_then(|fault| fault.to_possible_value()).map(|value| value.get_name().to_string());
        println!("{}", sum.row(name.as_deref().unwrap_or("all in turn")));
        if options.stories {
            sum.stories.iter().for_each(|story| println!("  {story}"));
        }
        all.add(sum);
    }
    println!("{}", all.row("**together**"));
    for problem in &all.problems {
        println!("  {problem}");
    }
    Ok(if all.holds() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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
        varied: options.varied,
        trace: options.trace,
        ..Setting::default()
    })
}

fn show(name: &str, reports: &[Report], stories: bool) {
    println!("{name}:");
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
    let mut seeds: BTreeMap<u64, Vec<Report>> = BTreeMap::new();
    for report in reports {
        seeds.entry(report.seed).or_default().push(report.clone());
    }
    let seeds: Vec<Vec<Report>> = seeds.into_values().collect();
    let crowd = table::Crowd::of(seeds.iter().map(Vec::len).max().unwrap_or(0), &seeds);
    println!(
        "  at rest {:.0} %, idle {:.0} %, {:.1} rest and stand pairs/h, in common: rooms {:.0} %, time {:.0} %",
        crowd.rest_share * 100.0,
        crowd.idle_share * 100.0,
        crowd.rest_stand_pairs_per_hour,
        crowd.rooms_in_common * 100.0,
        crowd.time_in_common * 100.0,
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

fn table(options: &Options, content: &Arc<Content>, seeds: &[u64]) -> anyhow::Result<ExitCode> {
    let setting = setting(options, options.mode)?;
    let crowds = table::crowds(content, &setting, seeds)?;
    if !options.json {
        // It takes as long again until the rest is known.
        print!("{}", table::crowds_markdown(&crowds));
    }
    let deaths = table::deaths(content, &setting, seeds)?;
    match options.json {
        true => println!("{}", table::json(&crowds, &deaths)),
        false => print!("{}", table::deaths_markdown(&deaths)),
    }
    Ok(ExitCode::SUCCESS)
}

/// The map and the page of the players of one seed.
fn draw(options: &Options, content: &Arc<Content>, map: &Path) -> anyhow::Result<ExitCode> {
    let setting = setting(options, options.mode)?;
    let reports = play(content, &setting, options.first)?;
    let tastes: Vec<String> = (0..reports.len()).map(|n| page::tastes(setting.varied, n)).collect();
    let labels: Vec<Label> = reports.iter().zip(&tastes).map(|(report, tastes)| page::label(report, tastes)).collect();
    let deeds: Vec<&Deeds> = reports.iter().map(|report| &report.deeds).collect();
    let title = format!("{}: the ways of {} agents in {} minutes", content.name, deeds.len(), options.minutes);
    let write =
        |path: &Path, text: &str| std::fs::write(path, text).with_context(|| format!("writing {}", path.display()));
    write(map, &way_map::svg(content, &deeds, &labels, &title))?;
    if let Some(path) = &options.page {
        let picture = map.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let command: Vec<String> = std::env::args().skip(1).collect();
        let command = format!("cargo run --release -p lab --bin agents -- {}", command.join(" "));
        write(path, &page::markdown(content, &reports, &tastes, &picture, &command))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn run() -> anyhow::Result<ExitCode> {
    let options = Options::parse();
    let world = options.world.clone().unwrap_or_else(|| root().join("data/world"));
    let content = Arc::new(read_content(&world));
    let seeds: Vec<u64> = (options.first..options.first + options.seeds).collect();
    if options.table {
        return table(&options, &content, &seeds);
    }
    if let Some(map) = &options.map {
        return draw(&options, &content, map);
    }
    if options.mode == Mode::Adversarial && !options.compare {
        return adversarial(&options, &content, &seeds);
    }
    let (mut played, mut out, mut compared): (Vec<(String, Vec<Report>)>, Vec<_>, Vec<_>) = Default::default();
    for arm in arms(&options)? {
        let begun = Instant::now();
        let reports = play_all(&content, &arm.setting, &seeds)?;
        let took_s = begun.elapsed().as_secs_f64();
        if options.json {
            out.push(json!({"mode": arm.name, "took_s": took_s,
                "seeds": reports.iter().map(Report::json).collect::<Vec<_>>()}));
        } else {
            show(&arm.name, &reports, options.stories);
            eprintln!("  took {took_s:.1} s");
        }
        if let Some((first, base)) = arm.against.and_then(|against| played.get(against)) {
            compared.push((format!("{} against {first}", arm.name), compare(base, &reports)));
        }
        played.push((arm.name, reports));
    }
    if options.json {
        let compared: Vec<_> =
            compared.iter().map(|(what, result)| json!({"what": what, "result": result.json()})).collect();
        println!("{}", json!({"minutes": options.minutes, "modes": out, "comparisons": compared}));
        return Ok(ExitCode::SUCCESS);
    }
    for (name, comparison) in compared {
        println!(
            "{name}: {:.3} times the experience (95 %: {:.3} to {:.3}); better in {}, worse in {}, p = {:.2e}",
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
    Ok(ExitCode::SUCCESS)
}

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
