//! The one integration-test binary: one module per kind of test.

mod hashes;
mod transcripts;
