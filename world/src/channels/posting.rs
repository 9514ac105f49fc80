//! Words become messages: at once where the speaker's account allows it, else on the tick that pays for them.
//!
//! Source of the pace: `channel/pace.rs`. Each kind of channel has its own voice for people; programs that know
//! channels get the message itself.

use super::message::someone;
use crate::act::capitalised;
use crate::arena::CharacterId;
use crate::channel::MEMBERS_MAX;
use crate::channel::pace;
use crate::channel::{
    COOLING, COOLING_TICKS, ChannelKind, MESSAGE_CHARS, Message, MessageKind, QUEUE_MAX, QUEUE_WORDS_MAX, Words,
};
use crate::character::PlayerFlags;
use crate::clock::TICK_SECONDS;
use crate::happenings::{Hearers, Speech};
use crate::refusal::Done;
use crate::report::{Line, LineKind, OnChannel};
use crate::world::World;
use content::Text;
use content::flags::{AffectFlags, RoomFlags};
use content::words::ChannelRange;
use protocol::Outcome;
use protocol::channel::ARCHITECT;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

impl World {
    /// Says something in a channel that the speaker may speak in, now or when its account allows it. A mob has no
    /// account and speaks at once. Whoever comes to a channel of the content by this has an account there from now on.
    pub(crate) fn utter(&mut self, who: CharacterId, id: u32, text: &str, reply_to: Option<u64>) -> Done {
        let length = text.chars().count();
        if length > MESSAGE_CHARS {
            return Err(format!("A message has at most {MESSAGE_CHARS} characters; that one has {length}.").into());
        }
        // A command that waited for the end of a lag was typed by an input of before.
        let typed_by = self.causes.act().map_or(self.state.number, |command| command.input);
        let Some(person) = self.person_of(who) else {
            self.post(who, id, Words { text: text.into(), count: 0, reply_to, typed_by });
            return Ok(());
        };
        let tick = self.tick();
        self.channel_in_use(id);
        self.state.channels.join(id, person, tick);
        let mut pieces: VecDeque<Words> = pace::pieces(text)
            .into_iter()
            .map(|piece| Words { count: pace::words(&piece), text: piece.into(), reply_to, typed_by })
            .collect();
        let channel = self.state.channels.get(id).expect("it is in use");
        let member = channel.members.get(&person).expect("it has joined");
        let account = member.account.at(tick, channel.rate(self.is_program(person)));
        // A person does not wait until programs have talked each other out: what answers one goes before what does not.
        let ahead = match self.is_program(person) && self.answers_a_person(reply_to) {
            true => member.queue.iter().take_while(|words| self.answers_a_person(words.reply_to)).count(),
            false => member.queue.len(),
        };
        let first = match pieces.front() {
            Some(first) if ahead == 0 && account.affords(first.count) => pieces.pop_front(),
            _ => None,
        };
        let (messages, words) = (
            member.queue.len() + pieces.len(),
            member.waiting_words() + pieces.iter().map(|words| words.count).sum::<u32>(),
        );
        if messages > QUEUE_MAX || words > QUEUE_WORDS_MAX {
            return Err(format!(
                "Too much of yours would wait there: {messages} messages of {words} words; {QUEUE_MAX} and \
                 {QUEUE_WORDS_MAX} is the most. Say less, or take back what waits: channel drop {id}"
            )
            .into());
        }
        self.say_again(who, text)?;
        if let Some(first) = first {
            self.post(who, id, first);
        }
        if pieces.is_empty() {
            return Ok(());
        }
        for (place, words) in (ahead..).zip(pieces) {
            self.state.channels.wait(id, person, place, words);
        }
        let (words, ticks) = self.waiting_in(id, person);
        self.changed_for(person, id);
        self.send(
            who,
            LineKind::Text,
            format!(
                "{} of yours wait{} until you have breath for {}, about {}. (channel drop {id} takes them back)",
                if words == 1 { "1 word".to_string() } else { format!("{words} words") },
                if words == 1 { "s" } else { "" },
                if words == 1 { "it" } else { "them" },
                seconds(ticks * TICK_SECONDS)
            ),
        );
        Ok(())
    }

    /// Whether the message that is answered is a person's, who plays without a program.
    fn answers_a_person(&self, reply_to: Option<u64>) -> bool {
        let answered = reply_to.and_then(|id| self.state.channels.message(id));
        answered.and_then(|(_, message)| message.sender.id).is_some_and(|author| !self.is_program(author))
    }

