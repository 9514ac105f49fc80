//! A line as a person's terminal shows it: spans become colours, and what is wider than the window is broken.
//!
//! Invariant: a text without a line that is too wide is what the world said, and its colours.

use super::color;
use super::wrapping::wrap;
use crate::telnet::Depth;
use std::borrow::Cow;
use world::report::Line;

/// What a window is taken to show in a line whose client does not tell it: the world lays its tables out for that.
pub const USUAL_COLUMNS: u16 = world::page::PAGE_WIDTH as u16;

/// How a terminal shows lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Look {
    /// None: no colours.
    pub depth: Option<Depth>,
    /// Of the window, where they are known.
    pub columns: Option<u16>,
    /// Words can be clicked.
    pub links: bool,
}

/// Without its end.
pub fn text_of(line: &Line, look: Look) -> Cow<'_, str> {
    let links = look.links && line.has_links();
    if look.depth.is_none() && !links {
        return in_window(&line.text, look.columns);
    }
    let mut text = String::new();
    color::append(line, look.depth, links, &mut text);
    Cow::Owned(in_window(&text, look.columns).into_owned())
}

/// Lines that are too wide for a window broken at blanks.
pub fn in_window(text: &str, columns: Option<u16>) -> Cow<'_, str> {
    let columns = usize::from(columns.unwrap_or(USUAL_COLUMNS));
    // Bytes are never fewer than characters.
    match text.split('\n').all(|line| line.len() <= columns) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(wrap(text, columns)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use content::words::Direction;
    use world::hyperlink::Hyperlink;
    use world::report::{LineKind, Span, Style};

    #[test]
    fn tags_have_no_width_and_a_link_is_closed_where_its_line_is_broken() {
        let link = Some(Hyperlink::Way { way: Direction::East, closed: true });
        let span = Span { from: 4, to: 16, style: Style::Exits, link };
        let line = Line { text: "See the old door now".into(), spans: vec![span], ..Line::default() };
        let open = "\x1b[4z<SEND HREF=\"open east|look east\" HINT=\"Right-click for more|open|look\">";
        let close = "\x1b[4z</SEND>";
        for (columns, expected) in [
            (20, format!("See {open}the old door{close} now")),
            (19, format!("See {open}the old door{close}\nnow")),
            (11, format!("See {open}the old{close}\n{open}door{close} now")),
            (7, format!("See {open}the{close}\n{open}old{close}\n{open}door{close}\nnow")),
            (6, format!("See\n{open}the{close}\n{open}old{close}\n{open}door{close}\nnow")),
        ] {
            let look = Look { columns: Some(columns), links: true, ..Look::default() };
            assert_eq!(text_of(&line, look), expected, "{columns}");
            let plain = expected.replace(open, "").replace(close, "");
            assert_eq!(text_of(&line, Look { links: false, ..look }), plain, "{columns}");
        }
    }

    #[test]
    fn a_line_is_coloured_first_and_broken_then() {
        let line = Line { text: "four five".into(), kind: LineKind::Say, ..Line::default() };
        for (depth, columns, expected) in [
            (None, None, "four five"),
            (None, Some(5), "four\nfive"),
            (Some(Depth::Sixteen), Some(5), "\x1b[36mfour\nfive\x1b[0m"),
            (Some(Depth::Sixteen), None, "\x1b[36mfour five\x1b[0m"),
        ] {
            let look = Look { depth, columns, links: true };
            assert_eq!(text_of(&line, look), expected, "{depth:?} {columns:?}");
        }
        let long = Line { text: "four ".repeat(16).trim_end().to_string(), ..Line::default() };
        let broken = format!("{}\nfour", "four ".repeat(15).trim_end());
        assert_eq!(text_of(&long, Look::default()), broken, "a window of no known width has the usual one");
    }
}
