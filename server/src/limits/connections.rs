//! How many connections there may be: from one address, from one network, and in all.
//!
//! A [`Slot`] is taken when a connection is accepted, before its first byte is read, and goes with it through
//! handshake, request and upgrade. Invariants: a slot is given back when it is dropped, and in no other way; with no
//! connection from an address nothing is remembered of it; the sum of all slots and farewells stays below the cap.

use super::Limits;
use super::origin::Origin;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Why there is no place for one more connection. The messages are for the caller.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectionRefusal {
    #[error("Too many connections from your address: at most {limit} at a time. Close one and try again.")]
    TooManyFromAddress { limit: u32 },
    #[error("Too many connections from your network: at most {limit} at a time. Try again later.")]
    TooManyFromNetwork { limit: u32 },
    #[error("Too many connections just now. Try again later.")]
    TooManyInAll,
    /// What the banned read.
    #[error("{0}")]
    Banned(String),
}

/// How many connections one caller has, and may have; `None`: any number.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Busy {
    /// An address, or the /64 of one.
    pub origin: String,
    pub play: u32,
    pub play_max: Option<u32>,
    pub requests: u32,
    pub requests_max: Option<u32>,
}

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A telnet connection or a WebSocket.
    Play,
    /// Handshakes and HTTP requests, until they are more.
    Request,
}

/// How many times as many connections one /48 may have as one address.
const NETWORK_FACTOR: u32 = 8;
/// Refused callers that are told so at a time; more are hung up on without a word.
const FAREWELLS_MAX: usize = 32;
/// Connections that only this machine may have: the operator comes in when everything else is taken.
const KEPT_FOR_OPERATOR: usize = 8;

/// Counts connections. Cloning shares the counts.
#[derive(Clone, Debug)]
pub struct ConnectionLimits {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    limits: Limits,
    by_origin: Mutex<HashMap<Origin, Counts>>,
    open: AtomicUsize,
    farewells: AtomicUsize,
    refused: AtomicU64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    play: u32,
    request: u32,
}

impl Counts {
    fn of(&mut self, purpose: Purpose) -> &mut u32 {
        match purpose {
            Purpose::Play => &mut self.play,
            Purpose::Request => &mut self.request,
        }
    }
}

impl ConnectionLimits {
    pub fn new(limits: &Limits) -> ConnectionLimits {
        ConnectionLimits {
            shared: Arc::new(Shared {
                limits: limits.clone(),
                by_origin: Mutex::default(),
                open: AtomicUsize::new(0),
                farewells: AtomicUsize::new(0),
                refused: AtomicU64::new(0),
            }),
        }
    }

    /// A place for a connection that was accepted. Drop it when the connection ends.
    pub fn connect(&self, address: IpAddr, purpose: Purpose) -> Result<Slot, ConnectionRefusal> {
        let mut slot = self.connect_through_proxy(address)?;
        match self.shared.count(address, purpose) {
            Ok(()) => {
                slot.counted = Some((address, purpose));
                Ok(slot)
            }
            Err(refusal) => {
                self.shared.refused.fetch_add(1, Ordering::Relaxed);
                Err(refusal)
            }
        }
    }

