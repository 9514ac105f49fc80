//! The memory graph: what is remembered, how strongly, and what it stands on.
//!
//! Events are nodes; so are the entities, rooms and items that they were about, and the reflections drawn from them.
//! Salience is not kept as it is now but as it was on a given night: what it is now follows from the nights since. So
//! sleeping costs nothing, and a graph does not change by being looked at.
//!
//! Invariants: nodes are in the order in which they were made, events by rising seq. A node that has faded is `Gone`
//! until the next compaction and has no edges that count. Every node and every edge cites the seqs it stands on.

mod changes;
mod circumstances;
mod event;
pub mod facts;
mod kind;
mod names;
mod node;
mod tally;

pub(crate) use changes::Changes;
pub use circumstances::{Circumstances, Condition};
pub use event::EventBody;
pub use kind::{EdgeKind, NodeKind};
pub use mind::happenings::Deed;
pub use names::{Fixed, ME, NOBODY, NameId, Names};
pub use node::{Body, Edge, Evidence, Lesson, Link, Mark, Node, ReflectionBody, Sort, ThingBody, Verdict};
pub use tally::Tally;

use crate::config::Terms;
use crate::forgetting;
use facts::Facts;
use petgraph::graph::{EdgeIndex, EdgeReference, NodeIndex};
use petgraph::visit::EdgeRef as _;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Nodes and edges by number.
pub type Net = petgraph::graph::DiGraph<Node, Edge, u32>;

/// How far a graph has come in its log.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Cursor {
    /// The last record that is in the graph; 0: none.
    pub seq: u64,
    /// How many records are in it, and a hash over all of them in order.
    pub count: u64,
    pub chain: u64,
    /// The time of the last record, never going back.
    pub at_ms: i64,
    pub tick: u64,
    /// The day of the last record; its night is the next that may take memories for good.
    pub day: i32,
    /// Sessions so far, by gaps.
    pub session: u32,
    /// Importance gathered since the last reflection.
    pub importance: u32,
    /// The first record since then; 0: none.
    pub reflect_from: u64,
    /// The last record when events had to go for want of room: of what was before, some may be missing. 0: none had.
    #[serde(default, skip_serializing_if = "is_none")]
    pub thinned: u64,
    /// The time of that record.
    #[serde(default, skip_serializing_if = "is_no_time")]
    pub thinned_at: i64,
}

#[derive(Clone, Debug)]
pub struct Graph {
    pub terms: Terms,
    pub cursor: Cursor,
    /// The last night slept through: see `Config::through`.
    pub through: i32,
    pub net: Net,
    pub names: Names,
    pub facts: Facts,
    /// Where a relation between two names is in `net`. Kept by the methods below.
    links: indexmap::IndexMap<(NameId, NameId, EdgeKind), EdgeIndex<u32>, Fixed>,
    reflections: indexmap::IndexMap<Arc<str>, NodeIndex<u32>, Fixed>,
    gone: usize,
    /// Made of a document of an older version: what it counts can be counted better from the log.
    pub(crate) outdated: bool,
    /// Bytes of what was said in all events that are not gone.
    words: usize,
}

/// What a node takes with its edges and its share of an index, bytes, without its words. Measured: 680 of a mean node.
const NODE_BYTES: usize = 640;

impl Graph {
    pub fn new(agent: &str, terms: Terms) -> Graph {
        Graph {
            terms,
            cursor: Cursor::default(),
            through: i32::MIN,
            net: petgraph::graph::DiGraph::default(),
            names: Names::new(agent),
            facts: Facts::default(),
            links: indexmap::IndexMap::default(),
            reflections: indexmap::IndexMap::default(),
            gone: 0,
            outdated: false,
            words: 0,
        }
    }

    /// Whether an older program made it: where its log is all there, it is better made anew.
    pub fn is_outdated(&self) -> bool {
        self.outdated
    }

    pub fn agent(&self) -> &str {
        self.names.name(ME)
    }

    /// The salience of a node once the night `night` is over.
    pub fn salience_after(&self, node: &Node, night: i32) -> f64 {
        if matches!(node.body, Body::Gone) {
            return 0.0;
        }
        if node.is_me() {
            return 1.0;
        }
        if node.is_handed_down() {
            return node.strength;
        }
        forgetting::salience(
            &self.terms,
            node.strength,
            node.felt(),
            night.saturating_sub(node.night).saturating_add(1),
        )
    }

