//! Lines, texts and numbers of the Circle-family files, each with its line number.
//!
//! Lexical rules (game reference §1.2): lines are skipped while blank or starting with `*`; a text runs to a `~` at the
//! end of a line; a set of flags is a decimal number or letters. Invariant: any text is read to its end without panic.

/// Why a record can't be read, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Trouble {
    pub line: u32,
    pub what: String,
}

/// One line without its line break.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Line<'s> {
    pub text: &'s str,
    /// From 1.
    pub number: u32,
}

impl<'s> Line<'s> {
    pub fn tokens(self) -> Tokens<'s> {
        Tokens { rest: self.text, line: self.number }
    }

    /// The number of `#123` or `#123~`, alone on its line.
    pub fn record_number(self) -> Option<i32> {
        let number = self.text.strip_prefix('#')?.trim_end();
        number.strip_suffix('~').unwrap_or(number).trim().parse().ok()
    }

    /// `$` or `$~`: nothing of interest follows.
    pub fn ends_file(self) -> bool {
        self.text.starts_with('$')
    }
}

/// The words of a line, taken from left to right.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tokens<'s> {
    rest: &'s str,
    pub line: u32,
}

impl<'s> Tokens<'s> {
    /// What is left of the line, trimmed.
    pub fn rest(self) -> &'s str {
        self.rest.trim()
    }

    pub fn word(&mut self, what: &str) -> Result<&'s str, Trouble> {
        self.next().ok_or_else(|| self.trouble(format!("{what} is missing")))
    }

    /// A whole number, held inside `i32`.
    pub fn number(&mut self, what: &str) -> Result<i32, Trouble> {
        let word = self.word(what)?;
        number(word).ok_or_else(|| self.trouble(format!("{what} should be a number, not {word:?}")))
    }

    /// Bits of a decimal number or of letters, 32 per word.
    pub fn bits(&mut self, words: u32, what: &str) -> Result<u128, Trouble> {
        let mut all = 0;
        for index in 0..words {
            let word = self.word(what)?;
            let bits = bits(word).ok_or_else(|| self.trouble(format!("{what} should be flags, not {word:?}")))?;
            all |= u128::from(bits) << (32 * index);
        }
        Ok(all)
    }

    pub fn trouble(&self, what: impl Into<String>) -> Trouble {
        Trouble { line: self.line, what: what.into() }
    }
}

impl<'s> Iterator for Tokens<'s> {
    type Item = &'s str;

    fn next(&mut self) -> Option<&'s str> {
        let bytes = self.rest.as_bytes();
        let from = bytes.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(bytes.len());
        let length = bytes[from..].iter().position(u8::is_ascii_whitespace).unwrap_or(bytes.len() - from);
        let (word, rest) = self.rest[from..].split_at(length);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }
}

/// A whole number with an optional sign, held inside `i32`.
pub(super) fn number(word: &str) -> Option<i32> {
    let number: i64 = word.parse().ok()?;
    Some(number.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32)
}

/// A decimal fraction in hundredths: `1.15` is 115.
pub(super) fn hundredths(word: &str) -> Option<i32> {
    let number: f64 = word.parse().ok()?;
    number.is_finite().then(|| (number * 100.0).round() as i32)
}

/// The bits of one flag word: decimal, or letters with a = 0 … z = 25, A = 26 …; digits among letters are ignored.
/// A negative number stands for no flags, as some old files have it.
pub(super) fn bits(word: &str) -> Option<u32> {
    if let Ok(number) = word.parse::<i64>() {
        return Some(if number < 0 { 0 } else { number as u32 });
    }
    let mut bits = 0u32;
    for byte in word.bytes() {
        match byte {
            b'a'..=b'z' => bits |= 1 << (byte - b'a'),
            b'A'..=b'F' => bits |= 1 << (byte - b'A' + 26),
            b'0'..=b'9' => {}
            _ => return None,
        }
    }
    Some(bits)
}

/// How many lines into the text the number of a record stands alone on its line: the text's `~` was forgotten.
fn record_inside(text: &str) -> Option<u32> {
    if !text.starts_with('#') && !text.contains("\n#") {
        return None;
    }
    let found = text.split('\n').position(|text| Line { text, number: 0 }.record_number().is_some())?;
    Some(found as u32)
}

/// A place in a file. Copying it remembers the place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexer<'s> {
    text: &'s str,
    at: usize,
    /// Number of the line at `at`, from 1.
    line: u32,
}

