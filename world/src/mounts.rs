//! Animals that belong to people: those that carry them, and pets, which serve them. Source: game reference §4.3,
//! "Mounts", and §2.7.
//!
//! An animal belongs to whom it follows, and goes and comes with that one. Who sits on it walks with its legs; whoever
//! is thrown down, or is elsewhere than the animal, is not on its back any more. A pet serves under a charm without an
//! end; whatever ends that sets it free.

use crate::affect::{Affect, Source};
use crate::arena::CharacterId;
use crate::character::{Character, Stabled};
use crate::refusal::Done;
use crate::world::World;
use content::RoomId;
use content::flags::{AffectFlags, MobFlags, RoomFlags};
use content::words::Position;

/// On whose back somebody sits.
pub fn mount_of(world: &World, who: CharacterId) -> Option<CharacterId> {
    let c = world.who(who);
    let mount = c.rides?;
    let carries = world.character(mount).is_some_and(|m| m.room == c.room && m.leader == Some(who));
    (carries && c.position >= Position::Fighting).then_some(mount)
}

/// Who sits on its back.
pub fn rider_of(world: &World, mount: CharacterId) -> Option<CharacterId> {
    let rider = world.who(mount).leader.filter(|leader| world.character(*leader).is_some())?;
    (mount_of(world, rider) == Some(mount)).then_some(rider)
}

/// The animal that somebody has with it.
pub fn animal_of(world: &World, who: CharacterId) -> Option<CharacterId> {
    world.who(who).followers.iter().copied().find(|id| world.who(*id).mob_flags().has(MobFlags::MOUNTABLE))
}

/// The same, where it was bought: it goes and comes with its owner.
pub fn own_animal_of(world: &World, who: CharacterId) -> Option<CharacterId> {
    animal_of(world, who).filter(|animal| world.who(*animal).mob().is_some_and(|mob| mob.called_up))
}

/// What a pet's charm is called among the effects.
const PET: &str = "pet";

/// What binds a pet to its owner.
pub fn bond() -> Affect {
    Affect { kind: PET.into(), hours: -1, flags: AffectFlags::CHARM, source: Source::Body, ..Affect::default() }
}

/// Whether it serves because it was bought.
pub fn is_pet(c: &Character) -> bool {
    c.is_mob() && c.affects.iter().any(|affect| &*affect.kind == PET)
}

/// The pets of somebody, in the order in which they came to it.
pub fn pets_of(world: &World, who: CharacterId) -> Vec<CharacterId> {
    world.who(who).followers.iter().copied().filter(|id| is_pet(world.who(*id))).collect()
}

/// Somebody is on its own feet again, or off them. Nobody is told.
pub fn end(world: &mut World, who: CharacterId) {
    if world.who(who).rides.is_some() {
        world.who_mut(who).rides = None;
    }
}

/// What keeps a rider out of a room.
pub fn may_ride_into(world: &World, who: CharacterId, to: RoomId) -> Done {
    let Some(mount) = mount_of(world, who) else { return Ok(()) };
    let shut = RoomFlags::INDOORS.with(RoomFlags::NO_MOB);
    match world.room_flags(to).any(shut) {
        true => {
            let name = crate::act::capitalised(world.name_for(who, mount));
            Err(format!("{name} will not go in there. You could dismount.").into())
        }
        false => Ok(()),
    }
}

/// The animal as it waits for its owner.
pub fn as_stabled(world: &World, animal: CharacterId, since_tick: Option<u64>) -> Option<Stabled> {
    let vnum = world.mob_proto(animal)?.vnum;
    let m = world.who(animal);
    let called = m.mob()?.called.clone();
    Some(Stabled { vnum, hit: m.hit, moves: m.moves, since_tick, called })
}