    /// The salience of a node as things are: after the last night slept through.
    pub fn salience(&self, node: &Node) -> f64 {
        self.salience_after(node, self.through)
    }

    /// Whether it is remembered as things are.
    pub fn is_alive(&self, node: &Node) -> bool {
        self.salience(node) >= self.terms.prune_threshold
    }

    /// The nodes that are remembered, in order of making.
    pub fn alive(&self) -> impl Iterator<Item = (NodeIndex<u32>, &Node)> {
        self.net.node_references_in_order().filter(|(_, node)| self.is_alive(node))
    }

    /// How many nodes are remembered.
    pub fn alive_count(&self) -> usize {
        self.alive().count()
    }

    /// Nodes that take room, remembered or not.
    pub fn stored_count(&self) -> usize {
        self.net.node_count() - self.gone
    }

    /// Bytes that the graph takes together with an index of it, about.
    pub fn bytes(&self) -> usize {
        self.stored_count() * NODE_BYTES + self.words + self.names.bytes()
    }

    /// The node of an entity, room or item, if it has one.
    pub fn thing(&self, name: NameId) -> Option<&ThingBody> {
        match &self.net.node_weight(self.names.node(name)?)?.body {
            Body::Thing(thing) => Some(thing),
            _ => None,
        }
    }

    pub(crate) fn reflection(&self, key: &str) -> Option<NodeIndex<u32>> {
        self.reflections.get(key).copied()
    }

    /// What the insight with this key says; None where there is none.
    pub fn reflection_text(&self, key: &str) -> Option<&str> {
        match &self.net.node_weight(self.reflection(key)?)?.body {
            Body::Reflection(insight) => Some(&insight.text),
            _ => None,
        }
    }

    /// All reflections, in no order.
    pub fn reflections(&self) -> impl Iterator<Item = &Node> {
        self.reflections.values().filter_map(|index| self.net.node_weight(*index))
    }

    /// How many generations stand behind what is known here: 0 where nothing was handed down.
    pub fn generation(&self) -> u32 {
        let of = self.reflections().filter_map(|node| match &node.body {
            Body::Reflection(body) if body.from_agent.is_some() => Some(body.generation.saturating_add(1)),
            _ => None,
        });
        of.max().unwrap_or(0)
    }

    pub(crate) fn has_no_reflections(&self) -> bool {
        self.reflections.is_empty()
    }

    pub(crate) fn set_reflection(&mut self, key: Arc<str>, index: NodeIndex<u32>) {
        self.reflections.insert(key, index);
    }

    /// The id of a node in documents: `event:17`, `player:bob`, `room:3001`, `reflection:…`.
    pub fn id_of(&self, node: &Node) -> String {
        match &node.body {
            Body::Event(event) => format!("event:{}", event.seq),
            Body::Thing(thing) => self.names.key(thing.name).to_string(),
            Body::Reflection(reflection) => reflection.key.to_string(),
            Body::Gone => "gone".to_string(),
        }
    }

    /// Why something is remembered: the seqs behind a node, oldest first; `None` where there is no such node.
    pub fn evidence_of(&self, id: &str) -> Option<Vec<u64>> {
        let at = self.net.node_indices().find(|at| self.id_of(&self.net[*at]) == id)?;
        Some(self.evidence_at(at)).filter(|seqs| !seqs.is_empty())
    }

