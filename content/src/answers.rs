//! What mobs answer when they are spoken to, and what they give for a thing: the rows of `answers.toml`, and the index
//! that finds the right answer fast.
//!
//! Every utterance is looked up, so what costs time is done when content is read: each word that anybody answers to
//! has a number, and each mob a sorted list of the numbers that it knows. Invariant: of several answers to the same
//! words the one that stands first in its file comes first.

use crate::text::Text;
use crate::vnum::Vnum;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// One thing that a mob says when it hears one of the words.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AnswerProto {
    pub mob: Vnum,
    /// Lower case, each a word as `spoken_words` gives them; none where it greets.
    pub to: Vec<Text>,
    /// It is said to nobody's words, but to who comes for the first time.
    pub greets: bool,
    pub says: Text,
    pub when: When,
    /// An object that goes with the words, to everybody once a day: after that the row has no turn.
    pub gives: Option<Vnum>,
}

impl AnswerProto {
    /// Whether it is said to everybody, always.
    pub fn is_plain(&self) -> bool {
        self.when == When::default() && self.gives.is_none()
    }
}

/// What a mob gives for a thing that is given to it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TradeProto {
    pub mob: Vnum,
    /// The object that it keeps.
    pub takes: Vnum,
    /// The object that it gives for it.
    pub gives: Vnum,
    pub says: Text,
    pub when: When,
}

/// What is asked of the hour and of who stands before a mob; nothing of it has to be.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct When {
    /// Hours of the day, the first and the last; from late to early goes through midnight.
    pub hours: Option<(i32, i32)>,
    /// The lowest and the highest level.
    pub levels: Option<(i32, i32)>,
    /// The same of alignments.
    pub alignment: Option<(i32, i32)>,
    /// An object that has to be carried or worn.
    pub carries: Option<Vnum>,
    /// A task that has to be under way.
    pub during: Option<Text>,
    /// A task that has to be done.
    pub after: Option<Text>,
}

/// Who answers to what.
#[derive(Clone, Debug, Default)]
pub(crate) struct AnswerIndex {
    /// Sorted; a word's number is its place.
    words: Vec<Text>,
    /// (number of a word, index into `Content::answers`) by mob, sorted.
    mobs: BTreeMap<Vnum, Vec<(u32, u32)>>,
}

impl AnswerIndex {
    pub fn of(answers: &[AnswerProto]) -> AnswerIndex {
        let words: BTreeSet<&Text> = answers.iter().flat_map(|answer| &answer.to).collect();
        let words: Vec<Text> = words.into_iter().cloned().collect();
        let mut mobs: BTreeMap<Vnum, Vec<(u32, u32)>> = BTreeMap::new();
        for (at, answer) in answers.iter().enumerate() {
            let numbers = answer.to.iter().filter_map(|word| words.binary_search(word).ok());
            mobs.entry(answer.mob).or_default().extend(numbers.map(|number| (number as u32, at as u32)));
        }
        mobs.values_mut().for_each(|list| list.sort_unstable());
        AnswerIndex { words, mobs }
    }

    /// Numbers of the words in a text that anybody answers to, in the order of the text.
    pub fn numbers(&self, text: &str) -> Vec<u32> {
        let number = |word: String| self.words.binary_search_by(|known| (**known).cmp(word.as_str())).ok();
        if self.words.is_empty() {
            return Vec::new();
        }
        spoken_words(text).filter_map(number).map(|number| number as u32).collect()
    }

    /// Indices of what that mob may answer to words of these numbers, ascending.
    pub fn of_mob(&self, mob: Vnum, words: &[u32]) -> Vec<u32> {
        let Some(list) = self.mobs.get(&mob) else { return Vec::new() };
        let mut found = Vec::new();
        for word in words {
            let from = list.partition_point(|(number, _)| number < word);
            found.extend(list[from..].iter().take_while(|(number, _)| number == word).map(|(_, at)| *at));
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The words of a text: runs of letters and digits, in lower case.
pub fn spoken_words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}
