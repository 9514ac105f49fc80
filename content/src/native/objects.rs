//! `objects.toml`: objects, each with the table of its kind.

use super::numbers::{self, Numbers};
use super::rooms::{read_extras, write_extras};
use super::scripts;
use super::table::{File, Table};
use super::text::Toml;
use crate::words::{AttackType, ItemType};
use crate::{Horn, Hunted, ObjectApply, ObjectKind, ObjectProto};

/// Hundredths of a percent that mean always.
const ALWAYS: i32 = 10_000;

/// Places for spells on a scroll or in a potion.
const SPELLS_MAX: usize = 3;

pub(super) fn read(file: &mut File, root: &mut Table, _zone: i32) {
    for mut row in file.rows(root, "object") {
        if let Some(vnum) = file.vnum(&mut row) {
            let object = ObjectProto {
                vnum,
                keywords: file.needed_text(&mut row, "keywords"),
                short: file.needed_text(&mut row, "short"),
                long: file.needed_text(&mut row, "long"),
                action: file.paragraphs(&mut row, "action"),
                kind: read_kind(file, &mut row),
                flags: file.field(&mut row, "flags").unwrap_or_default(),
                wear: file.field(&mut row, "wear").unwrap_or_default(),
                affects: file.field(&mut row, "affects").unwrap_or_default(),
                weight: file.number(&mut row, "weight", numbers::POUNDS).unwrap_or_default(),
                cost: file.number(&mut row, "cost", numbers::COINS).unwrap_or_default(),
                level: file.number(&mut row, "level", numbers::LEVEL).unwrap_or_default(),
                load_chance: load_chance(file, &mut row),
                timer_hours: file.number(&mut row, "timer_hours", numbers::HOURS).unwrap_or_default(),
                applies: applies(file, &mut row),
                hunted: file.field(&mut row, "hunted"),
                horn: file.field(&mut row, "horn"),
                extras: read_extras(file, &mut row),
                scripts: scripts::of_row(file, &mut row),
                foreign_scripts: file.field(&mut row, "foreign_scripts").unwrap_or_default(),
            };
            let place = file.place(row.line);
            file.draft.origins.objects.push((vnum, place));
            file.draft.content.objects.push(object);
            file.end(row);
        }
    }
}

fn load_chance(file: &mut File, row: &mut Table) -> i32 {
    let chance = file.hundredths(row, "load_percent", numbers::PERCENT).unwrap_or(ALWAYS);
    chance.clamp(0, ALWAYS)
}

fn applies(file: &mut File, row: &mut Table) -> Vec<ObjectApply> {
    let mut applies = Vec::new();
    for mut apply in file.rows(row, "applies") {
        let (to, by) = (file.needed(&mut apply, "to"), file.needed_number(&mut apply, "by", numbers::APPLY));
        if let (Some(to), Some(by)) = (to, by) {
            applies.push(ObjectApply { to, by });
        }
        file.end(apply);
    }
    applies.shrink_to_fit();
    applies
}

fn read_kind(file: &mut File, row: &mut Table) -> ObjectKind {
    let Some(mut table) = file.table(row, "kind") else {
        file.error(row.line, "object without kind");
        return ObjectKind::Other;
    };
    let item = file.needed(&mut table, "type").unwrap_or(ItemType::Other);
    let (line, kind) = (table.line, kind_of(file, &mut table, item));
    if let Some(why) = odd(&kind) {
        file.warn(line, why);
    }
    file.end(table);
    kind
}

