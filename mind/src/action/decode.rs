//! From the JSON of an answer to actions, and from a list of them to a decision. The values of their fields are read by
//! `fields.rs`, their lines are written by `lines.rs`.
//!
//! Lenient in form, strict in meaning: names by which the documents call a thing are all understood, ids may be numbers
//! or strings, an action may be just a line; but a verb that nobody knows, a wrong type or a missing field is refused
//! with a sentence that says what to do. What is too much is left out with a notice, so that one slip costs no repair.

use super::fields::{find, quoted, text_of, type_of};
use super::lines::{
    is_free, is_lacking, is_of_channels, is_talk, line_of, makes_agent, order_of, row_verb, split_without_parts,
};
use super::order::{Order, PolicyName};
use super::table::{CHANNEL, Changes, Channels, Field, Kind, Row, channel_row, row, row_of};
use super::{Action, ActionError, LOOKED_AT_MAX, Offer, art, fail, plot};
use crate::spelling::nearest;
use protocol::verbs::{self, Models, chains};
use serde_json::Value;

type Map = serde_json::Map<String, Value>;

/// Lines of a decision that spend no tick.
pub const FREE_MAX: usize = 8;

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
    if let Some(row) = row_offered(&lower, &members, offer).filter(|row| row.arts) {
        art::complete(row, &mut members, &args)?;
    }
    if let Some(row) = row_offered(&lower, &members, offer).filter(|row| row.is_of_plots()) {
        plot::complete(row, &mut members);
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
    if row.arts {
        return art::settled(action, offer);
    }
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
    let wrapped = match get("args").or_else(|| get("arguments")).or_else(|| get("params")) {
        Some(Value::Object(args)) => Some(args.clone()),
        Some(Value::String(text)) if key == "tool" => read(text),
        _ => None,
    };
    let mut members = written.clone();
    members.remove(key);
    if let Some(args) = wrapped.filter(|_| !name.eq_ignore_ascii_case("command")) {
        if key == "tool" {
            // What stands beside these is the endpoint's, such as the id of a call.
            return Ok((name, args));
        }
        members.retain(|key, _| !["args", "arguments", "params"].contains(&&**key));
        members.extend(args);
    }
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
    if row.changes != Changes::Not {
        let changes = || row.fields.iter().zip(&action.values).filter(|(field, _)| field.optional);
        match changes().filter(|(_, value)| value.is_some()).count() {
            0 => {
                let names: Vec<String> = changes().map(|(field, _)| format!("`{}`", field.name)).collect();
                return fail(format!("An action of type `{}` changes one of {}.", row.name, names.join(", ")));
            }
            1 => {}
            _ if row.changes == Changes::Together => {}
            _ => return fail(format!("An action of type `{}` changes one thing at a time.", row.name)),
        }
    }
    Ok(action)
}

fn names_of_types(offer: &Offer) -> String {
    let is_usual = |row: &Row| row.told && row.channels == Channels::Nothing && !row.arts;
    let told = |row: &&Row| is_usual(row) || row.is_offered_by(offer);
    super::ROWS.iter().filter(told).map(|row| row.name).collect::<Vec<_>>().join(", ")
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

/// An order as one would type it: `goto smithy`, `wait rested 40`, `delegate hunt loot 40 hurt`. What belongs to no
/// other field is for the first, which then says what is wrong with it.
fn order_of_words(row: &'static Row, words: &str) -> Result<Action, ActionError> {
    let mut members = Map::new();
    for word in words.split_whitespace() {
        let word = word.trim_matches(',');
        let takes = |field: &&Field| match field.kind {
            Kind::Ticks => word.parse::<f64>().is_ok(),
            Kind::Until(all) => all.iter().any(|until| until.name() == word),
            Kind::Policies => word == "all" || PolicyName::named(word).is_some(),
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

/// A goal is changed in one thing at a time; who asks for several things gets a line for each.
fn one_change_each(value: &Value, offer: &Offer) -> Vec<Value> {
    let as_it_is = || vec![value.clone()];
    let Some((name, members)) = value.as_object().and_then(|written| unwrapped(written).ok()) else {
        return as_it_is();
    };
    let Some(row) =
        row_offered(&name.to_ascii_lowercase(), &members, offer).filter(|row| row.changes == Changes::OneEach)
    else {
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
        if chains(&line) {
            decided.dropped.push(format!("One command a line; left out: {}.", quoted(&line)));
            continue;
        }
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
