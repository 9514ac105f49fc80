//! A player's visit of the world: from a login into it, over a restart, and out again.
//!
//! Invariants: a character is brought in with the newest record there is, however many come at once; whoever came in is
//! told to the engine as lost in the end, whatever ended the connection.

use super::counts::Arrival;
use super::{Lobby, Refusal};
use crate::accounts::{KeyId, Login};
use crate::client_info::ClientInfo;
use crate::engine::{Engine, Entered, Entry, Freshness, Reads, SessionId, Wants};
use crate::memories::{self, Now};
use crate::minds;
use crate::outbox::Outbox;
use crate::session::SessionFacts;
use crate::store::accounts;
use crate::store::canonical;
use crate::store::keys;
use crate::store::sessions::{self, NewSession, Transport};
use crate::times::unix_ms;
use mind::budget::Tier;
use mind::edit::CONTEXT_TOKENS_MAX;
use prometheus_client::metrics::gauge::Gauge;
use protocol::ErrorCode;
use protocol::channel;
use protocol::frame::Encoded;
use protocol::span;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use world::CharacterId;

/// What a program says at login that wants to be told of its character's mind.
const MIND_FEATURE: &str = "mind";
/// And those of its other minds.
const COUNCIL_FEATURE: &str = "council";
/// It tells how full its prompts are, and what it folds: nobody else measures.
const CONTEXT_FEATURE: &str = "context";
/// What a client is taken to read whose model takes all.
const UNLIMITED_TOKENS: usize = 128_000;
/// Variables, for who is no agent.
const VARS_FEATURE: &str = "vars";

/// Somebody who is known and wants to play.
pub struct Visitor<'l> {
    pub login: &'l Login,
    pub transport: Transport,
    /// Gets variables, and is told of its past.
    pub agent: bool,
    /// For the `state` frame.
    pub token: Option<String>,
    /// The same: by which its frames are had again.
    pub stream: Option<String>,
    /// Read before anything else; may be empty.
    pub motd: String,
    pub info: ClientInfo,
}

impl<'l> Visitor<'l> {
    /// At a terminal, where there is nothing left to read.
    pub fn person(login: &'l Login) -> Visitor<'l> {
        let (token, motd, info) = (None, String::new(), ClientInfo::default());
        Visitor { login, transport: Transport::Telnet, agent: false, token, stream: None, motd, info }
    }

    /// Whether it reads variables, and what happens besides.
    pub fn has_vars(&self) -> bool {
        self.agent || self.info.features.iter().any(|feature| feature == VARS_FEATURE)
    }

    /// Whether it reads which parts of a line are what.
    pub fn is_rich(&self) -> bool {
        self.info.features.iter().any(|feature| feature == span::FEATURE)
    }

    /// People get lines, their programs frames, agents and who asks for them variables and what happens besides.
    fn wants(&self) -> Wants {
        if self.transport == Transport::Telnet {
            // None, until its client asks for some beside the text.
            return Wants::LINES.with(Wants::VARIABLES);
        }
        let variables = if self.has_vars() { Wants::VARIABLES.with(Wants::OUTCOMES) } else { Wants::default() };
        let features = [
            (MIND_FEATURE, Wants::MIND),
            (COUNCIL_FEATURE, Wants::MIND.with(Wants::COUNCIL)),
            (channel::FEATURE, Wants::CHANNELS),
        ];
        let asked = features.into_iter().filter(|(name, _)| self.info.features.iter().any(|feature| feature == name));
        asked.fold(Wants::FRAMES.with(variables), |wants, (_, asked)| wants.with(asked))
    }
}

/// By its tier, or by the number of tokens that it says in its place; the medium tier where it says nothing.
fn reads(info: &ClientInfo) -> Reads {
    if info.features.iter().any(|feature| feature == CONTEXT_FEATURE) {
        return Reads::default();
    }
    let word = info.tier.as_deref().unwrap_or_default().trim();
    let tokens = word.parse::<usize>().ok();
    let least = Tier::Small.budget(0);
    let tier = match tokens {
        None => word.parse().unwrap_or_default(),
        Some(tokens) => {
            [Tier::Large, Tier::Medium].into_iter().find(|tier| tier.budget(0) <= tokens).unwrap_or(Tier::Small)
        }
    };
    let tokens = tokens.unwrap_or_else(|| tier.budget(UNLIMITED_TOKENS)).clamp(least, CONTEXT_TOKENS_MAX as usize);
    Reads { tokens, story: tier.story_max() }
}

/// A connection that is in the world. Dropping it loses the link, whatever ended the connection; `Lobby::left` does so
/// too, and notes the end.
pub struct Visit {
    pub who: CharacterId,
    pub session: SessionId,
    pub name: String,
    pub agent: bool,
    pub transport: Transport,
    /// Unix milliseconds.
    pub since_ms: i64,
    /// Row of the session record; `None` when the store did not take it.
    record: Option<i64>,
    engine: Arc<Engine>,
    /// It is counted in this as long as it lives.
    sessions: Gauge,
}

impl Visit {
    /// Its connection broke, which the world hears of, or is there again. The session goes on.
    pub fn link(&self, lost: bool) {
        self.engine.link(self.who, self.session, lost, self.agent);
    }

