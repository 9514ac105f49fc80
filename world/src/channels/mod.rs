//! What happens in channels: persons come and go, words are said or wait for their account, members join and leave.
//!
//! What is kept of it is in `channel/`, the verbs are in `commands/`, and what frames tell is in `views.rs`. Whoever
//! changes a channel calls `changed`, so that programs are told.
//! Invariant: a message is made by `posting` only, and what it costs is paid there.

mod access;
mod architect;
mod membership;
mod message;
mod naming;
mod notices;
mod owners;
pub(crate) mod persons;
mod posting;
mod reactions;
mod reference;
mod reports;
mod views;

pub use membership::Left;
pub(crate) use membership::for_people_only;
pub use message::remembered;
pub use reports::{Parts, ReportKind, parts as report_parts};

use crate::arena::CharacterId;
use crate::channel::{Channel, ChannelKind};
use crate::world::World;
use content::Text;
use protocol::channel::{ARCHITECT, CONTENT_CHANNEL_MAX};

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
        let person = match person {
            ARCHITECT => self.state.agents.architect()?,
            person => person,
        };
        self.find_player(&self.state.channels.person(person)?.name)
    }

    /// A channel of the content, or a home, has its kind before its first use.
    pub fn channel_kind(&self, id: u32) -> ChannelKind {
        match self.state.channels.get(id) {
            Some(channel) => channel.kind,
            None if is_content(id) => ChannelKind::Global,
            None => ChannelKind::Home,
        }
    }

    /// What a reader calls a channel.
    pub fn channel_name(&self, id: u32, reader: u32) -> Text {
        if let Some((_, row)) = self.content.channel_numbered(id) {
            return row.name.clone();
        }
        match self.state.channels.get(id) {
            Some(channel) if channel.kind == ChannelKind::Direct => {
                let acquainted = channel.members.get(&reader).is_none_or(|member| member.acquainted);
                match self.other_of(id, reader) {
                    Some(other) if acquainted => self.display_name(other),
                    Some(_) => "Someone".into(),
                    None => "nobody".into(),
                }
            }
            Some(channel) if channel.kind == ChannelKind::Group => channel.name.clone(),
            // Whoever is The Architect has a home of its own beside that one.
            _ => match self.state.channels.person(id) {
                Some(person) => format!("{}'s home", person.display).into(),
                None => format!("{}'s home", self.display_name(id)).into(),
            },
        }
    }

    /// The other one of a direct channel.
    pub(crate) fn other_of(&self, id: u32, person: u32) -> Option<u32> {
        let channel = self.state.channels.get(id).filter(|channel| channel.kind == ChannelKind::Direct)?;
        channel.members.keys().copied().find(|member| *member != person)
    }

    /// A member of a direct channel knows from now on who the other is.
    pub(crate) fn acquaint(&mut self, id: u32, person: u32) {
        let there = |channel: &Channel| channel.members.get(&person).is_some_and(|member| !member.acquainted);
        if !self.state.channels.get(id).is_some_and(there) {
            return;
        }
        if let Some(member) = self.state.channels.member_mut(id, person) {
            member.acquainted = true;
        }
        self.changed_for(person, id);
    }

    /// As a person is shown; for who is gone for good, as much as is known.
    pub fn display_name(&self, person: u32) -> Text {
        match self.state.channels.person(person) {
            _ if person == ARCHITECT || self.state.agents.architect() == Some(person) => "The Architect".into(),
            Some(person) => person.display.clone(),
            None => format!("#{person}").into(),
        }
    }

    /// As a person is shown, with the id that goes with it: The Architect's is 0.
    pub(crate) fn name_and_id(&self, person: u32) -> String {
        let id = if self.state.agents.architect() == Some(person) { ARCHITECT } else { person };
        format!("{} ({id})", self.display_name(person))
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
            if kind == ChannelKind::Home && id != ARCHITECT {
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
