//! Talking in channels: chat, reply to a message, react, attention, request. What a channel is, `channel.rs` shows and
//! sets; what words cost is in `channel/pace.rs`.

use super::{channels, talk};
use crate::arena::CharacterId;
use crate::channel::{ChannelKind, Reaction};
use crate::find::first_word;
use crate::refusal::{Done, Refusal};
use crate::report::LineKind;
use crate::world::World;
use content::flags::AffectFlags;
use protocol::attention::Attention;

pub(super) const ONLY_PLAYERS: &str = "Only players have channels.";

pub(super) fn person(world: &World, who: CharacterId) -> Result<u32, Refusal> {
    world.person_of(who).ok_or_else(|| ONLY_PLAYERS.into())
}

pub fn chat(world: &mut World, who: CharacterId, args: &str) -> Done {
    let person = person(world, who)?;
    let (word, words) = first_word(args);
    let given_back = talk::given_back(words);
    let id = match world.channel_word(person, word) {
        Ok(id) => id,
        // Who names no channel means to talk, and does not know yet where.
        Err(why) if word.starts_with(char::is_alphabetic) => {
            return Err(talk::given_back(args)(where_to_say(world, who, &why)));
        }
        Err(why) => return Err(given_back(why)),
    };
    speak(world, who, id, words, None).map_err(&given_back)
}

/// Why words were not said that name no channel, with the verbs for words to everybody.
fn where_to_say(world: &World, who: CharacterId, why: &Refusal) -> Refusal {
    let far = channels::for_everybody(world, who);
    let far = far.map_or(String::new(), |channel| format!("; for all in the world: {} <words>", channel.name));
    format!("{} For all who are here: say <words>{far}.", why.0).into()
}

/// An answer: to a message by its number, to the newest of somebody else (`last`) or of a person, or, where the first
/// word means none of these, to who told one something last.
pub fn reply(world: &mut World, who: CharacterId, args: &str) -> Done {
    let Some(person) = world.person_of(who) else { return Err("Only players are told things.".into()) };
    let (word, rest) = first_word(args);
    let teller = world.state.channels.person(person).and_then(|person| person.told_by);
    // Behind an `@` stands where it is said to be.
    let address = word.split_once('@').map_or(word, |(address, _)| address);
    let is_number = |word: &str| {
        let digits = word.strip_prefix('#').unwrap_or(word);
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    };
    // A name that begins what one tells somebody else is no address.
    let named = || world.person_named(word).is_some_and(|named| teller.is_none_or(|teller| teller == named));
    if is_number(address) || address.eq_ignore_ascii_case("last") || (!rest.is_empty() && named()) {
        let given_back = talk::given_back(rest);
        let (channel, message) = world.message_word(person, word).map_err(&given_back)?;
        return speak(world, who, channel, rest, Some(message)).map_err(&given_back);
    }
    let Some(teller) = teller else {
        return Err("Nobody has told you anything that you could answer. (reply <message> <words>)".into());
    };
    match world.character_of(teller) {
        Some(other) => talk::tell_player(world, who, other, args, None).map_err(talk::given_back(args)),
        None => Err(talk::given_back(args)("Whoever told you something last has left the world.".into())),
    }
}

/// Words in a channel of the speaker's, as its kind has them.
fn speak(world: &mut World, who: CharacterId, id: u32, words: &str, reply_to: Option<u64>) -> Done {
    if let Some((row, _)) = world.content.channel_numbered(id) {
        return channels::speak_to(world, who, row, words, reply_to);
    }
    let own = person(world, who)?;
    if world.channel_kind(id) == ChannelKind::Direct {
        return match world.other_of(id, own).and_then(|other| world.character_of(other)) {
            Some(other) => talk::tell_player(world, who, other, words, reply_to),
            None => Err("They have left the world.".into()),
        };
    }
    if world.channel_kind(id) == ChannelKind::Home && world.state.agents.get(id).is_some_and(|record| record.retired) {
        return Err("Whose home that is has retired, and nobody speaks there any more.".into());
    }
    let character = world.who(who);
    world.may_be_heard(who)?;
    if character.is(AffectFlags::CHARM) {
        return Err("Your master has not told you to.".into());
    }
    let words = talk::whole_words(words, &format!("And what are the words? (chat {id} <words>)"))?;
    world.utter(who, id, words, reply_to)
}

pub fn react(world: &mut World, who: CharacterId, args: &str) -> Done {
    let person = person(world, who)?;
    let (word, rest) = first_word(args);
    let Some(reaction) = Reaction::named(rest.trim()) else {
        return Err("How? react <message> up, down, brain or heart".into());
    };
    let (channel, message) = world.message_word(person, word)?;
    let author = world.react_to(who, channel, message, reaction)?;
    if let (Some(author), Reaction::ThumbsUp | Reaction::ThumbsDown) = (author, reaction) {
        world.thumb(author, person, reaction == Reaction::ThumbsUp);
    }
    Ok(())
}

pub fn request(world: &mut World, who: CharacterId, args: &str) -> Done {
    let person = person(world, who)?;
    let (word, key) = first_word(args);
    if word.is_empty() || key.trim().is_empty() {
        return Err("Where do you want to be let in, and with which key? request <channel> <key>".into());
    }
    // Where there is no such channel, no key opens it: the answer is the same.
    let id = world.any_channel(person, word).unwrap_or(u32::MAX);
    let number = world.request_access(person, id, key.trim())?;
    world.send(who, LineKind::Chat, format!("You have asked (#{number}); its owner will answer."));
    Ok(())
}

pub fn attention(world: &mut World, who: CharacterId, args: &str) -> Done {
    let person = person(world, who)?;
    let (word, rest) = first_word(args);
    let id = world.channel_word(person, word)?;
    if rest.trim().is_empty() {
        let share = world.attention_share(person, id);
        let text = format!("[{id} {}] has {} of your attention.", world.channel_name(id, person), percent(share));
        world.send(who, LineKind::Chat, text);
        return Ok(());
    }
    let attention: Attention = rest.trim().parse().map_err(|error: String| Refusal::from(format!("{error}.")))?;
    let tick = world.tick();
    world.channel_in_use(id);
    world.state.channels.join(id, person, tick);
    if let Some(member) = world.state.channels.member_mut(id, person) {
        member.attention = attention;
    }
    // What one channel has, the others have not.
    for other in world.channels_of(person) {
        world.changed_for(person, other);
    }
    let share = world.attention_share(person, id);
    let name = world.channel_name(id, person);
    world.send(who, LineKind::Chat, format!("[{id} {name}] {attention}: it has {} of your attention.", percent(share)));
    Ok(())
}

/// Tenths of a percent in words.
pub(super) fn percent(share: u32) -> String {
    match share % 10 {
        0 => format!("{} %", share / 10),
        tenth => format!("{}.{tenth} %", share / 10),
    }
}
