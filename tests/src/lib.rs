//! Shared pieces of the tests: scenes, transcripts, simulation, load, torture, documents, and the real server with its
//! clients.

pub mod documents;
pub mod e2e;
pub mod journaling;
pub mod load;
pub mod scene;
pub mod simulation;
pub mod torture;
pub mod transcript;
