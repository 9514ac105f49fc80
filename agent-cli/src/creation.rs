//! Answers to the questions of character creation: what is wished for where it is offered, else a sensible choice.
//!
//! Pure. A question that comes again is answered with the next of its options, so the dialogue always ends.

use protocol::creation::{CLASSES, RACES, Sex, number_of};
use protocol::payload::{CharCreate, CreationStage, Stats};

/// A roll is repeated so often at most, when it is poor.
const ROLLS_MAX: u32 = 6;
/// The sum of six abilities that is worth keeping.
const GOOD_SUM: i32 = 78;

/// What the new character shall be; nothing is required.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Wishes {
    pub class: Option<String>,
    pub race: Option<String>,
    pub sex: Option<String>,
    pub hometown: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub struct Creation {
    wishes: Wishes,
    last: Option<CreationStage>,
    /// How often the same question came.
    again: usize,
    rolls: u32,
}

impl Creation {
    pub fn new(wishes: Wishes) -> Creation {
        Creation { wishes, ..Creation::default() }
    }

    /// The key of an option. `None`: the question has none.
    pub fn answer(&mut self, question: &CharCreate) -> Option<String> {
        let repeated = self.last == Some(question.stage) && question.stage != CreationStage::StatsRoll;
        self.again = if repeated { self.again + 1 } else { 0 };
        self.last = Some(question.stage);
        let options = &question.options.0;
        if repeated {
            return options.get((self.again - 1) % options.len().max(1)).map(|(key, _)| key.to_string());
        }
        let wish = match question.stage {
            CreationStage::Color => Some("N".to_string()),
            CreationStage::Sex => {
                let sex = self.wishes.sex.as_deref().and_then(Sex::named).unwrap_or(Sex::Female);
                Some(if sex == Sex::Male { "M" } else { "F" }.to_string())
            }
            CreationStage::Race => {
                let race = self.wishes.race.as_deref().and_then(|word| number_of(RACES, word));
                Some(race.unwrap_or(0).to_string())
            }
            CreationStage::Class => {
                let class = self.wishes.class.as_deref().and_then(|word| number_of(CLASSES, word));
                Some(class.unwrap_or(3).to_string())
            }
            CreationStage::Hometown => self.wishes.hometown.clone(),
            CreationStage::StatsRoll => Some(self.keep_or_roll(question.stats).to_string()),
        };
        let offered = |wish: &str| {
            let by_key = options.iter().find(|(key, _)| key.eq_ignore_ascii_case(wish));
            by_key.or_else(|| options.iter().find(|(_, label)| label.eq_ignore_ascii_case(wish)))
        };
        let choice = wish.as_deref().and_then(offered).or(options.first());
        choice.map(|(key, _)| key.to_string())
    }

    fn keep_or_roll(&mut self, stats: Option<Stats>) -> &'static str {
        let good = stats.is_none_or(|s| s.str + s.int + s.wis + s.dex + s.con + s.cha >= GOOD_SUM);
        if good || self.rolls >= ROLLS_MAX {
            return "Y";
        }
        self.rolls += 1;
        "N"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::payload::Ordered;

    fn question(stage: CreationStage, options: &[(&'static str, &str)], stats: Option<Stats>) -> CharCreate {
        let options = options.iter().map(|(key, label)| ((*key).into(), label.to_string())).collect();
        CharCreate { stage, prompt: String::new(), options: Ordered(options), stats }
    }

    #[test]
    fn wishes_are_answered_where_they_are_offered() {
        let wishes = Wishes { class: Some("thief".into()), hometown: Some("the outlands".into()), ..Wishes::default() };
        let mut creation = Creation::new(wishes);
        let classes = [("0", "Magic-user"), ("2", "Thief"), ("3", "Warrior")];
        assert_eq!(creation.answer(&question(CreationStage::Class, &classes, None)).as_deref(), Some("2"));
        let towns = [("K", "The Keep"), ("O", "The Outlands")];
        assert_eq!(creation.answer(&question(CreationStage::Hometown, &towns, None)).as_deref(), Some("O"));
        let few = [("1", "Cleric")];
        assert_eq!(Creation::default().answer(&question(CreationStage::Class, &few, None)).as_deref(), Some("1"));
    }

    #[test]
    fn a_question_that_comes_again_gets_another_answer() {
        let mut creation = Creation::default();
        let sexes = [("M", "Male"), ("F", "Female")];
        let answers: Vec<_> =
            (0..4).map(|_| creation.answer(&question(CreationStage::Sex, &sexes, None)).expect("an option")).collect();
        assert_eq!(answers, ["F", "M", "F", "M"]);
        assert_eq!(creation.answer(&question(CreationStage::Race, &[], None)), None);
    }

    #[test]
    fn a_poor_roll_is_repeated_but_not_for_ever() {
        let keep = [("Y", "Keep them"), ("N", "Roll again")];
        let mut creation = Creation::default();
        let poor = Some(Stats { str: 3, ..Stats::default() });
        let mut rolls = 0;
        while creation.answer(&question(CreationStage::StatsRoll, &keep, poor)).as_deref() == Some("N") {
            rolls += 1;
        }
        assert_eq!(rolls, ROLLS_MAX);
    }
}
