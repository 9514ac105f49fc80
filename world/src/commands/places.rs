//! Verbs about places: go somewhere near by its name, who is about in the zone, and which lands there are.

use crate::arena::CharacterId;
use crate::commands::{help_places, inspection, travel};
use crate::find::{begins_name, first_argument};
use crate::page::{Page, cell};
use crate::refusal::{Done, Refusal};
use crate::report::Style;
use crate::world::World;
use content::flags::{AffectFlags, DoorFlags};
use content::words::Direction;

/// Rows of `where`.
const ROWS_MAX: usize = 50;

/// Words for the way that `leave` takes.
const OUT: [&str; 2] = ["out", "outside"];

/// A step in a direction, or into the place next to this one that is called so.
pub fn go(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_argument(args);
    if word.is_empty() {
        return Err("Where do you want to go? go <direction>, or the name of a place that exits shows".into());
    }
    if let Some(way) = Direction::meant(word) {
        return world.walk(who, way, false);
    }
    if OUT.iter().any(|out| out.eq_ignore_ascii_case(word)) {
        return travel::leave(world, who, "");
    }
    let name = args.trim();
    match way_to(world, who, name).or_else(|| way_to(world, who, word)) {
        Some(way) => world.walk(who, way, false),
        None => {
            let told = match help_places::named(world, who, name) {
                Some(_) => format!("The way there: help {}", shortened(name)),
                None => "exits lists them.".to_string(),
            };
            Err(format!("You see no way to \"{}\" from here. {told}", shortened(name)).into())
        }
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

/// The way to a place next to this one, by its name or any word of it and what follows.
fn way_to(world: &World, who: CharacterId, typed: &str) -> Option<Direction> {
    let room = world.who(who).room;
    if world.who(who).is(AffectFlags::BLIND) {
        return None;
    }
    let exits = world.room_proto(room).exits.iter();
    let open = exits.filter(|exit| !world.door(room, exit.direction).has(DoorFlags::CLOSED));
    open.filter_map(|exit| Some((exit.direction, world.content.room_id(exit.to?)?)))
        .filter(|(_, to)| !world.is_dark(*to) || world.sees_in_dark(who))
        .find(|(_, to)| {
            let name = &*world.room_proto(*to).name;
            let ends = std::iter::once(0).chain(name.match_indices(' ').map(|(at, _)| at + 1));
            ends.into_iter().any(|at| begins_name(&name[at..], typed))
        })
        .map(|(way, _)| way)
}

/// Players of the zone whom one can see from afar, and where they are; immortals see farther.
pub fn where_(world: &World, who: CharacterId, args: &str) -> Result<Page, Refusal> {
    let c = world.who(who);
    if c.is_immortal() {
        return inspection::where_(world, who, args);
    }
    if !c.is_awake() {
        return Err("You see only what you dream of.".into());
    }
    let zone = world.room_proto(world.who(who).room).zone;
    let in_zone = |id: &CharacterId| {
        let c = world.who(*id);
        *id != who && world.room_proto(c.room).zone == zone && world.sees(who, *id) && !world.is_dark(c.room)
    };
    let mut page = Page::for_reader(world.who(who));
    let name = world.content.zone_index(zone).map_or("", |index| &*world.content.zones[index].name);
    page.line(Style::Heading, format!("About in {name}:"));
    let found: Vec<CharacterId> = world.state.players.values().copied().filter(in_zone).take(ROWS_MAX + 1).collect();
    for id in found.iter().take(ROWS_MAX) {
        let c = world.who(*id);
        page.row(2, &[cell(21, world.name_for(who, *id)), cell(0, &*world.room_proto(c.room).name)]);
    }
    if found.len() > ROWS_MAX {
        page.say("  And more.");
    }
    if found.is_empty() {
        page.say("  Nobody else that you could see.");
    }
    Ok(page)
}

/// The lands of the world with the levels that they are meant for and what is said of them, those for the young first.
pub fn areas(world: &World, who: CharacterId, _: &str) -> Result<Page, Refusal> {
    let here = world.room_proto(world.who(who).room).zone;
    let mut zones: Vec<_> = world.content.zones.iter().collect();
    zones.sort_by_key(|zone| (zone.levels == (0, 0), zone.levels, zone.number));
    let mut page = Page::for_reader(world.who(who));
    page.line(Style::Heading, "Lands that people tell of:");
    for zone in zones {
        let levels = help_places::levels_told(zone.levels);
        let mark = if zone.number == here { ", where you are" } else { "" };
        page.row(2, &[cell(33, &*zone.name), cell(0, format!("{levels}{mark}"))]);
        if !zone.rumour.is_empty() {
            page.say(format!("    {}", zone.rumour));
        }
    }
    page.say("The way to a land: help <land>.");
    Ok(page)
}
