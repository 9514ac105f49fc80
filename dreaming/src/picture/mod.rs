//! The graph as a picture: size by salience, colour by valence, what it stands on shown on hover.
//!
//! The strongest memories only, or nobody could see anything. The same graph gives the same picture (`layout.rs`).

mod layout;

use crate::graph::*;
use crate::narrate;
use layout::{Disc, FONT, LETTER, SIZE};
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const NODES_MAX: usize = 160;
/// Height of the line that says what the marks mean.
const LEGEND: f64 = 40.0;
/// Letters of a name in the picture; the whole is in its title.
const NAME_MAX: usize = 28;
/// The strongest nodes. Things and insights may take half of the places, the rest goes to the events that hold these
/// together, as nobody learns anything from a field of names without a line between them.
fn chosen(graph: &Graph) -> Vec<NodeIndex<u32>> {
    let mut nodes: Vec<(f64, String, NodeIndex<u32>)> =
        graph.alive().map(|(at, node)| (graph.salience(node) + node.felt() / 10.0, graph.id_of(node), at)).collect();
    nodes.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let is_event = |at: &NodeIndex<u32>| matches!(graph.net[*at].body, Body::Event(_));
    let (events, others): (Vec<_>, Vec<_>) = nodes.into_iter().map(|(.., at)| at).partition(is_event);
    let shape = others.len().min(NODES_MAX / 2);
    let drawn: BTreeSet<NodeIndex<u32>> = others[..shape].iter().copied().collect();
    // The event that holds most of them together first.
    let mut ties: BTreeMap<NodeIndex<u32>, u32> = BTreeMap::new();
    for edge in graph.edges() {
        for (event, other) in [(edge.from, edge.to), (edge.to, edge.from)] {
            if drawn.contains(&other) {
                *ties.entry(event).or_default() += 1;
            }
        }
    }
    let (mut tied, loose): (Vec<_>, Vec<_>) = events.into_iter().partition(|at| ties.contains_key(at));
    tied.sort_by_key(|at| std::cmp::Reverse(ties.get(at).copied()));
    let mut chosen: Vec<_> =
        others[..shape].iter().copied().chain(tied).chain(others[shape..].iter().copied()).collect();
    chosen.extend(loose);
    chosen.truncate(NODES_MAX);
    chosen
}

/// Red for bad, green for good, grey for neither.
fn colour(valence: f64) -> String {
    let part = (valence / 3.0).clamp(-1.0, 1.0);
    let (red, green, blue) = if part >= 0.0 { (60.0, 150.0, 90.0) } else { (200.0, 60.0, 60.0) };
    let mix = |to: f64| (150.0 + (to - 150.0) * part.abs()) as u8;
    format!("#{:02x}{:02x}{:02x}", mix(red), mix(green), mix(blue))
}

/// Text for XML: names and words of others open no tag.
fn escaped(text: &str) -> String {
    let clean: String = text.chars().filter(|c| !c.is_control()).collect();
    clean.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn label(graph: &Graph, node: &Node) -> String {
    match &node.body {
        Body::Event(event) => narrate::sentence(graph, event, 1),
        Body::Thing(thing) => graph.names.name(thing.name).to_string(),
        Body::Reflection(reflection) => reflection.text.to_string(),
        Body::Gone => String::new(),
    }
}

fn shortened(name: &str) -> String {
    if name.chars().count() <= NAME_MAX {
        return name.to_string();
    }
    let kept: String = name.chars().take(NAME_MAX - 1).collect();
    format!("{}…", kept.trim_end_matches([' ', ',']))
}

pub fn svg(graph: &Graph) -> String {
    let nodes = chosen(graph);
    let places: BTreeMap<NodeIndex<u32>, usize> = nodes.iter().enumerate().map(|(i, node)| (*node, i)).collect();
    let edges: Vec<(usize, usize)> =
        graph.edges().filter_map(|edge| Some((*places.get(&edge.from)?, *places.get(&edge.to)?))).collect();
    let radii: Vec<f64> = nodes.iter().map(|at| 4.0 + 12.0 * graph.salience(&graph.net[*at])).collect();
    let discs = layout::lay_out(&radii, &edges);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {SIZE} {height}\" font-family=\"sans-serif\">\n\
         <title>What {} remembers</title>\n<rect width=\"{SIZE}\" height=\"{height}\" fill=\"#fbfbf8\"/>\n\
         <g stroke=\"#999\" stroke-opacity=\"0.35\">\n",
        escaped(graph.agent()),
        height = SIZE + LEGEND,
    );
    for (i, j) in &edges {
        let (a, b) = (&discs[*i], &discs[*j]);
        let _ = writeln!(text, "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>", a.x, a.y, b.x, b.y);
    }
    text.push_str("</g>\n");
    for (at, disc) in nodes.iter().zip(&discs) {
        text.push_str(&drawn(graph, *at, disc));
    }
    text.push_str(&names(graph, &nodes, &discs));
    text.push_str(&legend());
    text.push_str("</svg>\n");
    text
}

