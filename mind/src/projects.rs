//! Projects: undertakings of which one is active, and the others wait with all that belongs to them.
//!
//! What belongs to a project (`Workspace`) is paged into the log: whoever turns to another one writes down what it
//! leaves, whole, and what it takes up, whole. The state keeps a line of each, so a login stays small; `Shelf` holds
//! the workspaces of those that wait. Both follow from the log alone. Source: *Context Paging Pattern* of the document
//! on self-management. Invariant: there is one active project; `MAIN` is always there, and never done or archived.

use crate::event::{Event, LogEntry};
use crate::workspace::Workspace;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The project of whoever made none.
pub const MAIN: &str = "main";
/// Projects that are not archived, `MAIN` included; archived ones that the state keeps.
pub const PROJECTS_MAX: usize = 12;
pub const ARCHIVED_KEPT: usize = 20;
/// Characters of a key, a summary, a context.
pub const KEY_CHARS: usize = 40;
pub const SUMMARY_CHARS: usize = 300;
pub const CONTEXT_CHARS: usize = 2_000;
/// Ticks between two turns to another project: each writes two whole workspaces.
pub const SWAP_TICKS: u64 = 5;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProjectStatus {
    Active,
    #[default]
    Paused,
    Completed,
    Archived,
}

impl ProjectStatus {
    pub const fn name(self) -> &'static str {
        match self {
            ProjectStatus::Active => "active",
            ProjectStatus::Paused => "paused",
            ProjectStatus::Completed => "completed",
            ProjectStatus::Archived => "archived",
        }
    }
}

/// What the state keeps of a project.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Project {
    pub key: String,
    /// What it is about; of the active one its task.
    pub summary: String,
    /// How far it is, in its owner's words.
    pub context: String,
    pub status: ProjectStatus,
    /// Of its goals, 0..=100.
    pub progress: u8,
    /// Unix milliseconds.
    pub created_at: i64,
    pub last_active: i64,
    /// The entry that holds its workspace; none for the active one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
}

/// The workspaces of projects that wait, by key.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Shelf(BTreeMap<String, Workspace>);

impl Shelf {
    /// Of a log in which nobody ever made a project.
    pub const EMPTY: &'static Shelf = &Shelf(BTreeMap::new());

    /// Of a whole log.
    pub fn of<'e>(entries: impl IntoIterator<Item = &'e LogEntry>) -> Shelf {
        let mut shelf = Shelf::default();
        entries.into_iter().for_each(|entry| shelf.note(entry));
        shelf
    }

    /// Takes one more entry into account; each comes once, in order.
    pub fn note(&mut self, entry: &LogEntry) {
        match &entry.event {
            Event::ProjectCreate { key, summary, context } => {
                let (summary, context) = (summary.as_deref().unwrap_or(""), context.as_deref().unwrap_or(""));
                self.0.entry(key.clone()).or_insert_with(|| Workspace::new(entry.seq, entry.tick, summary, context));
            }
            Event::ProjectPause { key, workspace, .. }
            | Event::ProjectComplete { key, workspace, .. }
            | Event::ProjectArchive { key, workspace, .. } => {
                self.0.insert(key.clone(), (**workspace).clone());
            }
            Event::ProjectResume { key, .. } => {
                self.0.remove(key);
            }
            _ => {}
        }
    }

    pub fn get(&self, key: &str) -> Option<&Workspace> {
        self.0.get(key)
    }

    /// Forgets what the state keeps no line of any more.
    pub fn retain(&mut self, projects: &[Project]) {
        self.0.retain(|key, _| projects.iter().any(|project| project.key == *key));
    }
}
