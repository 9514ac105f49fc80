//! One record of a log: what happened to the owner, with its number and its time.

use protocol::happening::Happening;

/// Records of one log have rising `seq`, each once.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    pub seq: u64,
    pub tick: u64,
    /// Unix milliseconds.
    pub at_ms: i64,
    pub happening: Happening,
}
