//! The verbs of a mind: what each writes to the log, and what whoever typed it reads.
//!
//! One row in `VERBS` for each, with its function. The world knows the verbs too, since anybody may type them, and sets
//! numbers aside for those that may write (`VerbRequest::numbers`); which those are, a test compares.
//! Invariants: `answer` changes nothing, and a refused request has no events. What is in the events has limits, so that
//! a state fits into a frame.

use crate::event::{Event, LogEntry};
use crate::hud::{Format, core_memory, workspace};
use crate::memory::{self, Change};
use crate::page;
use crate::pressure::Density;
use crate::state::MindState;
use protocol::names::clean_text;
use serde_json::Value;

/// One request.
#[derive(Clone, Copy, Debug)]
pub struct VerbRequest<'a> {
    pub verb: &'a str,
    /// What followed the verb; may be empty.
    pub args: &'a str,
    /// The first number that is set aside for it, and how many are. None: it can only ask.
    pub first: u64,
    pub numbers: u8,
    pub tick: u64,
    /// The newest entries of the log, oldest first: `history` shows them. At most `HISTORY_MAX` of its own and as many
    /// records are of use.
    pub recent: &'a [LogEntry],
}

/// What comes of a request.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Reply {
    /// To be appended with the numbers that are set aside, in order.
    pub events: Vec<Event>,
    /// What the asker reads; may be several lines.
    pub text: String,
    /// `text` says why nothing was done.
    pub refused: bool,
}

type Answer = Result<Reply, String>;

type Run = fn(&MindState, &VerbRequest) -> Answer;

/// Each verb of the mind, and what it does. In the order of the documents.
pub const VERBS: &[(&str, Run)] = &[
    ("task", task),
    ("note", note),
    ("decide", decide),
    ("step", step),
    ("block", block),
    ("trouble", trouble),
    ("remember", remember),
    ("forget", forget),
    ("compact", compact),
    ("context", context),
    ("hud", hud),
    ("history", history),
];

/// Characters of a task, a step, a blocker, the summary of a decision.
pub const LINE_CHARS_MAX: usize = 300;
/// Characters of a note, and of the details of a decision.
pub const TEXT_CHARS_MAX: usize = 600;
pub const NOTES_MAX: usize = 40;
pub const DECISIONS_MAX: usize = 40;
pub const STEPS_MAX: usize = 40;
pub const BLOCKERS_MAX: usize = 20;
/// A compaction keeps the whole state in the log, so there are this many ticks between two: half a minute.
pub const COMPACT_TICKS: u64 = 15;
/// No model reads so much: a larger number is a slip.
pub const CONTEXT_TOKENS_MAX: u32 = 100_000_000;
/// Entries that `history` shows, and those that it can show: of all, of a mind's own, or of records.
pub const HISTORY_SHOWN: usize = 10;
pub const HISTORY_MAX: usize = 50;

/// Answers a request from the state before it.
pub fn answer(state: &MindState, request: &VerbRequest) -> Reply {
    let args = clean_text(request.args);
    let request = VerbRequest { args: args.trim(), ..*request };
    let answer = match VERBS.iter().find(|(name, _)| *name == request.verb) {
        Some((_, run)) => run(state, &request),
        None => Err(format!("There is no verb {} of the mind.", clean_text(request.verb))),
    };
    match answer {
        Ok(reply) if reply.events.len() > usize::from(request.numbers) => {
            refused("That cannot be written down: no number was set aside for it.".to_string())
        }
        Ok(reply) => reply,
        Err(why) => refused(why),
    }
}

fn refused(text: String) -> Reply {
    Reply { events: Vec::new(), text, refused: true }
}

fn page_of(text: impl Into<String>) -> Answer {
    Ok(Reply { text: text.into(), ..Reply::default() })
}

fn done(event: Event, text: impl Into<String>) -> Answer {
    Ok(Reply { events: vec![event], text: text.into(), refused: false })
}

// Reading what was typed.

/// A text of somebody's own, not too long.
fn own(text: &str, chars_max: usize) -> Result<String, String> {
    match text.chars().count() {
        chars if chars > chars_max => {
            Err(format!("That is too long: {chars} characters, and {chars_max} are the most. Say it shorter."))
        }
        _ => Ok(text.to_string()),
    }
}

