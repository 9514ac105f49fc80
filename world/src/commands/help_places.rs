//! HELP on places: a page for each place of the town where newcomers begin, made from its rooms, so that it is always
//! true. Rooms whose names differ only behind a comma are one place: "Mill Street, inside the South Gate".
//!
//! Elsewhere, what is where is for whoever goes there to find out: there is a page for each place that somebody has
//! been to, with a way that it has gone or that leads through the town. Of a land that people tell of there is one
//! before, with the way to where one leaves the town.

use crate::act::{capitalised, listed};
use crate::arena::CharacterId;
use crate::commands::map;
use crate::find::begins_name;
use crate::page::Page;
use crate::report::Style;
use crate::world::World;
use content::flags::RoomFlags;
use content::words::Direction;
use content::{RoomId, ZoneProto};
use protocol::places::named as spoken;
use std::collections::{BTreeMap, VecDeque};

/// Letters that the beginning of a place's name has at least: fewer begin too many.
const BEGINNING_MIN: usize = 3;
/// Steps of a way that is told.
const STEPS_MAX: usize = 60;

/// A place: its name as it is shown, and its rooms, in order of number.
pub(super) struct NamedPlace {
    /// In lower case, without the article.
    name: String,
    shown: String,
    rooms: Vec<RoomId>,
}

impl NamedPlace {
    /// Whether that is its whole name.
    pub fn is_called(&self, typed: &str) -> bool {
        bare(typed) == self.name
    }
}

/// In lower case, without the article.
fn bare(name: &str) -> String {
    let name = name.trim().to_lowercase();
    name.strip_prefix("the ").unwrap_or(&name).to_string()
}

/// By bare names.
type Places = BTreeMap<String, NamedPlace>;

/// Those of the town where newcomers begin.
pub(super) fn all(world: &World) -> Places {
    let town = town(world);
    places(world, |room| world.room_proto(room).zone == town, by_place)
}

fn town(world: &World) -> i32 {
    world.room_proto(world.start_room()).zone
}

/// What a room is called by, and how that is shown.
type Called<'n> = Vec<(String, &'n str)>;

/// By what stands before the comma of its name: "Warm Row".
fn by_place(name: &str) -> Called<'_> {
    let shown = name.split(',').next().unwrap_or_default().trim();
    vec![(bare(shown), shown)]
}

/// By what stands behind it, and by the whole: one is sent to "the Asking House", which is "Warm Row, at the Asking
/// House".
fn by_spot(name: &str) -> Called<'_> {
    let Some((_, part)) = name.split_once(',') else { return Vec::new() };
    let spot = part.trim_start_matches(|c: char| !c.is_uppercase());
    [spot, name].into_iter().filter(|called| !called.is_empty()).map(|called| (bare(called), name)).collect()
}

fn places(world: &World, holds: impl Fn(RoomId) -> bool, called: fn(&str) -> Called<'_>) -> Places {
    let mut places = Places::new();
    let rooms = world.content.rooms.iter().enumerate().map(|(at, room)| (RoomId(at as u32), room));
    for (id, room) in rooms.filter(|(id, _)| holds(*id)) {
        for (name, shown) in called(&room.name) {
            let place = |name: &String| NamedPlace { name: name.clone(), shown: shown.to_string(), rooms: Vec::new() };
            places.entry(name).or_insert_with_key(place).rooms.push(id);
        }
    }
    places
}

/// The place that is meant: one of the town first, then a spot of it, then one that somebody has been to, by the same
/// rules.
pub(super) fn named(world: &World, who: CharacterId, typed: &str) -> Option<NamedPlace> {
    let town = town(world);
    let of_town = |room: RoomId| world.room_proto(room).zone == town;
    let seen_elsewhere = |room| !of_town(room) && map::has_seen(world, who, room);
    let spots = || places(world, of_town, by_spot);
    let elsewhere = || places(world, seen_elsewhere, by_place);
    meant(all(world), typed).or_else(|| meant(spots(), typed)).or_else(|| meant(elsewhere(), typed))
}

