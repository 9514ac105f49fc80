//! `play` and `session`: one agent or many, until it is interrupted or time is up.

use super::PlayArgs;
use super::interrupt::Interrupts;
use super::reload::{self, Reload};
use super::tokens::Tokens;
use super::visit::credentials;
use crate::advisor::{SharedAdvisor, of_config};
use crate::agent::{Agent, AgentSettings, Forbidden, Rhythm, THINK_MS, slow_ms};
use crate::config::{Config, ConfigFile};
use crate::ledger::Limits;
use crate::nature::Tastes;
use crate::persona::Persona;
use crate::player::{Credentials, Player, Stop};
use crate::prompts_folder;

use crate::sections_file;
use crate::server_address::ServerAddress;
use crate::session_log::{SessionLog, Summary, header};
use crate::status::{Board, cost};
use anyhow::{Context, bail, ensure};
use mind::council::Method;
use mind::prompt::AnswerForm;
use mind::texts::Texts;
use protocol::words::counted;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// A persona is prose for a prompt, not a book.
const PERSONA_BYTES_MAX: u64 = 64 << 10;
/// Connections begin so far apart, so that the first logins of many stay under the server's limit.
const APART: Duration = Duration::from_millis(220);

/// A line of the file of agents.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    #[serde(alias = "player_name")]
    name: String,
    key: String,
    /// Another character sheet than the others have.
    #[serde(default)]
    persona: Option<std::path::PathBuf>,
    /// What it likes, over what the settings and its persona say: `{"bold": 0.8}`.
    #[serde(default)]
    tastes: serde_json::Map<String, serde_json::Value>,
}

/// Who plays, and what sets it apart from the settings.
#[derive(Debug)]
struct Seat {
    who: Credentials,
    persona: Option<std::path::PathBuf>,
    tastes: BTreeMap<String, f64>,
}

