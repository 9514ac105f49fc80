//! What happens to the records of agents: the operator writes them, their owners and the agents themselves change them,
//! and their clients are told.
//!
//! What is kept is in `agent.rs`, the verbs are in `commands/agents.rs`. Invariant: whoever changes a record calls
//! `agent_changed`, so that its client is told.

mod authority;
mod views;

pub use views::AgentState;

use crate::agent::{AgentRecord, AgentTerms};
use crate::input::KnownPerson;
use crate::world::World;

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
        let kind = self.state.agents.kind(person);
        let looks_alike = kind == Some(record.kind);
        self.state.agents.put(person, record);
        self.agent_changed(person);
        if !looks_alike {
            let channels = self.state.channels.person(person).map(|person| person.channels.clone());
            channels.into_iter().flatten().for_each(|channel| self.changed(channel));
        }
    }

    /// The client of this agent is told of its record anew.
    pub(crate) fn agent_changed(&mut self, person: u32) {
        self.changed_agents.insert(person);
    }
}
