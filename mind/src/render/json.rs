//! JSON with two spaces of indentation, for reading and for models that were trained on it.

use serde_json::Value;

pub fn render(value: &Value) -> String {
    format!("{value:#}\n")
}