/// Whether somewhere in the world goes by that whole name, seen or not.
pub(super) fn is_somewhere(world: &World, typed: &str) -> bool {
    let typed = bare(typed);
    let is_it = |name: &str| by_place(name).into_iter().chain(by_spot(name)).any(|(name, _)| name == typed);
    world.content.rooms.iter().any(|room| is_it(&room.name))
}

/// By its whole name, else by the beginning of its name, else by words within it.
fn meant(mut places: Places, typed: &str) -> Option<NamedPlace> {
    let typed = &*bare(typed);
    if let Some(place) = places.remove(typed) {
        return Some(place);
    }
    if typed.chars().count() < BEGINNING_MIN {
        return None;
    }
    let begun = places.keys().find(|name| begins_name(name, typed)).cloned();
    let within = || places.keys().find(|name| holds(name, typed)).cloned();
    places.remove(&begun.or_else(within)?)
}

/// Whether some words of a name, one behind the other, begin as what was typed does: `shield wall` of "hall of the
/// shield wall".
fn holds(name: &str, typed: &str) -> bool {
    let words: Vec<&str> = name.split(' ').collect();
    (0..words.len()).any(|from| begins_name(&words[from..].join(" "), typed))
}

pub(super) fn describe(world: &World, who: CharacterId, place: &NamedPlace, page: &mut Page) {
    let Some(first) = place.rooms.first() else { return };
    page.line(Style::Heading, &place.shown);
    page.say(first_sentence(&world.room_proto(*first).description));
    let parts =
        place.rooms.iter().filter_map(|room| world.room_proto(*room).name.split_once(',').map(|(_, part)| part));
    let parts: Vec<&str> = parts.map(str::trim).collect();
    if parts.len() > 1 {
        page.say(format!("It goes on: {}.", parts.join("; ")));
    }
    for room in &place.rooms {
        let flags = world.room_flags(*room);
        let kinds = [
            (RoomFlags::BANK, "A counter of the bank: help bank."),
            (RoomFlags::INN, "Beds of an inn: help inn."),
            (RoomFlags::REGEN, "Strength comes back sooner here."),
        ];
        for (_, text) in kinds.into_iter().filter(|(flag, _)| flags.has(*flag)) {
            page.say(text);
        }
        let vnum = world.room_proto(*room).vnum;
        for shop in world.content.shops.iter().filter(|shop| shop.rooms.contains(&vnum)) {
            let keeper = world.content.mob(shop.keeper).map_or("somebody", |mob| &*mob.short);
            page.say(format!("A shop, kept by {keeper}: list shows what there is, in its hours."));
        }
    }
    let zone = world.room_proto(*first).zone;
    if zone != town(world)
        && let Some(land) = world.content.zones.iter().find(|land| land.number == zone)
    {
        page.say(format!("It lies in {}.", spoken(&land.name)));
    }
    page.say(way_told(world, who, &place.rooms).unwrap_or_else(no_way));
}

/// A zone, or a quarter of one, with its rooms.
pub(super) struct Land<'w> {
    name: &'w str,
    rumour: &'w str,
    rooms: Vec<RoomId>,
    /// For whom it is; none of a quarter.
    levels: Option<(i32, i32)>,
}

/// A land that people tell of, or a quarter of one that somebody has been to or of the town, by its whole name.
pub(super) fn land<'w>(world: &'w World, who: CharacterId, typed: &str) -> Option<Land<'w>> {
    let typed = bare(typed);
    land_named(world, who, |name| name == typed)
}

/// The same by words within its name.
pub(super) fn land_holding<'w>(world: &'w World, who: CharacterId, typed: &str) -> Option<Land<'w>> {
    let typed = bare(typed);
    let is_long = typed.chars().count() >= BEGINNING_MIN;
    land_named(world, who, |name| is_long && holds(name, &typed))
}

