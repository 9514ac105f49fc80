//! What each line of a rendered text comes from: one `Origin` a line, in the same order.
//!
//! Data formats write the path of whatever they show; so the lines of a text are read for their paths, and what the
//! nodes know of a path (rows of the log, memories) is put beside what the index of fields says. Markdown tells its own
//! lines while it writes (`markdown::traced`). Invariant: as many origins as lines.

use crate::hud::index::{INDEX, source_of};
use crate::hud::node::{Node, Table};
use crate::hud::origin::Origin;
use serde_json::Value;
use std::collections::BTreeMap;

/// What nodes say of what they come from, by paths.
#[derive(Clone, Debug, Default)]
pub struct Known {
    tick: u64,
    fields: BTreeMap<String, Origin>,
    rows: BTreeMap<String, Vec<Origin>>,
    beginnings: Vec<(&'static str, Origin)>,
    /// A beginning that fields of the index have here and not there.
    outside: &'static str,
}

/// The path of a key below another path.
pub fn below(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_string() } else { format!("{path}.{key}") }
}

impl Known {
    pub fn of(nodes: &[Node], tick: u64) -> Known {
        let mut known = Known { tick, ..Known::default() };
        nodes.iter().for_each(|node| known.collect(node, "", None));
        known
    }

    /// Of a document with names of its own: by the beginnings of its paths. What stands below `outside` has the names
    /// of the index.
    pub fn by_beginnings(beginnings: Vec<(&'static str, Origin)>, outside: &'static str, tick: u64) -> Known {
        Known { beginnings, outside, tick, ..Known::default() }
    }

    /// All of them.
    pub fn beginnings(self) -> impl Iterator<Item = Origin> {
        self.beginnings.into_iter().map(|(_, origin)| origin)
    }

    fn begun(&self, path: &str) -> Option<Origin> {
        let begins = |(beginning, _): &&(&str, Origin)| path.starts_with(beginning);
        self.beginnings.iter().find(begins).map(|(_, origin)| origin.clone())
    }

    fn collect(&mut self, node: &Node, path: &str, from: Option<&Origin>) {
        match node {
            Node::Group(nodes) => nodes.iter().for_each(|node| self.collect(node, path, from)),
            Node::Named(key, inner) => self.collect(inner, &below(path, key), from),
            Node::From(origin, inner) => self.collect(inner, path, Some(origin)),
            Node::Fields(fields) => {
                let told = fields.iter().filter_map(|(key, _)| Some((below(path, key), from?.clone())));
                self.fields.extend(told);
            }
            Node::Table(Table { from: rows, .. }) | Node::Outline { table: Table { from: rows, .. }, .. } => {
                if !rows.is_empty() {
                    self.rows.insert(path.to_string(), rows.clone());
                } else if let Some(from) = from {
                    self.fields.insert(path.to_string(), from.clone());
                }
            }
            Node::List { items, .. } if items.iter().any(|item| item.from.is_some()) => {
                let rows = items.iter().map(|item| item.from.clone().unwrap_or(Origin::Layout));
                self.rows.insert(path.to_string(), rows.collect());
            }
            _ => {
                if let Some(from) = from {
                    self.fields.insert(path.to_string(), from.clone());
                }
            }
        }
    }

    /// Of a value at a path: `row`, where it stands in that row of what is at `above`.
    fn at(&self, path: &str, row: Option<(&str, usize)>) -> Origin {
        if let Some(origin) = self.begun(path) {
            return origin;
        }
        let path = path.strip_prefix(self.outside).unwrap_or(path);
        let of_row = row.and_then(|(above, row)| self.rows.get(above)?.get(row));
        if let Some(origin) = of_row.or_else(|| self.fields.get(path)) {
            return origin.clone();
        }
        if let Some(rows) = self.rows.get(path) {
            return Origin::all(rows.iter().cloned());
        }
        if let Some(origin) = row.and_then(|(above, _)| self.fields.get(above)) {
            return origin.clone();
        }
        if let Some(rest) = path.strip_prefix("core_memory.") {
            return Origin::CoreMemory(rest.replace("[]", ""));
        }
        match source_of(path) {
            Some(source) => Origin::Fields(vec![source], self.tick),
            // What only holds fields.
            None => {
                let holds = || INDEX.iter().any(|field| field.path.starts_with(&format!("{path}.")));
                debug_assert!(!self.beginnings.is_empty() || holds(), "{path} is not in the index");
                Origin::Layout
            }
        }
    }

    /// Of a row with these columns, or of the line above all rows where there is none.
    fn row(&self, path: &str, row: Option<usize>, columns: &[String]) -> Origin {
        if let Some(origin) = self.begun(path) {
            return origin;
        }
        let path = path.strip_prefix(self.outside).unwrap_or(path);
        if let Some(row) = row
            && let Some(origin) = self.rows.get(path).and_then(|rows| rows.get(row))
        {
            return origin.clone();
        }
        if let Some(origin) = self.fields.get(path) {
            return origin.clone();
        }
        if path.starts_with("core_memory") {
            return self.at(path, None);
        }
        let paths: Vec<String> = columns.iter().map(|column| format!("{path}[].{column}")).collect();
        Origin::of_paths(paths.iter().map(String::as_str), self.tick)
    }

    /// Of a node without lines of data, in markdown.
    pub fn prose(&self, path: &str, row: Option<usize>) -> Origin {
        self.at(path, row.map(|row| (path, row)))
    }

    /// Of the lines of a TOON document below `base`.
    pub fn toon(&self, text: &str, base: &str) -> Vec<Origin> {
        let mut open: Vec<Open> = Vec::new();
        text.lines().map(|line| self.toon_line(line, base, &mut open)).collect()
    }

    fn toon_line(&self, line: &str, base: &str, open: &mut Vec<Open>) -> Origin {
        let rest = line.trim_start();
        let indent = line.len() - rest.len();
        while open.last().is_some_and(|above| above.indent >= indent) {
            open.pop();
        }
        if let Some(table) = open.last_mut().filter(|above| above.columns.is_some()) {
            let row = table.next_row();
            return self.row(&table.path, Some(row), table.columns.as_deref().unwrap_or_default());
        }
        let (mut path, mut row) = match open.last() {
            Some(above) => (above.path.clone(), above.row.clone()),
            None => (base.to_string(), None),
        };
        let mut rest = rest;
        if let Some(item) = rest.strip_prefix('-').filter(|item| item.is_empty() || item.starts_with(' ')) {
            let Some(list) = open.last_mut() else { return self.at(&path, None) };
            row = Some((list.path.clone(), list.next_row()));
            path = format!("{}[]", list.path);
            open.push(Open { indent, path: path.clone(), row: row.clone(), columns: None, rows: 0 });
            rest = item.trim_start();
            if rest.is_empty() {
                return self.at(&path, row.as_ref().map(|(above, row)| (above.as_str(), *row)));
            }
        }
        let of_row = |row: &Option<(String, usize)>, path: &str| {
            self.at(path, row.as_ref().map(|(above, row)| (above.as_str(), *row)))
        };
        let Some((key, after)) = key_of(rest) else { return of_row(&row, &path) };
        let path = below(&path, &key);
        match header(after) {
            // A value on the same line.
            None => of_row(&row, &path),
            Some((columns, is_open)) => {
                let told = match &columns {
                    Some(columns) => self.row(&path, None, columns),
                    None if after.starts_with('[') && !self.rows.contains_key(&path) => of_row(&row, &path),
                    None if after.starts_with('[') && !is_open => of_row(&row, &path),
                    None => Origin::Layout,
                };
                if is_open {
                    open.push(Open { indent, path, row, columns, rows: 0 });
                }
                told
            }
        }
    }

    /// Of the lines of a JSON document.
    pub fn json(&self, text: &str) -> Vec<Origin> {
        let mut open: Vec<Open> = Vec::new();
        text.lines().map(|line| self.json_line(line, &mut open)).collect()
    }

    fn json_line(&self, line: &str, open: &mut Vec<Open>) -> Origin {
        let rest = line.trim();
        if rest.starts_with('}') || rest.starts_with(']') {
            open.pop();
            return Origin::Layout;
        }
        let (path, row) = match open.last_mut() {
            // `columns` marks an array.
            Some(above) if above.columns.is_some() => {
                (format!("{}[]", above.path), Some((above.path.clone(), above.next_row())))
            }
            Some(above) => (above.path.clone(), above.row.clone()),
            None => (String::new(), None),
        };
        let is_item = open.last().is_some_and(|above| above.columns.is_some());
        let (path, value) = match key_of(rest).filter(|_| !is_item) {
            Some((key, after)) => (below(&path, &key), after.strip_prefix(':').unwrap_or(after).trim()),
            None => (path, rest),
        };
        let told = |known: &Known| known.at(&path, row.as_ref().map(|(above, row)| (above.as_str(), *row)));
        let origin = match value {
            "{" if path.is_empty() => Origin::Layout,
            "{" if is_item && row.as_ref().is_some_and(|(above, _)| !self.rows.contains_key(above)) => Origin::Layout,
            "[" if self.rows.contains_key(&path) => Origin::Layout,
            _ => told(self),
        };
        if value == "{" || value == "[" {
            let columns = (value == "[").then(Vec::new);
            open.push(Open { indent: 0, path, row, columns, rows: 0 });
        }
        origin
    }

    /// Of a document in one line.
    pub fn one_line(&self, value: &Value) -> Origin {
        Origin::all(self.json(&format!("{value:#}")))
    }
}

/// What lines further down belong to.
struct Open {
    indent: usize,
    path: String,
    /// The row that it stands in: of what, and the how-manieth.
    row: Option<(String, usize)>,
    /// Of a table; of JSON, that it is an array.
    columns: Option<Vec<String>>,
    rows: usize,
}

impl Open {
    fn next_row(&mut self) -> usize {
        self.rows += 1;
        self.rows - 1
    }
}

/// The key that a line begins with, and what follows it from `:` or `[` on.
fn key_of(line: &str) -> Option<(String, &str)> {
    if line.starts_with('"') {
        let mut values = serde_json::Deserializer::from_str(line).into_iter::<String>();
        let key = values.next()?.ok()?;
        let after = &line[values.byte_offset()..];
        return after.starts_with([':', '[']).then_some((key, after));
    }
    let end = line.find([':', '[', ' ', ',', '"'])?;
    let after = &line[end..];
    after.starts_with([':', '[']).then(|| (line[..end].to_string(), after))
}

/// Of what follows a key in TOON: the columns of a table, and whether lines further down belong to it. `None`: a value.
fn header(after: &str) -> Option<(Option<Vec<String>>, bool)> {
    if after == ":" {
        return Some((None, true));
    }
    let rest = after.strip_prefix('[')?;
    let rest = &rest[rest.find(']')? + 1..];
    match rest.strip_prefix('{') {
        Some(columns) => {
            let end = columns.rfind("}:")?;
            let names = columns[..end].split(',').map(|name| name.trim_matches('"').to_string());
            Some((Some(names.collect()), true))
        }
        None => Some((None, rest == ":")),
    }
}
