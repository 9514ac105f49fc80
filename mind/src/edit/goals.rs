//! Goals: set, split, tried, done, given up.

use super::words::{all, done, first_word, id_of, own, page_of, room_for};
use super::{Answer, LINE_CHARS_MAX, VerbRequest};
use crate::event::Event;
use crate::goals::{DEPTH_MAX, GOALS_MAX, Goal, GoalStatus, PARTS, Priority, Verdict};
use crate::page;
use crate::session::LEARNED_CHARS;
use crate::state::MindState;
use std::borrow::Cow;

type Part = fn(&MindState, &VerbRequest, &Goal, &str) -> Answer;

/// What may be done with a goal: `goal <word> <id> …`.
const PARTS_OF_VERB: &[(&str, Part)] = &[
    ("under", under),
    ("edit", edit),
    ("move", put),
    ("done", complete),
    ("drop", abandon),
    ("reopen", reopen),
    ("progress", progress),
    ("try", try_strategy),
];

pub(super) fn goal(state: &MindState, request: &VerbRequest) -> Answer {
    let args = request.args;
    if args.is_empty() {
        return match state.goals.is_empty() {
            true => page_of("You have set yourself no goals: goal <text>."),
            false => page_of(page::goals(state)),
        };
    }
    let (word, rest) = first_word(args);
    if word.eq_ignore_ascii_case("split") {
        return split(state, request, rest);
    }
    let verdict = match word.to_ascii_lowercase().as_str() {
        "works" => Some(Verdict::Works),
        "failed" => Some(Verdict::Failed),
        _ => None,
    };
    let (id, tail) = first_word(rest);
    if let Some(verdict) = verdict
        && id_of(id.trim_end_matches(':')).is_some()
    {
        return judge(state, verdict, rest);
    }
    let part = PARTS_OF_VERB.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
    match part {
        // A line that only begins with such a word is a goal of its own, but for the bare word, which is a slip.
        Some((_, part)) if is_id(id) || id.is_empty() => part(state, request, found(state, id)?, tail),
        _ if rest.is_empty() && (verdict.is_some() || id_of(word).is_some()) => Err(format!(
            "What about {args}? goal done <id>, goal failed <way id>, and others; goal <text> sets one, of some words."
        )),
        _ => {
            let (priority, text) = match Priority::named(word) {
                Some(priority) if !rest.is_empty() => (priority, rest),
                _ => (Priority::Medium, args),
            };
            add(state, request, None, priority, text)
        }
    }
}

/// A number, or the key of the document: `goal_42_0`.
fn is_id(word: &str) -> bool {
    let key = word.to_ascii_lowercase();
    let digits = word.strip_prefix('#').unwrap_or(word);
    id_of(word).is_some()
        // No number is so large, and it is no word of a goal either.
        || (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
        || key.strip_prefix("goal_").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// A line about a goal with its number in the place of its key. `words`: those before which a number may stand.
pub(super) fn by_number<'a>(state: &MindState, args: &'a str, words: &[&str]) -> Result<Cow<'a, str>, String> {
    let (first, rest) = first_word(args);
    let (id, rest) = first_word(rest);
    let is_key = id_of(id).is_none() && is_id(id) && words.iter().any(|word| word.eq_ignore_ascii_case(first));
    match is_key {
        true => Ok(format!("{first} {} {rest}", found(state, id)?.id).into()),
        false => Ok(args.into()),
    }
}

fn found<'s>(state: &'s MindState, word: &str) -> Result<&'s Goal, String> {
    let by_id = id_of(word).and_then(|id| state.goals.get(id));
    by_id.or_else(|| state.goals.keyed(word)).ok_or_else(|| match word {
        "" if state.goals.is_empty() => "You have set yourself no goals: goal <text>.".to_string(),
        "" => "Which goal? Give its number, as goal shows it.".to_string(),
        word => format!("This project has no goal {word}. Those that it has: goal."),
    })
}

fn add(state: &MindState, request: &VerbRequest, parent: Option<u64>, priority: Priority, text: &str) -> Answer {
    room_for(
        state.goals.len(),
        GOALS_MAX,
        "goals in this project",
        "step remove <id>, or goal drop and a new project",
    )?;
    let text = own(text, LINE_CHARS_MAX)?;
    let event = Event::GoalAdd { text, priority, parent, auto: false };
    done(event, format!("Set as goal #{}.", request.first))
}

/// There is room for so many levels under a goal.
fn fits_under(state: &MindState, goal: &Goal, levels: usize) -> Result<(), String> {
    match state.goals.depth(goal.id) + levels > DEPTH_MAX {
        true => {
            Err(format!("Goals go {DEPTH_MAX} deep, and that would be deeper. Put it higher: goal under <id> <text>"))
        }
        false => Ok(()),
    }
}

