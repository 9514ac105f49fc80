//! From the JSON of an answer to lines of the game.
//!
//! Lenient in form, strict in meaning: names by which the documents call a thing are all understood, ids may be numbers
//! or strings, an action may be just a line; but a verb that nobody knows, a wrong type or a missing field is refused
//! with a sentence that says what to do. What is too much is left out with a notice, so that one slip costs no repair.

use super::order::{Destination, Order, POLICIES, PolicyName, TICKS_MAX, Until};
use super::table::{CHANNEL, Channels, Field, Kind, Row, channel_row, row};
use super::{ActionError, Offer};
use crate::goals::PARTS;
use crate::spelling::nearest;
use protocol::attention::Attention;
use protocol::channel::Reaction;
use protocol::names::clean_text;
use protocol::verbs::{self, Models};
use serde_json::Value;

type Map = serde_json::Map<String, Value>;

/// Lines of a decision that spend no tick.
pub const FREE_MAX: usize = 8;
/// Characters of a line that goes to the server.
pub const LINE_CHARS_MAX: usize = 1_000;
/// Elements of a list of actions that are looked at; a sensible answer has fewer than ten.
const LOOKED_AT_MAX: usize = 32;
/// Characters of a word or a path, and of a memory's value.
const WORD_CHARS_MAX: usize = 60;
const PATH_CHARS_MAX: usize = 330;
const VALUE_CHARS_MAX: usize = 800;

/// One decoded action: its row and the texts of its fields, in the row's order; absent ones are `None`.
#[derive(Clone, Debug)]
pub struct Action {
    pub row: &'static Row,
    pub values: Vec<Option<String>>,
    /// A text was too long and ends earlier than it was written.
    pub shortened: bool,
}

/// What a list of actions came to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Decided {
    /// Talk and socials, in order.
    pub speech: Vec<String>,
    /// Everything else, in order.
    pub actions: Vec<String>,
    /// What the agent's own body shall do once these are sent: one order at most.
    pub order: Option<Order>,
    /// A goal that is to be split, and nobody said into what: its number or key.
    pub split: Option<String>,
    /// `compact` is among the actions.
    pub compact: bool,
    /// What was left out and why, one sentence each.
    pub dropped: Vec<String>,
}

fn fail<T>(sentence: impl Into<String>) -> Result<T, ActionError> {
    Err(ActionError(sentence.into()))
}

