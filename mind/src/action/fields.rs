//! The values of an action's fields, each read as its kind (`Kind`) wants it: the text that stands in the line.

use super::order::{POLICIES, PolicyName, TICKS_MAX, Until};
use super::table::{Field, Kind};
use super::{ActionError, LINE_CHARS_MAX, LOOKED_AT_MAX, fail};
use crate::goals::PARTS;
use protocol::attention::Attention;
use protocol::channel::Reaction;
use protocol::names::clean_text;
use serde_json::Value;

/// Characters of a word or a path, and of a memory's value.
const WORD_CHARS_MAX: usize = 60;
const PATH_CHARS_MAX: usize = 330;
const VALUE_CHARS_MAX: usize = 800;

/// A field's value as the text that stands in the line.
pub(super) fn text_of(field: &Field, value: &Value, shortened: &mut bool) -> Result<String, ActionError> {
    let name = field.name;
    let wrong = |what: &str| fail(format!("`{name}` is {what}, not {}.", type_of(value)));
    match field.kind {
        Kind::Text(chars_max) => match value {
            Value::String(text) => {
                let text = one_line(text);
                if text.is_empty() {
                    return fail(format!("`{name}` is empty."));
                }
                Ok(cut(&text, chars_max, shortened))
            }
            Value::Number(number) => Ok(number.to_string()),
            _ => wrong("a string"),
        },
        Kind::Words => {
            let words = match value {
                Value::Array(words) => {
                    let mut all = Vec::with_capacity(words.len().min(LOOKED_AT_MAX));
                    for word in words {
                        match word {
                            Value::String(word) => all.push(one_line(word)),
                            Value::Number(number) => all.push(number.to_string()),
                            Value::Null => {}
                            other => {
                                return fail(format!("`{name}` is a list of strings; it holds {}.", type_of(other)));
                            }
                        }
                    }
                    all.retain(|word| !word.is_empty());
                    all.join(" ")
                }
                Value::String(words) => one_line(words),
                Value::Number(number) => number.to_string(),
                _ => return wrong("a list of strings"),
            };
            if words.is_empty() && !field.optional {
                return fail(format!("`{name}` is empty."));
            }
            Ok(cut(&words, 400, shortened))
        }
        Kind::Word => match value {
            Value::String(word) => {
                let word = one_line(word);
                match word.is_empty() || word.contains(' ') || word.chars().count() > WORD_CHARS_MAX {
                    true => fail(format!("`{name}` is one word, not {}.", quoted(&word))),
                    false => Ok(word),
                }
            }
            Value::Number(number) => Ok(number.to_string()),
            _ => wrong("one word"),
        },
        Kind::Path => match value {
            Value::String(path) => {
                let path = one_line(path);
                let odd = path.is_empty() || path.contains([' ', '=', '"']) || path.split('.').any(str::is_empty);
                match odd || path.chars().count() > PATH_CHARS_MAX {
                    true => fail(format!(
                        "`{name}` is names with dots between, as in people.Bob.trust, not {}.",
                        quoted(&path)
                    )),
                    false => Ok(path),
                }
            }
            _ => wrong("names with dots between, as in people.Bob.trust"),
        },
        Kind::Value => {
            let text = match value {
                Value::String(text) => one_line(text),
                other => one_line(&other.to_string()),
            };
            if text.is_empty() {
                return fail(format!("`{name}` is empty; to forget something, use `delete`."));
            }
            if text.chars().count() > VALUE_CHARS_MAX {
                return fail(format!(
                    "`{name}` is longer than {VALUE_CHARS_MAX} characters: remember less at one path."
                ));
            }
            // A string that looks like JSON would be read as what it looks like.
            let looks = value.is_string() && serde_json::from_str::<Value>(&text).is_ok();
            Ok(if looks { Value::String(text).to_string() } else { text })
        }
        Kind::Weight => {
            let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
            match number.filter(|weight| (0.0..=1.0).contains(weight)) {
                Some(weight) => Ok(weight.to_string()),
                None => fail(format!("`{name}` is a number from 0 to 1.")),
            }
        }
        Kind::Policies => {
            let mut names: Vec<&str> = Vec::new();
            for word in list_of(name, value)? {
                match PolicyName::named(&word) {
                    Some(policy) if names.contains(&policy.name) => {}
                    Some(policy) => names.push(policy.name),
                    None if word == "all" => return Ok("all".to_string()),
                    None => {
                        return fail(format!(
                            "There is no policy {}: the policies are {}, or \"all\".",
                            quoted(&word),
                            POLICIES.iter().map(|policy| policy.name).collect::<Vec<_>>().join(", ")
                        ));
                    }
                }
            }
            if names.is_empty() { fail(format!("`{name}` is empty.")) } else { Ok(names.join(" ")) }
        }
        Kind::Until(all) => {
            let mut names: Vec<&str> = Vec::new();
            for word in list_of(name, value)? {
                match Until::named(&word.replace([' ', '-'], "_")).filter(|until| all.contains(until)) {
                    Some(until) if names.contains(&until.name()) => {}
                    Some(until) => names.push(until.name()),
                    None => {
                        return fail(format!(
                            "`{name}` knows no {}: it is one or several of {}.",
                            quoted(&word),
                            all.iter().map(|until| until.name()).collect::<Vec<_>>().join(", ")
                        ));
                    }
                }
            }
            Ok(names.join(" "))
        }
        Kind::Ticks => {
            let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
            match number.filter(|ticks| ticks.fract() == 0.0 && *ticks >= 1.0) {
                // More is cut where the order is read, with a notice.
                Some(ticks) => Ok((ticks.min(1e15) as u64).to_string()),
                None => fail(format!("`{name}` is a whole number from 1 to {TICKS_MAX}.")),
            }
        }
        Kind::Somebody => match value {
            Value::Number(number) => match number.as_u64().and_then(|number| u32::try_from(number).ok()) {
                Some(number) => Ok(number.to_string()),
                None => wrong("a number of a channel or a person, as your lists show it"),
            },
            Value::String(word) => {
                let word = one_line(word);
                let word = word.trim_start_matches('#');
                match word.is_empty() || word.contains([' ', '=']) || word.chars().count() > WORD_CHARS_MAX {
                    true => fail(format!("`{name}` is a number, as your lists show it, not {}.", quoted(word))),
                    false => Ok(word.to_string()),
                }
            }
            _ => wrong("a number of a channel or a person, as your lists show it"),
        },
        Kind::Message => match value {
            Value::String(word) if word.trim().eq_ignore_ascii_case("last") => Ok("last".to_string()),
            value => match whole(value).filter(|number| *number > 0) {
                Some(number) => Ok(number.to_string()),
                None => fail(format!("`{name}` is the number of a message, as it stands before its words.")),
            },
        },
        Kind::Reaction => match value.as_str().and_then(|word| Reaction::named(word.trim())) {
            Some(reaction) => Ok(reaction.word().to_string()),
            None => fail(format!("`{name}` is one of {}.", Reaction::ALL.map(Reaction::name).join(", "))),
        },
        Kind::Attention => {
            let text = match value {
                Value::String(text) => one_line(text),
                Value::Number(number) => match number.as_f64().filter(|n| n.fract() == 0.0) {
                    Some(whole) => format!("{whole}"),
                    None => number.to_string(),
                },
                _ => return wrong("a percentage, %* or auto"),
            };
            let attention: Result<Attention, String> = text.parse();
            attention.map(|attention| attention.to_string()).or_else(|why| fail(format!("`{name}`: {why}.")))
        }
        Kind::WordsAMinute => match whole(value).filter(|wpm| (10..=200).contains(wpm)) {
            Some(wpm) => Ok(wpm.to_string()),
            None => fail(format!("`{name}` is a whole number from 10 to 200.")),
        },
        Kind::Moment => match value.as_str().map(one_line).and_then(|text| instant(&text)) {
            Some(text) => Ok(text),
            None => fail(format!("`{name}` is an instant such as 2026-12-01T08:00:00Z, or a time such as 10m or 2h.")),
        },
        Kind::AgentKind => match value.as_str().map(|word| word.trim().to_ascii_lowercase()) {
            Some(word) if matches!(word.as_str(), "persona" | "bot") => Ok(word),
            _ => fail(format!("`{name}` is persona or bot.")),
        },
        Kind::Goal => {
            let key = value.as_str().map(|word| word.trim().to_ascii_lowercase());
            match (whole(value).filter(|id| *id > 0), key.filter(|key| is_goal_key(key))) {
                (Some(id), _) => Ok(id.to_string()),
                (None, Some(key)) => Ok(key),
                (None, None) => fail(format!("`{name}` is the number of a goal, or its key such as goal_42_0.")),
            }
        }
        Kind::Percent => {
            let number = match value {
                Value::String(text) => text.trim().trim_end_matches('%').trim_end().parse().ok(),
                value => value.as_f64(),
            };
            match number.filter(|percent: &f64| percent.fract() == 0.0 && (0.0..=100.0).contains(percent)) {
                Some(percent) => Ok(percent.to_string()),
                None => fail(format!("`{name}` is a whole number from 0 to 100.")),
            }
        }
        Kind::Choice(words) => {
            let written = value.as_str().map(|word| word.trim().to_ascii_lowercase());
            match words.iter().find(|(word, _)| written.as_deref() == Some(*word)) {
                Some((_, word)) => Ok((*word).to_string()),
                None => {
                    let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                    fail(format!("`{name}` is one of {}.", all.join(", ")))
                }
            }
        }
        Kind::Parts => {
            let parts = parts_of(value, shortened).ok_or_else(|| {
                ActionError(format!("`{name}` is a list of {} to {} texts.", PARTS.start(), PARTS.end()))
            })?;
            Ok(parts.join(" | "))
        }
        Kind::Steps => {
            let steps = texts_of(value, ';').filter(|steps| !steps.is_empty());
            let steps = steps.ok_or_else(|| ActionError(format!("`{name}` is a list of texts, one for each step.")))?;
            Ok(cut(&steps.join("; "), LINE_CHARS_MAX - 260, shortened))
        }
        Kind::Cell => match cell(value) {
            Some([row, column]) => Ok(format!("{row},{column}")),
            None => fail(format!("`{name}` is the row and the column of a cell, as in [3, 4].")),
        },
        Kind::Id | Kind::Count => match whole(value).filter(|number| *number > 0) {
            Some(number) => Ok(number.to_string()),
            None => fail(format!("`{name}` is a whole number above 0, as your lists show it.")),
        },
    }
}

