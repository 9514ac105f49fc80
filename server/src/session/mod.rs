//! Sessions: what is said to a caller before and while it plays, as pure state machines.
//!
//! `creation` is the dialogue that makes a character, shared by both transports; `telnet` is a person's conversation
//! from the name to the prompt; `facts` is who a session is, `summary` a round of a fight in a line. They take lines
//! and give back `Step`s; the shell in `transports` does the waiting (passwords, the store, the engine) and tells
//! them how it went.
//! Invariant: knows no sockets, no clock, no store.

pub mod creation;
mod facts;
pub mod summary;
pub mod telnet;

pub use facts::SessionFacts;

use self::creation::Chosen;
use content::words::{Class, Race, Sex};
use protocol::creation as wire;

/// Everything that a new character is made of, as the dialogue or a login frame gathered it.
#[derive(Clone, Debug, PartialEq)]
pub struct NewCharacter {
    /// In canonical form.
    pub name: String,
    /// `None`: it will log in by key only.
    pub password: Option<String>,
    pub sex: Sex,
    pub race: Race,
    pub class: Class,
    pub hometown: char,
    pub color: bool,
    pub abilities: world::character::Abilities,
}

impl NewCharacter {
    /// `name` in canonical form.
    pub fn of(name: String, password: String, chosen: Chosen) -> NewCharacter {
        NewCharacter {
            name,
            password: Some(password),
            sex: chosen.sex,
            race: chosen.race,
            class: chosen.class,
            hometown: chosen.hometown,
            color: chosen.color,
            abilities: chosen.abilities,
        }
    }
}

/// The race of a number on the wire.
pub fn race_of(number: u8) -> Option<Race> {
    wire::name_of(wire::RACES, number).and_then(|name| Race::named(&name.to_ascii_lowercase()))
}

/// The class of a number on the wire.
pub fn class_of(number: u8) -> Option<Class> {
    wire::name_of(wire::CLASSES, number).and_then(|name| Class::named(&name.to_ascii_lowercase()))
}
