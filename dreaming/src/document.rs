//! The graph as a document: canonical JSON, the same bytes for the same memories, and the way back.
//!
//! Nodes come sorted by kind and key, events by seq; edges by their ends; names by key. `salience` is told for people
//! as it is after the night `through`; what counts is `strength` and `night`.

use crate::config::Terms;
use crate::graph::facts::{Fact, Facts, Relation};
use crate::graph::*;
use crate::narrate;
use petgraph::graph::NodeIndex;
use protocol::happening::Role;
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3Default;

/// Bytes that are written at a time.
const PIECE_BYTES: usize = 64 * 1024;
const FORMAT: &str = "dark-pawns-memory-graph";
/// 2: what happened with things is counted from the first record on. In version 1 counts of insights and visits to
/// rooms were too low, so they are taken up as if they began with the last record.
/// 3: events say how things stood; of older ones nothing is known of that.
pub const VERSION: u32 = 3;

/// Why a document is no graph. Keep the file aside and dream anew from the log.
#[derive(Debug, thiserror::Error)]
pub enum DamagedGraph {
    #[error("it cannot be read as a memory graph: {0}")]
    Unreadable(#[from] serde_json::Error),
    #[error("it calls itself {0:?}, which is no memory graph")]
    OtherFormat(String),
    #[error("it is of version {0}, written by a newer program; this one knows versions up to {VERSION}")]
    Newer(u32),
    #[error("it belongs to {0:?}")]
    OtherAgent(String),
    #[error("it contradicts itself: {0}")]
    Inconsistent(String),
}

#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
}

/// What is behind the `Head`.
#[derive(Deserialize)]
struct Document<'a> {
    agent: Cow<'a, str>,
    terms: Terms,
    through: i32,
    cursor: Cursor,
    names: Vec<NameDoc<'a>>,
    nodes: Vec<NodeDoc<'a>>,
    edges: Vec<EdgeDoc>,
    facts: Vec<Fact>,
}

#[derive(Serialize, Deserialize)]
struct NameDoc<'a> {
    key: Cow<'a, str>,
    name: Cow<'a, str>,
    kind: NodeKind,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    player: bool,
    #[serde(default)]
    level: u16,
}

#[derive(Serialize, Deserialize)]
struct NodeDoc<'a> {
    id: Cow<'a, str>,
    kind: NodeKind,
    label: String,
    salience: f64,
    valence: f64,
    strength: f64,
    night: i32,
    #[serde(flatten)]
    detail: Detail<'a>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Detail<'a> {
    Event(EventDoc<'a>),
    Thing(ThingDoc<'a>),
    Reflection(ReflectionDoc<'a>),
}

#[derive(Serialize, Deserialize)]
struct EventDoc<'a> {
    seq: u64,
    at_ms: i64,
    tick: u64,
    session: u32,
    deed: Deed,
    role: Role,
    importance: u8,
    #[serde(default, skip_serializing_if = "Circumstances::is_unknown")]
    circumstances: Circumstances,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    doer: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sufferer: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    third: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    item: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    room: Option<Cow<'a, str>>,
    number: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'a, str>>,
    social_event_id: u64,
}

#[derive(Serialize, Deserialize)]
struct ThingDoc<'a> {
    liking: f64,
    likes: u32,
    visits: u32,
    first_at: i64,
    last_at: i64,
    last_tick: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    room: Option<Cow<'a, str>>,
    instance: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    betrayed: Option<Mark>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    saved: Option<Mark>,
    events: u32,
    evidence: Vec<u64>,
    /// Absent: from `first_at` on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    counted_from: Option<i64>,
    #[serde(default, skip_serializing_if = "Tally::is_empty")]
    tally: Tally,
}

#[derive(Serialize, Deserialize)]
struct ReflectionDoc<'a> {
    #[serde(default, skip_serializing_if = "is_counted")]
    sort: Sort,
    about: Cow<'a, str>,
    at_ms: i64,
    tick: u64,
    visits: u32,
    evidence: Vec<u64>,
    tally: Tally,
    #[serde(default)]
    counted_from: i64,
    wisdom: u32,
    #[serde(default, skip_serializing_if = "is_first")]
    generation: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lesson: Option<Box<Lesson>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cites: Vec<Arc<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from_agent: Option<Cow<'a, str>>,
}

