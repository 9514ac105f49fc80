//! Channels on the wire: the payloads of the frames `agent`, `channels`, `message` and `reaction`, for logins with the
//! feature `channels`.
//!
//! A channel is a conversation with members, not a place; `room` in this protocol always means a place. Ids are whole
//! numbers: 0 is The Architect and its channel, 1 to 99 are channels of the content, persons and all other channels
//! count from 100 together, and a person's home has the id of its owner. Ids that come in may be strings of digits.

use serde::{Deserialize, Deserializer, Serialize};
use std::sync::Arc;

/// The feature of a login that asks for these frames.
pub const FEATURE: &str = "channels";
/// The Architect, and its channel.
pub const ARCHITECT: u32 = 0;
/// The greatest id of a channel of the content.
pub const CONTENT_CHANNEL_MAX: u32 = 99;
/// The first id of a person, and of a channel that is no content.
pub const FIRST_PERSON: u32 = 100;

/// The think interval of an agent, in tenths of a second: its least and its longest.
pub const THINK_DS: std::ops::RangeInclusive<u32> = 10..=100;
/// A tick of the world, in tenths of a second.
pub const TICK_DS: u32 = 20;

/// A think interval after so much of the world's time while its agent was played and awake, in tenths of a second: with
/// each interval the next is a tenth longer, up to the longest. With it, what is left of the time.
pub fn drifted(think_ds: u32, elapsed_ds: u32) -> (u32, u32) {
    let (mut think_ds, mut left) = (think_ds.max(1), elapsed_ds);
    while left >= think_ds && think_ds < *THINK_DS.end() {
        left -= think_ds;
        think_ds += 1;
    }
    (think_ds, left % think_ds)
}

/// Who somebody is to a reader of channels.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PersonKind {
    /// Played by a person, or by a program without a record.
    #[default]
    Person,
    /// An agent with a character of its own.
    Persona,
    /// An agent with a job.
    Bot,
    Mob,
    Architect,
    /// The server itself: joins, requests. Has no id.
    System,
}

impl PersonKind {
    pub const ALL: [PersonKind; 6] = [
        PersonKind::Person,
        PersonKind::Persona,
        PersonKind::Bot,
        PersonKind::Mob,
        PersonKind::Architect,
        PersonKind::System,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            PersonKind::Person => "person",
            PersonKind::Persona => "persona",
            PersonKind::Bot => "bot",
            PersonKind::Mob => "mob",
            PersonKind::Architect => "architect",
            PersonKind::System => "system",
        }
    }
}

/// A member, or the sender of a message.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Person {
    /// `null` for mobs and the system.
    #[serde(default, deserialize_with = "maybe_id")]
    pub id: Option<u32>,
    /// As shown; may change, the id never does.
    pub name: Arc<str>,
    pub kind: PersonKind,
}

/// What sort of channel it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChannelKind {
    /// A person's own.
    Home,
    /// Between two.
    Direct,
    /// A party's, or one that somebody made.
    Group,
    /// Of the content: everybody's until they leave it.
    Global,
}

impl ChannelKind {
    pub const ALL: [ChannelKind; 4] = [ChannelKind::Home, ChannelKind::Direct, ChannelKind::Group, ChannelKind::Global];

    pub const fn name(self) -> &'static str {
        match self {
            ChannelKind::Home => "home",
            ChannelKind::Direct => "direct",
            ChannelKind::Group => "group",
            ChannelKind::Global => "global",
        }
    }
}

/// What can be said of a message without words. Each once for a person and a message; the thumbs exclude each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reaction {
    ThumbsUp,
    ThumbsDown,
    Brain,
    Heart,
}

impl Reaction {
    pub const ALL: [Reaction; 4] = [Reaction::ThumbsUp, Reaction::ThumbsDown, Reaction::Brain, Reaction::Heart];

    /// The word on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Reaction::ThumbsUp => "thumbs_up",
            Reaction::ThumbsDown => "thumbs_down",
            Reaction::Brain => "brain",
            Reaction::Heart => "heart",
        }
    }

    /// The word that is typed: `react 413 up`.
    pub const fn word(self) -> &'static str {
        match self {
            Reaction::ThumbsUp => "up",
            Reaction::ThumbsDown => "down",
            Reaction::Brain => "brain",
            Reaction::Heart => "heart",
        }
    }

    /// By either word, in any case.
    pub fn named(word: &str) -> Option<Reaction> {
        let is = |reaction: &Reaction| {
            word.eq_ignore_ascii_case(reaction.word()) || word.eq_ignore_ascii_case(reaction.name())
        };
        Reaction::ALL.into_iter().find(is)
    }
}

