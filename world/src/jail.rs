//! The jail: who is arrested, for how long, and what ends it. Source: game reference §2.7, but that whoever has served
//! its time is no outlaw any more, since the watch would be waiting at the door.
//!
//! Where it is stands in `world.toml`; who arrests, in the rows of mobs (`Behaviour::Jailer`). A world without one
//! locks nobody up. The hours are those of the game, and pass while one is in the world.

use crate::act::{Scene, capitalised};
use crate::arena::CharacterId;
use crate::character::PlayerFlags;
use crate::clock::TICKS_PER_HOUR;
use crate::coins::coins_text;
use crate::moon;
use crate::refusal::Done;
use crate::relocation::relocate;
use crate::report::LineKind;
use crate::world::World;
use content::{Behaviour, RoomId};
use protocol::Outcome;
use protocol::words::counted;

/// Hours, at least.
const HOURS_LEAST: i32 = 2;
/// For so long nobody of the watch sees who has paid one of them.
const OVERLOOKED_TICKS: u64 = TICKS_PER_HOUR;

/// The jail, where this world has one.
fn jail_room(world: &World) -> Option<RoomId> {
    world.room_by_vnum(world.content.jail?.room)
}

fn is_jailer(world: &World, id: CharacterId) -> bool {
    let rows = world.mob_proto(id).map_or(&[][..], |proto| &proto.behaviours);
    rows.iter().any(|row| matches!(row, Behaviour::Jailer {}))
}

/// Hours that somebody is still locked up; 0 for those who are free. Who was taken out of the jail by an immortal is
/// free to walk about, and not to go home.
pub fn hours_left(world: &World, who: CharacterId) -> i32 {
    world.who(who).player().map_or(0, |player| player.jail_hours)
}

/// What somebody reads who is locked up and wants to be elsewhere.
pub fn hindrance(world: &World, who: CharacterId) -> Option<String> {
    let hours = hours_left(world, who);
    let in_jail = hours > 0 && jail_room(world) == Some(world.who(who).room);
    in_jail.then(|| format!("You are locked up, for {} more of the game.", counted(hours as u32, "hour")))
}

/// As `hindrance`, for those who refuse.
pub fn may_leave(world: &World, who: CharacterId) -> Done {
    hindrance(world, who).map_or(Ok(()), |text| Err(text.into()))
}

/// A jailer in its round of a fight: whoever fights it is taken away, unless it has been beaten half already.
pub fn arrests_opponent(world: &mut World, jailer: CharacterId, opponent: CharacterId) -> bool {
    let c = world.who(jailer);
    c.hit * 2 >= c.now.hit_max && may_be_arrested(world, jailer, opponent) && arrest(world, jailer, opponent)
}

/// A jailer with nothing else to do takes away the first outlaw whom it sees.
pub fn looks_for_outlaws(world: &mut World, jailer: CharacterId) -> bool {
    let here = world.room(world.who(jailer).room).characters.iter().copied();
    let mut outlaws = here.filter(|who| world.who(*who).player_flags().has(PlayerFlags::OUTLAW));
    let found = outlaws.find(|who| may_be_arrested(world, jailer, *who));
    found.is_some_and(|outlaw| arrest(world, jailer, outlaw))
}

fn may_be_arrested(world: &World, jailer: CharacterId, who: CharacterId) -> bool {
    let c = world.who(who);
    let overlooked = c.player().is_some_and(|player| world.tick() < player.overlooked_until_tick);
    let free = c.is_player() && !c.is_immortal() && !moon::is_changed(world, who) && !overlooked;
    free && jail_room(world).is_some_and(|jail| jail != c.room) && world.sees(jailer, who)
}