fn first_word(text: &str) -> (&str, &str) {
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim_start()),
        None => (text, ""),
    }
}

/// A number as the lists show it: `12` or `#12`.
fn id_of(word: &str) -> Option<u64> {
    word.strip_prefix('#').unwrap_or(word).parse().ok()
}

/// The rest of `<word> <id> …`, where the line is that. A line that only begins with the word is a text of its own, but
/// for the bare word, which is a slip.
fn with_id<'a>(args: &'a str, word: &str) -> Option<(Option<u64>, &'a str)> {
    let (first, rest) = first_word(args);
    if !first.eq_ignore_ascii_case(word) {
        return None;
    }
    let (id, rest) = first_word(rest);
    match id_of(id) {
        Some(id) => Some((Some(id), rest)),
        None if id.is_empty() => Some((None, rest)),
        None => None,
    }
}

/// The id of one that is there, or a sentence that says which are. Where there is but one, its number may be left out.
fn known(id: Option<u64>, what: &str, verb: &str, ids: impl Iterator<Item = u64>) -> Result<u64, String> {
    let ids: Vec<u64> = ids.collect();
    match id {
        Some(id) if ids.contains(&id) => Ok(id),
        // Numbers grow long with the log, and there is only one that can be meant.
        None if ids.len() == 1 => Ok(ids[0]),
        _ if ids.is_empty() => Err(format!("You have no {what}.")),
        Some(id) => Err(format!("You have no {what} #{id}. Those that you have: {verb}.")),
        None => Err(format!("Which {what}? Give its number, as {verb} shows it.")),
    }
}

fn room_for(count: usize, most: usize, what: &str, remedy: &str) -> Result<(), String> {
    match count < most {
        true => Ok(()),
        false => Err(format!("You have {most} {what}, which is the most. Make room first: {remedy}.")),
    }
}

fn list(heading: &str, lines: Vec<String>, none: &str) -> Answer {
    match lines.is_empty() {
        true => page_of(none),
        false => page_of(format!("{heading}\n{}", lines.join("\n"))),
    }
}

// The workspace.

fn task(state: &MindState, request: &VerbRequest) -> Answer {
    const SET: &str = "Set one: task <text>.";
    let (word, rest) = first_word(request.args);
    match (&state.task, word.to_ascii_lowercase().as_str()) {
        (None, "") => page_of(format!("You have no task. {SET}")),
        (Some(task), "") => page_of(format!("Your task, of tick {}: {}", task.tick, task.text)),
        (None, "done") if rest.is_empty() => Err(format!("You have no task that could be done. {SET}")),
        (Some(task), "done") if rest.is_empty() => {
            done(Event::TaskDone, format!("Done: {}\nYou have no task now. {SET}", task.text))
        }
        (_, "update") if rest.is_empty() => Err("What is the task, in better words? task update <text>".to_string()),
        (None, "update") => Err(format!("You have no task that could be changed. {SET}")),
        (Some(_), "update") => {
            let text = own(rest, LINE_CHARS_MAX)?;
            done(Event::TaskUpdate { text: text.clone() }, format!("Your task is now: {text}"))
        }
        _ => {
            let text = own(request.args, LINE_CHARS_MAX)?;
            done(Event::TaskSet { text: text.clone() }, format!("Your task: {text}"))
        }
    }
}

fn note(state: &MindState, request: &VerbRequest) -> Answer {
    let ids = || state.notes.iter().map(|note| note.id);
    if request.args.is_empty() {
        return list("Your notes:", state.notes.iter().map(page::note).collect(), "You have no notes: note <text>.");
    }
    if let Some((id, _)) = with_id(request.args, "remove") {
        let id = known(id, "note", "note", ids())?;
        return done(Event::NoteRemove { id }, format!("Note #{id} is gone."));
    }
    if let Some((id, text)) = with_id(request.args, "edit") {
        let id = known(id, "note", "note", ids())?;
        if text.is_empty() {
            return Err(format!("What is note #{id} to say? note edit {id} <text>"));
        }
        let text = own(text, TEXT_CHARS_MAX)?;
        return done(Event::NoteUpdate { id, text }, format!("Note #{id} is changed."));
    }
    room_for(state.notes.len(), NOTES_MAX, "notes", "note remove <id>")?;
    let text = own(request.args, TEXT_CHARS_MAX)?;
    done(Event::NoteAdd { text }, format!("Noted as #{}.", request.first))
}

