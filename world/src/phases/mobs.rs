//! Mobs act by themselves: they pick things up, wander, are heard, attack, remember, help and loot.
//!
//! Source: game reference §6, "Mob AI order". Every mob is awake in every zone, so the loop must cost nearly nothing
//! for those who do nothing: their small draws are glances, and nothing is borrowed mutably before something happens.
//! What a mob does when it is hurt (wimpy, grudges) stands in `combat/`.

use crate::act::Scene;
use crate::arena::{CharacterId, ObjectId};
use crate::behaviours;
use crate::character::*;
use crate::hunting::{self, may_be_hunted};
use crate::object::Place;
use crate::report::LineKind;
use crate::rng::{Glance, Stream};
use crate::rules::abilities;
use crate::script::{Event, Owner};
use crate::world::World;
use content::flags::*;
use content::scripts::Hook;
use content::words::*;
use content::{ObjectKind, RoomId};
use protocol::Outcome;

/// A scavenger looks for something in one of so many rounds.
const SCAVENGE_ONE_IN: u32 = 11;
/// A wanderer throws this many sides; the first six are the ways out.
const WANDER_SIDES: u32 = 19;
/// A mob is heard, when a player is there to hear it, in one of so many rounds; each has one thing to say.
const NOISE_ONE_IN: u32 = 48;
/// A looter bends down to a corpse in one of so many rounds.
const LOOT_ONE_IN: u32 = 3;
/// A mob forgets all grudges in one of so many rounds.
const FORGET_ONE_IN: u32 = 100;
/// What protects against the alignment of an aggressive mob keeps it off in one of so many rounds; sneaking too.
const PROTECTED_ONE_IN: u32 = 6;
const SNEAKING_ONE_IN: u32 = 4;
/// AGGR_24 attacks whoever is at least so many levels below.
const WEAKER_BY: i32 = 4;

/// Any of these makes a mob attack somebody unprovoked.
const AGGRESSIVE: MobFlags =
    MobFlags::AGGRESSIVE.with(MobFlags::AGGR_EVIL).with(MobFlags::AGGR_GOOD).with(MobFlags::AGGR_NEUTRAL);

pub fn run(world: &mut World) {
    let mut watched = vec![false; world.state.rooms.len()];
    for player in world.state.players.values() {
        watched[world.who(*player).room.0 as usize] = true;
    }
    let tick = world.tick();
    let glances = world.dice(Stream::Mobs).glances();
    for index in 0..world.state.characters.span() {
        let Some(id) = world.state.characters.id_at(index) else { continue };
        let c = world.who(id);
        if c.is_player() || c.fighting.is_some() || !c.is_awake() || c.is(AffectFlags::CHARM) || tick < c.free_tick {
            continue;
        }
        let glance = glances.of(c.serial);
        act(world, id, glance, &watched);
    }
}

/// One mob's round.
fn act(world: &mut World, id: CharacterId, mut glance: Glance, watched: &[bool]) {
    let flags = world.who(id).mob_flags();
    if hunting::turn(world, id) {
        return;
    }
    if behaviours::at_leisure(world, id, watched[world.who(id).room.0 as usize], &mut glance) {
        return;
    }
    if flags.has(MobFlags::SCAVENGER) && glance.one_in(SCAVENGE_ONE_IN) {
        scavenge(world, id);
    }
    // Who follows somebody goes where that one goes.
    if !flags.has(MobFlags::SENTINEL) && world.who(id).leader.is_none() {
        let side = glance.below(WANDER_SIDES) as usize;
        if let Some(way) = Direction::ALL.get(side) {
            wander(world, id, *way);
        }
    }
    // It may have walked to where nobody comes back from.
    let Some(c) = world.character(id) else { return };
    let (room, level) = (c.room, c.level);
    let healthy = c.hit >= c.now.hit_max;
    if flags.has(MobFlags::MEMORY) && c.mob().is_some_and(|m| !m.memory.is_empty()) && glance.one_in(FORGET_ONE_IN) {
        world.who_mut(id).mob_mut().expect("only mobs act here").memory.clear();
    }
    let peaceful = world.room_flags(room).has(RoomFlags::PEACEFUL);
    if world.room(room).characters.len() > 1 && pulse(world, id, Hook::OnPulseAll) {
        return;
    }
    if watched[room.0 as usize] {
        if glance.one_in(NOISE_ONE_IN) {
            be_heard(world, id);
            if pulse(world, id, Hook::Sound) {
                return;
            }
        }
        if pulse(world, id, Hook::OnPulsePc) {
            return;
        }
        if !peaceful && find_victim(world, id, room, flags, &mut glance) {
            return;
        }
    }
    let predator = MobFlags::AGGR_24.with(MobFlags::AGGRESSIVE);
    if flags.has(predator) && healthy && !peaceful && hunt_weaker_mob(world, id, room, level) {
        return;
    }
    if flags.has(MobFlags::LOOTS) && glance.one_in(LOOT_ONE_IN) {
        loot(world, id, room);
    }
}

