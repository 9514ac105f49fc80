//! The Architect speaks in a channel without being anywhere: the operator's own words (`dp-server post`).
//!
//! It is no member. Its account of words stands among those of who is none (`Channel::parted`), fills like everybody's
//! and is forgotten when it is full. Its words never wait, since the operator is told at once: what cannot be paid for
//! is refused, with the time after which it can.

use crate::act::capitalised;
use crate::arena::CharacterId;
use crate::channel::pace::{self, Account, Rate};
use crate::channel::{ChannelKind, MESSAGE_CHARS, Message, MessageKind, PersonKind, Sender};
use crate::clock::TICK_SECONDS;
use crate::refusal::Refusal;
use crate::report::{Line, LineKind, OnChannel};
use crate::world::World;
use protocol::Outcome;
use protocol::channel::ARCHITECT;
use protocol::outcome::{Who, WhoKind};
use std::sync::Arc;

impl World {
    /// Says something in a channel as The Architect. What the message got for a number.
    pub(crate) fn post_from_above(&mut self, id: u32, text: &str) -> Result<u64, Refusal> {
        let text = text.trim();
        let length = text.chars().count();
        if length == 0 || length > MESSAGE_CHARS {
            return Err(format!("A message has 1 to {MESSAGE_CHARS} characters; that one has {length}.").into());
        }
        let there = self.content.channel_numbered(id).is_some()
            || self.state.channels.get(id).is_some()
            || self.state.channels.person(id).is_some();
        if !there {
            return Err(format!("There is no channel {id}.").into());
        }
        if self.channel_kind(id) == ChannelKind::Direct {
            return Err("What two tell each other is theirs; post in a home, a group or a channel of the world.".into());
        }
        let (tick, words) = (self.tick(), pace::words(text));
        if words > pace::FULL {
            return Err(format!("At most {} words at a time; that is {words}.", pace::FULL).into());
        }
        let channel = self.channel_in_use(id);
        let rate = Rate::steady(channel.wpm);
        let account = channel.parted.get(&ARCHITECT).copied().unwrap_or_else(|| Account::full(tick)).at(tick, rate);
        if !account.affords(words) {
            let seconds = account.ticks_until(words, tick, rate) * TICK_SECONDS;
            return Err(format!("You have said much there already. Try again in {seconds} seconds.").into());
        }
        channel.parted.insert(ARCHITECT, account.pay(words));
        self.settle_accounts(id);
        let number = self.state.channels.take_message_id();
        let message = Arc::new(Message {
            id: number,
            tick,
            sender: Sender { id: Some(ARCHITECT), name: self.display_name(ARCHITECT), kind: PersonKind::Architect },
            kind: MessageKind::Text,
            text: text.into(),
            reply_to: None,
            typed_by: self.state.number,
            reactions: Vec::new(),
            hidden: false,
            veiled: false,
        });
        self.channel_in_use(id).agents_in_a_row = 0;
        self.state.channels.push(id, message.clone());
        self.tell_from_above(id, &message);
        Ok(number)
    }

    /// Everybody in the channel reads it, in the channel's voice.
    fn tell_from_above(&mut self, id: u32, message: &Arc<Message>) {
        let content = self.content.clone();
        let row = content.channel_numbered(id);
        // It stands nowhere, so no id names a character.
        let nobody = Who { id: "".into(), name: message.sender.name.clone(), kind: WhoKind::Player, level: 0 };
        let outcome = self.note(Outcome::Said {
            speaker: nobody,
            channel: row.map_or("chat", |(_, row)| &*row.name).to_string().into(),
            to: None,
            text: message.text.clone(),
            message_id: Some(message.id),
            channel_id: Some(id),
        });
        if self.unread {
            return;
        }
        let readers: Vec<(u32, CharacterId)> = self
            .state
            .players
            .values()
            .filter_map(|who| Some((self.person_of(*who)?, *who)))
            .filter(|(person, _)| self.is_member(*person, id) && !self.is_muted(*person, id))
            .collect();
        let characters: Vec<CharacterId> = readers.iter().map(|(_, who)| *who).collect();
        let addressees = self.addressees(message, &characters);
        let (name, words) = (&message.sender.name, &message.text);
        for (person, who) in readers {
            let (kind, text) = match row {
                Some((row_id, row)) => (
                    LineKind::Channel(OnChannel { id: row_id, event: row.event, colour: row.colour }),
                    format!("{} {}, \"{words}\"", capitalised(name), row.speaks),
                ),
                None => {
                    let channel = self.channel_name(id, person);
                    (LineKind::Chat, format!("[{id} {channel} #{}] {name}: {words}", message.id))
                }
            };
            let view = Some(Arc::new(self.message_view(id, message, addressees.contains(&who))));
            let (from, outcome) = (Some(name.clone()), Some(outcome.clone()));
            let line = Line { kind, from, text, outcome, message: view, ..Line::default() };
            self.send_line(who, Arc::new(line));
        }
    }
}
