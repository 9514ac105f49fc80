//! The command line: what there is, and how each subcommand is run.
//!
//! What is printed on standard output is the answer; everything else goes to standard error. Exit codes: 0 done, 1 it
//! failed or was refused, 2 the command line was wrong.

use crate::config::{ConfigFile, FIELDS};
use crate::server_address::ServerAddress;
use anyhow::Context;
use clap::{ArgMatches, Args, FromArgMatches, Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

mod api;
mod exec;
mod host;
mod interrupt;
mod keys;
mod mending;
mod minds;
mod play;
mod prompt;
mod prompts;
mod reload;
mod tokens;
mod visit;

#[derive(Parser)]
#[command(name = "dp-agent", version, about = "Plays Dark Pawns: reflexes first, a language model second.")]
#[command(
    after_help = "Settings: ~/.dp-agent.json, or the file that DP_CONFIG names. DP_KEY, DP_HOST_KEY, DP_LLM_KEY, \
                  DP_AUTOPILOT and DP_PROMPTS_DIR win over it, flags over both."
)]
struct Cli {
    /// Send keys and tokens unencrypted to hosts that are neither this machine nor on a private network
    #[arg(long, global = true)]
    insecure: bool,
    #[command(subcommand)]
    command: Act,
}

#[derive(Subcommand)]
enum Act {
    /// Play until it is interrupted
    #[command(after_help = about_settings())]
    Play(PlayArgs),
    /// Play for a time, with a log of every turn
    #[command(after_help = about_settings())]
    Session(SessionArgs),
    /// Play the agents of an owner, by the records that the server keeps of them
    #[command(after_help = about_settings())]
    Host(host::HostArgs),
    /// Consolidate the memories of past sessions
    Dream(crate::dream::DreamArgs),
    /// Ask what an agent remembers, without a server
    Recall(crate::recall::RecallArgs),
    /// Measure how good and how fast memories are; 1 where a result misses its target
    Eval(crate::eval::EvalArgs),
    /// Show the settings, or change some
    Config(ConfigArgs),
    /// Get a key for a character from the server, and keep it in the settings
    Keygen(KeygenArgs),
    /// Show who plays where
    Whoami,
    /// Send one command, print what comes, and leave
    Exec(ExecArgs),
    /// Serve a stand-in for a model, for trying things out
    Stub(crate::stub::StubArgs),
    /// Check session logs, and make tables of them
    Log(crate::log::LogArgs),
    /// Print the prompt that the model would get now, or follow those of a session under way
    #[command(visible_alias = "hud")]
    Prompt(PromptArgs),
    /// Write what is on its mind to a file, or make it what the mended file says
    Mind(mending::MindArgs),
    /// Look at the minds of one body as they think: INNER, OUTER, OBSERVER, and what they tell each other
    Minds(minds::MindsArgs),
    /// Make a folder of the texts of prompts, to be changed, or check one
    #[command(subcommand)]
    Prompts(prompts::PromptsAct),
}

/// Who decides, by the table of policies, and where settings are kept.
fn about_settings() -> String {
    use crate::policies::{POLICIES, Power};
    let named = |power: Power| {
        let names = POLICIES.iter().filter(|policy| policy.power == power).map(|policy| policy.name);
        names.collect::<Vec<_>>().join(", ")
    };
    format!(
        "Who decides: reflexes (strike back, flee, {}) and upkeep ({}) always work. Policies ({}) decide where no model \
         does; beside a model that answers, what it delegates (--autopilot offered), nothing (off), or whatever it \
         leaves (full).\n\nFlags hold for this run; `dp-agent config` keeps settings for good, and \
         `dp-agent config --help` explains each.",
        named(Power::Reflex),
        named(Power::Upkeep),
        named(Power::Policy),
    )
}

