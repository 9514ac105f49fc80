//! The mind from outside: its log, what follows from it, and the prompts that show it.

mod arts;
mod building;
mod conversations;
mod folds;
mod index;
mod log;
mod log_events;
mod origins;
mod persona;
mod plot;
mod sections;
#[path = "../sessions/mod.rs"]
mod sessions;
mod sharing;
mod snapshots;
mod telling;
