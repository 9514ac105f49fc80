//! What happens to the records of agents: the operator writes them, their owners and the agents themselves change them,
//! and their clients are told.
//!
//! What is kept is in `agent/`, the verbs are in `commands/agents.rs`. Invariant: whoever changes a record calls
//! `agent_changed`, so that its client is told.

mod authority;
mod changes;
mod creation;
mod interval;
mod moments;
mod views;

pub use changes::Alteration;
pub use views::AgentState;

use crate::agent::{AgentRecord, AgentTerms};
use crate::input::KnownPerson;
use crate::world::World;

/// For who has no record, and wants to change it.
pub const NO_RECORD: &str = "Only agents have that, and you are not kept as one.";

impl World {
    /// What the operator says of somebody's record. Terms that no record keeps change nothing; the edge has said so.
    pub(crate) fn take_terms(&mut self, who: &KnownPerson, owner: Option<&KnownPerson>, terms: &AgentTerms) {
        if terms.check().is_err() {
            return;
        }
        let person = self.state.channels.admit(&who.name, None, who.person);
        let owner = owner.map(|owner| self.state.channels.admit(&owner.name, None, owner.person));
        let mut record = self.state.agents.get(person).cloned().unwrap_or_default();
        record.take(terms);
        record.owner = owner.or(record.owner);
        self.put_record(person, record);
    }

    /// The record of a person from now on. Who is in a channel with it sees what it is.
    fn put_record(&mut self, person: u32, record: AgentRecord) {
        let looks_alike = self.state.agents.kind(person) == Some(record.kind);
        self.state.agents.put(person, record);
        self.agent_changed(person);
        if !looks_alike {
            self.looks_changed(person);
        }
    }

    /// Who is in a channel with somebody is told anew who that is.
    fn looks_changed(&mut self, person: u32) {
        let channels = self.state.channels.person(person).map(|person| person.channels.clone());
        channels.into_iter().flatten().for_each(|channel| self.changed(channel));
    }

    /// So many ticks in words.
    pub fn span_in_words(&self, ticks: u64) -> String {
        moments::in_words(ticks)
    }

    /// The client of this agent is told of its record anew.
    pub(crate) fn agent_changed(&mut self, person: u32) {
        self.changed_agents.insert(person);
    }
}
