//! The graph as a picture: size by salience, colour by valence, what it stands on shown on hover.
//!
//! The strongest memories only, or nobody could see anything. Places are laid out by a fixed number of steps of springs
//! from fixed beginnings, so the same graph gives the same picture.

use crate::graph::*;
use crate::narrate;
use petgraph::graph::NodeIndex;
use std::collections::BTreeMap;
use std::fmt::Write;

const NODES_MAX: usize = 160;
const STEPS: usize = 160;
const SIZE: f64 = 1_000.0;

struct Spot {
    node: NodeIndex<u32>,
    x: f64,
    y: f64,
}

/// The strongest nodes: things and insights before events, as those give the picture its shape.
fn chosen(graph: &Graph) -> Vec<NodeIndex<u32>> {
    let mut nodes: Vec<(f64, String, NodeIndex<u32>)> = graph
        .alive()
        .map(|(at, node)| {
            let shape = if matches!(node.body, Body::Event(_)) { 0.0 } else { 0.2 };
            (graph.salience(node) + shape + node.felt() / 10.0, graph.id_of(node), at)
        })
        .collect();
    nodes.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    nodes.truncate(NODES_MAX);
    nodes.into_iter().map(|(.., at)| at).collect()
}

fn laid_out(nodes: &[NodeIndex<u32>], edges: &[(usize, usize)]) -> Vec<Spot> {
    let n = nodes.len().max(1) as f64;
    let mut spots: Vec<Spot> = nodes
        .iter()
        .enumerate()
        .map(|(i, node)| {
            // A sunflower: even, without two in one place.
            let (turn, reach) = (i as f64 * 2.399_963, libm::sqrt((i as f64 + 0.5) / n) * 0.45);
            Spot { node: *node, x: 0.5 + reach * libm::cos(turn), y: 0.5 + reach * libm::sin(turn) }
        })
        .collect();
    let apart = libm::sqrt(0.6 / n);
    for step in 0..STEPS {
        let heat = 0.03 * (1.0 - step as f64 / STEPS as f64);
        let mut moves = vec![(0.0, 0.0); spots.len()];
        for i in 0..spots.len() {
            for j in 0..i {
                let (dx, dy) = (spots[i].x - spots[j].x, spots[i].y - spots[j].y);
                let far = libm::sqrt(dx * dx + dy * dy).max(1e-6);
                let push = apart * apart / far / far;
                moves[i] = (moves[i].0 + dx * push, moves[i].1 + dy * push);
                moves[j] = (moves[j].0 - dx * push, moves[j].1 - dy * push);
            }
        }
        for (i, j) in edges {
            let (dx, dy) = (spots[*i].x - spots[*j].x, spots[*i].y - spots[*j].y);
            let pull = libm::sqrt(dx * dx + dy * dy) / apart * 0.3;
            moves[*i] = (moves[*i].0 - dx * pull, moves[*i].1 - dy * pull);
            moves[*j] = (moves[*j].0 + dx * pull, moves[*j].1 + dy * pull);
        }
        for (spot, (dx, dy)) in spots.iter_mut().zip(moves) {
            let far = libm::sqrt(dx * dx + dy * dy).max(1e-9);
            let step = far.min(heat) / far;
            spot.x = (spot.x + dx * step).clamp(0.03, 0.97);
            spot.y = (spot.y + dy * step).clamp(0.03, 0.97);
        }
    }
    spots
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

pub fn svg(graph: &Graph) -> String {
    let nodes = chosen(graph);
    let places: BTreeMap<NodeIndex<u32>, usize> = nodes.iter().enumerate().map(|(i, node)| (*node, i)).collect();
    let edges: Vec<(usize, usize)> =
        graph.edges().filter_map(|edge| Some((*places.get(&edge.from)?, *places.get(&edge.to)?))).collect();
    let spots = laid_out(&nodes, &edges);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {SIZE} {SIZE}\" font-family=\"sans-serif\">\n\
         <title>What {} remembers</title>\n<rect width=\"{SIZE}\" height=\"{SIZE}\" fill=\"#fbfbf8\"/>\n\
         <g stroke=\"#999\" stroke-opacity=\"0.35\">\n",
        escaped(graph.agent())
    );
    for (i, j) in &edges {
        let (a, b) = (&spots[*i], &spots[*j]);
        let _ = writeln!(
            text,
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
            a.x * SIZE,
            a.y * SIZE,
            b.x * SIZE,
            b.y * SIZE
        );
    }
    text.push_str("</g>\n");
    for spot in &spots {
        let node = &graph.net[spot.node];
        let (x, y, salience) = (spot.x * SIZE, spot.y * SIZE, graph.salience(node));
        let (r, fill) = (4.0 + 12.0 * salience, colour(node.valence()));
        let shape = match node.kind() {
            Some(NodeKind::Room) => {
                format!(
                    "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"",
                    x - r,
                    y - r,
                    2.0 * r,
                    2.0 * r
                )
            }
            _ => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r:.1}\""),
        };
        let id = graph.id_of(node);
        let seqs = graph.evidence_at(spot.node);
        let told: Vec<String> = seqs.iter().rev().take(20).map(u64::to_string).collect();
        let _ = writeln!(
            text,
            "<g>{shape} fill=\"{fill}\" stroke=\"#333\"/><title>{}\n{}, salience {salience:.2}, valence {:.1}; \
             stands on {}</title>",
            escaped(&label(graph, node)),
            escaped(&id),
            node.valence(),
            told.join(", ")
        );
        if matches!(node.kind(), Some(NodeKind::Entity | NodeKind::Room | NodeKind::Item)) {
            let name: String = label(graph, node).chars().take(28).collect();
            let _ = writeln!(
                text,
                "<text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"11\" text-anchor=\"middle\">{}</text>",
                y - r - 3.0,
                escaped(&name)
            );
        }
        text.push_str("</g>\n");
    }
    text.push_str("</svg>\n");
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
