//! Shared pieces of the tests: scenes, transcripts and documents. What plays and drives real programs is in `lab`.

pub mod documents;
pub mod scene;
pub mod transcript;

pub use lab::{agents, e2e, journaling, load, remembered, simulation, torture};
