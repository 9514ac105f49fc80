//! P3: one block for each decision or event, never changed once it is there.
//!
//! In markdown a block is a few lines, the first with its tick: `1204 kill goblin -> ok`. What others said is in
//! quotes. A block that would be too large is shown in part and says so: the client's session log has all of it.

use super::measured::MeasuredText;
use super::{Block, Done};
use crate::event::{Event, LogEntry};
use crate::hud::node::{Node, Table, column, column_unless};
use crate::hud::origin::Origin;
use crate::hud::{Format, SaidView, text};
use crate::{page, render};
use protocol::verbs::{self, Rank};
use serde_json::Value;

/// Rows of each kind and characters of a text, in the order in which they are tried.
const EXTENTS: [(usize, usize); 5] = [(12, 300), (8, 160), (4, 100), (2, 60), (1, 30)];

/// The text, of at most `room` tokens, and whether it tells all that was done. Empty where there is nothing to tell.
pub fn write(block: &Block, format: Format, room: usize) -> (MeasuredText, bool) {
    let things = actions(block).count() + block.heard.len() + block.seen.len() + mind_entries(block).count();
    if things == 0 && block.thought.is_empty() {
        return (MeasuredText::default(), true);
    }
    for (rows, chars) in EXTENTS {
        let (text, origins) = match format {
            Format::Markdown => {
                let lines = lines(block, rows, chars);
                let text: Vec<&str> = lines.iter().map(|(line, _)| line.as_str()).collect();
                (format!("{} {}\n", block.tick, text.join("\n  ")), lines.into_iter().map(|(_, from)| from).collect())
            }
            _ => {
                let nodes = [node(block, rows, chars)];
                (render::render(&nodes, format), render::origins(&nodes, format, block.tick))
            }
        };
        let text = MeasuredText::new(text);
        if text.tokens <= room {
            return (text.from(origins), tells_all_actions(block, format, rows));
        }
    }
    let text = format!("{} ({things} things happened, too much to show)\n", block.tick);
    let counted = Origin::of_paths(["did[].action", "saw[].text", "mind[].text"], block.tick);
    (MeasuredText::new(text).from(vec![counted]), block.did.is_empty())
}

/// What somebody said, as the entry of the log that keeps it, if it does.
fn heard_from(block: &Block, said: &SaidView) -> Option<Origin> {
    let is_it = |entry: &&LogEntry| match &entry.event {
        Event::Heard(heard) => (&*heard.from, &*heard.text) == (&*said.from, &*said.text),
        _ => false,
    };
    block.mind.iter().find(is_it).map(|entry| Origin::Entries(vec![entry.seq]))
}

/// The entries that are worth a line. How full a prompt is, P4 says of itself, and what is in focus; what happened was
/// read as it happened; what minds of a council say to each other, each reads when it is asked.
fn mind_entries(block: &Block) -> impl Iterator<Item = &LogEntry> {
    let told = |event: &Event| {
        let is_fold = matches!(event, Event::CompactBefore { .. } | Event::CompactAfter { from: Some(_), .. });
        event.is_record()
            || is_fold
            || matches!(event, Event::ContextSnapshot { .. })
            || event.is_about_focus()
            || event.is_counsel()
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
fn push(out: &mut Vec<Line>, all: impl ExactSizeIterator<Item = Line>, rows: usize) {
    let more = all.len().saturating_sub(rows);
    let mut all = all;
    out.extend(all.by_ref().take(rows));
    if more > 0 {
        out.push((format!("({more} more)"), Origin::all(all.map(|(_, from)| from))));
    }
}

/// With what it comes from.
type Line = (String, Origin);

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

fn lines(block: &Block, rows: usize, chars: usize) -> Vec<Line> {
    let mut out = Vec::new();
    let of = |paths: &[&str]| Origin::of_paths(paths.iter().copied(), block.tick);
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
        let line = format!("{then}{by}{}{more}{arrow}{outcome}", shown.join("; "));
        (line, of(&["did[].action", "did[].outcome"]))
    });
    push(&mut out, did, rows);
    if !block.thought.is_empty() {
        out.push((format!("why: {}", text::line(&block.thought, chars)), of(&["why"])));
    }
    let heard = block.heard.iter().map(|said| {
        let (from, channel) = (text::line(&said.from, 40), text::line(&said.channel, 16));
        let from_where = heard_from(block, said).unwrap_or_else(|| of(&["heard[].text"]));
        (format!("heard {from} ({channel}): {}", text::quoted(&said.text, chars)), from_where)
    });
    push(&mut out, heard, rows);
    let seen = counted(&block.seen);
    let seen = seen.iter().map(|(seen, times)| {
        let line = match times {
            1 => format!("saw {}", text::quoted(seen, chars)),
            _ => format!("saw {times} times {}", text::quoted(seen, chars)),
        };
        (line, of(&["saw[].text"]))
    });
    push(&mut out, seen, rows);
    let mind: Vec<&LogEntry> = mind_entries(block).collect();
    let mind = mind.into_iter().map(|entry| {
        let line = page::numbered(entry);
        (format!("mind {}", text::line(&line, chars.max(60))), Origin::Entries(vec![entry.seq]))
    });
    push(&mut out, mind, rows);
    out
}

