//! Questions about a life whose answers are known by rule, and how well they are answered (E10).
//!
//! Six kinds: single, multi-hop, temporal, knowledge update, relationship, abstention. The right answer is a set of
//! seqs: a memory answers when it stands on one of them. Nobody judges; a question without an answer is right when the
//! recall abstains, and one with an answer is not when it does.

use dreaming::calendar;
use dreaming::facts::{Fact, Relation};
use dreaming::graph::*;
use dreaming::records::Record;
use dreaming::retrieve::{DocId, Index, Query, Recall, Relevance, Scratch, Weights};
use dreaming::synthetic::{Dice, player_name};
use protocol::happening::Role;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Single,
    MultiHop,
    Temporal,
    Update,
    Relationship,
    Abstention,
}

impl Kind {
    pub const ALL: [Kind; 6] =
        [Kind::Single, Kind::MultiHop, Kind::Temporal, Kind::Update, Kind::Relationship, Kind::Abstention];
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Question {
    pub kind: Kind,
    pub text: String,
    /// Seqs, one of which an answer must stand on; empty: there is no answer.
    pub gold: Vec<u64>,
    /// Where the answer is one memory by name: its id.
    pub id: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    Full,
    WordsOnly,
    RecencyOnly,
}

/// Of each kind as many as there are, up to an equal share of `count`. Asked is only what is remembered.
pub fn questions(graph: &Graph, records: &[Record], count: usize, seed: u64) -> Vec<Question> {
    let events: Vec<&EventBody> = graph
        .alive()
        .filter_map(|(_, node)| match &node.body {
            Body::Event(event) => Some(event),
            _ => None,
        })
        .collect();
    let names = &graph.names;
    let share = count.div_ceil(Kind::ALL.len());
    let mut dice = Dice::new(seed);
    let mut asked: Vec<Question> = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    if events.is_empty() {
        return asked;
    }
    let mut by_item: BTreeMap<NameId, Vec<&EventBody>> = BTreeMap::new();
    let mut by_other: BTreeMap<NameId, Vec<&EventBody>> = BTreeMap::new();
    for event in &events {
        if event.item != NOBODY {
            by_item.entry(event.item).or_default().push(event);
        }
        if event.other() != NOBODY {
            by_other.entry(event.other()).or_default().push(event);
        }
    }
    let others: Vec<(&NameId, &Vec<&EventBody>)> = by_other.iter().collect();
    let gifts: Vec<&&EventBody> =
        events.iter().filter(|e| e.deed == Deed::Given && e.role == Role::Suffered && e.item != NOBODY).collect();
    let changed: BTreeSet<&str> = graph.facts.iter().filter(|f| f.until.is_some()).map(|f| &*f.subject).collect();
    let held: Vec<&Fact> = graph
        .facts
        .iter()
        .filter(|f| f.relation == Relation::HeldBy && f.until.is_none() && changed.contains(&*f.subject))
        .collect();
    let mut left = [share; Kind::ALL.len()];
    for _ in 0..share * 40 {
        if left.iter().all(|left| *left == 0) {
            break;
        }
        let mut add = |kind: Kind, text: String, gold: Vec<u64>, id: Option<String>| {
            if left[kind as usize] > 0 && known.insert(text.clone()) {
                left[kind as usize] -= 1;
                asked.push(Question { kind, text, gold, id });
            }
        };
        // Single: a thing and how one came by it.
        if let Some(gift) = gifts.get(dice.below(gifts.len())) {
            let gold = by_item[&gift.item].iter().filter(|e| e.deed == Deed::Given && e.role == Role::Suffered);
            let text = format!("Who gave me {}?", names.name(gift.item));
            add(Kind::Single, text, gold.map(|e| e.seq).collect(), None);
        }
        // Multi-hop: by way of the thing to somebody, and from there to another deed.
        if let Some(gift) = gifts.get(dice.below(gifts.len())) {
            let givers: Vec<NameId> = by_item[&gift.item]
                .iter()
                .filter(|e| e.deed == Deed::Given && e.role == Role::Suffered)
                .map(|e| e.doer)
                .collect();
            let of_givers = || givers.iter().flat_map(|giver| by_other.get(giver).into_iter().flatten());
            let gold: Vec<u64> =
                of_givers().filter(|e| e.deed == Deed::Betrayed && e.role == Role::Suffered).map(|e| e.seq).collect();
            if !gold.is_empty() {
                let text = format!("Was I betrayed by the one who gave me {}?", names.name(gift.item));
                add(Kind::MultiHop, text, gold, None);
            }
        }
        // Temporal: somebody on a day.
        let event = events[dice.below(events.len())];
        if names.is_player(event.other()) {
            let day = |e: &EventBody| calendar::day_of(e.at_ms, graph.terms.utc_offset_minutes);
            let gold = by_other[&event.other()].iter().filter(|e| day(e) == day(event)).map(|e| e.seq).collect();
            let date = calendar::date(event.at_ms, graph.terms.utc_offset_minutes);
            let text = format!("What happened with {} on {date}?", names.name(event.other()));
            add(Kind::Temporal, text, gold, None);
        }
        // Knowledge update: what holds now, after it has changed.
        if let Some(fact) = held.get(dice.below(held.len())) {
            let text = format!("Who has {} now?", fact.name);
            add(Kind::Update, text, vec![fact.since, fact.confirmed], None);
        }
        // Relationship: what somebody is to the one who remembers.
        if let Some((other, _)) = others.get(dice.below(others.len())).filter(|(other, _)| names.is_player(**other)) {
            let text = format!("Is {} a friend?", names.name(**other));
            let id = Some(names.key(**other).to_string());
            add(Kind::Relationship, text, Vec::new(), id);
        }
        // Abstention: somebody whom it never met.
        let stranger = format!("{}or", player_name(1_000 + dice.below(2_000)));
        if names.find(&format!("player:{}", stranger.to_lowercase())).is_none() {
            let text = format!("What did {stranger} give me?");
            add(Kind::Abstention, text, Vec::new(), None);
        }
    }
    debug_assert!(records.len() >= events.len());
    asked
}

/// Counts of one kind.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Counts {
    pub asked: u32,
    /// Right among the first 5 and the first 10.
    pub at_5: u32,
    pub at_10: u32,
    /// Of questions with an answer, with at most ten records that are right: how many, and of how many all were among
    /// the first ten.
    pub with_all: u32,
    pub all_at_10: u32,
    /// Sums: 1 / the place of the first answer, and the gain of answers discounted by place, as a share of the best.
    pub reciprocal: f64,
    pub ndcg_10: f64,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Scores {
    pub by_kind: BTreeMap<Kind, Counts>,
}

impl Scores {
    pub fn all(&self) -> Counts {
        self.by_kind.values().fold(Counts::default(), |sum, counts| Counts {
            asked: sum.asked + counts.asked,
            at_5: sum.at_5 + counts.at_5,
            at_10: sum.at_10 + counts.at_10,
            with_all: sum.with_all + counts.with_all,
            all_at_10: sum.all_at_10 + counts.all_at_10,
            reciprocal: sum.reciprocal + counts.reciprocal,
            ndcg_10: sum.ndcg_10 + counts.ndcg_10,
        })
    }
}

impl Counts {
    pub fn recall_at_5(&self) -> f64 {
        f64::from(self.at_5) / f64::from(self.asked.max(1))
    }

