//! The log of a session: `{log_dir}/{agent}/YYYY-MM-DD-HHMMSS.jsonl`, a header and the rows of `record`, and a summary
//! beside it.
//!
//! Each line is written out at once: what happened before a crash is there after it. Only their owner may read them.

use crate::agent::{Agent, AgentSettings, Counts};
use crate::call_queue::Lateness;
use crate::config::Config;
use crate::knowledge::Tallies;
use crate::private_files;
use crate::record::{NoteRow, Reward, Row, SCHEMA_VERSION, timestamp};
use crate::state::Oddities;
use anyhow::Context;
use protocol::payload::WorldState;
use protocol::status::Formats;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The first line of a log: what a reader needs to judge the rest.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Header {
    /// `header`: no turn has such a field.
    pub kind: String,
    pub schema_version: u32,
    pub agent: String,
    pub harness: String,
    pub version: String,
    pub started: String,
    pub model_fast: Option<String>,
    pub model_fallback: Option<String>,
    pub temperature: f64,
    pub tier: String,
    pub format: String,
    pub seed: Option<u64>,
    /// False: every turn has the valence 0. As the server has it: it may play a character so whatever was asked.
    pub valence: bool,
    /// SHA-256 of the configuration as it is shown: secrets masked, so that they are not in it.
    pub config_sha256: String,
    /// All settings as they were, secrets masked. Absent before version 3, as are the three behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<serde_json::Value>,
    /// What this agent was told of them: its operator's prompt and guidelines, what its persona forbids, its tastes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<serde_json::Value>,
    /// The seed of the agent's own chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_seed: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persona: Option<String>,
    /// SHA-256 of P0, the part of the prompt that all agents of one folder of texts, tier and form of answers share, as
    /// it is in this world; null without a model.
    pub p0_sha256: Option<String>,
    pub persona_sha256: Option<String>,
    /// The world that it came into, with the tick of the login; absent where it never did, or the server does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world: Option<WorldState>,
}

/// What a session came to; a file of its own.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    pub kind: String,
    pub schema_version: u32,
    pub agent: String,
    pub ended: String,
    /// Why it ended.
    pub reason: String,
    pub duration_s: f64,
    pub turns: u64,
    /// Rows of decisions; 0 in summaries before version 3.
    pub decisions: u64,
    /// What all decisions earned, counted beside their rows. Absent in older summaries, as is the one behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reward: Option<Reward>,
    /// How many rows the log has of each kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<BTreeMap<String, u64>>,
    pub level: i32,
    pub exp_gained: i64,
    pub rooms_known: usize,
    pub steps: u64,
    pub survived: bool,
    pub tallies: Tallies,
    pub counts: Counts,
    /// Actions that were dropped because the game refused them again and again.
    pub actions_dropped: u64,
    /// Seeds that the model's endpoint took.
    pub seed_honoured: bool,
    pub reconnects: u64,
    pub oddities: Oddities,
    /// Mean and greatest latency of the model's answers, in milliseconds.
    pub latency_mean_ms: u64,
    pub latency_max_ms: u64,
    /// What its prompts took in each format, where some were measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formats: Option<Formats>,
    /// How late its questions were, where its calls wait for those of others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<Late>,
    pub beaten: BTreeMap<String, u32>,
    /// What went on with the model, of all agents of the process.
    pub model: BTreeMap<String, u64>,
    pub errors: Vec<String>,
}

/// How late the newest questions were, from when each was due, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Late {
    pub calls: u64,
    pub p50_ms: u64,
    pub p99_ms: u64,
}

impl Late {
    pub fn of(late: &Lateness) -> Late {
        Late { calls: late.calls, p50_ms: late.percentile(50), p99_ms: late.percentile(99) }
    }
}

impl Summary {
    /// What was written of the session.
    pub fn count_rows(&mut self, log: &SessionLog) {
        (self.turns, self.decisions) = (log.count("turn"), log.count("decision"));
        self.rows = Some(log.rows.iter().map(|(kind, count)| (kind.to_string(), *count)).collect());
    }
}

pub struct SessionLog {
    pub path: PathBuf,
    file: File,
    /// Until the agent is in the world: which one it is stands in it.
    header: Option<Box<Header>>,
    /// What was noted before.
    early: Vec<NoteRow>,
    /// How many rows were written, by their kinds.
    pub rows: BTreeMap<&'static str, u64>,
}

/// What a header says of the world that was come into.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Entrance {
    pub world: Option<WorldState>,
    pub valence: bool,
    /// Of the rules as that world has them; `None` without a model.
    pub p0_sha256: Option<String>,
}

/// Whether a file has the name of a log: the record of prompts beside one is none.
pub fn is_log(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    dreaming::records::is_log(&name)
}

pub fn sha256(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}

