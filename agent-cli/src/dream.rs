//! `dp-agent dream`: the files around a dream. Reads `{sessions}/{agent}/*.jsonl` and the graph of the last time, and
//! writes graph, story and result to `{output}/{agent}/`.
//!
//! Invariants: a file is replaced whole or not at all, and the result comes last. What cannot be used is kept aside or
//! reported, never deleted. Of two dreams of one agent at once, the second says so and changes nothing.

use anyhow::{Context, bail, ensure};
use dreaming::records::{Log, Make, Problem, Reader};
use dreaming::{Config, Dream, Graph, Report, Terms, Valence, calendar, config, dream, reflect};
use serde::Serialize;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub const GRAPH_FILE: &str = "memory-graph.json";
pub const SUMMARY_FILE: &str = "memory-summary.txt";
pub const RESULT_FILE: &str = "dream-result.json";
const LOCK_FILE: &str = ".dream.lock";

/// How often it tells how far it is.
const PROGRESS_EVERY: Duration = Duration::from_secs(2);

#[derive(Clone, Debug, clap::Args)]
pub struct DreamArgs {
    /// The character whose sessions are dreamt.
    #[arg(long)]
    pub agent: String,
    /// The folder with the agents' session logs, one folder for each agent.
    #[arg(long, default_value = "data/sessions")]
    pub sessions: PathBuf,
    /// The folder that the server reads memories from.
    #[arg(long, default_value = "data/dreaming")]
    pub output: PathBuf,
    /// Only tell what would come of it; write nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Whether valences are taken as recorded, computed anew, or left out (flat).
    #[arg(long, default_value = "recorded")]
    pub valence: Valence,
    /// Take over the insights of this agent, from its graph in the output folder. May be given more than once.
    #[arg(long, value_name = "AGENT")]
    pub inherit: Vec<String>,
    /// Also draw the graph, as .svg or .html.
    #[arg(long, value_name = "FILE")]
    pub graph: Option<PathBuf>,
    /// Tell the story in at most this many tokens; the small tier has 200.
    #[arg(long, default_value_t = config::SUMMARY_TOKENS)]
    pub summary_tokens: usize,
    /// Minutes east of UTC of the calendar that nights and dates go by.
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    pub utc_offset: i32,
}

/// What `dream-result.json` holds.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    pub sessions_read: usize,
    pub lines_read: usize,
    pub lines_twice: usize,
    #[serde(flatten)]
    pub report: Report,
    pub problems_count: usize,
    pub problems: Vec<Problem>,
    /// Each sentence of the story with the seqs that it stands on.
    pub sentences: Vec<dreaming::narrate::Sentence>,
    #[serde(skip)]
    pub summary: String,
}

/// Runs a dream and writes what came of it. `told` receives what people read.
pub fn run(args: &DreamArgs, told: &mut dyn Write) -> anyhow::Result<Outcome> {
    check_name(&args.agent)?;
    let folder = args.output.join(&args.agent);
    // Held until the end of this function: the system lets go of it even when the program is killed.
    let _lock = if args.dry_run { None } else { Some(lock(&folder, &args.agent)?) };
    let log = read(args, told)?;
    let mut aside = None;
    let graph = match fs::read(folder.join(GRAPH_FILE)) {
        Ok(bytes) => match Graph::from_json(&bytes, &args.agent) {
            Ok(graph) => Some(graph),
            Err(error) => {
                let kept = keep_aside(&folder.join(GRAPH_FILE), args.dry_run)?;
                aside = Some(format!("{GRAPH_FILE} was kept aside as {kept} and made anew from the log: {error}"));
                None
            }
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("reading {}", folder.join(GRAPH_FILE).display())),
    };
    ensure!(
        !log.records.is_empty() || graph.is_some(),
        "there is nothing to dream of in {}: {}",
        session_folder(args).display(),
        nothing_because(&log)
    );
    let config = configure(args, &log, graph.as_ref())?;
    let mut dreamt = dream(graph, &log.records, &config);
    dreamt.report.notices.extend(aside);
    let outcome = Outcome {
        sessions_read: log.files,
        lines_read: log.lines,
        lines_twice: log.duplicates,
        report: dreamt.report.clone(),
        problems_count: log.problems_count,
        problems: log.problems,
        sentences: dreamt.summary.sentences.clone(),
        summary: dreamt.summary.text.clone(),
    };
    if !args.dry_run {
        write_all(&folder, &dreamt, &outcome)?;
    }
    if let Some(path) = &args.graph {
        draw(path, &dreamt.graph)?;
    }
    tell(&outcome, args.dry_run, told)?;
    Ok(outcome)
}

