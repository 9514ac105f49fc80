//! Who may log in and ask, by address: logins and calls of the API a second, characters made an hour, and a lock-out
//! after failures in a row.
//!
//! Leaves connections to [`super::ConnectionLimits`] and wrong passwords for one account to [`super::AccountLimits`].
//! Invariants: what is remembered about addresses is bounded, whatever callers do. Failures at one account are
//! forgotten only when that account is logged in to from the same address: a success of one's own buys no guesses.

use super::origin::Origin;
use super::{Bucket, Limits, WaitMs, in_minutes};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

/// Why somebody may not log in just now. The messages are for the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressRefusal {
    #[error("Too many logins from your address. Wait a second and try again.")]
    TooManyLogins { wait_ms: u64 },
    #[error("Too many new characters from your address. Make the next one in {}.", in_minutes(*wait_ms))]
    TooManyCreations { wait_ms: u64 },
    #[error("Too many failed logins from your address. Try again in {}.", in_minutes(*left_ms))]
    LockedOut { left_ms: u64 },
}

impl AddressRefusal {
    /// A stable word for metrics.
    pub const fn reason(&self) -> &'static str {
        match self {
            AddressRefusal::TooManyLogins { .. } => "too_many_logins",
            AddressRefusal::TooManyCreations { .. } => "too_many_creations",
            AddressRefusal::LockedOut { .. } => "locked_out",
        }
    }
}

/// Counts by address who logs in, who fails and who makes characters. Cloning shares the counts.
///
/// In order: `may_log_in` before a password or a key is checked (a token is checked first, and asks only when it was
/// no good); then `failed` or `succeeded`.
#[derive(Clone, Debug)]
pub struct AddressLimits {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    limits: Limits,
    callers: Mutex<Callers>,
}

#[derive(Debug)]
struct Callers {
    by_origin: HashMap<Origin, Caller>,
    /// When there are so many, those who left no trace are forgotten before another one is added.
    sweep_at: usize,
}

#[derive(Debug)]
struct Caller {
    logins: Bucket,
    token_logins: Bucket,
    creations: Bucket,
    calls: Bucket,
    locked_until_ms: u64,
    /// When the failures are too old to be "in a row".
    failures_until_ms: u64,
    /// By account; `None`: a key or token that is nobody's. No more entries than failures, so they are few.
    failures: Vec<(Option<Box<str>>, u32)>,
}

/// Fewer are never swept; a sweep looks at all of them, so it comes again only when their number has doubled.
pub(super) const SWEEP_MIN: usize = 1_024;
/// At a sweep that finds more worth remembering, failures are forgotten first, then lock-outs. About 150 bytes each.
pub(super) const CALLERS_MAX: usize = 50_000;

impl AddressLimits {
    pub fn new(limits: &Limits) -> AddressLimits {
        let callers = Mutex::new(Callers { by_origin: HashMap::new(), sweep_at: SWEEP_MIN });
        AddressLimits { shared: Arc::new(Shared { limits: limits.clone(), callers }) }
    }

    /// Whether a login from this address may be tried now. It counts, whatever becomes of it.
    pub fn may_log_in(&self, address: IpAddr, now_ms: u64) -> Result<(), AddressRefusal> {
        self.with(address, now_ms, |caller, limits| {
            let left_ms = caller.locked_ms(limits, now_ms);
            if left_ms > 0 {
                return Err(AddressRefusal::LockedOut { left_ms });
            }
            caller.logins.take(now_ms).map_err(|WaitMs(wait_ms)| AddressRefusal::TooManyLogins { wait_ms })
        })
    }

    /// Whether a login by token may be tried now: far more often than others, and a lock-out does not keep it out.
    pub fn may_use_token(&self, address: IpAddr, now_ms: u64) -> Result<(), AddressRefusal> {
        self.with(address, now_ms, |caller, _| {
            caller.token_logins.take(now_ms).map_err(|WaitMs(wait_ms)| AddressRefusal::TooManyLogins { wait_ms })
        })
    }