/// A short piece of what the model wrote, fit to stand in a sentence.
fn quoted(text: &str) -> String {
    let clean = clean_text(text);
    let mut short: String = clean.chars().take(40).collect();
    if short.len() < clean.len() {
        short.push('…');
    }
    format!("`{}`", short.replace('`', "'"))
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Decodes one element of `actions`. `offer`: what the world at hand has beside the verbs.
pub fn decode(value: &Value, offer: &Offer) -> Result<Action, ActionError> {
    let written = match value {
        Value::String(line) => return command(line, &Value::Null, offer),
        Value::Object(members) => members,
        other => return fail(format!("An action is an object with a `type`, not {}.", type_of(other))),
    };
    let (name, mut members) = unwrapped(written)?;
    let lower = name.to_ascii_lowercase();
    let args = members.get("args").or_else(|| members.get("arguments")).cloned().unwrap_or(Value::Null);
    if let Some(row) = row_offered(&lower, &members, offer).filter(|row| row.mind)
        && !args.is_null()
        && let Some(first) = row.fields.first()
        && row.fields.iter().all(|field| find(&members, field).is_none())
    {
        // {"type":"step_done","args":["5"]}: the args are what it has first.
        let only = args.as_array().filter(|all| all.len() == 1).map(|all| all[0].clone());
        let value = match only.unwrap_or_else(|| args.clone()) {
            all @ Value::Array(_) if !matches!(first.kind, Kind::Parts) => {
                Value::String(text_of(&row_of("command").fields[1], &all, &mut false)?)
            }
            other => other,
        };
        members.insert(first.name.to_string(), value);
    }
    let (members, args) = (&members, &args);
    let get = |name: &str| members.get(name).filter(|value| !value.is_null());
    let Some(mut row) = row_offered(&lower, members, offer) else {
        // A verb in the place of the type: {"type":"kill","args":["goblin"]}, or with a `target`.
        let verb = verbs::word_of(&name);
        let is_known = verbs::find(verb, 1).is_some() || offer.words.has(verb) || is_of_channels(verb, offer);
        if is_known && !is_lacking(verb, offer) {
            let object = ["target", "item", "direction", "text", "message"].iter().find_map(|name| get(name));
            return command(&name, if args.is_null() { object.unwrap_or(&Value::Null) } else { args }, offer);
        }
        let meant = match meant(&lower, offer) {
            Some(meant) => format!(" Did you mean `{meant}`?"),
            None => String::new(),
        };
        let types = names_of_types(offer);
        return fail(format!("There is no action of type {}: the types are {types}.{meant}", quoted(&name)));
    };
    if row.channels == Channels::Record && !offer.has_record {
        return fail("This server keeps no record of you as an agent, so there is nothing to change in it.");
    }
    if row.channels == Channels::Agents && !(offer.has_record && offer.makes_agents) {
        return fail("You may not make, change or retire agents.");
    }
    if row.order && row.fields.iter().all(|field| find(members, field).is_none()) {
        // {"type":"goto","args":["smithy"]}, and the row of a table in TOON, whose columns are those of a command.
        let written = get("args").or_else(|| get("arguments")).or_else(|| get("text")).or_else(|| get("command"));
        if let Some(written) = written {
            let mut shortened = false;
            let words = text_of(&row_of("command").fields[1], written, &mut shortened)?;
            return order_of_words(row, &words);
        }
    }
    if row.name == "command" {
        return match get("command") {
            Some(Value::String(line)) => command(line, args, offer),
            Some(other) => fail(format!("`command` is a string, not {}.", type_of(other))),
            None => fail("An action of type `command` has no `command`."),
        };
    }
    if row.name == "say" {
        row = match channel_meant(members).filter(|_| offer.channels) {
            Some(_) => channel_row("chat").expect("a row of the table"),
            None => said_where(get("channel"), get("to").is_some(), get("room_id"))?,
        };
    }
    if !row.is_in(offer) {
        return fail(format!("There is no channel {} in this world.", quoted(row.name)));
    }
    // {"type":"say","args":["hello"]}: the args are the text.
    let bare = row.fields.iter().all(|field| find(members, field).is_none()) && !args.is_null();
    if bare && !row.fields.is_empty() && !row.mind && row.channels == Channels::Nothing {
        return command(&lower, args, offer);
    }
    let mut action = fields_of(row, members)?;
    // The channel that an answer names is where the message has to be; the server says so if it is not.
    if std::ptr::eq(row, channel_row("reply").expect("a row of the table"))
        && let (Some(Some(message)), Some(channel)) = (action.values.first_mut(), channel_meant(members))
    {
        let channel = text_of(&CHANNEL, channel, &mut action.shortened)?;
        message.push('@');
        message.push_str(&channel);
    }
    Ok(action)
}

/// The name of an action, and its fields. Tools of the documents are named and given theirs in an envelope:
/// `{"tool": "add_goal", "args": {…}}`, by itself or as the fields of the type `hud`.
fn unwrapped(written: &Map) -> Result<(String, Map), ActionError> {
    let get = |name: &str| written.get(name).filter(|value| !value.is_null());
    let of = |key: &'static str| match get(key) {
        Some(Value::String(name)) => Ok(Some((key, name.trim().to_string()))),
        Some(other) => fail(format!("The `{key}` of an action is a string, not {}.", type_of(other))),
        None => Ok(None),
    };
    let typed = match of("type")? {
        Some(typed) => Some(typed),
        None => of("action")?,
    };
    // Of `hud` with a tool, the tool is meant.
    let typed = match typed {
        Some((_, name)) if name.eq_ignore_ascii_case("hud") && get("tool").is_some() => of("tool")?,
        None => of("tool")?,
        typed => typed,
    };
    let Some((key, name)) = typed else {
        return match get("command") {
            Some(_) => Ok(("command".to_string(), written.clone())),
            None => fail("An action has no `type`."),
        };
    };
    // What is written as text is JSON, as endpoints have it of tool calls.
    let read = |text: &str| serde_json::from_str::<Map>(text).ok();
    let wrapped = match get("args").or_else(|| get("arguments")) {
        Some(Value::Object(args)) => Some(args.clone()),
        Some(Value::String(text)) if key == "tool" => read(text),
        _ => None,
    };
    if let Some(args) = wrapped.filter(|_| !name.eq_ignore_ascii_case("command")) {
        return Ok((name, args));
    }
    let mut members = written.clone();
    members.remove(key);
    Ok((name, members))
}

/// The name of an action that a model may have meant.
fn meant(word: &str, offer: &Offer) -> Option<&'static str> {
    let there = super::ROWS.iter().filter(|row| row.channels == Channels::Nothing || row.is_offered_by(offer));
    let names: Vec<&str> = there.flat_map(|row| std::iter::once(row.name).chain(row.also.iter().copied())).collect();
    // `decisions.recrod` is nearer to `decisions.record` than to `decisions`, with which it begins.
    let parts = |name: &str| name.split(['.', '_']).count();
    let alike = names.iter().copied().filter(|name| parts(name) == parts(word));
    nearest(word, alike).or_else(|| nearest(word, names.iter().copied()))
}

/// The row of a type that this world has. Where there are channels, an answer to a message and a sleep until an instant
/// are other actions than the verbs of the same names.
fn row_offered(name: &str, members: &Map, offer: &Offer) -> Option<&'static Row> {
    let has = |names: &[&str]| names.iter().any(|name| members.get(*name).is_some_and(|value| !value.is_null()));
    if offer.channels {
        match name {
            "reply" if has(&["message_id", "reply_to"]) => return channel_row("reply"),
            "reply" | "chat" if channel_meant(members).is_some() => return channel_row("chat"),
            "say" | "send_message" if has(&["reply_to", "message_id"]) && channel_meant(members).is_some() => {
                return channel_row("reply");
            }
            "sleep" if has(&["until"]) => return channel_row("sleep_until"),
            _ => {}
        }
    }
    // The verb of that name divides coins.
    if name == "split" && !row_of("split").fields.iter().any(|field| find(members, field).is_some()) {
        return None;
    }
    row(name).filter(|row| row.channels == Channels::Nothing || offer.channels)
}

/// The channel that a message is for, where it is one by its number: names are those of the world's own channels.
fn channel_meant(members: &Map) -> Option<&Value> {
    let is_number = |value: &Value| match value {
        Value::Number(_) => true,
        Value::String(text) => text.trim().parse::<u32>().is_ok(),
        _ => false,
    };
    let room = members.get("room_id").or_else(|| members.get("channel_id")).filter(|value| !value.is_null());
    room.or_else(|| members.get("channel").filter(|value| is_number(value)))
}

