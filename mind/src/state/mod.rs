//! What follows from a log: the workspace (task, decisions, notes, steps, blockers, errors) and the core memory.
//!
//! Invariant: `project` is a pure function of state and entry, and idempotent: an entry that was applied already, or is
//! older, changes nothing. An event that names what is not there changes nothing either, so every log has a state.

use crate::event::{Event, LogEntry};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Errors come by themselves, so the state keeps the newest; first those go that were resolved.
pub const ERRORS_KEPT: usize = 20;

/// The state after the entry `seq`; 0: nothing yet.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MindState {
    pub seq: u64,
    pub task: Option<Task>,
    pub decisions: Vec<Decision>,
    pub notes: Vec<Note>,
    /// In the order in which they are to be done.
    pub steps: Vec<Step>,
    pub blockers: Vec<Note>,
    pub errors: Vec<Trouble>,
    pub memory: CoreMemory,
    /// The last compaction folded entries up to here; 0: none yet.
    pub compacted: u64,
    pub compactions: u32,
    /// The tick of the last compaction.
    pub compacted_tick: u64,
    pub context: Option<Context>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Task {
    pub id: u64,
    pub text: String,
    /// Tick of the last change.
    pub tick: u64,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Decision {
    pub id: u64,
    pub summary: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    pub tick: u64,
}

/// A note or a blocker.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Note {
    pub id: u64,
    pub text: String,
    pub tick: u64,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Step {
    pub id: u64,
    pub text: String,
    pub done: bool,
    pub tick: u64,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Trouble {
    pub id: u64,
    pub message: String,
    pub resolved: bool,
    pub tick: u64,
}

/// How full the last prompt was.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Context {
    pub tokens: u32,
    pub budget: u32,
    pub tick: u64,
}

/// The document that an agent writes for itself: a tree of objects, addressed by dot paths (`people.Bob.trust`), with
/// weights beside it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CoreMemory {
    pub doc: Map<String, Value>,
    /// By path, 0..=1; what has none counts 0.5.
    pub weights: BTreeMap<String, f64>,
}

impl MindState {
    /// The state after a whole log, from nothing.
    pub fn of<'e>(entries: impl IntoIterator<Item = &'e LogEntry>) -> MindState {
        let mut state = MindState::default();
        state.project_all(entries);
        state
    }

    pub fn project_all<'e>(&mut self, entries: impl IntoIterator<Item = &'e LogEntry>) {
        for entry in entries {
            self.project(entry);
        }
    }

    /// Takes one more entry into account. Numbers may have gaps; they only rise.
    pub fn project(&mut self, entry: &LogEntry) {
        if entry.seq <= self.seq {
            return;
        }
        self.seq = entry.seq;
        let (id, tick) = (entry.seq, entry.tick);
        match &entry.event {
            Event::TaskSet { text } => self.task = Some(Task { id, text: text.clone(), tick }),
            Event::TaskUpdate { text } => {
                if let Some(task) = &mut self.task {
                    (task.text, task.tick) = (text.clone(), tick);
                }
            }
            Event::TaskDone => self.task = None,
            Event::DecisionRecord { summary, details } => {
                self.decisions.push(Decision { id, summary: summary.clone(), details: details.clone(), tick });
            }
            Event::DecisionRemove { id } => self.decisions.retain(|decision| decision.id != *id),
            Event::NoteAdd { text } => self.notes.push(Note { id, text: text.clone(), tick }),
            Event::NoteUpdate { id, text } => {
                if let Some(note) = self.notes.iter_mut().find(|note| note.id == *id) {
                    (note.text, note.tick) = (text.clone(), tick);
                }
            }
            Event::NoteRemove { id } => self.notes.retain(|note| note.id != *id),
            Event::StepAdd { text } => self.steps.push(Step { id, text: text.clone(), done: false, tick }),
            Event::StepComplete { id } => {
                if let Some(step) = self.steps.iter_mut().find(|step| step.id == *id) {
                    (step.done, step.tick) = (true, tick);
                }
            }
            Event::StepReorder { id, place } => {
                if let Some(at) = self.steps.iter().position(|step| step.id == *id) {
                    let step = self.steps.remove(at);
                    let place = (*place as usize).saturating_sub(1).min(self.steps.len());
                    self.steps.insert(place, step);
                }
            }
            Event::StepRemove { id } => self.steps.retain(|step| step.id != *id),
            Event::ErrorEncountered { message } => {
                self.errors.push(Trouble { id, message: message.clone(), resolved: false, tick });
                if self.errors.len() > ERRORS_KEPT {
                    let oldest = self.errors.iter().position(|error| error.resolved).unwrap_or(0);
                    self.errors.remove(oldest);
                }
            }
            Event::ErrorResolved { id } => {
                if let Some(error) = self.errors.iter_mut().find(|error| error.id == *id) {
                    (error.resolved, error.tick) = (true, tick);
                }
            }
            Event::BlockerAdd { text } => self.blockers.push(Note { id, text: text.clone(), tick }),
            Event::BlockerRemove { id } => self.blockers.retain(|blocker| blocker.id != *id),
            Event::MemorySet { path, value, weight } => self.memory.set(path, value.clone(), *weight),
            Event::MemoryAppend { path, value } => self.memory.append(path, value.clone()),
            Event::MemoryDelete { path } => self.memory.delete(path),
            Event::ContextSnapshot { tokens, budget } => {
                self.context = Some(Context { tokens: *tokens, budget: *budget, tick });
            }
            Event::CompactAfter { upto } => {
                (self.compacted, self.compacted_tick) = (*upto, tick);
                self.compactions += 1;
            }
            // Memories are made of these, not the state.
            Event::Happening(_) => {}
            Event::CompactBefore { .. } | Event::Other => {}
        }
    }
}
