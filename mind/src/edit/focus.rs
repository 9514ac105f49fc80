//! What one is occupied with. The server writes most of it (`crate::derive`); anybody may.

use super::words::{all, done, first_word, id_of, known, list, own, page_of};
use super::{Answer, VerbRequest};
use crate::event::Event;
use crate::focus::{FOCUS_MAX, How, NAME_CHARS, Subject};
use crate::page;
use crate::state::MindState;

pub(super) fn focus(state: &MindState, request: &VerbRequest) -> Answer {
    let (word, rest) = first_word(request.args);
    match word.to_ascii_lowercase().as_str() {
        "" => list(
            "What you are occupied with:",
            state.focus.iter().rev().map(page::focus).collect(),
            "You are occupied with nothing in particular: focus on <topic>.",
        ),
        "on" if rest.is_empty() => Err("On what? focus on <topic>".to_string()),
        "on" => on(state, request, rest),
        "off" => off(state, rest),
        _ => Err("What of it? focus on <topic>, focus off <id>; focus alone lists what you are occupied with.".into()),
    }
}

/// `<topic>`; of the server, which knows more, `<how> <subject> <name>`.
fn on(state: &MindState, request: &VerbRequest, words: &str) -> Answer {
    let (how, rest) = first_word(words);
    let (key, name) = first_word(rest);
    let (subject, how) = match How::named(how) {
        Some(how) if Subject::is_key(key) && !name.is_empty() => {
            (Subject { key: key.to_string(), name: own(name, NAME_CHARS)? }, how)
        }
        _ => {
            let topic = Subject::topic(&own(words, NAME_CHARS)?);
            (topic.ok_or("A topic has a letter at least: focus on <topic>")?, How::Named)
        }
    };
    if let Some(open) = state.focus.iter().find(|open| open.subject == subject.key) {
        return match how > open.how {
            true => {
                done(Event::FocusEdit { id: open.id, how }, format!("You are more occupied with #{} now.", open.id))
            }
            false => page_of(format!("You are occupied with that already, as #{}.", open.id)),
        };
    }
    let mut events = Vec::new();
    if state.focus.len() >= FOCUS_MAX {
        let oldest = state.focus.iter().min_by_key(|open| (open.tick, open.id));
        events.extend(oldest.map(|oldest| Event::FocusClose { id: oldest.id }));
    }
    let number = request.first + events.len() as u64;
    let text = format!("You are occupied with {} now, as #{number}.", subject.name);
    events.push(Event::FocusOpen { subject: subject.key, name: subject.name, how });
    all(events, text)
}

/// By its number; the server knows by which subject.
fn off(state: &MindState, word: &str) -> Answer {
    let by_subject = state.focus.iter().find(|open| open.subject == word).map(|open| open.id);
    let id = match (by_subject.or_else(|| id_of(word)), word) {
        (None, word) if !word.is_empty() => return Err(format!("You are occupied with no {word}. See focus.")),
        (id, _) => known(id, "focus", "focus", state.focus.iter().map(|open| open.id))?,
    };
    done(Event::FocusClose { id }, format!("You let go of #{id}."))
}
