//! What can be asked of rooms, and done in them.

use super::*;
use crate::act::Scene;
use crate::object::Place;
use crate::report::LineKind;
use crate::ways;
use content::flags::{DoorFlags, RoomFlags};
use content::words::Direction;

/// Rooms that are looked at for a way at most.
const WAY_ROOMS_MAX: usize = 500;
/// Of one row, so many mobs or things are in the world at most before a script can bring no more.
const INSTANCES_MAX: i32 = 200;

macro_rules! field {
    ($name:literal, $says:literal, $example:literal, |$world:ident, $room:ident| $answer:expr) => {
        Row {
            group: Group::Room,
            name: $name,
            signature: concat!("room.", $name),
            says: $says,
            example: $example,
            kind: Kind::Field(|$world, handle| {
                let $room = as_room(handle);
                $answer
            }),
        }
    };
}

macro_rules! method {
    ($name:literal, $args:literal, $says:literal, $example:literal, $run:expr) => {
        Row {
            group: Group::Room,
            name: $name,
            signature: concat!("room:", $name, "(", $args, ")"),
            says: $says,
            example: $example,
            kind: Kind::Method($run),
        }
    };
}

pub(super) const ROWS: &[Row] = &[
    field!("name", "Its name.", "ev.room.name", |w, r| Answer::Text(w.room_proto(r).name.clone())),
    field!("vnum", "Its number.", "if ev.room.vnum == 8004 then", |w, r| w.room_proto(r).vnum.into()),
    field!("zone", "The number of its zone.", "ev.room.zone", |w, r| w.room_proto(r).zone.into()),
    field!("sector", "`city`, `forest`, `inside` and so on.", "ev.room.sector", |w, r| w
        .room_proto(r)
        .sector
        .name()
        .into()),
    field!("is_dark", "Whether one sees nothing there without a light.", "if ev.room.is_dark then", |w, r| w
        .is_dark(r)
        .into()),
    method!(
        "people",
        "",
        "Everybody there, in the order in which they came.",
        "for _, who in ipairs(ev.room:people()) do",
        |w, h, _| Ok(list(w.room(as_room(h)).characters.clone()))
    ),
    method!("players", "", "The players there.", "#ev.room:players()", |w, h, _| {
        let all = w.room(as_room(h)).characters.iter().copied();
        Ok(list(all.filter(|who| w.who(*who).is_player()).collect()))
    }),
    method!(
        "mobs",
        "vnum?",
        "The mobs there; of one number, where it is given.",
        "#ev.room:mobs(8012)",
        |w, h, given| {
            let vnum = if is_given(given, 0) { Some(integer(given, 0)?) } else { None };
            let wanted =
                |who: &CharacterId| w.mob_proto(*who).is_some_and(|mob| vnum.is_none_or(|vnum| mob.vnum == vnum));
            Ok(list(w.room(as_room(h)).characters.iter().copied().filter(wanted).collect()))
        }
    ),
    method!(
        "objects",
        "vnum?",
        "What lies there, the newest first; of one number, where it is given.",
        "#ev.room:objects(8120)",
        |w, h, given| {
            let vnum = if is_given(given, 0) { Some(integer(given, 0)?) } else { None };
            let wanted = |object: &ObjectId| vnum.is_none_or(|vnum| w.object(*object).vnum == vnum);
            Ok(objects_of(w.room(as_room(h)).objects.iter().copied().filter(wanted)))
        }
    ),
    method!(
        "is",
        "word",
        "Whether it has a flag of content files, such as `peaceful` or `indoors`.",
        "ev.room:is(\"peaceful\")",
        |w, h, given| {
            let word = text(given, 0)?;
            let flag = RoomFlags::named(word).ok_or_else(|| format!("there is no flag {word:?}"))?;
            Ok(w.room_flags(as_room(h)).has(flag).into())
        }
    ),
    method!(
        "echo",
        "text, except?",
        "Everybody there reads a line, but for one.",
        "ev.room:echo(\"The floor shakes.\")",
        |w, h, given| {
            let words = shown(given, 0)?;
            let except = if is_given(given, 1) { Some(character(given, 1)?) } else { None };
            let readers = w.room(as_room(h)).characters.clone();
            for who in readers.into_iter().filter(|who| Some(*who) != except) {
                if w.who(who).is_player() && w.who(who).is_awake() {
                    w.send(who, LineKind::Text, words.clone());
                }
            }
            Ok(true.into())
        }
    ),
    method!(
        "exit",
        "way",
        "The room that a way leads to, whether its door is open or not; nil where there is none.",
        "ev.room:exit(\"north\")",
        |w, h, given| {
            let (room, way) = (as_room(h), direction(given)?);
            let exit = w.exit_index(room, way).and_then(|at| w.room_proto(room).exits[at].to);
            Ok(exit.and_then(|vnum| w.content.room_id(vnum)).map_or(Answer::Nil, |to| Handle::Room(to).into()))
        }
    ),
    method!(
        "way_to",
        "other",
        "The first step from here to another room, by open ways; nil where there is none, or it is far.",
        "ev.self:command(ev.room:way_to(world.room(8004)))",
        |w, h, given| {
            let Some(Given::Handle(Handle::Room(to))) = given.first() else {
                return Err(format!("argument 1 should be a room, not {}", kind_of(given.first())));
            };
            let step = |room, way| w.open_way(room, way);
            let found = ways::nearest(w, as_room(h), WAY_ROOMS_MAX, step, |room, way| (room == *to).then_some(way));
            Ok(found.map_or(Answer::Nil, |way| way.name().into()))
        }
    ),
    method!(
        "door",
        "way",
        "`open`, `closed` or `locked`; nil where there is no door.",
        "ev.room:door(\"north\") == \"locked\"",
        |w, h, given| {
            let (room, way) = (as_room(h), direction(given)?);
            let Some(index) = w.exit_index(room, way) else { return Ok(Answer::Nil) };
            if !w.room_proto(room).exits[index].door.has(DoorFlags::DOOR) {
                return Ok(Answer::Nil);
            }
            let door = w.door(room, way);
            let state = match (door.has(DoorFlags::LOCKED), door.has(DoorFlags::CLOSED)) {
                (true, _) => "locked",
                (false, true) => "closed",
                (false, false) => "open",
            };
            Ok(state.into())
        }
    ),
    method!(
        "set_door",
        "way, state",
        "Opens, closes or locks a door, on both sides; false where there is none.",
        "ev.room:set_door(\"north\", \"open\")",
        |w, h, given| {
            let (room, way) = (as_room(h), direction(given)?);
            let (closed, locked) = match text(given, 1)? {
                "open" => (false, false),
                "closed" => (true, false),
                "locked" => (true, true),
                other => return Err(format!("a door is open, closed or locked, not {other:?}")),
            };
            let exit = w.exit_index(room, way).map(|index| &w.room_proto(room).exits[index]);
            let is_door = exit.is_some_and(|exit| exit.door.has(DoorFlags::DOOR));
            if is_door {
                w.set_door(room, way, closed, locked);
            }
            Ok(is_door.into())
        }
    ),
    method!(
        "load_mob",
        "vnum",
        "A new mob comes into the room; nil when there are too many of it.",
        "local rat = ev.room:load_mob(8101)",
        |w, h, given| {
            let (room, vnum) = (as_room(h), integer(given, 0)?);
            let index = w.content.mob_index(vnum).ok_or_else(|| format!("there is no mob #{vnum}"))?;
            if w.mobs_alive(index) >= INSTANCES_MAX {
                return Ok(Answer::Nil);
            }
            let mob = w.make_mob(index, room);
            w.show(&Scene::new(mob, LineKind::Enter).hidden(), "", "", "$n is here.");
            Ok(Handle::Character(mob).into())
        }
    ),
    method!(
        "load_object",
        "vnum",
        "A new thing lies in the room; nil when there are too many of it.",
        "ev.room:load_object(8120):move_to(ev.actor)",
        |w, h, given| {
            let (room, vnum) = (as_room(h), integer(given, 0)?);
            let index = w.content.object_index(vnum).ok_or_else(|| format!("there is no object #{vnum}"))?;
            if w.objects_alive(index) >= INSTANCES_MAX {
                return Ok(Answer::Nil);
            }
            let Some(object) = w.make_object(vnum) else { return Ok(Answer::Nil) };
            w.place_object(object, Place::Room(room));
            Ok(Handle::Object(object).into())
        }
    ),
];

fn direction(given: &[Given]) -> Result<Direction, Wrong> {
    let word = text(given, 0)?;
    Direction::named(word).ok_or_else(|| format!("there is no way {word:?}: north, east, south, west, up, down"))
}
