//! A lasting effect as a character bears it. How one begins, adds up and ends is in `effects/affects.rs`.

use crate::arena::CharacterId;
use crate::skill::{SkillId, SpellId};
use content::flags::AffectFlags;
use content::words::Apply;
use content::{Text, Vnum};
use serde::{Deserialize, Serialize};

/// One lasting effect. Several rows may come from one cause (`kind`).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Affect {
    /// What put it there: the name of a spell or skill, as `affects` shows it.
    pub kind: Text,
    /// MUD hours left; −1 for ever.
    pub hours: i32,
    pub apply: Apply,
    pub by: i32,
    pub flags: AffectFlags,
    /// What it came from.
    #[serde(default)]
    pub source: Source,
    /// Which player brought it about (lower-case name); nobody while that player is away.
    #[serde(default)]
    pub caster: Option<Text>,
    /// Whoever is under it saw who brought it about.
    #[serde(default)]
    pub caster_seen: bool,
}

impl Default for Affect {
    fn default() -> Affect {
        Affect {
            kind: "".into(),
            hours: 0,
            apply: Apply::None,
            by: 0,
            flags: AffectFlags::NONE,
            source: Source::Unknown,
            caster: None,
            caster_seen: false,
        }
    }
}

/// What an effect comes from.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Nobody noted it: what a version before saved, and what immortals set.
    #[default]
    Unknown,
    Spell(SpellId),
    Skill(SkillId),
    /// A thing, by its prototype; 0 where it has none.
    Object(Vnum),
    Room(Vnum),
    /// The bare hand, or what a mob strikes with.
    Body,
}

/// What an effect comes from, and who brought it about.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cause {
    pub by: Option<CharacterId>,
    pub source: Source,
}

impl Cause {
    pub fn of(source: Source) -> Cause {
        Cause { by: None, source }
    }
}
