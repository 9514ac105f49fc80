//! What somebody else sees of a mind: no more than the parts that they were granted.
//!
//! Invariant: nothing here reads what is not in `scopes`. What is written is the owner's text, data to whoever reads
//! it: one thing is one line, and the page stands behind a bar, so that no line of it can pass for one of the server's.

use crate::page;
use crate::projects::MAIN;
use crate::sharing::{Scope, told};
use crate::state::MindState;
use protocol::payload::SharedRow;

/// Characters of a task and of a blocker in a row, and blockers in it: a row of a prompt takes 20 tokens.
const ROW_CHARS: usize = 80;
const ROW_BLOCKERS: usize = 3;

/// What `scopes` open of a mind, in markdown behind a bar.
pub fn page(name: &str, state: &MindState, scopes: &[Scope]) -> String {
    let has = |scope: Scope| scopes.contains(&scope);
    let mut text = String::new();
    if state.active != MAIN && (has(Scope::Task) || has(Scope::Goals)) {
        text.push_str(&format!("\nProject: {}", state.active));
    }
    if let Some(task) = state.task.as_ref().filter(|_| has(Scope::Task)) {
        text.push_str(&format!("\nTask: {}", task.text));
    }
    if has(Scope::Goals) {
        if state.goals.is_tree() {
            text.push_str(&format!("\n\n## Goals\n{}", page::goals(state)));
        } else {
            page::section(&mut text, "Steps", state.steps.iter().map(page::step));
        }
        page::section(&mut text, "Blockers", state.open_blockers().map(page::blocker));
    }
    if has(Scope::Decisions) {
        page::section(&mut text, "Decisions", state.decisions.iter().map(page::decision));
    }
    if has(Scope::Notes) {
        page::section(&mut text, "Notes", state.notes.iter().map(page::note));
    }
    if has(Scope::Facts) {
        page::section(&mut text, "Facts", state.session.key_facts.iter().map(page::learned));
        page::section(&mut text, "Patterns", state.session.learned_patterns.iter().map(page::learned));
    }
    match text.trim_start() {
        "" => format!("{name} shares with you: {}. There is nothing of it just now.", told(scopes)),
        text => {
            let lines = text.lines().map(|line| format!("| {line}").trim_end().to_string());
            format!("{name} shares with you: {}.\n{}", told(scopes), lines.collect::<Vec<_>>().join("\n"))
        }
    }
}

/// The same as one row of a table: what they are at, how far it is, and what stands in the way, the newest first.
pub fn row(name: &str, state: &MindState, scopes: &[Scope]) -> SharedRow {
    let has = |scope: Scope| scopes.contains(&scope);
    let cut = |text: &String| crate::hud::text::line(text, ROW_CHARS);
    let is_planned = has(Scope::Goals) && (state.goals.is_tree() || !state.steps.is_empty());
    let blockers: Vec<String> = match has(Scope::Goals) {
        true => state.open_blockers().map(|blocker| cut(&blocker.text)).collect(),
        false => Vec::new(),
    };
    SharedRow {
        who: name.to_string(),
        task: state.task.as_ref().filter(|_| has(Scope::Task)).map(|task| cut(&task.text)),
        progress: is_planned.then(|| state.goals.progress()),
        blocked: blockers.len(),
        blockers: blockers.into_iter().rev().take(ROW_BLOCKERS).collect(),
    }
}
