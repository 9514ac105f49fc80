//! The dialogue that makes a character: colour, sex, race, class, hometown, the roll of the dice.
//!
//! One automaton for both transports. A program gets each question as a `char_create` frame and answers with a key of
//! its options; a person gets the same question as text and may answer with the key, the label or its beginning.

use content::words::{Class, Race, Sex};
use content::{Hometown, Text};
use protocol::payload::{CharCreate, CreationStage, Ordered, Stats};
use std::sync::Arc;
use world::character::Abilities;
use world::rng::Dice;
use world::rules::{self, Rules, creation};

/// What the dialogue has gathered.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    pub color: bool,
    pub sex: Sex,
    pub race: Race,
    pub class: Class,
    pub hometown: char,
    pub abilities: Abilities,
}

/// What leads to the question before. No choice begins with it.
pub const BACK: &str = "back";
/// The key of the roll before the last one.
const EARLIER: &str = "E";

pub struct Dialogue {
    rules: Arc<Rules>,
    hometowns: Vec<Hometown>,
    dice: Dice,
    stage: CreationStage,
    color: bool,
    sex: Sex,
    race: Race,
    class: Class,
    hometown: char,
    abilities: Abilities,
    /// The roll before this one, which can be had again: nobody loses good dice by hoping for better ones.
    earlier: Option<Abilities>,
}

/// What an answer led to.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    Ask,
    Done(Box<Chosen>),
}

impl Dialogue {
    /// The abilities are rolled with these dice. Without hometowns, that question is skipped.
    pub fn new(rules: Arc<Rules>, hometowns: Vec<Hometown>, dice: Dice) -> Dialogue {
        Dialogue {
            rules,
            dice,
            stage: CreationStage::Color,
            color: true,
            sex: Sex::Female,
            race: Race::Human,
            class: Class::Warrior,
            hometown: hometowns.first().map_or('K', |h| h.key),
            hometowns,
            abilities: Abilities::default(),
            earlier: None,
        }
    }

    /// The question that waits for an answer.
    pub fn question(&self) -> CharCreate {
        let prompt = match self.stage {
            CreationStage::Color => "Can your screen show colours?",
            CreationStage::Sex => "Are you male or female?",
            CreationStage::Race => "Of which people are you?",
            CreationStage::Class => "What is your calling?",
            CreationStage::Hometown => "Where is your home?",
            CreationStage::StatsRoll => "The dice have fallen. Keep them?",
        };
        CharCreate {
            stage: self.stage,
            prompt: prompt.into(),
            options: Ordered(self.options().into_iter().map(|(k, v)| (k.into(), v)).collect()),
            stats: (self.stage == CreationStage::StatsRoll).then_some(Stats {
                str: self.abilities.strength,
                int: self.abilities.intelligence,
                wis: self.abilities.wisdom,
                dex: self.abilities.dexterity,
                con: self.abilities.constitution,
                cha: self.abilities.charisma,
            }),
        }
    }

    /// The roll in words, for people.
    pub fn roll_in_words(&self) -> Option<String> {
        let a = &self.abilities;
        (self.stage == CreationStage::StatsRoll).then(|| {
            [
                ("Strength", a.strength + i32::from(a.strength == 18 && a.strength_add > 0)),
                ("Intelligence", a.intelligence),
                ("Wisdom", a.wisdom),
                ("Dexterity", a.dexterity),
                ("Constitution", a.constitution),
                ("Charisma", a.charisma),
            ]
            .map(|(name, value)| format!("  {name:<13} {}", creation::adjective(value)))
            .join("\n")
        })
    }

    fn options(&self) -> Vec<(String, String)> {
        let yes_no = |yes: &str, no: &str| vec![("Y".into(), yes.into()), ("N".into(), no.into())];
        match self.stage {
            CreationStage::Color => yes_no("Yes", "No"),
            CreationStage::Sex => vec![("M".into(), "Male".into()), ("F".into(), "Female".into())],
            CreationStage::Race => {
                self.rules.races.iter().map(|row| (row.id.to_string(), row.label.to_string())).collect()
            }
            CreationStage::Class => self
                .rules
                .classes
                .iter()
                .filter(|row| row.at_creation && rules::allows(self.race, row.name))
                .map(|row| (row.id.to_string(), row.label.to_string()))
                .collect(),
            CreationStage::Hometown => self.hometowns.iter().map(|h| (h.key.to_string(), h.name.to_string())).collect(),
            CreationStage::StatsRoll => {
                let mut options = yes_no("Keep them", "Roll again");
                if self.earlier.is_some() {
                    options.push((EARLIER.into(), "Take those before them".into()));
                }
                options
            }
        }
    }

