//! Markdown: headings of ours, prose as it is, and TOON for tables and fields.
//!
//! Invariant: only `Node::Heading` makes a heading and only `Node::Code` a fence. Rows of a table begin with two spaces
//! and a cell; a cell that markdown would take for a mark is put in quotes, which TOON reads as the same text.

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
                self.push_line(&guard(&pieces.iter().map(inline).collect::<String>()), None);
            }
            Node::Prose(text) => text.lines().for_each(|line| self.push_line(&disarmed(line), None)),
            Node::Quote(text) => text.lines().for_each(|line| self.push_line(format!("> {line}").trim_end(), None)),
            Node::Code(language, text) => {
                self.push_line(&format!("```{language}"), None);
                text.lines().for_each(|line| self.push_line(&line.replace("```", "'''"), None));
                self.push_line("```", None);
            }
            Node::List { ordered, items } => {
                for (n, item) in items.iter().enumerate() {
                    let text: String = item.pieces.iter().map(inline).collect();
                    let mark = if *ordered { format!("{}.", n + 1) } else { "-".to_string() };
                    self.push_line(&format!("{mark} {}", guard(&text)), item.from.as_ref());
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
                    let text: String = item.pieces.iter().map(inline).collect();
                    let line = format!("{}- {}", "  ".repeat(*depth), guard(&text));
                    self.push_line(&line, item.from.as_ref());
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
        let text = super::toon::render(value);
        for line in text.lines() {
            self.text.push_str(&row(line));
            self.text.push('\n');
        }
        if let Some(trace) = &mut self.trace {
            trace.origins.extend(trace.known.toon(&text, &trace.path.join(".")));
        }
    }
}

/// A line of TOON whose first cell markdown would take for a mark, with that cell in quotes. An unquoted cell holds
/// neither quote nor backslash, so nothing else changes.
fn row(line: &str) -> String {
    let start = line.len() - line.trim_start().len();
    let (indent, rest) = line.split_at(start);
    if start == 0 || rest.starts_with("- ") || !is_mark(rest) {
        return line.to_string();
    }
    let end = rest.find(',').unwrap_or(rest.len());
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

/// A line that begins like a mark gets a backslash, which takes the mark's force.
fn guard(line: &str) -> String {
    if is_mark(line) && !line.starts_with("**") && !line.starts_with("~~") { format!("\\{line}") } else { line.into() }
}

/// The operator's prose: its headings become strong lines and its fences quotes, so ours stay the only ones.
fn disarmed(line: &str) -> String {
    let text = line.trim_start();
    if text.starts_with('#') {
        let title = text.trim_matches('#').trim();
        return if title.is_empty() { String::new() } else { format!("**{title}**") };
    }
    // A heading within a list or a quote is one too.
    let marks = text.len() - text.trim_start_matches(['-', '*', '+', '>', ' ']).len();
    if text[marks..].starts_with('#') {
        return format!("{}\\{}", &text[..marks], &text[marks..]);
    }
    let line = line.replace("```", "'''").replace("~~~", "'''");
    let bare = line.trim();
    let underline = !bare.is_empty() && (bare.chars().all(|c| c == '=') || bare.chars().all(|c| c == '-'));
    if underline { String::new() } else { line.trim_end().to_string() }
}

fn inline(piece: &Inline) -> String {
    match piece {
        Inline::Text(text) => text.replace('\n', " "),
        Inline::Strong(text) => format!("**{text}**"),
        Inline::Em(text) => format!("*{text}*"),
        Inline::Struck(text) => format!("~~{text}~~"),
        Inline::Code(text) => format!("`{}`", text.replace('`', "'")),
        Inline::Link { text, target } => {
            format!("[{}]({})", text.replace([']', '['], " "), target.replace([')', '('], "%29"))
        }
        Inline::Break => "  \n".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hud::node::{Item, Table, column};

    #[test]
    fn each_element_has_its_form() {
        let text = |text: &str| Inline::Text(text.into());
        let nodes = [
            Node::heading(1, "One"),
            Node::heading(2, "Two"),
            Node::heading(3, "Three"),
            Node::Paragraph(vec![
                text("a "),
                Inline::Strong("b".into()),
                text(" "),
                Inline::Em("c".into()),
                text(" "),
                Inline::Code("d`".into()),
                Inline::Break,
                Inline::Link { text: "e".into(), target: "f".into() },
            ]),
            Node::List {
                ordered: true,
                items: vec![Item { pieces: vec![Inline::Struck("done".into())], from: None }, Item::text("# open")],
            },
            Node::List { ordered: false, items: vec![Item::text("x")] },
            Node::Quote("one\n\n# two".into()),
            Node::Code("json".into(), "{}\n```".into()),
            Node::Code("".into(), "pre".into()),
            Node::Rule,
            Node::Nothing,
            Node::Group(vec![Node::line(">hidden?"), Node::Nothing]),
            Node::named("empty", Node::Data(Value::Null)),
            Node::fields(vec![("k", 1.into()), ("s", "a: b".into())]),
            Node::named(
                "t",
                Node::Table(Table::new(
                    vec![column("a"), column("b")],
                    vec![vec!["~~~".into(), 1.into()], vec!["x".into(), 2.into()]],
                    1,
                )),
            ),
            Node::Prose("# Mine\n```\ncode\n---\nend".into()),
        ];
        let wanted = "# One\n## Two\n### Three\na **b** *c* `d'`  \n[e](f)\n1. ~~done~~\n2. \\# open\n- x\n> one\n>\n\
            > # two\n```json\n{}\n'''\n```\n```\npre\n```\n---\n\\>hidden?\nk: 1\ns: \"a: b\"\nt[1]{a,b}:\n  \"~~~\",1\n\
            t_more: 1\n**Mine**\n'''\ncode\n\nend\n";
        assert_eq!(render(&nodes), wanted);
    }
}
