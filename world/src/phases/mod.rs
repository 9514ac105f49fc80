//! What a tick does: one ordered list. Each phase is one file.

use crate::world::World;

pub mod fighting;
pub mod queues;

/// A step of the tick.
pub struct Phase {
    pub name: &'static str,
    /// Runs on every tick that is a multiple of it.
    pub every_ticks: u64,
    pub run: fn(&mut World),
}

/// The order in which a tick happens. This list is the documentation.
pub const PHASES: &[Phase] = &[
    Phase { name: "queues", every_ticks: 1, run: queues::run },
    Phase { name: "fighting", every_ticks: 1, run: fighting::run },
];

/// One tick of two seconds.
pub(crate) fn tick(world: &mut World) {
    world.state.clock.tick += 1;
    let tick = world.state.clock.tick;
    for phase in PHASES {
        if tick.is_multiple_of(phase.every_ticks) {
            (phase.run)(world);
        }
    }
}
