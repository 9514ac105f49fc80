//! The actions of plots, as the document of several minds writes them: `{"action":"ADD_ENTITY","params":{…}}`.

use super::fields::find;
use super::table::Row;
use serde_json::Value;

type Map = serde_json::Map<String, Value>;

/// What stands under another name. A document's entity has a class (`BUILDING`), a picture and a label, and no kind:
/// its label says what it is, and where nothing else does, its class; the game names the nearest where that is none.
pub(super) fn complete(row: &'static Row, members: &mut Map) {
    let Some(kind) = row.fields.iter().find(|field| field.name == "kind") else { return };
    if find(members, kind).is_some() {
        return;
    }
    let is_word = |value: &&Value| value.as_str().is_some_and(|text| !text.trim().contains(char::is_whitespace));
    let said = match members.get("label").filter(is_word) {
        Some(_) => members.remove("label"),
        None => members.get("type").filter(is_word).cloned(),
    };
    if let Some(text) = said.as_ref().and_then(Value::as_str) {
        members.insert(kind.name.to_string(), text.trim().to_lowercase().into());
    }
}