/// What `play` and `session` share.
#[derive(Args, Clone, Debug, Default)]
pub struct PlayArgs {
    /// Play many characters in this process: a file with a JSON array, or a line of JSON each, of {"name", "key"};
    /// beside these each may have "persona" (a FILE) and "tastes", such as {"bold": 0.8}
    #[arg(long, value_name = "FILE")]
    pub agents: Option<PathBuf>,
    /// Play by reflexes and policies alone
    #[arg(long)]
    pub no_model: bool,
    /// Character sheet in prose: who it is, how it talks, what it wants
    #[arg(long, value_name = "FILE")]
    pub persona: Option<PathBuf>,
    /// Folder with the texts of prompts, as `dp-agent prompts export` makes it
    #[arg(long, value_name = "DIR")]
    pub prompts_dir: Option<PathBuf>,
    /// Say nothing while playing
    #[arg(long)]
    pub quiet: bool,
    /// Milliseconds from one decision of the model to the next, whatever the record on the server says
    #[arg(long, value_name = "MS")]
    pub think_ms: Option<u64>,
    /// Tokens that the model may use in all
    #[arg(long, value_name = "NUMBER")]
    pub max_tokens: Option<u64>,
    /// Money that the model may cost in all, in the currency of the prices
    #[arg(long, value_name = "AMOUNT", value_parser = amount, allow_hyphen_values = true)]
    pub max_cost: Option<f64>,
    /// Whether it looks up memories while it plays
    #[arg(long, value_name = "BOOL")]
    pub recall: Option<bool>,
    /// Answer what this file knows from it, as the model did, and add the model's other answers to it
    #[arg(long, value_name = "FILE", conflicts_with = "no_model")]
    pub tape: Option<PathBuf>,
    /// Make the character, with the password of the settings
    #[arg(long)]
    pub create: bool,
    /// The model that is asked
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Size of the prompt: small, medium, large or unlimited
    #[arg(long, value_name = "TIER")]
    pub tier: Option<String>,
    /// Seed of the agent's own chances, and for the model where it takes one
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<String>,
    /// The policies that are on, all others off: hunt,loot; or none; or JSON such as {"loot": false}
    #[arg(long, value_name = "LIST")]
    pub policies: Option<String>,
    /// What policies do beside a model that answers: off, offered or full
    #[arg(long, value_name = "HOW")]
    pub autopilot: Option<String>,
    /// Several minds decide together: some of inner,outer,observer; all without a list
    #[arg(long, value_name = "MINDS", num_args = 0..=1, require_equals = true, default_missing_value = "all",
          conflicts_with = "no_model")]
    pub council: Option<String>,
    /// Ask one mind so many times for each decision, and do what most of its answers say
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["council", "no_model"])]
    pub votes: Option<u32>,
    /// Whether valence is recorded
    #[arg(long, value_name = "BOOL")]
    pub valence: Option<String>,
    /// Any other setting, for this run; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

impl PlayArgs {
    /// Lays the flags over the settings. The general ones first: a flag of its own says it more plainly.
    fn lay_over(&self, config: &mut crate::config::Config) -> anyhow::Result<()> {
        for set in &self.set {
            let Some((key, value)) = set.split_once('=') else {
                anyhow::bail!("--set wants KEY=VALUE, not \"{}\"", protocol::names::clean_text(set));
            };
            config.lay_over(key.trim(), value.trim()).context("reading --set")?;
        }
        let policies = self.policies.as_deref().map(policies).transpose()?;
        for (key, value) in [
            ("model_fast", self.model.clone()),
            ("tier", self.tier.clone()),
            ("seed", self.seed.clone()),
            ("policies", policies),
            ("autopilot", self.autopilot.clone()),
            ("valence", self.valence.clone()),
            ("think_ms", self.think_ms.map(|ms| ms.to_string())),
            ("recall", self.recall.map(|recall| recall.to_string())),
            ("max_tokens", self.max_tokens.map(|tokens| tokens.to_string())),
            ("max_cost", self.max_cost.map(|cost| cost.to_string())),
        ] {
            if let Some(value) = value {
                config.lay_over(key, &value)?;
            }
        }
        self.lay_over_method(config)?;
        config.persona = self.persona.clone().or(config.persona.take());
        config.prompts_dir = self.prompts_dir.clone().or(config.prompts_dir.take());
        Ok(())
    }
}

impl PlayArgs {
    /// A flag for one way to decide puts the other out of force, whatever the settings say.
    fn lay_over_method(&self, config: &mut crate::config::Config) -> anyhow::Result<()> {
        if let Some(list) = &self.council {
            // Empty words would set it back to its default, and whoever typed them meant something.
            anyhow::ensure!(!list.trim().is_empty(), "--council= names nobody: name some of inner, outer, observer");
            config.lay_over("council", list)?;
            config.votes = 1;
        }
        if let Some(votes) = self.votes {
            config.lay_over("votes", &votes.to_string())?;
            config.council = None;
        }
        Ok(())
    }
}

