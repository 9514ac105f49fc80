//! A page: the text that answers a verb, built line by line with the styles that people see as colours.
//!
//! Invariant: knows no world; who reads it and why is the caller's affair.

use crate::report::{Line, LineKind, Style};

/// Characters in a line of a page that is laid out by us: what every terminal shows.
pub const PAGE_WIDTH: usize = 78;

/// A text for the asker, built line by line, with the styles that people see as colours.
#[derive(Clone, Debug, Default)]
pub struct Page {
    pub text: String,
    pub styles: Vec<(u32, Style)>,
    pub kind: LineKind,
}

impl Page {
    pub fn new() -> Page {
        Page::default()
    }

    pub fn kind(kind: LineKind) -> Page {
        Page { kind, ..Page::default() }
    }

    /// A line in a style.
    pub fn line(&mut self, style: Style, text: impl AsRef<str>) -> &mut Page {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.style(style);
        self.text.push_str(text.as_ref());
        self
    }

    /// A plain line.
    pub fn say(&mut self, text: impl AsRef<str>) -> &mut Page {
        self.line(Style::Plain, text)
    }

    /// Goes on in the same line, in a style.
    pub fn append(&mut self, style: Style, text: impl AsRef<str>) -> &mut Page {
        self.style(style);
        self.text.push_str(text.as_ref());
        self
    }

    /// Short texts in columns of equal width, read across, within 78 characters.
    pub fn columns<T: AsRef<str>>(&mut self, texts: &[T]) -> &mut Page {
        let width = texts.iter().map(|t| t.as_ref().chars().count()).max().unwrap_or(0) + 2;
        for row in texts.chunks((PAGE_WIDTH / width).max(1)) {
            let cells: String = row.iter().map(|t| format!("{:<width$}", t.as_ref())).collect();
            self.say(cells.trim_end());
        }
        self
    }

    fn style(&mut self, style: Style) {
        if self.styles.last().map_or(Style::Plain, |(_, s)| *s) != style {
            self.styles.push((self.text.len() as u32, style));
        }
    }

    pub fn into_line(self) -> Line {
        Line { kind: self.kind, text: self.text, styles: self.styles, ..Line::default() }
    }
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