/// A script's turn. True when the mob is not to go on: it is gone, elsewhere or fights, or the script says so.
fn pulse(world: &mut World, id: CharacterId, hook: Hook) -> bool {
    if !world.state.scripts.any_has(hook) {
        return false;
    }
    let room = world.character(id).map(|c| c.room);
    let done = world.fire(&Event::new(hook, Owner::Mob(id)));
    let goes_on = world.character(id).is_some_and(|c| Some(c.room) == room && c.fighting.is_none() && c.is_awake());
    done || !goes_on
}

/// Takes the dearest thing that it sees on the floor and can carry.
fn scavenge(world: &mut World, id: CharacterId) {
    let c = world.who(id);
    let room = c.room;
    let free = abilities::strength(&c.now.abilities).carry - world.load_of(id);
    let dearest = world
        .room(room)
        .objects
        .iter()
        .copied()
        .filter(|o| world.object(*o).can_be(WearFlags::TAKE) && world.weight_of(*o) <= free)
        .filter(|o| world.sees_object(id, *o))
        .max_by_key(|o| world.object(*o).cost);
    if let Some(object) = dearest {
        take(world, id, object, None, "$n picks up $p.");
    }
}

/// A mob takes a thing; coins become its gold.
fn take(world: &mut World, id: CharacterId, object: ObjectId, corpse: Option<ObjectId>, voice: &str) {
    let coins = match world.object(object).kind {
        ObjectKind::Money { coins } => Some(coins),
        _ => None,
    };
    let outcome = world.note(Outcome::Got {
        who: world.as_who(id),
        item: coins.is_none().then(|| world.as_object_ref(object)),
        gold: coins.map(i64::from),
        from: corpse.map(|c| world.as_object_ref(c)),
    });
    let mut scene = Scene::new(id, LineKind::Get).object(object).outcome(&outcome);
    scene.other = corpse;
    world.show(&scene, "", "", voice);
    match coins {
        Some(_) => {
            world.take_coins(id, object);
        }
        None => world.place_object(object, Place::Carried(id)),
    }
}

/// Goes that way, if its nature lets it.
fn wander(world: &mut World, id: CharacterId, way: Direction) {
    let c = world.who(id);
    if c.position != Position::Standing {
        return;
    }
    let Some(to) = world.open_way(c.room, way) else { return };
    let (here, there) = (world.room_proto(c.room), world.room_proto(to));
    if there.flags.any(RoomFlags::NO_MOB.with(RoomFlags::DEATH)) {
        return;
    }
    if c.mob_flags().has(MobFlags::STAY_ZONE) && there.zone != here.zone {
        return;
    }
    let swims = here.sector == Sector::WaterNoSwim && !c.is(AffectFlags::FLY.with(AffectFlags::WATERWALK));
    if swims && !matches!(there.sector, Sector::WaterNoSwim | Sector::WaterSwim | Sector::Underwater) {
        return;
    }
    // A refusal (no boat, no room) is told to nobody: it stays.
    let _ = world.walk(id, way, false);
}

/// The sound that its builder gave it.
fn be_heard(world: &mut World, id: CharacterId) {
    let Some(noise) = world.mob_proto(id).map(|proto| proto.noise.clone()) else { return };
    if !noise.is_empty() {
        // A noise is words as often as not, and stands in the scene as such.
        world.show(&Scene::new(id, LineKind::Noise).text(&noise).hinted(true), "", "", "$t");
    }
}

/// Attacks a player in the room, for one reason after the other. True when it did.
fn find_victim(world: &mut World, id: CharacterId, room: RoomId, flags: MobFlags, glance: &mut Glance) -> bool {
    if flags.any(AGGRESSIVE)
        && let Some(victim) = first_player(world, id, room, |v| aggressive_to(world.who(id), flags, v, glance))
    {
        attack(world, id, victim);
        return true;
    }
    if let Some(victim) = remembered(world, id, room) {
        let scene = Scene::new(id, LineKind::Combat).victim(victim);
        world.show(&scene, "", "$n knows your face, and has forgiven nothing.", "$n knows $N's face, and snarls.");
        attack(world, id, victim);
        return true;
    }
    if flags.has(MobFlags::HELPER)
        && let Some((friend, victim)) = friend_in_need(world, id, room)
    {
        let outcome = world.note(Outcome::Assisted {
            who: world.as_who(id),
            ally: world.as_who(friend),
            against: world.as_who(victim),
        });
        let scene = Scene::new(id, LineKind::Combat).victim(friend).outcome(&outcome);
        let are_alike = world.who(id).name == world.who(friend).name;
        let told = if are_alike { "$n comes to the aid of another." } else { "$n comes to the aid of $N." };
        world.show(&scene, "", "", told);
        attack(world, id, victim);
        return true;
    }
    if flags.has(MobFlags::AGGR_24) {
        let level = world.who(id).level;
        if let Some(victim) = first_player(world, id, room, |v| v.level + WEAKER_BY <= level) {
            attack(world, id, victim);
            return true;
        }
    }
    false
}

