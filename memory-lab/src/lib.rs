//! How good and how fast memories are, measured without a model, a network or a game: what `dp-agent eval` runs.
//!
//! `suites` is the list of what can be measured, with clocks, processes, files and what people read; `counts` is the
//! counting of each. A crate of its own beside `lab`, so that `dp-agent` can run it without a server in its build.
//! Invariant: knows dreams and nothing of agents or servers; likeness of meaning comes through a port.

pub mod counts;
pub mod suites;
