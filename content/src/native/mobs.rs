//! `mobs.toml`: mobs.

use super::numbers::{self, highest, impossible, unthrowable};
use super::scripts;
use super::table::{File, Table};
use super::text::Toml;
use crate::words::{AttackType, Position, Race, Sex};
use crate::{Behaviour, Dice, MobProto};

/// Fields of `abilities`, in the order of `MobProto::abilities`.
const ABILITIES: [&str; 6] = ["strength", "intelligence", "wisdom", "dexterity", "constitution", "charisma"];

/// Armour of somebody who has none.
const UNARMORED: i32 = 100;

pub(super) fn read(file: &mut File, root: &mut Table, _zone: i32) {
    for mut row in file.rows(root, "mob") {
        if let Some(vnum) = file.vnum(&mut row) {
            let (abilities, strength_add) = abilities(file, &mut row);
            let mob = MobProto {
                vnum,
                keywords: file.needed_text(&mut row, "keywords"),
                short: file.needed_text(&mut row, "short"),
                long: file.needed_text(&mut row, "long"),
                description: file.paragraphs(&mut row, "description"),
                flags: file.field(&mut row, "flags").unwrap_or_default(),
                affects: file.field(&mut row, "affects").unwrap_or_default(),
                alignment: within(file, &mut row, "alignment", 0, -1000, 1000),
                level: level(file, &mut row),
                hit_roll: file.number(&mut row, "hit_roll", numbers::HIT_ROLL).unwrap_or_default(),
                armor: within(file, &mut row, "armor", UNARMORED, -100, 100),
                hit_points: dice(file, &mut row, "hit_points"),
                damage: dice(file, &mut row, "damage"),
                gold: file.number(&mut row, "gold", numbers::COINS).unwrap_or_default(),
                experience: file.number(&mut row, "experience", numbers::EXPERIENCE).unwrap_or_default(),
                load_position: file.field(&mut row, "load_position").unwrap_or(Position::Standing),
                default_position: file.field(&mut row, "default_position").unwrap_or(Position::Standing),
                sex: file.field(&mut row, "sex").unwrap_or(Sex::Neutral),
                race: file.field(&mut row, "race").unwrap_or(Race::Other),
                attack: file.field(&mut row, "attack").unwrap_or(AttackType::Hit),
                abilities,
                strength_add,
                noise: file.text(&mut row, "noise"),
                behaviours: behaviours(file, &mut row),
                scripts: scripts::of_row(file, &mut row),
                foreign_scripts: file.field(&mut row, "foreign_scripts").unwrap_or_default(),
            };
            let place = file.place(row.line);
            file.draft.origins.mobs.push((vnum, place));
            file.draft.content.mobs.push(mob);
            file.end(row);
        }
    }
}

/// A number that has to be in a range.
fn within(file: &mut File, row: &mut Table, key: &str, default: i32, from: i32, to: i32) -> i32 {
    file.number(row, key, from..=to).map_or(default, |number| number.clamp(from, to))
}

fn level(file: &mut File, row: &mut Table) -> i32 {
    let line = file.line_of(row, "level");
    let level = file.needed_number(row, "level", numbers::LEVEL);
    if let Some(level) = level.filter(|level| numbers::LEVEL.contains(level)) {
        let most = numbers::LEVEL_PLAYER_MAX;
        if level == 0 {
            file.warn(line, "level is 0, and players begin with 1");
        } else if level > most {
            file.warn(line, format!("level is {level}, and nobody who plays is above {most}"));
        }
    }
    level.unwrap_or_default()
}

fn dice(file: &mut File, row: &mut Table, key: &str) -> Dice {
    let line = file.line_of(row, key);
    let Some(text) = file.needed::<String>(row, key) else { return Dice::default() };
    let Ok(dice) = text.parse() else {
        file.error(line, format!("{key} should look like 2d6+10, not {text:?}"));
        return Dice::default();
    };
    if let Some(why) = unthrowable(dice, &text) {
        file.error(line, format!("{key} {why}"));
    } else if highest(dice) < 1 {
        file.warn(line, format!("{key} never comes to 1: {text:?} is {} at the most", highest(dice)));
    }
    dice
}

fn abilities(file: &mut File, row: &mut Table) -> ([Option<i32>; 6], i32) {
    let Some(mut table) = file.table(row, "abilities") else { return Default::default() };
    let abilities = ABILITIES.map(|key| file.number(&mut table, key, numbers::ABILITY));
    let strength_add = file.number(&mut table, "strength_add", numbers::STRENGTH_ADD).unwrap_or_default();
    file.end(table);
    (abilities, strength_add)
}

fn behaviours(file: &mut File, row: &mut Table) -> Vec<Behaviour> {
    let mut behaviours = Vec::new();
    for row in file.rows(row, "behaviours") {
        let line = row.line;
        let Some(behaviour) = file.whole(row) else { continue };
        if let Some(why) = impossible(&behaviour) {
            file.error(line, format!("behaviours: {why}"));
        }
        behaviours.push(behaviour);
    }
    behaviours
}