fn decide(state: &MindState, request: &VerbRequest) -> Answer {
    if request.args.is_empty() {
        let lines = state.decisions.iter().map(page::decision).collect();
        return list("Your decisions:", lines, "You have decided nothing: decide <summary>[: <details>].");
    }
    if let Some((id, _)) = with_id(request.args, "remove") {
        let id = known(id, "decision", "decide", state.decisions.iter().map(|decision| decision.id))?;
        return done(Event::DecisionRemove { id }, format!("Decision #{id} is gone."));
    }
    room_for(state.decisions.len(), DECISIONS_MAX, "decisions", "decide remove <id>")?;
    let (summary, details) = match request.args.split_once(": ") {
        Some((summary, details)) if !summary.trim().is_empty() => (summary.trim(), Some(details.trim())),
        _ => (request.args, None),
    };
    let summary = own(summary, LINE_CHARS_MAX)?;
    let details = details.filter(|details| !details.is_empty()).map(|details| own(details, TEXT_CHARS_MAX));
    let details = details.transpose()?;
    done(Event::DecisionRecord { summary, details }, format!("Decided, as #{}.", request.first))
}

fn step(state: &MindState, request: &VerbRequest) -> Answer {
    let known = |id| known(id, "step", "step", state.steps.iter().map(|step| step.id));
    if request.args.is_empty() {
        let lines = state.steps.iter().map(page::step).collect();
        return list("Your next steps:", lines, "You have planned no steps: step <text>.");
    }
    if let Some((id, _)) = with_id(request.args, "done") {
        let id = known(id)?;
        if state.steps.iter().any(|step| step.id == id && step.done) {
            return Err(format!("Step #{id} was done already. To take it off the list: step remove {id}"));
        }
        return done(Event::StepComplete { id }, format!("Step #{id} is done."));
    }
    if let Some((id, place)) = with_id(request.args, "move") {
        let id = known(id)?;
        let places = state.steps.len() as u32;
        let place = place.parse().ok().filter(|place| (1..=places).contains(place));
        let place: u32 = place.ok_or_else(|| format!("To which place, from 1 to {places}? step move {id} <place>"))?;
        return done(Event::StepReorder { id, place }, format!("Step #{id} is number {place} of your steps now."));
    }
    if let Some((id, _)) = with_id(request.args, "remove") {
        let id = known(id)?;
        return done(Event::StepRemove { id }, format!("Step #{id} is gone."));
    }
    room_for(state.steps.len(), STEPS_MAX, "steps", "step remove <id>")?;
    let text = own(request.args, LINE_CHARS_MAX)?;
    done(Event::StepAdd { text }, format!("Planned as step #{}.", request.first))
}

fn block(state: &MindState, request: &VerbRequest) -> Answer {
    if request.args.is_empty() {
        let lines = state.blockers.iter().map(page::note).collect();
        return list("What blocks you:", lines, "Nothing blocks you. If something does: block <text>.");
    }
    if let Some((id, _)) = with_id(request.args, "clear") {
        let id = known(id, "blocker", "block", state.blockers.iter().map(|blocker| blocker.id))?;
        return done(Event::BlockerRemove { id }, format!("Blocker #{id} is out of the way."));
    }
    room_for(state.blockers.len(), BLOCKERS_MAX, "blockers", "block clear <id>")?;
    let text = own(request.args, LINE_CHARS_MAX)?;
    done(Event::BlockerAdd { text }, format!("Kept in mind as blocker #{}.", request.first))
}

