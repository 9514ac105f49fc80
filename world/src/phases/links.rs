//! People who are not there: the link-dead run from fights and leave after a while, the idle leave too.

use crate::arena::CharacterId;
use crate::character::Link;
use crate::clock::TICKS_PER_HOUR;
use crate::report::{Goodbye, LineKind};
use crate::rng::Stream;
use crate::world::World;

pub fn run(world: &mut World) {
    let players: Vec<CharacterId> = world.state.players.values().copied().collect();
    for player in players {
        attend(world, player);
    }
}

fn attend(world: &mut World, who: CharacterId) {
    let tick = world.tick();
    let Some(c) = world.character(who) else { return };
    let Some(player) = c.player() else { return };
    let fighting = c.fighting.is_some();
    match player.link {
        Link::Lost { .. } if fighting => {
            // Nobody is at the keys: the body saves itself as well as it can.
            if tick >= c.free_tick {
                let serial = c.serial;
                world.streams.fork(Stream::Command, serial);
                let _ = world.flee(who);
            }
        }
        Link::Lost { since_tick } => {
            if tick >= since_tick + u64::from(world.rules.link_dead_ticks) {
                world.leave(who, Goodbye::Idle);
            }
        }
        Link::Linked => {
            let patience = u64::from(world.rules.idle_leave_hours) * TICKS_PER_HOUR;
            if !fighting && !c.is_immortal() && tick >= player.active_tick + patience {
                world.send(who, LineKind::Broadcast, "You have stood about for so long that the world lets go of you.");
                world.leave(who, Goodbye::Idle);
            }
        }
    }
}