    pub fn recall_at_10(&self) -> f64 {
        f64::from(self.at_10) / f64::from(self.asked.max(1))
    }

    pub fn mean_reciprocal_rank(&self) -> f64 {
        self.reciprocal / f64::from(self.asked.max(1))
    }

    pub fn mean_ndcg_10(&self) -> f64 {
        self.ndcg_10 / f64::from(self.asked.max(1))
    }

    pub fn recall_all_at_10(&self) -> f64 {
        f64::from(self.all_at_10) / f64::from(self.with_all.max(1))
    }
}

impl fmt::Display for Scores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, counts) in &self.by_kind {
            let kind = format!("{kind:?}");
            writeln!(
                f,
                "  {kind:<14} {:>4}  R@5 {:.3}  R@10 {:.3}",
                counts.asked,
                counts.recall_at_5(),
                counts.recall_at_10()
            )?;
        }
        let all = self.all();
        writeln!(f, "  {:<14} {:>4}  R@5 {:.3}  R@10 {:.3}", "all", all.asked, all.recall_at_5(), all.recall_at_10())
    }
}

/// Asks all and counts. `ask` calls what it is given, and may take the time of it.
pub fn score(
    index: &Index,
    questions: &[Question],
    method: Method,
    tick: u64,
    ask: impl FnMut(&mut dyn FnMut() -> Recall) -> Recall,
) -> Scores {
    score_with(index, questions, method, tick, |_| Vec::new(), ask)
}

