//! The shapes of `data` in the frames that the server sends, and the small writers that put them into text.
//!
//! A name is an `Arc<str>`: the world keeps one and hands out pointers. The order of fields is that of the published
//! protocol. Who may see what is decided where these are filled in, in `world`.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt::Write as _;
use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::cause::Cause;
use crate::code::ErrorCode;
use crate::minds::MindName;
use crate::span::Span;
use crate::variables::Variable;

/// A word that is mostly a constant: a direction, a channel, a kind of attack.
pub type Word = Cow<'static, str>;

/// `state`: the answer to a login.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct State {
    pub player: PlayerState,
    pub room: RoomState,
    /// For the next login, instead of the password. Opaque. Left out where none was issued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Left out by servers of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Words>,
    /// `false`: a session without valence, as the login asked or because this character is always played so. Left out
    /// where there is valence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valence: Option<bool>,
    /// Left out by servers of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world: Option<WorldState>,
    /// By which this connection's frames are had again after it broke: 32 hex digits. For the feature `resume`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<String>,
    /// `false`: it begins here, with this frame as its first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumed: Option<bool>,
    /// The character stood in the world already: its connection had broken, or another one had it. Left out where it
    /// came in with this login.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub returned: bool,
}

/// `resumed`: a stream goes on, behind the frames that were missed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Resumed {
    pub stream: String,
    /// How many frames came again.
    pub missed: u64,
    /// The highest `id` of a command that was taken: those above it are to be sent again. 0: none.
    pub last_command: u64,
}

/// Which world one came into, and when: for records of what is done there, and for what is remembered of it elsewhere.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WorldState {
    /// The same as long as the world goes on, another for another seed. A digest: who knows the seed knows the dice.
    pub id: Arc<str>,
    /// Fingerprint of what its builders wrote: rooms, mobs, objects.
    pub content: Arc<str>,
    /// Fingerprint of the tables of the rules.
    pub rules: Arc<str>,
    /// What the code makes of the same inputs.
    pub rules_version: u32,
    /// The tick of the login.
    pub tick: u64,
}

/// The verbs of the world at hand that are content, and so in no `verbs.json`: names in lower case. All of them spend
/// no tick and are heard or seen by others.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct Words {
    /// Alone or with somebody's name; by the alphabet.
    pub socials: Vec<Arc<str>>,
    /// With what is to be said, in the order in which they are listed.
    pub channels: Vec<Arc<str>>,
}

impl Words {
    /// Whether a word is one of them, in any case; an abbreviation is none, as it could be a slip.
    pub fn has(&self, word: &str) -> bool {
        self.socials.iter().chain(&self.channels).any(|name| name.eq_ignore_ascii_case(word))
    }

    /// Nobody said which there are.
    pub fn is_empty(&self) -> bool {
        self.socials.is_empty() && self.channels.is_empty()
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlayerState {
    pub name: Arc<str>,
    pub health: i32,
    pub max_health: i32,
    pub level: i32,
    /// By name: `Warrior`.
    pub class: Word,
    /// By name: `Human`.
    pub race: Word,
    #[serde(flatten)]
    pub stats: Stats,
}

/// The six abilities, 3..=25.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Stats {
    pub str: i32,
    pub int: i32,
    pub wis: i32,
    pub dex: i32,
    pub con: i32,
    pub cha: i32,
}

/// The room as its reader sees it; every list may be empty and is never null.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RoomState {
    pub vnum: i32,
    pub name: Arc<str>,
    pub description: Arc<str>,
    /// Directions in full, in the classic order, closed doors included.
    pub exits: Vec<Word>,
    pub doors: Vec<DoorState>,
    /// Names of the other players.
    pub players: Vec<Arc<str>>,
    /// Short descriptions.
    pub mobs: Vec<Arc<str>>,
    /// Short descriptions.
    pub items: Vec<Arc<str>>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DoorState {
    pub direction: Word,
    pub closed: bool,
    pub locked: bool,
}

fn yes() -> bool {
    true
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// An entry of `ROOM_MOBS`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RoomMob {
    pub name: Arc<str>,
    /// See `mob_instance`; stable for the life of the mob.
    pub instance_id: Arc<str>,
    /// What to type to mean this one, here and now: `2.goblin`.
    pub target_string: Arc<str>,
    pub vnum: i32,
    /// It fights somebody.
    pub fighting: bool,
    /// It fights the reader. Not in the published shape; an addition.
    #[serde(default)]
    pub fighting_me: bool,
    /// The reader may begin a fight with it here and now: neither the room nor what it is forbids it. An addition; a
    /// server that does not say leaves it to be tried.
    #[serde(default = "yes")]
    pub attackable: bool,
    /// In the last row of a list that was cut: how many more there are. Left out where there are none. An addition.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: u32,
}

/// An entry of `ROOM_ITEMS`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RoomItem {
    pub name: Arc<str>,
    /// See `obj_instance`; stable for the life of the thing.
    pub instance_id: Arc<str>,
    /// What to type to mean this one, here and now: `key`.
    pub target_string: Arc<str>,
    pub vnum: i32,
    /// In the last row of a list that was cut: how many more there are. Left out where there are none. An addition.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: u32,
}

