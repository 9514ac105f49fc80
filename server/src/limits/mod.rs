//! What one caller may ask of the server: how fast, how much at once, and how long in silence.
//!
//! [`Limits`] are the numbers, each a flag; [`Bucket`] counts commands of one connection; [`Doorkeeper`] counts
//! connections, logins and failures by address. The sessions and doors ask them and say the refusals.
//!
//! Invariants: no clock is read here; time comes in as milliseconds of a clock that does not run backwards (one that
//! does is survived, not obeyed). What is remembered about addresses is bounded, whatever callers do. A connection's
//! slot is given back when its [`Slot`] is dropped, and in no other way.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
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

/// A rate with a burst, in 16 bytes: it remembers when the last of what was taken will have been paid for (the
/// "generic cell rate algorithm"), so nothing has to be filled up by a timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    paid_at_us: u64,
    /// What one costs. 0: nothing is counted.
    interval_us: u32,
    burst: u32,
}

/// How many milliseconds until one more may be taken; at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitMs(pub u64);

impl Bucket {
    /// Full. A rate of 0 is no limit; a burst below 1 is 1.
    pub fn new(per_second: u32, burst: u32) -> Bucket {
        let interval_us = 1_000_000_u32.checked_div(per_second).unwrap_or(0);
        Bucket { paid_at_us: 0, interval_us, burst: burst.max(1) }
    }

    /// Takes one, or says how long to wait and takes nothing.
    pub fn take(&mut self, now_ms: u64) -> Result<(), WaitMs> {
        if self.interval_us == 0 {
            return Ok(());
        }
        let now_us = now_ms.saturating_mul(1_000);
        let interval_us = u64::from(self.interval_us);
        let paid_at_us = self.paid_at(now_us);
        let latest_us = now_us.saturating_add(interval_us * (u64::from(self.burst) - 1));
        if paid_at_us > latest_us {
            return Err(WaitMs((paid_at_us - latest_us).div_ceil(1_000)));
        }
        self.paid_at_us = paid_at_us.saturating_add(interval_us);
        Ok(())
    }

    /// Whether nothing has been taken that is not paid for: such a bucket need not be remembered.
    fn is_full(&self, now_ms: u64) -> bool {
        let now_us = now_ms.saturating_mul(1_000);
        self.paid_at(now_us) <= now_us
    }

    /// Never in the past, and never further ahead than a whole burst: more can only mean that the clock went back.
    fn paid_at(&self, now_us: u64) -> u64 {
        let whole_burst_us = u64::from(self.interval_us) * u64::from(self.burst);
        match self.paid_at_us > now_us.saturating_add(whole_burst_us) {
            true => now_us,
            false => self.paid_at_us.max(now_us),
        }
    }
}

/// Why somebody may not come in just now. The messages are for the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DoorRefusal {
    #[error("Too many connections from your address: at most {limit} at a time. Close one and try again.")]
    TooManyConnections { limit: u32 },
    #[error("Too many logins from your address. Wait a second and try again.")]
    TooManyLogins { wait_ms: u64 },
    #[error("Too many failed logins from your address. Try again in {}.", in_minutes(*left_ms))]
    LockedOut { left_ms: u64 },
}

impl DoorRefusal {
    /// A stable word for metrics.
    pub const fn reason(&self) -> &'static str {
        match self {
            DoorRefusal::TooManyConnections { .. } => "too_many_connections",
            DoorRefusal::TooManyLogins { .. } => "too_many_logins",
            DoorRefusal::LockedOut { .. } => "locked_out",
        }
    }
}

fn in_minutes(left_ms: u64) -> String {
    match left_ms.div_ceil(MINUTE_MS) {
        0 | 1 => "a minute".to_owned(),
        minutes => format!("{minutes} minutes"),
    }
}

/// Counts by address who is connected, who logs in and who fails. Cloning shares the counts.
///
/// In order: `connect` at accept, keeping the slot as long as the connection; `may_log_in` before a password or a key
/// is checked (a token is checked first, and asks only when it was no good); then `failed` or `succeeded`.
#[derive(Clone, Debug)]
pub struct Doorkeeper {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    limits: Limits,
    callers: Mutex<Callers>,
    connections: AtomicU64,
    connections_refused: AtomicU64,
}

#[derive(Debug)]
struct Callers {
    by_origin: HashMap<Origin, Caller>,
    /// When there are so many, those who left no trace are forgotten before another one is added.
    sweep_at: usize,
}

/// What counts as one address: an IPv4 address, or the /64 of an IPv6 one, because a household has all of that.
/// Private field: always in that form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Origin(IpAddr);