/// What an answer wrote for a field, under any of its names.
pub(super) fn find<'v>(members: &'v serde_json::Map<String, Value>, field: &Field) -> Option<&'v Value> {
    std::iter::once(&field.name).chain(field.also).find_map(|name| members.get(*name).filter(|value| !value.is_null()))
}

/// A short piece of what the model wrote, fit to stand in a sentence.
pub(super) fn quoted(text: &str) -> String {
    let clean = clean_text(text);
    let mut short: String = clean.chars().take(40).collect();
    if short.len() < clean.len() {
        short.push('…');
    }
    format!("`{}`", short.replace('`', "'"))
}

pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A whole number, or its digits.
fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64().or_else(|| {
            let whole = number.as_f64().filter(|n| n.fract() == 0.0 && (0.0..=9e15).contains(n))?;
            Some(whole as u64)
        }),
        Value::String(text) => text.trim().trim_start_matches('#').parse().ok(),
        _ => None,
    }
}

/// As `mind::goals` names them: `goal_{tick}_{index}`.
fn is_goal_key(word: &str) -> bool {
    let numbers = word.strip_prefix("goal_").and_then(|rest| rest.split_once('_'));
    numbers.is_some_and(|(tick, index)| [tick, index].iter().all(|part| part.parse::<u64>().is_ok()))
}