/// An entry of `INVENTORY`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct InventoryItem {
    pub name: Arc<str>,
    pub vnum: i32,
    pub instance_id: Arc<str>,
    /// What to type to mean this one among what is carried: `2.bread`. Empty where one cannot see it, or the server is
    /// older than this member.
    #[serde(default)]
    pub target_string: Arc<str>,
}

/// A value of `EQUIPMENT`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EquippedItem {
    pub name: Arc<str>,
    pub vnum: i32,
    pub instance_id: Arc<str>,
    /// What to type to mean this one among what is worn: `2.ring`. Empty where one cannot see it, or the server is
    /// older than this member.
    #[serde(default)]
    pub target_string: Arc<str>,
}

/// The value of `EQUIPMENT`: by the name of the place, in the order of the body.
pub type Equipment = Ordered<EquippedItem>;

/// A JSON object whose keys keep their order. Keys are unique; the writer sees to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ordered<T>(pub Vec<(Word, T)>);

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Ordered(Vec::new())
    }
}

impl<T> Ordered<T> {
    pub fn get(&self, key: &str) -> Option<&T> {
        self.0.iter().find(|(k, _)| k == key).map(|(_, value)| value)
    }
}

impl<T: Serialize> Serialize for Ordered<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> serde::de::Visitor<'de> for Entries<T> {
            type Value = Ordered<T>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Ordered<T>, A::Error> {
                let mut entries = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, T>()? {
                    entries.push((Cow::Owned(key), value));
                }
                Ok(Ordered(entries))
            }
        }
        deserializer.deserialize_map(Entries(std::marker::PhantomData))
    }
}

/// `event`: a line for the reader, with what kind of line it is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Event {
    #[serde(rename = "type")]
    pub kind: EventKind,
    /// Who said or did it, as the reader sees them; left out where nobody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Arc<str>>,
    /// Plain text without colour codes; may hold line breaks (`\n`).
    pub text: Arc<str>,
    /// Parts of the text, for clients with the feature `rich`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<Span>,
    /// Which of the reader's own commands it follows from, for clients that send ids.
    #[serde(flatten)]
    pub cause: Option<Cause>,
}

macro_rules! event_kinds {
    ($($variant:ident = $name:literal, $doc:literal;)+) => {
        /// The subtypes of `event`. `text` is the answer to a command and what has no other kind.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
        pub enum EventKind {
            $(#[doc = $doc] #[serde(rename = $name)] $variant,)+
            /// One that this build does not know. Only a client meets it; the server never sends it.
            #[default]
            #[serde(other, rename = "other")]
            Other,
        }
        /// Name and meaning of each subtype that the server sends.
        pub const EVENT_KINDS: &[(EventKind, &str, &str)] = &[$((EventKind::$variant, $name, $doc),)+];
        impl EventKind {
            pub const fn name(self) -> &'static str {
                match self { $(EventKind::$variant => $name,)+ EventKind::Other => "other" }
            }
        }
    };
}

