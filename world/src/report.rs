//! What one input caused: lines for readers, what may have changed for their variables, requests to the edge, outcomes.

use crate::arena::CharacterId;
use crate::channel::row::Row;
use crate::hyperlink::Hyperlink;
use crate::number::{CommandId, InputNumber};
use crate::record::CharacterRecord;
use content::filter::Filter;
use content::words::{ChannelEvent, Colour, Position};
use content::{ChannelId, RoomId, Text, Vnum};
use protocol::channel::{Message, Reacted};
use protocol::happening::{Happening, Place};
use protocol::minds::MindName;
use protocol::outcome::Outcome;
use protocol::payload::EventKind;
use protocol::span::STYLES;
use protocol::talk::Talk;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a line is about. Decides its colour for people and the `event` subtype for programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LineKind {
    /// The answer to a command, and what fits nowhere else.
    #[default]
    Text,
    /// A command that the game would not do.
    Refusal,
    Enter,
    Leave,
    Say,
    Tell,
    /// Speech on a channel of the content.
    Channel(OnChannel),
    /// Speech in a home or a group that somebody made, and what the server notes there.
    Chat,
    Group,
    Emote,
    Social,
    /// Blows that the reader deals.
    CombatDealt,
    /// Blows that the reader takes.
    CombatTaken,
    Combat,
    Flee,
    Death,
    Position,
    Door,
    Drop,
    Get,
    Give,
    Equipment,
    Consider,
    Level,
    Broadcast,
    /// Weather and daylight.
    Outdoor,
    Noise,
    Motd,
    Snoop,
}

/// Which channel a line is of, with what its readers know it by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OnChannel {
    pub id: ChannelId,
    pub event: ChannelEvent,
    pub colour: Colour,
}

impl LineKind {
    /// Subtype of the `event` frame.
    pub const fn event_kind(self) -> EventKind {
        match self {
            LineKind::Text | LineKind::Refusal | LineKind::Noise | LineKind::Snoop => EventKind::Text,
            LineKind::Enter => EventKind::Enter,
            LineKind::Leave => EventKind::Leave,
            LineKind::Say => EventKind::Say,
            LineKind::Tell => EventKind::Tell,
            LineKind::Channel(on) => match on.event {
                ChannelEvent::Channel => EventKind::Channel,
                ChannelEvent::Gossip => EventKind::Gossip,
                ChannelEvent::Shout => EventKind::Shout,
                ChannelEvent::Auction => EventKind::Auction,
                ChannelEvent::Grats => EventKind::Grats,
                ChannelEvent::Newbie => EventKind::Newbie,
            },
            LineKind::Chat => EventKind::Channel,
            LineKind::Group => EventKind::Group,
            LineKind::Emote | LineKind::Social => EventKind::Emote,
            LineKind::CombatDealt | LineKind::CombatTaken | LineKind::Combat | LineKind::Death => EventKind::Combat,
            LineKind::Flee => EventKind::Flee,
            LineKind::Position => EventKind::Position,
            LineKind::Door => EventKind::Door,
            LineKind::Drop => EventKind::Drop,
            LineKind::Get => EventKind::Get,
            LineKind::Give => EventKind::Give,
            LineKind::Equipment => EventKind::Equipment,
            LineKind::Consider => EventKind::Consider,
            LineKind::Level => EventKind::Level,
            LineKind::Broadcast => EventKind::Broadcast,
            LineKind::Outdoor => EventKind::Outdoor,
            LineKind::Motd => EventKind::Motd,
        }
    }
}

/// Parts of a longer text that people see coloured differently.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    #[default]
    Plain,
    RoomName,
    RoomDescription,
    Exits,
    Mob,
    Player,
    Item,
    Heading,
}

impl Style {
    /// The word for it on the wire (`STYLES` has them in this order); none for what looks like all the rest.
    pub fn name(self) -> Option<&'static str> {
        let at = (self as usize).checked_sub(1)?;
        Some(STYLES[at].0)
    }
}

/// A part of a line that looks otherwise than the rest, or can be acted on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// In bytes, where a letter begins.
    pub from: u32,
    /// Behind its last letter.
    pub to: u32,
    pub style: Style,
    pub link: Option<Hyperlink>,
}

impl Span {
    /// Whether it goes on with the link of the span before it: what is told of both is told once.
    pub fn goes_on_with(&self, before: &Span) -> bool {
        self.link.is_some() && before.to == self.from && before.link == self.link
    }
}