/// What goes wrong. There is no most: the state keeps the newest (`state::ERRORS_KEPT`), and programs write most of
/// them. The same again is not written twice while it is open.
fn trouble(state: &MindState, request: &VerbRequest) -> Answer {
    let open = || state.errors.iter().filter(|error| !error.resolved);
    if request.args.is_empty() {
        return list("What goes wrong:", open().map(page::error).collect(), "Nothing goes wrong that you know of.");
    }
    if let Some((id, _)) = with_id(request.args, "solved") {
        if let Some(error) = state.errors.iter().find(|error| Some(error.id) == id && error.resolved) {
            return Err(format!("Trouble #{} was over already.", error.id));
        }
        let id = known(id, "trouble", "trouble", open().map(|error| error.id))?;
        return done(Event::ErrorResolved { id }, format!("Trouble #{id} is over."));
    }
    let message = own(request.args, LINE_CHARS_MAX)?;
    match open().find(|error| error.message == message) {
        Some(error) => page_of(format!("You know of that, as trouble #{}.", error.id)),
        None => done(Event::ErrorEncountered { message }, format!("Kept in mind as trouble #{}.", request.first)),
    }
}

// The core memory.

/// A value as it was typed: JSON where it is an object, a list, a number, a truth value or a quoted text; else the
/// text.
fn value_of(typed: &str) -> Value {
    match serde_json::from_str(typed) {
        Ok(Value::Null) | Err(_) => Value::String(typed.to_string()),
        Ok(value) => cleaned(value),
    }
}

/// JSON can spell out control characters in what was clean when it was typed. Names of members are looked at later.
fn cleaned(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(clean_text(&text).into_owned()),
        Value::Array(values) => values.into_iter().map(cleaned).collect(),
        Value::Object(members) => members.into_iter().map(|(name, value)| (name, cleaned(value))).collect(),
        value => value,
    }
}

/// `{"v": …, "w": 0.9}`: a value with its weight.
fn weighted(value: Value) -> (Value, Option<f64>) {
    match value {
        Value::Object(mut members) if members.len() == 2 && members.contains_key("v") => {
            match members.get("w").and_then(Value::as_f64) {
                Some(weight) => (members.remove("v").unwrap_or_default(), Some(weight)),
                None => (Value::Object(members), None),
            }
        }
        value => (value, None),
    }
}

fn remember(state: &MindState, request: &VerbRequest) -> Answer {
    const USAGE: &str = "remember <path> = <value>, remember <path> += <value> or remember <path> weight = <0 to 1>";
    let memory = &state.memory;
    let Some((left, right)) = request.args.split_once('=') else {
        if request.args.is_empty() {
            return page_of(page::memory(memory));
        }
        memory::names(request.args).map_err(|why| format!("{why} To write: {USAGE}."))?;
        return match memory.get(request.args) {
            Some(value) => page_of(page::memory_line(memory, request.args, value)),
            None => Err(format!("You remember nothing at {}. All that you remember: remember.", request.args)),
        };
    };
    let (left, appends) = match left.strip_suffix('+') {
        Some(left) => (left.trim(), true),
        None => (left.trim(), false),
    };
    let typed = right.trim();
    if left.is_empty() || typed.is_empty() {
        return Err(format!("Remember what, and where? {USAGE}"));
    }
    if appends {
        let (path, value) = (left.to_string(), value_of(typed));
        Change::Append { path: left, value: &value }.check(memory).map_err(|why| why.to_string())?;
        return done(Event::MemoryAppend { path, value }, format!("Added to {left}."));
    }
    let (path, value, weight) = match left.split_once(char::is_whitespace) {
        Some((path, word)) if word.trim().eq_ignore_ascii_case("weight") => {
            let Some(value) = memory.get(path) else {
                return Err(format!("You remember nothing at {path} that could have a weight."));
            };
            let weight = typed.parse().map_err(|_| memory::MemoryRefusal::Weight.to_string())?;
            (path, value.clone(), Some(weight))
        }
        _ => {
            let (value, weight) = weighted(value_of(typed));
            (left, value, weight)
        }
    };
    Change::Set { path, value: &value, weight }.check(memory).map_err(|why| why.to_string())?;
    let weight = weight.and_then(memory::weight);
    let text = match weight {
        Some(weight) => format!("You remember {path}, with weight {weight}."),
        None => format!("You remember {path}."),
    };
    done(Event::MemorySet { path: path.to_string(), value, weight }, text)
}

