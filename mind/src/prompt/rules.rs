//! P0: what is the same for all agents of one folder of texts, a world, tier, form of answers and autopilot. Two texts:
//! one for the small tier, one for all others, so that the small one still begins with the 1,024 tokens that a provider
//! caches, and has room for a game; and each with either form, since an answer can be asked for in JSON or in TOON, and
//! the form stands in its middle.
//!
//! Invariant: no name, number, setting or permission of an agent is in it. Those stand at the head of P1.

use super::AnswerForm;
use crate::action::{Autopilot, vocabulary};
use crate::budget::Tier;
use crate::texts::{Extent, TextName, Texts};
use protocol::payload::Words;

/// A beginning that is shorter no provider caches.
pub const CACHED_FROM: usize = 1_024;

/// The file that a tier's rules are made of.
pub(super) const fn frame(tier: Tier) -> TextName {
    match tier {
        Tier::Small => TextName::RulesSmall,
        Tier::Medium | Tier::Large | Tier::Unlimited => TextName::Rules,
    }
}

/// The text, the same bytes at every call for a world's words. How to answer and with what follows from the table of
/// actions. With the verbs of a mind for all: whoever plays where no mind is kept reads so at the head of P1.
pub fn rules(texts: &Texts, tier: Tier, answer: AnswerForm, autopilot: Autopilot, words: &Words) -> String {
    let part = |text| texts.filled(text, tier.extent(), &[]);
    let whole = |text| texts.filled(text, Extent::All, &[]);
    let answer = match answer {
        AnswerForm::Json => TextName::AnswerJson,
        AnswerForm::Toon => TextName::AnswerToon,
    };
    let empty_answer = match autopilot {
        Autopilot::Off | Autopilot::Offered => TextName::EmptyAnswer,
        Autopilot::Full => TextName::EmptyAnswerFull,
    };
    let memory = texts.filled(TextName::Memory, tier.extent(), &[("patterns", &part(TextName::Patterns))]);
    let values = [
        ("once", if tier.tells_places() { whole(TextName::Once) } else { String::new() }),
        ("answer", whole(answer)),
        ("empty_answer", whole(empty_answer)),
        ("vocabulary", vocabulary(true, autopilot, words).trim_end().to_string()),
        ("time", part(TextName::Time)),
        ("memory", memory),
        ("silence", part(TextName::Silence)),
        ("topics", part(TextName::Topics)),
        ("collaboration", part(TextName::Collaboration)),
    ];
    let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    // An empty line parts it from the next.
    texts.filled(frame(tier), Extent::All, &values) + "\n\n"
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
        let texts = Texts::default();
        let mut odd = Vec::new();
        for (tier, answer, autopilot) in all() {
            let tokens = count(&rules(&texts, tier, answer, autopilot, &words()));
            if !(CACHED_FROM..=tier.caps().rules).contains(&tokens) {
                odd.push(format!("{} has {tokens} for {answer:?}, {autopilot:?}", tier.name()));
            }
        }
        assert!(odd.is_empty(), "{odd:#?}");
    }

    /// The caps have room for what the tables will tell of actions to come, not for prose: that stays as short as it
    /// was under the caps before, 1,760 and 1,380 tokens with all actions of then, but for what it says of projects and
    /// goals in prompts that have the room.
    #[test]
    fn the_prose_of_the_rules_leaves_their_room_to_the_tables() {
        let texts = Texts::default();
        for (tier, answer, autopilot) in all() {
            let told = count(&vocabulary(true, autopilot, &words()));
            let prose = count(&rules(&texts, tier, answer, autopilot, &words())) - told;
            let most = if tier == Tier::Small { 710 } else { 1_180 };
            assert!(prose <= most, "{} has {prose} beside {told} of tables", tier.name());
        }
    }

    #[test]
    fn the_rules_tell_how_to_answer() {
        let texts = Texts::default();
        let text_of = |name| texts.filled(name, Extent::All, &[]);
        for (tier, answer, autopilot) in all() {
            let text = rules(&texts, tier, answer, autopilot, &words());
            assert!(text.contains(&vocabulary(true, autopilot, &words())) && !text.contains("{answer}"));
            let full = text.contains(&text_of(TextName::EmptyAnswerFull));
            assert_eq!(full, autopilot == Autopilot::Full, "what an empty list comes to: {text}");
            assert_eq!(text.contains(&text_of(TextName::EmptyAnswer)), !full, "{text}");
            for (form, wanted) in [(TextName::AnswerJson, AnswerForm::Json), (TextName::AnswerToon, AnswerForm::Toon)] {
                assert_eq!(text.contains(&text_of(form)), answer == wanted, "one form, so that nobody has to choose");
            }
        }
    }
}