/// A cell of a plot; whether it has one there, the game knows.
fn cell(value: &Value) -> Option<[u64; 2]> {
    let pair = |numbers: &[Value]| match numbers {
        [row, column] => Some([whole(row)?, whole(column)?]),
        _ => None,
    };
    match value {
        Value::Array(numbers) => pair(numbers),
        Value::Object(members) => {
            let row = members.get("row").or_else(|| members.get("r"))?;
            let column = ["column", "col", "c"].iter().find_map(|name| members.get(*name))?;
            pair(&[row.clone(), column.clone()])
        }
        Value::String(text) => {
            let bare = text.trim().trim_matches(['[', ']', '(', ')']);
            let numbers: Vec<Value> =
                bare.split([',', ' ']).filter(|part| !part.is_empty()).map(|part| part.into()).collect();
            pair(&numbers)
        }
        _ => None,
    }
}

/// A list of texts, or of objects that have one, or one text with that mark between; the mark is in none of them.
fn texts_of(value: &Value, mark: char) -> Option<Vec<String>> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(part) => {
            ["text", "description", "content"].iter().find_map(|name| part.get(*name)?.as_str()).map(str::to_string)
        }
        _ => None,
    };
    let written: Vec<String> = match value {
        Value::Array(parts) => parts.iter().take(LOOKED_AT_MAX).map(text).collect::<Option<_>>()?,
        Value::String(text) => text.split(mark).map(str::to_string).collect(),
        _ => return None,
    };
    let other = if mark == '|' { "/" } else { "," };
    let mut parts: Vec<String> = written.iter().map(|part| one_line(&part.replace(mark, other))).collect();
    parts.retain(|part| !part.is_empty());
    Some(parts)
}

