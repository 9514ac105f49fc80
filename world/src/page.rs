//! A page: the text that answers a verb, built line by line with the styles that people see as colours.
//!
//! Invariant: knows no world, and of its reader only how wide a window it has; why it is read is the caller's affair.

use crate::aloud;
use crate::character::Character;
use crate::hyperlink::Hyperlink;
use crate::report::{Line, LineKind, Span, Style};
use std::borrow::Cow;

/// Characters in a line of a page that is laid out by us, for who has not told the width of its window: what every
/// terminal shows.
pub const PAGE_WIDTH: usize = 76;

/// Tables are laid out for windows of this many characters: narrower ones break them, and in wider ones they keep to
/// what an eye can follow.
const WIDTHS: std::ops::RangeInclusive<usize> = 30..=100;

/// A text for the asker, built line by line, with the styles that people see as colours.
#[derive(Clone, Debug)]
pub struct Page {
    pub text: String,
    pub spans: Vec<Span>,
    pub kind: LineKind,
    /// Characters of a line, for what is laid out.
    width: usize,
    /// It is read aloud: nothing stands beside each other that need not.
    aloud: bool,
}

impl Default for Page {
    fn default() -> Page {
        Page { text: String::new(), spans: Vec::new(), kind: LineKind::default(), width: PAGE_WIDTH, aloud: false }
    }
}

/// A piece of a table's row.
pub struct Cell<'t> {
    text: Cow<'t, str>,
    style: Style,
    link: Option<Hyperlink>,
    /// With what fills it up to where the next one begins.
    width: usize,
    /// It goes on where the one before ends, as words do, and is not kept whole.
    flows: bool,
}

/// A cell that is `width` characters wide at least; the last of a row needs none.
pub fn cell<'t>(width: usize, text: impl Into<Cow<'t, str>>) -> Cell<'t> {
    Cell { text: text.into(), style: Style::Plain, link: None, width, flows: false }
}

impl Cell<'_> {
    pub fn style(mut self, style: Style) -> Self {
        self.style = style;
        self
    }

    pub fn flowing(mut self) -> Self {
        self.flows = true;
        self
    }

    /// What its text stands for, if anything.
    pub fn link(mut self, link: Option<Hyperlink>) -> Self {
        self.link = link;
        self
    }
}

impl Page {
    pub fn new() -> Page {
        Page::default()
    }

    pub fn kind(kind: LineKind) -> Page {
        Page { kind, ..Page::default() }
    }

    /// A page whose tables are laid out for somebody's window.
    pub fn for_reader(reader: &Character) -> Page {
        if aloud::listens(reader) {
            // No window is too narrow for a voice.
            return Page { width: usize::MAX, aloud: true, ..Page::default() };
        }
        Page::of_width(reader.player().and_then(|player| player.columns).map_or(PAGE_WIDTH, usize::from))
    }

    /// The same for a page that was begun otherwise.
    pub fn laid_out_for(self, reader: &Character) -> Page {
        let Page { width, aloud, .. } = Page::for_reader(reader);
        Page { width, aloud, ..self }
    }

    fn of_width(columns: usize) -> Page {
        Page { width: columns.clamp(*WIDTHS.start(), *WIDTHS.end()), ..Page::default() }
    }

    /// Characters of a line, for what is laid out.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Whether it is read aloud: what would stand beside each other stands in lines of its own then.
    pub fn is_aloud(&self) -> bool {
        self.aloud
    }

    /// A line in a style.
    pub fn line(&mut self, style: Style, text: impl AsRef<str>) -> &mut Page {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.append(style, text)
    }

    /// A plain line.
    pub fn say(&mut self, text: impl AsRef<str>) -> &mut Page {
        self.line(Style::Plain, text)
    }

    /// Goes on in the same line, in a style.
    pub fn append(&mut self, style: Style, text: impl AsRef<str>) -> &mut Page {
        let text = text.as_ref();
        let from = self.text.len() as u32;
        self.text.push_str(text);
        if style == Style::Plain || text.is_empty() {
            return self;
        }
        let to = self.text.len() as u32;
        match self.spans.last_mut() {
            // A style goes on over the end of a line.
            Some(last)
                if last.link.is_none()
                    && last.style == style
                    && goes_on(&self.text[last.to as usize..from as usize]) =>
            {
                last.to = to;
            }
            _ => self.spans.push(Span { from, to, style, link: None }),
        }
        self
    }

    /// Goes on in the same line with what stands for something. Where it has several lines, each does.
    pub fn linked(&mut self, style: Style, text: impl AsRef<str>, link: Hyperlink) -> &mut Page {
        for (n, line) in text.as_ref().split('\n').enumerate() {
            if n > 0 {
                self.text.push('\n');
            }
            let from = self.text.len() as u32;
            self.text.push_str(line);
            let to = self.text.len() as u32;
            if from < to {
                self.spans.push(Span { from, to, style, link: Some(link.clone()) });
            }
        }
        self
    }

