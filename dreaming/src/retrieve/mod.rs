//! Finding memories for a moment: recency, importance and relevance, each brought to 0..=1 and added.
//!
//! Relevance fuses rankings by reciprocal rank: the words (BM25), what these lead to, who and what is named or present,
//! and what hangs together with those in the graph (personalised PageRank by local push). Recalling writes nothing.
//!
//! Invariant: the same index and the same question give the same answer; ties go by place in the index.

mod alike;
mod index;
mod lists;
mod parsed_question;
mod question;
mod rank;
#[cfg(test)]
mod tests;
mod texts;
mod walk;
pub(crate) mod words;

use alike::Likeness;
pub use index::Index;
pub(crate) use index::View;
pub use lists::DocId;
pub(crate) use lists::Lists;
use question::ReasonFor;
pub use texts::fact_text;

use crate::calendar::{TICKS_PER_WORLD_HOUR, game_date};
use crate::config::Terms;
use crate::narrate::Dates;
use serde::Serialize;
use std::collections::BTreeSet;

/// Memories found, where nobody says how many.
pub const K: usize = 10;
/// What is left of recency after an hour of world time. Source: agent-mind §1 row 26.
pub const RECENCY_PER_HOUR: f64 = 0.995;
/// The most that PageRank pushes, and what it keeps at each node.
pub const PUSHES_MAX: usize = 20_000;
const DAMPING: f64 = 0.5;
/// The constants of reciprocal rank fusion: the smaller, the more the first ranks count. Words and what they lead to
/// are what was asked; names and walk tell apart what these leave equal.
const RRF_ASKED: f64 = 10.0;
const RRF_NEAR: f64 = 60.0;
const NEAR: f64 = 0.2;
/// Likeness of meaning finds what words do not, and much besides: it counts less than what was said.
const ALIKE: f64 = 0.5;
/// What was led to answers more of the question than what led there.
const BRIDGE: f64 = 1.2;
/// Ranks of each list that are fused.
const DEPTH: usize = 200;
/// What holds less of a question, by the weight of its words, is no answer to it.
const ANSWERS: f64 = 0.4;
/// BM25.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Hours of world time from a tick to now, to a tenth.
pub fn age_hours(tick: u64, now: u64) -> f64 {
    libm::round(now.saturating_sub(tick) as f64 / TICKS_PER_WORLD_HOUR * 10.0) / 10.0
}

/// How much the three parts count.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Weights {
    pub recency: f64,
    pub importance: f64,
    pub relevance: f64,
}

impl Weights {
    /// What comes to mind in a moment. Source: agent-mind §9.
    pub const MOMENT: Weights = Weights { recency: 1.0, importance: 1.0, relevance: 1.0 };
    /// What answers a question: relevance decides, the rest breaks ties.
    pub const QUESTION: Weights = Weights { recency: 0.02, importance: 0.02, relevance: 1.0 };
    pub const RECENCY_ONLY: Weights = Weights { recency: 1.0, importance: 0.0, relevance: 0.0 };
}

/// Which rankings make relevance: all, or one of the baselines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relevance {
    Fused,
    WordsOnly,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Query<'a> {
    pub words: &'a str,
    /// Keys of who and what is here: `player:bob`, `mob:3001`, `room:8004`.
    pub present: &'a [String],
    /// The world's tick now.
    pub tick: u64,
    pub k: usize,
    pub weights: Weights,
    pub relevance: Relevance,
    /// Memories alike in meaning, best first, by who can tell (embeddings): one more ranking. Places as in
    /// `Index::memories`; empty where nobody told.
    pub alike: &'a [DocId],
    /// Of events that are alike only the best is found, and its text says how many there are: so that a short list has
    /// room for more than one thing that happens all day. Else each is found for itself, as who counts them wants it.
    pub one_of_each: bool,
}

