//! Memories that nothing can ever make use of (E18).
//!
//! Junk is what no question template and no feature of a decision can refer to: the rows below say which can refer to
//! what. That is a promise of the rows; so each of a sample of memories is also asked for, by who or
//! what it was about and its day, and by the moment that it belongs to: how many never come up is told beside it.

use dreaming::calendar;
use dreaming::facts::Relation;
use dreaming::graph::*;
use dreaming::retrieve::{Index, Query, Recall, Scratch};
use dreaming::synthetic::Dice;
use petgraph::graph::NodeIndex;
use protocol::happening::Role;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A memory, and what is known of the graph around it.
struct Memory<'a> {
    graph: &'a Graph,
    node: &'a Node,
    /// Seqs that facts stand on.
    of_facts: &'a BTreeSet<u64>,
}

impl Memory<'_> {
    fn event(&self) -> Option<&EventBody> {
        match &self.node.body {
            Body::Event(event) => Some(event),
            _ => None,
        }
    }

    fn thing(&self, kind: NodeKind) -> Option<&ThingBody> {
        match &self.node.body {
            Body::Thing(thing) if thing.kind == kind && thing.name != ME => Some(thing),
            _ => None,
        }
    }
}

/// A template of questions, or a feature of decisions.
struct Row {
    name: &'static str,
    refers: fn(&Memory) -> bool,
}

/// In order; a memory is counted by the first row that refers to it.
const ROWS: [Row; 10] = [
    Row {
        name: "question: who gave me this",
        refers: |m| m.event().is_some_and(|e| e.deed == Deed::Given && e.role == Role::Suffered && e.item != NOBODY),
    },
    Row {
        name: "question: was I betrayed by them",
        refers: |m| m.event().is_some_and(|e| e.deed == Deed::Betrayed && e.other() != NOBODY),
    },
    Row {
        name: "question: what happened with them on that day",
        refers: |m| m.event().is_some_and(|e| m.graph.names.is_player(e.other())),
    },
    Row {
        name: "question: who has it, how is the door, now or then",
        refers: |m| m.event().is_some_and(|e| m.of_facts.contains(&e.seq)),
    },
    Row {
        name: "question: is somebody a friend",
        refers: |m| m.thing(NodeKind::Entity).is_some_and(|thing| m.graph.names.is_player(thing.name)),
    },
    Row {
        name: "decision: somebody is here whom it is about",
        refers: |m| match &m.node.body {
            Body::Event(event) => event.valence != 0 && event.other() != NOBODY,
            Body::Thing(thing) => thing.kind == NodeKind::Entity && thing.name != ME && m.node.felt() > 0.0,
            Body::Reflection(_) => true,
            Body::Gone => false,
        },
    },
    Row {
        name: "decision: a thing is here that it is about",
        refers: |m| match m.event() {
            Some(event) => event.valence != 0 && event.item != NOBODY,
            None => m.thing(NodeKind::Item).is_some(),
        },
    },
    Row {
        name: "decision: it happened here",
        refers: |m| m.event().is_some_and(|event| event.valence != 0 && event.room != NOBODY),
    },
    // Agents ask for what they remember of whoever is there: where it was met, and that it was met at all.
    Row {
        name: "decision: somebody is known, or new",
        refers: |m| {
            let first_sight = m.event().is_some_and(|event| event.deed == Deed::Met && event.role == Role::Did);
            first_sight || m.thing(NodeKind::Entity).is_some()
        },
    },
    Row {
        name: "decision: a place is known, or new",
        refers: |m| {
            let first_sight = m.event().is_some_and(|event| event.deed == Deed::RoomSeen && event.role == Role::Did);
            first_sight || m.thing(NodeKind::Room).is_some()
        },
    },
];

#[derive(Clone, Debug, Default)]
pub struct Junk {
    pub stored: u64,
    /// By row, how many memories it is the first to refer to.
    pub by_row: BTreeMap<&'static str, u64>,
    pub junk: u64,
    /// What kind of memory the junk is, with how many.
    pub junk_kinds: BTreeMap<String, u64>,
    /// Of a sample of what is not junk: how many were asked for, and how many never came up among ten.
    pub asked: u64,
    pub never: u64,
    pub never_kinds: BTreeMap<String, u64>,
}

