//! The one integration-test binary: one module per kind of test.

mod adopt;
mod agents;
mod captured;
mod channels;
mod crowds;
mod doc_paths;
mod documents;
mod e2e;
mod edits;
mod effects;
mod following;
mod hashes;
mod journal;
mod layers;
mod mind_verbs;
mod pairing;
mod people;
mod phases;
mod records;
mod replay;
mod rules_version;
mod simulation;
mod tidy;
mod transcripts;
mod variables;
mod zones;