/// A piece of text for one or more readers. `text` may hold several lines, without a trailing line break.
#[derive(Clone, Debug, Default)]
pub struct Line {
    pub kind: LineKind,
    /// Who speaks, as the reader knows the name.
    pub from: Option<Text>,
    /// A program plays who speaks.
    pub from_agent: bool,
    pub text: String,
    /// Ascending, none within another. Empty: all in the colour of the kind, which is that of what stands before the
    /// first; between them and behind them is plain text.
    pub spans: Vec<Span>,
    /// What happened, for programs; the readers of the line are its witnesses.
    pub outcome: Option<Arc<Outcome>>,
    /// The message of a channel that it tells: programs that know channels get that instead of the line.
    pub message: Option<Arc<Message>>,
    /// A reaction to a message; the same goes for it.
    pub reaction: Option<Arc<Reacted>>,
}

impl Line {
    /// Whether there is something in it that can be acted on.
    pub fn has_links(&self) -> bool {
        self.spans.iter().any(|span| span.link.is_some())
    }
}

/// A call of a script that ran out of memory. How full a heap is depends on what ran before, which a state does not
/// say; so a journal says where it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MemoryStop {
    /// Which call of this input, from 0.
    pub call: u32,
    /// How many calls of the game it had made.
    pub host_calls: u32,
}

/// A call of a script, for whoever traces them (`World::trace_scripts`).
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct ScriptCall {
    /// As `80/ferry`.
    pub script: Text,
    pub hook: &'static str,
    /// Whose script it is: a mob, an object or a room, with its vnum.
    pub owner: String,
    /// Whose deed it is about, by name.
    pub actor: Option<String>,
    /// What was typed or said, or the name of a timer.
    pub text: String,
    /// 0 for a call by the game, 1 for one by what a script does, and so on.
    pub depth: u8,
    pub safepoints: u32,
    /// How often it asked the game something or had it do something.
    pub host_calls: u32,
    /// What it wrote to the log.
    pub log: Vec<String>,
    /// It swallowed or prevented what was about to happen.
    pub prevents: bool,
    /// What went wrong.
    pub wrong: Option<String>,
}

/// What of a player's variables may have changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touch {
    /// The numbers and states of the character itself.
    Own,
    /// What it carries or wears.
    Objects,
    /// Who is in its group.
    Party,
}

/// Work that only the edge can do.
#[derive(Clone, Debug)]
pub enum Request {
    /// Write this character. `left`: it is no longer in the world.
    Save {
        record: Box<CharacterRecord>,
        left: bool,
    },
    /// Its connection is to be closed, after its lines.
    Disconnect {
        who: CharacterId,
        reason: Goodbye,
    },
    /// The mind of a player is asked, or told something.
    Mind(Box<MindRequest>),
    /// Somebody wants to be shown by a name: whether anybody else is called so, who is not known here.
    Name(Box<NameRequest>),
    /// Somebody hands down to somebody what it has learned, and both agreed: what that is the edge knows.
    HandDown(Box<HandDownRequest>),
    /// More was said in a channel than is held.
    History(Box<HistoryRequest>),
    /// The player wants to know what its connection knows of its client, which shows it.
    Client {
        who: CharacterId,
    },
    /// The player may change its password now; the edge kept the arguments.
    Password {
        who: CharacterId,
    },
    /// An agent was ordered: the edge makes its character and answers by an input. The order is in the state.
    MakeAgent,
    Shutdown {
        by: Text,
    },
    /// The server is to start anew under the feet of everybody, if the program on disk is fit for it.
    Restart {
        by: Text,
    },
    /// Somebody who keeps order wants to keep others out, or asks for what the edge has of that; it is told there.
    Moderate(Moderation),
    /// The scripts of the world's folder are to be read again; whoever asks is told what came of it.
    ReloadScripts {
        by: Text,
    },
    /// Something that the operator's log should hold (immortal commands, deaths of players).
    Log {
        text: String,
    },
    /// The same of what should be mended.
    Warn {
        text: String,
    },
}

/// What one who keeps order wants of the edge: bans are none of the world.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moderation {
    /// As the character is called.
    pub by: Text,
    pub level: i32,
    pub order: Ordered,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ordered {
    /// Nothing to be done: what an immortal did is to be written down, as `muted Bob`.
    Noted {
        deed: Text,
    },
    /// A name or a network; for how long, and why, as it was typed.
    Ban {
        who: Text,
        rest: Text,
    },
    Unban {
        who: Text,
    },
    /// Of one who is not in the world: its record is in the database.
    Restrain {
        who: Text,
        how: Restraint,
    },
    Bans,
    Complaints {
        which: Complaints,
    },
}

/// Which complaints somebody wants to read, by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Complaints {
    Newest,
    One(u64),
    Before(u64),
}

/// What a player may do from now on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Restraint {
    Freeze,
    Thaw,
    Mute { until_tick: u64 },
    Unmute,
}

