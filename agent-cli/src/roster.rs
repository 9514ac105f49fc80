//! Which of an owner's agents this host plays: what its server tells goes in, what is to be done comes out.
//!
//! Whoever nobody plays is claimed, one after the other, so that it is known to which claim an answer is; whoever is
//! retired or gone is stopped; what another client plays or another host holds is left alone. Invariants: pure,
//! times are given; never more agents than `agents_max`; an agent is played once at most.

use crate::call_queue::AgentId;
use protocol::ErrorCode;
use protocol::host::{AgentState, Agents, Claimed, Hosted};
use std::collections::BTreeMap;

/// Before a claim that was refused, or an agent that could not play, is tried again, unless the server says when.
const AGAIN_MS: u64 = 5_000;
/// Servers may say what they like.
const AGAIN_MAX_MS: u64 = 120_000;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Order {
    Claim(AgentId),
    /// With the name and token of its login.
    Start(Claimed, Box<Hosted>),
    Stop(AgentId),
    /// Its record is another one.
    Changed(Box<Hosted>),
}

#[derive(Debug)]
pub struct Roster {
    agents_max: usize,
    /// As the server told last.
    known: BTreeMap<AgentId, Hosted>,
    /// True: it was asked to stop.
    plays: BTreeMap<AgentId, bool>,
    claiming: Option<AgentId>,
    /// Not before then.
    again_ms: BTreeMap<AgentId, u64>,
    orders: Vec<Order>,
}

impl Roster {
    pub fn new(agents_max: usize) -> Roster {
        Roster {
            agents_max,
            known: BTreeMap::new(),
            plays: BTreeMap::new(),
            claiming: None,
            again_ms: BTreeMap::new(),
            orders: Vec::new(),
        }
    }

    /// A new connection to the server: what was asked on the old one is not answered any more.
    pub fn on_connect(&mut self) {
        self.claiming = None;
    }

    pub fn on_agents(&mut self, agents: Agents) {
        if agents.full {
            let listed: Vec<AgentId> = agents.agents.iter().map(|hosted| hosted.record.id).collect();
            self.known.retain(|id, _| listed.contains(id));
        }
        for id in agents.removed {
            self.known.remove(&id);
        }
        for hosted in agents.agents {
            let id = hosted.record.id;
            let changed = self.known.get(&id).is_some_and(|known| known.record != hosted.record);
            if changed && self.plays.contains_key(&id) {
                self.orders.push(Order::Changed(Box::new(hosted.clone())));
            }
            self.known.insert(id, hosted);
        }
        for (id, stops) in &mut self.plays {
            let over = self.known.get(id).is_none_or(|hosted| hosted.state == AgentState::Retired);
            if over && !*stops {
                *stops = true;
                self.orders.push(Order::Stop(*id));
            }
        }
    }

    pub fn on_claimed(&mut self, claimed: Claimed) {
        let id = claimed.id;
        if self.claiming == Some(id) {
            self.claiming = None;
        }
        // It may have been retired while the answer was on its way.
        if let Some(hosted) = self.known.get(&id).filter(|hosted| hosted.state != AgentState::Retired).cloned()
            && !self.plays.contains_key(&id)
        {
            self.plays.insert(id, false);
            self.orders.push(Order::Start(claimed, Box::new(hosted)));
        }
    }

    /// An `error` frame came. Returns the agent whose claim it refuses, if it is one.
    pub fn on_error(&mut self, code: ErrorCode, retry_after_ms: Option<u64>, now_ms: u64) -> Option<AgentId> {
        let id = self.claiming.take()?;
        let wait_ms = match code {
            // Frames are limited all together; nothing was said of this agent.
            ErrorCode::RateLimited => 1_000,
            _ => retry_after_ms.unwrap_or(AGAIN_MS).clamp(100, AGAIN_MAX_MS),
        };
        self.again_ms.insert(id, now_ms.saturating_add(wait_ms));
        Some(id)
    }

    /// An agent does not play any more, whatever the reason.
    pub fn on_ended(&mut self, id: AgentId, now_ms: u64) {
        self.plays.remove(&id);
        self.again_ms.insert(id, now_ms.saturating_add(AGAIN_MS));
    }

    /// What is to be done now, each once.
    pub fn orders(&mut self, now_ms: u64) -> Vec<Order> {
        let mut orders = std::mem::take(&mut self.orders);
        if self.claiming.is_none() && self.plays.len() < self.agents_max {
            let waits = |id: &AgentId| self.again_ms.get(id).is_some_and(|again_ms| now_ms < *again_ms);
            let free = |(id, hosted): &(&AgentId, &Hosted)| {
                hosted.state == AgentState::Dormant && !self.plays.contains_key(id) && !waits(id)
            };
            if let Some((id, _)) = self.known.iter().find(free) {
                self.claiming = Some(*id);
                self.again_ms.remove(id);
                orders.push(Order::Claim(*id));
            }
        }
        orders
    }

    /// Agents that are played here.
    pub fn playing(&self) -> usize {
        self.plays.len()
    }

