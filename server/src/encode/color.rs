//! Colour for people: the only place that knows escape codes. Lines carry meaning; this decides how it looks, by how
//! many colours the reader wants and its terminal has.

use crate::telnet::{Capabilities, Depth, mxp};
use content::words::Colour;
use world::character::Colors;
use world::report::{Line, LineKind, Span, Style};

const RESET: &str = "\x1b[0m";

/// What the game paints with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Paint {
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
    BrightRed,
    BrightGreen,
    BrightYellow,
    BrightBlue,
    BrightMagenta,
    BrightCyan,
    Bold,
    Dim,
}

/// How a terminal with 16 colours, one with 256 and one with all of them shows a paint. What the first shows is the
/// terminal's own affair; the others are neither so dark that they drown in black nor so light that they do in white.
const PALETTE: [(Paint, [&str; 3]); 14] = [
    (Paint::Red, ["\x1b[31m", "\x1b[38;5;167m", "\x1b[38;2;209;92;84m"]),
    (Paint::Green, ["\x1b[32m", "\x1b[38;5;71m", "\x1b[38;2;98;170;92m"]),
    (Paint::Yellow, ["\x1b[33m", "\x1b[38;5;179m", "\x1b[38;2;212;168;84m"]),
    (Paint::Blue, ["\x1b[34m", "\x1b[38;5;68m", "\x1b[38;2;92;142;206m"]),
    (Paint::Magenta, ["\x1b[35m", "\x1b[38;5;133m", "\x1b[38;2;176;104;184m"]),
    (Paint::Cyan, ["\x1b[36m", "\x1b[38;5;73m", "\x1b[38;2;86;172;176m"]),
    (Paint::BrightRed, ["\x1b[1;31m", "\x1b[1;38;5;203m", "\x1b[1;38;2;240;96;88m"]),
    (Paint::BrightGreen, ["\x1b[1;32m", "\x1b[1;38;5;77m", "\x1b[1;38;2;104;208;96m"]),
    (Paint::BrightYellow, ["\x1b[1;33m", "\x1b[1;38;5;220m", "\x1b[1;38;2;240;204;64m"]),
    (Paint::BrightBlue, ["\x1b[1;34m", "\x1b[1;38;5;75m", "\x1b[1;38;2;104;168;240m"]),
    (Paint::BrightMagenta, ["\x1b[1;35m", "\x1b[1;38;5;170m", "\x1b[1;38;2;216;112;220m"]),
    (Paint::BrightCyan, ["\x1b[1;36m", "\x1b[1;38;5;80m", "\x1b[1;38;2;92;212;216m"]),
    (Paint::Bold, ["\x1b[1m", "\x1b[1m", "\x1b[1m"]),
    (Paint::Dim, ["\x1b[2m", "\x1b[38;5;245m", "\x1b[38;2;138;138;138m"]),
];

/// The colours that a reader gets: as it set them, or as its client says. `None`: none at all.
pub fn depth(wanted: Option<Colors>, client: &Capabilities) -> Option<Depth> {
    Some(match wanted? {
        Colors::Auto => client.depth(),
        Colors::Sixteen => Depth::Sixteen,
        Colors::Palette => Depth::Palette,
        Colors::True => Depth::True,
    })
}

/// Of a whole line; `None` for the terminal's own colour.
fn of_kind(kind: LineKind) -> Option<Paint> {
    Some(match kind {
        LineKind::Say | LineKind::Emote | LineKind::Social => Paint::Cyan,
        LineKind::Tell => Paint::BrightMagenta,
        LineKind::Channel(on) => of_colour(on.colour),
        LineKind::Level => Paint::BrightGreen,
        LineKind::Group => Paint::BrightCyan,
        LineKind::CombatDealt => Paint::Green,
        LineKind::CombatTaken => Paint::Red,
        LineKind::Death => Paint::BrightRed,
        LineKind::Flee => Paint::Yellow,
        LineKind::Broadcast => Paint::BrightYellow,
        LineKind::Outdoor => Paint::Blue,
        LineKind::Snoop => Paint::Dim,
        _ => return None,
    })
}

