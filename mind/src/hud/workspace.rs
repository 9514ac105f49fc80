//! The workspace: project, task, goals or steps, decisions, blockers, errors, notes, facts and patterns. Each row has
//! the id by which the agent changes it.

use super::node::{Inline, Item, Node, Table, column, column_unless};
use super::origin::Origin;
use super::text;
use crate::goals::{Goal, GoalStatus, Priority, Verdict};
use crate::pressure::Density;
use crate::projects::{KEY_CHARS, Project, ProjectStatus};
use crate::session::Learned;
use crate::state::MindState;
use serde_json::Value;

/// The most tokens of the section by density (agent-mind §5); what a tier grants may be more or less.
pub const fn cap(density: Density) -> usize {
    match density {
        Density::Full => 500,
        Density::Compact => 150,
        Density::Minimal => 50,
    }
}

/// How many rows of each list, and how long a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    pub rows: usize,
    pub chars: usize,
}

/// All there is, so far as a log can hold it.
pub const WHOLE: Extent = Extent { rows: usize::MAX, chars: 2_000 };

/// The extents that `fit` tries, in order.
const EXTENTS: [Extent; 7] = [
    WHOLE,
    Extent { rows: 20, chars: 200 },
    Extent { rows: 12, chars: 120 },
    Extent { rows: 8, chars: 80 },
    Extent { rows: 5, chars: 60 },
    Extent { rows: 3, chars: 40 },
    Extent { rows: 1, chars: 24 },
];

/// The section. Minimal: task, next step and counts; compact adds decisions, blockers and errors; full adds notes,
/// other projects, facts and patterns.
pub fn node(state: &MindState, density: Density, extent: Extent) -> Node {
    let body = match density {
        Density::Minimal => vec![minimal(state, extent)],
        Density::Compact => vec![task(state, extent), goals(state, density, extent), decisions(state, density, extent)]
            .into_iter()
            .chain([blockers(state, extent), errors(state, extent)])
            .collect(),
        Density::Full => vec![
            task(state, extent),
            context(state, extent),
            goals(state, density, extent),
            decisions(state, density, extent),
            blockers(state, extent),
            errors(state, extent),
            notes(state, extent),
            learned("facts", &state.session.key_facts, extent),
            learned("patterns", &state.session.learned_patterns, extent),
            projects(state, extent),
        ],
    };
    if body.iter().all(Node::is_empty) {
        return Node::Nothing;
    }
    Node::Group(vec![Node::heading(1, "Workspace"), Node::named("workspace", Node::Group(body))])
}

/// The section in the largest form that has no more than `room` tokens as `fits` finds, with that form's density.
pub fn fit(state: &MindState, room: usize, fits: &dyn Fn(&Node, usize) -> bool) -> (Node, Density) {
    // A density is used where its cap is needed; below that a closer one says more in the same room.
    let densities = Density::ALL.into_iter().filter(|&density| match density {
        Density::Full => room > cap(Density::Compact),
        Density::Compact => room > cap(Density::Minimal),
        Density::Minimal => true,
    });
    for density in densities {
        for extent in EXTENTS {
            let node = node(state, density, extent);
            if fits(&node, room) {
                return (node, density);
            }
        }
    }
    (Node::Nothing, Density::Minimal)
}

fn line(text: &str, extent: Extent) -> Value {
    text::line(text, extent.chars).into()
}

/// The task, and of which project where there are several.
fn task(state: &MindState, extent: Extent) -> Node {
    let project = (state.projects.len() > 1).then(|| ("project", Value::from(text::line(&state.active, KEY_CHARS))));
    let task = state.task.as_ref().map(|task| {
        let field = Node::fields([("task", line(&task.text, extent))]);
        Node::from(Origin::Entries(vec![task.id]), field)
    });
    Node::Group(vec![Node::fields(project), task.unwrap_or_default()])
}

/// How far the project is.
fn context(state: &MindState, extent: Extent) -> Node {
    let context = &state.active().context;
    if context.is_empty() { Node::Nothing } else { Node::fields(vec![("so_far", line(context, extent))]) }
}

