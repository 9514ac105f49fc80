//! `.zon` files: zones and their reset commands, and which zone a room belongs to.

use super::dialect::Dialect;
use super::file::{File, vnum_or_none};
use super::lexer::{Line, Tokens, Trouble, number};
use crate::draft::Draft;
use crate::words::{Direction, ResetMode};
use crate::{Reset, ResetAction, Text, Vnum, ZoneProto};

/// `first` of a zone whose header does not name it, until `give_rooms_to_zones` finds it.
const UNKNOWN: Vnum = Vnum::MIN;

pub(super) fn read(file: &mut File) {
    file.each_record(|file, number, line| {
        let mut zone = header(file, number)?;
        commands(file, &mut zone);
        zone.resets.shrink_to_fit();
        let place = file.place(line);
        file.draft.origins.zones.push((number, place));
        file.draft.origins.resets.push(((number, 0), place));
        file.draft.content.zones.push(zone);
        Ok(())
    });
}

/// A name and three numbers, or builders, a name and four to ten numbers.
fn header(file: &mut File, zone_number: i32) -> Result<ZoneProto, Trouble> {
    let one = file.lexer.needed("the zone's name")?;
    let two = file.lexer.needed("the zone's numbers")?;
    let is_numbers = |line: Line| line.tokens().take(3).filter(|word| number(word).is_some()).count() == 3;
    let (builders, name, numbers) = if is_numbers(two) {
        ("", one.text, two)
    } else {
        (one.text, two.text, file.lexer.needed("the zone's numbers")?)
    };
    let mut tokens = numbers.tokens();
    let leading = numbers.tokens().take_while(|word| number(word).is_some()).count();
    let first = if leading >= 4 { tokens.number("the first room")? } else { UNKNOWN };
    let last = tokens.number("the last room")?;
    let lifespan_minutes = tokens.number("the lifespan")?;
    let mode = tokens.number("the reset mode")?;
    let mut levels = (0, 0);
    if numbers.tokens().count() >= 10 {
        tokens.bits(4, "the zone's flags")?;
        let lowest = tokens.number("the lowest level")?;
        let highest = tokens.number("the highest level")?;
        if lowest >= 0 && highest > 0 {
            levels = (lowest, highest);
        }
    }
    let reset_mode = file.word("the reset mode", ResetMode::ALL, mode, ResetMode::Always, numbers.number);
    if first > last {
        file.warn(numbers.number, format!("the zone's first room ({first}) is behind its last ({last})"));
    }
    Ok(ZoneProto {
        number: zone_number,
        name: line_text(file, name),
        builders: line_text(file, builders),
        first,
        last,
        more: Vec::new(),
        lifespan_minutes,
        reset_mode,
        levels,
        rumour: Text::from(""),
        quarters: Vec::new(),
        resets: Vec::new(),
    })
}

/// A text of one line, whose `~` may be left out.
fn line_text(file: &mut File, line: &str) -> Text {
    let line = line.trim();
    file.clean(line.strip_suffix('~').unwrap_or(line).trim_end())
}

/// Commands up to `S` or `$`, or to where the next zone begins.
fn commands(file: &mut File, zone: &mut ZoneProto) {
    while let Some(line) = file.line_of_record() {
        if line.text.trim_end() == "S" {
            return;
        }
        match command(file, line) {
            Ok(Some((if_last, action))) => zone.resets.push(Reset { if_last, action, line: line.number }),
            Ok(None) => {}
            Err(mut trouble) => {
                trouble.what = format!("this command is left out: {}", trouble.what);
                file.error(trouble);
            }
        }
    }
    if file.lexer.peek().is_none_or(|line| !line.ends_file()) {
        let line = file.lexer.line_number().saturating_sub(1);
        file.warn(line, format!("zone #{} has no S at its end", zone.number));
    }
}

