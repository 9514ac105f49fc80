//! The guard against leaks: what nobody in the game is to hear, in a line that others read. The AI's own thoughts, what
//! its operator told it and its guidelines are for it alone; a model that repeats so many of their words on end says
//! them aloud.
//!
//! Invariants: fewer words than that are never held back, so common turns of phrase pass; a bounded number of thoughts
//! is kept, the newest.

use protocol::verbs;
use std::collections::{BTreeSet, VecDeque};

/// Words on end. Source: *A persona thinks in two layers* of the issue of several minds.
const WORDS: usize = 8;
/// Thoughts that are kept.
const THOUGHTS_MAX: usize = 200;

#[derive(Clone, Debug, Default)]
pub(super) struct LeakGuard {
    thoughts: VecDeque<Vec<String>>,
    /// Runs of words of the operator's texts, and the texts themselves.
    told: BTreeSet<Vec<String>>,
    told_of: Vec<String>,
}

/// Words in lower case, without punctuation, so that another comma does not hide them.
fn words_of(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

impl LeakGuard {
    /// The AI thought so.
    pub fn think(&mut self, text: &str) {
        let words = words_of(text);
        if words.len() < WORDS {
            return;
        }
        if self.thoughts.len() == THOUGHTS_MAX {
            self.thoughts.pop_front();
        }
        self.thoughts.push_back(words);
    }

    /// These are the operator's prompt and the guidelines now.
    pub fn told<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) {
        let texts: Vec<String> = texts.into_iter().map(str::to_string).collect();
        if texts == self.told_of {
            return;
        }
        self.told.clear();
        for text in &texts {
            self.told.extend(words_of(text).windows(WORDS).map(<[String]>::to_vec));
        }
        self.told_of = texts;
    }

    /// Whether a line that others read repeats any of it. What goes to its own mind may.
    pub fn holds(&self, line: &str) -> bool {
        let verb = verbs::find(verbs::word_of(line), 1);
        if verb.is_some_and(|verb| verb.rank == verbs::Rank::Mind) {
            return false;
        }
        let said = words_of(line);
        let repeats = |run: &[String]| {
            self.told.contains(run) || self.thoughts.iter().any(|thought| thought.windows(WORDS).any(|own| own == run))
        };
        said.windows(WORDS).any(repeats)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_words_on_end_are_held_back_and_seven_are_not() {
        let mut guard = LeakGuard::default();
        guard.think("I should feign ignorance of the bridge so that Mira pays more.");
        guard.told(["Never reveal that the stash below the mill holds nine silver cups.", "Be kind."]);
        for (line, held) in [
            ("say I should feign ignorance of the bridge, so... that is it", true),
            ("tell mira i SHOULD feign ignorance of the bridge so", true),
            ("say should feign ignorance of the bridge so", false),
            ("say The stash below the mill holds nine silver cups!", true),
            ("say the stash below the mill holds nine", false),
            ("plot memo that the stash below the mill holds nine", true),
            ("think ai I should feign ignorance of the bridge so that Mira pays more", false),
            ("note the stash below the mill holds nine silver cups", false),
            ("say be kind", false),
            ("north", false),
        ] {
            assert_eq!(guard.holds(line), held, "{line}");
        }
        guard.told(["Be kind."]);
        assert!(!guard.holds("say the stash below the mill holds nine silver cups"), "nobody told it so any more");
    }

    #[test]
    fn only_the_newest_thoughts_are_kept() {
        let mut guard = LeakGuard::default();
        let thought = |n: usize| format!("thought number {n} has eight words in it all");
        (0..300).for_each(|n| guard.think(&thought(n)));
        assert_eq!(guard.thoughts.len(), THOUGHTS_MAX);
        assert!(guard.holds(&format!("say {}", thought(299))) && !guard.holds(&format!("say {}", thought(0))));
    }
}
