//! Templates of sections: minijinja within bounds that hold whatever is written in one.
//!
//! Steps are counted by the engine. What one step could make large is not there: no joining, repeating or braces inside
//! of tags, no function that makes lists, few filters, and what is written is counted. Values are one clean line each,
//! and every mark in them is escaped, so that none of them gains force where the text is read as markdown.

use crate::hud::text;
use minijinja::value::{Value, ValueKind};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Output, UndefinedBehavior, filters, tests};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Steps of the engine that one template takes at most.
pub const STEPS_MAX: u64 = 10_000;
/// Bytes of all that one writes, and characters of one value.
const WRITTEN_MAX: usize = 16 << 10;
const VALUE_CHARS: usize = 400;
/// How deep blocks go.
const DEPTH_MAX: usize = 16;

/// What templates may name, by name.
pub type Values = BTreeMap<&'static str, Value>;

/// A value as the engine has it.
pub fn value(value: impl Serialize) -> Value {
    Value::from_serialize(value)
}

/// Whether a text can be a template over these names, without working it out.
pub fn check(source: &str, names: &[&str]) -> Result<(), String> {
    bounded(source)?;
    let env = environment();
    let template = env.template_from_str(source).map_err(|error| told(&error))?;
    let strange: BTreeSet<String> =
        template.undeclared_variables(false).into_iter().filter(|name| !names.contains(&name.as_str())).collect();
    match strange.first() {
        None => Ok(()),
        Some(name) => {
            let name = text::line(name, 40);
            Err(format!("there is no {name} to be named here; a template may name {}", names.join(", ")))
        }
    }
}

/// What a template writes.
pub fn write(source: &str, values: &Values) -> Result<String, String> {
    bounded(source)?;
    let written = environment().template_from_str(source).and_then(|template| template.render(values));
    let written = written.map_err(|error| told(&error))?;
    if written.len() > WRITTEN_MAX {
        return Err(too_long());
    }
    Ok(written)
}

/// Whether a condition holds.
pub fn holds(condition: &str, values: &Values) -> Result<bool, String> {
    let source = format!("{{% if {condition} %}}1{{% endif %}}");
    write(&source, values).map(|written| written == "1")
}

/// As `check`, of a condition.
pub fn check_condition(condition: &str, names: &[&str]) -> Result<(), String> {
    check(&format!("{{% if {condition} %}}1{{% endif %}}"), names)
}

fn too_long() -> String {
    format!("it writes more than {WRITTEN_MAX} bytes")
}

/// Refuses what could grow within one step. Reads tags as the engine does: with no comments, raw blocks or braces in
/// them, they end at the first mark outside of a quotation.
fn bounded(source: &str) -> Result<(), String> {
    let mut rest = source;
    while let Some(start) = rest.find("{{").into_iter().chain(rest.find("{%")).chain(rest.find("{#")).min() {
        let (open, inside) = rest[start..].split_at(2);
        let close = match open {
            "{{" => "}}",
            "{%" => "%}",
            _ => return Err("it has a comment {#; a section has none".to_string()),
        };
        let (mut quote, mut end, mut skip) = (None, None, false);
        for (at, c) in inside.char_indices() {
            match (quote, c) {
                _ if skip => skip = false,
                (Some(_), '\\') => skip = true,
                (Some(open), c) if c == open => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(c),
                (None, '{') => return Err("there is a brace inside of a tag".to_string()),
                (None, '~' | '+' | '*') => {
                    return Err(format!(
                        "it joins or repeats with {c} inside of a tag; write the pieces beside each other"
                    ));
                }
                (None, _) if inside[at..].starts_with(close) => {
                    end = Some(at);
                    break;
                }
                _ => {}
            }
        }
        let Some(end) = end else { return Err(format!("a tag {open} is not closed by {close}")) };
        if open == "{%" && inside[..end].trim_matches(|c: char| c == '-' || c.is_whitespace()) == "raw" {
            return Err("it has a raw block; a section has none".to_string());
        }
        rest = &inside[end + 2..];
    }
    Ok(())
}

