//! P3: one block for each decision or event, never changed once it is there.
//!
//! In markdown a block is a few lines, the first with its tick: `1204 kill goblin -> ok`. What others said is in
//! quotes. A block that would be too large is shown in part and says so: the client's session log has all of it.

use super::{Block, Done};
use crate::event::{Event, LogEntry};
use crate::hud::node::{Node, Table, column, column_unless};
use crate::hud::{Format, text};
use crate::{page, render, tokens};
use protocol::verbs::{self, Rank};
use serde_json::Value;

/// Rows of each kind and characters of a text, in the order in which they are tried.
const EXTENTS: [(usize, usize); 5] = [(12, 300), (8, 160), (4, 100), (2, 60), (1, 30)];

/// The text, of at most `room` tokens, its tokens, and whether it tells all that was done. Empty where there is nothing
/// to tell.
pub fn write(block: &Block, format: Format, room: usize) -> (String, usize, bool) {
    let things = actions(block).count() + block.heard.len() + block.seen.len() + mind_entries(block).count();
    if things == 0 && block.thought.is_empty() {
        return (String::new(), 0, true);
    }
    for (rows, chars) in EXTENTS {
        let text = match format {
            Format::Markdown => lines(block, rows, chars),
            _ => render::render(&[node(block, rows, chars)], format),
        };
        let tokens = tokens::count(&text);
        if tokens <= room {
            return (text, tokens, tells_all_actions(block, format, rows));
        }
    }
    let text = format!("{} ({things} things happened, too much to show)\n", block.tick);
    let tokens = tokens::count(&text);
    (text, tokens, block.did.is_empty())
}

/// The entries that are worth a line. How full a prompt is, P4 says of itself; what happened was read as it happened.
fn mind_entries(block: &Block) -> impl Iterator<Item = &LogEntry> {
    let told = |event: &Event| {
        let is_fold = matches!(event, Event::CompactBefore { .. } | Event::CompactAfter { from: Some(_), .. });
        event.is_record() || is_fold || matches!(event, Event::ContextSnapshot { .. })
    };
    block.mind.iter().filter(move |entry| !told(&entry.event))
}

/// What was done, but for what stands below as an entry of the mind, with its id.
fn actions(block: &Block) -> impl Iterator<Item = &Done> {
    let mut entries = mind_entries(block).count();
    block.did.iter().filter(move |done| {
        let verb = verbs::find(verbs::word_of(&done.action), 1);
        let is_entry = entries > 0 && done.outcome == "ok" && verb.is_some_and(|verb| verb.rank == Rank::Mind);
        entries -= usize::from(is_entry);
        !is_entry
    })
}

/// The first `rows`, with a last line that counts the others.
fn push(out: &mut Vec<String>, all: impl ExactSizeIterator<Item = String>, rows: usize) {
    let more = all.len().saturating_sub(rows);
    out.extend(all.take(rows));
    if more > 0 {
        out.push(format!("({more} more)"));
    }
}

/// Each text once, where it came first, with how often it came.
fn counted(texts: &[String]) -> Vec<(&str, usize)> {
    let mut counted: Vec<(&str, usize)> = Vec::new();
    for text in texts {
        match counted.iter_mut().find(|(other, _)| other == text) {
            Some((_, times)) => *times += 1,
            None => counted.push((text, 1)),
        }
    }
    counted
}

/// What one source did in a row with one outcome is one line: most of it is walking.
fn runs(block: &Block) -> Vec<Vec<&Done>> {
    let did: Vec<&Done> = actions(block).collect();
    did.chunk_by(|a, b| (&a.source, &a.outcome) == (&b.source, &b.outcome)).map(<[_]>::to_vec).collect()
}

fn tells_all_actions(block: &Block, format: Format, rows: usize) -> bool {
    match format {
        Format::Markdown => {
            let runs = runs(block);
            runs.len() <= rows && runs.iter().all(|run| run.len() <= rows)
        }
        _ => actions(block).count() <= rows,
    }
}

fn lines(block: &Block, rows: usize, chars: usize) -> String {
    let mut out = Vec::new();
    // Each line begins with a word of ours, so none begins with a mark.
    let did = runs(block).into_iter().enumerate().map(|(n, run)| {
        let (source, outcome) = (&run[0].source, &run[0].outcome);
        let then = if n == 0 { "" } else { "then " };
        let by = if matches!(source.as_str(), "" | "model") {
            String::new()
        } else {
            format!("({}) ", text::line(source, 12))
        };
        let outcome = text::line(outcome, chars);
        let arrow = if outcome.is_empty() { "" } else { " -> " };
        let shown: Vec<String> = run.iter().take(rows).map(|done| text::line(&done.action, chars)).collect();
        let more = run.len() - shown.len();
        let more = if more == 0 { String::new() } else { format!("; {more} more") };
        format!("{then}{by}{}{more}{arrow}{outcome}", shown.join("; "))
    });
    push(&mut out, did, rows);
    if !block.thought.is_empty() {
        out.push(format!("why: {}", text::line(&block.thought, chars)));
    }
    let heard = block.heard.iter().map(|said| {
        let (from, channel) = (text::line(&said.from, 40), text::line(&said.channel, 16));
        format!("heard {from} ({channel}): {}", text::quoted(&said.text, chars))
    });
    push(&mut out, heard, rows);
    let seen = counted(&block.seen);
    let seen = seen.iter().map(|(seen, times)| match times {
        1 => format!("saw {}", text::quoted(seen, chars)),
        _ => format!("saw {times} times {}", text::quoted(seen, chars)),
    });
    push(&mut out, seen, rows);
    let mind: Vec<String> = mind_entries(block).map(|entry| page::history(std::iter::once(entry))).collect();
    push(&mut out, mind.iter().map(|line| format!("mind {}", text::line(line, chars.max(60)))), rows);
    format!("{} {}\n", block.tick, out.join("\n  "))
}

