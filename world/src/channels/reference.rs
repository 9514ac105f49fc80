//! Which channel, message or person a typed word means.
//!
//! Invariant: who may not know of something gets the same answer as where there is none.

use super::is_content;
use crate::channel::{ChannelKind, Message, MessageKind, names};
use crate::refusal::Refusal;
use crate::world::World;
use protocol::channel::ARCHITECT;
use std::sync::Arc;

/// A number, with or without a `#`.
fn number<T: std::str::FromStr>(word: &str) -> Option<T> {
    word.strip_prefix('#').unwrap_or(word).parse().ok()
}

/// The word as an answer repeats it.
fn quoted(word: &str) -> String {
    let short: String = word.chars().take(40).collect();
    format!("\"{short}\"")
}

impl World {
    /// A person by its id, its canonical name or the name that is shown, whole and in any case.
    pub fn person_named(&self, word: &str) -> Option<u32> {
        if let Some(id) = number::<u32>(word) {
            let id = if id == ARCHITECT { self.state.agents.architect()? } else { id };
            return self.state.channels.person(id).map(|_| id);
        }
        if matches!(&*names::folded(word), "architect" | "thearchitect") {
            return self.state.agents.architect();
        }
        self.state.channels.called(word)
    }

    /// A person, by a first name that is shown too, or the sentence that there is none.
    pub(crate) fn person_word(&self, word: &str) -> Result<u32, Refusal> {
        if word.is_empty() {
            return Err("Whom do you mean?".into());
        }
        let found = self.person_named(word).or_else(|| self.state.channels.called_first(word));
        found.ok_or_else(|| format!("Nobody here is called {}.", quoted(word)).into())
    }

    /// Whether a channel is one of somebody's: as a member, or as one who has not left what is everybody's.
    pub fn is_member(&self, person: u32, id: u32) -> bool {
        match self.content.channel_numbered(id) {
            Some((_, row)) => {
                let player = self.character_of(person).and_then(|who| self.character(who)?.player());
                let program = player.map_or_else(|| self.is_program(person), |player| player.agent);
                player.is_none_or(|player| !player.deaf_to.contains(&*row.setting)) && !(row.people_only && program)
            }
            None => id == person || self.state.channels.get(id).is_some_and(|c| c.members.contains_key(&person)),
        }
    }

    /// Any channel by its id, its name, or its owner: whether it is the reader's is not asked. A home needs no use.
    pub fn any_channel(&self, reader: u32, word: &str) -> Option<u32> {
        if let Some(id) = number::<u32>(word) {
            let there = self.content.channel_numbered(id).is_some()
                || self.state.channels.get(id).is_some()
                || self.state.channels.person(id).is_some()
                || id == ARCHITECT;
            return there.then_some(id);
        }
        if word.eq_ignore_ascii_case("home") {
            return Some(reader);
        }
        let row = self.content.channels.iter().find(|row| row.name.eq_ignore_ascii_case(word));
        if let Some(row) = row {
            return Some(row.id);
        }
        let folded = names::folded(word);
        if folded.is_empty() {
            return None;
        }
        // Groups of one's own before others'.
        let named = |id: &u32| {
            self.state
                .channels
                .get(*id)
                .is_some_and(|channel| channel.kind == ChannelKind::Group && names::folded(&channel.name) == folded)
        };
        let mine = self.state.channels.person(reader).into_iter().flat_map(|person| person.channels.iter().copied());
        let group = mine.into_iter().find(named).or_else(|| self.state.channels.iter().map(|(id, _)| id).find(named));
        group.or_else(|| self.person_named(word))
    }

    /// A channel of the reader's.
    pub(crate) fn channel_word(&self, reader: u32, word: &str) -> Result<u32, Refusal> {
        if word.is_empty() {
            return Err("Which channel? Its number, its name, or whose home it is; channel lists yours.".into());
        }
        let is_mine = |id: &u32| self.is_member(reader, *id);
        // A tell's channel is listed by the other's name.
        let told = || self.person_named(word).and_then(|other| self.state.channels.direct(reader, other));
        let found = self.any_channel(reader, word).filter(is_mine).or_else(|| told().filter(is_mine));
        found.ok_or_else(|| format!("You have no channel {}; channel lists yours.", quoted(word)).into())
    }

