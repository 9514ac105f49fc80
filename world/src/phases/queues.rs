//! Commands that waited for the end of a lag are run.

use crate::commands;
use crate::world::World;

pub fn run(world: &mut World) {
    commands::run_waiting(world);
}