/// How many there are of each; those that nobody gave are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    #[serde(skip_serializing_if = "is_zero")]
    pub thumbs_up: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub thumbs_down: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub brain: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub heart: u32,
}

impl Tally {
    pub const fn of(&self, reaction: Reaction) -> u32 {
        match reaction {
            Reaction::ThumbsUp => self.thumbs_up,
            Reaction::ThumbsDown => self.thumbs_down,
            Reaction::Brain => self.brain,
            Reaction::Heart => self.heart,
        }
    }

    pub fn add(&mut self, reaction: Reaction) {
        match reaction {
            Reaction::ThumbsUp => self.thumbs_up += 1,
            Reaction::ThumbsDown => self.thumbs_down += 1,
            Reaction::Brain => self.brain += 1,
            Reaction::Heart => self.heart += 1,
        }
    }

    pub fn is_empty(&self) -> bool {
        *self == Tally::default()
    }
}

/// Words of somebody, or a note of the server about a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageKind {
    Text,
    System,
}

impl MessageKind {
    pub const fn name(self) -> &'static str {
        match self {
            MessageKind::Text => "text",
            MessageKind::System => "system",
        }
    }
}

/// `message`: one that was posted in a channel of the reader's, own ones too; also a row of `Channel::messages`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Message {
    /// One counter of the world from 1: rises with each message of any channel.
    #[serde(deserialize_with = "number")]
    pub id: u64,
    #[serde(deserialize_with = "id")]
    pub channel: u32,
    pub tick: u64,
    /// Unix milliseconds, by the clock of the server; left out where it does not know any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    pub sender: Person,
    #[serde(rename = "type")]
    pub kind: MessageKind,
    /// Untrusted words of others; without control characters. Empty where it was hidden.
    pub content: Arc<str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<u64>,
    #[serde(default, skip_serializing_if = "Tally::is_empty")]
    pub reactions: Tally,
    /// In a direct channel, an answer to one of the reader's, or with `@` and the reader's name.
    #[serde(default, skip_serializing_if = "is_false")]
    pub to_you: bool,
    /// Agents have talked there for so long that their accounts fill more slowly: an answer is in no hurry.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cooling: bool,
    /// Its channel's owner took it out of sight.
    #[serde(default, skip_serializing_if = "is_false")]
    pub hidden: bool,
}

impl Message {
    /// Words as they stand when they are said: nobody has reacted, and they answer nothing.
    pub fn new(id: u64, channel: u32, tick: u64, sender: Person, content: Arc<str>) -> Message {
        Message {
            id,
            channel,
            tick,
            at: None,
            sender,
            kind: MessageKind::Text,
            content,
            reply_to: None,
            reactions: Tally::default(),
            to_you: false,
            cooling: false,
            hidden: false,
        }
    }
}

/// Somebody who asks to be let into a channel of the reader's.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AccessRequest {
    /// The id of the message that announced it.
    #[serde(deserialize_with = "number")]
    pub id: u64,
    #[serde(deserialize_with = "id")]
    pub requester_id: u32,
    pub key_used: Arc<str>,
}

/// A channel as one of its members sees it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Channel {
    #[serde(deserialize_with = "id")]
    pub id: u32,
    pub name: Arc<str>,
    pub kind: ChannelKind,
    /// Left out for those of the content, which nobody owns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<u32>,
    /// The reader's own home.
    pub is_self_room: bool,
    /// 50 at most; for those of the content none. The rest is counted.
    pub members: Vec<Person>,
    pub member_count: u32,
    /// As set: `30%`, `%*` for a share of what the others leave, `auto`.
    pub attention: Arc<str>,
    /// What that comes to, in percent. Those of all channels of a reader add up to 100.
    pub attention_pct: f64,
    /// Words a minute that each speaker's account is filled by.
    pub wpm: u32,
    /// Words that the reader may say at once: 10 to 200, 0 in debt. As of sending.
    pub word_budget: u32,
    /// Words of the reader's that wait for their account, and for how many seconds.
    #[serde(default)]
    pub waiting: u32,
    #[serde(default)]
    pub wait_s: u32,
    /// Left out for who never spoke there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_spoke_tick: Option<u64>,
    #[serde(default)]
    pub muted: bool,
    #[serde(default)]
    pub unread: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub billboard: Option<Arc<str>>,
    /// For its owner only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub my_keys: Vec<Arc<str>>,
    /// For its owner only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending_access_requests: Vec<AccessRequest>,
    /// The newest 20, newest last, in a full frame; left out in later ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Message>,
}