/// Verbs that servers with channels have.
const CHANNEL_VERBS: &[&str] =
    &["agent", "attention", "channel", "chat", "guideline", "name", "react", "reply", "request", "whois"];

/// A verb of our table that a server without channels does not have: `reply` and `whois` are older than channels.
fn is_lacking(verb: &str, offer: &Offer) -> bool {
    let is_older = ["reply", "whois"].iter().any(|older| older.eq_ignore_ascii_case(verb));
    !offer.channels && !is_older && CHANNEL_VERBS.iter().any(|other| other.eq_ignore_ascii_case(verb))
}

fn is_of_channels(verb: &str, offer: &Offer) -> bool {
    offer.channels && CHANNEL_VERBS.iter().any(|other| other.eq_ignore_ascii_case(verb))
}

/// Whether a line makes, changes or retires an agent: of all that is done in channels, only that spends a tick.
pub fn makes_agent(line: &str) -> bool {
    let mut words = line.split_whitespace().map(str::to_ascii_lowercase);
    let first = words.next();
    first.as_deref() == Some("agent")
        && words.next().is_some_and(|word| ["create", "alter", "retire"].contains(&&*word))
}

/// In which place of a decision a line is carried out: the mind, words, what changes memberships and what others think,
/// then all else that is free, and last what spends a tick. Source: *Processing* of the document of channels.
pub fn place_of(line: &str, offer: &Offer) -> u8 {
    let verb = verbs::word_of(line);
    match verbs::find(verb, 1) {
        _ if !is_free(line, offer) => 4,
        Some(verb) if verb.rank == verbs::Rank::Mind => 0,
        _ if is_talk(line, offer) => 1,
        _ if is_of_channels(verb, offer) => 2,
        _ => 3,
    }
}

fn fields_of(row: &'static Row, members: &Map) -> Result<Action, ActionError> {
    let mut action = Action { row, values: Vec::with_capacity(row.fields.len()), shortened: false };
    for field in row.fields {
        match find(members, field) {
            Some(value) => {
                let text = text_of(field, value, &mut action.shortened)
                    .map_err(|ActionError(why)| ActionError(format!("In an action of type `{}`: {why}", row.name)))?;
                action.values.push(Some(text));
            }
            None if field.optional => action.values.push(None),
            None => return fail(format!("An action of type `{}` has no `{}`.", row.name, field.name)),
        }
    }
    if row.one_change {
        let changes = || row.fields.iter().zip(&action.values).filter(|(field, _)| field.optional);
        match changes().filter(|(_, value)| value.is_some()).count() {
            1 => {}
            0 => {
                let names: Vec<String> = changes().map(|(field, _)| format!("`{}`", field.name)).collect();
                return fail(format!("An action of type `{}` changes one of {}.", row.name, names.join(", ")));
            }
            _ => return fail(format!("An action of type `{}` changes one thing at a time.", row.name)),
        }
    }
    Ok(action)
}

fn names_of_types(offer: &Offer) -> String {
    let told = |row: &&Row| row.told && row.channels == Channels::Nothing || row.is_offered_by(offer);
    super::ROWS.iter().filter(told).map(|row| row.name).collect::<Vec<_>>().join(", ")
}

fn find<'v>(members: &'v Map, field: &Field) -> Option<&'v Value> {
    std::iter::once(&field.name).chain(field.also).find_map(|name| members.get(*name).filter(|value| !value.is_null()))
}

/// The row of a message: by its channel, by whether it is for somebody, else speech in the room.
fn said_where(channel: Option<&Value>, to: bool, room: Option<&Value>) -> Result<&'static Row, ActionError> {
    let known = |name: &str| row(name).filter(|row| row.is_talk());
    match channel {
        Some(Value::String(name)) => match known(&name.to_ascii_lowercase()) {
            Some(row) => Ok(row),
            None => fail(format!("There is no channel {}: use say, tell, reply, gossip, gsay or emote.", quoted(name))),
        },
        Some(other) => fail(format!("`channel` is a string, not {}.", type_of(other))),
        None if to => Ok(row_of("tell")),
        None if room.is_some() => {
            fail("There are no chat rooms in this world: leave `room_id` out, and use say, tell or gossip.")
        }
        None => Ok(row_of("say")),
    }
}

fn row_of(name: &str) -> &'static Row {
    row(name).expect("a row of the table")
}

/// An order as one would type it: `goto smithy`, `wait rested 40`, `delegate hunt loot 40 hurt`. What belongs to no
/// other field is for the first, which then says what is wrong with it.
fn order_of_words(row: &'static Row, words: &str) -> Result<Action, ActionError> {
    let mut members = Map::new();
    for word in words.split_whitespace() {
        let word = word.trim_matches(',');
        let takes = |field: &&Field| match field.kind {
            Kind::Ticks => word.parse::<f64>().is_ok(),
            Kind::Until(all) => all.iter().any(|until| until.name() == word),
            Kind::Policies => word == "all" || policy_named(word).is_some(),
            _ => false,
        };
        let taking = row.fields.iter().find(takes);
        let filler = matches!(word, "until" | "for" | "tick" | "ticks" | "to" | "or" | "and");
        if taking.is_none() && filler && row.name != "goto" {
            continue;
        }
        let field = taking.unwrap_or(&row.fields[0]);
        let text = members.entry(field.name.to_string()).or_insert_with(|| Value::String(String::new()));
        if let Value::String(text) = text {
            text.push_str(if text.is_empty() { "" } else { " " });
            text.push_str(word);
        }
    }
    fields_of(row, &members)
}