/// A list of policies that are on, as the setting that switches off all others.
fn policies(list: &str) -> anyhow::Result<String> {
    if list.trim_start().starts_with('{') {
        return Ok(list.to_string());
    }
    let mut on: std::collections::BTreeSet<&str> = std::collections::BTreeSet::new();
    let named = || list.split(',').map(str::trim).filter(|name| !name.is_empty());
    anyhow::ensure!(
        named().count() == 1 || named().all(|name| name != "none"),
        "--policies is `none` or a list, not both"
    );
    for name in named().filter(|name| *name != "none") {
        let Some(policy) = crate::policies::named(name) else {
            let names = || crate::policies::POLICIES.iter().map(|policy| policy.name);
            let meant = mind::spelling::nearest(name, names());
            let meant = meant.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            let names = names().collect::<Vec<_>>().join(", ");
            anyhow::bail!("there is no policy `{}`{meant} The policies are {names}", protocol::names::clean_text(name));
        };
        on.insert(policy.name);
    }
    // What is part of one that is on works with it, and upkeep is no policy that one chooses.
    let is_on = |policy: &crate::policies::Policy| {
        on.contains(policy.name)
            || policy.power != crate::policies::Power::Policy
            || policy.part_of.iter().any(|name| on.contains(name))
    };
    let rows = crate::policies::POLICIES.iter().map(|policy| (policy.name.to_string(), is_on(policy).into()));
    Ok(serde_json::Value::Object(rows.collect()).to_string())
}

#[derive(Args, Clone, Debug)]
struct SessionArgs {
    /// How long: 30s, 10m, 2h
    #[arg(long, value_parser = duration)]
    duration: Duration,
    /// Folder of the logs
    #[arg(long, value_name = "DIR")]
    log_dir: Option<PathBuf>,
    /// Temperature of the model
    #[arg(long, value_name = "NUMBER")]
    temp: Option<f64>,
    #[command(flatten)]
    play: PlayArgs,
}

#[derive(Args, Clone, Debug)]
pub struct KeygenArgs {
    /// The character; it is made if there is none
    #[arg(long, required_unless_present = "bare_name")]
    pub name: Option<String>,
    /// The name alone is taken too.
    #[arg(hide = true, value_name = "NAME", conflicts_with = "name")]
    pub bare_name: Option<String>,
    /// The admin token itself
    #[arg(long, env = "DP_ADMIN_TOKEN", hide_env_values = true)]
    pub token: Option<String>,
    /// The server's state folder, which holds the admin token and says where the server is [default: that of the
    /// settings, or data/state]
    #[arg(long, value_name = "DIR")]
    pub state_dir: Option<PathBuf>,
    /// It may have another key beside those that it has
    #[arg(long, conflicts_with = "replace")]
    pub again: bool,
    /// The new key takes the place of those that it has, which are revoked; sessions by them end
    #[arg(long)]
    pub replace: bool,
    /// Of a new character
    #[arg(long)]
    pub class: Option<String>,
    /// Of a new character
    #[arg(long)]
    pub race: Option<String>,
    /// Print the key and do not keep it
    #[arg(long)]
    pub no_save: bool,
}

#[derive(Args, Clone, Debug)]
struct ExecArgs {
    /// Take the character from whoever plays it just now
    #[arg(long)]
    take_over: bool,
    /// The command, as a person would type it
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<String>,
}

