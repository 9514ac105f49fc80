//! How good memories are, measured: what `dp-agent eval` asks of dreams, facts and recall.
//!
//! One file is one experiment of the evaluation's list (E5 to E18): it makes its own life, knows the right answers by a
//! replay or by rule, and gives counts. `statistics` turns counts into values with intervals. Clocks, files and
//! printing are with the caller.
//!
//! Invariant: the same seed gives the same counts on any machine.

pub mod decay;
pub mod forgetting;
pub mod junk;
mod retrieval;
pub mod sameness;
pub mod statistics;
pub mod truth;

pub use retrieval::{Counts, Kind, Method, Question, Scores, answers, questions, score, score_with};
