//! Arts that call somebody up who serves: zombies, angels, elementals, and likenesses that take blows.
//!
//! Whoever was called serves under a charm; when that ends it is gone (`phases/bodies.rs`).

use super::working::{Aim, Working};
use super::{Cause, Effect, SetAffect, Stacking, charm, lasting};
use crate::act::Scene;
use crate::affect::{Affect, Source};
use crate::arena::{CharacterId, ObjectId};
use crate::character::{Hunt, Mob};
use crate::coins::lay_down_all;
use crate::draws::Draw;
use crate::object::Place;
use crate::report::LineKind;
use crate::world::World;
use content::CONJURED_FIRST;
use content::arts::Formula;
use content::arts::effect::{Material, Side};
use content::flags::AffectFlags;

/// Hit points of somebody called up, for each of its levels.
const HIT_PER_LEVEL: i32 = 10;
/// So many at once, whatever a row says.
const COUNT_MAX: i32 = 3;

pub fn hindrance_of_company(world: &World, by: CharacterId) -> Option<String> {
    let charisma = world.who(by).now.abilities.charisma;
    let full = charm::company(world, by) >= charm::company_max(charisma)
        || world.who(by).followers.len() >= crate::followers::FOLLOWERS_MAX;
    full.then(|| "You cannot hold any more wills in your hand.".to_string())
}

pub(super) fn hindrance(
    world: &World,
    art: &Working,
    from: &[Material],
    denied: Option<Side>,
    aim: Aim,
) -> Option<String> {
    let c = world.who(art.by);
    if denied == Some(Side::of(c.alignment)) {
        return Some("Nobody listens to those who cannot make up their minds.".to_string());
    }
    if !from.is_empty() && material(world, art, from, aim).is_none() {
        return Some("There is nothing here to make it from.".to_string());
    }
    hindrance_of_company(world, art.by)
}

/// The thing that somebody is made from, and who comes of it where the material says so.
fn material<'m>(world: &World, art: &Working, from: &'m [Material], aim: Aim) -> Option<(ObjectId, Option<&'m str>)> {
    let floor = &world.room(world.who(art.by).room).objects;
    from.iter().find_map(|material| match material {
        Material::Corpse => {
            let corpse = aim.object().filter(|object| world.object(*object).is_corpse())?;
            Some((corpse, None))
        }
        Material::Object { thing, mob } => {
            let vnum = world.conjured(thing)?;
            let found = floor.iter().copied().find(|id| world.object(*id).vnum == vnum)?;
            Some((found, Some(&**mob)))
        }
    })
}

pub(super) fn summon(
    world: &mut World,
    art: &Working,
    mob: &str,
    [level, hours, count]: [&Formula; 3],
    from: &[Material],
    aim: Aim,
) {
    let mut name = mob;
    if !from.is_empty() {
        let Some((object, other)) = material(world, art, from, aim) else { return };
        name = other.unwrap_or(mob);
        let room = world.who(art.by).room;
        // What a corpse held lies on the floor, for whoever may come back for it.
        for inner in world.object(object).contents.clone().into_iter().rev() {
            world.place_object(inner, Place::Room(room));
        }
        world.extract_object(object);
    }
    let level = art.value(world, level, Aim::Nothing, Draw::Amount).max(1);
    let hours = art.value(world, hours, Aim::Nothing, Draw::Hours);
    let count = art.value(world, count, Aim::Nothing, Draw::Amount).clamp(1, COUNT_MAX);
    for _ in 0..count {
        if hindrance_of_company(world, art.by).is_some() {
            return;
        }
        call_up(world, art, name, level, hours);
    }
}

/// Somebody of that name comes into being and serves. `hours` below 0: for good.
fn call_up(world: &mut World, art: &Working, name: &str, level: i32, hours: i32) -> Option<CharacterId> {
    let proto = world.conjured(name).and_then(|vnum| world.content.mob_index(vnum))?;
    let mob = world.make_mob(proto, world.who(art.by).room);
    let c = world.who_mut(mob);
    c.mob_mut().expect("it was made of a mob's row").called_up = true;
    c.level = level;
    c.base.hit_max = level.saturating_mul(HIT_PER_LEVEL).max(1);
    c.hit = c.base.hit_max;
    world.recompute(mob);
    charm::enlist(world, mob, art.by);
    let hours = if hours < 0 { -1 } else { hours.max(1) };
    let affect = Affect { hours, flags: AffectFlags::CHARM, ..Affect::default() };
    lasting::start(world, art, mob, affect);
    Some(mob)
}

/// Somebody of that row comes into being and serves for so many hours, since it was paid for that.
pub fn hire(world: &mut World, by: CharacterId, proto: u32, hours: i32) -> CharacterId {
    let mob = world.make_mob(proto, world.who(by).room);
    world.who_mut(mob).mob_mut().expect("it was made of a mob's row").called_up = true;
    charm::enlist(world, mob, by);
    let affect = Affect { kind: "pay".into(), hours: hours.max(1), flags: AffectFlags::CHARM, ..Affect::default() };
    let cause = Cause { by: Some(by), source: Source::Body };
    super::work(world, mob, Effect::Affect(SetAffect { affect, stacking: Stacking::Longer }), cause);
    mob
}

/// A likeness of the caster stands in for it: whoever fights the caster turns to that.
pub(super) fn decoy(world: &mut World, art: &Working, mob: &str, hours: &Formula) {
    let hours = art.value(world, hours, Aim::Nothing, Draw::Hours).max(1);
    let Some(likeness) = call_up(world, art, mob, art.level, hours) else { return };
    let name = format!("the likeness of {}", world.who(art.by).shown());
    let c = world.who_mut(likeness);
    c.name = name.into();
    let room = c.room;
    let against: Vec<CharacterId> =
        world.room(room).characters.iter().copied().filter(|id| world.who(*id).fighting == Some(art.by)).collect();
    world.stop_fighting(art.by);
    for foe in against {
        world.stop_fighting(foe);
        world.set_fighting(foe, likeness);
        world.set_fighting(likeness, foe);
    }
    for n in 0..world.room(room).characters.len() {
        let other = world.room(room).characters[n];
        let after = |mob: &Mob| mob.hunt.is_some_and(|hunt| hunt.prey == art.by);
        if world.who(other).mob().is_some_and(after) {
            let mob = world.who_mut(other).mob_mut().expect("it hunts");
            mob.hunt = mob.hunt.map(|hunt| Hunt { prey: likeness, ..hunt });
        }
        world.forget_grudge(other, art.by);
    }
    world.send(art.by, LineKind::Text, "Nobody looks at you any more.");
}

/// Whoever was called up to serve goes when it serves nobody any more, and leaves what it was given. Does nothing to
/// all others.
pub fn vanish(world: &mut World, who: CharacterId) {
    if !world.who(who).mob().is_some_and(|mob| mob.called_up) {
        return;
    }
    let conjured = world.mob_proto(who).is_none_or(|proto| proto.vnum >= CONJURED_FIRST);
    let told = if conjured { "$n fades, and is gone." } else { "$n goes $s own way." };
    world.show(&Scene::new(who, LineKind::Leave), "", "", told);
    lay_down_all(world, who);
    world.extract_character(who);
}