/// A verb of the mind, for the edge to answer: the world knows nothing of minds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MindRequest {
    pub who: CharacterId,
    /// As the character is called.
    pub name: Text,
    /// Which of its minds is asked; numbers of all of them come from one counter.
    pub mind: MindName,
    pub verb: &'static str,
    pub args: Text,
    /// The first of the numbers that its entries get, if `numbers` are set aside; otherwise the number that would be
    /// next.
    pub first: u64,
    /// How many entries it may write at most; 0: it only asks.
    pub numbers: u8,
    /// For what depends on where and with whom it is (`recall`, `journal`, ends of plans), both as memories name them:
    /// `room:8004`, then `player:bob`, then `mob:3001`, each once, in that order and ascending. Empty for other verbs.
    pub present: Vec<Text>,
    /// For ends of plans, where it is; none asleep, when nobody knows who stands by.
    pub place: Option<Place>,
    /// Where it asks for somebody else's mind: who reads whose. `None` also where the world knows nobody of that name.
    pub reads: Option<Reads>,
}

/// Somebody reads of somebody else's mind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reads {
    /// The number of who asks: grants are for persons, whatever they are called.
    pub reader: u32,
    /// As the account of the other is called.
    pub whose: Text,
}

/// A name that somebody wants to be shown by. It comes back as `Input::Named`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameRequest {
    /// Who asks, and is told when nothing comes of it.
    pub by: u32,
    pub asked_by: Text,
    pub person: u32,
    /// As the account is called.
    pub canonical: Text,
    /// As it will be shown.
    pub name: Text,
}

/// What one character has learned is to become another's. It comes back as `Input::Found`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HandDownRequest {
    /// As the account of who hands it down is called.
    pub from: Text,
    /// The same of the heir.
    pub to: Text,
}

/// Messages of a channel that one of its readers asks for, for the edge to find: the world holds only the newest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HistoryRequest {
    pub who: CharacterId,
    /// The person that it is.
    pub reader: u32,
    pub channel: u32,
    /// It may read messages from this id on, and wants those before another.
    pub from: u64,
    pub before: u64,
    /// So many at most, the newest of them.
    pub count: u8,
    /// With these words; may be empty.
    pub with: Text,
    /// Without what these persons said, whom the reader ignores.
    pub without: BTreeSet<u32>,
    /// What it wants masked.
    pub filter: Option<Arc<Filter>>,
}

/// Something that truly happened, for the log of one player's mind. Several players who were there share one
/// `social_event_id`; each has its own role in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded {
    pub who: CharacterId,
    /// As the character is called.
    pub name: Text,
    /// Its number in that log, from the same counter as `MindRequest::first`.
    pub seq: u64,
    /// Without valence: what it was worth is not for the world to say. Only where nothing is to be worth anything
    /// (`Player::valence_off`) it is 0.
    pub happening: Box<Happening>,
}

/// Words that one player heard or said, for the log of its mind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Overheard {
    pub who: CharacterId,
    /// As the character is called.
    pub name: Text,
    /// As `Recorded::seq`, from the same counter.
    pub seq: u64,
    pub talk: Box<Talk>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goodbye {
    Quit,
    /// Link-dead for too long, or idle for too long.
    Idle,
    /// Removed by an immortal or the operator.
    Removed,
    /// It was an agent, and has been retired.
    Retired,
}

/// Whose commands are noted. Not state: the edge sets it, and may change it at any time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Capture {
    #[default]
    Nobody,
    /// Players played by programs.
    Agents,
    /// All players; never mobs.
    Everybody,
}

/// What of a character a decision is judged by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Vitals {
    pub hit: i32,
    pub mana: i32,
    pub moves: i32,
    pub position: Position,
    pub room: Vnum,
    pub exp: i64,
    /// In hand.
    pub gold: i64,
}

/// One command that was run, or dropped because the queue was full.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ran {
    pub who: CharacterId,
    pub id: CommandId,
    /// The verb as it was run, after the expansion of aliases; never empty.
    pub word: Box<str>,
    pub args: Box<str>,
    pub before: Vitals,
    /// Of who left the world by it: as it was at that moment.
    pub after: Vitals,
    /// The sentence with which it was refused.
    pub refused: Option<Box<str>>,
    /// Where in the report's requests stands what it asked its character's mind: the mind may refuse it still.
    pub asks: Option<usize>,
}

/// Lines and who reads them. What several read stands once: a crowd costs a pair of numbers each.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    lines: Vec<Arc<Line>>,
    /// In the order in which each reader must see them; a number is a place in `lines`.
    to: Vec<(CharacterId, u32)>,
    /// Which command of its reader a line follows from, by its place in `to`, ascending: most follow from none.
    causes: Vec<(u32, CommandId)>,
}

/// Lines taken apart.
#[derive(Debug)]
pub struct LineParts {
    /// Each once.
    pub lines: Vec<Arc<Line>>,
    /// The readers with the numbers of theirs, in order.
    pub to: Vec<(CharacterId, u32)>,
    /// By the place in `to`, ascending, the command of its reader that a line follows from.
    pub causes: Vec<(u32, CommandId)>,
}

