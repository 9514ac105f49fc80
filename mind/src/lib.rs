//! An agent's mind as pure code: an append-only log of what it decided and noted, the state that follows from it, and
//! the prompt that shows both to a language model.
//!
//! Invariant: everything here is a function of its arguments. No clock, no chance, no files, no unordered iteration:
//! the same log gives the same state and the same bytes on any machine.

pub mod action;
pub mod appraisal;
pub mod arts;
pub mod attention;
pub mod base;
pub mod budget;
pub mod client_part;
pub mod council;
pub mod counsel;
pub mod derive;
pub mod document;
pub mod edit;
pub mod event;
pub mod focus;
pub mod fold;
pub mod glimpse;
pub mod goals;
pub mod happenings;
pub mod hud;
pub mod legacy;
pub mod log_id;
pub mod measure;
pub mod memory;
pub mod mending;
pub mod page;
pub mod persona;
pub mod plans;
pub mod pressure;
pub mod projects;
pub mod prompt;
pub mod render;
pub mod section;
pub mod sections;
pub mod session;
pub mod sharing;
pub mod spelling;
pub mod state;
pub mod status;
pub mod story;
pub mod texts;
pub mod thought;
pub mod tokens;
pub mod workspace;

pub use edit::{Reply, VerbRequest};
pub use event::{CONFLICT_OUTCOME, Event, HAPPENING, LEGACY, LogEntry, PLAN_END, RECORDS};
pub use log_id::{FIRST_MIND, LogId, MindNumber};
pub use state::MindState;
