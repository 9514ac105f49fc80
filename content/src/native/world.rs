//! `world.toml` and `zone.toml`: the world's name, start and hometowns; a zone's numbers.

use super::numbers;
use super::table::{File, Table};
use super::text::{Toml, quoted};
use crate::words::ResetMode;
use crate::{Content, Hometown, Jail, Quarter, ZoneProto};

/// Age at which a zone resets, where its file does not say.
pub(super) const LIFESPAN_MINUTES: i32 = 15;

pub(super) fn read(file: &mut File, root: &mut Table) {
    file.draft.content.name = file.text(root, "name");
    if root.has("start_room") {
        file.draft.origins.start_room = Some(file.place_of_field(root, "start_room"));
    }
    file.draft.content.start_room = file.field(root, "start_room").unwrap_or_default();
    file.draft.content.greeting = file.text(root, "greeting");
    file.draft.content.motd = file.paragraphs(root, "motd");
    file.draft.content.story = file.paragraphs(root, "story");
    super::listing::read(file, root);
    if let Some(mut jail) = file.table(root, "jail") {
        file.draft.origins.jail = Some(file.place(jail.line));
        if let (Some(room), Some(outside)) = (file.needed(&mut jail, "room"), file.needed(&mut jail, "outside")) {
            file.draft.content.jail = Some(Jail { room, outside });
        }
        file.end(jail);
    }
    super::night::read(file, root);
    super::conjured::read_own(file, root);
    for mut town in file.rows(root, "hometown") {
        let key = file.needed(&mut town, "key");
        let name = file.needed_text(&mut town, "name");
        let room = file.needed(&mut town, "room");
        if let (Some(key), Some(room)) = (key, room) {
            if file.draft.content.hometowns.iter().any(|other| other.key == key) {
                file.error(town.line, format!("there is a hometown with the key {key:?} already"));
            }
            let place = file.place(town.line);
            file.draft.origins.hometowns.push(place);
            file.draft.content.hometowns.push(Hometown { key, name, room });
        }
        file.end(town);
    }
}

pub(super) fn write(content: &Content) -> String {
    let mut toml = Toml::default();
    toml.text_unless_empty("name", &content.name);
    toml.number("start_room", content.start_room);
    toml.text_unless_empty("greeting", &content.greeting);
    toml.paragraphs_unless_empty("motd", &content.motd);
    toml.paragraphs_unless_empty("story", &content.story);
    super::listing::write(content, &mut toml);
    if let Some(jail) = &content.jail {
        toml.header("[jail]");
        toml.number("room", jail.room);
        toml.number("outside", jail.outside);
    }
    super::night::write(content, &mut toml);
    super::conjured::write_own(content, &mut toml);
    for town in &content.hometowns {
        toml.header("[[hometown]]");
        toml.raw("key", quoted(&town.key.to_string()));
        toml.text("name", &town.name);
        toml.number("room", town.room);
    }
    toml.finish()
}

/// Reads a zone without its resets and gives its number.
pub(super) fn read_zone(file: &mut File, root: &mut Table) -> Option<i32> {
    let number = file.needed_number(root, "number", numbers::VNUM);
    let line = file.line_of(root, "lifespan_minutes");
    let lifespan_minutes = file.number(root, "lifespan_minutes", numbers::LIFESPAN).unwrap_or(LIFESPAN_MINUTES);
    if lifespan_minutes == 0 {
        file.warn(line, "lifespan_minutes is 0, and is taken as 1");
    }
    let line_of_rooms = file.line_of(root, "first");
    let mut zone = ZoneProto {
        number: number.unwrap_or_default(),
        name: file.needed_text(root, "name"),
        builders: file.text(root, "builders"),
        first: file.needed_number(root, "first", numbers::VNUM).unwrap_or_default(),
        last: file.needed_number(root, "last", numbers::VNUM).unwrap_or_default(),
        more: file.field(root, "more").unwrap_or_default(),
        lifespan_minutes,
        reset_mode: file.field(root, "reset").unwrap_or(ResetMode::Always),
        levels: file.range(root, "levels", numbers::LEVEL).unwrap_or_default(),
        rumour: file.text(root, "rumour"),
        quarters: Vec::new(),
        resets: Vec::new(),
    };
    let number = number?;
    for (first, last) in zone.ranges().filter(|(first, last)| first > last) {
        file.error(line_of_rooms, format!("the zone's first room ({first}) is behind its last ({last})"));
    }
    zone.quarters = read_quarters(file, root, &zone);
    let place = file.place(1);
    file.draft.origins.zones.push((number, place));
    file.draft.content.zones.push(zone);
    Some(number)
}

fn read_quarters(file: &mut File, root: &mut Table, zone: &ZoneProto) -> Vec<Quarter> {
    let mut quarters = Vec::new();
    for mut row in file.rows(root, "quarter") {
        let (name, rumour) = (file.needed_text(&mut row, "name"), file.needed_paragraphs(&mut row, "rumour"));
        if let (Some(first), Some(last)) = (file.needed(&mut row, "first"), file.needed(&mut row, "last")) {
            if first > last || !zone.holds(first) || !zone.holds(last) {
                let what = format!("the quarter's rooms ({first} to {last}) are not a range of the zone's");
                file.error(row.line, what);
            }
            quarters.push(Quarter { name, rumour, first, last });
        }
        file.end(row);
    }
    quarters
}

pub(super) fn write_zone(zone: &ZoneProto) -> String {
    let mut toml = Toml::default();
    toml.number("number", zone.number);
    toml.text("name", &zone.name);
    toml.text_unless_empty("builders", &zone.builders);
    toml.number("first", zone.first);
    toml.number("last", zone.last);
    if !zone.more.is_empty() {
        let ranges: Vec<String> = zone.more.iter().map(|(first, last)| format!("[{first}, {last}]")).collect();
        toml.raw("more", format_args!("[{}]", ranges.join(", ")));
    }
    toml.number("lifespan_minutes", zone.lifespan_minutes);
    toml.raw("reset", format_args!("\"{}\"", zone.reset_mode));
    if zone.levels != (0, 0) {
        toml.numbers("levels", &[zone.levels.0, zone.levels.1]);
    }
    toml.text_unless_empty("rumour", &zone.rumour);
    for quarter in &zone.quarters {
        toml.header("[[quarter]]");
        toml.text("name", &quarter.name);
        toml.paragraphs("rumour", &quarter.rumour);
        toml.number("first", quarter.first);
        toml.number("last", quarter.last);
    }
    toml.finish()
}
