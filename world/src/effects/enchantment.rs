//! Arts that change things for good: made better, blessed, hidden, poisoned, cursed, and rid of either.

use super::working::Working;
use crate::arena::ObjectId;
use crate::character::Character;
use crate::world::World;
use content::arts::effect::{Enchantment, Taint};
use content::flags::ObjectFlags;
use content::words::Apply;
use content::{ObjectApply, ObjectKind};

/// From these levels on a weapon is made better by one more.
const HIT_LEVEL: i32 = 18;
const DAMAGE_LEVEL: i32 = 20;
/// Levels below which armour is made no better.
const ARMOR_LEVEL: i32 = 20;
/// Pounds for each level of who blesses.
const BLESSED_PER_LEVEL: i32 = 5;

pub(super) fn hindrance(world: &World, art: &Working, object: ObjectId, with: Enchantment) -> Option<String> {
    let o = world.object(object);
    let plain = !o.flags.has(ObjectFlags::MAGIC) && o.applies.is_empty();
    let fits = match (with, &o.kind) {
        (Enchantment::Weapon, ObjectKind::Weapon { .. }) | (Enchantment::Armor, ObjectKind::Armor { .. }) => plain,
        (Enchantment::Weapon | Enchantment::Armor, _) => false,
        (Enchantment::Bless, _) => {
            !o.flags.any(ObjectFlags::MAGIC.with(ObjectFlags::BLESS))
                && world.weight_of(object) <= BLESSED_PER_LEVEL * art.level
        }
        (Enchantment::Invisible, _) => !o.flags.any(ObjectFlags::NO_INVISIBLE.with(ObjectFlags::INVISIBLE)),
        (Enchantment::Poison, ObjectKind::Food { poisoned, .. }) => !poisoned,
        (Enchantment::Poison, ObjectKind::DrinkContainer { poisoned, contents, .. }) => !poisoned && *contents > 0,
        (Enchantment::Poison, _) => false,
    };
    (!fits).then(|| format!("It runs off {} like water.", o.short))
}

pub(super) fn enchant(world: &mut World, art: &Working, object: ObjectId, with: Enchantment) {
    if hindrance(world, art, object, with).is_some() {
        return;
    }
    let one_more = |level: i32| 1 + i32::from(art.level >= level);
    let heart = heart_of(world.who(art.by));
    let o = world.object_mut(object);
    match with {
        Enchantment::Weapon => {
            o.applies.push(ObjectApply { to: Apply::HitRoll, by: one_more(HIT_LEVEL) });
            o.applies.push(ObjectApply { to: Apply::DamageRoll, by: one_more(DAMAGE_LEVEL) });
            o.flags.insert(ObjectFlags::MAGIC.with(heart));
        }
        Enchantment::Armor => {
            let by = -((art.level - ARMOR_LEVEL) / 2).max(1);
            o.applies.push(ObjectApply { to: Apply::ArmorClass, by });
            o.flags.insert(ObjectFlags::MAGIC.with(heart));
        }
        Enchantment::Bless => o.flags.insert(ObjectFlags::BLESS),
        Enchantment::Invisible => o.flags.insert(ObjectFlags::INVISIBLE),
        Enchantment::Poison => set_poison(&mut o.kind, true),
    }
    if let crate::object::Place::Worn(holder, _) = world.object(object).place {
        world.recompute(holder);
    }
}

/// What an evil hand makes is not for the good, and the other way round.
fn heart_of(caster: &Character) -> ObjectFlags {
    match () {
        () if caster.is_good() => ObjectFlags::ANTI_EVIL,
        () if caster.is_evil() => ObjectFlags::ANTI_GOOD,
        () => ObjectFlags::NONE,
    }
}

fn set_poison(kind: &mut ObjectKind, to: bool) {
    match kind {
        ObjectKind::Food { poisoned, .. } | ObjectKind::DrinkContainer { poisoned, .. } => *poisoned = to,
        _ => {}
    }
}

/// It clings to its owner, and a weapon bites less deep.
pub(super) fn curse(world: &mut World, _: &Working, object: ObjectId) {
    let o = world.object_mut(object);
    if o.flags.has(ObjectFlags::NO_DROP) {
        return;
    }
    o.flags.insert(ObjectFlags::NO_DROP);
    if let ObjectKind::Weapon { sides, .. } = &mut o.kind {
        *sides = (*sides - 1).max(1);
    }
}

pub(super) fn hindrance_of_purifying(world: &World, object: ObjectId, of: Taint) -> Option<String> {
    let o = world.object(object);
    let tainted = match (of, &o.kind) {
        (Taint::Curse, _) => o.flags.has(ObjectFlags::NO_DROP),
        (Taint::Poison, ObjectKind::Food { poisoned, .. } | ObjectKind::DrinkContainer { poisoned, .. }) => *poisoned,
        (Taint::Poison, _) => false,
    };
    (!tainted).then(|| format!("There is nothing wrong with {}.", o.short))
}

pub(super) fn purify(world: &mut World, _: &Working, object: ObjectId, of: Taint) {
    let o = world.object_mut(object);
    match of {
        Taint::Poison => set_poison(&mut o.kind, false),
        Taint::Curse if o.flags.has(ObjectFlags::NO_DROP) => {
            o.flags.remove(ObjectFlags::NO_DROP);
            if let ObjectKind::Weapon { sides, .. } = &mut o.kind {
                *sides += 1;
            }
        }
        Taint::Curse => {}
    }
}