fn kind_of(node: &Node) -> String {
    match &node.body {
        Body::Event(event) => format!("{:?}", event.deed),
        _ => node.kind().map(|kind| format!("{kind:?}")).unwrap_or_default(),
    }
}

/// Looks at all that is remembered, and asks for `sample` of it.
pub fn junk(graph: &Arc<Graph>, sample: usize, seed: u64) -> Junk {
    // The owner is no memory; it is the one who has them.
    let alive: Vec<(NodeIndex<u32>, &Node)> = graph.alive().filter(|(_, node)| !node.is_me()).collect();
    let of_facts: BTreeSet<u64> =
        graph.facts.iter().filter(|fact| fact.relation != Relation::Price).flat_map(|fact| fact.evidence()).collect();
    let mut found = Junk { stored: alive.len() as u64, ..Junk::default() };
    let mut useful = Vec::new();
    for (_, node) in &alive {
        let memory = Memory { graph, node, of_facts: &of_facts };
        match ROWS.iter().find(|row| (row.refers)(&memory)) {
            Some(row) => {
                *found.by_row.entry(row.name).or_default() += 1;
                useful.push(*node);
            }
            None => {
                found.junk += 1;
                *found.junk_kinds.entry(kind_of(node)).or_default() += 1;
            }
        }
    }
    let index = Index::new(graph.clone());
    let mut scratch = Scratch::default();
    let mut dice = Dice::new(seed);
    for i in 0..useful.len().min(sample) {
        let other = i + dice.below(useful.len() - i);
        useful.swap(i, other);
        found.asked += 1;
        if !comes_up(graph, &index, useful[i], &mut scratch) {
            found.never += 1;
            *found.never_kinds.entry(kind_of(useful[i])).or_default() += 1;
        }
    }
    found
}

/// Whether a memory is among ten of what a question for its subject and day finds, or of what comes to mind where it
/// belongs.
fn comes_up(graph: &Graph, index: &Index, node: &Node, scratch: &mut Scratch) -> bool {
    let id = graph.id_of(node);
    let own = match &node.body {
        Body::Event(event) => Some(event.seq),
        _ => None,
    };
    // A fact that stands on an event tells it.
    let holds = |recall: &Recall| {
        recall.found.iter().any(|found| found.id == id || own.is_some_and(|seq| found.evidence.contains(&seq)))
    };
    let name = |id: NameId| if id == NOBODY { "" } else { graph.names.name(id) };
    let now = graph.cursor.tick;
    let (words, present) = match &node.body {
        Body::Event(event) => {
            let date = calendar::date(event.at_ms, graph.terms.utc_offset_minutes);
            let keys: Vec<NameId> =
                [event.other(), event.item, event.room].into_iter().filter(|id| *id != NOBODY).collect();
            let about = keys.first().map_or("me", |id| name(*id));
            let keys = keys.iter().map(|id| graph.names.key(*id).to_string()).collect();
            (format!("What happened with {about} on {date}?"), keys)
        }
        Body::Thing(thing) => {
            let what = match thing.kind {
                NodeKind::Entity => "Is this a friend:",
                NodeKind::Room => "What place is",
                _ => "What do I know of",
            };
            (format!("{what} {}?", name(thing.name)), vec![graph.names.key(thing.name).to_string()])
        }
        Body::Reflection(body) => {
            (format!("What did I learn about {}?", name(body.about)), vec![graph.names.key(body.about).to_string()])
        }
        Body::Gone => return false,
    };
    holds(&index.recall(&Query::question(&words, now), scratch))
        || holds(&index.recall(&Query::moment("", &present, now), scratch))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dreaming::synthetic::{AGENT, Life, Shape};
    use dreaming::{Config, dream};

    #[test]
    fn a_life_leaves_little_junk_and_most_of_it_can_be_recalled() {
        let records: Vec<_> = Life::new(Shape { events_per_day: 60, ..Shape::default() }).take(1_800).collect();
        let day = calendar::day_of(records[1_799].at_ms, 0);
        let graph = Arc::new(dream(None, &records, &Config::new(AGENT, day)).graph);
        let found = junk(&graph, 60, 1);
        assert!(found.stored > 1_000 && found.asked == 60, "{found:?}");
        assert_eq!(found.by_row.values().sum::<u64>() + found.junk, found.stored);
        assert!(found.junk * 20 <= found.stored, "{found:?}");
        assert!(found.never < found.asked / 2, "{found:?}");
    }
}