    /// Words of somebody that wait in a channel, and ticks until the last of them is said.
    pub fn waiting_in(&self, id: u32, person: u32) -> (u32, u64) {
        let Some(channel) = self.state.channels.get(id) else { return (0, 0) };
        let Some(member) = channel.members.get(&person) else { return (0, 0) };
        let rate = channel.rate(self.is_program(person));
        let now = self.tick();
        let (mut account, mut tick) = (member.account, now);
        for words in &member.queue {
            tick += account.ticks_until(words.count, tick, rate);
            account = account.at(tick, rate).pay(words.count);
        }
        (member.waiting_words(), tick - now)
    }

    /// Words that somebody may say now: 10 to 200, 0 in debt.
    pub fn word_budget(&self, id: u32, person: u32) -> u32 {
        let member = self.state.channels.get(id).and_then(|channel| Some((channel, channel.members.get(&person)?)));
        member.map_or(pace::FULL, |(channel, member)| {
            member.account.at(self.tick(), channel.rate(self.is_program(person))).budget()
        })
    }

    /// What waits and can be paid now is said. Called on each tick.
    pub(crate) fn say_what_waits(&mut self) {
        if !self.state.channels.is_anything_waiting() {
            return;
        }
        let tick = self.tick();
        let waiting: Vec<(u32, u32)> = self.state.channels.waiting().collect();
        for (id, person) in waiting {
            // Who typed it in a world before this one gets it back (`return_unsaid`).
            let Some(who) = self.character_of(person) else { continue };
            if self.is_silenced(who, person, id) {
                let words = self.state.channels.drop_words(id, person);
                self.give_back(who, &words, "You have been silenced before your words were said");
                self.changed_for(person, id);
                continue;
            }
            while let Some(words) = self.next_affordable(id, person, tick) {
                self.post(who, id, words);
            }
        }
    }

    /// Whether nobody in a channel is to hear this speaker: an immortal is still told.
    fn is_silenced(&self, who: CharacterId, person: u32, id: u32) -> bool {
        let to_an_immortal = || {
            let other = self.other_of(id, person).and_then(|other| self.character_of(other));
            other.is_some_and(|other| self.who(other).is_immortal())
        };
        self.is_silent(who) && !to_an_immortal()
    }

    /// The first words of a queue, taken out of it, if they can be paid for.
    fn next_affordable(&mut self, id: u32, person: u32, tick: u64) -> Option<Words> {
        let channel = self.state.channels.get(id)?;
        let member = channel.members.get(&person)?;
        let there = member.account.at(tick, channel.rate(self.is_program(person)));
        let first = member.queue.front()?;
        if there.affords(first.count) { self.state.channels.next_words(id, person) } else { None }
    }

    /// Accounts of a channel are reckoned up to now, before what they fill by changes.
    pub(crate) fn settle_accounts(&mut self, id: u32) {
        let tick = self.tick();
        let Some(channel) = self.state.channels.get(id) else { return };
        let rates: Vec<(u32, pace::Rate)> =
            channel.members.keys().map(|member| (*member, channel.rate(self.is_program(*member)))).collect();
        let Some(channel) = self.state.channels.get_mut(id) else { return };
        for (member, rate) in rates {
            let member = channel.members.get_mut(&member).expect("it was listed");
            member.account = member.account.at(tick, rate);
        }
    }

    /// A message stands in the channel, is paid for, and is told. What it got for a number.
    fn post(&mut self, who: CharacterId, id: u32, words: Words) -> u64 {
        let tick = self.tick();
        let person = self.person_of(who);
        let program = person.is_some_and(|person| self.is_program(person));
        self.channel_in_use(id);
        let number = self.state.channels.take_message_id();
        let sender = self.sender(who);
        let channel = self.state.channels.get(id).expect("it is in use");
        let quiet = tick >= channel.last_tick + COOLING_TICKS;
        let in_a_row = match (program, quiet) {
            (false, _) => 0,
            (true, true) => 1,
            (true, false) => channel.agents_in_a_row.saturating_add(1),
        };
        if channel.cooling && (in_a_row >= COOLING[0] || channel.agents_in_a_row >= COOLING[0]) {
            self.settle_accounts(id);
        }
        let channel = self.state.channels.get(id).expect("it is in use");
        let rate = channel.rate(program);
        if let Some(member) = person.and_then(|person| self.state.channels.member_mut(id, person)) {
            member.account = member.account.at(tick, rate).pay(words.count);
            member.last_spoke = Some(tick);
            member.read = number;
            member.acts.add(tick);
        }
        self.state.channels.get_mut(id).expect("it is in use").agents_in_a_row = in_a_row;
        let message = Arc::new(Message {
            id: number,
            tick,
            sender,
            kind: MessageKind::Text,
            text: words.text.clone(),
            reply_to: words.reply_to,
            typed_by: words.typed_by,
            reactions: Vec::new(),
            hidden: false,
            veiled: self.is_veiled(who, id),
        });
        self.state.channels.push(id, message.clone());
        if let Some(person) = person {
            self.changed_for(person, id);
        }
        self.tell(who, id, &message);
        number
    }