pub(super) fn write(mob: &MobProto, toml: &mut Toml) {
    toml.header("[[mob]]");
    toml.number("vnum", mob.vnum);
    toml.text("keywords", &mob.keywords);
    toml.text("short", &mob.short);
    toml.text("long", &mob.long);
    toml.paragraphs_unless_empty("description", &mob.description);
    toml.names("flags", mob.flags.names());
    toml.names("affects", mob.affects.names());
    toml.number_unless("alignment", mob.alignment, 0);
    toml.number("level", mob.level);
    toml.number_unless("hit_roll", mob.hit_roll, 0);
    toml.number_unless("armor", mob.armor, UNARMORED);
    toml.raw("hit_points", format_args!("\"{}\"", mob.hit_points));
    toml.raw("damage", format_args!("\"{}\"", mob.damage));
    toml.number_unless("gold", mob.gold, 0);
    toml.number_unless("experience", mob.experience, 0);
    toml.word_unless("load_position", mob.load_position, Position::Standing);
    toml.word_unless("default_position", mob.default_position, Position::Standing);
    toml.word_unless("sex", mob.sex, Sex::Neutral);
    toml.word_unless("race", mob.race, Race::Other);
    toml.word_unless("attack", mob.attack, AttackType::Hit);
    let named = ABILITIES.into_iter().zip(mob.abilities).filter_map(|(key, value)| Some((key, value?)));
    let add = Some(("strength_add", mob.strength_add)).filter(|(_, value)| *value != 0);
    let abilities: Vec<String> = named.chain(add).map(|(key, value)| format!("{key} = {value}")).collect();
    if !abilities.is_empty() {
        toml.raw("abilities", format_args!("{{ {} }}", abilities.join(", ")));
    }
    toml.text_unless_empty("noise", &mob.noise);
    let behaviours: Vec<String> = mob.behaviours.iter().map(behaviour_in_toml).collect();
    if !behaviours.is_empty() {
        toml.raw("behaviours", format_args!("[{}]", behaviours.join(", ")));
    }
    toml.names("scripts", mob.scripts.iter().map(|name| &**name));
    toml.texts("foreign_scripts", &mob.foreign_scripts);
}

/// As a row of `mobs.toml` has it: `{ kind = "teacher", classes = ["cleric"] }`.
pub fn behaviour_in_toml(behaviour: &Behaviour) -> String {
    fn list<T: std::fmt::Display>(words: &[T]) -> String {
        words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ")
    }
    match behaviour {
        Behaviour::Teacher { classes } => format!("{{ kind = \"teacher\", classes = [{}] }}", list(classes)),
        Behaviour::Guard { way, lets } => {
            format!("{{ kind = \"guard\", way = \"{way}\", lets = [{}] }}", list(lets))
        }
        Behaviour::Caster { spells, one_in } => {
            format!("{{ kind = \"caster\", spells = [{}], one_in = {one_in} }}", list(spells))
        }
        Behaviour::Fighter { verbs, one_in } => {
            format!("{{ kind = \"fighter\", verbs = [{}], one_in = {one_in} }}", list(verbs))
        }
        Behaviour::Venom { hours, one_in } => format!("{{ kind = \"venom\", hours = {hours}, one_in = {one_in} }}"),
        Behaviour::Gaze { ticks, one_in } => format!("{{ kind = \"gaze\", ticks = {ticks}, one_in = {one_in} }}"),
        Behaviour::Vanisher { percent } => format!("{{ kind = \"vanisher\", percent = {percent} }}"),
        Behaviour::Rescuer { one_in } => format!("{{ kind = \"rescuer\", one_in = {one_in} }}"),
        Behaviour::Breeder { most, one_in } => {
            format!("{{ kind = \"breeder\", most = {most}, one_in = {one_in} }}")
        }
        Behaviour::Healer { spells, lost_percent } => {
            format!("{{ kind = \"healer\", spells = [{}], lost_percent = {lost_percent} }}", list(spells))
        }
        Behaviour::Thief { one_in } => format!("{{ kind = \"thief\", one_in = {one_in} }}"),
        Behaviour::Regenerator { percent } => format!("{{ kind = \"regenerator\", percent = {percent} }}"),
        Behaviour::Cleaner {} => "{ kind = \"cleaner\" }".to_string(),
        Behaviour::Restorer { coins } => format!("{{ kind = \"restorer\", coins = {coins} }}"),
        Behaviour::Identifier { coins } => format!("{{ kind = \"identifier\", coins = {coins} }}"),
        Behaviour::Recharger { coins } => format!("{{ kind = \"recharger\", coins = {coins} }}"),
        Behaviour::Mortician { coins } => format!("{{ kind = \"mortician\", coins = {coins} }}"),
        Behaviour::Tattooist { tattoos } => format!("{{ kind = \"tattooist\", tattoos = [{}] }}", list(tattoos)),
        Behaviour::Remorter { level, coins } => {
            format!("{{ kind = \"remorter\", level = {level}, coins = {coins} }}")
        }
        Behaviour::Stable { mob, coins, keep } => {
            format!("{{ kind = \"stable\", mob = {mob}, coins = {coins}, keep = {keep} }}")
        }
        Behaviour::Recruiter { mobs, coins, hours } => {
            let mobs = mobs.iter().map(|mob| mob.to_string()).collect::<Vec<_>>().join(", ");
            format!("{{ kind = \"recruiter\", mobs = [{mobs}], coins = {coins}, hours = {hours} }}")
        }
        Behaviour::Jailer {} => "{ kind = \"jailer\" }".to_string(),
        Behaviour::PetShop { pets } => {
            let pets = pets.iter().map(|pet| format!("{{ mob = {}, coins = {} }}", pet.mob, pet.coins));
            format!("{{ kind = \"pet_shop\", pets = [{}] }}", pets.collect::<Vec<_>>().join(", "))
        }
    }
}
