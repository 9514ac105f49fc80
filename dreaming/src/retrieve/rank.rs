//! Rankings of memories: by the words of the question, by who is named, by what these lead to.
//!
//! Invariant: each ranking is the best first, of equals the newest, and bounded however much is remembered.

use super::index::View;
use super::lists::{DocId, Source, TermId};
use super::parsed_question::ParsedQuestion;
use super::question::Extreme;
use super::{B, DEPTH, K1, Scratch};
use crate::graph::*;
use crate::questions::is_fights_end;

/// Documents of one word that are looked at in full; of a word that is in more, the newest count.
const POSTINGS_MAX: usize = 20_000;
/// A word in more documents than this adds none to so many found by rarer ones.
const COMMON: usize = 2_000;
const ENOUGH: usize = 40;
/// Where one of so many best holds the whole question, nothing is left to be led to.
const WHOLE_AMONG: usize = 20;
/// Documents of a named one that are weighed in any case, the newest.
const NAMED_MAX: usize = 200;
const NAMED_WHOLE: usize = 20;
/// What a document gains, in parts of the weight of a name's words, that is about exactly whom the question names.
const NAMED_BONUS: f64 = 0.3;
/// Documents of one name that are looked at, the newest.
const OF_NAME_MAX: usize = 2_000;
/// How much more than its valence the own death counts among what was bad.
const OWN_END: f64 = 2.0;