    /// Whether one more character may be made from this address. It counts.
    pub fn may_create(&self, address: IpAddr, now_ms: u64) -> Result<(), AddressRefusal> {
        self.with(address, now_ms, |caller, _| {
            caller.creations.take(now_ms).map_err(|WaitMs(wait_ms)| AddressRefusal::TooManyCreations { wait_ms })
        })
    }

    /// Whether one more call of the API may be answered. It counts.
    pub fn may_ask(&self, address: IpAddr, now_ms: u64) -> Result<(), WaitMs> {
        self.with(address, now_ms, |caller, _| caller.calls.take(now_ms))
    }

    /// A password, key or token was wrong. `account`: the one it was tried at, where there is one of that name. `true`:
    /// this failure locked the address out.
    pub fn failed(&self, address: IpAddr, account: Option<&str>, now_ms: u64) -> bool {
        self.with(address, now_ms, |caller, limits| {
            let lifted = limits.failures_before_lockout == 0 || limits.lockout_minutes == 0;
            // One that was under way when the address was locked out adds nothing.
            if lifted || caller.locked_ms(limits, now_ms) > 0 {
                return false;
            }
            if caller.failures_until_ms <= now_ms {
                caller.failures.clear();
            }
            match caller.failures.iter_mut().find(|(of, _)| of.as_deref() == account) {
                Some((_, count)) => *count += 1,
                None => caller.failures.push((account.map(Box::from), 1)),
            }
            caller.failures_until_ms = now_ms.saturating_add(limits.lockout_ms());
            let count: u32 = caller.failures.iter().map(|(_, count)| count).sum();
            let locks = count >= limits.failures_before_lockout;
            if locks {
                caller.failures = Vec::new();
                caller.locked_until_ms = now_ms.saturating_add(limits.lockout_ms());
            }
            locks
        })
    }

    /// Somebody proved by password or key who they are: what failed at the same account before was a slip. A lock-out
    /// stays. Not for tokens and new characters, which prove nothing about passwords.
    pub fn succeeded(&self, address: IpAddr, account: &str) {
        if let Some(caller) = self.shared.callers.lock().by_origin.get_mut(&Origin::of(address)) {
            caller.failures.retain(|(of, _)| of.as_deref() != Some(account));
        }
    }

    /// How many addresses are remembered, for metrics.
    pub fn remembered(&self) -> usize {
        self.shared.callers.lock().by_origin.len()
    }

    /// How many addresses are locked out now.
    pub fn locked_out(&self, now_ms: u64) -> usize {
        self.shared.callers.lock().by_origin.values().filter(|caller| caller.locked_until_ms > now_ms).count()
    }

    fn with<T>(&self, address: IpAddr, now_ms: u64, act: impl FnOnce(&mut Caller, &Limits) -> T) -> T {
        let limits = &self.shared.limits;
        let origin = Origin::of(address);
        let mut callers = self.shared.callers.lock();
        if callers.by_origin.len() >= callers.sweep_at && !callers.by_origin.contains_key(&origin) {
            callers.sweep(limits, now_ms);
        }
        let caller = callers.by_origin.entry(origin).or_insert_with(|| Caller {
            logins: Bucket::new(limits.logins_per_second, limits.logins_per_second),
            token_logins: limits.token_bucket(address),
            creations: limits.creation_bucket(address),
            calls: limits.call_bucket(),
            locked_until_ms: 0,
            failures_until_ms: 0,
            failures: Vec::new(),
        });
        act(caller, limits)
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
        self.locked_until_ms <= now_ms
            && (self.failures.is_empty() || self.failures_until_ms <= now_ms)
            && [&self.logins, &self.token_logins, &self.creations, &self.calls]
                .into_iter()
                .all(|bucket| bucket.is_full(now_ms))
    }
}

impl Callers {
    fn sweep(&mut self, limits: &Limits, now_ms: u64) {
        self.by_origin.retain(|_, caller| !caller.left_no_trace(now_ms));
        if self.by_origin.len() >= CALLERS_MAX {
            self.by_origin.retain(|_, caller| caller.locked_ms(limits, now_ms) > 0);
        }
        if self.by_origin.len() >= CALLERS_MAX {
            self.by_origin.clear();
        }
        self.sweep_at = (self.by_origin.len() * 2).max(SWEEP_MIN);
    }
}