fn node(block: &Block, rows: usize, chars: usize) -> Node {
    let line = |text: &str| Value::String(text::line(text, chars));
    let did = actions(block).map(|done| vec![line(&done.source), line(&done.action), line(&done.outcome)]).collect();
    let heard: Vec<_> =
        block.heard.iter().map(|said| vec![line(&said.from), line(&said.channel), line(&said.text)]).collect();
    let heard_from = block
        .heard
        .iter()
        .map(|said| heard_from(block, said).unwrap_or_else(|| Origin::of_paths(["heard[].text"], block.tick)));
    let seen = counted(&block.seen).into_iter().map(|(seen, times)| vec![times.into(), line(seen)]).collect();
    let mind = mind_entries(block)
        .map(|entry| vec![Value::String(text::line(&page::numbered(entry), chars.max(60)))])
        .collect();
    let mind_from = mind_entries(block).map(|entry| Origin::Entries(vec![entry.seq])).collect();
    let from = |key: &'static str, columns, cells, from| {
        Node::named(key, Node::Table(Table { from, ..Table::new(columns, cells, rows) }))
    };
    let table = |key, columns, cells| from(key, columns, cells, Vec::new());
    let thought = if block.thought.is_empty() { Node::Nothing } else { Node::Data(line(&block.thought)) };
    Node::Group(vec![
        Node::fields(vec![("tick", block.tick.into())]),
        table("did", vec![column_unless("source", "model"), column("action"), column("outcome")], did),
        Node::named("why", thought),
        from("heard", vec![column("from"), column("channel"), column("text")], heard, heard_from.collect()),
        table("saw", vec![column_unless("times", 1), column("text")], seen),
        from("mind", vec![column("text")], mind, mind_from),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hud::SaidView;
    use crate::prompt::Done;
    use crate::tokens;

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
        let (written, all) = write(&block(), Format::Markdown, 500);
        assert_eq!(written.text, wanted);
        assert_eq!((written.tokens, all), (tokens::count(wanted), true));
        let told: Vec<String> = written.origins.iter().map(Origin::to_string).collect();
        let did = "client, world at tick 12";
        let world = "world at tick 12";
        assert_eq!(told, [did, did, did, "client at tick 12", world, world, world, "#4"]);
        let (MeasuredText { text, .. }, _) = write(&block(), Format::Toon, 500);
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
        let (MeasuredText { text, .. }, all) = write(&block, Format::Markdown, 500);
        let wanted = "7 (policy) north; north; east -> ok\n  then look -> ok\n  then (policy) up -> refused: No.\n  \
            then (policy) north -> ok\n";
        assert_eq!((text.as_str(), all), (wanted, true));
        let many = Block { did: vec![done("model", "north", "ok"); 40], ..Block::default() };
        let (MeasuredText { text, .. }, all) = write(&many, Format::Markdown, 500);
        assert!(text.contains("; 28 more -> ok") && !all, "{text}");
    }

    #[test]
    fn a_block_keeps_to_its_room_and_one_of_nothing_is_none() {
        let mut large = block();
        large.seen = (0..200).map(|n| format!("Line {n} of a very long tale that nobody asked for.")).collect();
        for room in [40, 80, 200, 600] {
            for format in Format::ALL {
                let (MeasuredText { text, tokens, .. }, _) = write(&large, format, room);
                assert!(tokens <= room && text.starts_with(|c: char| !c.is_whitespace()), "{room} {format:?}: {text}");
            }
        }
        let (MeasuredText { text, .. }, _) = write(&large, Format::Markdown, 600);
        assert!(text.contains("(188 more)"), "{text}");
        let event = Event::ContextSnapshot { tokens: 5, budget: 10, client: None };
        let mind = vec![LogEntry { seq: 4, tick: 12, at_ms: 0, input: 1, event }];
        assert_eq!(write(&Block { mind, ..Block::default() }, Format::Markdown, 100), (MeasuredText::default(), true));
        assert_eq!(
            write(&Block { tick: 9, ..Block::default() }, Format::Markdown, 100),
            (MeasuredText::default(), true)
        );
    }
}
