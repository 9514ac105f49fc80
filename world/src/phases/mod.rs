//! What a tick does: one ordered list. Each phase is one file.

use crate::clock::TICKS_PER_HOUR;
use crate::rng::Occasion;
use crate::world::World;

pub mod agents;
pub mod autosave;
pub mod bodies;
pub mod channels;
pub mod combat;
pub mod floors;
pub mod gates;
pub mod hunters;
pub mod links;
pub mod minds;
pub mod mobs;
pub mod objects;
pub mod plots;
pub mod queues;
pub mod rooms;
pub mod scripts;
pub mod strength;
pub mod tasks;
pub mod weather;
pub mod zones;

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
    Phase { name: "combat", every_ticks: 1, run: combat::run },
    Phase { name: "mobs", every_ticks: 2, run: mobs::run },
    Phase { name: "rooms", every_ticks: 2, run: rooms::run },
    Phase { name: "scripts", every_ticks: 1, run: scripts::run },
    Phase { name: "zones", every_ticks: 5, run: zones::run },
    Phase { name: "floors", every_ticks: 5, run: floors::run },
    Phase { name: "weather", every_ticks: TICKS_PER_HOUR, run: weather::run },
    Phase { name: "gates", every_ticks: TICKS_PER_HOUR, run: gates::run },
    Phase { name: "strength", every_ticks: 1, run: strength::run },
    Phase { name: "bodies", every_ticks: TICKS_PER_HOUR, run: bodies::run },
    Phase { name: "hunters", every_ticks: TICKS_PER_HOUR, run: hunters::run },
    Phase { name: "objects", every_ticks: TICKS_PER_HOUR, run: objects::run },
    Phase { name: "links", every_ticks: 2, run: links::run },
    Phase { name: "channels", every_ticks: 1, run: channels::run },
    Phase { name: "agents", every_ticks: 1, run: agents::run },
    Phase { name: "plots", every_ticks: plots::EVERY_TICKS, run: plots::run },
    Phase { name: "tasks", every_ticks: tasks::EVERY_TICKS, run: tasks::run },
    // Behind all that a tick may bring.
    Phase { name: "minds", every_ticks: 1, run: minds::run },
    Phase { name: "autosave", every_ticks: 1, run: autosave::run },
];

/// One tick of two seconds.
pub(crate) fn tick(world: &mut World) {
    world.state.clock.tick += 1;
    let tick = world.state.clock.tick;
    world.streams.begin(Occasion::Tick(tick));
    world.state.scripts.begin_tick();
    for phase in PHASES {
        if tick.is_multiple_of(phase.every_ticks) {
            (phase.run)(world);
        }
    }
}