fn land_named(world: &World, who: CharacterId, is_named: impl Fn(&str) -> bool) -> Option<Land<'_>> {
    let zones = || world.content.zones.iter();
    if let Some(zone) = zones().find(|zone| is_named(&bare(&zone.name))) {
        let rooms = rooms_of(world, zone).collect();
        return Some(Land { name: &zone.name, rumour: &zone.rumour, rooms, levels: Some(zone.levels) });
    }
    let known = zones().filter(|zone| zone.number == town(world) || is_seen(world, who, zone));
    let mut quarters = known.flat_map(|zone| zone.quarters.iter().map(move |quarter| (zone, quarter)));
    let (zone, quarter) = quarters.find(|(_, quarter)| is_named(&bare(&quarter.name)))?;
    let is_there = |room: &RoomId| (quarter.first..=quarter.last).contains(&world.room_proto(*room).vnum);
    let rooms = rooms_of(world, zone).filter(is_there).collect();
    Some(Land { name: &quarter.name, rumour: &quarter.rumour, rooms, levels: None })
}

fn is_seen(world: &World, who: CharacterId, zone: &ZoneProto) -> bool {
    rooms_of(world, zone).any(|room| map::has_seen(world, who, room))
}

fn rooms_of<'w>(world: &'w World, zone: &ZoneProto) -> impl Iterator<Item = RoomId> + use<'w> {
    let (rooms, zone) = (world.content.rooms.iter().enumerate(), zone.number);
    rooms.filter(move |(_, room)| room.zone == zone).map(|(at, _)| RoomId(at as u32))
}

/// What is told of a land, and the way to the nearest of its rooms that somebody has seen. Where that is none, to the
/// nearest of all, as far as the town goes: ways of the town are no secret.
pub(super) fn describe_land(world: &World, who: CharacterId, land: &Land<'_>, page: &mut Page) {
    page.line(Style::Heading, capitalised(land.name));
    if !land.rumour.is_empty() {
        page.say(land.rumour);
    }
    let seen: Vec<RoomId> = land.rooms.iter().copied().filter(|room| map::has_seen(world, who, *room)).collect();
    if let Some(levels) = land.levels.map(levels_told) {
        page.say(format!("For {levels}."));
    }
    if seen.is_empty() {
        let told = match out_of_town(world, &land.rooms) {
            Some(gate) => Some(way_out_told(world, who, gate)),
            None => way_told(world, who, &land.rooms),
        };
        page.say(told.unwrap_or_else(|| "You have not been there, and nobody told you of a way.".to_string()));
        return;
    }
    page.say(match seen.len() {
        1 => "You know one room of it.".to_string(),
        count => format!("You know {count} rooms of it. There: map, and help with the name of one."),
    });
    page.say(way_told(world, who, &seen).unwrap_or_else(no_way));
}

/// `level 3`, `levels 3 to 6`, `anybody`: for whom a land is.
pub(super) fn levels_told(levels: (i32, i32)) -> String {
    match levels {
        (0, 0) => "anybody".to_string(),
        (low, high) if low == high => format!("level {low}"),
        (low, high) => format!("levels {low} to {high}"),
    }
}

/// Where a way leaves the town, and the lands that it goes through then before the one that it leads to.
struct WayOut {
    last: RoomId,
    step: Direction,
    through: Vec<String>,
}

/// Of the shortest way to the nearest of some rooms from where newcomers begin; `None` where that is in the town, or
/// nowhere to be walked to.
fn out_of_town(world: &World, rooms: &[RoomId]) -> Option<WayOut> {
    let (from, town) = (world.start_room(), town(world));
    let mut at = from;
    let mut out: Option<WayOut> = None;
    for step in way(world, from, rooms, |_| true)? {
        let (_, next, _) = map::ways(world, at).find(|(leads, ..)| *leads == step)?;
        let zone = world.room_proto(next).zone;
        if zone == town {
            out = None;
        } else {
            let out = out.get_or_insert_with(|| WayOut { last: at, step, through: Vec::new() });
            let land = world.content.zones.iter().find(|land| land.number == zone);
            let name = land.map(|land| spoken(&land.name).into_owned()).filter(|_| !rooms.contains(&next));
            if let Some(name) = name.filter(|name| out.through.last() != Some(name)) {
                out.through.push(name);
            }
        }
        at = next;
    }
    out
}

