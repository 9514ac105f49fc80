//! A plot as a picture: SVG without scripts, links or fonts of its own. Every text of a player is escaped.
//!
//! Where it is shown there are fonts. Who makes pixels of it without one asks for the outlines of letters.

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

/// Letters as outlines, for pixels: a picture's own text needs a font where it is shown.
pub trait Letters {
    /// Path data of one line of words from 0,0 to the right, on the baseline, and its width, in pixels.
    fn outline(&self, words: &str, size: u32) -> (String, f32);
}

/// Where a line of words stands.
#[derive(Clone, Copy, Default)]
enum Anchor {
    #[default]
    Start,
    Middle,
    End,
}

/// One line of words. They are escaped where they are written.
struct Line<'w> {
    x: u32,
    y: u32,
    size: u32,
    anchor: Anchor,
    /// Where it is not [`INK`].
    fill: Option<&'static str>,
    words: &'w str,
}

impl<'w> Line<'w> {
    fn new(x: u32, y: u32, size: u32, words: &'w str) -> Line<'w> {
        Line { x, y, size, anchor: Anchor::Start, fill: None, words }
    }

    fn at(self, anchor: Anchor) -> Line<'w> {
        Line { anchor, ..self }
    }

    fn faint(self) -> Line<'w> {
        Line { fill: Some(FAINT), ..self }
    }
}

/// What is drawn so far.
struct Drawing<'l> {
    out: String,
    letters: Option<&'l dyn Letters>,
}

impl Drawing<'_> {
    // Writing to a String cannot fail, here and below.
    fn line(&mut self, line: Line) {
        let Line { x, y, size, .. } = line;
        let fill = line.fill.map(|fill| format!(" fill=\"{fill}\"")).unwrap_or_default();
        let Some(letters) = self.letters else {
            let anchor = match line.anchor {
                Anchor::Start => "",
                Anchor::Middle => " text-anchor=\"middle\"",
                Anchor::End => " text-anchor=\"end\"",
            };
            let words = escaped(line.words);
            let _ = writeln!(self.out, "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{fill}{anchor}>{words}</text>");
            return;
        };
        let (outline, width) = letters.outline(line.words, size);
        let back = match line.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => width / 2.0,
            Anchor::End => width,
        };
        let _ = writeln!(
            self.out,
            "<path transform=\"translate({:.2} {y})\"{fill} d=\"{}\"/>",
            x as f32 - back,
            escaped(&outline)
        );
    }
}

impl std::fmt::Write for Drawing<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.out.write_str(text)
    }
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
    drawn(picture, None)
}

/// The same for pixels: each letter is an outline.
pub fn outlined_svg(picture: &Picture, letters: &dyn Letters) -> String {
    drawn(picture, Some(letters))
}

fn drawn(picture: &Picture, letters: Option<&dyn Letters>) -> String {
    let mut out = Drawing { out: String::with_capacity(16 * 1024), letters };
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\" role=\"img\" font-family=\"Georgia, 'DejaVu Serif', serif\" fill=\"{INK}\">\n\
         <title>{}</title>\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#f4ecdc\"/>\n",
        escaped(picture.title),
    );
    out.line(Line::new(LEFT, 52, 30, picture.title));
    out.line(Line::new(LEFT, 78, 15, picture.about).faint());
    field(&mut out, picture);
    let mut y = TOP + 6;
    if let Some((title, score)) = picture.task {
        y = task(&mut out, title, score, y);
    }
    if let Some(axes) = &picture.axes {
        y = lean(&mut out, axes, y);
    }
    legend(&mut out, picture, y);
    let _ = out.write_str("</svg>\n");
    out.out
}

fn x_of(cell: Cell) -> u32 {
    LEFT + u32::from(cell.col()) * TILE
}

fn y_of(cell: Cell) -> u32 {
    TOP + u32::from(cell.row()) * TILE
}

fn field(out: &mut Drawing, picture: &Picture) {
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
        for (x, y) in [(LEFT + middle, TOP - 14), (LEFT - 20, TOP + middle + 5)] {
            out.line(Line::new(x, y, 13, &n.to_string()).at(Anchor::Middle).faint());
        }
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

fn joins(out: &mut Drawing, picture: &Picture, element: &Element) {
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

fn tile(out: &mut Drawing, picture: &Picture, element: &Element) {
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
        out.line(Line::new(x + TILE / 2, y + TILE - 9, 9, label.trim_end()).at(Anchor::Middle));
    }
    let _ = out.write_str("</g>\n");
}

/// Content is checked as it is read; a picture does not rely on it.
fn shape<'k>(kinds: &'k Kinds, kind: &str) -> &'k str {
    kinds.get(kind).map(|kind| &*kind.shape).filter(|shape| is_path(shape)).unwrap_or(UNKNOWN_SHAPE)
}

fn task(out: &mut Drawing, title: &str, score: u32, y: u32) -> u32 {
    let width = 240 * score.min(1000) / 1000;
    let _ = writeln!(
        out,
        "<rect x=\"{PANEL}\" y=\"{}\" width=\"240\" height=\"12\" rx=\"6\" fill=\"#e0d3b5\"/>\
         <rect x=\"{PANEL}\" y=\"{}\" width=\"{width}\" height=\"12\" rx=\"6\" fill=\"#7a9a4a\"/>",
        y + 20,
        y + 20,
    );
    out.line(Line::new(PANEL, y + 8, 16, title));
    out.line(Line::new(PANEL + 240, y + 50, 13, &format!("{score} of 1000")).at(Anchor::End).faint());
    y + 84
}

fn lean(out: &mut Drawing, axes: &Axes, y: u32) -> u32 {
    let mut y = y;
    for row in axes.rows() {
        let inner = 240 * u32::from(row.pair[0]) / 10;
        let _ = writeln!(
            out,
            "<rect x=\"{PANEL}\" y=\"{}\" width=\"240\" height=\"8\" rx=\"4\" fill=\"#5c7f9c\"/>\
             <rect x=\"{PANEL}\" y=\"{}\" width=\"{inner}\" height=\"8\" rx=\"4\" fill=\"#c96f4a\"/>",
            y + 6,
            y + 6,
        );
        out.line(Line::new(PANEL, y, 13, &format!("{} {}", row.inner, row.pair[0])));
        out.line(Line::new(PANEL + 240, y, 13, &format!("{} {}", row.pair[1], row.outer)).at(Anchor::End));
        y += 36;
    }
    y + 12
}

/// As many kinds as there is room for, those that stand most often first.
fn legend(out: &mut Drawing, picture: &Picture, y: u32) {
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
            "<path transform=\"translate({x} {}) scale(0.8)\" fill=\"{}\" fill-rule=\"evenodd\" d=\"{}\"/>",
            y - 9,
            escaped(tint(picture.kinds, kind)),
            shape(picture.kinds, kind),
        );
        out.line(Line::new(x + 25, y + 5, 13, &format!("{kind} ×{count}")));
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