/// An outcome that its witness gets without a line.
#[derive(Clone, Debug)]
pub struct Witnessed {
    pub who: CharacterId,
    pub outcome: Arc<Outcome>,
    /// The command of the witness that it follows from.
    pub cause: Option<CommandId>,
}

/// Whom a command asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asks {
    Nobody,
    /// Its character's mind.
    Mind,
    /// What is kept of channels.
    History,
}

/// A command of an agent that was run, or refused a place in the queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Done {
    pub who: CharacterId,
    pub id: CommandId,
    /// Who answers it a moment later.
    pub asks: Asks,
}

impl Lines {
    /// For one reader, or for one more: the same line again and again stands once.
    pub fn push(&mut self, to: CharacterId, line: Arc<Line>, cause: Option<CommandId>) {
        let number = match self.lines.last() {
            Some(last) if Arc::ptr_eq(last, &line) => self.lines.len() - 1,
            _ => self.add(line) as usize,
        };
        self.show(to, number as u32, cause);
    }

    /// A line that nobody reads yet; its number is for `show`.
    pub fn add(&mut self, line: Arc<Line>) -> u32 {
        self.lines.push(line);
        self.lines.len() as u32 - 1
    }

    /// One more reader of a line that was added.
    #[inline]
    pub fn show(&mut self, to: CharacterId, number: u32, cause: Option<CommandId>) {
        self.causes.extend(cause.map(|id| (self.to.len() as u32, id)));
        self.to.push((to, number));
    }

    /// The line of that number.
    #[inline]
    pub fn line(&self, number: u32) -> Arc<Line> {
        self.lines[number as usize].clone()
    }

    /// How many are read, each counted as often as it has readers.
    pub fn len(&self) -> usize {
        self.to.len()
    }

    pub fn is_empty(&self) -> bool {
        self.to.is_empty()
    }

    /// Each reader with what it reads, in order.
    pub fn iter(&self) -> impl Iterator<Item = (CharacterId, &Arc<Line>)> {
        self.to.iter().map(|(to, number)| (*to, &self.lines[*number as usize]))
    }

    /// What they are made of.
    pub fn into_parts(self) -> LineParts {
        LineParts { lines: self.lines, to: self.to, causes: self.causes }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Report {
    pub number: InputNumber,
    pub tick: u64,
    pub lines: Lines,
    /// Outcomes that their witnesses get without a line. They are told before the lines.
    pub witnessed: Vec<Witnessed>,
    /// The agents' commands that were run, in order: after the lines of each.
    pub done: Vec<Done>,
    pub touched: Vec<(CharacterId, Touch)>,
    /// Rooms whose contents, doors or occupants (mobs) may look different.
    pub touched_rooms: Vec<RoomId>,
    /// Rooms that somebody came to or left; may name one twice.
    pub visited_rooms: Vec<RoomId>,
    /// Readers with the channels that look different to them, or are theirs no more; both ascending.
    pub channels: Vec<(CharacterId, u32)>,
    /// Persons whose records are otherwise than before, but for the drift of their think interval; ascending.
    pub agents: Vec<u32>,
    /// Persons, channels and messages as they are now, where they changed, each once.
    pub kept: Vec<Row>,
    pub requests: Vec<Request>,
    pub outcomes: Vec<Arc<Outcome>>,
    /// What players will remember of it: numbers rise within each name.
    pub recorded: Vec<Recorded>,
    /// What players heard and said whose logs keep it: numbers rise within each name.
    pub overheard: Vec<Overheard>,
    /// Who entered, or was found to be there already.
    pub entered: Option<CharacterId>,
    /// Why the command was not done; for records.
    pub refused: Option<String>,
    /// The commands that were run and are captured (`World::capture`), in order.
    pub ran: Vec<Ran>,
    /// Calls of scripts that ran out of memory, in order.
    pub script_stops: Vec<MemoryStop>,
    /// Calls of scripts, as they began, where they are traced.
    pub script_calls: Vec<ScriptCall>,
    /// Coins that came into the world, less those that left it; what only changed hands is not in it.
    pub coins_made: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_style_has_its_own_word_on_the_wire() {
        for (style, name) in [
            (Style::Plain, None),
            (Style::RoomName, Some("room_name")),
            (Style::RoomDescription, Some("room_description")),
            (Style::Exits, Some("exits")),
            (Style::Mob, Some("mob")),
            (Style::Player, Some("player")),
            (Style::Item, Some("item")),
            (Style::Heading, Some("heading")),
        ] {
            assert_eq!(style.name(), name);
        }
        assert_eq!(Style::Heading as usize, STYLES.len(), "the last one");
    }
}
