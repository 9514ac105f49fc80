//! From nodes to text, in four formats that say the same.
//!
//! Invariant: nothing to show gives an empty text; anything else ends in a line break, and no text begins with white
//! space, so that texts put together are measured as the sum of their tokens.

pub mod compact;
pub mod json;
pub mod markdown;
pub mod toon;

use crate::hud::Format;
use crate::hud::node::Node;

/// The nodes as one document.
pub fn render(nodes: &[Node], format: Format) -> String {
    if nodes.iter().all(Node::is_empty) {
        return String::new();
    }
    match format {
        Format::Markdown => markdown::render(nodes),
        Format::Json => json::render(&crate::hud::node::values(nodes)),
        Format::CompactJson => compact::render(&crate::hud::node::values(nodes)),
        Format::Toon => toon::render(&crate::hud::node::values(nodes)),
    }
}
