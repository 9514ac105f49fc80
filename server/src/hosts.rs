//! Which host holds which agent: a program that plays all agents of an owner claims each before it logs it in, so that
//! no two play the same.
//!
//! In the server's memory: after a start nobody holds anything, and who plays still is seen in the world. Invariants:
//! an agent has one holder; a claim outlives the connection of its holder for as long as the limit says, unless the
//! host left in order or its key was revoked; time comes in as milliseconds of a clock that does not run backwards.

use parking_lot::Mutex;
use std::collections::BTreeMap;

/// A connection of a host; no other of this run has the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct HostId(u64);

/// Another host holds the agent, or held it until a moment ago.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    /// It is still connected.
    pub lives: bool,
    /// When it may be worth a try again.
    pub wait_ms: u64,
}

/// How a host's connection ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parting {
    /// It said goodbye: its agents are free at once.
    InOrder,
    /// The connection broke: the host may be back, and its agents play on.
    Broken,
}

#[derive(Debug)]
pub struct Hosts {
    claims: Mutex<Claims>,
    hold_ms: u64,
}

#[derive(Debug, Default)]
struct Claims {
    next: u64,
    open: BTreeMap<HostId, Host>,
    /// By the agent's id.
    held: BTreeMap<u32, Hold>,
}

/// Who a host is: connections of one host are alike.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Host {
    key_id: i64,
    /// `None`: no other connection is this host's.
    instance: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Hold {
    by: HostId,
    host: Host,
    /// Set when the connection broke.
    until_ms: Option<u64>,
}

impl Hosts {
    /// `hold_ms`: how long claims outlive a connection that broke.
    pub fn new(hold_ms: u64) -> Hosts {
        Hosts { claims: Mutex::default(), hold_ms }
    }

    /// A host came in. What the same host held by an earlier connection is its again.
    pub fn open(&self, key_id: i64, instance: Option<String>, now_ms: u64) -> HostId {
        let mut claims = self.claims.lock();
        claims.sweep(now_ms);
        claims.next += 1;
        let (id, host) = (HostId(claims.next), Host { key_id, instance });
        if host.instance.is_some() {
            for hold in claims.held.values_mut().filter(|hold| hold.host == host) {
                (hold.by, hold.until_ms) = (id, None);
            }
        }
        claims.open.insert(id, host);
        id
    }

    /// The agent is this host's from now on, if it was nobody else's.
    pub fn claim(&self, by: HostId, agent: u32, now_ms: u64) -> Result<(), Held> {
        let mut claims = self.claims.lock();
        claims.sweep(now_ms);
        if let Some(hold) = claims.held.get(&agent).filter(|hold| hold.by != by) {
            let wait_ms = hold.until_ms.map_or(self.hold_ms, |until_ms| until_ms.saturating_sub(now_ms));
            return Err(Held { lives: hold.until_ms.is_none(), wait_ms });
        }
        if let Some(host) = claims.open.get(&by).cloned() {
            claims.held.insert(agent, Hold { by, host, until_ms: None });
        }
        Ok(())
    }

    /// The claim came to nothing.
    pub fn release(&self, by: HostId, agent: u32) {
        let mut claims = self.claims.lock();
        if claims.held.get(&agent).is_some_and(|hold| hold.by == by) {
            claims.held.remove(&agent);
        }
    }

    pub fn holds(&self, by: HostId, agent: u32) -> bool {
        self.claims.lock().held.get(&agent).is_some_and(|hold| hold.by == by)
    }

    /// The connection has ended.
    pub fn close(&self, by: HostId, parting: Parting, now_ms: u64) {
        let mut claims = self.claims.lock();
        claims.open.remove(&by);
        match parting {
            Parting::InOrder => claims.held.retain(|_, hold| hold.by != by),
            Parting::Broken => {
                let until_ms = Some(now_ms.saturating_add(self.hold_ms));
                claims.held.values_mut().filter(|hold| hold.by == by).for_each(|hold| hold.until_ms = until_ms);
            }
        }
    }

