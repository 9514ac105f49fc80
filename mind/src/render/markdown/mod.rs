//! Markdown, both ways: headings of ours, prose as it is, and TOON for tables and fields.
//!
//! Invariants: only `Node::Heading` makes a heading and only `Node::Code` a fence. Rows of a table begin with two
//! spaces and a cell; a cell that markdown would take for a mark is put in quotes, which TOON reads as the same text.
//! `parse` gives back what is shown, and what it gives is written in the same bytes: a line that would not be is prose.

mod inline;
mod parse;
#[cfg(test)]
mod tests;

pub use parse::{outline, parse, read};

use super::trace::Known;
use crate::hud::node::{Inline, Key, Node, insert_table, values};
use crate::hud::origin::Origin;
use serde_json::{Map, Value};

pub fn render(nodes: &[Node]) -> String {
    let mut page = Page::default();
    nodes.iter().for_each(|node| page.write(node));
    page.text
}

/// What each line of the text comes from.
pub fn traced(nodes: &[Node], known: Known) -> Vec<Origin> {
    let mut page = Page { trace: Some(Trace { known, path: Vec::new(), origins: Vec::new() }), ..Page::default() };
    nodes.iter().for_each(|node| page.write(node));
    page.trace.map(|trace| trace.origins).unwrap_or_default()
}

/// A text that is being written.
#[derive(Default)]
struct Page {
    text: String,
    trace: Option<Trace>,
}

/// What is kept of its lines, where somebody wants to know.
struct Trace {
    known: Known,
    path: Vec<String>,
    origins: Vec<Origin>,
}

impl Page {
    fn write(&mut self, node: &Node) {
        if node.is_empty() {
            return;
        }
        match node {
            Node::Nothing => {}
            Node::Group(nodes) => nodes.iter().for_each(|node| self.write(node)),
            Node::From(_, inner) => self.write(inner),
            Node::Heading(level, title) => {
                self.push_layout(&format!("{} {title}", "#".repeat(usize::from((*level).clamp(1, 3)))));
            }
            Node::Named(key, inner) => self.write_named(key, inner),
            Node::Paragraph(pieces) => {
                self.push_line(&paragraph(pieces), None);
            }
            Node::Prose(text) => text.lines().for_each(|line| self.push_line(&disarmed(line), None)),
            Node::Quote(text) => {
                text.trim_end().lines().for_each(|line| self.push_line(format!("> {line}").trim_end(), None));
            }
            Node::Code(language, text) => {
                self.push_line(&format!("```{}", language.trim()), None);
                code_lines(text).for_each(|line| self.push_line(&line, None));
                self.push_line("```", None);
            }
            Node::List { ordered, items } => {
                for (n, item) in items.iter().enumerate() {
                    let mark = if *ordered { format!("{}.", n + 1) } else { "-".to_string() };
                    self.push_line(&item_line(&mark, &item.pieces), item.from.as_ref());
                }
            }
            Node::Fields(_) => self.push_data(&values(std::slice::from_ref(node))),
            Node::Table(table) => {
                let mut map = Map::new();
                insert_table("rows", table, &mut map);
                self.push_data(&Value::Object(map));
            }
            Node::Outline { rows, table } => {
                for (depth, item) in rows {
                    self.push_line(&item_line(&format!("{}-", "  ".repeat(*depth)), &item.pieces), item.from.as_ref());
                }
                if table.more > 0 {
                    self.push_line(&format!("- … {} more", table.more), None);
                }
            }
            Node::Data(value) => self.push_data(value),
            Node::Rule => self.push_layout("---"),
        }
    }

    /// Data gets its key; prose has a heading before it.
    fn write_named(&mut self, key: &Key, inner: &Node) {
        match inner {
            Node::Table(table) => {
                let mut map = Map::new();
                insert_table(key, table, &mut map);
                self.push_data(&Value::Object(map));
            }
            Node::Outline { .. } => {
                self.push_layout(&format!("{key}:"));
                self.inside(key, inner);
            }
            Node::Fields(_) | Node::Data(_) => {
                self.push_data(&Value::Object(Map::from_iter([(key.to_string(), inner.to_value())])));
            }
            prose => self.inside(key, prose),
        }
    }

    fn inside(&mut self, key: &Key, node: &Node) {
        if let Some(trace) = &mut self.trace {
            trace.path.push(key.to_string());
        }
        self.write(node);
        if let Some(trace) = &mut self.trace {
            trace.path.pop();
        }
    }

    fn push_layout(&mut self, line: &str) {
        self.push_line(line, Some(&Origin::Layout));
    }

    /// `from`: what it comes from, if its place does not say it. A line may have breaks in it.
    fn push_line(&mut self, line: &str, from: Option<&Origin>) {
        self.text.push_str(line);
        self.text.push('\n');
        if let Some(trace) = &mut self.trace {
            let origin = from.cloned().unwrap_or_else(|| trace.known.prose(&trace.path.join("."), None));
            let breaks = line.matches('\n').count();
            trace.origins.extend(std::iter::repeat_n(origin, breaks + 1));
        }
    }

