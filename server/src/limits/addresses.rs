//! Who may come in, by address: connections at a time, logins a second, and a lock-out after failures in a row.
//!
//! Invariants: what is remembered about addresses is bounded, whatever callers do. A connection's slot is given back
//! when its [`Slot`] is dropped, and in no other way.

use super::{Bucket, Limits, MINUTE_MS, WaitMs};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Why somebody may not come in just now. The messages are for the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressRefusal {
    #[error("Too many connections from your address: at most {limit} at a time. Close one and try again.")]
    TooManyConnections { limit: u32 },
    #[error("Too many logins from your address. Wait a second and try again.")]
    TooManyLogins { wait_ms: u64 },
    #[error("Too many failed logins from your address. Try again in {}.", in_minutes(*left_ms))]
    LockedOut { left_ms: u64 },
}

impl AddressRefusal {
    /// A stable word for metrics.
    pub const fn reason(&self) -> &'static str {
        match self {
            AddressRefusal::TooManyConnections { .. } => "too_many_connections",
            AddressRefusal::TooManyLogins { .. } => "too_many_logins",
            AddressRefusal::LockedOut { .. } => "locked_out",
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
pub struct AddressLimits {
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
pub(super) struct Origin(IpAddr);

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
pub(super) const SWEEP_MIN: usize = 1_024;
/// At a sweep that finds more worth remembering, failures are forgotten first, then lock-outs; connections never, as
/// their number is bounded by open files. About 100 bytes each.
pub(super) const CALLERS_MAX: usize = 50_000;

impl AddressLimits {
    pub fn new(limits: &Limits) -> AddressLimits {
        let callers = Mutex::new(Callers { by_origin: HashMap::new(), sweep_at: SWEEP_MIN });
        AddressLimits {
            shared: Arc::new(Shared {
                limits: limits.clone(),
                callers,
                connections: AtomicU64::new(0),
                connections_refused: AtomicU64::new(0),
            }),
        }
    }

    /// A slot for one more connection. Drop it when the connection ends.
    pub fn connect(&self, address: IpAddr, now_ms: u64) -> Result<Slot, AddressRefusal> {
        let origin = Origin::of(address);
        self.with(origin, now_ms, |caller, limits| {
            if let Some(limit) = limits.connections_from(address)
                && caller.connections >= limit
            {
                return Err(AddressRefusal::TooManyConnections { limit });
            }
            caller.connections += 1;
            Ok(())
        })
        .inspect_err(|_| _ = self.shared.connections_refused.fetch_add(1, Ordering::Relaxed))?;
        self.shared.connections.fetch_add(1, Ordering::Relaxed);
        Ok(Slot { shared: self.shared.clone(), origin })
    }

    /// Whether a login from this address may be tried now. It counts, whatever becomes of it.
    pub fn may_log_in(&self, address: IpAddr, now_ms: u64) -> Result<(), AddressRefusal> {
        self.with(Origin::of(address), now_ms, |caller, limits| {
            let left_ms = caller.locked_ms(limits, now_ms);
            if left_ms > 0 {
                return Err(AddressRefusal::LockedOut { left_ms });
            }
            caller.logins.take(now_ms).map_err(|WaitMs(wait_ms)| AddressRefusal::TooManyLogins { wait_ms })
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
    pub(super) fn of(address: IpAddr) -> Origin {
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