/// Takes somebody to the jail. What it has it keeps; a hit point is left of it.
fn arrest(world: &mut World, jailer: CharacterId, who: CharacterId) -> bool {
    let Some(jail) = jail_room(world) else { return false };
    let hours = (world.who(who).level / 2).max(HOURS_LEAST);
    world.player_mut(who).jail_hours = hours;
    let left = world.who(who).hit.min(1);
    world.who_mut(who).hit = left;
    world.record_arrest(jailer, who, hours);
    let outcome =
        world.note(Outcome::Arrested { who: world.as_who(who), by: world.as_who(jailer), hours: hours.into() });
    let scene = Scene::new(jailer, LineKind::Text).victim(who).outcome(&outcome).sleepers();
    let told = format!(
        "$n has you by the collar before you know it. What follows is short, and hurts; then there are stairs. \
         You are locked up for {} of the game.",
        counted(hours as u32, "hour")
    );
    world.show(&scene, "", &told, "$n takes $N by the collar, and off $E goes to the lock-up.");
    relocate(world, who, jail, ["", "$n is pushed in, and something is locked."]);
    world.save(who);
    true
}

/// An hour of the game has gone by.
pub fn pass_hour(world: &mut World, who: CharacterId) {
    let hours = hours_left(world, who);
    if hours <= 0 {
        return;
    }
    world.player_mut(who).jail_hours = hours - 1;
    match hours {
        1 => {
            world.player_mut(who).flags.remove(PlayerFlags::OUTLAW);
            forgive(world, who);
            let told = "A key turns. You have paid for what you did, and nobody may hold it against you any more.";
            let_out(world, who, told);
        }
        _ if jail_room(world) == Some(world.who(who).room) => {
            let told =
                format!("An hour of the game is over. {} to go.", capitalised(&counted(hours as u32 - 1, "hour")));
            world.send(who, LineKind::Text, &told);
        }
        _ => {}
    }
}

/// Somebody has been given coins: enough of them, in the hand of a jailer, open its door. That buys the door
/// and an hour's start, and not the pardon. Source: game reference §6, "jail bribe".
pub fn take_bribe(world: &mut World, who: CharacterId, jailer: CharacterId, coins: i32) {
    if hindrance(world, who).is_none() || !is_jailer(world, jailer) {
        return;
    }
    let level = world.who(who).level;
    let price = level.saturating_mul(level);
    if coins < price {
        let scene = Scene::new(jailer, LineKind::Text).victim(who);
        let told = format!("$n weighs that in $s hand. 'It would have to be {}, all at once.'", coins_text(price));
        world.show(&scene, "", &told, "$n weighs some coins in $s hand, and sits down again.");
        return;
    }
    let until = world.tick() + OVERLOOKED_TICKS;
    let player = world.player_mut(who);
    (player.jail_hours, player.overlooked_until_tick) = (0, until);
    let_out(
        world,
        who,
        "The key turns without a sound. 'I was asleep,' says somebody behind you, 'and you were never here. For an \
         hour nobody will have seen you; after that they have eyes again.'",
    );
}

/// Nobody bears it a grudge any more, who would be waiting at the door.
fn forgive(world: &mut World, who: CharacterId) {
    let mobs: Vec<CharacterId> = world.state.characters.ids().collect();
    mobs.into_iter().for_each(|mob| world.forget_grudge(mob, who));
}

/// A death pays for everything.
pub fn end(world: &mut World, who: CharacterId) {
    world.player_mut(who).jail_hours = 0;
}

fn let_out(world: &mut World, who: CharacterId, told: &str) {
    world.send(who, LineKind::Text, told);
    let outcome = world.note(Outcome::Released { who: world.as_who(who) });
    world.witness(&Scene::new(who, LineKind::Text).sleepers().outcome(&outcome));
    let outside = world.content.jail.and_then(|jail| world.room_by_vnum(jail.outside));
    if let (Some(outside), true) = (outside, jail_room(world) == Some(world.who(who).room)) {
        relocate(world, who, outside, ["$n is let out.", "$n comes out of the lock-up, blinking."]);
    }
    world.save(who);
}
