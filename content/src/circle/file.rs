//! One Circle-family file while it is read: its lexer, its dialect, and where its records and problems go.

use super::dialect::Dialect;
use super::flags::{Bit, Tables, tables};
use super::lexer::{Lexer, Line, Tokens, Trouble};
use crate::draft::Draft;
use crate::origins::Place;
use crate::paragraphs::flowed;
use crate::{ExtraDescription, Text, Vnum};
use std::collections::BTreeSet;

/// Vnums that stand for "none": −1, and what programs made of it that kept vnums in 16 or 32 unsigned bits.
const NOTHING: [i64; 3] = [-1, 65_535, 4_294_967_295];

/// Vnums from here on end a file in the classic programs.
const LAST_VNUM: i32 = 99_999;

pub(super) struct File<'f, 'r> {
    pub draft: &'f mut Draft<'r>,
    pub path: &'f str,
    pub lexer: Lexer<'f>,
    pub dialect: Dialect,
    file: u32,
    /// What was already said about this file.
    said: BTreeSet<(&'static str, i64)>,
}

impl<'f, 'r> File<'f, 'r> {
    pub fn new(draft: &'f mut Draft<'r>, path: &'f str, text: &'f str, dialect: Dialect) -> File<'f, 'r> {
        let file = draft.origins.file(path);
        File { draft, path, lexer: Lexer::new(text), dialect, file, said: BTreeSet::new() }
    }

    pub fn place(&self, line: u32) -> Place {
        Place { file: self.file, line }
    }

    /// The tables of the whole set.
    pub fn tables(&self) -> &'static Tables {
        tables(self.dialect)
    }

    /// The tables for a room or mob whose flag line has the wide or the short layout.
    pub fn tables_of_layout(&self, wide: bool) -> &'static Tables {
        tables(if wide { self.dialect.when_wide() } else { Dialect::Stock })
    }

    pub fn warn(&mut self, line: u32, what: impl Into<String>) {
        self.draft.problems.warning(self.path, line, what);
    }

    pub fn error(&mut self, trouble: Trouble) {
        self.draft.problems.error(self.path, trouble.line, trouble.what);
    }

    /// A warning that is given once per file for the same kind and number.
    pub fn warn_once(&mut self, kind: &'static str, number: i64, line: u32, what: impl FnOnce() -> String) {
        if self.said.insert((kind, number)) {
            self.draft.problems.warning(self.path, line, what());
        }
    }

    /// Calls `read` with the number of each record and the line it begins on. After an error it goes to the next
    /// record, looking from the line after the failed one's number.
    pub fn each_record(&mut self, mut read: impl FnMut(&mut Self, Vnum, u32) -> Result<(), Trouble>) {
        while let Some(line) = self.lexer.line() {
            if line.ends_file() {
                return;
            }
            let Some(vnum) = line.record_number() else {
                let Line { text, number } = line;
                self.error(Trouble {
                    line: number,
                    what: format!("a record (#number) or $ should be here, not {text:?}"),
                });
                self.lexer.skip_to_record();
                continue;
            };
            if vnum >= LAST_VNUM {
                return;
            }
            let after_number = self.lexer;
            if let Err(mut trouble) = read(self, vnum, line.number) {
                trouble.what = format!("record #{vnum} is left out: {}", trouble.what);
                self.error(trouble);
                self.lexer = after_number;
                self.lexer.skip_to_record();
            }
        }
        let line = self.lexer.line_number().saturating_sub(1);
        self.warn(line, "the file has no $ at its end");
    }

    /// The next line, where it neither begins a record nor ends the file.
    pub fn line_of_record(&mut self) -> Option<Line<'f>> {
        let mut ahead = self.lexer;
        let line = ahead.line()?;
        if line.ends_file() || line.record_number().is_some() {
            return None;
        }
        self.lexer = ahead;
        Some(line)
    }

    /// A text of the record, shared and free of colour codes.
    pub fn text(&mut self, what: &str) -> Result<Text, Trouble> {
        let raw = self.lexer.text(what)?;
        Ok(self.clean(raw))
    }

    /// The same of a description, whose line ends are blanks.
    pub fn paragraphs(&mut self, what: &str) -> Result<Text, Trouble> {
        let text = self.text(what)?;
        let flowing = flowed(&text);
        Ok(if *flowing == *text { text.clone() } else { self.draft.texts.share(&flowing) })
    }

    /// The text without the colour codes of tbaMUD (`@r`, and `@@` for an @).
    pub fn clean(&mut self, raw: &str) -> Text {
        if self.dialect == Dialect::Tbamud && raw.contains('@') {
            return self.draft.texts.share(&without_colours(raw));
        }
        self.draft.texts.share(raw)
    }

    /// The keywords and text of an `E` record.
    pub fn extra(&mut self) -> Result<ExtraDescription, Trouble> {
        Ok(ExtraDescription {
            keywords: self.text("the extra description's keywords")?,
            text: self.paragraphs("the extra description")?,
        })
    }

    /// Our flags for the bits of a set.
    pub fn flags<F: Copy>(
        &mut self,
        what: &'static str,
        table: &[Bit<F>],
        bits: u128,
        line: u32,
        mut insert: impl FnMut(F),
    ) {
        let mut left = bits;
        while left != 0 {
            let bit = left.trailing_zeros();
            left &= left - 1;
            match table.get(bit as usize) {
                Some(Bit::Is(flag)) => insert(*flag),
                Some(Bit::Inner) => {}
                Some(Bit::Lacks) | None => self.warn_once(what, i64::from(bit), line, || {
                    format!("bit {bit} of {what} has no meaning here and is left out")
                }),
            }
        }
    }

    /// The word with that number; one that is out of range is a warning and gives the default.
    pub fn word<T: Copy + std::fmt::Display>(
        &mut self,
        what: &'static str,
        table: &[T],
        number: i32,
        default: T,
        line: u32,
    ) -> T {
        if let Some(word) = usize::try_from(number).ok().and_then(|index| table.get(index)) {
            return *word;
        }
        let last = table.len().saturating_sub(1);
        self.warn(line, format!("{what} should be 0 to {last}, not {number}: taken as {default}"));
        default
    }

    /// The number held inside a range, with a warning where it was not.
    pub fn clamped(&mut self, what: &str, number: i32, from: i32, to: i32, line: u32) -> i32 {
        let held = number.clamp(from, to);
        if held != number {
            self.warn(line, format!("{what} should be {from} to {to}, not {number}: taken as {held}"));
        }
        held
    }

    /// Warns when a line goes on after what was read of it.
    pub fn nothing_more(&mut self, tokens: Tokens) {
        if !tokens.rest().is_empty() {
            let line = tokens.line;
            self.warn_once("junk", 0, line, || {
                format!("this line goes on ({:?}); such ends of lines are left out", tokens.rest())
            });
        }
    }

    /// A line that names a script of another server, as it stands. Says so once per file.
    pub fn foreign_script(&mut self, line: Line) -> Text {
        self.keeps_scripts(line.number);
        self.clean(line.text.trim())
    }

    /// Says once per file that scripts are kept, and not run.
    pub fn keeps_scripts(&mut self, line: u32) {
        self.warn_once("scripts", 0, line, || {
            "scripts and triggers of this file are kept as foreign_scripts, and do not run".into()
        });
    }

    /// Says once per file that what attaches scripts is not read.
    pub fn no_scripts(&mut self, line: u32) {
        self.warn_once("scripts", 0, line, || "resets that attach triggers are left out".into());
    }

    /// Says that a line inside a record is not understood.
    pub fn junk(&mut self, line: Line) {
        self.warn(line.number, format!("{:?} is not understood here and left out", line.text));
    }
}

