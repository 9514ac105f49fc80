//! `dp-agent recall`: what an agent remembers, asked for without a server: a graph file, some words, the best memories.
//!
//! The same index and the same ranking as in the game. With embeddings, likeness of meaning is one more ranking; when
//! the endpoint fails it goes without and says so. Nothing is written but the file of vectors.

use crate::config::Config;
use crate::embeddings::{EmbeddingArgs, Vectors, most_alike};
use anyhow::{Context, ensure};
use dream_folder::{Folder, GRAPH_FILE, VECTORS_FILE};
use dreaming::graph::Body;
use dreaming::retrieve::{DocId, Hit, Index, K, Query, Recall, Scratch};
use dreaming::why::{Behind, behind};
use dreaming::{Graph, calendar, narrate};
use protocol::names::clean_text;
use serde::Deserialize;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Memories alike in meaning that are looked at.
const ALIKE_MAX: usize = 50;

#[derive(Clone, Debug, clap::Args)]
pub struct RecallArgs {
    /// What is asked: words, or a whole question
    #[arg(required_unless_present_any = ["why", "present"])]
    pub words: Vec<String>,
    /// Whose memories [default: those of the character of the settings]
    #[arg(long = "name", alias = "agent", value_name = "NAME")]
    pub agent: Option<String>,
    /// The folder of dreams, with one folder for each agent [default: that of the server whose state folder is named,
    /// or stands in the settings; else data/dreaming]
    #[arg(long, value_name = "DIR", conflicts_with = "state_dir")]
    pub output: Option<PathBuf>,
    /// The state folder of a server on this machine, running or not: what was dreamt there
    #[arg(long, value_name = "DIR")]
    pub state_dir: Option<PathBuf>,
    /// Who or what is here, as in the graph: player:bob, mob:3001, room:8004. May be given more than once
    #[arg(long, value_name = "KEY")]
    pub present: Vec<String>,
    /// The events behind this memory instead
    #[arg(long, value_name = "ID", conflicts_with = "words")]
    pub why: Option<String>,
    /// How many memories
    #[arg(long, value_name = "NUMBER", default_value_t = K)]
    pub count: usize,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub embeddings: EmbeddingArgs,
}

/// What `server.json` in a state folder says that matters here.
#[derive(Deserialize)]
struct Running {
    #[serde(default)]
    dreaming_dir: Option<PathBuf>,
}

/// Where the server of a state folder writes what is dreamt: where the one that runs says, else by the common rule.
fn dreams_of(state_dir: &Path) -> anyhow::Result<PathBuf> {
    ensure!(
        state_dir.is_dir(),
        "there is no state folder {}; --output names a folder of dreams itself",
        state_dir.display()
    );
    let running = std::fs::read(state_dir.join("server.json")).ok();
    let running: Option<Running> = running.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let told = running.and_then(|running| running.dreaming_dir);
    Ok(told.unwrap_or_else(|| dream_folder::of_state(state_dir)))
}

impl RecallArgs {
    /// Takes from the settings what the flags leave open.
    pub fn fill_in(&mut self, config: &Config) -> anyhow::Result<()> {
        self.agent = self.agent.take().or_else(|| config.player_name.clone());
        if self.output.is_none() {
            let state_dir = self.state_dir.as_ref().or(config.state_dir.as_ref());
            self.output = state_dir.map(|folder| dreams_of(folder)).transpose()?;
        }
        Ok(())
    }

    fn folder(&self) -> anyhow::Result<Folder> {
        let name = self.agent.as_ref().context("whose memories? --name NAME, or dp-agent config --player-name NAME")?;
        let output = self.output.clone().unwrap_or_else(|| PathBuf::from(dream_folder::SHIPPED.1));
        Folder::open(&output, name)
    }
}

/// Answers on `out`; what went wrong on the way goes to `told`. True when something was found.
pub fn run(args: &RecallArgs, out: &mut dyn Write, told: &mut dyn Write) -> anyhow::Result<bool> {
    let folder = args.folder()?;
    // Looking must not move a file that a dream could still mend.
    let (graph, damaged) = folder.read_graph(true)?;
    let path = folder.path().join(GRAPH_FILE);
    ensure!(damaged.is_none(), "{} cannot be used; dp-agent dream makes it anew from the logs", path.display());
    let graph = graph.with_context(|| {
        let name = clean_text(args.agent.as_deref().unwrap_or_default());
        format!(
            "{name} remembers nothing: there is no {}. A server makes it in its next night (dp-server dream --name \
             {name} at once), dp-agent dream of your own logs; --state-dir or --output names another folder",
            path.display()
        )
    })?;
    let graph = Arc::new(graph);
    let index = Index::new(graph.clone());
    if let Some(id) = &args.why {
        return why(&graph, &index, id, args.json, out);
    }
    let words = args.words.join(" ");
    let alike = match alike(args, &folder, &index, &words) {
        Ok(alike) => alike,
        Err(error) => {
            writeln!(told, "Without likeness of meaning: {}.", clean_text(&format!("{error:#}")))?;
            Vec::new()
        }
    };
    let now = graph.cursor.tick;
    let mut query = match args.present.is_empty() {
        true => Query::question(&words, now),
        false => Query::moment(&words, &args.present, now),
    };
    (query.k, query.alike, query.one_of_each) = (args.count, &alike, true);
    let recall = index.recall(&query, &mut Scratch::default());
    let answers = !words.is_empty() && !recall.abstains();
    if args.json {
        let answer = json!({"agent": graph.agent(), "words": words, "answers": answers, "recall": recall});
        writeln!(out, "{}", serde_json::to_string_pretty(&answer)?)?;
    } else {
        tell(&graph, &recall, &words, answers, out)?;
    }
    Ok(!recall.found.is_empty())
}

