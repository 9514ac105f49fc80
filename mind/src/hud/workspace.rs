//! The workspace: task, steps, decisions, blockers, errors, notes. Each row has the id by which the agent changes it.

use super::node::{Node, Table, column, column_unless};
use super::text;
use crate::pressure::Density;
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

/// The section. Minimal: task, next step and counts; compact adds decisions, blockers and errors; notes in full only.
pub fn node(state: &MindState, density: Density, extent: Extent) -> Node {
    let body = match density {
        Density::Minimal => vec![minimal(state, extent)],
        Density::Compact => vec![task(state, extent), steps(state, density, extent), decisions(state, density, extent)]
            .into_iter()
            .chain([blockers(state, extent), errors(state, extent)])
            .collect(),
        Density::Full => vec![
            task(state, extent),
            steps(state, density, extent),
            decisions(state, density, extent),
            blockers(state, extent),
            errors(state, extent),
            notes(state, extent),
        ],
    };
    if body.iter().all(Node::is_empty) {
        return Node::Nothing;
    }
    Node::Group(vec![Node::Heading(1, "Workspace"), Node::named("workspace", Node::Group(body))])
}

/// The section in the largest form that `measure` finds no larger than `room` tokens, with that form's density.
pub fn fit(state: &MindState, room: usize, measure: &dyn Fn(&Node) -> usize) -> (Node, Density) {
    // A density is used where its cap is needed; below that a closer one says more in the same room.
    let densities = Density::ALL.into_iter().filter(|&density| match density {
        Density::Full => room > cap(Density::Compact),
        Density::Compact => room > cap(Density::Minimal),
        Density::Minimal => true,
    });
    for density in densities {
        for extent in EXTENTS {
            let node = node(state, density, extent);
            if measure(&node) <= room {
                return (node, density);
            }
        }
    }
    (Node::Nothing, Density::Minimal)
}

fn line(text: &str, extent: Extent) -> Value {
    text::line(text, extent.chars).into()
}

fn task(state: &MindState, extent: Extent) -> Node {
    state.task.as_ref().map_or(Node::Nothing, |task| Node::Fields(vec![("task", line(&task.text, extent))]))
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
    Node::named("steps", Node::Table(Table::new(columns, rows, extent.rows)))
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
    Node::named("decisions", Node::Table(Table { columns, rows, more }))
}

fn blockers(state: &MindState, extent: Extent) -> Node {
    let (shown, more) = newest(&state.blockers, extent);
    let rows = shown.iter().map(|blocker| vec![blocker.id.into(), line(&blocker.text, extent)]).collect();
    Node::named("blockers", Node::Table(Table { columns: vec![column("id"), column("text")], rows, more }))
}

/// What was resolved is not shown: it is in the log.
fn errors(state: &MindState, extent: Extent) -> Node {
    let open: Vec<_> = state.errors.iter().filter(|error| !error.resolved).collect();
    let (shown, more) = newest(&open, extent);
    let rows = shown.iter().map(|error| vec![error.id.into(), line(&error.message, extent)]).collect();
    Node::named("errors", Node::Table(Table { columns: vec![column("id"), column("message")], rows, more }))
}

fn notes(state: &MindState, extent: Extent) -> Node {
    let (shown, more) = newest(&state.notes, extent);
    let rows = shown.iter().map(|note| vec![note.id.into(), line(&note.text, extent)]).collect();
    Node::named("notes", Node::Table(Table { columns: vec![column("id"), column("text")], rows, more }))
}

fn minimal(state: &MindState, extent: Extent) -> Node {
    let extent = Extent { chars: extent.chars.min(60), ..extent };
    let next = state.steps.iter().find(|step| !step.done);
    let open = state.steps.iter().filter(|step| !step.done).count();
    let errors = state.errors.iter().filter(|error| !error.resolved).count();
    let fields = [
        ("task", state.task.as_ref().map(|task| line(&task.text, extent))),
        ("next", next.map(|step| format!("{} {}", step.id, text::line(&step.text, extent.chars)).into())),
        ("steps_open", (open > 1).then(|| open.into())),
        ("decisions", (!state.decisions.is_empty()).then(|| state.decisions.len().into())),
        ("blockers", (!state.blockers.is_empty()).then(|| state.blockers.len().into())),
        ("errors", (errors > 0).then(|| errors.into())),
    ];
    Node::Fields(fields.into_iter().filter_map(|(key, value)| Some((key, value?))).collect())
}
