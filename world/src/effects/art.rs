//! An art at work on somebody or something: which of its effects come to nothing, and which file works which.
//!
//! `perform` is the one place that says that for each kind of row. Invariant: whatever an effect does goes
//! through `harm`, the affects, the mover and the other ways of the world; nothing is changed past them.

use super::working::{Aim, Working, not_of_age};
use super::{charm, creation, damage, enchantment, gates, healing, knowledge, lasting, moving, summoning};
use crate::arena::CharacterId;
use crate::draws::Draw;
use crate::world::World;
use content::arts::effect::{Destination, Side};
use content::arts::{EffectRow, SpellRow};
use content::flags::{AffectFlags, MobFlags};
use content::words::Position;

/// From this level on a mob can be made to forget what it holds against others too. Source: game reference §4.1.
const FORGETS_ALL_LEVEL: i32 = 30;

/// Why an effect would come to nothing, in a sentence for the caster; `None` where it would not. An effect which is
/// meant for something else (a thing, and it is aimed at somebody) is silently nothing: `Some("")`.
pub fn hindrance(world: &World, art: &Working, effect: &EffectRow, aim: Aim) -> Option<String> {
    let victim = aim.character();
    let side_of = |who: CharacterId| Side::of(world.who(who).alignment);
    let mob_flags = victim.map_or(MobFlags::NONE, |victim| world.who(victim).mob_flags());
    let name = || victim.map_or_else(String::new, |victim| crate::act::capitalised(world.name_for(art.by, victim)));
    match effect {
        EffectRow::Damage { spares: Some(side), .. } | EffectRow::Affect { spares: Some(side), .. }
            if victim.is_some_and(|victim| side_of(victim) == *side) =>
        {
            Some(match victim == Some(art.by) {
                true => "It will have nothing to do with somebody like you.".to_string(),
                false => format!("It does nothing to somebody like {}.", world.name_for(art.by, victim?)),
            })
        }
        EffectRow::Damage { .. }
        | EffectRow::Drain { .. }
        | EffectRow::Heal { .. }
        | EffectRow::Points { .. }
        | EffectRow::Cure { .. }
        | EffectRow::Transform { .. }
            if victim.is_none() =>
        {
            Some(String::new())
        }
        EffectRow::Heal { .. } => {
            let patient = world.who(victim?);
            (patient.hit >= patient.now.hit_max).then(|| match victim == Some(art.by) {
                true => "There is no wound on you that it could close.".to_string(),
                false => format!("{} has no wound that it could close.", name()),
            })
        }
        EffectRow::Cure { flags } => {
            let suffers = world.who(victim?).affects.iter().any(|affect| affect.flags.any(*flags));
            (!suffers).then(|| match victim == Some(art.by) {
                true => "You do not suffer from what it cures.".to_string(),
                false => format!("{} does not suffer from what it cures.", name()),
            })
        }
        EffectRow::Affect { .. } => {
            let Some(victim) = victim else { return Some(String::new()) };
            // Who is immune to what an art is for gets nothing of the rest either.
            let flags = flags_of(art.row);
            let immune = (flags.any(AffectFlags::SLEEP) && mob_flags.has(MobFlags::NO_SLEEP))
                || (flags.any(AffectFlags::BLIND) && mob_flags.has(MobFlags::NO_BLIND))
                || (art.row.violent && world.who(victim).is_immortal() && victim != art.by);
            if immune {
                return Some(format!("{} cannot be touched by it.", name()));
            }
            if flags.any(AffectFlags::SLEEP) { not_of_age(world, art.by, victim) } else { None }
        }
        EffectRow::Charm {} => charm::hindrance(world, art, victim?),
        EffectRow::Move { to } => match (to, victim) {
            (_, None) => Some(String::new()),
            (Destination::Caster, Some(victim)) => moving::hindrance_of_summons(world, art, victim),
            (to, Some(victim)) => moving::hindrance(world, art, victim, *to),
        },
        EffectRow::Enchant { with } => match aim.object() {
            Some(object) => enchantment::hindrance(world, art, object, *with),
            None => Some(String::new()),
        },
        EffectRow::CurseObject {} | EffectRow::Fill {} if aim.object().is_none() => Some(String::new()),
        EffectRow::Fill {} => creation::hindrance_of_filling(world, aim.object()?),
        EffectRow::Purify { of } => match aim.object() {
            Some(object) => enchantment::hindrance_of_purifying(world, object, *of),
            None => Some(String::new()),
        },
        EffectRow::Summon { from, denied, .. } => summoning::hindrance(world, art, from, *denied, aim),
        EffectRow::Decoy { .. } => summoning::hindrance_of_company(world, art.by),
        EffectRow::ForgetHunt {} => {
            let mob = victim.and_then(|victim| world.who(victim).mob());
            let name_held = &world.who(art.by).keywords;
            let all = art.level >= FORGETS_ALL_LEVEL;
            let grudge = mob.is_some_and(|mob| {
                let hunts = mob.hunt.is_some_and(|hunt| all || hunt.prey == art.by);
                hunts || mob.memory.iter().any(|held| all || held == name_held)
            });
            let whom = if all { "anybody" } else { "you" };
            (!grudge).then(|| format!("{} holds nothing against {whom}.", name()))
        }
        EffectRow::Weather { .. } => match art.word {
            "better" | "worse" => None,
            _ => Some("Do you want it better, or worse?".to_string()),
        },
        EffectRow::Gate { .. } => gates::hindrance(world, art),
        _ => None,
    }
}

