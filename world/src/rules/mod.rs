//! The rule book in numbers: classes, races, experience, saving throws (`data/rules/rules.toml`), skills and spells
//! (`skills.toml`, `spells.toml`), and the classic ability tables (below, since nobody tunes them). What the numbers do
//! stands beside the code that uses them.

use crate::character::{Abilities, Save};
use crate::skill::{SkillId, SpellId};
use content::arts::{Formula, SpellRow};
use content::filter::Filter;
use content::flags::AffectFlags;
use content::words::*;
use content::{ObjectApply, Text, Vnum};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub mod abilities;
pub mod book;
pub mod creation;

/// How well newcomers know the arts of their first level.
const FIRST_ARTS_PERCENT: i32 = 25;

/// The version of the code's own rules. Raised by one with every change after which the same state and the same inputs
/// give another state (what a verb does, the order of draws or phases, a formula, the shape of the state): a journal
/// names it, and a server of another version does not replay what this one wrote. Data is not counted here, as
/// `Rules::fingerprint` and `Content::fingerprint` see it; neither are texts that only readers see.
pub const RULES_VERSION: u32 = 42;

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    pub pk_level_min: i32,
    pub hopeless_levels: i32,
    pub death_combat_divisor: i32,
    pub death_other_divisor: i32,
    pub experience_loss_max: i32,
    pub experience_gain_max: i32,
    pub level_mortal_max: i32,
    pub regeneration_parts: u64,
    pub corpse_mob_hours: i32,
    pub corpse_player_hours: i32,
    pub channel_level_min: i32,
    pub idle_leave_hours: u32,
    pub link_dead_ticks: u32,
    experience: Vec<i32>,
    experience_base: i32,
    #[serde(rename = "class")]
    pub classes: Vec<ClassRow>,
    #[serde(rename = "race")]
    pub races: Vec<RaceRow>,
    saves: BTreeMap<String, SaveTable>,
    #[serde(rename = "skill")]
    pub skills: Vec<SkillRow>,
    /// By number.
    #[serde(skip_deserializing)]
    pub spells: Vec<SpellRow>,
    #[serde(skip_deserializing)]
    pub tattoos: Vec<TattooRow>,
    /// From `filter.toml`.
    #[serde(skip_deserializing)]
    pub filter: Filter,
}

/// A picture under the skin.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TattooRow {
    pub name: Text,
    pub coins: i32,
    /// What is seen of it, without a stop.
    pub about: Text,
    /// What it changes for as long as one has it.
    #[serde(default)]
    pub applies: Vec<ObjectApply>,
    /// What it works when it is used.
    #[serde(default)]
    pub spell: Option<Text>,
}

/// A skill that there is.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SkillRow {
    pub name: SkillId,
    /// Its number in the classic dialects.
    pub number: i32,
    /// The level from which each class can learn it.
    #[serde(default)]
    pub levels: BTreeMap<Class, i32>,
    /// The verb that uses it; none for what works by itself, and for what nobody can do so far.
    #[serde(default)]
    pub verb: Option<Text>,
    /// A sentence for `help`.
    #[serde(default)]
    pub help: Text,
    /// What is read of its wounds: actor, victim, room.
    #[serde(default)]
    pub text: Option<[Text; 3]>,
    /// How it strikes, if it does.
    #[serde(default)]
    pub strike: Option<Strike>,
    /// What it leaves on somebody for a while.
    #[serde(default)]
    pub lasting: Vec<Lasting>,
    /// What its bearer reads when that is over; a plain sentence where there is none.
    #[serde(default)]
    pub worn_off: Text,
    /// Hit points that it gives back at once.
    #[serde(default)]
    pub heals: Option<Formula>,
    /// It takes its user somewhere, at once.
    #[serde(default)]
    pub leaps: bool,
    /// It works by itself, and needs no verb.
    #[serde(default)]
    pub passive: bool,
}

impl SkillRow {
    /// Somebody can have a use for it.
    pub fn is_usable(&self) -> bool {
        self.verb.is_some() || self.passive
    }
}

/// A change that lasts.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Lasting {
    #[serde(default = "no_apply")]
    pub apply: Apply,
    #[serde(default = "no_formula")]
    pub by: Formula,
    /// Below 0: until something ends it.
    pub hours: Formula,
    #[serde(default)]
    pub flags: AffectFlags,
}

