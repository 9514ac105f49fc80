//! P3: one block for each decision or event, never changed once it is there.
//!
//! In markdown a block is a few lines, the first with its tick: `1204 kill goblin -> ok`. What others said is in quotes.
//! A block that would be too large is shown in part and says so: the client's session log has all of it.

use super::Block;
use crate::hud::node::{Node, Table, column, column_unless};
use crate::hud::{Format, text};
use crate::{page, render, tokens};
use serde_json::Value;

/// Rows of each kind and characters of a text, in the order in which they are tried.
const EXTENTS: [(usize, usize); 5] = [(12, 300), (8, 160), (4, 100), (2, 60), (1, 30)];

/// The text, of at most `room` tokens, and its tokens. Empty where there is nothing to tell.
pub fn write(block: &Block, format: Format, room: usize) -> (String, usize) {
    let things = block.did.len() + block.heard.len() + block.seen.len() + block.mind.len();
    if things == 0 && block.thought.is_empty() {
        return (String::new(), 0);
    }
    for (rows, chars) in EXTENTS {
        let text = match format {
            Format::Markdown => lines(block, rows, chars),
            _ => render::render(&[node(block, rows, chars)], format),
        };
        let tokens = tokens::count(&text);
        if tokens <= room {
            return (text, tokens);
        }
    }
    let text = format!("{} ({things} things happened, too much to show)\n", block.tick);
    let tokens = tokens::count(&text);
    (text, tokens)
}

fn quoted(text: &str, chars: usize) -> String {
    Value::String(text::line(text, chars)).to_string()
}

/// The first `rows`, with a last line that counts the others.
fn push(out: &mut Vec<String>, all: impl ExactSizeIterator<Item = String>, rows: usize) {
    let more = all.len().saturating_sub(rows);
    out.extend(all.take(rows));
    if more > 0 {
        out.push(format!("({more} more)"));
    }
}

fn lines(block: &Block, rows: usize, chars: usize) -> String {
    let mut out = Vec::new();
    // Each line begins with a word of ours, so none begins with a mark.
    let did = block.did.iter().enumerate().map(|(n, done)| {
        let then = if n == 0 { "" } else { "then " };
        let by = if matches!(done.source.as_str(), "" | "model") {
            String::new()
        } else {
            format!("({}) ", text::line(&done.source, 12))
        };
        let outcome = text::line(&done.outcome, chars);
        let arrow = if outcome.is_empty() { "" } else { " -> " };
        format!("{then}{by}{}{arrow}{outcome}", text::line(&done.action, chars))
    });
    push(&mut out, did, rows);
    if !block.thought.is_empty() {
        out.push(format!("why: {}", text::line(&block.thought, chars)));
    }
    let heard = block.heard.iter().map(|said| {
        let (from, channel) = (text::line(&said.from, 40), text::line(&said.channel, 16));
        format!("heard {from} ({channel}): {}", quoted(&said.text, chars))
    });
    push(&mut out, heard, rows);
    push(&mut out, block.seen.iter().map(|seen| format!("saw {}", quoted(seen, chars))), rows);
    let mind: Vec<String> = block.mind.iter().map(|entry| page::history(std::iter::once(entry))).collect();
    push(&mut out, mind.iter().map(|line| format!("mind {}", text::line(line, chars.max(60)))), rows);
    format!("{} {}\n", block.tick, out.join("\n  "))
}

fn node(block: &Block, rows: usize, chars: usize) -> Node {
    let line = |text: &str| Value::String(text::line(text, chars));
    let did = block.did.iter().map(|done| vec![line(&done.source), line(&done.action), line(&done.outcome)]).collect();
    let heard = block.heard.iter().map(|said| vec![line(&said.from), line(&said.channel), line(&said.text)]).collect();
    let seen = block.seen.iter().map(|seen| vec![line(seen)]).collect();
    let mind = block
        .mind
        .iter()
        .map(|entry| vec![Value::String(text::line(&page::history(std::iter::once(entry)), chars.max(60)))])
        .collect();
    let table = |key, columns, cells| Node::named(key, Node::Table(Table::new(columns, cells, rows)));
    let thought = if block.thought.is_empty() { Node::Nothing } else { Node::Data(line(&block.thought)) };
    Node::Group(vec![
        Node::Fields(vec![("tick", block.tick.into())]),
        table("did", vec![column_unless("source", "model"), column("action"), column("outcome")], did),
        Node::named("why", thought),
        table("heard", vec![column("from"), column("channel"), column("text")], heard),
        table("saw", vec![column("text")], seen),
        table("mind", vec![column("text")], mind),
    ])
}