fn under(state: &MindState, request: &VerbRequest, goal: &Goal, text: &str) -> Answer {
    if text.is_empty() {
        return Err(format!("What is to be done for goal #{}? goal under {} <text>", goal.id, goal.id));
    }
    fits_under(state, goal, 1)?;
    let (word, rest) = first_word(text);
    let (priority, text) = match Priority::named(word) {
        Some(priority) if !rest.is_empty() => (priority, rest),
        _ => (Priority::Medium, text),
    };
    add(state, request, Some(goal.id), priority, text)
}

fn edit(_: &MindState, _: &VerbRequest, goal: &Goal, text: &str) -> Answer {
    let id = goal.id;
    if text.is_empty() {
        return Err(format!("What is goal #{id} to say? goal edit {id} <text>, or goal edit {id} high"));
    }
    let (text, priority) = match Priority::named(text) {
        Some(priority) => (None, Some(priority)),
        None => (Some(own(text, LINE_CHARS_MAX)?), None),
    };
    let said = match priority {
        Some(priority) => format!("Goal #{id} is of {} priority now.", priority.name()),
        None => format!("Goal #{id} is changed."),
    };
    done(Event::GoalEdit { id, text, priority, parent: None, place: None }, said)
}

fn put(state: &MindState, _: &VerbRequest, goal: &Goal, to: &str) -> Answer {
    let id = goal.id;
    let (word, rest) = first_word(to);
    if word.eq_ignore_ascii_case("top") {
        let event = Event::GoalEdit { id, text: None, priority: None, parent: Some(0), place: None };
        return done(event, format!("Goal #{id} stands at the top now."));
    }
    if word.eq_ignore_ascii_case("under") {
        let parent = found(state, first_word(rest).0)?;
        if state.goals.is_within(parent.id, id) {
            return Err("A goal cannot be put under itself, or under what is under it.".to_string());
        }
        fits_under(state, parent, state.goals.height(id))?;
        let event = Event::GoalEdit { id, text: None, priority: None, parent: Some(parent.id), place: None };
        return done(event, format!("Goal #{id} is under goal #{} now.", parent.id));
    }
    let places = state.goals.under(goal.parent).count() as u32;
    let place = word.parse().ok().filter(|place| (1..=places).contains(place));
    let place: u32 = place.ok_or_else(|| {
        format!("Where to? goal move {id} <place from 1 to {places}>, goal move {id} under <id>, goal move {id} top")
    })?;
    let event = Event::GoalEdit { id, text: None, priority: None, parent: None, place: Some(place) };
    done(event, format!("Goal #{id} is number {place} now."))
}

/// What follows from others is not set.
fn is_set_by_hand(state: &MindState, goal: &Goal) -> Result<(), String> {
    let open = state.goals.under(Some(goal.id)).filter(|child| child.is_open()).count();
    let counted = state.goals.under(Some(goal.id)).filter(|child| child.status != GoalStatus::Abandoned).count();
    match counted {
        0 => Ok(()),
        _ if open > 0 => Err(format!("Goal #{} is done when the {open} open under it are: goal shows them.", goal.id)),
        _ => Err(format!("How far goal #{} is follows from what is under it.", goal.id)),
    }
}

fn complete(state: &MindState, _: &VerbRequest, goal: &Goal, _: &str) -> Answer {
    if goal.is_done() {
        return Err(format!("Goal #{} was done already. To take it up again: goal reopen {}", goal.id, goal.id));
    }
    is_set_by_hand(state, goal)?;
    done(Event::GoalComplete { id: goal.id }, above(state, goal, format!("Goal #{} is done.", goal.id)))
}

/// With a word on the goal above, where this was the last that it waited for.
fn above(state: &MindState, goal: &Goal, said: String) -> String {
    let mut after = state.goals.clone();
    after.advance(goal.id, crate::goals::DONE_PERCENT, goal.tick);
    let mut said = said;
    let mut parent = goal.parent;
    while let Some(done) = parent.and_then(|id| after.get(id)).filter(|above| above.is_done()) {
        let text = done.text.trim_end_matches('.');
        said.push_str(&format!(" With it goal #{} is done, too: {text}.", done.id));
        parent = done.parent;
    }
    said
}

fn progress(state: &MindState, request: &VerbRequest, goal: &Goal, typed: &str) -> Answer {
    let typed = typed.trim_end_matches('%').trim_end();
    let percent = typed.parse::<u8>().ok().filter(|percent| *percent <= 100);
    let percent = percent.ok_or_else(|| format!("How far, in percent? goal progress {} <0 to 100>", goal.id))?;
    is_set_by_hand(state, goal)?;
    if percent == 100 {
        return complete(state, request, goal, "");
    }
    if !goal.is_open() {
        return Err(format!("Goal #{} is {}. First: goal reopen {}", goal.id, goal.status.name(), goal.id));
    }
    done(Event::GoalProgress { id: goal.id, percent }, format!("Goal #{} is {percent} % done.", goal.id))
}

