//! Time that passes for those who have to be somewhere for a while.

use crate::arena::CharacterId;
use crate::task::Deed;
use crate::tasks::waits_for_time;
use crate::world::World;

/// How often it is looked who is still there.
pub const EVERY_TICKS: u64 = 5;

pub fn run(world: &mut World) {
    let players = world.state.players.values().copied();
    let who: Vec<CharacterId> = players.filter(|id| waits_for_time(world, *id)).collect();
    for id in who {
        world.did(id, Deed::Lasted(EVERY_TICKS as i32));
    }
}
