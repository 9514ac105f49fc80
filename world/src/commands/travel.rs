//! Verbs of going places: the six directions, doors, enter and leave, the way home. A step is in `movement.rs`.

use super::attempt;
use crate::act::Scene;
use crate::arena::CharacterId;
use crate::doors::door_word;
use crate::doorways::verbs_of;
use crate::find::first_argument;
use crate::gateways;
use crate::hunting;
use crate::jail;
use crate::mounts;
use crate::refusal::{Done, Refusal};
use crate::report::LineKind;
use crate::room_view::{self, Detail};
use crate::rules::abilities;
use crate::skill::SkillId;
use crate::world::World;
use content::flags::*;
use content::words::*;
use content::{ObjectKind, RoomId};
use protocol::outcome::DoorChange;

pub fn north(world: &mut World, who: CharacterId, _: &str) -> Done {
    world.walk(who, Direction::North, false)
}

pub fn east(world: &mut World, who: CharacterId, _: &str) -> Done {
    world.walk(who, Direction::East, false)
}

pub fn south(world: &mut World, who: CharacterId, _: &str) -> Done {
    world.walk(who, Direction::South, false)
}

pub fn west(world: &mut World, who: CharacterId, _: &str) -> Done {
    world.walk(who, Direction::West, false)
}

pub fn up(world: &mut World, who: CharacterId, _: &str) -> Done {
    world.walk(who, Direction::Up, false)
}

pub fn down(world: &mut World, who: CharacterId, _: &str) -> Done {
    world.walk(who, Direction::Down, false)
}

/// What `open`, `close`, `lock`, `unlock` and `pick` can be aimed at.
enum Closable {
    Door(RoomId, Direction),
    Container(crate::arena::ObjectId),
}

/// A container near, else the door meant by a direction or a keyword.
fn find_closable(world: &World, who: CharacterId, args: &str, verb: &str) -> Result<Closable, Refusal> {
    let (word, rest) = first_argument(args);
    if word.is_empty() {
        return Err(format!("What do you want to {verb}?").into());
    }
    if let Some(object) = world.find_near(who, word)
        && world.object(object).is_container()
    {
        return Ok(Closable::Container(object));
    }
    let room = world.who(who).room;
    let (way_word, keyword) = if rest.is_empty() { (word, "") } else { (rest, word) };
    let way = Direction::meant(way_word);
    if let Some(way) = way
        && let Some(index) = world.exit_index(room, way)
    {
        let exit = &world.room_proto(room).exits[index];
        let door = world.room(room).doors[index];
        if door.has(DoorFlags::DOOR) && (keyword.is_empty() || crate::find::answers_to(&exit.keywords, keyword)) {
            return Ok(Closable::Door(room, way));
        }
        if keyword.is_empty() {
            return Err(format!("There is nothing to {verb} {way}.").into());
        }
    }
    for (index, exit) in world.room_proto(room).exits.iter().enumerate() {
        if world.room(room).doors[index].has(DoorFlags::DOOR) && crate::find::answers_to(&exit.keywords, word) {
            return Ok(Closable::Door(room, exit.direction));
        }
    }
    Err(format!("You see no {word} here that you could {verb}.").into())
}

/// State of a lid or a door, as the verbs need it.
struct Lid {
    name: String,
    closeable: bool,
    closed: bool,
    locked: bool,
    pickproof: bool,
    key: Option<i32>,
}

fn lid(world: &World, closable: &Closable) -> Lid {
    match closable {
        Closable::Door(room, way) => {
            let index = world.exit_index(*room, *way).expect("find_closable saw the exit");
            let exit = &world.room_proto(*room).exits[index];
            let door = world.room(*room).doors[index];
            Lid {
                name: door_word(&exit.keywords).to_string(),
                closeable: true,
                closed: door.has(DoorFlags::CLOSED),
                locked: door.has(DoorFlags::LOCKED),
                pickproof: door.has(DoorFlags::PICKPROOF),
                key: exit.key,
            }
        }
        Closable::Container(object) => {
            let object = world.object(*object);
            let ObjectKind::Container { flags, key, .. } = object.kind else {
                unreachable!("find_closable looks for containers")
            };
            Lid {
                name: object.keywords.split(' ').next().unwrap_or("lid").to_string(),
                closeable: flags.has(ContainerFlags::CLOSEABLE),
                closed: flags.has(ContainerFlags::CLOSED),
                locked: flags.has(ContainerFlags::LOCKED),
                pickproof: flags.has(ContainerFlags::PICKPROOF),
                key,
            }
        }
    }
}

