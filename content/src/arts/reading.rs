//! `spells.toml`: from a text to rows, with everything that is wrong with it.

use super::effect::EffectRow;
use super::spell::*;
use crate::draft::Draft;
use crate::native::table::{File, Table, read_file};
use crate::problem::Problems;
use crate::source::Source;
use crate::words::{Class, Position};
use std::collections::{BTreeMap, BTreeSet};

/// Voices that a row may have beside the three.
const SAVED: [&str; 3] = ["saved_actor", "saved_victim", "saved_room"];

/// Reads the rows of a text, sorted by number. `conjured`: what reagents and effects may name; `None` asks nobody.
pub fn read_spells(path: &str, text: &str) -> (Vec<SpellRow>, Problems) {
    let source = Source::default();
    let mut draft = Draft::of(&source);
    let mut rows: Vec<SpellRow> = read_file(&mut draft, path, text, |file, root| {
        let rows = file.rows(root, "spell");
        let read = rows.into_iter().filter_map(|row| spell(file, row)).collect::<Vec<_>>();
        let (mut numbers, mut names) = (BTreeSet::new(), BTreeSet::new());
        let mut kept = Vec::new();
        for (line, row) in read {
            if !numbers.insert(row.number) {
                file.error(line, format!("the number {} is another spell's already", row.number));
            } else if !names.insert(row.name.clone()) {
                file.error(line, format!("another spell is called {:?} already", &*row.name));
            } else {
                kept.push(row);
            }
        }
        kept
    });
    rows.sort_by_key(|row| row.number);
    (rows, draft.problems)
}

/// One row, with its line.
fn spell(file: &mut File, mut row: Table) -> Option<(u32, SpellRow)> {
    let line = row.line;
    let number: Option<i32> = file.needed(&mut row, "number");
    let name = file.needed_text(&mut row, "name");
    let levels: BTreeMap<Class, i32> = file.field(&mut row, "levels").unwrap_or_default();
    let mana: Option<[i32; 3]> = file.needed(&mut row, "mana");
    let [max, min, per_level] = mana.unwrap_or_default();
    let spell = SpellRow {
        number: number.unwrap_or_default(),
        levels,
        mana: ManaCost { max, min, per_level },
        position: file.field(&mut row, "position").unwrap_or(Position::Standing),
        targets: file.needed(&mut row, "targets").unwrap_or_default(),
        violent: file.field(&mut row, "violent").unwrap_or_default(),
        scope: file.field(&mut row, "scope").unwrap_or_default(),
        save: file.field(&mut row, "save").unwrap_or_default(),
        throw: file.field(&mut row, "throw"),
        stack: file.field(&mut row, "stack").unwrap_or_default(),
        lag_ticks: file.field(&mut row, "lag_ticks").unwrap_or(1),
        reagent: file.text_if_any(&mut row, "reagent"),
        outdoors: file.field(&mut row, "outdoors").unwrap_or_default(),
        effects: file
            .rows(&mut row, "effect")
            .into_iter()
            .filter_map(|effect| file.whole::<EffectRow>(effect))
            .collect(),
        text: match file.table(&mut row, "text") {
            Some(table) => text(file, table),
            None => SpellText::default(),
        },
        name,
    };
    file.end(row);
    wrong(&spell).into_iter().for_each(|what| file.error(line, what));
    number.map(|_| (line, spell))
}

fn text(file: &mut File, mut table: Table) -> SpellText {
    let text = SpellText {
        actor: file.text(&mut table, "actor"),
        victim: file.text(&mut table, "victim"),
        room: file.text(&mut table, "room"),
        saved: SAVED.map(|key| file.text(&mut table, key)),
        worn_off: file.text(&mut table, "worn_off"),
        help: file.needed_text(&mut table, "help"),
    };
    file.end(table);
    text
}

