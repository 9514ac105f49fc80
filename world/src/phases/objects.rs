//! What an hour does to things: lights burn down, corpses and whatever else has a time fall apart.

use crate::arena::{CharacterId, ObjectId};
use crate::gateways;
use crate::object::Place;
use crate::report::LineKind;
use crate::world::World;
use content::ObjectKind;
use content::words::WearSlot;

pub fn run(world: &mut World) {
    let players: Vec<CharacterId> = world.state.players.values().copied().collect();
    for player in players {
        burn(world, player);
    }
    for index in 0..world.state.objects.span() {
        let Some(id) = world.state.objects.id_at(index) else { continue };
        match world.object(id).timer_hours {
            ..=0 => {}
            1 => decay(world, id),
            _ => world.object_mut(id).timer_hours -= 1,
        }
    }
}

/// The lights that a player holds lose an hour. Mobs know where to get new ones.
fn burn(world: &mut World, player: CharacterId) {
    for slot in [WearSlot::Light, WearSlot::Hold] {
        let Some(light) = world.who(player).wears(slot) else { continue };
        let ObjectKind::Light { hours: 1.. } = world.object(light).kind else { continue };
        let ObjectKind::Light { hours } = &mut world.object_mut(light).kind else { continue };
        *hours -= 1;
        let voice = match *hours {
            1 => "$p burns low, and begins to flicker.",
            0 => "$p flickers once more and goes out.",
            _ => continue,
        };
        let (is_out, room) = (*hours == 0, world.who(player).room);
        if is_out {
            world.lights.remove(room, 1);
        }
        let dark_now = world.is_dark(room);
        if dark_now {
            // Nobody sees the thing itself any more, but all see that the light is gone.
            let name = world.object(light).short.clone();
            let text = crate::act::capitalised(&voice.replace("$p", &name));
            for n in 0..world.room(room).characters.len() {
                let reader = world.room(room).characters[n];
                if world.who(reader).is_awake() {
                    world.send(reader, LineKind::Text, text.clone());
                }
            }
        } else {
            world.show_object(light, room, LineKind::Text, voice);
        }
    }
}

/// A thing is at its end; what it held stays where it was.
fn decay(world: &mut World, object: ObjectId) {
    let o = world.object(object);
    let (corpse, held_something) = (o.is_corpse(), !o.contents.is_empty());
    let heir = match o.place {
        Place::Worn(holder, _) => Place::Carried(holder),
        place => place,
    };
    match heir {
        Place::Room(room) => {
            let voice = match (corpse, held_something) {
                (true, true) => "$p falls to dust, and what was on it lies on the ground.",
                (true, false) => "$p falls to dust.",
                (false, _) if gateways::is_gate(world, object) => gateways::CLOSES,
                (false, _) => "$p falls apart.",
            };
            world.show_object(object, room, LineKind::Text, voice);
        }
        Place::Carried(holder) => {
            let name = crate::act::capitalised(&world.object(object).short);
            world.send(holder, LineKind::Text, format!("{name} falls apart in your hands."));
        }
        Place::Inside(_) | Place::Worn(..) | Place::Nowhere => {}
    }
    // Last in is shown first: keep the order.
    for inner in world.object(object).contents.clone().into_iter().rev() {
        world.place_object(inner, heir);
    }
    world.extract_object(object);
}
