//! The table of the own arts, in P1, and in P3 where some of them became others.

use super::node::{Node, Table, column, column_unless};
use super::text;
use crate::arts::{ArtsView, use_name};
use protocol::arts::KnownArt;
use serde_json::Value;

const NAME_CHARS: usize = 40;

/// The table, and who teaches more of it.
pub fn node(view: &ArtsView) -> Node {
    let row = |art: &KnownArt| {
        let or_null = |number: Option<i32>| number.map_or(Value::Null, Value::from);
        vec![
            text::line(&art.name, NAME_CHARS).into(),
            use_name(art.used_for).into(),
            art.verb.as_ref().map_or(Value::Null, |verb| text::line(verb, NAME_CHARS).into()),
            art.percent.into(),
            or_null(art.level),
            or_null(art.mana),
            or_null(art.damage),
            art.risky.into(),
        ]
    };
    let columns = vec![
        column("name"),
        column("use"),
        column("verb"),
        column("percent"),
        column("level"),
        column("mana"),
        column("damage"),
        column_unless("risky", false),
    ];
    let table = Table::of(columns, view.rows.iter().map(row).collect(), view.more);
    let teacher = (!view.teacher.is_empty()).then(|| ("teacher", text::line(&view.teacher, 80).into()));
    Node::Group(vec![Node::named("arts", Node::Table(table)), Node::fields(teacher)])
}
