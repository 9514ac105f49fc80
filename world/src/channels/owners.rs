//! Whose a channel is: what The Architect owns is whoever's who is it just now.

use crate::channel::Channel;
use crate::world::World;
use protocol::channel::ARCHITECT;

impl World {
    /// The number by which a person would own a channel: what The Architect owns is whoever's who is it.
    pub(crate) fn as_owner(&self, channel: &Channel, person: u32) -> u32 {
        let is_architect = channel.owner == Some(ARCHITECT) && self.state.agents.architect() == Some(person);
        if is_architect { ARCHITECT } else { person }
    }

    /// The id from which on a reader may see messages of a channel.
    pub(crate) fn seen_from(&self, channel: &Channel, reader: u32) -> u64 {
        match self.as_owner(channel, reader) {
            ARCHITECT => 0,
            _ => channel.seen_from(reader),
        }
    }
}
