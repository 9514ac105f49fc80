//! The index: what is remembered, by its words, by its names and by what hangs together.
//!
//! `lists` holds numbers, not texts; a text is told when it is found. It stands in the graph's canonical order, so it
//! does not depend on how often was dreamt.

use super::lists::{DocId, Lists, Source};
use super::texts::fact_text;
use super::{Query, Recall, Scratch};
use crate::calendar;
use crate::graph::*;
use crate::narrate::{self, Dates};
use petgraph::graph::NodeIndex;
use std::sync::Arc;

/// Of a graph as it is.
#[derive(Clone, Debug)]
pub struct Index {
    graph: Arc<Graph>,
    lists: Lists,
}

/// A graph beside its lists.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) lists: &'a Lists,
}

impl std::ops::Deref for View<'_> {
    type Target = Lists;

    fn deref(&self) -> &Lists {
        self.lists
    }
}

impl Index {
    /// Of the graph as it is; the index keeps it alive, so that both can be held for as long as they are asked.
    pub fn new(graph: Arc<Graph>) -> Index {
        Index { lists: Lists::new(&graph, false), graph }
    }

    fn view(&self) -> View<'_> {
        View { graph: &self.graph, lists: &self.lists }
    }

    /// Finds the best `k`.
    pub fn recall(&self, query: &Query, scratch: &mut Scratch) -> Recall {
        self.view().recall(query, scratch)
    }

    /// What it was made of.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    pub fn len(&self) -> usize {
        self.lists.len()
    }

    pub fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// All that can be found, by place: id, text and the seqs that it stands on.
    pub fn memories(&self) -> impl Iterator<Item = (String, String, Vec<u64>)> {
        self.lists.places().map(|doc| {
            let (id, text, evidence, _) = self.view().tell(doc, Dates::Told);
            (id, text, evidence)
        })
    }
}

impl View<'_> {
    /// Facts know times; ticks follow from the time of the last record.
    pub(super) fn tick(&self, doc: DocId) -> u64 {
        let doc = &self.docs[doc as usize];
        let Source::Fact(fact) = doc.source else { return doc.tick };
        let (it, cursor) = (self.graph.facts.get(fact), &self.graph.cursor);
        let ago = (cursor.at_ms - it.until_at.unwrap_or(it.confirmed_at)).max(0) as u64 / calendar::MS_PER_TICK as u64;
        cursor.tick.saturating_sub(ago)
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

    fn text_of(&self, at: NodeIndex<u32>, dates: Dates) -> String {
        let graph = self.graph;
        match &graph.net[at].body {
            Body::Event(event) => {
                let sentence = narrate::sentence(graph, event, 1);
                match dates {
                    Dates::Told => format!("{}: {sentence}", narrate::dated(graph, event.at_ms, event.tick)),
                    Dates::Left => sentence,
                }
            }
            Body::Thing(thing) => narrate::acquaintance(graph, thing, dates),
            Body::Reflection(reflection) => narrate::insight_text(graph, reflection, dates),
            Body::Gone => String::new(),
        }
    }

    /// Id, text, evidence, valence.
    pub(super) fn tell(&self, doc: DocId, dates: Dates) -> (String, String, Vec<u64>, f64) {
        match self.docs[doc as usize].source {
            Source::Fact(fact) => {
                let it = self.graph.facts.get(fact);
                (it.id(), fact_text(self.graph, it, dates), it.evidence(), 0.0)
            }
            Source::Event(at) | Source::Reflection(at) | Source::Thing(at) => {
                let node = &self.graph.net[at];
                (self.graph.id_of(node), self.text_of(at, dates), self.graph.evidence_at(at), node.valence())
            }
            Source::Nothing => (String::new(), String::new(), Vec::new(), 0.0),
        }
    }
}
