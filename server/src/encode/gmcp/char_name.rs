//! Who the player is.

use super::message::{Known, MessageRow, Source};
use serde_json::{Value, json};

pub const ROW: MessageRow =
    MessageRow { name: "Char.Name", source: Source::State { needs: &[], write, changes: false } };

fn write(known: &Known) -> Option<Value> {
    (!known.name.is_empty()).then(|| json!({"name": known.name, "fullname": known.name}))
}
