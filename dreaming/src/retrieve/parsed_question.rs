//! A question taken apart: its words with their weight, who is named in it, and how much of it a memory holds.
//!
//! Invariant: words come rarest first; of two names of which one is within the other the longer one is meant.

use super::index::View;
use super::lists::{DocId, Source, TermId};
use super::question::{Extreme, Question, ReasonFor};
use super::words;
use crate::calendar;
use crate::graph::{Body, ME, NameId, NodeKind, ReflectionBody};
use protocol::happening::Role;

/// Less than a word that was asked for, enough to bring the deed before the place where many such deeds were done.
const ROLE_BONUS: f64 = 0.4;

/// Letters of a word that may be a verb by its ending: a `bed` is none.
const VERB_LEAST: usize = 4;

/// A question as it is looked up: the words that are known, rarest first, with their weight; those that are not; who
/// is named.
#[derive(Clone, Debug, Default)]
pub struct ParsedQuestion {
    pub(super) terms: Vec<(TermId, f64)>,
    /// The part that who asks had in it, where the question says so.
    pub(super) role: Option<Role>,
    pub unknown: Vec<String>,
    /// Of those, the ones written like names.
    pub strangers: Vec<String>,
    pub named: Vec<NameId>,
    /// Whether of all that answers as well the newest is meant.
    pub newest: bool,
    /// Which end of all that was felt is asked for: of what happened with the named, or at all.
    pub(super) extreme: Option<Extreme>,
    /// Of what the reason is asked for.
    pub(super) reason: Option<ReasonFor>,
    /// What the owner found out that answers it whatever its words are.
    pub(super) answers: Vec<DocId>,
}

