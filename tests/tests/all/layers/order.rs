//! The judgement: does every arrow go down? A module may use those of the layers below its own, and its own children.
//!
//! Inside a folder the children stand in no table, but must not use each other in a circle; a folder's `mod.rs` and its
//! children may, as the list and the shared types are there.

use super::arrows::{Arrow, Crate, Target, shown};
use std::collections::{BTreeMap, BTreeSet};

type ModulePath = Vec<String>;

/// What is wrong with a crate, one line each; empty when all is in order. `layers`: the topmost first. `waiting`:
/// arrows that may be wrong, see `CrateRow::waiting`.
pub fn problems(krate: &Crate, layers: &[Vec<String>], waiting: &[String]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut listed: BTreeMap<ModulePath, usize> = BTreeMap::new();
    for (layer, names) in layers.iter().enumerate() {
        for name in names {
            let path: ModulePath = name.split("::").map(str::to_owned).collect();
            if !krate.modules.contains_key(&path) {
                problems.push(format!("the table has {name}, which is no module"));
            }
            if listed.insert(path, layer).is_some() {
                problems.push(format!("the table has {name} twice"));
            }
        }
    }
    for module in krate.modules.keys().filter(|path| !path.is_empty()) {
        if home(&listed, module).is_none() {
            problems.push(format!("{} is in no layer", shown(module)));
        }
    }
    let arrows = krate.arrows();
    let mut excused: BTreeSet<&str> = BTreeSet::new();
    for arrow in &arrows {
        let Some((homes, problem)) = wrong(&listed, arrow) else { continue };
        match waiting.iter().find(|known| **known == homes) {
            Some(known) => drop(excused.insert(known)),
            None => problems.push(problem),
        }
    }
    problems.extend(circles(krate, &arrows, &listed, waiting, &mut excused));
    for known in waiting.iter().filter(|known| !excused.contains(known.as_str())) {
        problems.push(format!("{known} is in order by now: take it from `waiting`"));
    }
    problems
}

/// The listed path that a module belongs to: the longest that it begins with.
fn home<'l>(listed: &'l BTreeMap<ModulePath, usize>, module: &[String]) -> Option<(&'l ModulePath, usize)> {
    (1..=module.len())
        .rev()
        .find_map(|length| listed.get_key_value(&module[..length]))
        .map(|(path, layer)| (path, *layer))
}

/// The two listed modules of an arrow that goes the wrong way, and the sentence about it.
fn wrong(listed: &BTreeMap<ModulePath, usize>, arrow: &Arrow) -> Option<(String, String)> {
    let Target::Module(to) = &arrow.to else { return None };
    if arrow.from.is_empty() {
        return None;
    }
    let ((from_home, from_layer), (to_home, to_layer)) = match to.as_slice() {
        // The root is above all.
        [] => (home(listed, &arrow.from)?, (to, 0)),
        _ => (home(listed, &arrow.from)?, home(listed, to)?),
    };
    let said = |how: &str| {
        let homes = format!("{} → {}", shown(from_home), shown(to_home));
        let problem = format!("{}:{}: {} → {} goes {how}", arrow.file, arrow.line, shown(&arrow.from), shown(to));
        Some((homes, problem))
    };
    if to.is_empty() {
        return said("up");
    }
    if from_home == to_home || from_layer < to_layer {
        return None;
    }
    if from_layer > to_layer {
        return said("up");
    }
    if to_home.starts_with(from_home) { None } else { said("sideways") }
}

