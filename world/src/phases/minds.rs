//! Several minds of one body hear what came of what they chose.

use crate::world::World;

pub fn run(world: &mut World) {
    world.tell_outcomes();
}
