//! Lets newcomers play their first hour of each calling by what the screen says, and tells what they came to:
//! `first_hours [--by newcomer|policies] [--classes all] [--seeds 50] [--minutes 60] [--json] [--diary] [--pages DIR]`.
//!
//! Times are those of the game. Prints a table in markdown, or one JSON object; `--diary` prints what was read and
//! typed, too; `--pages` writes the hour of each calling that came to most, one page each.

use anyhow::Context;
use clap::Parser;
use content::Content;
use content::words::Class;
use lab::class_list::class_list;
use lab::first_hours::{self, By, Hour, Plan, Row};
use lab::world_folder::{read_content, root};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The callings among which a newcomer chooses.
const CALLINGS: [Class; 6] =
    [Class::MagicUser, Class::Cleric, Class::Thief, Class::Warrior, Class::Ninja, Class::Psionic];

#[derive(Parser)]
#[command(about = "Lets newcomers play their first hour by what the screen says, and measures what they came to.")]
struct Arguments {
    /// Who plays
    #[arg(long, value_enum, default_value_t = By::Newcomer)]
    by: By,
    /// `all` that one may begin with, or names with commas between
    #[arg(long, default_value = "all")]
    classes: String,
    #[arg(long, default_value_t = 50)]
    seeds: u64,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    first: u64,
    /// Of the game
    #[arg(long, default_value_t = 60)]
    minutes: u64,
    #[arg(long)]
    world: Option<PathBuf>,
    /// One JSON object on standard output
    #[arg(long)]
    json: bool,
    /// Also what each of them read and typed, on standard error
    #[arg(long)]
    diary: bool,
    /// Writes there one hour of each calling as it was read, in windows of 80 and of 60 columns by turns
    #[arg(long, value_name = "DIR", conflicts_with = "diary")]
    pages: Option<PathBuf>,
}

/// Windows of the pages, by turns.
const COLUMNS: [u16; 2] = [80, 60];

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let world = arguments.world.clone().unwrap_or_else(|| root().join("data/world"));
    let content = Arc::new(read_content(&world));
    let classes = class_list(&arguments.classes, &CALLINGS)?;
    let seeds: Vec<u64> = (arguments.first..arguments.first.saturating_add(arguments.seeds)).collect();
    // The whole takes a while: each row is told when it is known.
    let mut tell = |row: &Row| {
        let missed = row.misses();
        let missed =
            if missed.is_empty() { "nothing missed".to_string() } else { format!("missed: {}", missed.join(", ")) };
        eprintln!("{}: {missed}", row.class.name());
        for hour in row.hours.iter().filter(|_| arguments.diary) {
            eprintln!("seed {}", hour.seed);
            hour.diary.iter().for_each(|(at, text)| text.lines().for_each(|line| eprintln!("{at:>5} s  {line}")));
        }
    };
    let plan = Plan { by: arguments.by, minutes: arguments.minutes, columns: None };
    if let Some(folder) = &arguments.pages {
        anyhow::ensure!(plan.by == By::Newcomer, "--pages shows what a newcomer reads: leave --by away");
        return pages(&content, plan, &classes, &seeds, folder);
    }
    let rows = first_hours::rows(&content, plan, &classes, &seeds, &mut tell)?;
    match arguments.json {
        true => println!("{}", first_hours::json(&rows)),
        false => print!("{}", first_hours::markdown(&rows)),
    }
    Ok(())
}

/// Of each calling the hour that came to most, as it was read.
fn pages(content: &Arc<Content>, plan: Plan, classes: &[Class], seeds: &[u64], folder: &Path) -> anyhow::Result<()> {
    let typed: Vec<String> = std::env::args().skip(1).collect();
    let made_by = format!("cargo run --release -p lab --bin first_hours -- {}", typed.join(" "));
    std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    for (class, columns) in classes.iter().zip(COLUMNS.into_iter().cycle()) {
        let plan = Plan { columns: Some(columns), ..plan };
        let rows = first_hours::rows(content, plan, &[*class], seeds, &mut |_| ())?;
        // Of those that came to as much, the first.
        let much = |hour: &&Hour| (hour.reached_s.iter().flatten().count(), hour.tasks, std::cmp::Reverse(hour.seed));
        let Some(hour) = rows.iter().flat_map(|row| &row.hours).max_by_key(much) else { continue };
        let path = folder.join(format!("{}.md", class.name().to_lowercase().replace(' ', "-")));
        std::fs::write(&path, first_hours::page(*class, hour, columns, &made_by))
            .with_context(|| format!("{} cannot be written", path.display()))?;
        println!("{}", path.display());
    }
    Ok(())
}
