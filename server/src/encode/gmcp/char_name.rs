//! Who the player is.

use super::message::{Known, MessageRow, Source};
use serde_json::json;

pub const ROW: MessageRow = MessageRow { name: "Char.Name", source: Source::Whole { needs: &[], write } };

fn write(known: &Known) -> Option<String> {
    (!known.name.is_empty()).then(|| json!({"name": known.name, "fullname": known.name}).to_string())
}