/// A name that is no path: letters, digits, `_` and `-`.
fn check_name(name: &str) -> anyhow::Result<()> {
    let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    ensure!(plain, "{name:?} cannot be the name of an agent: names are of letters, digits, `_` and `-`");
    Ok(())
}

fn lock(folder: &Path, agent: &str) -> anyhow::Result<File> {
    fs::create_dir_all(folder).with_context(|| format!("making the folder {}", folder.display()))?;
    let path = folder.join(LOCK_FILE);
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    let file = file.with_context(|| format!("opening {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => bail!("{agent} is dreaming already; wait until that is done"),
        Err(TryLockError::Error(error)) => Err(error).with_context(|| format!("locking {}", path.display())),
    }
}

/// The folder of the agent's sessions. Names of characters differ in case only by mistake.
fn session_folder(args: &DreamArgs) -> PathBuf {
    let exact = args.sessions.join(&args.agent);
    if exact.is_dir() {
        return exact;
    }
    let entries = fs::read_dir(&args.sessions).into_iter().flatten().flatten();
    let mut alike: Vec<PathBuf> = entries
        .filter(|entry| entry.file_name().to_str().is_some_and(|name| name.eq_ignore_ascii_case(&args.agent)))
        .map(|entry| entry.path())
        .collect();
    alike.sort();
    alike.into_iter().next().unwrap_or(exact)
}

fn read(args: &DreamArgs, told: &mut dyn Write) -> anyhow::Result<Log> {
    let folder = session_folder(args);
    let mut paths: Vec<PathBuf> = Vec::new();
    match fs::read_dir(&folder) {
        Ok(entries) => {
            for entry in entries {
                let path = entry.with_context(|| format!("reading the folder {}", folder.display()))?.path();
                if path.extension().is_some_and(|extension| extension == "jsonl") && path.is_file() {
                    paths.push(path);
                }
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(|| format!("reading the folder {}", folder.display())),
    }
    paths.sort();
    let mut reader = Reader::new(&args.agent);
    let mut last = Instant::now();
    for (i, path) in paths.iter().enumerate() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match fs::read(path) {
            Ok(bytes) => reader.file(&name, &bytes),
            Err(error) => reader.unreadable(&name, &format!("it could not be read: {error}")),
        }
        if last.elapsed() >= PROGRESS_EVERY {
            writeln!(told, "{} of {} files read", i + 1, paths.len())?;
            last = Instant::now();
        }
    }
    reader.finish().with_context(|| format!("in {}", folder.display()))
}

fn nothing_because(log: &Log) -> String {
    match (log.files, log.problems.first()) {
        (0, _) => {
            "no file there ends in .jsonl. `dp-agent session` writes such logs, and the server exports them".into()
        }
        (_, Some(problem)) => format!("no line could be used; {problem}"),
        (_, None) => "nothing that happened is told there".into(),
    }
}

fn configure(args: &DreamArgs, log: &Log, graph: Option<&Graph>) -> anyhow::Result<Config> {
    let mut terms = Terms { valence: args.valence, utc_offset_minutes: args.utc_offset, ..Terms::default() };
    ensure!(args.utc_offset.abs() <= 18 * 60, "no calendar is {} minutes from UTC", args.utc_offset);
    // Turns tell no ticks of the game.
    terms.game_dates = match (log.make, graph) {
        (Some(make), _) => make == Make::Export,
        (None, graph) => graph.is_none_or(|graph| graph.terms.game_dates),
    };
    // The day of the last record; but a clock that is ahead must not take all memories at once.
    let today = calendar::day_of(jiff::Timestamp::now().as_millisecond(), args.utc_offset);
    let last = log.records.last().map(|record| calendar::day_of(record.at_ms, args.utc_offset).min(today));
    let through = last.or(graph.map(|graph| graph.through)).unwrap_or(today);
    let mut config = Config::new(&args.agent, through);
    config.terms = terms;
    config.summary_tokens_max = args.summary_tokens;
    for agent in &args.inherit {
        check_name(agent)?;
        ensure!(!agent.eq_ignore_ascii_case(&args.agent), "{agent} cannot inherit from itself");
        let path = args.output.join(agent).join(GRAPH_FILE);
        let bytes = fs::read(&path).with_context(|| format!("reading the graph of {agent}, {}", path.display()))?;
        let other = Graph::from_json(&bytes, agent).with_context(|| format!("in {}", path.display()))?;
        config.inherit.extend(reflect::to_hand_down(&other));
    }
    Ok(config)
}

/// Renames a file that cannot be used to a free name beside it, which it returns.
fn keep_aside(path: &Path, dry_run: bool) -> anyhow::Result<String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let free = (1..10_000).map(|n| format!("{name}.kept-{n}")).find(|kept| !path.with_file_name(kept).exists());
    let kept = free.context("too many damaged graphs are kept here; look at them and take some away")?;
    if !dry_run {
        let to = path.with_file_name(&kept);
        fs::rename(path, &to).with_context(|| format!("renaming {} to {}", path.display(), to.display()))?;
    }
    Ok(kept)
}

fn write_all(folder: &Path, dreamt: &Dream, outcome: &Outcome) -> anyhow::Result<()> {
    let mut result = serde_json::to_vec_pretty(outcome).context("writing the result as JSON")?;
    result.push(b'\n');
    replace(&folder.join(GRAPH_FILE), &dreamt.document)?;
    replace(&folder.join(SUMMARY_FILE), dreamt.summary.text.as_bytes())?;
    replace(&folder.join(RESULT_FILE), &result)
}

/// Replaces a file whole: a reader sees the old one or the new one.
fn replace(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let whole = || -> io::Result<()> {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(".new");
        let new = path.with_file_name(name);
        let mut file = File::create(&new)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&new, path)
    };
    whole().with_context(|| format!("writing {}; can this folder be written to?", path.display()))
}