fn node(block: &Block, rows: usize, chars: usize) -> Node {
    let line = |text: &str| Value::String(text::line(text, chars));
    let did = actions(block).map(|done| vec![line(&done.source), line(&done.action), line(&done.outcome)]).collect();
    let heard = block.heard.iter().map(|said| vec![line(&said.from), line(&said.channel), line(&said.text)]).collect();
    let seen = counted(&block.seen).into_iter().map(|(seen, times)| vec![times.into(), line(seen)]).collect();
    let mind = mind_entries(block)
        .map(|entry| vec![Value::String(text::line(&page::history(std::iter::once(entry)), chars.max(60)))])
        .collect();
    let table = |key, columns, cells| Node::named(key, Node::Table(Table::new(columns, cells, rows)));
    let thought = if block.thought.is_empty() { Node::Nothing } else { Node::Data(line(&block.thought)) };
    Node::Group(vec![
        Node::Fields(vec![("tick", block.tick.into())]),
        table("did", vec![column_unless("source", "model"), column("action"), column("outcome")], did),
        Node::named("why", thought),
        table("heard", vec![column("from"), column("channel"), column("text")], heard),
        table("saw", vec![column_unless("times", 1), column("text")], seen),
        table("mind", vec![column("text")], mind),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hud::SaidView;
    use crate::prompt::Done;

    fn block() -> Block {
        let done = |source: &str, action: &str, outcome: &str| Done {
            source: source.into(),
            action: action.into(),
            outcome: outcome.into(),
        };
        let event = Event::NoteAdd { text: "The well is dry.".into() };
        Block {
            tick: 12,
            did: vec![done("model", "kill rat", "ok"), done("reflex", "flee", ""), done("", "- x", "refused: No.")],
            heard: vec![SaidView { from: "Mira".into(), channel: "say".into(), text: "Run!\n# Now".into() }],
            seen: ["It rains.", "A rat bites you.", "It rains."].map(String::from).to_vec(),
            mind: vec![LogEntry { seq: 4, tick: 12, at_ms: 0, input: 1, event }],
            thought: "Rats are easy.".into(),
        }
    }

    #[test]
    fn a_block_tells_what_was_done_heard_seen_and_noted() {
        let wanted = "12 kill rat -> ok\n  then (reflex) flee\n  then - x -> refused: No.\n  why: Rats are easy.\n  \
            heard Mira (say): \"Run! # Now\"\n  saw 2 times \"It rains.\"\n  saw \"A rat bites you.\"\n  \
            mind #4 tick 12: note: The well is dry.\n";
        let (text, tokens, all) = write(&block(), Format::Markdown, 500);
        assert_eq!(text, wanted);
        assert_eq!((tokens, all), (tokens::count(wanted), true));
        let (text, ..) = write(&block(), Format::Toon, 500);
        let decoded: Value = toon_format::decode_strict(text.trim_end()).expect("TOON");
        assert_eq!(decoded["saw"][0], serde_json::json!({"times": 2, "text": "It rains."}));
        assert_eq!(decoded["did"][2], serde_json::json!({"source": "", "action": "- x", "outcome": "refused: No."}));
    }

    #[test]
    fn what_is_done_in_a_row_is_one_line() {
        let done = |source: &str, action: &str, outcome: &str| Done {
            source: source.into(),
            action: action.into(),
            outcome: outcome.into(),
        };
        let mut did: Vec<Done> = ["north", "north", "east"].map(|way| done("policy", way, "ok")).to_vec();
        did.extend([done("model", "look", "ok"), done("policy", "up", "refused: No."), done("policy", "north", "ok")]);
        let block = Block { tick: 7, did, ..Block::default() };
        let (text, _, all) = write(&block, Format::Markdown, 500);
        let wanted = "7 (policy) north; north; east -> ok\n  then look -> ok\n  then (policy) up -> refused: No.\n  \
            then (policy) north -> ok\n";
        assert_eq!((text.as_str(), all), (wanted, true));
        let many = Block { did: vec![done("model", "north", "ok"); 40], ..Block::default() };
        let (text, _, all) = write(&many, Format::Markdown, 500);
        assert!(text.contains("; 28 more -> ok") && !all, "{text}");
    }

    #[test]
    fn a_block_keeps_to_its_room_and_one_of_nothing_is_none() {
        let mut large = block();
        large.seen = (0..200).map(|n| format!("Line {n} of a very long tale that nobody asked for.")).collect();
        for room in [40, 80, 200, 600] {
            for format in Format::ALL {
                let (text, tokens, _) = write(&large, format, room);
                assert!(tokens <= room && text.starts_with(|c: char| !c.is_whitespace()), "{room} {format:?}: {text}");
            }
        }
        let (text, ..) = write(&large, Format::Markdown, 600);
        assert!(text.contains("(188 more)"), "{text}");
        let event = Event::ContextSnapshot { tokens: 5, budget: 10, client: None };
        let mind = vec![LogEntry { seq: 4, tick: 12, at_ms: 0, input: 1, event }];
        assert_eq!(write(&Block { mind, ..Block::default() }, Format::Markdown, 100), (String::new(), 0, true));
        assert_eq!(write(&Block { tick: 9, ..Block::default() }, Format::Markdown, 100), (String::new(), 0, true));
    }
}