#[derive(Debug)]
struct Caller {
    logins: Bucket,
    locked_until_ms: u64,
    /// When the failures are too old to be "in a row".
    failures_until_ms: u64,
    failures: u32,
    connections: u32,
}

/// Fewer are never swept; a sweep looks at all of them, so it comes again only when their number has doubled.
const SWEEP_MIN: usize = 1_024;
/// At a sweep that finds more worth remembering, failures are forgotten first, then lock-outs; connections never, as
/// their number is bounded by open files. About 100 bytes each.
const CALLERS_MAX: usize = 50_000;

impl Doorkeeper {
    pub fn new(limits: &Limits) -> Doorkeeper {
        let callers = Mutex::new(Callers { by_origin: HashMap::new(), sweep_at: SWEEP_MIN });
        Doorkeeper {
            shared: Arc::new(Shared {
                limits: limits.clone(),
                callers,
                connections: AtomicU64::new(0),
                connections_refused: AtomicU64::new(0),
            }),
        }
    }

    /// A slot for one more connection. Drop it when the connection ends.
    pub fn connect(&self, address: IpAddr, now_ms: u64) -> Result<Slot, DoorRefusal> {
        let origin = Origin::of(address);
        self.with(origin, now_ms, |caller, limits| {
            if let Some(limit) = limits.connections_from(address)
                && caller.connections >= limit
            {
                return Err(DoorRefusal::TooManyConnections { limit });
            }
            caller.connections += 1;
            Ok(())
        })
        .inspect_err(|_| _ = self.shared.connections_refused.fetch_add(1, Ordering::Relaxed))?;
        self.shared.connections.fetch_add(1, Ordering::Relaxed);
        Ok(Slot { shared: self.shared.clone(), origin })
    }

    /// Whether a login from this address may be tried now. It counts, whatever becomes of it.
    pub fn may_log_in(&self, address: IpAddr, now_ms: u64) -> Result<(), DoorRefusal> {
        self.with(Origin::of(address), now_ms, |caller, limits| {
            let left_ms = caller.locked_ms(limits, now_ms);
            if left_ms > 0 {
                return Err(DoorRefusal::LockedOut { left_ms });
            }
            caller.logins.take(now_ms).map_err(|WaitMs(wait_ms)| DoorRefusal::TooManyLogins { wait_ms })
        })
    }

    /// A password, key or token was wrong. `true`: this one locked the address out.
    pub fn failed(&self, address: IpAddr, now_ms: u64) -> bool {
        self.with(Origin::of(address), now_ms, |caller, limits| {
            let lifted = limits.failures_before_lockout == 0 || limits.lockout_minutes == 0;
            // One that was under way when the address was locked out adds nothing.
            if lifted || caller.locked_ms(limits, now_ms) > 0 {
                return false;
            }
            if caller.failures_until_ms <= now_ms {
                caller.failures = 0;
            }
            caller.failures += 1;
            caller.failures_until_ms = now_ms.saturating_add(limits.lockout_ms());
            let locks = caller.failures >= limits.failures_before_lockout;
            if locks {
                caller.failures = 0;
                caller.locked_until_ms = now_ms.saturating_add(limits.lockout_ms());
            }
            locks
        })
    }

    /// Somebody came in: the failures before are not in a row with those after. A lock-out stays.
    pub fn succeeded(&self, address: IpAddr) {
        if let Some(caller) = self.shared.callers.lock().by_origin.get_mut(&Origin::of(address)) {
            caller.failures = 0;
        }
    }

    /// Slots that are taken, for metrics.
    pub fn connections(&self) -> u64 {
        self.shared.connections.load(Ordering::Relaxed)
    }

    /// Since the start, for metrics.
    pub fn connections_refused(&self) -> u64 {
        self.shared.connections_refused.load(Ordering::Relaxed)
    }

    /// How many addresses are remembered, for metrics.
    pub fn remembered(&self) -> usize {
        self.shared.callers.lock().by_origin.len()
    }

    fn with<T>(&self, origin: Origin, now_ms: u64, act: impl FnOnce(&mut Caller, &Limits) -> T) -> T {
        let limits = &self.shared.limits;
        let mut callers = self.shared.callers.lock();
        if callers.by_origin.len() >= callers.sweep_at && !callers.by_origin.contains_key(&origin) {
            callers.sweep(limits, now_ms);
        }
        let caller = callers.by_origin.entry(origin).or_insert_with(|| Caller {
            logins: Bucket::new(limits.logins_per_second, limits.logins_per_second),
            locked_until_ms: 0,
            failures_until_ms: 0,
            failures: 0,
            connections: 0,
        });
        act(caller, limits)
    }
}

