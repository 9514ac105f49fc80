//! The suites: what `dp-agent eval` measures of dreams, facts, recall and attention.
//!
//! A suite is one file, named for what it measures, and one row of `SUITES`. The counting is in `counts`; here are
//! clocks, processes, files and what people read. A result that missed its target beyond its interval fails; a machine
//! that is too slow today is reported and fails nothing.

mod attention;
mod decay;
mod dreaming_speed;
mod forgetting;
mod junk;
mod machine;
mod plot;
mod recall;
mod report;
mod sameness;
mod true_sentences;
mod truth;

pub use report::{Figure, Kind, Measure, Report, Target, Verdict};

use anyhow::{Context, bail};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What is to be measured, and where it goes.
#[derive(Clone, Debug)]
pub struct Order {
    /// Names of suites, their numbers, or `all`.
    pub suites: Vec<String>,
    /// Of the lives that are made up.
    pub seed: u64,
    pub size: Size,
    /// JSON instead of tables.
    pub json: bool,
    /// A folder for a .json and a .md of each suite, and the figures.
    pub output: Option<PathBuf>,
    /// Session logs that `true-sentences` judges instead of made-up lives: a folder with one for each agent.
    pub sessions: Option<PathBuf>,
}

/// Likeness of meaning, by whoever gives vectors for texts.
pub trait Likeness {
    /// The model's name.
    fn model(&self) -> &str;

    /// For each question the places of the `most` texts most alike to it, best first. Errors: the endpoint's.
    fn alike(&self, texts: &[String], questions: &[String], most: usize) -> anyhow::Result<Vec<Vec<u32>>>;
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Size {
    Quick,
    Usual,
    Full,
}

impl Size {
    /// One of three, by size.
    pub fn pick<T>(self, quick: T, usual: T, full: T) -> T {
        match self {
            Size::Quick => quick,
            Size::Usual => usual,
            Size::Full => full,
        }
    }
}

/// What a suite is given.
pub struct Setup<'a> {
    pub seed: u64,
    pub size: Size,
    /// As in `Order`.
    pub sessions: Option<&'a Path>,
    /// Asked by `recall` only.
    pub likeness: Option<&'a dyn Likeness>,
    /// What people see while it takes its time.
    pub progress: &'a mut dyn FnMut(&str),
}

pub struct Suite {
    /// What it measures, as it is asked for.
    pub name: &'static str,
    /// Its number in the list of experiments: asked for as well, and the name of its files.
    pub number: &'static str,
    pub title: &'static str,
    pub run: fn(&mut Setup) -> anyhow::Result<Report>,
}

macro_rules! suite {
    ($name:literal, $number:literal, $title:literal, $module:ident) => {
        Suite { name: $name, number: $number, title: $title, run: $module::run }
    };
}

/// In the order of running: memory is measured first, before others have used it.
pub const SUITES: [Suite; 9] = [
    suite!("dreaming-speed", "e4", "Speed of dreaming", dreaming_speed),
    suite!("sameness", "e5", "A dream is one", sameness),
    suite!("forgetting", "e6", "Forgetting", forgetting),
    suite!("decay", "e7", "Decay of memories by feeling", decay),
    suite!("recall", "e10", "Finding memories", recall),
    suite!("truth", "e11", "What holds, and what held", truth),
    suite!("junk", "e18", "Junk", junk),
    suite!("true-sentences", "e21", "Untrue sentences", true_sentences),
    suite!("attention", "e22", "Attention against use", attention),
];

impl Suite {
    fn is_called(&self, word: &str) -> bool {
        let word = word.replace('_', "-");
        self.name.eq_ignore_ascii_case(&word) || self.number.eq_ignore_ascii_case(&word)
    }
}

fn chosen(names: &[String]) -> anyhow::Result<Vec<&'static Suite>> {
    let all = |name: &str| name.eq_ignore_ascii_case("all");
    for name in names {
        if !all(name) && !SUITES.iter().any(|suite| suite.is_called(name)) {
            let known: Vec<String> = SUITES.iter().map(|suite| format!("{} ({})", suite.name, suite.number)).collect();
            bail!("there is no suite {name:?}: there are {}, and all", known.join(", "));
        }
    }
    let wanted = |suite: &&Suite| names.iter().any(|name| all(name) || suite.is_called(name));
    Ok(SUITES.iter().filter(wanted).collect())
}

/// Runs suites. Tables or JSON go to `out`, progress to `told`. True when no result missed its target.
pub fn run(
    order: &Order,
    likeness: Option<&dyn Likeness>,
    out: &mut dyn Write,
    told: &mut dyn Write,
) -> anyhow::Result<bool> {
    let suites = chosen(&order.suites)?;
    if let Some(folder) = &order.output {
        fs::create_dir_all(folder).with_context(|| format!("making the folder {}", folder.display()))?;
    }
    let mut reports = Vec::new();
    for suite in suites {
        let mut progress = |text: &str| {
            // Whoever closed standard error does not want to know.
            let _ = writeln!(told, "{}: {text}", suite.name);
        };
        progress(suite.title);
        let mut setup = Setup {
            seed: order.seed,
            size: order.size,
            sessions: order.sessions.as_deref(),
            likeness,
            progress: &mut progress,
        };
        let mut report = (suite.run)(&mut setup).with_context(|| format!("in the suite {}", suite.name))?;
        (report.suite, report.name, report.title) = (suite.number, suite.name, suite.title);
        report.judge();
        if let Some(folder) = &order.output {
            let write = |name: String, text: &str| {
                let path = folder.join(name);
                fs::write(&path, text).with_context(|| format!("writing {}", path.display()))
            };
            write(format!("{}.json", suite.number), &(serde_json::to_string_pretty(&report)? + "\n"))?;
            write(format!("{}.md", suite.number), &report.markdown())?;
            for figure in &report.figures {
                write(format!("{}-{}.svg", suite.number, figure.name), &figure.svg)?;
            }
        }
        if !order.json {
            writeln!(out, "{}", report.markdown())?;
        }
        reports.push(report);
    }
    if order.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&reports)?)?;
    }
    Ok(reports.iter().all(|report| report.passed))
}

#[cfg(test)]
mod tests;
