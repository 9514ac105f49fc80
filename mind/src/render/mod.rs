//! From nodes to text, in four formats that say the same.
//!
//! Invariant: nothing to show gives an empty text; anything else ends in a line break, and no text begins with white
//! space, so that texts put together are measured as the sum of their tokens.

pub mod compact;
pub mod json;
pub mod markdown;
pub mod toon;
pub mod trace;

use crate::hud::detail::{LEVELS, first_level};
use crate::hud::identity::Nature;
use crate::hud::live::{AlreadyShown, ContextBar, LiveInput, SECTIONS};
use crate::hud::node::{Node, values};
use crate::hud::origin::Origin;
use crate::hud::{Format, LiveView, RecentAction, View, core_memory, identity, workspace};
use crate::pressure::Density;
use crate::texts::{Extent, Texts};

/// The whole view, without a budget: what the design measures formats and densities with.
pub fn view(view: &View, format: Format, density: Density) -> String {
    let nature = Nature { texts: &Texts::default(), extent: Extent::All, mind: true };
    let mut nodes = vec![identity::node(&view.self_, &nature, &[])];
    nodes.extend(here_and_now(&view.live, &view.recent, density));
    nodes.push(workspace::node(&view.state, density, workspace::WHOLE));
    nodes.push(core_memory::node(&view.state.memory, density, core_memory::memory_used(&view.state)));
    render(&nodes, format)
}

/// The sections of the here and now, without a budget: what a body sees, whoever tells it.
pub fn here_and_now(live: &LiveView, recent: &[RecentAction], density: Density) -> Vec<Node> {
    let (shown, context) = (AlreadyShown::default(), ContextBar::default());
    let now = LiveInput { live, recent, context, nearly_full: "", shown: &shown, sections: &[] };
    let detail = &LEVELS[first_level(density)];
    SECTIONS.iter().map(|section| (section.make)(&now, detail)).collect()
}

/// The nodes as one document.
pub fn render(nodes: &[Node], format: Format) -> String {
    if nodes.iter().all(Node::is_empty) {
        return String::new();
    }
    match format {
        Format::Markdown => markdown::render(nodes),
        Format::Json => json::render(&values(nodes)),
        Format::CompactJson => compact::render(&values(nodes)),
        Format::Toon => toon::render(&values(nodes)),
    }
}

/// What each line of `render(nodes, format)` comes from; what changes was so at `tick`.
pub fn origins(nodes: &[Node], format: Format, tick: u64) -> Vec<Origin> {
    if nodes.iter().all(Node::is_empty) {
        return Vec::new();
    }
    let known = trace::Known::of(nodes, tick);
    match format {
        Format::Markdown => markdown::traced(nodes, known),
        Format::Json => known.json(&json::render(&values(nodes))),
        Format::CompactJson => vec![known.one_line(&values(nodes))],
        Format::Toon => known.toon(&toon::render(&values(nodes)), ""),
    }
}

/// Characters of an origin beside which lines stand in a column.
const ORIGIN_CHARS: usize = 28;

/// Lines with what each comes from before it.
pub fn why<'a>(lines: impl Iterator<Item = (&'a str, String)>) -> String {
    lines.map(|(line, origin)| format!("{origin:<ORIGIN_CHARS$} | {line}").trim_end().to_string() + "\n").collect()
}
