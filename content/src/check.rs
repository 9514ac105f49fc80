//! What must be true between records: numbers are used once, whatever is referred to exists, rooms are in their zone.
//!
//! Runs on indexed content with sorted origins. The worlds of the Circle family legitimately refer to things that do
//! not exist, so that is a warning there; a native world can be right and has to be.

use crate::draft::{Draft, ReadOptions};
use crate::flags::RoomFlags;
use crate::origins::{Faults, Place, place_of};
use crate::problem::Severity;
use crate::{NOBODY, ObjectKind, ResetAction, Vnum, ZoneProto};

/// Start rooms of the classic worlds: Dark Pawns' temple, then Midgaard's.
const CLASSIC_START_ROOMS: [Vnum; 2] = [8004, 3001];

/// The two families of worlds, which differ in what may be wrong with them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    Native,
    Circle,
}

pub(crate) fn check(draft: &mut Draft, family: Family, options: &ReadOptions) {
    let read = draft.problems.0.len();
    between_records(draft, family, options);
    if !draft.unparsed.is_empty() {
        // Whatever was found may stand in the rows that could not be read.
        draft.problems.0.truncate(read);
        draft.problems.warning("", 0, "what files say of each other was not looked at, since not all could be read");
    } else if !draft.problems.has_errors() {
        links(draft);
    } else if has_links(draft) {
        let what = "tasks that cannot be finished, and answers and trades that never happen, were not looked for, \
                    since there are errors";
        draft.problems.warning("", 0, what);
    }
}

fn between_records(draft: &mut Draft, family: Family, options: &ReadOptions) {
    duplicates(draft);
    zones(draft, family);
    exits(draft, family);
    containers(draft, family);
    resets(draft, family);
    shops(draft, family);
    answers(draft);
    tasks(draft);
    plots(draft);
    scripts(draft);
    night(draft);
    if family == Family::Native {
        let faults = crate::check_things::faults(draft, options);
        say_faults(draft, (Vec::new(), faults));
    }
    start_rooms(draft, family, options);
    doors_of_programs(draft);
}

/// Whether anything of the world depends on what can be reached.
fn has_links(draft: &Draft) -> bool {
    let content = &draft.content;
    !content.tasks.is_empty() || !content.answers.is_empty() || !content.trades.is_empty()
}

/// What can never happen, though all that it names exists. Needs to know where newcomers wake.
fn links(draft: &mut Draft) {
    if has_links(draft) {
        let supply = crate::supply::Supply::of(&draft.content);
        let tasks = crate::check_tasks::unfinishable(draft, &supply);
        let answers = crate::check_answers::unheard(draft, &supply);
        say_faults(draft, (Vec::new(), tasks.into_iter().chain(answers).collect()));
    }
}

/// Programs have to wake somewhere.
fn doors_of_programs(draft: &mut Draft) {
    let start = draft.content.start_room;
    let flags = draft.content.room_id(start).map(|room| draft.content.rooms[room.0 as usize].flags);
    if flags.is_some_and(|flags| flags.has(RoomFlags::PEOPLE_ONLY)) {
        let place = draft.origins.start_room.unwrap_or_default();
        let what = format!("the start room #{start} is people_only, and programs wake there as all do");
        draft.say(Severity::Warning, place, what);
    }
}

/// What the rows of an edit may get wrong: among themselves, and in what they refer to.
pub(crate) fn check_edit(draft: &mut Draft) {
    let read = draft.problems.0.len();
    duplicates(draft);
    exits(draft, Family::Native);
    containers(draft, Family::Native);
    // What has no line stands elsewhere, and was judged when it was read.
    let found = draft.problems.0.split_off(read);
    draft.problems.0.extend(found.into_iter().filter(|problem| problem.line > 0));
}

impl Draft<'_> {
    fn say(&mut self, kind: Severity, place: Place, what: String) {
        let file = self.origins.path(place);
        match kind {
            Severity::Error => self.problems.error(file, place.line, what),
            Severity::Warning => self.problems.warning(file, place.line, what),
        }
    }
}

