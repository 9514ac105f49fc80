//! What serde says of a value that it cannot use, in a builder's words: "level must be a whole number, not "one"".
//!
//! Invariant: whatever the message is, it comes out as one sentence; what is not known here is told as it was.

use toml::de::DeValue;

/// What problems call a value: `"one"`, `5`, `a list`.
pub(super) fn shown(value: &DeValue) -> String {
    match value {
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(yes) => yes.to_string(),
        DeValue::Datetime(when) => when.to_string(),
        DeValue::Array(_) => "a list".to_string(),
        DeValue::Table(_) => "a table".to_string(),
    }
}

/// Whether the value, or one that it holds, is shown so.
pub(super) fn holds(value: &DeValue, what: &str) -> bool {
    match value {
        DeValue::Array(all) => what == "a list" || all.iter().any(|one| holds(one.get_ref(), what)),
        DeValue::Table(fields) => what == "a table" || fields.values().any(|one| holds(one.get_ref(), what)),
        other => shown(other) == what,
    }
}

/// What serde found wrong.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Wrong {
    /// The value that is shown so should have been something else.
    Value {
        got: String,
        wanted: String,
    },
    /// A word that is none of a list.
    Word {
        got: String,
        known: String,
    },
    Missing(String),
    Unknown {
        field: String,
        known: String,
    },
    Other(String),
}

pub(super) fn understood(message: &str) -> Wrong {
    if let Some((got, wanted)) = after(message, "invalid type: ").and_then(|rest| rest.rsplit_once(", expected ")) {
        return Wrong::Value { got: plain_value(got), wanted: plain_kind(wanted) };
    }
    if let Some((got, wanted)) = after(message, "invalid value: ").and_then(|rest| rest.rsplit_once(", expected ")) {
        return Wrong::Value { got: plain_value(got), wanted: plain_range(wanted) };
    }
    if let Some((got, known)) = named(message, "unknown variant ") {
        return Wrong::Word { got, known: plain_list(known) };
    }
    if let Some((field, known)) = named(message, "unknown field ") {
        return Wrong::Unknown { field, known: plain_list(known) };
    }
    match named(message, "missing field ") {
        Some((field, _)) => Wrong::Missing(field),
        None => Wrong::Other(message.to_string()),
    }
}

/// The sentence for a field, or for a table where nothing tells which of its fields it is. `whole` is what the value
/// is shown as.
pub(super) fn told(key: &str, message: &str, whole: &str) -> String {
    match understood(message) {
        // Inside of a list.
        Wrong::Value { got, wanted } if whole == "a list" && got != whole => {
            format!("{key}: each must be {wanted}, not {got}")
        }
        Wrong::Value { got, wanted } => format!("{key} must be {wanted}, not {got}"),
        Wrong::Word { got, known } => format!("{key}: {got:?} is not known; known are {known}"),
        Wrong::Missing(field) => format!("{key}: {field} is missing"),
        Wrong::Unknown { field, known } => format!("{key}: unknown field {field:?}; known are {known}"),
        Wrong::Other(message) if message == "wanted string or table" => format!("{key} must be a text, not {whole}"),
        Wrong::Other(message) if message.ends_with("number overflowed") => format!("{key}: {whole} is too large"),
        Wrong::Other(message) => {
            match message.strip_prefix("invalid length ").and_then(|rest| rest.split_once(", expected ")) {
                Some((length, wanted)) => format!("{key} must be {}, and has {length}", plain_kind(wanted)),
                None => format!("{key}: {message}"),
            }
        }
    }
}

fn after<'m>(message: &'m str, prefix: &str) -> Option<&'m str> {
    message.strip_prefix(prefix)
}

/// The name in backquotes behind the prefix, and what stands behind that.
fn named<'m>(message: &'m str, prefix: &str) -> Option<(String, &'m str)> {
    let (name, rest) = after(message, prefix)?.strip_prefix('`')?.split_once('`')?;
    Some((name.to_string(), rest))
}

