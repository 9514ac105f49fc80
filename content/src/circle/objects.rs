//! `.obj` files: objects with their values, applies and extra descriptions.

use super::dialect::Dialect;
use super::file::{File, key_or_none};
use super::flags::{CONTAINERS, Tables, tables};
use super::lexer::{Trouble, hundredths};
use crate::flags::{AffectFlags, ContainerFlags, ObjectFlags, WearFlags};
use crate::words::{Apply, AttackType, ItemType, Liquid};
use crate::{ObjectApply, ObjectKind, ObjectProto, Vnum};

/// What the classic programs hold; more is kept and said.
const APPLIES_MAX: usize = 6;

/// Hundredths of a percent that mean always.
const ALWAYS: i32 = 10_000;

pub(super) fn read(file: &mut File) {
    file.each_record(|file, vnum, line| {
        let object = object(file, vnum)?;
        let place = file.place(line);
        file.draft.origins.objects.push((vnum, place));
        file.draft.content.objects.push(object);
        Ok(())
    });
}

fn object(file: &mut File, vnum: Vnum) -> Result<ObjectProto, Trouble> {
    let keywords = file.text("the object's keywords")?;
    let short = file.text("the object's short description")?;
    let long = file.text("the object's long description")?;
    let action = file.paragraphs("the object's action description")?;

    let line = file.lexer.needed("the line of type and flags")?;
    let fields = line.tokens().count();
    let dialect = Dialect::of_object_line(fields);
    let words = if dialect == Dialect::Stock { 1 } else { 4 };
    let mut tokens = line.tokens();
    let type_number = tokens.number("the type")?;
    let flag_bits = tokens.bits(words, "the object's flags")?;
    let wear_bits = tokens.bits(words, "the wear flags")?;
    let affect_bits = match dialect {
        Dialect::Tbamud => tokens.bits(4, "the affects")?,
        Dialect::Stock if fields >= 4 => tokens.bits(1, "the affects")?,
        _ => 0,
    };
    file.nothing_more(tokens);
    let tables = tables(dialect);
    let mut flags = ObjectFlags::NONE;
    file.flags("the object flags", tables.objects, flag_bits, line.number, |flag| flags.insert(flag));
    let mut wear = WearFlags::NONE;
    file.flags("the wear flags", tables.wear, wear_bits, line.number, |flag| wear.insert(flag));
    let mut affects = AffectFlags::NONE;
    file.flags("the affect flags", tables.affects, affect_bits, line.number, |flag| affects.insert(flag));
    let item = item_type(tables, type_number).unwrap_or_else(|| {
        file.warn_once("item type", i64::from(type_number), line.number, || {
            format!("item type {type_number} is not known: taken as other")
        });
        ItemType::Other
    });

    let line = file.lexer.needed("the line of four values")?;
    let mut tokens = line.tokens();
    let mut values = [0; 4];
    for value in &mut values {
        *value = tokens.number("a value")?;
    }
    file.nothing_more(tokens);
    let kind = kind(file, item, values, line.number);

    let line = file.lexer.needed("the line of weight and cost")?;
    let mut tokens = line.tokens();
    let (mut weight, cost) = (tokens.number("the weight")?, tokens.number("the cost")?);
    let mut load_chance = ALWAYS;
    let (mut level, mut timer_hours) = (0, 0);
    let third = tokens.word("the third number (rent, or chance to load)")?;
    if dialect == Dialect::DarkPawns {
        let chance = hundredths(third)
            .ok_or_else(|| tokens.trouble(format!("the chance to load should be a number, not {third:?}")))?;
        load_chance = file.clamped("the chance to load, in hundredths,", chance, 0, ALWAYS, line.number);
    } else if tokens.rest().starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        level = tokens.number("the level")?;
        if !tokens.rest().is_empty() {
            timer_hours = tokens.number("the timer")?;
            // tbaMUD has a fifth number in some files.
            let _ = tokens.next();
        }
    }
    file.nothing_more(tokens);
    // A vessel weighs at least what is in it.
    if let ObjectKind::DrinkContainer { contents, .. } | ObjectKind::Fountain { contents, .. } = &kind
        && weight < *contents
    {
        weight = contents.saturating_add(5);
    }

    let mut object = ObjectProto {
        vnum,
        keywords,
        short,
        long,
        action,
        kind,
        flags,
        wear,
        affects,
        weight,
        cost,
        level,
        load_chance,
        timer_hours,
        applies: Vec::new(),
        hunted: None,
        horn: None,
        extras: Vec::new(),
        scripts: Vec::new(),
        foreign_scripts: Vec::new(),
    };
    while let Some(line) = file.line_of_record() {
        match line.text.as_bytes()[0] {
            b'E' => object.extras.push(file.extra()?),
            b'A' => apply(file, tables, &mut object)?,
            b'S' | b'T' => object.foreign_scripts.push(file.foreign_script(line)),
            _ => file.junk(line),
        }
    }
    object.applies.shrink_to_fit();
    object.extras.shrink_to_fit();
    Ok(object)
}

