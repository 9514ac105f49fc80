//! `dp-agent dream`: what is dreamt of and how. Reads `{sessions}/{agent}/*.jsonl` and the graph of the last time, and
//! has the crate `dream-folder` write graph, story and result to `{output}/{agent}/`.
//!
//! A log that the server exported is read in pages and is never in memory as a whole, unless it is out of order or
//! other than what the graph was made of.
//!
//! Invariants: what cannot be used is reported. Of two dreams of one agent at once, the second says so and changes
//! nothing.

use crate::model::Model;
use anyhow::{Context, bail, ensure};
use dream_folder::{Folder, GRAPH_FILE, OWNER_FILE, Zone, check_name, folder_of, replace, tell};
use dreaming::config::Inherited;
use dreaming::records::{Log, Make, Reader};
use dreaming::{Config, Dream, Graph, PagedDream, Terms, Valence, calendar, config, dream, legacy};
use session_files::SessionFiles;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

pub use dream_folder::Outcome;

mod rewording;
mod session_files;

#[derive(Clone, Debug, clap::Args)]
pub struct DreamArgs {
    /// The character whose sessions are dreamt.
    #[arg(long = "name", alias = "agent", value_name = "NAME")]
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
    /// Time zone whose days nights are counted by, and that dates are told in [default: that of the memories there are,
    /// else America/New_York, as the server's]
    #[arg(long, value_name = "ZONE")]
    pub dream_zone: Option<Zone>,
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
    // The graph that counts there is the server's: its next night would write over what was taken over.
    ensure!(
        args.inherit.is_empty() || !args.output.join(OWNER_FILE).exists(),
        "a server writes the dreams in {}, and its next night would undo this: dp-server inherit --from {} --to {} hands \
         down for good",
        args.output.display(),
        args.inherit.join(","),
        args.agent
    );
    let folder = Folder::open(&args.output, &args.agent)?;
    ensure!(
        args.sessions.is_dir(),
        "there is no folder {}: --sessions names the one that has a folder of session logs for each agent",
        args.sessions.display()
    );
    // Held until the end of this function.
    let _lock = if args.dry_run { None } else { Some(folder.lock()?) };
    let (graph, aside) = folder.read_graph(args.dry_run)?;
    let files = SessionFiles::find(&session_folder(args))?;
    let way = Way { args, inherit: inherited(args)?, utc_offset: utc_offset(args, graph.as_ref()) };
    let through_before = graph.as_ref().map(|graph| graph.through);
    let (log, mut dreamt) = match in_pages(&way, &files, graph, told)? {
        Some(dreamt) => dreamt,
        // The log has to be seen as a whole. The graph is the one that was read a moment ago.
        None => {
            let graph = if through_before.is_some() { folder.read_graph(args.dry_run)?.0 } else { None };
            whole(&way, &files, graph, told)?
        }
    };
    ensure!(
        dreamt.report.events_extracted > 0 || through_before.is_some(),
        "there is nothing to dream of in {}: {}",
        session_folder(args).display(),
        nothing_because(&log)
    );
    dreamt.report.notices.extend(aside);
    if let Some(model) = model {
        rewording::reword(&mut dreamt, &folder, model, args.summary_tokens, args.dry_run).await?;
    }
    let mut outcome = Outcome {
        sessions_read: log.files,
        lines_read: log.lines,
        lines_twice: log.duplicates,
        report: dreamt.report.clone(),
        graph_hash: None,
        problems_count: log.problems_count,
        problems: log.problems,
        sentences: dreamt.summary.sentences.clone(),
        summary: dreamt.summary.text.clone(),
    };
    if !args.dry_run {
        folder.write(&dreamt, &mut outcome)?;
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

/// A dream of a log that is never in memory as a whole. None where it has to be: it is of turns, out of order, or not
/// the one that the graph was made of.
fn in_pages(
    way: &Way,
    files: &SessionFiles,
    graph: Option<Graph>,
    told: &mut dyn Write,
) -> anyhow::Result<Option<(Log, Dream)>> {
    let through_before = graph.as_ref().map(|graph| graph.through);
    let mut dream = PagedDream::new(graph, &way.config(true, None, through_before));
    let mut last_at = None;
    let mut reader = Reader::new(&way.args.agent);
    let read = files.read(&mut reader, told, |reader| {
        let in_order = reader.drain().all(|record| {
            last_at = Some(record.at_ms);
            dream.feed(&record)
        });
        in_order && !reader.has_turns()
    })?;
    if !read {
        return Ok(None);
    }
    let log = reader.finish().with_context(|| format!("in {}", files.folder().display()))?;
    if log.make != Some(Make::Export) {
        return Ok(None);
    }
    let config = way.config(true, last_at, through_before);
    Ok(dream.finish(&config).map(|dreamt| (log, dreamt)))
}

/// A dream of a log that is in memory as a whole.
fn whole(way: &Way, files: &SessionFiles, graph: Option<Graph>, told: &mut dyn Write) -> anyhow::Result<(Log, Dream)> {
    let mut reader = Reader::new(&way.args.agent);
    files.read(&mut reader, told, |_| true)?;
    let mut log = reader.finish().with_context(|| format!("in {}", files.folder().display()))?;
    // Turns tell no ticks of the game.
    let game_dates = match log.make {
        Some(make) => make == Make::Export,
        None => graph.as_ref().is_none_or(|graph| graph.terms.game_dates),
    };
    let records = std::mem::take(&mut log.records);
    let last_at = records.last().map(|record| record.at_ms);
    let through_before = graph.as_ref().map(|graph| graph.through);
    let config = way.config(game_dates, last_at, through_before);
    let dreamt = dream(graph, &records, &config);
    Ok((log, dreamt))
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

/// How it is dreamt: what was asked for, what others hand down, and on which calendar.
struct Way<'a> {
    args: &'a DreamArgs,
    inherit: Vec<Inherited>,
    /// Minutes east of UTC.
    utc_offset: i32,
}

impl Way<'_> {
    /// `game_dates`: whether the log tells ticks. `last_at`: the time of its last record. `through_before`: the last
    /// night of the graph before.
    fn config(&self, game_dates: bool, last_at: Option<i64>, through_before: Option<i32>) -> Config {
        let (args, utc_offset_minutes) = (self.args, self.utc_offset);
        // The day of the last record; but a clock that is ahead must not take all memories at once.
        let today = calendar::day_of(jiff::Timestamp::now().as_millisecond(), utc_offset_minutes);
        let last = last_at.map(|at_ms| calendar::day_of(at_ms, utc_offset_minutes).min(today));
        let mut config = Config::new(&args.agent, last.or(through_before).unwrap_or(today));
        config.terms = Terms { valence: args.valence, utc_offset_minutes, game_dates, ..Terms::default() };
        config.summary_tokens_max = args.summary_tokens;
        config.inherit = self.inherit.clone();
        config
    }
}

/// The calendar that was asked for, else that of the memories there are, which another would make anew.
fn utc_offset(args: &DreamArgs, graph: Option<&Graph>) -> i32 {
    let now = jiff::Timestamp::now();
    match (&args.dream_zone, graph) {
        (Some(zone), _) => zone.calendar_minutes(now),
        (None, Some(graph)) => graph.terms.utc_offset_minutes,
        (None, None) => Zone::default().calendar_minutes(now),
    }
}

/// What the agents of `--inherit` hand down.
fn inherited(args: &DreamArgs) -> anyhow::Result<Vec<Inherited>> {
    let mut all = Vec::new();
    for agent in &args.inherit {
        check_name(agent)?;
        ensure!(!agent.eq_ignore_ascii_case(&args.agent), "{agent} cannot inherit from itself");
        let path = args.output.join(agent).join(GRAPH_FILE);
        let bytes = fs::read(&path).with_context(|| format!("reading the graph of {agent}, {}", path.display()))?;
        let other = Graph::from_json(&bytes, agent).with_context(|| format!("in {}", path.display()))?;
        all.extend(legacy::to_hand_down(&other));
    }
    Ok(all)
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