impl<'s> Lexer<'s> {
    pub fn new(text: &'s str) -> Lexer<'s> {
        Lexer { text, at: 0, line: 1 }
    }

    /// Number of the line that comes next.
    pub fn line_number(&self) -> u32 {
        self.line
    }

    /// The next line, whatever is on it.
    fn any_line(&mut self) -> Option<Line<'s>> {
        let rest = &self.text[self.at..];
        if rest.is_empty() {
            return None;
        }
        let end = rest.find('\n');
        let line = Line { text: &rest[..end.unwrap_or(rest.len())], number: self.line };
        self.at += end.map_or(rest.len(), |end| end + 1);
        self.line += 1;
        Some(line)
    }

    /// The next line that is neither blank nor a comment.
    pub fn line(&mut self) -> Option<Line<'s>> {
        loop {
            let line = self.any_line()?;
            let is_blank = line.text.bytes().all(|byte| byte.is_ascii_whitespace());
            if !is_blank && !line.text.starts_with('*') {
                return Some(line);
            }
        }
    }

    /// What `line` would give, without going there.
    pub fn peek(&self) -> Option<Line<'s>> {
        let mut ahead = *self;
        ahead.line()
    }

    /// The next line, where a record needs one.
    pub fn needed(&mut self, what: &str) -> Result<Line<'s>, Trouble> {
        let line = self.line;
        self.line().ok_or_else(|| Trouble { line, what: format!("the file ends where {what} should be") })
    }

    /// A text up to the `~` that ends a line; the `~` is not part of it, the last line breaks are not either.
    pub fn text(&mut self, what: &str) -> Result<&'s str, Trouble> {
        let rest = &self.text[self.at..];
        let mut from = 0;
        while let Some(found) = rest[from..].find('~') {
            let tilde = from + found;
            let after = &rest[tilde + 1..];
            let end = after.find('\n').unwrap_or(after.len());
            if after[..end].trim().is_empty() {
                if let Some(ahead) = record_inside(&rest[..tilde]) {
                    let (line, record) = (self.line, self.line + ahead);
                    let what = format!("{what} begins here and has no ~ before line {record}, where a record begins");
                    return Err(Trouble { line, what });
                }
                let next = (tilde + 1 + end + 1).min(rest.len());
                self.line += rest[..next].bytes().filter(|b| *b == b'\n').count() as u32;
                self.at += next;
                return Ok(rest[..tilde].trim_end());
            }
            from = tilde + 1;
        }
        Err(Trouble { line: self.line, what: format!("{what} begins here and has no ~ at its end") })
    }

    /// Goes to the next line that begins a record or ends the file.
    pub fn skip_to_record(&mut self) {
        let mut ahead = *self;
        while let Some(line) = ahead.any_line() {
            if line.record_number().is_some() || line.ends_file() {
                return;
            }
            *self = ahead;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_a_number_or_letters() {
        for (word, expected) in [
            ("0", Some(0)),
            ("156", Some(156)),
            ("-1", Some(0)),
            ("d", Some(8)),
            ("cdq", Some(4 + 8 + 65536)),
            ("aAF", Some(1 + (1 << 26) + (1 << 31))),
            ("a1b", Some(3)),
            ("a-b", None),
            ("z~", None),
        ] {
            assert_eq!(bits(word), expected, "{word}");
        }
    }

    #[test]
    fn a_text_ends_only_at_a_tilde_that_ends_its_line() {
        let mut lexer = Lexer::new("one ~ two\nthree~ \nnext\nopen");
        assert_eq!(lexer.text("x"), Ok("one ~ two\nthree"));
        assert_eq!(lexer.line(), Some(Line { text: "next", number: 3 }));
        assert_eq!(lexer.text("the name").map_err(|t| t.line), Err(4));
    }

    #[test]
    fn a_text_does_not_swallow_the_next_record() {
        let mut lexer = Lexer::new("open\n#12\nname~\n");
        let what = "the name begins here and has no ~ before line 2, where a record begins".to_owned();
        assert_eq!(lexer.text("the name"), Err(Trouble { line: 1, what }));
        assert_eq!(Lexer::new("see\n#12 below\n~").text(""), Ok("see\n#12 below"));
    }

    #[test]
    fn blank_lines_and_comments_are_skipped_and_counted() {
        let mut lexer = Lexer::new("\n* remark\n  \n#12~\n$");
        let line = lexer.line().expect("there is one");
        assert_eq!((line.number, line.record_number()), (4, Some(12)));
        assert!(lexer.line().expect("there is one").ends_file());
        assert_eq!(lexer.line(), None);
    }

    #[test]
    fn fractions_become_hundredths() {
        assert_eq!(hundredths("1.15"), Some(115));
        assert_eq!(hundredths("0.005"), Some(1));
        assert_eq!(hundredths("nan"), None);
        assert_eq!(hundredths("12x"), None);
    }
}