    /// Goes on in the same line with what stands on another page.
    pub fn append_page(&mut self, other: &Page) -> &mut Page {
        let begin = self.text.len() as u32;
        self.text.push_str(&other.text);
        let moved = |span: &Span| Span { from: begin + span.from, to: begin + span.to, ..span.clone() };
        self.spans.extend(other.spans.iter().map(moved));
        self
    }

    /// Short texts in columns of equal width, read across.
    pub fn columns<T: AsRef<str>>(&mut self, texts: &[T]) -> &mut Page {
        if self.aloud {
            texts.iter().for_each(|text| {
                self.say(text.as_ref().trim_end());
            });
            return self;
        }
        let width = texts.iter().map(|t| t.as_ref().chars().count()).max().unwrap_or(0) + 2;
        // Nothing follows the last column.
        for row in texts.chunks(((self.width + 2) / width).max(1)) {
            let cells: String = row.iter().map(|t| format!("{:<width$}", t.as_ref())).collect();
            self.say(cells.trim_end());
        }
        self
    }

    /// A row of a table. What has no room goes on below, further in than the row begins; where it is read aloud, all
    /// has room.
    pub fn row(&mut self, indent: usize, cells: &[Cell<'_>]) -> &mut Page {
        let further = indent + 2;
        self.line(Style::Plain, " ".repeat(indent));
        let mut at = indent;
        // Blanks wait until something follows them.
        let mut blanks = 0;
        let mut fresh = true;
        for cell in cells.iter().filter(|cell| !cell.text.is_empty() || cell.width > 0) {
            let letters = cell.text.chars().count();
            if !fresh
                && !cell.flows
                && !cell.text.is_empty()
                && at + blanks + letters > self.width
                && at + blanks > further
            {
                self.line(Style::Plain, " ".repeat(further));
                (at, blanks, fresh) = (further, 0, true);
            }
            for (n, word) in cell.text.split(' ').enumerate() {
                let wide = word.chars().count();
                blanks += usize::from(n > 0);
                if word.is_empty() {
                    continue;
                }
                if !fresh && n > 0 && at + blanks + wide > self.width {
                    self.line(Style::Plain, " ".repeat(further));
                    (at, blanks) = (further, 0);
                }
                // A link goes on over the blanks between its words.
                match &cell.link {
                    Some(link) if n > 0 && blanks > 0 => self.linked(Style::Plain, " ".repeat(blanks), link.clone()),
                    _ => self.append(Style::Plain, " ".repeat(blanks)),
                };
                match &cell.link {
                    Some(link) => self.linked(cell.style, word, link.clone()),
                    None => self.append(cell.style, word),
                };
                at += blanks + wide;
                (blanks, fresh) = (0, false);
            }
            blanks += cell.width.saturating_sub(letters);
        }
        self
    }

    pub fn into_line(self) -> Line {
        Line { kind: self.kind, text: self.text, spans: self.spans, ..Line::default() }
    }
}

/// Whether a style goes on over this text between two that have it.
fn goes_on(between: &str) -> bool {
    matches!(between, "" | "\n")
}

/// What stands before each line of a player's own words, where others read them as a text.
pub const FRAME: &str = "  | ";
/// Characters of a framed line without the frame: with it, no window of a usual width breaks the line again.
pub const FRAMED_WIDTH: usize = 70;

/// A player's own words as others read them: in a frame, so that nothing in them can pass for a line of the game.
pub fn framed(text: &str) -> String {
    let mut framed = String::with_capacity(text.len() + 32);
    let mut line_end = |line: &str| {
        if !framed.is_empty() {
            framed.push('\n');
        }
        framed.push_str(FRAME);
        framed.push_str(line);
    };
    for written in text.split('\n').filter(|_| !text.is_empty()) {
        let mut line = String::new();
        let mut width = 0;
        for word in written.split(' ') {
            let letters: Vec<char> = word.chars().collect();
            if width > 0 && width + 1 + letters.len() > FRAMED_WIDTH {
                line_end(&line);
                line.clear();
                width = 0;
            } else if width > 0 {
                line.push(' ');
                width += 1;
            }
            // A word that is wider than the frame is broken where the frame ends.
            for letter in letters {
                if width == FRAMED_WIDTH {
                    line_end(&line);
                    line.clear();
                    width = 0;
                }
                line.push(letter);
                width += 1;
            }
        }
        line_end(&line);
    }
    framed
}

/// A verb's answer that is one sentence.
impl From<String> for Page {
    fn from(text: String) -> Page {
        Page { text, ..Page::default() }
    }
}

impl From<&str> for Page {
    fn from(text: &str) -> Page {
        Page { text: text.to_string(), ..Page::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hyperlink::Use;

    /// What its spans stand over, their styles, and whether they are links.
    fn spans(page: &Page) -> Vec<(&str, Style, bool)> {
        let text = |span: &Span| &page.text[span.from as usize..span.to as usize];
        page.spans.iter().map(|span| (text(span), span.style, span.link.is_some())).collect()
    }

    fn shown(width: usize, cells: &[Cell<'_>]) -> String {
        let mut page = Page::of_width(width);
        page.row(2, cells);
        page.text
    }

    #[test]
    fn a_row_keeps_its_columns_as_long_as_there_is_room() {
        let row = || [cell(20, "a lantern"), cell(12, "of brass"), cell(0, "which an old woman carried about")];
        assert_eq!(shown(76, &row()), "  a lantern           of brass    which an old woman carried about");
        assert_eq!(shown(60, &row()), "  a lantern           of brass\n    which an old woman carried about");
        let narrow = "  a lantern           of brass\n    which an old woman carried\n    about";
        assert_eq!(shown(30, &row()), narrow);
        assert_eq!(shown(10, &row()), narrow);
    }

    #[test]
    fn a_row_has_no_blanks_at_its_end_and_keeps_empty_cells() {
        assert_eq!(shown(76, &[cell(6, "one"), cell(6, ""), cell(6, "two")]), "  one         two");
        assert_eq!(shown(76, &[cell(6, "one"), cell(6, "")]), "  one");
        assert_eq!(shown(30, &[cell(0, "w".repeat(50))]), format!("  {}", "w".repeat(50)));
    }

    #[test]
    fn the_styles_of_cells_are_theirs_alone() {
        let mut page = Page::new();
        page.row(1, &[cell(3, "a"), cell(0, "b c").style(Style::Item), cell(0, "d")]);
        assert_eq!(page.text, " a  b cd");
        assert_eq!(spans(&page), [("b", Style::Item, false), ("c", Style::Item, false)]);
    }

    #[test]
    fn a_page_goes_on_with_another_in_its_styles() {
        let mut other = Page::new();
        other.line(Style::Mob, "A rat").append(Style::Plain, " (hidden)");
        let mut page = Page::new();
        page.line(Style::Mob, "(2) ").append_page(&other).append_page(&Page::from(" too"));
        assert_eq!(page.text, "(2) A rat (hidden) too");
        assert_eq!(spans(&page), [("(2) ", Style::Mob, false), ("A rat", Style::Mob, false)]);
    }

    #[test]
    fn a_style_goes_on_over_lines_and_a_link_does_not() {
        let link = || Hyperlink::Player("Bob".into(), Use::Player);
        let mut page = Page::new();
        page.line(Style::Item, "a lamp").line(Style::Item, "a rope").say("Plain.");
        page.line(Style::Player, "").linked(Style::Player, "Bob", link()).append(Style::Player, " is here.");
        page.say("").linked(Style::Mob, "two\n\nlines", link());
        let expected = [
            ("a lamp\na rope", Style::Item, false),
            ("Bob", Style::Player, true),
            (" is here.", Style::Player, false),
            ("two", Style::Mob, true),
            ("lines", Style::Mob, true),
        ];
        assert_eq!(spans(&page), expected);
    }

    #[test]
    fn the_link_of_a_cell_goes_on_from_word_to_word_of_a_line() {
        let mut page = Page::of_width(30);
        let words = cell(0, "a lamp of the finest old brass")
            .style(Style::Item)
            .link(Some(Hyperlink::Player("Bob".into(), Use::Player)));
        page.row(2, &[cell(6, "light"), words]);
        assert_eq!(page.text, "  light \n    a lamp of the finest old\n    brass".replace(" \n", "\n"));
        let links = page.spans.windows(2).filter(|pair| !pair[1].goes_on_with(&pair[0])).count() + 1;
        assert_eq!(links, 2, "one in each line: {:?}", spans(&page));
    }

    #[test]
    fn columns_fill_the_window() {
        let words = ["one", "three", "four", "six"];
        for (width, expected) in [(76, "one    three  four   six"), (30, "one    three  four   six")] {
            assert_eq!(Page::of_width(width).columns(&words).text, expected);
        }
        let long = ["a very long word", "one", "another one"];
        assert_eq!(Page::of_width(30).columns(&long).text, "a very long word\none\nanother one");
        assert_eq!(Page::of_width(40).columns(&long).text, "a very long word  one\nanother one");
    }

    #[test]
    fn nothing_that_a_player_writes_of_itself_begins_a_line() {
        assert_eq!(framed(""), "");
        assert_eq!(framed("Tall."), "  | Tall.");
        assert_eq!(framed("Tall.\nYou receive 500 gold."), "  | Tall.\n  | You receive 500 gold.");
        let padded = format!("{} You receive 500 gold.", "x".repeat(FRAMED_WIDTH - 1));
        assert_eq!(framed(&padded).lines().nth(1), Some("  | You receive 500 gold."));
        for text in ["x".repeat(500), "word ".repeat(100), "  two  blanks\n\n\nends".to_string(), "\n".to_string()] {
            let framed = framed(&text);
            assert!(framed.lines().all(|line| line.starts_with(FRAME)), "{framed:?}");
            assert!(framed.lines().all(|line| line.chars().count() <= FRAMED_WIDTH + FRAME.len()), "{framed:?}");
            let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).count();
            assert_eq!(letters(&framed), letters(&text));
        }
    }
}
