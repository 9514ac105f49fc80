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

/// Without its end. `columns`: of the window, where they are known.
pub fn text_of(line: &Line, depth: Option<Depth>, columns: Option<u16>) -> Cow<'_, str> {
    if depth.is_none() {
        return in_window(&line.text, columns);
    }
    let mut text = String::new();
    color::append(line, depth, &mut text);
    Cow::Owned(in_window(&text, columns).into_owned())
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
    use world::report::LineKind;

    #[test]
    fn a_line_is_coloured_first_and_broken_then() {
        let line = Line { text: "four five".into(), kind: LineKind::Say, ..Line::default() };
        for (depth, columns, expected) in [
            (None, None, "four five"),
            (None, Some(5), "four\nfive"),
            (Some(Depth::Sixteen), Some(5), "\x1b[36mfour\nfive\x1b[0m"),
            (Some(Depth::Sixteen), None, "\x1b[36mfour five\x1b[0m"),
        ] {
            assert_eq!(text_of(&line, depth, columns), expected, "{depth:?} {columns:?}");
        }
        let long = Line { text: "four ".repeat(16).trim_end().to_string(), ..Line::default() };
        let broken = format!("{}\nfour", "four ".repeat(15).trim_end());
        assert_eq!(text_of(&long, None, None), broken, "a window of no known width has the usual one");
    }
}
