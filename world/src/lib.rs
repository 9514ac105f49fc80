//! The game: a pure, deterministic state machine from inputs to reports, and the readers of its content.

pub mod content;
pub mod flags;
pub mod words;
