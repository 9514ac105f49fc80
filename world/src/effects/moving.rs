//! Arts that move somebody: home, anywhere, or into a circle of summoning.

use super::working::Working;
use crate::act::capitalised;
use crate::arena::CharacterId;
use crate::character::PlayerFlags;
use crate::draws::Draw;
use crate::jail;
use crate::relocation::relocate;
use crate::report::LineKind;
use crate::rng::Stream;
use crate::world::World;
use content::RoomId;
use content::arts::effect::Destination;
use content::flags::{MobFlags, RoomFlags};
use content::words::Direction;

/// How often a room is looked for before one stays where one is.
const TRIES: usize = 50;
/// A target may be so many levels above the caster, and never above the second number.
const SUMMONED_ABOVE: i32 = 3;
const SUMMONED_MAX: i32 = 30;
/// A mob that is so many levels below who tries to send it away dares not take that as an attack.
const SENT_GAP: i32 = 3;
/// Calls of a hundred withstood ones that take the caller to the called. Source: game reference §4.2.
const PULLED_PERCENT: i32 = 10;
/// Calls of a hundred that an outlaw slips out of, besides what it withstands.
const OUTLAW_PERCENT: i32 = 36;

/// Rooms into which nobody is thrown by chance.
const BARRED: RoomFlags = RoomFlags::PRIVATE
    .with(RoomFlags::GOD_ROOM)
    .with(RoomFlags::DEATH)
    .with(RoomFlags::HOUSE)
    .with(RoomFlags::ATRIUM)
    .with(RoomFlags::PEOPLE_ONLY);

pub(super) fn hindrance(world: &World, art: &Working, who: CharacterId, to: Destination) -> Option<String> {
    let v = world.who(who);
    let flags = world.room_flags(v.room);
    if let (Some(text), true) = (jail::hindrance(world, who), who == art.by) {
        return Some(text);
    }
    match to {
        Destination::Home if jail::hindrance(world, who).is_some() => Some("The lock holds.".to_string()),
        Destination::Home if v.fighting.is_some() => Some("Not out of a fight.".to_string()),
        Destination::Home if flags.has(RoomFlags::NO_RECALL) => Some("This place lets nothing out.".to_string()),
        Destination::Home if v.is_mob() => Some("It has no home to go to.".to_string()),
        Destination::Random if flags.has(RoomFlags::PEACEFUL) => {
            Some("The peace of this place holds everything where it is.".to_string())
        }
        Destination::Random if v.is_player() && who != art.by => {
            Some(format!("{} is not yours to send about.", capitalised(world.name_for(art.by, who))))
        }
        Destination::Random if v.mob_flags().any(MobFlags::NO_SUMMON.with(MobFlags::NO_KILL)) => {
            Some(format!("{} stays where {} is.", capitalised(world.name_for(art.by, who)), v.subject()))
        }
        _ => None,
    }
}

pub(super) fn hindrance_of_summons(world: &World, art: &Working, victim: CharacterId) -> Option<String> {
    let (c, v) = (world.who(art.by), world.who(victim));
    let room = c.room;
    if victim == art.by {
        return Some("You are here already.".to_string());
    }
    if v.room == room {
        return Some("No need to call so far.".to_string());
    }
    let circle = world.conjured("circle");
    let in_circle = world.room(room).objects.iter().any(|id| Some(world.object(*id).vnum) == circle);
    if c.is_player() && !c.is_immortal() && !in_circle {
        return Some("Nobody comes without a circle of summoning to come into.".to_string());
    }
    let open = Direction::ALL.iter().any(|way| world.open_way(room, *way).is_some());
    let consents = v.is_mob() || v.player_flags().any(PlayerFlags::SUMMONABLE.with(PlayerFlags::OUTLAW));
    let barred = v.mob_flags().any(MobFlags::NO_SUMMON.with(MobFlags::NO_CHARM))
        || v.is_immortal()
        || v.level > SUMMONED_MAX.min(art.level + SUMMONED_ABOVE)
        || world.room_flags(v.room).any(RoomFlags::PRIVATE.with(RoomFlags::GOD_ROOM).with(RoomFlags::NO_RECALL))
        || world.is_protected_keeper(victim)
        || world.is_for_people_only(victim, room)
        || jail::hindrance(world, victim).is_some()
        || (v.is_mob() && world.room_flags(room).has(RoomFlags::PEACEFUL))
        || world.room_flags(room).has(RoomFlags::DUMP);
    if !open || barred || !consents {
        return Some("Your call goes out, and nobody answers.".to_string());
    }
    v.fighting.is_some().then(|| "Somebody holds on to what you call for.".to_string())
}

