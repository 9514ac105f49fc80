//! The index: what is remembered, by its words, by its names and by what hangs together.
//!
//! It holds numbers, not texts; a text is told when it is found. Built from the graph in its canonical order, so it
//! does not depend on how often was dreamt.

use super::texts::{deed_words, fact_text, liking_words};
use super::words;
use crate::calendar;
use crate::facts::{CORPSE, Fact};
use crate::graph::*;
use crate::narrate;
use indexmap::IndexMap;
use petgraph::graph::NodeIndex;
use protocol::happening::Role;
use std::collections::BTreeMap;
use std::sync::Arc;

pub type DocId = u32;
pub(super) type TermId = u32;

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
pub(super) struct Doc {
    source: Source,
    tick: u64,
    pub(super) words: u16,
    importance: u8,
    /// The part that the owner had in it, where it is an event.
    pub(super) role: Option<Role>,
}

#[derive(Clone, Debug)]
pub struct Index {
    pub(super) graph: Arc<Graph>,
    facts: Vec<Fact>,
    pub(super) docs: Vec<Doc>,
    pub(super) words_mean: f64,
    pub(super) dictionary: IndexMap<Box<str>, TermId, Fixed>,
    /// By term: documents, rising, with how often.
    pub(super) postings: Vec<Vec<(DocId, u8)>>,
    /// By name: its words, and documents about it, rising.
    pub(super) name_words: Vec<Vec<TermId>>,
    pub(super) of_name: Vec<Vec<DocId>>,
    /// By term: names that it is a word of.
    pub(super) names_with: BTreeMap<TermId, Vec<NameId>>,
    /// By document: the names that it is about.
    pub(super) about: Vec<[NameId; 5]>,
}

impl Index {
    /// Of the graph as it is; the index keeps it alive, so that both can be held for as long as they are asked.
    pub fn new(graph: Arc<Graph>) -> Index {
        let mut index = Index {
            facts: graph.facts.sorted(),
            docs: Vec::new(),
            words_mean: 1.0,
            dictionary: IndexMap::default(),
            postings: Vec::new(),
            name_words: vec![Vec::new(); graph.names.len()],
            of_name: vec![Vec::new(); graph.names.len()],
            names_with: BTreeMap::new(),
            about: Vec::new(),
            graph,
        };
        index.fill();
        index
    }

    fn fill(&mut self) {
        let graph = self.graph.clone();
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
        // What is known of somebody as a whole comes before the many single facts.
        for (_, at) in things {
            self.add_thing(at);
        }
        for i in 0..self.facts.len() {
            self.add_fact(i as u32);
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
        let role = match source {
            Source::Event(at) => match &self.graph.net[at].body {
                Body::Event(event) => Some(event.role),
                _ => None,
            },
            _ => None,
        };
        let words = terms.len().min(usize::from(u16::MAX)) as u16;
        self.docs.push(Doc { source, tick, words, importance, role });
        self.about.push(names);
    }

    fn add_event(
        &mut self,
        at: NodeIndex<u32>,
        dates: &mut BTreeMap<i32, Vec<TermId>>,
        deeds: &mut BTreeMap<(Deed, u8), Vec<TermId>>,
    ) {
        let graph = self.graph.clone();
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
        let graph = self.graph.clone();
        // What people ask for it by, beside what it says.
        let also = match &graph.net[at].body {
            Body::Thing(thing) if thing.kind == NodeKind::Entity => liking_words(thing.liking),
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
        let it = self.facts[fact as usize].clone();
        let text = fact_text(&self.graph, &it);
        // Facts know times; ticks follow from the time of the last record.
        let (tick_now, at_now) = (self.graph.cursor.tick, self.graph.cursor.at_ms);
        let ago = (at_now - it.until_at.unwrap_or(it.confirmed_at)).max(0) as u64 / calendar::MS_PER_TICK as u64;
        let keys = [&*it.about, it.value.strip_prefix(CORPSE).unwrap_or(&it.value)];
        let mut terms: Vec<TermId> = words::tokens(&text).iter().map(|word| self.term(word)).collect();
        let about: Vec<NameId> = keys.into_iter().filter_map(|key| self.graph.names.find(key)).collect();
        self.add(Source::Fact(fact), tick_now.saturating_sub(ago), FACT_IMPORTANCE, &mut terms, &about);
    }

    pub fn len(&self) -> usize {
        self.docs.len()
    }

    /// All that can be found, by place: id, text and the seqs that it stands on.
    pub fn memories(&self) -> impl Iterator<Item = (String, String, Vec<u64>)> {
        (0..self.docs.len() as DocId).map(|doc| {
            let (id, text, evidence, _) = self.tell(doc);
            (id, text, evidence)
        })
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

    fn text_of(&self, at: NodeIndex<u32>) -> String {
        let graph = &*self.graph;
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
                (it.id(), fact_text(&self.graph, it), it.evidence(), 0.0)
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
