//! Plots that a world has from its beginning. Rows of `plots.toml`.
//!
//! Whatever is built on one is state of the world; how building goes is worked by the crate `plot`.

use crate::text::Text;
use crate::vnum::Vnum;
use plot::{Cell, Rule};
use serde::Serialize;

/// One plot; its room has no other.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PlotProto {
    pub room: Vnum,
    pub title: Text,
    /// What one reads above the grid; may be empty.
    pub about: Text,
    pub rule: Rule,
    /// The name of its task; empty: none.
    pub task: Text,
    /// What stands there before anybody builds.
    pub elements: Vec<StandingProto>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct StandingProto {
    /// The name of the kind.
    pub kind: Text,
    pub at: Cell,
    /// May be empty.
    pub label: Text,
}