/// What does not go together in a row.
fn wrong(spell: &SpellRow) -> Vec<String> {
    let mut wrong = Vec::new();
    let name = &spell.name;
    if name.trim() != &**name || name.chars().any(|c| !c.is_ascii_lowercase() && c != ' ') {
        wrong.push(format!("a name is of small letters and blanks, not {:?}", &**name));
    }
    if spell.targets.is_empty() {
        wrong.push("targets is empty: a spell that needs none is aimed at \"nothing\"".to_string());
    }
    if spell.effects.is_empty() {
        wrong.push("a spell without effect".to_string());
    }
    if spell.mana.min > spell.mana.max || spell.mana.min < 0 || spell.mana.per_level < 0 {
        wrong.push("mana is [max, min, per_level], none below 0 and max not below min".to_string());
    }
    for (class, level) in &spell.levels {
        if !(1..=30).contains(level) {
            wrong.push(format!("{class} learns it at level {level}, which is not within 1 to 30"));
        }
    }
    if spell.lag_ticks == 0 {
        wrong.push("lag_ticks is at least 1".to_string());
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Severity;

    const SPARK: &str = r#"
[[spell]]
number = 7
name = "spark"
levels = { cleric = 3 }
mana = [30, 10, 5]
targets = ["here", "opponent"]
violent = true
save = "halves"
effect = [{ kind = "damage", amount = "2d6+L" }]
[spell.text]
help = "A spark."
"#;

    fn said(text: &str) -> Vec<String> {
        let (_, problems) = read_spells("spells.toml", text);
        problems.0.iter().map(|problem| problem.to_string()).collect()
    }

    #[test]
    fn a_row_is_read_whole() {
        let (rows, problems) = read_spells("spells.toml", SPARK);
        assert_eq!(problems, Problems::default());
        let [row] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!((&*row.name, row.number, row.levels[&Class::Cleric], row.lag_ticks), ("spark", 7, 3, 1));
        assert_eq!([row.mana.at(0), row.mana.at(1), row.mana.at(29)], [30, 25, 10]);
        let EffectRow::Damage { amount, backfires: 0, .. } = &row.effects[0] else { panic!("{:?}", row.effects) };
        assert_eq!(amount.text(), "2d6+L");
    }

    #[test]
    fn every_fault_of_a_book_is_told_with_its_line_and_none_ends_the_reading() {
        let changed = |from: &str, to: &str| said(&SPARK.replace(from, to));
        for (from, to, line, what) in [
            ("\"2d6+L\"", "\"2d6+Q\"", 10, "\"Q\" is none of"),
            ("\"damage\"", "\"damge\"", 10, "kind: \"damge\" is not known; known are damage, "),
            ("amount =", "amout =", 10, "amout"),
            ("[30, 10, 5]", "[10, 30, 5]", 2, "max not below min"),
            ("cleric = 3", "cleric = 31", 2, "not within 1 to 30"),
            ("cleric = 3", "clerk = 3", 5, "levels"),
            ("\"spark\"", "\"Spark\"", 2, "small letters"),
            ("targets = [\"here\", \"opponent\"]", "targets = []", 2, "targets is empty"),
            ("number = 7\n", "", 2, "without number"),
            ("violent = true", "violet = true", 8, "violet"),
            ("violent = true", "violent = ", 8, "not TOML"),
        ] {
            let said = changed(from, to);
            let found = said.iter().any(|told| told.contains(what) && told.contains(&format!("toml:{line}:")));
            assert!(found, "{from} as {to}: {said:#?}");
        }
        let twice = said(&format!("{SPARK}{SPARK}"));
        assert_eq!(twice, ["spells.toml:14: error: the number 7 is another spell's already"]);
        let (rows, problems) = read_spells("spells.toml", &format!("{}{SPARK}", SPARK.replace("number = 7", "")));
        assert_eq!((rows.len(), problems.0.iter().filter(|p| p.kind == Severity::Error).count()), (1, 1));
    }
}
