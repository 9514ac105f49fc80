//! Messages and reactions as frames have them.

use crate::channel::Message;
use crate::world::World;
use content::filter::Filter;
use protocol::channel as wire;
use std::borrow::Cow;
use std::sync::Arc;

/// Who speaks, for those who do not know.
pub(super) fn someone() -> wire::Person {
    wire::Person { id: None, name: "Someone".into(), kind: wire::PersonKind::Person }
}

/// A message as it stands in a list for a reader, so many minutes later. `filter`: the one that it wants.
pub fn remembered(reader: u32, channel: u32, message: &Message, minutes: u64, filter: Option<&Filter>) -> String {
    let to = message.reply_to.map_or(String::new(), |reply| format!(" to #{reply}"));
    let ago = match minutes {
        0 => "just now".to_string(),
        1..120 => format!("{minutes} min ago"),
        120..2_880 => format!("{} h ago", minutes / 60),
        _ => format!("{} days ago", minutes / 1_440),
    };
    let filter = filter.filter(|_| message.sender.id != Some(reader) && message.kind == wire::MessageKind::Text);
    let words = match filter {
        _ if message.hidden => "(taken down)".into(),
        Some(filter) => filter.masked(&message.text),
        None => Cow::Borrowed(&*message.text),
    };
    let tally = message.tally();
    let marks: Vec<String> =
        [(tally.thumbs_up, "up"), (tally.thumbs_down, "down"), (tally.brain, "brain"), (tally.heart, "heart")]
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, name)| format!("{count} {name}"))
            .collect();
    let marks = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
    let sender = if is_veiled_for(reader, message) { someone().name } else { message.sender.name.clone() };
    format!("[{channel} #{}{to}, {ago}] {sender}: {words}{marks}", message.id)
}

fn is_veiled_for(reader: u32, message: &Message) -> bool {
    message.veiled && message.sender.id != Some(reader)
}

impl World {
    /// A message as it stands for a reader who comes later.
    pub(crate) fn message_for(&self, reader: u32, channel: u32, message: &Message, to_you: bool) -> wire::Message {
        let mut view = self.message_view(channel, message, to_you);
        if is_veiled_for(reader, message) {
            view.sender = someone();
        }
        if let Some(filter) = self.filter_for(reader, message) {
            view.content = filter.masked(&view.content).into_owned().into();
        }
        view
    }

    /// What a reader wants masked of a message; nothing of its own.
    fn filter_for(&self, reader: u32, message: &Message) -> Option<&Filter> {
        let others = message.kind == wire::MessageKind::Text && message.sender.id != Some(reader);
        self.filter_of(self.character_of(reader).filter(|_| others)?)
    }

    /// A message as its channel's members get it; whether it is to one of them is the caller's.
    pub fn message_view(&self, channel: u32, message: &Message, to_you: bool) -> wire::Message {
        wire::Message {
            id: message.id,
            channel,
            tick: message.tick,
            at: None,
            sender: wire::Person {
                id: match message.sender.kind {
                    wire::PersonKind::Architect => Some(wire::ARCHITECT),
                    _ => message.sender.id,
                },
                name: message.sender.name.clone(),
                kind: message.sender.kind,
            },
            kind: message.kind,
            content: if message.hidden { "".into() } else { message.text.clone() },
            reply_to: message.reply_to,
            reactions: message.tally(),
            to_you,
            cooling: self.state.channels.get(channel).is_some_and(|channel| channel.is_cooling(self.tick())),
            hidden: message.hidden,
        }
    }

    /// For programs: a reaction to a message of theirs.
    pub(crate) fn reaction_view(
        &self,
        channel: u32,
        message: &Message,
        by: u32,
        reaction: wire::Reaction,
    ) -> Arc<wire::Reacted> {
        Arc::new(wire::Reacted { message: message.id, channel, by, reaction, reactions: message.tally() })
    }
}
