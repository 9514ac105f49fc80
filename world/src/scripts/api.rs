//! All that a script can ask and do: one table. `docs/SCRIPTS.md` is made from it.
//!
//! A row is plain Rust over the world; `machine.rs` hands it to Luau. Fields are read anew each time, so that a handle
//! is never older than the moment. Invariants: the handle that a row is given is not stale; a row refuses with a
//! sentence, which stops the call and is told to the builder, only what is wrong in the script itself. What the game
//! does not allow at that moment answers false.

mod characters;
mod objects;
mod rooms;
mod worlds;

use crate::arena::{CharacterId, ObjectId};
use crate::script::{Owner, Value};
use crate::world::World;
use content::scripts::ScriptSource;
use content::{RoomId, Text};

/// What a script holds of somebody or something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Handle {
    Character(CharacterId),
    Object(ObjectId),
    Room(RoomId),
}

impl Handle {
    /// Whether it is still in the world.
    pub(super) fn is_there(self, world: &World) -> bool {
        match self {
            Handle::Character(id) => world.character(id).is_some(),
            Handle::Object(id) => world.get_object(id).is_some(),
            Handle::Room(_) => true,
        }
    }

    pub(super) fn group(self) -> Group {
        match self {
            Handle::Character(_) => Group::Character,
            Handle::Object(_) => Group::Object,
            Handle::Room(_) => Group::Room,
        }
    }
}

/// Of what something can be asked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Group {
    /// Players and mobs.
    Character,
    Object,
    Room,
    /// The library `world`.
    World,
}

impl Group {
    pub const ALL: [Group; 4] = [Group::Character, Group::Object, Group::Room, Group::World];

    /// As signatures call it.
    pub const fn name(self) -> &'static str {
        match self {
            Group::Character => "character",
            Group::Object => "object",
            Group::Room => "room",
            Group::World => "world",
        }
    }
}

/// What a script hands over.
#[derive(Clone, PartialEq, Debug)]
pub enum Given {
    Nil,
    Bool(bool),
    Number(f64),
    Text(String),
    Handle(Handle),
    /// Strings, numbers and tables of these.
    Table(Value),
}

/// What it gets back.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    Nil,
    Bool(bool),
    Integer(i64),
    Text(Text),
    Handle(Handle),
    List(Vec<Handle>),
}

impl From<bool> for Answer {
    fn from(yes: bool) -> Answer {
        Answer::Bool(yes)
    }
}

impl From<i32> for Answer {
    fn from(number: i32) -> Answer {
        Answer::Integer(number.into())
    }
}

impl From<&str> for Answer {
    fn from(text: &str) -> Answer {
        Answer::Text(text.into())
    }
}

/// What is wrong in the script.
pub type Wrong = String;

/// Who calls, for what needs to know it.
#[derive(Clone, Debug)]
pub struct Caller {
    pub owner: Owner,
    pub script: std::sync::Arc<ScriptSource>,
}

/// How a row answers.
#[derive(Clone, Copy)]
pub enum Kind {
    Field(fn(&World, Handle) -> Answer),
    Method(fn(&mut World, Handle, &[Given]) -> Result<Answer, Wrong>),
    /// Of the library `world`.
    Function(fn(&mut World, &Caller, &[Given]) -> Result<Answer, Wrong>),
}

pub struct Row {
    pub group: Group,
    pub name: &'static str,
    /// `character:say(text)`.
    pub signature: &'static str,
    /// What it does or is, in a sentence.
    pub says: &'static str,
    pub example: &'static str,
    pub kind: Kind,
}

/// The table. Each group is a file.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    [characters::ROWS, objects::ROWS, rooms::ROWS, worlds::ROWS].into_iter().flatten()
}

/// Characters that a script may say or show at once.
const TEXT_MAX: usize = 2_000;

fn text(given: &[Given], at: usize) -> Result<&str, Wrong> {
    match given.get(at) {
        Some(Given::Text(text)) if text.chars().count() <= TEXT_MAX => Ok(text),
        Some(Given::Text(_)) => Err(format!("a text has at most {TEXT_MAX} characters")),
        other => Err(format!("argument {} should be a text, not {}", at + 1, kind_of(other))),
    }
}

/// A text that players will read: no control characters come to a terminal.
fn shown(given: &[Given], at: usize) -> Result<String, Wrong> {
    Ok(text(given, at)?.chars().filter(|c| !c.is_control() || *c == '\n').collect())
}

fn integer(given: &[Given], at: usize) -> Result<i32, Wrong> {
    match given.get(at) {
        Some(Given::Number(number)) if number.fract() == 0.0 && number.abs() <= f64::from(i32::MAX) => {
            Ok(*number as i32)
        }
        Some(Given::Number(number)) => Err(format!("argument {} should be a whole number, not {number}", at + 1)),
        other => Err(format!("argument {} should be a number, not {}", at + 1, kind_of(other))),
    }
}

fn character(given: &[Given], at: usize) -> Result<CharacterId, Wrong> {
    match given.get(at) {
        Some(Given::Handle(Handle::Character(id))) => Ok(*id),
        other => Err(format!("argument {} should be a player or a mob, not {}", at + 1, kind_of(other))),
    }
}

fn is_given(given: &[Given], at: usize) -> bool {
    given.get(at).is_some_and(|given| *given != Given::Nil)
}

fn kind_of(given: Option<&Given>) -> &'static str {
    match given {
        None | Some(Given::Nil) => "nothing",
        Some(Given::Bool(_)) => "a boolean",
        Some(Given::Number(_)) => "a number",
        Some(Given::Text(_)) => "a text",
        Some(Given::Handle(Handle::Character(_))) => "somebody",
        Some(Given::Handle(Handle::Object(_))) => "a thing",
        Some(Given::Handle(Handle::Room(_))) => "a room",
        Some(Given::Table(_)) => "a table",
    }
}

fn list(ids: Vec<CharacterId>) -> Answer {
    Answer::List(ids.into_iter().map(Handle::Character).collect())
}

fn objects_of(ids: impl Iterator<Item = ObjectId>) -> Answer {
    Answer::List(ids.map(Handle::Object).collect())
}

/// Rows are asked with handles of their own group only.
fn as_character(handle: Handle) -> CharacterId {
    match handle {
        Handle::Character(id) => id,
        other => unreachable!("{other:?} has no fields of beings"),
    }
}

fn as_object(handle: Handle) -> ObjectId {
    match handle {
        Handle::Object(id) => id,
        other => unreachable!("{other:?} has no fields of objects"),
    }
}

fn as_room(handle: Handle) -> RoomId {
    match handle {
        Handle::Room(id) => id,
        other => unreachable!("{other:?} has no fields of rooms"),
    }
}
