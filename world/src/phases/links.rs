//! People who are not there: the link-dead run from fights and leave after a while, the idle leave too.
//!
//! After a cut all who were here leave in one tick. Each that is named is read by all the others, so only the first of
//! a room are; the rest are a number.

use crate::arena::CharacterId;
use crate::character::Link;
use crate::clock::TICKS_PER_HOUR;
use crate::login::Farewell;
use crate::report::{Goodbye, Line, LineKind};
use crate::rng::Stream;
use crate::world::World;
use content::RoomId;
use std::collections::BTreeMap;
use std::sync::Arc;

/// People who leave one room in one tick and are named to those who stay; the others are counted.
pub const NAMED_MAX: usize = 8;

/// How many left each room in this tick.
type Leavers = BTreeMap<RoomId, usize>;

pub fn run(world: &mut World) {
    let players: Vec<CharacterId> = world.state.players.values().copied().collect();
    let mut leavers = Leavers::new();
    for player in players {
        attend(world, player, &mut leavers);
    }
    for (room, count) in leavers {
        tell_rest(world, room, count.saturating_sub(NAMED_MAX));
    }
}

fn attend(world: &mut World, who: CharacterId, leavers: &mut Leavers) {
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
                leave(world, who, leavers);
            }
        }
        Link::Linked => {
            let patience = u64::from(world.rules.idle_leave_hours) * TICKS_PER_HOUR;
            if !fighting && !c.is_immortal() && tick >= player.active_tick + patience {
                world.send(who, LineKind::Broadcast, "You have stood about for so long that the world lets go of you.");
                leave(world, who, leavers);
            }
        }
    }
}

fn leave(world: &mut World, who: CharacterId, leavers: &mut Leavers) {
    let count = leavers.entry(world.who(who).room).or_default();
    *count += 1;
    let farewell = if *count <= NAMED_MAX { Farewell::Shown } else { Farewell::Counted };
    world.leave(who, Goodbye::Idle, farewell);
}

/// One line for all who left a room without being named.
fn tell_rest(world: &mut World, room: RoomId, count: usize) {
    let text = match count {
        0 => return,
        1 => "One more has left the world.".to_string(),
        n => format!("{n} more have left the world."),
    };
    let line = Arc::new(Line { kind: LineKind::Leave, text, ..Line::default() });
    for n in 0..world.room(room).characters.len() {
        let reader = world.room(room).characters[n];
        if world.who(reader).is_awake() {
            world.send_line(reader, line.clone());
        }
    }
}