    /// Row of the session record.
    pub fn record(&self) -> Option<i64> {
        self.record
    }

    /// The session goes on in the next program: the row of its record, which is not ended. For when the engine has
    /// stopped, so that nobody is told of a lost link.
    pub fn hand_over(self) -> Option<i64> {
        self.record
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.sessions.dec();
        // The character stays behind, link-dead, unless it left the world.
        self.engine.lost(self.who, self.session);
    }
}

impl Lobby {
    /// Brings a character into the world, or back to its connection if it is there already.
    pub async fn enter(&self, visitor: Visitor<'_>, outbox: &Arc<Outbox>) -> Result<Visit, Refusal> {
        let wants = visitor.wants();
        let Visitor { login, transport, agent, token, stream, motd, mut info } = visitor;
        self.may_play(&login.name)?;
        let is_told = agent && wants.has(Wants::FRAMES);
        if self.is_flat(&login.name).await? {
            info.valence = Some(false);
        }
        let motd = match agent {
            true => motd,
            false => {
                let flat = info.valence == Some(false);
                let night = minds::night_told(self.accounts.store(), &login.name, flat, login.last_came_at_ms).await;
                match night {
                    // At a terminal the lesson was read before the menu; what is left is the night.
                    Some(night) if transport == Transport::Telnet => night,
                    Some(night) => format!("{}\n\n{night}", motd.trim_end()),
                    None => motd,
                }
            }
        };
        let facts = SessionFacts::of(&canonical(&login.name), &info);
        let memories = self.memories(&facts, is_told, info.tier.as_deref()).await.to_vec();
        let entry = Entry {
            memories,
            token,
            world: self.world.clone(),
            stream,
            motd,
            ..self.entry(login, agent, &info, wants, facts, outbox)
        };
        let mut visit = self.bring_in(entry, transport).await?;
        self.counts.logins.get_or_create(&Arrival::new(transport, agent)).inc();
        let row = NewSession {
            name: login.name.clone(),
            started_at: unix_ms(),
            transport,
            is_agent: agent,
            client: info,
            world: self.world.as_ref().map(|world| world.id.to_string()),
            seed: Some(self.seed),
        };
        match sessions::begin(self.accounts.store(), &row).await {
            Ok(id) => {
                visit.record = Some(id);
                self.engine.recorded(visit.who, visit.session, id);
            }
            Err(error) => tracing::warn!(%error, "a session was not recorded"),
        }
        // What happened to a body that stayed behind when the last session was over comes into the file of that one.
        self.export(&visit.name, agent);
        Ok(visit)
    }