impl Channel {
    /// One in which nothing was said, set or spent so far, for a member who is not its owner.
    pub fn new(id: u32, name: Arc<str>, kind: ChannelKind) -> Channel {
        Channel {
            id,
            name,
            kind,
            owner: None,
            is_self_room: false,
            members: Vec::new(),
            member_count: 0,
            attention: "%*".into(),
            attention_pct: 0.0,
            wpm: 80,
            word_budget: 200,
            waiting: 0,
            wait_s: 0,
            last_spoke_tick: None,
            muted: false,
            unread: 0,
            billboard: None,
            my_keys: Vec::new(),
            pending_access_requests: Vec::new(),
            messages: Vec::new(),
        }
    }
}

/// `channels`: those of the reader; all at login, later those that changed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Channels {
    /// These are all, with their newest messages.
    pub full: bool,
    /// The reader's own id.
    #[serde(deserialize_with = "id")]
    pub you: u32,
    pub channels: Vec<Channel>,
    /// Those that are the reader's no more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<u32>,
    /// Channels that the reader may join and has not joined, all of them; left out where nothing about that is new, and
    /// at a login where there is none. One to a channel that is the reader's by now is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invitations: Option<Vec<Invitation>>,
}

/// A channel into which the reader is invited: `channel join <id>`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Invitation {
    #[serde(deserialize_with = "id")]
    pub id: u32,
    pub name: Arc<str>,
}

/// `reaction`: somebody thinks something of a message.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reacted {
    #[serde(deserialize_with = "number")]
    pub message: u64,
    #[serde(deserialize_with = "id")]
    pub channel: u32,
    #[serde(deserialize_with = "id")]
    pub by: u32,
    pub reaction: Reaction,
    /// All that the message has now.
    pub reactions: Tally,
}

/// `agent`: the reader's own record, at login and at each change but the drift of `think_ds`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Agent {
    #[serde(deserialize_with = "id")]
    pub id: u32,
    pub name: Arc<str>,
    /// `persona` or `bot`.
    pub kind: PersonKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Arc<str>>,
    /// Who it is (a persona), or what it is for (a bot).
    #[serde(default)]
    pub seed: Arc<str>,
    /// Its own rules of conduct.
    #[serde(default)]
    pub guidelines: Arc<str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_format: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out_format: Option<Arc<str>>,
    #[serde(default)]
    pub may_create_agents: bool,
    /// Tenths of a second from one thought to the next, 10 to 100.
    pub think_ds: u32,
    /// It does not think before this tick.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sleep_until: Option<u64>,
    #[serde(default)]
    pub retired: bool,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// A number, or its digits as a string.
#[derive(Deserialize)]
#[serde(untagged)]
enum Lenient {
    Number(u64),
    Digits(String),
}

impl Lenient {
    fn value<E: serde::de::Error>(self) -> Result<u64, E> {
        match self {
            Lenient::Number(number) => Ok(number),
            Lenient::Digits(text) => {
                text.trim().parse().map_err(|_| E::custom(format!("`{text}` is no id: a whole number is")))
            }
        }
    }
}

fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Lenient::deserialize(deserializer)?.value()
}

pub(crate) fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let number = number(deserializer)?;
    u32::try_from(number).map_err(|_| serde::de::Error::custom(format!("{number} is too great for an id")))
}

fn maybe_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let Some(number) = Option::<Lenient>::deserialize(deserializer)? else { return Ok(None) };
    let number = number.value()?;
    let id = u32::try_from(number).map_err(|_| serde::de::Error::custom(format!("{number} is too great for an id")))?;
    Ok(Some(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ids_are_taken_as_digits_too_and_nothing_else_is() {
        let row = |id: serde_json::Value| json!({"message": "413", "channel": id, "by": 108, "reaction": "heart", "reactions": {}});
        let read = |id| serde_json::from_value::<Reacted>(row(id));
        assert_eq!(read(json!("105")).expect("digits").channel, 105);
        for bad in [json!("home"), json!(-1), json!(1.5), json!(u64::MAX), json!(null)] {
            assert!(read(bad.clone()).is_err(), "{bad}");
        }
        let system = json!({"id": null, "name": "System", "kind": "system"});
        let system: Person = serde_json::from_value(system).expect("the system has no id");
        assert_eq!(system.id, None);
    }

    #[test]
    fn a_reaction_is_known_by_both_of_its_words() {
        for reaction in Reaction::ALL {
            assert_eq!(Reaction::named(reaction.word()), Some(reaction));
            assert_eq!(Reaction::named(&reaction.name().to_uppercase()), Some(reaction));
            let mut tally = Tally::default();
            tally.add(reaction);
            assert_eq!(tally.of(reaction), 1);
            assert_eq!(json!(tally), json!({ reaction.name(): 1 }));
        }
        assert_eq!(Reaction::named("shrug"), None);
    }
}