/// `string "one"`, `` integer `5` ``, `sequence`.
fn plain_value(got: &str) -> String {
    let quoted = |rest: &str| rest.trim_matches('`').to_string();
    match got.split_once(' ') {
        Some(("string", text)) => text.to_string(),
        Some(("integer" | "boolean" | "character", rest)) => quoted(rest),
        Some(("floating", rest)) => quoted(rest.trim_start_matches("point ")),
        _ => match got {
            "sequence" => "a list".to_string(),
            "map" => "a table".to_string(),
            other => other.to_string(),
        },
    }
}

/// What serde calls a kind of value.
fn plain_kind(wanted: &str) -> String {
    let size = |prefix: &str| wanted.strip_prefix(prefix).map(|size| format!("a list of {size}"));
    match wanted {
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number".to_string(),
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => "a whole number from 0 on".to_string(),
        "f32" | "f64" => "a number".to_string(),
        "a boolean" => "true or false".to_string(),
        "a string" | "a borrowed string" | "str" | "string" => "a text".to_string(),
        "a character" => "one character".to_string(),
        "a sequence" => "a list".to_string(),
        "a map" => "a table".to_string(),
        other if other.starts_with("struct ") || other.starts_with("internally tagged enum ") => "a table".to_string(),
        other => size("a tuple of size ").or(size("an array of length ")).unwrap_or_else(|| other.to_string()),
    }
}

/// The same where the kind is right and the value is not.
fn plain_range(wanted: &str) -> String {
    let range =
        |from: &dyn std::fmt::Display, to: &dyn std::fmt::Display| format!("a whole number from {from} to {to}");
    match wanted {
        "i8" => range(&i8::MIN, &i8::MAX),
        "u8" => range(&u8::MIN, &u8::MAX),
        "i16" => range(&i16::MIN, &i16::MAX),
        "u16" => range(&u16::MIN, &u16::MAX),
        "i32" => range(&i32::MIN, &i32::MAX),
        "u32" => range(&u32::MIN, &u32::MAX),
        other => plain_kind(other),
    }
}

/// `` , expected one of `a`, `b` `` or `` , expected `a` or `b` `` or `, there are no fields`.
fn plain_list(rest: &str) -> String {
    let names: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
    if names.is_empty() { "none".to_string() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_serde_says_is_told_in_a_builders_words() {
        for (message, whole, wanted) in [
            (r#"invalid type: string "one", expected i32"#, "\"one\"", "x must be a whole number, not \"one\""),
            (
                r#"invalid type: string "a, expected b", expected i32"#,
                "",
                "x must be a whole number, not \"a, expected b\"",
            ),
            ("invalid type: floating point `1.5`, expected i32", "1.5", "x must be a whole number, not 1.5"),
            ("invalid type: integer `5`, expected a boolean", "5", "x must be true or false, not 5"),
            ("invalid type: boolean `true`, expected f64", "true", "x must be a number, not true"),
            ("invalid type: integer `5`, expected a string", "a list", "x: each must be a text, not 5"),
            ("invalid type: integer `5`, expected a sequence", "5", "x must be a list, not 5"),
            ("invalid type: sequence, expected a string", "a list", "x must be a text, not a list"),
            ("invalid type: integer `5`, expected a tuple of size 2", "5", "x must be a list of 2, not 5"),
            ("invalid type: integer `5`, expected struct Hunted", "5", "x must be a table, not 5"),
            ("invalid length 1, expected a tuple of size 2", "a list", "x must be a list of 2, and has 1"),
            ("invalid value: integer `-1`, expected u8", "-1", "x must be a whole number from 0 to 255, not -1"),
            ("integer number overflowed", "9999", "x: 9999 is too large"),
            ("wanted string or table", "5", "x must be a text, not 5"),
            ("unknown variant `c`, expected one of `a`, `b`", "\"c\"", "x: \"c\" is not known; known are a, b"),
            ("unknown variant `c`, expected `a` or `b`", "\"c\"", "x: \"c\" is not known; known are a, b"),
            ("unknown field `c`, expected `a`", "a table", "x: unknown field \"c\"; known are a"),
            ("unknown field `c`, there are no fields", "a table", "x: unknown field \"c\"; known are none"),
            ("missing field `c`", "a table", "x: c is missing"),
            ("the sky falls", "", "x: the sky falls"),
        ] {
            assert_eq!(told("x", message, whole), wanted);
        }
    }
}
