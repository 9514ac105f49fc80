//! What a mended text says.

use super::{AS_OF, GOALS, HEADINGS, MEMORY, TASK, TITLE};
use crate::goals::Priority;
use crate::hud::node::{Inline, Item, Node};
use crate::hud::text;
use crate::render::markdown;
use std::collections::BTreeMap;

/// Behind a goal that nobody is at any more.
pub(super) const GIVEN_UP: &str = "given up";

/// A text that was read.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Mended {
    /// Whose, and the newest entry that it knew.
    pub name: String,
    pub seq: u64,
    /// By their headings; a list whose heading is not there stays as it is.
    pub(super) lists: BTreeMap<String, Vec<Row>>,
}

/// A point of a list.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Row {
    /// `None`: it is new.
    pub id: Option<u64>,
    pub text: String,
    pub depth: usize,
    pub struck: bool,
}

/// Marks behind a goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Marks {
    pub priority: Priority,
    pub percent: Option<u8>,
    pub given_up: bool,
}

/// The text before its marks, and these; `None`: it ends otherwise.
pub(super) fn marks_of(text: &str) -> Option<(&str, Marks)> {
    let (before, inside) = text.strip_suffix(')')?.rsplit_once('(')?;
    let mut marks = Marks::default();
    for word in inside.split(',').map(str::trim) {
        if let Some(priority) = Priority::named(word) {
            marks.priority = priority;
        } else if word.eq_ignore_ascii_case(GIVEN_UP) {
            marks.given_up = true;
        } else {
            let percent = word.strip_suffix('%')?.trim_end().parse::<u8>().ok().filter(|percent| *percent <= 100)?;
            marks.percent = Some(percent);
        }
    }
    Some((before.trim_end(), marks))
}

/// Reads what somebody mended; or what in it cannot be read, a sentence each.
pub fn read(text: &str) -> Result<Mended, Vec<String>> {
    let (mut mended, mut wrong) = (Mended::default(), Vec::new());
    let mut heading: Option<String> = None;
    for node in markdown::read(text) {
        match node {
            Node::Heading(1, title) => match titled(&title) {
                Some((name, seq)) if mended.name.is_empty() => (mended.name, mended.seq) = (name, seq),
                _ => wrong.push(format!("the heading \"{}\" is none of this text's", shown(&title))),
            },
            Node::Heading(_, title) => match HEADINGS.iter().find(|known| known.eq_ignore_ascii_case(&title)) {
                Some(known) if mended.lists.contains_key(*known) => wrong.push(format!("{known} stands there twice")),
                Some(known) => {
                    mended.lists.insert(known.to_string(), Vec::new());
                    heading = Some(known.to_string());
                }
                None => {
                    let all = HEADINGS.join(", ");
                    wrong.push(format!("there is no list \"{}\"; the lists are {all}", shown(&title)));
                }
            },
            // Above the lists stands what is done with them.
            node if heading.is_none() || node.is_empty() || node == Node::line("") => {}
            Node::List { ordered: false, items } => {
                let rows = items.into_iter().map(|item| (0, item)).collect();
                take(rows, heading.as_deref().unwrap_or_default(), &mut mended, &mut wrong);
            }
            Node::Outline { rows, .. } => {
                take(rows, heading.as_deref().unwrap_or_default(), &mut mended, &mut wrong);
            }
            other => {
                let line = markdown::render(&[other]);
                let line = shown(line.lines().next().unwrap_or_default());
                let heading = heading.as_deref().unwrap_or_default();
                wrong.push(format!("\"{line}\" under {heading} is no point of its list: begin it with \"- \""));
            }
        }
    }
    if mended.name.is_empty() {
        wrong.insert(
            0,
            "its first line, \"# Mind of …\", is gone: it says which state the text was made of".to_string(),
        );
    }
    if wrong.is_empty() { Ok(mended) } else { Err(wrong) }
}

fn shown(text: &str) -> String {
    text::line(text, 60)
}

/// `Mind of Wren, as of #812`.
fn titled(title: &str) -> Option<(String, u64)> {
    let (name, seq) = title.strip_prefix(TITLE)?.rsplit_once(AS_OF)?;
    let name = name.trim();
    Some((name.to_string(), seq.trim().parse().ok()?)).filter(|_| !name.is_empty())
}

fn take(rows: Vec<(usize, Item)>, heading: &str, mended: &mut Mended, wrong: &mut Vec<String>) {
    for (depth, item) in rows {
        let plain = item.plain().replace('\n', " ");
        let (first, rest) = plain.split_once(' ').unwrap_or((&plain, ""));
        // The task and what is remembered have no numbers: what looks like one is a word of theirs.
        let digits = first.strip_prefix('#').filter(|_| heading != TASK && heading != MEMORY);
        let digits = digits.filter(|id| !id.is_empty() && id.chars().all(|c| c.is_ascii_digit()));
        let (id, text) = match digits.map(str::parse::<u64>) {
            Some(Ok(id)) => (Some(id), rest.trim().to_string()),
            Some(Err(_)) => {
                wrong.push(format!("{} is the number of nothing", shown(first)));
                continue;
            }
            None => (None, plain.trim().to_string()),
        };
        if text.is_empty() {
            let which = id.map_or(String::new(), |id| format!(" #{id}"));
            wrong.push(format!("a point of {heading}{which} says nothing; to drop it, take its whole line away"));
            continue;
        }
        if depth > 0 && heading != GOALS {
            wrong
                .push(format!("\"{}\" stands below another point of {heading}, where nothing is nested", shown(&text)));
            continue;
        }
        let struck = item.pieces.iter().any(|piece| matches!(piece, Inline::Struck(_)));
        let rows = mended.lists.entry(heading.to_string()).or_default();
        if id.is_some() && rows.iter().any(|row| row.id == id) {
            wrong.push(format!("#{} stands twice in {heading}", id.unwrap_or_default()));
            continue;
        }
        rows.push(Row { id, text, depth, struck });
    }
}
