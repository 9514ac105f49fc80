//! What sessions and the operator post to the engine: plain data, which another process could send as well.
//!
//! Invariant: no message holds a channel, an outbox or a reading of this process's clock. A session is a number, and so
//! is a call that wants an answer; `sessions` knows whose they are.

use crate::accounts::KeyId;
use crate::capture::Meta;
use crate::journal::Snapshot;
use crate::outbox::Close;
use crate::session::SessionFacts;
use content::scripts::ScriptSource;
use content::{Text, Vnum};
use mind::derive::Open;
use protocol::frame::Encoded;
use protocol::payload::WorldState;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use world::CharacterId;
use world::agent::AgentTerms;
use world::draws::{Draw, Face};
use world::input::KnownPerson;
use world::record::CharacterRecord;

/// A connection to a character; no other of this run has the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct SessionId(pub(super) u64);

/// A question that was asked; no other of this run has the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct CallId(pub(super) u64);

/// What a client says of a command besides its words.
#[derive(Clone, Debug, Default)]
pub struct CommandNote {
    /// By which it wants to be told what follows from the command.
    pub id: Option<u64>,
    /// For the records.
    pub meta: Option<Arc<Meta>>,
}

/// What sessions and the operator post.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Message {
    Command {
        who: CharacterId,
        session: SessionId,
        line: String,
        /// By which the client wants to be told what follows from it.
        id: Option<u64>,
        /// What the client noted with it, for the records.
        meta: Option<Arc<Meta>>,
        /// When the transport had it, unix microseconds.
        came_us: u64,
    },
    /// The client's window is so many characters wide now; none where it does not say.
    Window {
        who: CharacterId,
        session: SessionId,
        columns: Option<u16>,
    },
    /// The connection of that session is gone.
    Lost {
        who: CharacterId,
        session: SessionId,
    },
    /// The connection of that session broke, and has been gone for longer than a moment, or is there again. Meanwhile
    /// it is told all the same.
    Link {
        who: CharacterId,
        session: SessionId,
        lost: bool,
        /// A program plays it.
        agent: bool,
    },
    /// The session's set of variables changed. `full`: everything is to be sent.
    Subscribed {
        who: CharacterId,
        session: SessionId,
        full: bool,
    },
    /// The session has a record in the database, with this id.
    Recorded {
        who: CharacterId,
        session: SessionId,
        record: i64,
    },
    /// The world's time goes on, as scheduled.
    Tick,
    /// A word of the server's own to one player; the world knows nothing of it.
    Tell {
        name: String,
        text: String,
    },
    Ask {
        call: CallId,
        question: Question,
    },
}

/// What wants an answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Question {
    Enter(Box<Entry>),
    /// One tick, out of turn.
    Step,
    Admin(AdminCall),
    /// The world as it is, for a backup.
    Snapshot,
    /// Ends every connection, for this reason.
    Stop(Close),
}

/// What is answered. None comes where the engine has stopped.
pub enum Answer {
    Entered(Entered),
    /// The tick that the world is at then.
    Stepped(u64),
    Admin(AdminAnswer),
    /// `None` where there is no journal.
    Snapshot(Box<Option<Snapshot>>),
    Stopped,
}

/// How much of what it is sent a client has before it at once, as far as the server has to know: nothing of one that
/// tells how full its prompts are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Reads {
    pub tokens: usize,
    /// Tokens in which it is told what a fold drops.
    pub story: usize,
}

/// What a reader wants to be given, as a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Wants(u8);

impl Wants {
    /// Lines of text, with a prompt behind them.
    pub const LINES: Wants = Wants(1);
    /// Frames, in which its lines are.
    pub const FRAMES: Wants = Wants(1 << 1);
    /// The variables that it subscribes to, and all of them when it comes in.
    pub const VARIABLES: Wants = Wants(1 << 2);
    /// What happens where no line tells it.
    pub const OUTCOMES: Wants = Wants(1 << 3);
    /// What is written into its character's mind.
    pub const MIND: Wants = Wants(1 << 4);
    /// Its channels, and what is said there as messages in place of lines.
    pub const CHANNELS: Wants = Wants(1 << 5);
    /// The same of the minds of its council, each frame with the mind that it is of.
    pub const COUNCIL: Wants = Wants(1 << 6);

    pub const fn with(self, other: Wants) -> Wants {
        Wants(self.0 | other.0)
    }

    /// Whether all of `other` are in the set.
    pub const fn has(self, other: Wants) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Somebody wants to be connected to a character.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    pub name: String,
    /// What the store holds; `None` asks only whether it is in the world already.
    pub record: Option<Box<CharacterRecord>>,
    /// The game knows that a program plays it.
    pub agent: bool,
    pub session: SessionId,
    /// The key by which it comes in.
    pub key: Option<KeyId>,
    /// For the records of its commands.
    pub facts: Arc<SessionFacts>,
    /// From `Entered::NotHere`: how fresh the record is.
    pub freshness: Freshness,
    pub wants: Wants,
    /// For the `state` frame.
    pub token: Option<String>,
    /// For that frame as well; its tick is set when the character comes in.
    pub world: Option<WorldState>,
    /// By which its frames are had again, for that frame as well.
    pub stream: Option<String>,
    /// Shown before anything else; may be empty.
    pub motd: String,
    /// What an agent is told of its past, behind `state`; may be empty.
    pub memories: Vec<Encoded>,
    /// It comes only where no other connection plays the character.
    pub yields: bool,
    /// It was never away: the program before handed its connection over, or its stream of frames.
    pub resumed: bool,
    /// The program before handed over a stream whose client is away, and the world knows: its link stays lost.
    pub away: bool,
    pub reads: Reads,
}

