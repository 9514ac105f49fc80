//! What one caller may ask of the server: how many connections, how fast, how much at once, and how long in silence.
//!
//! [`Limits`] are the numbers, each a flag; [`Bucket`] is a rate limit, a token bucket; [`ConnectionLimits`] counts
//! connections, [`AddressLimits`] logins and failures by address, [`AccountLimits`] wrong passwords by account;
//! [`Bans`] are who is kept out. The transports and the lobby ask them and say the refusals.
//!
//! Invariant: no clock is read in this folder; time comes in as milliseconds of a clock that does not run backwards
//! (one that does is survived, not obeyed).

mod accounts;
mod addresses;
mod bans;
mod bucket;
mod connections;
mod origin;

pub use accounts::{AccountLimits, BackOff};
pub use addresses::{AddressLimits, AddressRefusal};
pub use bans::{BANS_MAX, Ban, Banned, Bans, Presence, REASON_CHARS};
pub use bucket::{Bucket, WaitMs};
pub use connections::{Busy, ConnectionLimits, ConnectionRefusal, Farewell, Purpose, Slot};
pub use origin::{Network, Origin};

use std::net::IpAddr;
use std::time::Duration;

/// Flatten this into a command line. Everywhere, 0 lifts the limit.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args, serde::Serialize)]
#[command(next_help_heading = "Limits (0 lifts one)")]
pub struct Limits {
    /// Commands per second of one connection.
    #[arg(long, value_name = "N", default_value_t = Limits::DEFAULT.commands_per_second)]
    pub commands_per_second: u32,
    /// Commands that one connection may send at once before the rate counts.
    #[arg(long, value_name = "N", default_value_t = Limits::DEFAULT.commands_burst)]
    pub commands_burst: u32,
    /// Bytes of command lines and of what is noted with them, per second of one connection [default: 800 for each
    /// command per second].
    #[arg(long, value_name = "N")]
    pub command_bytes_per_second: Option<u32>,
    /// Logins per second from one address; those by a valid token are not counted.
    #[arg(long, value_name = "N", default_value_t = Limits::DEFAULT.logins_per_second)]
    pub logins_per_second: u32,
    /// Logins by token per second from one address; twenty times as many at once [default: 10 from this machine, 1 from
    /// elsewhere].
    #[arg(long, value_name = "N")]
    pub token_logins_per_second: Option<u32>,
    /// Characters made per hour from one address [default: 1000 from this machine, 60 from elsewhere].
    #[arg(long, value_name = "N")]
    pub creations_per_hour: Option<u32>,
    /// Wrong passwords in a row for one character, from wherever, after which the next must wait: a minute, then two,
    /// up to an hour. Keys and tokens do not wait.
    #[arg(long, value_name = "N", default_value_t = Limits::DEFAULT.failures_before_back_off)]
    pub failures_before_back_off: u32,
    /// Failed logins in a row that lock an address out.
    #[arg(long, value_name = "N", default_value_t = Limits::DEFAULT.failures_before_lockout)]
    pub failures_before_lockout: u32,
    /// How long an address stays locked out.
    #[arg(long, value_name = "MINUTES", default_value_t = Limits::DEFAULT.lockout_minutes)]
    pub lockout_minutes: u32,
    /// Connections at a time from one address [default: 50 from this machine, 5 from elsewhere].
    #[arg(long, value_name = "N")]
    pub connections_per_address: Option<u32>,
    /// HTTP connections and handshakes at a time from one address, beside those that play [default: 64 from this
    /// machine, 16 from elsewhere; twice --connections-per-address where that is given and is more].
    #[arg(long, value_name = "N")]
    pub web_connections_per_address: Option<u32>,
    /// Calls of the API per second from one address; twice as many at once. Those with the admin token are not counted.
    #[arg(long, value_name = "N", default_value_t = Limits::DEFAULT.calls_per_second)]
    pub calls_per_second: u32,
    /// Connections at a time from all addresses [default: as many files as the system lets the process open, less those
    /// that are open at the start and 32 for journal and database].
    #[arg(long, value_name = "N")]
    pub connections: Option<u32>,
    /// Size of one WebSocket frame that comes in.
    #[arg(long, value_name = "BYTES", default_value_t = Limits::DEFAULT.frame_bytes)]
    pub frame_bytes: u32,
    /// Size of one telnet line that comes in.
    #[arg(long, value_name = "BYTES", default_value_t = Limits::DEFAULT.telnet_line_bytes)]
    pub telnet_line_bytes: u32,
    /// Silence of a player after which the connection is closed.
    #[arg(long, value_name = "MINUTES", default_value_t = Limits::DEFAULT.idle_minutes)]
    pub idle_minutes: u32,
    /// Time to log in, from connecting; who makes a character has five times as long.
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::DEFAULT.login_seconds)]
    pub login_seconds: u32,
    /// Output that waits for one reader before it is a slow reader.
    #[arg(long, value_name = "BYTES", default_value_t = Limits::DEFAULT.outbound_bytes)]
    pub outbound_bytes: u32,
    /// How long a slow reader may stay so before the connection is closed.
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::DEFAULT.slow_reader_seconds)]
    pub slow_reader_seconds: u32,
    /// After how long a silence a line by telnet is kept open with a word that nobody sees; 0: never.
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::DEFAULT.keepalive_seconds)]
    pub keepalive_seconds: u32,
    /// After how long the world hears that a connection broke whose client can resume; 0: at once.
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::DEFAULT.resume_grace_seconds)]
    pub resume_grace_seconds: u32,
    /// How long the agents of a host whose connection broke are kept for it; 0: not at all.
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::DEFAULT.host_hold_seconds)]
    pub host_hold_seconds: u32,
}

