//! Persons come into the world and leave it, and what waits for them meanwhile.

use crate::act::{capitalised, listed};
use crate::arena::CharacterId;
use crate::channel::{ChannelKind, PersonKind, Sender};
use crate::character::{Character, Link};
use crate::refusal::Refusal;
use crate::report::LineKind;
use crate::world::World;
use content::{Channel, Text};
use protocol::channel::{ARCHITECT, Person};
use std::collections::BTreeSet;

/// Those who told somebody something while it was away are named up to this many.
pub(crate) const TELLERS_SHOWN: usize = 5;

/// "2 tells came while you were away".
pub(crate) fn counted_tells(count: u32) -> String {
    match count {
        1 => "One tell came while you were away".to_string(),
        count => format!("{count} tells came while you were away"),
    }
}

/// "Bob, Cid and 3 more".
pub(crate) fn some_of(names: &[Text]) -> String {
    let more = names.len().saturating_sub(TELLERS_SHOWN);
    let mut shown: Vec<String> = names.iter().take(TELLERS_SHOWN).map(|name| name.to_string()).collect();
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    listed(&shown)
}

impl World {
    /// A player comes in: it gets its id at its first entry, and keeps it.
    pub(crate) fn admit(&mut self, who: CharacterId) {
        let character = self.who(who);
        let name = character.name.clone();
        let Some(player) = character.player() else { return };
        let (had, display, program) = (player.person, player.display.clone(), player.agent);
        let id = self.state.channels.admit(&name, display.as_ref(), had);
        if had != Some(id) {
            self.player_mut(who).person = Some(id);
        }
        if let Some(person) = self.state.channels.person_mut(id) {
            person.program = program;
        }
        self.wear_name(id);
        self.present(id);
    }

    /// A connection was lost or is back; `agent`: what came back.
    pub(crate) fn link_changed(&mut self, id: u32, link: Link, agent: bool) {
        match link {
            Link::Lost { .. } => self.absent(id),
            Link::Linked => {
                if let Some(person) = self.state.channels.person_mut(id) {
                    person.program = agent;
                }
                self.present(id);
            }
        }
    }

    /// Somebody reads again what is said.
    pub(crate) fn present(&mut self, person: u32) {
        let next = self.state.channels.next_message();
        if let Some(person) = self.state.channels.person_mut(person)
            && person.away_from.is_some()
            && person.back_at.is_none()
        {
            person.back_at = Some(next);
        }
    }

    /// From now on nobody reads what is said to this person.
    pub(crate) fn absent(&mut self, id: u32) {
        let next = self.state.channels.next_message();
        let has_unread = self.unread_channels(id).next().is_some();
        if let Some(person) = self.state.channels.person_mut(id) {
            if !has_unread || person.away_from.is_none() {
                person.away_from = Some(next);
            }
            person.back_at = None;
        }
        // How fast it thought when it went.
        self.state.agents.keep(id);
    }

    /// A player leaves the world: what it has not said yet is not said any more.
    pub(crate) fn depart(&mut self, who: CharacterId) {
        let Some(person) = self.person_of(who) else { return };
        self.absent(person);
        self.give_back_all(who, person, "You leave before your words were said");
    }

    /// Who comes in gets back what waited of it when a world ended and was not brought back.
    pub(crate) fn return_unsaid(&mut self, who: CharacterId) {
        let Some(person) = self.person_of(who) else { return };
        self.give_back_all(who, person, "The world ended before your words were said");
    }

    fn give_back_all(&mut self, who: CharacterId, person: u32, why: &str) {
        let waiting: Vec<u32> =
            self.state.channels.waiting().filter(|(_, of)| *of == person).map(|(id, _)| id).collect();
        for id in waiting {
            let words = self.state.channels.drop_words(id, person);
            self.give_back(who, &words, why);
        }
    }

    /// Whether a program plays this person, or did when it was here last.
    pub fn is_program(&self, person: u32) -> bool {
        self.state.channels.person(person).is_some_and(|person| person.program)
    }

    pub fn kind_of_person(&self, person: u32) -> PersonKind {
        self.state.agents.kind(person).unwrap_or_default()
    }

    /// As members and senders are told of.
    pub fn person_view(&self, person: u32) -> Person {
        let kind = self.kind_of_person(person);
        let id = if kind == PersonKind::Architect { ARCHITECT } else { person };
        Person { id: Some(id), name: self.display_name(person), kind }
    }

    /// Who says something, as it is now.
    pub(crate) fn sender(&self, who: CharacterId) -> Sender {
        let character = self.who(who);
        match self.person_of(who) {
            Some(id) => Sender { id: Some(id), name: self.display_name(id), kind: self.kind_of_person(id) },
            None => Sender { id: None, name: character.name.clone(), kind: PersonKind::Mob },
        }
    }

