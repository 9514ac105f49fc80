//! Reactions: what somebody thinks of a message, without words.
//!
//! One of each kind for a person and a message; the thumbs exclude each other; none to one's own.

use crate::arena::CharacterId;
use crate::channel::{MessageKind, Reaction};
use crate::refusal::Refusal;
use crate::report::{Line, LineKind};
use crate::world::World;
use std::sync::Arc;

impl World {
    /// Somebody reacts to a message that it may see. Whose message it is, where that is a person's.
    pub(crate) fn react_to(
        &mut self,
        who: CharacterId,
        channel: u32,
        id: u64,
        reaction: Reaction,
    ) -> Result<Option<u32>, Refusal> {
        let Some(person) = self.person_of(who) else { return Err("Only players react to messages.".into()) };
        let tick = self.tick();
        let gone = || Refusal::from("That message is no longer there.");
        let (_, message) = self.state.channels.message(id).ok_or_else(gone)?;
        if message.kind == MessageKind::System || message.hidden {
            return Err("There is nothing there to react to.".into());
        }
        if message.sender.id == Some(person) {
            return Err("Those are your own words.".into());
        }
        if message.reactions.contains(&(person, reaction)) {
            return Err(format!("You have given #{id} that already.").into());
        }
        let opposite = match reaction {
            Reaction::ThumbsUp => Some(Reaction::ThumbsDown),
            Reaction::ThumbsDown => Some(Reaction::ThumbsUp),
            Reaction::Brain | Reaction::Heart => None,
        };
        if opposite.is_some_and(|opposite| message.reactions.contains(&(person, opposite))) {
            return Err(format!("You cannot give #{id} a thumb up and a thumb down.").into());
        }
        let (author, text) = (message.sender.id, message.text.clone());
        self.state.channels.message_mut(id).ok_or_else(gone)?.reactions.push((person, reaction));
        self.channel_in_use(channel);
        self.state.channels.join(channel, person, tick);
        if let Some(member) = self.state.channels.member_mut(channel, person) {
            member.acts.add(tick);
            // Whoever has an opinion of it has read that far.
            member.read = member.read.max(id);
        }
        self.changed_for(person, channel);
        self.tell_reaction(who, person, channel, id, reaction, author);
        let thumb_up = match reaction {
            Reaction::ThumbsUp => Some(true),
            Reaction::ThumbsDown => Some(false),
            Reaction::Brain | Reaction::Heart => None,
        };
        let author_here = author.and_then(|author| self.character_of(author));
        if let (Some(up), Some(author)) = (thumb_up, author_here) {
            self.record_thumb(author, who, up, &text);
        }
        Ok(author)
    }

    /// Those of the channel read a line; of one of the content, those who ever said something there.
    fn tell_reaction(
        &mut self,
        who: CharacterId,
        by: u32,
        id: u32,
        number: u64,
        reaction: Reaction,
        author: Option<u32>,
    ) {
        let Some((_, message)) = self.state.channels.message(number).map(|(id, message)| (id, message.clone())) else {
            return;
        };
        if self.unread {
            return;
        }
        let view = self.reaction_view(id, &message, by, reaction);
        let what = match reaction {
            Reaction::ThumbsUp => "a thumb up",
            Reaction::ThumbsDown => "a thumb down",
            Reaction::Brain => "a brain",
            Reaction::Heart => "a heart",
        };
        let line = |text: String| {
            let reaction = Some(view.clone());
            Arc::new(Line { kind: LineKind::Chat, text, reaction, ..Line::default() })
        };
        let name = self.channel_name(id, by);
        self.send_line(who, line(format!("[{id} {name} #{number}] You give it {what}.")));
        let from = self.display_name(by);
        let listeners: Vec<CharacterId> = match self.state.channels.get(id) {
            Some(channel) => channel.members.keys().filter_map(|member| self.character_of(*member)).collect(),
            None => Vec::new(),
        };
        let hears = |listener: &CharacterId| *listener != who && !self.ignores(*listener, who);
        let listeners: Vec<CharacterId> = listeners.into_iter().filter(hears).collect();
        for listener in listeners {
            let reader = self.person_of(listener).unwrap_or_default();
            if self.is_muted(reader, id) {
                continue;
            }
            let whose = if author == Some(reader) { "your words" } else { "it" };
            let name = self.channel_name(id, reader);
            let text = |from: &str| format!("[{id} {name} #{number}] {from} gives {whose} {what}.");
            let line = match self.is_veiled(who, id) && !self.knows(listener, who) {
                false => line(text(&from)),
                // The frame would say by whom.
                true => Arc::new(Line { kind: LineKind::Chat, text: text("Someone"), ..Line::default() }),
            };
            self.send_line(listener, line);
        }
    }
}
