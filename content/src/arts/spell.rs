//! A spell as the rule book has it: what it costs, whom it is for, what it does, and what is read of it.

use super::effect::EffectRow;
use crate::Text;
use crate::words::{Class, Position};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One row of `spells.toml`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SpellRow {
    pub name: Text,
    /// By which scrolls, potions, wands and staffs name it; the classic number.
    pub number: i32,
    /// The level from which each class can learn it; empty for what only things and mobs do.
    pub levels: BTreeMap<Class, i32>,
    pub mana: ManaCost,
    /// The lowest position in which it can be cast.
    pub position: Position,
    /// What it can be aimed at.
    pub targets: Vec<TargetKind>,
    /// It does harm: not where there is peace, and whoever it is aimed at fights.
    pub violent: bool,
    pub scope: Scope,
    pub save: SaveRule,
    /// What kind of throw saves, where it is not decided by what the spell comes from.
    pub throw: Option<ThrowKind>,
    pub stack: Stack,
    pub lag_ticks: u64,
    /// A thing that makes it stronger and is used up by it; a name of `conjured.toml`.
    pub reagent: Option<Text>,
    /// Works under the sky only.
    pub outdoors: bool,
    pub effects: Vec<EffectRow>,
    pub text: SpellText,
}

/// Mana falls from `max` by `per_level` with each level above the one at which it is learned, down to `min`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct ManaCost {
    pub max: i32,
    pub min: i32,
    pub per_level: i32,
}

impl ManaCost {
    /// For somebody so many levels above the one at which it is learned.
    pub fn at(self, levels_above: i32) -> i32 {
        self.max.saturating_sub(self.per_level.saturating_mul(levels_above)).max(self.min)
    }
}

/// What a spell may be aimed at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    /// Somebody in the room.
    Here,
    /// Somebody anywhere.
    Far,
    /// Without a word: whom one fights.
    Opponent,
    /// Oneself and nobody else.
    OnlySelf,
    NotSelf,
    Carried,
    Floor,
    Worn,
    /// A thing anywhere, by its name alone.
    FarObject,
    /// Nothing: no word is looked at.
    Nothing,
    /// The word is not a target, but says how: "better".
    Word,
}

/// Whom it works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    #[default]
    Target,
    /// Who casts it, whatever it is aimed at.
    #[serde(rename = "self")]
    Caster,
    /// The caster's group in the room.
    Group,
    /// All in the room but the caster's own.
    Foes,
    /// All in the room but the caster.
    Room,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SaveRule {
    #[default]
    None,
    /// Half the damage, and only those effects that say so.
    Halves,
    /// Nothing comes of it.
    Negates,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThrowKind {
    Paralysis,
    Rod,
    Petrify,
    Breath,
    Spell,
}

/// What becomes of a lasting effect that is there already.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stack {
    /// It lasts for the longer of both times.
    #[default]
    Refresh,
    /// The hours add up.
    Lengthen,
    /// The hours and what it changes add up.
    Add,
}

/// What is read of it; `$n` is the caster, `$N` who it works on, `$p` a thing.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct SpellText {
    /// The caster, of somebody else.
    pub actor: Text,
    /// Whoever it works on, the caster too.
    pub victim: Text,
    pub room: Text,
    /// In place of these where the throw was saved; the usual sentence where they are empty.
    pub saved: [Text; 3],
    /// The bearer, when it is over.
    pub worn_off: Text,
    /// A sentence for `help`.
    pub help: Text,
}
