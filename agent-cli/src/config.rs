//! The configuration file: one JSON object, one row of `FIELDS` for each of its members.
//!
//! Every mistake is named with its line, all at once. The file is written as a whole or not at all, readable by its
//! owner only. Invariant: no secret stands in any message; `shown` masks them.

use crate::agent::{FORMAT_EVERY, FoldWords, LOOP_MAX, TOOL_TIMEOUT_S};
use crate::ledger::Prices;
use crate::private_files;
use anyhow::{Context, bail};
use mind::action::Autopilot;
use mind::budget::Tier;
use mind::council::{Member, Method, Seats};
use mind::hud::{Format, Kind};
use mind::prompt::Layout;
use mind::sharing::Scope;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

mod fields;
mod lines;

pub use fields::{FIELDS, Field};

/// The file's name below the home folder.
const FILE_NAME: &str = ".dp-agent.json";

/// All settings, with their defaults filled in.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    pub key: Option<String>,
    /// For `host`: the key by which it plays the agents of an owner.
    pub host_key: Option<String>,
    pub player_name: Option<String>,
    pub password: Option<String>,
    pub tier: Tier,
    pub model_fast: String,
    pub model_fallback: String,
    /// For `host`: what records of agents may ask for.
    pub models: Vec<String>,
    pub litellm_endpoint: Option<String>,
    /// For the model's endpoint; the game's key is never sent there.
    pub llm_key: Option<String>,
    pub game_host: String,
    pub game_port: u16,
    /// The connection is encrypted.
    pub game_tls: bool,
    /// Certificates that are trusted there in place of those that the machine trusts.
    pub game_ca: Option<PathBuf>,
    pub temperature: f64,
    pub valence: bool,
    pub recall: bool,
    pub loop_max: u32,
    pub format_every: u64,
    pub fold_words: FoldWords,
    pub tool_timeout_s: u64,
    pub knowledge: bool,
    pub persona_name: bool,
    /// Whether anybody may read its mind; `None`: as it was.
    pub open_mind: Option<bool>,
    /// What of its mind an agent lets whoever made it read.
    pub share_with_maker: Vec<Scope>,
    pub log_dir: PathBuf,
    pub state_dir: Option<PathBuf>,
    pub log_level: String,

    /// None: as the record on the server has it, else 5,000.
    pub think_ms: Option<u64>,
    pub act_ms: u64,
    pub deadline_ms: u64,
    pub max_tokens: Option<u64>,
    pub max_cost: Option<f64>,
    pub max_output_tokens: u64,
    pub prices: Prices,
    /// What policies do beside a model that answers.
    pub autopilot: Autopilot,
    /// Which minds decide together; none: one decides alone.
    pub council: Option<Seats>,
    /// For minds that ask another model than `model_fast`.
    pub council_models: BTreeMap<Member, String>,
    /// How often one mind is asked for each decision.
    pub votes: u32,
    /// By name; what is absent is as the table says.
    pub policies: BTreeMap<String, bool>,
    /// By name; for those that are absent the persona's count.
    pub tastes: BTreeMap<String, f64>,
    pub persona: Option<PathBuf>,
    /// Texts for prompts in place of those that are compiled in.
    pub prompts_dir: Option<PathBuf>,
    /// Sections that prompts have beside the usual ones.
    pub hud_sections: Option<PathBuf>,
    pub operator_prompt: String,
    pub guidelines: Vec<String>,
    pub kind: Kind,
    pub format: Format,
    pub layout: Layout,
    pub model_limit: usize,
    pub cache: String,
    /// The form in which answers are asked for.
    pub answer_form: String,
    pub stream: bool,
    pub seed: Option<u64>,
    pub class: Option<String>,
    pub race: Option<String>,
    pub sex: Option<String>,
    pub hometown: Option<String>,

    /// Secrets may go unencrypted to any host. Of the command line only, so that nobody keeps it without knowing.
    pub insecure: bool,
}

