//! A visit: a character comes into the game for a command or a few, and leaves again.

use super::tokens::Tokens;
use crate::agent::{Agent, AgentSettings, MIND_COMES_MS};
use crate::client::{Connection, Incoming};
use crate::config::{Config, ConfigFile};
use crate::leaving::{LONGEST_MS, Leaving, Standing, told_against};
use crate::player::{Clock, Credentials};
use crate::server_address::ServerAddress;
use anyhow::{Context, bail};
use mind::MindState;
use protocol::frame::{Command, Login, Secret, Subscribe};
use protocol::payload::Mind;
use protocol::variables::VARIABLES;
use protocol::{ClientFrame, ErrorCode, Outcome, ServerFrame, ServerMessage};
use std::time::{Duration, Instant};

/// The game says what it has to say within so long; after so much quiet it is done.
const PATIENCE: Duration = Duration::from_secs(10);
const QUIET: Duration = Duration::from_millis(400);
/// What was on its way at the login has come.
const SETTLED: Duration = Duration::from_millis(100);
/// A connection that was just closed, by the command before this one, may not be gone yet.
const IN_USE_TRIES: u32 = 3;
const IN_USE_AGAIN: Duration = Duration::from_millis(400);

/// After `quit` the server closes within so long, or one goes anyway: what was typed before may lag for a while.
const LEAVING: Duration = Duration::from_millis(LONGEST_MS);

/// A character in the game, its variables told.
pub(super) struct Visit {
    /// It stood in the world when one came, played by nobody: it is left as it was found.
    stood_alone: bool,
    pub connection: Connection,
    pub agent: Agent,
    pub clock: Clock,
}

/// What came of a line.
#[derive(Default)]
pub(super) struct Heard {
    /// Anything at all.
    pub any: bool,
    pub refused: bool,
    /// The connection ended.
    pub ended: bool,
    /// An error of the server, which is no line of the game.
    pub error: Option<String>,
    /// The state of a mind at some moment, as `hud at` tells it.
    pub at: Option<Box<MindState>>,
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
    let stood_alone = agent.body.state.returned && !take_over;
    Ok(Visit { stood_alone, connection, agent, clock })
}

/// What comes next.
enum Next {
    Nothing,
    Unreadable,
    Message(ServerMessage),
    End,
}

impl Visit {
    /// Types a line, and gives `line` each line that comes of it.
    pub async fn ask(
        &mut self,
        typed: &str,
        line: &mut dyn FnMut(&str) -> anyhow::Result<()>,
    ) -> anyhow::Result<Heard> {
        let command = Command { command: typed.to_string(), ..Command::default() };
        if !self.connection.send(&ClientFrame::Command(command)).await? {
            bail!("the command is too long");
        }
        let deadline = Instant::now() + PATIENCE;
        let mut heard = Heard::default();
        while Instant::now() < deadline && !(heard.any && heard.refused) {
            match self.next(QUIET).await {
                Next::Nothing if heard.any => break,
                Next::Nothing | Next::Unreadable => {}
                Next::Message(message) => self.hear(message, &mut heard, line)?,
                Next::End => {
                    heard.ended = true;
                    break;
                }
            }
        }
        Ok(heard)
    }

    fn hear(
        &mut self,
        message: ServerMessage,
        heard: &mut Heard,
        line: &mut dyn FnMut(&str) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        match &message.frame {
            ServerFrame::Event(event) => {
                heard.any = true;
                event.text.trim_end_matches('\n').lines().try_for_each(&mut *line)?;
            }
            ServerFrame::Message(said) => {
                heard.any = true;
                line(&format!("[{} #{}] {}: {}", said.channel, said.id, said.sender.name, said.content))?;
            }
            ServerFrame::Error(error) => {
                (heard.any, heard.refused) = (true, true);
                heard.error = Some(error.message.to_string());
            }
            ServerFrame::Mind(Mind::At { state, .. }) => {
                heard.at = serde_json::from_value(state.clone()).ok().map(Box::new);
            }
            _ => {}
        }
        let state = &mut self.agent.body.state;
        state.merge(message, self.clock.now_ms());
        let is_refusal = |outcome: &Outcome| matches!(outcome, Outcome::Refused { .. } | Outcome::RateLimited { .. });
        heard.refused |= state.take_events().iter().any(|event| is_refusal(&event.outcome));
        Ok(())
    }

