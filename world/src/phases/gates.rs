//! An hour of the moon's gates: one opens where the night wants it, and is gone at dawn. Source: game reference §3.

use crate::arena::ObjectId;
use crate::gateways;
use crate::moon;
use crate::object::Place;
use crate::report::LineKind;
use crate::world::World;
use content::RoomId;

pub fn run(world: &mut World) {
    let content = world.content.clone();
    let Some(vnum) = world.conjured(moon::GATE).filter(|_| !content.gates.is_empty()) else { return };
    let open = moon::gate(world).map(|(room, _)| room);
    let rooms = content.gates.iter().filter_map(|gate| content.room_id(gate.room));
    for room in rooms {
        let standing = world.room(room).objects.iter().copied().find(|id| world.object(*id).vnum == vnum);
        match (standing, open == Some(room)) {
            (None, true) => {
                if let Some(gate) = world.make_object(vnum) {
                    // Where no gate is to stand any more when dawn comes, since the world was changed, it goes too.
                    world.object_mut(gate).timer_hours = moon::hours_of_night(world.state.clock) as i32 + 1;
                    world.place_object(gate, Place::Room(room));
                    tell(world, gate, room, "The moonlight draws itself together here, and stands upright: $p.");
                }
            }
            (Some(gate), false) => {
                tell(world, gate, room, gateways::CLOSES);
                world.extract_object(gate);
            }
            _ => {}
        }
    }
}

fn tell(world: &mut World, gate: ObjectId, room: RoomId, voice: &str) {
    world.show_object(gate, room, LineKind::Outdoor, voice);
}