impl Config {
    /// How the model's decisions come about. An error says what to change.
    pub fn method(&self) -> anyhow::Result<Method> {
        match (self.council, self.votes) {
            (Some(_), 2..) => bail!(
                "a council and votes are two ways to decide: leave one of them out (`council` is {}, `votes` is {})",
                self.council.map(Seats::written).unwrap_or_default(),
                self.votes
            ),
            (Some(seats), _) => Ok(Method::Council(seats)),
            (None, 2..) => Ok(Method::Votes(self.votes)),
            (None, _) => Ok(Method::Alone),
        }
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            key: None,
            host_key: None,
            player_name: None,
            password: None,
            tier: Tier::Medium,
            model_fast: "zai/glm-5-turbo".to_string(),
            model_fallback: "deepseek-v4-flash".to_string(),
            models: Vec::new(),
            litellm_endpoint: None,
            llm_key: None,
            game_host: "localhost".to_string(),
            game_port: 4350,
            game_tls: false,
            game_ca: None,
            temperature: 0.0,
            valence: true,
            recall: true,
            loop_max: LOOP_MAX,
            format_every: FORMAT_EVERY,
            fold_words: FoldWords::default(),
            tool_timeout_s: TOOL_TIMEOUT_S,
            knowledge: true,
            persona_name: true,
            open_mind: None,
            share_with_maker: Vec::new(),
            log_dir: PathBuf::from("data/logs"),
            state_dir: None,
            log_level: "info".to_string(),
            think_ms: None,
            act_ms: 600,
            deadline_ms: 10_000,
            max_tokens: None,
            max_cost: None,
            max_output_tokens: 600,
            prices: Prices::default(),
            autopilot: Autopilot::default(),
            council: None,
            council_models: BTreeMap::new(),
            votes: 1,
            policies: BTreeMap::new(),
            tastes: BTreeMap::new(),
            persona: None,
            prompts_dir: None,
            hud_sections: None,
            operator_prompt: String::new(),
            guidelines: Vec::new(),
            kind: Kind::Persona,
            format: Format::Markdown,
            layout: Layout::Parts,
            model_limit: 128_000,
            cache: "auto".to_string(),
            answer_form: "schema".to_string(),
            stream: false,
            seed: None,
            class: None,
            race: None,
            sex: None,
            hometown: None,
            insecure: false,
        }
    }
}

/// A file and what is in it.
#[derive(Clone, Debug)]
pub struct ConfigFile {
    pub path: PathBuf,
    /// As it stands there, without defaults; empty when there is no file.
    pub stored: Map<String, Value>,
    pub config: Config,
    /// By the environment, and another than the file has.
    pub key_was_given: bool,
}

/// `DP_CONFIG`, else `~/.dp-agent.json`.
pub fn path() -> anyhow::Result<PathBuf> {
    if let Some(path) = std::env::var_os("DP_CONFIG").filter(|path| !path.is_empty()) {
        return Ok(path.into());
    }
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty());
    let home = home.context("there is no home folder: set DP_CONFIG to the path of the configuration file")?;
    Ok(PathBuf::from(home).join(FILE_NAME))
}

impl ConfigFile {
    /// Reads the file; none is as good as an empty one. `DP_KEY`, `DP_HOST_KEY`, `DP_LLM_KEY`, `DP_AUTOPILOT`
    /// and `DP_PROMPTS_DIR` win over it.
    pub fn load() -> anyhow::Result<ConfigFile> {
        let mut file = ConfigFile::read(&path()?)?;
        let from = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let given = from("DP_KEY");
        file.key_was_given = given.is_some() && given != file.config.key;
        file.config.key = given.or(file.config.key.take());
        file.config.llm_key = from("DP_LLM_KEY").or(file.config.llm_key.take());
        let fields = [("DP_HOST_KEY", "host_key"), ("DP_AUTOPILOT", "autopilot"), ("DP_PROMPTS_DIR", "prompts_dir")];
        for (variable, field) in fields {
            if let Some(words) = from(variable) {
                file.config.lay_over(field, &words).with_context(|| format!("reading {variable}"))?;
            }
        }
        Ok(file)
    }