/// A command of the game: its verb must be one that an agent may give.
fn command(line: &str, args: &Value, offer: &Offer) -> Result<Action, ActionError> {
    let mut shortened = false;
    let row = row_of("command");
    let head = text_of(&row.fields[0], &Value::String(line.to_string()), &mut shortened)?;
    let rest = match args {
        Value::Null => None,
        args => Some(text_of(&row.fields[1], args, &mut shortened)?).filter(|rest| !rest.is_empty()),
    };
    let typed = verbs::word_of(&head);
    if let Some(order) = super::ROWS.iter().find(|row| row.order && row.name.eq_ignore_ascii_case(typed)) {
        let typed_on = head.split_once(' ').map_or("", |(_, rest)| rest);
        return order_of_words(order, format!("{typed_on} {}", rest.unwrap_or_default()).trim());
    }
    let verb = verbs::find(typed, 1);
    if let Some(verb) = verb.filter(|verb| verb.models == Models::Forbidden) {
        return fail(format!("The command {} is for the owner of your character, not for you.", quoted(&verb.name)));
    }
    if makes_agent(&head) && offer.channels && !offer.makes_agents {
        return fail("You may not make, change or retire agents.");
    }
    if verb.is_none() && !offer.words.has(typed) && !row_verb(typed) && !is_of_channels(typed, offer) {
        return fail(format!("There is no command {}: use a verb of the list.", quoted(typed)));
    }
    Ok(Action { row, values: vec![Some(head), rest], shortened })
}

/// Whether a word begins the line of a row, as those of the mind do: they count also where the list of verbs is older.
fn row_verb(word: &str) -> bool {
    super::ROWS.iter().any(|row| row.mind && row.verb().eq_ignore_ascii_case(word))
}

