//! The plot of the room: what stands on it, what is planned and waits, and the newest of its memo.

use super::detail::Detail;
use super::node::{Node, Table, column, values};
use super::text;
use crate::pressure::Density;
use crate::tokens;
use protocol::plot::{CellSeen, ElementSeen, MemoSeen, PendingSeen, PlanSeen, PlotSeen};
use serde_json::Value;

/// How much of a plot is shown: rows, and tokens of each text of others.
struct Room {
    /// Kinds of things, each with who built them.
    kinds: usize,
    /// Cells in all.
    cells: usize,
    plans: usize,
    pending: usize,
    memo: usize,
    text_tokens: usize,
}

/// The most tokens of a plot, as TOON. Source: *Seen by all* of the issue of plots: 400, 160, 40 by density; the line
/// of the last needs no measuring.
const FULL_TOKENS: usize = 400;
const COMPACT_TOKENS: usize = 160;

/// The first that keeps to the most is taken: names are short in one plot and long in another.
const FULL: &[Room] = &[
    Room { kinds: 12, cells: 60, plans: 3, pending: 3, memo: 5, text_tokens: 14 },
    Room { kinds: 8, cells: 32, plans: 2, pending: 2, memo: 3, text_tokens: 10 },
    Room { kinds: 5, cells: 16, plans: 1, pending: 1, memo: 2, text_tokens: 8 },
];
const COMPACT: &[Room] = &[
    Room { kinds: 5, cells: 14, plans: 1, pending: 1, memo: 1, text_tokens: 8 },
    Room { kinds: 4, cells: 8, plans: 1, pending: 1, memo: 0, text_tokens: 8 },
    Room { kinds: 3, cells: 7, plans: 0, pending: 1, memo: 1, text_tokens: 6 },
    Room { kinds: 2, cells: 4, plans: 0, pending: 1, memo: 0, text_tokens: 4 },
];

/// How one builds. P0 does not tell: few rooms have a plot.
const VERBS: &str = "build add <kind> <row>,<column> [called <label>] [because <why>], build move <cell> to <cell>, \
                     build remove <cell>; free: plot kinds, plot <cell>, plot agree|refuse <id>, plot memo <text>";
/// Where there is less room.
const VERBS_SHORT: &str = "build add <kind> 3,4, build move, build remove; plot kinds";

const TITLE_TOKENS: usize = 12;
const NAME_TOKENS: usize = 5;

/// The section: a tree in each format, a line where there is little room.
pub fn node(plot: &PlotSeen, detail: &Detail) -> Node {
    let (rooms, most) = match detail.density {
        Density::Full => (FULL, FULL_TOKENS),
        Density::Compact => (COMPACT, COMPACT_TOKENS),
        Density::Minimal if detail.memories == 0 => return Node::Nothing,
        Density::Minimal => return Node::named("plot", Node::Data(Value::String(in_short(plot)))),
    };
    let mut tree = Value::Null;
    for room in rooms {
        tree = tree_of(plot, detail, room);
        if size(&tree) <= most {
            break;
        }
    }
    // One tree in every format: these names say nothing without the one above them.
    Node::named("plot", Node::Data(tree))
}

fn tree_of(plot: &PlotSeen, detail: &Detail, room: &Room) -> Value {
    let is_full = detail.density == Density::Full;
    let task = plot.task.as_ref().map(|task| format!("{}, {} of 1000", name(&task.name), task.score));
    let contested: Vec<String> = plot.contested.iter().take(room.plans * 2).map(|at| cell(*at)).collect();
    let fields = [
        ("title", Some(text::within(&plot.title, detail.name_chars, TITLE_TOKENS))),
        ("rule", Some(plot.rule.to_string())),
        ("task", task),
        ("axes", is_full.then(|| axes(plot))),
        ("verbs", Some(if is_full { VERBS } else { VERBS_SHORT }.to_string())),
        ("contested", (!contested.is_empty()).then(|| contested.join(" "))),
    ];
    let fields = fields.into_iter().filter_map(|(key, text)| Some((key, Value::String(text?))));
    let plans: Vec<&PlanSeen> = plot.plans.iter().rev().filter(|plan| plan.status.as_ref() == OPEN).collect();
    let waiting = rows(&newest(&plot.pending), room.pending, PENDING, |pending| of_pending(pending, room));
    values(&[
        Node::fields(fields),
        Node::named("built", Node::Table(built(&plot.elements, room))),
        Node::named("plans", Node::Table(rows(&plans, room.plans, PLAN, |plan| of_plan(plan, room)))),
        Node::named("waiting", Node::Table(waiting)),
        Node::named("memo", Node::Table(rows(&newest(&plot.memo), room.memo, MEMO, |entry| of_memo(entry, room)))),
    ])
}

