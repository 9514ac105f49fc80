//! What is wrong with a line that somebody reads, and with a character that comes back from its record.

use super::*;

/// Kinds that carry what somebody typed.
fn is_speech(kind: LineKind) -> bool {
    use LineKind::*;
    matches!(kind, Say | Tell | Channel(_) | Group | Emote | Broadcast)
}

/// Kinds of pages and of what other eyes saw, which have columns and begin as they like.
fn is_page(kind: LineKind) -> bool {
    matches!(kind, LineKind::Text | LineKind::Snoop | LineKind::Motd)
}

/// What is wrong with a line that somebody reads. `typed`: the command that caused it.
pub fn faults(line: &Line, typed: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let text = &line.text;
    if text.trim().is_empty() {
        faults.push("an empty line".into());
    }
    if text.chars().any(|c| c.is_control() && c != '\n') {
        faults.push("a control character".into());
    }
    let marks = "nNeEmMsSpPoOaAt";
    let marked = text.char_indices().any(|(at, c)| c == '$' && text[at + 1..].starts_with(|next| marks.contains(next)));
    if marked && !typed.contains('$') {
        faults.push("a mark that nobody filled in".into());
    }
    if !is_page(line.kind) {
        let doubled = text.lines().any(|l| l.trim().contains("  "));
        if doubled && !is_speech(line.kind) && !typed.trim().contains("  ") {
            faults.push("two blanks in a row".into());
        }
        if text.trim_start().starts_with(char::is_lowercase) {
            faults.push("a small letter at the beginning".into());
        }
    }
    let mut last = 0;
    for Span { from, to, link, .. } in &line.spans {
        let part = (*from >= last).then(|| text.get(*from as usize..*to as usize)).flatten().unwrap_or_default();
        if part.is_empty() || (link.is_some() && part.contains('\n')) {
            faults.push(format!(
                "a span from {from} to {to}, out of order, empty, or in a letter, or a link of two lines"
            ));
        }
        last = *to;
    }
    faults
}

/// What differs between a stored character and the one that was made from it, but for what entering must change.
pub fn record_differences(before: &CharacterRecord, after: &CharacterRecord) -> Vec<String> {
    let mut expected = before.clone();
    expected.position = match expected.position {
        Position::Fighting => Position::Standing,
        position => position.max(Position::Sleeping),
    };
    expected.hit = expected.hit.max(1);
    // Whoever comes in looks about, and may see what it has not seen before.
    let mut after = after.clone();
    let grown = after.player.log_seq >= before.player.log_seq;
    if grown {
        after.player.log_seq = before.player.log_seq;
        after.player.past = before.player.past.clone();
    }
    let after = &after;
    let json = |record: &CharacterRecord| serde_json::to_value(record).expect("a record is plain data");
    let (expected, after) = (json(&expected), json(after));
    let mut differences = Vec::new();
    if expected != after {
        compare(&before.name, &expected, &after, &mut differences);
    }
    differences
}

fn compare(path: &str, a: &serde_json::Value, b: &serde_json::Value, differences: &mut Vec<String>) {
    use serde_json::Value;
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, value) in a {
                compare(&format!("{path}.{key}"), value, b.get(key).unwrap_or(&Value::Null), differences);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (n, (a, b)) in a.iter().zip(b).enumerate() {
                compare(&format!("{path}[{n}]"), a, b, differences);
            }
        }
        _ if a != b => differences.push(format!("{path} was stored as {a}, and came back as {b}")),
        _ => {}
    }
}