/// The if-flag and what is done; `None` for commands that are not of this world.
fn command(file: &mut File, line: Line) -> Result<Option<(bool, ResetAction)>, Trouble> {
    let letter = line.text.as_bytes()[0];
    let mut tokens = Tokens::clone(&line.tokens());
    let word = tokens.word("a command")?;
    if word.len() != 1 {
        return Err(tokens.trouble(format!("{word:?} is not a command")));
    }
    if matches!(letter, b'T' | b'V') {
        file.no_scripts(line.number);
        return Ok(None);
    }
    if !b"MOPGEDRL".contains(&letter) {
        return Err(tokens.trouble(format!("{word:?} is not a command")));
    }
    let if_last = tokens.number("the if-flag")? != 0;
    let action = match letter {
        b'M' => ResetAction::Mob {
            mob: tokens.number("the mob")?,
            max: tokens.number("the limit")?,
            room: tokens.number("the room")?,
        },
        b'O' => ResetAction::Object {
            object: tokens.number("the object")?,
            max: tokens.number("the limit")?,
            room: vnum_or_none(tokens.number("the room")?),
        },
        b'P' => ResetAction::Put {
            object: tokens.number("the object")?,
            max: tokens.number("the limit")?,
            container: tokens.number("the container")?,
        },
        b'G' => ResetAction::Give { object: tokens.number("the object")?, max: tokens.number("the limit")? },
        b'E' => {
            let (object, max) = (tokens.number("the object")?, tokens.number("the limit")?);
            let position = tokens.number("the wear position")?;
            let slots = file.tables().slots;
            let slot = usize::try_from(position).ok().and_then(|index| slots.get(index)).copied();
            let slot = slot.ok_or_else(|| tokens.trouble(format!("wear position {position} is not known")))?;
            ResetAction::Equip { object, max, slot }
        }
        b'D' => {
            let room = tokens.number("the room")?;
            let (direction, state) = (tokens.number("the direction")?, tokens.number("the door's state")?);
            let Some(direction) = usize::try_from(direction).ok().and_then(|n| Direction::ALL.get(n)).copied() else {
                file.warn(line.number, format!("direction {direction} is none of our six: the door is left out"));
                return Ok(None);
            };
            let state = file.clamped("the door's state", state, 0, 2, line.number);
            ResetAction::Door { room, direction, closed: state >= 1, locked: state == 2 }
        }
        b'R' => remove(file, &mut tokens)?,
        _ => {
            let (phase, count) = (tokens.number("the phase")?, tokens.number("the count")?);
            if phase == 0 { ResetAction::LoopStart { count } } else { ResetAction::LoopEnd }
        }
    };
    Ok(Some((if_last, action)))
}

/// `R if room object`, or in Dark Pawns `R if room is_object vnum`.
fn remove(file: &mut File, tokens: &mut Tokens) -> Result<ResetAction, Trouble> {
    let room = tokens.number("the room")?;
    let second = tokens.number("the object")?;
    let third = tokens.clone().next().and_then(number).filter(|third| *third >= 0);
    Ok(match third {
        Some(mob) if file.dialect == Dialect::DarkPawns && second == 0 => ResetAction::RemoveMob { room, mob },
        Some(object) if file.dialect == Dialect::DarkPawns => ResetAction::RemoveObject { room, object },
        _ => ResetAction::RemoveObject { room, object: second },
    })
}

/// Gives every room the zone that its vnum falls into, the first whose last room is not before it, and every zone
/// without a first room the lowest that it can have.
pub(super) fn give_rooms_to_zones(draft: &mut Draft) {
    let content = &mut draft.content;
    let mut order: Vec<usize> = (0..content.zones.len()).collect();
    order.sort_by_key(|&index| (content.zones[index].last, content.zones[index].number));
    let zones = &content.zones;
    let zone_of = |vnum: Vnum| order.get(order.partition_point(|&index| zones[index].last < vnum)).copied();

    let mut lowest = vec![Vnum::MAX; zones.len()];
    let mut homeless = Vec::new();
    for room in &mut content.rooms {
        match zone_of(room.vnum) {
            Some(index) => {
                room.zone = zones[index].number;
                lowest[index] = lowest[index].min(room.vnum);
            }
            None => homeless.push(room.vnum),
        }
    }
    let mut after_previous = 0;
    for &index in &order {
        let zone = &mut content.zones[index];
        if zone.first == UNKNOWN {
            let hundred = zone.number.saturating_mul(100);
            let first = if hundred > zone.last { zone.last } else { hundred.max(after_previous) };
            zone.first = first.min(lowest[index]);
        }
        after_previous = zone.last.saturating_add(1);
    }
    if !homeless.is_empty() {
        homeless.sort_unstable();
        house(draft, &homeless);
    }
}

/// Rooms behind the last zone: each is an error, and gets a zone so that every room has one.
fn house(draft: &mut Draft, homeless: &[Vnum]) {
    let Draft { content, problems, origins, .. } = draft;
    for &vnum in homeless {
        let place = origins.rooms.iter().find(|(v, _)| *v == vnum).map(|(_, place)| *place).unwrap_or_default();
        problems.error(origins.path(place), place.line, format!("room #{vnum} is in no zone"));
        let number = vnum.div_euclid(100);
        if !content.zones.iter().any(|zone| zone.number == number) {
            let first = number.saturating_mul(100);
            let last = first.saturating_add(99);
            content.zones.push(ZoneProto {
                number,
                name: Text::from("(no zone)"),
                builders: Text::from(""),
                first,
                last,
                more: Vec::new(),
                lifespan_minutes: 30,
                reset_mode: ResetMode::Never,
                levels: (0, 0),
                rumour: Text::from(""),
                quarters: Vec::new(),
                resets: Vec::new(),
            });
        }
    }
    for room in content.rooms.iter_mut().filter(|room| homeless.binary_search(&room.vnum).is_ok()) {
        room.zone = room.vnum.div_euclid(100);
    }
}
