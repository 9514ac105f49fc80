//! What all transports share: limits by address, logging in, making characters, entering the world and leaving it.

pub mod account;
pub mod counts;
mod login;

use self::counts::{Arrival, ConnectionCounts};
use crate::accounts::{Accounts, IssuedToken, Login};
use crate::capture::storable;
use crate::dreams::Dreams;
use crate::engine::{Engine, Entered, Entry, Freshness, SessionId, Wants};
use crate::exports::Exports;
use crate::limits::{AccountLimits, AddressLimits, ConnectionLimits, Limits};
use crate::memories::Now;
use crate::minds;
use crate::operator::Live;
use crate::outbox::Outbox;
use crate::pulse::Pulse;
use crate::random::random_u64;
use crate::saving::Saver;
use crate::session::creation::Dialogue;
use crate::session::{NewCharacter, SessionFacts};
use crate::store::canonical;
use crate::store::keys;
use crate::store::sessions::{self, NewSession};
use crate::times::unix_ms;
use content::{Content, Hometown};
use prometheus_client::metrics::gauge::Gauge;
use protocol::frame::Encoded;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use world::record::CharacterRecord;
use world::rng::Dice;
use world::rules::Rules;
use world::rules::creation::{self, Choices};
use world::{CharacterId, World};

/// What a program says at login that wants to be told of its character's mind.
const MIND_FEATURE: &str = "mind";

/// One for the whole server.
pub struct Lobby {
    pub engine: Arc<Engine>,
    pub accounts: Accounts,
    pub saver: Arc<Saver>,
    pub limits: Limits,
    pub connections: ConnectionLimits,
    pub addresses: AddressLimits,
    pub guesses: AccountLimits,
    pub counts: ConnectionCounts,
    pub pulse: Arc<Pulse>,
    /// `None`: no session files are written.
    pub exports: Option<Arc<Exports>>,
    /// `None`: nobody dreams here.
    pub dreams: Option<Arc<Dreams>>,
    pub rules: Arc<Rules>,
    pub greeting: String,
    pub motd: String,
    /// The world at hand: its story and its own sentences.
    pub content: Arc<Content>,
    /// Where dreams are kept; `None`: stories are told from the database alone.
    pub dreaming_dir: Option<PathBuf>,
    hometowns: Vec<Hometown>,
    started: Instant,
}

/// A connection that is in the world. Dropping it loses the link, whatever ended the connection; `Lobby::left` does so
/// too, and notes the end.
pub struct Connected {
    pub who: CharacterId,
    pub session: SessionId,
    pub name: String,
    agent: bool,
    /// Row of the session record; `None` when the store did not take it.
    record: Option<i64>,
    engine: Arc<Engine>,
    /// It is counted in this as long as it lives.
    sessions: Gauge,
}

impl Connected {
    /// The session goes on in the next program: the row of its record, which is not ended. For when the engine has
    /// stopped, so that nobody is told of a lost link.
    pub fn hand_over(self) -> Option<i64> {
        self.record
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.sessions.dec();
        // The character stays behind, link-dead, unless it left the world.
        self.engine.lost(self.who, self.session);
    }
}

/// What a client is given: people lines, their programs frames, agents variables and what happens besides.
fn wants(agent: bool, program: bool, features: &[String]) -> Wants {
    if !program {
        return Wants::LINES;
    }
    let variables = if agent { Wants::VARIABLES.with(Wants::OUTCOMES) } else { Wants::default() };
    let mind = if features.iter().any(|feature| feature == MIND_FEATURE) { Wants::MIND } else { Wants::default() };
    Wants::FRAMES.with(variables).with(mind)
}

/// Why a caller does not get in.
#[derive(Debug)]
pub enum Refused {
    /// Says why; the caller may try again.
    No { code: protocol::ErrorCode, message: String },
    /// Says why; the connection ends.
    Over { code: protocol::ErrorCode, message: String },
}

impl Refused {
    pub fn message(&self) -> &str {
        match self {
            Refused::No { message, .. } | Refused::Over { message, .. } => message,
        }
    }

    pub fn is_over(&self) -> bool {
        matches!(self, Refused::Over { .. })
    }
}

/// What a client said of itself at login.
#[derive(Clone, Debug, Default)]
pub struct ClientInfo {
    pub harness: Option<String>,
    pub model: Option<String>,
    pub version: Option<String>,
    pub tier: Option<String>,
    pub valence: Option<bool>,
    pub features: Vec<String>,
    /// It does not want to take the character from another connection.
    pub yields: bool,
}

/// Longest text of a client about itself that is kept, in characters, and how many features.
const CLIENT_TEXT_MAX: usize = 100;
const FEATURES_MAX: usize = 16;

