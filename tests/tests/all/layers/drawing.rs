//! The modules of a whole tree as an SVG: a panel for each crate, modules in order as grey dots in rows, each above all
//! that it uses, and knots as red rings whose arrows cross.

use super::knots::{Graph, arrow_count, heights, knots};
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::fmt::Write;

const COLUMNS: usize = 3;
const PANEL: (f64, f64) = (560.0, 400.0);
const HEAD: f64 = 34.0;
const MARGIN: f64 = 14.0;
const ORDERED: &str = "#5b6b7b";
const KNOTTED: &str = "#c62828";

/// One picture of all crates of a tree, by name.
pub fn svg(title: &str, crates: &[(String, Graph)]) -> String {
    let rows = crates.len().div_ceil(COLUMNS);
    let (width, height) = (PANEL.0 * COLUMNS as f64, PANEL.1 * rows as f64 + 40.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\">\n<rect width=\"{width}\" height=\"{height}\" \
         fill=\"#ffffff\"/>\n<text x=\"{MARGIN}\" y=\"27\" font-size=\"20\" fill=\"#222222\">{title}</text>\n"
    );
    for (at, (name, graph)) in crates.iter().enumerate() {
        let (x, y) = ((at % COLUMNS) as f64 * PANEL.0, 40.0 + (at / COLUMNS) as f64 * PANEL.1);
        panel(&mut svg, name, graph, x, y);
    }
    svg.push_str("</svg>\n");
    svg
}

fn panel(svg: &mut String, name: &str, graph: &Graph, x: f64, y: f64) {
    let knots = knots(graph);
    let largest = knots.first().map_or(1, Vec::len);
    let places = places(graph, x, y);
    let is_knotted = |path: &Vec<String>| knots.iter().any(|knot| knot.contains(path));
    let _ = writeln!(
        svg,
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#fafafa\" stroke=\"#d0d0d0\"/>\n<text x=\"{}\" \
         y=\"{}\" font-size=\"15\" fill=\"#222222\">{name}: {} modules, {} arrows, largest knot {largest}</text>",
        x + 4.0,
        y + 4.0,
        PANEL.0 - 8.0,
        PANEL.1 - 8.0,
        x + MARGIN,
        y + 25.0,
        graph.len(),
        arrow_count(graph),
    );
    // Red above grey.
    for red in [false, true] {
        for (from, to) in graph.iter().flat_map(|(from, to)| to.iter().map(move |to| (from, to))) {
            let in_knot = knots.iter().any(|knot| knot.contains(from) && knot.contains(to));
            if in_knot == red {
                let ((x1, y1), (x2, y2)) = (places[from], places[to]);
                let (color, opacity) = if red { (KNOTTED, 0.3) } else { (ORDERED, 0.16) };
                let _ = writeln!(
                    svg,
                    "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{color}\" \
                     stroke-width=\"0.7\" stroke-opacity=\"{opacity}\"/>"
                );
            }
        }
    }
    for (path, (cx, cy)) in &places {
        let color = if is_knotted(path) { KNOTTED } else { ORDERED };
        let shown = path.join("::");
        let _ = writeln!(
            svg,
            "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"2.6\" fill=\"{color}\"><title>{shown}</title></circle>\n<text \
             x=\"{:.1}\" y=\"{:.1}\" font-size=\"4.5\" fill=\"#333333\">{}</text>",
            cx + 3.4,
            cy + 1.5,
            path.last().map_or("", String::as_str)
        );
    }
}

/// Where each module is drawn: knots as rings at the left, the rest in rows by height.
fn places(graph: &Graph, x: f64, y: f64) -> BTreeMap<Vec<String>, (f64, f64)> {
    let knots = knots(graph);
    let heights = heights(graph, &knots);
    let mut places: BTreeMap<Vec<String>, (f64, f64)> = BTreeMap::new();
    let radius = |count: usize| (6.0 + 2.4 * count as f64).min(150.0);
    let (mut left, mut top) = (MARGIN, HEAD);
    let mut ring_width: f64 = 0.0;
    for knot in &knots {
        let radius = radius(knot.len());
        if top + 2.0 * radius + MARGIN > PANEL.1 {
            (left, top) = (left + ring_width + 3.0 * MARGIN, HEAD);
        }
        ring_width = ring_width.max(2.0 * radius);
        for (n, path) in knot.iter().enumerate() {
            let angle = TAU * n as f64 / knot.len() as f64;
            let (dx, dy) = (radius * (1.0 + angle.cos()), radius * (1.0 + angle.sin()));
            places.insert(path.clone(), (x + left + dx, y + top + MARGIN + dy));
        }
        top += 2.0 * radius + 2.0 * MARGIN;
    }
    let begin = if knots.is_empty() { MARGIN } else { left + ring_width + 3.0 * MARGIN };
    let highest = heights.values().max().copied().unwrap_or(0);
    let step = (PANEL.1 - HEAD - 2.0 * MARGIN) / (highest.max(1)) as f64;
    for height in 0..=highest {
        let row: Vec<&Vec<String>> =
            heights.iter().filter(|(path, h)| **h == height && !places.contains_key(*path)).map(|(p, _)| p).collect();
        let gap = (PANEL.0 - begin - MARGIN - 20.0) / row.len().max(1) as f64;
        for (n, path) in row.into_iter().enumerate() {
            // Every second one a little lower, so that names have room.
            let nudge = if n % 2 == 0 { -2.5 } else { 2.5 };
            let place = (x + begin + gap * (n as f64 + 0.3), y + PANEL.1 - MARGIN - 6.0 - step * height as f64 + nudge);
            places.insert(path.clone(), place);
        }
    }
    places
}