impl<'a> Query<'a> {
    pub fn question(words: &'a str, tick: u64) -> Query<'a> {
        let (weights, relevance) = (Weights::QUESTION, Relevance::Fused);
        Query { words, present: &[], tick, k: K, weights, relevance, alike: &[], one_of_each: false }
    }

    pub fn moment(words: &'a str, present: &'a [String], tick: u64) -> Query<'a> {
        let (weights, relevance) = (Weights::MOMENT, Relevance::Fused);
        Query { words, present, tick, k: K, weights, relevance, alike: &[], one_of_each: false }
    }

    /// Only what comes to mind is wanted.
    fn asks_nothing(&self) -> bool {
        self.words.trim().is_empty()
    }
}

/// A memory that was found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Hit {
    /// As in the graph's document: `event:17`; of a fact `Fact::id`.
    pub id: String,
    pub text: String,
    /// The same for people who read it in the game, without dates of the clock.
    #[serde(skip)]
    pub plain: String,
    /// Rising.
    pub evidence: Vec<u64>,
    pub valence: f64,
    /// Of the last encounter.
    pub tick: u64,
    /// Its session, of an event only.
    pub session: Option<u32>,
    /// Each 0..=1.
    pub recency: f64,
    pub importance: f64,
    pub relevance: f64,
    pub score: f64,
    /// The share of what was asked, by the weight of its words, that this holds, 0..=1.
    pub coverage: f64,
}

impl Hit {
    /// The world's date to stand beside `plain`.
    pub fn game_date(&self, terms: &Terms) -> Option<String> {
        terms.game_dates.then(|| game_date(self.tick))
    }

    /// The same beside `text`; none of an event, whose text begins with it.
    pub fn game_date_beside(&self, terms: &Terms) -> Option<String> {
        self.game_date(terms).filter(|_| !self.id.starts_with("event:"))
    }
}

/// The words of a question that a memory, or an entry of a log, is to hold.
pub(crate) fn words_asked(question: &str) -> Vec<String> {
    question::Question::new(question).tokens()
}

/// What came to mind.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Recall {
    pub found: Vec<Hit>,
    /// Words of the question that occur in no memory, and those of them that are written like names.
    pub unknown: Vec<String>,
    pub strangers: Vec<String>,
    pub pushes: usize,
    /// It was asked why plans fail, or which mind is right, and no reflection has found that out.
    #[serde(skip)]
    pub lacks_reason: bool,
}

impl Recall {
    /// Whether nothing that was found answers the question: a name in it is unknown, or too little of it is covered.
    /// What is not remembered is not to be made up.
    pub fn abstains(&self) -> bool {
        let best = self.found.iter().map(|found| found.coverage).fold(0.0, f64::max);
        !self.strangers.is_empty() || best < ANSWERS
    }
}

/// Room to compute in, used again from query to query.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// By document; only `touched` are not 0.
    words: Vec<f32>,
    touched: Vec<DocId>,
    /// By place of the graph (documents, then names).
    mass: Vec<f64>,
    residue: Vec<f64>,
    walked: Vec<u32>,
}

