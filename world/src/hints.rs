//! Words that are worth typing, marked for who wants it (`toggle hints`): of what mobs say and of what a room shows,
//! those that somebody there answers to. Nobody says brackets: the words of a mob stand behind what it says, those of a
//! description are marked where they are. What can be looked at is not marked: in a world that describes what it speaks
//! of, that is every other noun.
//!
//! Invariant: only what a person reads is marked. Outcomes, variables and memories have the words as they are.

use crate::arena::CharacterId;
use crate::character::{Character, PlayerFlags};
use crate::world::World;
use std::collections::BTreeSet;
use std::ops::Range;

/// Whether somebody wants words to be marked.
pub(crate) fn wants_hints(reader: &Character) -> bool {
    reader.player_flags().has(PlayerFlags::HINTS)
}

/// Where the words of a text stand that `is_hint` knows, each once. Words are asked for in lower case.
fn hints(text: &str, is_hint: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    let is_part = |c: char| c.is_alphanumeric() || c == '-';
    let mut from = 0;
    while let Some(at) = text[from..].find(is_part) {
        let begin = from + at;
        let end = text[begin..].find(|c| !is_part(c)).map_or(text.len(), |end| begin + end);
        from = end;
        // A dash at an end is no part of the word.
        let run = &text[begin..end];
        let word = run.trim_matches('-');
        let lower = word.to_lowercase();
        if !word.is_empty() && !known.contains(&lower) && is_hint(&lower) {
            let begin = begin + (run.len() - run.trim_start_matches('-').len());
            found.push(begin..begin + word.len());
            known.insert(lower);
        }
    }
    found
}

/// A text with those words in brackets.
fn marked(text: &str, is_hint: impl Fn(&str) -> bool) -> String {
    let mut shown = String::with_capacity(text.len() + 16);
    let mut from = 0;
    for hint in hints(text, is_hint) {
        shown.push_str(&text[from..hint.start]);
        from = hint.end;
        shown.push('[');
        shown.push_str(&text[hint]);
        shown.push(']');
    }
    shown.push_str(&text[from..]);
    shown
}

impl World {
    /// What stands behind a mob's words for who wants hints; may be empty.
    pub(crate) fn hints_behind(&self, speaker: CharacterId, words: &str) -> String {
        let near = self.room(self.who(speaker).room).characters.iter().copied();
        let hints = hints(words, self.answered_by(near));
        hints.into_iter().map(|hint| format!(" [{}]", words[hint].to_lowercase())).collect()
    }

    /// What is shown of a room, or of something in it, to one who is there.
    pub(crate) fn hinted<'t>(&self, who: CharacterId, text: &'t str) -> std::borrow::Cow<'t, str> {
        if !wants_hints(self.who(who)) {
            return text.into();
        }
        let place = self.who(who).room;
        let dark = self.is_dark(place);
        let people = self.room(place).characters.iter().copied();
        let seen = people.filter(|id| *id != who && self.sees_in(who, *id, dark));
        marked(text, self.answered_by(seen)).into()
    }

    /// Whether one of these has an answer to a word.
    fn answered_by(&self, people: impl Iterator<Item = CharacterId>) -> impl Fn(&str) -> bool {
        let mobs: Vec<i32> = people.filter_map(|id| self.mob_proto(id)).map(|proto| proto.vnum).collect();
        move |word| {
            let numbers = self.content.answered_words(word);
            !numbers.is_empty() && mobs.iter().any(|mob| !self.content.answers_of(*mob, &numbers).is_empty())
        }
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