    /// Of whoever comes, with nothing that it is told.
    fn entry(
        &self,
        login: &Login,
        agent: bool,
        info: &ClientInfo,
        wants: Wants,
        facts: SessionFacts,
        outbox: &Arc<Outbox>,
    ) -> Entry {
        Entry {
            name: login.name.clone(),
            record: None,
            agent,
            session: self.engine.open_session(outbox),
            key: login.entrance.key(),
            facts: Arc::new(facts),
            freshness: Freshness::default(),
            wants,
            token: None,
            world: None,
            stream: None,
            motd: String::new(),
            memories: Vec::new(),
            yields: info.yields,
            resumed: false,
            away: false,
            reads: reads(info),
        }
    }

    /// What an agent is told of its past. Programs of people are told nothing, and people what they dreamt: they have
    /// heads of their own.
    async fn memories(&self, facts: &SessionFacts, agent: bool, tier: Option<&str>) -> Arc<[Encoded]> {
        if !agent {
            return Arc::default();
        }
        let now = Now { tick: self.engine.stats.tick.load(Ordering::Relaxed), at_ms: unix_ms() };
        let folder = self.dreaming_dir.clone();
        let (minds, valence) = (&self.engine.minds, memories::arm(facts.valence_off));
        minds::at_login(minds, folder, &facts.name, valence, tier, now, minds::LOGIN_LONGEST).await
    }

    /// Whether the character is of the flat arm. Not known is no answer: a session with valence would be in its log for
    /// ever.
    async fn is_flat(&self, name: &str) -> Result<bool, Refusal> {
        accounts::is_flat(self.accounts.store(), name).await.map_err(|error| {
            tracing::error!(%name, %error, "whether somebody is played without valence could not be read");
            self.counts.refuse("unavailable");
            let message = "Your character cannot be read just now. Try again in a minute.".to_string();
            Refusal::No { code: ErrorCode::Internal, message }
        })
    }

    /// The same for somebody whose connection, or stream of frames, the program before handed over: nothing is told
    /// that is known. `record`: of its session, which goes on. `away`: its client broke off, and the world knows.
    pub async fn resume(
        &self,
        visitor: Visitor<'_>,
        outbox: &Arc<Outbox>,
        record: Option<i64>,
        away: bool,
    ) -> Result<Visit, Refusal> {
        let wants = visitor.wants();
        let Visitor { login, transport, agent, mut info, .. } = visitor;
        let store = self.accounts.store();
        let key = login.entrance.key();
        let counts = match key {
            None => Ok(true),
            // It may have been revoked when the engine had stopped already.
            Some(KeyId::Agent(id)) => {
                keys::by_id(store, id).await.map(|row| row.is_some_and(|row| row.revoked_at.is_none()))
            }
            Some(KeyId::Host(id)) => self.accounts.host_key_counts(id).await,
        };
        match counts {
            Ok(true) => {}
            Ok(false) => {
                let message = "This key was revoked: ask for a new one.".to_string();
                return Err(Refusal::Over { code: ErrorCode::KeyRevoked, message });
            }
            Err(error) => {
                tracing::error!(name = %login.name, %error, "a key could not be looked up");
                let message = "The accounts cannot be reached just now. Try again in a minute.".to_string();
                return Err(Refusal::No { code: ErrorCode::Internal, message });
            }
        }
        if self.is_flat(&login.name).await? {
            info.valence = Some(false);
        }
        let facts = SessionFacts::of(&canonical(&login.name), &info);
        let entry = Entry { resumed: true, away, ..self.entry(login, agent, &info, wants, facts, outbox) };
        let mut visit = self.bring_in(entry, transport).await?;
        visit.record = record;
        if let Some(id) = record {
            self.engine.recorded(visit.who, visit.session, id);
            if let Err(error) = sessions::resume(store, id).await {
                tracing::warn!(%error, "that a session goes on was not recorded");
            }
        }
        Ok(visit)
    }

