//! What belongs to one project: task, goals, decisions, notes, blockers, and how far it is.

use crate::goals::Goals;
use serde::{Deserialize, Serialize};

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

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Note {
    pub id: u64,
    pub text: String,
    pub tick: u64,
}

/// What stands, or stood, in the way.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Blocker {
    pub id: u64,
    pub text: String,
    pub tick: u64,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resolved: bool,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Step {
    pub id: u64,
    pub text: String,
    pub done: bool,
    pub tick: u64,
}

/// All that belongs to a project and not to the character.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Workspace {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<Task>,
    #[serde(skip_serializing_if = "Goals::is_empty")]
    pub goals: Goals,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Decision>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<Blocker>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub context: String,
}

impl Workspace {
    /// Of a project that was just made: its summary is its task.
    pub fn new(id: u64, tick: u64, summary: &str, context: &str) -> Workspace {
        let task = (!summary.is_empty()).then(|| Task { id, text: summary.to_string(), tick });
        Workspace { task, context: context.to_string(), ..Workspace::default() }
    }

    pub fn summary(&self) -> &str {
        self.task.as_ref().map_or("", |task| &task.text)
    }
}
