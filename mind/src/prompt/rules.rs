//! P0: what is the same for all agents of a build and tier. Two texts: one for the small tier, one for all others, so
//! that the small one still begins with the 1,024 tokens that a provider caches, and has room for a game.
//!
//! Invariant: no name, number, setting or permission of an agent is in it. Those stand at the head of P1.

use crate::action::{ANSWER_FORM, vocabulary};
use crate::budget::Tier;
use std::sync::LazyLock;

static RULES: LazyLock<String> = LazyLock::new(|| filled(include_str!("rules.md")));
static RULES_SMALL: LazyLock<String> = LazyLock::new(|| filled(include_str!("rules_small.md")));

/// The text, the same bytes at every call.
pub fn rules(tier: Tier) -> &'static str {
    match tier {
        Tier::Small => &RULES_SMALL,
        Tier::Medium | Tier::Large | Tier::Unlimited => &RULES,
    }
}

/// How to answer and with what, from the table of actions. With the verbs of a mind for all: whoever plays where no
/// mind is kept reads so at the head of P1.
fn filled(text: &str) -> String {
    text.replace("{answer}", ANSWER_FORM).replace("{vocabulary}", vocabulary(true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::count;

    #[test]
    fn the_rules_are_long_enough_to_be_cached_and_short_enough_to_play() {
        for tier in Tier::ALL {
            let tokens = count(rules(tier));
            assert!((1_024..=tier.caps().rules).contains(&tokens), "{} has {tokens}", tier.name());
        }
    }

    #[test]
    fn the_rules_tell_how_to_answer() {
        for tier in Tier::ALL {
            let text = rules(tier);
            assert!(text.contains(ANSWER_FORM) && text.contains(vocabulary(true)) && !text.contains("{answer}"));
        }
    }
}