/// The type with that number; `None` for 0 and unused numbers.
pub(super) fn item_type(tables: &Tables, number: i32) -> Option<ItemType> {
    usize::try_from(number).ok().and_then(|index| tables.items.get(index)).copied().flatten()
}

fn kind(file: &mut File, item: ItemType, values: [i32; 4], line: u32) -> ObjectKind {
    let [v0, v1, v2, v3] = values;
    let poisoned = v3 != 0;
    match item {
        ItemType::Light => ObjectKind::Light { hours: v2 },
        ItemType::Scroll => ObjectKind::Scroll { level: v0, spells: spells(v1, v2, v3) },
        ItemType::Potion => ObjectKind::Potion { level: v0, spells: spells(v1, v2, v3) },
        ItemType::Wand => ObjectKind::Wand { level: v0, charges_max: v1, charges: v2, spell: v3 },
        ItemType::Staff => ObjectKind::Staff { level: v0, charges_max: v1, charges: v2, spell: v3 },
        ItemType::Weapon => {
            let attack = file.word("the weapon's attack", AttackType::ALL, v3, AttackType::Hit, line);
            ObjectKind::Weapon { dice: v1, sides: v2, attack }
        }
        ItemType::FireWeapon => ObjectKind::FireWeapon { dice: v1, sides: v2 },
        ItemType::Missile => ObjectKind::Missile { dice: v1, sides: v2 },
        ItemType::Treasure => ObjectKind::Treasure,
        ItemType::Armor => ObjectKind::Armor { armor: v0 },
        ItemType::Worn => ObjectKind::Worn,
        ItemType::Other => ObjectKind::Other,
        ItemType::Trash => ObjectKind::Trash,
        ItemType::Trap => ObjectKind::Trap,
        ItemType::Container => {
            let mut flags = ContainerFlags::NONE;
            let bits = u128::from(v1.max(0) as u32);
            file.flags("the container flags", &CONTAINERS, bits, line, |flag| flags.insert(flag));
            ObjectKind::Container { capacity: v0, flags, key: key_or_none(v2), corpse: v3 == 1 }
        }
        ItemType::Note => ObjectKind::Note,
        ItemType::DrinkContainer => {
            ObjectKind::DrinkContainer { capacity: v0, contents: v1, liquid: liquid(file, v2, line), poisoned }
        }
        ItemType::Fountain => {
            ObjectKind::Fountain { capacity: v0, contents: v1, liquid: liquid(file, v2, line), poisoned }
        }
        ItemType::Key => ObjectKind::Key,
        ItemType::Food => ObjectKind::Food { hours: v0, poisoned },
        ItemType::Money => ObjectKind::Money { coins: v0 },
        ItemType::Pen => ObjectKind::Pen,
        ItemType::Boat => ObjectKind::Boat,
        ItemType::Furniture => ObjectKind::Furniture,
    }
}

/// Spell numbers with 0 for none, whatever the file has for it.
fn spells(v1: i32, v2: i32, v3: i32) -> [i32; 3] {
    [v1.max(0), v2.max(0), v3.max(0)]
}

fn liquid(file: &mut File, number: i32, line: u32) -> Liquid {
    file.word("the liquid", Liquid::ALL, number, Liquid::Water, line)
}

fn apply(file: &mut File, tables: &Tables, object: &mut ObjectProto) -> Result<(), Trouble> {
    let line = file.lexer.needed("the line of what is changed and by how much")?;
    let mut tokens = line.tokens();
    let (location, by) = (tokens.number("what is changed")?, tokens.number("by how much it is changed")?);
    file.nothing_more(tokens);
    let to = file.word("the apply", tables.applies, location, Apply::None, line.number);
    match to {
        Apply::None => return Ok(()),
        // The modifier is the number of an affect in the old numbering; as one of the object's affects it needs none.
        Apply::PermanentSpell if (0..128).contains(&by) => {
            let affects = &mut object.affects;
            file.flags("the permanent spells", tables.affects, 1 << by, line.number, |flag| affects.insert(flag));
            return Ok(());
        }
        _ => object.applies.push(ObjectApply { to, by }),
    }
    if object.applies.len() == APPLIES_MAX + 1 {
        file.warn(line.number, format!("object #{} has more than {APPLIES_MAX} applies", object.vnum));
    }
    Ok(())
}