#[derive(Serialize, Deserialize)]
struct EdgeDoc {
    from: String,
    to: String,
    kind: EdgeKind,
    weight: u32,
    first_at: i64,
    last_at: i64,
    evidence: Vec<u64>,
}

/// A document as it is written: nodes and edges one after the other, as they are asked for. Field by field as `Head`
/// and
/// `Document`.
#[derive(Serialize)]
struct DocumentOut<'a, N, E> {
    format: &'a str,
    version: u32,
    agent: &'a str,
    terms: &'a Terms,
    through: i32,
    cursor: &'a Cursor,
    names: Vec<NameDoc<'a>>,
    nodes: N,
    edges: E,
    facts: Vec<&'a Fact>,
}

/// A list whose elements are made when they are written, so that they are never all in memory.
struct Each<F>(F);

impl<I: Iterator<Item: Serialize>, F: Fn() -> I> Serialize for Each<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// The edges of a graph by the place of their ends in the document, and kind.
struct EdgesInOrder<'a> {
    graph: &'a Graph,
    outgoing: Outgoing<'a>,
    /// By node: its place in the document.
    places: Vec<u32>,
}

impl<'a> EdgesInOrder<'a> {
    /// `order` is that of the nodes.
    fn new(graph: &'a Graph, order: &[NodeIndex<u32>]) -> EdgesInOrder<'a> {
        let mut places = vec![u32::MAX; graph.net.node_count()];
        for (n, at) in order.iter().enumerate() {
            places[at.index()] = n as u32;
        }
        EdgesInOrder { graph, outgoing: graph.outgoing(), places }
    }

    /// Those that go out from a node.
    fn of(&self, from: NodeIndex<u32>) -> Vec<EdgeRef<'a>> {
        // Between two that are no events only a relation says what it stands on.
        let is_event = |at: NodeIndex<u32>| matches!(self.graph.net[at].body, Body::Event(_));
        let mut edges = self.outgoing.of(from);
        edges.retain(|edge| edge.link.is_some() || is_event(edge.from) || is_event(edge.to));
        edges.sort_by_key(|edge| (self.places[edge.to.index()], edge.kind));
        edges
    }
}

/// Hashes what it passes on.
struct Hashing<'a> {
    to: &'a mut dyn Write,
    hash: Xxh3Default,
}

impl Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// The place of a node in the document.
type Place = (NodeKind, u64, Arc<str>);

impl Graph {
    fn place(&self, node: &Node) -> Option<Place> {
        Some(match &node.body {
            Body::Event(event) => (NodeKind::Event, event.seq, Arc::from("")),
            Body::Thing(thing) => (thing.kind, 0, self.names.key(thing.name).clone()),
            Body::Reflection(reflection) => (NodeKind::Reflection, 0, reflection.key.clone()),
            Body::Gone => return None,
        })
    }