/// Puts somebody where the art wants it.
pub(super) fn displace(world: &mut World, art: &Working, who: CharacterId, to: Destination) {
    let from = world.who(who).room;
    let room = match to {
        Destination::Home => Some(home_of(world, who)),
        Destination::Random => anywhere(world),
        Destination::Caster => {
            wear_circle(world, world.who(art.by).room);
            Some(world.who(art.by).room)
        }
    };
    if let Some(room) = room.filter(|room| *room != from) {
        carry(world, who, room);
        return;
    }
    world.send(art.by, LineKind::Text, "The world stays as it is.");
    withstood(world, art, who, to);
}

/// What comes of somebody staying where the art would not have it: a mob that felt somebody pulling at its place
/// strikes back, unless it is far below who did; and a call may pull its caller.
pub(super) fn withstood(world: &mut World, art: &Working, who: CharacterId, to: Destination) {
    let v = world.who(who);
    match to {
        Destination::Random if v.is_mob() && art.level - v.level < SENT_GAP => world.provoke(art.by, who),
        Destination::Caster => pull(world, art.by, who),
        Destination::Random | Destination::Home => {}
    }
}

/// A call that is withstood may be so hard that it drags along who calls.
fn pull(world: &mut World, by: CharacterId, to: CharacterId) {
    let room = world.who(to).room;
    if !world.draw(Stream::Command, Draw::Place).percent(PULLED_PERCENT) || world.room_flags(room).any(BARRED) {
        return;
    }
    world.send(by, LineKind::Text, "Your call holds on to what it cannot move, and moves you.");
    carry(world, by, room);
}

/// Whether somebody slips out of a call that has it already: outlaws are used to being wanted.
pub(super) fn slips(world: &mut World, who: CharacterId, to: Destination) -> bool {
    to == Destination::Caster
        && world.who(who).player_flags().has(PlayerFlags::OUTLAW)
        && world.draw(Stream::Combat, Draw::Target).percent(OUTLAW_PERCENT)
}

/// Why somebody cannot leap away by itself; `None` where it can.
pub fn hindrance_of_leaping(world: &World, who: CharacterId) -> Option<String> {
    if let Some(text) = jail::hindrance(world, who) {
        return Some(text);
    }
    let flags = world.room_flags(world.who(who).room);
    if flags.has(RoomFlags::PEACEFUL) {
        return Some("The peace of this place holds everything where it is.".to_string());
    }
    flags.any(RoomFlags::NO_RECALL.with(RoomFlags::NO_MAGIC)).then(|| "This place lets nothing out.".to_string())
}

/// Somebody leaps away, wherever that leads.
pub fn leap(world: &mut World, who: CharacterId) {
    let from = world.who(who).room;
    match anywhere(world).filter(|room| *room != from) {
        Some(room) => carry(world, who, room),
        None => world.send(who, LineKind::Text, "The world stays as it is."),
    }
}

/// Where a player is at home; the start room for all others.
fn home_of(world: &World, who: CharacterId) -> RoomId {
    let key = world.who(who).player().map(|player| player.hometown);
    let home = world.content.hometowns.iter().find(|town| Some(town.key) == key).map(|town| town.room);
    home.and_then(|vnum| world.room_by_vnum(vnum)).unwrap_or_else(|| world.start_room())
}

fn anywhere(world: &mut World) -> Option<RoomId> {
    let rooms = world.content.rooms.len() as i32;
    for _ in 0..TRIES {
        let room = RoomId(world.draw(Stream::Command, Draw::Place).range(0, rooms - 1) as u32);
        if !world.room_flags(room).any(BARRED) {
            return Some(room);
        }
    }
    None
}

/// Each call makes the circle fade by an hour; the last one takes it along.
fn wear_circle(world: &mut World, room: RoomId) {
    let Some(vnum) = world.conjured("circle") else { return };
    let found = world.room(room).objects.iter().copied().find(|id| world.object(*id).vnum == vnum);
    let Some(circle) = found else { return };
    let hours = world.object(circle).timer_hours;
    if hours > 1 {
        world.object_mut(circle).timer_hours = hours - 1;
    } else if hours == 1 {
        world.show_object(circle, room, LineKind::Text, "$p flickers and goes out.");
        world.extract_object(circle);
    }
}

fn carry(world: &mut World, who: CharacterId, to: RoomId) {
    relocate(world, who, to, ["", "$n is there, out of nowhere."]);
}
