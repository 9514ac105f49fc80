//! Writing TOML by hand: one field per line, defaults left out, long texts in `"""`. The order is that of the calls.
//!
//! Invariant: every text comes back as it was, whatever characters are in it.

use crate::Text;
use crate::paragraphs::in_lines;
use std::fmt::{Display, Write};

/// The text of a file in the making.
#[derive(Default)]
pub(crate) struct Toml {
    text: String,
}

/// All records one after the other; empty without any.
pub(crate) fn rows<T>(records: &[&T], write: impl Fn(&T, &mut Toml)) -> String {
    let mut toml = Toml::default();
    for record in records {
        write(record, &mut toml);
    }
    toml.finish()
}

impl Toml {
    pub fn finish(self) -> String {
        self.text
    }

    /// A line as it is.
    pub fn line(&mut self, line: impl Display) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{line}");
    }

    /// `[[room]]` or `[room.exits.north]`, with an empty line before it unless it is the first.
    pub fn header(&mut self, header: impl Display) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.line(header);
    }

    /// `key = value`, the value being TOML already.
    pub fn raw(&mut self, key: &str, value: impl Display) {
        self.line(format_args!("{key} = {value}"));
    }

    pub fn number(&mut self, key: &str, value: i32) {
        self.raw(key, value);
    }

    /// Left out when it is the default.
    pub fn number_unless(&mut self, key: &str, value: i32, default: i32) {
        if value != default {
            self.raw(key, value);
        }
    }

    pub fn number_if_any(&mut self, key: &str, value: Option<i32>) {
        if let Some(value) = value {
            self.raw(key, value);
        }
    }

    /// Left out when false.
    pub fn flag(&mut self, key: &str, value: bool) {
        if value {
            self.raw(key, value);
        }
    }

    /// A word in quotes, left out when it is the default.
    pub fn word_unless<T: Display + PartialEq>(&mut self, key: &str, word: T, default: T) {
        if word != default {
            self.raw(key, format_args!("\"{word}\""));
        }
    }

    /// Names of flags or of scripts, left out when there are none.
    pub fn names<'n>(&mut self, key: &str, names: impl Iterator<Item = &'n str>) {
        let list: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
        if !list.is_empty() {
            self.raw(key, format_args!("[{}]", list.join(", ")));
        }
    }

    /// Texts of any kind, left out when there are none.
    pub fn texts(&mut self, key: &str, texts: &[Text]) {
        if !texts.is_empty() {
            let list: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
            self.raw(key, format_args!("[{}]", list.join(", ")));
        }
    }

    /// Numbers, left out when there are none.
    pub fn numbers(&mut self, key: &str, numbers: &[i32]) {
        if !numbers.is_empty() {
            self.raw(key, format_args!("{numbers:?}"));
        }
    }

    /// Hundredths as a decimal number.
    pub fn hundredths(&mut self, key: &str, value: i32) {
        let sign = if value < 0 { "-" } else { "" };
        let (whole, part) = (value.unsigned_abs() / 100, value.unsigned_abs() % 100);
        if part.is_multiple_of(10) {
            self.raw(key, format_args!("{sign}{whole}.{}", part / 10));
        } else {
            self.raw(key, format_args!("{sign}{whole}.{part:02}"));
        }
    }

    /// A text, in `"""` when it has line breaks; a last line break is added there, which reading takes off again.
    pub fn text(&mut self, key: &str, text: &str) {
        if text.contains('\n') {
            self.raw(key, format_args!("\"\"\"\n{}\n\"\"\"", escaped_lines(text)));
        } else {
            self.raw(key, quoted(text));
        }
    }

    /// A description, in lines that are easy to edit.
    pub fn paragraphs(&mut self, key: &str, text: &str) {
        self.text(key, &in_lines(text));
    }

    /// Left out when empty.
    pub fn paragraphs_unless_empty(&mut self, key: &str, text: &str) {
        if !text.is_empty() {
            self.paragraphs(key, text);
        }
    }

    /// Left out when empty.
    pub fn text_unless_empty(&mut self, key: &str, text: &str) {
        if !text.is_empty() {
            self.text(key, text);
        }
    }
}

/// The text as a string in one line.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    escape(&mut quoted, text, |c| c == '"' || c == '\n');
    quoted.push('"');
    quoted
}

/// A text for a table in one line; reading takes one last line break off, so one that matters is doubled.
pub(crate) fn inline_text(text: &str) -> String {
    if text.ends_with('\n') { quoted(&format!("{text}\n")) } else { quoted(text) }
}

/// The text as it stands between `"""`.
fn escaped_lines(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    // Of three quotes in a row, which would end the text, the third is escaped.
    let mut parts = text.split("\"\"\"");
    escape(&mut escaped, parts.next().unwrap_or_default(), |_| false);
    for part in parts {
        escaped.push_str("\"\"\\\"");
        escape(&mut escaped, part, |_| false);
    }
    escaped
}

/// Adds the text with backslashes, control characters (line breaks only on demand) and what is `special` escaped.
fn escape(into: &mut String, text: &str, special: impl Fn(char) -> bool) {
    let needs = |c: char| c == '\\' || (c.is_control() && c != '\n') || special(c);
    let mut rest = text;
    while let Some(at) = rest.find(needs) {
        into.push_str(&rest[..at]);
        let c = rest[at..].chars().next().unwrap_or_default();
        match c {
            '"' | '\\' => into.extend(['\\', c]),
            '\t' => into.push_str("\\t"),
            '\n' => into.push_str("\\n"),
            // Writing to a String cannot fail.
            _ => drop(write!(into, "\\u{:04X}", u32::from(c))),
        }
        rest = &rest[at + c.len_utf8()..];
    }
    into.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_written_so_that_people_can_read_it() {
        let mut toml = Toml::default();
        toml.text("short", "a \"fine\" sword");
        toml.text("long", "One \\ line.\nTwo \"\"\"\" lines.");
        toml.hundredths("factor", 115);
        toml.hundredths("percent", 10_000);
        toml.hundredths("low", -5);
        let expected = "short = \"a \\\"fine\\\" sword\"\n\
                        long = \"\"\"\nOne \\\\ line.\nTwo \"\"\\\"\" lines.\n\"\"\"\n\
                        factor = 1.15\npercent = 100.0\nlow = -0.05\n";
        assert_eq!(toml.finish(), expected);
    }
}
