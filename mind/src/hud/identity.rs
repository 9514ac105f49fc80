//! Who the agent is: P1. Texts of kind and permission stand at its head, so that P0 is the same for all.
//!
//! What is too long for its share is cut, the least personal first: recent memories, then the summary of old ones, the
//! persona, the guidelines, the operator's prompt last. A cut is reported, never silent.

use super::node::{Inline, Node};
use super::text;
use super::view::{Kind, SelfView};
use crate::tokens;
use serde_json::Value;

/// Longest line of a prose text: more than any share holds, so what is cut is cut where it is reported.
const LINE_CHARS: usize = 20_000;

const PERSONA: &str = "You are a person of this world, not its narrator. Your name and your nature are given; what \
                       becomes of them is yours. Want something, and let others see it in what you do.";
const BOT: &str = "You are here to do a job. Do it well, report plainly when somebody asks, and keep your record of \
                   where it stands up to date.";
const MAKER: &str = "You may make other agents, and change or retire those whom you share a room with, never yourself.";
const MINDLESS: &str = "This server keeps no mind for you: task, step, decide, note, block, remember, forget, compact, \
                        hud and history are unknown here. What you must not forget, say to yourself in the commentary.";

fn prose(text: &str) -> String {
    text::lines(text, LINE_CHARS).join("\n")
}

/// The section, with or without what the server keeps for a mind.
pub fn node(self_: &SelfView, mind: bool) -> Node {
    let under = |title: &'static str, key: &'static str, node: Node| match node.is_empty() {
        true => Node::Nothing,
        false => Node::Group(vec![Node::Heading(2, title), Node::named(key, node)]),
    };
    let known = [
        ("name", Value::String(text::line(&self_.name, 50))),
        ("class", Value::String(text::line(&self_.class, 30))),
        ("race", Value::String(text::line(&self_.race, 30))),
        ("level", self_.level.into()),
    ];
    let known = known.into_iter().filter(|(_, value)| value.as_str() != Some("") && *value != 0).collect();
    let mut nature = vec![match self_.kind {
        Kind::Persona => PERSONA,
        Kind::Bot => BOT,
    }];
    nature.extend(self_.may_create_agents.then_some(MAKER));
    nature.extend((!mind).then_some(MINDLESS));
    let guidelines = self_
        .guidelines
        .iter()
        .map(|guideline| vec![Inline::Text(text::line(guideline, 400))])
        .filter(|item| !item[0].plain().is_empty())
        .collect();
    let body = Node::Group(vec![
        Node::Fields(known),
        Node::named("nature", Node::Paragraph(vec![Inline::Text(nature.join(" "))])),
        under("From the one who runs you", "operator", Node::Prose(prose(&self_.operator_prompt))),
        under("Your character", "persona", Node::Prose(prose(&self_.persona))),
        under("Your own guidelines", "guidelines", Node::List { ordered: false, items: guidelines }),
        under("What you remember of late", "memory_bootstrap", Node::Quote(prose(&self_.memory_bootstrap))),
        under("What you remember of old", "memory_summary", Node::Quote(prose(&self_.memory_summary))),
    ]);
    Node::Group(vec![Node::Heading(1, "You"), Node::named("self", body)])
}