    /// The same by place; empty for what is gone.
    pub fn evidence_at(&self, at: NodeIndex<u32>) -> Vec<u64> {
        match self.net.node_weight(at).map(|node| &node.body) {
            Some(Body::Event(event)) => vec![event.seq],
            Some(Body::Thing(thing)) => thing.evidence.seqs(),
            Some(Body::Reflection(reflection)) => reflection.evidence.clone(),
            Some(Body::Gone) | None => Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, node: Node) -> NodeIndex<u32> {
        self.words += node.words();
        self.net.add_node(node)
    }

    /// Strengthens the relation of two names by one record, and makes it where there is none.
    pub(crate) fn relate(&mut self, from: NameId, to: NameId, kind: EdgeKind, seq: u64, at_ms: i64) {
        let (Some(source), Some(target)) = (self.names.node(from), self.names.node(to)) else { return };
        if let Some(&edge) = self.links.get(&(from, to, kind))
            // The names may have been forgotten and met anew: then the edge hangs on nodes that are gone.
            && self.net.edge_endpoints(edge) == Some((source, target))
            && let Some(link) = self.net.edge_weight_mut(edge).and_then(|edge| edge.link.as_mut())
        {
            link.weight += 1;
            link.last_at = at_ms;
            link.evidence.add(seq);
            return;
        }
        let link = Link { weight: 1, first_at: at_ms, last_at: at_ms, evidence: Evidence::new(seq) };
        self.link(source, target, from, to, kind, link);
    }

    pub(crate) fn link(
        &mut self,
        source: NodeIndex<u32>,
        target: NodeIndex<u32>,
        from: NameId,
        to: NameId,
        kind: EdgeKind,
        link: Link,
    ) {
        let edge = self.net.add_edge(source, target, Edge { kind, link: Some(Box::new(link)) });
        self.links.insert((from, to, kind), edge);
    }

    /// The relation of two names.
    pub fn relation(&self, from: NameId, to: NameId, kind: EdgeKind) -> Option<&Link> {
        let edge = *self.links.get(&(from, to, kind))?;
        let (source, target) = self.net.edge_endpoints(edge)?;
        if self.names.node(from) != Some(source) || self.names.node(to) != Some(target) {
            return None;
        }
        self.net.edge_weight(edge)?.link.as_deref()
    }

    /// Takes a node out of memory. Its place is freed by `compact`.
    pub(crate) fn bury(&mut self, index: NodeIndex<u32>) {
        let Some(node) = self.net.node_weight_mut(index) else { return };
        match &node.body {
            Body::Thing(thing) => self.names.forget_node(thing.name),
            Body::Reflection(reflection) => {
                self.reflections.swap_remove(&reflection.key);
            }
            _ => {}
        }
        if !matches!(node.body, Body::Gone) {
            self.words -= node.words();
            node.body = Body::Gone;
            self.gone += 1;
        }
    }

    /// Whether so much is gone that it pays to compact. Each node is moved a bounded number of times this way.
    pub(crate) fn wants_compaction(&self) -> bool {
        self.gone > 1_024 && self.gone * 3 > self.net.node_count()
    }

    /// Frees the places of what is gone, with all edges that hung on it. The order of nodes stays. Returns where each
    /// node is now. `spare` is an empty net, and is left as one: kept from time to time, its memory is used again.
    pub(crate) fn compact(&mut self, spare: &mut Net) -> Vec<Option<NodeIndex<u32>>> {
        let mut old = std::mem::replace(&mut self.net, std::mem::take(spare));
        let mut moved: Vec<Option<NodeIndex<u32>>> = Vec::with_capacity(old.node_count());
        for node in old.node_weights_mut() {
            if matches!(node.body, Body::Gone) {
                moved.push(None);
                continue;
            }
            let body = std::mem::replace(&mut node.body, Body::Gone);
            let index = self.net.add_node(Node { body, ..*node });
            match &self.net[index].body {
                Body::Thing(thing) => self.names.set_node(thing.name, index),
                Body::Reflection(reflection) => {
                    if let Some(place) = self.reflections.get_mut(&reflection.key) {
                        *place = index;
                    }
                }
                _ => {}
            }
            moved.push(Some(index));
        }
        self.gone = 0;
        self.links.clear();
        for i in 0..old.edge_count() {
            let edge = EdgeIndex::new(i);
            let Some((source, target)) = old.edge_endpoints(edge) else { continue };
            let (Some(source), Some(target)) = (moved[source.index()], moved[target.index()]) else { continue };
            let Edge { kind, link } = &mut old[edge];
            let (kind, link) = (*kind, link.take());
            let related = link.is_some();
            let edge = self.net.add_edge(source, target, Edge { kind, link });
            if related && let (Some(from), Some(to)) = (self.name_at(source), self.name_at(target)) {
                self.links.insert((from, to, kind), edge);
            }
        }
        old.clear();
        *spare = old;
        moved
    }

    pub(crate) fn name_at(&self, index: NodeIndex<u32>) -> Option<NameId> {
        match &self.net.node_weight(index)?.body {
            Body::Thing(thing) => Some(thing.name),
            _ => None,
        }
    }

    /// Edges between nodes that are not gone: those that are kept, in order of making, then those that nodes say
    /// themselves. Only relations of names, and who else stood by, are kept; the others follow from what an event names
    /// and from the evidence of a reflection.
    pub fn edges(&self) -> impl Iterator<Item = EdgeRef<'_>> {
        let outgoing = self.outgoing();
        let kept = self.net.edge_references().filter_map(|edge| self.kept_edge(edge));
        kept.chain(self.net.node_indices().flat_map(move |from| outgoing.said(from)))
    }

