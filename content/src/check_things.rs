//! What may be built by mistake and plays badly: texts that no window can break well, keepers who attack their
//! customers, doors that are reset on one side, things that nobody can use, containers fuller than they hold, shops
//! that money comes out of, and things that descriptions speak of and nobody can look at.
//!
//! All of it is a warning: a builder may mean it.

use crate::content::Content;
use crate::draft::{Draft, ReadOptions};
use crate::flags::{DoorFlags, MobFlags, WearFlags};
use crate::nouns;
use crate::origins::{Faults, Origins, Place, place_of};
use crate::vnum::{CONJURED_FIRST, Vnum};
use crate::words::Direction;
use crate::{ObjectKind, ObjectProto, Reset, ResetAction, ShopProto};
use std::collections::BTreeMap;

/// Characters of a line that every window shows.
const LINE_MAX: usize = 76;
/// Levels above this are immortals': no mortal uses what asks for them.
const LEVEL_MORTAL_MAX: i32 = 30;
/// Of the things that a zone speaks of, one in so many may go without a description, where it speaks of `NOUNS_MIN`.
const UNDESCRIBED: usize = 5;
const NOUNS_MIN: usize = 20;

/// Warnings.
pub(crate) fn faults(draft: &Draft, options: &ReadOptions) -> Faults {
    let Draft { content, origins, .. } = draft;
    let mut found = Vec::new();
    texts(content, origins, &mut found);
    shown_as_they_are(content, origins, &mut found);
    things(content, origins, &mut found);
    shops(content, origins, &mut found);
    for zone in &content.zones {
        let at = |index: usize| origins.of_reset(zone.number, index, zone.resets[index].line);
        doors(content, &zone.resets, at, &mut found);
        containers(content, &zone.resets, at, &mut found);
    }
    undescribed(content, origins, options, &mut found);
    found
}

/// Texts of one line that have several, and lines that stay as they are and are too long.
fn texts(content: &Content, origins: &Origins, found: &mut Faults) {
    let mut one_line = |place: Place, what: &str, text: &str| {
        if text.trim_end().contains('\n') {
            found.push((place, format!("{what} is one line: what stands on a second one would not flow")));
        }
    };
    for zone in &content.zones {
        one_line(place_of(&origins.zones, &zone.number), "the rumour of a zone", &zone.rumour);
    }
    for room in &content.rooms {
        one_line(place_of(&origins.rooms, &room.vnum), "the name of a room", &room.name);
    }
    for mob in content.mobs.iter().filter(|mob| mob.vnum < CONJURED_FIRST) {
        let place = place_of(&origins.mobs, &mob.vnum);
        for (what, text) in [("short", &mob.short), ("long", &mob.long), ("noise", &mob.noise)] {
            one_line(place, what, text);
        }
    }
    for object in content.objects.iter().filter(|object| object.vnum < CONJURED_FIRST) {
        let place = place_of(&origins.objects, &object.vnum);
        for (what, text) in [("short", &object.short), ("long", &object.long)] {
            one_line(place, what, text);
        }
    }
    // Sorted by the mob, as the origins are.
    for (at, answer) in content.answers.iter().enumerate() {
        one_line(origins.answers.get(at).map(|(_, place)| *place).unwrap_or_default(), "says", &answer.says);
    }
    for (at, trade) in content.trades.iter().enumerate() {
        one_line(origins.trades.get(at).map(|(_, place)| *place).unwrap_or_default(), "says", &trade.says);
    }
    for task in &content.tasks {
        let place = place_of(&origins.tasks, &task.id);
        for (what, text) in
            [("offer", &task.offer), ("accepted", &task.accepted), ("waits", &task.waits), ("done", &task.done)]
        {
            one_line(place, what, text);
        }
    }
    let mut fixed = |place: Place, what: &str, text: &str| {
        // What begins with a blank is a line of its own, and what has columns in it falls apart when it is broken.
        let columns = |line: &str| line.starts_with([' ', '\t']) && line.trim_start().contains("  ");
        let wide = text.split('\n').find(|line| line.chars().count() > LINE_MAX && columns(line));
        if let Some(line) = wide {
            found.push((place, format!("{what}: {}", too_long(line))));
        }
    };
    fixed(of_world(origins), "motd", &content.motd);
    fixed(of_world(origins), "story", &content.story);
    for room in &content.rooms {
        let place = place_of(&origins.rooms, &room.vnum);
        fixed(place, "description", &room.description);
        room.extras.iter().for_each(|extra| fixed(place, "extra", &extra.text));
    }
    for object in content.objects.iter().filter(|object| object.vnum < CONJURED_FIRST) {
        let place = place_of(&origins.objects, &object.vnum);
        fixed(place, "action", &object.action);
        object.extras.iter().for_each(|extra| fixed(place, "extra", &extra.text));
    }
}