pub enum Entered {
    As(CharacterId),
    /// Not in the world; come again with a record that is read from now on.
    NotHere(Freshness),
    /// By a key that was revoked on the way.
    Revoked,
    /// It is an agent that was retired.
    Retired,
    /// Another connection plays it, and this one yields.
    InUse,
    /// There is no room on the disk to write down what it would do.
    NoRoom,
}

/// Grows with everything that may make a stored record newer than one in somebody's hands: between the reading and the
/// entering, another connection can have brought the same character in and out again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Freshness(u64);

impl Freshness {
    /// What was read before counts no more.
    pub(super) fn grow(&mut self) {
        self.0 += 1;
    }
}

/// What the operator asks through the admin API.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum AdminCall {
    Place {
        name: String,
        room: Vnum,
    },
    /// Where nobody of that name is in the world, records that were read before count no more.
    Promote {
        name: String,
        level: i32,
    },
    /// Ends a session that came in by a key, and keeps those out who are on the way with it. By a host's there may be
    /// several: `NotHere` where none is left.
    Revoke {
        key: KeyId,
    },
    /// Its record was changed in the database: `NotHere` where it is not in the world, and records of it that were read
    /// before count no more; `Done` where it has come in with one.
    Reread {
        name: String,
    },
    /// Takes a character out, saved. Where it is not in the world, records that were read before count no more.
    Remove {
        name: String,
        reason: String,
    },
    /// The answer to who wants to be shown by a name.
    Named {
        person: u32,
        name: Text,
        taken: bool,
        by: u32,
    },
    /// What the server found out about a character that is in the world: a line of its mind.
    Found {
        name: String,
        verb: Text,
        args: Text,
    },
    /// What the log of a character that is in the world tells to be open. No input of the world: what follows from it
    /// is.
    FoundOpen {
        name: String,
        open: Open,
    },
    /// Words of The Architect in a channel.
    Post {
        channel: u32,
        text: String,
    },
    /// An account was deleted.
    Forget {
        name: String,
    },
    Announce {
        text: String,
    },
    /// The next dice for this fall so; with a name, the next of what that character does.
    Load {
        draw: Draw,
        faces: Vec<Face>,
        who: Option<String>,
    },
    /// Rows of the native format, to replace or add rooms, mobs and objects.
    Edit {
        by: Text,
        rows: String,
    },
    /// The rows that were edited since the content was read.
    Edits,
    /// The sources of all scripts as they are on disk now.
    Scripts {
        sources: Vec<ScriptSource>,
    },
    /// A character gets a record as an agent, or another one.
    Agent {
        who: KnownPerson,
        owner: Option<KnownPerson>,
        terms: Box<AgentTerms>,
    },
    /// The character of an agent that was ordered is made.
    AgentMade {
        id: u32,
        name: Text,
    },
    /// A character becomes The Architect.
    Crown {
        who: KnownPerson,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdminAnswer {
    Done,
    /// The world would not, and why.
    Refused(String),
    /// No character of that name is in the world.
    NotHere,
    NoSuchRoom,
    /// There is no room on the disk to write it down.
    NoRoom,
    /// What was edited (`room 8004`), and what is odd about it.
    Edited {
        rows: Vec<String>,
        warnings: Vec<String>,
    },
    /// What is wrong with an edit: nothing of it was done.
    NotEdited(Vec<String>),
    /// Rows of the native format; may be empty.
    Edits(String),
    /// Names of the scripts that are others than before.
    Scripts(Vec<Text>),
    /// How many loaded dice wait for each draw.
    Waiting(BTreeMap<&'static str, usize>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_the_same_behind_a_wire() {
        let who = CharacterId { index: 3, generation: 1 };
        let session = SessionId(7);
        let facts = SessionFacts { name: "ann".into(), model: Some("m".into()), ..SessionFacts::default() };
        let entry = Entry {
            name: "Ann".into(),
            record: None,
            agent: true,
            session,
            key: Some(KeyId::Host(4)),
            facts: Arc::new(facts),
            freshness: Freshness(2),
            wants: Wants::FRAMES.with(Wants::MIND),
            token: Some("t".into()),
            world: None,
            stream: None,
            motd: "Hello.".into(),
            memories: vec![Encoded { kind: protocol::frame::FrameKind::Event, data: "{}".into() }],
            yields: true,
            resumed: false,
            away: false,
            reads: Reads { tokens: 10_000, story: 300 },
        };
        let ask = |question| Message::Ask { call: CallId(9), question };
        let meta = Meta { source: Some("plan".into()), ..Meta::default() };
        for message in [
            Message::Command {
                who,
                session,
                line: "say hi".into(),
                id: Some(2),
                meta: Some(Arc::new(meta)),
                came_us: 5,
            },
            Message::Window { who, session, columns: Some(60) },
            Message::Lost { who, session },
            Message::Link { who, session, lost: true, agent: false },
            Message::Subscribed { who, session, full: true },
            Message::Recorded { who, session, record: 11 },
            Message::Tick,
            Message::Tell { name: "Ann".into(), text: "Hello.".into() },
            ask(Question::Enter(Box::new(entry))),
            ask(Question::Step),
            ask(Question::Admin(AdminCall::Revoke { key: KeyId::Agent(4) })),
            ask(Question::Snapshot),
            ask(Question::Stop(Close::Restarting)),
        ] {
            let wire = serde_json::to_string(&message).expect("plain data");
            let read: Message = serde_json::from_str(&wire).expect("it is read again");
            assert_eq!(format!("{read:?}"), format!("{message:?}"), "{wire}");
        }
    }
}