/// Many agents share one machine with the server.
const CONNECTIONS_FROM_LOOPBACK: u32 = 50;
const CONNECTIONS_FROM_ELSEWHERE: u32 = 5;
const FRAMES_PER_COMMAND: u32 = 5;
/// What a full read of all variables costs of the frames: it is made under the lock of the world.
pub const FULL_READ_COST: u32 = 10;
/// Longest command line. What others read of it is cut to less; what programs send is far below.
pub const COMMAND_BYTES_MAX: usize = 2 * 1024;
/// Most that a program may note with a command (`meta`), as JSON.
pub const META_BYTES_MAX: usize = 2 * 1024;
/// A browser opens six connections at once; here agents on their way to be WebSockets come all at once.
const WEB_CONNECTIONS_FROM_LOOPBACK: u32 = 64;
const WEB_CONNECTIONS_FROM_ELSEWHERE: u32 = 16;
/// On their way to play.
const REQUESTS_PER_CONNECTION: u32 = 2;
/// A page that comes up asks for several things.
const CALLS_BURST_SECONDS: u32 = 2;
/// A short line and an agent's note with it, ten times a second, with room; and what may come at once.
const BYTES_PER_COMMAND: u32 = 800;
const BYTES_BURST_SECONDS: u32 = 8;
const TOKEN_LOGINS_FROM_LOOPBACK: u32 = 10;
const TOKEN_LOGINS_FROM_ELSEWHERE: u32 = 1;
/// Agents come back all at once when the server starts anew.
const TOKEN_BURST_SECONDS: u32 = 20;
const CREATIONS_FROM_LOOPBACK: u32 = 1_000;
const CREATIONS_FROM_ELSEWHERE: u32 = 60;
/// Lines of a caller who has not logged in may cost a look at the database each; people type, and paste their name and
/// password.
const COMMANDS_PER_EARLY_LINE: u32 = 5;
const EARLY_LINES_BURST: u32 = 20;
/// Times the time to log in that the making of a character may take.
const CREATION_FACTOR: u64 = 5;

impl Limits {
    pub const DEFAULT: Limits = Limits {
        commands_per_second: 10,
        commands_burst: 10,
        command_bytes_per_second: None,
        logins_per_second: 5,
        token_logins_per_second: None,
        creations_per_hour: None,
        failures_before_back_off: 10,
        failures_before_lockout: 10,
        lockout_minutes: 15,
        connections_per_address: None,
        web_connections_per_address: None,
        calls_per_second: 20,
        connections: None,
        frame_bytes: 16 * 1024,
        telnet_line_bytes: 1024,
        // A person who reads the help, or a slow model that thinks, is not gone.
        idle_minutes: 30,
        // Long enough to read a question of the creation dialogue.
        login_seconds: 180,
        // The longest help page and a busy room's minute fit several times; a thousand stuck readers are 256 MB,
        // and the kernel's own buffers come before this one.
        outbound_bytes: 256 * 1024,
        slow_reader_seconds: 10,
        // Home routers forget a line after a few silent minutes, some after one.
        keepalive_seconds: 30,
        resume_grace_seconds: 10,
        host_hold_seconds: 60,
    };

