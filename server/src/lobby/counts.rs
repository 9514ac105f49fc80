//! What connections and the lobby count, for `/metrics`: sessions, logins, refusals.
//!
//! Invariant: only counts. What they mean together is told in `metrics`.

use crate::store::sessions::Transport;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use std::time::Instant;

/// By which transport somebody came, and as what.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct Arrival {
    /// The label is of before; dashboards know it by this name.
    pub door: &'static str,
    /// "agent" or "person".
    pub kind: &'static str,
}

impl Arrival {
    pub fn new(transport: Transport, agent: bool) -> Arrival {
        Arrival { door: transport.name(), kind: if agent { "agent" } else { "person" } }
    }
}

/// Why somebody was refused: a stable word.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct RefusalReason {
    pub reason: &'static str,
}

/// What connections and the lobby count.
#[derive(Debug)]
pub struct ConnectionCounts {
    pub began: Instant,
    /// Connections that are in the world now.
    pub sessions: Family<Arrival, Gauge>,
    pub logins: Family<Arrival, Counter>,
    pub logins_refused: Family<RefusalReason, Counter>,
    pub lockouts: Counter,
    /// Wrong passwords after which an account's next one had to wait.
    pub back_offs: Counter,
    pub characters_made: Counter,
    /// Commands that came faster than allowed.
    pub commands_refused: Counter,
}

impl Default for ConnectionCounts {
    fn default() -> ConnectionCounts {
        let counts = ConnectionCounts {
            began: Instant::now(),
            sessions: Family::default(),
            logins: Family::default(),
            logins_refused: Family::default(),
            lockouts: Counter::default(),
            back_offs: Counter::default(),
            characters_made: Counter::default(),
            commands_refused: Counter::default(),
        };
        // There from the start, at 0, so that a rate has something to begin with.
        for (transport, agent) in
            [(Transport::Telnet, false), (Transport::Websocket, false), (Transport::Websocket, true)]
        {
            let arrival = Arrival::new(transport, agent);
            drop(counts.sessions.get_or_create(&arrival));
            drop(counts.logins.get_or_create(&arrival));
        }
        counts
    }
}

impl ConnectionCounts {
    pub fn refuse(&self, reason: &'static str) {
        self.logins_refused.get_or_create(&RefusalReason { reason }).inc();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prometheus_client::registry::Registry;

    #[test]
    fn every_kind_of_session_is_there_before_anybody_comes() {
        let counts = ConnectionCounts::default();
        counts.refuse("wrong_password");
        counts.refuse("wrong_password");
        let mut registry = Registry::with_prefix("dp");
        registry.register("sessions", "S", counts.sessions.clone());
        registry.register("logins_refused", "R", counts.logins_refused.clone());
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &registry).expect("a String takes it");
        assert!(text.contains("dp_sessions{door=\"websocket\",kind=\"agent\"} 0\n"), "{text}");
        assert!(text.contains("dp_logins_refused_total{reason=\"wrong_password\"} 2\n"), "{text}");
    }
}
