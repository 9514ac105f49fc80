//! dp-agent: a player that is a program. Reflexes keep it alive, policies keep it going, a language model decides.
//!
//! `agent` is the player itself and does no IO: frames and times go in, effects come out. Everything that waits (the
//! connection, the model, files, the terminal) is in the shell around it: `player`, `cli`.

pub mod advisor;
pub mod agent;
pub mod answer;
pub mod bestiary;
pub mod call_queue;
pub mod calls;
pub mod channels;
pub mod cleartext;
pub mod cli;
pub mod client;
pub mod company;
pub mod config;
pub mod council;
pub mod creation;
pub mod dream;
pub mod embeddings;
pub mod errands;
pub mod eval;
pub mod fold_words;
pub mod harness;
pub mod knowledge;
pub mod knowledge_file;
pub mod leaving;
pub mod ledger;
mod live_prompt;
pub mod log;
pub mod map;
pub mod minds_view;
pub mod model;
pub mod nature;
pub mod objects;
pub mod persona;
pub mod player;
pub mod policies;
pub mod posture;
pub mod private_files;
pub mod prompt_record;
pub mod prompt_text;
pub mod prompts_folder;
pub mod recall;
pub mod reconnect;
pub mod record;
pub mod reflexes;
pub mod refused_actions;
pub mod roster;
pub mod sections_file;
pub mod server_address;
pub mod session_log;
pub mod state;
pub mod status;
mod stream;
pub mod stub;
pub mod thought;
