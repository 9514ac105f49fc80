//! Whose agents are whose, and who may do what to them.

use crate::channel::ChannelKind;
use crate::refusal::Done;
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
        reader == person || self.is_architect(reader) || self.has_owner_in_common(reader, person)
    }

    /// Whether somebody knows that there is this agent: it is its own, its owner's, or near.
    pub fn knows_agent(&self, reader: u32, person: u32) -> bool {
        self.reads_record(reader, person) || self.meets(reader, person)
    }

    /// Whether nobody may come in by this name, since it is that of an agent that was retired.
    pub fn is_retired(&self, name: &str) -> bool {
        let record = self.state.channels.named(name).and_then(|person| self.state.agents.get(person));
        record.is_some_and(|record| record.retired)
    }

    pub fn is_architect(&self, person: u32) -> bool {
        self.state.agents.architect() == Some(person)
    }

    /// Whether somebody may make agents, and alter and retire those of its owner's.
    pub fn makes_agents(&self, person: u32) -> bool {
        self.is_architect(person)
            || match self.state.agents.get(person) {
                Some(record) => record.may_create_agents,
                None => self.state.agents.is_permitted(person),
            }
    }

    pub(crate) fn only_architect(&self, person: u32) -> Done {
        match self.is_architect(person) {
            true => Ok(()),
            false => Err("That is The Architect's to say.".into()),
        }
    }

    /// Somebody is near enough to an agent to wake, alter or retire it.
    pub(crate) fn is_near(&self, by: u32, agent: u32) -> Done {
        match self.is_architect(by) || self.meets(by, agent) {
            true => Ok(()),
            false => Err(format!(
                "{} is not near: you are in no home and no group together. (channel invite {agent})",
                self.display_name(agent)
            )
            .into()),
        }
    }

    /// Somebody may alter and retire this agent.
    pub(crate) fn may_manage(&self, by: u32, agent: u32) -> Done {
        if self.is_architect(agent) {
            return Err("The Architect is altered and retired by nobody.".into());
        }
        if by == agent {
            return Err("That is for others to do. What you keep to is yours: guideline set".into());
        }
        if self.is_architect(by) {
            return Ok(());
        }
        if !self.makes_agents(by) {
            return Err("You may not alter or retire agents; The Architect permits it.".into());
        }
        if !self.has_owner_in_common(by, agent) {
            return Err(format!("{} is somebody else's agent.", self.display_name(agent)).into());
        }
        self.is_near(by, agent)
    }
}
