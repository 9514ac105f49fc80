//! Reading a rule book: its texts, and everything that is wrong with them, with file and line.

use super::{Rules, TattooRow};
use crate::skill::SkillId;
use content::Problems;
use content::words::*;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Read once from the embedded files, which never change: no state.
static BUILT_IN: LazyLock<Rules> = LazyLock::new(|| {
    let wrong = |problems: Problems| -> Rules {
        let lines: Vec<String> = problems.0.iter().map(ToString::to_string).collect();
        panic!("the embedded rule book:\n{}", lines.join("\n"))
    };
    Book::built_in().read().unwrap_or_else(wrong)
});

impl Rules {
    /// The rules that ship. Panics only when an embedded file is wrong, which a test of this module rules out.
    pub fn built_in() -> Rules {
        BUILT_IN.clone()
    }
}

/// The texts of a rule book.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Book {
    /// `rules.toml`: classes, races, experience, saving throws.
    pub numbers: String,
    pub skills: String,
    pub spells: String,
    pub tattoos: String,
    /// `filter.toml`: what is masked of others' words, and how often one line is said.
    pub filter: String,
}

/// Names of the files, in the order of `Book`'s fields.
pub const FILES: [&str; 5] = ["rules.toml", "skills.toml", "spells.toml", "tattoos.toml", "filter.toml"];

impl Book {
    /// The one that ships.
    pub fn built_in() -> Book {
        Book {
            numbers: include_str!("../../../data/rules/rules.toml").into(),
            skills: include_str!("../../../data/rules/skills.toml").into(),
            spells: include_str!("../../../data/rules/spells.toml").into(),
            tattoos: include_str!("../../../data/rules/tattoos.toml").into(),
            filter: include_str!("../../../data/rules/filter.toml").into(),
        }
    }

    /// The text of one of `FILES`, to be replaced.
    pub fn text_mut(&mut self, file: &str) -> Option<&mut String> {
        let texts = [&mut self.numbers, &mut self.skills, &mut self.spells, &mut self.tattoos, &mut self.filter];
        FILES.iter().zip(texts).find(|(name, _)| **name == file).map(|(_, text)| text)
    }

    /// The rules, or all that keeps one from playing by them.
    pub fn read(&self) -> Result<Rules, Problems> {
        let (spells, mut problems) = content::arts::read_spells(FILES[2], &self.spells);
        let (filter, wrong) = content::filter::read_filter(FILES[4], &self.filter);
        problems.0.extend(wrong.0);
        // One text, since classes and skills are tables of one structure.
        let text = format!("{}\n{}", self.numbers, self.skills);
        match toml::from_str::<Rules>(&text) {
            Ok(mut rules) => {
                rules.spells = spells;
                rules.tattoos = self.read_tattoos(&mut problems);
                rules.filter = filter;
                self.check(&rules, &mut problems);
                if !problems.has_errors() {
                    return Ok(rules);
                }
            }
            Err(error) => {
                let (file, line) = self.place(&text, error.span().map_or(0, |span| span.start));
                problems.error(file, line, error.message());
            }
        }
        problems.0.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        Err(problems)
    }

