//! The lobby: where a caller becomes a player, whatever the transport.
//!
//! `login` says who somebody is, `creation` makes characters, `visit` brings them into the world and out of it;
//! `listing` is what lists of games are told, `wanted_names` are those of characters in the making, `account` what
//! players do to their accounts, `counts` what is counted, `roster` who is connected, `settings` asks for settings that
//! are read again.
//! Invariant: waits and asks, but knows no sockets, no bytes and no frames of a caller.

pub mod account;
pub mod counts;
mod creation;
pub mod listing;
mod login;
mod roster;
mod settings;
mod visit;
mod wanted_names;

pub use creation::{LIKE_ANOTHERS, SOMEBODYS_NAME};
pub use listing::{Doors, Published};
pub use roster::{Attendance, Attending, Roster};
pub use settings::{Asking, Retaken, SettingsReader};
pub use visit::{Visit, Visitor};
pub use wanted_names::{NameHold, WantedNames};

use self::counts::ConnectionCounts;
use crate::accounts::Accounts;
use crate::archive::Archive;
use crate::auditing::Looks;
use crate::dreams::Dreams;
use crate::engine::Engine;
use crate::exports::Exports;
use crate::hosts::Hosts;
use crate::limits::{AccountLimits, AddressLimits, Bans, ConnectionLimits, ConnectionRefusal, Limits, Purpose, Slot};
use crate::log_archives::Archiver;
use crate::moderation;
use crate::operator::Live;
use crate::pulse::Pulse;
use crate::saver::Saver;
use crate::script_files::ScriptFolder;
use crate::times::unix_ms;
use content::{Content, Counts};
use protocol::payload::WorldState;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use world::World;
use world::character::PlayerFlags;
use world::record::CharacterRecord;
use world::rules::Rules;

/// One for the whole server.
pub struct Lobby {
    pub engine: Arc<Engine>,
    pub accounts: Accounts,
    pub saver: Arc<Saver>,
    pub limits: Limits,
    pub connections: ConnectionLimits,
    pub addresses: AddressLimits,
    pub guesses: AccountLimits,
    pub bans: Bans,
    pub wanted_names: WantedNames,
    pub roster: Roster,
    pub hosts: Hosts,
    pub counts: ConnectionCounts,
    pub(crate) looks: Looks,
    pub pulse: Arc<Pulse>,
    /// `None`: no session files are written.
    pub exports: Option<Arc<Exports>>,
    /// Where what is said is kept.
    pub archive: Option<Arc<Archive>>,
    /// `None`: nobody dreams here.
    pub dreams: Option<Arc<Dreams>>,
    /// `None`: no logs are archived.
    pub archiver: Option<Arc<Archiver>>,
    pub rules: Arc<Rules>,
    pub greeting: String,
    pub motd: String,
    /// The world at hand: its story and its own sentences.
    pub content: Arc<Content>,
    /// How much there is in it, counted once: anybody may ask for it.
    content_counts: Counts,
    /// Of the world: what newcomers roll comes from it.
    pub seed: u64,
    /// What programs are told of it; `None`: nothing.
    pub world: Option<WorldState>,
    /// Where scripts are read again from; `None`: nowhere.
    pub scripts: Option<ScriptFolder>,
    /// Where dreams are kept; `None`: stories are told from the database alone.
    pub dreaming_dir: Option<PathBuf>,
    /// Where its journal lies; `None`: nowhere.
    pub state_dir: Option<PathBuf>,
    /// Where it can be reached.
    pub doors: Doors,
    /// What lists of games are told besides.
    pub published: Published,
    /// Reads settings again; `None`: nobody does.
    pub settings: Option<SettingsReader>,
    started: Instant,
    /// The same by the calendar.
    started_unix_s: i64,
}

/// What somebody may do follows from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Standing {
    pub level: i32,
    /// It can do nothing but leave.
    pub frozen: bool,
}

/// Why a caller does not get in.
#[derive(Debug)]
pub enum Refusal {
    /// Says why; the caller may try again.
    No { code: protocol::ErrorCode, message: String },
    /// Says why; the connection ends.
    Over { code: protocol::ErrorCode, message: String },
}

impl Refusal {
    pub fn message(&self) -> &str {
        match self {
            Refusal::No { message, .. } | Refusal::Over { message, .. } => message,
        }
    }

    pub fn is_over(&self) -> bool {
        matches!(self, Refusal::Over { .. })
    }
}

impl Lobby {
    pub fn new(engine: Arc<Engine>, accounts: Accounts, saver: Arc<Saver>, limits: Limits, world: &World) -> Lobby {
        Lobby {
            engine,
            pulse: Pulse::new(accounts.store().clone()),
            exports: None,
            archive: None,
            dreams: None,
            archiver: None,
            accounts,
            saver,
            counts: ConnectionCounts::default(),
            looks: Looks::default(),
            connections: ConnectionLimits::new(&limits),
            addresses: AddressLimits::new(&limits),
            guesses: AccountLimits::new(&limits),
            bans: Bans::default(),
            wanted_names: WantedNames::default(),
            roster: Roster::default(),
            hosts: Hosts::new(limits.host_hold_ms()),
            limits,
            rules: world.rules.clone(),
            greeting: world.content.greeting.to_string(),
            motd: world.content.motd.to_string(),
            content_counts: world.content.counts(),
            published: Published::new(world.content.listing.clone()),
            settings: None,
            content: world.content.clone(),
            seed: world.state.seed,
            world: None,
            scripts: None,
            dreaming_dir: None,
            state_dir: None,
            doors: Doors::default(),
            started: Instant::now(),
            started_unix_s: unix_ms() / 1_000,
        }
    }

    /// A place for a connection that was accepted, where its address is not banned.
    pub fn connect(&self, address: IpAddr, purpose: Purpose) -> Result<Slot, ConnectionRefusal> {
        self.not_banned(address)?;
        self.connections.connect(address, purpose)
    }

    /// Refuses whose network is banned.
    pub fn not_banned(&self, address: IpAddr) -> Result<(), ConnectionRefusal> {
        match self.bans.of_address(address, unix_ms()) {
            Some(ban) => {
                self.counts.refuse("banned");
                Err(ConnectionRefusal::Banned(moderation::notice(&ban)))
            }
            None => Ok(()),
        }
    }

    /// For what the operator does to characters.
    pub fn live(&self) -> Live<'_> {
        Live { engine: &self.engine, saver: &self.saver, store: self.accounts.store() }
    }

    /// Of a character, in the world or out of it; the lowest where there is none of that name.
    pub async fn standing(&self, name: &str) -> anyhow::Result<Standing> {
        let is_frozen = |flags: PlayerFlags| flags.has(PlayerFlags::FROZEN);
        let here = self.engine.with_world(|world| {
            let who = world.character(world.find_player(name)?)?;
            Some(Standing { level: who.level, frozen: is_frozen(who.player_flags()) })
        });
        if let Some(standing) = here {
            return Ok(standing);
        }
        let stored = self.saver.newest(name).await?;
        let of = |record: CharacterRecord| Standing { level: record.level, frozen: is_frozen(record.player.flags) };
        Ok(stored.map_or(Standing::default(), of))
    }

    /// Milliseconds of a clock that does not run backwards.
    pub fn now_ms(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }
}
