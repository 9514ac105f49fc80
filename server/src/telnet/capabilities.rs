//! What a client has told of itself, by whatever option: one place that asks nobody twice.
//!
//! TTYPE with MTTS, NEW-ENVIRON with MNES, NAWS, CHARSET, Core.Hello of GMCP and CLIENT_NAME of MSDP fill it; how
//! things look is decided by it (`encode`), and the verb `client` shows it. Invariant: texts in it are short printable
//! ASCII.

use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Of a text of the client's, so many bytes are kept.
const WORD_BYTES_MAX: usize = 64;

/// Bits of the Mud Terminal Type Standard that mean something here.
mod mtts {
    pub const UTF8: u32 = 4;
    pub const COLORS_256: u32 = 8;
    pub const SCREEN_READER: u32 = 64;
    pub const TRUE_COLOR: u32 = 256;
    pub const LINKS: u32 = 1024;
}

/// What is known of a client; what it does not tell is not known.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Capabilities {
    pub name: Option<Box<str>>,
    pub version: Option<Box<str>>,
    pub terminal: Option<Box<str>>,
    pub mtts: Option<u32>,
    /// It said so by SCREEN_READER.
    pub reads_aloud: bool,
    /// By MNES.
    pub named_charset: Option<Charset>,
    pub charset_answer: CharsetAnswer,
    /// It agreed to links in the text.
    pub mxp: bool,
    /// Of its window: 20..=500.
    pub columns: Option<u16>,
    /// 5..=500.
    pub rows: Option<u16>,
}

/// What came of our question for a character set, or of the client's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum CharsetAnswer {
    /// None yet.
    #[default]
    None,
    Agreed(Charset),
    Refused,
}

/// A character set that we know.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Charset {
    #[default]
    Utf8,
    Latin1,
    Ascii,
}

/// Their names, the first of each is the one that we use; the better ones first.
const CHARSETS: [(Charset, &[&str]); 3] = [
    (Charset::Utf8, &["UTF-8", "UTF8"]),
    (Charset::Latin1, &["ISO-8859-1", "ISO8859-1", "ISO_8859-1", "LATIN-1", "LATIN1"]),
    (Charset::Ascii, &["US-ASCII", "ASCII", "ANSI_X3.4-1968"]),
];

impl Charset {
    pub const ALL: [Charset; 3] = [Charset::Utf8, Charset::Latin1, Charset::Ascii];

    /// By any of its names.
    pub fn named(name: &[u8]) -> Option<Charset> {
        let is = |known: &&str| name.eq_ignore_ascii_case(known.as_bytes());
        CHARSETS.iter().find(|(_, names)| names.iter().any(is)).map(|(charset, _)| *charset)
    }

    pub fn name(self) -> &'static str {
        CHARSETS[self as usize].1[0]
    }
}

/// How many colours a terminal has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Depth {
    Sixteen,
    Palette,
    True,
}

impl Capabilities {
    fn has(&self, bit: u32) -> bool {
        self.mtts.is_some_and(|bits| bits & bit != 0)
    }

    /// The name of its terminal ends so, as it does by custom.
    fn ends(&self, suffix: &str) -> bool {
        let ends = |name: &str| {
            name.len() >= suffix.len()
                && name.is_char_boundary(name.len() - suffix.len())
                && name[name.len() - suffix.len()..].eq_ignore_ascii_case(suffix)
        };
        [&self.terminal, &self.name].into_iter().flatten().any(|name| ends(name))
    }

    /// The colours that it says it has; every terminal is taken to have 16.
    pub fn depth(&self) -> Depth {
        let (true_color, palette) = (self.ends("-TRUECOLOR"), self.ends("-256COLOR"));
        match (true_color || self.has(mtts::TRUE_COLOR), palette || self.has(mtts::COLORS_256)) {
            (true, _) => Depth::True,
            (false, true) => Depth::Palette,
            (false, false) => Depth::Sixteen,
        }
    }

    /// What is agreed; else what it says of itself; else UTF-8.
    pub fn charset(&self) -> Charset {
        self.told_charset().unwrap_or_default()
    }

    /// The same, where there was a word about it. That it did not want to talk about it is none.
    fn told_charset(&self) -> Option<Charset> {
        match self.charset_answer {
            CharsetAnswer::Agreed(charset) => Some(charset),
            _ if self.has(mtts::UTF8) => Some(Charset::Utf8),
            _ => self.named_charset,
        }
    }

    /// What it shows is read aloud.
    pub fn is_screen_reader(&self) -> bool {
        self.reads_aloud || self.has(mtts::SCREEN_READER)
    }

    /// It can show words that act when they are clicked.
    pub fn has_links(&self) -> bool {
        self.mxp || self.has(mtts::LINKS)
    }

    /// Whether words of the text are to be links: not where they would be read aloud.
    pub fn gets_links(&self) -> bool {
        self.mxp && !self.is_screen_reader()
    }

    /// For whoever sits at it, a fact a line.
    pub fn told(&self) -> String {
        let mut text = "What your client tells of itself:".to_string();
        let mut row = |what: &str, is: &str| {
            write!(text, "\n  {what:<15} {is}").expect("a String takes everything");
        };
        let unknown = "not told";
        row("Client", &words([self.name.as_deref(), self.version.as_deref()]).unwrap_or_else(|| unknown.into()));
        row("Terminal", self.terminal.as_deref().unwrap_or(unknown));
        row(
            "Colours",
            match (self.mtts.is_some(), self.depth()) {
                (_, Depth::True) => "16 million",
                (_, Depth::Palette) => "256",
                (true, Depth::Sixteen) => "16",
                (false, Depth::Sixteen) => "not told, taken for 16",
            },
        );
        let taken_for = || format!("not told, taken for {}", self.charset().name());
        row("Characters", &self.told_charset().map_or_else(taken_for, |charset| charset.name().to_string()));
        row(
            "Window",
            &match (self.columns, self.rows) {
                (Some(columns), Some(rows)) => format!("{columns} columns, {rows} lines"),
                (Some(columns), None) => format!("{columns} columns"),
                (None, Some(rows)) => format!("{rows} lines"),
                (None, None) => unknown.to_string(),
            },
        );
        row("Links", if self.has_links() { "yes" } else { "not told" });
        row("Screen reader", if self.is_screen_reader() { "yes" } else { "not told" });
        text
    }
}

fn words(parts: [Option<&str>; 2]) -> Option<String> {
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// A text of the client's as it is kept: printable ASCII, and not too much of it.
pub fn clean_word(bytes: &[u8]) -> Box<str> {
    let printable = bytes.iter().filter(|b| (0x20..0x7f).contains(*b)).take(WORD_BYTES_MAX);
    printable.map(|&b| char::from(b)).collect::<String>().into()
}
