//! A plot as a picture: SVG without scripts, links or fonts of its own. Every text of a player is escaped.

use crate::axes::Axes;
use crate::cell::{Cell, SIDE};
use crate::element::Element;
use crate::grid::Grid;
use crate::kind::{Kinds, is_path};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What is drawn.
pub struct Picture<'p> {
    pub title: &'p str,
    /// Under the title: revision, rule, tick.
    pub about: &'p str,
    pub grid: &'p Grid,
    pub kinds: &'p Kinds,
    pub axes: Option<Axes>,
    /// The title of its task and the score.
    pub task: Option<(&'p str, u32)>,
    pub contested: &'p [Cell],
    /// Cells of what waits for consent.
    pub pending: &'p [Cell],
}

const TILE: u32 = 64;
const LEFT: u32 = 56;
const TOP: u32 = 116;
const FIELD: u32 = TILE * SIDE as u32;
const PANEL: u32 = LEFT + FIELD + 44;
const WIDTH: u32 = PANEL + 280;
const HEIGHT: u32 = TOP + FIELD + 48;
/// Letters of a label that fit below a shape.
const LABEL_SHOWN: usize = 9;
const INK: &str = "#3b342b";
const FAINT: &str = "#8a7f70";
/// Of a kind that nobody knows any more.
const UNKNOWN_TINT: &str = "#8a8a8a";
const UNKNOWN_SHAPE: &str =
    "M8 9a4 4 0 1 1 6 3.5c-1.6 1-2 1.6-2 3h-1.8c0-2.4.8-3.4 2.6-4.6A2.2 2.2 0 1 0 9.800 9zM10 18h2.200v2.200H10z";

/// The whole picture, as a file of its own.
pub fn svg(picture: &Picture) -> String {
    let mut out = String::with_capacity(16 * 1024);
    // Writing to a String cannot fail, here and below.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\" role=\"img\" font-family=\"Georgia, 'DejaVu Serif', serif\" fill=\"{INK}\">\n\
         <title>{}</title>\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#f4ecdc\"/>\n\
         <text x=\"{LEFT}\" y=\"52\" font-size=\"30\">{}</text>\n\
         <text x=\"{LEFT}\" y=\"78\" font-size=\"15\" fill=\"{FAINT}\">{}</text>\n",
        escaped(picture.title),
        escaped(picture.title),
        escaped(picture.about),
    );
    field(&mut out, picture);
    let mut y = TOP + 6;
    if let Some((title, score)) = picture.task {
        y = task(&mut out, title, score, y);
    }
    if let Some(axes) = &picture.axes {
        y = lean(&mut out, axes, y);
    }
    legend(&mut out, picture, y);
    out.push_str("</svg>\n");
    out
}

fn x_of(cell: Cell) -> u32 {
    LEFT + u32::from(cell.col()) * TILE
}

fn y_of(cell: Cell) -> u32 {
    TOP + u32::from(cell.row()) * TILE
}

fn field(out: &mut String, picture: &Picture) {
    let _ = writeln!(
        out,
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"10\" fill=\"#e7dcc3\" stroke=\"#b9a983\" \
         stroke-width=\"2\"/>",
        LEFT - 6,
        TOP - 6,
        FIELD + 12,
        FIELD + 12,
    );
    for n in 0..u32::from(SIDE) {
        let middle = n * TILE + TILE / 2;
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" font-size=\"13\" fill=\"{FAINT}\" text-anchor=\"middle\">{n}</text>\
             <text x=\"{}\" y=\"{}\" font-size=\"13\" fill=\"{FAINT}\" text-anchor=\"middle\">{n}</text>",
            LEFT + middle,
            TOP - 14,
            LEFT - 20,
            TOP + middle + 5,
        );
    }
    for cell in Cell::all() {
        let shade = if (cell.row() + cell.col()) % 2 == 0 { "#dfe3bd" } else { "#d8ddb3" };
        let (x, y) = (x_of(cell), y_of(cell));
        let _ = writeln!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{TILE}\" height=\"{TILE}\" fill=\"{shade}\"/>");
    }
    // What is of one type hangs together, as ways and walls do.
    for element in picture.grid.elements() {
        joins(out, picture, element);
    }
    for element in picture.grid.elements() {
        tile(out, picture, element);
    }
    for (cells, colour) in [(picture.pending, "#c98a12"), (picture.contested, "#b3261e")] {
        for cell in cells {
            let (x, y, size) = (x_of(*cell) + 3, y_of(*cell) + 3, TILE - 6);
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{size}\" height=\"{size}\" rx=\"9\" fill=\"none\" \
                 stroke=\"{colour}\" stroke-width=\"2.5\" stroke-dasharray=\"6 4\"/>",
            );
        }
    }
}

