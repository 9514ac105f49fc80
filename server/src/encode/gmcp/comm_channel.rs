//! What is said to the player, and by which verbs it can answer.

use super::message::{Known, MessageRow, Source};
use protocol::channel::PersonKind;
use serde_json::{Value, json};
use world::report::{Line, LineKind};

pub const LIST: MessageRow =
    MessageRow { name: "Comm.Channel.List", source: Source::Whole { needs: &[], write: write_list } };

pub const TEXT: MessageRow = MessageRow { name: "Comm.Channel.Text", source: Source::Line(write_text) };

/// What is no channel of the content.
const OTHERS: [(&str, &str); 3] = [("say", "Here"), ("tell", "To one"), ("gtell", "Group")];

fn write_list(known: &Known) -> Option<String> {
    let row = |name: &str, caption: &str| json!({"name": name, "caption": caption, "command": name});
    let others = OTHERS.iter().map(|(name, caption)| row(name, caption));
    let channels = known.content.channels.iter().map(|channel| row(&channel.name, &channel.name));
    (!known.name.is_empty()).then(|| others.chain(channels).collect::<Value>().to_string())
}

fn write_text(known: &Known, line: &Line) -> Option<Value> {
    let channel = match line.kind {
        LineKind::Say => "say",
        LineKind::Tell => "tell",
        LineKind::Group => "gtell",
        LineKind::Channel(on) => &*known.content.channel(on.id).name,
        _ => return None,
    };
    let talker = line.from.as_deref()?;
    let mut text = json!({"channel": channel, "talker": talker, "text": line.text});
    if let Some(message) = &line.message {
        let kind = match message.sender.kind {
            _ if line.from_agent => "agent",
            PersonKind::Persona | PersonKind::Bot => "agent",
            PersonKind::Mob => "npc",
            _ => "player",
        };
        text["talker-type"] = json!(kind);
    } else if line.from_agent {
        // Words in the room are no message of a channel.
        text["talker-type"] = json!("agent");
    }
    Some(text)
}
