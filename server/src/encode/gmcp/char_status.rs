//! What else a player is, and before that what to call each of it.

use super::message::{Known, MessageRow, Source};
use protocol::variables::Variable;
use serde_json::{Map, Value, json};

/// The key, what people call it, and the variable.
const STATUS: [(&str, &str, Variable); 8] = [
    ("level", "Level", Variable::Level),
    ("xp", "Experience", Variable::Exp),
    ("tnl", "To the next level", Variable::ExpToLevel),
    ("align", "Alignment", Variable::Alignment),
    ("gold", "Gold", Variable::Gold),
    ("position", "Position", Variable::Position),
    ("fighting", "Fighting", Variable::Fighting),
    ("target", "Opponent", Variable::Opponent),
];

pub const NAMES: MessageRow =
    MessageRow { name: "Char.StatusVars", source: Source::State { needs: &[], write: write_names, changes: false } };

pub const VALUES: MessageRow = MessageRow {
    name: "Char.Status",
    source: Source::State {
        needs: &[
            Variable::Level,
            Variable::Exp,
            Variable::ExpToLevel,
            Variable::Alignment,
            Variable::Gold,
            Variable::Position,
            Variable::Fighting,
            Variable::Opponent,
        ],
        write: write_values,
        changes: true,
    },
};

fn write_names(known: &Known) -> Option<Value> {
    let names: Map<String, Value> = STATUS.iter().map(|(key, name, _)| (key.to_string(), json!(name))).collect();
    (!known.name.is_empty()).then_some(Value::Object(names))
}

fn write_values(known: &Known) -> Option<Value> {
    let value = |variable: Variable| {
        let value = known.value(variable)?;
        Some(match variable {
            // Its name; the rest is for those who aim.
            Variable::Opponent => value.get("name").cloned().unwrap_or_else(|| json!("")),
            _ => value.clone(),
        })
    };
    let values: Option<Map<String, Value>> =
        STATUS.iter().map(|(key, _, variable)| Some((key.to_string(), value(*variable)?))).collect();
    values.map(Value::Object)
}