    fn read_tattoos(&self, problems: &mut Problems) -> Vec<TattooRow> {
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            #[serde(default)]
            tattoo: Vec<TattooRow>,
        }
        match toml::from_str::<File>(&self.tattoos) {
            Ok(file) => file.tattoo,
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start);
                let before = self.tattoos.bytes().take(at).filter(|byte| *byte == b'\n').count();
                problems.error(FILES[3], before as u32 + 1, error.message());
                Vec::new()
            }
        }
    }

    /// File and line of a place in both texts together.
    fn place(&self, text: &str, at: usize) -> (&'static str, u32) {
        let (file, begins) = if at <= self.numbers.len() { (FILES[0], 0) } else { (FILES[1], self.numbers.len() + 1) };
        let lines = text[begins..].bytes().take(at - begins).filter(|byte| *byte == b'\n').count();
        (file, lines as u32 + 1)
    }

    /// What the code takes for granted.
    fn check(&self, rules: &Rules, problems: &mut Problems) {
        let mut error = |name: &str, what: String| problems.error(FILES[0], line_of_name(&self.numbers, name), what);
        for class in Class::ALL {
            match rules.classes.iter().filter(|row| row.name == *class).count() {
                1 => {}
                0 => error("", format!("there is no [[class]] called {class}")),
                _ => error(class.name(), format!("there are several classes called {class}")),
            }
        }
        let (mut ids, mut known) = (BTreeSet::new(), rules.skills.iter().map(|row| &row.name).collect::<BTreeSet<_>>());
        for row in &rules.classes {
            let mut wrong = |what: String| error(row.name.name(), format!("the class {}: {what}", row.name));
            if !ids.insert(row.id) {
                wrong(format!("the id {} is another class's already", row.id));
            }
            if row.thac0.is_empty() {
                wrong("thac0 needs a number for at least one level".into());
            }
            if !rules.saves.contains_key(&row.saves) {
                wrong(format!("there is no table [saves.{}]", row.saves));
            }
            if row.hit.0 > row.hit.1 || row.moves.0 > row.moves.1 {
                wrong("hit and moves are a lowest and a highest number, in this order".into());
            }
            let abilities: BTreeSet<&str> = row.abilities.iter().map(|apply| apply.name()).collect();
            if abilities.len() != row.abilities.len() || !row.abilities.iter().all(|apply| is_ability(*apply)) {
                wrong("abilities names each of the six once, the best first".into());
            }
            for skill in row.skills.keys().filter(|skill| !known.contains(skill)) {
                wrong(format!("there is no skill called {:?}", skill.name()));
            }
        }
        ids.clear();
        for row in &rules.races {
            let mut wrong = |what: String| error(row.name.name(), format!("the race {}: {what}", row.name));
            if !ids.insert(row.id) {
                wrong(format!("the id {} is another race's already", row.id));
            }
            for skill in row.skills.keys().filter(|skill| !known.contains(skill)) {
                wrong(format!("there is no skill called {:?}", skill.name()));
            }
        }
        if !rules.classes.iter().any(|row| row.at_creation && super::allows(Race::Human, row.name)) {
            error("", "no class can be chosen by newcomers".into());
        }
        if !rules.races.iter().any(|row| row.name == Race::Human) {
            error("", "there is no [[race]] called human".into());
        }
        if rules.experience.is_empty() || !rules.experience.is_sorted() || rules.experience[0] < 1 {
            error("", "experience needs the end of at least one level, from the lowest to the highest".into());
        }
        for (name, value) in [
            ("death_combat_divisor", i64::from(rules.death_combat_divisor)),
            ("death_other_divisor", i64::from(rules.death_other_divisor)),
            ("level_mortal_max", i64::from(rules.level_mortal_max)),
            ("regeneration_parts", rules.regeneration_parts.min(i64::MAX as u64) as i64),
        ] {
            if value < 1 {
                let line = line_of_key(&self.numbers, name);
                problems.error(FILES[0], line, format!("{name} is {value}; it has to be at least 1"));
            }
        }
        for (name, table) in &rules.saves {
            let rows = [&table.paralysis, &table.rod, &table.petrify, &table.breath, &table.spell];
            if rows.iter().any(|row| row.is_empty()) {
                let line = 1 + self.numbers.lines().take_while(|line| line.trim() != format!("[saves.{name}]")).count();
                problems.error(FILES[0], line as u32, format!("[saves.{name}] needs a number in each of its rows"));
            }
        }
        for skill in SkillId::USED.iter().filter(|skill| !known.contains(skill)) {
            problems.error(FILES[1], 0, format!("the game needs a skill called {:?}", skill.name()));
        }
        known.clear();
        let mut numbers = BTreeSet::new();
        for row in &rules.skills {
            let line = line_of_name(&self.skills, row.name.name());
            if !known.insert(&row.name) {
                problems.error(FILES[1], line, format!("another skill is called {:?} already", row.name.name()));
            }
            if !numbers.insert(row.number) {
                problems.error(FILES[1], line, format!("the number {} is another skill's already", row.number));
            }
        }
        let mut pictures = BTreeSet::new();
        for row in &rules.tattoos {
            let mut wrong = |what: String| {
                problems.error(
                    FILES[3],
                    line_of_name(&self.tattoos, &row.name),
                    format!("the tattoo {:?}: {what}", row.name),
                );
            };
            if row.name.is_empty() || !row.name.chars().all(|c| c.is_ascii_lowercase()) {
                wrong("its name is one word of small letters, since it is typed".into());
            }
            if !pictures.insert(&row.name) {
                wrong("another one has that name already".into());
            }
            if row.coins < 0 {
                wrong(format!("coins is {}; it has to be at least 0", row.coins));
            }
            if row.spell.as_deref().is_some_and(|spell| rules.spell_named(spell).is_none()) {
                wrong(format!("there is no spell called {:?}", row.spell.as_deref().unwrap_or_default()));
            }
        }
    }
}

fn is_ability(apply: Apply) -> bool {
    use Apply::*;
    matches!(apply, Strength | Intelligence | Wisdom | Dexterity | Constitution | Charisma)
}

