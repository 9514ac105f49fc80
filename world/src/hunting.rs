//! Hunters: mobs that are after one person, and what sends them. Source: game reference §3 ("lunar hunters"), §4.2
//! (evasion), §6 ("Hunters", "Mob AI order").
//!
//! Whom a mob hunts is a part of it (`Mob::hunt`). Who was sent goes when its hunt is over: with the death of its prey
//! or its leaving, at dawn, or thrown off; who hunts by nature (the flag `hunter`) or by its script stays, and does
//! something else. Who has hands opens what is only shut, and a gate is no way out of its sight.
//! Which mobs, from where, and what brings them stand in `world.toml` and the rows of things; where a world lacks them
//! nobody comes.

use crate::act::Scene;
use crate::arena::{CharacterId, ObjectId};
use crate::character::{Character, Hunt, Link, PlayerFlags};
use crate::draws::Draw;
use crate::effects::summoning;
use crate::gateways;
use crate::refusal::Done;
use crate::report::LineKind;
use crate::rng::Stream;
use crate::skill::SkillId;
use crate::ways;
use crate::world::World;
use content::flags::{AffectFlags, MobFlags, RoomFlags};
use content::words::{Direction, Position, Sector};
use content::{Lair, RoomId};
use protocol::outcome::DoorChange;

/// Rooms in which a hunter looks for its prey at most, and a tracker for tracks.
pub const ROOMS_MAX: usize = 3_000;
/// Steps of a hunter in a round.
const STEPS: usize = 2;
/// Hunters that are sent after one person at once, at most.
const AFTER_ONE_MAX: usize = 3;
/// Whoever knows evasion throws off who is after it where a draw of 1 to this is not above what it knows.
const EVASION_SIDES: i32 = 151;
/// Nobody follows anybody in there.
const SHELTERS: RoomFlags = RoomFlags::PEACEFUL
    .with(RoomFlags::HOUSE)
    .with(RoomFlags::NO_MOB)
    .with(RoomFlags::DEATH)
    .with(RoomFlags::GOD_ROOM)
    .with(RoomFlags::NO_TRACK);
/// The link-dead up to this level are left alone by those who would attack them unprovoked.
const SPARED_LEVEL: i32 = 5;

/// Immortals who want their peace have it, and so have the young whose connection is lost.
pub fn may_be_hunted(victim: &Character) -> bool {
    let spared = victim.level <= SPARED_LEVEL && victim.player().is_some_and(|p| p.link != Link::Linked);
    !spared && !victim.player_flags().has(PlayerFlags::NO_HASSLE)
}

/// Whether somebody throws off who is after it.
pub fn throws_off(world: &mut World, quarry: CharacterId) -> bool {
    let evasion = world.who(quarry).skill(&SkillId::EVASION);
    evasion > 0 && world.draw(Stream::Combat, Draw::Target).range(1, EVASION_SIDES) <= evasion
}

/// How many are after somebody.
pub fn hunters_of(world: &World, prey: CharacterId) -> usize {
    let hunts = |c: &Character| c.mob().and_then(|mob| mob.hunt).is_some_and(|hunt| hunt.prey == prey);
    world.state.characters.iter().filter(|(_, c)| hunts(c)).count()
}

/// Whether anybody can set out from there at all.
pub fn is_inhabited(world: &World, lair: Lair) -> bool {
    world.content.mob_index(lair.mob).is_some() && world.room_by_vnum(lair.room).is_some()
}

/// Somebody sets out to hunt `prey`; at that level, where one is given. `None` where nobody can, or enough do already.
pub fn send(world: &mut World, lair: Lair, prey: CharacterId, level: Option<i32>) -> Option<CharacterId> {
    let proto = world.content.mob_index(lair.mob)?;
    let room = world.room_by_vnum(lair.room)?;
    let others = hunters_of(world, prey);
    if !may_be_hunted(world.who(prey)) || others >= AFTER_ONE_MAX {
        return None;
    }
    let hunter = world.make_mob(proto, room);
    let hunt = Hunt::of(prey, world.tick());
    let c = world.who_mut(hunter);
    let (built, level) = (c.level.max(1), level.unwrap_or(c.level).max(1));
    let to_scale = |value: i32| (i64::from(value) * i64::from(level) / i64::from(built)).min(i32::MAX.into()) as i32;
    let hit_max = to_scale(c.base.hit_max).max(1);
    (c.level, c.base.hit_max, c.hit) = (level, hit_max, hit_max);
    let mob = c.mob_mut().expect("it was made of a mob's row");
    mob.experience = to_scale(mob.experience);
    (mob.called_up, mob.hunt) = (true, Some(hunt));
    world.recompute(hunter);
    if others == 0 {
        world.send(prey, LineKind::Text, "The hair on your neck stands up. Somewhere, something has your scent.");
    }
    Some(hunter)
}

