//! `.mob` files: simple (S) and enhanced (E) mobs.

use super::dialect::Dialect;
use super::file::File;
use super::flags::Tables;
use super::lexer::{Line, Tokens, Trouble, number};
use crate::flags::{AffectFlags, MobFlags};
use crate::words::{AttackType, Position, Race, Sex};
use crate::{Dice, MobProto, Vnum};

/// Words for the abilities in enhanced mobs, in the order of `MobProto::abilities`.
const ABILITIES: [&str; 6] = ["Str", "Int", "Wis", "Dex", "Con", "Cha"];

pub(super) fn read(file: &mut File) {
    file.each_record(|file, vnum, line| {
        let mob = mob(file, vnum)?;
        let place = file.place(line);
        file.draft.origins.mobs.push((vnum, place));
        file.draft.content.mobs.push(mob);
        Ok(())
    });
}

/// The line of flags, alignment and type of record.
struct FlagLine {
    mob_bits: u128,
    affect_bits: u128,
    alignment: i32,
    enhanced: bool,
    tables: &'static Tables,
}

fn mob(file: &mut File, vnum: Vnum) -> Result<MobProto, Trouble> {
    let keywords = file.text("the mob's keywords")?;
    let short = file.text("the mob's short description")?;
    let long = file.text("the mob's long description")?;
    let description = file.paragraphs("the mob's description")?;

    let line = file.lexer.needed("the line of flags, alignment and type")?;
    let found = flag_line(file, line)?;
    let mut flags = MobFlags::NONE;
    file.flags("the mob flags", found.tables.mobs, found.mob_bits, line.number, |flag| flags.insert(flag));
    let mut affects = AffectFlags::NONE;
    file.flags("the affect flags", found.tables.affects, found.affect_bits, line.number, |flag| affects.insert(flag));
    let alignment = file.clamped("the alignment", found.alignment, -1000, 1000, line.number);

    let line = file.lexer.needed("the line of level, THAC0, AC and dice")?;
    let mut tokens = line.tokens();
    let level = tokens.number("the level")?;
    let hit_roll = 20i32.saturating_sub(tokens.number("the THAC0")?);
    let armor = tokens.number("the armor class")?.saturating_mul(10).clamp(-100, 100);
    let hit_points = dice(&mut tokens, "the dice of hit points")?;
    let damage = dice(&mut tokens, "the dice of damage")?;
    file.nothing_more(tokens);

    let line = file.lexer.needed("the line of gold and experience")?;
    let mut tokens = line.tokens();
    let (gold, experience) = (tokens.number("the gold")?, tokens.number("the experience")?);
    file.nothing_more(tokens);

    let line = file.lexer.needed("the line of positions and sex")?;
    let mut tokens = line.tokens();
    let load = tokens.number("the load position")?;
    let default = tokens.number("the default position")?;
    let sex = tokens.number("the sex")?;
    file.nothing_more(tokens);
    let load_position = file.word("the load position", Position::ALL, load, Position::Standing, line.number);
    let default_position = file.word("the default position", Position::ALL, default, Position::Standing, line.number);
    let sex = file.word("the sex", Sex::ALL, sex, Sex::Neutral, line.number);

    let noise = file.draft.texts.share("");
    let mut mob = MobProto {
        vnum,
        keywords,
        short,
        long,
        description,
        flags,
        affects,
        alignment,
        level,
        hit_roll,
        armor,
        hit_points,
        damage,
        gold,
        experience,
        load_position,
        default_position,
        sex,
        race: Race::Other,
        attack: AttackType::Hit,
        abilities: [None; 6],
        strength_add: 0,
        noise,
        behaviours: Vec::new(),
        scripts: Vec::new(),
        foreign_scripts: Vec::new(),
    };
    if flags.has(MobFlags::SPEC) {
        mob.foreign_scripts.push("spec".into());
    }
    if found.enhanced {
        especs(file, &mut mob);
    }
    while let Some(line) = file.line_of_record() {
        match line.text.as_bytes()[0] {
            b'T' => mob.foreign_scripts.push(file.foreign_script(line)),
            _ => file.junk(line),
        }
    }
    Ok(mob)
}

