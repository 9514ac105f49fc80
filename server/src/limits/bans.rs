//! Who is kept out, by name or by network, until when and why: what the server holds of it in memory, so that an accept
//! asks no database.
//!
//! `moderation.rs` makes and ends bans and keeps them in the table. Invariants: no ban has this machine's own address,
//! from which the operator comes; what is over by the clock that the caller reads counts no more.

use super::origin::Network;
use parking_lot::RwLock;
use std::collections::HashMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

/// Bans at a time: each accept looks at all that are networks.
pub const BANS_MAX: usize = 1_000;
/// Characters of a reason.
pub const REASON_CHARS: usize = 200;

/// Who is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Banned {
    /// A canonical name.
    Name(String),
    Network(Network),
}

impl Banned {
    /// A network where it reads as one, else a name as it was typed. `Err`: what is wrong with it.
    pub fn parse(text: &str) -> Result<Banned, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err("whom? Give a name, an address or a network, such as 192.0.2.0/24".to_string());
        }
        if text.contains(['.', ':', '/']) {
            let network: Network = text.parse()?;
            let own = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
            if own.into_iter().any(|address| network.contains(address)) {
                return Err(format!("{network} has this machine's own address, by which the operator comes in"));
            }
            // As it is kept and compared: by its first address.
            return Ok(Banned::Network(network.to_string().parse()?));
        }
        let name = protocol::names::check_name(text).map_err(|why| why.to_string())?;
        Ok(Banned::Name(name.to_ascii_lowercase()))
    }
}

impl fmt::Display for Banned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Banned::Name(name) => f.write_str(name),
            Banned::Network(network) => network.fmt(f),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ban {
    pub who: Banned,
    /// Unix milliseconds; `None`: for good.
    pub until: Option<i64>,
    /// May be empty.
    pub reason: String,
    pub by: String,
    /// Since when.
    pub at: i64,
}

impl Ban {
    pub fn holds(&self, now_ms: i64) -> bool {
        self.until.is_none_or(|until| now_ms < until)
    }
}

/// All that hold, and from where those come who play. Cloning shares them.
#[derive(Clone, Debug, Default)]
pub struct Bans {
    held: Arc<RwLock<Vec<Ban>>>,
    /// By canonical name.
    present: Arc<RwLock<HashMap<String, IpAddr>>>,
}

/// Somebody plays from an address, as long as this lives.
#[derive(Debug)]
pub struct Presence {
    bans: Bans,
    name: String,
    address: IpAddr,
}

impl Drop for Presence {
    fn drop(&mut self) {
        let mut present = self.bans.present.write();
        // Who was taken over is there from the other address.
        if present.get(&self.name) == Some(&self.address) {
            present.remove(&self.name);
        }
    }
}

impl Bans {
    pub fn set(&self, bans: Vec<Ban>) {
        *self.held.write() = bans;
    }

    /// Notes from where somebody of a canonical name plays.
    pub fn arrive(&self, name: &str, address: IpAddr) -> Presence {
        self.present.write().insert(name.to_string(), address);
        Presence { bans: self.clone(), name: name.to_string(), address }
    }

    /// Who plays from there, in order.
    pub fn present_in(&self, network: Network) -> Vec<String> {
        let present = self.present.read();
        let mut names: Vec<String> =
            present.iter().filter(|(_, address)| network.contains(**address)).map(|(name, _)| name.clone()).collect();
        names.sort();
        names
    }

    pub fn all(&self, now_ms: i64) -> Vec<Ban> {
        self.held.read().iter().filter(|ban| ban.holds(now_ms)).cloned().collect()
    }

    /// The ban that keeps an address out.
    pub fn of_address(&self, address: IpAddr, now_ms: i64) -> Option<Ban> {
        let meant = |ban: &&Ban| matches!(ban.who, Banned::Network(network) if network.contains(address));
        self.held.read().iter().filter(|ban| ban.holds(now_ms)).find(meant).cloned()
    }

    /// The ban that keeps somebody of a canonical name out.
    pub fn of_name(&self, name: &str, now_ms: i64) -> Option<Ban> {
        let meant = |ban: &&Ban| matches!(&ban.who, Banned::Name(banned) if banned == name);
        self.held.read().iter().filter(|ban| ban.holds(now_ms)).find(meant).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ban(who: &str, until: Option<i64>) -> Ban {
        let who = Banned::parse(who).expect("a good target");
        Ban { who, until, reason: String::new(), by: "Ann".to_string(), at: 0 }
    }

    #[test]
    fn a_target_is_a_name_or_a_network_that_leaves_the_operator_in() {
        assert_eq!(Banned::parse("bOB"), Ok(Banned::Name("bob".to_string())));
        assert_eq!(Banned::parse("192.0.2.7").map(|who| who.to_string()), Ok("192.0.2.7".to_string()));
        for wrong in ["", "192.0.2.", "192.0.2.0/40", "x y", "127.0.0.1", "127.0.0.0/8", "0.0.0.0/0", "::1", "::/0"] {
            assert!(Banned::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_ban_holds_for_its_own_and_until_its_end() {
        let bans = Bans::default();
        bans.set(vec![ban("bob", None), ban("192.0.2.0/24", Some(100)), ban("2001:db8::/48", None)]);
        let ip = |text: &str| text.parse::<IpAddr>().expect("an address");
        assert!(bans.of_name("bob", 0).is_some() && bans.of_name("bobby", 0).is_none());
        for (address, now_ms, banned) in [
            ("192.0.2.9", 99, true),
            ("::ffff:192.0.2.9", 99, true),
            ("192.0.2.9", 100, false),
            ("192.0.3.9", 0, false),
            ("2001:db8:0:7::1", 0, true),
            ("2001:db9::1", 0, false),
        ] {
            assert_eq!(bans.of_address(ip(address), now_ms).is_some(), banned, "{address} at {now_ms}");
        }
        assert_eq!(bans.all(100).len(), 2);
    }
}