/// The line of a row's name; 0 where none is meant.
fn line_of_name(text: &str, name: &str) -> u32 {
    if name.is_empty() { 0 } else { line_where(text, |line| line == format!("name = {name:?}")) }
}

fn line_of_key(text: &str, key: &str) -> u32 {
    line_where(text, |line| line.split('=').next().is_some_and(|begun| begun.trim() == key))
}

fn line_where(text: &str, is_it: impl Fn(&str) -> bool) -> u32 {
    text.lines().position(|line| is_it(line.trim())).map_or(0, |at| at as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(book: &Book) -> Vec<String> {
        book.read().expect_err("something is wrong").0.iter().map(|problem| problem.to_string()).collect()
    }

    fn changed(file: &str, from: &str, to: &str) -> Book {
        let mut book = Book::built_in();
        let text = book.text_mut(file).expect("a file of a book");
        assert!(text.contains(from), "{from}");
        *text = text.replacen(from, to, 1);
        book
    }

    #[test]
    fn the_one_that_ships_has_nothing_wrong() {
        Book::built_in().read().expect("a rule book that can be played by");
    }

    #[test]
    fn what_is_no_toml_is_said_with_its_file_and_line() {
        let told_of = |file: &str, from: &str, to: &str| told(&changed(file, from, to));
        let numbers = told_of("rules.toml", "pk_level_min = 5", "pk_level_min = five");
        assert!(numbers[0].starts_with("rules.toml:5: error: "), "{numbers:?}");
        let skills = told_of("skills.toml", "number = ", "numbr = ");
        assert!(skills[0].starts_with("skills.toml:") && skills[0].contains("numbr"), "{skills:?}");
        let spells = told_of("spells.toml", "\nmana = ", "\nmanna = ");
        assert!(spells.iter().any(|line| line.starts_with("spells.toml:") && line.contains("mana")), "{spells:?}");
    }

    #[test]
    fn what_the_game_takes_for_granted_is_asked_for() {
        for (from, to, what) in [
            ("id = 1\n", "id = 0\n", "the class cleric: the id 0 is another class's already"),
            ("saves = \"mage\"", "saves = \"sage\"", "there is no table [saves.sage]"),
            ("death_combat_divisor = 37", "death_combat_divisor = 0", "death_combat_divisor is 0"),
            ("hit = [4, 8]", "hit = [8, 4]", "in this order"),
            ("[\"intelligence\", \"wisdom\"", "[\"wisdom\", \"wisdom\"", "names each of the six once"),
            ("experience = [1500, 3000", "experience = [3500, 3000", "from the lowest to the highest"),
            ("skills = {}", "skills = { juggling = 25 }", "there is no skill called \"juggling\""),
            ("name = \"cleric\"", "name = \"thief\"", "there is no [[class]] called cleric"),
        ] {
            let told = told(&changed("rules.toml", from, to));
            assert!(told.iter().any(|line| line.contains(what)), "{what}: {told:?}");
        }
    }

    #[test]
    fn what_is_wrong_with_tattoos_is_said_with_its_line() {
        for (from, to, what) in [
            ("name = \"dragon\"", "name = \"Red Dragon\"", "its name is one word of small letters"),
            ("name = \"owl\"", "name = \"fox\"", "another one has that name already"),
            ("coins = 30666", "coins = -1", "coins is -1"),
            ("spell = \"bless\"", "spell = \"blessing\"", "there is no spell called \"blessing\""),
            ("coins = 30666", "price = 30666", "unknown field `price`"),
        ] {
            let told = told(&changed("tattoos.toml", from, to));
            let line = told.iter().find(|line| line.contains(what)).unwrap_or_else(|| panic!("{what}: {told:?}"));
            assert!(line.starts_with("tattoos.toml:") && !line.starts_with("tattoos.toml:0"), "{line}");
        }
    }

    #[test]
    fn all_that_is_wrong_is_said_at_once() {
        let mut book = changed("rules.toml", "death_other_divisor = 3", "death_other_divisor = -1");
        book.skills = book.skills.replacen("\"rescue\"", "\"resque\"", 1);
        book.spells = book.spells.replacen("\nmana = ", "\nmanna = ", 1);
        book.tattoos = book.tattoos.replacen("name = \"owl\"", "name = \"fox\"", 1);
        book.filter = "words = 3".to_string();
        let told = told(&book);
        let files: BTreeSet<&str> = told.iter().filter_map(|line| line.split(':').next()).collect();
        assert_eq!(files, BTreeSet::from(FILES), "{told:?}");
    }
}
