//! dp-agent: a player that is a program. Reflexes keep it alive, policies keep it going, a language model decides.
//!
//! `agent` is the player itself and does no IO: frames and times go in, effects come out. Everything that waits (the
//! connection, the model, files, the terminal) is in the shell around it.

pub mod agent;
pub mod answer;
pub mod breaker;
pub mod config;
pub mod knowledge;
pub mod ledger;
pub mod lore;
pub mod map;
pub mod model;
pub mod policies;
pub mod prompt;
pub mod record;
pub mod reflexes;
pub mod state;
pub mod stub;
pub mod things;
