//! What the server itself says of a channel: who joined, who asks to be let in, what was not said.

use super::is_content;
use crate::arena::CharacterId;
use crate::channel::{Message, MessageKind, PersonKind, Sender, Words};
use crate::report::{Line, LineKind};
use crate::world::World;
use std::sync::Arc;

impl World {
    /// A note of the server in a channel, for its members; the number that it got.
    pub(crate) fn notice(&mut self, id: u32, text: String) -> u64 {
        let number = self.state.channels.take_message_id();
        let tick = self.tick();
        let sender = Sender { id: None, name: "System".into(), kind: PersonKind::System };
        let last_tick = self.state.channels.get(id).map(|channel| channel.last_tick);
        let message = Arc::new(Message {
            id: number,
            tick,
            sender,
            kind: MessageKind::System,
            text: text.as_str().into(),
            reply_to: None,
            typed_by: 0,
            reactions: Vec::new(),
            hidden: false,
            veiled: false,
        });
        self.state.channels.push(id, message.clone());
        // Nobody spoke: agents that cool down go on doing so.
        if let (Some(last), Some(channel)) = (last_tick, self.state.channels.get_mut(id)) {
            channel.last_tick = last;
        }
        if self.unread || is_content(id) {
            return number;
        }
        let members: Vec<u32> =
            self.state.channels.get(id).map(|channel| channel.members.keys().copied().collect()).unwrap_or_default();
        for member in members {
            self.tell_notice(member, id, &message);
        }
        number
    }

    fn tell_notice(&mut self, member: u32, id: u32, message: &Message) {
        let Some(who) = self.character_of(member) else { return };
        if self.is_muted(member, id) {
            return;
        }
        let text = format!("[{id} {} #{}] {}", self.channel_name(id, member), message.id, message.text);
        let message = Some(Arc::new(self.message_view(id, message, false)));
        self.send_line(who, Arc::new(Line { kind: LineKind::Chat, text, message, ..Line::default() }));
    }

    /// A line of a channel for one reader that is no message of it.
    pub(crate) fn tell_of_channel(&mut self, person: u32, text: impl Into<String>) {
        if let Some(who) = self.character_of(person) {
            self.send(who, LineKind::Chat, text);
        }
    }

    /// Words that were not said come back to who wanted to say them; `why` begins the sentence.
    pub(crate) fn give_back(&mut self, who: CharacterId, words: &[Words], why: &str) {
        if words.is_empty() {
            return;
        }
        let text: Vec<&str> = words.iter().map(|words| &*words.text).collect();
        self.send(who, LineKind::Chat, format!("{why}: \"{}\"", text.join(" ")));
    }

    pub(crate) fn is_muted(&self, person: u32, id: u32) -> bool {
        let member = self.state.channels.get(id).and_then(|channel| channel.members.get(&person));
        member.is_some_and(|member| member.muted_from.is_some())
    }
}
