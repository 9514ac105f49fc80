//! Core memory: the document that an agent keeps for itself, in full, by weight, or as its keys.

use super::node::Node;
use super::text;
use crate::memory::{WEIGHT_DEFAULT, lists_tokens};
use crate::pressure::Density;
use crate::state::{CoreMemory, MindState};
use serde_json::{Map, Value};

/// Longest string of a value that is shown.
const VALUE_CHARS: usize = 1_000;

/// `12%`: tokens of the document, of facts and of patterns by what may be stored, at most 100.
pub fn memory_used(state: &MindState) -> String {
    format!("{}%", state.memory.used_percent(lists_tokens(&state.session)).min(100))
}

/// A value of the document and where it is.
struct Leaf<'a> {
    path: Vec<&'a str>,
    value: &'a Value,
    weight: f64,
}

/// The leaves in the order of their paths. A weight holds for what is below it, until a path below has its own.
fn leaves(memory: &CoreMemory) -> Vec<Leaf<'_>> {
    fn walk<'a>(
        path: &mut Vec<&'a str>,
        value: &'a Value,
        weight: f64,
        memory: &'a CoreMemory,
        out: &mut Vec<Leaf<'a>>,
    ) {
        let weight = memory.weights.get(&path.join(".")).copied().unwrap_or(weight);
        match value {
            Value::Object(map) if !map.is_empty() => {
                let mut keys: Vec<&String> = map.keys().collect();
                keys.sort();
                for key in keys {
                    path.push(key);
                    walk(path, &map[key.as_str()], weight, memory, out);
                    path.pop();
                }
            }
            _ => out.push(Leaf { path: path.clone(), value, weight }),
        }
    }
    let mut out = Vec::new();
    let mut keys: Vec<&String> = memory.doc.keys().collect();
    keys.sort();
    for key in keys {
        walk(&mut vec![key], &memory.doc[key.as_str()], WEIGHT_DEFAULT, memory, &mut out);
    }
    out
}

/// The tree that these leaves make.
fn tree<'a>(leaves: impl Iterator<Item = &'a Leaf<'a>>) -> Value {
    let mut doc = Map::new();
    for leaf in leaves {
        let Some((last, above)) = leaf.path.split_last() else { continue };
        let mut at = &mut doc;
        for key in above {
            let below = at.entry(text::line(key, 64)).or_insert_with(|| Value::Object(Map::new()));
            if !below.is_object() {
                *below = Value::Object(Map::new());
            }
            let Value::Object(map) = below else { unreachable!("it was made an object") };
            at = map;
        }
        at.insert(text::line(last, 64), text::value(leaf.value, VALUE_CHARS));
    }
    Value::Object(doc)
}

fn section(shown: Value, used: String, more: usize) -> Node {
    let mut fields = vec![("memory_used", Value::String(used))];
    if more > 0 {
        fields.push(("memory_not_shown", more.into()));
    }
    Node::Group(vec![
        Node::heading(1, "Core memory"),
        Node::named("core_memory", Node::Data(shown)),
        Node::fields(fields),
    ])
}

/// The section. Full: the document. Compact: the heaviest half of its leaves. Minimal: its topmost keys.
pub fn node(memory: &CoreMemory, density: Density, used: String) -> Node {
    if memory.doc.is_empty() {
        return Node::Nothing;
    }
    let leaves = leaves(memory);
    match density {
        Density::Full => section(tree(leaves.iter()), used, 0),
        Density::Compact => heaviest(&leaves, leaves.len().div_ceil(2), used),
        Density::Minimal => keys(memory, usize::MAX, used),
    }
}

/// The `count` leaves of the greatest weight, in the order of their paths; of equal ones the first.
fn heaviest(leaves: &[Leaf<'_>], count: usize, used: String) -> Node {
    let mut order: Vec<usize> = (0..leaves.len()).collect();
    order.sort_by(|&a, &b| leaves[b].weight.total_cmp(&leaves[a].weight).then(a.cmp(&b)));
    order.truncate(count);
    order.sort_unstable();
    section(tree(order.iter().map(|&n| &leaves[n])), used, leaves.len() - order.len())
}

fn keys(memory: &CoreMemory, count: usize, used: String) -> Node {
    let mut keys: Vec<&String> = memory.doc.keys().collect();
    keys.sort();
    let more = keys.len().saturating_sub(count);
    let shown: Vec<Value> = keys.iter().take(count).map(|key| text::line(key, 64).into()).collect();
    section(shown.into(), used, more)
}

/// The section in the largest form that has no more than `room` tokens as `fits` finds, with that form's density.
/// `used`: as it says how full it is.
pub fn fit(memory: &CoreMemory, room: usize, used: String, fits: &dyn Fn(&Node, usize) -> bool) -> (Node, Density) {
    if memory.doc.is_empty() {
        return (Node::Nothing, Density::Full);
    }
    let leaves = leaves(memory);
    let whole = section(tree(leaves.iter()), used.clone(), 0);
    let fits = |node: &Node| fits(node, room);
    if fits(&whole) {
        return (whole, Density::Full);
    }
    // The most leaves that fit, found by halving: a form with fewer leaves is hardly ever larger, and what is taken
    // was measured.
    let (mut least, mut most) = (0, leaves.len());
    let mut best = None;
    while least < most {
        let count = (least + most).div_ceil(2);
        let node = heaviest(&leaves, count, used.clone());
        if fits(&node) {
            (least, best) = (count, Some(node));
        } else {
            most = count - 1;
        }
    }
    if let Some(node) = best {
        return (node, Density::Compact);
    }
    let mut count = memory.doc.len();
    while count > 0 {
        let node = keys(memory, count, used.clone());
        if fits(&node) {
            return (node, Density::Minimal);
        }
        count /= 2;
    }
    (Node::Nothing, Density::Minimal)
}