    /// Agents that could be played, but for those that others play.
    pub fn known(&self) -> usize {
        self.known.values().filter(|hosted| hosted.state != AgentState::Retired).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::channel::{Agent, PersonKind};

    fn hosted(id: AgentId, state: AgentState) -> Hosted {
        let record =
            Agent { id, name: format!("A{id}").into(), kind: PersonKind::Bot, think_ds: 50, ..Agent::default() };
        Hosted { record, state }
    }

    fn all(agents: &[(AgentId, AgentState)]) -> Agents {
        let agents = agents.iter().map(|(id, state)| hosted(*id, *state)).collect();
        Agents { full: true, agents, removed: Vec::new() }
    }

    fn changed(agents: &[(AgentId, AgentState)], removed: &[AgentId]) -> Agents {
        Agents { full: false, removed: removed.to_vec(), ..all(agents) }
    }

    fn claimed(id: AgentId) -> Claimed {
        Claimed { id, name: format!("a{id}").into(), token: "t".into() }
    }

    /// The ids of what is to be done, by the first letter of the order.
    fn told(roster: &mut Roster, now_ms: u64) -> String {
        let word = |order: &Order| match order {
            Order::Claim(id) => format!("c{id}"),
            Order::Start(claimed, _) => format!("s{}", claimed.id),
            Order::Stop(id) => format!("e{id}"),
            Order::Changed(hosted) => format!("n{}", hosted.record.id),
        };
        roster.orders(now_ms).iter().map(word).collect::<Vec<_>>().join(" ")
    }

    use AgentState::{Asleep, Dormant, Retired, Running};

    #[test]
    fn whoever_nobody_plays_is_claimed_one_after_the_other() {
        let mut roster = Roster::new(2);
        assert_eq!(told(&mut roster, 0), "", "an owner without agents");
        roster.on_agents(all(&[(1, Running), (2, Dormant), (3, Retired), (4, Asleep), (5, Dormant), (6, Dormant)]));
        assert_eq!(told(&mut roster, 0), "c2");
        assert_eq!(told(&mut roster, 0), "", "one claim at a time");
        roster.on_claimed(claimed(2));
        assert_eq!(told(&mut roster, 0), "s2 c5");
        roster.on_claimed(claimed(5));
        assert_eq!((told(&mut roster, 0), roster.playing()), ("s5".into(), 2), "no more than two");
        roster.on_ended(2, 1_000);
        assert_eq!(told(&mut roster, 1_000), "c6", "the place is free; who has just ended waits");
        roster.on_claimed(claimed(6));
        roster.on_ended(5, 2_000);
        assert_eq!(told(&mut roster, 6_000), "s6 c2", "and is tried again");
    }

    #[test]
    fn the_retired_and_the_gone_are_stopped_once_and_new_ones_taken() {
        let mut roster = Roster::new(9);
        roster.on_agents(all(&[(1, Dormant), (2, Dormant)]));
        for id in [1, 2] {
            told(&mut roster, 0);
            roster.on_claimed(claimed(id));
        }
        assert_eq!(told(&mut roster, 0), "s2");
        roster.on_agents(changed(&[(1, Running), (2, Running)], &[]));
        assert_eq!(told(&mut roster, 0), "", "they run here");
        roster.on_agents(changed(&[(1, Retired), (3, Dormant)], &[]));
        assert_eq!(told(&mut roster, 0), "e1 c3");
        roster.on_agents(changed(&[(1, Retired)], &[2]));
        assert_eq!(told(&mut roster, 0), "e2");
        roster.on_ended(1, 10);
        roster.on_agents(changed(&[(1, Dormant)], &[]));
        roster.on_agents(changed(&[(3, Retired)], &[]));
        roster.on_claimed(claimed(3));
        assert_eq!(told(&mut roster, 20), "", "it was retired on the way, and the restored one waits its time");
        assert_eq!(told(&mut roster, 6_000), "c1", "restored");
    }

    #[test]
    fn a_claim_that_is_refused_is_made_again_when_the_server_says() {
        let mut roster = Roster::new(9);
        roster.on_agents(all(&[(1, Dormant), (2, Dormant)]));
        assert_eq!(told(&mut roster, 0), "c1");
        assert_eq!(roster.on_error(ErrorCode::Held, Some(41_000), 0), Some(1));
        assert_eq!(told(&mut roster, 0), "c2", "the others do not wait for it");
        assert_eq!(roster.on_error(ErrorCode::InUse, None, 10), Some(2));
        assert_eq!(roster.on_error(ErrorCode::Internal, None, 10), None, "an error that answers no claim");
        assert_eq!((told(&mut roster, 5_009), told(&mut roster, 5_010)), ("".into(), "c2".into()));
        roster.on_connect();
        assert_eq!(told(&mut roster, 41_000), "c1", "what was asked on the old connection is not answered any more");
        assert_eq!(roster.on_error(ErrorCode::Held, Some(u64::MAX), 41_000), Some(1));
        assert_eq!(told(&mut roster, 41_000), "c2");
        roster.on_claimed(claimed(2));
        assert_eq!((told(&mut roster, 160_999), told(&mut roster, 161_000)), ("s2".into(), "c1".into()));
    }

    #[test]
    fn whose_record_changes_while_it_plays_is_told_so() {
        let mut roster = Roster::new(9);
        roster.on_agents(all(&[(1, Dormant)]));
        told(&mut roster, 0);
        roster.on_claimed(claimed(1));
        assert_eq!(told(&mut roster, 0), "s1");
        roster.on_agents(all(&[(1, Running)]));
        assert_eq!(told(&mut roster, 0), "", "that it runs is no change of its record");
        let mut other = hosted(1, Running);
        other.record.model = Some("m-2".into());
        roster.on_agents(Agents { full: false, agents: vec![other], removed: Vec::new() });
        assert_eq!(told(&mut roster, 0), "n1");
    }
}
