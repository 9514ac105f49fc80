//! The strict JSON schema of an answer, and the two tools: made from the table, the same bytes in every build.
//!
//! Types with the same fields share a branch, so that the schema is short. Every field is required and nothing else is
//! allowed, as strict schemas want it; what may be absent may be null.

use super::Offer;
use super::order::{Autopilot, POLICIES, TICKS_MAX};
use super::table::{Field, Kind, ROWS, Row};
use crate::goals::PARTS;
use serde_json::{Value, json};

/// The name that goes with the schema.
pub const fn schema_name() -> &'static str {
    "answer"
}

/// Bounds are words: strict schemas of some providers know no `minimum`.
const TICKS: &str = "1 to 150";
const _: () = assert!(TICKS_MAX == 150, "what the schema says");

/// What may be chosen of what others proposed.
const CHOICES: [&str; 4] = ["inner", "outer", "own", "none"];

fn of_field(field: &Field) -> Value {
    let (kind, description) = match field.kind {
        Kind::Text(_) | Kind::Word | Kind::Path => ("string", None),
        Kind::Goal => ("integer", None),
        Kind::Percent => ("integer", Some("0 to 100")),
        Kind::Choice(words) => {
            let words = words.iter().map(|(word, _)| json!(word));
            let null = field.optional.then_some(Value::Null);
            let kind = if field.optional { json!(["string", "null"]) } else { json!("string") };
            return json!({"type": kind, "enum": words.chain(null).collect::<Vec<_>>()});
        }
        Kind::Parts => ("array", Some("3 to 7 texts")),
        Kind::Steps => ("array", None),
        Kind::Cell => ("string", Some("row,column")),
        Kind::Words if field.name == "command" => ("string", None),
        Kind::Words => ("array", None),
        Kind::Value => {
            return json!({"anyOf": [
                {"type": "string"}, {"type": "number"}, {"type": "boolean"},
                {"type": "array", "items": {"type": "string"}},
            ]});
        }
        Kind::Somebody | Kind::Message => ("integer", None),
        Kind::Attention => ("string", Some("30%, %* or auto")),
        Kind::Reaction => ("string", Some("thumbs_up, thumbs_down, brain or heart")),
        Kind::WordsAMinute => ("integer", Some("10 to 200")),
        Kind::Moment => ("string", Some("2026-12-01T08:00:00Z, or 10m")),
        Kind::AgentKind => ("string", Some("persona or bot")),
        Kind::Weight => ("number", Some("0 to 1")),
        Kind::Id | Kind::Count => ("integer", None),
        Kind::Ticks => ("integer", Some(TICKS)),
        Kind::Policies | Kind::Until(_) => ("array", None),
    };
    let mut schema = json!({"type": if field.optional { json!([kind, "null"]) } else { json!(kind) }});
    if kind == "array" {
        schema["items"] = match field.kind {
            Kind::Policies => {
                let names: Vec<&str> = POLICIES.iter().map(|policy| policy.name).chain(["all"]).collect();
                json!({"type": "string", "enum": names})
            }
            Kind::Until(all) => {
                json!({"type": "string", "enum": all.iter().map(|until| until.name()).collect::<Vec<_>>()})
            }
            _ => json!({"type": "string"}),
        };
    }
    if let Some(description) = description {
        schema["description"] = json!(description);
    }
    schema
}

/// The fields of a row as its branch has them.
fn shape(row: &Row) -> Vec<(&'static str, Value, bool)> {
    row.fields.iter().map(|field| (field.name, of_field(field), field.optional)).collect()
}

/// One branch for each set of fields, in the order of the table.
fn branches(mind: bool, autopilot: Autopilot, offer: &Offer) -> Vec<Value> {
    let is_told = |row: &&Row| row.is_offered(mind, autopilot) || row.is_offered_by(offer);
    let rows: Vec<&Row> = ROWS.iter().filter(is_told).collect();
    let shapes: Vec<_> = rows.iter().map(|row| shape(row)).collect();
    let mut done = vec![false; rows.len()];
    let mut branches = Vec::new();
    for first in 0..rows.len() {
        if done[first] {
            continue;
        }
        let mut names = Vec::new();
        for (other, done) in done.iter_mut().enumerate().skip(first) {
            if !*done && shapes[first] == shapes[other] {
                *done = true;
                names.push(rows[other].name);
            }
        }
        let mut properties = serde_json::Map::new();
        properties.insert("type".into(), json!({"type": "string", "enum": names}));
        for (name, schema, _) in &shapes[first] {
            properties.insert((*name).into(), schema.clone());
        }
        let required: Vec<&String> = properties.keys().collect();
        branches.push(json!({
            "type": "object",
            "required": required,
            "properties": properties,
            "additionalProperties": false,
        }));
    }
    branches
}

/// The schema of an answer: `{"commentary": "…", "actions": […]}`. Without `mind`, the actions of the mind are not in
/// it; `delegate` is where it is offered, what is done in channels where there are any, and `choose` for who chooses.
pub fn schema(mind: bool, autopilot: Autopilot, offer: &Offer) -> Value {
    let mut schema = json!({
        "type": "object",
        "properties": {
            "commentary": {"type": "string", "description": "one short sentence: why"},
            "actions": {"type": "array", "items": {"anyOf": branches(mind, autopilot, offer)}},
        },
        "required": ["commentary", "actions"],
        "additionalProperties": false,
    });
    if offer.layers {
        let sentence = || json!({"type": ["string", "null"]});
        schema["properties"]["thoughts"] = json!({
            "type": ["object", "null"],
            "properties": {"ai": sentence(), "character": sentence()},
            "required": ["ai", "character"],
            "additionalProperties": false,
        });
        schema["required"] = json!(["commentary", "actions", "thoughts"]);
    }
    if offer.chooses {
        schema["properties"]["choose"] = json!({"type": "string", "enum": CHOICES});
        let required = schema["required"].as_array_mut().expect("a list");
        required.push("choose".into());
    }
    schema
}

/// The name and the strict schema of an answer that says into what a goal is split: `{"into": ["…", …]}`.
pub fn parts_schema() -> (&'static str, Value) {
    let most = format!("{} to {} lines, each of which can be done by itself", PARTS.start(), PARTS.end());
    let into = json!({"type": "array", "description": most, "items": {"type": "string"}});
    let schema = json!({
        "type": "object",
        "properties": {"into": into},
        "required": ["into"],
        "additionalProperties": false,
    });
    ("parts", schema)
}

/// Exactly two tools: `act` takes what the schema says, `compact` nothing.
pub fn tools(mind: bool, autopilot: Autopilot, offer: &Offer) -> Value {
    json!([
        {"type": "function", "function": {
            "name": "act",
            "description": "Do something in the game: the actions of one decision.",
            "strict": true,
            "parameters": schema(mind, autopilot, offer),
        }},
        {"type": "function", "function": {
            "name": "compact",
            "description": "Fold your log into what follows from it, when your context is nearly full.",
            "strict": true,
            "parameters": {"type": "object", "properties": {}, "required": [], "additionalProperties": false},
        }},
    ])
}
