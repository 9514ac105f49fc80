//! The core memory: a document that its owner writes, by paths.

use super::words::{done, page_of};
use super::{Answer, VerbRequest};
use crate::event::Event;
use crate::memory::{self, Change};
use crate::page;
use crate::state::MindState;
use protocol::names::clean_text;
use serde_json::Value;

/// A value as it was typed: JSON where it is an object, a list, a number, a truth value or a quoted text; else the
/// text.
fn value_of(typed: &str) -> Value {
    match serde_json::from_str(typed) {
        Ok(Value::Null) | Err(_) => Value::String(typed.to_string()),
        Ok(value) => cleaned(value),
    }
}

/// JSON can spell out control characters in what was clean when it was typed. Names of members are looked at later.
fn cleaned(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(clean_text(&text).into_owned()),
        Value::Array(values) => values.into_iter().map(cleaned).collect(),
        Value::Object(members) => members.into_iter().map(|(name, value)| (name, cleaned(value))).collect(),
        value => value,
    }
}

/// `{"v": …, "w": 0.9}`: a value with its weight.
fn weighted(value: Value) -> (Value, Option<f64>) {
    match value {
        Value::Object(mut members) if members.len() == 2 && members.contains_key("v") => {
            match members.get("w").and_then(Value::as_f64) {
                Some(weight) => (members.remove("v").unwrap_or_default(), Some(weight)),
                None => (Value::Object(members), None),
            }
        }
        value => (value, None),
    }
}

pub(super) fn remember(state: &MindState, request: &VerbRequest) -> Answer {
    const USAGE: &str = "remember <path> = <value>, remember <path> += <value> or remember <path> weight = <0 to 1>";
    let memory = &state.memory;
    let Some((left, right)) = request.args.split_once('=') else {
        if request.args.is_empty() {
            return page_of(page::memory(state));
        }
        memory::names(request.args).map_err(|why| format!("{why} To write: {USAGE}."))?;
        return match memory.get(request.args) {
            Some(value) => page_of(page::memory_line(memory, request.args, value)),
            None => Err(format!("You remember nothing at {}. All that you remember: remember.", request.args)),
        };
    };
    let (left, appends) = match left.strip_suffix('+') {
        Some(left) => (left.trim(), true),
        None => (left.trim(), false),
    };
    let typed = right.trim();
    if left.is_empty() || typed.is_empty() {
        return Err(format!("Remember what, and where? {USAGE}"));
    }
    if appends {
        let (path, value) = (left.to_string(), value_of(typed));
        Change::Append { path: left, value: &value }
            .check(memory, memory::lists_tokens(&state.session))
            .map_err(|why| why.to_string())?;
        return done(Event::MemoryAppend { path, value }, format!("Added to {left}."));
    }
    let (path, value, weight) = match left.split_once(char::is_whitespace) {
        Some((path, word)) if word.trim().eq_ignore_ascii_case("weight") => {
            let Some(value) = memory.get(path) else {
                return Err(format!("You remember nothing at {path} that could have a weight."));
            };
            let weight = typed.parse().map_err(|_| memory::MemoryRefusal::Weight.to_string())?;
            (path, value.clone(), Some(weight))
        }
        _ => {
            let (value, weight) = weighted(value_of(typed));
            (left, value, weight)
        }
    };
    Change::Set { path, value: &value, weight }
        .check(memory, memory::lists_tokens(&state.session))
        .map_err(|why| why.to_string())?;
    let weight = weight.and_then(memory::weight);
    let text = match weight {
        Some(weight) => format!("You remember {path}, with weight {weight}."),
        None => format!("You remember {path}."),
    };
    done(Event::MemorySet { path: path.to_string(), value, weight }, text)
}

pub(super) fn forget(state: &MindState, request: &VerbRequest) -> Answer {
    let path = request.args;
    if path.is_empty() {
        return Err("Forget what? forget <path>".to_string());
    }
    memory::names(path).map_err(|why| why.to_string())?;
    match state.memory.get(path) {
        Some(_) => done(Event::MemoryDelete { path: path.to_string() }, format!("You forget {path}.")),
        None => Err(format!("You remember nothing at {path}. All that you remember: remember.")),
    }
}