    /// What a choice means; empty for what explains itself.
    fn about(&self, key: &str) -> Text {
        let Ok(number) = key.parse::<i32>() else { return Text::from("") };
        match self.stage {
            CreationStage::Race => self.rules.race_by_id(number).map(|row| row.about.clone()),
            CreationStage::Class => self.rules.class_to_create(number, self.race).map(|row| row.about.clone()),
            _ => None,
        }
        .unwrap_or_else(|| Text::from(""))
    }

    /// Whether the choices have keys that are numbers with gaps, and people get a number for each instead.
    pub fn is_numbered(&self) -> bool {
        matches!(self.stage, CreationStage::Race | CreationStage::Class)
    }

    /// Whether `?` tells more of the choices.
    pub fn explains(&self) -> bool {
        matches!(self.stage, CreationStage::Race | CreationStage::Class | CreationStage::StatsRoll)
    }

    /// Whether what was typed is no answer but asks what the choices mean.
    pub fn asks_for_help(typed: &str) -> bool {
        matches!(typed.trim(), "?" | "help")
    }

    /// More of all choices.
    fn explanation(&self) -> String {
        if self.stage == CreationStage::StatsRoll {
            let words = creation::ADJECTIVES.map(|(_, word)| word).join(", ");
            return format!(
                "From the worst to the best: {words}. Your calling has the best of the dice where it needs them most."
            );
        }
        let told = self.options().into_iter().map(|(key, label)| match &*self.about(&key) {
            "" => format!("{label}."),
            about => format!("{label}. {about}"),
        });
        told.collect::<Vec<_>>().join("\n")
    }

    /// The question before this one; `None` at the first.
    fn before(&self) -> Option<CreationStage> {
        match self.stage {
            CreationStage::Color => None,
            CreationStage::Sex => Some(CreationStage::Color),
            CreationStage::Race => Some(CreationStage::Sex),
            CreationStage::Class => Some(CreationStage::Race),
            CreationStage::Hometown => Some(CreationStage::Class),
            CreationStage::StatsRoll if self.hometowns.is_empty() => Some(CreationStage::Class),
            CreationStage::StatsRoll => Some(CreationStage::Hometown),
        }
    }

    /// Whether [`BACK`] leads to an earlier question.
    pub fn goes_back(&self) -> bool {
        self.before().is_some()
    }

    /// Takes an answer: a key, a label or the beginning of one. An answer that is none of them is refused in a
    /// sentence; `?` is answered with what the choices mean, and `back` asks the question before again. Where there is
    /// but one choice, an empty line takes it.
    pub fn answer(&mut self, typed: &str) -> Result<Next, String> {
        let typed = typed.trim();
        if typed.eq_ignore_ascii_case(BACK) {
            self.stage = self.before().ok_or("This is the first question: there is none to go back to.")?;
            return Ok(Next::Ask);
        }
        if Self::asks_for_help(typed) && self.explains() {
            return Err(self.explanation());
        }
        let options = self.options();
        let begins = |label: &str| {
            !typed.is_empty()
                && label.len() >= typed.len()
                && label.is_char_boundary(typed.len())
                && label[..typed.len()].eq_ignore_ascii_case(typed)
        };
        let key = options
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(typed))
            .or_else(|| options.iter().find(|(_, label)| begins(label)))
            .or_else(|| counted(&options, typed))
            .or_else(|| yes_or_no(&options, typed))
            .or_else(|| man_or_woman(&options, typed))
            .map(|(key, _)| key.clone());
        let Some(key) = key else {
            let known: Vec<String> = match self.is_numbered() {
                true => options.iter().map(|(_, label)| label.clone()).collect(),
                false => options.iter().map(|(key, label)| format!("{key} ({label})")).collect(),
            };
            return Err(format!("That is none of the choices. Answer one of: {}.", known.join(", ")));
        };
        let number = || key.parse::<i32>().unwrap_or(-1);
        self.stage = match self.stage {
            CreationStage::Color => {
                self.color = key == "Y";
                CreationStage::Sex
            }
            CreationStage::Sex => {
                self.sex = if key == "M" { Sex::Male } else { Sex::Female };
                CreationStage::Race
            }
            CreationStage::Race => {
                self.race = self.rules.race_by_id(number()).expect("the options come from the rule book").name;
                CreationStage::Class
            }
            CreationStage::Class => {
                let row = self.rules.class_to_create(number(), self.race);
                self.class = row.expect("the options come from the rule book").name;
                if self.hometowns.is_empty() { self.first_roll() } else { CreationStage::Hometown }
            }
            CreationStage::Hometown => {
                self.hometown = key.chars().next().unwrap_or('K');
                self.first_roll()
            }
            CreationStage::StatsRoll if key == "N" => {
                self.earlier = Some(self.abilities);
                self.roll()
            }
            CreationStage::StatsRoll if key == EARLIER => {
                if let Some(earlier) = self.earlier.replace(self.abilities) {
                    self.abilities = earlier;
                }
                CreationStage::StatsRoll
            }
            CreationStage::StatsRoll => {
                return Ok(Next::Done(Box::new(Chosen {
                    color: self.color,
                    sex: self.sex,
                    race: self.race,
                    class: self.class,
                    hometown: self.hometown,
                    abilities: self.abilities,
                })));
            }
        };
        Ok(Next::Ask)
    }

    /// The same for a person, who is not asked what has one answer only: a world with one town is home to everybody.
    /// Programs get all questions that the protocol names.
    pub fn answer_of_person(&mut self, typed: &str) -> Result<Next, String> {
        let next = self.answer(typed)?;
        if next != Next::Ask || self.options().len() > 1 {
            return Ok(next);
        }
        // An empty line takes the only choice there is.
        self.answer_of_person(if typed.trim().eq_ignore_ascii_case(BACK) { BACK } else { "" })
    }

    /// For this people and this calling; what was rolled for another is no choice.
    fn first_roll(&mut self) -> CreationStage {
        self.earlier = None;
        self.roll()
    }

    fn roll(&mut self) -> CreationStage {
        self.abilities = creation::roll_abilities(&self.rules, self.race, self.class, &mut self.dice);
        CreationStage::StatsRoll
    }
}

