//! Markdown: headings of ours, prose as it is, and TOON for tables and fields.
//!
//! Invariant: only `Node::Heading` makes a heading and only `Node::Code` a fence. Rows of a table begin with two spaces
//! and a cell; a cell that markdown would take for a mark is put in quotes, which TOON reads as the same text.

use crate::hud::node::{Inline, Node, insert_table, values};
use serde_json::{Map, Value};

pub fn render(nodes: &[Node]) -> String {
    let mut out = String::new();
    for node in nodes {
        write(node, &mut out);
    }
    out
}

fn write(node: &Node, out: &mut String) {
    if node.is_empty() {
        return;
    }
    match node {
        Node::Nothing => {}
        Node::Group(nodes) => nodes.iter().for_each(|node| write(node, out)),
        Node::Heading(level, title) => {
            out.push_str(&"#".repeat(usize::from((*level).clamp(1, 3))));
            push_line(out, &format!(" {title}"));
        }
        Node::Named(key, inner) => write_named(key, inner, out),
        Node::Paragraph(pieces) => {
            push_line(out, &guard(&pieces.iter().map(inline).collect::<String>()));
        }
        Node::Prose(text) => text.lines().for_each(|line| push_line(out, &disarmed(line))),
        Node::Quote(text) => text.lines().for_each(|line| push_line(out, format!("> {line}").trim_end())),
        Node::Code(language, text) => {
            push_line(out, &format!("```{language}"));
            text.lines().for_each(|line| push_line(out, &line.replace("```", "'''")));
            push_line(out, "```");
        }
        Node::List { ordered, items } => {
            for (n, item) in items.iter().enumerate() {
                let text: String = item.iter().map(inline).collect();
                let mark = if *ordered { format!("{}.", n + 1) } else { "-".to_string() };
                push_line(out, &format!("{mark} {}", guard(&text)));
            }
        }
        Node::Fields(_) => push_data(out, &values(std::slice::from_ref(node))),
        Node::Table(table) => {
            let mut map = Map::new();
            insert_table("rows", table, &mut map);
            push_data(out, &Value::Object(map));
        }
        Node::Outline { rows, table } => {
            for (depth, item) in rows {
                let text: String = item.iter().map(inline).collect();
                push_line(out, &format!("{}- {}", "  ".repeat(*depth), guard(&text)));
            }
            if table.more > 0 {
                push_line(out, &format!("- … {} more", table.more));
            }
        }
        Node::Data(value) => push_data(out, value),
        Node::Rule => push_line(out, "---"),
    }
}

/// Data gets its key; prose has a heading before it.
fn write_named(key: &'static str, inner: &Node, out: &mut String) {
    match inner {
        Node::Table(table) => {
            let mut map = Map::new();
            insert_table(key, table, &mut map);
            push_data(out, &Value::Object(map));
        }
        Node::Outline { .. } => {
            push_line(out, &format!("{key}:"));
            write(inner, out);
        }
        Node::Fields(_) | Node::Data(_) => {
            push_data(out, &Value::Object(Map::from_iter([(key.to_string(), inner.to_value())])));
        }
        prose => write(prose, out),
    }
}

fn push_line(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

fn push_data(out: &mut String, value: &Value) {
    super::toon::render(value).lines().for_each(|line| push_line(out, &row(line)));
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
    use crate::hud::node::{Table, column};

    #[test]
    fn each_element_has_its_form() {
        let text = |text: &str| Inline::Text(text.into());
        let nodes = [
            Node::Heading(1, "One"),
            Node::Heading(2, "Two"),
            Node::Heading(3, "Three"),
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
            Node::List { ordered: true, items: vec![vec![Inline::Struck("done".into())], vec![text("# open")]] },
            Node::List { ordered: false, items: vec![vec![text("x")]] },
            Node::Quote("one\n\n# two".into()),
            Node::Code("json", "{}\n```".into()),
            Node::Code("", "pre".into()),
            Node::Rule,
            Node::Nothing,
            Node::Group(vec![Node::line(">hidden?"), Node::Nothing]),
            Node::named("empty", Node::Data(Value::Null)),
            Node::Fields(vec![("k", 1.into()), ("s", "a: b".into())]),
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