/// Circles among the children of one folder, its `mod.rs` left out.
fn circles<'w>(
    krate: &Crate,
    arrows: &[Arrow],
    listed: &BTreeMap<ModulePath, usize>,
    waiting: &'w [String],
    excused: &mut BTreeSet<&'w str>,
) -> Vec<String> {
    let folders: BTreeSet<&[String]> =
        krate.modules.keys().filter(|path| !path.is_empty()).map(|path| &path[..path.len() - 1]).collect();
    let mut found = Vec::new();
    for folder in folders.into_iter().filter(|folder| !folder.is_empty()) {
        // Children in different layers are in order by the table.
        let child = |path: &[String]| {
            (path.len() > folder.len() && path.starts_with(folder)).then(|| path[folder.len()].clone())
        };
        let mut graph: BTreeMap<String, BTreeMap<String, &Arrow>> = BTreeMap::new();
        for arrow in arrows {
            let Target::Module(to) = &arrow.to else { continue };
            let (Some(a), Some(b)) = (child(&arrow.from), child(to)) else { continue };
            let is_ordered = match (home(listed, &arrow.from), home(listed, to)) {
                (Some((_, from)), Some((_, to))) => from != to,
                _ => false,
            };
            if a != b && !is_ordered {
                graph.entry(a).or_default().entry(b).or_insert(arrow);
            }
        }
        // What waits is left out where it is part of a circle; elsewhere it is in order.
        for known in waiting {
            let Some((a, b)) = known.split_once(" → ") else { continue };
            let name = |path: &str| -> Option<String> {
                let path: ModulePath = path.split("::").map(str::to_owned).collect();
                (path.len() == folder.len() + 1).then(|| child(&path)).flatten()
            };
            let (Some(a), Some(b)) = (name(a), name(b)) else { continue };
            let is_arrow = graph.get(&a).is_some_and(|to| to.contains_key(&b));
            if is_arrow && reaches(&graph, &b, &a) {
                graph.entry(a).or_default().remove(&b);
                excused.insert(known);
            }
        }
        found.extend(circles_of(&graph).into_iter().map(|circle| {
            let arrows = circle.iter().map(|arrow| {
                let Target::Module(to) = &arrow.to else { unreachable!("only arrows to modules are in the graph") };
                format!("\n    {}:{}: {} → {}", arrow.file, arrow.line, shown(&arrow.from), shown(to))
            });
            format!("a circle in {}:{}", shown(folder), arrows.collect::<String>())
        }));
    }
    found
}

fn reaches(graph: &BTreeMap<String, BTreeMap<String, &Arrow>>, from: &str, to: &str) -> bool {
    let (mut seen, mut next) = (BTreeSet::from([from]), vec![from]);
    while let Some(here) = next.pop() {
        if here == to {
            return true;
        }
        next.extend(
            graph.get(here).into_iter().flatten().map(|(name, _)| name.as_str()).filter(|name| seen.insert(name)),
        );
    }
    false
}

/// One circle for each knot of the graph, as the arrows that make it.
fn circles_of<'a>(graph: &BTreeMap<String, BTreeMap<String, &'a Arrow>>) -> Vec<Vec<&'a Arrow>> {
    let mut circles = Vec::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for start in graph.keys() {
        if seen.contains(start) {
            continue;
        }
        if let Some(circle) = way_back(graph, start) {
            seen.extend(circle.iter().map(|(name, _)| name.clone()));
            circles.push(circle.into_iter().map(|(_, arrow)| arrow).collect());
        }
    }
    circles
}

/// The shortest way from a module back to itself: the modules it leaves from, with the arrows.
fn way_back<'a>(
    graph: &BTreeMap<String, BTreeMap<String, &'a Arrow>>,
    start: &str,
) -> Option<Vec<(String, &'a Arrow)>> {
    let mut came_from: BTreeMap<String, (String, &'a Arrow)> = BTreeMap::new();
    let mut next = std::collections::VecDeque::from([start.to_owned()]);
    while let Some(here) = next.pop_front() {
        for (to, arrow) in graph.get(&here).into_iter().flatten() {
            if !came_from.contains_key(to) {
                came_from.insert(to.clone(), (here.clone(), *arrow));
                next.push_back(to.clone());
            }
        }
    }
    let mut way = Vec::new();
    let mut at = start.to_owned();
    loop {
        let (from, arrow) = came_from.get(&at)?;
        way.push((from.clone(), *arrow));
        at.clone_from(from);
        if at == start {
            way.reverse();
            return Some(way);
        }
    }
}
