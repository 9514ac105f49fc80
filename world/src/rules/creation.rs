//! Making a character: ability rolls, the newborn's record, and what a level gives.
//!
//! The rolls are thrown at the edge, because the record that enters the world carries their outcome: nothing outside
//! the journal is needed to replay a birth. They come from the world's seed and the newcomer's name, so that two
//! servers of one seed have the same newcomers.

use super::{Practices, Rules, abilities};
use crate::character::*;
use crate::record::{CharacterRecord, RECORD_VERSION};
use crate::rng::Dice;
use crate::skill::SkillId;
use content::Text;
use content::words::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use xxhash_rust::xxh3::xxh3_64;

/// What a new player chose.
#[derive(Clone, Debug)]
pub struct Choices {
    pub name: Text,
    pub sex: Sex,
    pub race: Race,
    pub class: Class,
    pub hometown: char,
    pub color: bool,
    pub abilities: Abilities,
    pub agent: bool,
}

impl Choices {
    /// A human warrior with no abilities to speak of and a plain screen: whoever cares for some of it only says that.
    pub fn plain(name: &str) -> Choices {
        Choices {
            name: name.into(),
            sex: Sex::Female,
            race: Race::Human,
            class: Class::Warrior,
            hometown: 'K',
            color: false,
            abilities: Abilities::default(),
            agent: false,
        }
    }
}

/// What is rolled of a newcomer outside the world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rolls {
    Abilities = 0,
    /// Hit points, mana and moves to begin with.
    FirstLevel = 1,
    /// What an operator's promotion of an absent character brings.
    Levels = 2,
}

/// The dice for a character of this name, without regard to case: in the world of one seed they always fall alike.
pub fn dice(seed: u64, name: &str, rolls: Rolls) -> Dice {
    Dice::new(seed, xxh3_64(name.to_ascii_lowercase().as_bytes()), rolls as u64, 0)
}

/// Six times the best three of four dice, dealt in the order of the class, changed by the race.
/// Source: game reference §2.1.
pub fn roll_abilities(rules: &Rules, race: Race, class: Class, dice: &mut Dice) -> Abilities {
    let mut rolls: Vec<i32> = (0..6)
        .map(|_| {
            let throws: Vec<i32> = (0..4).map(|_| dice.range(1, 6)).collect();
            throws.iter().sum::<i32>() - throws.iter().min().expect("four dice were thrown")
        })
        .collect();
    rolls.sort_unstable_by(|a, b| b.cmp(a));
    let row = rules.class(class);
    let mut rolled = Abilities::default();
    for (ability, roll) in row.abilities.iter().zip(rolls) {
        *rolled.get_mut(*ability).expect("the rule book names abilities; a test rolls every class") = roll;
    }
    let race_row = rules.races.iter().find(|r| r.name == race);
    if let Some(race_row) = race_row {
        for (ability, bonus) in &race_row.bonus {
            if let Some(value) = rolled.get_mut(*ability) {
                *value = (*value + bonus).min(18);
            }
        }
        if let Some(max) = race_row.wisdom_max {
            rolled.wisdom = rolled.wisdom.min(max);
        }
    }
    let exceptional = row.exceptional_strength && !race_row.is_some_and(|r| r.no_exceptional_strength);
    rolled.strength_add = if exceptional && rolled.strength == 18 { dice.range(0, 100) } else { 0 };
    rolled
}

/// How good an ability is, in a word, up to which value; numbers stay out of the creation dialogue.
pub const ADJECTIVES: [(i32, &str); 10] = [
    (4, "terrible"),
    (7, "bad"),
    (10, "poor"),
    (12, "average"),
    (14, "fair"),
    (15, "good"),
    (16, "very good"),
    (17, "excellent"),
    (18, "superb"),
    (i32::MAX, "godlike"),
];

pub fn adjective(value: i32) -> &'static str {
    ADJECTIVES.into_iter().find(|(most, _)| value <= *most).map_or("", |(_, word)| word)
}

/// What one level gives: hit points, mana, moves, practices.
pub fn level_gain(rules: &Rules, class: Class, level: i32, now: &Abilities, dice: &mut Dice) -> (i32, i32, i32, i32) {
    let row = rules.class(class);
    let hit = (dice.range(row.hit.0, row.hit.1) + abilities::constitution_hit(now.constitution)).max(1);
    let mana = match row.mana {
        (0, _) => 0,
        (factor, cap) if level > 1 => dice.range(level, factor * level).min(cap),
        _ => 0,
    };
    let moves = dice.range(row.moves.0, row.moves.1);
    let practices = match row.practices {
        Practices::Wise => abilities::wisdom_practices(now.wisdom).max(2),
        Practices::Few => abilities::wisdom_practices(now.wisdom).clamp(1, 2),
    };
    (hit, mana, moves, practices)
}

/// What somebody of a class and a race knows at level 1.
pub fn first_skills_of(rules: &Rules, class: Class, race: Race) -> BTreeMap<SkillId, i32> {
    let mut skills: BTreeMap<SkillId, i32> = rules.first_skills(class);
    skills.extend(rules.class(class).skills.iter().map(|(skill, percent)| (skill.clone(), *percent)));
    if let Some(race) = rules.races.iter().find(|r| r.name == race) {
        for (skill, percent) in &race.skills {
            let known = skills.entry(skill.clone()).or_insert(0);
            *known = (*known).max(*percent);
        }
    }
    skills
}

/// Points of movement before what the first level adds.
pub const FIRST_MOVES: i32 = 82;