fn kind_of(file: &mut File, table: &mut Table, item: ItemType) -> ObjectKind {
    let mut number = |key: &str| file.needed_number(table, key, numbers_of(item, key)).unwrap_or_default();
    match item {
        ItemType::Light => ObjectKind::Light { hours: number("hours") },
        ItemType::Scroll => ObjectKind::Scroll { level: number("level"), spells: spells(file, table) },
        ItemType::Potion => ObjectKind::Potion { level: number("level"), spells: spells(file, table) },
        ItemType::Wand => ObjectKind::Wand {
            level: number("level"),
            charges_max: number("charges_max"),
            charges: number("charges"),
            spell: number("spell"),
        },
        ItemType::Staff => ObjectKind::Staff {
            level: number("level"),
            charges_max: number("charges_max"),
            charges: number("charges"),
            spell: number("spell"),
        },
        ItemType::Weapon => ObjectKind::Weapon {
            dice: number("dice"),
            sides: number("sides"),
            attack: file.field(table, "attack").unwrap_or(AttackType::Hit),
        },
        ItemType::FireWeapon => ObjectKind::FireWeapon { dice: number("dice"), sides: number("sides") },
        ItemType::Missile => ObjectKind::Missile { dice: number("dice"), sides: number("sides") },
        ItemType::Treasure => ObjectKind::Treasure,
        ItemType::Armor => ObjectKind::Armor { armor: number("armor") },
        ItemType::Worn => ObjectKind::Worn,
        ItemType::Other => ObjectKind::Other,
        ItemType::Trash => ObjectKind::Trash,
        ItemType::Trap => ObjectKind::Trap,
        ItemType::Container => ObjectKind::Container {
            capacity: number("capacity"),
            flags: file.field(table, "flags").unwrap_or_default(),
            key: file.field(table, "key"),
            corpse: file.field(table, "corpse").unwrap_or(false),
        },
        ItemType::Note => ObjectKind::Note,
        ItemType::DrinkContainer => {
            let (capacity, contents) = (number("capacity"), number("contents"));
            let (liquid, poisoned) = drink(file, table);
            ObjectKind::DrinkContainer { capacity, contents, liquid, poisoned }
        }
        ItemType::Fountain => {
            let (capacity, contents) = (number("capacity"), number("contents"));
            let (liquid, poisoned) = drink(file, table);
            ObjectKind::Fountain { capacity, contents, liquid, poisoned }
        }
        ItemType::Key => ObjectKind::Key,
        ItemType::Food => {
            ObjectKind::Food { hours: number("hours"), poisoned: file.field(table, "poisoned").unwrap_or(false) }
        }
        ItemType::Money => ObjectKind::Money { coins: number("coins") },
        ItemType::Pen => ObjectKind::Pen,
        ItemType::Boat => ObjectKind::Boat,
        ItemType::Furniture => ObjectKind::Furniture,
    }
}

/// What there is of a field of a kind.
fn numbers_of(item: ItemType, key: &str) -> Numbers {
    match (item, key) {
        (ItemType::Light, "hours") => numbers::HOURS_OF_LIGHT,
        (_, "hours") => numbers::HOURS,
        (_, "level") => numbers::LEVEL,
        (_, "charges" | "charges_max") => numbers::CHARGES,
        (_, "spell") => numbers::SPELL,
        (_, "dice") => numbers::DICE,
        (_, "sides") => numbers::SIDES,
        (_, "armor") => numbers::ARMOR,
        (_, "coins") => numbers::COINS,
        _ => numbers::CAPACITY,
    }
}

/// What can be and is hardly meant.
fn odd(kind: &ObjectKind) -> Option<String> {
    match *kind {
        ObjectKind::Weapon { dice, sides, .. }
        | ObjectKind::FireWeapon { dice, sides }
        | ObjectKind::Missile { dice, sides }
            if dice == 0 || sides == 0 =>
        {
            Some(format!("{dice}d{sides} are no dice: such a weapon does no harm of its own"))
        }
        ObjectKind::Wand { charges, charges_max, .. } | ObjectKind::Staff { charges, charges_max, .. }
            if charges > charges_max =>
        {
            Some(format!("it has {charges} charges, and {charges_max} at the most"))
        }
        ObjectKind::DrinkContainer { capacity, contents, .. } | ObjectKind::Fountain { capacity, contents, .. }
            if capacity >= 0 && contents > capacity =>
        {
            Some(format!("there are {contents} swallows in it, and it holds {capacity}"))
        }
        ObjectKind::Money { coins: 0 } => Some("coins is 0: that is no money".to_string()),
        _ => None,
    }
}

fn drink(file: &mut File, table: &mut Table) -> (crate::words::Liquid, bool) {
    let liquid = file.needed(table, "liquid").unwrap_or(crate::words::Liquid::Water);
    (liquid, file.field(table, "poisoned").unwrap_or(false))
}

/// Up to three numbers; the places behind them are 0.
fn spells(file: &mut File, table: &mut Table) -> [i32; SPELLS_MAX] {
    let line = file.line_of(table, "spells");
    let list: Vec<i32> = file.needed(table, "spells").unwrap_or_default();
    if list.len() > SPELLS_MAX {
        file.error(line, format!("spells should be at most {SPELLS_MAX} numbers"));
    }
    if let Some(spell) = list.iter().find(|spell| !numbers::SPELL.contains(spell)) {
        file.error(line, format!("spells: no spell can have the number {spell}"));
    }
    let mut spells = [0; SPELLS_MAX];
    for (place, spell) in spells.iter_mut().zip(list) {
        *place = spell;
    }
    spells
}

