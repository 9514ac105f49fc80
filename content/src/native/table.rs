//! Reading the tables of a TOML file field by field, with the line of whatever is wrong.
//!
//! A field that was read is taken out of its table; what is left at `end` is unknown and said to be. Nothing here knows
//! which fields there are. Invariant: a wrong field costs that field, never the rest of the file.

use super::numbers::{Numbers, shown_hundredths};
use super::wording::{self, Wrong};
use crate::draft::Draft;
use crate::origins::Place;
use crate::paragraphs::flowed;
use crate::source::Source;
use crate::{Text, Vnum};
use serde::de::DeserializeOwned;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

/// One TOML file while it is read.
pub(crate) struct File<'f, 'r> {
    pub draft: &'f mut Draft<'r>,
    path: &'f str,
    file: u32,
    /// Where each line begins, in bytes.
    lines: Vec<usize>,
}

/// A table of the file and what is still unread of it.
pub(crate) struct Table<'t> {
    fields: DeTable<'t>,
    /// What problems call it: "room", "exit".
    kind: &'static str,
    pub line: u32,
}

/// Parses the file and lets `read` take what it wants from it; everything else in it is a warning. Syntax errors are
/// problems, and what stands around them is still read; but nothing else is said of such a file, since much of it may
/// be missing only for them.
pub(crate) fn read_file<R>(
    draft: &mut Draft,
    path: &str,
    text: &str,
    read: impl FnOnce(&mut File, &mut Table) -> R,
) -> R {
    let text = Source::with_plain_line_breaks(text);
    let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let file = draft.origins.file(path);
    let mut file = File { draft, path, file, lines };
    let (root, errors) = DeTable::parse_recoverable(&text);
    let is_toml = errors.is_empty();
    for error in errors {
        let line = file.line_at(error.span().unwrap_or_default());
        file.error(line, format!("this is not TOML: {}", error.message()));
    }
    let said = file.draft.problems.0.len();
    let mut root = Table { fields: root.into_inner(), kind: "file", line: 0 };
    let result = read(&mut file, &mut root);
    file.end(root);
    if !is_toml {
        file.draft.problems.0.truncate(said);
        file.draft.unparsed.insert(path.to_owned());
    }
    result
}

impl File<'_, '_> {
    pub fn place(&self, line: u32) -> Place {
        Place { file: self.file, line }
    }

    /// Where the field stands, while it is unread; else where its table begins.
    pub fn place_of_field(&self, table: &Table, key: &str) -> Place {
        self.place(self.line_of(table, key))
    }

    /// The line of the field, while it is unread; else of the beginning of its table.
    pub fn line_of(&self, table: &Table, key: &str) -> u32 {
        table.fields.get(key).map_or(table.line, |value| self.line_at(value.span()))
    }

    pub fn error(&mut self, line: u32, what: impl Into<String>) {
        self.draft.problems.error(self.path, line, what);
    }

    pub fn warn(&mut self, line: u32, what: impl Into<String>) {
        self.draft.problems.warning(self.path, line, what);
    }

    pub fn share(&mut self, text: &str) -> Text {
        self.draft.texts.share(text)
    }

    fn line_at(&self, span: Range<usize>) -> u32 {
        self.lines.partition_point(|start| *start <= span.start) as u32
    }

    /// The rows of `[[key]]`, or of an array of inline tables. Empty when there are none.
    pub fn rows<'t>(&mut self, table: &mut Table<'t>, key: &'static str) -> Vec<Table<'t>> {
        let Some(value) = table.fields.remove(key) else { return Vec::new() };
        let line = self.line_at(value.span());
        let DeValue::Array(array) = value.into_inner() else {
            self.error(line, format!("{key} should be [[{key}]] rows"));
            return Vec::new();
        };
        array.into_iter().filter_map(|value| self.as_table(value, key)).collect()
    }

    /// The table of `[key]` or `key = { … }`.
    pub fn table<'t>(&mut self, table: &mut Table<'t>, key: &'static str) -> Option<Table<'t>> {
        let value = table.fields.remove(key)?;
        self.as_table(value, key)
    }