    fn key_of(&self, id: NameId) -> Option<Cow<'_, str>> {
        (id != NOBODY).then(|| Cow::Borrowed(&**self.names.key(id)))
    }

    /// The canonical document, one line, with a line break at its end.
    pub fn to_json(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write_json(&mut bytes).expect("memory takes whatever is written to it");
        bytes
    }

    /// Writes the canonical document piece by piece, so that it is never in memory as a whole; returns its
    /// `content_hash`. The errors are those of `to`.
    pub fn write_json(&self, to: &mut dyn Write) -> io::Result<String> {
        let mut named = vec![false; self.names.len()];
        let mut mention = |ids: &[NameId]| {
            for id in ids.iter().filter(|id| **id != NOBODY) {
                named[*id as usize] = true;
            }
        };
        mention(&[ME]);
        let mut order: Vec<(Place, NodeIndex<u32>)> = Vec::with_capacity(self.stored_count());
        for (at, node) in self.net.node_indices().zip(self.net.node_weights()) {
            match &node.body {
                Body::Event(e) => mention(&[e.doer, e.sufferer, e.third, e.item, e.room]),
                Body::Thing(thing) => mention(&[thing.name, thing.room]),
                Body::Reflection(reflection) => mention(&[reflection.about]),
                Body::Gone => {}
            }
            if let Some(place) = self.place(node) {
                order.push((place, at));
            }
        }
        // Who holds something is known even when the meeting itself has faded.
        for fact in self.facts.iter().filter(|fact| fact.relation == Relation::HeldBy && fact.until.is_none()) {
            mention(&[self.names.find(&fact.value).unwrap_or(NOBODY)]);
        }
        order.sort_by(|a, b| a.0.cmp(&b.0));
        let mut names: Vec<NameDoc> = (0..self.names.len() as NameId)
            .filter(|id| named[*id as usize])
            .map(|id| NameDoc {
                key: Cow::Borrowed(self.names.key(id)),
                name: Cow::Borrowed(self.names.name(id)),
                kind: self.names.kind(id),
                player: self.names.is_player(id),
                level: self.names.level(id),
            })
            .collect();
        names.sort_by(|a, b| a.key.cmp(&b.key));
        let order: Vec<NodeIndex<u32>> = order.into_iter().map(|(_, at)| at).collect();
        let outgoing = EdgesInOrder::new(self, &order);
        let document = DocumentOut {
            format: FORMAT,
            version: VERSION,
            agent: self.agent(),
            terms: &self.terms,
            through: self.through,
            cursor: &self.cursor,
            names,
            nodes: Each(|| order.iter().map(|at| self.node_doc(&self.net[*at]))),
            edges: Each(|| order.iter().flat_map(|at| outgoing.of(*at)).map(|edge| self.edge_doc(&edge))),
            facts: self.facts.sorted(),
        };
        let mut to = BufWriter::with_capacity(PIECE_BYTES, Hashing { to, hash: Xxh3Default::new() });
        serde_json::to_writer(&mut to, &document)?;
        to.write_all(b"\n")?;
        let hashing = to.into_inner().map_err(IntoInnerError::into_error)?;
        Ok(hash_digits(hashing.hash.digest128()))
    }

    fn node_doc<'a>(&'a self, node: &'a Node) -> NodeDoc<'a> {
        let (label, detail) = match &node.body {
            Body::Event(e) => {
                let doc = EventDoc {
                    seq: e.seq,
                    at_ms: e.at_ms,
                    tick: e.tick,
                    session: e.session,
                    deed: e.deed,
                    role: e.role,
                    importance: e.importance,
                    circumstances: e.circumstances,
                    doer: self.key_of(e.doer),
                    sufferer: self.key_of(e.sufferer),
                    third: self.key_of(e.third),
                    item: self.key_of(e.item),
                    room: self.key_of(e.room),
                    number: e.number,
                    text: e.text.as_deref().map(Cow::Borrowed),
                    social_event_id: e.social_event_id,
                };
                (narrate::sentence(self, e, 1), Detail::Event(doc))
            }
            Body::Thing(thing) => {
                let doc = ThingDoc {
                    liking: thing.liking,
                    likes: thing.likes,
                    visits: thing.visits,
                    first_at: thing.first_at,
                    last_at: thing.last_at,
                    last_tick: thing.last_tick,
                    room: self.key_of(thing.room),
                    instance: Cow::Borrowed(&thing.instance),
                    betrayed: thing.betrayed,
                    saved: thing.saved,
                    events: thing.evidence.count,
                    evidence: thing.evidence.seqs(),
                    counted_from: Some(thing.counted_from).filter(|from| *from != thing.first_at),
                    tally: thing.tally.clone(),
                };
                (self.names.name(thing.name).to_string(), Detail::Thing(doc))
            }
            Body::Reflection(reflection) => {
                let doc = ReflectionDoc {
                    sort: reflection.sort,
                    about: Cow::Borrowed(self.names.key(reflection.about)),
                    at_ms: reflection.at_ms,
                    tick: reflection.tick,
                    visits: reflection.visits,
                    evidence: reflection.evidence.clone(),
                    tally: reflection.tally.clone(),
                    counted_from: reflection.counted_from,
                    wisdom: reflection.wisdom,
                    generation: reflection.generation,
                    lesson: reflection.lesson.clone(),
                    cites: reflection.cites.clone(),
                    from_agent: reflection.from_agent.as_deref().map(Cow::Borrowed),
                };
                (reflection.text.to_string(), Detail::Reflection(doc))
            }
            Body::Gone => unreachable!("what is gone has no place in the document"),
        };
        NodeDoc {
            id: Cow::Owned(self.id_of(node)),
            kind: node.kind().expect("only what is gone has no kind"),
            label,
            salience: libm::round(self.salience(node) * 1e6) / 1e6,
            valence: node.valence(),
            strength: node.strength,
            night: node.night,
            detail,
        }
    }

    fn edge_doc(&self, edge: &EdgeRef) -> EdgeDoc {
        let (from, to) = (&self.net[edge.from], &self.net[edge.to]);
        let (weight, first_at, last_at, evidence) = match (edge.link, &from.body, &to.body) {
            (Some(link), ..) => (link.weight, link.first_at, link.last_at, link.evidence.seqs()),
            (None, Body::Event(event), _) | (None, _, Body::Event(event)) => {
                (1, event.at_ms, event.at_ms, vec![event.seq])
            }
            _ => unreachable!("an edge stands on a relation or an event"),
        };
        let (from, to) = (self.id_of(from), self.id_of(to));
        EdgeDoc { from, to, kind: edge.kind, weight, first_at, last_at, evidence }
    }

    /// The graph of `agent` that a document holds.
    pub fn from_json(bytes: &[u8], agent: &str) -> Result<Graph, DamagedGraph> {
        let head: Head = serde_json::from_slice(bytes)?;
        if head.format != FORMAT {
            return Err(DamagedGraph::OtherFormat(head.format));
        }
        if head.version > VERSION {
            return Err(DamagedGraph::Newer(head.version));
        }
        let document: Document = serde_json::from_slice(bytes)?;
        if !document.agent.eq_ignore_ascii_case(agent) {
            return Err(DamagedGraph::OtherAgent(document.agent.into_owned()));
        }
        let document = if head.version < 2 { counted_anew(document) } else { document };
        let mut graph = Graph::restore(document, agent)?;
        graph.outdated = head.version < VERSION;
        Ok(graph)
    }

    fn restore(document: Document, agent: &str) -> Result<Graph, DamagedGraph> {
        let wrong = |what: String| DamagedGraph::Inconsistent(what);
        let mut graph = Graph::new(agent, document.terms);
        graph.cursor = document.cursor;
        graph.through = document.through;
        for name in &document.names {
            graph.names.restore(&name.key, &name.name, name.kind, name.player, name.level);
        }
        let mut nodes = document.nodes;
        // Things before the events that hang on them, events by seq: as the invariant of the graph has it.
        nodes.sort_by_key(|node| match &node.detail {
            Detail::Event(event) => (1, event.seq),
            _ => (0, 0),
        });
        let mut places: BTreeMap<String, NodeIndex<u32>> = BTreeMap::new();
        for doc in nodes {
            if !(doc.strength.is_finite() && (0.0..=1.0).contains(&doc.strength) && doc.valence.abs() <= 3.0) {
                return Err(wrong(format!("{} has no possible strength or valence", doc.id)));
            }
            let id = doc.id.to_string();
            let node = graph.restore_node(doc)?;
            let index = graph.add(node);
            match &graph.net[index].body {
                Body::Thing(thing) => graph.names.set_node(thing.name, index),
                Body::Reflection(reflection) => {
                    let key = reflection.key.clone();
                    graph.set_reflection(key, index);
                }
                _ => {}
            }
            if places.insert(id.clone(), index).is_some() {
                return Err(wrong(format!("{id} is there twice")));
            }
        }
        for edge in document.edges {
            let place = |id: &str| places.get(id).copied().ok_or_else(|| wrong(format!("an edge ends at {id}")));
            let (from, to) = (place(&edge.from)?, place(&edge.to)?);
            match (graph.name_at(from), graph.name_at(to)) {
                (Some(a), Some(b)) => {
                    let count = u32::try_from(edge.evidence.len()).unwrap_or(u32::MAX).max(edge.weight);
                    let evidence = Evidence::restore(&edge.evidence, count)
                        .ok_or_else(|| wrong(format!("the edge {} to {} stands on nothing", edge.from, edge.to)))?;
                    let link = Link { weight: edge.weight, first_at: edge.first_at, last_at: edge.last_at, evidence };
                    graph.link(from, to, a, b, edge.kind, link);
                }
                _ if graph.says(from, to, edge.kind) => {}
                _ if edge.kind == EdgeKind::SimilarTo => {
                    let alike = match &graph.net[to].body {
                        Body::Event(event) => event.seq,
                        _ => 0,
                    };
                    if let Body::Event(event) = &mut graph.net[from].body {
                        event.alike = alike;
                    }
                }
                _ => {
                    graph.net.add_edge(from, to, Edge { kind: edge.kind, link: None });
                }
            }
        }
        graph.facts = Facts::restore(document.facts, &graph.names);
        Ok(graph)
    }

    /// Whether the node itself says an edge: see `Graph::edges`.
    fn says(&self, from: NodeIndex<u32>, to: NodeIndex<u32>, kind: EdgeKind) -> bool {
        let (Body::Event(event), Some(name)) = (&self.net[from].body, self.name_at(to)) else {
            return kind == EdgeKind::DerivedFrom;
        };
        match kind {
            EdgeKind::Involved => event.things().any(|thing| thing == name),
            EdgeKind::OccurredIn => event.room == name,
            _ => false,
        }
    }

    fn restore_node(&self, doc: NodeDoc) -> Result<Node, DamagedGraph> {
        let find = |key: Option<&str>| match key {
            None => Ok(NOBODY),
            Some(key) => {
                self.names.find(key).ok_or_else(|| DamagedGraph::Inconsistent(format!("nobody is named {key}")))
            }
        };
        let body = match doc.detail {
            Detail::Event(e) => Body::Event(EventBody {
                seq: e.seq,
                at_ms: e.at_ms,
                tick: e.tick,
                social_event_id: e.social_event_id,
                session: e.session,
                doer: find(e.doer.as_deref())?,
                sufferer: find(e.sufferer.as_deref())?,
                third: find(e.third.as_deref())?,
                item: find(e.item.as_deref())?,
                room: find(e.room.as_deref())?,
                number: e.number,
                deed: e.deed,
                role: e.role,
                valence: doc.valence as i8,
                importance: e.importance,
                circumstances: e.circumstances,
                alike: 0,
                text: e.text.as_deref().map(Arc::from),
            }),
            Detail::Thing(thing) => Body::Thing(Box::new(ThingBody {
                name: find(Some(&doc.id))?,
                kind: doc.kind,
                valence: doc.valence,
                liking: thing.liking,
                likes: thing.likes,
                visits: thing.visits,
                first_at: thing.first_at,
                last_at: thing.last_at,
                last_tick: thing.last_tick,
                room: find(thing.room.as_deref())?,
                instance: Arc::from(&*thing.instance),
                betrayed: thing.betrayed,
                saved: thing.saved,
                evidence: Evidence::restore(&thing.evidence, thing.events)
                    .ok_or_else(|| DamagedGraph::Inconsistent(format!("{} stands on nothing", doc.id)))?,
                counted_from: thing.counted_from.unwrap_or(thing.first_at),
                tally: thing.tally,
            })),
            Detail::Reflection(reflection) => Body::Reflection(Box::new(ReflectionBody {
                sort: reflection.sort,
                key: Arc::from(&*doc.id),
                about: find(Some(&reflection.about))?,
                text: Arc::from(&*doc.label),
                valence: doc.valence,
                at_ms: reflection.at_ms,
                tick: reflection.tick,
                visits: reflection.visits,
                evidence: reflection.evidence,
                tally: reflection.tally,
                counted_from: reflection.counted_from,
                wisdom: reflection.wisdom,
                generation: reflection.generation,
                lesson: reflection.lesson,
                cites: reflection.cites,
                from_agent: reflection.from_agent.as_deref().map(Arc::from),
            })),
        };
        Ok(Node::new(doc.strength, doc.night, body))
    }
}

fn is_first(generation: &u32) -> bool {
    *generation == 0
}

fn is_counted(sort: &Sort) -> bool {
    *sort == Sort::Counted
}

/// A document of version 1 with its counts begun anew. Its own insights are left out: they come again, counted.
fn counted_anew(mut document: Document) -> Document {
    let from = document.cursor.at_ms;
    let own = |node: &NodeDoc| matches!(&node.detail, Detail::Reflection(insight) if insight.from_agent.is_none());
    let gone: BTreeSet<String> =
        document.nodes.iter().filter(|node| own(node)).map(|node| node.id.to_string()).collect();
    document.nodes.retain(|node| !own(node));
    document.edges.retain(|edge| !gone.contains(&edge.from) && !gone.contains(&edge.to));
    for node in &mut document.nodes {
        if let Detail::Thing(thing) = &mut node.detail {
            thing.counted_from = Some(from);
            if node.kind == NodeKind::Room {
                thing.visits = 1;
            }
        }
    }
    document
}