pub(super) fn write(object: &ObjectProto, toml: &mut Toml) {
    toml.header("[[object]]");
    toml.number("vnum", object.vnum);
    toml.text("keywords", &object.keywords);
    toml.text("short", &object.short);
    toml.text("long", &object.long);
    toml.paragraphs_unless_empty("action", &object.action);
    toml.names("flags", object.flags.names());
    toml.names("wear", object.wear.names());
    toml.names("affects", object.affects.names());
    toml.number_unless("weight", object.weight, 0);
    toml.number_unless("cost", object.cost, 0);
    toml.number_unless("level", object.level, 0);
    if object.load_chance != ALWAYS {
        toml.hundredths("load_percent", object.load_chance);
    }
    toml.number_unless("timer_hours", object.timer_hours, 0);
    let applies: Vec<String> =
        object.applies.iter().map(|apply| format!("{{ to = \"{}\", by = {} }}", apply.to, apply.by)).collect();
    if !applies.is_empty() {
        toml.raw("applies", format_args!("[{}]", applies.join(", ")));
    }
    if let Some(Hunted { mob, room, percent }) = object.hunted {
        toml.raw("hunted", format_args!("{{ mob = {mob}, room = {room}, percent = {percent} }}"));
    }
    if let Some(Horn { mob, room, count }) = object.horn {
        toml.raw("horn", format_args!("{{ mob = {mob}, room = {room}, count = {count} }}"));
    }
    toml.names("scripts", object.scripts.iter().map(|name| &**name));
    toml.texts("foreign_scripts", &object.foreign_scripts);
    toml.header("[object.kind]");
    toml.raw("type", format_args!("\"{}\"", object.kind.item_type()));
    write_kind(&object.kind, toml);
    write_extras("object", &object.extras, toml);
}

fn write_kind(kind: &ObjectKind, toml: &mut Toml) {
    match kind {
        ObjectKind::Light { hours } => toml.number("hours", *hours),
        ObjectKind::Scroll { level, spells } | ObjectKind::Potion { level, spells } => {
            toml.number("level", *level);
            let used = spells.iter().rposition(|spell| *spell != 0).map_or(0, |last| last + 1);
            toml.raw("spells", format_args!("{:?}", &spells[..used]));
        }
        ObjectKind::Wand { level, charges_max, charges, spell }
        | ObjectKind::Staff { level, charges_max, charges, spell } => {
            toml.number("level", *level);
            toml.number("charges_max", *charges_max);
            toml.number("charges", *charges);
            toml.number("spell", *spell);
        }
        ObjectKind::Weapon { dice, sides, attack } => {
            toml.number("dice", *dice);
            toml.number("sides", *sides);
            toml.word_unless("attack", *attack, AttackType::Hit);
        }
        ObjectKind::FireWeapon { dice, sides } | ObjectKind::Missile { dice, sides } => {
            toml.number("dice", *dice);
            toml.number("sides", *sides);
        }
        ObjectKind::Armor { armor } => toml.number("armor", *armor),
        ObjectKind::Container { capacity, flags, key, corpse } => {
            toml.number("capacity", *capacity);
            toml.names("flags", flags.names());
            toml.number_if_any("key", *key);
            toml.flag("corpse", *corpse);
        }
        ObjectKind::DrinkContainer { capacity, contents, liquid, poisoned }
        | ObjectKind::Fountain { capacity, contents, liquid, poisoned } => {
            toml.number("capacity", *capacity);
            toml.number("contents", *contents);
            toml.raw("liquid", format_args!("\"{liquid}\""));
            toml.flag("poisoned", *poisoned);
        }
        ObjectKind::Food { hours, poisoned } => {
            toml.number("hours", *hours);
            toml.flag("poisoned", *poisoned);
        }
        ObjectKind::Money { coins } => toml.number("coins", *coins),
        ObjectKind::Treasure
        | ObjectKind::Worn
        | ObjectKind::Other
        | ObjectKind::Trash
        | ObjectKind::Trap
        | ObjectKind::Note
        | ObjectKind::Key
        | ObjectKind::Pen
        | ObjectKind::Boat
        | ObjectKind::Furniture => {}
    }
}