impl ClientInfo {
    /// What a login frame says; texts are cut to what is kept.
    pub fn of(login: &protocol::frame::Login) -> ClientInfo {
        let cut = |text: &String| text.chars().take(CLIENT_TEXT_MAX).collect::<String>();
        ClientInfo {
            harness: login.harness.as_ref().map(cut),
            model: login.model.as_ref().map(cut),
            version: login.version.as_ref().map(cut),
            tier: login.tier.as_ref().map(cut),
            valence: login.valence,
            features: login.features.iter().take(FEATURES_MAX).map(cut).collect(),
            yields: login.takeover == Some(false),
        }
    }

    /// What stands beside each of its commands in the records.
    fn facts(&self, name: &str) -> SessionFacts {
        let shared = |text: &Option<String>| text.as_deref().map(storable);
        SessionFacts {
            name: canonical(name).into(),
            harness: shared(&self.harness),
            model: shared(&self.model),
            version: shared(&self.version),
            flat: self.valence == Some(false),
            record: OnceLock::new(),
        }
    }
}

impl Lobby {
    pub fn new(engine: Arc<Engine>, accounts: Accounts, saver: Arc<Saver>, limits: Limits, world: &World) -> Lobby {
        Lobby {
            engine,
            pulse: Pulse::new(accounts.store().clone()),
            exports: None,
            dreams: None,
            accounts,
            saver,
            counts: ConnectionCounts::default(),
            connections: ConnectionLimits::new(&limits),
            addresses: AddressLimits::new(&limits),
            guesses: AccountLimits::new(&limits),
            limits,
            rules: world.rules.clone(),
            greeting: world.content.greeting.to_string(),
            motd: world.content.motd.to_string(),
            content: world.content.clone(),
            dreaming_dir: None,
            hometowns: world.content.hometowns.clone(),
            started: Instant::now(),
        }
    }

