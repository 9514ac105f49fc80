//! `exec`: one command, and what comes of it.

use super::tokens::Tokens;
use crate::agent::{Agent, AgentSettings};
use crate::client::{Connection, Incoming};
use crate::config::{Config, ConfigFile};
use crate::player::{Clock, Credentials};
use crate::server_address::ServerAddress;
use anyhow::{Context, bail};
use protocol::frame::{Command, Login, Secret, Subscribe};
use protocol::{ClientFrame, ErrorCode, Outcome, ServerFrame, ServerMessage};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The game says what it has to say within so long; after so much quiet it is done.
const PATIENCE: Duration = Duration::from_secs(10);
/// A connection that was just closed, by the command before this one, may not be gone yet.
const IN_USE_TRIES: u32 = 3;
const IN_USE_AGAIN: Duration = Duration::from_millis(400);
const QUIET: Duration = Duration::from_millis(400);

/// A character in the game, its variables told.
pub(super) struct Visit {
    pub connection: Connection,
    pub agent: Agent,
    pub clock: Clock,
}

/// Who is meant by the settings.
pub(super) fn credentials(config: &Config) -> anyhow::Result<Credentials> {
    if config.key.is_none() && config.password.is_none() {
        bail!("there is no key: get one with `dp-agent keygen --name NAME`, or set DP_KEY");
    }
    Ok(Credentials {
        name: config.player_name.clone(),
        key: config.key.clone(),
        password: config.password.clone(),
        token: None,
        create: false,
    })
}

/// Logs in and reads on until the first variables. A character that is played is left alone, unless it shall be taken
/// over.
pub(super) async fn enter(file: &ConfigFile, settings: AgentSettings, take_over: bool) -> anyhow::Result<Visit> {
    let config = &file.config;
    let who = credentials(config)?;
    let address = ServerAddress::of(config)?;
    let mut connection = Connection::open(&address).await?;
    let mut agent = Agent::new(settings);
    agent.on_connect();
    let clock = Clock::start();
    let login = Login {
        player_name: who.name,
        password: who.key.or(who.password).map(Secret),
        is_agent: true,
        harness: Some(crate::harness::NAME.to_string()),
        version: Some(crate::harness::VERSION.to_string()),
        tier: Some(config.tier.name().to_string()),
        takeover: Some(take_over),
        features: vec!["mind".to_string(), protocol::channel::FEATURE.to_string()],
        ..Login::default()
    };
    let login = ClientFrame::Login(Box::new(login));
    connection.send(&login).await?;
    let mut tries = 1;
    let deadline = Instant::now() + PATIENCE;
    while !agent.body.state.is_ready() {
        let left = deadline.saturating_duration_since(Instant::now());
        let incoming = tokio::time::timeout(left, connection.next()).await.context("the server does not answer")?;
        match incoming {
            Incoming::Text(text) => {
                if let Ok(message) = ServerMessage::parse(&text) {
                    if let ServerFrame::Error(error) = &message.frame {
                        if error.code == ErrorCode::InUse && tries < IN_USE_TRIES {
                            tries += 1;
                            tokio::time::sleep(IN_USE_AGAIN).await;
                            connection.send(&login).await?;
                            agent.on_message(message, clock.now_ms());
                            continue;
                        }
                        if error.code == ErrorCode::InUse {
                            bail!(
                                "{} Wait until it is free, or take it over with --take-over, which ends the other.",
                                error.message
                            );
                        }
                        bail!("the server says: {}", error.message);
                    }
                    agent.on_message(message, clock.now_ms());
                }
            }
            Incoming::Odd => {}
            Incoming::Ended { broken, .. } => bail!("the connection ended: {}", broken.unwrap_or_default()),
        }
    }
    if let (Some(token), name) = (agent.body.state.token.clone(), agent.body.state.name().to_string()) {
        let mut tokens = Tokens::load(&file.path);
        tokens.put(&address.name(), &name, Some(token));
        if let Err(error) = tokens.save() {
            tracing::debug!("the token is not kept: {error:#}");
        }
    }
    Ok(Visit { connection, agent, clock })
}

/// Texts and refusals that came.
#[derive(Default)]
struct Reaction {
    refused: bool,
    any: bool,
    ended: bool,
}

pub async fn exec(file: ConfigFile, line: String, take_over: bool) -> anyhow::Result<ExitCode> {
    let settings = AgentSettings { use_model: false, ..AgentSettings::default() };
    let mut entered = enter(&file, settings, take_over).await?;
    let events = Subscribe { variables: vec!["EVENTS".to_string()], full: false };
    entered.connection.send(&ClientFrame::Subscribe(events)).await?;
    // What was on its way at the login is not of the command.
    listen(&mut entered, Duration::from_millis(100), false).await?;
    let command = Command { command: line, ..Command::default() };
    if !entered.connection.send(&ClientFrame::Command(command)).await? {
        bail!("the command is too long");
    }
    let mut heard = Reaction::default();
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline && !heard.ended {
        let more = listen(&mut entered, QUIET, true).await?;
        heard.refused |= more.refused;
        heard.ended |= more.ended;
        if !more.any && heard.any {
            break;
        }
        heard.any |= more.any;
    }
    if !heard.ended {
        entered.connection.close().await;
    }
    Ok(if heard.refused || !heard.any { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Reads until so long nothing comes.
async fn listen(entered: &mut Visit, quiet: Duration, print: bool) -> anyhow::Result<Reaction> {
    let mut heard = Reaction::default();
    while let Ok(incoming) = tokio::time::timeout(quiet, entered.connection.next()).await {
        let text = match incoming {
            Incoming::Text(text) => text,
            Incoming::Odd => continue,
            Incoming::Ended { .. } => {
                heard.ended = true;
                break;
            }
        };
        let Ok(message) = ServerMessage::parse(&text) else { continue };
        match &message.frame {
            ServerFrame::Event(event) => {
                heard.any = true;
                if print {
                    for line in event.text.trim_end_matches('\n').lines() {
                        super::print(&format!("{}\n", protocol::names::clean_text(line)))?;
                    }
                }
            }
            ServerFrame::Message(message) => {
                heard.any = true;
                if print {
                    let said =
                        format!("[{} #{}] {}: {}", message.channel, message.id, message.sender.name, message.content);
                    super::print(&format!("{}\n", protocol::names::clean_text(&said)))?;
                }
            }
            ServerFrame::Error(error) if print => {
                eprintln!("{}", protocol::names::clean_text(&error.message));
                (heard.any, heard.refused) = (true, true);
            }
            _ => {}
        }
        entered.agent.body.state.merge(message, entered.clock.now_ms());
        heard.refused |= entered
            .agent
            .body
            .state
            .take_events()
            .iter()
            .any(|event| matches!(event.outcome, Outcome::Refused { .. } | Outcome::RateLimited { .. }));
        if heard.any && heard.refused {
            break;
        }
    }
    Ok(heard)
}
