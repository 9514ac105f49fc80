//! The one integration-test binary: one module per kind of test.

mod hashes;
mod replay;
mod simulation;
mod tidy;
mod transcripts;
mod zones;