/// A field's value as the text that stands in the line.
fn text_of(field: &Field, value: &Value, shortened: &mut bool) -> Result<String, ActionError> {
    let name = field.name;
    let wrong = |what: &str| fail(format!("`{name}` is {what}, not {}.", type_of(value)));
    match field.kind {
        Kind::Text(chars_max) => match value {
            Value::String(text) => {
                let text = one_line(text);
                if text.is_empty() {
                    return fail(format!("`{name}` is empty."));
                }
                Ok(cut(&text, chars_max, shortened))
            }
            Value::Number(number) => Ok(number.to_string()),
            _ => wrong("a string"),
        },
        Kind::Words => {
            let words = match value {
                Value::Array(words) => {
                    let mut all = Vec::with_capacity(words.len().min(LOOKED_AT_MAX));
                    for word in words {
                        match word {
                            Value::String(word) => all.push(one_line(word)),
                            Value::Number(number) => all.push(number.to_string()),
                            Value::Null => {}
                            other => {
                                return fail(format!("`{name}` is a list of strings; it holds {}.", type_of(other)));
                            }
                        }
                    }
                    all.retain(|word| !word.is_empty());
                    all.join(" ")
                }
                Value::String(words) => one_line(words),
                Value::Number(number) => number.to_string(),
                _ => return wrong("a list of strings"),
            };
            if words.is_empty() && !field.optional {
                return fail(format!("`{name}` is empty."));
            }
            Ok(cut(&words, 400, shortened))
        }
        Kind::Word => match value {
            Value::String(word) => {
                let word = one_line(word);
                match word.is_empty() || word.contains(' ') || word.chars().count() > WORD_CHARS_MAX {
                    true => fail(format!("`{name}` is one word, not {}.", quoted(&word))),
                    false => Ok(word),
                }
            }
            Value::Number(number) => Ok(number.to_string()),
            _ => wrong("one word"),
        },
        Kind::Path => match value {
            Value::String(path) => {
                let path = one_line(path);
                let odd = path.is_empty() || path.contains([' ', '=', '"']) || path.split('.').any(str::is_empty);
                match odd || path.chars().count() > PATH_CHARS_MAX {
                    true => fail(format!(
                        "`{name}` is names with dots between, as in people.Bob.trust, not {}.",
                        quoted(&path)
                    )),
                    false => Ok(path),
                }
            }
            _ => wrong("names with dots between, as in people.Bob.trust"),
        },
        Kind::Value => {
            let text = match value {
                Value::String(text) => one_line(text),
                other => one_line(&other.to_string()),
            };
            if text.is_empty() {
                return fail(format!("`{name}` is empty; to forget something, use `delete`."));
            }
            if text.chars().count() > VALUE_CHARS_MAX {
                return fail(format!(
                    "`{name}` is longer than {VALUE_CHARS_MAX} characters: remember less at one path."
                ));
            }
            // A string that looks like JSON would be read as what it looks like.
            let looks = value.is_string() && serde_json::from_str::<Value>(&text).is_ok();
            Ok(if looks { Value::String(text).to_string() } else { text })
        }
        Kind::Weight => {
            let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
            match number.filter(|weight| (0.0..=1.0).contains(weight)) {
                Some(weight) => Ok(weight.to_string()),
                None => fail(format!("`{name}` is a number from 0 to 1.")),
            }
        }
        Kind::Policies => {
            let mut names: Vec<&str> = Vec::new();
            for word in list_of(name, value)? {
                match policy_named(&word) {
                    Some(policy) if names.contains(&policy.name) => {}
                    Some(policy) => names.push(policy.name),
                    None if word == "all" => return Ok("all".to_string()),
                    None => {
                        return fail(format!(
                            "There is no policy {}: the policies are {}, or \"all\".",
                            quoted(&word),
                            POLICIES.iter().map(|policy| policy.name).collect::<Vec<_>>().join(", ")
                        ));
                    }
                }
            }
            if names.is_empty() { fail(format!("`{name}` is empty.")) } else { Ok(names.join(" ")) }
        }
        Kind::Until(all) => {
            let mut names: Vec<&str> = Vec::new();
            for word in list_of(name, value)? {
                match Until::named(&word.replace([' ', '-'], "_")).filter(|until| all.contains(until)) {
                    Some(until) if names.contains(&until.name()) => {}
                    Some(until) => names.push(until.name()),
                    None => {
                        return fail(format!(
                            "`{name}` knows no {}: it is one or several of {}.",
                            quoted(&word),
                            all.iter().map(|until| until.name()).collect::<Vec<_>>().join(", ")
                        ));
                    }
                }
            }
            Ok(names.join(" "))
        }
        Kind::Ticks => {
            let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
            match number.filter(|ticks| ticks.fract() == 0.0 && *ticks >= 1.0) {
                // More is cut where the order is read, with a notice.
                Some(ticks) => Ok((ticks.min(1e15) as u64).to_string()),
                None => fail(format!("`{name}` is a whole number from 1 to {TICKS_MAX}.")),
            }
        }
        Kind::Somebody => match value {
            Value::Number(number) => match number.as_u64().and_then(|number| u32::try_from(number).ok()) {
                Some(number) => Ok(number.to_string()),
                None => wrong("a number of a channel or a person, as your lists show it"),
            },
            Value::String(word) => {
                let word = one_line(word);
                let word = word.trim_start_matches('#');
                match word.is_empty() || word.contains([' ', '=']) || word.chars().count() > WORD_CHARS_MAX {
                    true => fail(format!("`{name}` is a number, as your lists show it, not {}.", quoted(word))),
                    false => Ok(word.to_string()),
                }
            }
            _ => wrong("a number of a channel or a person, as your lists show it"),
        },
        Kind::Message => match value {
            Value::String(word) if word.trim().eq_ignore_ascii_case("last") => Ok("last".to_string()),
            value => match whole(value).filter(|number| *number > 0) {
                Some(number) => Ok(number.to_string()),
                None => fail(format!("`{name}` is the number of a message, as it stands before its words.")),
            },
        },
        Kind::Reaction => match value.as_str().and_then(|word| Reaction::named(word.trim())) {
            Some(reaction) => Ok(reaction.word().to_string()),
            None => fail(format!("`{name}` is one of {}.", Reaction::ALL.map(Reaction::name).join(", "))),
        },
        Kind::Attention => {
            let text = match value {
                Value::String(text) => one_line(text),
                Value::Number(number) => match number.as_f64().filter(|n| n.fract() == 0.0) {
                    Some(whole) => format!("{whole}"),
                    None => number.to_string(),
                },
                _ => return wrong("a percentage, %* or auto"),
            };
            let attention: Result<Attention, String> = text.parse();
            attention.map(|attention| attention.to_string()).or_else(|why| fail(format!("`{name}`: {why}.")))
        }
        Kind::WordsAMinute => match whole(value).filter(|wpm| (10..=200).contains(wpm)) {
            Some(wpm) => Ok(wpm.to_string()),
            None => fail(format!("`{name}` is a whole number from 10 to 200.")),
        },
        Kind::Moment => match value.as_str().map(one_line).and_then(|text| instant(&text)) {
            Some(text) => Ok(text),
            None => fail(format!("`{name}` is an instant such as 2026-12-01T08:00:00Z, or a time such as 10m or 2h.")),
        },
        Kind::AgentKind => match value.as_str().map(|word| word.trim().to_ascii_lowercase()) {
            Some(word) if matches!(word.as_str(), "persona" | "bot") => Ok(word),
            _ => fail(format!("`{name}` is persona or bot.")),
        },
        Kind::Goal => {
            let key = value.as_str().map(|word| word.trim().to_ascii_lowercase());
            match (whole(value).filter(|id| *id > 0), key.filter(|key| is_goal_key(key))) {
                (Some(id), _) => Ok(id.to_string()),
                (None, Some(key)) => Ok(key),
                (None, None) => fail(format!("`{name}` is the number of a goal, or its key such as goal_42_0.")),
            }
        }
        Kind::Percent => {
            let number = match value {
                Value::String(text) => text.trim().trim_end_matches('%').trim_end().parse().ok(),
                value => value.as_f64(),
            };
            match number.filter(|percent: &f64| percent.fract() == 0.0 && (0.0..=100.0).contains(percent)) {
                Some(percent) => Ok(percent.to_string()),
                None => fail(format!("`{name}` is a whole number from 0 to 100.")),
            }
        }
        Kind::Choice(words) => {
            let written = value.as_str().map(|word| word.trim().to_ascii_lowercase());
            match words.iter().find(|(word, _)| written.as_deref() == Some(*word)) {
                Some((_, word)) => Ok((*word).to_string()),
                None => {
                    let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                    fail(format!("`{name}` is one of {}.", all.join(", ")))
                }
            }
        }
        Kind::Parts => {
            let parts = parts_of(value, shortened).ok_or_else(|| {
                ActionError(format!("`{name}` is a list of {} to {} texts.", PARTS.start(), PARTS.end()))
            })?;
            Ok(parts.join(" | "))
        }
        Kind::Id | Kind::Count => match whole(value).filter(|number| *number > 0) {
            Some(number) => Ok(number.to_string()),
            None => fail(format!("`{name}` is a whole number above 0, as your lists show it.")),
        },
    }
}

