//! Wrong passwords for one account, from wherever they come: after some in a row the next must wait, and its owner is
//! told of them at the next login.
//!
//! Only passwords wait: keys and tokens cannot be guessed, and nobody may lock an owner's agent out. Invariants: a row
//! of failures ends with the account's own password and in no other way but time; what is remembered is bounded,
//! because only accounts that there are get an entry, and a day without a guess ends it.

use super::{Limits, MINUTE_MS, in_minutes};
use parking_lot::Mutex;
use std::collections::HashMap;

/// The next password must wait. The message is for the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "Too many wrong passwords for this character. Passwords are not checked for {}; a key still opens it.",
    in_minutes(self.left_ms)
)]
pub struct BackOff {
    pub left_ms: u64,
}

/// The first wait; each further failure doubles it, up to the longest.
const WAIT_FIRST_MS: u64 = MINUTE_MS;
const WAIT_LONGEST_MS: u64 = 60 * MINUTE_MS;
/// Without a guess for so long, the row is over. The owner is still told.
const ROW_MS: u64 = 24 * 60 * MINUTE_MS;
/// About 100 bytes each. Beyond it the oldest rows go.
const ACCOUNTS_MAX: usize = 50_000;

#[derive(Debug, Default)]
struct Guesses {
    /// In a row.
    failures: u32,
    last_ms: u64,
    locked_until_ms: u64,
    /// That the owner has not been told of.
    untold: u32,
}

/// One for the whole server.
#[derive(Debug)]
pub struct AccountLimits {
    limits: Limits,
    /// By canonical name.
    accounts: Mutex<HashMap<String, Guesses>>,
}

impl AccountLimits {
    pub fn new(limits: &Limits) -> AccountLimits {
        AccountLimits { limits: limits.clone(), accounts: Mutex::default() }
    }

    /// Whether a password for this account may be checked now.
    pub fn may_try(&self, account: &str, now_ms: u64) -> Result<(), BackOff> {
        let mut accounts = self.accounts.lock();
        let Some(guesses) = accounts.get_mut(account) else { return Ok(()) };
        // Further ahead than the longest wait can only mean that the clock went back.
        guesses.locked_until_ms = guesses.locked_until_ms.min(now_ms.saturating_add(WAIT_LONGEST_MS));
        match guesses.locked_until_ms.saturating_sub(now_ms) {
            0 => Ok(()),
            left_ms => Err(BackOff { left_ms }),
        }
    }

    /// A password for this account was wrong. `true`: the next one has to wait.
    pub fn failed(&self, account: &str, now_ms: u64) -> bool {
        let before = self.limits.failures_before_back_off;
        let mut accounts = self.accounts.lock();
        if accounts.len() >= ACCOUNTS_MAX && !accounts.contains_key(account) {
            forget_oldest(&mut accounts, now_ms);
        }
        let guesses = accounts.entry(account.to_owned()).or_default();
        if guesses.last_ms.saturating_add(ROW_MS) <= now_ms {
            guesses.failures = 0;
        }
        guesses.last_ms = now_ms;
        guesses.failures = guesses.failures.saturating_add(1);
        guesses.untold = guesses.untold.saturating_add(1);
        if before == 0 || guesses.failures < before {
            return false;
        }
        let doublings = (guesses.failures - before).min(16);
        let wait_ms = (WAIT_FIRST_MS << doublings).min(WAIT_LONGEST_MS);
        guesses.locked_until_ms = now_ms.saturating_add(wait_ms);
        true
    }

    /// The account's own password was given: what was wrong before was its owner, or is over.
    pub fn succeeded(&self, account: &str) {
        if let Some(guesses) = self.accounts.lock().get_mut(account) {
            (guesses.failures, guesses.locked_until_ms) = (0, 0);
        }
    }

    /// How many wrong passwords there were that the owner has not been told of; from now on it has.
    pub fn take_untold(&self, account: &str) -> u32 {
        let mut accounts = self.accounts.lock();
        let Some(guesses) = accounts.get_mut(account) else { return 0 };
        let untold = std::mem::take(&mut guesses.untold);
        if guesses.failures == 0 {
            accounts.remove(account);
        }
        untold
    }

    /// The character is deleted: who takes its name next begins anew.
    pub fn forget(&self, account: &str) {
        self.accounts.lock().remove(account);
    }
}

/// Makes room: rows that are over, then the older half.
fn forget_oldest(accounts: &mut HashMap<String, Guesses>, now_ms: u64) {
    accounts.retain(|_, guesses| guesses.last_ms.saturating_add(ROW_MS) > now_ms);
    if accounts.len() >= ACCOUNTS_MAX {
        let mut times: Vec<u64> = accounts.values().map(|guesses| guesses.last_ms).collect();
        times.sort_unstable();
        let middle = times[times.len() / 2];
        accounts.retain(|_, guesses| guesses.last_ms > middle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minutes(count: u64) -> u64 {
        count * MINUTE_MS
    }

    #[test]
    fn after_ten_wrong_passwords_each_further_one_doubles_the_wait() {
        let limits = AccountLimits::new(&Limits::DEFAULT);
        for nth in 1..10 {
            assert_eq!(limits.may_try("bren", 0), Ok(()), "{nth}");
            assert!(!limits.failed("bren", 0), "{nth}");
        }
        let mut now_ms = 0;
        for wait in [1, 2, 4, 8, 16, 32, 60, 60] {
            assert_eq!(limits.may_try("bren", now_ms), Ok(()));
            assert!(limits.failed("bren", now_ms));
            assert_eq!(limits.may_try("bren", now_ms), Err(BackOff { left_ms: minutes(wait) }));
            assert_eq!(limits.may_try("ada", now_ms), Ok(()), "others are not concerned");
            now_ms += minutes(wait);
        }
    }

    #[test]
    fn only_the_password_itself_or_a_day_ends_the_row() {
        let limits = AccountLimits::new(&Limits::DEFAULT);
        (0..9).for_each(|_| assert!(!limits.failed("bren", 0)));
        assert_eq!(limits.take_untold("bren"), 9);
        assert!(limits.failed("bren", 1), "that the owner was told ends no row");
        limits.succeeded("bren");
        assert_eq!(limits.may_try("bren", 1), Ok(()));
        (0..9).for_each(|_| assert!(!limits.failed("bren", 2)));
        assert!(!limits.failed("bren", 3 + ROW_MS), "they are too old to be in a row");
        assert_eq!(limits.take_untold("bren"), 11);
        assert_eq!(limits.take_untold("bren"), 0);
    }

    #[test]
    fn a_flood_of_accounts_is_bounded() {
        let limits = AccountLimits::new(&Limits::DEFAULT);
        for nth in 0..(ACCOUNTS_MAX as u64 + 10_000) {
            limits.failed(&format!("name{nth}"), nth);
        }
        assert!(limits.accounts.lock().len() <= ACCOUNTS_MAX);
        assert!(limits.take_untold(&format!("name{}", ACCOUNTS_MAX + 9_999)) == 1, "the newest are kept");
    }
}