/// How bad it is when something refers to what does not exist.
fn missing(family: Family) -> Severity {
    match family {
        Family::Native => Severity::Error,
        Family::Circle => Severity::Warning,
    }
}

fn duplicates(draft: &mut Draft) {
    let origins = &draft.origins;
    let mut found = Vec::new();
    for (kind, list) in [
        ("zone", &origins.zones),
        ("room", &origins.rooms),
        ("mob", &origins.mobs),
        ("object", &origins.objects),
        ("shop", &origins.shops),
    ] {
        for pair in list.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            let (number, first, again) = (pair[0].0, pair[0].1, pair[1].1);
            found.push((again, format!("{kind} #{number} is already at {}:{}", origins.path(first), first.line)));
        }
    }
    for (place, what) in found {
        draft.say(Severity::Error, place, what);
    }
}

/// Whether two records of a sorted list have that number.
fn is_twice(list: &[(Vnum, Place)], number: Vnum) -> bool {
    let first = list.partition_point(|(other, _)| *other < number);
    list.get(first + 1).is_some_and(|(second, _)| *second == number)
}

fn zones(draft: &mut Draft, family: Family) {
    let mut found = Vec::new();
    let Draft { content, origins, .. } = &*draft;
    for room in &content.rooms {
        let Some(zone) = content.zone_index(room.zone).map(|index| &content.zones[index]) else { continue };
        if !zone.holds(room.vnum) {
            let ranges: Vec<String> = zone.ranges().map(|(first, last)| format!("{first} to {last}")).collect();
            let (number, ranges) = (zone.number, ranges.join(" and "));
            let what = format!("room #{} is not among the rooms of zone {number}, {ranges}", room.vnum);
            found.push((missing(family), place_of(&origins.rooms, &room.vnum), what));
        }
    }
    let ranges_of = |zone: &ZoneProto| zone.ranges().map(|range| (range, zone.number)).collect::<Vec<_>>();
    let mut order: Vec<_> = content.zones.iter().flat_map(ranges_of).collect();
    order.sort_by_key(|(range, _)| *range);
    for pair in order.windows(2).filter(|pair| pair[1].0.0 <= pair[0].0.1) {
        let (zone, other) = (pair[1].1, pair[0].1);
        let what = format!("the rooms of zone {zone} begin before those of zone {other} end");
        found.push((Severity::Warning, place_of(&origins.zones, &zone), what));
    }
    for (kind, place, what) in found {
        draft.say(kind, place, what);
    }
}

fn exits(draft: &mut Draft, family: Family) {
    let mut found = Vec::new();
    let Draft { content, origins, .. } = &*draft;
    for (index, room) in content.rooms.iter().enumerate() {
        for (exit_index, exit) in room.exits.iter().enumerate() {
            let no_room = exit.to.filter(|to| content.room_id(*to).is_none());
            let no_key = exit.key.filter(|key| content.object_index(*key).is_none());
            if no_room.is_some() || no_key.is_some() {
                let place = place_of(&origins.exits, &(room.vnum, exit.direction));
                found.push((index, exit_index, place, no_room, no_key));
            }
        }
    }
    for (index, exit_index, place, no_room, no_key) in found {
        let room = &mut draft.content.rooms[index];
        let (vnum, exit) = (room.vnum, &mut room.exits[exit_index]);
        let direction = exit.direction;
        if family == Family::Circle {
            exit.to = exit.to.filter(|_| no_room.is_none());
            exit.key = exit.key.filter(|_| no_key.is_none());
        }
        if let Some(to) = no_room {
            let what = format!("the exit {direction} of room #{vnum} leads to room #{to}, which does not exist");
            draft.say(missing(family), place, what);
        }
        if let Some(key) = no_key {
            let what =
                format!("the key of the exit {direction} of room #{vnum} is object #{key}, which does not exist");
            draft.say(missing(family), place, what);
        }
    }
}