fn environment() -> Environment<'static> {
    let mut env = Environment::empty();
    env.set_fuel(Some(STEPS_MAX));
    env.set_recursion_limit(DEPTH_MAX);
    // What is not there just now writes nothing: tables have other rows at each prompt.
    env.set_undefined_behavior(UndefinedBehavior::Chainable);
    // A text that a block caught is escaped by then, and known to be.
    env.set_auto_escape_callback(|_| AutoEscape::Custom("markdown"));
    env.set_trim_blocks(true);
    env.set_lstrip_blocks(true);
    let left = AtomicUsize::new(WRITTEN_MAX);
    env.set_formatter(move |out, _, value| put(out, value, &left));
    env.add_filter("length", filters::length);
    env.add_filter("count", filters::length);
    env.add_filter("default", filters::default);
    env.add_filter("first", filters::first);
    env.add_filter("last", filters::last);
    env.add_filter("lower", filters::lower);
    env.add_filter("upper", filters::upper);
    env.add_filter("reverse", filters::reverse);
    env.add_filter("sort", filters::sort);
    env.add_filter("round", filters::round);
    env.add_filter("abs", filters::abs);
    env.add_filter("min", filters::min);
    env.add_filter("max", filters::max);
    env.add_filter("sum", filters::sum);
    env.add_filter("map", filters::map);
    env.add_filter("selectattr", filters::selectattr);
    env.add_filter("rejectattr", filters::rejectattr);
    env.add_filter("join", join);
    env.add_test("defined", tests::is_defined);
    env.add_test("none", tests::is_none);
    env.add_test("eq", tests::is_eq);
    env.add_test("ne", tests::is_ne);
    env.add_test("gt", tests::is_gt);
    env.add_test("ge", tests::is_ge);
    env.add_test("lt", tests::is_lt);
    env.add_test("le", tests::is_le);
    env
}

/// A list as one text, bounded: a list may hold one text many times.
fn join(list: &Value, between: Option<String>) -> Result<String, Error> {
    let between = between.unwrap_or_default();
    let mut joined = String::new();
    for (n, item) in list.try_iter()?.enumerate() {
        if n > 0 {
            joined.push_str(&between);
        }
        joined.push_str(&item.to_string());
        if joined.len() > WRITTEN_MAX {
            return Err(Error::new(ErrorKind::InvalidOperation, too_long()));
        }
    }
    Ok(joined)
}

/// One value on its way out. Texts that a block caught before are escaped already.
fn put(out: &mut Output, value: &Value, left: &AtomicUsize) -> Result<(), Error> {
    let written = match value.kind() {
        ValueKind::Undefined | ValueKind::None => return Ok(()),
        _ if value.is_safe() => value.to_string(),
        _ => escaped(&text::line(&value.to_string(), VALUE_CHARS)),
    };
    let before = left.load(Ordering::Relaxed);
    let Some(after) = before.checked_sub(written.len()) else {
        return Err(Error::new(ErrorKind::InvalidOperation, too_long()));
    };
    left.store(after, Ordering::Relaxed);
    out.write_str(&written).map_err(|_| Error::from(ErrorKind::WriteFailure))
}

/// Every mark that markdown knows, without its force.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if c.is_ascii_punctuation() && !matches!(c, ',' | '\'' | '(' | ')' | '?' | '!' | ';' | '%' | '/' | '"') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn told(error: &Error) -> String {
    let what = match error.kind() {
        ErrorKind::OutOfFuel => return format!("it takes more than {STEPS_MAX} steps"),
        ErrorKind::SyntaxError => "it is no template",
        ErrorKind::UnknownFilter => "it uses a filter that there is not",
        ErrorKind::UnknownTest => "it uses a test that there is not",
        ErrorKind::UnknownFunction | ErrorKind::UnknownMethod => "it calls a function, and there are none",
        _ => "it cannot be worked out",
    };
    let line = error.line().filter(|line| *line > 1).map_or(String::new(), |line| format!(", in line {line}"));
    match error.detail() {
        Some(detail) => format!("{what}{line}: {}", text::line(detail, 120)),
        None => format!("{what}{line}"),
    }
}

