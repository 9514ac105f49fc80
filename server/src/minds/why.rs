//! `recall why #812` of an entry that no memory is made of: what it says, when and in which session it was written, the
//! line that was typed for it and who decided that, the prompt in which it was decided, and what it took the place of.
//!
//! Invariant: nothing here writes. The line is that of the record of commands: where there is none (they are not
//! recorded, it is too old, or the server found it out by itself), that is said.

use super::past::{Then, then};
use super::{Append, Minds};
use crate::log_input::Request;
use crate::memories::Answer;
use crate::store::agent_events::entry_of;
use crate::store::decision_archives;
use crate::store::decisions::Decision;
use crate::store::logs;
use crate::times::rfc3339_ms;
use dreaming::calendar::game_date;
use dreaming::log_search::Point;
use mind::derive::REFUSALS;
use mind::focus::{FOCUS_MAX, FOCUS_TICKS};
use mind::{Event, LogEntry, MindState};
use protocol::names::clean_text;
use serde_json::Value;
use std::fmt::Write;

impl Minds {
    /// `None`: there is no such entry.
    pub(super) async fn why_entry(&self, request: &Request, args: &str) -> anyhow::Result<Option<Answer>> {
        let id = args.split_whitespace().nth(1).and_then(|id| id.trim_start_matches('#').parse::<i64>().ok());
        let Some(seq) = id else { return Ok(None) };
        let on_their_way = self.on_their_way(&request.log);
        let rows = logs::these(&self.store, &request.log, &[seq]).await?;
        let (entry, session) = match rows.first() {
            Some(row) => (entry_of(row)?, row.session),
            None => {
                let mut own = on_their_way.iter().flat_map(Append::entries);
                let Some(entry) = own.find(|entry| i64::try_from(entry.seq) == Ok(seq)) else { return Ok(None) };
                (entry.clone(), None)
            }
        };
        let session = session.map_or(String::new(), |session| format!(" in session {session}"));
        let mut text = format!(
            "#{seq} was written at tick {} ({}), {}, by input {}{session}:\n{}",
            entry.tick,
            game_date(entry.tick),
            rfc3339_ms(entry.at_ms),
            entry.input,
            mind::page::entry(&entry.event)
        );
        if !entry.is_record() {
            let input = i64::try_from(entry.input)?;
            let typed = decision_archives::of_input(&self.store, request.log.character(), entry.at_ms, input).await?;
            text.push('\n');
            text.push_str(&line_of(&typed, &entry.event));
            let before = then(&self.store, &request.log, Point::Entry(entry.seq - 1), &on_their_way).await?;
            if let Then::Was(state, ..) = before
                && let Some(replaced) = replaced(&state, &entry)
            {
                let _ = write!(text, "\nIt took the place of: {replaced}");
            }
        }
        Ok(Some(Answer { text, ..Answer::default() }))
    }
}

/// What was typed, and what its client said of it.
fn line_of(typed: &[Decision], event: &Event) -> String {
    let Some(first) = typed.first() else {
        return match rule_of(event) {
            Some(rule) => format!("No command that was recorded brought it. The server notes by itself: {rule}."),
            None => "No command that was recorded brought it.".to_string(),
        };
    };
    let lines: Vec<String> =
        typed.iter().map(|row| format!("{} {}", row.command, row.args).trim_end().to_string()).collect();
    let mut told = format!("Typed: {}", clean_text(&lines.join("; ")));
    if let Some(source) = &first.source {
        let _ = write!(told, "\nDecided by: {}", clean_text(source));
    }
    let meta = first.meta.as_deref().and_then(|meta| serde_json::from_str::<Value>(meta).ok()).unwrap_or_default();
    if let Some(prompt) = meta.get("prompt").and_then(Value::as_str) {
        let _ = write!(told, "\nIn the prompt with SHA-256 {}", clean_text(prompt));
    }
    told
}

/// By which rule the server writes entries of a kind (`mind::derive`, `noting`).
fn rule_of(event: &Event) -> Option<String> {
    Some(match event {
        Event::FocusOpen { .. } | Event::FocusEdit { .. } => {
            format!("what is looked at, handled or named, at most {FOCUS_MAX} at once")
        }
        Event::FocusClose { .. } => {
            format!("what was in focus and was not touched for {FOCUS_TICKS} ticks, or had to make room")
        }
        Event::ErrorEncountered { .. } => {
            format!("a command that was refused {REFUSALS} times with the same words in one place")
        }
        Event::ErrorResolved { .. } => "that what had been refused was done".to_string(),
        Event::SessionTidy { .. } => {
            "facts or patterns that say the same, at a login where their list is nearly full".to_string()
        }
        Event::ContextSnapshot { .. } => {
            "how much was sent since the last fold, where a client does not say so itself".to_string()
        }
        Event::CompactBefore { .. } | Event::CompactAfter { .. } => {
            "a fold where so much was sent, and a client does not fold by itself".to_string()
        }
        _ => return None,
    })
}

/// What stood there before.
fn replaced(before: &MindState, entry: &LogEntry) -> Option<String> {
    let text = match &entry.event {
        Event::TaskSet { .. } | Event::TaskUpdate { .. } => before.task.as_ref()?.text.clone(),
        Event::ProjectUpdate { key, .. } => {
            before.projects.iter().find(|project| project.key == *key).map(|project| project.context.clone())?
        }
        Event::GoalEdit { id, text: Some(_), .. } => before.goals.get(*id)?.text.clone(),
        Event::NoteUpdate { id, .. } => before.notes.iter().find(|note| note.id == *id)?.text.clone(),
        Event::MemorySet { path, .. } => match before.memory.get(path)? {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        },
        _ => return None,
    };
    Some(text).filter(|text| !text.is_empty())
}