    /// For what the operator does to characters.
    pub fn live(&self) -> Live<'_> {
        Live { engine: &self.engine, saver: &self.saver, store: self.accounts.store() }
    }

    /// Milliseconds of a clock that does not run backwards.
    pub fn now_ms(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }

    /// A fresh dialogue with dice of its own.
    pub fn dialogue(&self) -> Dialogue {
        Dialogue::new(self.rules.clone(), self.hometowns.clone(), random_u64())
    }

    pub fn hometown_named(&self, word: &str) -> Option<char> {
        let word = word.trim();
        let by_key = self.hometowns.iter().find(|h| word.len() == 1 && word.starts_with(h.key));
        by_key.or_else(|| self.hometowns.iter().find(|h| h.name.eq_ignore_ascii_case(word))).map(|h| h.key)
    }

    pub fn first_hometown(&self) -> char {
        self.hometowns.first().map_or(Hometown::NOWHERE, |h| h.key)
    }

    /// The first state of a new character.
    pub fn newborn(&self, new: &NewCharacter, agent: bool) -> CharacterRecord {
        let choices = Choices {
            name: new.name.as_str().into(),
            sex: new.sex,
            race: new.race,
            class: new.class,
            hometown: new.hometown,
            color: new.color,
            abilities: new.abilities,
            agent,
        };
        creation::newborn(&self.rules, &choices, &mut Dice::new(random_u64(), 1, 0, 0))
    }

    pub async fn token(&self, login: &Login, agent: bool) -> Option<IssuedToken> {
        match self.accounts.issue_token(login, agent, unix_ms()).await {
            Ok(token) => token,
            Err(error) => {
                tracing::warn!(%error, "no token could be issued; the password still works");
                None
            }
        }
    }

    /// Brings a character into the world, or back to its connection if it is there already.
    #[allow(clippy::too_many_arguments, reason = "each is a fact about one login, and they meet only here")]
    pub async fn enter(
        &self,
        login: &Login,
        agent: bool,
        program: bool,
        outbox: Arc<Outbox>,
        token: Option<String>,
        motd: String,
        info: ClientInfo,
    ) -> Result<Connected, Refused> {
        let entry = Entry {
            name: login.name.clone(),
            record: None,
            agent,
            session: self.engine.open_session(&outbox),
            key: login.entrance.key_id(),
            facts: Arc::new(info.facts(&login.name)),
            freshness: Freshness::default(),
            wants: wants(agent, program, &info.features),
            token,
            motd,
            memories: self.memories(&login.name, agent && program, info.tier.as_deref()).await.to_vec(),
            yields: info.yields,
            resumed: false,
        };
        let mut connected = self.bring_in(entry).await?;
        self.counts.logins.get_or_create(&Arrival::new(program, agent)).inc();
        let row = NewSession {
            name: login.name.clone(),
            started_at: unix_ms(),
            door: if program { sessions::Door::Websocket } else { sessions::Door::Telnet },
            is_agent: agent,
            harness: info.harness,
            model: info.model,
            version: info.version,
            tier: info.tier,
            valence: info.valence,
            features: info.features,
        };
        match sessions::begin(self.accounts.store(), &row).await {
            Ok(id) => {
                connected.record = Some(id);
                self.engine.recorded(connected.who, connected.session, id);
            }
            Err(error) => tracing::warn!(%error, "a session was not recorded"),
        }
        // What happened to a body that stayed behind when the last session was over comes into the file of that one.
        self.export(&connected.name, agent);
        Ok(connected)
    }

    /// What an agent is told of its past. People and their programs are told nothing: they have heads of their own.
    async fn memories(&self, name: &str, agent: bool, tier: Option<&str>) -> Arc<[Encoded]> {
        if !agent {
            return Arc::default();
        }
        let now = Now { tick: self.engine.stats.tick.load(Ordering::Relaxed), at_ms: unix_ms() };
        let folder = self.dreaming_dir.clone();
        minds::at_login(&self.engine.minds, folder, name, tier, now, minds::LOGIN_LONGEST).await
    }

    /// The same for a person whose connection the program before handed over. Its session record goes on.
    pub async fn resume(&self, login: &Login, outbox: Arc<Outbox>, record: Option<i64>) -> Result<Connected, Refused> {
        use protocol::ErrorCode;
        let store = self.accounts.store();
        let key = login.entrance.key_id();
        if let Some(id) = key {
            // It may have been revoked when the engine had stopped already.
            match keys::by_id(store, id).await {
                Ok(Some(row)) if row.revoked_at.is_none() => {}
                Ok(_) => {
                    let message = "This key was revoked: ask for a new one.".to_string();
                    return Err(Refused::Over { code: ErrorCode::KeyRevoked, message });
                }
                Err(error) => {
                    tracing::error!(name = %login.name, %error, "a key could not be looked up");
                    let message = "The accounts cannot be reached just now. Try again in a minute.".to_string();
                    return Err(Refused::No { code: ErrorCode::Internal, message });
                }
            }
        }
        let entry = Entry {
            name: login.name.clone(),
            record: None,
            agent: false,
            session: self.engine.open_session(&outbox),
            key,
            facts: Arc::new(ClientInfo::default().facts(&login.name)),
            freshness: Freshness::default(),
            wants: Wants::LINES,
            token: None,
            motd: String::new(),
            memories: Vec::new(),
            yields: false,
            resumed: true,
        };
        let mut connected = self.bring_in(entry).await?;
        connected.record = record;
        if let Some(id) = record {
            self.engine.recorded(connected.who, connected.session, id);
            if let Err(error) = sessions::resume(store, id).await {
                tracing::warn!(%error, "that a session goes on was not recorded");
            }
        }
        Ok(connected)
    }

    /// Into the world, with the record of the store where the character is not there already.
    async fn bring_in(&self, entry: Entry) -> Result<Connected, Refused> {
        let (name, session, agent) = (entry.name.clone(), entry.session, entry.agent);
        let arrival = Arrival::new(entry.wants.has(Wants::FRAMES), agent);
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
        Ok(Connected { who, session, name, agent, record: None, engine: self.engine.clone(), sessions })
    }

    async fn find_place(&self, first: Entry) -> Result<CharacterId, Refused> {
        use protocol::ErrorCode;
        let name = first.name.clone();
        let stopping =
            || Refused::Over { code: ErrorCode::ShuttingDown, message: "The server is stopping.".to_string() };
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
                        Refused::No { code: ErrorCode::Internal, message }
                    })?;
                    let Some(mut record) = record else {
                        let message = "Your character is missing from the database. Tell the operator.".to_string();
                        return Err(Refused::No { code: ErrorCode::Internal, message });
                    };
                    // An older save may know less of its log than there is: no number may come twice.
                    let logged = self.engine.minds.newest(&name).await.map_err(|error| {
                        tracing::error!(%name, %error, "the end of a mind's log could not be read");
                        self.counts.refuse("unavailable");
                        let message = "Your character cannot be read just now. Try again in a minute.".to_string();
                        Refused::No { code: ErrorCode::Internal, message }
                    })?;
                    record.player.log_seq = record.player.log_seq.max(logged.seq);
                    next = Entry { record: Some(Box::new(record)), freshness, ..first.clone() };
                }
                Entered::NoRoom => {
                    let message = "There is no room left on the disk, so nobody new can come in just now. Who is in \
                                   plays on. Try again later."
                        .to_string();
                    return Err(Refused::No { code: ErrorCode::ServerFull, message });
                }
                Entered::InUse => {
                    self.counts.refuse("in_use");
                    let message = "This character is played from another connection just now.".to_string();
                    return Err(Refused::No { code: ErrorCode::InUse, message });
                }
                Entered::Revoked => {
                    self.counts.refuse("key_revoked");
                    let message = "This key was revoked: ask for a new one.".to_string();
                    return Err(Refused::Over { code: ErrorCode::KeyRevoked, message });
                }
            }
        }
    }

    /// The connection is over.
    pub async fn left(&self, connected: Connected) {
        let (record, name, agent) = (connected.record, connected.name.clone(), connected.agent);
        drop(connected);
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