/// What a goal is split into. A bar parts them in the line.
fn parts_of(value: &Value, shortened: &mut bool) -> Option<Vec<String>> {
    let parts = texts_of(value, '|')?;
    if !PARTS.contains(&parts.len()) {
        return None;
    }
    // A line has no room for seven of the longest.
    let chars_max = ((LINE_CHARS_MAX - 60) / parts.len() - 3).min(300);
    Some(parts.iter().map(|part| cut(part, chars_max, shortened)).collect())
}

/// An instant of UTC (RFC 3339; one without a zone is taken for UTC), or a time from now.
fn instant(text: &str) -> Option<String> {
    let span = text.strip_suffix(['s', 'm', 'h', 'd']).is_some_and(|digits| digits.parse::<u32>().is_ok_and(|n| n > 0));
    if span {
        return Some(text.to_string());
    }
    let upper = text.to_ascii_uppercase();
    let (date, time) = upper.split_once('T')?;
    let digits = |text: &str, lengths: &[usize], mark: char| {
        let parts: Vec<&str> = text.split(mark).collect();
        let is_right =
            |(part, length): (&&str, &usize)| part.len() == *length && part.bytes().all(|b| b.is_ascii_digit());
        parts.len() == lengths.len() && parts.iter().zip(lengths).all(is_right)
    };
    let time = time.strip_suffix('Z').or_else(|| time.strip_suffix("+00:00")).unwrap_or(time);
    let whole = time.split_once('.').map_or(time, |(whole, _)| whole);
    let seconds = if whole.len() == 5 { format!("{whole}:00") } else { whole.to_string() };
    (digits(date, &[4, 2, 2], '-') && digits(&seconds, &[2, 2, 2], ':')).then(|| format!("{date}T{seconds}Z"))
}

/// The words of a list or of one string, in lower case.
fn list_of(name: &str, value: &Value) -> Result<Vec<String>, ActionError> {
    let word = |value: &Value| match value {
        Value::String(word) => Ok(one_line(word).to_lowercase()),
        other => fail(format!("`{name}` is a list of words; it holds {}.", type_of(other))),
    };
    let (words, ends): (Vec<String>, &[char]) = match value {
        Value::Array(words) => (words.iter().take(LOOKED_AT_MAX).map(word).collect::<Result<_, _>>()?, &[',']),
        Value::String(_) => (vec![word(value)?], &[' ', ',', '|']),
        other => return fail(format!("`{name}` is a list of words, not {}.", type_of(other))),
    };
    let words = words.iter().flat_map(|words| words.split(ends)).map(|word| word.trim().to_string());
    Ok(words.filter(|word| !word.is_empty()).collect())
}

/// Without control characters, single spaces between words.
fn one_line(text: &str) -> String {
    clean_text(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text up to so many characters, ending at a word.
fn cut(text: &str, chars_max: usize, shortened: &mut bool) -> String {
    let Some((end, _)) = text.char_indices().nth(chars_max) else { return text.to_string() };
    *shortened = true;
    let head = &text[..end];
    head.rfind(' ').filter(|space| *space > end / 2).map_or(head, |space| &head[..space]).to_string()
}