/// What callers read before the game flows nowhere: its lines are shown as they are.
fn shown_as_they_are(content: &Content, origins: &Origins, found: &mut Faults) {
    if let Some(line) = content.greeting.split('\n').find(|line| line.chars().count() > LINE_MAX) {
        found.push((of_world(origins), format!("greeting: {}", too_long(line))));
    }
}

/// The file that says where the world begins.
fn of_world(origins: &Origins) -> Place {
    Place { line: 0, ..origins.start_room.unwrap_or_default() }
}

fn too_long(line: &str) -> String {
    let start: String = line.trim_start().chars().take(20).collect();
    format!("the line {start:?}… is longer than {LINE_MAX}, and does not flow")
}

/// Things that nobody can use for what they are.
fn things(content: &Content, origins: &Origins, found: &mut Faults) {
    for (name, vnum) in content.conjured.iter().filter(|(_, vnum)| **vnum < CONJURED_FIRST) {
        if content.object_index(*vnum).is_none() && content.mob_index(*vnum).is_none() {
            let what = format!("conjured: {name} is #{vnum}, which is neither an object nor a mob");
            found.push((of_world(origins), what));
        }
    }
    for object in content.objects.iter().filter(|object| object.vnum < CONJURED_FIRST) {
        if let Some(why) = useless(object) {
            found.push((
                place_of(&origins.objects, &object.vnum),
                format!("nobody can use object #{}: {why}", object.vnum),
            ));
        }
    }
}

fn useless(object: &ObjectProto) -> Option<String> {
    let takes = object.wear.has(WearFlags::TAKE);
    let worn = object.wear.without(WearFlags::TAKE);
    if object.level > LEVEL_MORTAL_MAX {
        return Some(format!("it is for level {}, and mortals end at {LEVEL_MORTAL_MAX}", object.level));
    }
    if !takes && !worn.is_empty() {
        return Some("it can be worn, but not picked up: give it `take`".to_string());
    }
    let in_hand = WearFlags::WIELD.with(WearFlags::HOLD).with(WearFlags::THROW);
    match &object.kind {
        ObjectKind::Weapon { .. } | ObjectKind::FireWeapon { .. } if takes && !worn.any(in_hand) => {
            Some("it is a weapon that cannot be wielded: give it `wield`".to_string())
        }
        ObjectKind::Armor { .. } | ObjectKind::Worn if takes && worn.is_empty() => {
            Some("there is no place to wear it".to_string())
        }
        ObjectKind::Potion { .. }
        | ObjectKind::Scroll { .. }
        | ObjectKind::Wand { .. }
        | ObjectKind::Staff { .. }
        | ObjectKind::Key
        | ObjectKind::Boat
        | ObjectKind::Pen
            if !takes =>
        {
            Some("it is of use in hand only, and cannot be picked up: give it `take`".to_string())
        }
        _ => None,
    }
}

fn shops(content: &Content, origins: &Origins, found: &mut Faults) {
    let attacks = MobFlags::AGGRESSIVE
        .with(MobFlags::AGGR_24)
        .with(MobFlags::AGGR_EVIL)
        .with(MobFlags::AGGR_GOOD)
        .with(MobFlags::AGGR_NEUTRAL);
    for (index, shop) in content.shops.iter().enumerate() {
        let place = origins.shops.get(index).map(|(_, place)| *place).unwrap_or_default();
        if content.mob(shop.keeper).is_some_and(|keeper| keeper.flags.any(attacks)) {
            found.push((
                place,
                format!("the keeper of shop #{}, mob #{}, attacks its customers", shop.vnum, shop.keeper),
            ));
        }
        for product in shop.products.iter().filter_map(|vnum| content.object(*vnum)) {
            let buyers = content.shops.iter().filter(|buyer| buys(buyer, product));
            if let Some(buyer) = buyers.into_iter().find(|buyer| buyer.buys_at > shop.sells_at) {
                found.push((
                    place,
                    format!(
                        "shop #{} sells object #{} for less than shop #{} pays for it: that makes money out of nothing",
                        shop.vnum, product.vnum, buyer.vnum
                    ),
                ));
            }
        }
    }
}