impl View<'_> {
    /// BM25, best first.
    pub(super) fn by_words(&self, parsed: &ParsedQuestion, scratch: &mut Scratch) -> Vec<(DocId, f64)> {
        scratch.words.resize(self.docs.len(), 0.0);
        for (place, (term, rarity)) in parsed.terms.iter().enumerate() {
            let postings = &self.postings[*term as usize];
            // Once enough is found by rarer words, a word that is in much else only tells those apart.
            if place > 0 && postings.len() > COMMON && scratch.touched.len() >= ENOUGH {
                for doc in scratch.touched.clone() {
                    if let Ok(at) = postings.binary_search_by_key(&doc, |(doc, _)| *doc) {
                        scratch.words[doc as usize] += self.weight(doc, postings[at].1, *rarity);
                    }
                }
                continue;
            }
            let [whole, events] = self.newest_postings(*term, POSTINGS_MAX);
            for (doc, often) in whole.iter().chain(&*events) {
                let sum = &mut scratch.words[*doc as usize];
                if *sum == 0.0 {
                    scratch.touched.push(*doc);
                }
                *sum += self.weight(*doc, *often, *rarity);
            }
        }
        for name in &parsed.named {
            let words = &self.name_words[*name as usize];
            let bonus = words.iter().map(|term| self.rarity(*term)).sum::<f64>() * NAMED_BONUS;
            let of = &self.of_name[*name as usize];
            // What is known of it as a whole comes first in the index, what happened last at its end.
            let (whole, newest) = of.split_at(of.len().saturating_sub(NAMED_MAX));
            for doc in whole.iter().take(NAMED_WHOLE).chain(newest) {
                // Its words may be so common that the loop above passed it by.
                if scratch.words[*doc as usize] == 0.0 {
                    scratch.touched.push(*doc);
                    scratch.words[*doc as usize] = self.weight_of_all(*doc, parsed);
                }
                scratch.words[*doc as usize] += bonus as f32;
            }
        }
        let whole: f64 = parsed.terms.iter().map(|(_, weight)| weight).sum();
        let score = |doc: DocId| f64::from(scratch.words[doc as usize]) + self.by_role(doc, parsed, whole);
        let mut ranked: Vec<(DocId, f64)> = scratch.touched.iter().map(|doc| (*doc, score(*doc))).collect();
        self.best(&mut ranked, DEPTH);
        // What holds the whole question comes before what holds one word of it twice.
        for (doc, score) in &mut ranked {
            *score *= 0.4 + 0.6 * self.coverage(*doc, parsed);
        }
        self.best(&mut ranked, DEPTH);
        ranked
    }

    fn weight_of_all(&self, doc: DocId, parsed: &ParsedQuestion) -> f32 {
        let often = |term: TermId| {
            let postings = &self.postings[term as usize];
            postings.binary_search_by_key(&doc, |(doc, _)| *doc).ok().map(|at| postings[at].1)
        };
        parsed.terms.iter().filter_map(|(term, rarity)| Some(self.weight(doc, often(*term)?, *rarity))).sum()
    }

    fn weight(&self, doc: DocId, often: u8, rarity: f64) -> f32 {
        let (often, words) = (f64::from(often), f64::from(self.docs[doc as usize].words));
        (rarity * often * (K1 + 1.0) / (often + K1 * (1.0 - B + B * words / self.words_mean))) as f32
    }

    /// By how many of the named a document is about, newest first among equals.
    pub(super) fn by_names(&self, named: &[NameId]) -> Vec<(DocId, f64)> {
        let mut docs: Vec<DocId> = Vec::new();
        for name in named {
            let of = &self.of_name[*name as usize];
            docs.extend(&of[of.len().saturating_sub(OF_NAME_MAX)..]);
        }
        docs.sort_unstable();
        let mut ranked: Vec<(DocId, f64)> =
            docs.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as f64)).collect();
        self.best(&mut ranked, DEPTH);
        ranked
    }

    /// Where the best by words leaves something of the question open, what answers that about those whom the best is
    /// about: "betrayed" by the one who gave the sword.
    pub(super) fn by_bridge(&self, parsed: &ParsedQuestion, by_words: &[(DocId, f64)]) -> Vec<(DocId, f64)> {
        let Some((first, top)) = by_words.first() else { return Vec::new() };
        if by_words.iter().take(WHOLE_AMONG).any(|(doc, _)| self.coverage(*doc, parsed) > 0.95) {
            return Vec::new();
        }
        let open: Vec<&(TermId, f64)> = parsed.terms.iter().filter(|(term, _)| !self.holds(*term, *first)).collect();
        // (who, how good the memory is that led to them).
        let mut bridges: Vec<(NameId, f64)> = Vec::new();
        for (doc, score) in by_words.iter().take(5).take_while(|(_, score)| *score > top * 0.8) {
            for name in self.about[*doc as usize] {
                let somebody = name != NOBODY && self.graph.names.kind(name) == NodeKind::Entity;
                if somebody && !bridges.iter().any(|(other, _)| *other == name) && !parsed.named.contains(&name) {
                    bridges.push((name, score / top));
                }
            }
        }
        let mut ranked: Vec<(DocId, f64)> = Vec::new();
        // The rarest of what is open says where to look; a word that is everywhere leads nowhere.
        let Some((rarest, _)) = open.first().filter(|(term, _)| self.postings[*term as usize].len() <= POSTINGS_MAX)
        else {
            return ranked;
        };
        for (doc, _) in &self.postings[*rarest as usize] {
            let about = &self.about[*doc as usize];
            if let Some((_, led)) = bridges.iter().find(|(name, _)| about.contains(name)) {
                let held = open.iter().filter(|(term, _)| self.holds(*term, *doc)).map(|(_, weight)| weight);
                let held: f64 = held.sum();
                ranked.push((*doc, (held + self.by_role(*doc, parsed, held)) * led));
            }
        }
        self.best(&mut ranked, DEPTH);
        ranked
    }

    /// What was felt most, at this end, of all that happened or of what happened with the named. The own death is worse
    /// than whatever one lived through.
    pub(super) fn by_feeling(&self, extreme: Extreme, named: &[NameId]) -> Vec<(DocId, f64)> {
        let strength = |doc: DocId| {
            let event = self.event(doc)?;
            let valence = match extreme {
                Extreme::Worst => -event.valence,
                Extreme::Best => event.valence,
            };
            let is_end = extreme == Extreme::Worst && event.is_own_death();
            (valence > 0).then_some(f64::from(valence) + if is_end { OWN_END } else { 0.0 })
        };
        let of_named = |name: &NameId| {
            let of = &self.of_name[*name as usize];
            of[of.len().saturating_sub(OF_NAME_MAX)..].to_vec()
        };
        let mut docs: Vec<DocId> = match named {
            [] => self.places().collect(),
            named => named.iter().flat_map(of_named).collect(),
        };
        docs.sort_unstable();
        docs.dedup();
        let felt = docs.into_iter().filter_map(|doc| Some((doc, strength(doc)?)));
        let mut ranked: Vec<(DocId, f64)> = felt.collect();
        self.best(&mut ranked, DEPTH);
        ranked
    }

    /// How it went with those who are here, one memory each of `most` of them at most, who did most harm first: what
    /// was concluded about them, else the last fight with them that ended. However long ago it was and however many
    /// others are here: nothing says more of what may come of it now.
    pub(super) fn how_it_went_with(&self, present: &[String], most: usize) -> Vec<DocId> {
        let somebody = |key: &String| {
            let name = self.name_of(key).filter(|name| self.graph.names.kind(*name) == NodeKind::Entity)?;
            let tally = self.graph.thing(name).map(|thing| &thing.tally);
            Some((name, tally.map_or(0, Tally::harm), tally.is_some_and(|tally| tally.fights() > 0)))
        };
        let mut here: Vec<(NameId, u32, bool)> = present.iter().filter_map(somebody).collect();
        here.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| self.graph.names.key(a.0).cmp(self.graph.names.key(b.0))));
        here.dedup();
        let is_fight = |doc: DocId, name: NameId| {
            self.event(doc).is_some_and(|event| is_fights_end(event, &self.graph.names) && event.other() == name)
        };
        let of_one = |(name, _, has_fought): (NameId, u32, bool)| {
            let of = &self.of_name[name as usize];
            let concluded = of.iter().take(NAMED_WHOLE).find(|doc| self.is_counted_of(**doc, name));
            let ended = || of.iter().rev().take(OF_NAME_MAX).find(|doc| is_fight(**doc, name));
            concluded.or_else(|| if has_fought { ended() } else { None }).copied()
        };
        here.into_iter().filter_map(of_one).take(most).collect()
    }

    /// Whether it is what the records of somebody add up to.
    fn is_counted_of(&self, doc: DocId, name: NameId) -> bool {
        let Source::Reflection(at) = self.docs[doc as usize].source else { return false };
        matches!(&self.graph.net[at].body, Body::Reflection(it) if it.sort == Sort::Counted && it.about == name)
    }

    /// What comes to mind when nothing is asked: the newest and the most important.
    pub(super) fn standing_out(&self) -> impl Iterator<Item = DocId> {
        let mut docs = self.newest(DEPTH);
        let mut important: Vec<DocId> = self.places().filter(|doc| self.importance(*doc) >= 10).collect();
        important.sort_unstable_by_key(|doc| self.order(*doc));
        important.drain(..important.len().saturating_sub(DEPTH));
        docs.extend(important);
        docs.sort_unstable_by_key(|doc| self.order(*doc));
        docs.dedup();
        docs.into_iter()
    }

    /// Leaves the best `n`, best first; of equals the newest.
    pub(super) fn best(&self, ranked: &mut Vec<(DocId, f64)>, n: usize) {
        let order = |a: &(DocId, f64), b: &(DocId, f64)| {
            b.1.total_cmp(&a.1).then_with(|| self.order(b.0).cmp(&self.order(a.0)))
        };
        if ranked.len() > n {
            ranked.select_nth_unstable_by(n, order);
            ranked.truncate(n);
        }
        ranked.sort_unstable_by(order);
    }
}