fn draw(path: &Path, graph: &Graph) -> anyhow::Result<()> {
    let picture = match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => dreaming::picture::svg(graph),
        Some("html") => dreaming::picture::html(graph),
        _ => bail!("a graph is drawn as .svg or .html, not as {}", path.display()),
    };
    replace(path, picture.as_bytes())
}

/// The result block. Source: the specification.
fn tell(outcome: &Outcome, dry_run: bool, told: &mut dyn Write) -> anyhow::Result<()> {
    let report = &outcome.report;
    writeln!(told, "{}", if dry_run { "Dream complete (dry run, nothing written):" } else { "Dream complete:" })?;
    let rows: [(&str, String); 7] = [
        ("Agent:", report.agent.clone()),
        ("Sessions read:", outcome.sessions_read.to_string()),
        ("Events extracted:", report.events_extracted.to_string()),
        ("Nodes before:", report.nodes_before.to_string()),
        ("Nodes after:", report.nodes_after.to_string()),
        ("Pruned:", report.pruned.to_string()),
        ("Summary tokens:", report.summary_tokens.to_string()),
    ];
    for (name, value) in rows {
        writeln!(told, "  {name:<17} {value}")?;
    }
    if let Some(why) = &report.rebuilt {
        writeln!(told, "The graph was made anew: {why}.")?;
    }
    for notice in &report.notices {
        writeln!(told, "Note: {notice}.")?;
    }
    for problem in &outcome.problems {
        writeln!(told, "Left out: {problem}.")?;
    }
    let untold = outcome.problems_count - outcome.problems.len();
    if untold > 0 {
        writeln!(told, "Left out: {untold} more lines.")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
