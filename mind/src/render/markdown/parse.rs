//! Markdown read back as nodes.
//!
//! What our own writer wrote is what it was written of. Of whatever else, nothing is lost and nothing gains force: what
//! is no mark of ours is prose, where headings and fences have none.

use super::{disarmed, inline, item_line, render, row};
use crate::hud::node::{Inline, Item, Key, Node, Table, column, column_unless};
use crate::render::toon;
use serde_json::Value;
use toon_format::DecodeOptions;

/// The nodes that are written as this text, byte for byte, where a renderer wrote it. A line that no other node would
/// be written as is prose.
pub fn parse(text: &str) -> Vec<Node> {
    Reader::new(text, true).read()
}

/// The same of what people or models wrote by hand: marks that are well formed count, be they ours to the byte or not,
/// and `word: text` is a field. `read(parse)` of what a renderer wrote may differ in fields only.
pub fn read(text: &str) -> Vec<Node> {
    Reader::new(text, false).read()
}

struct Reader<'a> {
    lines: Vec<&'a str>,
    at: usize,
    /// Nothing is taken but what is written in the same bytes.
    exact: bool,
    nodes: Vec<Node>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, exact: bool) -> Reader<'a> {
        Reader { lines: text.lines().collect(), at: 0, exact, nodes: Vec::new() }
    }

    fn read(mut self) -> Vec<Node> {
        while self.at < self.lines.len() {
            let found = self.outline().or_else(|| self.data()).or_else(|| self.other());
            match found {
                Some((node, lines)) => {
                    self.push(node);
                    self.at += lines;
                }
                None => {
                    let line = self.lines[self.at];
                    self.push(Node::Prose(if self.exact { line.to_string() } else { disarmed(line) }));
                    self.at += 1;
                }
            }
        }
        self.nodes
    }

    /// What belongs together is one node.
    fn push(&mut self, node: Node) {
        match (self.nodes.last_mut(), node) {
            (Some(Node::Prose(before)), Node::Prose(line)) => {
                before.push('\n');
                before.push_str(&line);
            }
            (Some(Node::Fields(before)), Node::Fields(fields))
                if fields.iter().all(|(key, _)| before.iter().all(|(other, _)| other != key)) =>
            {
                before.extend(fields);
            }
            (_, node) => self.nodes.push(node),
        }
    }

    /// Whether a node is written as these lines; where that need not be, any is.
    fn is_exact(&self, node: &Node, lines: &[&str]) -> bool {
        !self.exact || is_written(node, lines)
    }

    /// `line`, and those behind it that a hard break joins to it.
    fn joined(&self, from: usize) -> (String, usize) {
        let (mut text, mut lines) = (self.lines[from].to_string(), 1);
        while text.ends_with("  ") && from + lines < self.lines.len() {
            text.push('\n');
            text.push_str(self.lines[from + lines]);
            lines += 1;
        }
        (text, lines)
    }

    /// Points of a list, each with how deep it is, as far as they go; and the lines that they take.
    fn points(&self, from: usize) -> (Vec<(usize, Item)>, usize) {
        let (mut rows, mut lines): (Vec<(usize, Item)>, usize) = (Vec::new(), 0);
        while from + lines < self.lines.len() {
            let (text, more) = self.joined(from + lines);
            let rest = text.trim_start_matches(' ');
            let indent = text.len() - rest.len();
            let deepest = rows.last().map_or(0, |(depth, _)| depth + 1);
            let by_hand = || rest.strip_prefix("* ").filter(|_| !self.exact);
            let words = if rest == "-" { Some("") } else { rest.strip_prefix("- ").or_else(by_hand) };
            let (Some(words), true) = (words, indent.is_multiple_of(2) && indent / 2 <= deepest) else { break };
            let pieces = inline::shown(&inline::read(words));
            if self.exact && item_line(&format!("{}-", &text[..indent]), &pieces) != text {
                break;
            }
            rows.push((indent / 2, Item { pieces, from: None }));
            lines += more;
        }
        (rows, lines)
    }

    /// A list that is nested, or under a name.
    fn outline(&self) -> Option<(Node, usize)> {
        let line = self.lines[self.at];
        let key = line.strip_suffix(':').filter(|key| end_of_key(line) == Some(key.len()) && !key.starts_with('"'));
        let (rows, lines) = self.points(self.at + usize::from(key.is_some()));
        match key {
            _ if rows.is_empty() => None,
            Some(key) => Some((Node::named(key.to_string(), outline(rows)), lines + 1)),
            None if rows.iter().any(|(depth, _)| *depth > 0) => Some((outline(rows), lines)),
            None => {
                let items = rows.into_iter().map(|(_, item)| item).collect();
                Some((Node::List { ordered: false, items }, lines))
            }
        }
    }

    /// What TOON has for a name: in the lines behind it where it is open. By hand, only a text in the same line.
    fn data(&self) -> Option<(Node, usize)> {
        let line = self.lines[self.at];
        let end = end_of_key(line)?;
        if !self.exact {
            let (key, rest) = (&line[..end], line[end..].strip_prefix(": ")?.trim());
            let plain: String = inline::shown(&inline::read(rest)).iter().map(Inline::plain).collect();
            let is_plain = |value: &Value| value.is_number() || value.is_boolean();
            let value = serde_json::from_str(&plain).ok().filter(is_plain).unwrap_or(Value::String(plain));
            let field = (Key::from(key.to_string()), value);
            return (!rest.is_empty() && !key.starts_with('"')).then(|| (Node::Fields(vec![field]), 1));
        }
        let below = self.lines[self.at + 1..].iter().take_while(|line| line.starts_with("  ")).count();
        let lines = &self.lines[self.at..self.at + 1 + if line.ends_with(':') { below } else { 0 }];
        Some((decoded(lines)?, lines.len()))
    }

    fn other(&self) -> Option<(Node, usize)> {
        let line = self.lines[self.at];
        if line.trim().is_empty() {
            return Some((Node::line(""), 1));
        }
        if line == "---" {
            return Some((Node::Rule, 1));
        }
        let marks = line.len() - line.trim_start_matches('#').len();
        if let Some(title) = line[marks..].strip_prefix(' ').filter(|_| (1..=3).contains(&marks)) {
            let node = Node::heading(marks as u8, title.trim().to_string());
            return (!title.trim().is_empty() && self.is_exact(&node, &[line])).then_some((node, 1));
        }
        if line.starts_with("```") {
            return self.code();
        }
        if line.starts_with('>') {
            return self.quote();
        }
        if line == "1." || line.starts_with("1. ") {
            return self.ordered();
        }
        let (text, lines) = self.joined(self.at);
        let node = Node::Paragraph(inline::shown(&inline::read(text.trim())));
        let is_text = !node.is_empty() && self.is_exact(&node, &self.lines[self.at..self.at + lines]);
        // By hand, a line that begins like a mark that is none of ours is left as it is.
        let is_mark = !self.exact && line.trim_start().starts_with(['#', '>', '|', '+', '=', '-']);
        (is_text && !is_mark).then_some((node, lines))
    }

    fn code(&self) -> Option<(Node, usize)> {
        let language = self.lines[self.at].strip_prefix("```")?;
        let inner = self.lines[self.at + 1..].iter().position(|line| *line == "```")?;
        let lines = &self.lines[self.at..self.at + inner + 2];
        let node = Node::Code(language.trim().to_string().into(), lines[1..=inner].join("\n"));
        (!language.contains('`') && !node.is_empty() && self.is_exact(&node, lines)).then_some((node, inner + 2))
    }

    fn quote(&self) -> Option<(Node, usize)> {
        let count = self.lines[self.at..].iter().take_while(|line| line.starts_with('>')).count();
        let lines = &self.lines[self.at..self.at + count];
        let inner: Vec<&str> = lines.iter().map(|line| line[1..].strip_prefix(' ').unwrap_or(&line[1..])).collect();
        let node = Node::Quote(inner.join("\n"));
        (!node.is_empty() && self.is_exact(&node, lines)).then_some((node, count))
    }

    fn ordered(&self) -> Option<(Node, usize)> {
        let (mut items, mut lines) = (Vec::new(), 0);
        while self.at + lines < self.lines.len() {
            let (text, more) = self.joined(self.at + lines);
            let mark = format!("{}.", items.len() + 1);
            let words = if text == mark { Some("") } else { text.strip_prefix(&format!("{mark} ")) };
            let Some(words) = words else { break };
            let pieces = inline::shown(&inline::read(words));
            if self.exact && item_line(&mark, &pieces) != text {
                break;
            }
            items.push(Item { pieces, from: None });
            lines += more;
        }
        (lines > 0).then_some((Node::List { ordered: true, items }, lines))
    }
}