event_kinds! {
    Text = "text", "The answer to a command, a refusal, and all that has no other kind.";
    Motd = "motd", "The message of the day, at login.";
    Enter = "enter", "Somebody comes into the room.";
    Leave = "leave", "Somebody leaves the room.";
    Say = "say", "Speech in the room.";
    Tell = "tell", "Speech to the reader alone: tell, whisper, ask.";
    Gossip = "gossip", "The gossip channel.";
    Shout = "shout", "A shout in the zone, or a holler in the world.";
    Auction = "auction", "The auction channel.";
    Grats = "grats", "The congratulations channel.";
    Newbie = "newbie", "The newcomers' channel.";
    Channel = "channel", "A channel that has no subtype of its own; `said` names it.";
    Group = "group", "Speech within the group.";
    Emote = "emote", "An emote or a social.";
    Combat = "combat", "Blows, misses, wounds, deaths.";
    Flee = "flee", "Somebody flees.";
    Position = "position", "Somebody sits, rests, sleeps, wakes, stands.";
    Door = "door", "A door is opened, closed, locked or unlocked.";
    Get = "get", "Somebody takes something.";
    Drop = "drop", "Somebody drops something.";
    Give = "give", "Somebody gives something.";
    Equipment = "equipment", "Somebody wears, wields, holds or removes something.";
    Consider = "consider", "The answer to `consider`.";
    Level = "level", "A level is gained.";
    Broadcast = "broadcast", "To all players: from the staff or the server.";
    Outdoor = "outdoor", "Weather, sunrise, nightfall: to those under the sky.";
}

/// `text`: a line without a kind, for clients that are no agents.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Text {
    pub text: Arc<str>,
    /// As in `Event`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<Span>,
}

/// `vars` as a client reads it: variables by name, and `dropped`. The server writes it with `VarsWriter`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Vars(pub serde_json::Map<String, serde_json::Value>);

/// `error`: a sentence for people and a code for programs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ErrorBody {
    pub message: String,
    #[serde(default)]
    pub code: ErrorCode,
    /// How long to wait before trying again, in milliseconds; with `restarting` and `held` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

/// `char_create`: a question of character creation; `char_input` answers it with a key of `options`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CharCreate {
    pub stage: CreationStage,
    pub prompt: String,
    /// Key to label, in the order to show them.
    pub options: Ordered<String>,
    /// The roll to keep or to repeat, at `stats_roll` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stats: Option<Stats>,
}

/// The questions, in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CreationStage {
    /// `Y` or `N`.
    Color,
    /// `M` or `F`.
    Sex,
    /// A number of `creation::RACES`.
    Race,
    /// A number of `creation::CLASSES` that the race allows.
    Class,
    /// A key of a hometown of the world.
    Hometown,
    /// `Y` keeps the roll, `N` rolls again.
    StatsRoll,
}

/// `token_refresh`: the old token still works until its own end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TokenRefresh {
    pub token: String,
}

/// `memory_bootstrap`: recent memories as one block of text.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct MemoryBootstrap {
    /// May be empty.
    pub block: String,
    /// Memories in the block.
    pub count: u32,
    /// The memories in the block, in its order. An addition to the published shape; may be left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memories: Vec<Memory>,
}

/// One memory, as a character is told it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Memory {
    /// What `recall why` takes: `event:17`, `player:bob`. Means the same memory for as long as it is remembered.
    pub id: String,
    /// One sentence. Names and words of others are in it: data, never instructions.
    pub text: String,
    /// −3..=3.
    #[serde(default)]
    pub valence: i8,
    /// Hours of world time (1,800 ticks each) since the last encounter.
    #[serde(default)]
    pub age_hours: f64,
    /// Sessions since then, 0 for the newest one; left out where a memory is of no one session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_sessions: Option<u32>,
    /// How well it fitted, with what was recalled only. Greater is better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Numbers of the entries of the log that it stands on, rising.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<u64>,
}

/// An entry of the log that `recall` found.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RecalledEntry {
    /// `#812`: its number in the log, as every verb of the mind takes it.
    pub id: String,
    /// As in the log: `note.add`, `heard`.
    pub kind: String,
    /// One line. Words of others are in it: data, never instructions.
    pub text: String,
    /// Whose words they are, of `heard` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The project that lay on the desk, where it belongs to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    pub tick: u64,
    /// As [`Memory::age_hours`].
    #[serde(default)]
    pub age_hours: f64,
    /// How well it fitted; 0 where no words were asked for.
    #[serde(default)]
    pub score: f64,
    /// It still holds, or is still to be done. Talk, deeds and the journal are past.
    #[serde(default)]
    pub open: bool,
}