const fn of_colour(colour: Colour) -> Paint {
    match colour {
        Colour::Red => Paint::Red,
        Colour::Green => Paint::Green,
        Colour::Yellow => Paint::Yellow,
        Colour::Blue => Paint::Blue,
        Colour::Magenta => Paint::Magenta,
        Colour::Cyan => Paint::Cyan,
        Colour::BrightRed => Paint::BrightRed,
        Colour::BrightGreen => Paint::BrightGreen,
        Colour::BrightYellow => Paint::BrightYellow,
        Colour::BrightBlue => Paint::BrightBlue,
        Colour::BrightMagenta => Paint::BrightMagenta,
        Colour::BrightCyan => Paint::BrightCyan,
    }
}

fn of_style(style: Style) -> Option<Paint> {
    Some(match style {
        Style::Plain | Style::RoomDescription => return None,
        Style::RoomName => Paint::BrightCyan,
        Style::Exits => Paint::Cyan,
        Style::Mob => Paint::Yellow,
        Style::Player => Paint::BrightYellow,
        Style::Item => Paint::Green,
        Style::Heading => Paint::Bold,
    })
}

fn code(paint: Option<Paint>, depth: Depth) -> &'static str {
    paint.map_or("", |paint| PALETTE[paint as usize].1[depth as usize])
}

/// Appends the line's text, with escape codes where there are colours, and with `links` what can be clicked as such. No
/// line break at the end.
pub fn append(line: &Line, depth: Option<Depth>, links: bool, out: &mut String) {
    if depth.is_none() && !links {
        out.push_str(&line.text);
        return;
    }
    let base = depth.map_or("", |depth| code(of_kind(line.kind), depth));
    out.push_str(base);
    let mut brush = Brush { depth, style: None, colored: !base.is_empty() };
    let mut at = 0;
    let mut before: Option<&Span> = None;
    let mut open = false;
    for span in &line.spans {
        let (from, to) = (span.from as usize, span.to as usize);
        let goes_on = before.is_some_and(|before| span.goes_on_with(before));
        if open && !goes_on {
            out.push_str(mxp::CLOSE);
            open = false;
        }
        brush.between(&line.text[at..from], before.is_some(), out);
        brush.take(span.style, out);
        if let Some(link) = span.link.as_ref().filter(|_| links && !goes_on) {
            open = mxp::open(link, out);
        }
        out.push_str(&line.text[from..to]);
        at = to;
        before = Some(span);
    }
    if open {
        out.push_str(mxp::CLOSE);
    }
    brush.between(&line.text[at..], before.is_some(), out);
    if brush.colored {
        out.push_str(RESET);
    }
}

/// What is painted with as a line goes on.
struct Brush {
    depth: Option<Depth>,
    /// None before the first span, in the colour of the kind.
    style: Option<Style>,
    colored: bool,
}

impl Brush {
    fn take(&mut self, style: Style, out: &mut String) {
        if self.style.unwrap_or_default() == style {
            return;
        }
        let code = self.depth.map_or("", |depth| code(of_style(style), depth));
        if self.colored {
            out.push_str(RESET);
        }
        out.push_str(code);
        self.colored = !code.is_empty();
        self.style = Some(style);
    }

