//! Made-up lives, remembered, and every sentence that is told of them judged by the records (`dreaming::check`).
//!
//! The lives differ in length, in how close together things happen and in how few places and people there are, so that
//! there are scenes of many records, things forgotten in part, and counts of all sizes.

use dreaming::bootstrap::{Size, bootstrap};
use dreaming::calendar::day_of;
use dreaming::check::{Judge, Untrue};
use dreaming::retrieve::{Index, Query, Scratch};
use dreaming::synthetic::{AGENT, Dice, Life, Shape};
use dreaming::{Config, Record, Terms, Valence, dream};
use std::sync::Arc;

/// What is asked of a life.
const QUESTIONS: [&str; 6] = [
    "who killed me",
    "where is my sword",
    "which door is locked",
    "who is a friend",
    "what does it cost",
    "where was I",
];
/// Memories that a question brings.
const FOUND: usize = 8;

/// How many sentences were judged, and those that the records do not bear out.
#[derive(Default)]
pub struct Judged {
    pub sentences: u64,
    pub untrue: Vec<Untrue>,
}

impl Judged {
    /// Takes in what came of another life.
    pub fn add(&mut self, other: Judged) {
        self.sentences += other.sentences;
        self.untrue.extend(other.untrue);
    }
}

/// A life by its number, with the terms that it is dreamt on.
pub fn life(number: u64) -> (Vec<Record>, Terms) {
    let mut dice = Dice::new(number);
    let shape = Shape {
        seed: number,
        events_per_day: [20, 200, 2_000, 6_000][dice.below(4)],
        mobs: 1 + dice.below(12),
        players: 2 + dice.below(8),
        rooms: 2 + dice.below(14),
        items: 1 + dice.below(12),
        visits: true,
        ..Shape::default()
    };
    let records = Life::new(shape).take(20 + dice.below(400)).collect();
    let mut terms = Terms { utc_offset_minutes: [0, 60, -300][dice.below(3)], ..Terms::default() };
    if dice.chance(10) {
        terms.valence = Valence::Flat;
    }
    if dice.chance(10) {
        terms.events_max = 40;
    }
    (records, terms)
}

/// Dreams records and judges what is told of them: graph, story, what a login is given, what questions bring.
pub fn judged(agent: &str, records: &[Record], terms: &Terms) -> Judged {
    let Some(last) = records.last() else { return Judged::default() };
    let mut config = Config::new(agent, day_of(last.at_ms, terms.utc_offset_minutes));
    config.terms = terms.clone();
    let dreamt = dream(None, records, &config);
    let judge = Judge::new(records, terms);
    let mut judged = Judged { sentences: dreamt.graph.stored_count() as u64, untrue: judge.graph(&dreamt.graph) };
    for tokens in [200, config.summary_tokens_max, 5_000] {
        let story = dreaming::narrate::summary(&dreamt.graph, tokens);
        judged.sentences += story.sentences.len() as u64;
        judged.untrue.extend(judge.story(&story));
    }
    let now = dreamt.graph.cursor.tick;
    for tier in ["small", "large", "unlimited"] {
        let given = bootstrap(&dreamt.graph, &[], Size::named(Some(tier)), now);
        judged.sentences += given.memories.len() as u64;
        judged.untrue.extend(judge.bootstrap(&given));
    }
    let index = Index::new(Arc::new(dreamt.graph));
    for question in QUESTIONS {
        let recall = index.recall(&Query { k: FOUND, ..Query::question(question, now) }, &mut Scratch::default());
        let found: Vec<_> =
            recall.found.iter().map(|hit| dreaming::bootstrap::memory_of(index.graph(), hit, now).memory).collect();
        judged.sentences += found.len() as u64;
        judged.untrue.extend(judge.memories(&found));
    }
    judged
}

/// The same of a life by its number.
pub fn judged_life(number: u64) -> Judged {
    let (records, terms) = life(number);
    judged(AGENT, &records, &terms)
}
