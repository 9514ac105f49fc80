//! Lets each class play by policies alone until it comes to a level, with its arts and without, and prints how that
//! went: `balance [--classes warrior,cleric] [--levels 1-8] [--seeds 20] [--hours 5] [--no-arts] [--json]`.
//!
//! With `--no-arts` only without them. Times are those of the game. Prints a table in markdown, or one JSON object.

use clap::Parser;
use content::words::Class;
use lab::agents::balance::{self, Options, Row};
use lab::class_list::class_list;
use lab::world_folder::{read_content, root};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Parser)]
#[command(about = "Lets each class play by policies, with its arts and without, and measures how they fare.")]
struct Arguments {
    /// `all`, or names with commas between
    #[arg(long, default_value = "all")]
    classes: String,
    /// From which level to which
    #[arg(long, default_value = "1-8", value_parser = levels)]
    levels: (i32, i32),
    #[arg(long, default_value_t = 20)]
    seeds: u64,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    first: u64,
    /// Of the game, at most, for each seed
    #[arg(long, default_value_t = 5.0)]
    hours: f64,
    /// Only without arts
    #[arg(long)]
    no_arts: bool,
    #[arg(long)]
    world: Option<PathBuf>,
    /// One JSON object on standard output
    #[arg(long)]
    json: bool,
}

fn levels(text: &str) -> Result<(i32, i32), String> {
    let parsed = text.split_once('-').and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    let is_right = |(from, to): &(i32, i32)| 1 <= *from && from < to && *to <= 30;
    parsed.filter(is_right).ok_or_else(|| "write it as FROM-TO, such as 1-8, of levels from 1 to 30".to_string())
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    anyhow::ensure!(
        arguments.hours.is_finite() && arguments.hours > 0.0,
        "--hours is a number above 0, not {}",
        arguments.hours
    );
    let world = arguments.world.clone().unwrap_or_else(|| root().join("data/world"));
    let content = Arc::new(read_content(&world));
    let (from, to) = arguments.levels;
    let options = Options {
        classes: class_list(&arguments.classes, Class::ALL)?,
        from,
        to,
        seeds: (arguments.first..arguments.first.saturating_add(arguments.seeds)).collect(),
        hours: arguments.hours,
    };
    // The whole takes long: each row is told when it is known.
    let mut tell = |row: &Row| {
        let arts = if row.arts { "with arts" } else { "without arts" };
        let (class, experience, deaths) = (row.class.name(), row.experience_per_hour, row.deaths_per_hour);
        eprintln!("{class} {arts}: {experience:.0} experience/h, {deaths:.2} deaths/h");
    };
    let with = match arguments.no_arts {
        true => Vec::new(),
        false => balance::rows(&content, &options, true, &mut tell)?,
    };
    let without = balance::rows(&content, &options, false, &mut tell)?;
    match arguments.json {
        true => println!("{}", json!({"with_arts": balance::json(&with), "without_arts": balance::json(&without)})),
        false => print!("{}", balance::markdown(&with, &without, to)),
    }
    Ok(())
}