/// Who begins anew is two points better at what it is worst at home in, and one at something else. True where there is
/// nothing left to be better at. Source: game reference §4.3.
pub fn grow_stronger(abilities: &mut Abilities) -> bool {
    const ORDER: [Apply; 6] =
        [Apply::Constitution, Apply::Strength, Apply::Wisdom, Apply::Intelligence, Apply::Dexterity, Apply::Charisma];
    let mut value = |ability: Apply| *abilities.get_mut(ability).expect("an ability");
    let first = ORDER.into_iter().find(|ability| value(*ability) < 17);
    let second = ORDER.into_iter().find(|ability| Some(*ability) != first && value(*ability) < 18);
    for (ability, by) in [(first, 2), (second, 1)] {
        if let Some(ability) = ability {
            *abilities.get_mut(ability).expect("an ability") += by;
        }
    }
    if abilities.strength == 18 {
        abilities.strength_add = (abilities.strength_add + 20).min(100);
    }
    first.is_none() && second.is_none()
}

/// The record of somebody who has just been made. The kit is put into its hands when it first enters.
pub fn newborn(rules: &Rules, choices: &Choices, dice: &mut Dice) -> CharacterRecord {
    let row = rules.class(choices.class);
    let (hit, _, moves, practices) = level_gain(rules, choices.class, 1, &choices.abilities, dice);
    let skills = first_skills_of(rules, choices.class, choices.race);
    let base = Stats {
        abilities: choices.abilities,
        hit_max: 10 + hit,
        mana_max: 100,
        move_max: FIRST_MOVES + moves,
        armor: 100,
        ..Stats::default()
    };
    let mut flags = PlayerFlags::AUTO_EXIT.with(PlayerFlags::PROMPT_TARGET);
    if choices.color {
        flags.insert(PlayerFlags::COLOR);
    }
    CharacterRecord {
        version: RECORD_VERSION,
        name: choices.name.clone(),
        room: None,
        position: Position::Standing,
        sex: choices.sex,
        race: choices.race,
        class: choices.class,
        level: 1,
        alignment: 0,
        gold: NEWCOMER_GOLD,
        hit: base.hit_max,
        mana: base.mana_max,
        moves: base.move_max,
        base,
        affects: Vec::new(),
        player: Player {
            experience: 1,
            bank: 0,
            title: row.title.clone(),
            description: "".into(),
            hometown: choices.hometown,
            drunk: 0,
            full: 36,
            thirst: 36,
            wimpy: 5,
            practices: practices + 2,
            flags,
            colors: Colors::default(),
            prompt: DEFAULT_PROMPT.into(),
            aliases: BTreeMap::new(),
            deaf_to: BTreeSet::new(),
            ignored: Default::default(),
            muted_until: None,
            said: VecDeque::new(),
            skills,
            spells: rules.first_spells(choices.class),
            played_ticks: 0,
            entered_tick: 0,
            active_tick: 0,
            kills: 0,
            deaths: 0,
            legacy_to: None,
            died_tick: None,
            complaints: Default::default(),
            practice_hints: 0,
            stabled: None,
            pets: Vec::new(),
            jail_hours: 0,
            overlooked_until_tick: 0,
            lost_constitution: 0,
            remorts: 0,
            tattoo: None,
            tattoo_free_tick: 0,
            link: Link::Linked,
            queue: VecDeque::new(),
            snooped_by: Vec::new(),
            agent: choices.agent,
            log_seq: 0,
            choices: VecDeque::new(),
            records: Default::default(),
            valence_off: false,
            past: Default::default(),
            acts: 0,
            person: None,
            display: None,
            columns: None,
            missed_tells: 0,
            missed_from: BTreeSet::new(),
            warned_of: None,
            tasks: Default::default(),
        },
        carrying: Vec::new(),
        worn: Vec::new(),
    }
}

/// Enough for a weapon or some armour, not both. This game's own; the original gives none.
pub const NEWCOMER_GOLD: i32 = 60;

/// What a prompt looks like until its owner changes it.
pub const DEFAULT_PROMPT: &str = "%hH %mM %vV >";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rolls_hang_on_seed_and_name() {
        let rules = Rules::built_in();
        let roll = |seed, name| {
            let mut dice = dice(seed, name, Rolls::Abilities);
            std::array::from_fn::<_, 8, _>(|_| roll_abilities(&rules, Race::Human, Class::Warrior, &mut dice))
        };
        assert_eq!(roll(7, "Wren"), roll(7, "wren"));
        assert_ne!(roll(7, "Wren"), roll(8, "Wren"));
        assert_ne!(roll(7, "Wren"), roll(7, "Finch"));
    }

    #[test]
    fn every_choice_makes_a_viable_character() {
        let rules = Rules::built_in();
        let mut dice = Dice::new(5, 0, 0, 0);
        for class in rules.classes.iter().filter(|c| c.at_creation) {
            for race in &rules.races {
                for _ in 0..50 {
                    let rolled = roll_abilities(&rules, race.name, class.name, &mut dice);
                    for value in [
                        rolled.strength,
                        rolled.intelligence,
                        rolled.wisdom,
                        rolled.dexterity,
                        rolled.constitution,
                        rolled.charisma,
                    ] {
                        assert!((3..=18).contains(&value));
                    }
                    assert!(rolled.strength_add == 0 || (rolled.strength == 18 && class.exceptional_strength));
                    assert!(race.name != Race::Ssaur || rolled.wisdom <= 16);
                }
            }
        }
    }
}