fn no_apply() -> Apply {
    Apply::None
}

/// A skill that strikes: what it needs, and what it does.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Strike {
    /// A success is a draw of 1 to this, with what is added to it, that is not above what was learned.
    #[serde(default = "hundred_and_one")]
    pub die: i32,
    /// Twice this, less a tenth of the victim's armour class, is added.
    #[serde(default)]
    pub armor: Option<i32>,
    /// The victim's levels above the striker's are added.
    #[serde(default)]
    pub level_gap: bool,
    /// Hit points.
    #[serde(default = "no_formula")]
    pub amount: Formula,
    /// Besides, so many times what a blow with the weapon would take.
    #[serde(default)]
    pub weapon: Option<Formula>,
    /// Besides, the striker's damage roll.
    #[serde(default)]
    pub damage_roll: bool,
    #[serde(default)]
    pub moves: i32,
    #[serde(default = "one_tick")]
    pub lag_ticks: u64,
    #[serde(default)]
    pub grip: Grip,
    /// Neither side may be fighting.
    #[serde(default)]
    pub opens: bool,
    /// The victim may not be fighting the striker.
    #[serde(default)]
    pub unwatched: bool,
    #[serde(default)]
    pub of_men: bool,
    /// So many percent are added to it on an animal's back. What has none cannot be done there.
    #[serde(default)]
    pub mounted_percent: i32,
    /// The victim goes down.
    #[serde(default)]
    pub fells: bool,
    /// The striker goes down where it misses.
    #[serde(default)]
    pub falls: bool,
    /// What misses, where that is another word than the skill.
    #[serde(default)]
    pub called: Text,
    /// The victim's level is added to the sides of the die.
    #[serde(default)]
    pub level_die: bool,
    /// It takes no hit points.
    #[serde(default)]
    pub harmless: bool,
    /// The victim is stunned. Those who are aware are not, nor are players whom the law protects.
    #[serde(default)]
    pub stuns: bool,
    /// Only from such ground; empty: from any.
    #[serde(default)]
    pub ground: Vec<Sector>,
    /// Hit points more from a hiding place, percent.
    #[serde(default)]
    pub hidden_percent: i32,
    /// Vampires and werewolves do it, and nobody else.
    #[serde(default)]
    pub beastly: bool,
    /// It may bring a hunter upon the striker.
    #[serde(default)]
    pub stirs: Option<Stirs>,
    /// The striker suffers its level divided by this, and under a helmet by one less; 0 nothing.
    #[serde(default)]
    pub hurts: i32,
}

/// When a strike brings a hunter upon the striker, where the world has one: above a level, in one of so many that land.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Stirs {
    pub above_level: i32,
    pub one_in: i32,
}

/// What has to be in hand.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grip {
    #[default]
    Any,
    Unarmed,
    Pierce,
    Slash,
}

fn hundred_and_one() -> i32 {
    101
}

fn one_tick() -> u64 {
    1
}

fn no_formula() -> Formula {
    Formula::from(0)
}

/// Blows beyond the first of a round that a class learns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SecondAttack {
    /// From the level after this one.
    pub above_level: i32,
    /// Chance in a round, to which the level is added.
    pub percent: i32,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ClassRow {
    pub name: Class,
    pub label: Text,
    /// What who chooses should know, in two lines; empty where nobody can choose it.
    #[serde(default)]
    pub about: Text,
    /// Number on the wire. Source: published protocol, "Class: 0=Magic-user …".
    pub id: i32,
    pub at_creation: bool,
    /// Hit points per level before constitution, both ends included.
    pub hit: (i32, i32),
    /// Upper factor of the level, and cap; (0, 0) for none.
    pub mana: (i32, i32),
    pub moves: (i32, i32),
    pub practices: Practices,
    pub learned_cap_percent: i32,
    pub learned_gain_percent: (i32, i32),
    /// The best roll goes to the first.
    pub abilities: [Apply; 6],
    pub exceptional_strength: bool,
    pub experience_factor_tenths: i32,
    saves: String,
    thac0: Vec<i32>,
    pub kit: Vec<Vnum>,
    pub skills: BTreeMap<SkillId, i32>,
    #[serde(default)]
    pub second_attack: Option<SecondAttack>,
    pub title: Text,
    /// The greater craft that grows from this one; none: who begins anew keeps its craft.
    #[serde(default)]
    pub remort: Option<Class>,
    /// Races for which it is another.
    #[serde(default)]
    pub remort_of: BTreeMap<Race, Class>,
}

