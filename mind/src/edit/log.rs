//! The log itself, and what follows from it: compactions, prompts that were measured, the whole mind, its newest
//! entries.

use super::words::{all, done, first_word, page_of};
use super::{Answer, COMPACT_TICKS, CONTEXT_TOKENS_MAX, HISTORY_MAX, HISTORY_SHOWN, VerbRequest};
use crate::event::{Event, LogEntry};
use crate::hud::{Format, core_memory, workspace};
use crate::page;
use crate::pressure::Density;
use crate::state::MindState;

pub(super) fn compact(state: &MindState, request: &VerbRequest) -> Answer {
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
    all(events, text)
}

pub(super) fn context(state: &MindState, request: &VerbRequest) -> Answer {
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

pub(super) fn hud(state: &MindState, request: &VerbRequest) -> Answer {
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

pub(super) fn history(_: &MindState, request: &VerbRequest) -> Answer {
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