    /// Whom a word means who is away for this reader, for whom words may be left. No player can be told anything who is
    /// an agent that was retired.
    pub(crate) fn person_away(&self, who: CharacterId, word: &str) -> Option<u32> {
        let persons = &self.state.channels;
        let own = self.person_of(who)?;
        let person = persons.called(word).or_else(|| persons.called_first(word)).filter(|person| *person != own)?;
        let is_retired = self.state.agents.get(person).is_some_and(|record| record.retired);
        (!is_retired).then_some(person)
    }

    /// Why a word finds no player: whoever it means is away, or it means nobody. Who is here unseen is away for whoever
    /// does not see it.
    pub(crate) fn no_player_called(&self, word: &str) -> Refusal {
        let persons = &self.state.channels;
        match persons.called(word).or_else(|| persons.called_first(word)) {
            Some(person) => format!("{} is not in the world just now.", self.display_name(person)).into(),
            None => format!("There is no player called {} in the world.", capitalised(word)).into(),
        }
    }

    /// The channels of a person, ascending: those of the content that it has not left, its home, used or not, and what
    /// else it is a member of.
    pub fn channels_of(&self, id: u32) -> Vec<u32> {
        let deaf = self.character_of(id).and_then(|who| self.character(who)).and_then(Character::player);
        let program = deaf.map_or_else(|| self.is_program(id), |player| player.agent);
        let hears = |row: &&Channel| {
            deaf.is_none_or(|player| !player.deaf_to.contains(&*row.setting)) && !(row.people_only && program)
        };
        let rows = self.content.channels.iter().filter(hears).map(|row| row.id);
        let mut all: BTreeSet<u32> = rows.collect();
        let person = self.state.channels.person(id);
        all.extend(person.map(|_| id));
        all.extend(person.into_iter().flat_map(|person| person.channels.iter().copied()));
        all.into_iter().collect()
    }

    /// Those of them with something unread, with how much.
    pub fn unread_channels(&self, person: u32) -> impl Iterator<Item = (u32, u32)> {
        let all = self.channels_of(person).into_iter();
        all.map(move |id| (id, self.unread(person, id))).filter(|(_, unread)| *unread > 0)
    }

    /// How much was said in one's channels while one was away, if anything was, and by whom what one was told.
    pub(crate) fn tell_unread(&mut self, who: CharacterId) {
        let Some(person) = self.person_of(who) else { return };
        let (mut tells, mut messages) = (0, 0);
        let mut tellers: Vec<Text> = Vec::new();
        for (id, count) in self.unread_channels(person) {
            let direct = self.state.channels.get(id).filter(|channel| channel.kind == ChannelKind::Direct);
            let Some(direct) = direct else {
                messages += count;
                continue;
            };
            tells += count;
            let knows = direct.members.get(&person).is_some_and(|member| member.acquainted);
            let other = direct.members.keys().copied().find(|member| *member != person).filter(|_| knows);
            tellers.push(other.map_or_else(|| "someone".into(), |other| self.display_name(other)));
        }
        let mut parts = Vec::new();
        if tells > 0 {
            parts.push(format!("{}: from {}", counted_tells(tells), some_of(&tellers)));
        }
        match messages {
            0 => {}
            1 => parts.push("One message came while you were away".to_string()),
            count => parts.push(format!("{count} messages came while you were away")),
        }
        if !parts.is_empty() {
            self.send(who, LineKind::Text, format!("{}: channel read", parts.join(". ")));
        }
    }

    /// How many messages of a channel somebody was not shown: those that came while it was away or wanted to hear
    /// nothing of them.
    pub fn unread(&self, reader: u32, id: u32) -> u32 {
        let (Some(channel), Some(person)) = (self.state.channels.get(id), self.state.channels.person(reader)) else {
            return 0;
        };
        let member = channel.members.get(&reader);
        let (read, muted) = member.map_or((0, None), |member| (member.read, member.muted_from));
        let from = self.seen_from(channel, reader).max(read + 1);
        let missed = |id: u64| {
            let away = person.away_from.is_some_and(|from| id >= from && person.back_at.is_none_or(|back| id < back));
            away || muted.is_some_and(|from| id >= from)
        };
        let newest_first = channel.messages.iter().rev().take_while(|message| message.id >= from);
        let unread =
            newest_first.filter(|message| missed(message.id) && message.sender.id != Some(reader) && !message.hidden);
        match self.character_of(reader) {
            Some(who) => unread.filter(|message| !self.ignores_message(who, message)).count() as u32,
            None => unread.count() as u32,
        }
    }
}