/// The choice that is meant by its place in a list that goes by letters, or by nothing where there is no other.
fn counted<'o>(options: &'o [(String, String)], typed: &str) -> Option<&'o (String, String)> {
    match options {
        [only] if typed.is_empty() => Some(only),
        _ if options.iter().any(|(key, _)| key.parse::<i32>().is_ok()) => None,
        _ => options.get(typed.parse::<usize>().ok()?.checked_sub(1)?),
    }
}

/// The words of the question, where its answers are `Male` and `Female`.
fn man_or_woman<'o>(options: &'o [(String, String)], typed: &str) -> Option<&'o (String, String)> {
    let words = [("man", "Male"), ("woman", "Female")];
    let label = words.into_iter().find(|(word, _)| typed.eq_ignore_ascii_case(word))?.1;
    options.iter().find(|(_, known)| known == label)
}

/// What `yes` and `no` mean where the keys stand for them, whatever the labels say.
fn yes_or_no<'o>(options: &'o [(String, String)], typed: &str) -> Option<&'o (String, String)> {
    let wanted = ["Y", "N"].into_iter().zip(["yes", "no"]).find(|(_, word)| typed.eq_ignore_ascii_case(word))?.0;
    options.iter().find(|(key, _)| key == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialogue() -> Dialogue {
        let home = |key, name: &str| Hometown { key, name: name.into(), room: 8004 };
        Dialogue::new(
            Arc::new(Rules::built_in()),
            vec![home('K', "the Keep"), home('O', "the Outlands")],
            Dice::new(7, 0, 0, 0),
        )
    }

    #[test]
    fn keys_answer_every_question() {
        let mut d = dialogue();
        for (stage, answer) in [
            (CreationStage::Color, "N"),
            (CreationStage::Sex, "F"),
            (CreationStage::Race, "1"),
            (CreationStage::Class, "0"),
            (CreationStage::Hometown, "o"),
        ] {
            assert_eq!(d.question().stage, stage);
            assert_eq!(d.answer(answer), Ok(Next::Ask));
        }
        let first = d.question().stats.expect("a roll");
        assert_eq!(d.answer("N"), Ok(Next::Ask));
        assert_ne!(d.question().stats, Some(first), "the dice fell otherwise");
        let second = d.question().stats;
        assert_eq!((d.answer("e"), d.question().stats), (Ok(Next::Ask), Some(first)), "what was before comes again");
        assert_eq!((d.answer("e"), d.question().stats), (Ok(Next::Ask), second), "and the other is not lost");
        let Ok(Next::Done(chosen)) = d.answer("y") else { panic!("the roll was kept") };
        assert_eq!(
            (chosen.race, chosen.class, chosen.hometown, chosen.color),
            (Race::Elf, Class::MagicUser, 'O', false)
        );
    }

    #[test]
    fn back_asks_the_question_before_and_what_was_chosen_can_be_chosen_again() {
        let mut d = dialogue();
        assert!(d.answer("back").expect_err("nothing is before").contains("first question") && !d.goes_back());
        for answer in ["yes", "male", "human", "warrior", "k"] {
            assert_eq!(d.answer(answer), Ok(Next::Ask), "{answer}");
        }
        for stage in [CreationStage::Hometown, CreationStage::Class, CreationStage::Race] {
            assert_eq!((d.answer("Back"), d.question().stage), (Ok(Next::Ask), stage));
        }
        for answer in ["elf", "thief", "o", "no"] {
            assert_eq!(d.answer(answer), Ok(Next::Ask), "{answer}");
        }
        let Ok(Next::Done(chosen)) = d.answer("Yes") else { panic!("the roll was kept") };
        assert_eq!((chosen.sex, chosen.race, chosen.class, chosen.hometown), (Sex::Male, Race::Elf, Class::Thief, 'O'));
        d.hometowns.clear();
        assert_eq!((d.answer("back"), d.question().stage), (Ok(Next::Ask), CreationStage::Class));
    }

    #[test]
    fn a_person_is_not_asked_what_has_one_answer_only() {
        let mut d = dialogue();
        d.hometowns.truncate(1);
        for answer in ["yes", "male", "human", "warrior"] {
            assert_eq!(d.answer_of_person(answer), Ok(Next::Ask), "{answer}");
        }
        assert_eq!((d.question().stage, d.hometown), (CreationStage::StatsRoll, 'K'));
        assert_eq!((d.answer_of_person("back"), d.question().stage), (Ok(Next::Ask), CreationStage::Class));
        assert_eq!((d.answer("warrior"), d.question().stage), (Ok(Next::Ask), CreationStage::Hometown), "a program is");
    }

    #[test]
    fn no_choice_begins_with_the_word_that_leads_back() {
        let rules = Rules::built_in();
        let labels = rules.races.iter().map(|row| &row.label).chain(rules.classes.iter().map(|row| &row.label));
        assert!(labels.map(|label| label.to_lowercase()).all(|label| !label.starts_with(BACK)));
    }

    #[test]
    fn whoever_asks_is_told_what_the_choices_mean() {
        let mut d = dialogue();
        assert!(d.answer("?").expect_err("it is no choice").contains("none of the choices"));
        for answer in ["yes", "female"] {
            assert_eq!(d.answer(answer), Ok(Next::Ask));
        }
        let peoples = d.answer("?").expect_err("it is no choice");
        assert_eq!(peoples.lines().count(), d.question().options.0.len());
        assert!(peoples.lines().all(|line| line.contains(". ") && line.ends_with('.')), "{peoples}");
        assert_eq!(d.answer("elf"), Ok(Next::Ask));
        let callings = d.answer("help").expect_err("it is no choice");
        assert!(callings.contains("Warrior. Blows") && !callings.contains("Ninja"), "{callings}");
        let longest = 4 * 76;
        assert!(peoples.lines().chain(callings.lines()).all(|line| line.len() < longest));
    }

    #[test]
    fn a_list_by_letters_may_be_counted_and_an_only_choice_taken_with_nothing() {
        let mut d = dialogue();
        d.hometowns.truncate(1);
        for (answer, refused) in [("0", true), ("3", true), ("2", false), ("", true), ("2", false), ("", true)] {
            assert_eq!(d.answer(answer).is_err(), refused, "{answer} at {:?}", d.stage);
        }
        assert_eq!((d.color, d.sex, d.stage), (false, Sex::Female, CreationStage::Race));
        assert!(d.answer("90").is_err(), "a list by numbers goes by these");
        for answer in ["human", "thief", ""] {
            assert_eq!(d.answer(answer), Ok(Next::Ask), "{answer}");
        }
        assert_eq!((d.hometown, d.stage), ('K', CreationStage::StatsRoll));
    }

    #[test]
    fn labels_do_as_well_as_keys_and_nonsense_is_refused() {
        let mut d = dialogue();
        assert!(d.answer("perhaps").expect_err("no choice").contains("Y (Yes)"));
        assert!(d.answer("").is_err());
        for answer in ["yes", "male", "elf"] {
            assert_eq!(d.answer(answer), Ok(Next::Ask), "{answer}");
        }
        assert!(d.answer("ninja").is_err(), "elves are no ninjas");
        assert_eq!(d.answer("thief"), Ok(Next::Ask));
    }
}