/// Changes lid or door, and tells who is there.
fn set_lid(world: &mut World, who: CharacterId, closable: &Closable, change: DoorChange) {
    match closable {
        Closable::Container(object) => {
            let (closed, locked) = (change != DoorChange::Opened, change == DoorChange::Locked);
            if let ObjectKind::Container { flags, .. } = &mut world.object_mut(*object).kind {
                for (flag, on) in [(ContainerFlags::CLOSED, closed), (ContainerFlags::LOCKED, locked)] {
                    if on { flags.insert(flag) } else { flags.remove(flag) }
                }
            }
            let (verb, verbs) = verbs_of(change);
            let scene = Scene::new(who, LineKind::Door).object(*object);
            world.show(&scene, &format!("You {verb} $p."), "", &format!("$n {verbs} $p."));
        }
        Closable::Door(_, way) => world.move_door(who, *way, change),
    }
}

pub fn open(world: &mut World, who: CharacterId, args: &str) -> Done {
    let closable = find_closable(world, who, args, "open")?;
    let lid = lid(world, &closable);
    if !lid.closeable {
        return Err(format!("There is nothing about the {} that opens.", lid.name).into());
    }
    if !lid.closed {
        return Err(format!("The {} is open already.", lid.name).into());
    }
    if lid.locked {
        return Err(format!("The {} is locked.", lid.name).into());
    }
    set_lid(world, who, &closable, DoorChange::Opened);
    Ok(())
}

pub fn close(world: &mut World, who: CharacterId, args: &str) -> Done {
    let closable = find_closable(world, who, args, "close")?;
    let lid = lid(world, &closable);
    if !lid.closeable {
        return Err(format!("There is nothing about the {} that closes.", lid.name).into());
    }
    if lid.closed {
        return Err(format!("The {} is closed already.", lid.name).into());
    }
    set_lid(world, who, &closable, DoorChange::Closed);
    Ok(())
}

fn has_key(world: &World, who: CharacterId, key: Option<i32>) -> bool {
    let c = world.who(who);
    key.is_some_and(|key| {
        c.carrying.iter().copied().chain(c.worn.iter().map(|(_, o)| *o)).any(|o| world.object(o).vnum == key)
    })
}

pub fn lock(world: &mut World, who: CharacterId, args: &str) -> Done {
    let closable = find_closable(world, who, args, "lock")?;
    let lid = lid(world, &closable);
    if !lid.closed {
        return Err(format!("Close the {} first.", lid.name).into());
    }
    if lid.key.is_none() {
        return Err(format!("The {} has no keyhole.", lid.name).into());
    }
    if lid.locked {
        return Err(format!("The {} is locked already.", lid.name).into());
    }
    if !has_key(world, who, lid.key) {
        return Err("You have no key that fits.".into());
    }
    set_lid(world, who, &closable, DoorChange::Locked);
    Ok(())
}

pub fn unlock(world: &mut World, who: CharacterId, args: &str) -> Done {
    let closable = find_closable(world, who, args, "unlock")?;
    let lid = lid(world, &closable);
    if lid.key.is_none() {
        return Err(format!("The {} has no keyhole.", lid.name).into());
    }
    if !lid.locked {
        return Err(format!("The {} is not locked.", lid.name).into());
    }
    if !has_key(world, who, lid.key) {
        return Err("You have no key that fits.".into());
    }
    set_lid(world, who, &closable, DoorChange::Unlocked);
    Ok(())
}

/// Ticks that fumbling with a lock takes.
const PICK_LAG: u64 = 1;

