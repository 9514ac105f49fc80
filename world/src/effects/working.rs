//! One use of an art, as its effects are told of it: whose it is, how strong, and on whom it works.

use crate::affect::{Cause, Source};
use crate::arena::{CharacterId, ObjectId};
use crate::character::Character;
use crate::draws::{Draw, Drawing};
use crate::rng::Stream;
use crate::world::World;
use content::arts::{Formula, SpellRow, Throws, Values};
use content::words::Class;

/// Nobody is better, or worse the other way.
const ALIGNMENT_MAX: i32 = 1_000;

/// One use of an art.
#[derive(Clone, Copy)]
pub struct Working<'a> {
    pub by: CharacterId,
    /// Of the caster, or of the thing that it comes from.
    pub level: i32,
    /// The reagent was used up.
    pub reagent: bool,
    pub row: &'a SpellRow,
    /// The throw was saved.
    pub saved: bool,
    /// What was typed where a target would stand.
    pub word: &'a str,
}

/// What it works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aim {
    Character(CharacterId),
    Object(ObjectId),
    Nothing,
}

impl Aim {
    pub fn character(self) -> Option<CharacterId> {
        match self {
            Aim::Character(who) => Some(who),
            _ => None,
        }
    }

    pub fn object(self) -> Option<ObjectId> {
        match self {
            Aim::Object(object) => Some(object),
            _ => None,
        }
    }
}

impl Throws for Drawing<'_> {
    fn roll(&mut self, count: i32, sides: i32) -> i32 {
        Drawing::roll(self, count, sides)
    }

    fn range(&mut self, low: i32, high: i32) -> i32 {
        Drawing::range(self, low, high)
    }
}

impl Working<'_> {
    pub fn source(&self) -> Source {
        Source::Spell((&*self.row.name).into())
    }

    pub fn cause(&self) -> Cause {
        Cause { by: Some(self.by), source: self.source() }
    }

    /// Works a formula of the row out, for this target.
    pub fn value(&self, world: &mut World, formula: &Formula, aim: Aim, draw: Draw) -> i32 {
        let victim_level = aim.character().map_or(0, |victim| world.who(victim).level);
        let values = Values { reagent: self.reagent, ..values_of(world.who(self.by), self.level, victim_level) };
        formula.value(&values, &mut world.draw(Stream::Combat, draw))
    }
}

/// What formulas may ask for of a caster, without a reagent.
pub fn values_of(caster: &Character, level: i32, victim_level: i32) -> Values {
    Values {
        level,
        victim_level,
        reagent: false,
        mage: matches!(caster.class, Class::MagicUser | Class::Magus) || caster.is_mob(),
        psi: matches!(caster.class, Class::Psionic | Class::Mystic),
        good: caster.is_good(),
        devout: caster.alignment.abs() >= ALIGNMENT_MAX,
    }
}

/// Players are put to sleep and charmed by outlaws only, and by those who are near to them in level; mobs may do as
/// they please. Source: game reference §2.7.
pub fn not_of_age(world: &World, by: CharacterId, victim: CharacterId) -> Option<String> {
    const LEVELS: i32 = 3;
    let (c, v) = (world.who(by), world.who(victim));
    if c.is_mob() || v.is_mob() || by == victim {
        return None;
    }
    let outlaw = c.player_flags().has(crate::character::PlayerFlags::OUTLAW);
    (!outlaw || (c.level - v.level).abs() > LEVELS)
        .then(|| format!("{} is not yours to treat like that.", crate::act::capitalised(v.shown())))
}