    /// None of them, for benchmarks.
    pub const LIFTED: Limits = Limits {
        commands_per_second: 0,
        commands_burst: 0,
        command_bytes_per_second: Some(0),
        logins_per_second: 0,
        token_logins_per_second: Some(0),
        creations_per_hour: Some(0),
        failures_before_back_off: 0,
        failures_before_lockout: 0,
        lockout_minutes: 0,
        connections_per_address: Some(0),
        web_connections_per_address: Some(0),
        calls_per_second: 0,
        connections: Some(0),
        frame_bytes: 0,
        telnet_line_bytes: 0,
        idle_minutes: 0,
        login_seconds: 0,
        outbound_bytes: 0,
        slow_reader_seconds: 0,
        keepalive_seconds: 0,
        resume_grace_seconds: 10,
        host_hold_seconds: 60,
    };

    /// A full bucket for the commands of one connection.
    pub fn command_bucket(&self) -> Bucket {
        Bucket::new(self.commands_per_second, self.commands_burst)
    }

    /// A full bucket for the frames of one connection that are no commands. Each may cost a look at the store or all
    /// variables, but a client that sets itself up sends several at once, so there are more of them.
    pub fn frame_bucket(&self) -> Bucket {
        let several = |limit: u32| limit.saturating_mul(FRAMES_PER_COMMAND);
        Bucket::new(several(self.commands_per_second), several(self.commands_burst))
    }

    /// For the lines of a caller who has not logged in.
    pub fn early_line_bucket(&self) -> Bucket {
        match self.commands_per_second {
            0 => Bucket::new(0, 0),
            rate => Bucket::new((rate / COMMANDS_PER_EARLY_LINE).max(1), EARLY_LINES_BURST),
        }
    }

    /// For telling somebody who asks that the server is there: two bytes ask, thirty answer.
    pub fn here_bucket(&self) -> Bucket {
        Bucket::new(self.commands_per_second.min(1), 1)
    }

    /// For the bytes of the commands of one connection.
    pub fn byte_bucket(&self) -> Bucket {
        let rate = self.command_bytes_per_second;
        let rate = rate.unwrap_or_else(|| self.commands_per_second.saturating_mul(BYTES_PER_COMMAND)).min(1_000_000);
        Bucket::new(rate, rate.saturating_mul(BYTES_BURST_SECONDS).max((COMMAND_BYTES_MAX + META_BYTES_MAX) as u32))
    }

    /// For the logins by token of one address.
    pub fn token_bucket(&self, address: IpAddr) -> Bucket {
        // Who lifts the one limit of logins means all of them.
        let usual = match self.logins_per_second {
            0 => 0,
            _ => by_place(address, TOKEN_LOGINS_FROM_LOOPBACK, TOKEN_LOGINS_FROM_ELSEWHERE),
        };
        let rate = self.token_logins_per_second.unwrap_or(usual);
        Bucket::new(rate, rate.saturating_mul(TOKEN_BURST_SECONDS))
    }

    /// For the characters that are made from one address.
    pub fn creation_bucket(&self, address: IpAddr) -> Bucket {
        let usual = by_place(address, CREATIONS_FROM_LOOPBACK, CREATIONS_FROM_ELSEWHERE);
        let rate = self.creations_per_hour.unwrap_or(usual);
        Bucket::per_hour(rate, rate)
    }

    /// For the calls of the API from one address.
    pub fn call_bucket(&self) -> Bucket {
        Bucket::new(self.calls_per_second, self.calls_per_second.saturating_mul(CALLS_BURST_SECONDS))
    }

