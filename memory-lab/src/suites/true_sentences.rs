//! E21: how many sentences of made-up lives are untrue.

use super::Setup;
use super::report::{Kind, Measure, Report};
use crate::counts::untrue::{Judged, judged, judged_life};
use anyhow::{Context, ensure};
use dreaming::Terms;
use dreaming::records::{Reader, is_log};
use serde_json::json;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Untrue sentences that are shown.
const SHOWN: usize = 5;

/// Lives between two lines of progress.
const ROUND: u64 = 500;

/// Lives by their numbers, on all cores; in the order of the numbers, so that a run is the same on any machine.
fn judged_lives(numbers: Range<u64>) -> Vec<(u64, Judged)> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let share =
        |worker: usize| numbers.clone().skip(worker).step_by(workers).map(|number| (number, judged_life(number)));
    let mut lives: Vec<(u64, Judged)> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..workers).map(|worker| scope.spawn(move || share(worker).collect::<Vec<_>>())).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no life breaks it")).collect()
    });
    lives.sort_by_key(|(number, _)| *number);
    lives
}

/// All that was recorded in a folder, agent by agent in the order of their names.
fn recorded(setup: &mut Setup, sessions: &Path) -> anyhow::Result<Report> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(sessions).with_context(|| format!("reading the folder {}", sessions.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            folders.push(path);
        }
    }
    folders.sort();
    let mut all = Judged::default();
    let (mut agents, mut records) = (0, 0);
    for folder in &folders {
        let Some(agent) = folder.file_name().and_then(|name| name.to_str()) else { continue };
        let mut files: Vec<PathBuf> =
            fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
        files.retain(|path| path.file_name().is_some_and(|name| is_log(&name.to_string_lossy())));
        files.sort();
        let mut reader = Reader::new(agent);
        for file in &files {
            let bytes = fs::read(file).with_context(|| format!("reading {}", file.display()))?;
            reader.file(&file.display().to_string(), &bytes);
        }
        let log = reader.finish().with_context(|| format!("in {}", folder.display()))?;
        let judged = judged(agent, &log.records, &Terms::default());
        (setup.progress)(&format!(
            "{agent}: {} records, {} sentences, {} untrue",
            log.records.len(),
            judged.sentences,
            judged.untrue.len()
        ));
        agents += u64::from(!log.records.is_empty());
        records += log.records.len();
        all.add(judged);
    }
    ensure!(records > 0, "nothing that happened is told in {}: it has no folder with session logs", sessions.display());
    let report = Report::new(setup, json!({"agents": agents, "records": records, "sessions": "recorded"}));
    Ok(told(report, all))
}

fn told(mut report: Report, all: Judged) -> Report {
    report.n = all.sentences;
    let borne_out = all.sentences.saturating_sub(all.untrue.len() as u64);
    report.add(
        Measure::share(Kind::Result, "sentences that the records bear out", borne_out, all.sentences).at_least(1.0),
    );
    for untrue in all.untrue.iter().take(SHOWN) {
        report.notes.push(format!("{} ({})", untrue.sentence, untrue.why));
    }
    report.notes.push("Graph, stories of three lengths, what three tiers are given at a login, six questions.".into());
    report
}

pub fn run(setup: &mut Setup) -> anyhow::Result<Report> {
    if let Some(sessions) = setup.sessions {
        return recorded(setup, sessions);
    }
    let lives: u64 = setup.size.pick(100, 1_000, 10_000);
    let report = Report::new(setup, json!({"lives": lives, "records_each": "20 to 419"}));
    let first = setup.seed.wrapping_mul(1_000_000);
    let mut all = Judged::default();
    for round in (0..lives).step_by(ROUND as usize) {
        let end = lives.min(round + ROUND);
        for (number, judged) in judged_lives(first + round..first + end) {
            for untrue in &judged.untrue {
                (setup.progress)(&format!("life {number}: {} ({})", untrue.sentence, untrue.why));
            }
            all.add(judged);
        }
        (setup.progress)(&format!("{end} lives, {} sentences, {} untrue", all.sentences, all.untrue.len()));
    }
    Ok(told(report, all))
}