/// The header for a configuration, and for what the agent was told of it.
pub fn header(config: &Config, settings: &AgentSettings, agent: &str, now_ms: u64) -> Header {
    let (use_model, persona) = (settings.use_model, settings.persona.as_str());
    Header {
        kind: "header".to_string(),
        schema_version: SCHEMA_VERSION,
        agent: agent.to_string(),
        harness: crate::harness::NAME.to_string(),
        version: crate::harness::VERSION.to_string(),
        started: timestamp(now_ms),
        model_fast: use_model.then(|| config.model_fast.clone()),
        model_fallback: use_model.then(|| config.model_fallback.clone()),
        temperature: config.temperature,
        tier: config.tier.name().to_string(),
        format: config.format.name().to_string(),
        seed: config.seed,
        valence: config.valence,
        config_sha256: sha256(&config.shown().to_string()),
        config: Some(config.shown()),
        settings: serde_json::to_value(settings).ok(),
        agent_seed: Some(settings.seed),
        persona: Some(persona.to_string()).filter(|text| !text.is_empty()),
        p0_sha256: None,
        persona_sha256: (!persona.is_empty()).then(|| sha256(persona)),
        world: None,
    }
}

impl SessionLog {
    /// Makes the file. A second one within a second gets a number behind its name. The header is written with the first
    /// row, or when it is known which world it is.
    pub fn create(log_dir: &Path, header: Header, now_ms: u64) -> anyhow::Result<SessionLog> {
        let folder = log_dir.join(file_name(&header.agent));
        private_files::make_folder(&folder).with_context(|| format!("making the folder {}", folder.display()))?;
        let stem = stem(now_ms);
        for number in 1..1_000 {
            let name = if number == 1 { format!("{stem}.jsonl") } else { format!("{stem}-{number}.jsonl") };
            let path = folder.join(name);
            match private_files::create_new(&path) {
                Ok(file) => {
                    let (header, early) = (Some(Box::new(header)), Vec::new());
                    return Ok(SessionLog { path, file, header, early, rows: BTreeMap::new() });
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error).with_context(|| format!("making {}", path.display())),
            }
        }
        anyhow::bail!("there are too many session logs of one second in {}", folder.display())
    }

    fn line<T: Serialize>(&mut self, value: &T) -> anyhow::Result<()> {
        let mut text = serde_json::to_string(value).context("writing a record as JSON")?;
        text.push('\n');
        self.file.write_all(text.as_bytes()).with_context(|| format!("writing {}", self.path.display()))
    }

    /// The agent is in this world, with valence or without, and with this P0. A second time it is a row of its own.
    pub fn entered(&mut self, entry: Entrance, now_ms: u64) -> anyhow::Result<()> {
        let Entrance { world, valence, p0_sha256 } = entry;
        match &mut self.header {
            Some(header) => {
                (header.world, header.valence, header.p0_sha256) = (world, valence, p0_sha256);
                self.begin()
            }
            None => self.note(NoteRow { what: "login".to_string(), world, ..NoteRow::default() }, now_ms),
        }
    }

    /// Notes what is no decision, such as a file that was read; its time is given here.
    pub fn note(&mut self, note: NoteRow, now_ms: u64) -> anyhow::Result<()> {
        let note = NoteRow { at: timestamp(now_ms), at_ms: now_ms, ..note };
        if self.header.is_some() {
            self.early.push(note);
            return Ok(());
        }
        self.put(&Row::Note(note))
    }

    /// Writes the header, if that has not been done, and what was noted before it.
    fn begin(&mut self) -> anyhow::Result<()> {
        if let Some(header) = self.header.take() {
            self.line(&header)?;
        }
        for note in std::mem::take(&mut self.early) {
            self.put(&Row::Note(note))?;
        }
        Ok(())
    }

    pub fn row(&mut self, row: &Row) -> anyhow::Result<()> {
        self.begin()?;
        self.put(row)
    }

    fn put(&mut self, row: &Row) -> anyhow::Result<()> {
        self.line(row)?;
        *self.rows.entry(row.kind()).or_default() += 1;
        Ok(())
    }

    /// How many rows of a kind were written.
    pub fn count(&self, kind: &str) -> u64 {
        self.rows.get(kind).copied().unwrap_or(0)
    }

    /// Writes the summary beside the log. Of whom never was in the world nothing stays: `None`.
    pub fn finish(&mut self, summary: &Summary) -> anyhow::Result<Option<PathBuf>> {
        if self.header.is_some() {
            std::fs::remove_file(&self.path).with_context(|| format!("removing {}", self.path.display()))?;
            return Ok(None);
        }
        let path = self.path.with_extension("summary.json");
        let mut text = serde_json::to_string_pretty(summary).context("writing a summary as JSON")?;
        text.push('\n');
        private_files::write(&path, &text)?;
        Ok(Some(path))
    }
}

/// A folder's name out of an agent's: names are letters, digits, `_` and `-`; what is not stays outside.
pub(crate) fn file_name(agent: &str) -> String {
    let name: String = agent.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).collect();
    if name.is_empty() { "unnamed".to_string() } else { name.to_ascii_lowercase() }
}

