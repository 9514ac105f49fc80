//! Which parts of a graph a record has changed, for whoever keeps an index of it.

use petgraph::graph::NodeIndex;

#[derive(Clone, Debug, Default)]
pub struct Changes {
    pub nodes: Vec<NodeIndex<u32>>,
    /// By place among the facts.
    pub facts: Vec<u32>,
}
