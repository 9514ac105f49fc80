//! TOON (specification 4.4, crate `toon-format`): tables without repeated names.

use serde_json::Value;
use toon_format::{EncodeOptions, encode};

/// The value as a document. What the encoder cannot take (nesting deeper than its bound) is written as JSON in one
/// string, which is a TOON document too.
pub fn render(value: &Value) -> String {
    let text = encode(value, &EncodeOptions::default())
        .or_else(|_| encode(&Value::String(value.to_string()), &EncodeOptions::default()))
        .unwrap_or_default();
    if text.is_empty() { text } else { text + "\n" }
}
