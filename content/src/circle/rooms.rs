//! `.wld` files: rooms with their exits and extra descriptions.

use super::file::{File, key_or_none, vnum_or_none};
use super::lexer::{Line, Trouble, number};
use crate::flags::{DoorFlags, RoomFlags};
use crate::words::{Direction, Sector};
use crate::{ExitProto, RoomProto, Vnum};

pub(super) fn read(file: &mut File) {
    file.each_record(|file, vnum, line| {
        let room = room(file, vnum)?;
        let place = file.place(line);
        file.draft.origins.rooms.push((vnum, place));
        file.draft.content.rooms.push(room);
        Ok(())
    });
}

fn room(file: &mut File, vnum: Vnum) -> Result<RoomProto, Trouble> {
    let name = file.text("the room's name")?;
    let description = file.paragraphs("the room's description")?;
    let line = file.lexer.needed("the line of zone, flags and sector")?;
    let wide = line.tokens().nth(5).is_some_and(|word| number(word).is_some());
    let mut tokens = line.tokens();
    tokens.number("the zone")?;
    let bits = tokens.bits(if wide { 4 } else { 1 }, "the room's flags")?;
    let sector_number = tokens.number("the sector")?;
    file.nothing_more(tokens);

    let tables = file.tables_of_layout(wide);
    let mut flags = RoomFlags::NONE;
    file.flags("the room flags", tables.rooms, bits, line.number, |flag| flags.insert(flag));
    let sector = file.word("the sector", tables.sectors, sector_number, Sector::Inside, line.number);
    // The zone is found later, from the vnum: the number on the line is often stale.
    let (exits, extras, scripts, foreign_scripts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut room =
        RoomProto { vnum, zone: 0, name, description, sector, flags, exits, extras, scripts, foreign_scripts };
    let mut ended = false;
    while let Some(line) = file.line_of_record() {
        match line.text.as_bytes()[0] {
            b'D' if !ended => exit(file, &mut room, line)?,
            b'E' if !ended => room.extras.push(file.extra()?),
            b'S' if !ended => {
                ended = true;
                let mut tokens = line.tokens();
                tokens.next();
                file.nothing_more(tokens);
            }
            b'T' | b'R' => room.foreign_scripts.push(file.foreign_script(line)),
            _ => file.junk(line),
        }
    }
    if !ended {
        let line = file.lexer.line_number();
        file.warn(line, format!("room #{vnum} has no S at its end"));
    }
    room.exits.sort_by_key(|exit| exit.direction);
    room.exits.shrink_to_fit();
    room.extras.shrink_to_fit();
    Ok(room)
}

fn exit(file: &mut File, room: &mut RoomProto, line: Line) -> Result<(), Trouble> {
    let direction_number = line.text[1..].trim();
    let Some(direction_number) = number(direction_number) else {
        return Err(Trouble { line: line.number, what: format!("{:?} should be D and a direction", line.text) });
    };
    let description = file.paragraphs("the exit's description")?;
    let keywords = file.text("the keywords of the exit's door")?;
    let last = file.lexer.needed("the line of door, key and room")?;
    let mut tokens = last.tokens();
    let (door, key, to) =
        (tokens.number("the door")?, tokens.number("the key")?, tokens.number("the room it leads to")?);
    file.nothing_more(tokens);

    let Some(direction) = usize::try_from(direction_number).ok().and_then(|n| Direction::ALL.get(n)).copied() else {
        file.warn(
            line.number,
            format!("direction {direction_number} of room #{} is none of our six: left out", room.vnum),
        );
        return Ok(());
    };
    let doors = file.tables().doors;
    let door = usize::try_from(door).ok().and_then(|n| doors.get(n)).copied().unwrap_or_else(|| {
        file.warn(last.number, format!("door type {door} is not known: taken as a plain door"));
        DoorFlags::DOOR
    });
    let exit = ExitProto { direction, to: vnum_or_none(to), description, keywords, door, key: key_or_none(key) };
    let place = file.place(last.number);
    file.draft.origins.exits.push(((room.vnum, direction), place));
    match room.exits.iter_mut().find(|other| other.direction == direction) {
        Some(other) => {
            file.warn(line.number, format!("room #{} has two exits {direction}: the later one stays", room.vnum));
            *other = exit;
        }
        None => room.exits.push(exit),
    }
    Ok(())
}