impl View<'_> {
    /// Finds the best `k`.
    pub fn recall(&self, query: &Query, scratch: &mut Scratch) -> Recall {
        let mut parsed = self.ask(query.words, query.tick);
        let mut recall =
            Recall { unknown: parsed.unknown.clone(), strangers: parsed.strangers.clone(), ..Recall::default() };
        if let Some(extreme) = parsed.extreme {
            let felt = self.by_feeling(extreme, &parsed.named);
            recall.found = self.score(&felt, &parsed, query, query.weights, &[]);
            return recall;
        }
        let by_words = self.by_words(&parsed, scratch);
        let mut fused: Vec<(DocId, f64)> = Vec::new();
        match query.relevance {
            Relevance::WordsOnly => fuse(&mut fused, &by_words, RRF_ASKED, 1.0),
            Relevance::Fused => {
                let mut named = parsed.named.clone();
                named.extend(query.present.iter().filter_map(|key| self.name_of(key)));
                self.sort_names(&mut named);
                fuse(&mut fused, &by_words, RRF_ASKED, 1.0);
                fuse(&mut fused, &in_order(&self.by_bridge(&parsed, &by_words)), RRF_ASKED, BRIDGE);
                fuse(&mut fused, &self.by_names(&named), RRF_NEAR, NEAR);
                // Who and what the best by words are about leads on, beside those named and present.
                let (by_walk, pushes) = self.by_walk(&self.seeds(&named, &by_words), scratch);
                recall.pushes = pushes;
                fuse(&mut fused, &by_walk, RRF_NEAR, NEAR);
                let known = query.alike.iter().filter(|doc| (**doc as usize) < self.docs.len());
                let alike: Vec<(DocId, f64)> = known.map(|doc| (*doc, 0.0)).collect();
                fuse(&mut fused, &in_order(&alike), RRF_ASKED, ALIKE);
            }
        }
        for doc in scratch.touched.drain(..) {
            scratch.words[doc as usize] = 0.0;
        }
        if fused.is_empty() || query.weights.relevance == 0.0 {
            fused = self.standing_out().map(|doc| (doc, 0.0)).collect();
        }
        // Of equals the newest, or the last thing that happened would be what is cut off.
        fused.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| self.order(b.0).cmp(&self.order(a.0))));
        fused.truncate(DEPTH);
        let mut here = Vec::new();
        if query.asks_nothing() {
            // What has to do with who is here comes to mind, and so does what was grave or new.
            let known: BTreeSet<DocId> = fused.iter().map(|(doc, _)| *doc).collect();
            fused.extend(self.standing_out().filter(|doc| !known.contains(doc)).map(|doc| (doc, 0.0)));
            if query.one_of_each {
                self.leave_out_the_plain(&mut fused);
            }
            here = self.how_it_went_with(query.present, query.k / 2);
            let known: BTreeSet<DocId> = fused.iter().map(|(doc, _)| *doc).collect();
            fused.extend(here.iter().filter(|doc| !known.contains(doc)).map(|doc| (*doc, 0.0)));
        }
        let mut weights = query.weights;
        let best = fused.iter().map(|(doc, _)| self.coverage(*doc, &parsed)).fold(0.0, f64::max);
        if parsed.newest && best >= ANSWERS {
            fused.retain(|(doc, _)| self.coverage(*doc, &parsed) >= best);
            // What happened has a time; what one knows of somebody or somewhere only sums that up.
            let happened = |doc: DocId| self.docs[doc as usize].role.is_some();
            if fused.iter().any(|(doc, _)| happened(*doc)) {
                fused.retain(|(doc, _)| happened(*doc));
            }
            weights = Weights { recency: weights.relevance, relevance: weights.recency, ..weights };
        }
        parsed.answers = self.reasons(&parsed);
        let of_mind = matches!(parsed.reason, Some(ReasonFor::Plans | ReasonFor::Minds));
        recall.lacks_reason = of_mind && parsed.answers.is_empty();
        let most_relevant = fused.first().map_or(0.0, |(_, relevance)| *relevance);
        fused.retain(|(doc, _)| !parsed.answers.contains(doc));
        fused.extend(parsed.answers.iter().map(|doc| (*doc, most_relevant)));
        recall.found = self.score(&fused, &parsed, query, weights, &here);
        recall
    }

    /// Of these the best are told, as many as are asked for; of `kept` all, in whatever place they come.
    fn score(
        &self,
        candidates: &[(DocId, f64)],
        parsed: &parsed_question::ParsedQuestion,
        query: &Query,
        weights: Weights,
        kept: &[DocId],
    ) -> Vec<Hit> {
        let raw: Vec<[f64; 3]> = candidates
            .iter()
            .map(|(doc, relevance)| {
                let hours = query.tick.saturating_sub(self.tick(*doc)) as f64 / TICKS_PER_WORLD_HOUR;
                let recency = libm::pow(RECENCY_PER_HOUR, hours);
                [recency, f64::from(self.importance(*doc)) / 10.0, *relevance]
            })
            .collect();
        let parts = normalised(&raw);
        let weights = [weights.recency, weights.importance, weights.relevance];
        let mut order: Vec<(f64, usize)> = parts
            .iter()
            .enumerate()
            .map(|(i, part)| (part.iter().zip(weights).map(|(part, weight)| part * weight).sum(), i))
            .collect();
        order.sort_by(|a, b| {
            let order = |i: usize| self.order(candidates[i].0);
            // Why is answered by what was found out before it is by what happened.
            let is_answer = |i: usize| parsed.answers.contains(&candidates[i].0);
            let by_score = || b.0.total_cmp(&a.0).then_with(|| order(b.1).cmp(&order(a.1)));
            is_answer(b.1).cmp(&is_answer(a.1)).then_with(by_score)
        });
        let mut told: Vec<Likeness> = Vec::new();
        // Of what is no event: who holds two torches needs no two lines for them.
        let mut said: BTreeSet<String> = BTreeSet::new();
        let mut found = Vec::new();
        // Of what is kept, what is still to come.
        let mut to_come = kept.len();
        for (score, i) in order {
            if found.len() == query.k {
                break;
            }
            let (doc, [recency, importance, relevance]) = (candidates[i].0, parts[i]);
            if kept.contains(&doc) {
                to_come -= 1;
            } else if found.len() + to_come >= query.k {
                continue;
            }
            let likeness = self.likeness(doc).filter(|_| query.one_of_each);
            if likeness.is_some_and(|likeness| told.contains(&likeness)) {
                continue;
            }
            let (id, mut text, mut evidence, valence) = self.tell(doc, Dates::Told);
            let (_, mut plain, ..) = self.tell(doc, Dates::Left);
            if let Some(likeness) = likeness {
                let others = self.alike(doc, &likeness);
                text = self.with_alike(doc, &others, text);
                plain = self.with_alike(doc, &others, plain);
                evidence = alike::evidence_with(&others, evidence);
                told.push(likeness);
            } else if query.one_of_each && !said.insert(text.clone()) {
                continue;
            }
            let coverage = self.coverage(doc, parsed);
            let (tick, session) = (self.tick(doc), self.session(doc));
            found.push(Hit {
                id,
                text,
                plain,
                evidence,
                valence,
                tick,
                session,
                recency,
                importance,
                relevance,
                score,
                coverage,
            });
        }
        found
    }
}

