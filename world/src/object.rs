//! A thing as it is right now, and where it is.

use crate::arena::{CharacterId, ObjectId};
use content::flags::*;
use content::words::*;
use content::{ObjectApply, ObjectKind, RoomId, Text, Vnum};
use serde::{Deserialize, Serialize};

/// Exactly one place, kept on both sides by the mover.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Place {
    /// Only between being made and being put somewhere, within one input.
    Nowhere,
    Room(RoomId),
    Carried(CharacterId),
    Worn(CharacterId, WearSlot),
    Inside(ObjectId),
}

/// What a corpse is called before its name.
pub const CORPSE_OF: &str = "the corpse of ";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Object {
    /// World-wide counter, never used again; the end of its instance id.
    pub serial: u64,
    /// 0 for what no builder made: corpses, coins.
    pub vnum: Vnum,
    pub keywords: Text,
    pub short: Text,
    pub long: Text,
    pub kind: ObjectKind,
    pub flags: ObjectFlags,
    pub wear: WearFlags,
    pub affects: AffectFlags,
    /// Its own weight in pounds, without contents.
    pub weight: i32,
    pub cost: i32,
    pub level: i32,
    /// MUD hours until it falls apart; 0 never.
    pub timer_hours: i32,
    pub applies: Vec<ObjectApply>,
    pub place: Place,
    /// Newest first. Written by the mover only.
    pub contents: Vec<ObjectId>,
}

impl Object {
    pub fn is_light(&self) -> bool {
        matches!(self.kind, ObjectKind::Light { hours } if hours != 0)
    }

    pub fn is_corpse(&self) -> bool {
        matches!(self.kind, ObjectKind::Container { corpse: true, .. })
    }

    /// Whose corpse it is, by name.
    pub fn corpse_of(&self) -> Option<&str> {
        if self.is_corpse() { self.short.strip_prefix(CORPSE_OF) } else { None }
    }

    pub fn is_container(&self) -> bool {
        matches!(self.kind, ObjectKind::Container { .. })
    }

    /// A container that is shut.
    pub fn is_closed(&self) -> bool {
        matches!(self.kind, ObjectKind::Container { flags, .. } if flags.has(ContainerFlags::CLOSED))
    }

    pub fn can_be(&self, wear: WearFlags) -> bool {
        self.wear.any(wear)
    }

    /// Its name for who has it at hand: "the waterskin" of "a waterskin". A name without an article keeps it so.
    pub fn definite(&self) -> String {
        let articles = ["a ", "an ", "some "];
        match articles.iter().find_map(|article| self.short.strip_prefix(article)) {
            Some(rest) => format!("the {rest}"),
            None => self.short.to_string(),
        }
    }

    /// "a" or "an" by its first keyword.
    pub fn article(&self) -> &'static str {
        match self.keywords.chars().next() {
            Some('a' | 'e' | 'i' | 'o' | 'u' | 'A' | 'E' | 'I' | 'O' | 'U') => "an",
            _ => "a",
        }
    }
}

/// Coins of a heap, without those of what may lie in it.
pub(crate) fn coins_in(object: &Object) -> i64 {
    if let ObjectKind::Money { coins } = object.kind { i64::from(coins) } else { 0 }
}