fn stem(now_ms: u64) -> String {
    let ms = i64::try_from(now_ms).unwrap_or(0);
    let at = jiff::Timestamp::from_millisecond(ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    at.strftime("%Y-%m-%d-%H%M%S").to_string()
}

/// What an agent has to say for itself at the end.
pub fn summary(agent: &Agent, reason: &str, now_ms: u64) -> Summary {
    let known = &agent.body.known;
    Summary {
        kind: "summary".to_string(),
        schema_version: SCHEMA_VERSION,
        agent: agent.body.state.name().to_string(),
        ended: timestamp(now_ms),
        reason: reason.to_string(),
        duration_s: agent.body.elapsed_ms(now_ms) as f64 / 1_000.0,
        level: agent.body.state.level.unwrap_or(0),
        reward: Some(agent.earned()),
        exp_gained: agent.body.state.exp.unwrap_or(0) - known.experience_start.unwrap_or(0),
        rooms_known: known.map.rooms.values().filter(|room| room.visits > 0).count(),
        steps: known.map.steps,
        survived: known.tallies.deaths == 0,
        tallies: known.tallies,
        counts: agent.counts,
        actions_dropped: known.refused_actions.trips,
        oddities: agent.body.state.oddities,
        beaten: known.beaten(),
        formats: agent.formats(),
        ..Summary::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn a_log_has_a_header_turns_and_a_summary() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = Config { valence: false, ..Config::default() };
        let settings = AgentSettings { guidelines: vec!["Be kind.".into()], seed: 9, ..AgentSettings::default() };
        let header = header(&config, &settings, "Bob/../x", 1_778_599_800_000);
        let mut log = SessionLog::create(folder.path(), header.clone(), 1_778_599_800_000).expect("made");
        let again = SessionLog::create(folder.path(), header, 1_778_599_800_000).expect("made");
        assert!(log.path.ends_with("bobx/2026-05-12-153000.jsonl"), "{}", log.path.display());
        assert!(again.path.ends_with("bobx/2026-05-12-153000-2.jsonl"));
        let sum = Summary { kind: "summary".into(), ..Summary::default() };
        let mut never = again;
        assert_eq!(never.finish(&sum).expect("there is nothing to write"), None);
        assert!(!never.path.exists(), "of whom never was in the world nothing stays");
        log.entered(Entrance { p0_sha256: Some(sha256("rules")), ..Entrance::default() }, 1_778_599_800_000)
            .expect("written");
        let path = log.finish(&sum).expect("written").expect("there is one");
        assert!(path.ends_with("bobx/2026-05-12-153000.summary.json"));
        let text = std::fs::read_to_string(&log.path).expect("read");
        let first: Value = serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
        assert_eq!((&first["kind"], &first["valence"]), (&"header".into(), &false.into()));
        assert_eq!(first["p0_sha256"].as_str().map(str::len), Some(64));
        assert_eq!((&first["agent_seed"], &first["settings"]["guidelines"][0]), (&9.into(), &"Be kind.".into()));
        assert_eq!(first.get("world"), None, "the server does not tell");
        #[cfg(unix)]
        for (file, mode) in [(path.as_path(), 0o600), (&log.path, 0o600), (log.path.parent().expect("one"), 0o700)] {
            use std::os::unix::fs::PermissionsExt;
            let metadata = std::fs::metadata(file).expect("there");
            assert_eq!(metadata.permissions().mode() & 0o777, mode, "{}", file.display());
        }
    }

    #[test]
    fn the_header_says_which_world_it_is_and_whatever_was_noted_before_stands_behind_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let header = header(&Config::default(), &AgentSettings::default(), "Bob", 1_000);
        let mut log = SessionLog::create(folder.path(), header, 1_000).expect("made");
        let read = NoteRow { what: "knowledge".into(), file: Some("bob.knowledge".into()), ..NoteRow::default() };
        log.note(NoteRow { version: Some(1), entries: Some(40), ..read }, 2_000).expect("noted");
        let world = |tick: u64| WorldState {
            id: "00ff".into(),
            content: "1".into(),
            rules: "2".into(),
            rules_version: 3,
            tick,
        };
        let entrance = |tick| Entrance { world: Some(world(tick)), ..Entrance::default() };
        // Another one plays it without valence, and then the connection broke.
        log.entered(entrance(7), 3_000).expect("written");
        log.entered(entrance(9), 4_000).expect("written");
        let text = std::fs::read_to_string(&log.path).expect("read");
        let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let of = |name: &str| rows.iter().map(|row| row[name].clone()).collect::<Vec<Value>>();
        assert_eq!(of("kind"), ["header", "note", "note"]);
        assert_eq!((&rows[0]["world"]["tick"], &rows[0]["valence"]), (&7.into(), &false.into()));
        assert_eq!(of("what")[1..], ["knowledge", "login"]);
        assert_eq!(
            (&rows[1]["entries"], &rows[1]["at_ms"], &rows[2]["world"]["tick"]),
            (&40.into(), &2_000.into(), &9.into())
        );
    }
}
