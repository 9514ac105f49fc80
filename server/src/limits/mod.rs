//! What one caller may ask of the server: how fast, how much at once, and how long in silence.
//!
//! [`Limits`] are the numbers, each a flag; [`Bucket`] counts commands of one connection; [`AddressLimits`] counts
//! connections, logins and failures by address. The sessions and transports ask them and say the refusals.
//!
//! Invariant: no clock is read in this folder; time comes in as milliseconds of a clock that does not run backwards
//! (one that does is survived, not obeyed).

mod addresses;
mod bucket;

pub use addresses::{AddressLimits, AddressRefusal, Slot};
pub use bucket::{Bucket, WaitMs};

use std::net::IpAddr;
use std::time::Duration;

/// Flatten this into a command line. Everywhere, 0 lifts the limit.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
#[command(next_help_heading = "Limits (0 lifts one)")]
pub struct Limits {
    /// Commands per second of one connection.
    #[arg(long, value_name = "N", default_value_t = Limits::DEFAULT.commands_per_second)]
    pub commands_per_second: u32,
    /// Commands that one connection may send at once before the rate counts.
    #[arg(long, value_name = "N", default_value_t = Limits::DEFAULT.commands_burst)]
    pub commands_burst: u32,
    /// Logins per second from one address; those by a valid token are not counted.
    #[arg(long, value_name = "N", default_value_t = Limits::DEFAULT.logins_per_second)]
    pub logins_per_second: u32,
    /// Failed logins in a row that lock an address out.
    #[arg(long, value_name = "N", default_value_t = Limits::DEFAULT.failures_before_lockout)]
    pub failures_before_lockout: u32,
    /// How long an address stays locked out.
    #[arg(long, value_name = "MINUTES", default_value_t = Limits::DEFAULT.lockout_minutes)]
    pub lockout_minutes: u32,
    /// Connections at a time from one address [default: 50 from this machine, 5 from elsewhere].
    #[arg(long, value_name = "N")]
    pub connections_per_address: Option<u32>,
    /// Size of one WebSocket frame that comes in.
    #[arg(long, value_name = "BYTES", default_value_t = Limits::DEFAULT.frame_bytes)]
    pub frame_bytes: u32,
    /// Size of one telnet line that comes in.
    #[arg(long, value_name = "BYTES", default_value_t = Limits::DEFAULT.telnet_line_bytes)]
    pub telnet_line_bytes: u32,
    /// Silence of a player after which the connection is closed.
    #[arg(long, value_name = "MINUTES", default_value_t = Limits::DEFAULT.idle_minutes)]
    pub idle_minutes: u32,
    /// Silence of a caller who has not logged in yet.
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::DEFAULT.login_seconds)]
    pub login_seconds: u32,
    /// Output that waits for one reader before it is a slow reader.
    #[arg(long, value_name = "BYTES", default_value_t = Limits::DEFAULT.outbound_bytes)]
    pub outbound_bytes: u32,
    /// How long a slow reader may stay so before the connection is closed.
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::DEFAULT.slow_reader_seconds)]
    pub slow_reader_seconds: u32,
}

/// Many agents share one machine with the server.
const CONNECTIONS_FROM_LOOPBACK: u32 = 50;
const CONNECTIONS_FROM_ELSEWHERE: u32 = 5;
const FRAMES_PER_COMMAND: u32 = 5;

impl Limits {
    pub const DEFAULT: Limits = Limits {
        commands_per_second: 10,
        commands_burst: 10,
        logins_per_second: 5,
        failures_before_lockout: 10,
        lockout_minutes: 15,
        connections_per_address: None,
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
    };

    /// None of them, for benchmarks.
    pub const LIFTED: Limits = Limits {
        commands_per_second: 0,
        commands_burst: 0,
        logins_per_second: 0,
        failures_before_lockout: 0,
        lockout_minutes: 0,
        connections_per_address: Some(0),
        frame_bytes: 0,
        telnet_line_bytes: 0,
        idle_minutes: 0,
        login_seconds: 0,
        outbound_bytes: 0,
        slow_reader_seconds: 0,
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

    /// `None`: any number.
    pub fn connections_from(&self, address: IpAddr) -> Option<u32> {
        let default = match address.to_canonical().is_loopback() {
            true => CONNECTIONS_FROM_LOOPBACK,
            false => CONNECTIONS_FROM_ELSEWHERE,
        };
        Some(self.connections_per_address.unwrap_or(default)).filter(|&limit| limit > 0)
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

    /// `None`, as in the next two: for ever.
    pub fn idle_ms(&self) -> Option<u64> {
        lifted_at_0(u64::from(self.idle_minutes) * MINUTE_MS)
    }

    pub fn login_ms(&self) -> Option<u64> {
        lifted_at_0(u64::from(self.login_seconds) * 1_000)
    }

    pub fn slow_reader_ms(&self) -> Option<u64> {
        lifted_at_0(u64::from(self.slow_reader_seconds) * 1_000)
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