/// Places of memories alike in meaning, best first; empty without an endpoint or words.
fn alike(args: &RecallArgs, folder: &Folder, index: &Index, words: &str) -> anyhow::Result<Vec<DocId>> {
    let Some(embedder) = args.embeddings.embedder()? else { return Ok(Vec::new()) };
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let path = folder.path().join(VECTORS_FILE);
    let mut known = Vectors::read(&path)?;
    let texts: Vec<String> = index.memories().map(|(_, text, _)| text).collect();
    let asked = embedder.vectors(&texts, &mut known);
    // What was learnt is kept, even where the endpoint failed half-way.
    known.write(&path)?;
    let memories = asked?;
    let question = embedder.vectors(&[words.to_string()], &mut known)?;
    let question = question.first().context("the question has no vector")?;
    Ok(most_alike(question, &memories, ALIKE_MAX))
}

fn line(found: &Hit) -> String {
    let feeling = narrate::feeling_behind(&found.plain, found.valence.round() as i8);
    clean_text(&format!("{}{feeling}", found.text.trim_end_matches('.'))).into_owned()
}

fn tell(graph: &Graph, recall: &Recall, words: &str, answers: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    if recall.found.is_empty() {
        writeln!(out, "Nothing comes to mind.")?;
        return Ok(());
    }
    if !words.is_empty() && !answers {
        match recall.strangers.is_empty() {
            true => writeln!(out, "Nothing that is remembered answers that. What comes closest:")?,
            false => {
                let names = clean_text(&recall.strangers.join(", ")).into_owned();
                writeln!(out, "Nothing is remembered of: {names}. What comes closest:")?;
            }
        }
    }
    for (i, found) in recall.found.iter().enumerate() {
        let when = found.game_date_beside(&graph.terms).map(|date| format!(", {date}")).unwrap_or_default();
        writeln!(out, "{:>3}. {}  [{}{when}]", i + 1, line(found), clean_text(&found.id))?;
    }
    Ok(())
}

/// "Why do I remember this?": the events that a memory stands on, as far as they are remembered themselves.
fn why(graph: &Graph, index: &Index, id: &str, as_json: bool, out: &mut dyn Write) -> anyhow::Result<bool> {
    let behind = behind(graph, id).with_context(|| {
        format!("nothing is remembered under {:?}; the ids stand behind what dp-agent recall finds", clean_text(id))
    })?;
    let text = index.memories().find(|(other, ..)| other == id).map(|(_, text, _)| text).unwrap_or_default();
    let (of, seqs) = match behind {
        Behind::Own(seqs) => (graph.agent().to_string(), seqs),
        Behind::Of { agent, seqs } => (agent, seqs),
    };
    let own = of == graph.agent();
    let told: Vec<(u64, Option<String>)> = seqs
        .iter()
        .map(|seq| {
            let event = graph.alive().find_map(|(_, node)| match &node.body {
                Body::Event(event) if own && event.seq == *seq => Some(event),
                _ => None,
            });
            let sentence = event.map(|event| {
                let date = calendar::date(event.at_ms, graph.terms.utc_offset_minutes);
                clean_text(&format!("{date}: {}", narrate::sentence(graph, event, 1))).into_owned()
            });
            (*seq, sentence)
        })
        .collect();
    if as_json {
        let events: Vec<_> = told.iter().map(|(seq, text)| json!({"seq": seq, "text": text})).collect();
        let answer = json!({"agent": graph.agent(), "id": id, "text": text, "log_of": of, "events": events});
        writeln!(out, "{}", serde_json::to_string_pretty(&answer)?)?;
        return Ok(true);
    }
    writeln!(out, "{}", clean_text(&text))?;
    if !own {
        writeln!(out, "Handed down by {}; its log has the events.", clean_text(&of))?;
    }
    for (seq, sentence) in &told {
        let sentence = sentence.as_deref().unwrap_or("the event itself is not remembered; the session logs have it");
        writeln!(out, "{seq:>8}  {sentence}")?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests;
