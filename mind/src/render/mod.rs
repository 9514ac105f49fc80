//! From nodes to text, in four formats that say the same.
//!
//! Invariant: nothing to show gives an empty text; anything else ends in a line break, and no text begins with white
//! space, so that texts put together are measured as the sum of their tokens.

pub mod compact;
pub mod json;
pub mod markdown;
pub mod toon;

use crate::hud::detail::{LEVELS, first_level};
use crate::hud::identity::Nature;
use crate::hud::live::{AlreadyShown, ContextBar, LiveInput, SECTIONS};
use crate::hud::node::Node;
use crate::hud::{Format, View, core_memory, identity, workspace};
use crate::pressure::Density;
use crate::texts::{Extent, Texts};

/// The whole view, without a budget: what the design measures formats and densities with.
pub fn view(view: &View, format: Format, density: Density) -> String {
    let shown = AlreadyShown::default();
    let now = LiveInput {
        live: &view.live,
        recent: &view.recent,
        context: ContextBar::default(),
        nearly_full: "",
        shown: &shown,
    };
    let detail = &LEVELS[first_level(density)];
    let nature = Nature { texts: &Texts::default(), extent: Extent::All, mind: true };
    let mut nodes = vec![identity::node(&view.self_, &nature, &[])];
    nodes.extend(SECTIONS.iter().map(|section| (section.make)(&now, detail)));
    nodes.push(workspace::node(&view.state, density, workspace::WHOLE));
    nodes.push(core_memory::node(&view.state.memory, density, core_memory::memory_used(&view.state)));
    render(&nodes, format)
}

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