    /// `None`: any number.
    pub fn connections_from(&self, address: IpAddr) -> Option<u32> {
        let usual = by_place(address, CONNECTIONS_FROM_LOOPBACK, CONNECTIONS_FROM_ELSEWHERE);
        Some(self.connections_per_address.unwrap_or(usual)).filter(|&limit| limit > 0)
    }

    /// HTTP connections and handshakes. `None`: any number.
    pub fn requests_from(&self, address: IpAddr) -> Option<u32> {
        let usual = by_place(address, WEB_CONNECTIONS_FROM_LOOPBACK, WEB_CONNECTIONS_FROM_ELSEWHERE);
        // Who lets many play, or any number, has them come in by this way too.
        let usual = match self.connections_per_address {
            Some(0) => 0,
            Some(limit) => usual.max(limit.saturating_mul(REQUESTS_PER_CONNECTION)),
            None => usual,
        };
        Some(self.web_connections_per_address.unwrap_or(usual)).filter(|&limit| limit > 0)
    }

    /// From all addresses.
    pub fn connections_max(&self) -> usize {
        match self.connections {
            None | Some(0) => usize::MAX,
            Some(limit) => limit as usize,
        }
    }

    pub fn frame_max(&self) -> usize {
        bytes_max(self.frame_bytes)
    }

    pub fn telnet_line_max(&self) -> usize {
        bytes_max(self.telnet_line_bytes)
    }

    pub fn outbound_max(&self) -> usize {
        bytes_max(self.outbound_bytes)
    }

    /// `None`, as in those that follow: for ever.
    pub fn idle_ms(&self) -> Option<u64> {
        lifted_at_0(u64::from(self.idle_minutes) * MINUTE_MS)
    }

    pub fn login_ms(&self) -> Option<u64> {
        lifted_at_0(u64::from(self.login_seconds) * 1_000)
    }

    /// The same for somebody who makes a character.
    pub fn creation_ms(&self) -> Option<u64> {
        self.login_ms().map(|limit| limit.saturating_mul(CREATION_FACTOR))
    }

    /// How long a reader may take for what waits for it.
    pub fn patience(&self) -> Option<Duration> {
        lifted_at_0(u64::from(self.slow_reader_seconds) * 1_000).map(Duration::from_millis)
    }

    /// How long the claims of a host whose connection broke are kept for it.
    pub fn host_hold_ms(&self) -> u64 {
        u64::from(self.host_hold_seconds) * 1_000
    }

    /// How long the world does not hear of a connection that broke.
    pub fn resume_grace(&self) -> Duration {
        Duration::from_secs(u64::from(self.resume_grace_seconds))
    }

    /// After how long a silence a line is kept open.
    pub fn keepalive_ms(&self) -> Option<u64> {
        lifted_at_0(u64::from(self.keepalive_seconds) * 1_000)
    }

    /// How often a connection is looked after: as often as `usual`, or more often where a time-out is shorter.
    pub fn look_after(&self, usual: Duration) -> Duration {
        let shortest = [self.idle_ms(), self.login_ms()].into_iter().flatten().min();
        shortest.map_or(usual, |ms| usual.min(Duration::from_millis(ms / 4)).max(SOONEST))
    }

    fn lockout_ms(&self) -> u64 {
        u64::from(self.lockout_minutes) * MINUTE_MS
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}

const MINUTE_MS: u64 = 60_000;
/// No connection is looked after more often.
const SOONEST: Duration = Duration::from_millis(250);

fn by_place(address: IpAddr, this_machine: u32, elsewhere: u32) -> u32 {
    if address.to_canonical().is_loopback() { this_machine } else { elsewhere }
}

/// A time for people: rounded up, "a minute" at least.
fn in_minutes(left_ms: u64) -> String {
    match left_ms.div_ceil(MINUTE_MS) {
        0 | 1 => "a minute".to_owned(),
        minutes => format!("{minutes} minutes"),
    }
}

fn bytes_max(bytes: u32) -> usize {
    match bytes {
        0 => usize::MAX,
        bytes => bytes as usize,
    }
}

fn lifted_at_0(milliseconds: u64) -> Option<u64> {
    Some(milliseconds).filter(|&milliseconds| milliseconds > 0)
}

#[cfg(test)]
mod tests;