fn buys(shop: &ShopProto, object: &ObjectProto) -> bool {
    // Words that narrow a trade are judged by the game; here they are taken to let the object through.
    object.cost > 0 && shop.trades.iter().any(|trade| trade.item == object.kind.item_type())
}

/// Doors that a reset shuts or opens on one side and leaves as they are on the other.
fn doors(content: &Content, resets: &[Reset], at: impl Fn(usize) -> Place, found: &mut Faults) {
    let all = content.zones.iter().flat_map(|zone| &zone.resets);
    let reset_doors: BTreeMap<(Vnum, Direction), (bool, bool)> = all
        .filter_map(|reset| match reset.action {
            ResetAction::Door { room, direction, closed, locked } => Some(((room, direction), (closed, locked))),
            _ => None,
        })
        .collect();
    for (index, reset) in resets.iter().enumerate() {
        let ResetAction::Door { room, direction, closed, locked } = reset.action else { continue };
        let Some(to) = content.room_id(room).and_then(|id| {
            let exits = &content.room(id).exits;
            exits.iter().find(|exit| exit.direction == direction)?.to
        }) else {
            continue;
        };
        let back = direction.opposite();
        let Some(other) = content.room_id(to).map(|id| content.room(id)) else { continue };
        let leads_back = other.exits.iter().find(|exit| exit.direction == back && exit.to == Some(room));
        let Some(exit) = leads_back else { continue };
        if !exit.door.has(DoorFlags::DOOR) {
            found.push((
                at(index),
                format!("the door {direction} of room #{room} has no door {back} of room #{to} behind it"),
            ));
        } else if reset_doors.get(&(to, back)) != Some(&(closed, locked)) {
            let wrong = match reset_doors.contains_key(&(to, back)) {
                true => "is reset otherwise on the other side",
                false => "is reset on this side only",
            };
            found.push((
                at(index),
                format!("the door {direction} of room #{room} {wrong}: reset {back} of room #{to} alike"),
            ));
        }
    }
}

/// Containers that resets put more into than they hold.
fn containers(content: &Content, resets: &[Reset], at: impl Fn(usize) -> Place, found: &mut Faults) {
    // What is in the newest of each so far.
    let mut pounds: BTreeMap<Vnum, i32> = BTreeMap::new();
    for (index, reset) in resets.iter().enumerate() {
        match reset.action {
            ResetAction::Object { object, .. }
            | ResetAction::Give { object, .. }
            | ResetAction::Equip { object, .. } => {
                pounds.insert(object, 0);
            }
            ResetAction::Put { object, container, .. } => {
                pounds.insert(object, 0);
                let (Some(thing), Some(holder)) = (content.object(object), content.object(container)) else { continue };
                let inside = pounds.entry(container).or_default();
                *inside = inside.saturating_add(thing.weight);
                match holder.kind {
                    ObjectKind::Container { capacity, .. } if *inside > capacity => found.push((
                        at(index),
                        format!("object #{container} holds {capacity} pounds, and with this there are {inside} in it"),
                    )),
                    ObjectKind::Container { .. } => {}
                    _ => found
                        .push((at(index), format!("object #{container} is no container: nothing can be put into it"))),
                }
            }
            _ => {}
        }
    }
}

/// Things that rooms speak of and nobody can look at.
fn undescribed(content: &Content, origins: &Origins, options: &ReadOptions, found: &mut Faults) {
    for (zone, spoken) in nouns::spoken_of(content) {
        let open: usize = spoken.unanswered.values().map(|nouns| nouns.len()).sum();
        if options.nouns {
            for (room, nouns) in &spoken.unanswered {
                let nouns: Vec<&str> = nouns.iter().map(String::as_str).collect();
                let what = format!("room #{room} speaks of what cannot be looked at there: {}", nouns.join(", "));
                found.push((place_of(&origins.rooms, room), what));
            }
        } else if spoken.mentioned >= NOUNS_MIN && open * UNDESCRIBED > spoken.mentioned {
            let what = format!(
                "the rooms of zone {zone} speak of {} things, and {open} of them cannot be looked at: \
                 `dp-server check --nouns` lists them",
                spoken.mentioned
            );
            found.push((place_of(&origins.zones, &zone), what));
        }
    }
}
