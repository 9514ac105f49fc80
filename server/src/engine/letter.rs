//! What sessions and the operator post to the engine, and what they are answered.

use crate::capture::{Meta, SessionFacts};
use crate::journal::Snapshot;
use crate::outbox::{Close, Outbox};
use content::{Text, Vnum};
use protocol::frame::Encoded;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::oneshot;
use world::CharacterId;
use world::record::CharacterRecord;

/// What sessions and the operator post.
pub enum Letter {
    Command {
        who: CharacterId,
        session: u64,
        line: String,
        /// What the client noted with it, for the records.
        meta: Option<Arc<Meta>>,
        /// When the door had it.
        came: Instant,
    },
    Enter(Box<Entry>, oneshot::Sender<Entered>),
    /// The connection of that session is gone.
    Lost {
        who: CharacterId,
        session: u64,
    },
    /// The session's set of variables changed. `full`: everything is to be sent.
    Subscribed {
        who: CharacterId,
        session: u64,
        full: bool,
    },
    Tick {
        scheduled: Option<tokio::time::Instant>,
        done: Option<oneshot::Sender<u64>>,
    },
    Admin(AdminCall, oneshot::Sender<AdminAnswer>),
    /// The world as it is, for a backup. `None` where there is no journal.
    Snapshot(oneshot::Sender<Option<Snapshot>>),
    /// A word of the server's own to one player; the world knows nothing of it.
    Tell {
        name: String,
        text: String,
    },
    /// Ends every connection, for this reason.
    Stop(Close, oneshot::Sender<()>),
}

/// Somebody wants to be connected to a character.
#[derive(Clone)]
pub struct Entry {
    pub name: String,
    /// What the store holds; `None` asks only whether it is in the world already.
    pub record: Option<Box<CharacterRecord>>,
    pub agent: bool,
    pub session: u64,
    /// The key by which it comes in.
    pub key: Option<i64>,
    /// For the records of its commands.
    pub facts: Arc<SessionFacts>,
    /// From `Entered::NotHere`: how fresh the record is.
    pub freshness: Freshness,
    /// Gets frames, not only lines.
    pub program: bool,
    /// A program that wants to be told of its character's mind.
    pub mind: bool,
    pub outbox: Arc<Outbox>,
    /// For the `state` frame.
    pub token: Option<String>,
    /// Shown before anything else; may be empty.
    pub motd: String,
    /// What an agent is told of its past, behind `state`; may be empty.
    pub memories: Arc<[Encoded]>,
    /// It comes only where no other connection plays the character.
    pub yields: bool,
    /// It was never away: the connection was handed over by the program before.
    pub resumed: bool,
}

pub enum Entered {
    As(CharacterId),
    /// Not in the world; come again with a record that is read from now on.
    NotHere(Freshness),
    /// By a key that was revoked on the way.
    Revoked,
    /// Another connection plays it, and this one yields.
    InUse,
    /// There is no room on the disk to write down what it would do.
    NoRoom,
}

/// Grows with everything that may make a stored record newer than one in somebody's hands: between the reading and the
/// entering, another connection can have brought the same character in and out again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Freshness(u64);

impl Freshness {
    /// What was read before counts no more.
    pub(super) fn grow(&mut self) {
        self.0 += 1;
    }
}

/// What the operator asks through the admin API.
#[derive(Clone, Debug)]
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
    /// Ends the session that came in by a key, and keeps those out who are on the way with it.
    Revoke {
        key: i64,
    },
    /// Takes a character out, saved. Where it is not in the world, records that were read before count no more.
    Remove {
        name: String,
        reason: String,
    },
    Announce {
        text: String,
    },
    /// Rows of the native format, to replace or add rooms, mobs and objects.
    Edit {
        by: Text,
        rows: String,
    },
    /// The rows that were edited since the content was read.
    Edits,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdminAnswer {
    Done,
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
}
