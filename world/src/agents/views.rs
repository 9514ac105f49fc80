//! How records look to those who read them: the payload of the frame `agent`, and what an agent is doing.

use crate::character::Link;
use crate::world::World;
use protocol::channel as wire;

/// What an agent is doing, as far as the world knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgentState {
    /// Nobody plays it.
    Away,
    Here,
    /// It is played, and does not think for a while.
    Asleep,
    Retired,
}

impl AgentState {
    pub const fn name(self) -> &'static str {
        match self {
            AgentState::Away => "away",
            AgentState::Here => "here",
            AgentState::Asleep => "asleep",
            AgentState::Retired => "retired",
        }
    }
}

impl World {
    /// The record of a person as its own client is told of it.
    pub fn agent_view(&self, person: u32) -> Option<wire::Agent> {
        let record = self.state.agents.get(person)?;
        Some(wire::Agent {
            id: person,
            name: self.display_name(person),
            kind: record.kind,
            model: record.model.clone(),
            seed: record.seed.clone(),
            guidelines: record.guidelines.clone(),
            tier: record.tier.clone(),
            in_format: record.in_format.clone(),
            out_format: record.out_format.clone(),
            may_create_agents: record.may_create_agents,
            think_ds: record.think_ds,
            sleep_until: record.sleep_until.filter(|until| self.tick() < *until),
            retired: record.retired,
        })
    }

    /// What an agent is doing; none for who has no record.
    pub fn agent_state(&self, person: u32) -> Option<AgentState> {
        let record = self.state.agents.get(person)?;
        let player = self.character_of(person).and_then(|who| self.character(who)?.player());
        let played = player.is_some_and(|player| player.link == Link::Linked);
        Some(match (record.retired, played, record.sleeps(self.tick())) {
            (true, ..) => AgentState::Retired,
            (false, false, _) => AgentState::Away,
            (false, true, true) => AgentState::Asleep,
            (false, true, false) => AgentState::Here,
        })
    }
}