    fn push_data(&mut self, value: &Value) {
        let text = fields(value);
        for line in text.lines() {
            self.text.push_str(&row(line));
            self.text.push('\n');
        }
        if let Some(trace) = &mut self.trace {
            trace.origins.extend(trace.known.toon(&text, &trace.path.join(".")));
        }
    }
}

/// Data as TOON, field by field. Alike objects without a name above them would be a table without one, which nothing
/// tells from prose.
fn fields(value: &Value) -> String {
    let text = super::toon::render(value);
    match value {
        Value::Object(fields) if text.starts_with('[') => {
            let alone = |(key, value): (&String, &Value)| Map::from_iter([(key.clone(), value.clone())]);
            fields.iter().map(|field| super::toon::render(&Value::Object(alone(field)))).collect()
        }
        _ => text,
    }
}

/// A line of TOON whose first cell markdown would take for a mark, with that cell in quotes. An unquoted cell holds
/// neither quote nor backslash, so nothing else changes.
fn row(line: &str) -> String {
    let start = line.len() - line.trim_start().len();
    let (indent, rest) = line.split_at(start);
    if let Some(item) = rest.strip_prefix("- ").filter(|_| start > 0) {
        let is_text = item.starts_with(['#', '>', '`', '~', '*', '+']);
        return if is_text { format!("{indent}- \"{item}\"") } else { line.to_string() };
    }
    let end = rest.find(',').unwrap_or(rest.len());
    let is_number = || rest[..end].parse::<f64>().is_ok();
    if start == 0 || !is_mark(rest) || is_number() || parse::end_of_key(rest).is_some() {
        return line.to_string();
    }
    format!("{indent}\"{}\"{}", &rest[..end], &rest[end..])
}

/// The beginning means something to markdown: a fence, a quote, a rule, a heading, a list.
fn is_mark(text: &str) -> bool {
    match text.chars().next() {
        Some('"' | '\'' | '(') | None => false,
        Some(c) if c.is_ascii_digit() => {
            let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
            rest.starts_with(". ") || rest.starts_with(") ")
        }
        Some(c) => c.is_ascii_punctuation(),
    }
}

/// The lines of preformatted text, without a fence in it.
fn code_lines(text: &str) -> impl Iterator<Item = String> {
    text.trim_end().lines().map(|line| line.replace('\r', " ").replace("```", "'''"))
}

fn item_line(mark: &str, pieces: &[Inline]) -> String {
    let pieces = inline::shown(pieces);
    // A number of something (`#12`) is no heading.
    let is_number =
        |text: &str| text.strip_prefix('#').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let line = match pieces.first() {
        Some(Inline::Text(text)) if is_number(text) => inline::write(&pieces).0,
        _ => guarded(&pieces),
    };
    format!("{mark} {line}").trim_end().to_string()
}

/// A line of its own, which nothing takes for data either.
fn paragraph(pieces: &[Inline]) -> String {
    let pieces = inline::shown(pieces);
    let line = guarded(&pieces);
    match (pieces.first(), parse::end_of_key(&line)) {
        (Some(Inline::Text(_)), Some(end)) if parse::is_data(&line) => format!("{}\\{}", &line[..end], &line[end..]),
        _ => line,
    }
}

/// The pieces in a line. A text that begins like a mark gets a backslash, which takes the mark's force.
fn guarded(pieces: &[Inline]) -> String {
    let (line, escaped) = inline::write(pieces);
    let is_text = matches!(pieces.first(), Some(Inline::Text(_)));
    let is_number = |line: &str| line.strip_suffix('.').is_some_and(|line| line.chars().all(|c| c.is_ascii_digit()));
    let means_something = is_text && (is_mark(&line) || is_number(&line));
    match line.find(|c: char| !c.is_ascii_digit()) {
        Some(_) if !means_something || (escaped && line.starts_with('\\')) => line,
        Some(at) => format!("{}\\{}", &line[..at], &line[at..]),
        None => line,
    }
}

/// The operator's prose: its headings become strong lines and its fences quotes, so ours stay the only ones.
fn disarmed(line: &str) -> String {
    let line = line.replace("```", "'''").replace("~~~", "'''");
    let text = line.trim_start();
    if text.starts_with('#') {
        let marks: &[char] = &['#', '-', '*', '+', '>', ' ', '\t'];
        let title = text.trim_start_matches(marks).trim_end_matches('#').trim_end();
        return if title.is_empty() { String::new() } else { format!("**{title}**") };
    }
    // A heading within a list or a quote is one too.
    let marks = text.len() - text.trim_start_matches(['-', '*', '+', '>', ' ']).len();
    if text[marks..].starts_with('#') {
        return format!("{}\\{}", &text[..marks], &text[marks..]).trim_end().to_string();
    }
    let bare = line.trim();
    let underline = !bare.is_empty() && (bare.chars().all(|c| c == '=') || bare.chars().all(|c| c == '-'));
    if underline { String::new() } else { line.trim_end().to_string() }
}