/// The vnum, or `None` where the number stands for nothing.
pub(super) fn vnum_or_none(number: i32) -> Option<Vnum> {
    (number >= 0 && !NOTHING.contains(&i64::from(number)) && number != i32::MAX).then_some(number)
}

/// Key vnums: 0 is no key either.
pub(super) fn key_or_none(number: i32) -> Option<Vnum> {
    vnum_or_none(number).filter(|vnum| *vnum != 0)
}

fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('@') {
        plain.push_str(&rest[..at]);
        let code = &rest[at + 1..];
        rest = match code.bytes().next() {
            Some(b'@') => {
                plain.push('@');
                &code[1..]
            }
            Some(c) if b"nNdDbBgGcCrRmMyYwWoule01234567".contains(&c) => &code[1..],
            Some(b'[') if code.find(']').is_some_and(|end| end <= 6) => {
                &code[code.find(']').map_or(0, |end| end + 1)..]
            }
            _ => {
                plain.push('@');
                code
            }
        };
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_codes_are_taken_out_and_other_ats_stay() {
        for (text, plain) in [
            ("@RLook@n out", "Look out"),
            ("a@@b.org", "a@b.org"),
            ("@[F123]bright@n", "bright"),
            ("x @ y @! @", "x @ y @! @"),
            ("@", "@"),
            ("@é", "@é"),
        ] {
            assert_eq!(without_colours(text), plain);
        }
    }

    #[test]
    fn numbers_that_stand_for_nothing_are_none() {
        assert_eq!(vnum_or_none(-1), None);
        assert_eq!(vnum_or_none(65_535), None);
        assert_eq!(vnum_or_none(0), Some(0));
        assert_eq!(key_or_none(0), None);
        assert_eq!(key_or_none(8020), Some(8020));
    }
}
