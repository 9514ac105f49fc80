//! Arts that wound: damage, with what may become of it, and damage that feeds its caster.

use super::working::{Aim, Working};
use super::{Harm, HarmKind, harm};
use crate::act::Scene;
use crate::arena::{CharacterId, ObjectId};
use crate::character::Character;
use crate::draws::Draw;
use crate::object::Place;
use crate::report::LineKind;
use crate::rng::Stream;
use crate::world::World;
use content::RoomId;
use content::arts::Formula;
use content::arts::effect::Side;
use content::words::Position;

/// Hit points that a caster keeps whose own spell turns on its kind.
const RECOIL_LEAVES: i32 = 10;
/// The die that a victim's dexterity has to beat to stay on its feet.
const FELLING_SIDES: i32 = 20;

/// What else may come of it.
#[derive(Clone, Copy)]
pub(super) struct Terms {
    pub recoils: Option<Side>,
    pub fells: bool,
    pub dust: bool,
}

pub(super) fn damage(world: &mut World, art: &Working, victim: CharacterId, amount: &Formula, terms: Terms) {
    let caster = world.who(art.by);
    if terms.recoils == Some(Side::of(caster.alignment)) && caster.is_player() {
        let amount = caster.hit - RECOIL_LEAVES;
        if amount > 0 {
            wound(world, art, art.by, amount);
        }
        return;
    }
    let amount = art.value(world, amount, Aim::Character(victim), Draw::Amount).max(0);
    let amount = if art.saved { amount / 2 } else { amount };
    let room = world.who(victim).room;
    let old = if terms.dust { corpses(world, room) } else { Vec::new() };
    let died = wound(world, art, victim, amount);
    if died && terms.dust {
        crumble(world, room, &old);
    }
    if !died && terms.fells && !art.saved {
        fell(world, victim);
    }
}

fn corpses(world: &World, room: RoomId) -> Vec<ObjectId> {
    world.room(room).objects.iter().copied().filter(|id| world.object(*id).is_corpse()).collect()
}

/// Damage of which the caster gets a part.
pub(super) fn drain(world: &mut World, art: &Working, victim: CharacterId, amount: &Formula, share: i32) {
    let amount = art.value(world, amount, Aim::Character(victim), Draw::Amount).max(0);
    let amount = if art.saved { amount / 2 } else { amount };
    let before = world.who(victim).hit;
    let died = wound(world, art, victim, amount);
    let taken = if died { amount } else { (before - world.who(victim).hit).max(0) };
    if world.character(art.by).is_some() && art.by != victim {
        super::healing::restore(world, art, art.by, taken / share.max(1));
    }
}

fn wound(world: &mut World, art: &Working, victim: CharacterId, amount: i32) -> bool {
    let kind = HarmKind::Art { saved: art.saved };
    harm::harm(world, Harm { victim, by: Some(art.by), amount, kind, source: art.source() })
}

/// Throws somebody down who does not keep its feet.
fn fell(world: &mut World, victim: CharacterId) {
    let Some(v) = world.character(victim) else { return };
    let dexterity = v.now.abilities.dexterity;
    if v.position < Position::Fighting || world.draw(Stream::Combat, Draw::Skill).range(1, FELLING_SIDES) <= dexterity {
        return;
    }
    world.who_mut(victim).position = Position::Sitting;
    let scene = Scene::new(victim, LineKind::Position);
    world.show(&scene, "You are thrown off your feet!", "", "$n is thrown off $s feet.");
}

/// Nothing is left of the corpse that was not among the `old` ones but dust and what it had.
fn crumble(world: &mut World, room: RoomId, old: &[ObjectId]) {
    let Some(corpse) = corpses(world, room).into_iter().find(|corpse| !old.contains(corpse)) else { return };
    for object in world.object(corpse).contents.clone().into_iter().rev() {
        world.place_object(object, Place::Room(room));
    }
    world.extract_object(corpse);
    if let Some(dust) = world.conjured("dust").and_then(|vnum| world.make_object(vnum)) {
        world.place_object(dust, Place::Room(room));
        world.show_object(dust, room, LineKind::Death, "Nothing is left but $p.");
    }
}

/// Whether somebody takes part in what an area spares: the caster's own.
pub fn is_own(world: &World, by: CharacterId, other: CharacterId) -> bool {
    let (c, o) = (world.who(by), world.who(other));
    let together = world.group_leader(by).is_some() && world.group_leader(by) == world.group_leader(other);
    let served = |master: &Character, servant: &Character, id: CharacterId| {
        servant.is(content::flags::AffectFlags::CHARM) && servant.leader == Some(id) && master.room == servant.room
    };
    by == other || together || served(c, o, by) || served(o, c, other)
}