    fn as_table<'t>(&mut self, value: Spanned<DeValue<'t>>, kind: &'static str) -> Option<Table<'t>> {
        let line = self.line_at(value.span());
        match value.into_inner() {
            DeValue::Table(fields) => Some(Table { fields, kind, line }),
            other => {
                self.error(line, format!("{kind} should be a table, not a {}", other.type_str()));
                None
            }
        }
    }

    /// The field, if it is there and right; a wrong one is an error.
    pub fn field<T: DeserializeOwned>(&mut self, table: &mut Table, key: &str) -> Option<T> {
        let value = table.fields.remove(key)?;
        let (line, whole) = (self.line_at(value.span()), wording::shown(value.get_ref()));
        match T::deserialize(ValueDeserializer::from(value)) {
            Ok(value) => Some(value),
            Err(error) => {
                self.error(line, wording::told(key, error.message(), &whole));
                None
            }
        }
    }

    /// The whole table as one value, if it is right; a wrong one is an error where the fault is, or where it begins.
    pub fn whole<T: DeserializeOwned>(&mut self, table: Table) -> Option<T> {
        let Table { fields, line, kind } = table;
        match T::deserialize(ValueDeserializer::from(Spanned::new(0..0, DeValue::Table(fields.clone())))) {
            Ok(value) => Some(value),
            Err(error) => {
                let (key, at) = blamed(&fields, error.message());
                let span = at.or(error.span()).filter(|span| !span.is_empty());
                let line = span.map_or(line, |span| self.line_at(span));
                let shown = key.and_then(|key| fields.get(key)).map(|value| wording::shown(value.get_ref()));
                let shown = shown.unwrap_or_else(|| "a table".to_string());
                self.error(line, wording::told(key.unwrap_or(kind), error.message(), &shown));
                None
            }
        }
    }

    /// The field; where it is missing or wrong that is an error.
    pub fn needed<T: DeserializeOwned>(&mut self, table: &mut Table, key: &str) -> Option<T> {
        if !table.fields.contains_key(key) {
            self.missing(table, key);
        }
        self.field(table, key)
    }

    pub fn missing(&mut self, table: &Table, key: &str) {
        self.error(table.line, format!("{} without {key}", table.kind));
    }

    /// The text without its last line break, if the field is there.
    pub fn text_if_any(&mut self, table: &mut Table, key: &str) -> Option<Text> {
        let value = table.fields.remove(key)?;
        let line = self.line_at(value.span());
        match value.into_inner() {
            DeValue::String(text) => Some(self.share(text.strip_suffix('\n').unwrap_or(&text))),
            other => {
                self.error(line, format!("{key} should be a text, not a {}", other.type_str()));
                None
            }
        }
    }

    /// The text, empty when the field is not there.
    pub fn text(&mut self, table: &mut Table, key: &str) -> Text {
        self.text_if_any(table, key).unwrap_or_else(|| self.share(""))
    }

    /// A description, whose line ends are blanks; empty when the field is not there.
    pub fn paragraphs(&mut self, table: &mut Table, key: &str) -> Text {
        let text = self.text(table, key);
        let flowing = flowed(&text);
        if *flowing == *text { text.clone() } else { self.share(&flowing) }
    }

    /// The description; where it is missing that is an error.
    pub fn needed_paragraphs(&mut self, table: &mut Table, key: &str) -> Text {
        if !table.fields.contains_key(key) {
            self.missing(table, key);
        }
        self.paragraphs(table, key)
    }

    /// The text; where it is missing that is an error.
    pub fn needed_text(&mut self, table: &mut Table, key: &str) -> Text {
        if !table.fields.contains_key(key) {
            self.missing(table, key);
        }
        self.text(table, key)
    }

