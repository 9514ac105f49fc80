//! `dp-agent eval`: how good and how fast memories are, measured without a model and without a network.
//!
//! A suite is one file and one row of `SUITES`. The counting is in `dreaming::evaluation`; here are clocks, processes,
//! files and what people read. Exit status 1 means that a result missed its target beyond its interval; a machine that
//! is too slow today is reported and fails nothing.

mod e10;
mod e11;
mod e18;
mod e4;
mod e5;
mod e6;
mod e7;
mod machine;
mod plot;
mod report;

pub use report::{Figure, Kind, Measure, Report, Target, Verdict};

use crate::embeddings::{Embedder, EmbeddingArgs};
use anyhow::{Context, bail};
use std::fs;
use std::io::Write;
use std::path::PathBuf;

#[derive(Clone, Debug, clap::Args)]
pub struct EvalArgs {
    /// Which: e4 e5 e6 e7 e10 e11 e18, or all
    #[arg(required = true, value_name = "SUITE")]
    pub suites: Vec<String>,
    /// Of the lives that are made up
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    pub seed: u64,
    /// Print JSON instead of tables
    #[arg(long)]
    pub json: bool,
    /// Also write a .json and a .md for each suite, and the figures, into this folder
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Small lives: seconds instead of minutes, wide intervals
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// The largest lives as well: ten million records, a million memories
    #[arg(long)]
    pub full: bool,
    #[command(flatten)]
    pub embeddings: EmbeddingArgs,
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
    /// Asked by e10 only.
    pub embedder: Option<&'a Embedder>,
    /// What people see while it takes its time.
    pub progress: &'a mut dyn FnMut(&str),
}

pub struct Suite {
    pub name: &'static str,
    pub title: &'static str,
    pub run: fn(&mut Setup) -> anyhow::Result<Report>,
}

/// In the order of running: memory is measured first, before others have used it.
pub const SUITES: [Suite; 7] = [
    Suite { name: "e4", title: "Speed of dreaming", run: e4::run },
    Suite { name: "e5", title: "A dream is one", run: e5::run },
    Suite { name: "e6", title: "Forgetting", run: e6::run },
    Suite { name: "e7", title: "Decay of memories by feeling", run: e7::run },
    Suite { name: "e10", title: "Finding memories", run: e10::run },
    Suite { name: "e11", title: "What holds, and what held", run: e11::run },
    Suite { name: "e18", title: "Junk", run: e18::run },
];

fn chosen(names: &[String]) -> anyhow::Result<Vec<&'static Suite>> {
    for name in names {
        if !name.eq_ignore_ascii_case("all") && !SUITES.iter().any(|suite| suite.name.eq_ignore_ascii_case(name)) {
            let known: Vec<&str> = SUITES.iter().map(|suite| suite.name).collect();
            bail!("there is no suite {name:?}: there are {}, and all", known.join(", "));
        }
    }
    let wanted = |suite: &&Suite| {
        names.iter().any(|name| name.eq_ignore_ascii_case("all") || name.eq_ignore_ascii_case(suite.name))
    };
    Ok(SUITES.iter().filter(wanted).collect())
}

/// Runs suites. Tables or JSON go to `out`, progress to `told`. True when no result missed its target.
pub fn run(args: &EvalArgs, out: &mut dyn Write, told: &mut dyn Write) -> anyhow::Result<bool> {
    let suites = chosen(&args.suites)?;
    let embedder = args.embeddings.embedder()?;
    if let Some(folder) = &args.output {
        fs::create_dir_all(folder).with_context(|| format!("making the folder {}", folder.display()))?;
    }
    let size = match (args.quick, args.full) {
        (true, _) => Size::Quick,
        (_, true) => Size::Full,
        _ => Size::Usual,
    };
    let mut reports = Vec::new();
    for suite in suites {
        let mut progress = |text: &str| {
            // Whoever closed standard error does not want to know.
            let _ = writeln!(told, "{}: {text}", suite.name);
        };
        progress(suite.title);
        let mut setup = Setup { seed: args.seed, size, embedder: embedder.as_ref(), progress: &mut progress };
        let mut report = (suite.run)(&mut setup).with_context(|| format!("in the suite {}", suite.name))?;
        (report.suite, report.title) = (suite.name, suite.title);
        report.judge();
        if let Some(folder) = &args.output {
            let write = |name: String, text: &str| {
                let path = folder.join(name);
                fs::write(&path, text).with_context(|| format!("writing {}", path.display()))
            };
            write(format!("{}.json", suite.name), &(serde_json::to_string_pretty(&report)? + "\n"))?;
            write(format!("{}.md", suite.name), &report.markdown())?;
            for figure in &report.figures {
                write(format!("{}-{}.svg", suite.name, figure.name), &figure.svg)?;
            }
        }
        if !args.json {
            writeln!(out, "{}", report.markdown())?;
        }
        reports.push(report);
    }
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&reports)?)?;
    }
    Ok(reports.iter().all(|report| report.passed))
}

#[cfg(test)]
mod tests;