pub async fn play(
    mut file: ConfigFile,
    args: PlayArgs,
    duration: Option<Duration>,
    logged: bool,
) -> anyhow::Result<ExitCode> {
    let config = &mut file.config;
    args.lay_over(config)?;
    let players = match &args.agents {
        None => {
            let who = Credentials { create: args.create, ..credentials(config)? };
            vec![Seat { who, persona: None, tastes: BTreeMap::new() }]
        }
        Some(path) => listed(path)?,
    };
    let config = Arc::new(file.config.clone());
    let priced = config.prices.of(&config.model_fast).is_some();
    let advisor: Option<SharedAdvisor> = if args.no_model { None } else { of_config(&config, args.tape.as_deref())? };
    let address = ServerAddress::of(&config)?;
    let server = address.name();
    let mut tokens = Tokens::load(&file.path);
    let many = players.len();
    let board = Arc::new(Board::new(args.quiet, config.log_level == "debug", many));
    if advisor.is_none() && !args.no_model {
        board.note("All", "No model is set (litellm_endpoint): reflexes and policies play alone.");
    }
    let texts = Arc::new(prompts_folder::texts(config.prompts_dir.as_deref())?);
    let listening = config.prompts_dir.clone().map(|dir| Reload::new(dir, texts.clone(), board.clone()));
    let (mut reload, news) = listening.unzip();
    let (stop, stopping) = watch::channel(false);
    let mut interrupts = Interrupts::listen();
    let mut tasks = tokio::task::JoinSet::new();
    for (number, Seat { mut who, persona, tastes }) in players.into_iter().enumerate() {
        // A key that was given for this run is tried: a token of before would let its holder in whatever that is.
        let given = args.agents.is_none() && file.key_was_given;
        who.token = who.name.as_ref().filter(|_| !given).and_then(|name| tokens.get(&server, name));
        let mut config = config.clone();
        if persona.is_some() || !tastes.is_empty() {
            let mut own = Config { persona: persona.or(config.persona.clone()), ..(*config).clone() };
            own.tastes.extend(tastes);
            config = Arc::new(own);
        }
        let mut settings = settings_of(&config, &texts)?;
        settings.use_model = advisor.is_some();
        settings.seed = settings.seed.wrapping_add(number as u64);
        let name = who.name.clone().unwrap_or_else(|| "agent".to_string());
        let mut player = Player::new(Agent::new(settings.clone()), config.clone(), address.clone(), who, board.clone());
        player.advisor = advisor.clone();
        player.news = news.clone();
        if logged {
            let now_ms = player.clock.now_ms();
            let header = header(&config, &settings, &name, now_ms);
            let log = SessionLog::create(&config.log_dir, header, now_ms)?;
            board.note(&name, &format!("The log of this session is {}.", log.path.display()));
            player.log = Some(log);
        }
        let stopping = stopping.clone();
        tasks.spawn(async move {
            tokio::time::sleep(APART * u32::try_from(number).unwrap_or(u32::MAX)).await;
            player.play(stopping).await
        });
    }
    drop(stopping);
    let (ends, at_once) = end_of(&mut tasks, &stop, duration, &mut reload, &mut interrupts, &board).await;
    board.end();
    let mut failed = at_once;
    if at_once {
        say(AT_ONCE);
    }
    for (summary, end, token) in &ends {
        tokens.put(&server, &summary.agent, token.clone());
        let never = summary.level == 0;
        let why = match end {
            Stop::Failed(why) => Some(why.clone()),
            Stop::Asked if never => Some(match summary.errors.last() {
                Some(why) => format!("It never got into the game: {why}"),
                None => "It never got into the game: the time was over before the server let it in.".to_string(),
            }),
            Stop::Asked => None,
        };
        if let Some(why) = why {
            failed = true;
            say(&format!("{}: {}", summary.agent, protocol::names::clean_text(&why)));
        }
        if !args.quiet {
            say(&sentence(summary, priced));
        }
    }
    if let Some(advisor) = &advisor
        && !args.quiet
    {
        let counts: Vec<String> = advisor.counts().iter().map(|(name, count)| format!("{name} {count}")).collect();
        if !counts.is_empty() {
            say(&format!("The model: {}.", counts.join(", ")));
        }
    }
    if let Err(error) = tokens.save() {
        tracing::warn!("the tokens for the next login are not kept: {error:#}");
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// A line for people. Where their terminal is gone, nobody reads it, and what is left to do is done all the same.
pub fn say(line: &str) {
    let _told = writeln!(std::io::stderr().lock(), "{line}");
}

/// What the first interrupt is answered with.
pub const LEAVING: &str = "Leaving the game; that takes some seconds. Interrupt once more to end at once.";
/// What is so after the second.
pub const AT_ONCE: &str = "Ended at once: who had not left the game stands in the world, played by nobody, until the \
                           server takes it out after some minutes; its session log has no summary.";

pub type End = (Summary, Stop, Option<String>);

/// Waits for all players; an interrupt or the end of the time asks them to leave. Whether a second interrupt ended it
/// without waiting is told too.
async fn end_of(
    tasks: &mut tokio::task::JoinSet<End>,
    stop: &watch::Sender<bool>,
    duration: Option<Duration>,
    reload: &mut Option<Reload>,
    interrupts: &mut Interrupts,
    board: &Board,
) -> (Vec<End>, bool) {
    let (mut ends, mut at_once) = (Vec::new(), false);
    let time_is_up = async {
        match duration {
            Some(duration) => tokio::time::sleep(duration).await,
            None => std::future::pending().await,
        }
    };
    tokio::pin!(time_is_up);
    let mut asked = false;
    loop {
        tokio::select! {
            joined = tasks.join_next() => match joined {
                None => return (ends, at_once),
                Some(Ok(end)) => ends.push(end),
                Some(Err(error)) if error.is_cancelled() => {}
                Some(Err(error)) => tracing::error!("a player broke down: {error}"),
            },
            () = &mut time_is_up, if !asked => {
                asked = true;
                stop.send_replace(true);
            }
            () = reload::until_terminal_is_gone(reload), if !asked => {
                asked = true;
                stop.send_replace(true);
            }
            () = interrupts.next() => {
                if asked {
                    at_once = true;
                    tasks.abort_all();
                } else {
                    board.tell("All", LEAVING);
                }
                asked = true;
                stop.send_replace(true);
            }
        }
    }
}

/// What the agent is told, from the settings.
pub fn settings_of(config: &Config, texts: &Arc<Texts>) -> anyhow::Result<AgentSettings> {
    let persona = match &config.persona {
        None => Persona::default(),
        Some(path) => {
            let reading = || format!("reading the persona {}", path.display());
            let size = std::fs::metadata(path).with_context(reading)?.len();
            ensure!(size <= PERSONA_BYTES_MAX, "the persona {} is larger than 64 KB", path.display());
            let text = std::fs::read_to_string(path).with_context(reading)?;
            Persona::parse(&text)
                .map_err(|what| anyhow::anyhow!("the persona {} cannot be used: {what}", path.display()))?
        }
    };
    let off: BTreeSet<String> = config.policies.iter().filter(|(_, on)| !**on).map(|(name, _)| name.clone()).collect();
    let mut guidelines = config.guidelines.clone();
    guidelines.extend(promise(&persona.forbidden));
    let settings = AgentSettings {
        use_model: config.litellm_endpoint.is_some(),
        think_ms: config.think_ms.unwrap_or(THINK_MS),
        paced_by_record: config.think_ms.is_none(),
        loop_max: config.loop_max,
        format_every: config.format_every,
        fold_words: config.fold_words,
        tool_timeout_ms: config.tool_timeout_s * 1_000,
        awaits_mind: true,
        rhythm: Rhythm::Growing,
        act_ms: config.act_ms,
        slow_ms: slow_ms(config.think_ms.unwrap_or(THINK_MS)),
        seed: config.seed.unwrap_or(0),
        tastes: Tastes::default().with(&persona.tastes).with(&config.tastes),
        off,
        forbidden: persona.forbidden,
        method: Method::Alone,
        priced: config.prices.of(&config.model_fast).is_some(),
        prompt: mind::prompt::Settings {
            tier: config.tier,
            model_limit: config.model_limit,
            model: config.model_fast.clone(),
            format: config.format,
            layout: config.layout,
            answer: if config.answer_form == "toon" { AnswerForm::Toon } else { AnswerForm::Json },
            mind: true,
            autopilot: config.autopilot,
            texts: texts.clone(),
            sections: sections_file::read(config.hud_sections.as_deref())?,
            kept_free: 0,
        },
        kind: config.kind,
        persona: persona.text,
        operator_prompt: config.operator_prompt.clone(),
        guidelines,
        tokens_limit: config.max_tokens,
        cost_limit_micros: Limits::new(None, config.max_cost).cost_micros_max,
        valence: config.valence,
        recall: config.recall,
        persona_name: config.persona_name,
        open_mind: config.open_mind,
        share_with_maker: config.share_with_maker.clone(),
    };
    Ok(settings.by(config.method()?))
}

/// What a model is told of what its persona forbids.
fn promise(forbidden: &Forbidden) -> Option<String> {
    let names = |all: &BTreeSet<String>| all.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let Forbidden { verbs, policies } = forbidden;
    Some(match (verbs.is_empty(), policies.is_empty()) {
        (true, true) => return None,
        (false, true) => format!("These verbs you never use, and they are refused: {}.", names(verbs)),
        (true, false) => format!("To these policies you never delegate: {}.", names(policies)),
        (false, false) => format!(
            "These verbs you never use, and they are refused: {}. To these policies you never delegate: {}.",
            names(verbs),
            names(policies)
        ),
    })
}

fn listed(path: &Path) -> anyhow::Result<Vec<Seat>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("reading the agents {}", path.display()))?;
    let rows: Vec<Listed> = if text.trim_start().starts_with('[') {
        serde_json::from_str(&text).with_context(|| format!("the agents {} cannot be used", path.display()))?
    } else {
        let mut rows = Vec::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let row = serde_json::from_str(line)
                .with_context(|| format!("the agents {} cannot be used: line {}", path.display(), number + 1))?;
            rows.push(row);
        }
        rows
    };
    if rows.is_empty() {
        bail!("there are no agents in {}", path.display());
    }
    let mut seen = BTreeSet::new();
    if let Some(twice) = rows.iter().find(|row| !seen.insert(row.name.to_ascii_lowercase())) {
        bail!("{} stands twice in {}", protocol::names::clean_text(&twice.name), path.display());
    }
    let seat = |row: Listed| {
        let name = protocol::names::clean_text(&row.name).into_owned();
        let tastes = Tastes::read(&row.tastes)
            .map_err(|what| anyhow::anyhow!("the agents {} cannot be used: of {name} {what}", path.display()))?;
        let who = Credentials { name: Some(row.name), key: Some(row.key), ..Credentials::default() };
        Ok(Seat { who, persona: row.persona, tastes })
    };
    rows.into_iter().map(seat).collect()
}