    /// Has what happens told as outcomes too, and lets what was on its way at the login pass by.
    pub async fn listen(&mut self) -> anyhow::Result<()> {
        let events = Subscribe { variables: vec!["EVENTS".to_string()], full: false };
        self.connection.send(&ClientFrame::Subscribe(events)).await?;
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            match self.next(SETTLED).await {
                Next::Message(message) => self.hear(message, &mut Heard::default(), &mut |_| Ok(()))?,
                Next::Unreadable => {}
                Next::Nothing | Next::End => break,
            }
        }
        Ok(())
    }

    /// Asks for all variables, as a session does, also those that are told only by name; and takes what comes.
    pub async fn read_all(&mut self) -> anyhow::Result<()> {
        let variables = VARIABLES.iter().map(|row| row.name.to_string()).collect();
        self.connection.send(&ClientFrame::Subscribe(Subscribe { variables, full: true })).await?;
        let deadline = Instant::now() + PATIENCE;
        let mut any = false;
        while Instant::now() < deadline {
            match self.next(QUIET).await {
                Next::Message(message) => {
                    any |= matches!(message.frame, ServerFrame::Vars(_));
                    self.agent.on_message(message, self.clock.now_ms());
                }
                Next::Nothing if any => break,
                Next::Nothing | Next::Unreadable => {}
                Next::End => break,
            }
        }
        Ok(())
    }

    /// Reads on until its mind has come, and what comes with it. Where none is kept, no longer than one would take.
    pub async fn await_mind(&mut self) {
        let deadline = Instant::now() + Duration::from_millis(MIND_COMES_MS);
        while Instant::now() < deadline {
            match self.next(QUIET).await {
                Next::Message(message) => self.agent.on_message(message, self.clock.now_ms()),
                Next::Nothing if self.agent.body.state.has_mind => break,
                Next::Nothing | Next::Unreadable => {}
                Next::End => break,
            }
        }
    }

    /// Leaves the game as a player does, and says so where it could not. A character that stood there without a player
    /// is let go instead: whoever lost it may come back to it.
    pub async fn leave(mut self) {
        if !self.stood_alone
            && let Some(stays) = self.quit().await
        {
            super::remark(&format!("{stays}\n"));
        }
        self.connection.close().await;
    }

    /// Types `quit`. Why it stays, where it does.
    async fn quit(&mut self) -> Option<String> {
        let mut leaving = Leaving::begin(self.clock.now_ms());
        leaving.step(Standing::AtPeace, self.clock.now_ms());
        let quit = Command { command: "quit".to_string(), ..Command::default() };
        if !self.connection.send(&ClientFrame::Command(quit)).await.unwrap_or(false) {
            return None;
        }
        let deadline = Instant::now() + LEAVING;
        while Instant::now() < deadline {
            match self.next(deadline.saturating_duration_since(Instant::now())).await {
                Next::End => return None,
                Next::Nothing => break,
                Next::Unreadable => {}
                Next::Message(message) => {
                    if let Some(why) = told_against(&message.frame) {
                        leaving.refused(&why);
                        break;
                    }
                }
            }
        }
        Some(leaving.stays())
    }

    /// The next message that comes within so long.
    async fn next(&mut self, within: Duration) -> Next {
        match tokio::time::timeout(within, self.connection.next()).await {
            Err(_) => Next::Nothing,
            Ok(Incoming::Text(text)) => ServerMessage::parse(&text).map_or(Next::Unreadable, Next::Message),
            Ok(Incoming::Odd) => Next::Unreadable,
            Ok(Incoming::Ended { .. }) => Next::End,
        }
    }
}
