//! What truly happened, turned into memories: a graph with feelings, a story, and a way to find things in both.
//!
//! `records` reads logs, `extract` makes records out of logs that only tell turns, `consolidate` feeds records into the
//! `graph` night by night, `facts` keeps what held from when to when, `reflect` draws insights, `narrate` tells the
//! story, `bootstrap` chooses what to know at a login, `retrieve` finds memories for a moment, `living` keeps them
//! up to date while things happen, and `why` says what one of them stands on. `log_search` finds entries of the log
//! itself: notes, goals, talk. `dream` is all that a night does, in one
//! call. With the feature `check`, `check` judges what is told by the records.
//!
//! Invariant: everything is a function of its arguments: no clock, no files, no chance, no unordered iteration, and
//! real numbers only through IEEE basic operations and `libm`. The same log and the same terms give the same bytes on
//! any machine, whether they were dreamt in one night or in a hundred.

pub mod bootstrap;
pub mod calendar;
#[cfg(feature = "check")]
pub mod check;
pub mod config;
pub mod consolidate;
pub mod document;
mod dream;
pub mod extract;
pub mod forgetting;
pub mod graph;
pub mod legacy;
mod living;
pub mod log_search;
pub mod narrate;
pub mod picture;
pub mod principles;
pub mod questions;
mod record;
pub mod records;
pub mod reflect;
pub mod retrieve;
pub mod synthetic;
pub mod why;
pub mod wording;

pub use config::{Config, Terms, Valence};
pub use consolidate::Dreamer;
pub use dream::{Dream, PagedDream, Report, dream};
pub use graph::{Graph, facts};
pub use living::Living;
pub use narrate::Summary;
pub use record::Record;