fn way_out_told(world: &World, who: CharacterId, WayOut { last, step, through }: WayOut) -> String {
    let on = if through.is_empty() { String::new() } else { format!(", through {}", listed(&through)) };
    let gate = spoken(&world.room_proto(last).name);
    let told = format!("You have not been there. The way leaves the town by {gate}, and goes {step} from there{on}.");
    match known_way(world, who, &[last]) {
        Some(steps) if steps.is_empty() => format!("{told} That is where you are."),
        Some(steps) => format!("{told} To its beginning from here: {}.", in_runs(&steps)),
        None => told,
    }
}

/// The way to the nearest of some rooms, through the town and what somebody has seen.
fn way_told(world: &World, who: CharacterId, rooms: &[RoomId]) -> Option<String> {
    let steps = known_way(world, who, rooms)?;
    Some(if steps.is_empty() { "You are there.".to_string() } else { format!("From here: {}.", in_runs(&steps)) })
}

fn no_way() -> String {
    "You know no short way there from where you are.".to_string()
}

fn known_way(world: &World, who: CharacterId, rooms: &[RoomId]) -> Option<Vec<Direction>> {
    let town = town(world);
    let is_known = |room: RoomId| world.room_proto(room).zone == town || map::has_seen(world, who, room);
    way(world, world.who(who).room, rooms, is_known)
}

/// Up to its first full stop.
fn first_sentence(description: &str) -> String {
    let whole = description.split_whitespace().collect::<Vec<_>>().join(" ");
    match whole.find(". ") {
        Some(end) => whole[..=end].to_string(),
        None => whole,
    }
}

/// The shortest way on foot to the nearest of some rooms (by rising number), through rooms that are known, whatever
/// doors are closed; `None`: there is none within `STEPS_MAX` steps.
fn way(world: &World, from: RoomId, to: &[RoomId], is_known: impl Fn(RoomId) -> bool) -> Option<Vec<Direction>> {
    let mut came: BTreeMap<RoomId, Option<(RoomId, Direction)>> = BTreeMap::from([(from, None)]);
    let mut ahead = VecDeque::from([(from, 0)]);
    while let Some((room, steps)) = ahead.pop_front() {
        if to.binary_search(&room).is_ok() {
            let mut way = Vec::new();
            let mut at = room;
            while let Some((before, step)) = came.get(&at).copied().flatten() {
                way.push(step);
                at = before;
            }
            way.reverse();
            return Some(way);
        }
        if steps == STEPS_MAX {
            continue;
        }
        for (step, next, _) in map::ways(world, room) {
            let is_shut = world.room_flags(next).any(RoomFlags::DEATH.with(RoomFlags::GOD_ROOM));
            if !is_shut && !came.contains_key(&next) && is_known(next) {
                came.insert(next, Some((room, step)));
                ahead.push_back((next, steps + 1));
            }
        }
    }
    None
}

/// `3 west, north, 2 up`.
fn in_runs(steps: &[Direction]) -> String {
    let runs = steps.chunk_by(|one, other| one == other);
    let runs = runs.map(|run| match run.len() {
        1 => run[0].to_string(),
        count => format!("{count} {}", run[0]),
    });
    runs.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_told_in_runs() {
        use Direction::*;
        assert_eq!(in_runs(&[West, West, West, North, Up, Up]), "3 west, north, 2 up");
        assert_eq!(in_runs(&[South]), "south");
    }

    #[test]
    fn some_words_of_a_name_are_enough() {
        for typed in ["shield wall", "shield", "wall", "hall of", "sh w"] {
            assert!(holds("hall of the shield wall", typed), "{typed}");
        }
        for typed in ["wall shield", "ield", "hall shield", ""] {
            assert!(!holds("hall of the shield wall", typed), "{typed}");
        }
    }

    #[test]
    fn a_place_is_told_by_its_first_sentence() {
        assert_eq!(first_sentence("A yard\nwith a well. It is deep."), "A yard with a well.");
        assert_eq!(first_sentence("A yard."), "A yard.");
        assert_eq!(first_sentence(""), "");
    }
}
