//! What else a player is, and before that what to call each of it.

use super::message::{Fields, Known, MessageRow, Source, json_of};
use protocol::variables::Variable;
use serde::Deserialize;
use serde_json::value::RawValue;
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
    MessageRow { name: "Char.StatusVars", source: Source::Whole { needs: &[], write: write_names } };

pub const VALUES: MessageRow = MessageRow {
    name: "Char.Status",
    source: Source::Changes {
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
    },
};

fn write_names(known: &Known) -> Option<String> {
    let names = || STATUS.iter().map(|(key, name, _)| (key.to_string(), json!(name))).collect::<Map<_, _>>();
    (!known.name.is_empty()).then(|| Value::Object(names()).to_string())
}

/// Whom the player attacks: its name; the rest is for those who aim.
#[derive(Deserialize)]
struct Target<'k> {
    #[serde(borrow)]
    name: &'k RawValue,
}

fn write_values(known: &Known) -> Option<Fields> {
    let value = |variable: Variable| match variable {
        Variable::Opponent => {
            let target: Option<Target<'_>> = known.read(variable)?;
            Some(target.map_or_else(|| json_of(""), |target| target.name.get().to_string()))
        }
        _ => Some(known.read::<&RawValue>(variable)?.get().to_string()),
    };
    STATUS.iter().map(|(key, _, variable)| Some((*key, value(*variable)?))).collect()
}