/// Brings each column to 0..=1. Where all are equal nothing can be told apart: then all are 0.
fn normalised(raw: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let mut parts = raw.to_vec();
    for column in 0..3 {
        let least = raw.iter().map(|row| row[column]).fold(f64::INFINITY, f64::min);
        let most = raw.iter().map(|row| row[column]).fold(f64::NEG_INFINITY, f64::max);
        let range = most - least;
        for row in &mut parts {
            row[column] = if range > 0.0 { (row[column] - least) / range } else { 0.0 };
        }
    }
    parts
}

/// A ranking without equals: who was led to one by one is not to be less for being in company.
fn in_order(ranking: &[(DocId, f64)]) -> Vec<(DocId, f64)> {
    ranking.iter().enumerate().map(|(place, (doc, _))| (*doc, -(place as f64))).collect()
}

/// Adds a ranking, best first, to what was fused so far.
fn fuse(fused: &mut Vec<(DocId, f64)>, ranking: &[(DocId, f64)], constant: f64, weight: f64) {
    let ranking = &ranking[..ranking.len().min(DEPTH)];
    let mut before = 0;
    for equals in ranking.chunk_by(|a, b| a.1 == b.1) {
        // Equals share the rank in their middle: many of them say little.
        let rank = before as f64 + (equals.len() as f64 + 1.0) / 2.0;
        before += equals.len();
        let share = weight / (constant + rank);
        for (doc, _) in equals {
            match fused.iter_mut().find(|(other, _)| other == doc) {
                Some((_, sum)) => *sum += share,
                None => fused.push((*doc, share)),
            }
        }
    }
}