/// The first player, in order of arrival, whom it sees, may attack unprovoked and wants to.
fn first_player(
    world: &World,
    id: CharacterId,
    room: RoomId,
    mut wanted: impl FnMut(&Character) -> bool,
) -> Option<CharacterId> {
    world.room(room).characters.iter().copied().find(|v| {
        let victim = world.who(*v);
        victim.is_player() && may_be_hunted(victim) && world.sees(id, *v) && wanted(victim)
    })
}

fn aggressive_to(mob: &Character, flags: MobFlags, victim: &Character, glance: &mut Glance) -> bool {
    let hated = flags.has(MobFlags::AGGRESSIVE)
        || (flags.has(MobFlags::AGGR_EVIL) && victim.is_evil())
        || (flags.has(MobFlags::AGGR_GOOD) && victim.is_good())
        || (flags.has(MobFlags::AGGR_NEUTRAL) && !victim.is_evil() && !victim.is_good());
    if !hated || (flags.has(MobFlags::WIMPY) && victim.is_awake()) {
        return false;
    }
    let warded = (victim.is(AffectFlags::PROTECT_EVIL) && mob.is_evil())
        || (victim.is(AffectFlags::PROTECT_GOOD) && mob.is_good());
    if warded && glance.one_in(PROTECTED_ONE_IN) {
        return false;
    }
    !(victim.is(AffectFlags::SNEAK) && glance.one_in(SNEAKING_ONE_IN))
}

/// Somebody in the room against whom it holds a grudge.
fn remembered(world: &World, id: CharacterId, room: RoomId) -> Option<CharacterId> {
    let memory = &world.who(id).mob()?.memory;
    if memory.is_empty() {
        return None;
    }
    first_player(world, id, room, |victim| memory.contains(&victim.keywords))
}

/// A mob that fights a player in the room, with that player. Other people's pets are no friends.
fn friend_in_need(world: &World, id: CharacterId, room: RoomId) -> Option<(CharacterId, CharacterId)> {
    let is_person = !world.who(id).race.is_beast();
    world.room(room).characters.iter().copied().find_map(|friend| {
        let f = world.who(friend);
        let against = f.fighting?;
        let strange_beast = is_person && f.race.is_beast() && f.leader != Some(id);
        let wanted = friend != id
            && f.is_mob()
            && !strange_beast
            && !f.is(AffectFlags::CHARM)
            && world.character(against).is_some_and(|v| v.is_player() && v.room == room)
            && world.sees(id, against);
        wanted.then_some((friend, against))
    })
}

/// A hunter that eats its own kind. True when it found somebody.
fn hunt_weaker_mob(world: &mut World, id: CharacterId, room: RoomId, level: i32) -> bool {
    let prey = world.room(room).characters.iter().copied().find(|v| {
        let victim = world.who(*v);
        *v != id
            && victim.is_mob()
            && victim.level + WEAKER_BY <= level
            && world.sees(id, *v)
            && world.may_attack(id, *v, false).is_ok()
    });
    if let Some(prey) = prey {
        attack(world, id, prey);
    }
    prey.is_some()
}

fn attack(world: &mut World, id: CharacterId, victim: CharacterId) {
    let serial = world.who(id).serial;
    world.streams.fork(Stream::Combat, serial);
    world.strike(id, victim);
}

/// Takes one thing out of a corpse.
fn loot(world: &mut World, id: CharacterId, room: RoomId) {
    let find = |world: &World| {
        world.room(room).objects.iter().copied().find_map(|corpse| {
            let object = world.object(corpse);
            if !object.is_corpse() || object.contents.is_empty() || !world.sees_object(id, corpse) {
                return None;
            }
            let free = abilities::strength(&world.who(id).now.abilities).carry - world.load_of(id);
            let inside = object.contents.iter().copied().find(|o| world.weight_of(*o) <= free)?;
            Some((corpse, inside))
        })
    };
    if let Some((corpse, object)) = find(world) {
        take(world, id, object, Some(corpse), "$n takes $p out of $P.");
    }
}