/// A whole number, or its digits.
fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64().or_else(|| {
            let whole = number.as_f64().filter(|n| n.fract() == 0.0 && (0.0..=9e15).contains(n))?;
            Some(whole as u64)
        }),
        Value::String(text) => text.trim().trim_start_matches('#').parse().ok(),
        _ => None,
    }
}

/// As `mind::goals` names them: `goal_{tick}_{index}`.
fn is_goal_key(word: &str) -> bool {
    let numbers = word.strip_prefix("goal_").and_then(|rest| rest.split_once('_'));
    numbers.is_some_and(|(tick, index)| [tick, index].iter().all(|part| part.parse::<u64>().is_ok()))
}

/// What a goal is split into: a list of texts, or of objects that have one, or one text with bars between.
fn parts_of(value: &Value, shortened: &mut bool) -> Option<Vec<String>> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(part) => {
            ["text", "description", "content"].iter().find_map(|name| part.get(*name)?.as_str()).map(str::to_string)
        }
        _ => None,
    };
    let written: Vec<String> = match value {
        Value::Array(parts) => parts.iter().take(LOOKED_AT_MAX).map(text).collect::<Option<_>>()?,
        Value::String(text) => text.split('|').map(str::to_string).collect(),
        _ => return None,
    };
    // A bar parts them in the line.
    let mut parts: Vec<String> = written.iter().map(|part| one_line(&part.replace('|', "/"))).collect();
    parts.retain(|part| !part.is_empty());
    // A line has no room for seven of the longest.
    let chars_max = (LINE_CHARS_MAX - 60) / parts.len().max(1) - 3;
    PARTS.contains(&parts.len()).then(|| parts.iter().map(|part| cut(part, chars_max.min(300), shortened)).collect())
}

/// An instant of UTC (RFC 3339; one without a zone is taken for UTC), or a time from now.
fn instant(text: &str) -> Option<String> {
    let span = text.strip_suffix(['s', 'm', 'h', 'd']).is_some_and(|digits| digits.parse::<u32>().is_ok_and(|n| n > 0));
    if span {
        return Some(text.to_string());
    }
    let upper = text.to_ascii_uppercase();
    let (date, time) = upper.split_once('T')?;
    let digits = |text: &str, lengths: &[usize], mark: char| {
        let parts: Vec<&str> = text.split(mark).collect();
        let is_right =
            |(part, length): (&&str, &usize)| part.len() == *length && part.bytes().all(|b| b.is_ascii_digit());
        parts.len() == lengths.len() && parts.iter().zip(lengths).all(is_right)
    };
    let time = time.strip_suffix('Z').or_else(|| time.strip_suffix("+00:00")).unwrap_or(time);
    let whole = time.split_once('.').map_or(time, |(whole, _)| whole);
    let seconds = if whole.len() == 5 { format!("{whole}:00") } else { whole.to_string() };
    (digits(date, &[4, 2, 2], '-') && digits(&seconds, &[2, 2, 2], ':')).then(|| format!("{date}T{seconds}Z"))
}

fn policy_named(word: &str) -> Option<&'static PolicyName> {
    POLICIES.iter().find(|policy| policy.name == word || policy.also.contains(&word))
}

/// The words of a list or of one string, in lower case.
fn list_of(name: &str, value: &Value) -> Result<Vec<String>, ActionError> {
    let word = |value: &Value| match value {
        Value::String(word) => Ok(one_line(word).to_lowercase()),
        other => fail(format!("`{name}` is a list of words; it holds {}.", type_of(other))),
    };
    let (words, ends): (Vec<String>, &[char]) = match value {
        Value::Array(words) => (words.iter().take(LOOKED_AT_MAX).map(word).collect::<Result<_, _>>()?, &[',']),
        Value::String(_) => (vec![word(value)?], &[' ', ',', '|']),
        other => return fail(format!("`{name}` is a list of words, not {}.", type_of(other))),
    };
    let words = words.iter().flat_map(|words| words.split(ends)).map(|word| word.trim().to_string());
    Ok(words.filter(|word| !word.is_empty()).collect())
}

/// The order that an action is, if it is one, and a notice where its ticks were cut.
pub fn order_of(action: &Action) -> Option<(Order, Option<String>)> {
    if !action.row.order {
        return None;
    }
    let value = |name: &str| {
        let place = action.row.fields.iter().position(|field| field.name == name)?;
        action.values.get(place)?.as_deref()
    };
    let until: Vec<Until> = value("until").unwrap_or("").split(' ').filter_map(Until::named).collect();
    let wanted: Option<u64> = value("ticks").and_then(|ticks| ticks.parse().ok());
    let ticks = wanted.map(|ticks| u32::try_from(ticks).unwrap_or(u32::MAX).min(TICKS_MAX));
    let cut = wanted.filter(|wanted| *wanted > u64::from(TICKS_MAX));
    let notice = cut.map(|wanted| format!("`{}` lasts {TICKS_MAX} ticks at most, not {wanted}.", action.row.name));
    let order = match action.row.name {
        "delegate" => {
            let named = |word: &str| policy_named(word).map(|policy| policy.name);
            // "all" names none.
            let policies = value("policies").unwrap_or("").split(' ').filter_map(named).collect();
            Order::Delegate { policies, ticks: ticks.unwrap_or(TICKS_MAX), until }
        }
        "wait" => {
            // Without a word of until when, it is for the time that it says, or a moment.
            let ticks = ticks.unwrap_or(if until.is_empty() { 1 } else { TICKS_MAX });
            Order::Wait { until, ticks }
        }
        _ => Order::Goto { to: Destination::of(value("to").unwrap_or("unknown")) },
    };
    Some((order, notice))
}

