//! Whose a channel is: what The Architect owns is whoever's who is it just now.

use crate::channel::{Channel, ChannelKind};
use crate::world::World;
use protocol::channel::ARCHITECT;

impl World {
    pub(crate) fn owns(&self, person: u32, channel: &Channel) -> bool {
        match channel.owner {
            Some(ARCHITECT) => self.state.agents.architect() == Some(person),
            owner => owner == Some(person),
        }
    }

    /// The id from which on a reader may see messages: the owner all, everybody else those since its joining.
    pub(crate) fn seen_from(&self, channel: &Channel, reader: u32) -> u64 {
        match channel.members.get(&reader) {
            Some(member) if channel.kind != ChannelKind::Global && !self.owns(reader, channel) => member.joined + 1,
            _ => 0,
        }
    }
}