impl Origin {
    fn of(address: IpAddr) -> Origin {
        match address.to_canonical() {
            IpAddr::V6(v6) if !v6.is_loopback() => Origin(Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << 64)).into()),
            address => Origin(address),
        }
    }
}

impl Caller {
    /// How long it stays locked out, 0 when it is not.
    fn locked_ms(&mut self, limits: &Limits, now_ms: u64) -> u64 {
        // Further ahead than a whole lock-out can only mean that the clock went back.
        self.locked_until_ms = self.locked_until_ms.min(now_ms.saturating_add(limits.lockout_ms()));
        self.locked_until_ms.saturating_sub(now_ms)
    }

    fn left_no_trace(&self, now_ms: u64) -> bool {
        self.connections == 0
            && self.locked_until_ms <= now_ms
            && (self.failures == 0 || self.failures_until_ms <= now_ms)
            && self.logins.is_full(now_ms)
    }
}

impl Callers {
    fn sweep(&mut self, limits: &Limits, now_ms: u64) {
        self.by_origin.retain(|_, caller| !caller.left_no_trace(now_ms));
        if self.by_origin.len() >= CALLERS_MAX {
            self.by_origin.retain(|_, caller| caller.connections > 0 || caller.locked_ms(limits, now_ms) > 0);
        }
        if self.by_origin.len() >= CALLERS_MAX {
            self.by_origin.retain(|_, caller| caller.connections > 0);
        }
        self.sweep_at = (self.by_origin.len() * 2).max(SWEEP_MIN);
    }
}

