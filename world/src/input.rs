//! Everything that can change the world. `World::apply` takes one of these at a time; their order is the journal.

use crate::agent::AgentTerms;
use crate::arena::CharacterId;
use crate::channel::row::Row;
use crate::character::Link;
use crate::draws::{Draw, Face};
use crate::record::CharacterRecord;
use content::scripts::ScriptSource;
use content::{Text, Vnum};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Input {
    /// A character comes into the world with everything it owns. The report says which id it got. When a character of
    /// that name is already there, nothing happens and the report names the one that is.
    Enter {
        record: Box<CharacterRecord>,
        agent: bool,
    },
    /// A connection was lost or is back; `agent` says what came back, and is not looked at when it was lost.
    Link {
        who: CharacterId,
        link: Link,
        agent: bool,
    },
    /// One line typed or sent. Arguments of secret verbs were removed at the edge.
    Command {
        who: CharacterId,
        line: String,
    },
    Tick,
    Admin(Admin),
    /// From here on what is recorded of a character has no valence, or has it again: it was in the world already when
    /// a session began that is otherwise than the one before. (Who comes in brings it in its record.)
    SetValence {
        who: CharacterId,
        off: bool,
    },
    /// A builder's answer: rows of the native format (`[[room]]`, `[[mob]]`, `[[object]]`) that replace or add
    /// prototypes in the world's own copy of the content. Rows with an error change nothing.
    Edit {
        /// Who did it, for the log.
        by: Text,
        rows: String,
    },
    /// The answer to `Request::Name`.
    Named {
        person: u32,
        name: Text,
        /// Somebody else is called so.
        taken: bool,
        /// Who asked: the person itself, or who alters it.
        by: u32,
    },
    /// Persons, channels, messages and plots that were kept of a world before this one: the first input of a world that
    /// was made anew.
    Restore {
        rows: Vec<Row>,
    },
    /// From here on its log keeps what a character hears and says: a session began that reads its mind.
    KeepTalk {
        who: CharacterId,
    },
    /// What the server found out about a character, as a line of its mind (`mind::derive`): it costs neither time nor
    /// the rate, is no command of anybody, and answers nobody.
    Found {
        who: CharacterId,
        verb: Text,
        args: Text,
    },
    /// Its client's window is so wide now, in characters; none where it does not say.
    Window {
        who: CharacterId,
        columns: Option<u16>,
    },
}

/// What the operator does from outside the game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Admin {
    /// Puts a character that is in the world somewhere, without a word to bystanders about how.
    Place { who: CharacterId, room: Vnum },
    /// Sets a character's level, for `promote`.
    Promote { who: CharacterId, level: i32 },
    /// Takes a character out of the world, saved. The reason is shown to it.
    Remove { who: CharacterId, reason: String },
    /// A line to everybody.
    Announce { text: String },
    /// Words of The Architect in a channel. The report says why they were not said.
    Post { channel: u32, text: String },
    /// An account was deleted: nobody is called that any more.
    Forget { name: String },
    /// Everybody is saved; the report carries the records. For shutdown.
    SaveAll,
    /// A character gets a record as an agent, or what is given of it changes, wherever it is. `owner`: whose it is from
    /// now on; none leaves that as it was.
    Agent { who: KnownPerson, owner: Option<KnownPerson>, terms: Box<AgentTerms> },
    /// A server has started: what the clock of the machine says at this moment, and what was set that the world obeys.
    Started { unix_ms: i64, tick_ms: u32, agents_per_owner: u32 },
    /// A character becomes The Architect, and whoever was it is so no more.
    Crown { who: KnownPerson },
    /// The character of an agent that was ordered is made, with this canonical name.
    AgentMade { id: u32, name: Text },
    /// These are the sources of all scripts from now on; what was stopped runs again.
    Scripts { sources: Vec<ScriptSource> },
    /// The next dice that are thrown for this fall so, one after the other; with `who`, the next of what that character
    /// does.
    Load { draw: Draw, faces: Vec<Face>, who: Option<CharacterId> },
}

/// A person whom the database knows, and perhaps the world does not yet.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct KnownPerson {
    /// The canonical name.
    pub name: Text,
    /// The id in its record, if it ever entered.
    pub person: Option<u32>,
}