/// Without control characters, single spaces between words.
fn one_line(text: &str) -> String {
    clean_text(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text up to so many characters, ending at a word.
fn cut(text: &str, chars_max: usize, shortened: &mut bool) -> String {
    let Some((end, _)) = text.char_indices().nth(chars_max) else { return text.to_string() };
    *shortened = true;
    let head = &text[..end];
    head.rfind(' ').filter(|space| *space > end / 2).map_or(head, |space| &head[..space]).to_string()
}

/// The goal that is to be split, where the action does not say into what: that is asked for.
pub fn split_without_parts(action: &Action) -> Option<String> {
    match (action.row.name, action.values.as_slice()) {
        ("split", [Some(goal), None]) => Some(goal.clone()),
        _ => None,
    }
}

/// The line that a person would type for it.
pub fn line_of(action: &Action) -> Result<String, ActionError> {
    let value = |name: &str| {
        let place = action.row.fields.iter().position(|field| field.name == name)?;
        action.values.get(place)?.as_deref()
    };
    if split_without_parts(action).is_some() {
        return fail("An action of type `split` has no `into`.");
    }
    let named = spelled_out(action);
    let value =
        |name: &str| named.iter().find(|(other, _)| *other == name).map(|(_, word)| *word).or_else(|| value(name));
    let mut line = String::new();
    let mut pattern = action.row.line;
    while let Some(start) = pattern.find(['{', '[']) {
        line.push_str(&pattern[..start]);
        let optional = pattern[start..].starts_with('[');
        let end = start + pattern[start..].find(if optional { ']' } else { '}' }).expect("patterns are closed");
        let inner = &pattern[start + 1..end];
        match optional {
            // All of what is in brackets, or nothing.
            true => line.push_str(&filled(inner, &value).unwrap_or_default()),
            false => line.push_str(value(inner).unwrap_or("")),
        }
        pattern = &pattern[end + 1..];
    }
    line.push_str(pattern);
    if let (true, Some(weight)) = (action.row.name == "set", value("w")) {
        // The weight travels inside the value.
        let path = value("path").unwrap_or("");
        let typed = value("value").unwrap_or("");
        let json = serde_json::from_str(typed).unwrap_or_else(|_| Value::String(typed.to_string()));
        line = format!("remember {path} = {{\"v\":{json},\"w\":{weight}}}");
    }
    let is_first = value("under").or(value("priority")).is_none();
    let text = value("text").or(value("summary")).filter(|_| action.row.mind && is_first);
    if text.is_some_and(|text| would_edit(action.row, text)) {
        // A note such as "remove 3 stones" is a text, not an order to remove the note 3.
        let (verb, text) = line.split_once(' ').unwrap_or((&line, ""));
        line = format!("{verb} \"{text}\"");
    }
    match line.chars().count() {
        chars if chars > LINE_CHARS_MAX => {
            fail(format!("A line has at most {LINE_CHARS_MAX} characters, not {chars}."))
        }
        _ => Ok(line),
    }
}

/// A pattern without brackets, where all of its fields are there.
fn filled<'v>(pattern: &str, value: &impl Fn(&str) -> Option<&'v str>) -> Option<String> {
    let mut text = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').expect("patterns are closed");
        text.push_str(before);
        text.push_str(value(name)?);
        rest = after;
    }
    text.push_str(rest);
    Some(text)
}

/// Words that a line has room for before its text and that are the usual ones: left out, unless the text begins like
/// one. `goal high low tide` is of high priority and about a low tide.
fn spelled_out(action: &Action) -> Vec<(&'static str, &'static str)> {
    let value = |name: &str| {
        let place = action.row.fields.iter().position(|field| field.name == name)?;
        action.values.get(place)?.as_deref()
    };
    let begins_like = |words: &[(&str, &str)]| {
        let first = value("text").unwrap_or("").split(' ').next().unwrap_or("");
        words.iter().any(|(_, word)| word.eq_ignore_ascii_case(first))
    };
    let field = action.row.fields.iter().find(|field| {
        let Kind::Choice(words) = field.kind else { return false };
        field.optional && value(field.name).is_none() && begins_like(words)
    });
    match (action.row.name, field) {
        ("goal", Some(field)) => vec![(field.name, "medium")],
        ("journal", Some(field)) => vec![(field.name, "seen")],
        _ => Vec::new(),
    }
}

/// Whether a text that is to be written down begins like another form of its verb.
fn would_edit(row: &Row, text: &str) -> bool {
    let words: &[&str] = match row.name {
        "task" | "note" | "step" | "block" | "decide" | "fact" | "pattern" => {
            &["done", "update", "edit", "remove", "move", "clear"]
        }
        "goal" => GOAL_WORDS,
        _ => return false,
    };
    let first = text.split(' ').next().unwrap_or("").to_ascii_lowercase();
    words.contains(&&*first)
}

/// What the verb `goal` does beside setting one.
const GOAL_WORDS: &[&str] =
    &["under", "edit", "move", "done", "drop", "reopen", "progress", "try", "works", "failed", "split"];

/// Whether a line spends no tick: by the verb table, and socials and channels.
pub fn is_free(line: &str, offer: &Offer) -> bool {
    let word = verbs::word_of(line);
    match verbs::find(word, 1) {
        _ if is_of_channels(word, offer) => !makes_agent(line),
        Some(verb) => verb.free,
        None => offer.words.has(word) || row_verb(word),
    }
}