    /// A place for a connection whose caller is not known yet, because a trusted proxy brings it: counted in all only.
    pub fn connect_through_proxy(&self, proxy: IpAddr) -> Result<Slot, ConnectionRefusal> {
        let most = self.shared.limits.connections_max();
        let kept = if proxy.to_canonical().is_loopback() { 0 } else { KEPT_FOR_OPERATOR.min(most / 2) };
        let taken = self.shared.open.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |open| {
            (open < most.saturating_sub(FAREWELLS_MAX.min(most / 4)).saturating_sub(kept)).then_some(open + 1)
        });
        match taken {
            Ok(_) => Ok(Slot { shared: self.shared.clone(), counted: None }),
            Err(_) => {
                self.shared.refused.fetch_add(1, Ordering::Relaxed);
                Err(ConnectionRefusal::TooManyInAll)
            }
        }
    }

    /// A place for somebody who was let in by the program before: counted, and never refused.
    pub fn adopt(&self, address: IpAddr) -> Slot {
        self.shared.open.fetch_add(1, Ordering::Relaxed);
        self.shared.add(address, Purpose::Play);
        Slot { shared: self.shared.clone(), counted: Some((address, Purpose::Play)) }
    }

    /// Leave to tell somebody who was refused why; `None` where so many are told already that this one is not.
    pub fn farewell(&self) -> Option<Farewell> {
        let taken = self
            .shared
            .farewells
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| (count < FAREWELLS_MAX).then_some(count + 1));
        taken.ok().map(|_| Farewell { shared: self.shared.clone() })
    }

    /// Slots that are taken, for metrics.
    pub fn open(&self) -> u64 {
        self.shared.open.load(Ordering::Relaxed) as u64
    }

    /// Since the start, for metrics.
    pub fn refused(&self) -> u64 {
        self.shared.refused.load(Ordering::Relaxed)
    }

    /// Those who have the most, the most first; who has as many, in the order of their names.
    pub fn busiest(&self, most: usize) -> Vec<Busy> {
        let limit = |address, purpose| self.shared.limit(address, purpose);
        let by_origin = self.shared.by_origin.lock();
        let callers = by_origin.iter().filter(|(origin, _)| !origin.is_wide());
        let row = |(origin, counts): (&Origin, &Counts)| Busy {
            origin: origin.to_string(),
            play: counts.play,
            play_max: limit(origin.address(), Purpose::Play),
            requests: counts.request,
            requests_max: limit(origin.address(), Purpose::Request),
        };
        let mut rows: Vec<Busy> = callers.map(row).collect();
        drop(by_origin);
        rows.sort_by(|a, b| (b.play + b.requests).cmp(&(a.play + a.requests)).then_with(|| a.origin.cmp(&b.origin)));
        rows.truncate(most);
        rows
    }

    /// Addresses and networks that have a connection, for metrics.
    pub fn origins(&self) -> usize {
        self.shared.by_origin.lock().len()
    }
}

impl Shared {
    fn limit(&self, address: IpAddr, purpose: Purpose) -> Option<u32> {
        match purpose {
            Purpose::Play => self.limits.connections_from(address),
            Purpose::Request => self.limits.requests_from(address),
        }
    }

    /// Counts one more, or says why not and counts nothing.
    fn count(&self, address: IpAddr, purpose: Purpose) -> Result<(), ConnectionRefusal> {
        let limit = self.limit(address, purpose);
        let (origin, network) = (Origin::of(address), Origin::wide(address));
        let mut by_origin = self.by_origin.lock();
        let now = |origin: &Origin| by_origin.get(origin).copied().unwrap_or_default();
        if let Some(limit) = limit {
            if *now(&origin).of(purpose) >= limit {
                return Err(ConnectionRefusal::TooManyFromAddress { limit });
            }
            let limit = limit.saturating_mul(NETWORK_FACTOR);
            if network.is_some_and(|network| *now(&network).of(purpose) >= limit) {
                return Err(ConnectionRefusal::TooManyFromNetwork { limit });
            }
        }
        for origin in [Some(origin), network].into_iter().flatten() {
            *by_origin.entry(origin).or_default().of(purpose) += 1;
        }
        Ok(())
    }

    fn add(&self, address: IpAddr, purpose: Purpose) {
        let mut by_origin = self.by_origin.lock();
        for origin in [Some(Origin::of(address)), Origin::wide(address)].into_iter().flatten() {
            *by_origin.entry(origin).or_default().of(purpose) += 1;
        }
    }

