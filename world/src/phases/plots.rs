//! What waits for consent on plots and comes too late, and cells that nobody quarrels over any more.

use crate::world::World;

/// How often it is looked.
pub const EVERY_TICKS: u64 = 5;

pub fn run(world: &mut World) {
    world.tend_plots(EVERY_TICKS);
}