/// Some tokens more than it has as TOON, which is written above this layer: the columns of a table once, marks around
/// each cell, quotes around what needs them. Tests hold what is rendered against the most.
fn size(tree: &Value) -> usize {
    match tree {
        Value::Object(map) => map.iter().map(|(key, value)| tokens::count(key) + 2 + size(value)).sum(),
        Value::Array(rows) => {
            let columns = rows.first().and_then(Value::as_object);
            let columns: usize = columns.into_iter().flat_map(|row| row.keys()).map(|key| tokens::count(key) + 1).sum();
            let cells = |row: &Value| match row.as_object() {
                Some(row) => row.values().map(size).sum(),
                None => size(row),
            };
            columns + 4 + rows.iter().map(|row| 2 + cells(row)).sum::<usize>()
        }
        Value::String(text) => tokens::count(text) + usize::from(text.contains(is_marked)) * 2,
        _ => 2,
    }
}

/// What TOON puts into quotes.
fn is_marked(c: char) -> bool {
    !c.is_alphanumeric() && c != ' '
}

/// The status of a plan that goes on.
const OPEN: &str = "IN_PROGRESS";
const PLAN: &[&str] = &["id", "by", "text", "next"];
const PENDING: &[&str] = &["id", "by", "do"];
const MEMO: &[&str] = &["from", "type", "text"];

fn newest<T>(all: &[T]) -> Vec<&T> {
    all.iter().rev().collect()
}

/// The first of them, the rest counted.
fn rows<T>(all: &[&T], limit: usize, columns: &[&'static str], row: impl Fn(&T) -> Vec<Value>) -> Table {
    let shown = all.iter().take(limit).map(|one| row(one)).collect();
    Table::of(columns.iter().map(|name| column(*name)).collect(), shown, all.len().saturating_sub(limit))
}

/// `Village Green: 12 built, 2 waiting`.
fn in_short(plot: &PlotSeen) -> String {
    let waiting = match plot.pending.len() {
        0 => String::new(),
        n => format!(", {n} waiting"),
    };
    format!("{}: {} built{waiting}", text::within(&plot.title, 40, TITLE_TOKENS), plot.elements.len())
}

fn cell([row, column]: CellSeen) -> String {
    format!("{row},{column}")
}

fn name(text: &str) -> String {
    text::within(text, 24, NAME_TOKENS)
}

/// The greatest difference with the axis that has it: `imbalance 4 (purpose 7:3)`.
fn axes(plot: &PlotSeen) -> String {
    let axes = &plot.axes;
    let all = [
        ("identity", axes.identity),
        ("experience", axes.experience),
        ("language", axes.language),
        ("domain", axes.domain),
        ("purpose", axes.purpose),
        ("order", axes.order),
    ];
    let worst = all.into_iter().rev().max_by_key(|(_, [a, b])| a.abs_diff(*b));
    let worst = worst.map(|(axis, [a, b])| format!(" ({axis} {a}:{b})")).unwrap_or_default();
    format!("imbalance {}{worst}", axes.imbalance)
}

/// A row for each kind and hand, with the cells. What each is called, `plot <row>,<column>` tells.
fn built(elements: &[ElementSeen], room: &Room) -> Table {
    let mut kinds: Vec<(&str, Option<&str>, Vec<CellSeen>)> = Vec::new();
    for element in elements {
        let by = element.by.as_deref();
        match kinds.iter_mut().find(|(kind, hand, _)| *kind == &*element.kind && *hand == by) {
            Some((_, _, cells)) => cells.push(element.at),
            None => kinds.push((&element.kind, by, vec![element.at])),
        }
    }
    let mut left = room.cells;
    let mut more = 0;
    let mut shown = Vec::new();
    for (n, (kind, by, cells)) in kinds.iter().enumerate() {
        let take = if n < room.kinds { cells.len().min(left) } else { 0 };
        left -= take;
        more += cells.len() - take;
        if take > 0 {
            let at: Vec<String> = cells[..take].iter().map(|at| cell(*at)).collect();
            shown.push(vec![name(kind).into(), by.map_or(Value::Null, |by| name(by).into()), at.join(" ").into()]);
        }
    }
    Table::of(vec![column("kind"), column("by"), column("at")], shown, more)
}

fn of_plan(plan: &PlanSeen, room: &Room) -> Vec<Value> {
    let step = plan.steps.iter().find(|step| !step.done);
    let next = step.map(|step| match &step.meant {
        Some(meant) => text::within(&format!("{meant}: {}", step.text), 120, room.text_tokens),
        None => text::within(&step.text, 120, room.text_tokens),
    });
    let text = text::within(&plan.text, 120, room.text_tokens);
    vec![plan.id.into(), name(&plan.by).into(), text.into(), next.map_or(Value::Null, Value::from)]
}

fn of_pending(pending: &PendingSeen, room: &Room) -> Vec<Value> {
    let deed = text::within(&pending.deed, 120, room.text_tokens);
    vec![pending.id.into(), name(&pending.by).into(), deed.into()]
}

/// What others wrote comes last in its row, so that it cannot be taken for another cell.
fn of_memo(entry: &MemoSeen, room: &Room) -> Vec<Value> {
    let text = text::within(&entry.content, 160, room.text_tokens);
    vec![name(&entry.from).into(), entry.kind.to_string().into(), text.into()]
}