    fn subtract(&self, address: IpAddr, purpose: Purpose) {
        let mut by_origin = self.by_origin.lock();
        for origin in [Some(Origin::of(address)), Origin::wide(address)].into_iter().flatten() {
            if let Entry::Occupied(mut entry) = by_origin.entry(origin) {
                *entry.get_mut().of(purpose) -= 1;
                if *entry.get() == Counts::default() {
                    entry.remove();
                }
            }
        }
    }
}

/// One connection's place.
#[derive(Debug)]
#[must_use = "dropping it gives the place back"]
pub struct Slot {
    shared: Arc<Shared>,
    /// What it is counted for; `None` before a proxy has told whose it is.
    counted: Option<(IpAddr, Purpose)>,
}

impl Slot {
    /// The connection is for something else from here on, or its caller is known now. Where that is refused, it stays
    /// what it was.
    pub fn become_for(&mut self, address: IpAddr, purpose: Purpose) -> Result<(), ConnectionRefusal> {
        if self.counted == Some((address, purpose)) {
            return Ok(());
        }
        self.shared.count(address, purpose).inspect_err(|_| {
            self.shared.refused.fetch_add(1, Ordering::Relaxed);
        })?;
        if let Some((address, purpose)) = self.counted.replace((address, purpose)) {
            self.shared.subtract(address, purpose);
        }
        Ok(())
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.shared.open.fetch_sub(1, Ordering::Relaxed);
        if let Some((address, purpose)) = self.counted {
            self.shared.subtract(address, purpose);
        }
    }
}

/// Leave to keep a refused connection open for a last word.
#[derive(Debug)]
#[must_use = "dropping it gives the place back"]
pub struct Farewell {
    shared: Arc<Shared>,
}

impl Drop for Farewell {
    fn drop(&mut self) {
        self.shared.farewells.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("the test wrote an address")
    }

    fn play(limits: &ConnectionLimits, address: &str) -> Result<Slot, ConnectionRefusal> {
        limits.connect(ip(address), Purpose::Play)
    }

    #[test]
    fn a_slot_comes_back_when_its_connection_ends() {
        let limits = ConnectionLimits::new(&Limits::DEFAULT);
        let mut slots: Vec<Slot> = (0..5).map(|_| play(&limits, "192.0.2.1").expect("five may connect")).collect();
        let refusal = play(&limits, "192.0.2.1").expect_err("the sixth may not");
        assert_eq!(refusal, ConnectionRefusal::TooManyFromAddress { limit: 5 });
        slots.push(play(&limits, "192.0.2.2").expect("others may"));
        drop(slots.swap_remove(0));
        slots.push(play(&limits, "192.0.2.1").expect("one place is free again"));
        assert!(play(&limits, "192.0.2.1").is_err());
        let died = std::thread::spawn(move || {
            let _slots = slots;
            panic!("this is a connection that dies in a panic");
        });
        assert!(died.join().is_err());
        assert_eq!((limits.open(), limits.origins()), (0, 0), "nothing is remembered of who is gone");
        let again: Vec<_> = (0..5).map(|_| play(&limits, "192.0.2.1")).collect();
        assert!(again.iter().all(Result::is_ok));
    }

    #[test]
    fn who_has_the_most_is_listed_first_and_networks_are_not() {
        let limits = ConnectionLimits::new(&Limits::DEFAULT);
        let _slots: Vec<_> =
            ["192.0.2.9", "2001:db8::1", "2001:db8::2"].map(|address| play(&limits, address).expect("a place")).into();
        let _page = limits.connect(ip("192.0.2.9"), Purpose::Request).expect("a place");
        let _more = limits.connect(ip("192.0.2.9"), Purpose::Request).expect("a place");
        let rows = limits.busiest(9);
        let told: Vec<_> = rows.iter().map(|row| (&*row.origin, row.play, row.requests)).collect();
        assert_eq!(told, [("192.0.2.9", 1, 2), ("2001:db8::/64", 2, 0)]);
        assert_eq!((rows[0].play_max, rows[0].requests_max), (Some(5), Some(16)));
        assert_eq!(limits.busiest(1).len(), 1);
    }

