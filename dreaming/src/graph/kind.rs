//! The kinds of nodes and edges, as documents name them.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeKind {
    Event,
    Entity,
    Room,
    Item,
    Reflection,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// event → room
    OccurredIn,
    /// event → entity or item
    Involved,
    /// room → room, walked
    TransitionedTo,
    /// entity → entity
    Killed,
    /// item → entity that it came from
    TookFrom,
    /// entity → entity
    Fought,
    /// entity → entity: gifts, help, words, betrayal
    Social,
    /// event → the last event of the same kind with the same other, while that is remembered
    SimilarTo,
    /// reflection → event of its evidence that is remembered
    DerivedFrom,
}
