//! What must not be reached, by whatever way: modules that take values and give values stay so because of this, and not
//! because their headers promise it.

use super::arrows::{Arrow, Crate, Target, shown};
use super::table::Purity;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// One line for each thing that is reached and must not be, with the way to it.
pub fn problems(krate: &Crate, rule: &Purity) -> Vec<String> {
    let split = |name: &String| -> Vec<String> { name.split("::").map(str::to_owned).collect() };
    let mut problems = Vec::new();
    let mut by_module: BTreeMap<Vec<String>, Vec<Arrow>> = BTreeMap::new();
    for arrow in krate.arrows() {
        by_module.entry(arrow.from.clone()).or_default().push(arrow);
    }
    let never: Vec<Vec<String>> = rule.never.iter().map(split).collect();
    let rules: Vec<(&str, Vec<String>)> = match rule.modules.as_slice() {
        [] => vec![("the crate", Vec::new())],
        names => names.iter().map(|name| (name.as_str(), split(name))).collect(),
    };
    for (name, start) in rules {
        let inside: Vec<&Vec<String>> = krate.modules.keys().filter(|path| path.starts_with(&start)).collect();
        if inside.is_empty() {
            problems.push(format!("the rule has {name}, which is no module"));
        }
        // Each module with the arrow that it was reached by first.
        let mut reached: BTreeMap<Vec<String>, Option<&Arrow>> =
            inside.iter().map(|path| ((*path).clone(), None)).collect();
        let mut next: VecDeque<Vec<String>> = reached.keys().cloned().collect();
        // Of several ways to the same thing the first says enough.
        let mut reported: BTreeSet<&Vec<String>> = BTreeSet::new();
        while let Some(here) = next.pop_front() {
            for arrow in by_module.get(&here).into_iter().flatten() {
                let (Target::Module(to) | Target::External(to)) = &arrow.to;
                if let Some(banned) = never.iter().find(|banned| to.starts_with(banned)) {
                    if reported.insert(banned) {
                        let way = way(&reached, arrow);
                        problems.push(format!("{name} must not reach {}:{way}", banned.join("::")));
                    }
                } else if matches!(arrow.to, Target::Module(_)) && !to.is_empty() && !reached.contains_key(to) {
                    reached.insert(to.clone(), Some(arrow));
                    next.push_back(to.clone());
                }
            }
        }
    }
    problems
}

/// The arrows that lead to the last one, from the first module on.
fn way(reached: &BTreeMap<Vec<String>, Option<&Arrow>>, last: &Arrow) -> String {
    let mut arrows = vec![last];
    while let Some(Some(before)) = arrows.last().and_then(|arrow| reached.get(&arrow.from)) {
        arrows.push(before);
    }
    let shown_arrow = |arrow: &&Arrow| {
        let (Target::Module(to) | Target::External(to)) = &arrow.to;
        format!("\n    {}:{}: {} → {}", arrow.file, arrow.line, shown(&arrow.from), shown(to))
    };
    arrows.iter().rev().map(shown_arrow).collect()
}