/// Ten fields in the wide layout, four in the stock one; the last is S or E, sometimes without a space before it.
fn flag_line(file: &mut File, line: Line) -> Result<FlagLine, Trouble> {
    let kind_at = |index: usize| line.tokens().nth(index).is_some_and(|word| matches!(word, "S" | "E"));
    let wide = kind_at(9) || (!kind_at(3) && line.tokens().count() >= 9);
    let words = if wide { 4 } else { 1 };
    let mut tokens = line.tokens();
    let mob_bits = tokens.bits(words, "the mob's flags")?;
    let affect_bits = tokens.bits(words, "the mob's affects")?;
    let word = tokens.word("the alignment")?;
    let (alignment, kind) = match word.strip_suffix(['S', 'E']) {
        Some(number) => (number, &word[number.len()..]),
        None => (word, tokens.word("the type of record (S or E)")?),
    };
    let alignment = number(alignment)
        .ok_or_else(|| tokens.trouble(format!("the alignment should be a number, not {alignment:?}")))?;
    let enhanced = match kind {
        "E" => true,
        "S" => false,
        other => return Err(tokens.trouble(format!("the type of record should be S or E, not {other:?}"))),
    };
    file.nothing_more(tokens);
    Ok(FlagLine { mob_bits, affect_bits, alignment, enhanced, tables: file.tables_of_layout(wide) })
}

/// `6d6+330`.
fn dice(tokens: &mut Tokens, what: &str) -> Result<Dice, Trouble> {
    let word = tokens.word(what)?;
    let dice: Dice =
        word.parse().map_err(|()| tokens.trouble(format!("{what} should look like 2d6+10, not {word:?}")))?;
    // Old files have 2d0+100 for what is always 100. That is what dice without sides come to, and nobody throws them.
    Ok(if dice.sides == 0 { Dice { count: 0, ..dice } } else { dice })
}

/// `Keyword: value` lines up to a line with `E`.
fn especs(file: &mut File, mob: &mut MobProto) {
    while let Some(line) = file.line_of_record() {
        if line.text.trim() == "E" {
            return;
        }
        match line.text.split_once(':') {
            Some((keyword, value)) => espec(file, mob, keyword.trim(), value.trim(), line.number),
            None => file.junk(line),
        }
    }
    let line = file.lexer.line_number();
    file.warn(line, format!("the enhanced part of mob #{} has no E at its end", mob.vnum));
}

fn espec(file: &mut File, mob: &mut MobProto, keyword: &str, value: &str, line: u32) {
    let is = |name: &str| keyword.eq_ignore_ascii_case(name);
    if is("Noise") {
        mob.noise = file.clean(value.trim_end_matches('~').trim_end());
        return;
    }
    if is("Script") {
        file.keeps_scripts(line);
        let named = file.clean(&format!("Script: {value}"));
        return mob.foreign_scripts.push(named);
    }
    if let Some(which) = SAVINGS.iter().position(|name| is(name)) {
        return file
            .warn_once("savings", which as i64, line, || format!("{keyword} has no meaning here and is left out"));
    }
    let Some(number) = value.split_ascii_whitespace().next().and_then(number) else {
        return file.warn(line, format!("{keyword}: {value:?} is not understood and left out"));
    };
    if let Some(ability) = ABILITIES.iter().position(|name| is(name)) {
        mob.abilities[ability] = Some(file.clamped(keyword, number, 3, 25, line));
    } else if is("StrAdd") {
        mob.strength_add = file.clamped(keyword, number, 0, 100, line);
    } else if is("BareHandAttack") {
        mob.attack = file.word("BareHandAttack", AttackType::ALL, number, AttackType::Hit, line);
    } else if is("Race") && file.dialect != Dialect::Stock {
        mob.race = file.word("Race", Race::ALL, number, Race::Other, line);
    } else {
        file.warn(line, format!("{keyword:?} is not known and left out"));
    }
}

/// tbaMUD's own; saving throws of mobs follow from their level here.
const SAVINGS: [&str; 5] = ["SavingPara", "SavingRod", "SavingPetri", "SavingBreath", "SavingSpell"];