fn abandon(state: &MindState, _: &VerbRequest, goal: &Goal, _: &str) -> Answer {
    if goal.status == GoalStatus::Abandoned {
        return Err(format!("You had given up goal #{} already.", goal.id));
    }
    let mut after = state.goals.clone();
    after.abandon(goal.id, goal.tick);
    let below = state.goals.in_order().into_iter().filter(|(_, other)| other.is_open() && other.id != goal.id);
    let below = below.filter(|(_, other)| state.goals.is_within(other.id, goal.id)).count();
    let with = match below {
        0 => String::new(),
        1 => ", and the open one under it".to_string(),
        more => format!(", and the {more} open ones under it"),
    };
    let mut said = format!("You give up goal #{}{with}.", goal.id);
    let lonely = goal
        .parent
        .and_then(|id| after.get(id))
        .filter(|parent| parent.is_open())
        .filter(|parent| after.under(Some(parent.id)).all(|child| child.status == GoalStatus::Abandoned));
    if let Some(parent) = lonely {
        said.push_str(&format!(
            " Nothing is left under goal #{}, which is still open: think of another way, or goal drop {}.",
            parent.id, parent.id
        ));
    }
    done(Event::GoalAbandon { id: goal.id }, said)
}

fn reopen(state: &MindState, _: &VerbRequest, goal: &Goal, _: &str) -> Answer {
    if goal.is_open() {
        return Err(format!("Goal #{} is open.", goal.id));
    }
    let left = || state.goals.under(Some(goal.id)).filter(|child| child.status != GoalStatus::Abandoned);
    if left().next().is_some() && left().all(Goal::is_done) {
        return Err(format!(
            "All that is left under goal #{} is done. Take one of those up again, or set a new goal there.",
            goal.id
        ));
    }
    done(Event::GoalReopen { id: goal.id }, format!("Goal #{} is open again.", goal.id))
}

fn try_strategy(_: &MindState, request: &VerbRequest, goal: &Goal, text: &str) -> Answer {
    if text.is_empty() {
        return Err(format!("Which way do you try? goal try {} <how>", goal.id));
    }
    if !goal.is_open() {
        return Err(format!("Goal #{} is {}. First: goal reopen {}", goal.id, goal.status.name(), goal.id));
    }
    let text = own(text, LEARNED_CHARS)?;
    let id = request.first;
    done(
        Event::GoalStrategy { id: goal.id, text },
        format!("You try that, as #{id}. Then say: goal works {id}, or goal failed {id}: <why>"),
    )
}

fn judge(state: &MindState, verdict: Verdict, typed: &str) -> Answer {
    let (word, rest) = first_word(typed);
    let id = id_of(word.trim_end_matches(':')).unwrap_or_default();
    let Some((goal, _)) = state.goals.strategy(id) else {
        return Err(format!("You try no way #{id}. Those that you try stand with their goal: goal."));
    };
    let why = rest.trim_start_matches(':').trim();
    let why = (!why.is_empty()).then(|| own(why, LEARNED_CHARS)).transpose()?;
    let said = match verdict {
        Verdict::Works => format!("So #{id} works for goal #{}.", goal.id),
        Verdict::Failed => format!("So #{id} does not work for goal #{}. It stays there as a warning.", goal.id),
    };
    done(Event::GoalVerdict { id, verdict, why }, said)
}

fn split(state: &MindState, request: &VerbRequest, typed: &str) -> Answer {
    const USAGE: &str = "goal split <id>: <a> | <b> | <c>";
    let (head, parts) = typed.split_once(':').ok_or_else(|| format!("Into what? {USAGE}"))?;
    let goal = found(state, head.trim())?;
    if !goal.is_open() {
        return Err(format!("Goal #{} is {}. First: goal reopen {}", goal.id, goal.status.name(), goal.id));
    }
    let parts: Vec<&str> = parts.split('|').map(str::trim).filter(|part| !part.is_empty()).collect();
    if !PARTS.contains(&parts.len()) {
        let (least, most) = (PARTS.start(), PARTS.end());
        return Err(format!("A goal is split into {least} to {most} parts; those are {}. {USAGE}", parts.len()));
    }
    fits_under(state, goal, 1)?;
    let room = GOALS_MAX.saturating_sub(state.goals.len());
    if parts.len() > room {
        return Err(format!("There is room for {room} more goals in this project, of {GOALS_MAX}."));
    }
    let texts = parts.iter().map(|part| own(part, LINE_CHARS_MAX)).collect::<Result<Vec<String>, String>>()?;
    let last = request.first + texts.len() as u64 - 1;
    let event = |text: String| Event::GoalAdd { text, priority: goal.priority, parent: Some(goal.id), auto: true };
    all(
        texts.into_iter().map(event).collect(),
        format!("Goal #{} is split into goals #{} to #{last}.", goal.id, request.first),
    )
}