impl View<'_> {
    pub(super) fn rarity(&self, term: TermId) -> f64 {
        let (n, of) = (self.len() as f64, self.postings[term as usize].len() as f64);
        libm::log(1.0 + (n - of + 0.5) / (of + 0.5))
    }

    /// Takes a question apart that is asked at this tick.
    pub(super) fn ask(&self, question: &str, tick: u64) -> ParsedQuestion {
        let question = Question::new(question);
        let (role, newest) = (question.role(), question.asks_for_the_newest());
        let reason = question.asks_for_a_reason();
        let mut parsed = ParsedQuestion { role, newest, reason, ..ParsedQuestion::default() };
        if let Some(extreme) = question.extreme() {
            let words = question.subject();
            let named = self.named(&words);
            // The best friend is no moment: what is left of the question must be names.
            let of_a_name = |word: &String| {
                let term = self.known(word);
                term.is_some_and(|term| named.iter().any(|name| self.name_words[*name as usize].contains(&term)))
            };
            if words.iter().all(of_a_name) {
                parsed.terms = words.iter().filter_map(|word| self.known(word)).map(|t| (t, self.rarity(t))).collect();
                return ParsedQuestion { extreme: Some(extreme), named, ..parsed };
            }
        }
        let mut words = question.tokens();
        if let Some(ago) = question.days_ago() {
            words.push(calendar::iso_day(self.day_at(tick) - ago).replace('-', ""));
        }
        parsed.named = self.named(&words);
        parsed.named.retain(|name| !self.is_a_deed(*name, &question));
        if !parsed.named.is_empty() && words.iter().any(|word| words::of_liking(word)) {
            words.retain(|word| !words::of_liking(word));
            words.push(words::RELATIONSHIP.into());
        }
        // Who asks for deaths, and names nobody, asks for the own before those of beasts.
        let names_somebody = parsed.named.iter().any(|name| self.graph.names.kind(*name) == NodeKind::Entity);
        if !names_somebody && words.iter().any(|word| word == "die") {
            if question.asks_for_deaths() {
                words.retain(|word| word != "die");
                words.push(words::DIED_MYSELF.into());
            } else if self.known(words::DIED_MYSELF).is_some() {
                words.push(words::DIED_MYSELF.into());
            }
        }
        words.sort();
        words.dedup();
        for word in words {
            let Some(term) = self.known(&word) else {
                let as_written = question.written(&word);
                if let Some(name) = as_written.filter(|written| written.starts_with(char::is_uppercase)) {
                    parsed.strangers.push(name.to_lowercase());
                }
                parsed.unknown.push(as_written.map_or(word.clone(), str::to_lowercase));
                continue;
            };
            parsed.terms.push((term, self.rarity(term)));
        }
        // Of equals in the order of letters.
        parsed.terms.sort_by(|a, b| b.1.total_cmp(&a.1));
        parsed
    }

    /// What the owner found out that answers a question for a reason, in the order of the index: of who is named, else
    /// of itself.
    pub(super) fn reasons(&self, parsed: &ParsedQuestion) -> Vec<DocId> {
        let of_term = |word: &str| {
            let term = self.known(&words::form(word));
            term.map_or(&[][..], |term| &self.postings[term as usize]).iter().map(|(doc, _)| *doc)
        };
        let named = || parsed.named.iter().flat_map(|name| self.of_name[*name as usize].iter().copied());
        let (found, begin): (Vec<DocId>, _) = match parsed.reason {
            None => return Vec::new(),
            Some(ReasonFor::Plans) => (of_term("plans").collect(), "why:plan:"),
            Some(ReasonFor::Minds) if parsed.named.is_empty() => (of_term("minds").collect(), "why:differ:"),
            Some(ReasonFor::Minds) => (named().collect(), "why:differ:"),
            Some(ReasonFor::Named) => (named().collect(), "why:"),
        };
        let is_answer = |doc: &DocId| self.reflection(*doc).is_some_and(|reflection| reflection.key.starts_with(begin));
        let mut answers: Vec<DocId> = found.into_iter().filter(is_answer).collect();
        answers.sort_unstable();
        answers.dedup();
        answers
    }

    fn reflection(&self, doc: DocId) -> Option<&ReflectionBody> {
        let Source::Reflection(at) = self.docs[doc as usize].source else { return None };
        match &self.graph.net[at].body {
            Body::Reflection(reflection) => Some(reflection),
            _ => None,
        }
    }

    /// The term of a word that some memory holds.
    fn known(&self, word: &str) -> Option<TermId> {
        self.dictionary.get(word).copied().filter(|term| !self.postings[*term as usize].is_empty())
    }

    /// The names of which all words are among these.
    fn named(&self, words: &[String]) -> Vec<NameId> {
        let terms: Vec<TermId> = words.iter().filter_map(|word| self.known(word)).collect();
        let mut named: Vec<NameId> = Vec::new();
        for term in &terms {
            for name in self.names_with.get(term).into_iter().flatten() {
                let words = &self.name_words[*name as usize];
                // A name of which nothing is left is as good as never heard.
                let heard = *name != ME && !self.of_name[*name as usize].is_empty();
                if heard && words.iter().all(|word| terms.contains(word)) && !named.contains(name) {
                    named.push(*name);
                }
            }
        }
        // Who asks for the sword of the king does not ask for just any sword.
        let words = |name: &NameId| &self.name_words[*name as usize];
        let within = |a: &NameId, b: &NameId| {
            words(a).len() < words(b).len() && words(a).iter().all(|term| words(b).contains(term))
        };
        let all = named.clone();
        named.retain(|name| !all.iter().any(|other| within(name, other)));
        self.sort_names(&mut named);
        named
    }

    /// Whether a question has the words of a name as a deed: who asks why they were locked up does not ask for the
    /// Lock-up.
    fn is_a_deed(&self, name: NameId, question: &Question) -> bool {
        let called = self.graph.names.name(name).to_lowercase();
        let mut of_name = words::tokens(&called).into_iter().filter_map(|word| question.written(&word));
        of_name.any(|written| {
            let written = written.to_lowercase();
            let is_verb = written.len() > VERB_LEAST && ["ed", "ing"].iter().any(|ending| written.ends_with(ending));
            is_verb && !words::parts(&called).any(|word| word == written)
        })
    }

    /// The day of a tick, by what the newest record says of its own.
    fn day_at(&self, tick: u64) -> i32 {
        let cursor = &self.graph.cursor;
        let since = tick.saturating_sub(cursor.tick) as i64 * calendar::MS_PER_TICK;
        calendar::day_of(cursor.at_ms + since, self.graph.terms.utc_offset_minutes)
    }

    /// Names in the order of their keys, each once: their numbers depend on how often was dreamt.
    pub(super) fn sort_names(&self, names: &mut Vec<NameId>) {
        names.sort_by(|a, b| self.graph.names.key(*a).cmp(self.graph.names.key(*b)));
        names.dedup();
    }

    /// How much of what was asked a document holds, 0..=1.
    pub(super) fn coverage(&self, doc: DocId, parsed: &ParsedQuestion) -> f64 {
        let asks_for_nothing_else = parsed.terms.is_empty() && parsed.unknown.is_empty();
        let is_end = parsed.extreme.is_some() && parsed.terms.is_empty();
        if is_end || parsed.newest && asks_for_nothing_else || parsed.answers.contains(&doc) {
            return 1.0;
        }
        let unknown = parsed.unknown.len() as f64 * libm::log(1.0 + self.len() as f64);
        let whole: f64 = parsed.terms.iter().map(|(_, weight)| weight).sum::<f64>() + unknown;
        let held =
            parsed.terms.iter().filter(|(term, _)| self.holds(*term, doc)).fold(0.0, |sum, (_, weight)| sum + weight);
        if whole > 0.0 { held / whole } else { 0.0 }
    }

    /// What a memory gains, of a weight, in which the owner had the part that is asked for.
    pub(super) fn by_role(&self, doc: DocId, parsed: &ParsedQuestion, weight: f64) -> f64 {
        let fits = parsed.role.is_some() && self.docs[doc as usize].role == parsed.role;
        if fits { weight * ROLE_BONUS } else { 0.0 }
    }

    pub(super) fn holds(&self, term: TermId, doc: DocId) -> bool {
        self.postings[term as usize].binary_search_by_key(&doc, |(doc, _)| *doc).is_ok()
    }
}
