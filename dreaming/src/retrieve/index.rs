//! The index: what is remembered, by its words, by its names and by what hangs together.
//!
//! It holds numbers, not texts; a text is told when it is found. Built from the graph in its canonical order, so it
//! does not depend on how often was dreamt.

use super::words;
use super::{B, DAMPING, DEPTH, K1, PUSHES_MAX, Scratch};
use crate::calendar;
use crate::facts::{Fact, Relation};
use crate::graph::*;
use crate::narrate;
use indexmap::IndexMap;
use petgraph::graph::NodeIndex;
use std::collections::BTreeMap;

pub type DocId = u32;
type TermId = u32;

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
/// Neighbours that a place passes something on to; of more, the newest.
const NEIGHBOURS_MAX: usize = 64;
/// Documents of one name that are looked at, the newest.
const OF_NAME_MAX: usize = 2_000;
/// Importance of a fact, and of what is known of somebody.
const FACT_IMPORTANCE: u8 = 4;

#[derive(Clone, Copy, Debug)]
enum Source {
    Event(NodeIndex<u32>),
    Reflection(NodeIndex<u32>),
    Thing(NodeIndex<u32>),
    Fact(u32),
}

#[derive(Clone, Copy, Debug)]
struct Doc {
    source: Source,
    tick: u64,
    words: u16,
    importance: u8,
}

/// What is asked: the words that are known, rarest first, with their weight; those that are not; who is named.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    terms: Vec<(TermId, f64)>,
    pub unknown: Vec<String>,
    /// Of those, the ones written like names.
    pub strangers: Vec<String>,
    pub named: Vec<NameId>,
}

#[derive(Clone, Debug)]
pub struct Index<'a> {
    graph: &'a Graph,
    facts: Vec<Fact>,
    docs: Vec<Doc>,
    words_mean: f64,
    dictionary: IndexMap<Box<str>, TermId, Fixed>,
    /// By term: documents, rising, with how often.
    postings: Vec<Vec<(DocId, u8)>>,
    /// By name: its words, and documents about it, rising.
    name_words: Vec<Vec<TermId>>,
    of_name: Vec<Vec<DocId>>,
    /// By term: names that it is a word of.
    names_with: BTreeMap<TermId, Vec<NameId>>,
    /// By document: the names that it is about.
    about: Vec<[NameId; 5]>,
}