    pub fn read(path: &Path) -> anyhow::Result<ConfigFile> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error).with_context(|| format!("reading {}", path.display())),
        };
        let (stored, config) = parse(&text).map_err(|problems| {
            let list: String = problems.iter().map(|(line, what)| format!("\n  line {line}: {what}")).collect();
            anyhow::anyhow!("{} cannot be used:{list}", path.display())
        })?;
        Ok(ConfigFile { path: path.to_path_buf(), stored, config, key_was_given: false })
    }

    /// Sets a field from words on a command line. Nothing is written.
    pub fn set(&mut self, name: &str, words: &str) -> anyhow::Result<()> {
        let Some(field) = fields::named(name) else { bail!("there is no field `{name}`") };
        let value = field.read_words(words);
        if value.is_null() {
            self.stored.shift_remove(field.name);
            // Back to the default, whatever the others are.
            let (_, config) = parse(&Value::Object(self.stored.clone()).to_string())
                .map_err(|problems| anyhow::anyhow!("{problems:?}"))?;
            self.config = config;
            return Ok(());
        }
        (field.set)(&mut self.config, value.clone()).map_err(|what| anyhow::anyhow!("`{name}` {what}"))?;
        self.stored.insert(field.name.to_string(), value);
        Ok(())
    }

    /// Writes what is stored: a new file beside the old one takes its place, so that no half of it is ever read.
    pub fn save(&self) -> anyhow::Result<()> {
        let mut text = serde_json::to_string_pretty(&self.stored).context("writing the configuration as JSON")?;
        text.push('\n');
        private_files::write(&self.path, &text)
    }
}

/// Lines, and what is wrong there.
pub type Problems = Vec<(usize, String)>;

/// Reads the text of a file. Errors: line and what is wrong with it, in the order of the file.
pub fn parse(text: &str) -> Result<(Map<String, Value>, Config), Problems> {
    let mut config = Config::default();
    if text.trim().is_empty() {
        return Ok((Map::new(), config));
    }
    let value: Value =
        serde_json::from_str(text).map_err(|error| vec![(error.line().max(1), format!("this is no JSON: {error}"))])?;
    let Value::Object(stored) = value else {
        return Err(vec![(1, "the file must hold one JSON object".to_string())]);
    };
    let lines = lines::of_members(text);
    let line = |path: &str| lines.iter().find(|(name, _)| name == path).map_or(1, |(_, line)| *line);
    let mut problems = Vec::new();
    for (name, value) in &stored {
        let Some(field) = fields::named(name).filter(|field| field.name == name) else {
            let near = fields::nearest(name).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            problems.push((line(name), format!("there is no field `{}`{near}", quote(name))));
            continue;
        };
        if let Err(what) = (field.set)(&mut config, value.clone()) {
            // A mistake inside is told with the line of the inner member.
            let inner = what.split('`').nth(1).map(|inner| format!("{name}.{inner}"));
            let at = inner.filter(|path| lines.iter().any(|(known, _)| known == path)).unwrap_or(name.clone());
            problems.push((line(&at), format!("`{name}` {what}")));
        }
    }
    problems.sort();
    if problems.is_empty() { Ok((stored, config)) } else { Err(problems) }
}

fn quote(text: &str) -> String {
    protocol::names::clean_text(text).chars().take(60).collect()
}

/// A secret as it may be shown: its beginning and its end.
pub fn masked(secret: &str) -> String {
    let chars: Vec<char> = secret.chars().collect();
    if chars.len() < 16 {
        return "****".to_string();
    }
    let end: String = chars[chars.len() - 4..].iter().collect();
    format!("{}…{end}", chars[..6].iter().collect::<String>())
}

impl Config {
    /// Sets a field from words on a command line, for this run only; empty words are its default.
    pub fn lay_over(&mut self, name: &str, words: &str) -> anyhow::Result<()> {
        let Some(field) = fields::named(name) else {
            let near = fields::nearest(name).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            bail!("there is no setting `{}`{near}", quote(name));
        };
        let wrong = |what: String| anyhow::anyhow!("`{}` {what}", field.name);
        let value = field.read_words(words);
        if !value.is_null() {
            return (field.set)(self, value).map_err(wrong);
        }
        let mut config = Config { insecure: self.insecure, ..Config::default() };
        for other in FIELDS.iter().filter(|other| other.name != field.name) {
            let value = (other.get)(self);
            if !value.is_null() {
                (other.set)(&mut config, value).map_err(wrong)?;
            }
        }
        *self = config;
        Ok(())
    }

    /// All fields with their values, secrets masked, in the order of the table.
    pub fn shown(&self) -> Value {
        let mut map = Map::new();
        for field in FIELDS {
            let value = (field.get)(self);
            let value = match value {
                Value::String(secret) if field.secret => json!(masked(&secret)),
                value => value,
            };
            map.insert(field.name.to_string(), value);
        }
        Value::Object(map)
    }
}

#[cfg(test)]
mod tests;
