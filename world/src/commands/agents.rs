//! The verbs `agent` and `guideline`: which agents there are, what their records say, and what is changed in them. Who
//! may do what is in `agents/authority.rs`.

use super::chat::person;
use super::parts::{self, Part};
use crate::agents::Alteration;
use crate::arena::CharacterId;
use crate::find::first_word;
use crate::page::{Page, framed};
use crate::refusal::{Done, Refusal};
use crate::report::{LineKind, Style};
use crate::world::World;
use protocol::channel::PersonKind;
use protocol::instant;
use std::sync::Arc;

/// Agents that one list has.
const LIST_MAX: usize = 60;

/// Words after the verb.
const PARTS: &[(&str, Part)] = &[
    ("list", list),
    ("show", show),
    ("create", create),
    ("sleep", sleep),
    ("wake", wake),
    ("alter", alter),
    ("retire", retire),
    ("restore", restore),
    ("permit", permit),
    ("forbid", forbid),
];

/// The words that may follow `agent`.
pub fn words() -> impl Iterator<Item = &'static str> {
    PARTS.iter().map(|(name, _)| *name)
}

pub fn agent(world: &mut World, who: CharacterId, args: &str) -> Done {
    parts::run(PARTS, "agents", world, who, args)
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
        Some(owner) => format!("a {kind} of {}", world.name_and_id(owner)),
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
        text.say(framed(words));
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
    if let Some(until) = record.sleep_until.filter(|until| world.tick() < *until && !record.retired) {
        let span = world.span_in_words(until - world.tick());
        let instant = record.wakes_ms.map_or(String::new(), |wakes_ms| format!(", until {}", instant::text(wakes_ms)));
        text.say(format!("It thinks no more for {span}{instant}."));
    }
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
        if record.owner == Some(person) {
            let name = world.state.channels.person(id).map(|person| person.name.clone()).unwrap_or_default();
            text.say(format!("Of its mind you read what it shares with you, if anything: hud of {name}."));
        }
    }
    world.send_line(who, Arc::new(text.into_line()));
    Ok(())
}

/// An agent that somebody knows of, by the word, and what follows it.
fn agent_and_rest<'a>(world: &World, reader: u32, args: &'a str) -> Result<(u32, &'a str), Refusal> {
    let (word, rest) = first_word(args);
    Ok((agent_word(world, reader, word)?, rest.trim()))
}

fn told(world: &mut World, who: CharacterId, text: impl Into<String>) -> Done {
    world.send(who, LineKind::Text, text);
    Ok(())
}

fn sleep(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    let ticks = world.put_to_sleep(person, args.trim())?;
    let span = world.span_in_words(ticks);
    let wakes_ms = world.state.agents.get(person).and_then(|record| record.wakes_ms);
    let instant = wakes_ms.map_or(String::new(), |wakes_ms| format!(", until {}", instant::text(wakes_ms)));
    told(
        world,
        who,
        format!("You think no more for {span}{instant}. Your body looks after itself, and who is near may wake you."),
    )
}

fn wake(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    let (agent, _) = agent_and_rest(world, person, args)?;
    world.wake_agent(person, agent)?;
    let name = world.display_name(agent);
    told(world, who, format!("You wake {name}."))
}

/// `[<name>] [persona|bot] [in <channel>] = <prompt>`.
fn create(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    const HOW: &str = "Who is it to be? agent create [<name>] [persona|bot] [in <channel>] = <prompt>";
    let (head, prompt) = args.split_once('=').ok_or(HOW)?;
    let mut words: Vec<&str> = head.split_whitespace().collect();
    let channel = match words.as_slice() {
        [.., "in", word] => Some(world.channel_word(person, word)?),
        _ => None,
    };
    if channel.is_some() {
        words.truncate(words.len() - 2);
    }
    let kind = match words.last().map(|word| word.to_ascii_lowercase()).as_deref() {
        Some("persona") => Some(PersonKind::Persona),
        Some("bot") => Some(PersonKind::Bot),
        _ => None,
    };
    if kind.is_some() {
        words.pop();
    }
    let name = words.join(" ");
    let name = (!name.is_empty()).then_some(&*name);
    let id = world.order_agent(person, name, kind.unwrap_or(PersonKind::Persona), channel, prompt)?;
    world.lag(who, 1);
    told(world, who, format!("It will be number {id}; you are told when it is made."))
}

const ALTER: &str =
    "What about it? agent alter <agent> prompt = <text> (prompt += <text> adds), name = <text>, or model = <name>";

