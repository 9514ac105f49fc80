//! Timers of scripts that end, and what rooms and things do by themselves while a player is there. Mobs have their turn
//! in `mobs.rs`.

use crate::arena::ObjectId;
use crate::script::{Event, Owner};
use crate::world::World;
use content::scripts::{Hook, OwnerKind};

/// Rooms and things have their turn on every tick that is a multiple of it, as mobs have.
const PULSE_TICKS: u64 = 2;

pub fn run(world: &mut World) {
    let tick = world.tick();
    // What there is no budget for comes due in the next tick.
    while world.state.scripts.has_budget(tick)
        && let Some(timer) = world.state.scripts.take_due(tick)
    {
        let event = Event { name: &timer.name, data: timer.data.as_ref(), ..Event::new(Hook::Timer, timer.owner) };
        world.fire_timer(&timer.script, &event);
    }
    if tick.is_multiple_of(PULSE_TICKS) && world.state.scripts.any_has(Hook::OnPulse) {
        pulse(world);
    }
}

fn pulse(world: &mut World) {
    let content = world.content.clone();
    let has = |world: &World, names: &[content::Text]| {
        names.iter().any(|name| world.state.scripts.runnable(name, Hook::OnPulse).is_some())
    };
    let (mut rooms, mut things) = (Vec::new(), Vec::new());
    for (owner, vnum, _) in content.scripted().filter(|(.., names)| has(world, names)) {
        match owner {
            OwnerKind::Room => rooms.push(vnum),
            OwnerKind::Object => things.push(vnum),
            OwnerKind::Mob => {}
        }
    }
    for vnum in rooms {
        if content.room_id(vnum).is_some_and(|room| world.is_watched(room)) {
            world.fire(&Event::new(Hook::OnPulse, Owner::Room(vnum)));
        }
    }
    if things.is_empty() {
        return;
    }
    let all: Vec<ObjectId> = world.state.objects.ids().collect();
    for object in all {
        let scripted = world.get_object(object).is_some_and(|o| things.binary_search(&o.vnum).is_ok());
        if scripted && world.room_of(object).is_some_and(|room| world.is_watched(room)) {
            world.fire(&Event::new(Hook::OnPulse, Owner::Object(object)));
        }
    }
}
