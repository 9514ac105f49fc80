//! A line as a person's terminal shows it: spans become colours, and what is wider than the window is broken.
//!
//! Invariant: without colour and without a width, the text is what the world said.

use super::color;
use super::wrapping::wrap;
use std::borrow::Cow;
use world::report::Line;

/// Without its end. `columns`: of the window, where they are known.
pub fn text_of(line: &Line, color: bool, columns: Option<u16>) -> Cow<'_, str> {
    if !color && columns.is_none() {
        return Cow::Borrowed(&line.text);
    }
    let mut text = String::new();
    color::append(line, color, &mut text);
    match columns {
        Some(columns) => Cow::Owned(wrap(&text, usize::from(columns))),
        None => Cow::Owned(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use world::report::LineKind;

    #[test]
    fn a_line_is_coloured_first_and_broken_then() {
        let line = Line { text: "four five".into(), kind: LineKind::Say, ..Line::default() };
        for (color, columns, expected) in [
            (false, None, "four five"),
            (false, Some(5), "four\nfive"),
            (true, Some(5), "\x1b[36mfour\nfive\x1b[0m"),
            (true, None, "\x1b[36mfour five\x1b[0m"),
        ] {
            assert_eq!(text_of(&line, color, columns), expected, "{color} {columns:?}");
        }
    }
}
