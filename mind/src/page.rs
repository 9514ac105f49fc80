//! A mind as text, for whoever asks with a verb: people at a terminal, and agents that read lines.
//!
//! Invariant: one thing is one line, since texts of a mind hold no line breaks; ids are shown as `#12`, as the verbs
//! take them.

use crate::event::{Event, LogEntry};
use crate::happenings::brief;
use crate::memory::TOKENS_MAX;
use crate::state::{Context, CoreMemory, Decision, MindState, Note, Step, Trouble};
use serde_json::Value;

/// Characters of a value or text in a line of the history.
const SHOWN_CHARS: usize = 120;

/// Everything: the workspace and the core memory, in markdown.
pub fn hud(state: &MindState) -> String {
    let mut text = String::from("# Workspace\n");
    text.push_str(&match &state.task {
        Some(task) => format!("Task: {}", task.text),
        None => "Task: none".to_string(),
    });
    section(&mut text, "Steps", state.steps.iter().map(step));
    section(&mut text, "Decisions", state.decisions.iter().map(decision));
    section(&mut text, "Blockers", state.blockers.iter().map(note));
    section(&mut text, "Notes", state.notes.iter().map(note));
    let errors = state.errors.iter().filter(|error| !error.resolved);
    section(&mut text, "Errors", errors.map(error));
    text.push_str(&format!("\n\n# Core memory ({} % used)\n", state.memory.used_percent()));
    text.push_str(&match state.memory.is_empty() {
        true => "empty".to_string(),
        false => memory_lines(&state.memory).join("\n"),
    });
    text
}

fn section(text: &mut String, heading: &str, lines: impl Iterator<Item = String>) {
    for (n, line) in lines.enumerate() {
        if n == 0 {
            text.push_str(&format!("\n\n## {heading}"));
        }
        text.push_str("\n- ");
        text.push_str(&line);
    }
}

pub fn step(step: &Step) -> String {
    format!("#{} [{}] {}", step.id, if step.done { 'x' } else { ' ' }, step.text)
}

pub fn decision(decision: &Decision) -> String {
    match &decision.details {
        Some(details) => format!("#{} {}: {details}", decision.id, decision.summary),
        None => format!("#{} {}", decision.id, decision.summary),
    }
}

pub fn note(note: &Note) -> String {
    format!("#{} {}", note.id, note.text)
}

pub fn error(error: &Trouble) -> String {
    format!("#{} {}", error.id, error.message)
}

/// How full the newest prompt was that the log tells of.
pub fn context(state: &MindState) -> String {
    match state.context {
        Some(Context { tokens, budget, tick }) => {
            let percent = u64::from(tokens) * 100 / u64::from(budget.max(1));
            format!("The newest prompt, of tick {tick}, took {tokens} of {budget} tokens ({percent} %).")
        }
        None => "No prompt was measured so far: context <tokens> of <budget>.".to_string(),
    }
}

/// The document, a line for each value, and how full it is.
pub fn memory(memory: &CoreMemory) -> String {
    if memory.is_empty() {
        return "Your memory is empty. Put something into it: remember <path> = <value>.".to_string();
    }
    let (tokens, percent) = (memory.tokens(), memory.used_percent());
    format!("You remember ({tokens} of {TOKENS_MAX} tokens, {percent} % used):\n{}", memory_lines(memory).join("\n"))
}

fn memory_lines(memory: &CoreMemory) -> Vec<String> {
    memory.leaves().into_iter().map(|(path, value)| memory_line(memory, &path, value)).collect()
}

/// One value with its path, and its weight where it is not the usual one.
pub fn memory_line(memory: &CoreMemory, path: &str, value: &Value) -> String {
    let weight = memory.weight(path);
    match weight == crate::memory::WEIGHT_DEFAULT {
        true => format!("{path} = {value}"),
        false => format!("{path} = {value} (weight {weight})"),
    }
}

/// Entries, one line each, in the order given.
pub fn history<'e>(entries: impl Iterator<Item = &'e LogEntry>) -> String {
    let lines: Vec<String> =
        entries.map(|entry| format!("#{} tick {}: {}", entry.seq, entry.tick, event(&entry.event))).collect();
    lines.join("\n")
}

/// The first characters of a text, with a mark where it goes on.
fn shortened(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

fn event(event: &Event) -> String {
    let cut = |text: &str| shortened(text, SHOWN_CHARS);
    match event {
        Event::TaskSet { text } => format!("task: {}", cut(text)),
        Event::TaskUpdate { text } => format!("task in other words: {}", cut(text)),
        Event::TaskDone => "task done".to_string(),
        Event::DecisionRecord { summary, .. } => format!("decided: {}", cut(summary)),
        Event::DecisionRemove { id } => format!("decision #{id} removed"),
        Event::NoteAdd { text } => format!("note: {}", cut(text)),
        Event::NoteUpdate { id, text } => format!("note #{id} now: {}", cut(text)),
        Event::NoteRemove { id } => format!("note #{id} removed"),
        Event::StepAdd { text } => format!("step: {}", cut(text)),
        Event::StepComplete { id } => format!("step #{id} done"),
        Event::StepReorder { id, place } => format!("step #{id} moved to place {place}"),
        Event::StepRemove { id } => format!("step #{id} removed"),
        Event::ErrorEncountered { message } => format!("error: {}", cut(message)),
        Event::ErrorResolved { id } => format!("error #{id} resolved"),
        Event::BlockerAdd { text } => format!("blocked: {}", cut(text)),
        Event::BlockerRemove { id } => format!("blocker #{id} cleared"),
        Event::MemorySet { path, value, weight: None } => format!("{path} = {}", cut(&value.to_string())),
        Event::MemorySet { path, value, weight: Some(weight) } => {
            format!("{path} = {} (weight {weight})", cut(&value.to_string()))
        }
        Event::MemoryAppend { path, value } => format!("{path} += {}", cut(&value.to_string())),
        Event::MemoryDelete { path } => format!("{path} forgotten"),
        Event::ContextSnapshot { tokens, budget } => format!("a prompt took {tokens} of {budget} tokens"),
        Event::CompactBefore { .. } => "the state, whole, before a compaction".to_string(),
        Event::CompactAfter { upto } => format!("compacted up to #{upto}"),
        // Bounded, and whole: a cut would leave its quotation open.
        Event::Happening(happening) => brief(happening),
        Event::Other => "something that this server does not know".to_string(),
    }
}