    /// The key of some hosts was revoked: they are hosts no more, and hold nothing.
    pub fn revoke(&self, key_id: i64) {
        let mut claims = self.claims.lock();
        claims.open.retain(|_, host| host.key_id != key_id);
        claims.held.retain(|_, hold| hold.host.key_id != key_id);
    }

    /// False once its key was revoked.
    pub fn is_open(&self, by: HostId) -> bool {
        self.claims.lock().open.contains_key(&by)
    }

    /// Connections of hosts.
    pub fn len(&self) -> usize {
        self.claims.lock().open.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Claims {
    fn sweep(&mut self, now_ms: u64) {
        self.held.retain(|_, hold| hold.until_ms.is_none_or(|until_ms| now_ms < until_ms));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOLD_MS: u64 = 60_000;

    fn named(name: &str) -> Option<String> {
        Some(name.to_string())
    }

    #[test]
    fn what_a_host_holds_no_other_gets_until_it_is_over() {
        let hosts = Hosts::new(HOLD_MS);
        let (one, other) = (hosts.open(1, named("a"), 0), hosts.open(1, named("b"), 0));
        assert_eq!((hosts.claim(one, 105, 0), hosts.claim(one, 105, 1)), (Ok(()), Ok(())), "its own again");
        assert_eq!(hosts.claim(other, 105, 10), Err(Held { lives: true, wait_ms: HOLD_MS }));
        hosts.close(one, Parting::Broken, 1_000);
        let held = |now_ms| hosts.claim(other, 105, now_ms);
        assert_eq!(held(11_000), Err(Held { lives: false, wait_ms: 50_000 }));
        assert_eq!(held(60_999), Err(Held { lives: false, wait_ms: 1 }));
        assert_eq!((held(61_000), hosts.holds(other, 105)), (Ok(()), true));
        hosts.close(other, Parting::InOrder, 70_000);
        let third = hosts.open(2, None, 70_000);
        assert_eq!(hosts.claim(third, 105, 70_000), Ok(()), "whoever says goodbye holds nothing");
        assert_eq!(hosts.len(), 1);
    }

    #[test]
    fn a_host_that_comes_back_has_what_it_held_and_its_old_connection_ends_nothing() {
        let hosts = Hosts::new(HOLD_MS);
        let old = hosts.open(1, named("a"), 0);
        assert_eq!(hosts.claim(old, 105, 0), Ok(()));
        // The server does not know yet that the old connection is dead.
        let new = hosts.open(1, named("a"), 5_000);
        assert!(hosts.holds(new, 105) && !hosts.holds(old, 105));
        hosts.close(old, Parting::Broken, 9_000);
        assert_eq!((hosts.holds(new, 105), hosts.claim(new, 105, 200_000)), (true, Ok(())));
        for (key_id, instance, why) in [(1, None, "no name is no host's"), (2, named("a"), "another key")] {
            let stranger = hosts.open(key_id, instance, 9_000);
            assert!(hosts.claim(stranger, 105, 9_000).is_err(), "{why}");
        }
    }

    #[test]
    fn with_its_key_a_host_loses_all_it_holds() {
        let hosts = Hosts::new(HOLD_MS);
        let (one, other) = (hosts.open(1, named("a"), 0), hosts.open(2, None, 0));
        assert_eq!((hosts.claim(one, 105, 0), hosts.claim(other, 106, 0)), (Ok(()), Ok(())));
        hosts.revoke(1);
        assert_eq!((hosts.is_open(one), hosts.is_open(other)), (false, true));
        assert_eq!(hosts.claim(other, 105, 1), Ok(()));
        assert_eq!(hosts.claim(one, 107, 1), Ok(()), "what it claims by then is nobody's");
        assert!(!hosts.holds(one, 107) && hosts.holds(other, 106));
        hosts.release(one, 106);
        assert!(hosts.holds(other, 106), "whoever holds nothing releases nothing");
        hosts.release(other, 106);
        assert!(!hosts.holds(other, 106));
    }
}
