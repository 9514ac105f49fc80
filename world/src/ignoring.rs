//! Whom a player does not want to hear: persons, and all that programs play.
//!
//! It is about words and gestures, not deeds: who is ignored is still seen to come, to strike and to give. Immortals,
//! The Architect and the world itself are heard by everybody, or nobody could be warned. Invariant: whatever brings
//! somebody's words to a reader asks here, at the moment at which they arrive, so that who begins to ignore somebody is
//! not told what waited.

use crate::arena::CharacterId;
use crate::channel::Message;
use crate::character::{Character, Ignored, Player};
use crate::refusal::{Done, Refusal};
use crate::world::World;
use protocol::channel::MessageKind;
use std::collections::BTreeSet;

/// Persons that one player ignores.
pub const IGNORED_MAX: usize = 50;

impl World {
    /// Whether words and gestures of `speaker` do not arrive at `reader`.
    pub(crate) fn ignores(&self, reader: CharacterId, speaker: CharacterId) -> bool {
        let Some(ignored) = self.ignored_by(reader) else { return false };
        let Some(speaker) = self.character(speaker) else { return false };
        let Some(player) = speaker.player() else { return false };
        !speaker.is_immortal() && player.person.is_some_and(|person| self.is_among(ignored, person, player.agent))
    }

    /// The same of a message, whoever said it may have left since.
    pub(crate) fn ignores_message(&self, reader: CharacterId, message: &Message) -> bool {
        let Some(sender) = message.sender.id.filter(|_| message.kind == MessageKind::Text) else { return false };
        self.ignores_person(reader, sender)
    }

    pub(crate) fn ignores_person(&self, reader: CharacterId, sender: u32) -> bool {
        let Some(ignored) = self.ignored_by(reader) else { return false };
        let Some(person) = self.state.channels.person(sender) else { return ignored.people.contains(&sender) };
        self.is_among(ignored, sender, person.program) && !self.is_immortal_here(&person.name)
    }

    /// All persons whom somebody does not hear, for who looks up what the world does not hold any more.
    pub(crate) fn ignored_people(&self, reader: CharacterId) -> BTreeSet<u32> {
        let Some(ignored) = self.ignored_by(reader) else { return BTreeSet::new() };
        let all = self.state.channels.people().map(|(id, _)| id).chain(ignored.people.iter().copied());
        all.filter(|id| self.ignores_person(reader, *id)).collect()
    }

    /// Refuses words from one to another where one of the two does not hear the other. `name`: as the speaker knows it.
    pub(crate) fn may_address(&self, who: CharacterId, other: CharacterId, name: &str) -> Done {
        if self.ignores(other, who) {
            return Err(format!("{name} does not listen to you.").into());
        }
        if self.ignores(who, other) {
            let other = self.who(other);
            let by_name = || Some(self.ignored_by(who)?.people.contains(&other.player()?.person?));
            let first = if by_name() == Some(true) { format!("ignore {name}") } else { "ignore agents".to_string() };
            return Err(Refusal::from(format!("You would not hear the answer. First, once more: {first}")));
        }
        Ok(())
    }

    /// `None`: nobody is ignored.
    fn ignored_by(&self, reader: CharacterId) -> Option<&Ignored> {
        let player: &Player = self.character(reader).and_then(Character::player)?;
        Some(&player.ignored).filter(|ignored| !ignored.is_empty())
    }

    fn is_among(&self, ignored: &Ignored, person: u32, program: bool) -> bool {
        let meant = ignored.people.contains(&person) || (ignored.agents && program);
        meant && self.state.agents.architect() != Some(person)
    }

    fn is_immortal_here(&self, name: &str) -> bool {
        self.find_player(name).is_some_and(|who| self.who(who).is_immortal())
    }
}
