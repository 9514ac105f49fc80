//! Agents who are not praised think a little later each time.

use crate::world::World;

pub fn run(world: &mut World) {
    world.drift_intervals();
}