/// The section in no more than `room` tokens as `measure` finds them, and what was cut for that, one sentence each.
/// `summary_room`: the most tokens of the summary.
pub fn fit(
    self_: &SelfView,
    mind: bool,
    room: usize,
    summary_room: usize,
    measure: &dyn Fn(&Node) -> usize,
) -> (Node, Vec<String>) {
    let mut shown = SelfView {
        operator_prompt: prose(&self_.operator_prompt),
        persona: prose(&self_.persona),
        memory_bootstrap: prose(&self_.memory_bootstrap),
        memory_summary: prose(&self_.memory_summary),
        ..self_.clone()
    };
    let mut cuts = Vec::new();
    let mut cut = |name: &str, text: &mut String, keep: usize, newest: bool| {
        let had = tokens::count(text);
        if had > keep {
            *text = if newest { last_tokens(text, keep) } else { first_tokens(text, keep) };
            cuts.push(format!("The {name} was cut from {had} to {} tokens.", tokens::count(text)));
        }
    };
    cut("memory summary", &mut shown.memory_summary, summary_room, true);
    // A second round takes what the first left because quoting had added to it.
    for slack in [4, 24, 64] {
        for part in 0..5 {
            let excess = measure(&node(&shown, mind)).saturating_sub(room);
            if excess == 0 {
                break;
            }
            let mut guidelines = shown.guidelines.join("\n");
            let (name, text, newest) = match part {
                0 => ("memory bootstrap", &mut shown.memory_bootstrap, true),
                1 => ("memory summary", &mut shown.memory_summary, true),
                2 => ("persona", &mut shown.persona, false),
                3 => ("list of guidelines", &mut guidelines, true),
                _ => ("operator's prompt", &mut shown.operator_prompt, false),
            };
            let keep = tokens::count(text).saturating_sub(excess + slack);
            cut(name, text, keep, newest);
            shown.guidelines = guidelines.lines().map(str::to_string).collect();
        }
    }
    (node(&shown, mind), cuts)
}

/// The beginning of a text: whole words, at most `keep` tokens, `…` where it was cut. A script without spaces is cut
/// between characters.
fn first_tokens(text: &str, keep: usize) -> String {
    let cut = |ends: Vec<usize>| {
        let taken = longest(ends.len(), |n| tokens::count(&text[..ends[n]]) < keep);
        taken.map(|n| format!("{}…", &text[..ends[n]])).filter(|cut| tokens::count(cut) <= keep)
    };
    let spaces = text.char_indices().filter(|(_, c)| c.is_whitespace()).map(|(at, _)| at).collect();
    cut(spaces).or_else(|| cut(text.char_indices().skip(1).map(|(at, _)| at).collect())).unwrap_or_default()
}

/// The end of a text, as `first_tokens`.
fn last_tokens(text: &str, keep: usize) -> String {
    let cut = |starts: Vec<usize>| {
        let taken = longest(starts.len(), |n| tokens::count(&text[starts[n]..]) < keep);
        taken.map(|n| format!("…{}", &text[starts[n]..])).filter(|cut| tokens::count(cut) <= keep)
    };
    let ends = || text.char_indices().rev().map(|(at, c)| (at + c.len_utf8(), c));
    let spaces = ends().filter(|(_, c)| c.is_whitespace()).map(|(at, _)| at).collect();
    cut(spaces).or_else(|| cut(ends().map(|(at, _)| at).filter(|at| *at < text.len()).collect())).unwrap_or_default()
}

/// The greatest of `0..count` that fits, where what fits is a beginning of them.
fn longest(count: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
    let (mut least, mut most) = (0, count);
    while least < most {
        let middle = (least + most) / 2;
        if fits(middle) {
            least = middle + 1;
        } else {
            most = middle;
        }
    }
    least.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_words() {
        let text = "one two three four five six seven eight nine ten";
        for keep in 0..12 {
            let (first, last) = (first_tokens(text, keep), last_tokens(text, keep));
            assert!(tokens::count(&first) <= keep && tokens::count(&last) <= keep, "{keep}: {first} {last}");
            let start = first.trim_end_matches('…');
            assert!(text.starts_with(start), "{first}");
            assert!(keep < 4 || text[start.len()..].starts_with(' '), "{keep}: {first}");
            assert!(text.ends_with(last.trim_start_matches('…')));
        }
        let long = "渡し守は川を離れた".repeat(50);
        assert!(first_tokens(&long, 40).starts_with("渡し守は") && tokens::count(&first_tokens(&long, 40)) > 30);
        assert!(last_tokens(&long, 40).ends_with("離れた") && tokens::count(&last_tokens(&long, 40)) <= 40);
    }
}