fn tint<'k>(kinds: &'k Kinds, kind: &str) -> &'k str {
    kinds.get(kind).map_or(UNKNOWN_TINT, |kind| &kind.tint)
}

fn joins(out: &mut String, picture: &Picture, element: &Element) {
    let kinds = picture.kinds;
    let of_one_type = |cell: &Cell| {
        let other = picture.grid.at(*cell);
        other.is_some_and(|other| kinds.class(&other.kind) == kinds.class(&element.kind))
    };
    // Each pair once: from the one above or to the left.
    for cell in element.at.sides().filter(|cell| *cell > element.at).filter(of_one_type) {
        let (x, y) = (x_of(element.at), y_of(element.at));
        let across = cell.row() == element.at.row();
        let (x, y, width, height) =
            if across { (x + TILE - 5, y + 14, 10, TILE - 28) } else { (x + 14, y + TILE - 5, TILE - 28, 10) };
        let colour = tint(kinds, &element.kind);
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{}\" fill-opacity=\"0.3\"/>",
            escaped(colour)
        );
    }
}

fn tile(out: &mut String, picture: &Picture, element: &Element) {
    let (x, y) = (x_of(element.at), y_of(element.at));
    let colour = escaped(tint(picture.kinds, &element.kind));
    let by = element.builder().map_or(String::new(), |by| format!(", built by {by}"));
    let why = if element.why.is_empty() { String::new() } else { format!(": {}", element.why) };
    let told = format!("{} at {}{by}{why}", element.named(), element.at);
    // Where a label stands below, the shape makes room.
    let (lift, scale) = if element.label.is_empty() { (12, 1.67) } else { (5, 1.6) };
    let _ = writeln!(
        out,
        "<g><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"10\" fill=\"{colour}\" \
         fill-opacity=\"0.3\" stroke=\"{colour}\" stroke-opacity=\"0.55\"/>\
         <path transform=\"translate({} {}) scale({scale})\" fill=\"{colour}\" fill-rule=\"evenodd\" d=\"{}\"/>",
        escaped(&told),
        x + 5,
        y + 5,
        TILE - 10,
        TILE - 10,
        x + 12,
        y + lift,
        shape(picture.kinds, &element.kind),
    );
    if !element.label.is_empty() {
        let mut label: String = element.label.chars().take(LABEL_SHOWN).collect();
        if element.label.chars().count() > LABEL_SHOWN {
            label.pop();
            label.push('…');
        }
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" font-size=\"9\" text-anchor=\"middle\">{}</text>",
            x + TILE / 2,
            y + TILE - 9,
            escaped(label.trim_end())
        );
    }
    out.push_str("</g>\n");
}

/// Content is checked as it is read; a picture does not rely on it.
fn shape<'k>(kinds: &'k Kinds, kind: &str) -> &'k str {
    kinds.get(kind).map(|kind| &*kind.shape).filter(|shape| is_path(shape)).unwrap_or(UNKNOWN_SHAPE)
}

