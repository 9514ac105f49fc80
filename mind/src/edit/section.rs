//! Sections of one's own prompts: templates over what one knows.

use super::words::{done, first_word, list, own, room_for};
use super::{Answer, VerbRequest};
use crate::event::Event;
use crate::hud::node::Node;
use crate::page;
use crate::render;
use crate::section::{SECTION_CHARS, SECTION_TOKENS, SECTIONS_MAX, SectionPart, is_section_name};
use crate::sections;
use crate::state::MindState;
use crate::tokens;

const HOW: &str = "Write a section of your prompts: section <name> [now] = <text>, or drop one: section remove <name>";

pub(super) fn section(state: &MindState, request: &VerbRequest) -> Answer {
    if request.args.is_empty() {
        let lines = state.sections.iter().map(page::own_section).collect();
        return list("Sections of your own:", lines, &format!("Your prompts have no section of your own. {HOW}"));
    }
    if let Some((head, text)) = request.args.split_once('=') {
        return set(state, head.trim(), text.trim());
    }
    let (word, name) = first_word(request.args);
    if !word.eq_ignore_ascii_case("remove") {
        return Err(format!("{HOW}."));
    }
    match state.sections.iter().find(|section| section.name == name) {
        Some(section) => {
            let event = Event::SectionRemove { name: section.name.clone() };
            done(event, format!("Your section {name} is gone from your prompts."))
        }
        None => Err(format!("You have no section of the name {name:?}. Those that you have: section.")),
    }
}

fn set(state: &MindState, head: &str, text: &str) -> Answer {
    let (name, part) = first_word(head);
    let part = match part.to_ascii_lowercase().as_str() {
        "" | "snapshot" => SectionPart::Snapshot,
        "now" => SectionPart::Now,
        _ => return Err(format!("{HOW}. A name is one word.")),
    };
    if !is_section_name(name) || name == "remove" {
        return Err("A section's name is one word of 1 to 24 small letters, digits, - and _.".to_string());
    }
    let text = own(text, SECTION_CHARS)?;
    if text.is_empty() {
        return Err(format!("What stands in it? section {name} = <text>; to drop it: section remove {name}"));
    }
    if state.sections.iter().all(|section| section.name != name) {
        room_for(state.sections.len(), SECTIONS_MAX, "sections", "section remove <name>")?;
    }
    let nodes =
        sections::preview(part, &text, state).map_err(|why| format!("That cannot stand in a prompt: {why}."))?;
    let written = render::render(&nodes, crate::hud::Format::Markdown);
    let needed = tokens::count(&written);
    if needed > SECTION_TOKENS {
        return Err(format!("That takes {needed} tokens of a prompt, and {SECTION_TOKENS} are the most."));
    }
    let from = match part {
        SectionPart::Snapshot => "when they are folded next",
        SectionPart::Now => "from the next one on",
    };
    let shown = match nodes.iter().all(Node::is_empty) {
        true => "nothing".to_string(),
        false => format!("\n{}", written.trim_end()),
    };
    let event = Event::SectionSet { name: name.to_string(), part, text };
    done(event, format!("Your prompts have a section {name} {from}. Just now it says: {shown}"))
}