/// A mob is after somebody from now on. False where that one may not be hunted, or the mob is not its own master.
pub fn begin(world: &mut World, id: CharacterId, prey: CharacterId) -> bool {
    let c = world.who(id);
    let is_free = c.leader.is_none() && !c.is(AffectFlags::CHARM);
    if id == prey || !is_free || !may_be_hunted(world.who(prey)) {
        return false;
    }
    let hunt = Hunt::of(prey, world.tick());
    let Some(mob) = world.who_mut(id).mob_mut() else { return false };
    mob.hunt = mob.hunt.filter(|hunt| hunt.prey == prey).or(Some(hunt));
    true
}

/// It is after nobody any more; who was sent goes. False where it hunted nobody.
pub fn give_up(world: &mut World, id: CharacterId) -> bool {
    let hunts = world.who(id).mob().is_some_and(|mob| mob.hunt.is_some());
    if hunts {
        end(world, id);
    }
    hunts
}

/// Somebody goes through a gate. What hunts it and sees that, from there or over an open way from next door, will do so
/// too.
pub fn pass_gate(world: &mut World, who: CharacterId, gate: ObjectId) -> Done {
    let here = world.who(who).room;
    let near = Direction::ALL.iter().filter_map(|way| world.open_way(here, *way));
    let around = std::iter::once(here).chain(near).flat_map(|room| world.room(room).characters.iter().copied());
    let sees_it = |id: &CharacterId| {
        let c = world.who(*id);
        let hunts = c.mob().and_then(|mob| mob.hunt).is_some_and(|hunt| hunt.prey == who);
        hunts && c.is_awake() && world.sees_in(*id, who, false)
    };
    let hunters: Vec<CharacterId> = around.filter(sees_it).collect();
    gateways::go_through(world, who, gate)?;
    for id in hunters {
        set_gate(world, id, Some(gate));
    }
    Ok(())
}

/// Through which gate a hunter means to go after its prey. Does nothing to who hunts nobody, or is gone.
fn set_gate(world: &mut World, id: CharacterId, gate: Option<ObjectId>) {
    let hunt = |world: &World| world.character(id).and_then(|c| c.mob()).and_then(|mob| mob.hunt);
    if hunt(world).is_some_and(|hunt| hunt.gate != gate)
        && let Some(mob) = world.who_mut(id).mob_mut()
    {
        mob.hunt = mob.hunt.map(|hunt| Hunt { gate, ..hunt });
    }
}

/// An art has stirred something up that comes after whoever used it; in one use of so many.
pub fn stir_up(world: &mut World, who: CharacterId, one_in: i32) {
    let Some(lair) = world.content.hunters.art.filter(|lair| is_inhabited(world, *lair)) else { return };
    if world.who(who).is_player() && world.draw(Stream::Combat, Draw::Hunt).one_in(one_in) {
        send(world, lair, who, None);
    }
}

/// A hunter's round. True when it does nothing else in it.
pub fn turn(world: &mut World, id: CharacterId) -> bool {
    let Some(hunt) = world.who(id).mob().and_then(|mob| mob.hunt) else { return false };
    if is_over(world, hunt) {
        return end(world, id);
    }
    let c = world.who(id);
    if c.position != Position::Standing || c.leader.is_some() {
        return false;
    }
    let serial = c.serial;
    world.streams.fork(Stream::Combat, serial);
    if world.who(hunt.prey).room != world.who(id).room {
        if throws_off(world, hunt.prey) {
            world.send(hunt.prey, LineKind::Text, "Whatever was after you has lost your tracks.");
            return end(world, id);
        }
        approach(world, id, hunt.prey);
    }
    // It may have walked to where nobody comes back from, or into a script.
    let there = |who| world.character(who).map(|c| c.room);
    let met = there(id).is_some_and(|room| there(hunt.prey) == Some(room));
    if met {
        set_gate(world, id, None);
    }
    if met && world.who(id).fighting.is_none() {
        pounce(world, id, hunt.prey);
    }
    true
}

/// Its prey is gone, has died since, or is none any more.
fn is_over(world: &World, hunt: Hunt) -> bool {
    let Some(prey) = world.character(hunt.prey) else { return true };
    let died = prey.player().and_then(|player| player.died_tick).is_some_and(|tick| tick >= hunt.since_tick);
    died || !may_be_hunted(prey)
}