/// A list of steps where that is all there is, else the tree.
fn goals(state: &MindState, density: Density, extent: Extent) -> Node {
    if !state.goals.is_tree() {
        return steps(state, density, extent);
    }
    let all = density == Density::Full && state.goals.len() <= extent.rows;
    let shown: Vec<(usize, &Goal)> =
        state.goals.in_order().into_iter().filter(|(_, goal)| all || goal.is_open()).collect();
    let more = shown.len().saturating_sub(extent.rows);
    let mut rows = Vec::new();
    for (depth, goal) in shown.iter().take(extent.rows) {
        let from = |id: u64| Some(Origin::Entries(vec![id]));
        rows.push((*depth, Item { pieces: told(goal, extent), from: from(goal.id) }));
        for (id, strategy) in ways(goal, density) {
            let item = Item::text(text::line(&strategy, extent.chars + 20));
            rows.push((*depth + 1, Item { from: from(id), ..item }));
        }
    }
    let data = shown.iter().take(extent.rows).map(|(_, goal)| {
        let ways: Vec<String> = ways(goal, density).into_iter().map(|(_, way)| way).collect();
        vec![
            goal.id.into(),
            goal.parent.map_or(Value::Null, Value::from),
            line(&goal.text, extent),
            goal.priority.name().into(),
            goal.status.name().into(),
            goal.progress.into(),
            if ways.is_empty() { Value::Null } else { line(&ways.join("; "), extent) },
        ]
    });
    let columns = vec![
        column("id"),
        column("under"),
        column("text"),
        column_unless("priority", Priority::Medium.name()),
        column_unless("status", GoalStatus::Active.name()),
        column_unless("progress", 0),
        column("tried"),
    ];
    let table = Table::of(columns, data.collect(), more).by_entry();
    Node::named("goals", Node::Outline { rows, table })
}

/// A goal in a nested list: what is done is struck.
fn told(goal: &Goal, extent: Extent) -> Vec<Inline> {
    let text = text::line(&goal.text, extent.chars);
    let mut pieces = vec![Inline::Text(format!("{} ", goal.id))];
    pieces.push(if goal.is_done() { Inline::Struck(text) } else { Inline::Text(text) });
    let mut marks = Vec::new();
    if goal.priority != Priority::Medium {
        marks.push(goal.priority.name().to_string());
    }
    if goal.is_open() && goal.progress > 0 {
        marks.push(format!("{} %", goal.progress));
    }
    if goal.status == GoalStatus::Abandoned {
        marks.push("given up".to_string());
    }
    if !marks.is_empty() {
        pieces.push(Inline::Text(format!(" ({})", marks.join(", "))));
    }
    pieces
}

/// The ways that were tried for an open goal, with their ids. What failed is shown at any density but the least.
fn ways(goal: &Goal, density: Density) -> Vec<(u64, String)> {
    let is_shown = |verdict: Option<Verdict>| density == Density::Full || verdict == Some(Verdict::Failed);
    let shown = goal.strategies.iter().filter(|way| goal.is_open() && is_shown(way.verdict));
    shown
        .map(|way| {
            let verdict = match way.verdict {
                None => "trying",
                Some(Verdict::Works) => "works",
                Some(Verdict::Failed) => "failed",
            };
            let why = way.why.as_ref().map_or(String::new(), |why| format!(", {why}"));
            (way.id, format!("{} {verdict}: {}{why}", way.id, way.text))
        })
        .collect()
}

fn learned(key: &'static str, list: &[Learned], extent: Extent) -> Node {
    let (shown, more) = newest(list, extent);
    let rows = shown.iter().map(|learned| vec![learned.id.into(), line(&learned.text, extent)]).collect();
    Node::named(key, Node::Table(Table::of(vec![column("id"), column("text")], rows, more).by_entry()))
}

/// The other projects that are not archived.
fn projects(state: &MindState, extent: Extent) -> Node {
    let others = state.projects.iter().filter(|one| one.key != state.active && one.status != ProjectStatus::Archived);
    // `main` without anything in it is not worth a row.
    let others = others.filter(|one| !(one.summary.is_empty() && one.context.is_empty() && one.progress == 0));
    let others: Vec<&Project> = others.collect();
    let rows: Vec<Vec<Value>> = others
        .iter()
        .map(|one| {
            let progress = if one.status == ProjectStatus::Completed { 100 } else { one.progress };
            vec![Value::from(text::line(&one.key, KEY_CHARS)), progress.into(), line(&one.summary, extent)]
        })
        .collect();
    let columns = vec![column("key"), column_unless("percent", 0), column("summary")];
    let from = others.iter().map(|one| Origin::Entries(one.at.into_iter().collect())).collect();
    Node::named("other_projects", Node::Table(Table { from, ..Table::new(columns, rows, extent.rows) }))
}

