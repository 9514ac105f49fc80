//! Channels: verbs of the world's content that carry words beyond the room (`channels.toml`).
//!
//! A speaker is known by the voice: darkness and blindness do not matter, invisibility does. Who switched a channel off
//! (`Player::deaf_to`) neither hears nor uses it. Invariant: a channel is found after the verbs of mortals and before
//! all others, so that content changes no verb of theirs.

use super::talk::whole_words;
use super::too_low;
use crate::arena::CharacterId;
use crate::channels::for_people_only;
use crate::commands::verb::NAMES;
use crate::refusal::Done;
use crate::world::World;
use content::flags::{AffectFlags, RoomFlags};
use content::words::ChannelRange;
use content::{Channel, ChannelId, Content};
use protocol::verbs::means;

/// The first channel of the world whose name begins with a word.
pub(super) fn find(content: &Content, word: &str) -> Option<ChannelId> {
    let at = content.channels.iter().position(|channel| means(word, &channel.name, false))?;
    Some(ChannelId(at as u16))
}

/// Whether some verb of mortals is found by the whole name, so that nobody could ever use the channel.
pub fn is_shadowed(channel: &Channel) -> bool {
    let by_verb =
        NAMES.find_among(&channel.name, crate::character::LEVEL_MAX, |rank| rank == protocol::verbs::Rank::Mortal);
    by_verb.is_some() || NAMES.named(&channel.name).is_some()
}

/// The settings of all channels, each once, with the first channel that has it.
pub fn settings(content: &Content) -> impl Iterator<Item = &Channel> {
    let all = &content.channels;
    all.iter()
        .enumerate()
        .filter(|(at, one)| all[..*at].iter().all(|other| other.setting != one.setting))
        .map(|(_, c)| c)
}

fn level_min(world: &World, channel: &Channel) -> i32 {
    channel.level.unwrap_or(world.rules.channel_level_min)
}

/// The channel on which somebody may talk to all the world about anything, if there is one: gossip, and before that
/// what is open to newcomers.
pub(super) fn for_everybody(world: &World, who: CharacterId) -> Option<&Channel> {
    let c = world.who(who);
    let is_agent = c.player().is_some_and(|player| player.agent);
    let may = |channel: &&Channel| {
        channel.range == ChannelRange::World
            && channel.moves == 0
            && level_min(world, channel) <= c.level
            && !(channel.people_only && is_agent)
            && !is_deaf(world, who, channel)
    };
    world.content.channels.iter().find(may)
}

/// Speaks on a channel: to the speaker, then to those who listen, by name.
pub(super) fn speak(world: &mut World, who: CharacterId, id: ChannelId, args: &str) -> Done {
    speak_to(world, who, id, args, None)
}

/// The same as an answer to a message.
pub(super) fn speak_to(world: &mut World, who: CharacterId, id: ChannelId, args: &str, reply_to: Option<u64>) -> Done {
    let content = world.content.clone();
    let channel = content.channel(id);
    let speaker = world.who(who);
    if speaker.position < channel.position {
        return Err(too_low(world, speaker.position));
    }
    let immortal = speaker.is_immortal();
    world.may_be_heard(who)?;
    if channel.people_only && speaker.player().is_some_and(|player| player.agent) {
        return Err(for_people_only(channel));
    }
    if speaker.is(AffectFlags::CHARM) {
        return Err("Your master has not told you to.".into());
    }
    let level = level_min(world, channel);
    if speaker.is_player() && speaker.level < level {
        let open = content.channels.iter().find(|other| level_min(world, other) <= speaker.level);
        let open = open.map_or(String::new(), |open| format!(" The {} channel is open to you.", open.name));
        return Err(format!("You must be of level {level} to use this channel.{open}").into());
    }
    if world.room_flags(speaker.room).has(RoomFlags::SOUNDPROOF) && !immortal {
        return Err("The walls drink your words.".into());
    }
    if is_deaf(world, who, channel) {
        return Err(format!("You have stopped your own ears to that. First: toggle {}", channel.setting).into());
    }
    let words = whole_words(args, &format!("And what are the words? ({} <words>)", channel.name))?;
    let moves = if immortal { 0 } else { channel.moves };
    if speaker.moves < moves {
        return Err("You have not breath enough left for that.".into());
    }
    world.utter(who, channel.id, words, reply_to)?;
    if moves > 0 {
        world.who_mut(who).moves -= moves;
    }
    Ok(())
}

fn is_deaf(world: &World, who: CharacterId, channel: &Channel) -> bool {
    world.who(who).player().is_some_and(|player| player.deaf_to.contains(&*channel.setting))
}