/// `name = n model = m prompt += text`: a prompt is the last, since it may have anything in it.
fn alterations(mut rest: &str) -> Result<Vec<Alteration>, Refusal> {
    let mut found = Vec::new();
    while !rest.is_empty() {
        let (key, text) = rest.split_once('=').ok_or(ALTER)?;
        let (key, add) = match key.trim_end().strip_suffix('+') {
            Some(key) => (key.trim_end(), true),
            None => (key.trim_end(), false),
        };
        let text = text.trim();
        match key.to_ascii_lowercase().as_str() {
            "prompt" if text.is_empty() => {
                return Err("A prompt says something. agent alter <agent> prompt = <text>".into());
            }
            "prompt" => {
                found.push(Alteration::Prompt { text: text.to_string(), add });
                rest = "";
            }
            "name" if !add => {
                let next = [" model =", " prompt =", " prompt +="].iter().filter_map(|next| text.find(next)).min();
                let (name, more) = text.split_at(next.unwrap_or(text.len()));
                found.push(Alteration::Name(name.trim().to_string()));
                rest = more.trim();
            }
            "model" if !add => {
                let (word, more) = first_word(text);
                let model = match word {
                    "" => return Err("Which model? agent alter <agent> model = <name>, or none".into()),
                    "none" => None,
                    word => Some(word.into()),
                };
                found.push(Alteration::Model(model));
                rest = more.trim();
            }
            _ => return Err(ALTER.into()),
        }
    }
    if found.is_empty() { Err(ALTER.into()) } else { Ok(found) }
}

fn alter(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    let (agent, rest) = agent_and_rest(world, person, args)?;
    let alterations = alterations(rest)?;
    // As it was called before.
    let name = world.display_name(agent);
    world.alter_agent(person, agent, &alterations)?;
    world.lag(who, 1);
    match alterations.iter().all(|alteration| matches!(alteration, Alteration::Name(_))) {
        true => Ok(()),
        false => told(world, who, format!("{name} is altered, and knows it from its next fresh prompt on.")),
    }
}

fn retire(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    let (agent, _) = agent_and_rest(world, person, args)?;
    world.retire_agent(person, agent)?;
    world.lag(who, 1);
    let name = world.display_name(agent);
    told(world, who, format!("{name} is retired."))
}

fn restore(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    let (agent, _) = agent_and_rest(world, person, args)?;
    world.restore_agent(person, agent)?;
    let name = world.display_name(agent);
    told(world, who, format!("{name} may play again."))
}

fn permit(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    allow(world, who, person, args, true)
}

fn forbid(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    allow(world, who, person, args, false)
}

fn allow(world: &mut World, who: CharacterId, person: u32, args: &str, may: bool) -> Done {
    world.only_architect(person)?;
    let whom = world.person_word(first_word(args).0)?;
    world.permit(person, whom, may)?;
    let name = world.display_name(whom);
    let what = if may { "may make agents" } else { "may make agents no more" };
    told(world, who, format!("{name} {what}."))
}

/// Characters of the reason for a guideline.
const REASON_CHARS: usize = 300;

/// The verb `guideline`: an agent's own rules of conduct, which its log has with the reason.
pub fn guideline(world: &mut World, who: CharacterId, args: &str) -> Done {
    const HOW: &str = "Say what you keep to, and why: guideline set <text> because <why>, or guideline clear";
    let person = person(world, who)?;
    let record = world.state.agents.get(person).ok_or(crate::agents::NO_RECORD)?;
    let args = protocol::names::clean_text(args);
    let args = args.trim();
    let (word, rest) = first_word(args);
    match word.to_ascii_lowercase().as_str() {
        "" => {
            let mut text = Page::new();
            match record.guidelines.is_empty() {
                true => _ = text.say(format!("You keep to nothing of your own so far. {HOW}")),
                false => quote(&mut text, "What you keep to:", &record.guidelines),
            }
            world.send_line(who, Arc::new(text.into_line()));
            Ok(())
        }
        "clear" if rest.trim().is_empty() => {
            if record.guidelines.is_empty() {
                return Err("You keep to nothing of your own as it is.".into());
            }
            world.set_guidelines(person, "")?;
            super::mind::ask_one(world, who, "guideline", "clear")
        }
        "set" => {
            let (text, why) = rest.rsplit_once(" because ").ok_or(HOW)?;
            let (text, why) = (text.trim(), why.trim());
            if text.is_empty() || why.is_empty() {
                return Err(HOW.into());
            }
            crate::agent::check_length("A reason", why, REASON_CHARS)?;
            world.set_guidelines(person, text)?;
            super::mind::ask_one(world, who, "guideline", args)
        }
        _ => Err(HOW.into()),
    }
}
