//! Shared pieces of the tests: scenes, transcripts, simulation, agents at play, load, torture, documents, and the
//! real server with its clients.

pub mod agents;
pub mod documents;
pub mod e2e;
pub mod journaling;
pub mod load;
pub mod remembered;
pub mod scene;
pub mod simulation;
pub mod torture;
pub mod transcript;
