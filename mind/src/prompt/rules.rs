//! P0: what is the same for all agents of a build, a world, tier, form of answers and autopilot. Two texts: one for the
//! small tier, one for all others, so that the small one still begins with the 1,024 tokens that a provider caches, and
//! has room for a game; and each with either form, since an answer can be asked for in JSON or in TOON, and the form
//! stands in its middle.
//!
//! Invariant: no name, number, setting or permission of an agent is in it. Those stand at the head of P1.

use super::AnswerForm;
use crate::action::{ANSWER_FORM, ANSWER_FORM_TOON, Autopilot, vocabulary};
use crate::budget::Tier;
use protocol::payload::Words;

const FULL: &str = include_str!("rules.md");
const SMALL: &str = include_str!("rules_small.md");
/// What readers of a transcript must know where it tells what changes seldom.
const ONCE: &str = "- What you carry (\"inventory\") and wear (\"equipment\"), a \"place\" that you come to with its \"map\", and memories \
    are told in a block \"now:\" of the transcript when they change, and not again: the newest block is right.\n";
/// In the order of `AnswerForm`.
const FORMS: [&str; 2] = [ANSWER_FORM, ANSWER_FORM_TOON];

/// The text, the same bytes at every call for a world's words. How to answer and with what follows from the table of
/// actions. With the verbs of a mind for all: whoever plays where no mind is kept reads so at the head of P1.
pub fn rules(tier: Tier, answer: AnswerForm, autopilot: Autopilot, words: &Words) -> String {
    let text = match tier {
        Tier::Small => SMALL,
        Tier::Medium | Tier::Large | Tier::Unlimited => FULL,
    };
    let answer = [FORMS[answer as usize], autopilot.empty_answer()].concat();
    let once = if tier.tells_places() { ONCE } else { "" };
    text.replace("{once}", once)
        .replace("{answer}", &answer)
        .replace("{vocabulary}", &vocabulary(true, autopilot, words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::tests::words;
    use crate::tokens::count;

    fn all() -> impl Iterator<Item = (Tier, AnswerForm, Autopilot)> {
        let forms =
            || AnswerForm::ALL.into_iter().flat_map(|answer| Autopilot::ALL.map(|autopilot| (answer, autopilot)));
        Tier::ALL.into_iter().flat_map(move |tier| forms().map(move |(answer, autopilot)| (tier, answer, autopilot)))
    }

    #[test]
    fn the_rules_are_long_enough_to_be_cached_and_short_enough_to_play() {
        let mut odd = Vec::new();
        for (tier, answer, autopilot) in all() {
            let tokens = count(&rules(tier, answer, autopilot, &words()));
            if !(1_024..=tier.caps().rules).contains(&tokens) {
                odd.push(format!("{} has {tokens} for {answer:?}, {autopilot:?}", tier.name()));
            }
        }
        assert!(odd.is_empty(), "{odd:#?}");
    }

    #[test]
    fn the_rules_tell_how_to_answer() {
        for (tier, answer, autopilot) in all() {
            let text = rules(tier, answer, autopilot, &words());
            assert!(text.contains(&vocabulary(true, autopilot, &words())) && !text.contains("{answer}"));
            assert!(text.contains(autopilot.empty_answer()), "what an empty list comes to: {text}");
            for (form, wanted) in [(ANSWER_FORM, AnswerForm::Json), (ANSWER_FORM_TOON, AnswerForm::Toon)] {
                assert_eq!(text.contains(form), answer == wanted, "one form, so that nobody has to choose");
            }
        }
    }
}
