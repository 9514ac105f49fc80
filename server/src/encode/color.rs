//! Colour for people: the only place that knows escape codes. Lines carry meaning; this decides how it looks.

use content::words::Colour;
use world::report::{Line, LineKind, Style};

const RESET: &str = "\x1b[0m";

/// The colour of a whole line; empty for the terminal's own.
fn of_kind(kind: LineKind) -> &'static str {
    match kind {
        LineKind::Say | LineKind::Emote | LineKind::Social => "\x1b[36m",
        LineKind::Tell => "\x1b[1;35m",
        LineKind::Channel(on) => of_colour(on.colour),
        LineKind::Level => "\x1b[1;32m",
        LineKind::Group => "\x1b[1;36m",
        LineKind::CombatDealt => "\x1b[32m",
        LineKind::CombatTaken => "\x1b[31m",
        LineKind::Death => "\x1b[1;31m",
        LineKind::Flee => "\x1b[33m",
        LineKind::Broadcast => "\x1b[1;33m",
        LineKind::Outdoor => "\x1b[34m",
        LineKind::Snoop => "\x1b[2m",
        _ => "",
    }
}

const fn of_colour(colour: Colour) -> &'static str {
    match colour {
        Colour::Red => "\x1b[31m",
        Colour::Green => "\x1b[32m",
        Colour::Yellow => "\x1b[33m",
        Colour::Blue => "\x1b[34m",
        Colour::Magenta => "\x1b[35m",
        Colour::Cyan => "\x1b[36m",
        Colour::BrightRed => "\x1b[1;31m",
        Colour::BrightGreen => "\x1b[1;32m",
        Colour::BrightYellow => "\x1b[1;33m",
        Colour::BrightBlue => "\x1b[1;34m",
        Colour::BrightMagenta => "\x1b[1;35m",
        Colour::BrightCyan => "\x1b[1;36m",
    }
}

fn of_style(style: Style) -> &'static str {
    match style {
        Style::Plain | Style::RoomDescription => "",
        Style::RoomName => "\x1b[1;36m",
        Style::Exits => "\x1b[36m",
        Style::Mob => "\x1b[33m",
        Style::Player => "\x1b[1;33m",
        Style::Item => "\x1b[32m",
        Style::Heading => "\x1b[1m",
    }
}

/// Appends the line's text, with escape codes when `color` is on. No line break at the end.
pub fn append(line: &Line, color: bool, out: &mut String) {
    if !color {
        out.push_str(&line.text);
        return;
    }
    let base = of_kind(line.kind);
    out.push_str(base);
    let mut colored = !base.is_empty();
    let mut from = 0;
    for (at, style) in &line.styles {
        let at = *at as usize;
        out.push_str(&line.text[from..at]);
        from = at;
        let code = of_style(*style);
        if colored {
            out.push_str(RESET);
        }
        out.push_str(code);
        colored = !code.is_empty();
    }
    out.push_str(&line.text[from..]);
    if colored {
        out.push_str(RESET);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_style_begins_where_it_says_and_everything_is_reset() {
        let line = Line {
            text: "The Inn\nBeer.".into(),
            styles: vec![(0, Style::RoomName), (8, Style::Plain)],
            ..Line::default()
        };
        let mut out = String::new();
        append(&line, true, &mut out);
        assert_eq!(out, "\x1b[1;36mThe Inn\n\x1b[0mBeer.");
        out.clear();
        append(&line, false, &mut out);
        assert_eq!(out, "The Inn\nBeer.");
    }
}
