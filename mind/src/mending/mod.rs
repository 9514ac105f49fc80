//! A mind as a text that people mend in an editor: written as markdown, and read back as the verbs that make it so.
//!
//! Invariants: what was not changed makes no line. Each line was tried on the state that the text was written of,
//! behind those before it; so what a verb would refuse is told before anything is done.

mod changes;
mod reading;
#[cfg(test)]
mod tests;

pub use changes::{Line, changes};
pub use reading::{Mended, read};

use crate::goals::{Goal, GoalStatus, Priority};
use crate::hud::node::{Inline, Item, Node};
use crate::page;
use crate::render::markdown;
use crate::state::MindState;

/// Headings of the lists that can be mended, in their order.
pub(crate) const TASK: &str = "Task";
pub(crate) const GOALS: &str = "Goals";
pub(crate) const NOTES: &str = "Notes";
pub(crate) const DECISIONS: &str = "Decisions";
pub(crate) const FACTS: &str = "Facts";
pub(crate) const PATTERNS: &str = "Patterns";
pub(crate) const MEMORY: &str = "Core memory";
pub(crate) const HEADINGS: [&str; 7] = [TASK, GOALS, NOTES, DECISIONS, FACTS, PATTERNS, MEMORY];

/// How the first line begins, and what stands between the name and the number of the newest entry.
pub(crate) const TITLE: &str = "Mind of ";
pub(crate) const AS_OF: &str = ", as of #";

/// What is done with it, for whoever opens it.
const HOW: &str = "Change the lists, and leave the numbers: a line without one is new, one that is gone is dropped. Strike \
                   what is done with two tildes on each side; behind a goal may stand (high, 40 %) or (given up).";

/// A mind as a text.
pub fn export(name: &str, state: &MindState) -> String {
    let numbered = |id: u64, text: &str| Item::text(format!("#{id} {text}"));
    let goals = state.goals.in_order().into_iter().map(|(depth, goal)| (depth, item(goal))).collect();
    let flat = |items: Vec<Item>| items.into_iter().map(|item| (0, item)).collect::<Vec<_>>();
    let memory = state.memory.leaves().into_iter();
    let lists = [
        (TASK, flat(state.task.iter().map(|task| Item::text(task.text.as_str())).collect())),
        (GOALS, goals),
        (NOTES, flat(state.notes.iter().map(|note| numbered(note.id, &note.text)).collect())),
        (DECISIONS, flat(state.decisions.iter().map(|decision| Item::text(page::decision(decision))).collect())),
        (FACTS, flat(state.session.key_facts.iter().map(|fact| numbered(fact.id, &fact.text)).collect())),
        (PATTERNS, flat(state.session.learned_patterns.iter().map(|one| numbered(one.id, &one.text)).collect())),
        (
            MEMORY,
            flat(memory.map(|(path, value)| Item::text(page::memory_line(&state.memory, &path, value))).collect()),
        ),
    ];
    let mut nodes = vec![Node::heading(1, format!("{TITLE}{name}{AS_OF}{}", state.seq)), Node::line(HOW)];
    for (heading, rows) in lists {
        nodes.extend([Node::line(""), Node::heading(2, heading), markdown::outline(rows)]);
    }
    markdown::render(&nodes)
}

/// A goal in its list. Marks stand behind it; a text that ends like them has marks in any case.
fn item(goal: &Goal) -> Item {
    let text = goal.text.clone();
    let mut marks = Vec::new();
    if goal.priority != Priority::Medium {
        marks.push(goal.priority.name().to_string());
    }
    // What follows from the goals under it is not set.
    if goal.is_open() && goal.progress > 0 && goal.children.is_empty() {
        marks.push(format!("{} %", goal.progress));
    }
    if goal.status == GoalStatus::Abandoned {
        marks.push(reading::GIVEN_UP.to_string());
    }
    if marks.is_empty() && reading::marks_of(&text).is_some() {
        marks.push(Priority::Medium.name().to_string());
    }
    let mut pieces = vec![Inline::Text(format!("#{} ", goal.id))];
    pieces.push(if goal.is_done() { Inline::Struck(text) } else { Inline::Text(text) });
    if !marks.is_empty() {
        pieces.push(Inline::Text(format!(" ({})", marks.join(", "))));
    }
    Item { pieces, from: None }
}
