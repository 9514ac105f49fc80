//! Floors on which too much lies: what has lain there longest falls to dust, with a word to those who see it.
//!
//! Newcomers' kits, food out of nothing and what shops sell without end come to lie on floors, and nothing that a
//! builder made has a time of its own; without this, busy rooms would fill for ever. Only what there is more of is
//! taken: see `is_common`. Limited in each run, so that a floor from an older save is cleared in a few of them.

use crate::arena::ObjectId;
use crate::object::Place;
use crate::report::{Line, LineKind};
use crate::world::World;
use content::flags::*;
use content::{ObjectKind, RoomId, Text};
use std::sync::Arc;

/// Things that lie on one floor for long; what is spared may lie there besides.
pub const FLOOR_MAX: usize = 200;
/// Things that one run takes from one floor: several floors of ten thousand must not stop a tick.
const SWEPT_MAX: usize = 200;
/// Things that are named to those who see them go; the others are counted.
const NAMED_MAX: usize = 3;

pub fn run(world: &mut World) {
    let rooms = world.state.rooms.iter();
    let crowded: Vec<RoomId> = rooms.filter(|(_, room)| room.objects.len() > FLOOR_MAX).map(|(id, _)| id).collect();
    for room in crowded {
        sweep(world, room);
    }
}

/// Takes the oldest common things until no more than `FLOOR_MAX` are left, the full bags among them last.
fn sweep(world: &mut World, room: RoomId) {
    let mut surplus = (world.room(room).objects.len() - FLOOR_MAX).min(SWEPT_MAX);
    let oldest_first: Vec<ObjectId> = world.room(room).objects.iter().rev().copied().collect();
    let mut named: Vec<Text> = Vec::new();
    let mut count = 0;
    for full in [false, true] {
        for object in &oldest_first {
            if surplus == 0 {
                break;
            }
            // Asked of each when its turn comes: the last of its kind is spared.
            if world.get_object(*object).is_none_or(|o| o.contents.is_empty() == full) || !is_common(world, *object) {
                continue;
            }
            let o = world.object(*object);
            if named.len() < NAMED_MAX && !o.flags.has(ObjectFlags::INVISIBLE) && !named.contains(&o.short) {
                named.push(o.short.clone());
            }
            take_away(world, *object, room);
            surplus -= 1;
            count += 1;
        }
    }
    if count > 0 {
        tell(world, room, &named, count);
    }
}

/// There is more of it, nobody made it his own, and nothing depends on it. What has a time goes by itself.
fn is_common(world: &World, object: ObjectId) -> bool {
    let object = world.object(object);
    let Some(index) = world.content.object_index(object.vnum) else { return false };
    let proto = &world.content.objects[index as usize];
    let spared = matches!(object.kind, ObjectKind::Money { .. } | ObjectKind::Key) || object.is_corpse();
    let as_built = object.short == proto.short && object.long == proto.long && object.keywords == proto.keywords;
    !spared
        && as_built
        && object.timer_hours == 0
        && object.can_be(WearFlags::TAKE)
        && !object.flags.any(ObjectFlags::QUEST.with(ObjectFlags::RARE))
        && world.objects_alive(index) > 1
}

/// The thing is gone; what is in it and is to be spared comes to lie on the floor.
fn take_away(world: &mut World, object: ObjectId, room: RoomId) {
    let mut inside = world.object(object).contents.clone();
    while let Some(inner) = inside.pop() {
        if is_common(world, inner) {
            inside.extend(world.object(inner).contents.iter().copied());
        } else {
            world.place_object(inner, Place::Room(room));
        }
    }
    world.extract_object(object);
}

fn tell(world: &mut World, room: RoomId, named: &[Text], count: usize) {
    let others = count - named.len();
    let mut list = named.join(", ");
    match (named.len(), others) {
        (0, _) => list = "something that nobody can see".into(),
        (_, 0) => {
            if let Some(at) = list.rfind(", ") {
                list.replace_range(at..at + 2, " and ");
            }
        }
        (_, 1) => list.push_str(" and one thing more"),
        (_, n) => list.push_str(&format!(" and {n} things more")),
    }
    let text = format!("Too much lies about here. What has lain longest falls to dust: {list}.");
    let line = Arc::new(Line { kind: LineKind::Text, text, ..Line::default() });
    for n in 0..world.room(room).characters.len() {
        let reader = world.room(room).characters[n];
        let c = world.who(reader);
        if c.is_player() && c.is_awake() && world.sees_room(reader) {
            world.send_line(reader, line.clone());
        }
    }
}