impl<'a> Index<'a> {
    pub fn new(graph: &'a Graph) -> Index<'a> {
        let mut index = Index {
            graph,
            facts: graph.facts.sorted(),
            docs: Vec::new(),
            words_mean: 1.0,
            dictionary: IndexMap::default(),
            postings: Vec::new(),
            name_words: vec![Vec::new(); graph.names.len()],
            of_name: vec![Vec::new(); graph.names.len()],
            names_with: BTreeMap::new(),
            about: Vec::new(),
        };
        index.fill();
        index
    }

    fn fill(&mut self) {
        let graph = self.graph;
        let mut things: Vec<(String, NodeIndex<u32>)> = Vec::new();
        let mut events: Vec<NodeIndex<u32>> = Vec::new();
        for (at, node) in graph.alive() {
            match &node.body {
                Body::Event(_) => events.push(at),
                _ => things.push((graph.id_of(node), at)),
            }
        }
        things.sort();
        // Words of a name are made once.
        for name in 0..graph.names.len() as NameId {
            let terms: Vec<TermId> = words::tokens(graph.names.name(name)).iter().map(|w| self.term(w)).collect();
            for term in &terms {
                let names = self.names_with.entry(*term).or_default();
                if names.last() != Some(&name) {
                    names.push(name);
                }
            }
            self.name_words[name as usize] = terms;
        }
        for i in 0..self.facts.len() {
            self.add_fact(i as u32);
        }
        for (_, at) in things {
            self.add_thing(at);
        }
        let mut dates: BTreeMap<i32, Vec<TermId>> = BTreeMap::new();
        let mut deeds: BTreeMap<(Deed, u8), Vec<TermId>> = BTreeMap::new();
        for at in events {
            self.add_event(at, &mut dates, &mut deeds);
        }
        let total: u64 = self.docs.iter().map(|doc| u64::from(doc.words)).sum();
        self.words_mean = (total as f64 / self.docs.len().max(1) as f64).max(1.0);
    }

    fn term(&mut self, word: &str) -> TermId {
        if let Some(&term) = self.dictionary.get(word) {
            return term;
        }
        let term = self.postings.len() as TermId;
        self.dictionary.insert(word.into(), term);
        self.postings.push(Vec::new());
        term
    }

    fn add(&mut self, source: Source, tick: u64, importance: u8, terms: &mut [TermId], about: &[NameId]) {
        let doc = self.docs.len() as DocId;
        terms.sort_unstable();
        for run in terms.chunk_by(|a, b| a == b) {
            self.postings[run[0] as usize].push((doc, run.len().min(255) as u8));
        }
        let mut names = [NOBODY; 5];
        let mut filled = 0;
        for &name in about {
            if name != NOBODY && name != ME && filled < names.len() && !names.contains(&name) {
                (names[filled], filled) = (name, filled + 1);
                self.of_name[name as usize].push(doc);
            }
        }
        self.docs.push(Doc { source, tick, words: terms.len().min(usize::from(u16::MAX)) as u16, importance });
        self.about.push(names);
    }

    fn add_event(
        &mut self,
        at: NodeIndex<u32>,
        dates: &mut BTreeMap<i32, Vec<TermId>>,
        deeds: &mut BTreeMap<(Deed, u8), Vec<TermId>>,
    ) {
        let graph = self.graph;
        let Body::Event(event) = &graph.net[at].body else { return };
        let mut terms: Vec<TermId> = Vec::with_capacity(24);
        let names = [event.doer, event.sufferer, event.third, event.item, event.room];
        for name in names {
            if name != NOBODY && name != ME {
                terms.extend(&self.name_words[name as usize]);
            }
        }
        let offset = graph.terms.utc_offset_minutes;
        let day = calendar::day_of(event.at_ms, offset);
        if let std::collections::btree_map::Entry::Vacant(place) = dates.entry(day) {
            let date = words::tokens(&calendar::date(event.at_ms, offset));
            let whole = calendar::iso_date(event.at_ms, offset).replace('-', "");
            let mut made: Vec<TermId> = Vec::new();
            for word in date.iter().chain([&whole]) {
                made.push(self.term(word));
            }
            place.insert(made);
        }
        terms.extend(&dates[&day]);
        let deed = (event.deed, event.role as u8);
        let made = deeds
            .entry(deed)
            .or_insert_with(|| words::tokens(&deed_words(event)).iter().map(|word| self.term(word)).collect());
        terms.extend(&*made);
        if let Some(text) = &event.text {
            for word in words::tokens(text) {
                let term = self.term(&word);
                terms.push(term);
            }
        }
        self.add(Source::Event(at), event.tick, event.importance, &mut terms, &names);
    }

    fn add_thing(&mut self, at: NodeIndex<u32>) {
        let graph = self.graph;
        // What people ask for it by, beside what it says.
        let also = match &graph.net[at].body {
            Body::Thing(thing) if thing.kind == NodeKind::Entity => "friend enemy trust like relationship",
            Body::Thing(thing) if thing.kind == NodeKind::Room => "place room",
            Body::Thing(_) => "thing item",
            _ => "insight learned",
        };
        let text = format!("{} {also}", self.text_of(at));
        let mut terms: Vec<TermId> = words::tokens(&text).iter().map(|word| self.term(word)).collect();
        match &graph.net[at].body {
            Body::Thing(thing) if thing.name != ME => {
                self.add(Source::Thing(at), thing.last_tick, FACT_IMPORTANCE, &mut terms, &[thing.name, thing.room]);
            }
            Body::Reflection(reflection) => {
                let about = [reflection.about];
                let importance = crate::reflect::IMPORTANCE;
                self.add(Source::Reflection(at), reflection.tick, importance, &mut terms, &about);
            }
            _ => {}
        }
    }

    fn add_fact(&mut self, fact: u32) {
        let it = &self.facts[fact as usize];
        let text = fact_text(self.graph, it);
        // Facts know times; ticks follow from the time of the last record.
        let cursor = &self.graph.cursor;
        let ago = (cursor.at_ms - it.until_at.unwrap_or(it.confirmed_at)).max(0) as u64 / 2_000;
        let keys = [it.about.clone(), it.value.clone()];
        let mut terms: Vec<TermId> = words::tokens(&text).iter().map(|word| self.term(word)).collect();
        let about: Vec<NameId> = keys.iter().filter_map(|key| self.graph.names.find(key)).collect();
        self.add(Source::Fact(fact), cursor.tick.saturating_sub(ago), FACT_IMPORTANCE, &mut terms, &about);
    }

    pub fn len(&self) -> usize {
        self.docs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    pub(super) fn tick(&self, doc: DocId) -> u64 {
        self.docs[doc as usize].tick
    }

    pub(super) fn session(&self, doc: DocId) -> Option<u32> {
        match self.docs[doc as usize].source {
            Source::Event(at) => match &self.graph.net[at].body {
                Body::Event(event) => Some(event.session),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn importance(&self, doc: DocId) -> u8 {
        self.docs[doc as usize].importance
    }

    pub(super) fn name_of(&self, key: &str) -> Option<NameId> {
        self.graph.names.find(key)
    }

    fn rarity(&self, term: TermId) -> f64 {
        let (n, of) = (self.docs.len() as f64, self.postings[term as usize].len() as f64);
        libm::log(1.0 + (n - of + 0.5) / (of + 0.5))
    }

    /// Takes a question apart.
    pub(super) fn ask(&self, question: &str) -> Asked {
        let mut asked = Asked::default();
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
        asked.terms.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let known = |term: &TermId| asked.terms.iter().any(|(other, _)| other == term);
        for (term, _) in &asked.terms {
            for name in self.names_with.get(term).into_iter().flatten() {
                let words = &self.name_words[*name as usize];
                if *name != ME && words.iter().all(known) && !asked.named.contains(name) {
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
        asked
    }

    /// How much of what was asked a document holds, 0..=1.
    pub(super) fn coverage(&self, doc: DocId, asked: &Asked) -> f64 {
        let unknown = asked.unknown.len() as f64 * libm::log(1.0 + self.docs.len() as f64);
        let whole: f64 = asked.terms.iter().map(|(_, weight)| weight).sum::<f64>() + unknown;
        let held: f64 = asked.terms.iter().filter(|(term, _)| self.holds(*term, doc)).map(|(_, weight)| weight).sum();
        if whole > 0.0 { held / whole } else { 0.0 }
    }

    fn holds(&self, term: TermId, doc: DocId) -> bool {
        self.postings[term as usize].binary_search_by_key(&doc, |(doc, _)| *doc).is_ok()
    }

    /// BM25, best first.
    pub(super) fn by_words(&self, asked: &Asked, scratch: &mut Scratch) -> Vec<(DocId, f64)> {
        scratch.words.resize(self.docs.len(), 0.0);
        for (place, (term, rarity)) in asked.terms.iter().enumerate() {
            let postings = &self.postings[*term as usize];
            let newest = &postings[postings.len().saturating_sub(POSTINGS_MAX)..];
            // Once enough is found by rarer words, a word that is in much else only tells those apart.
            if place > 0 && postings.len() > COMMON && scratch.touched.len() >= ENOUGH {
                for doc in scratch.touched.clone() {
                    if let Ok(at) = postings.binary_search_by_key(&doc, |(doc, _)| *doc) {
                        scratch.words[doc as usize] += self.weight(doc, postings[at].1, *rarity);
                    }
                }
                continue;
            }
            for (doc, often) in newest {
                let sum = &mut scratch.words[*doc as usize];
                if *sum == 0.0 {
                    scratch.touched.push(*doc);
                }
                *sum += self.weight(*doc, *often, *rarity);
            }
        }
        for name in &asked.named {
            let words = &self.name_words[*name as usize];
            let bonus = words.iter().map(|term| self.rarity(*term)).sum::<f64>() * NAMED_BONUS;
            let of = &self.of_name[*name as usize];
            // What is known of it as a whole comes first in the index, what happened last at its end.
            let (whole, newest) = of.split_at(of.len().saturating_sub(NAMED_MAX));
            for doc in whole.iter().take(NAMED_WHOLE).chain(newest) {
                // Its words may be so common that the loop above passed it by.
                if scratch.words[*doc as usize] == 0.0 {
                    scratch.touched.push(*doc);
                    scratch.words[*doc as usize] = self.weight_of_all(*doc, asked);
                }
                scratch.words[*doc as usize] += bonus as f32;
            }
        }
        let mut ranked: Vec<(DocId, f64)> =
            scratch.touched.iter().map(|doc| (*doc, f64::from(scratch.words[*doc as usize]))).collect();
        best(&mut ranked, DEPTH);
        // What holds the whole question comes before what holds one word of it twice.
        for (doc, score) in &mut ranked {
            *score *= 0.4 + 0.6 * self.coverage(*doc, asked);
        }
        best(&mut ranked, DEPTH);
        ranked
    }

    fn weight_of_all(&self, doc: DocId, asked: &Asked) -> f32 {
        let often = |term: TermId| {
            let postings = &self.postings[term as usize];
            postings.binary_search_by_key(&doc, |(doc, _)| *doc).ok().map(|at| postings[at].1)
        };
        asked.terms.iter().filter_map(|(term, rarity)| Some(self.weight(doc, often(*term)?, *rarity))).sum()
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
        best(&mut ranked, DEPTH);
        ranked
    }

    /// Where a walk begins: at the named, and at what the best by words are about.
    pub(super) fn seeds(&self, named: &[NameId], by_words: &[(DocId, f64)]) -> Vec<(NameId, f64)> {
        let mut seeds: Vec<(NameId, f64)> = named.iter().map(|name| (*name, 1.0)).collect();
        let top = by_words.first().map_or(0.0, |(_, score)| *score);
        for (doc, score) in by_words.iter().take(5).take_while(|(_, score)| *score > top * 0.8) {
            for name in self.about[*doc as usize] {
                if name != NOBODY && self.graph.names.kind(name) == NodeKind::Entity && top > 0.0 {
                    match seeds.iter_mut().find(|(other, _)| *other == name) {
                        Some(_) => {}
                        None => seeds.push((name, 0.5 * score / top)),
                    }
                }
            }
        }
        seeds
    }

    /// Personalised PageRank by local push over documents and names: what hangs together with the seeds, best first,
    /// and how many pushes it took.
    pub(super) fn by_walk(&self, seeds: &[(NameId, f64)], scratch: &mut Scratch) -> (Vec<(DocId, f64)>, usize) {
        /// What is left lying at a place, per neighbour.
        const REST: f64 = 2e-4;
        let documents = self.docs.len();
        let places = documents + self.of_name.len();
        scratch.mass.resize(places, 0.0);
        scratch.residue.resize(places, 0.0);
        let total: f64 = seeds.iter().map(|(_, weight)| weight).sum();
        let mut queue: std::collections::VecDeque<u32> = std::collections::VecDeque::new();
        for (name, weight) in seeds {
            let place = documents + *name as usize;
            scratch.residue[place] += weight / total;
            scratch.walked.push(place as u32);
            queue.push_back(place as u32);
        }
        let mut pushes = 0;
        while let Some(place) = queue.pop_front() {
            if pushes == PUSHES_MAX {
                break;
            }
            let residue = std::mem::take(&mut scratch.residue[place as usize]);
            if residue == 0.0 {
                continue;
            }
            pushes += 1;
            scratch.mass[place as usize] += (1.0 - DAMPING) * residue;
            let pass = |next: u32, share: f64, scratch: &mut Scratch, queue: &mut std::collections::VecDeque<u32>| {
                let at = &mut scratch.residue[next as usize];
                let before = *at;
                *at += share;
                if before == 0.0 && scratch.mass[next as usize] == 0.0 {
                    scratch.walked.push(next);
                }
                if before < REST && before + share >= REST {
                    queue.push_back(next);
                }
            };
            if (place as usize) < documents {
                let about = self.about[place as usize];
                let count = about.iter().filter(|name| **name != NOBODY).count();
                for name in about.iter().filter(|name| **name != NOBODY) {
                    let share = DAMPING * residue / count as f64;
                    pass((documents + *name as usize) as u32, share, scratch, &mut queue);
                }
            } else {
                let of = &self.of_name[place as usize - documents];
                let newest = &of[of.len().saturating_sub(NEIGHBOURS_MAX)..];
                for doc in newest {
                    pass(*doc, DAMPING * residue / newest.len() as f64, scratch, &mut queue);
                }
            }
        }
        let mut ranked: Vec<(DocId, f64)> = Vec::new();
        for place in scratch.walked.drain(..) {
            let mass = std::mem::take(&mut scratch.mass[place as usize]);
            let rest = std::mem::take(&mut scratch.residue[place as usize]);
            if (place as usize) < documents && mass + rest > 0.0 {
                ranked.push((place, mass + (1.0 - DAMPING) * rest));
            }
        }
        best(&mut ranked, DEPTH);
        (ranked, pushes)
    }

    /// Where the best by words leaves something of the question open, what answers that about those whom the best is
    /// about: "betrayed" by the one who gave the sword.
    pub(super) fn by_bridge(&self, asked: &Asked, by_words: &[(DocId, f64)]) -> Vec<(DocId, f64)> {
        let Some((first, top)) = by_words.first() else { return Vec::new() };
        if by_words.iter().take(WHOLE_AMONG).any(|(doc, _)| self.coverage(*doc, asked) > 0.95) {
            return Vec::new();
        }
        let open: Vec<&(TermId, f64)> = asked.terms.iter().filter(|(term, _)| !self.holds(*term, *first)).collect();
        // (who, how good the memory is that led to them).
        let mut bridges: Vec<(NameId, f64)> = Vec::new();
        for (doc, score) in by_words.iter().take(5).take_while(|(_, score)| *score > top * 0.8) {
            for name in self.about[*doc as usize] {
                let somebody = name != NOBODY && self.graph.names.kind(name) == NodeKind::Entity;
                if somebody && !bridges.iter().any(|(other, _)| *other == name) && !asked.named.contains(&name) {
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
                ranked.push((*doc, held.sum::<f64>() * led));
            }
        }
        best(&mut ranked, DEPTH);
        ranked
    }

    /// What comes to mind when nothing is asked: the newest and the most important.
    pub(super) fn standing_out(&self) -> impl Iterator<Item = DocId> {
        let n = self.docs.len();
        let mut docs: Vec<DocId> = (n.saturating_sub(DEPTH)..n).map(|doc| doc as DocId).collect();
        let mut important: Vec<DocId> = (0..n as DocId).filter(|doc| self.importance(*doc) >= 10).collect();
        important.drain(..important.len().saturating_sub(DEPTH));
        docs.extend(important);
        docs.sort_unstable();
        docs.dedup();
        docs.into_iter()
    }

    fn text_of(&self, at: NodeIndex<u32>) -> String {
        let graph = self.graph;
        match &graph.net[at].body {
            Body::Event(event) => {
                let offset = graph.terms.utc_offset_minutes;
                let when = calendar::date(event.at_ms, offset);
                format!("{when}: {}", narrate::sentence(graph, event, 1))
            }
            Body::Thing(thing) => narrate::acquaintance(graph, thing),
            Body::Reflection(reflection) => reflection.text.to_string(),
            Body::Gone => String::new(),
        }
    }

    /// Id, text, evidence, valence.
    pub(super) fn tell(&self, doc: DocId) -> (String, String, Vec<u64>, f64) {
        match self.docs[doc as usize].source {
            Source::Fact(fact) => {
                let it = &self.facts[fact as usize];
                (it.id(), fact_text(self.graph, it), it.evidence(), 0.0)
            }
            Source::Event(at) | Source::Reflection(at) | Source::Thing(at) => {
                let node = &self.graph.net[at];
                let evidence = match &node.body {
                    Body::Event(event) => vec![event.seq],
                    Body::Thing(thing) => thing.evidence.seqs(),
                    Body::Reflection(reflection) => reflection.evidence.clone(),
                    Body::Gone => Vec::new(),
                };
                (self.graph.id_of(node), self.text_of(at), evidence, node.valence())
            }
        }
    }
}

/// Leaves the best `n`, best first; of equals the newest.
fn best(ranked: &mut Vec<(DocId, f64)>, n: usize) {
    let order = |a: &(DocId, f64), b: &(DocId, f64)| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0));
    if ranked.len() > n {
        ranked.select_nth_unstable_by(n, order);
        ranked.truncate(n);
    }
    ranked.sort_unstable_by(order);
}

/// The words of a deed, by its sentence without names, and others that people use for it.
fn deed_words(event: &EventBody) -> String {
    use protocol::happening::Role;
    let suffered = event.role == Role::Suffered;
    let words = match event.deed {
        Deed::Killed if suffered => "died killed death fight",
        Deed::Killed => "killed fight victory die",
        Deed::Assisted => "helped kill assisted fight",
        Deed::Fought => "fought fight",
        Deed::Fled => "fled flee escape fight",
        Deed::Wounded => "hurt wound health fight",
        Deed::Acquired => "found get",
        Deed::Dropped => "left drop behind",
        Deed::UsedUp => "used consumed",
        Deed::Given if suffered => "gave received gift",
        Deed::Given => "gave gift",
        Deed::Stolen => "stole robbed thief",
        Deed::Bought => "bought price shop",
        Deed::Sold => "sold price shop",
        Deed::Betrayed => "betrayed betrayal",
        Deed::Healed => "healed helped",
        Deed::Rescued => "rescued saved helped",
        Deed::Grouped => "joined group together helped",
        Deed::Defended => "defended helped",
        Deed::Cooperated => "worked together helped",
        Deed::Parted => "parted group",
        Deed::Said => "said",
        Deed::SaidKindly => "said kindly",
        Deed::Insulted => "insulted said",
        Deed::Threatened => "threatened said",
        Deed::Met => "met meet first",
        Deed::RoomSeen => "saw first place discovered",
        Deed::LevelGained => "reached level",
        Deed::DoorOpened => "door opened",
        Deed::DoorClosed => "door closed",
        Deed::DoorLocked => "door locked",
        Deed::DoorUnlocked => "door unlocked",
    };
    words.to_string()
}

/// A fact in a sentence.
pub fn fact_text(graph: &Graph, fact: &Fact) -> String {
    let offset = graph.terms.utc_offset_minutes;
    let since = calendar::date(fact.since_at, offset);
    let span = match fact.until_at {
        None => format!("since {since}"),
        Some(until) => format!("from {since} until {}", calendar::date(until, offset)),
    };
    let (name, value, ended) = (&fact.name, &fact.value_name, fact.until.is_some());
    match fact.relation {
        Relation::HeldBy if ended => format!("{name} was with {value} {span}."),
        Relation::HeldBy => format!("{name} is held now by {value}, {span}."),
        Relation::Door if ended => format!("{name} was {value} {span}."),
        Relation::Door => format!("{name} is {value} now, {span}."),
        Relation::Life if ended => format!("{name} was dead {span}, and lives again."),
        Relation::Life => format!("{name} is dead, {span}."),
        Relation::GoesWith if ended => format!("{name} was in the same group {span}."),
        Relation::GoesWith => format!("{name} is in the same group, {span}."),
        Relation::Price if ended => format!("{name} cost {value} {span}."),
        Relation::Price => format!("{name} costs {value}, {span}."),
    }
}
