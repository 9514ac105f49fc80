//! What happens in channels: persons come and go, words are said or wait for their account, members join and leave.
//!
//! What is kept of it is in `channel/`, the verbs are in `commands/`, and what frames tell is in `views.rs`. Whoever
//! changes a channel calls `changed`, so that programs are told.
//! Invariant: a message is made by `posting` only, and what it costs is paid there.

mod access;
mod membership;
mod message;
mod notices;
mod persons;
mod posting;
mod reactions;
mod reference;
mod views;

pub use membership::Left;
pub use posting::Uttered;
pub use reference::{ChannelWord, MessageWord};

use crate::arena::CharacterId;
use crate::channel::{Channel, ChannelKind};
use crate::world::World;
use content::Text;
use protocol::channel::CONTENT_CHANNEL_MAX;

/// A channel of the content, by its number.
pub(crate) fn is_content(id: u32) -> bool {
    (1..=CONTENT_CHANNEL_MAX).contains(&id)
}

impl World {
    /// The person that a character is; none for mobs.
    pub fn person_of(&self, who: CharacterId) -> Option<u32> {
        self.character(who)?.player()?.person
    }

    /// The character of a person that is in the world.
    pub fn character_of(&self, person: u32) -> Option<CharacterId> {
        self.find_player(&self.state.channels.person(person)?.name)
    }

    /// What a reader calls a channel.
    pub fn channel_name(&self, id: u32, reader: u32) -> Text {
        if let Some((_, row)) = self.content.channel_numbered(id) {
            return row.name.clone();
        }
        match self.state.channels.get(id) {
            Some(channel) if channel.kind == ChannelKind::Direct => {
                let other = channel.members.keys().find(|member| **member != reader);
                other.map_or_else(|| "nobody".into(), |other| self.display_name(*other))
            }
            Some(channel) if channel.kind == ChannelKind::Group => channel.name.clone(),
            _ => format!("{}'s home", self.display_name(id)).into(),
        }
    }

    /// As a person is shown; for who is gone for good, as much as is known.
    pub fn display_name(&self, person: u32) -> Text {
        match self.state.channels.person(person) {
            Some(person) => person.display.clone(),
            None if person == protocol::channel::ARCHITECT => "The Architect".into(),
            None => format!("#{person}").into(),
        }
    }

    /// The channel as it is in the state; one of the content begins with its first use.
    pub(crate) fn channel_in_use(&mut self, id: u32) -> &mut Channel {
        let tick = self.tick();
        if self.state.channels.get(id).is_none() {
            let (kind, owner, wpm) = match self.content.channel_numbered(id) {
                Some((_, row)) => (ChannelKind::Global, None, row.wpm),
                None => (ChannelKind::Home, Some(id), crate::channel::pace::WPM),
            };
            self.state.channels.open(id, Channel::new(kind, owner, wpm, tick));
            if kind == ChannelKind::Home {
                self.state.channels.join(id, id, tick);
                self.changed(id);
            }
        }
        self.state.channels.get_mut(id).expect("it was put there")
    }

    /// All members who are here are told anew of a channel.
    pub(crate) fn changed(&mut self, id: u32) {
        if is_content(id) {
            return;
        }
        let members: Vec<u32> =
            self.state.channels.get(id).map(|channel| channel.members.keys().copied().collect()).unwrap_or_default();
        for member in members {
            self.changed_for(member, id);
        }
    }

    /// One reader is told anew of a channel.
    pub(crate) fn changed_for(&mut self, person: u32, id: u32) {
        if let Some(who) = self.character_of(person) {
            self.changed_channels.insert((who, id));
        }
    }
}