    #[test]
    fn requests_have_a_limit_of_their_own_and_become_play() {
        let limits = ConnectionLimits::new(&Limits::DEFAULT);
        let address = ip("192.0.2.1");
        let mut requests: Vec<Slot> =
            (0..16).map(|_| limits.connect(address, Purpose::Request).expect("a browser opens six")).collect();
        assert!(limits.connect(address, Purpose::Request).is_err());
        for (nth, slot) in requests.iter_mut().enumerate().take(6) {
            let became = slot.become_for(address, Purpose::Play);
            assert_eq!(became.is_ok(), nth < 5, "{nth}");
        }
        // Five places for requests are free again.
        let more: Vec<_> = (0..6).map(|_| limits.connect(address, Purpose::Request)).collect();
        assert_eq!(more.iter().filter(|slot| slot.is_ok()).count(), 5);
        assert_eq!(limits.open(), 21);
        drop((requests, more));
        assert_eq!((limits.open(), limits.origins()), (0, 0));
    }

    #[test]
    fn a_network_of_ipv6_has_a_limit_too() {
        let limits = ConnectionLimits::new(&Limits::DEFAULT);
        let slots: Vec<_> = (0..40).map(|nth| play(&limits, &format!("2001:db8:0:{nth:x}::1"))).collect();
        assert!(slots.iter().all(Result::is_ok), "each is the first of its /64");
        let refusal = play(&limits, "2001:db8:0:ff::1").expect_err("the network has its forty");
        assert_eq!(refusal, ConnectionRefusal::TooManyFromNetwork { limit: 40 });
        assert!(play(&limits, "2001:db8:1::1").is_ok(), "another network");
    }

    #[test]
    fn the_cap_over_all_keeps_places_for_the_operator_and_for_farewells() {
        let limits = ConnectionLimits::new(&Limits { connections: Some(100), ..Limits::DEFAULT });
        let slots: Vec<_> = (0..100_u8).map(|nth| play(&limits, &format!("192.0.2.{nth}"))).collect();
        let passed = slots.iter().filter(|slot| slot.is_ok()).count();
        assert_eq!(passed, 100 - 25 - KEPT_FOR_OPERATOR);
        assert!(matches!(slots.last(), Some(Err(ConnectionRefusal::TooManyInAll))));
        let operator: Vec<_> =
            (0..9).map(|_| limits.connect(ip("127.0.0.1"), Purpose::Request)).take_while(Result::is_ok).collect();
        assert_eq!(operator.len(), KEPT_FOR_OPERATOR);
        let farewells: Vec<_> = (0..100).filter_map(|_| limits.farewell()).collect();
        assert_eq!(farewells.len(), FAREWELLS_MAX);
        drop(farewells);
        assert!(limits.farewell().is_some());
    }

    #[test]
    fn who_was_in_before_is_counted_and_never_refused() {
        let limits = ConnectionLimits::new(&Limits::DEFAULT);
        let slots: Vec<Slot> = (0..7).map(|_| limits.adopt(ip("192.0.2.1"))).collect();
        assert!(play(&limits, "192.0.2.1").is_err());
        drop(slots);
        assert!(play(&limits, "192.0.2.1").is_ok());
    }

    #[test]
    fn what_a_proxy_brings_is_counted_for_who_is_behind_it() {
        let limits = ConnectionLimits::new(&Limits::DEFAULT);
        let mut slots: Vec<Slot> =
            (0..20).map(|_| limits.connect_through_proxy(ip("192.0.2.99")).expect("a proxy has many")).collect();
        for (nth, slot) in slots.iter_mut().enumerate() {
            let became = slot.become_for(ip("192.0.2.1"), Purpose::Play);
            assert_eq!(became.is_ok(), nth < 5, "{nth}");
        }
        assert!(play(&limits, "192.0.2.99").is_ok(), "the proxy itself has its own places");
    }
}