    /// Into the world, with the record of the store where the character is not there already.
    async fn bring_in(&self, entry: Entry, transport: Transport) -> Result<Visit, Refusal> {
        let (name, session, agent) = (entry.name.clone(), entry.session, entry.agent);
        let arrival = Arrival::new(transport, agent);
        let who = match self.find_place(entry).await {
            Ok(who) => who,
            Err(refused) => {
                self.engine.close_session(session);
                return Err(refused);
            }
        };
        // From here on its end is told to the engine, whatever happens.
        let sessions = self.counts.sessions.get_or_create_owned(&arrival);
        sessions.inc();
        let (since_ms, engine) = (unix_ms(), self.engine.clone());
        Ok(Visit { who, session, name, agent, transport, since_ms, record: None, engine, sessions })
    }

    async fn find_place(&self, first: Entry) -> Result<CharacterId, Refusal> {
        let name = first.name.clone();
        let stopping =
            || Refusal::Over { code: ErrorCode::ShuttingDown, message: "The server is stopping.".to_string() };
        // Asked without the record first, so that a takeover costs no reading; and again while it grows old on the way.
        let mut next = first.clone();
        loop {
            match self.engine.enter(next).await.ok_or_else(stopping)? {
                Entered::As(who) => return Ok(who),
                Entered::NotHere(freshness) => {
                    let record = self.saver.newest(&name).await.map_err(|error| {
                        tracing::error!(%name, %error, "a character could not be read");
                        self.counts.refuse("unavailable");
                        let message = "Your character cannot be read just now. Try again in a minute.".to_string();
                        Refusal::No { code: ErrorCode::Internal, message }
                    })?;
                    let Some(mut record) = record else {
                        let message = "Your character is missing from the database. Tell the operator.".to_string();
                        return Err(Refusal::No { code: ErrorCode::Internal, message });
                    };
                    // An older save may know less of its log than there is: no number may come twice.
                    let logged = self.engine.minds.newest_of_all(&name).await.map_err(|error| {
                        tracing::error!(%name, %error, "the end of a mind's log could not be read");
                        self.counts.refuse("unavailable");
                        let message = "Your character cannot be read just now. Try again in a minute.".to_string();
                        Refusal::No { code: ErrorCode::Internal, message }
                    })?;
                    record.player.log_seq = record.player.log_seq.max(logged.seq);
                    next = Entry { record: Some(Box::new(record)), freshness, ..first.clone() };
                }
                Entered::NoRoom => {
                    let message = "There is no room left on the disk, so nobody new can come in just now. Who is in \
                                   plays on. Try again later."
                        .to_string();
                    return Err(Refusal::No { code: ErrorCode::ServerFull, message });
                }
                Entered::InUse => {
                    self.counts.refuse("in_use");
                    let message = "This character is played from another connection just now.".to_string();
                    return Err(Refusal::No { code: ErrorCode::InUse, message });
                }
                Entered::Retired => {
                    self.counts.refuse("retired");
                    let message = "This agent was retired, and plays no more.".to_string();
                    return Err(Refusal::No { code: ErrorCode::Retired, message });
                }
                Entered::Revoked => {
                    self.counts.refuse("key_revoked");
                    let message = "This key was revoked: ask for a new one.".to_string();
                    return Err(Refusal::Over { code: ErrorCode::KeyRevoked, message });
                }
            }
        }
    }

    /// The connection is over.
    pub async fn left(&self, visit: Visit) {
        let (record, name, agent) = (visit.record, visit.name.clone(), visit.agent);
        drop(visit);
        if let Some(id) = record
            && let Err(error) = sessions::end(self.accounts.store(), id, unix_ms()).await
        {
            tracing::warn!(%error, "the end of a session was not recorded");
        }
        self.export(&name, agent);
    }

    fn export(&self, name: &str, agent: bool) {
        if let Some(exports) = self.exports.as_ref().filter(|_| agent) {
            exports.look_at(name);
        }
    }
}