/// A session in a sentence or two.
pub fn sentence(sum: &Summary, priced: bool) -> String {
    let minutes = sum.duration_s / 60.0;
    let mut text = format!(
        "{}: level {}, {} experience in {minutes:.1} minutes; {}, {}, {}; {} by reflex, {} of \
         upkeep, {} by policy, {} by model; {} refused.",
        sum.agent,
        sum.level,
        sum.exp_gained,
        counted(sum.tallies.kills, "kill"),
        counted(sum.tallies.deaths, "death"),
        counted(sum.tallies.flights, "flight"),
        counted(sum.counts.reflexes, "action"),
        sum.counts.upkeep,
        sum.counts.policies,
        sum.counts.model,
        sum.counts.refused,
    );
    if sum.counts.thoughts > 0 {
        let tokens = sum.counts.tokens;
        text.push_str(&format!(
            " {}, {} of them in vain, {} with nothing new; {} tokens read ({} from cache), {} written; {}.",
            counted(sum.counts.thoughts, "thought"),
            sum.counts.thoughts_failed,
            sum.counts.thoughts_idle,
            tokens.prompt,
            tokens.cached,
            tokens.completion,
            cost(&sum.counts, priced),
        ));
    }
    let words = sum.counts.fold_words;
    if words.asked > 0 {
        text.push_str(&format!(
            " {} of folds given to the model to say in its words, {} of them in vain; {} taken, {} refused.",
            if words.asked == 1 { "1 story".to_string() } else { format!("{} stories", words.asked) },
            words.failed,
            counted(words.lines, "line"),
            words.refused,
        ));
    }
    if sum.counts.leaks_held > 0 {
        let lines = counted(sum.counts.leaks_held, "line");
        text.push_str(&format!(" {lines} held back that repeated what only it is to know."));
    }
    if let Some(late) = sum.late {
        let (p50, p99) = (late.p50_ms as f64 / 1_000.0, late.p99_ms as f64 / 1_000.0);
        text.push_str(&format!(" Its questions came {p50:.1} s late (p50) and {p99:.1} s (p99)."));
    }
    let odd = sum.oddities.rows();
    if !odd.is_empty() {
        let odd: Vec<String> = odd.iter().map(|(name, count)| format!("{name} {count}")).collect();
        text.push_str(&format!(" Odd: {}.", odd.join(", ")));
    }
    protocol::names::clean_text(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_listed_in_either_form() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("agents");
        for text in [
            "{\"name\":\"A\",\"key\":\"dp_1\"}\n\n{\"player_name\":\"B\",\"key\":\"dp_2\"}\n",
            "[{\"name\":\"A\",\"key\":\"dp_1\"}, {\"name\":\"B\",\"key\":\"dp_2\", \"persona\": \"b.md\"}]",
        ] {
            std::fs::write(&path, text).expect("written");
            let names: Vec<_> = listed(&path).expect("right").into_iter().map(|seat| seat.who.name).collect();
            assert_eq!(names, [Some("A".to_string()), Some("B".to_string())]);
        }
        for (text, what) in [
            ("", "no agents"),
            ("{\"name\":\"A\",\"key\":\"dp_1\"}\n{\"name\":\"a\",\"key\":\"dp_1\"}", "a stands twice"),
            ("{\"name\":\"A\",\"key\":\"dp_1\"}\n{\"name\":7}", "line 2"),
            (
                "{\"name\":\"A\",\"key\":\"dp_1\",\"tastes\":{\"bold\":7}}",
                "of A the taste `bold` must be a number from 0 to 1, and is 7",
            ),
            ("{\"name\":\"A\",\"key\":\"dp_1\",\"tastes\":{\"loud\":1}}", "there is no taste `loud`, only bold,"),
        ] {
            std::fs::write(&path, text).expect("written");
            let error = format!("{:#}", listed(&path).expect_err(text));
            assert!(error.contains(what), "{error}");
        }
    }
}
