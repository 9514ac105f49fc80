//! What waits in channels is said on the tick that pays for it; once an hour of the game what is over is let go.

use crate::clock::TICKS_PER_HOUR;
use crate::world::World;

pub fn run(world: &mut World) {
    world.say_what_waits();
    if world.tick().is_multiple_of(TICKS_PER_HOUR) {
        world.tidy_channels();
    }
}
