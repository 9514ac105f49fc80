//! Lets newcomers play their first hour of each calling by what the screen says, and tells what they came to:
//! `first_hours [--by newcomer|policies] [--classes all] [--seeds 50] [--minutes 60] [--json] [--diary]`.
//!
//! Times are those of the game. Prints a table in markdown, or one JSON object; `--diary` prints what was read and
//! typed, too.

use clap::Parser;
use content::words::Class;
use lab::class_list::class_list;
use lab::first_hours::{self, By, Row};
use lab::world_folder::{read_content, root};
use std::path::PathBuf;
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
}

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
    let rows = first_hours::rows(&content, arguments.by, &classes, &seeds, arguments.minutes, &mut tell)?;
    match arguments.json {
        true => println!("{}", first_hours::json(&rows)),
        false => print!("{}", first_hours::markdown(&rows)),
    }
    Ok(())
}
