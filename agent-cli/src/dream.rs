//! `dp-agent dream`: what is dreamt of and how. Reads `{sessions}/{agent}/*.jsonl` and the graph of the last time, and
//! has the crate `dream-folder` write graph, story and result to `{output}/{agent}/`.
//!
//! Invariants: what cannot be used is reported. Of two dreams of one agent at once, the second says so and changes
//! nothing.

use crate::model::Model;
use anyhow::{Context, bail, ensure};
use dream_folder::{Folder, GRAPH_FILE, check_name, folder_of, replace, tell};
use dreaming::records::{Log, Make, Reader};
use dreaming::{Config, Graph, Terms, Valence, calendar, config, dream, reflect};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub use dream_folder::Outcome;

mod rewording;

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
    /// Whose words insights are told in: those of rules, or of the model of the settings, which may not add anything.
    #[arg(long, value_enum, default_value = "rules")]
    pub reflect: Reflect,
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

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum Reflect {
    #[default]
    Rules,
    Llm,
}

/// Runs a dream and writes what came of it. `told` receives what people read. `model` is needed for
/// `--reflect=llm` and not asked otherwise.
pub async fn run(args: &DreamArgs, model: Option<&Model>, told: &mut dyn Write) -> anyhow::Result<Outcome> {
    let model = match args.reflect {
        Reflect::Rules => None,
        Reflect::Llm => Some(model.context(
            "no model is set that could say insights in other words: dp-agent config --litellm-endpoint URL",
        )?),
    };
    let folder = Folder::open(&args.output, &args.agent)?;
    // Held until the end of this function.
    let _lock = if args.dry_run { None } else { Some(folder.lock()?) };
    let log = read(args, told)?;
    let (graph, aside) = folder.read_graph(args.dry_run)?;
    ensure!(
        !log.records.is_empty() || graph.is_some(),
        "there is nothing to dream of in {}: {}",
        session_folder(args).display(),
        nothing_because(&log)
    );
    let config = configure(args, &log, graph.as_ref())?;
    let mut dreamt = dream(graph, &log.records, &config);
    dreamt.report.notices.extend(aside);
    if let Some(model) = model {
        rewording::reword(&mut dreamt, &folder, model, config.summary_tokens_max, args.dry_run).await?;
    }
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
        folder.write(&dreamt, &outcome)?;
    }
    if let Some(path) = &args.graph {
        draw(path, &dreamt.graph)?;
    }
    tell(&outcome, args.dry_run, told).context("printing the result")?;
    Ok(outcome)
}

/// The folder of the agent's sessions.
fn session_folder(args: &DreamArgs) -> PathBuf {
    folder_of(&args.sessions, &args.agent)
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

fn draw(path: &Path, graph: &Graph) -> anyhow::Result<()> {
    let picture = match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => dreaming::picture::svg(graph),
        Some("html") => dreaming::picture::html(graph),
        _ => bail!("a graph is drawn as .svg or .html, not as {}", path.display()),
    };
    replace(path, picture.as_bytes())
}

#[cfg(test)]
mod tests;