    /// Whether not everybody who reads a channel knows who spoke. The members of homes and groups know each other.
    pub(super) fn is_veiled(&self, who: CharacterId, id: u32) -> bool {
        self.who(who).is(AffectFlags::INVISIBLE)
            && matches!(self.channel_kind(id), ChannelKind::Global | ChannelKind::Direct)
    }

    /// Everybody who is to hear it reads the message, in the voice of its channel.
    fn tell(&mut self, who: CharacterId, id: u32, message: &Arc<Message>) {
        let kind = self.channel_kind(id);
        let is_party = self.state.channels.get(id).is_some_and(|channel| channel.party);
        match kind {
            ChannelKind::Global => self.tell_world(who, id, message),
            ChannelKind::Direct => self.tell_other(who, id, message),
            ChannelKind::Group if is_party => self.tell_party(who, id, message),
            ChannelKind::Home | ChannelKind::Group => self.tell_members(who, id, message),
        }
    }

    /// The outcome that goes with a message.
    fn noted(
        &mut self,
        who: CharacterId,
        id: u32,
        channel: &str,
        to: Option<CharacterId>,
        message: &Message,
    ) -> Arc<Outcome> {
        self.note(Outcome::Said {
            speaker: self.as_who(who),
            channel: channel.to_string().into(),
            to: to.map(|id| self.as_who(id)),
            text: message.text.clone(),
            message_id: Some(message.id),
            channel_id: Some(id),
        })
    }

    /// A channel of the content: everybody hears it who has not left it, as far as it reaches.
    fn tell_world(&mut self, who: CharacterId, id: u32, message: &Arc<Message>) {
        let content = self.content.clone();
        let Some((row_id, channel)) = content.channel_numbered(id) else { return };
        let outcome = self.noted(who, id, &channel.name, None, message);
        let words = &message.text;
        let from = self.voice_of(who);
        let program = self.who(who).player().is_some_and(|player| player.agent);
        let kind = LineKind::Channel(OnChannel { id: row_id, event: channel.event, colour: channel.colour });
        let zone = self.room_proto(self.who(who).room).zone;
        let listeners: Vec<CharacterId> = self
            .state
            .players
            .values()
            .copied()
            .filter(|other| {
                let listener = self.who(*other);
                let room = self.room_proto(listener.room);
                let deaf = listener.player().is_some_and(|player| player.deaf_to.contains(&*channel.setting));
                let barred = channel.people_only && listener.player().is_some_and(|player| player.agent);
                *other != who
                    && !deaf
                    && !barred
                    && !self.ignores(*other, who)
                    && (!room.flags.has(RoomFlags::SOUNDPROOF) || listener.is_immortal())
                    && (channel.range == ChannelRange::World || (room.zone == zone && listener.is_awake()))
            })
            .collect();
        let speech = Speech { channel: &channel.name, words, message: Some(message.id) };
        self.record_words(who, Hearers::Listeners(&listeners), speech);
        if self.unread {
            return;
        }
        let addressees = self.addressees(message, &listeners);
        let view = Arc::new(self.message_view(id, message, false));
        let line = |from: Option<Text>, text: String, view: Option<Arc<_>>| {
            let from_agent = from.is_some() && program;
            let outcome = Some(outcome.clone());
            Arc::new(Line { kind, from, from_agent, text, outcome, message: view, ..Line::default() })
        };
        let own =
            if self.who(who).repeats() { format!("You {}, \"{words}\"", channel.speak) } else { "Said.".to_string() };
        self.send_line(who, line(Some(from.clone()), own, Some(view.clone())));
        let name = capitalised(&from);
        let text = format!("{name} {}, \"{words}\"", channel.speaks);
        let named = line(Some(from.clone()), text.clone(), Some(view.clone()));
        let mut to_you = protocol::channel::Message::clone(&view);
        to_you.to_you = true;
        let named_to_you = line(Some(from), text, Some(Arc::new(to_you)));
        let mut veiled = protocol::channel::Message::clone(&view);
        veiled.sender = someone();
        let unnamed = line(None, format!("Someone {}, \"{words}\"", channel.speaks), Some(Arc::new(veiled)));
        for listener in listeners {
            let line = match (self.knows(listener, who), addressees.contains(&listener)) {
                (false, _) => &unnamed,
                (true, true) => &named_to_you,
                (true, false) => &named,
            };
            self.send_line(listener, line.clone());
        }
    }