    /// The whole number, if it is there and one; where it is outside of what there is, that is an error in its line. It
    /// is kept all the same: who plays a world with errors has it as it stands.
    pub fn number(&mut self, table: &mut Table, key: &str, numbers: Numbers) -> Option<i32> {
        let line = self.line_of(table, key);
        let number: i32 = self.field(table, key)?;
        if !numbers.contains(&number) {
            self.error(line, format!("{key} should be {} to {}, not {number}", numbers.start(), numbers.end()));
        }
        Some(number)
    }

    /// The number; where it is missing or wrong that is an error.
    pub fn needed_number(&mut self, table: &mut Table, key: &str, numbers: Numbers) -> Option<i32> {
        if !table.fields.contains_key(key) {
            self.missing(table, key);
        }
        self.number(table, key, numbers)
    }

    /// Two numbers, the lower one first.
    pub fn range(&mut self, table: &mut Table, key: &str, numbers: Numbers) -> Option<(i32, i32)> {
        let line = self.line_of(table, key);
        let range: (i32, i32) = self.field(table, key)?;
        if range.0 > range.1 {
            self.error(line, format!("{key} should be [first, last], from low to high"));
        } else if !numbers.contains(&range.0) || !numbers.contains(&range.1) {
            let (from, to) = (numbers.start(), numbers.end());
            self.error(line, format!("{key} should be within {from} to {to}, not [{}, {}]", range.0, range.1));
        }
        Some(range)
    }

    /// A decimal number in hundredths, as the bounds are.
    pub fn hundredths(&mut self, table: &mut Table, key: &str, numbers: Numbers) -> Option<i32> {
        let line = self.line_of(table, key);
        let number: f64 = self.field(table, key)?;
        // What is no number at all is none of them either.
        let hundredths = (number * 100.0).round();
        if !(f64::from(*numbers.start())..=f64::from(*numbers.end())).contains(&hundredths) {
            let (from, to) = (shown_hundredths(*numbers.start()), shown_hundredths(*numbers.end()));
            self.error(line, format!("{key} should be {from} to {to}, not {number}"));
        }
        Some(hundredths as i32)
    }

    /// The number that a row is known by, and the end of reading it where there is none.
    pub fn vnum(&mut self, table: &mut Table) -> Option<Vnum> {
        self.needed_number(table, "vnum", super::numbers::VNUM)
    }

    /// The names of what is unread of a table, by the alphabet.
    pub fn keys(&mut self, table: &Table) -> Vec<Text> {
        let mut keys: Vec<Text> = table.fields.keys().map(|key| Text::from(&**key.get_ref())).collect();
        keys.sort();
        keys
    }

    /// Warns about every field that nobody asked for.
    pub fn end(&mut self, table: Table) {
        for (key, _) in table.fields {
            let line = self.line_at(key.span());
            self.warn(line, format!("unknown field {:?} in {}: it is not read", key.get_ref(), table.kind));
        }
    }
}

/// The field of a table that a message about the whole of it means, as far as the message shows that, and where that
/// stands. (Serde reads a table whose kind is among its fields in a way that forgets both.)
fn blamed<'f>(fields: &'f DeTable, message: &str) -> (Option<&'f str>, Option<Range<usize>>) {
    let holding = |what: &str| {
        let mut all = fields.iter().map(|(key, value)| (key.get_ref().as_ref(), value));
        all.find(|(_, value)| wording::holds(value.get_ref(), what)).map(|(key, value)| (key, value.span()))
    };
    let found = match wording::understood(message) {
        Wrong::Value { got, .. } => holding(&got),
        Wrong::Word { got, .. } => holding(&format!("{got:?}")),
        // The message names it by itself.
        Wrong::Unknown { field, .. } => {
            let key = fields.keys().find(|key| *key.get_ref() == *field);
            return (None, key.map(|key| key.span()));
        }
        Wrong::Missing(_) | Wrong::Other(_) => None,
    };
    found.map_or((None, None), |(key, span)| (Some(key), Some(span)))
}

impl Table<'_> {
    /// True while a field of that name is unread.
    pub fn has(&self, key: &str) -> bool {
        self.fields.contains_key(key)
    }
}
