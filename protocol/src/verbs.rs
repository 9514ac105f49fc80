//! The verbs as programs know them: names, usage, and which of them spend a tick.
//!
//! `verbs.json` is made from the world's table (`UPDATE=1 cargo test -p tests`), so a client needs no world to know
//! what a word means. What a verb does is in `world`.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::LazyLock;

/// One verb, in the shape of a line of `verbs.json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Verb {
    pub name: Cow<'static, str>,
    /// What follows it: `<thing> [<container>]`; may be empty.
    pub usage: Cow<'static, str>,
    pub help: Cow<'static, str>,
    /// The lowest level that may use it.
    pub level: i32,
    /// Must be typed in full.
    pub full_word: bool,
    /// Looking, talking, settings, the mind: a decision may hold many of these, and one of all others.
    pub free: bool,
}

/// All verbs, in the order in which a typed word finds them.
pub static VERBS: LazyLock<Vec<Verb>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../verbs.json")).expect("verbs.json is made by our own writer")
});

/// The verb that a player of this level means by a word: the first that begins with it. `None`: it may be a gesture.
pub fn find(word: &str, level: i32) -> Option<&'static Verb> {
    let begins = |name: &str| name.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    if word.is_empty() {
        return None;
    }
    VERBS
        .iter()
        .find(|verb| verb.level <= level && begins(&verb.name) && (!verb.full_word || verb.name.len() == word.len()))
}

/// The word of a line that is its verb: the first one, or a first character that is no letter (`'hello`).
pub fn word_of(line: &str) -> &str {
    let line = line.trim();
    match line.chars().next() {
        Some(first) if !first.is_alphanumeric() => &line[..first.len_utf8()],
        _ => line.split_whitespace().next().unwrap_or(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_means_what_the_world_takes_it_for() {
        let name = |word, level| find(word, level).map(|verb| &*verb.name);
        assert_eq!(name("n", 1), Some("north"));
        assert_eq!(name("K", 1), Some("kill"));
        assert_eq!(name("qui", 1), None, "quit must be typed in full");
        assert_eq!(name("goto", 1), None);
        assert_eq!(name("goto", 31), Some("goto"));
        assert_eq!(name("é", 1), None);
        assert_eq!(word_of(" 'hello there"), "'");
        assert_eq!(word_of("say hello"), "say");
        assert!(find("say", 1).is_some_and(|verb| verb.free));
        assert!(find("look", 1).is_some_and(|verb| verb.free));
        assert!(find("kill", 1).is_some_and(|verb| !verb.free));
    }
}
