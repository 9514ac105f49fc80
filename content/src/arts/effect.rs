//! What spells and skills do: the closed list of kinds, each with what it needs to know. How they work is in `world`.

use super::formula::Formula;
use crate::Text;
use crate::flags::AffectFlags;
use crate::words::Apply;
use serde::{Deserialize, Serialize};

/// One `[[spell.effect]]`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum EffectRow {
    /// Hit points are lost.
    Damage {
        amount: Formula,
        /// Whom it does nothing to.
        #[serde(default)]
        spares: Option<Side>,
        /// A caster of this side suffers it in its target's place, and survives.
        #[serde(default)]
        recoils: Option<Side>,
        /// In one of so many cases the caster suffers it; 0 never.
        #[serde(default)]
        backfires: i32,
        /// May throw its victim down.
        #[serde(default)]
        fells: bool,
        /// Nothing is left of the dead but dust and what they had.
        #[serde(default)]
        dust: bool,
    },
    /// As `damage`, and the caster is healed by the `share`th part of it.
    Drain {
        amount: Formula,
        share: i32,
    },
    /// Hit points come back.
    Heal {
        amount: Formula,
    },
    /// Mana, moves come back, drunkenness goes.
    Points {
        #[serde(default = "nothing")]
        mana: Formula,
        #[serde(default = "nothing")]
        moves: Formula,
        #[serde(default)]
        sober: bool,
    },
    /// Something changes for a while.
    Affect {
        #[serde(default = "no_apply")]
        apply: Apply,
        #[serde(default = "nothing")]
        by: Formula,
        hours: Formula,
        #[serde(default)]
        flags: AffectFlags,
        /// A target of this side does not get it.
        #[serde(default)]
        spares: Option<Side>,
        /// The hours where the throw was saved; without them nothing is left of it.
        #[serde(default)]
        hours_saved: Option<Formula>,
    },
    /// What sets any of these flags ends.
    Cure {
        flags: AffectFlags,
    },
    /// A thing is rid of its poison, or its curse.
    Purify {
        of: Taint,
    },
    /// Somebody comes and follows the caster.
    Summon {
        /// A name of `conjured.toml`.
        mob: Text,
        /// Who comes to the evil in its place.
        #[serde(default)]
        evil_mob: Option<Text>,
        level: Formula,
        hours: Formula,
        #[serde(default = "one")]
        count: Formula,
        /// What it is made from and uses up.
        #[serde(default)]
        from: Vec<Material>,
        /// Who cannot call it.
        #[serde(default)]
        denied: Option<Side>,
    },
    /// The target does what the caster wants.
    Charm {},
    /// A thing comes into being: a name of `conjured.toml`.
    Create {
        object: Text,
        /// Until it is gone; 0 for good.
        #[serde(default = "nothing")]
        hours: Formula,
        /// On the floor, and not in the caster's hands.
        #[serde(default)]
        floor: bool,
    },
    /// A vessel is filled with water.
    Fill {},
    Enchant {
        with: Enchantment,
    },
    CurseObject {},
    Move {
        to: Destination,
    },
    /// The caster sees the target's room.
    LookInto {},
    /// Tells whether the target is poisoned.
    Detect {},
    Identify {},
    Locate {
        most: Formula,
    },
    /// The air pressure changes, to the better or the worse as the caster says.
    Weather {
        by: Formula,
    },
    /// Somebody like the caster takes the blows.
    Decoy {
        mob: Text,
        hours: Formula,
    },
    /// A mob forgets what it holds against the caster; of the strongest, against anybody.
    ForgetHunt {},
    /// Marks its target for good.
    Transform {
        flag: AffectFlags,
    },
    /// The caster lies stunned.
    Stun {},
    /// A way to another land opens, where the world has one.
    Gate {
        /// Until it is gone.
        hours: Formula,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    Good,
    Evil,
    Neutral,
}

impl Side {
    /// The side of an alignment. Source: game reference §2.7.
    pub fn of(alignment: i32) -> Side {
        match alignment {
            350.. => Side::Good,
            -349..350 => Side::Neutral,
            _ => Side::Evil,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Taint {
    Poison,
    Curse,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Enchantment {
    Weapon,
    Armor,
    Bless,
    Invisible,
    Poison,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Destination {
    /// The target's hometown.
    Home,
    /// Any room of the world.
    Random,
    /// To the caster, who stands in a circle of summoning.
    Caster,
}

/// What somebody is made from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Material {
    /// The corpse that the spell is aimed at.
    Corpse,
    /// A thing on the floor, and who comes of it: names of `conjured.toml`.
    Object { thing: Text, mob: Text },
}

fn no_apply() -> Apply {
    Apply::None
}

fn one() -> Formula {
    Formula::from(1)
}

fn nothing() -> Formula {
    Formula::from(0)
}
