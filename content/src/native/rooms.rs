//! `rooms.toml`: rooms with their exits and extra descriptions.

use super::scripts;
use super::table::{File, Table};
use super::text::Toml;
use crate::flags::DoorFlags;
use crate::words::{Direction, Sector};
use crate::{ExitProto, ExtraDescription, RoomProto};

/// What a builder may say about a door; whether it is closed or locked is a reset.
const BUILT: DoorFlags = DoorFlags::DOOR.with(DoorFlags::PICKPROOF).with(DoorFlags::HIDDEN);

pub(super) fn read(file: &mut File, root: &mut Table, zone: i32) {
    for mut row in file.rows(root, "room") {
        if let Some(vnum) = file.vnum(&mut row) {
            let room = RoomProto {
                vnum,
                zone,
                name: file.needed_text(&mut row, "name"),
                description: file.needed_paragraphs(&mut row, "description"),
                sector: file.field(&mut row, "sector").unwrap_or(Sector::Inside),
                flags: file.field(&mut row, "flags").unwrap_or_default(),
                exits: exits(file, &mut row, vnum),
                extras: read_extras(file, &mut row),
                scripts: scripts::of_row(file, &mut row),
                foreign_scripts: file.field(&mut row, "foreign_scripts").unwrap_or_default(),
            };
            let place = file.place(row.line);
            file.draft.origins.rooms.push((vnum, place));
            file.draft.content.rooms.push(room);
            file.end(row);
        }
    }
}

fn exits(file: &mut File, room: &mut Table, vnum: i32) -> Vec<ExitProto> {
    let mut exits = Vec::new();
    let Some(mut table) = file.table(room, "exits") else { return exits };
    for &direction in Direction::ALL {
        let Some(mut exit) = file.table(&mut table, direction.name()) else { continue };
        let mut door: DoorFlags = file.field(&mut exit, "door").unwrap_or_default();
        if !BUILT.has(door) {
            file.error(exit.line, "whether a door is closed or locked is said by a reset");
            door = DoorFlags(door.0 & BUILT.0);
        }
        exits.push(ExitProto {
            direction,
            to: file.field(&mut exit, "to"),
            description: file.paragraphs(&mut exit, "description"),
            keywords: file.text(&mut exit, "keywords"),
            door,
            key: file.field(&mut exit, "key"),
        });
        let place = file.place(exit.line);
        file.draft.origins.exits.push(((vnum, direction), place));
        file.end(exit);
    }
    file.end(table);
    exits.shrink_to_fit();
    exits
}

pub(super) fn read_extras(file: &mut File, record: &mut Table) -> Vec<ExtraDescription> {
    let mut extras = Vec::new();
    for mut row in file.rows(record, "extra") {
        let keywords = file.needed_text(&mut row, "keywords");
        let text = file.needed_paragraphs(&mut row, "text");
        extras.push(ExtraDescription { keywords, text });
        file.end(row);
    }
    extras.shrink_to_fit();
    extras
}

pub(super) fn write(room: &RoomProto, toml: &mut Toml) {
    toml.header("[[room]]");
    toml.number("vnum", room.vnum);
    toml.text("name", &room.name);
    toml.word_unless("sector", room.sector, Sector::Inside);
    toml.names("flags", room.flags.names());
    toml.paragraphs("description", &room.description);
    toml.names("scripts", room.scripts.iter().map(|name| &**name));
    toml.texts("foreign_scripts", &room.foreign_scripts);
    for exit in &room.exits {
        toml.header(format_args!("[room.exits.{}]", exit.direction));
        toml.number_if_any("to", exit.to);
        toml.paragraphs_unless_empty("description", &exit.description);
        toml.text_unless_empty("keywords", &exit.keywords);
        toml.names("door", exit.door.names());
        toml.number_if_any("key", exit.key);
    }
    write_extras("room", &room.extras, toml);
}

pub(super) fn write_extras(kind: &str, extras: &[ExtraDescription], toml: &mut Toml) {
    for extra in extras {
        toml.header(format_args!("[[{kind}.extra]]"));
        toml.text("keywords", &extra.keywords);
        toml.paragraphs("text", &extra.text);
    }
}