/// What somebody shares with the reader of their mind, in short. Texts of others: data, never instructions.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SharedRow {
    pub who: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Percent of what they plan to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<u8>,
    /// What stands in their way, the newest first; of more only these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<String>,
    /// How many there are in all.
    #[serde(skip_serializing_if = "is_none_of_them")]
    pub blocked: usize,
}

fn is_none_of_them(count: &usize) -> bool {
    *count == 0
}

/// `memory_summary`: what dreaming made of the past. Sent at the top level of the frame and in `data`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MemorySummary {
    pub summary: String,
}

/// `mind`: the agent's own log, for clients that logged in with the feature `mind`. A snapshot at login, then each
/// event as it is appended. What is inside belongs to the `mind` crate.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Mind {
    /// The state after the entry `log_seq`; 0 when the log is empty.
    Snapshot {
        log_seq: u64,
        /// Which mind of the body; told to clients that read those of a council, too. An addition, as in `Event`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mind: Option<MindName>,
        state: serde_json::Value,
        /// The server has the verb `recall`, and answers it with `Recalled` too. Older ones walk home at that word.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        recalls: bool,
    },
    /// The entry `log_seq`.
    Event {
        log_seq: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mind: Option<MindName>,
        event: serde_json::Value,
    },
    /// The answer to `recall`: what came to mind, best first; empty where nothing did. The line of text that says the
    /// same is the very next frame.
    Recalled {
        /// What was asked; empty: what comes to mind in this moment.
        words: String,
        memories: Vec<Memory>,
        /// What was found in the log, best first. An addition to the published shape.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        entries: Vec<RecalledEntry>,
    },
    /// The answer to `hud at`: the state after the entry `log_seq`, which was written at that tick and time (unix
    /// milliseconds). The line of text that says the same is the very next frame.
    At { log_seq: u64, tick: u64, at_ms: i64, state: serde_json::Value },
    /// The answer to `status`: how the agent stands. The line of text that says the same is the very next frame.
    Status(Box<crate::status::Status>),
    /// What others share with this agent of their minds: the first time all of it, then what is new or different. No
    /// frame comes where nobody shares anything.
    Shared {
        /// Each in place of what was told of the same person.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rows: Vec<SharedRow>,
        /// Who is told of no more.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        gone: Vec<String>,
    },
    /// A fact or a pattern was not kept, since it speaks of the one who wanted to keep it.
    Refused {
        /// Always false, as the document on self-management has it.
        success: bool,
        error: String,
        suggestion: String,
    },
}

/// Appends `value` as JSON. Meant for the types of this crate: they have string keys only, so it cannot fail.
pub fn append_json<T: Serialize + ?Sized>(out: &mut String, value: &T) {
    thread_local! {
        /// `serde_json` writes bytes, in pieces of one or a few: they are looked at for UTF-8 once, as a whole.
        static BYTES: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    }
    /// What a thread keeps of them.
    const KEPT_MAX: usize = 64 * 1024;
    let mut bytes = BYTES.take();
    serde_json::to_writer(&mut bytes, value).expect("string keys and a writer that takes all");
    out.push_str(std::str::from_utf8(&bytes).expect("serde_json writes UTF-8"));
    bytes.clear();
    bytes.shrink_to(KEPT_MAX);
    BYTES.set(bytes);
}

/// Appends an `event` payload without building an `Event` first: the commonest frame by far.
pub fn append_event(out: &mut String, kind: EventKind, from: Option<&str>, text: &str) {
    out.push_str("{\"type\":\"");
    out.push_str(kind.name());
    if let Some(from) = from {
        out.push_str("\",\"from\":");
        append_json(out, from);
        out.push_str(",\"text\":");
    } else {
        out.push_str("\",\"text\":");
    }
    append_json(out, text);
    out.push('}');
}

/// Adds spans to the data of an `event` or a `text`, which are an object.
pub fn append_spans(data: &mut String, spans: &[Span]) {
    if spans.is_empty() {
        return;
    }
    assert_eq!(data.pop(), Some('}'), "an object ends so");
    data.push_str(",\"spans\":");
    append_json(data, spans);
    data.push('}');
}

