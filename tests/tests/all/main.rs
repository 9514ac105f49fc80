//! The one integration-test binary: one module per kind of test.

mod documents;
mod hashes;
mod people;
mod replay;
mod simulation;
mod tidy;
mod transcripts;
mod zones;