    /// A message that the reader may see: by its id, `last` for the newest of somebody else, or a person for what it
    /// said last to the reader alone, else among few, else to everybody, so that no answer goes to more than heard the
    /// question; behind an `@`, the channel that it has to be in. With its channel.
    pub(crate) fn message_word(&self, reader: u32, word: &str) -> Result<(u32, u64), Refusal> {
        if let Some((word, channel)) = word.split_once('@') {
            let wanted = self.channel_word(reader, channel)?;
            let (channel, id) = self.message_word(reader, word)?;
            return match channel == wanted {
                true => Ok((channel, id)),
                false => {
                    let name = |id: u32| self.channel_name(id, reader);
                    Err(format!("#{id} is in {channel} {}, not in {wanted} {}.", name(channel), name(wanted)).into())
                }
            };
        }
        let none = || Refusal::from(format!("You have no message {}.", quoted(word)));
        if let Some(id) = number::<u64>(word) {
            let (channel, message) = self.state.channels.message(id).ok_or_else(none)?;
            let visible = self.is_member(reader, channel)
                && self.state.channels.get(channel).is_some_and(|c| id >= self.seen_from(c, reader));
            return if visible && message.id == id { Ok((channel, id)) } else { Err(none()) };
        }
        let by = match word.eq_ignore_ascii_case("last") {
            true => None,
            false => Some(self.person_named(word).ok_or_else(none)?),
        };
        self.newest_message(reader, by).ok_or_else(|| match by {
            None => "Nobody else has said anything yet in a channel of yours.".into(),
            Some(by) => format!("{} has said nothing yet in a channel of yours.", self.display_name(by)).into(),
        })
    }

    /// The newest message of somebody else that the reader may see, with its channel; `by`: of whom.
    fn newest_message(&self, reader: u32, by: Option<u32>) -> Option<(u32, u64)> {
        let reader_here = self.character_of(reader);
        let newest_of = |id: u32| {
            let channel = self.state.channels.get(id)?;
            let from = self.seen_from(channel, reader);
            let fits = |sender: Option<u32>| match by {
                Some(by) => sender == Some(by),
                None => sender != Some(reader),
            };
            let ignored = |message: &&Arc<Message>| reader_here.is_some_and(|who| self.ignores_message(who, message));
            let newest_first = channel.messages.iter().rev().take_while(|message| message.id >= from);
            let found = newest_first
                .filter(|message| !ignored(message))
                .find(|message| message.kind == MessageKind::Text && !message.hidden && fits(message.sender.id))?;
            Some((id, found.id))
        };
        let heard_by_few = |channel: u32| match self.channel_kind(channel) {
            _ if by.is_none() => 0,
            ChannelKind::Direct => 2,
            ChannelKind::Global => 0,
            ChannelKind::Home | ChannelKind::Group => 1,
        };
        let newest = self.channels_of(reader).into_iter().filter_map(newest_of);
        newest.max_by_key(|(channel, message)| (heard_by_few(*channel), *message))
    }

    /// The channel is one that a verb about members, keys and owners can be about.
    pub(crate) fn own_kind(&self, id: u32) -> Result<(), Refusal> {
        match is_content(id) {
            true => Err("That channel is everybody's: nobody owns it.".into()),
            false => Ok(()),
        }
    }

    /// The persons whose names stand in a text where names of those stand whom it is meant for.
    pub(crate) fn mentioned_in(&self, text: &str) -> impl Iterator<Item = u32> {
        names_of_addressees(text).filter_map(|name| self.person_named(name))
    }

    /// Whether a text is meant for somebody by the first word of the name that is shown, and nobody is called so whole.
    pub(crate) fn is_meant_by_first_name(&self, person: u32, text: &str) -> bool {
        let first = || self.state.channels.person(person)?.display.split_once(' ').map(|(first, _)| first);
        let called = |name: &str| first().is_some_and(|first| names::folded(first) == names::folded(name));
        names_of_addressees(text).any(|name| called(name) && self.person_named(name).is_none())
    }
}

/// Where a text names those whom it is meant for: after an `@` anywhere, and at its beginning, as in `Bob, look`.
fn names_of_addressees(text: &str) -> impl Iterator<Item = &str> {
    let marked = text.split('@').skip(1).map(|after| {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        after.split(|c| !is_part(c)).next().unwrap_or_default().trim_end_matches('-')
    });
    let first = text.split_once([',', ':']).map(|(name, _)| name.trim());
    marked.chain(first.filter(|name| name.starts_with(char::is_alphabetic)))
}
