//! A question taken apart: its words with their weight, who is named in it, and how much of it a memory holds.
//!
//! Invariant: words come rarest first; of two names of which one is within the other the longer one is meant.

use super::index::View;
use super::lists::{DocId, TermId};
use super::words;
use crate::graph::{ME, NameId};
use protocol::happening::Role;

/// Too little to find a memory by, enough to tell apart those that the words leave equal.
const ROLE_BONUS: f64 = 0.15;

/// What is asked: the words that are known, rarest first, with their weight; those that are not; who is named.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    pub(super) terms: Vec<(TermId, f64)>,
    /// The part that who asks had in it, where the question says so.
    pub(super) role: Option<Role>,
    pub unknown: Vec<String>,
    /// Of those, the ones written like names.
    pub strangers: Vec<String>,
    pub named: Vec<NameId>,
}

impl View<'_> {
    pub(super) fn rarity(&self, term: TermId) -> f64 {
        let (n, of) = (self.len() as f64, self.postings[term as usize].len() as f64);
        libm::log(1.0 + (n - of + 0.5) / (of + 0.5))
    }

    /// Takes a question apart.
    pub(super) fn ask(&self, question: &str) -> Asked {
        let mut asked = Asked { role: words::role_of_asker(question), ..Asked::default() };
        let mut words = words::tokens(question);
        words.sort();
        words.dedup();
        for word in words {
            match self.dictionary.get(&*word) {
                Some(&term) if !self.postings[term as usize].is_empty() => {
                    asked.terms.push((term, self.rarity(term)));
                }
                _ => asked.unknown.push(word),
            }
        }
        let written: Vec<&str> = question.split(|c: char| !c.is_alphanumeric()).collect();
        let proper = |word: &str| written.iter().any(|w| w.to_lowercase() == word && w.starts_with(char::is_uppercase));
        asked.strangers = asked.unknown.iter().filter(|word| proper(word)).cloned().collect();
        // Of equals in the order of letters.
        asked.terms.sort_by(|a, b| b.1.total_cmp(&a.1));
        let known = |term: &TermId| asked.terms.iter().any(|(other, _)| other == term);
        for (term, _) in &asked.terms {
            for name in self.names_with.get(term).into_iter().flatten() {
                let words = &self.name_words[*name as usize];
                // A name of which nothing is left is as good as never heard.
                let of = &self.of_name[*name as usize];
                if *name != ME && !of.is_empty() && words.iter().all(known) && !asked.named.contains(name) {
                    asked.named.push(*name);
                }
            }
        }
        // Who asks for the sword of the king does not ask for just any sword.
        let words = |name: &NameId| &self.name_words[*name as usize];
        let within = |a: &NameId, b: &NameId| {
            words(a).len() < words(b).len() && words(a).iter().all(|term| words(b).contains(term))
        };
        let named = asked.named.clone();
        asked.named.retain(|name| !named.iter().any(|other| within(name, other)));
        self.sort_names(&mut asked.named);
        asked
    }

    /// Names in the order of their keys, each once: their numbers depend on how often was dreamt.
    pub(super) fn sort_names(&self, names: &mut Vec<NameId>) {
        names.sort_by(|a, b| self.graph.names.key(*a).cmp(self.graph.names.key(*b)));
        names.dedup();
    }

    /// How much of what was asked a document holds, 0..=1.
    pub(super) fn coverage(&self, doc: DocId, asked: &Asked) -> f64 {
        let unknown = asked.unknown.len() as f64 * libm::log(1.0 + self.len() as f64);
        let whole: f64 = asked.terms.iter().map(|(_, weight)| weight).sum::<f64>() + unknown;
        let held: f64 = asked.terms.iter().filter(|(term, _)| self.holds(*term, doc)).map(|(_, weight)| weight).sum();
        if whole > 0.0 { held / whole } else { 0.0 }
    }

    /// What a memory gains, of a weight, in which the owner had the part that is asked for.
    pub(super) fn by_role(&self, doc: DocId, asked: &Asked, weight: f64) -> f64 {
        let fits = asked.role.is_some() && self.docs[doc as usize].role == asked.role;
        if fits { weight * ROLE_BONUS } else { 0.0 }
    }

    pub(super) fn holds(&self, term: TermId, doc: DocId) -> bool {
        self.postings[term as usize].binary_search_by_key(&doc, |(doc, _)| *doc).is_ok()
    }
}