/// The same with memories alike in meaning, which `alike` tells for a question's text.
pub fn score_with(
    index: &Index,
    questions: &[Question],
    method: Method,
    tick: u64,
    alike: impl Fn(&str) -> Vec<DocId>,
    mut ask: impl FnMut(&mut dyn FnMut() -> Recall) -> Recall,
) -> Scores {
    let mut scratch = Scratch::default();
    let mut scores = Scores::default();
    for question in questions {
        let alike = alike(&question.text);
        let mut query = Query { alike: &alike, ..Query::question(&question.text, tick) };
        match method {
            Method::Full => {}
            Method::WordsOnly => query.relevance = Relevance::WordsOnly,
            Method::RecencyOnly => query.weights = Weights::RECENCY_ONLY,
        }
        let recall = ask(&mut || index.recall(&query, &mut scratch));
        let right = |n: usize| {
            if question.kind == Kind::Abstention {
                return recall.abstains();
            }
            !recall.abstains() && recall.found.iter().take(n).any(|found| answers(question, found))
        };
        let counts = scores.by_kind.entry(question.kind).or_default();
        counts.asked += 1;
        counts.at_5 += u32::from(right(5));
        counts.at_10 += u32::from(right(10));
        let place = |n: usize| 1.0 / libm::log2(n as f64 + 2.0);
        if question.kind == Kind::Abstention {
            counts.reciprocal += f64::from(u8::from(right(10)));
            counts.ndcg_10 += f64::from(u8::from(right(10)));
            continue;
        }
        let answers_at: Vec<usize> = match recall.abstains() {
            true => Vec::new(),
            false => (0..recall.found.len()).filter(|n| answers(question, &recall.found[*n])).collect(),
        };
        counts.reciprocal += answers_at.first().map_or(0.0, |n| 1.0 / (*n as f64 + 1.0));
        // A memory gains by the right records that none before it stood on.
        let right_ones = question.gold.iter().copied().collect::<BTreeSet<u64>>();
        let mut told: BTreeSet<u64> = BTreeSet::new();
        let mut gain = 0.0;
        for n in answers_at.iter().copied().filter(|n| *n < 10) {
            let seqs = recall.found[n].evidence.iter().filter(|seq| right_ones.contains(seq));
            let new = seqs.filter(|seq| told.insert(**seq)).count() > 0;
            let by_id = question.id.is_some() && gain == 0.0;
            gain += if new || by_id { place(n) } else { 0.0 };
        }
        let best: f64 = (0..right_ones.len().clamp(1, 10)).map(place).sum();
        counts.ndcg_10 += gain / best;
        if question.id.is_none() && right_ones.len() <= 10 {
            counts.with_all += 1;
            counts.all_at_10 += u32::from(told.len() == right_ones.len());
        }
    }
    scores
}

/// Whether a memory answers a question.
pub fn answers(question: &Question, found: &dreaming::retrieve::Hit) -> bool {
    match &question.id {
        Some(id) => found.id == *id,
        None => found.evidence.iter().any(|seq| question.gold.contains(seq)),
    }
}