fn containers(draft: &mut Draft, family: Family) {
    for index in 0..draft.content.objects.len() {
        let object = &draft.content.objects[index];
        let ObjectKind::Container { key: Some(key), .. } = object.kind else { continue };
        if draft.content.object_index(key).is_some() {
            continue;
        }
        let vnum = object.vnum;
        if family == Family::Circle
            && let ObjectKind::Container { key, .. } = &mut draft.content.objects[index].kind
        {
            *key = None;
        }
        let place = place_of(&draft.origins.objects, &vnum);
        let what = format!("the key of container #{vnum} is object #{key}, which does not exist");
        draft.say(missing(family), place, what);
    }
}

fn resets(draft: &mut Draft, family: Family) {
    let mut found = Vec::new();
    let Draft { content, origins, .. } = &*draft;
    for zone in &content.zones {
        for (index, reset) in zone.resets.iter().enumerate() {
            let place = origins.of_reset(zone.number, index, reset.line);
            let (mut room, mut mob, mut objects) = (None, None, [None; 2]);
            match reset.action {
                ResetAction::Mob { mob: m, room: r, .. } | ResetAction::RemoveMob { mob: m, room: r } => {
                    (room, mob) = (Some(r), Some(m));
                }
                ResetAction::Object { object, room: r, .. } => (room, objects[0]) = (r, Some(object)),
                ResetAction::RemoveObject { room: r, object } => (room, objects[0]) = (Some(r), Some(object)),
                ResetAction::Put { object, container, .. } => objects = [Some(object), Some(container)],
                ResetAction::Give { object, .. } | ResetAction::Equip { object, .. } => objects[0] = Some(object),
                ResetAction::Door { room: r, direction, .. } => {
                    room = Some(r);
                    let proto = content.room_id(r).map(|id| content.room(id));
                    // Of two rooms with one number only one is kept, and the other may have the exit.
                    if !is_twice(&origins.rooms, r)
                        && proto.is_some_and(|proto| proto.exits.iter().all(|exit| exit.direction != direction))
                    {
                        let what = format!("room #{r} has no exit {direction} to open or close");
                        found.push((missing(family), place, what));
                    }
                }
                ResetAction::LoopStart { .. } | ResetAction::LoopEnd => {}
            }
            let mut lacks = |kind: &str, vnum: Vnum| {
                let what = format!("this reset names {kind} #{vnum}, which does not exist");
                found.push((missing(family), place, what));
            };
            if let Some(vnum) = room.filter(|vnum| content.room_id(*vnum).is_none()) {
                lacks("room", vnum);
            }
            if let Some(vnum) = mob.filter(|vnum| content.mob_index(*vnum).is_none()) {
                lacks("mob", vnum);
            }
            for vnum in objects.into_iter().flatten().filter(|vnum| content.object_index(*vnum).is_none()) {
                lacks("object", vnum);
            }
        }
    }
    for (kind, place, what) in found {
        draft.say(kind, place, what);
    }
}

fn shops(draft: &mut Draft, family: Family) {
    let mut found = Vec::new();
    let Draft { content, origins, .. } = &*draft;
    // Both lists are sorted by number and keep the order of reading among equal numbers.
    for (index, shop) in content.shops.iter().enumerate() {
        let place = origins.shops.get(index).map(|(_, place)| *place).unwrap_or_default();
        let mut lacks = |kind: &str, vnum: Vnum| {
            let what = format!("shop #{} names {kind} #{vnum}, which does not exist", shop.vnum);
            found.push((missing(family), place, what));
        };
        for product in shop.products.iter().filter(|vnum| content.object_index(**vnum).is_none()) {
            lacks("object", *product);
        }
        for room in shop.rooms.iter().filter(|vnum| content.room_id(**vnum).is_none()) {
            lacks("room", *room);
        }
        if shop.keeper == NOBODY {
            found.push((Severity::Warning, place, format!("shop #{} has no keeper and stays shut", shop.vnum)));
        } else if content.mob_index(shop.keeper).is_none() {
            lacks("keeper", shop.keeper);
        }
    }
    if family == Family::Circle {
        let mut shops = std::mem::take(&mut draft.content.shops);
        for shop in &mut shops {
            shop.products.retain(|vnum| draft.content.object_index(*vnum).is_some());
        }
        draft.content.shops = shops;
    }
    for (kind, place, what) in found {
        draft.say(kind, place, what);
    }
}

