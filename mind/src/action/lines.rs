//! The line of the game that an action becomes, or the order to the agent's own body; and what a line of a model does.

use super::order::{Destination, Order, PolicyName, TICKS_MAX, Until};
use super::table::{Kind, ROWS, Row};
use super::{Action, ActionError, LINE_CHARS_MAX, Offer, fail};
use protocol::verbs;
use serde_json::Value;

/// Verbs that servers with channels have.
const CHANNEL_VERBS: &[&str] =
    &["agent", "attention", "channel", "chat", "guideline", "name", "react", "reply", "request", "whois"];

/// What the verb `goal` does beside setting one.
const GOAL_WORDS: &[&str] =
    &["under", "edit", "move", "done", "drop", "reopen", "progress", "try", "works", "failed", "split"];

/// The line that a person would type for it.
pub fn line_of(action: &Action) -> Result<String, ActionError> {
    let value = |name: &str| action.value(name);
    if split_without_parts(action).is_some() {
        return fail("An action of type `split` has no `into`.");
    }
    let named = spelled_out(action);
    let value =
        |name: &str| named.iter().find(|(other, _)| *other == name).map(|(_, word)| *word).or_else(|| value(name));
    let mut line = String::new();
    let mut pattern = action.row.line;
    while let Some(start) = pattern.find(['{', '[']) {
        line.push_str(&pattern[..start]);
        let optional = pattern[start..].starts_with('[');
        let end = start + pattern[start..].find(if optional { ']' } else { '}' }).expect("patterns are closed");
        let inner = &pattern[start + 1..end];
        match optional {
            // All of what is in brackets, or nothing.
            true => line.push_str(&filled(inner, &value).unwrap_or_default()),
            false => line.push_str(value(inner).unwrap_or("")),
        }
        pattern = &pattern[end + 1..];
    }
    line.push_str(pattern);
    if let (true, Some(weight)) = (action.row.name == "set", value("w")) {
        // The weight travels inside the value.
        let path = value("path").unwrap_or("");
        let typed = value("value").unwrap_or("");
        let json = serde_json::from_str(typed).unwrap_or_else(|_| Value::String(typed.to_string()));
        line = format!("remember {path} = {{\"v\":{json},\"w\":{weight}}}");
    }
    let is_first = value("under").or(value("priority")).is_none();
    let text = value("text").or(value("summary")).filter(|_| action.row.mind && is_first);
    if text.is_some_and(|text| would_edit(action.row, text)) {
        // A note such as "remove 3 stones" is a text, not an order to remove the note 3.
        let (verb, text) = line.split_once(' ').unwrap_or((&line, ""));
        line = format!("{verb} \"{text}\"");
    }
    match line.chars().count() {
        chars if chars > LINE_CHARS_MAX => {
            fail(format!("A line has at most {LINE_CHARS_MAX} characters, not {chars}."))
        }
        _ => Ok(line),
    }
}

/// A pattern without brackets, where all of its fields are there.
fn filled<'v>(pattern: &str, value: &impl Fn(&str) -> Option<&'v str>) -> Option<String> {
    let mut text = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').expect("patterns are closed");
        text.push_str(before);
        text.push_str(value(name)?);
        rest = after;
    }
    text.push_str(rest);
    Some(text)
}

/// Words that a line has room for before its text and that are the usual ones: left out, unless the text begins like
/// one. `goal high low tide` is of high priority and about a low tide.
fn spelled_out(action: &Action) -> Vec<(&'static str, &'static str)> {
    let value = |name: &str| action.value(name);
    let begins_like = |words: &[(&str, &str)]| {
        let first = value("text").unwrap_or("").split(' ').next().unwrap_or("");
        words.iter().any(|(_, word)| word.eq_ignore_ascii_case(first))
    };
    let field = action.row.fields.iter().find(|field| {
        let Kind::Choice(words) = field.kind else { return false };
        field.optional && value(field.name).is_none() && begins_like(words)
    });
    match (action.row.name, field) {
        ("goal", Some(field)) => vec![(field.name, "medium")],
        ("journal", Some(field)) => vec![(field.name, "seen")],
        _ => Vec::new(),
    }
}

/// Whether a text that is to be written down begins like another form of its verb.
fn would_edit(row: &Row, text: &str) -> bool {
    let words: &[&str] = match row.name {
        "task" | "note" | "step" | "block" | "decide" | "fact" | "pattern" => {
            &["done", "update", "edit", "remove", "move", "clear"]
        }
        "goal" => GOAL_WORDS,
        _ => return false,
    };
    let first = text.split(' ').next().unwrap_or("").to_ascii_lowercase();
    words.contains(&&*first)
}