fn forget(state: &MindState, request: &VerbRequest) -> Answer {
    let path = request.args;
    if path.is_empty() {
        return Err("Forget what? forget <path>".to_string());
    }
    memory::names(path).map_err(|why| why.to_string())?;
    match state.memory.get(path) {
        Some(_) => done(Event::MemoryDelete { path: path.to_string() }, format!("You forget {path}.")),
        None => Err(format!("You remember nothing at {path}. All that you remember: remember.")),
    }
}

// The log itself.

fn compact(state: &MindState, request: &VerbRequest) -> Answer {
    if !request.args.is_empty() {
        return Err("Compact takes nothing more: it folds your log into what follows from it.".to_string());
    }
    if state.seq == 0 {
        return Err("There is nothing in your mind to be compacted.".to_string());
    }
    let next = state.compacted_tick + COMPACT_TICKS;
    if state.compactions > 0 && request.tick < next {
        let seconds = (next - request.tick) * 2;
        return Err(format!("Your log was compacted a moment ago. It can be again in {seconds} seconds."));
    }
    let whole = serde_json::to_value(state).expect("a state has string keys only");
    let events = vec![Event::CompactBefore { state: whole }, Event::CompactAfter { upto: state.seq }];
    let text = format!("Your log is compacted up to #{}. Nothing of your workspace or memory is lost.", state.seq);
    Ok(Reply { events, text, refused: false })
}

fn context(state: &MindState, request: &VerbRequest) -> Answer {
    let mut words = request.args.split_whitespace();
    let (tokens, of, budget) = match (words.next(), words.next(), words.next(), words.next()) {
        (None, ..) => return page_of(page::context(state)),
        (Some(tokens), Some(of), Some(budget), None) => (tokens.parse(), of, budget.parse()),
        _ => return Err("How many tokens, and of how many? context <tokens> of <budget>".to_string()),
    };
    match (tokens, budget) {
        (Ok(tokens), Ok(budget)) if of.eq_ignore_ascii_case("of") && (1..=CONTEXT_TOKENS_MAX).contains(&budget) => {
            if tokens > CONTEXT_TOKENS_MAX {
                return Err(format!("No prompt takes more than {CONTEXT_TOKENS_MAX} tokens."));
            }
            done(
                Event::ContextSnapshot { tokens, budget },
                format!("Noted: a prompt took {tokens} of {budget} tokens."),
            )
        }
        _ => Err(format!(
            "How many tokens, and of how many, from 1 to {CONTEXT_TOKENS_MAX}? context <tokens> of <budget>"
        )),
    }
}

fn hud(state: &MindState, request: &VerbRequest) -> Answer {
    if request.args.is_empty() {
        return page_of(page::hud(state));
    }
    // As a prompt shows it, whole.
    let format: Format =
        request.args.parse().map_err(|_| "In which format? hud markdown, json, compact-json or toon".to_string())?;
    let workspace = workspace::node(state, Density::Full, workspace::WHOLE);
    let nodes = [workspace, core_memory::node(&state.memory, Density::Full)];
    match crate::render::render(&nodes, format).trim_end() {
        "" => page_of("There is nothing in your mind yet."),
        text => page_of(text),
    }
}

fn history(_: &MindState, request: &VerbRequest) -> Answer {
    let (word, rest) = first_word(request.args);
    let (wants, number): (fn(&LogEntry) -> bool, &str) = match word.to_ascii_lowercase().as_str() {
        "mind" => (|entry| !entry.is_record(), rest),
        "deeds" => (LogEntry::is_record, rest),
        _ => (|_| true, request.args),
    };
    let count = match number {
        "" => HISTORY_SHOWN,
        number => number
            .parse()
            .ok()
            .filter(|count| (1..=HISTORY_MAX).contains(count))
            .ok_or_else(|| format!("How many entries, from 1 to {HISTORY_MAX}? history [mind|deeds] [<number>]"))?,
    };
    let mut recent: Vec<&LogEntry> = request.recent.iter().rev().filter(|entry| wants(entry)).take(count).collect();
    recent.reverse();
    match recent.is_empty() {
        true if request.recent.is_empty() => page_of("Nothing is in your log yet."),
        true => page_of("Nothing of that kind is in your log yet."),
        false => page_of(page::history(recent.into_iter())),
    }
}