fn answers(draft: &mut Draft) {
    let faults = crate::check_answers::faults(draft);
    say_faults(draft, faults);
}

fn tasks(draft: &mut Draft) {
    let faults = crate::check_tasks::faults(draft);
    say_faults(draft, faults);
}

fn plots(draft: &mut Draft) {
    let faults = crate::check_plots::faults(draft);
    say_faults(draft, faults);
}

fn scripts(draft: &mut Draft) {
    let faults = crate::check_scripts::faults(draft);
    say_faults(draft, faults);
}

fn night(draft: &mut Draft) {
    let faults = crate::check_night::faults(draft);
    say_faults(draft, faults);
}

fn say_faults(draft: &mut Draft, (errors, warnings): (Faults, Faults)) {
    for (kind, found) in [(Severity::Error, errors), (Severity::Warning, warnings)] {
        for (place, what) in found {
            draft.say(kind, place, what);
        }
    }
}

fn start_rooms(draft: &mut Draft, family: Family, options: &ReadOptions) {
    for index in 0..draft.content.hometowns.len() {
        let town = &draft.content.hometowns[index];
        if draft.content.room_id(town.room).is_none() {
            let what = format!("hometown {} is in room #{}, which does not exist", town.name, town.room);
            let place = draft.origins.hometowns.get(index).copied().unwrap_or_default();
            draft.say(Severity::Error, place, what);
        }
    }
    for index in 0..draft.content.dreams.len() {
        let to = draft.content.dreams[index].to;
        if let Some(room) = to.filter(|room| draft.content.room_id(*room).is_none()) {
            let place = draft.origins.dreams.get(index).copied().unwrap_or_default();
            draft.say(Severity::Error, place, format!("a dream leads to room #{room}, which does not exist"));
        }
    }
    if let Some(jail) = draft.content.jail {
        for (what, room) in [("the jail is", jail.room), ("who is let out of the jail comes out", jail.outside)] {
            if draft.content.room_id(room).is_none() {
                let place = draft.origins.jail.unwrap_or_default();
                draft.say(Severity::Error, place, format!("{what} in room #{room}, which does not exist"));
            }
        }
    }
    let Some(lowest) = draft.content.rooms.first().map(|room| room.vnum) else {
        draft.problems.error("", 0, "the world has no rooms");
        return;
    };
    let exists = |draft: &Draft, vnum: Vnum| draft.content.room_id(vnum).is_some();
    if let Some(vnum) = options.start_room {
        if exists(draft, vnum) {
            draft.content.start_room = vnum;
            return;
        }
        draft.problems.error("", 0, format!("the start room asked for, #{vnum}, does not exist"));
    }
    draft.content.start_room = match (family, draft.origins.start_room) {
        (Family::Circle, _) => CLASSIC_START_ROOMS.into_iter().find(|vnum| exists(draft, *vnum)).unwrap_or(lowest),
        (Family::Native, Some(_)) if exists(draft, draft.content.start_room) => return,
        (Family::Native, Some(place)) => {
            let vnum = draft.content.start_room;
            draft.say(Severity::Error, place, format!("the start room #{vnum} does not exist"));
            lowest
        }
        (Family::Native, None) => {
            let what = format!("no start_room is named: room #{lowest}, the lowest, is taken");
            draft.problems.warning("world.toml", 0, what);
            lowest
        }
    };
}
