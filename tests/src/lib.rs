//! Shared pieces of the tests: scenes, transcripts, the simulation and the load generator.

pub mod documents;
pub mod scene;
pub mod simulation;
pub mod transcript;