fn is_talk(line: &str, offer: &Offer) -> bool {
    let word = verbs::word_of(line);
    match verbs::find(word, 1) {
        Some(verb) => verb.speech,
        None if is_of_channels(word, offer) => matches!(word, "chat" | "reply"),
        None => {
            offer.words.has(word) || super::ROWS.iter().any(|row| row.is_talk() && row.name.eq_ignore_ascii_case(word))
        }
    }
}

/// What says nothing to a channel, the document's way: its mark for silence, or an empty text. With the channel, if it
/// names one.
fn is_silence(value: &Value) -> Option<Option<&Value>> {
    let members = value.as_object()?;
    let name = members.get("type")?.as_str()?;
    let text = ["message", "content", "text"].iter().find_map(|name| members.get(*name)?.as_str())?.trim();
    let is_message = matches!(name, "send_message" | "chat" | "say") && members.get("to").is_none();
    let is_mark = text.eq_ignore_ascii_case("[no response]");
    let channel = channel_meant(members);
    (is_message && (is_mark || text.is_empty() && channel.is_some())).then_some(channel)
}

/// An agent or a goal is changed in one thing at a time; who asks for several things gets a line for each.
fn one_change_each(value: &Value, offer: &Offer) -> Vec<Value> {
    let as_it_is = || vec![value.clone()];
    let Some((name, members)) = value.as_object().and_then(|written| unwrapped(written).ok()) else {
        return as_it_is();
    };
    let Some(row) = row_offered(&name.to_ascii_lowercase(), &members, offer).filter(|row| row.one_change) else {
        return as_it_is();
    };
    let given: Vec<&Field> =
        row.fields.iter().filter(|field| field.optional && find(&members, field).is_some()).collect();
    let only = |kept: &&Field| {
        let mut members = members.clone();
        members.retain(|name, _| {
            let is_other =
                |field: &&&Field| field.name != kept.name && (field.name == name || field.also.contains(&&**name));
            !given.iter().any(|field| is_other(&field))
        });
        members.insert("type".to_string(), row.name.into());
        Value::Object(members)
    };
    if given.len() < 2 { as_it_is() } else { given.iter().map(only).collect() }
}

/// Decodes all actions of an answer and keeps what a decision may hold: eight free lines, the first that spends a tick,
/// and the first order. Refuses only when there were actions and none can be used; then it says what is wrong with the
/// first.
pub fn decide(actions: &[Value], offer: &Offer) -> Result<Decided, ActionError> {
    let mut decided = Decided::default();
    let mut first_error = None;
    let (mut free, mut spent, mut used) = (0, false, 0);
    let looked_at: Vec<Value> =
        actions.iter().take(LOOKED_AT_MAX).flat_map(|value| one_change_each(value, offer)).collect();
    for value in &looked_at {
        if let Some(channel) = is_silence(value) {
            // To say nothing is to have read it.
            used += 1;
            let Some(channel) = channel.filter(|_| offer.channels) else { continue };
            let line = decode(&serde_json::json!({"type": "mark_read", "room_id": channel}), offer)
                .and_then(|action| line_of(&action));
            if let Some(line) = line.ok().filter(|line| free < FREE_MAX && !decided.actions.contains(line)) {
                free += 1;
                decided.actions.push(line);
            }
            continue;
        }
        let action = match decode(value, offer) {
            Ok(action) => action,
            Err(error) => {
                decided.dropped.push(error.0.clone());
                first_error.get_or_insert(error);
                continue;
            }
        };
        if let Some((order, notice)) = order_of(&action) {
            used += 1;
            decided.dropped.extend(notice);
            match &decided.order {
                None => decided.order = Some(order),
                Some(_) => decided
                    .dropped
                    .push(format!("Only one of delegate, wait and goto at a time; left out: {}.", order.kind())),
            }
            continue;
        }
        if let Some(goal) = split_without_parts(&action) {
            used += 1;
            match &decided.split {
                Some(_) => decided.dropped.push(format!("Only one goal is split at a time; left out: {goal}.")),
                None => decided.split = Some(goal),
            }
            continue;
        }
        let line = match line_of(&action) {
            Ok(line) => line,
            Err(error) => {
                decided.dropped.push(error.0.clone());
                first_error.get_or_insert(error);
                continue;
            }
        };
        let (shortened, compact) = (action.shortened, action.row.name == "compact");
        used += 1;
        let costs = !is_free(&line, offer);
        if costs && spent {
            decided
                .dropped
                .push(format!("Only one action that spends a tick goes out at a time; left out: {}.", quoted(&line)));
            continue;
        }
        if !costs && free == FREE_MAX {
            decided
                .dropped
                .push(format!("Only {FREE_MAX} free actions go out at a time; left out: {}.", quoted(&line)));
            continue;
        }
        if decided.speech.contains(&line) || decided.actions.contains(&line) {
            decided.dropped.push(format!("The same action twice: {}.", quoted(&line)));
            continue;
        }
        if shortened {
            decided.dropped.push(format!("A text was too long and was cut: {}.", quoted(&line)));
        }
        spent |= costs;
        free += usize::from(!costs);
        decided.compact |= compact || line == "compact";
        if is_talk(&line, offer) { &mut decided.speech } else { &mut decided.actions }.push(line);
    }
    if actions.len() > LOOKED_AT_MAX {
        decided
            .dropped
            .push(format!("There were {} actions; only the first {LOOKED_AT_MAX} were read.", actions.len()));
    }
    match first_error {
        Some(error) if used == 0 => Err(error),
        _ => Ok(decided),
    }
}
