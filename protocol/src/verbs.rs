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

/// A typed line, split once into its verb and what follows. Everything that wants one of the two takes this.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Typed<'a> {
    /// The verb as it was typed: the first word, or a first character that is no letter or digit (`'hello`). Empty
    /// only where the line is blank.
    pub word: &'a str,
    /// The rest, without blanks at either end.
    pub args: &'a str,
}

impl<'a> Typed<'a> {
    pub fn parse(line: &'a str) -> Typed<'a> {
        let line = line.trim();
        let end = match line.chars().next() {
            Some(first) if !first.is_alphanumeric() => first.len_utf8(),
            _ => line.find(char::is_whitespace).unwrap_or(line.len()),
        };
        Typed { word: &line[..end], args: line[end..].trim_start() }
    }
}

/// Whether a typed word, in any case, is the beginning of a name, or all of it where it must be typed in full. An
/// empty word means nothing.
pub fn means(word: &str, name: &str, full_word: bool) -> bool {
    let begins = || name.as_bytes().get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()));
    !word.is_empty() && begins() && (!full_word || name.len() == word.len())
}

/// The verb that a player of this level means by a word: the first that begins with it. `None`: it may be a gesture.
pub fn find(word: &str, level: i32) -> Option<&'static Verb> {
    VERBS.iter().find(|verb| verb.level <= level && means(word, &verb.name, verb.full_word))
}

/// The verb of a typed line, as it was typed.
pub fn word_of(line: &str) -> &str {
    Typed::parse(line).word
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
        assert!(find("say", 1).is_some_and(|verb| verb.free));
        assert!(find("look", 1).is_some_and(|verb| verb.free));
        assert!(find("kill", 1).is_some_and(|verb| !verb.free));
    }

    #[test]
    fn a_line_is_a_verb_and_the_rest() {
        for (line, word, args) in [
            (" 'hello  there ", "'", "hello  there"),
            ("say hello", "say", "hello"),
            ("look", "look", ""),
            ("\tget\u{a0}all", "get", "all"),
            ("…well", "…", "well"),
            ("æøå  x", "æøå", "x"),
            ("  ", "", ""),
        ] {
            assert_eq!(Typed::parse(line), Typed { word, args }, "{line:?}");
        }
    }
}
