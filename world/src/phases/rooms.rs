//! What rooms do to the people in them: water, air, fire and currents. Mobs are where they belong, and come to no harm.
//!
//! Source: game reference §3, "Environment". Immortals feel none of it.

use crate::act::Scene;
use crate::affect::Source;
use crate::arena::CharacterId;
use crate::draws::Draw;
use crate::effects::{self, Cause, Effect, HarmKind};
use crate::report::LineKind;
use crate::rng::Stream;
use crate::room_view::{self, Detail};
use crate::world::World;
use content::RoomId;
use content::flags::*;
use content::words::*;

/// Hit points that water and fire take each time.
const DROWNING: i32 = 25;
const BURNING: i32 = 15;
/// Hit points that a fall takes from whoever lands.
const FALLING: i32 = 25;

const FLOWS: [(RoomFlags, Direction); 6] = [
    (RoomFlags::FLOW_NORTH, Direction::North),
    (RoomFlags::FLOW_EAST, Direction::East),
    (RoomFlags::FLOW_SOUTH, Direction::South),
    (RoomFlags::FLOW_WEST, Direction::West),
    (RoomFlags::FLOW_UP, Direction::Up),
    (RoomFlags::FLOW_DOWN, Direction::Down),
];

/// Any of these makes a room push.
const FLOW: RoomFlags = RoomFlags::FLOW_NORTH
    .with(RoomFlags::FLOW_EAST)
    .with(RoomFlags::FLOW_SOUTH)
    .with(RoomFlags::FLOW_WEST)
    .with(RoomFlags::FLOW_UP)
    .with(RoomFlags::FLOW_DOWN);

pub fn run(world: &mut World) {
    let players: Vec<CharacterId> = world.state.players.values().copied().collect();
    for player in players {
        let Some(c) = world.character(player) else { continue };
        if c.is_immortal() {
            continue;
        }
        let proto = world.room_proto(c.room);
        let special = matches!(proto.sector, Sector::Underwater | Sector::WaterNoSwim | Sector::Flying)
            || proto.flags.any(FLOW)
            || c.is(AffectFlags::FLAMING);
        if special {
            suffer(world, player);
        }
    }
}

/// One player in a place, or a state, that asks for something.
fn suffer(world: &mut World, who: CharacterId) {
    let c = world.who(who);
    let flies = c.is(AffectFlags::FLY);
    let sector = world.room_proto(c.room).sector;
    let dead = match sector {
        Sector::Underwater if !c.is(AffectFlags::WATERBREATHE) => hurt(world, who, DROWNING, HarmKind::Breathless),
        Sector::WaterNoSwim if !flies && !c.is(AffectFlags::WATERWALK) && !world.has_boat(who) => {
            hurt(world, who, DROWNING, HarmKind::Drowning)
        }
        _ => false,
    };
    if dead {
        return;
    }
    if world.who(who).is(AffectFlags::FLAMING) && hurt(world, who, BURNING, HarmKind::Fire) {
        return;
    }
    if sector == Sector::Flying && !flies {
        fall(world, who);
        return;
    }
    let flags = world.room_flags(world.who(who).room);
    if let Some((_, way)) = FLOWS.iter().find(|(flow, _)| flags.has(*flow)) {
        flow(world, who, *way);
    }
}

/// The room that somebody is in takes hit points. True when the player died of it and is elsewhere now.
fn hurt(world: &mut World, who: CharacterId, amount: i32, kind: HarmKind) -> bool {
    let room = world.room_proto(world.who(who).room).vnum;
    effects::work(world, who, Effect::Harm { amount, kind }, Cause::of(Source::Room(room)))
}

/// Down through the air, one room each time, until there is ground. Where there is no way down, the start room is what
/// everything falls to in the end.
fn fall(world: &mut World, who: CharacterId) {
    let from = world.who(who).room;
    let to = world.open_way(from, Direction::Down).unwrap_or_else(|| world.start_room());
    if to == from {
        return;
    }
    carry(world, who, to, "You fall.", "$n falls out of sight.", "$n falls out of the sky.");
    let landed = world.character(who).is_some_and(|c| c.room == to) && world.room_proto(to).sector != Sector::Flying;
    if landed {
        hurt(world, who, FALLING, HarmKind::Fall);
    }
}

/// A current takes those who do not hold on: every second time, and nobody who fights.
fn flow(world: &mut World, who: CharacterId, way: Direction) {
    let c = world.who(who);
    if c.fighting.is_some() {
        return;
    }
    let (serial, room) = (c.serial, c.room);
    let Some(to) = world.open_way(room, way) else { return };
    world.streams.fork(Stream::Mobs, serial);
    if world.draw(Stream::Mobs, Draw::Place).one_in(2) {
        let to_self = format!("The current carries you {way}.");
        let to_room = format!("The current carries $n {way}.");
        let arrival = format!("The current brings $n from {}.", way.opposite().from_where());
        carry(world, who, to, &to_self, &to_room, &arrival);
    }
}

/// Moves somebody who does not walk, with all that follows.
fn carry(world: &mut World, who: CharacterId, to: RoomId, to_self: &str, to_room: &str, arrival: &str) {
    world.stop_fights_of(who);
    let outcome = world.note(protocol::Outcome::Left { who: world.as_who(who), to: None });
    world.show(&Scene::new(who, LineKind::Leave).outcome(&outcome), to_self, "", to_room);
    world.move_character(who, to);
    let outcome = world.note(protocol::Outcome::Entered { who: world.as_who(who), from: None });
    world.show(&Scene::new(who, LineKind::Enter).outcome(&outcome), "", "", arrival);
    room_view::show_room(world, who, Detail::Full);
    if world.room_flags(to).has(RoomFlags::DEATH) {
        world.send(who, LineKind::Death, "You should not have come here.");
        world.fall_into_death(who);
    }
}
