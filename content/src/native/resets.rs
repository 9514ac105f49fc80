//! `resets.toml`: what a zone puts back, as a tree or as a flat list of commands.
//!
//! A tree is read into the same flat list, in the order of the file: a row is unconditional, what stands below it
//! depends on it. Writing gives the flat list.

use super::numbers::{INSTANCES, ROUNDS};
use super::table::{File, Table};
use super::text::Toml;
use crate::{Reset, ResetAction};

/// How many of a thing may exist where a row does not say.
const MAX: i32 = 1;

/// The same for what a mob carries.
const CARRIED_MAX: i32 = 100;

pub(super) fn read(file: &mut File, root: &mut Table, zone: i32) {
    let mut resets = Vec::new();
    for row in file.rows(root, "command") {
        resets.extend(command(file, row));
    }
    let flat = !resets.is_empty();
    let mut groups = tree(file, root);
    if flat && let Some(group) = groups.first().and_then(|group| group.first()) {
        file.error(
            group.line,
            "a file has either [[command]] rows or [[mob]], [[object]] and [[door]] rows: these are left out",
        );
        groups.clear();
    }
    // Each group is in order; among the groups the file's order decides.
    groups.sort_by_key(|group| group.first().map_or(0, |reset| reset.line));
    resets.extend(groups.into_iter().flatten());
    let place = file.place(0);
    // The zone was read just before its resets.
    if let Some(proto) = file.draft.content.zones.last_mut().filter(|last| last.number == zone) {
        file.draft.origins.resets.push(((zone, proto.resets.len()), place));
        proto.resets.extend(resets);
        proto.resets.shrink_to_fit();
    }
}

/// How many there may be; where the row does not say, `default`.
fn most(file: &mut File, row: &mut Table, default: i32) -> i32 {
    let line = file.line_of(row, "max");
    let most = file.number(row, "max", INSTANCES).unwrap_or(default);
    if most == 0 {
        file.warn(line, "max is 0: this never comes");
    }
    most
}

/// The list of commands of each `[[mob]]`, `[[object]]` and `[[door]]` row.
fn tree(file: &mut File, root: &mut Table) -> Vec<Vec<Reset>> {
    let mut groups = Vec::new();
    for mut row in file.rows(root, "mob") {
        let mut group = Vec::new();
        let (mob, room) = (file.needed(&mut row, "mob"), file.needed(&mut row, "room"));
        let max = most(file, &mut row, MAX);
        if let (Some(mob), Some(room)) = (mob, room) {
            group.push(Reset { if_last: false, action: ResetAction::Mob { mob, max, room }, line: row.line });
        }
        let mut carried = Vec::new();
        for below in file.rows(&mut row, "equip") {
            carried.push(equip(file, below));
        }
        for below in file.rows(&mut row, "give") {
            carried.push(give(file, below));
        }
        carried.sort_by_key(|list| list.first().map_or(0, |reset| reset.line));
        add(&mut groups, group, carried);
        file.end(row);
    }
    for mut row in file.rows(root, "object") {
        let mut group = Vec::new();
        let (object, room) = (file.needed(&mut row, "object"), file.needed(&mut row, "room"));
        let max = most(file, &mut row, MAX);
        if let (Some(object), Some(room)) = (object, room) {
            let action = ResetAction::Object { object, max, room: Some(room) };
            group.push(Reset { if_last: false, action, line: row.line });
        }
        let refill = file.field(&mut row, "refill").unwrap_or(false);
        let mut held = puts(file, &mut row, object);
        // What stands right below it comes with it, or into the one that is there.
        held.iter_mut().filter_map(|list| list.first_mut()).for_each(|put| put.if_last = !refill);
        add(&mut groups, group, held);
        file.end(row);
    }
    for mut row in file.rows(root, "door") {
        if let Some(action) = door(file, &mut row) {
            groups.push(vec![Reset { if_last: false, action, line: row.line }]);
        }
        file.end(row);
    }
    groups
}

/// What stands below a row that could not be read is left out with it.
fn add(groups: &mut Vec<Vec<Reset>>, mut group: Vec<Reset>, below: Vec<Vec<Reset>>) {
    if !group.is_empty() {
        group.extend(below.into_iter().flatten());
        groups.push(group);
    }
}

fn equip(file: &mut File, mut row: Table) -> Vec<Reset> {
    let (object, slot) = (file.needed(&mut row, "object"), file.needed(&mut row, "slot"));
    let max = most(file, &mut row, CARRIED_MAX);
    let action = object.zip(slot).map(|(object, slot)| ResetAction::Equip { object, max, slot });
    with_contents(file, row, action, object)
}

fn give(file: &mut File, mut row: Table) -> Vec<Reset> {
    let object = file.needed(&mut row, "object");
    let max = most(file, &mut row, CARRIED_MAX);
    let action = object.map(|object| ResetAction::Give { object, max });
    with_contents(file, row, action, object)
}

/// A dependent command and what is put into its object.
fn with_contents(file: &mut File, mut row: Table, action: Option<ResetAction>, object: Option<i32>) -> Vec<Reset> {
    let mut list = Vec::new();
    let held = puts(file, &mut row, object);
    if let Some(action) = action {
        list.push(Reset { if_last: true, action, line: row.line });
        list.extend(held.into_iter().flatten());
    }
    file.end(row);
    list
}