/// Everything that an art makes of somebody.
fn flags_of(row: &SpellRow) -> AffectFlags {
    row.effects.iter().fold(AffectFlags::NONE, |all, effect| match effect {
        EffectRow::Affect { flags, .. } => all.with(*flags),
        _ => all,
    })
}

/// Whether somebody gets away from an effect which it did not withstand.
pub fn slips(world: &mut World, effect: &EffectRow, who: CharacterId) -> bool {
    matches!(effect, EffectRow::Move { to } if moving::slips(world, who, *to))
}

/// What an effect leads to whose target withstood it altogether.
pub fn withstood(world: &mut World, art: &Working, effect: &EffectRow, aim: Aim) {
    if let (EffectRow::Move { to }, Aim::Character(who)) = (effect, aim) {
        moving::withstood(world, art, who, *to);
    }
}

/// Lets one effect of an art work. Nothing happens to who died or left meanwhile.
pub fn perform(world: &mut World, art: &Working, effect: &EffectRow, aim: Aim) {
    let there = |world: &World| match aim {
        Aim::Character(who) => world.character(who).is_some(),
        Aim::Object(object) => world.get_object(object).is_some(),
        Aim::Nothing => true,
    };
    if world.character(art.by).is_none() || !there(world) {
        return;
    }
    match (effect, aim) {
        (EffectRow::Damage { amount, recoils, fells, dust, .. }, Aim::Character(victim)) => {
            let terms = damage::Terms { recoils: *recoils, fells: *fells, dust: *dust };
            damage::damage(world, art, victim, amount, terms);
        }
        (EffectRow::Drain { amount, share }, Aim::Character(victim)) => {
            damage::drain(world, art, victim, amount, *share)
        }
        (EffectRow::Heal { amount }, Aim::Character(patient)) => healing::heal(world, art, patient, amount),
        (EffectRow::Points { mana, moves, sober }, Aim::Character(who)) => {
            healing::points(world, art, who, [mana, moves], *sober)
        }
        (EffectRow::Affect { .. }, Aim::Character(who)) => lasting::begin(world, art, who, effect),
        (EffectRow::Cure { flags }, Aim::Character(who)) => lasting::cure(world, art, who, *flags),
        (EffectRow::Charm {}, Aim::Character(victim)) => charm::charm(world, art, victim),
        (EffectRow::Move { to }, Aim::Character(who)) => moving::displace(world, art, who, *to),
        (EffectRow::LookInto {}, Aim::Character(who)) => knowledge::look_into(world, art, who),
        (EffectRow::Detect {}, aim) => knowledge::detect(world, art, aim),
        (EffectRow::Identify {}, aim) => knowledge::identify(world, art, aim),
        (EffectRow::Locate { most }, _) => knowledge::locate(world, art, most),
        (EffectRow::ForgetHunt {}, Aim::Character(mob)) => {
            let (name, all) = (world.who(art.by).keywords.clone(), art.level >= FORGETS_ALL_LEVEL);
            if let Some(mob) = world.who_mut(mob).mob_mut() {
                mob.memory.retain(|held| !all && *held != name);
                mob.hunt = mob.hunt.filter(|hunt| !all && hunt.prey != art.by);
            }
        }
        (EffectRow::Transform { flag }, Aim::Character(who)) => {
            world.who_mut(who).base.flags.insert(*flag);
            world.recompute(who);
        }
        (EffectRow::Summon { mob, evil_mob, level, hours, count, from, .. }, aim) => {
            let numbers = [level, hours, count];
            let mob = evil_mob.as_ref().filter(|_| world.who(art.by).is_evil()).unwrap_or(mob);
            summoning::summon(world, art, mob, numbers, from, aim)
        }
        (EffectRow::Decoy { mob, hours }, _) => summoning::decoy(world, art, mob, hours),
        (EffectRow::Create { object, hours, floor }, _) => creation::create(world, art, object, hours, *floor),
        (EffectRow::Gate { hours }, _) => gates::open(world, art, hours),
        (EffectRow::Fill {}, Aim::Object(vessel)) => creation::fill(world, art, vessel),
        (EffectRow::Enchant { with }, Aim::Object(object)) => enchantment::enchant(world, art, object, *with),
        (EffectRow::CurseObject {}, Aim::Object(object)) => enchantment::curse(world, art, object),
        (EffectRow::Purify { of }, Aim::Object(object)) => enchantment::purify(world, art, object, *of),
        (EffectRow::Weather { by }, _) => {
            let by = art.value(world, by, aim, Draw::Amount);
            let change = &mut world.state.weather.change;
            *change = change.saturating_add(if art.word == "worse" { -by } else { by }).clamp(-12, 12);
        }
        (EffectRow::Stun {}, _) => {
            world.stop_fighting(art.by);
            world.who_mut(art.by).position = Position::Stunned;
        }
        // What is meant for something else does nothing; `hindrance` has said so where it matters.
        _ => {}
    }
}