pub fn pick(world: &mut World, who: CharacterId, args: &str) -> Done {
    let closable = find_closable(world, who, args, "pick")?;
    let lid = lid(world, &closable);
    if !lid.locked {
        return Err(format!("The {} is not locked.", lid.name).into());
    }
    if lid.key.is_none() {
        return Err(format!("You find no keyhole on the {}.", lid.name).into());
    }
    let c = world.who(who);
    let immortal = c.is_immortal();
    if c.skill(&SkillId::PICK_LOCK) == 0 && !immortal {
        return Err("Nobody ever taught you how to pick a lock.".into());
    }
    let ease = abilities::dexterity_locks(c.now.abilities.dexterity);
    world.lag(who, PICK_LAG);
    if lid.pickproof && !immortal {
        return Err("This lock is beyond anybody's picks.".into());
    }
    let rules = world.rules.clone();
    let row = rules.skill(&SkillId::PICK_LOCK).filter(|_| !immortal);
    if row.is_some_and(|row| !attempt::tried(world, who, row, ease)) {
        let scene = Scene::new(who, LineKind::Door).text(&lid.name);
        world.show(
            &scene,
            "The lock gives, and then it does not. You have failed to pick it.",
            "",
            "$n fumbles with the lock of the $t.",
        );
        return Ok(());
    }
    set_lid(world, who, &closable, DoorChange::Unlocked);
    Ok(())
}

/// `enter` without a word goes indoors; with one, through a gate, or the exit whose door answers to it.
pub fn enter(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_argument(args);
    let room = world.who(who).room;
    if let Some(gate) = gateways::meant(world, who, word) {
        return hunting::pass_gate(world, who, gate);
    }
    if !word.is_empty() {
        let way = world.room_proto(room).exits.iter().find(|e| crate::find::answers_to(&e.keywords, word));
        return match way.map(|e| e.direction) {
            Some(way) => world.walk(who, way, false),
            None => Err(format!("You see no {word} here to enter.").into()),
        };
    }
    if world.room_flags(room).has(RoomFlags::INDOORS) {
        return Err("You are indoors already.".into());
    }
    match way_to(world, room, true) {
        Some(way) => world.walk(who, way, false),
        None => Err("You see nothing here to enter.".into()),
    }
}

/// Out of doors, and from a place with one way only by that one.
pub fn leave(world: &mut World, who: CharacterId, _: &str) -> Done {
    let room = world.who(who).room;
    if !world.room_flags(room).has(RoomFlags::INDOORS) {
        return Err("You are in the open already. The ways from here: exits".into());
    }
    let mut ways = Direction::ALL.iter().copied().filter(|way| world.open_way(room, *way).is_some());
    let only = ways.next().filter(|_| ways.next().is_none());
    match way_to(world, room, false).or(only) {
        Some(way) => world.walk(who, way, false),
        None => Err("None of the ways from here leads into the open. They are: exits".into()),
    }
}

fn way_to(world: &World, room: RoomId, indoors: bool) -> Option<Direction> {
    Direction::ALL.iter().copied().find(|way| {
        world.open_way(room, *way).is_some_and(|to| world.room_flags(to).has(RoomFlags::INDOORS) == indoors)
    })
}

/// Prays oneself home. Costs half of one's moves; not out of a fight, and not where the way is barred.
pub fn home(world: &mut World, who: CharacterId, _: &str) -> Done {
    let c = world.who(who);
    let Some(player) = c.player() else { return Err("You have no home to go to.".into()) };
    if c.fighting.is_some() {
        return Err("Nobody hears a prayer through the noise of a fight.".into());
    }
    jail::may_leave(world, who)?;
    if mounts::mount_of(world, who).is_some() {
        return Err("Nobody prays well in a saddle. Dismount first, or ride home.".into());
    }
    let room = world.who(who).room;
    if world.room_flags(room).has(RoomFlags::NO_RECALL) {
        return Err("You pray, but this place lets nothing out.".into());
    }
    let home = world.content.hometowns.iter().find(|h| h.key == player.hometown).map(|h| h.room);
    let to = home.and_then(|v| world.content.room_id(v)).unwrap_or_else(|| world.start_room());
    if to == room {
        return Err("You are as much at home here as anywhere.".into());
    }
    let scene = Scene::new(who, LineKind::Leave);
    world.show(&scene, "You pray to be taken home.", "", "$n prays, and is gone in a breath of warm ash.");
    let left = world.who(who).moves / 2;
    world.who_mut(who).moves = left;
    world.move_character(who, to);
    let scene = Scene::new(who, LineKind::Enter);
    world.show(&scene, "", "", "$n arrives in a breath of warm ash.");
    room_view::show_room(world, who, Detail::Full);
    Ok(())
}