#[derive(Args, Clone, Debug)]
pub struct PromptArgs {
    /// Whose [default: the character of the settings]
    #[arg(long)]
    pub name: Option<String>,
    /// Follow a session that plays on this machine with the same log_dir (see --log-dir), without touching it, until
    /// interrupted
    #[arg(long, conflicts_with_all = ["format", "layout", "tier", "persona", "prompts_dir", "take_over"])]
    pub live: bool,
    /// The log of a session: print one of the prompts that it sent, byte for byte; status 1 where its hash is not the
    /// one in the log, or there was none
    #[arg(long, value_name = "FILE",
        conflicts_with_all = ["live", "format", "layout", "tier", "persona", "prompts_dir", "take_over"])]
    pub session: Option<PathBuf>,
    /// The decision that was made of it, by its id in the log
    #[arg(long, value_name = "DECISION", requires = "session")]
    pub at: Option<u64>,
    /// In place of a prompt: what a model said for the stories of the session's folds (fold_words), and what of it was
    /// refused
    #[arg(long, requires = "session", conflicts_with_all = ["at", "why"])]
    pub words: bool,
    /// Before each line, what it comes from: entries of the log, variables, memories, settings, files
    #[arg(long, conflicts_with = "live")]
    pub why: bool,
    /// Folder of the logs of the session to follow
    #[arg(long, value_name = "DIR", requires = "live")]
    pub log_dir: Option<PathBuf>,
    /// markdown, json, compact-json or toon
    #[arg(long)]
    pub format: Option<mind::hud::Format>,
    /// parts, or document: system, self, meta and rooms, with the game as a fifth section
    #[arg(long)]
    pub layout: Option<mind::prompt::Layout>,
    /// small, medium, large or unlimited
    #[arg(long, value_parser = tier)]
    pub tier: Option<mind::budget::Tier>,
    /// Character sheet in prose
    #[arg(long, value_name = "FILE")]
    pub persona: Option<PathBuf>,
    /// Folder with the texts of prompts
    #[arg(long, value_name = "DIR")]
    pub prompts_dir: Option<PathBuf>,
    /// Take the character from whoever plays it just now
    #[arg(long)]
    pub take_over: bool,
}

/// One flag for each field of the settings.
#[derive(Clone, Debug, Default)]
struct ConfigArgs {
    sets: Vec<(&'static str, String)>,
}

impl Args for ConfigArgs {
    fn augment_args(command: clap::Command) -> clap::Command {
        FIELDS.iter().fold(command, |command, field| {
            let doc = field.doc.trim_end_matches('.');
            let arg = clap::Arg::new(field.name).long(field.flag()).value_name("VALUE").help(doc);
            command.arg(arg.allow_hyphen_values(true))
        })
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ConfigArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<ConfigArgs, clap::Error> {
        let mut args = ConfigArgs::default();
        args.update_from_arg_matches(matches)?;
        Ok(args)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for field in FIELDS {
            if let Some(words) = matches.get_one::<String>(field.name) {
                self.sets.push((field.name, words.clone()));
            }
        }
        Ok(())
    }
}

fn tier(word: &str) -> Result<mind::budget::Tier, String> {
    serde_json::from_value(serde_json::json!(word.to_lowercase()))
        .map_err(|_| "the tiers are small, medium, large and unlimited".to_string())
}

fn amount(text: &str) -> Result<f64, String> {
    let amount: Option<f64> = text.parse().ok();
    amount.filter(|amount| *amount >= 0.0 && amount.is_finite()).ok_or_else(|| "it must be a number from 0".to_string())
}

/// `90`, `30s`, `10m`, `2h`, `500ms`.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("\"{text}\" is no length of time; write 30s, 10m or 2h");
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..digits].parse().map_err(|_| wrong())?;
    let unit = match text[digits..].trim() {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3_600.0,
        "d" => 86_400.0,
        _ => return Err(wrong()),
    };
    let duration = Duration::try_from_secs_f64(number * unit).map_err(|_| wrong())?;
    if duration.is_zero() { Err("a session takes some time; write 30s, 10m or 2h".to_string()) } else { Ok(duration) }
}