fn task(out: &mut String, title: &str, score: u32, y: u32) -> u32 {
    let width = 240 * score.min(1000) / 1000;
    let _ = writeln!(
        out,
        "<text x=\"{PANEL}\" y=\"{}\" font-size=\"16\">{}</text>\
         <rect x=\"{PANEL}\" y=\"{}\" width=\"240\" height=\"12\" rx=\"6\" fill=\"#e0d3b5\"/>\
         <rect x=\"{PANEL}\" y=\"{}\" width=\"{width}\" height=\"12\" rx=\"6\" fill=\"#7a9a4a\"/>\
         <text x=\"{}\" y=\"{}\" font-size=\"13\" fill=\"{FAINT}\" text-anchor=\"end\">{score} of 1000</text>",
        y + 8,
        escaped(title),
        y + 20,
        y + 20,
        PANEL + 240,
        y + 50,
    );
    y + 84
}

fn lean(out: &mut String, axes: &Axes, y: u32) -> u32 {
    let mut y = y;
    for row in axes.rows() {
        let inner = 240 * u32::from(row.pair[0]) / 10;
        let _ = writeln!(
            out,
            "<text x=\"{PANEL}\" y=\"{y}\" font-size=\"13\">{} {}</text>\
             <text x=\"{}\" y=\"{y}\" font-size=\"13\" text-anchor=\"end\">{} {}</text>\
             <rect x=\"{PANEL}\" y=\"{}\" width=\"240\" height=\"8\" rx=\"4\" fill=\"#5c7f9c\"/>\
             <rect x=\"{PANEL}\" y=\"{}\" width=\"{inner}\" height=\"8\" rx=\"4\" fill=\"#c96f4a\"/>",
            row.inner,
            row.pair[0],
            PANEL + 240,
            row.pair[1],
            row.outer,
            y + 6,
            y + 6,
        );
        y += 36;
    }
    y + 12
}

/// As many kinds as there is room for, those that stand most often first.
fn legend(out: &mut String, picture: &Picture, y: u32) {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for element in picture.grid.elements() {
        *counts.entry(&element.kind).or_default() += 1;
    }
    let mut rows: Vec<(&str, u32)> = counts.into_iter().collect();
    rows.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let fits = ((TOP + FIELD).saturating_sub(y) / 26) as usize * 2;
    for (n, (kind, count)) in rows.into_iter().take(fits).enumerate() {
        let (x, y) = (PANEL + (n as u32 % 2) * 126, y + (n as u32 / 2) * 26);
        let _ = writeln!(
            out,
            "<path transform=\"translate({x} {}) scale(0.8)\" fill=\"{}\" fill-rule=\"evenodd\" d=\"{}\"/>\
             <text x=\"{}\" y=\"{}\" font-size=\"13\">{} ×{count}</text>",
            y - 9,
            escaped(tint(picture.kinds, kind)),
            shape(picture.kinds, kind),
            x + 25,
            y + 5,
            escaped(kind),
        );
    }
}

/// Text for an element or an attribute; what XML cannot hold becomes a blank.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{element, kinds};

    #[test]
    fn nothing_that_a_player_writes_leaves_its_place() {
        let evil = "</text><script>x</script>\" onload='x'&";
        let mut built = element("house", 3, 4);
        (built.label, built.why, built.by) = (evil.into(), evil.into(), evil.into());
        let mut gone = element("lost", 0, 0);
        gone.kind = "<lost \"kind\">".into();
        let grid = Grid::of([built, gone]);
        let drawn = svg(&Picture {
            title: evil,
            about: evil,
            grid: &grid,
            kinds: &kinds(),
            axes: Some(Axes::of([].iter(), &grid)),
            task: Some((evil, 5000)),
            contested: &[],
            pending: &[],
        });
        assert!(!drawn.contains("<script"), "{drawn}");
        assert!(!drawn.contains("onload='") && !drawn.contains("<lost"), "{drawn}");
        let tags = |open: &str| drawn.matches(open).count();
        assert_eq!(tags("<text"), tags("</text>"));
        assert_eq!(tags("<g>"), tags("</g>"));
    }
}
