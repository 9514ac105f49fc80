//! Everybody is saved once a minute, a thirtieth of them on each tick.

use crate::arena::CharacterId;
use crate::world::World;

/// Ticks between two saves of one character.
const PERIOD_TICKS: u64 = 30;

pub fn run(world: &mut World) {
    let turn = world.tick() % PERIOD_TICKS;
    let due: Vec<CharacterId> =
        world.state.players.values().copied().filter(|id| u64::from(id.index) % PERIOD_TICKS == turn).collect();
    for player in due {
        if world.who(player).player().is_some_and(|p| p.link == crate::character::Link::Linked) {
            world.save(player);
        }
    }
}
