//! Finding the part of a text that is meant: in a code fence, between lines of prose, in TOON.
//!
//! Everything here looks at each byte a bounded number of times, so that a long answer costs no more than its length.

use super::{AnswerError, DEPTH_MAX};
use serde_json::Value;

/// Opening braces that are tried, one after the other, until one begins an object.
const STARTS_MAX: usize = 8;

/// An object in a text.
pub struct Candidate<'t> {
    pub value: Value,
    pub before: &'t str,
}

/// The first `bytes_max` bytes, whole characters, and whether there were more.
pub fn head(text: &str, bytes_max: usize) -> (&str, bool) {
    if text.len() <= bytes_max {
        return (text, false);
    }
    (&text[..text.floor_char_boundary(bytes_max)], true)
}

/// What follows the thoughts of a model that writes them down first, as `<think>…</think>`; `None`: nothing but
/// thoughts. The opening mark may be missing, since some prompts end with it.
pub fn after_thought(text: &str) -> Option<&str> {
    // An answer that begins at once may hold anything.
    if text.starts_with(['{', '[', '`']) {
        return Some(text);
    }
    for (open, close) in [("<think>", "</think>"), ("<thinking>", "</thinking>")] {
        if let Some((_, after)) = text.rsplit_once(close) {
            return Some(after.trim_start());
        }
        if text.starts_with(open) {
            return None;
        }
    }
    Some(text)
}

/// The inside of a code fence, where the text is nothing but one; else the text.
pub fn unfenced(text: &str) -> &str {
    let Some(inner) = text.strip_prefix("```") else { return text };
    let Some((language, inner)) = inner.split_once('\n') else { return text };
    match inner.trim_end().strip_suffix("```") {
        Some(inner) if !language.contains('{') && !inner.contains("```") => inner.trim(),
        _ => text,
    }
}

/// How deeply braces and brackets are nested, strings not counted.
pub fn depth(text: &str) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Where the object that begins at the start of the text ends, or `None` when it does not end.
fn end_of_object(text: &str) -> Result<Option<usize>, AnswerError> {
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => {
                depth += 1;
                if depth > DEPTH_MAX {
                    return Err(AnswerError::TooDeep(DEPTH_MAX));
                }
            }
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Ok(Some(at + 1));
                }
            }
            _ => {}
        }
    }
    Ok(None)
}

/// What an answer has one of.
const OF_ANSWERS: &[&str] = &["actions", "responses", "command", "type", "tool", "choose"];

/// The first JSON object of the text that could be an answer, and what follows it.
pub fn first_object(text: &str) -> Option<Result<(Candidate<'_>, &str), AnswerError>> {
    object_with(text, OF_ANSWERS)
}

/// The first JSON object of the text that has one of these members.
pub fn object_with<'t>(text: &'t str, members: &[&str]) -> Option<Result<(Candidate<'t>, &'t str), AnswerError>> {
    let mut from = 0;
    for _ in 0..STARTS_MAX {
        let start = from + text[from..].find('{')?;
        let end = match end_of_object(&text[start..]) {
            Ok(Some(length)) => start + length,
            // It was cut off: an object inside of it would be half an answer.
            Ok(None) => return None,
            Err(error) => return Some(Err(error)),
        };
        match serde_json::from_str::<Value>(&text[start..end]) {
            Ok(value) if members.iter().any(|name| value.get(name).is_some()) => {
                return Some(Ok((Candidate { value, before: &text[..start] }, &text[end..])));
            }
            // Another object, or none: whatever is inside of it is no answer either.
            _ => from = end,
        }
    }
    None
}

/// After a bare command: the line below it is speech, unless a line is empty or looks like a remark; the rest is
/// commentary.
pub fn speech(after: &str) -> (Option<&str>, &str) {
    let mut rest = after;
    // What is left of the command's own line.
    if let Some((line, below)) = rest.split_once('\n') {
        if !line.trim().trim_matches('`').is_empty() {
            return (None, after);
        }
        rest = below;
    } else {
        return (None, after);
    }
    // The fence that the command stood in.
    if let Some(below) = rest.trim_start_matches([' ', '\r']).strip_prefix("```") {
        let Some((_, below)) = below.split_once('\n') else { return (None, "") };
        rest = below;
    }
    let (line, below) = rest.split_once('\n').unwrap_or((rest, ""));
    let line = line.trim();
    let remark = line.starts_with(['#', '(', '*', '-', '`', '{', '[', '>'])
        || ["commentary", "note:", "reason", "thought", "explanation", "because"]
            .iter()
            .any(|word| line.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)));
    if line.is_empty() || remark {
        return (None, rest);
    }
    let spoken = line
        .strip_prefix("say ")
        .or_else(|| line.strip_prefix("Speech: "))
        .or_else(|| line.strip_prefix("speech: "))
        .unwrap_or(line);
    let spoken = spoken.trim().trim_matches(['"', '“', '”']).trim();
    ((!spoken.is_empty()).then_some(spoken), below)
}

/// The lines of a text that are TOON: from the first line that begins an answer's key, as long as lines belong to it.
pub fn toon(text: &str) -> Option<String> {
    let key = |line: &str| {
        ["actions", "responses", "commentary", "thoughts", "choose", "type", "command"]
            .iter()
            .any(|key| line.strip_prefix(key).is_some_and(|rest| rest.starts_with([':', '[', '{'])))
    };
    let text = unfenced(text);
    let mut lines = text.lines().skip_while(|line| !key(line)).peekable();
    lines.peek()?;
    let mut toon = String::new();
    let mut has_actions = false;
    for line in lines {
        let line = line.trim_end();
        let belongs = key(line) || line.starts_with(' ') || line.starts_with("args");
        if !belongs {
            break;
        }
        has_actions |= ["actions", "responses", "type", "command"].iter().any(|key| line.starts_with(key));
        toon.push_str(line);
        toon.push('\n');
    }
    has_actions.then(|| toon.trim_end().to_string())
}
