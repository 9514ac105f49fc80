//! A whole character as it is stored: everything that survives quitting.
//!
//! The world makes and reads records; the edge stores them as JSON and never looks inside, except at the name, the
//! level and the room for its listings. Invariant: `record(enter(r)) == r` but for things whose prototype is gone.

use crate::affect::Affect;
use crate::character::*;
use content::flags::*;
use content::words::*;
use content::{ObjectApply, ObjectKind, Text, Vnum};
use serde::{Deserialize, Serialize};

/// Version of the shape below. Older ones are read; a newer one is refused.
pub const RECORD_VERSION: u32 = 2;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CharacterRecord {
    pub version: u32,
    pub name: Text,
    /// Where it was; `None` before its first entry.
    pub room: Option<Vnum>,
    pub position: Position,
    pub sex: Sex,
    pub race: Race,
    pub class: Class,
    pub level: i32,
    pub alignment: i32,
    pub gold: i32,
    pub hit: i32,
    pub mana: i32,
    pub moves: i32,
    pub base: Stats,
    pub affects: Vec<Affect>,
    pub player: Player,
    pub carrying: Vec<ObjectRecord>,
    pub worn: Vec<(WearSlot, ObjectRecord)>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ObjectRecord {
    pub vnum: Vnum,
    /// Keywords, short and long description, so that a thing outlives its prototype.
    pub texts: [Text; 3],
    /// The texts are its own; otherwise those of the prototype are taken while there is one.
    pub custom: bool,
    pub kind: ObjectKind,
    pub flags: ObjectFlags,
    pub wear: WearFlags,
    pub affects: AffectFlags,
    pub weight: i32,
    pub cost: i32,
    pub level: i32,
    pub timer_hours: i32,
    pub applies: Vec<ObjectApply>,
    pub contents: Vec<ObjectRecord>,
}

impl ObjectRecord {
    /// The thing and everything in it, however deep: at least 1.
    pub fn count(&self) -> usize {
        1 + self.contents.iter().map(ObjectRecord::count).sum::<usize>()
    }
}