    /// What stands between spans; `plain`: behind the first of them. The end of a line is of the colour before it.
    fn between(&mut self, text: &str, plain: bool, out: &mut String) {
        let rest = text.strip_prefix('\n').unwrap_or(text);
        out.push_str(&text[..text.len() - rest.len()]);
        if plain && !rest.is_empty() {
            self.take(Style::Plain, out);
        }
        out.push_str(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use world::hyperlink::{Hyperlink, Use};

    fn shown(line: &Line, depth: Option<Depth>) -> String {
        let mut out = String::new();
        append(line, depth, false, &mut out);
        out
    }

    #[test]
    fn a_style_begins_where_it_says_and_everything_is_reset() {
        let line = Line {
            text: "The Inn\nBeer.".into(),
            spans: vec![Span { from: 0, to: 7, style: Style::RoomName, link: None }],
            ..Line::default()
        };
        assert_eq!(shown(&line, Some(Depth::Sixteen)), "\x1b[1;36mThe Inn\n\x1b[0mBeer.");
        assert_eq!(shown(&line, Some(Depth::Palette)), "\x1b[1;38;5;80mThe Inn\n\x1b[0mBeer.");
        assert_eq!(shown(&line, Some(Depth::True)), "\x1b[1;38;2;92;212;216mThe Inn\n\x1b[0mBeer.");
        assert_eq!(shown(&line, None), "The Inn\nBeer.");
    }

    #[test]
    fn a_link_is_in_its_colour_and_one_over_all_its_words() {
        let span = |from, to, style, link| Span { from, to, style, link };
        let lamp = || Some(Hyperlink::Player("Bob".into(), Use::Player));
        let line = Line {
            text: "You wear:\n a <b>\n c".into(),
            spans: vec![
                span(0, 9, Style::Heading, None),
                span(11, 12, Style::Item, lamp()),
                span(12, 13, Style::Plain, lamp()),
                span(13, 16, Style::Item, lamp()),
                span(18, 19, Style::Item, lamp()),
            ],
            ..Line::default()
        };
        let mut with_links = String::new();
        append(&line, Some(Depth::Sixteen), true, &mut with_links);
        let open = "\x1b[4z<SEND HREF=\"look player_bob|follow player_bob|consider player_bob\" \
                    HINT=\"Right-click for more|look|follow|consider\">";
        let close = "\x1b[4z</SEND>";
        let expected = format!(
            "\x1b[1mYou wear:\n\x1b[0m \x1b[32m{open}a\x1b[0m \x1b[32m<b>{close}\n\x1b[0m \x1b[32m{open}c{close}\x1b[0m"
        );
        assert_eq!(with_links, expected);
        assert_eq!(shown(&line, Some(Depth::Sixteen)), expected.replace(open, "").replace(close, ""));
        let mut without_colours = String::new();
        append(&line, None, true, &mut without_colours);
        assert_eq!(without_colours, format!("You wear:\n {open}a <b>{close}\n {open}c{close}"));
    }

    #[test]
    fn each_paint_stands_at_its_place_in_codes_that_its_terminal_knows() {
        for (at, (paint, codes)) in PALETTE.iter().enumerate() {
            assert_eq!(*paint as usize, at, "{paint:?}");
            for (code, may) in codes.iter().zip(["", "38;5;", "38;2;"]) {
                let inside = code.strip_prefix("\x1b[").and_then(|code| code.strip_suffix('m'));
                let inside = inside.unwrap_or_else(|| panic!("{code:?} is no colour"));
                let inside = inside.strip_prefix("1;").unwrap_or(inside);
                match inside.strip_prefix(may).filter(|_| !may.is_empty()) {
                    Some(rest) => assert!(rest.split(';').all(|n| n.parse::<u8>().is_ok()), "{code:?}"),
                    None => assert!(inside.len() <= 2 && inside.parse::<u8>().is_ok(), "{code:?}"),
                }
            }
        }
    }

    #[test]
    fn who_leaves_it_to_the_client_gets_what_that_shows() {
        let client = |mtts: u32| Capabilities { mtts: Some(mtts), ..Capabilities::default() };
        for (wanted, bits, expected) in [
            (None, 256, None),
            (Some(Colors::Auto), 1, Some(Depth::Sixteen)),
            (Some(Colors::Auto), 1 + 8, Some(Depth::Palette)),
            (Some(Colors::Auto), 1 + 8 + 256, Some(Depth::True)),
            (Some(Colors::Sixteen), 256, Some(Depth::Sixteen)),
            (Some(Colors::Palette), 0, Some(Depth::Palette)),
            (Some(Colors::True), 0, Some(Depth::True)),
        ] {
            assert_eq!(depth(wanted, &client(bits)), expected, "{wanted:?} {bits}");
        }
        assert_eq!(depth(Some(Colors::Auto), &Capabilities::default()), Some(Depth::Sixteen), "who tells nothing");
    }
}