#[cfg(test)]
mod unit_tests {
    use super::*;
    use serde_json::json;

    fn values() -> Values {
        let state = json!({
            "notes": [{"id": 1, "text": "# shout"}, {"id": 2, "text": "a *b* `c`\n- d: e"}],
            "many": (0..60).collect::<Vec<_>>(),
            "hp": 12,
        });
        Values::from([("state", value(state))])
    }

    #[test]
    fn values_are_escaped_and_what_is_not_there_is_nothing() {
        for (source, wanted) in [
            (
                "{% for note in state.notes %}\n- {{ note.text }}\n{% endfor %}",
                "- \\# shout\n- a \\*b\\* 'c' \\- d\\: e\n",
            ),
            ("hp {{ state.hp }}{{ state.gone.further }}{{ state.notes[7].text }}", "hp 12"),
            (
                "{{ state.notes|length }} {{ state.many[:3]|join(\", \") }} {{ state.notes|map(attribute=\"id\")|join }}",
                "2 0, 1, 2 12",
            ),
            ("{{ state.notes|selectattr(\"id\", \"gt\", 1)|map(attribute=\"id\")|first }}", "2"),
            ("{% set x %}{{ state.notes[0].text }}{% endset %}{{ x }}", "\\# shout"),
            ("{% autoescape false %}{{ state.notes[0].text }}{% endautoescape %}", "\\# shout"),
            ("{% if state.hp < 20 and state.notes[0].id is eq 1 %}low{% endif %}", "low"),
        ] {
            assert_eq!(check(source, &["state"]), Ok(()), "{source}");
            assert_eq!(write(source, &values()), Ok(wanted.to_string()), "{source}");
        }
        assert_eq!(holds("state.hp < 20", &values()), Ok(true));
        assert_eq!(holds("state.hp < 2 or state.gone", &values()), Ok(false));
    }

    #[test]
    fn what_has_no_end_or_would_grow_is_refused_in_words() {
        let loops = "{% for a in state.many %}{% for b in state.many %}{% for c in state.many %}x{% endfor %}{% endfor %}{% endfor %}";
        let long = format!(
            "{{% for a in state.many %}}{{% for b in state.many[:9] %}}{}{{% endfor %}}{{% endfor %}}",
            "y".repeat(60)
        );
        let caught = "{% set a %}{% for b in state.many %}{{ state.notes[1].text }}{% endfor %}{% endset %}\
                      {% set a %}{{ a }}{{ a }}{{ a }}{% endset %}\
                      {% set a %}{{ a }}{{ a }}{{ a }}{{ a }}{{ a }}{% endset %}{{ a }}";
        for (source, why) in [
            (loops, "more than 10000 steps"),
            (&*long, "more than 16384 bytes"),
            (caught, "more than 16384 bytes"),
            ("{{ \"x\" * 1000000000 }}", "with * inside"),
            ("{{ state.hp ~ state.hp }}", "with ~ inside"),
            ("{{ {\"a\": 1}.a }}", "brace inside"),
            ("{# \" #}{{ \"x\" * 9 }}", "comment"),
            ("{% raw %}{{ \" {% endraw %}{{ \"x\" * 9 }}", "raw block"),
            ("{{ state.hp", "is not closed"),
            ("{% for x in state.many %}", "no template"),
            ("{{ state.notes|safe }}", "filter that there is not"),
            ("{{ range(9) }}", "range"),
            ("{{ world.secrets }}", "there is no world"),
            ("{{ state.notes|sort(attribute=) }}", "no template"),
            ("{% include \"x\" %}", "no template"),
        ] {
            let error = check(source, &["state"]).and_then(|()| write(source, &values()));
            assert!(error.as_ref().is_err_and(|error| error.contains(why)), "{source}: {error:?}");
        }
    }
}
