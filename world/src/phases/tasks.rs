//! Time that passes for those who have to be somewhere for a while.

use super::PHASES;
use crate::arena::CharacterId;
use crate::task::Deed;
use crate::tasks::waits_for_time;
use crate::world::World;

pub fn run(world: &mut World) {
    let every = PHASES.iter().find(|phase| phase.name == "tasks").map_or(1, |phase| phase.every_ticks);
    let about = |id: &CharacterId| {
        let tasks = world.tasks_of(*id);
        tasks.is_some_and(|tasks| !tasks.open.is_empty()) && waits_for_time(world, *id)
    };
    let who: Vec<CharacterId> = world.state.players.values().copied().filter(about).collect();
    for id in who {
        world.did(id, Deed::Lasted(every as i32));
    }
}