/// Runs what the command line says.
pub fn main() -> ExitCode {
    // The published form of one flag has a single dash.
    let words = std::env::args_os().map(|word| if word == "-name" { "--name".into() } else { word });
    let cli = Cli::parse_from(words);
    match run(cli.command, cli.insecure) {
        Ok(code) => code,
        // A reader that has seen enough (`| head`).
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!(
                "dp-agent: {}",
                protocol::names::clean_text(&format!("{error:#}")).replace("   line", "\n  line")
            );
            ExitCode::FAILURE
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = |cause: &(dyn std::error::Error + 'static)| {
        // The writer of CSV does not show what it met as its source.
        let within = cause.downcast_ref::<csv::Error>().and_then(|error| match error.kind() {
            csv::ErrorKind::Io(error) => Some(error),
            _ => None,
        });
        let of_json = || cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        cause.downcast_ref().or(within).map(std::io::Error::kind).or_else(of_json)
    };
    error.chain().any(|cause| kind(cause) == Some(std::io::ErrorKind::BrokenPipe))
}

fn run(command: Act, insecure: bool) -> anyhow::Result<ExitCode> {
    match command {
        Act::Dream(args) => block_on(dream(args, insecure)),
        Act::Eval(mut args) => {
            args.embeddings.insecure = insecure;
            let passed = crate::eval::run(&args, &mut std::io::stdout(), &mut std::io::stderr())?;
            Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Act::Recall(mut args) => {
            args.embeddings.insecure = insecure;
            if args.agent.is_none() || args.output.is_none() {
                args.fill_in(&load(insecure)?.config)?;
            }
            let found = crate::recall::run(&args, &mut std::io::stdout(), &mut std::io::stderr())?;
            Ok(if found { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Act::Stub(args) => block_on(crate::stub::run(args)),
        Act::Config(args) => configure(&args),
        Act::Whoami => whoami(),
        Act::Keygen(args) => block_on(keys::keygen(load(insecure)?, args)),
        Act::Exec(args) => block_on(exec::exec(load(insecure)?, args.command.join(" "), args.take_over)),
        Act::Log(args) => crate::log::run(&args, &mut std::io::stdout().lock()),
        Act::Prompt(args) => block_on(prompt::prompt(load(insecure)?, args)),
        Act::Mind(args) => block_on(mending::mind(load(insecure)?, args)),
        Act::Minds(args) => block_on(minds::minds(load(insecure)?, args)),
        Act::Prompts(act) => prompts::run(&act),
        Act::Play(args) => block_on(play::play(load(insecure)?, args, None, false)),
        Act::Host(args) => block_on(host::host(load(insecure)?, args)),
        Act::Session(args) => {
            let mut file = load(insecure)?;
            let config = &mut file.config;
            config.log_dir = args.log_dir.unwrap_or_else(|| config.log_dir.clone());
            if let Some(temp) = args.temp {
                anyhow::ensure!((0.0..=2.0).contains(&temp), "the temperature must be a number from 0 to 2");
                config.temperature = temp;
            }
            block_on(play::play(file, args.play, Some(args.duration), true))
        }
    }
}

/// Settings are read only where a model is asked: dreams by rules need none.
async fn dream(args: crate::dream::DreamArgs, insecure: bool) -> anyhow::Result<ExitCode> {
    let model = match args.reflect {
        crate::dream::Reflect::Rules => None,
        crate::dream::Reflect::Llm => crate::advisor::model_of(&load(insecure)?.config)?,
    };
    crate::dream::run(&args, model.as_ref(), &mut std::io::stdout()).await.map(|_| ExitCode::SUCCESS)
}

fn load(insecure: bool) -> anyhow::Result<ConfigFile> {
    let mut file = ConfigFile::load()?;
    file.config.insecure = insecure;
    // What the crates below say of each connection is of no use to anybody who looks for what an agent does.
    let level = &file.config.log_level;
    let others = if level == "error" { "error" } else { "warn" };
    let filter: Targets = format!("{others},agent_cli={level}").parse().context("reading log_level")?;
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()))
        .with_writer(std::io::stderr);
    // It is set once; a second time it stays as it is.
    let _set = tracing_subscriber::registry().with(filter).with(lines).try_init();
    Ok(file)
}

fn block_on(task: impl Future<Output = anyhow::Result<ExitCode>>) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.context("starting the runtime")?;
    let done = runtime.block_on(task);
    // A name that is still looked up would keep a program that has left.
    runtime.shutdown_timeout(Duration::from_secs(1));
    done
}

fn configure(args: &ConfigArgs) -> anyhow::Result<ExitCode> {
    let mut file = ConfigFile::read(&crate::config::path()?)?;
    for (name, words) in &args.sets {
        file.set(name, words)?;
    }
    if args.sets.is_empty() {
        print(&format!("{}\n", serde_json::to_string_pretty(&file.config.shown())?))?;
        eprintln!("Settings of {}. An empty value sets one back: dp-agent config --seed \"\"", file.path.display());
    } else {
        file.save()?;
        eprintln!("Written to {}.", file.path.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes to standard output; a reader that has gone away (`| head`) is no error.
fn print(text: &str) -> anyhow::Result<()> {
    use std::io::Write;
    let mut out = std::io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("writing to standard output"),
    }
}

/// Says something beside the output, on standard error; a reader of both that has gone away (`2>&1 | head`) is no
/// error.
fn remark(text: &str) {
    use std::io::Write;
    std::io::stderr().write_all(text.as_bytes()).ok();
}

fn whoami() -> anyhow::Result<ExitCode> {
    let file = load(false)?;
    let config = &file.config;
    let model = match &config.litellm_endpoint {
        Some(endpoint) => format!("{} at {endpoint}", config.model_fast),
        None => "none (litellm_endpoint is not set); the policies play alone".to_string(),
    };
    print(&format!(
        "character: {}\nkey:       {}\nserver:    {}\nmodel:     {model}\nsettings:  {}\n",
        config.player_name.as_deref().unwrap_or("not set; see dp-agent keygen"),
        config.key.as_deref().map_or("not set".to_string(), crate::config::masked),
        ServerAddress::of(config)?.url(),
        file.path.display(),
    ))?;
    Ok(if config.player_name.is_some() && config.key.is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn lengths_of_time_are_read() {
        for (text, ms) in [("30s", 30_000), ("10m", 600_000), ("2h", 7_200_000), ("90", 90_000), ("1.5m", 90_000)] {
            assert_eq!(duration(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "m", "ten", "5 parsecs", "-3s", "1e400h", "0s"] {
            assert!(duration(text).is_err(), "{text}");
        }
        for text in ["-1", "nan", "inf", "much"] {
            assert!(amount(text).is_err(), "{text}");
        }
        assert_eq!(amount("0.5"), Ok(0.5));
    }

    #[test]
    fn flags_win_over_settings_and_mistakes_are_named() {
        let flags = |words: &[&str]| {
            let cli = Cli::try_parse_from(["dp-agent", "play"].iter().chain(words)).expect("flags");
            let Act::Play(args) = cli.command else { panic!("play") };
            let mut config = crate::config::Config { think_ms: Some(900), seed: Some(1), ..Default::default() };
            args.lay_over(&mut config).map(|()| config).map_err(|error| format!("{error:#}"))
        };
        let config = flags(&[
            "--model",
            "a/b",
            "--tier",
            "small",
            "--seed",
            "7",
            "--autopilot",
            "off",
            "--valence",
            "false",
            "--set",
            "act-ms=700",
            "--set",
            "max_tokens=5",
            "--think-ms",
            "2000",
            "--policies",
            "hunt, loot",
        ]);
        let config = config.expect("right");
        assert_eq!((config.model_fast.as_str(), config.tier.name(), config.seed), ("a/b", "small", Some(7)));
        assert_eq!((config.autopilot.name(), config.valence, config.act_ms), ("off", false, 700));
        assert_eq!((config.max_tokens, config.think_ms), (Some(5), Some(2_000)));
        let off: Vec<&str> = config.policies.iter().filter(|(_, on)| !**on).map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            off,
            [
                "attend", "doors", "errands", "explore", "greet", "group", "linger", "recovery", "rest", "retreat",
                "shop", "stuck", "unload"
            ],
            "upkeep stays, and standing up is part of hunting"
        );
        assert_eq!(flags(&["--set", "seed="]).expect("the default").seed, None);
        assert_eq!(flags(&["--set", "seed="]).expect("the others stay").think_ms, Some(900));
        for (words, expected) in [
            (["--set", "thnik_ms=5"], "there is no setting `thnik_ms`; did you mean `think_ms`?"),
            (["--set", "think_ms=soon"], "`think_ms` must be a whole number from 100"),
            (["--set", "think_ms"], "--set wants KEY=VALUE"),
            (["--autopilot", "on"], "`autopilot` must be one of off, offered, full"),
            (["--tier", "huge"], "`tier` must be one of small"),
            (["--seed", "-1"], "`seed` must be a whole number"),
            (["--policies", "none,hunt"], "--policies is `none` or a list, not both"),
            (["--policies", "hnut"], "there is no policy `hnut`; did you mean `hunt`?"),
        ] {
            // A value may begin with a dash.
            let joined = format!("{}={}", words[0], words[1]);
            let error = flags(&[&joined]).expect_err(&joined);
            assert!(error.contains(expected), "{joined}: {error}");
        }
    }

    #[test]
    fn every_setting_has_a_flag() {
        let cli = Cli::try_parse_from(["dp-agent", "config", "--key", "dp_x", "--player-name", "Bob", "--seed", ""]);
        let Act::Config(args) = cli.expect("right").command else { panic!("config") };
        assert_eq!(args.sets.len(), 3);
    }

    #[test]
    fn a_command_may_look_like_a_flag() {
        let cli = Cli::try_parse_from(["dp-agent", "exec", "say", "--", "-hello"]);
        let Act::Exec(args) = cli.expect("right").command else { panic!("exec") };
        assert_eq!(args.command.last().map(String::as_str), Some("-hello"));
    }
}
