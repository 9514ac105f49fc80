//! JSON without spaces and with short keys, and the way back.
//!
//! The map is one to one over all keys: one that is not in it and looks like a short key, or begins with the mark `_`,
//! gets a `_` in front, so a document that an agent wrote itself comes back as it was.

use serde_json::Value;

/// Long and short. Each name is there once in its column.
pub const KEYS: &[(&str, &str)] = &[
    ("action", "a"),
    ("actions", "as"),
    ("advisory", "adv"),
    ("attention", "att"),
    ("billboard", "bb"),
    ("blockers", "bl"),
    ("budget", "bud"),
    ("carried", "inv"),
    ("channel", "ch"),
    ("class", "cl"),
    ("compacted", "cmp"),
    ("content", "c"),
    ("context", "ctx"),
    ("core_memory", "cm"),
    ("decisions", "dec"),
    ("description", "d"),
    ("details", "det"),
    ("directives", "dir"),
    ("equipment", "eq"),
    ("errors", "err"),
    ("events", "ev"),
    ("exits", "ex"),
    ("fighting", "f"),
    ("fighting_me", "fm"),
    ("focus", "fo"),
    ("guidelines", "gl"),
    ("identity", "idn"),
    ("inventory", "in"),
    ("items", "it"),
    ("knowledge", "k"),
    ("level", "lv"),
    ("members", "mem"),
    ("memories", "ms"),
    ("memory", "my"),
    ("memory_used", "mu"),
    ("message", "mg"),
    ("messages", "msg"),
    ("meta", "m"),
    ("mobs", "mo"),
    ("moves", "mv"),
    ("name", "n"),
    ("notes", "no"),
    ("operator", "op"),
    ("outcome", "o"),
    ("persona", "p"),
    ("place", "pl"),
    ("players", "ps"),
    ("position", "pos"),
    ("recent_actions", "ra"),
    ("responses", "res"),
    ("room", "rm"),
    ("rooms", "r"),
    ("self", "me"),
    ("sender", "s"),
    ("source", "src"),
    ("speech", "sp"),
    ("states", "st"),
    ("steps", "sts"),
    ("system", "sys"),
    ("target", "t"),
    ("task", "tk"),
    ("text", "x"),
    ("valence", "v"),
    ("vars", "vs"),
    ("warnings", "w"),
    ("workspace", "ws"),
];

/// Names of the chat-room document that views do not have: they can be read, and the legend leaves them out.
const NOT_IN_VIEWS: [&str; 11] = [
    "actions",
    "carried",
    "compacted",
    "content",
    "directives",
    "knowledge",
    "memory",
    "meta",
    "responses",
    "rooms",
    "sender",
];

/// What the short keys stand for, one line for a model that reads views.
pub fn legend() -> String {
    legend_of(|long| !NOT_IN_VIEWS.contains(&long))
}

/// The same for one that reads the chat-room document.
pub fn whole_legend() -> String {
    legend_of(|_| true)
}

fn legend_of(has: impl Fn(&str) -> bool) -> String {
    let pairs = KEYS.iter().filter(|(long, _)| has(long)).map(|(long, short)| format!("{short} {long}"));
    format!("Short keys below: {}.\n", pairs.collect::<Vec<_>>().join(", "))
}

const MARK: char = '_';

/// The short form of a key.
pub fn shorten(key: &str) -> String {
    if let Some((_, short)) = KEYS.iter().find(|(long, _)| *long == key) {
        return short.to_string();
    }
    if key.starts_with(MARK) || KEYS.iter().any(|(_, short)| *short == key) {
        return format!("{MARK}{key}");
    }
    key.to_string()
}

/// The key that `shorten` gives this for.
pub fn lengthen(key: &str) -> String {
    if let Some(rest) = key.strip_prefix(MARK) {
        return rest.to_string();
    }
    KEYS.iter().find(|(_, short)| *short == key).map_or_else(|| key.to_string(), |(long, _)| long.to_string())
}

/// The value with all keys renamed.
pub fn map_keys(value: &Value, rename: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(|item| map_keys(item, rename)).collect()),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(key, item)| (rename(key), map_keys(item, rename))).collect())
        }
        other => other.clone(),
    }
}

pub fn render(value: &Value) -> String {
    format!("{}\n", map_keys(value, &shorten))
}

/// What `render` was given. Errors as serde_json's.
pub fn read(text: &str) -> Result<Value, serde_json::Error> {
    Ok(map_keys(&serde_json::from_str(text)?, &lengthen))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;
    use std::collections::BTreeSet;

    #[test]
    fn each_name_is_there_once_and_identity_is_not_id() {
        let long: BTreeSet<&str> = KEYS.iter().map(|(long, _)| *long).collect();
        let short: BTreeSet<&str> = KEYS.iter().map(|(_, short)| *short).collect();
        assert_eq!((long.len(), short.len()), (KEYS.len(), KEYS.len()));
        assert_eq!((shorten("identity"), shorten("id")), ("idn".to_string(), "id".to_string()));
        assert!(KEYS.iter().all(|(long, short)| short.len() < long.len() && !short.starts_with(MARK)));
        for documented in [("system", "sys"), ("self", "me"), ("meta", "m"), ("rooms", "r"), ("knowledge", "k")] {
            assert!(KEYS.contains(&documented), "{documented:?}");
        }
    }

    #[test]
    fn a_document_that_uses_short_keys_itself_comes_back() {
        let given = json!({"self": {"me": 1, "_me": 2, "__x": [{"name": "n", "n": "name", "id": 5, "idn": 6}]}});
        let text = render(&given);
        assert_eq!(
            text,
            "{\"me\":{\"_me\":1,\"__me\":2,\"___x\":[{\"n\":\"n\",\"_n\":\"name\",\"id\":5,\"_idn\":6}]}}\n"
        );
        assert_eq!(read(&text).expect("JSON"), given);
    }

    proptest! {
        #[test]
        fn every_key_comes_back(key in "(_{0,2}[a-z_]{0,4}|\\PC{0,8})") {
            prop_assert_eq!(lengthen(&shorten(&key)), key);
        }
    }
}