/// Whether a line spends no tick: by the verb table, and socials and channels.
pub fn is_free(line: &str, offer: &Offer) -> bool {
    let word = verbs::word_of(line);
    match verbs::find(word, 1) {
        _ if is_of_channels(word, offer) => !makes_agent(line),
        Some(verb) => verb.free,
        None => offer.words.has(word) || row_verb(word),
    }
}

pub(super) fn is_talk(line: &str, offer: &Offer) -> bool {
    let word = verbs::word_of(line);
    match verbs::find(word, 1) {
        Some(verb) => verb.speech,
        None if is_of_channels(word, offer) => matches!(word, "chat" | "reply"),
        None => offer.words.has(word) || ROWS.iter().any(|row| row.is_talk() && row.name.eq_ignore_ascii_case(word)),
    }
}

/// A verb of our table that a server without channels does not have: `reply` and `whois` are older than channels.
pub(super) fn is_lacking(verb: &str, offer: &Offer) -> bool {
    let is_older = ["reply", "whois"].iter().any(|older| older.eq_ignore_ascii_case(verb));
    !offer.channels && !is_older && CHANNEL_VERBS.iter().any(|other| other.eq_ignore_ascii_case(verb))
}

pub(super) fn is_of_channels(verb: &str, offer: &Offer) -> bool {
    offer.channels && CHANNEL_VERBS.iter().any(|other| other.eq_ignore_ascii_case(verb))
}

/// Whether a line makes, changes or retires an agent: of all that is done in channels, only that spends a tick.
pub fn makes_agent(line: &str) -> bool {
    let mut words = line.split_whitespace().map(str::to_ascii_lowercase);
    let first = words.next();
    first.as_deref() == Some("agent")
        && words.next().is_some_and(|word| ["create", "alter", "retire"].contains(&&*word))
}

/// In which place of a decision a line is carried out: the mind, words, what changes memberships and what others think,
/// then all else that is free, and last what spends a tick. Source: *Processing* of the document of channels.
pub fn place_of(line: &str, offer: &Offer) -> u8 {
    let verb = verbs::word_of(line);
    match verbs::find(verb, 1) {
        _ if !is_free(line, offer) => 4,
        Some(verb) if verb.rank == verbs::Rank::Mind => 0,
        _ if is_talk(line, offer) => 1,
        _ if is_of_channels(verb, offer) => 2,
        _ => 3,
    }
}

/// The goal that is to be split, where the action does not say into what: that is asked for.
pub fn split_without_parts(action: &Action) -> Option<String> {
    match (action.row.name, action.values.as_slice()) {
        ("split", [Some(goal), None]) => Some(goal.clone()),
        _ => None,
    }
}

/// The order that an action is, if it is one, and a notice where its ticks were cut.
pub fn order_of(action: &Action) -> Option<(Order, Option<String>)> {
    if !action.row.order {
        return None;
    }
    let value = |name: &str| action.value(name);
    let until: Vec<Until> = value("until").unwrap_or("").split(' ').filter_map(Until::named).collect();
    let wanted: Option<u64> = value("ticks").and_then(|ticks| ticks.parse().ok());
    let ticks = wanted.map(|ticks| u32::try_from(ticks).unwrap_or(u32::MAX).min(TICKS_MAX));
    let cut = wanted.filter(|wanted| *wanted > u64::from(TICKS_MAX));
    let notice = cut.map(|wanted| format!("`{}` lasts {TICKS_MAX} ticks at most, not {wanted}.", action.row.name));
    let order = match action.row.name {
        "delegate" => {
            let named = |word: &str| PolicyName::named(word).map(|policy| policy.name);
            // "all" names none.
            let policies = value("policies").unwrap_or("").split(' ').filter_map(named).collect();
            Order::Delegate { policies, ticks: ticks.unwrap_or(TICKS_MAX), until }
        }
        "wait" => {
            // Without a word of until when, it is for the time that it says, or a moment.
            let ticks = ticks.unwrap_or(if until.is_empty() { 1 } else { TICKS_MAX });
            Order::Wait { until, ticks }
        }
        _ => Order::Goto { to: Destination::of(value("to").unwrap_or("unknown")) },
    };
    Some((order, notice))
}

/// Whether a word begins the line of a row, as those of the mind do: they count also where the list of verbs is older.
pub(super) fn row_verb(word: &str) -> bool {
    ROWS.iter().any(|row| row.mind && row.verb().eq_ignore_ascii_case(word))
}
