//! Which dialect a set of Circle-family files is written in, found by the number of fields per line.
//!
//! Object lines decide, since all three differ there (3 or 4, 9, 13 fields); without objects the zone headers and room
//! lines do. A single record with the short layout in a wide set is read with the stock tables, as old areas that were
//! added to a newer world are.

use super::lexer::Lexer;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Dialect {
    /// CircleMUD 3.0 and 3.1.
    Stock,
    Tbamud,
    DarkPawns,
}

impl Dialect {
    /// The dialect of an object's type line with so many fields.
    pub fn of_object_line(fields: usize) -> Dialect {
        match fields {
            13.. => Dialect::Tbamud,
            9.. => Dialect::DarkPawns,
            _ => Dialect::Stock,
        }
    }

    /// The dialect whose tables fit a wide room or mob line in a set of this dialect.
    pub fn when_wide(self) -> Dialect {
        if self == Dialect::Stock { Dialect::Tbamud } else { self }
    }

    /// Looks at the first record of each file.
    pub fn of_files<'s>(
        objects: impl Iterator<Item = &'s str>,
        zones: impl Iterator<Item = &'s str>,
        rooms: impl Iterator<Item = &'s str>,
        mobs: impl Iterator<Item = &'s str>,
    ) -> Dialect {
        let mut votes = [0usize; 3];
        for fields in objects.filter_map(|text| fields_after_texts(text, 4)) {
            votes[Dialect::of_object_line(fields) as usize] += 1;
        }
        if let Some(most) = votes.iter().copied().max().filter(|most| *most > 0) {
            let all = [Dialect::Stock, Dialect::Tbamud, Dialect::DarkPawns];
            return all.into_iter().find(|d| votes[*d as usize] == most).unwrap_or(Dialect::Stock);
        }
        if zones.into_iter().any(has_builders_line) {
            return Dialect::Tbamud;
        }
        let wide_rooms = rooms.filter_map(|text| fields_after_texts(text, 2)).any(|fields| fields >= 6);
        let wide_mobs = mobs.filter_map(|text| fields_after_texts(text, 4)).any(|fields| fields >= 10);
        if wide_rooms || wide_mobs { Dialect::DarkPawns } else { Dialect::Stock }
    }
}

/// Fields of the line after the first record's texts.
fn fields_after_texts(text: &str, texts: usize) -> Option<usize> {
    let mut lexer = Lexer::new(text);
    lexer.line()?.record_number()?;
    for _ in 0..texts {
        lexer.text("").ok()?;
    }
    Some(lexer.line()?.tokens().count())
}

fn has_builders_line(text: &str) -> bool {
    let mut lexer = Lexer::new(text);
    lexer.line();
    lexer.line();
    lexer.line().is_some_and(|line| line.tokens().number("").is_err())
}