impl ClassRow {
    /// Which craft somebody of this one and of a race has when it begins anew. Source: game reference §4.3.
    pub fn remorts_to(&self, race: Race) -> Class {
        self.remort_of.get(&race).copied().or(self.remort).unwrap_or(self.name)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Practices {
    /// max(2, wisdom bonus) a level.
    Wise,
    /// 1 or 2 a level.
    Few,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RaceRow {
    pub name: Race,
    pub label: Text,
    /// What who chooses should know, in two lines.
    pub about: Text,
    pub id: i32,
    pub bonus: BTreeMap<Apply, i32>,
    #[serde(default)]
    pub no_exceptional_strength: bool,
    #[serde(default)]
    pub wisdom_max: Option<i32>,
    #[serde(default)]
    pub skills: BTreeMap<SkillId, i32>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct SaveTable {
    paralysis: Vec<i32>,
    rod: Vec<i32>,
    petrify: Vec<i32>,
    breath: Vec<i32>,
    spell: Vec<i32>,
}

impl Rules {
    pub fn spell_named(&self, name: &str) -> Option<&SpellRow> {
        self.spells.iter().find(|row| *row.name == *name)
    }

    pub fn tattoo(&self, name: &str) -> Option<&TattooRow> {
        self.tattoos.iter().find(|row| *row.name == *name)
    }

    pub fn skill(&self, id: &SkillId) -> Option<&SkillRow> {
        self.skills.iter().find(|row| row.name == *id)
    }

    /// Arts that a class can learn at its first level, and how well a newcomer knows them, percent: so that the first
    /// minute has magic in it. Numbers of `skills` in the class's own row go before this.
    pub fn first_spells(&self, class: Class) -> BTreeMap<SpellId, i32> {
        let first = self.spells.iter().filter(|row| row.levels.get(&class) == Some(&1));
        first.map(|row| (SpellId::from(&*row.name), FIRST_ARTS_PERCENT)).collect()
    }

    /// The same of skills.
    pub fn first_skills(&self, class: Class) -> BTreeMap<SkillId, i32> {
        let usable = self.skills.iter().filter(|row| row.is_usable());
        let first = usable.filter(|row| row.levels.get(&class) == Some(&1));
        first.map(|row| (row.name.clone(), FIRST_ARTS_PERCENT)).collect()
    }

    /// XXH3-64 over all numbers and names of the rule book: equal exactly where play by it is equal. The tables that
    /// are code stand behind `RULES_VERSION`.
    pub fn fingerprint(&self) -> u64 {
        content::hash::of(self)
    }

    pub fn class(&self, class: Class) -> &ClassRow {
        self.classes.iter().find(|row| row.name == class).expect("every class has a row; a test says so")
    }

    /// The row of a class number on the wire, if it can be chosen at creation by that race.
    pub fn class_to_create(&self, id: i32, race: Race) -> Option<&ClassRow> {
        self.classes.iter().find(|row| row.id == id && row.at_creation && allows(race, row.name))
    }

    /// The spell that a thing of the content names by its number.
    pub fn spell_numbered(&self, number: i32) -> Option<&SpellRow> {
        self.spells.iter().find(|row| row.number == number)
    }

    pub fn race_by_id(&self, id: i32) -> Option<&RaceRow> {
        self.races.iter().find(|row| row.id == id)
    }

    /// "Human" for the races that players have; the plain word for others.
    pub fn race_label(&self, race: Race) -> &str {
        self.races.iter().find(|row| row.name == race).map_or(race.name(), |row| &row.label)
    }

    /// The number a twenty-sided die has to beat, before bonuses; mobs have 20. Source: game reference §2.4.
    pub fn thac0(&self, class: Class, level: i32) -> i32 {
        let table = &self.class(class).thac0;
        table[(level.clamp(1, table.len() as i32) - 1) as usize]
    }

    /// Total experience at which a level ends. Source: game reference §2.3.
    pub fn experience_to_leave(&self, class: Class, level: i32) -> i32 {
        let level = level.max(1);
        if let Some(total) = self.experience.get((level - 1) as usize) {
            return *total;
        }
        let m = i64::from(self.class(class).experience_factor_tenths);
        let n = i64::from(level);
        let total = i64::from(self.experience_base) + (n - 13) * n * 20_000 + 1_000 * n * n + 1_000 * m * n;
        total.min(i64::from(i32::MAX)) as i32
    }

    /// Number of the saving throw: it succeeds when max(1, number + modifiers) < a draw of 0..=99.
    pub fn save(&self, class: Class, level: i32, save: Save) -> i32 {
        let table = &self.saves[self.class(class).saves.as_str()];
        let row = match save {
            Save::Paralysis => &table.paralysis,
            Save::Rod => &table.rod,
            Save::Petrify => &table.petrify,
            Save::Breath => &table.breath,
            Save::Spell => &table.spell,
        };
        row[level.clamp(0, row.len() as i32 - 1) as usize]
    }
}

/// Ninjas are human. Source: game reference §2.1.
pub fn allows(race: Race, class: Class) -> bool {
    class != Class::Ninja || race == Race::Human
}

impl Abilities {
    pub fn get_mut(&mut self, ability: Apply) -> Option<&mut i32> {
        Some(match ability {
            Apply::Strength => &mut self.strength,
            Apply::Intelligence => &mut self.intelligence,
            Apply::Wisdom => &mut self.wisdom,
            Apply::Dexterity => &mut self.dexterity,
            Apply::Constitution => &mut self.constitution,
            Apply::Charisma => &mut self.charisma,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_book_is_complete() {
        let rules = Rules::built_in();
        for class in Class::ALL {
            let row = rules.class(*class);
            assert_eq!(row.thac0.len(), 40, "{class}");
            for save in [Save::Paralysis, Save::Rod, Save::Petrify, Save::Breath, Save::Spell] {
                assert!((0..=100).contains(&rules.save(*class, 12, save)));
            }
        }
        assert_eq!(rules.races.len(), 7);
        assert_eq!(rules.classes.iter().filter(|c| c.at_creation).count(), 6);
    }

    #[test]
    fn every_skill_that_is_learned_or_asked_for_is_in_the_table() {
        let rules = Rules::built_in();
        let learned =
            rules.classes.iter().map(|class| &class.skills).chain(rules.races.iter().map(|race| &race.skills));
        for skill in learned.flat_map(|skills| skills.keys()).chain(&SkillId::USED) {
            assert!(rules.skills.iter().any(|row| row.name == *skill), "{skill}");
        }
        for rows in [
            rules.skills.iter().map(|row| (row.number, row.name.to_string())).collect::<Vec<_>>(),
            rules.spells.iter().map(|row| (row.number, row.name.to_string())).collect(),
        ] {
            assert!(rows.windows(2).all(|pair| pair[0].0 < pair[1].0), "{rows:?}");
            let names: std::collections::BTreeSet<&str> = rows.iter().map(|(_, name)| name.as_str()).collect();
            assert_eq!(names.len(), rows.len());
        }
        assert_eq!(rules.spell_numbered(16).map(|row| &*row.name), Some("cure light"));
    }

    #[test]
    fn the_published_experience_of_warriors_comes_out() {
        let rules = Rules::built_in();
        let total = |level| rules.experience_to_leave(Class::Warrior, level);
        assert_eq!(total(1), 1_500);
        assert_eq!(total(12), 870_000);
        assert_eq!(total(13), 1_160_000);
        assert_eq!(total(20), 4_240_000);
        assert_eq!(total(30), 12_210_000);
    }

    #[test]
    fn another_number_is_another_fingerprint() {
        let rules = Rules::built_in();
        assert_eq!(rules.fingerprint(), Rules::built_in().fingerprint());
        let mut changes: Vec<Rules> = vec![rules.clone(); 4];
        changes[0].experience_base += 1;
        changes[1].classes[3].thac0[39] -= 1;
        changes[2].races[1].label = "Elves".into();
        changes[3].saves.values_mut().for_each(|table| table.spell[7] += 1);
        for (n, changed) in changes.iter().enumerate() {
            assert_ne!(changed.fingerprint(), rules.fingerprint(), "change {n}");
        }
    }

    #[test]
    fn only_humans_are_ninjas() {
        let rules = Rules::built_in();
        assert!(rules.class_to_create(8, Race::Human).is_some());
        assert!(rules.class_to_create(8, Race::Elf).is_none());
        assert!(rules.class_to_create(5, Race::Human).is_none(), "avatars are remorts");
    }
}