/// Rows under each other; for data, a table of what they say and how deep.
pub fn outline(rows: Vec<(usize, Item)>) -> Node {
    let cells = rows.iter().map(|(depth, item)| vec![Value::from(*depth), Value::String(item.plain())]).collect();
    let table = Table::of(vec![column_unless("depth", 0), column("text")], cells, 0);
    Node::Outline { rows, table }
}

fn is_written(node: &Node, lines: &[&str]) -> bool {
    render(std::slice::from_ref(node)).lines().eq(lines.iter().copied())
}

/// Where the name ends that a line of TOON begins with: at its `:` or `[`.
pub fn end_of_key(line: &str) -> Option<usize> {
    let end = if line.starts_with('"') {
        let mut keys = serde_json::Deserializer::from_str(line).into_iter::<String>();
        keys.next()?.ok()?;
        keys.byte_offset()
    } else {
        let begins = line.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let is_of_key = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        line.find(|c| !is_of_key(c)).filter(|_| begins)?
    };
    let rest = &line[end..];
    let is_array = || rest.starts_with('[') && (rest.contains("]:") || rest.contains("]{"));
    (rest == ":" || rest.starts_with(": ") || is_array()).then_some(end)
}

/// Whether a line alone would be read as data.
pub fn is_data(line: &str) -> bool {
    let is_name = line.strip_suffix(':').is_some_and(|key| end_of_key(line) == Some(key.len()));
    is_name || line.ends_with(':') || decoded(&[line]).is_some()
}

/// The fields that these lines hold, if they are written so.
fn decoded(lines: &[&str]) -> Option<Node> {
    let options = DecodeOptions::new().with_strict(true);
    let value: Value = toon_format::decode(&lines.join("\n"), &options).ok()?;
    let Value::Object(fields) = &value else { return None };
    let written = toon::render(&value);
    let same = written.lines().map(row).eq(lines.iter().map(|line| line.to_string()));
    let fields = fields.iter().map(|(key, value)| (Key::from(key.clone()), value.clone()));
    (same && !value.as_object()?.is_empty()).then(|| Node::Fields(fields.collect()))
}
