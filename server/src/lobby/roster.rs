//! Who is connected and plays, from where and since when: for the operator, who asks no database for it.
//!
//! Invariant: somebody is listed exactly as long as its [`Attendance`] lives.

use super::counts::Arrival;
use crate::store::sessions::Transport;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Somebody who plays, as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attending {
    /// As it was given at the login.
    pub name: String,
    pub transport: Transport,
    pub agent: bool,
    pub address: IpAddr,
    /// Since when it plays by this connection, Unix milliseconds; a hot restart begins it anew.
    pub since_ms: i64,
    /// When something came from it last, by the lobby's clock.
    pub heard_ms: u64,
}

impl Attending {
    /// "agent" or "person".
    pub fn kind(&self) -> &'static str {
        Arrival::new(self.transport, self.agent).kind
    }
}

/// All of them, in the order in which they came. Cloning shares it.
#[derive(Clone, Debug, Default)]
pub struct Roster(Arc<Mutex<Rows>>);

#[derive(Debug, Default)]
struct Rows {
    next: u64,
    by_number: BTreeMap<u64, (Attending, Arc<AtomicU64>)>,
}

/// Keeps somebody on the list.
#[derive(Debug)]
pub struct Attendance {
    roster: Roster,
    number: u64,
    heard_ms: Arc<AtomicU64>,
}

impl Attendance {
    /// Something came from it.
    pub fn heard(&self, now_ms: u64) {
        self.heard_ms.store(now_ms, Ordering::Relaxed);
    }
}

impl Drop for Attendance {
    fn drop(&mut self) {
        self.roster.0.lock().by_number.remove(&self.number);
    }
}

impl Roster {
    pub fn note(&self, who: Attending) -> Attendance {
        let mut rows = self.0.lock();
        let (number, heard_ms) = (rows.next, Arc::new(AtomicU64::new(who.heard_ms)));
        rows.next += 1;
        rows.by_number.insert(number, (who, heard_ms.clone()));
        Attendance { roster: self.clone(), number, heard_ms }
    }

    pub fn all(&self) -> Vec<Attending> {
        let rows = self.0.lock();
        let row = |(who, heard): &(Attending, Arc<AtomicU64>)| Attending {
            heard_ms: heard.load(Ordering::Relaxed),
            ..who.clone()
        };
        rows.by_number.values().map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn somebody_is_listed_while_it_plays() {
        let roster = Roster::default();
        let row = |name: &str| Attending {
            name: name.to_string(),
            transport: Transport::Telnet,
            agent: false,
            address: IpAddr::from([192, 0, 2, 1]),
            since_ms: 5,
            heard_ms: 1,
        };
        let ann = roster.note(row("Ann"));
        let bob = roster.note(row("Bob"));
        bob.heard(9);
        assert_eq!(roster.all(), [row("Ann"), Attending { heard_ms: 9, ..row("Bob") }]);
        drop(ann);
        assert_eq!(roster.all().len(), 1);
        drop(bob);
        assert!(roster.all().is_empty());
    }
}
