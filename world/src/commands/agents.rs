//! The verb `agent`: which agents there are, and what their records say. Who may do what is in `agents/authority.rs`.

use super::chat::person;
use crate::arena::CharacterId;
use crate::find::first_word;
use crate::page::Page;
use crate::refusal::{Done, Refusal};
use crate::report::Style;
use crate::world::World;
use protocol::channel::PersonKind;
use std::sync::Arc;

/// Agents that one list has.
const LIST_MAX: usize = 60;

/// A word after `agent`, and what it does.
type Part = fn(&mut World, CharacterId, u32, &str) -> Done;

const PARTS: &[(&str, Part)] = &[("list", list), ("show", show)];

pub fn agent(world: &mut World, who: CharacterId, args: &str) -> Done {
    let person = person(world, who)?;
    let (word, rest) = first_word(args);
    if word.is_empty() {
        return list(world, who, person, "");
    }
    match PARTS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)) {
        Some((_, part)) => part(world, who, person, rest),
        None => {
            let names: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
            Err(format!("What about agents? One of {} comes first.", names.join(", ")).into())
        }
    }
}

/// An agent that somebody knows of. Who may not know of one gets the same answer as where there is none.
fn agent_word(world: &World, reader: u32, word: &str) -> Result<u32, Refusal> {
    if word.is_empty() {
        return Err("Which agent? Its number or its name; agent lists those that you know of.".into());
    }
    let found = world.person_named(word).filter(|id| world.state.agents.get(*id).is_some());
    found.filter(|id| world.knows_agent(reader, *id)).ok_or_else(|| {
        let short: String = word.chars().take(40).collect();
        format!("You know of no agent \"{short}\"; agent lists those that you know of.").into()
    })
}

/// `a bot of Ada (105)`.
fn nature(world: &World, person: u32) -> String {
    let record = world.state.agents.get(person);
    let kind = if record.is_some_and(|record| record.kind == PersonKind::Bot) { "bot" } else { "persona" };
    match record.and_then(|record| record.owner) {
        Some(owner) => format!("a {kind} of {} ({owner})", world.display_name(owner)),
        None => format!("a {kind} of the operator's"),
    }
}

fn list(world: &mut World, who: CharacterId, person: u32, _: &str) -> Done {
    let known: Vec<u32> =
        world.state.agents.iter().map(|(id, _)| id).filter(|id| world.knows_agent(person, *id)).collect();
    let mut text = Page::new();
    if known.is_empty() {
        text.say("You know of no agents: none is yours, and none is in a home or a group with you.");
    } else {
        text.line(Style::Heading, "Agents that you know of:");
    }
    for id in known.iter().copied().take(LIST_MAX) {
        let name: String = world.display_name(id).chars().take(24).collect();
        let state = world.agent_state(id).map_or("", |state| state.name());
        text.say(format!("{id:>6} {name:<24} {state:<8} {}", nature(world, id)));
    }
    if known.len() > LIST_MAX {
        text.say(format!("And {} more.", known.len() - LIST_MAX));
    }
    world.send_line(who, Arc::new(text.into_line()));
    Ok(())
}

/// A text of others, so that no line of it is taken for one of the server's.
fn quote(text: &mut Page, heading: &str, words: &str) {
    if !words.is_empty() {
        text.line(Style::Heading, heading);
        words.lines().for_each(|line| _ = text.say(format!("  | {line}")));
    }
}

fn show(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    let (word, _) = first_word(args);
    let is_agent = world.state.agents.get(person).is_some();
    let id = if word.is_empty() && is_agent { person } else { agent_word(world, person, word)? };
    let Some(record) = world.state.agents.get(id) else { return Ok(()) };
    let mut text = Page::new();
    let state = world.agent_state(id).map_or("", |state| state.name());
    text.line(Style::Heading, format!("{id} {}: {}, {state}.", world.display_name(id), nature(world, id)));
    if world.reads_record(person, id) {
        let (whole, tenth) = (record.think_ds / 10, record.think_ds % 10);
        let model = record.model.as_ref().map_or(String::new(), |model| format!(", with the model {model}"));
        text.say(format!("It thinks every {whole}.{tenth} seconds{model}."));
        if record.may_create_agents {
            text.say("It may make agents.");
        }
        let heading = if record.kind == PersonKind::Bot { "What it is for:" } else { "Who it is:" };
        quote(&mut text, heading, &record.seed);
        quote(&mut text, "Its own guidelines:", &record.guidelines);
    }
    world.send_line(who, Arc::new(text.into_line()));
    Ok(())
}
