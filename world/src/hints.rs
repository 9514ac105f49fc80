//! Words that are worth typing, marked for who wants it (`toggle hints`): in what mobs say those that somebody answers
//! to, in what a room shows those that somebody there answers to. What can be looked at is not marked: in a world that
//! describes what it speaks of, that is every other noun.
//!
//! Invariant: only what a person reads is marked. Outcomes, variables and memories have the words as they are.

use crate::arena::CharacterId;
use crate::character::{Character, PlayerFlags};
use crate::world::World;
use std::collections::BTreeSet;

/// Whether somebody wants words to be marked.
pub(crate) fn wants_hints(reader: &Character) -> bool {
    reader.player_flags().has(PlayerFlags::HINTS)
}

/// A text with each word that `is_hint` knows in brackets, once. Words are asked for in lower case.
fn marked(text: &str, is_hint: impl Fn(&str) -> bool) -> String {
    let mut shown = String::with_capacity(text.len() + 16);
    let mut known: BTreeSet<String> = BTreeSet::new();
    let is_part = |c: char| c.is_alphanumeric() || c == '-';
    let mut rest = text;
    while let Some(at) = rest.find(is_part) {
        shown.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let run = &rest[..end];
        rest = &rest[end..];
        // A dash at an end is no part of the word.
        let word = run.trim_matches('-');
        let lower = word.to_lowercase();
        if word.is_empty() || known.contains(&lower) || !is_hint(&lower) {
            shown.push_str(run);
            continue;
        }
        let before = run.len() - run.trim_start_matches('-').len();
        shown.push_str(&run[..before]);
        shown.push('[');
        shown.push_str(word);
        shown.push(']');
        shown.push_str(&run[before + word.len()..]);
        known.insert(lower);
    }
    shown.push_str(rest);
    shown
}

impl World {
    /// What a mob says, as it is shown to who wants hints.
    pub(crate) fn hinted_speech(&self, words: &str) -> String {
        marked(words, |word| self.content.is_answered(word))
    }

    /// What is shown of a room, or of something in it, to one who is there.
    pub(crate) fn hinted<'t>(&self, who: CharacterId, text: &'t str) -> std::borrow::Cow<'t, str> {
        if !wants_hints(self.who(who)) {
            return text.into();
        }
        let place = self.who(who).room;
        let dark = self.is_dark(place);
        let room = self.room(place);
        let people = room.characters.iter().filter(|id| **id != who && self.sees_in(who, **id, dark));
        let mobs: Vec<i32> = people.filter_map(|id| self.mob_proto(*id)).map(|proto| proto.vnum).collect();
        let answers = |word: &str| {
            let numbers = self.content.answered_words(word);
            !numbers.is_empty() && mobs.iter().any(|mob| !self.content.answers_of(*mob, &numbers).is_empty())
        };
        marked(text, answers).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_marked_once_and_nothing_else_of_the_text_changes() {
        let known = ["boat", "bell-rope", "æon"];
        for (text, expected) in [
            ("Boat, boat and boats.", "[Boat], boat and boats."),
            ("The bell-rope - a boat-hook -boat-", "The [bell-rope] - a boat-hook -[boat]-"),
            ("Æon. (boat)", "[Æon]. ([boat])"),
            ("", ""),
            ("--", "--"),
        ] {
            assert_eq!(marked(text, |word| known.contains(&word)), expected);
        }
    }
}