/// What the marks mean, on a line of its own below them.
fn legend() -> String {
    let (middle, mut x) = (SIZE + LEGEND / 2.0, 2.0 * FONT);
    let mut text = format!("<g font-size=\"{FONT}\" fill=\"#222\">\n");
    for (mark, means) in
        [(Some(3.0), "good"), (Some(-3.0), "bad"), (Some(0.0), "neither"), (None, "a room; all else is round")]
    {
        let r = FONT / 2.0;
        let _ = match mark {
            Some(valence) => {
                write!(text, "<circle cx=\"{x:.1}\" cy=\"{middle:.1}\" r=\"{r:.1}\" fill=\"{}\"", colour(valence))
            }
            None => write!(
                text,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{FONT}\" height=\"{FONT}\" fill=\"{}\"",
                x - r,
                middle - r,
                colour(0.0)
            ),
        };
        text.push_str(" stroke=\"#333\"/>\n");
        x += FONT;
        let _ = writeln!(text, "<text x=\"{x:.1}\" y=\"{:.1}\">{means}</text>", middle + FONT / 3.0);
        x += FONT * (2.0 + LETTER * means.len() as f64);
    }
    let _ = writeln!(
        text,
        "<text x=\"{x:.1}\" y=\"{:.1}\">The larger, the more it counts; a line: they have to do with each other.</text>\n</g>",
        middle + FONT / 3.0
    );
    text
}

/// One memory: rooms are squares, all else is round; what it says and stands on comes up under the pointer.
fn drawn(graph: &Graph, at: NodeIndex<u32>, disc: &Disc) -> String {
    let (node, Disc { x, y, r }) = (&graph.net[at], *disc);
    let shape = match node.kind() {
        Some(NodeKind::Room) => {
            format!("<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"", x - r, y - r, 2.0 * r, 2.0 * r)
        }
        _ => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r:.1}\""),
    };
    let told: Vec<String> = graph.evidence_at(at).iter().rev().take(20).map(u64::to_string).collect();
    format!(
        "<g>{shape} fill=\"{}\" stroke=\"#333\"/><title>{}\n{}, salience {:.2}, valence {:.1}; stands on \
         {}</title></g>\n",
        colour(node.valence()),
        escaped(&label(graph, node)),
        escaped(&graph.id_of(node)),
        graph.salience(node),
        node.valence(),
        told.join(", ")
    )
}

/// The names of people, rooms and things, the strongest first, as far as there is room for them; over all discs, with a
/// rim of the canvas's colour, so that a line behind does not strike them out.
fn names(graph: &Graph, nodes: &[NodeIndex<u32>], discs: &[Disc]) -> String {
    let named: Vec<(usize, String)> = nodes
        .iter()
        .enumerate()
        .filter(|(_, at)| matches!(graph.net[**at].kind(), Some(NodeKind::Entity | NodeKind::Room | NodeKind::Item)))
        .map(|(i, at)| (i, shortened(&label(graph, &graph.net[*at]))))
        .collect();
    let short: Vec<(usize, &str)> = named.iter().map(|(i, name)| (*i, name.as_str())).collect();
    let mut text = format!(
        "<g font-size=\"{FONT}\" fill=\"#222\" stroke=\"#fbfbf8\" stroke-width=\"3\" paint-order=\"stroke\" \
         pointer-events=\"none\">\n"
    );
    for ((_, name), at) in named.iter().zip(layout::place_names(discs, &short)) {
        if let Some((x, y)) = at {
            let _ = writeln!(text, "<text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(name));
        }
    }
    text.push_str("</g>\n");
    text
}

pub fn html(graph: &Graph) -> String {
    let name = escaped(graph.agent());
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>What {name} remembers</title>\n\
         <style>body{{margin:0;font-family:sans-serif}}p{{margin:.5em 1em}}svg{{width:100vw;height:90vh}}</style>\n\
         </head><body>\n<p>What {name} remembers: size is salience, green is good, red is bad, squares are rooms. \
         Hold the pointer over a memory to see what it stands on.</p>\n{}</body></html>\n",
        svg(graph)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{AGENT, Life, Shape};
    use crate::{Config, Dreamer};

    /// In a long life names outweigh single events; what holds the names together is drawn all the same.
    #[test]
    fn a_long_life_hangs_together() {
        let config = Config::new(AGENT, i32::MAX / 8);
        let mut dreamer = Dreamer::new(Graph::new(&config.agent, config.terms.clone()));
        for record in Life::new(Shape { events_per_day: 60, ..Shape::default() }).take(3_000) {
            dreamer.feed(&record);
        }
        let picture = svg(&dreamer.graph);
        assert!(picture.matches("<line").count() > 60, "{}", picture.matches("<line").count());
        assert!(picture.matches("<text").count() > 40, "{}", picture.matches("<text").count());
        assert_eq!(picture.matches("stands on").count(), NODES_MAX);
        assert_eq!(svg(&dreamer.graph), picture);
        assert_eq!(shortened("Hollow Street, at the Almonry Door"), "Hollow Street, at the Almon…");
        assert_eq!(shortened("The Altar"), "The Altar");
    }
}
