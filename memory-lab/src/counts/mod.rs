//! What the suites count: one file makes up a life, knows the right answers by a replay or by rule, and gives counts.
//!
//! `statistics` turns counts into values with intervals. Clocks, files and printing are with `suites`.
//!
//! Invariant: the same seed gives the same counts on any machine.

pub mod attention;
pub mod decay;
pub mod forgetting;
pub mod junk;
mod retrieval;
pub mod sameness;
pub mod statistics;
pub mod truth;
pub mod untrue;

pub use retrieval::{Counts, Kind, Method, Question, Scores, answers, questions, score, score_with};
