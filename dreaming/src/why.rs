//! Why something is remembered: the entries of the log behind a memory, and each of them in a sentence.
//!
//! Invariant: a sentence is told from the entry itself, so it does not matter whether its event has faded.

use crate::config::Terms;
use crate::consolidate::Dreamer;
use crate::graph::{Body, Graph};
use crate::narrate::{feeling_behind, sentence};
use crate::record::Record;

/// What a memory stands on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Behind {
    /// Numbers of entries of the character's own log, rising.
    Own(Vec<u64>),
    /// It was handed down: the entries are in the log of this agent.
    Of { agent: String, seqs: Vec<u64> },
}

/// By id, as `retrieve` and `bootstrap` give them. None: nothing of that id is remembered.
pub fn behind(graph: &Graph, id: &str) -> Option<Behind> {
    if id.starts_with("fact:") {
        return graph.facts.iter().find(|fact| fact.id() == id).map(|fact| Behind::Own(fact.evidence()));
    }
    let alive = |body: &Body| match body {
        Body::Event(event) => id.strip_prefix("event:") == Some(event.seq.to_string().as_str()),
        Body::Thing(thing) => &**graph.names.key(thing.name) == id,
        Body::Reflection(reflection) => &*reflection.key == id,
        Body::Gone => false,
    };
    let event = id.starts_with("event:");
    let of_kind = |body: &Body| matches!(body, Body::Event(_)) == event;
    let (at, node) = graph.alive().find(|(_, node)| of_kind(&node.body) && alive(&node.body))?;
    let seqs = Some(graph.evidence_at(at)).filter(|seqs| !seqs.is_empty())?;
    match &node.body {
        Body::Reflection(reflection) if let Some(agent) = &reflection.from_agent => {
            Some(Behind::Of { agent: agent.to_string(), seqs })
        }
        _ => Some(Behind::Own(seqs)),
    }
}

/// One entry in a sentence of the one who remembers, with what it was worth.
pub fn tell(agent: &str, terms: &Terms, record: &Record) -> String {
    let mut dreamer = Dreamer::new(Graph::new(agent, terms.clone()));
    dreamer.feed(record);
    let graph = dreamer.graph;
    let event = graph.net.node_weights().find_map(|node| match &node.body {
        Body::Event(event) => Some(event),
        _ => None,
    });
    event.map_or_else(String::new, |event| {
        let text = sentence(&graph, event, 1);
        format!("{}{}.", text.trim_end_matches('.'), feeling_behind(&text, event.valence))
    })
}
