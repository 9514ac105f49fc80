//! Reading what was typed, and answering it.

use super::{Answer, Reply};
use crate::event::Event;

pub(super) fn page_of(text: impl Into<String>) -> Answer {
    Ok(Reply { text: text.into(), ..Reply::default() })
}

pub(super) fn done(event: Event, text: impl Into<String>) -> Answer {
    all(vec![event], text)
}

/// Several entries at once.
pub(super) fn all(events: Vec<Event>, text: impl Into<String>) -> Answer {
    Ok(Reply { events, text: text.into(), ..Reply::default() })
}

/// A text of somebody's own, not too long.
pub(super) fn own(text: &str, chars_max: usize) -> Result<String, String> {
    match text.chars().count() {
        chars if chars > chars_max => {
            Err(format!("That is too long: {chars} characters, and {chars_max} are the most. Say it shorter."))
        }
        _ => Ok(text.to_string()),
    }
}

pub(super) fn first_word(text: &str) -> (&str, &str) {
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim_start()),
        None => (text, ""),
    }
}

/// A number as the lists show it: `12` or `#12`.
pub(super) fn id_of(word: &str) -> Option<u64> {
    word.strip_prefix('#').unwrap_or(word).parse().ok()
}

/// The rest of `<word> <id> …`, where the line is that. A line that only begins with the word is a text of its own, but
/// for the bare word, which is a slip.
pub(super) fn with_id<'a>(args: &'a str, word: &str) -> Option<(Option<u64>, &'a str)> {
    let (first, rest) = first_word(args);
    if !first.eq_ignore_ascii_case(word) {
        return None;
    }
    let (id, rest) = first_word(rest);
    match id_of(id) {
        Some(id) => Some((Some(id), rest)),
        None if id.is_empty() => Some((None, rest)),
        None => None,
    }
}

/// The id of one that is there, or a sentence that says which are. Where there is but one, its number may be left out.
pub(super) fn known(id: Option<u64>, what: &str, verb: &str, ids: impl Iterator<Item = u64>) -> Result<u64, String> {
    let ids: Vec<u64> = ids.collect();
    match id {
        Some(id) if ids.contains(&id) => Ok(id),
        // Numbers grow long with the log, and there is only one that can be meant.
        None if ids.len() == 1 => Ok(ids[0]),
        _ if ids.is_empty() => Err(format!("You have no {what}.")),
        Some(id) => Err(format!("You have no {what} #{id}. Those that you have: {verb}.")),
        None => Err(format!("Which {what}? Give its number, as {verb} shows it.")),
    }
}

pub(super) fn room_for(count: usize, most: usize, what: &str, remedy: &str) -> Result<(), String> {
    match count < most {
        true => Ok(()),
        false => Err(format!("You have {most} {what}, which is the most. Make room first: {remedy}.")),
    }
}

pub(super) fn list(heading: &str, lines: Vec<String>, none: &str) -> Answer {
    match lines.is_empty() {
        true => page_of(none),
        false => page_of(format!("{heading}\n{}", lines.join("\n"))),
    }
}
