//! Arts that bring forth things: food, a circle on the ground, water in a vessel.

use super::working::{Aim, Working};
use crate::arena::ObjectId;
use crate::draws::Draw;
use crate::object::Place;
use crate::world::World;
use content::ObjectKind;
use content::arts::Formula;
use content::words::Liquid;

pub(super) fn create(world: &mut World, art: &Working, name: &str, hours: &Formula, floor: bool) {
    let hours = art.value(world, hours, Aim::Nothing, Draw::Hours).max(0);
    let Some(object) = world.conjured(name).and_then(|vnum| world.make_object(vnum)) else { return };
    if hours > 0 {
        world.object_mut(object).timer_hours = hours;
    }
    let to = if floor { Place::Room(world.who(art.by).room) } else { Place::Carried(art.by) };
    world.place_object(object, to);
}

pub(super) fn hindrance_of_filling(world: &World, vessel: ObjectId) -> Option<String> {
    match world.object(vessel).kind {
        ObjectKind::DrinkContainer { capacity, contents, .. } if contents < capacity => None,
        ObjectKind::DrinkContainer { .. } => Some("It is full already.".to_string()),
        _ => Some("That holds no water.".to_string()),
    }
}

/// Water; where there was something else, nobody would drink what comes of it.
pub(super) fn fill(world: &mut World, _: &Working, vessel: ObjectId) {
    let ObjectKind::DrinkContainer { capacity, contents, liquid, poisoned } = world.object(vessel).kind else { return };
    let watery = contents <= 0 || matches!(liquid, Liquid::Water | Liquid::ClearWater);
    let liquid = if watery { Liquid::Water } else { Liquid::Slime };
    let added = (capacity - contents.max(0)).max(0);
    let o = world.object_mut(vessel);
    o.kind = ObjectKind::DrinkContainer { capacity, contents: capacity, liquid, poisoned };
    o.weight = o.weight.saturating_add(added);
}
