//! The actions of arts: what an answer names is held against what the agent knows, and becomes the line of the verb
//! that does it.

use super::fields::{find, quoted, text_of};
use super::table::{Row, row_of};
use super::{Action, ActionError, Offer, fail};
use crate::arts::{ArtName, Named, named, verb_for};
use protocol::verbs::{self, Models};
use serde_json::Value;

type Map = serde_json::Map<String, Value>;

/// Puts into its place what an answer wrote under `args`, or into the place of the other: `{"type":"cast","args":
/// ["magic missile", "rat"]}`, `{"type":"use","target":"vial"}`.
pub(super) fn complete(row: &'static Row, members: &mut Map, args: &Value) -> Result<(), ActionError> {
    let (first, second) = (&row.fields[0], row.fields.get(1));
    let is_absent = |members: &Map, n: usize| row.fields.get(n).is_some_and(|field| find(members, field).is_none());
    if !args.is_null() {
        let words = Value::String(text_of(&row_of("command").fields[1], args, &mut false)?);
        let is_said = words.as_str().is_some_and(|words| !words.is_empty());
        match (row.name, second) {
            _ if !is_said => {}
            // Who is ordered is one word, what is ordered all the others.
            ("order", Some(second)) if is_absent(members, 0) && is_absent(members, 1) => {
                let words = words.as_str().unwrap_or_default();
                let (whom, command) = words.split_once(' ').unwrap_or((words, ""));
                members.insert(first.name.to_string(), whom.into());
                members.insert(second.name.to_string(), command.into());
            }
            _ if is_absent(members, 0) => drop(members.insert(first.name.to_string(), words)),
            (_, Some(second)) if is_absent(members, 1) => drop(members.insert(second.name.to_string(), words)),
            _ => {}
        }
    }
    if row.name == "use"
        && is_absent(members, 0)
        && let Some(target) = second.and_then(|second| find(members, second)).cloned()
    {
        second.iter().flat_map(|second| std::iter::once(&second.name).chain(second.also)).for_each(|name| {
            members.remove(*name);
        });
        members.insert(first.name.to_string(), target);
    }
    Ok(())
}

/// The action with its art spelled as the game has it, or the line of another verb where that one is meant.
pub(super) fn settled(action: Action, offer: &Offer) -> Result<Action, ActionError> {
    match action.row.name {
        "cast" => cast(action, offer),
        "practice" => practice(action, offer),
        "use" => Ok(used(action)),
        _ => ordered(action, offer),
    }
}

/// Of the arts that are known, so many are named in a refusal; P1 has them all.
const KNOWN_TOLD: usize = 8;

fn unknown(arts: &[ArtName], text: &str, near: Option<&ArtName>) -> ActionError {
    let meant = match near {
        Some(art) => format!(" Did you mean `{}`?", art.name),
        None => String::new(),
    };
    let known = arts.iter().filter(|art| art.known && art.verb.is_some());
    let known: Vec<&str> = known.map(|art| &*art.name).take(KNOWN_TOLD).collect();
    let what = if known.is_empty() { "none that you could use".to_string() } else { known.join(", ") };
    ActionError(format!("You know no art {}: you know {what}.{meant}", quoted(text)))
}

/// A line of the game's own.
fn command(verb: String, target: Option<String>, shortened: bool) -> Action {
    Action { row: row_of("command"), values: vec![Some(verb), target], shortened }
}

fn cast(mut action: Action, offer: &Offer) -> Result<Action, ActionError> {
    let text = action.value("spell").unwrap_or_default().to_string();
    if offer.arts.is_empty() {
        // Nobody said what it knows: the game will. A quote in a name would end it.
        let bare = text.trim_matches(['\'', '"', ' ']).replace('\'', "");
        if bare.is_empty() {
            return fail("In an action of type `cast`: `spell` is empty.");
        }
        action.values[0] = Some(bare);
        return Ok(action);
    }
    let (art, behind) = match named(&offer.arts, &text) {
        Named::Art(art, behind) => (art, behind),
        Named::Nearly(near) => return Err(unknown(&offer.arts, &text, near)),
    };
    if !art.known {
        return fail(format!("You have not learned {} so far: practice it with somebody who teaches it.", art.name));
    }
    let Some(verb) = &art.verb else {
        return fail(format!("{} works by itself: there is nothing to do for it.", art.name));
    };
    let target = action.value("target").map(str::to_string).filter(|target| !target.is_empty());
    let target = target.or(Some(behind).filter(|behind| !behind.is_empty()));
    if art.is_cast() && &**verb == "cast" {
        action.values = vec![Some(art.name.to_string()), target];
        return Ok(action);
    }
    let line = if art.is_cast() { format!("{verb} '{}'", art.name) } else { verb.to_string() };
    Ok(command(line, target, action.shortened))
}

fn practice(mut action: Action, offer: &Offer) -> Result<Action, ActionError> {
    let Some(text) = action.value("art").map(str::to_string).filter(|_| !offer.arts.is_empty()) else {
        return Ok(action);
    };
    match named(&offer.arts, &text) {
        Named::Art(art, _) => {
            action.values = vec![Some(art.name.to_string())];
            Ok(action)
        }
        Named::Nearly(near) => {
            let meant = near.map(|art| format!(" Did you mean `{}`?", art.name)).unwrap_or_default();
            fail(format!("There is no art {} that you know or could learn now.{meant}", quoted(&text)))
        }
    }
}

fn used(mut action: Action) -> Action {
    let object = action.value("object").unwrap_or_default().to_string();
    let target = action.value("target").map(str::to_string).filter(|target| !target.is_empty());
    match verb_for(&object) {
        "use" => {
            action.values[1] = target;
            action
        }
        // A potion is for whoever drinks it.
        "quaff" => command(format!("quaff {object}"), None, action.shortened),
        verb => command(format!("{verb} {object}"), target, action.shortened),
    }
}

fn ordered(action: Action, offer: &Offer) -> Result<Action, ActionError> {
    let typed = verbs::word_of(action.value("command").unwrap_or_default());
    let verb = verbs::find(typed, 1);
    match verb {
        Some(verb) if verb.models == Models::Forbidden => {
            fail(format!("Nobody can be ordered to {}: that is for the owner of a character.", quoted(typed)))
        }
        None if !offer.words.has(typed) => {
            fail(format!("There is no command {}: order a verb of the list.", quoted(typed)))
        }
        _ => Ok(action),
    }
}
