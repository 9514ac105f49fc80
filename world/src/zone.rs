//! A zone in play: when it was last reset. How that is done is in `zones`.

use serde::{Deserialize, Serialize};

/// What changes about a zone in play.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Zone {
    /// The tick of its last reset.
    pub reset_tick: u64,
}
