//! Whose agents are whose, and who may do what to them.

use crate::channel::ChannelKind;
use crate::world::World;

impl World {
    /// The person whose agents somebody's agents are: an agent's owner, for everybody else itself. None for an agent of
    /// the operator's, who has no equals.
    pub fn owner_of(&self, person: u32) -> Option<u32> {
        match self.state.agents.get(person) {
            Some(record) => record.owner,
            None => Some(person),
        }
    }

    /// Both are the same person's, or one is the other's.
    pub fn has_owner_in_common(&self, one: u32, other: u32) -> bool {
        self.owner_of(one).is_some_and(|owner| self.owner_of(other) == Some(owner))
    }

    /// Both are in the same home or group. Channels of the content hold everybody, and a tell opens one between any
    /// two: these make nobody near.
    pub fn meets(&self, one: u32, other: u32) -> bool {
        let channels = |person: u32| self.state.channels.person(person).map(|person| &person.channels);
        let (Some(one), Some(other)) = (channels(one), channels(other)) else { return false };
        one.intersection(other).any(|id| {
            let kind = self.state.channels.get(*id).map(|channel| channel.kind);
            matches!(kind, Some(ChannelKind::Home | ChannelKind::Group))
        })
    }

    /// Whether somebody is shown what a record says, beyond whose it is: of oneself and of what has one's owner.
    pub fn reads_record(&self, reader: u32, person: u32) -> bool {
        reader == person || self.has_owner_in_common(reader, person)
    }

    /// Whether somebody knows that there is this agent: it is its own, its owner's, or near.
    pub fn knows_agent(&self, reader: u32, person: u32) -> bool {
        self.reads_record(reader, person) || self.meets(reader, person)
    }
}