    /// By what name somebody speaks in channels: The Architect by that.
    fn voice_of(&self, who: CharacterId) -> Text {
        let is_architect = self.person_of(who).is_some_and(|person| self.state.agents.architect() == Some(person));
        if is_architect { self.display_name(ARCHITECT) } else { self.who(who).shown().clone() }
    }

    /// Whether somebody unseen wants to be told nothing: who sees them is told so before.
    fn is_undisturbed_by(&self, other: CharacterId, who: CharacterId) -> bool {
        let wants_none = self.who(other).player_flags().has(PlayerFlags::NO_TELL);
        wants_none && !self.who(who).is_immortal() && !self.knows(who, other)
    }

    /// A tell.
    fn tell_other(&mut self, who: CharacterId, id: u32, message: &Arc<Message>) {
        let own_id = self.person_of(who);
        let other = own_id.and_then(|own| self.other_of(id, own));
        let other_here = other.and_then(|other| self.character_of(other));
        let known_to_speaker = other_here.filter(|other| self.knows(who, *other));
        let outcome = self.noted(who, id, "tell", known_to_speaker, message);
        // Who wants to hear none of it finds it in the channel; who tells is not told.
        let deaf = other.and_then(|other| self.state.channels.get(id)?.members.get(&other)?.muted_from).is_some()
            || other_here.is_some_and(|other| self.ignores(other, who) || self.is_undisturbed_by(other, who));
        let hearer = other_here.filter(|_| !deaf);
        let speech = Speech { channel: "tell", words: &message.text, message: Some(message.id) };
        self.record_words(who, hearer.map_or(Hearers::Group(&[]), Hearers::Far), speech);
        if let (Some(other), Some(own), false) = (other, own_id, deaf)
            && let Some(other) = self.state.channels.person_mut(other)
        {
            other.told_by = Some(own);
        }
        // Who is told by somebody that it knows, knows from now on whose channel this is.
        let known = other_here.map_or(!message.veiled, |listener| self.knows(listener, who));
        if known && let Some(other) = other {
            self.acquaint(id, other);
        }
        if self.unread {
            return;
        }
        let words = &message.text;
        let name = self.channel_name(id, own_id.unwrap_or_default());
        let from = self.voice_of(who);
        let view = self.message_view(id, message, false);
        let own = if self.who(who).repeats() { format!("You tell {name}, \"{words}\"") } else { "Told.".to_string() };
        let program = self.who(who).player().is_some_and(|player| player.agent);
        let line = |from: Option<Text>, text: String, message| {
            let (outcome, message) = (Some(outcome.clone()), Some(Arc::new(message)));
            let from_agent = from.is_some() && program;
            Arc::new(Line { kind: LineKind::Tell, from, from_agent, text, outcome, message, ..Line::default() })
        };
        self.send_line(who, line(Some(from.clone()), own, view.clone()));
        let Some(listener) = hearer else { return };
        let speaker = if known { capitalised(&from) } else { "Someone".to_string() };
        let mut theirs = view;
        theirs.to_you = true;
        if !known {
            theirs.sender = someone();
        }
        let text = format!("{speaker} tells you, \"{words}\"");
        self.send_line(listener, line(known.then_some(from), text, theirs));
    }

    fn tell_party(&mut self, who: CharacterId, id: u32, message: &Arc<Message>) {
        let outcome = self.noted(who, id, "group", None, message);
        let from = self.voice_of(who);
        let voice = format!("{from} tells the group, \"{}\"", message.text);
        let own =
            if self.who(who).repeats() { format!("You tell the group, \"{}\"", message.text) } else { "Said.".into() };
        self.tell_each(who, id, message, outcome, LineKind::Group, |_, _| voice.clone(), own);
    }