/// Open steps first matter most: done ones go as soon as there is no room for all.
fn steps(state: &MindState, density: Density, extent: Extent) -> Node {
    let all = density == Density::Full && state.steps.len() <= extent.rows;
    let rows = state
        .steps
        .iter()
        .filter(|step| all || !step.done)
        .map(|step| vec![step.id.into(), step.done.into(), line(&step.text, extent)])
        .collect();
    let columns = vec![column("id"), column_unless("done", false), column("text")];
    Node::named("steps", Node::Table(Table::new(columns, rows, extent.rows).by_entry()))
}

/// The newest of a list, in their order.
fn newest<T>(list: &[T], extent: Extent) -> (&[T], usize) {
    let more = list.len().saturating_sub(extent.rows);
    (&list[more..], more)
}

fn decisions(state: &MindState, density: Density, extent: Extent) -> Node {
    let (shown, more) = newest(&state.decisions, extent);
    let rows = shown
        .iter()
        .map(|decision| {
            let details = decision.details.as_ref().filter(|_| density == Density::Full);
            let details = details.map_or(Value::Null, |text| line(text, extent));
            vec![decision.id.into(), line(&decision.summary, extent), details]
        })
        .collect();
    let columns = vec![column("id"), column("summary"), column("details")];
    Node::named("decisions", Node::Table(Table::of(columns, rows, more).by_entry()))
}

fn blockers(state: &MindState, extent: Extent) -> Node {
    let open: Vec<_> = state.open_blockers().collect();
    let (shown, more) = newest(&open, extent);
    let rows = shown.iter().map(|blocker| vec![blocker.id.into(), line(&blocker.text, extent)]).collect();
    Node::named("blockers", Node::Table(Table::of(vec![column("id"), column("text")], rows, more).by_entry()))
}

/// What was resolved is not shown: it is in the log.
fn errors(state: &MindState, extent: Extent) -> Node {
    let open: Vec<_> = state.errors.iter().filter(|error| !error.resolved).collect();
    let (shown, more) = newest(&open, extent);
    let rows = shown.iter().map(|error| vec![error.id.into(), line(&error.message, extent)]).collect();
    Node::named("errors", Node::Table(Table::of(vec![column("id"), column("message")], rows, more).by_entry()))
}

fn notes(state: &MindState, extent: Extent) -> Node {
    let (shown, more) = newest(&state.notes, extent);
    let rows = shown.iter().map(|note| vec![note.id.into(), line(&note.text, extent)]).collect();
    Node::named("notes", Node::Table(Table::of(vec![column("id"), column("text")], rows, more).by_entry()))
}

fn minimal(state: &MindState, extent: Extent) -> Node {
    let extent = Extent { chars: extent.chars.min(60), ..extent };
    let project = (state.projects.len() > 1).then(|| Value::from(text::line(&state.active, KEY_CHARS)));
    let next = state.steps.iter().find(|step| !step.done);
    let open = state.steps.iter().filter(|step| !step.done).count();
    let errors = state.errors.iter().filter(|error| !error.resolved).count();
    let blockers = state.open_blockers().count();
    let fields = [
        ("project", project),
        ("task", state.task.as_ref().map(|task| line(&task.text, extent))),
        ("next", next.map(|step| format!("{} {}", step.id, text::line(&step.text, extent.chars)).into())),
        ("steps_open", (open > 1).then(|| open.into())),
        ("decisions", (!state.decisions.is_empty()).then(|| state.decisions.len().into())),
        ("blockers", (blockers > 0).then(|| blockers.into())),
        ("errors", (errors > 0).then(|| errors.into())),
    ];
    Node::fields(fields.into_iter().filter_map(|(key, value)| Some((key, value?))))
}