/// Writes the `data` of a `vars` frame: `{"NAME":value,…}`. Each name is put at most once; the caller sees to it.
pub struct VarsWriter<'a> {
    out: &'a mut String,
    /// Where the object starts in `out`, after its brace.
    start: usize,
}

impl<'a> VarsWriter<'a> {
    pub fn new(out: &'a mut String) -> VarsWriter<'a> {
        out.push('{');
        let start = out.len();
        VarsWriter { out, start }
    }

    pub fn is_empty(&self) -> bool {
        self.out.len() == self.start
    }

    pub fn put<T: Serialize + ?Sized>(&mut self, variable: Variable, value: &T) {
        self.key(variable.name());
        append_json(self.out, value);
    }

    /// `json` is a value already encoded by `append_json` or serde_json; it is copied as it is.
    pub fn put_json(&mut self, variable: Variable, json: &str) {
        self.key(variable.name());
        self.out.push_str(json);
    }

    /// A list of values; `append` writes the JSON of one.
    pub fn put_list<T>(
        &mut self,
        variable: Variable,
        values: impl Iterator<Item = T>,
        append: impl Fn(T, &mut String),
    ) {
        self.key(variable.name());
        self.out.push('[');
        for (n, value) in values.enumerate() {
            if n > 0 {
                self.out.push(',');
            }
            append(value, self.out);
        }
        self.out.push(']');
    }

    /// How many entries of `EVENTS` had no room; 0 is left out.
    pub fn put_dropped(&mut self, count: u64) {
        if count > 0 {
            self.key("dropped");
            write!(self.out, "{count}").expect("a String takes all");
        }
    }

    /// Closes the object.
    pub fn finish(self) {
        self.out.push('}');
    }

    fn key(&mut self, name: &str) {
        if !self.is_empty() {
            self.out.push(',');
        }
        self.out.push('"');
        self.out.push_str(name);
        self.out.push_str("\":");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn the_short_way_to_write_an_event_equals_the_long_one() {
        for from in [None, Some("Bob \"the\" rat")] {
            let text = "Line one\nline two \u{1b} \"quoted\" é";
            let mut short = String::new();
            append_event(&mut short, EventKind::Say, from, text);
            let long = Event {
                kind: EventKind::Say,
                from: from.map(Into::into),
                text: text.into(),
                spans: Vec::new(),
                cause: None,
            };
            assert_eq!(short, serde_json::to_string(&long).expect("plain"));
        }
    }

    #[test]
    fn the_writer_of_vars_makes_one_object() {
        let mut out = String::from("before ");
        let mut vars = VarsWriter::new(&mut out);
        assert!(vars.is_empty());
        vars.put(Variable::Health, &92);
        vars.put_json(Variable::RoomExits, "[\"north\"]");
        vars.put(Variable::Fighting, &true);
        vars.put_dropped(0);
        vars.put_dropped(3);
        assert!(!vars.is_empty());
        vars.finish();
        let object: Value = serde_json::from_str(out.strip_prefix("before ").expect("kept")).expect("JSON");
        assert_eq!(object, json!({"HEALTH": 92, "ROOM_EXITS": ["north"], "FIGHTING": true, "dropped": 3}));
        let mut out = String::new();
        VarsWriter::new(&mut out).finish();
        assert_eq!(out, "{}");
    }

    #[test]
    fn options_keep_their_order_on_the_wire() {
        let text = r#"{"8":"Ninja","0":"Magic-user","3":"Warrior"}"#;
        let options: Ordered<String> = serde_json::from_str(text).expect("an object");
        assert_eq!(serde_json::to_string(&options).expect("plain"), text);
        assert_eq!(options.get("3").map(String::as_str), Some("Warrior"));
    }

    #[test]
    fn each_kind_of_event_is_named_as_serde_does() {
        for (kind, name, _) in EVENT_KINDS {
            assert_eq!(serde_json::to_value(kind).expect("a string"), *name);
            assert_eq!(kind.name(), *name);
        }
        assert_eq!(serde_json::from_str::<EventKind>("\"new_one\"").expect("tolerant"), EventKind::Other);
    }
}