    /// To ask for the edges of one node after the other, so that they are never all in memory: of many events they take
    /// as much room as the events.
    pub fn outgoing(&self) -> Outgoing<'_> {
        let seq = |(at, node): (NodeIndex<u32>, &Node)| match &node.body {
            Body::Event(event) => Some((event.seq, at)),
            _ => None,
        };
        Outgoing { graph: self, events: self.net.node_references_in_order().filter_map(seq).collect() }
    }

    fn kept_edge<'a>(&'a self, edge: EdgeReference<'a, Edge, u32>) -> Option<EdgeRef<'a>> {
        let is_gone = |at| self.net.node_weight(at).is_none_or(|node| matches!(node.body, Body::Gone));
        let (from, to) = (edge.source(), edge.target());
        let Edge { kind, link } = edge.weight();
        (!is_gone(from) && !is_gone(to)).then_some(EdgeRef { from, to, kind: *kind, link: link.as_deref() })
    }
}

/// The edges of a graph, node by node.
pub struct Outgoing<'a> {
    graph: &'a Graph,
    /// By rising seq.
    events: Vec<(u64, NodeIndex<u32>)>,
}

impl<'a> Outgoing<'a> {
    /// The edges that go out from a node: first those that are kept, in order of making, then those that it says.
    pub fn of(&self, from: NodeIndex<u32>) -> Vec<EdgeRef<'a>> {
        let mut kept: Vec<_> = self.graph.net.edges(from).collect();
        kept.sort_unstable_by_key(|edge| edge.id());
        let kept = kept.into_iter().filter_map(|edge| self.graph.kept_edge(edge));
        kept.chain(self.said(from)).collect()
    }

    fn said(&self, from: NodeIndex<u32>) -> Vec<EdgeRef<'a>> {
        let names = &self.graph.names;
        let mut said = Vec::new();
        let mut say = |to: Option<NodeIndex<u32>>, kind| {
            said.extend(to.map(|to| EdgeRef { from, to, kind, link: None }));
        };
        match &self.graph.net[from].body {
            Body::Event(event) => {
                for name in event.things().filter(|name| *name != ME) {
                    say(names.node(name), EdgeKind::Involved);
                }
                say(names.node(event.room), EdgeKind::OccurredIn);
                say(self.event_at(event.alike), EdgeKind::SimilarTo);
            }
            // What was taken over from another stands on that one's log.
            Body::Reflection(reflection) if reflection.from_agent.is_none() => {
                reflection.evidence.iter().for_each(|seq| say(self.event_at(*seq), EdgeKind::DerivedFrom));
            }
            _ => {}
        }
        said
    }

    fn event_at(&self, seq: u64) -> Option<NodeIndex<u32>> {
        self.events.binary_search_by_key(&seq, |(seq, _)| *seq).ok().map(|i| self.events[i].1)
    }
}

fn is_none(seq: &u64) -> bool {
    *seq == 0
}

fn is_no_time(at_ms: &i64) -> bool {
    *at_ms == 0
}

/// A hash of a document's bytes, 32 hexadecimal digits: equal for equal bytes on any machine.
pub fn content_hash(bytes: &[u8]) -> String {
    hash_digits(xxhash_rust::xxh3::xxh3_128(bytes))
}

/// A hash as it is written.
pub(crate) fn hash_digits(hash: u128) -> String {
    format!("{hash:032x}")
}

/// An edge with its ends.
#[derive(Clone, Copy, Debug)]
pub struct EdgeRef<'a> {
    pub from: NodeIndex<u32>,
    pub to: NodeIndex<u32>,
    pub kind: EdgeKind,
    /// Between names; an edge of an event stands on that event alone.
    pub link: Option<&'a Link>,
}

/// Nodes with their places, in order of making.
trait InOrder {
    fn node_references_in_order(&self) -> impl Iterator<Item = (NodeIndex<u32>, &Node)>;
}

impl InOrder for Net {
    fn node_references_in_order(&self) -> impl Iterator<Item = (NodeIndex<u32>, &Node)> {
        self.raw_nodes().iter().enumerate().map(|(i, node)| (NodeIndex::new(i), &node.weight))
    }
}