/// One connection's place among those of its address.
#[derive(Debug)]
#[must_use = "dropping it gives the place back"]
pub struct Slot {
    shared: Arc<Shared>,
    origin: Origin,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.shared.connections.fetch_sub(1, Ordering::Relaxed);
        if let Some(caller) = self.shared.callers.lock().by_origin.get_mut(&self.origin) {
            caller.connections -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use proptest::prelude::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
    const MINUTES_15_MS: u64 = 15 * MINUTE_MS;

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("the test wrote an address")
    }

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        limits: Limits,
    }

    #[test]
    fn flags_set_limits_and_none_are_the_defaults() {
        assert_eq!(Line::parse_from(["dp-server"]).limits, Limits::DEFAULT);
        let some = ["dp-server", "--commands-per-second", "0", "--connections-per-address=7", "--lockout-minutes=1"];
        let expected =
            Limits { commands_per_second: 0, connections_per_address: Some(7), lockout_minutes: 1, ..Limits::DEFAULT };
        assert_eq!(Line::parse_from(some).limits, expected);
    }

    #[test]
    fn connections_are_limited_by_where_they_come_from() {
        let seven = Limits { connections_per_address: Some(7), ..Limits::DEFAULT };
        for (limits, address, expected) in [
            (&Limits::DEFAULT, "127.0.0.1", Some(50)),
            (&Limits::DEFAULT, "::1", Some(50)),
            (&Limits::DEFAULT, "::ffff:127.0.0.1", Some(50)),
            (&Limits::DEFAULT, "192.0.2.1", Some(5)),
            (&Limits::DEFAULT, "2001:db8::1", Some(5)),
            (&seven, "127.0.0.1", Some(7)),
            (&seven, "192.0.2.1", Some(7)),
            (&Limits::LIFTED, "192.0.2.1", None),
        ] {
            assert_eq!(limits.connections_from(ip(address)), expected, "{address}");
        }
    }

    #[test]
    fn zero_lifts_every_limit() {
        let lifted = &Limits::LIFTED;
        assert_eq!([lifted.frame_max(), lifted.telnet_line_max(), lifted.outbound_max()], [usize::MAX; 3]);
        assert_eq!([lifted.idle_ms(), lifted.login_ms(), lifted.slow_reader_ms()], [None; 3]);
        let mut bucket = lifted.command_bucket();
        let doorkeeper = Doorkeeper::new(lifted);
        let mut slots = Vec::new();
        for _ in 0..1_000 {
            assert_eq!(bucket.take(0), Ok(()));
            assert_eq!(doorkeeper.may_log_in(HERE, 0), Ok(()));
            assert!(!doorkeeper.failed(HERE, 0));
            slots.push(doorkeeper.connect(HERE, 0).expect("any number may connect"));
        }
    }

    #[test]
    fn a_burst_passes_and_then_the_rate_counts() {
        assert_eq!(size_of::<Bucket>(), 16);
        let mut bucket = Limits::DEFAULT.command_bucket();
        for nth in 0..10 {
            assert_eq!(bucket.take(5_000), Ok(()), "{nth}");
        }
        assert_eq!(bucket.take(5_000), Err(WaitMs(100)));
        assert_eq!(bucket.take(5_099), Err(WaitMs(1)));
        assert_eq!(bucket.take(5_100), Ok(()));
        assert_eq!(bucket.take(5_100), Err(WaitMs(100)));
        let much_later = 60_000;
        assert_eq!((0..100).filter(|_| bucket.take(much_later).is_ok()).count(), 10, "a full bucket is not fuller");
    }

    #[test]
    fn a_clock_that_goes_back_locks_nobody_up() {
        let mut bucket = Limits::DEFAULT.command_bucket();
        while bucket.take(10_000_000).is_ok() {}
        assert_eq!(bucket.take(0), Ok(()));

        let doorkeeper = Doorkeeper::new(&Limits::DEFAULT);
        while !doorkeeper.failed(HERE, 10_000_000_000) {}
        assert_eq!(doorkeeper.may_log_in(HERE, 0), Err(DoorRefusal::LockedOut { left_ms: MINUTES_15_MS }));
        assert_eq!(doorkeeper.may_log_in(HERE, MINUTES_15_MS), Ok(()));
    }

    proptest! {
        #[test]
        fn no_second_passes_more_than_burst_and_rate(
            per_second in 1_u32..200,
            burst in 0_u32..50,
            gaps_ms in proptest::collection::vec(0_u64..300, 1..400),
        ) {
            let mut bucket = Bucket::new(per_second, burst);
            let mut now_ms = 0;
            let mut taken_at = Vec::new();
            for gap_ms in gaps_ms {
                now_ms += gap_ms;
                match bucket.take(now_ms) {
                    Ok(()) => taken_at.push(now_ms),
                    Err(WaitMs(wait_ms)) => {
                        prop_assert!(wait_ms >= 1);
                        let (mut early, mut in_time) = (bucket, bucket);
                        prop_assert!(early.take(now_ms + wait_ms - 1).is_err());
                        prop_assert_eq!(in_time.take(now_ms + wait_ms), Ok(()));
                    }
                }
            }
            // One more than the rate: a window of exactly a second has both its ends in it.
            let most = burst.max(1) as usize + per_second as usize + 1;
            for (at, first) in taken_at.iter().enumerate() {
                let within = taken_at[at..].iter().take_while(|taken| **taken <= first + 1_000).count();
                prop_assert!(within <= most, "{} within a second of {}", within, first);
            }
        }
    }

    #[test]
    fn a_slot_comes_back_when_its_connection_ends() {
        let doorkeeper = Doorkeeper::new(&Limits::DEFAULT);
        let elsewhere = ip("192.0.2.1");
        let mut slots: Vec<Slot> =
            (0..5).map(|_| doorkeeper.connect(elsewhere, 0).expect("five may connect")).collect();
        let refusal = doorkeeper.connect(elsewhere, 0).expect_err("the sixth may not");
        assert_eq!(refusal, DoorRefusal::TooManyConnections { limit: 5 });
        slots.push(doorkeeper.connect(ip("192.0.2.2"), 0).expect("others may"));
        drop(slots.swap_remove(0));
        slots.push(doorkeeper.connect(elsewhere, 0).expect("one place is free again"));
        assert!(doorkeeper.connect(elsewhere, 0).is_err());
        let died = std::thread::spawn(move || {
            let _slots = slots;
            panic!("this is a connection that dies in a panic");
        });
        assert!(died.join().is_err());
        let again: Vec<_> = (0..5).map(|_| doorkeeper.connect(elsewhere, 0)).collect();
        assert!(again.iter().all(Result::is_ok));
    }

    #[test]
    fn five_logins_a_second_are_enough() {
        let doorkeeper = Doorkeeper::new(&Limits::DEFAULT);
        for _ in 0..5 {
            assert_eq!(doorkeeper.may_log_in(HERE, 1_000), Ok(()));
        }
        assert_eq!(doorkeeper.may_log_in(HERE, 1_000), Err(DoorRefusal::TooManyLogins { wait_ms: 200 }));
        assert_eq!(doorkeeper.may_log_in(ip("::1"), 1_000), Ok(()), "another address");
        assert_eq!(doorkeeper.may_log_in(HERE, 1_200), Ok(()));
    }

    #[test]
    fn ten_failures_in_a_row_lock_an_address_out_for_a_quarter_of_an_hour() {
        let doorkeeper = Doorkeeper::new(&Limits::DEFAULT);
        let fail = |count: usize, now_ms| (0..count).filter(|_| doorkeeper.failed(HERE, now_ms)).count();
        assert_eq!(fail(9, 0), 0);
        doorkeeper.succeeded(HERE);
        assert_eq!(fail(9, 1_000), 0, "the success began a new row");
        assert_eq!(fail(1, 1_000), 1);
        let refusal = doorkeeper.may_log_in(HERE, 2_000).expect_err("it is locked out");
        assert_eq!(refusal, DoorRefusal::LockedOut { left_ms: MINUTES_15_MS - 1_000 });
        assert_eq!(refusal.to_string(), "Too many failed logins from your address. Try again in 15 minutes.");
        assert_eq!(doorkeeper.may_log_in(ip("127.0.0.2"), 2_000), Ok(()), "another address");
        let slot = doorkeeper.connect(HERE, 2_000);
        assert!(slot.is_ok(), "it may connect, to read why, or to come in by token");
        assert_eq!(fail(10, 2_000), 0, "what was under way does not lengthen it");
        doorkeeper.succeeded(HERE);
        let last_ms = 1_000 + MINUTES_15_MS - 1;
        let refusal = doorkeeper.may_log_in(HERE, last_ms).expect_err("a token does not open it for passwords");
        assert_eq!(refusal.to_string(), "Too many failed logins from your address. Try again in a minute.");
        assert_eq!(doorkeeper.may_log_in(HERE, last_ms + 1), Ok(()));
        assert_eq!(fail(9, last_ms + 1), 0, "the row begins anew");
        assert_eq!(fail(9, last_ms + 1 + MINUTES_15_MS), 0, "and failures this old are not in a row");
    }

    #[test]
    fn ipv6_neighbours_count_as_one_address() {
        for (one, other, same, why) in [
            ("2001:db8::1", "2001:db8::ffff:1", true, "one /64"),
            ("2001:db8::1", "2001:db8:0:1::1", false, "the next /64"),
            ("::ffff:192.0.2.1", "192.0.2.1", true, "IPv4 in IPv6"),
            ("::ffff:192.0.2.1", "::ffff:192.0.2.2", false, "two of IPv4"),
            ("::1", "::2", false, "this machine is nobody's neighbour"),
        ] {
            assert_eq!(Origin::of(ip(one)) == Origin::of(ip(other)), same, "{one} {other}: {why}");
        }
    }

    #[test]
    fn what_is_remembered_of_passers_by_is_bounded() {
        let doorkeeper = Doorkeeper::new(&Limits::DEFAULT);
        let _stays = doorkeeper.connect(HERE, 0).expect("it is the first");
        while !doorkeeper.failed(ip("192.0.2.1"), 0) {}
        for nth in 0..50_000_u32 {
            let passer_by = IpAddr::from((0x0a00_0000 + nth).to_be_bytes());
            drop(doorkeeper.connect(passer_by, u64::from(nth)).expect("it is alone"));
            doorkeeper.may_log_in(passer_by, u64::from(nth)).expect("it is its first");
        }
        assert!(doorkeeper.remembered() <= 2 * SWEEP_MIN, "{}", doorkeeper.remembered());
        let now_ms = 50_000;
        assert!(doorkeeper.may_log_in(ip("192.0.2.1"), now_ms).is_err(), "a lock-out is not forgotten");
        let here: Vec<_> = (0..49).map(|_| doorkeeper.connect(HERE, now_ms)).collect();
        assert!(here.iter().all(Result::is_ok) && doorkeeper.connect(HERE, now_ms).is_err(), "nor a connection");
    }

    #[test]
    fn a_flood_of_failing_addresses_is_bounded_too() {
        let doorkeeper = Doorkeeper::new(&Limits::DEFAULT);
        let _stays = doorkeeper.connect(HERE, 0).expect("it is the first");
        for nth in 0..300_000_u32 {
            doorkeeper.failed(IpAddr::from((0x0a00_0000 + nth).to_be_bytes()), 0);
        }
        assert!(doorkeeper.remembered() <= 2 * CALLERS_MAX, "{}", doorkeeper.remembered());
        let here: Vec<_> = (0..49).map(|_| doorkeeper.connect(HERE, 0)).collect();
        assert!(here.iter().all(Result::is_ok) && doorkeeper.connect(HERE, 0).is_err());
    }
}