    fn tell_members(&mut self, who: CharacterId, id: u32, message: &Arc<Message>) {
        let outcome = self.noted(who, id, "chat", None, message);
        let to = message.reply_to.map_or(String::new(), |reply| format!(" to #{reply}"));
        let name = message.sender.name.clone();
        let number = message.id;
        let words = message.text.clone();
        let voice = |world: &World, reader: u32| {
            format!("[{id} {} #{number}{to}] {name}: {words}", world.channel_name(id, reader))
        };
        let own = match self.who(who).repeats() {
            true => {
                let reader = self.person_of(who).unwrap_or_default();
                format!("[{id} {} #{number}{to}] You: {words}", self.channel_name(id, reader))
            }
            false => "Said.".to_string(),
        };
        self.tell_each(who, id, message, outcome, LineKind::Chat, voice, own);
    }

    /// The members who are here and want to hear it; they know each other.
    #[allow(clippy::too_many_arguments)]
    fn tell_each(
        &mut self,
        who: CharacterId,
        id: u32,
        message: &Arc<Message>,
        outcome: Arc<Outcome>,
        kind: LineKind,
        voice: impl Fn(&World, u32) -> String,
        own: String,
    ) {
        let Some(channel) = self.state.channels.get(id) else { return };
        let members: Vec<(u32, CharacterId)> = channel
            .members
            .iter()
            .filter(|(_, member)| member.muted_from.is_none())
            .filter_map(|(person, _)| Some((*person, self.character_of(*person)?)))
            .filter(|(_, character)| *character != who && !self.ignores(*character, who))
            .collect();
        let hearers: Vec<CharacterId> = members.iter().map(|(_, character)| *character).collect();
        let name = match channel.party {
            true => Text::from("group"),
            false => self.channel_name(id, 0),
        };
        let speech = Speech { channel: &name, words: &message.text, message: Some(message.id) };
        self.record_words(who, Hearers::Group(&hearers), speech);
        if self.unread {
            return;
        }
        let addressees = self.addressees(message, &hearers);
        let from = Some(self.voice_of(who));
        let view = Arc::new(self.message_view(id, message, false));
        let mut to_you = protocol::channel::Message::clone(&view);
        to_you.to_you = true;
        let to_you = Arc::new(to_you);
        let from_agent = self.who(who).player().is_some_and(|player| player.agent);
        let line = |text: String, view: &Arc<protocol::channel::Message>| {
            let (outcome, message) = (Some(outcome.clone()), Some(view.clone()));
            Arc::new(Line { kind, from: from.clone(), from_agent, text, outcome, message, ..Line::default() })
        };
        self.send_line(who, line(own, &view));
        // All but the name of the channel is the same for all.
        let mut shared: Vec<(String, Arc<Line>)> = Vec::new();
        for (person, reader) in members {
            let is_addressed = addressees.contains(&reader);
            let text = voice(self, person);
            let known = shared.iter().find(|(known, line)| {
                *known == text && line.message.as_ref().is_some_and(|message| message.to_you == is_addressed)
            });
            let line = match known {
                Some((_, line)) => line.clone(),
                None => {
                    let line = line(text.clone(), if is_addressed { &to_you } else { &view });
                    shared.push((text, line.clone()));
                    line
                }
            };
            self.send_line(reader, line);
        }
    }

    /// Whom of the listeners a message is to: who wrote what it answers, and who is named with an `@`.
    pub(super) fn addressees(&self, message: &Message, listeners: &[CharacterId]) -> BTreeSet<CharacterId> {
        let author = message.reply_to.and_then(|id| self.state.channels.message(id)).and_then(|(_, m)| m.sender.id);
        let named = self.mentioned_in(&message.text);
        let persons = author.into_iter().chain(named).filter_map(|person| self.character_of(person));
        let mut addressees: BTreeSet<CharacterId> = persons.filter(|who| listeners.contains(who)).collect();
        // In a crowd one is called by one's whole name: to ask each of hundreds for theirs takes too long.
        if listeners.len() <= MEMBERS_MAX {
            let is_meant = |who: &&CharacterId| {
                self.person_of(**who).is_some_and(|person| self.is_meant_by_first_name(person, &message.text))
            };
            addressees.extend(listeners.iter().filter(is_meant));
        }
        addressees
    }
}

/// Seconds in words.
fn seconds(count: u64) -> String {
    match count {
        0 | 1 => "a moment".to_string(),
        2..120 => format!("{count} seconds"),
        count => format!("{} minutes", count.div_ceil(60)),
    }
}
