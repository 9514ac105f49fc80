//! P0: what is the same for all agents of a build and tier. Two texts: one for the small tier, one for all others, so
//! that the small one still begins with the 1,024 tokens that a provider caches, and has room for a game.
//!
//! Invariant: no name, number, setting or permission of an agent is in it. Those stand at the head of P1.

use crate::budget::Tier;
use protocol::verbs::VERBS;
use std::sync::LazyLock;

/// Not told: settings of a terminal, other names of the same verb, and what ends the session or changes the account.
/// They work; a prompt is no place for them.
const UNTOLD: [&str; 29] = [
    "'",
    "?",
    ".",
    ":",
    "alias",
    "auction",
    "blankline",
    "brief",
    "color",
    "commands",
    "description",
    "grab",
    "grats",
    "gtell",
    "hit",
    "holler",
    "murder",
    "password",
    "prompt",
    "quit",
    "save",
    "sip",
    "socials",
    "take",
    "taste",
    "title",
    "toggle",
    "unalias",
    "wimpy",
];

static RULES: LazyLock<String> = LazyLock::new(|| filled(include_str!("rules.md")));
static RULES_SMALL: LazyLock<String> = LazyLock::new(|| filled(include_str!("rules_small.md")));

/// The text, the same bytes at every call.
pub fn rules(tier: Tier) -> &'static str {
    match tier {
        Tier::Small => &RULES_SMALL,
        Tier::Medium | Tier::Large | Tier::Unlimited => &RULES,
    }
}

/// The verbs that an agent is told of, free ones or those that spend a tick, in the order of the world's table.
pub fn vocabulary(free: bool) -> String {
    let told = |name: &str| !UNTOLD.contains(&name);
    let row = |name: &str, usage: &str| match usage {
        "" => name.to_string(),
        usage => format!("{name} {usage}"),
    };
    let rows: Vec<String> = VERBS
        .iter()
        .filter(|verb| verb.level <= 1 && verb.free == free && told(&verb.name))
        .map(|verb| row(&verb.name, &verb.usage))
        .collect();
    rows.join("; ")
}

fn filled(text: &str) -> String {
    text.replace("{{", "{")
        .replace("}}", "}")
        .replace("{free}", &vocabulary(true))
        .replace("{spend}", &vocabulary(false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::count;

    #[test]
    fn the_rules_are_long_enough_to_be_cached_and_short_enough_to_play() {
        for tier in Tier::ALL {
            let tokens = count(rules(tier));
            println!("{} {tokens}", tier.name());
            assert!((1_024..=tier.caps().rules).contains(&tokens), "{} has {tokens}", tier.name());
        }
    }

    #[test]
    fn every_verb_that_is_left_out_is_one() {
        for name in UNTOLD {
            assert!(VERBS.iter().any(|verb| verb.name == *name), "{name}");
        }
        assert!(!rules(Tier::Medium).contains("{free}") && !rules(Tier::Medium).contains("{{"));
        assert!(rules(Tier::Medium).contains("kill <target>"));
    }
}