/// The `put` rows below the row of a container.
fn puts(file: &mut File, row: &mut Table, container: Option<i32>) -> Vec<Vec<Reset>> {
    let mut lists = Vec::new();
    for mut below in file.rows(row, "put") {
        let object = file.needed(&mut below, "object");
        let max = file.field(&mut below, "max").unwrap_or(MAX);
        let action = object.zip(container).map(|(object, container)| ResetAction::Put { object, max, container });
        lists.push(with_contents(file, below, action, object));
    }
    lists
}

fn door(file: &mut File, row: &mut Table) -> Option<ResetAction> {
    let (room, direction) = (file.needed(row, "room"), file.needed(row, "direction"));
    let closed = file.field(row, "closed").unwrap_or(true);
    let locked = file.field(row, "locked").unwrap_or(false);
    Some(ResetAction::Door { room: room?, direction: direction?, closed, locked })
}

/// `{ if_last = true, mob = { … } }`.
fn command(file: &mut File, mut row: Table) -> Option<Reset> {
    let line = row.line;
    let if_last = file.field(&mut row, "if_last").unwrap_or(false);
    let mut found = None;
    for (key, read) in COMMANDS {
        if !row.has(key) {
            continue;
        }
        if found.is_some() {
            file.error(line, "a command does one thing");
            return None;
        }
        let mut fields = file.table(&mut row, key)?;
        let action = read(file, &mut fields);
        file.end(fields);
        found = Some(action);
    }
    if found.is_none() {
        file.error(line, "this command does nothing");
    }
    file.end(row);
    Some(Reset { if_last, action: found??, line })
}

/// Reads the fields of a command; `None` after an error.
type ReadCommand = fn(&mut File, &mut Table) -> Option<ResetAction>;

const COMMANDS: [(&str, ReadCommand); 10] = [
    ("mob", |file, row| {
        let (mob, room) = (file.needed(row, "mob"), file.needed(row, "room"));
        let max = most(file, row, MAX);
        Some(ResetAction::Mob { mob: mob?, max, room: room? })
    }),
    ("object", |file, row| {
        let (object, room) = (file.needed(row, "object"), file.field(row, "room"));
        let max = most(file, row, MAX);
        Some(ResetAction::Object { object: object?, max, room })
    }),
    ("put", |file, row| {
        let (object, container) = (file.needed(row, "object"), file.needed(row, "container"));
        let max = most(file, row, MAX);
        Some(ResetAction::Put { object: object?, max, container: container? })
    }),
    ("give", |file, row| {
        let object = file.needed(row, "object");
        let max = most(file, row, CARRIED_MAX);
        Some(ResetAction::Give { object: object?, max })
    }),
    ("equip", |file, row| {
        let (object, slot) = (file.needed(row, "object"), file.needed(row, "slot"));
        let max = most(file, row, CARRIED_MAX);
        Some(ResetAction::Equip { object: object?, max, slot: slot? })
    }),
    ("door", door),
    ("remove_object", |file, row| {
        let (room, object) = (file.needed(row, "room"), file.needed(row, "object"));
        Some(ResetAction::RemoveObject { room: room?, object: object? })
    }),
    ("remove_mob", |file, row| {
        let (room, mob) = (file.needed(row, "room"), file.needed(row, "mob"));
        Some(ResetAction::RemoveMob { room: room?, mob: mob? })
    }),
    ("loop_start", |file, row| Some(ResetAction::LoopStart { count: file.needed_number(row, "count", ROUNDS)? })),
    ("loop_end", |_, _| Some(ResetAction::LoopEnd)),
];

pub(super) fn write(resets: &[Reset]) -> String {
    let mut toml = Toml::default();
    if resets.is_empty() {
        return toml.finish();
    }
    toml.line("command = [");
    for reset in resets {
        let if_last = if reset.if_last { "if_last = true, " } else { "" };
        toml.line(format_args!("  {{ {if_last}{} }},", action(&reset.action)));
    }
    toml.line("]");
    toml.finish()
}

/// Every field is written: in a long list of the same kind the defaults would only hide differences.
fn action(action: &ResetAction) -> String {
    match action {
        ResetAction::Mob { mob, max, room } => format!("mob = {{ mob = {mob}, max = {max}, room = {room} }}"),
        ResetAction::Object { object, max, room: Some(room) } => {
            format!("object = {{ object = {object}, max = {max}, room = {room} }}")
        }
        ResetAction::Object { object, max, room: None } => format!("object = {{ object = {object}, max = {max} }}"),
        ResetAction::Put { object, max, container } => {
            format!("put = {{ object = {object}, max = {max}, container = {container} }}")
        }
        ResetAction::Give { object, max } => format!("give = {{ object = {object}, max = {max} }}"),
        ResetAction::Equip { object, max, slot } => {
            format!("equip = {{ object = {object}, max = {max}, slot = \"{slot}\" }}")
        }
        ResetAction::Door { room, direction, closed, locked } => {
            format!("door = {{ room = {room}, direction = \"{direction}\", closed = {closed}, locked = {locked} }}")
        }
        ResetAction::RemoveObject { room, object } => {
            format!("remove_object = {{ room = {room}, object = {object} }}")
        }
        ResetAction::RemoveMob { room, mob } => format!("remove_mob = {{ room = {room}, mob = {mob} }}"),
        ResetAction::LoopStart { count } => format!("loop_start = {{ count = {count} }}"),
        ResetAction::LoopEnd => "loop_end = {}".to_owned(),
    }
}