/// A mob hunts nobody any more. Who was sent goes; true when it is gone.
fn end(world: &mut World, id: CharacterId) -> bool {
    if let Some(mob) = world.who_mut(id).mob_mut() {
        mob.hunt = None;
    }
    summoning::vanish(world, id);
    world.character(id).is_none()
}

/// Dawn ends the hunts of those who were sent.
pub fn end_sent(world: &mut World) {
    let sent = |c: &Character| c.mob().is_some_and(|mob| mob.called_up && mob.hunt.is_some());
    let hunters: Vec<CharacterId> = world.state.characters.iter().filter(|(_, c)| sent(c)).map(|(id, _)| id).collect();
    for id in hunters {
        end(world, id);
    }
}

fn approach(world: &mut World, id: CharacterId, prey: CharacterId) {
    for _ in 0..STEPS {
        let came_on = step(world, id, prey);
        let rooms = [id, prey].map(|who| world.character(who).map(|c| c.room));
        match rooms {
            [Some(hunter), Some(prey)] if came_on && hunter != prey => {}
            _ => return,
        }
    }
}

/// One thing that brings it nearer: the gate that it saw its prey take, a door in its way, a step. False where there is
/// none.
fn step(world: &mut World, id: CharacterId, prey: CharacterId) -> bool {
    let gate = world.who(id).mob().and_then(|mob| mob.hunt).and_then(|hunt| hunt.gate);
    if let Some(gate) = gate {
        if step_to_gate(world, id, gate) {
            return true;
        }
        set_gate(world, id, None);
    }
    let p = world.character(prey).filter(|p| !p.is(AffectFlags::NO_TRACK)).map(|p| p.room);
    let way = p.and_then(|to| way_to(world, id, to));
    way.is_some_and(|way| go(world, id, way))
}

/// False where the gate is gone, or it can come neither to it nor through it.
fn step_to_gate(world: &mut World, id: CharacterId, gate: ObjectId) -> bool {
    let Some((stands, leads)) = gateways::leads(world, gate) else { return false };
    if !may_go_into(world, id, leads) {
        return false;
    }
    if stands != world.who(id).room {
        return way_to(world, id, stands).is_some_and(|way| go(world, id, way));
    }
    let passed = gateways::go_through(world, id, gate).is_ok();
    if passed {
        set_gate(world, id, None);
    }
    passed
}

/// Opens what is shut that way, or goes on.
fn go(world: &mut World, id: CharacterId, way: Direction) -> bool {
    if world.open_way(world.who(id).room, way).is_none() {
        world.move_door(id, way, DoorChange::Opened);
        return true;
    }
    world.walk(id, way, false).is_ok()
}

/// Whether a hunter follows anybody into that room.
fn may_go_into(world: &World, id: CharacterId, room: RoomId) -> bool {
    let c = world.who(id);
    let proto = world.room_proto(room);
    let flies = c.is(AffectFlags::FLY);
    let ground = match proto.sector {
        Sector::WaterNoSwim => flies || c.is(AffectFlags::WATERWALK),
        Sector::Flying => flies,
        Sector::Underwater => false,
        _ => true,
    };
    let bound = c.mob_flags().has(MobFlags::STAY_ZONE);
    ground && !proto.flags.any(SHELTERS) && (!bound || proto.zone == world.room_proto(c.room).zone)
}

/// The first step to a room, where a way leads there that it can go: over open ways, and with hands through doors that
/// are neither locked nor hidden.
fn way_to(world: &World, id: CharacterId, to: RoomId) -> Option<Direction> {
    if !may_go_into(world, id, to) {
        return None;
    }
    let has_hands = world.who(id).race.has_hands();
    let step = |room, way| {
        let next = if has_hands { world.unlocked_way(room, way) } else { world.open_way(room, way) };
        next.filter(|next| may_go_into(world, id, *next))
    };
    ways::nearest(world, world.who(id).room, ROOMS_MAX, step, |room, way| (room == to).then_some(way))
}

fn pounce(world: &mut World, id: CharacterId, prey: CharacterId) {
    let peaceful = world.room_flags(world.who(id).room).has(RoomFlags::PEACEFUL);
    // It goes by the scent: the dark keeps nobody from it.
    if peaceful || !world.sees_in(id, prey, false) {
        return;
    }
    let scene = Scene::new(id, LineKind::Combat).victim(prey);
    world.show(&scene, "", "$n has come for you, and has found you!", "$n has come for $N.");
    world.strike(id, prey);
}
