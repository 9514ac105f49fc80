//! dp-agent: a player that is a program. Reflexes keep it alive, policies keep it going, a language model decides.
//!
//! `agent` is the player itself and does no IO: frames and times go in, effects come out. Everything that waits (the
//! connection, the model, files, the terminal) is in the shell around it.

pub mod answer;
pub mod ledger;
pub mod model;
pub mod stub;
