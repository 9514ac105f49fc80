//! The shapes of the variables about arts and company: what somebody can do, what is at work on it, and who is with it.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A word of the game's own, or one that a client read.
type Word = Cow<'static, str>;

/// An entry of `AFFECTS`: one cause, with all that it changes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Affected {
    /// The spell, skill or thing that it comes from.
    pub name: Arc<str>,
    /// Hours of the game's clock that are left, -1 for good.
    pub hours: i32,
    /// The player who brought it about, in lower case; left out where that was nobody, or is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Arc<str>>,
    /// By how much it changes what: `{"armor_class": -15}`.
    pub applies: BTreeMap<Word, i32>,
    /// What it makes of its bearer: `blind`, `sanctuary`.
    pub flags: Vec<Word>,
}

/// Whether an art is cast or done.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArtKind {
    Spell,
    Skill,
}

/// What an art is good for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArtUse {
    Harm,
    Heal,
    Cure,
    Protect,
    Travel,
    Other,
}

/// An entry of `SKILLS`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct KnownArt {
    pub name: Arc<str>,
    pub kind: ArtKind,
    #[serde(rename = "use")]
    pub used_for: ArtUse,
    /// What to type before its name, if it is a spell, or in its place; left out for what works by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verb: Option<Arc<str>>,
    /// How well it is known, 0 to 100; 0: it could be learned.
    pub percent: i32,
    /// From which level the character's class learns it; left out where it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<i32>,
    /// What it costs; left out for skills.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mana: Option<i32>,
    /// Hit points that it takes of whom one fights when it works and is not withstood, on average; left out where it
    /// takes none, and where that depends on the moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damage: Option<i32>,
    /// Whoever tries it may end up on the ground, or hurt. Left out where that is not so.
    #[serde(default, skip_serializing_if = "is_false")]
    pub risky: bool,
}

fn is_false(is: &bool) -> bool {
    !*is
}

/// The value of `PRACTICES`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Practices {
    pub left: i32,
    /// Who teaches the character's class here and now; null where nobody does.
    pub teacher: Option<Arc<str>>,
}

/// The value of `OPPONENT`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Opponent {
    /// `someone` for whom the character cannot see; then the next two are empty.
    pub name: Arc<str>,
    pub instance_id: Arc<str>,
    pub target_string: Arc<str>,
    /// 10 unhurt, 0 dying: tenths of its hit points, a part of one counted as one.
    pub condition: i32,
    pub position: Word,
}

/// An entry of `GROUP`, the character itself among them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GroupMember {
    pub name: Arc<str>,
    pub instance_id: Arc<str>,
    pub leader: bool,
    /// In the character's room.
    pub here: bool,
    pub hp_percent: i32,
    pub mana_percent: i32,
    pub move_percent: i32,
    pub position: Word,
    /// What is on this one that there are arts against: `blind`, `poison`, `curse`. Left out where nothing is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ails: Vec<Word>,
}

/// An entry of `ROOM_PLAYERS`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RoomPlayer {
    pub name: Arc<str>,
    pub instance_id: Arc<str>,
    /// What to type to mean this one, here and now.
    pub target_string: Arc<str>,
    pub position: Word,
    pub fighting: bool,
    /// A program plays it.
    pub agent: bool,
    /// In the last row of a list that was cut: how many more there are. Left out where there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: u32,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}
