//! Knots: modules of one crate that reach each other in a circle, and how many arrows there are.
//!
//! The root is left out, and so is what goes between a folder's `mod.rs` and its own children: the list and the shared
//! types are there, so they use each other by design.

use super::arrows::{Crate, Target};
use std::collections::{BTreeMap, BTreeSet};

type ModulePath = Vec<String>;

/// Modules and what each uses, by path.
pub type Graph = BTreeMap<ModulePath, BTreeSet<ModulePath>>;

/// A crate's modules and their arrows to each other.
pub fn graph(krate: &Crate) -> Graph {
    let is_module = |path: &ModulePath| !path.is_empty();
    let mut graph: Graph =
        krate.modules.keys().filter(|path| is_module(path)).map(|path| (path.clone(), BTreeSet::new())).collect();
    for arrow in krate.arrows() {
        let Target::Module(to) = arrow.to else { continue };
        let is_of_a_folder = arrow.from.starts_with(&to) || to.starts_with(&arrow.from);
        if is_module(&arrow.from) && is_module(&to) && !is_of_a_folder {
            graph.entry(arrow.from).or_default().insert(to);
        }
    }
    graph
}

pub fn arrow_count(graph: &Graph) -> usize {
    graph.values().map(BTreeSet::len).sum()
}

/// The knots of two modules and more, the largest first, each sorted by path.
pub fn knots(graph: &Graph) -> Vec<Vec<ModulePath>> {
    let reached: BTreeMap<&ModulePath, BTreeSet<&ModulePath>> =
        graph.keys().map(|from| (from, reached_from(graph, from))).collect();
    let mut knots: Vec<Vec<ModulePath>> = Vec::new();
    let mut seen: BTreeSet<&ModulePath> = BTreeSet::new();
    for (from, to) in &reached {
        if to.contains(from) && !seen.contains(from) {
            let knot: Vec<&ModulePath> = to.iter().copied().filter(|other| reached[other].contains(from)).collect();
            seen.extend(&knot);
            knots.push(knot.into_iter().cloned().collect());
        }
    }
    knots.sort_by_key(|knot| std::cmp::Reverse(knot.len()));
    knots
}

/// All that a module uses, directly or by way of others; itself, where that is a circle.
fn reached_from<'g>(graph: &'g Graph, from: &ModulePath) -> BTreeSet<&'g ModulePath> {
    let mut seen = BTreeSet::new();
    let mut next: Vec<&ModulePath> = graph[from].iter().collect();
    while let Some(here) = next.pop() {
        if seen.insert(here) {
            next.extend(&graph[here]);
        }
    }
    seen
}

/// How far above the bottom each module stands: 0 for what uses nothing. What is in one knot stands at one height.
pub fn heights(graph: &Graph, knots: &[Vec<ModulePath>]) -> BTreeMap<ModulePath, usize> {
    let knot_of = |path: &ModulePath| knots.iter().find(|knot| knot.contains(path));
    let mut heights: BTreeMap<ModulePath, usize> = BTreeMap::new();
    // Each round settles at least those that stand on settled ones only.
    while heights.len() < graph.len() {
        for path in graph.keys().filter(|path| !heights.contains_key(*path)).collect::<Vec<_>>() {
            let group: Vec<&ModulePath> = knot_of(path).map_or_else(|| vec![path], |knot| knot.iter().collect());
            let below = group.iter().flat_map(|member| &graph[*member]).filter(|to| !group.contains(to));
            let below: Option<Vec<usize>> = below.map(|to| heights.get(to).map(|height| height + 1)).collect();
            if let Some(below) = below {
                let height = below.into_iter().max().unwrap_or(0);
                heights.extend(group.into_iter().map(|member| (member.clone(), height)));
            }
        }
    }
    heights
}
