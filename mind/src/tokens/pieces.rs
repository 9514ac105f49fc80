//! A text cut into the pieces that tokens do not cross, as the pattern of `o200k_base` cuts it. By hand, since a
//! regular expression that can look ahead and step back costs more than all the rest. The pattern, whose alternatives
//! are tried in this order (a run is as long as it can be, and gives back what an alternative needs):
//!
//! 1. perhaps one sign, upper letters, then at least one lower letter, perhaps `'s 't 're 've 'm 'll 'd`;
//! 2. perhaps one sign, at least one upper letter, lower letters, perhaps the same endings;
//! 3. one to three digits;
//! 4. perhaps a blank, signs, then line breaks and `/`;
//! 5. white space up to its last line break;
//! 6. white space, but for its last letter where something else follows;
//! 7. white space.
//!
//! Letters without case, and marks that go on letters, count as upper and lower (`Kind::Any`); a mark counts as a sign
//! too, a line break does not.

use Kind::{Any, Blank, Break, Digit, Lower, Mark, Sign, Upper};

/// What a letter is to the pattern: by its general category, or white space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Lu, Lt.
    Upper,
    /// Ll.
    Lower,
    /// Lm, Lo.
    Any,
    /// M.
    Mark,
    /// N.
    Digit,
    /// White space but line breaks.
    Blank,
    /// `\r`, `\n`.
    Break,
    /// All else.
    Sign,
}

// `RANGES: [(char, Kind); _]`, each up to the next, the first from the very first letter on.
include!(concat!(env!("OUT_DIR"), "/letters.rs"));

/// Endings that go with a word, after the `'`. The pattern takes letters of either case for each other, and by that
/// rule `ſ` for `s`.
const ENDINGS: [&str; 7] = ["s", "t", "re", "ve", "m", "ll", "d"];

fn kind(letter: char) -> Kind {
    match letter {
        'a'..='z' => Lower,
        ' ' => Blank,
        'A'..='Z' => Upper,
        '\r' | '\n' => Break,
        _ => RANGES[RANGES.partition_point(|(first, _)| *first <= letter) - 1].1,
    }
}

impl Kind {
    fn is_upper(self) -> bool {
        matches!(self, Upper | Any | Mark)
    }

    fn is_lower(self) -> bool {
        matches!(self, Lower | Any | Mark)
    }

    fn is_sign(self) -> bool {
        matches!(self, Sign | Mark)
    }

    fn is_space(self) -> bool {
        matches!(self, Blank | Break)
    }

    /// May stand before a word and belong to it.
    fn leads(self) -> bool {
        matches!(self, Sign | Mark | Blank)
    }
}

/// The pieces of a text, in order. Together they are the text.
pub struct Pieces<'t> {
    left: &'t str,
}

impl<'t> Pieces<'t> {
    pub fn of(text: &'t str) -> Pieces<'t> {
        Pieces { left: text }
    }
}

impl<'t> Iterator for Pieces<'t> {
    type Item = &'t [u8];

    fn next(&mut self) -> Option<&'t [u8]> {
        if self.left.is_empty() {
            return None;
        }
        let (piece, left) = self.left.split_at(length(self.left));
        self.left = left;
        Some(piece.as_bytes())
    }
}

/// Bytes of the first piece of a text that is not empty.
fn length(text: &str) -> usize {
    let first = text.chars().next().expect("it is not empty");
    let (kind, behind) = (kind(first), first.len_utf8());
    let lead = kind.leads().then_some(behind);
    let cased = lead.and_then(|lead| lower_word(text, lead)).or_else(|| lower_word(text, 0));
    let word = cased.or_else(|| lead.and_then(|lead| upper_word(text, lead))).or_else(|| upper_word(text, 0));
    if let Some(end) = word {
        return end + ending(&text[end..]);
    }
    match kind {
        Digit => run(text, 0, |kind| kind == Digit, 3),
        Sign | Mark => signs(text, 0),
        _ if first == ' ' && text[behind..].chars().next().is_some_and(|next| self::kind(next).is_sign()) => {
            signs(text, behind)
        }
        _ => space(text),
    }
}

/// Where a run of so many letters of a kind ends.
fn run(text: &str, from: usize, is: impl Fn(Kind) -> bool, most: usize) -> usize {
    let taken = text[from..].chars().take(most).take_while(|letter| is(kind(*letter)));
    from + taken.map(char::len_utf8).sum::<usize>()
}

/// The end of alternative 1 without its ending, from behind the leading sign on.
fn lower_word(text: &str, from: usize) -> Option<usize> {
    let uppers = run(text, from, Kind::is_upper, usize::MAX);
    let lowers = run(text, uppers, Kind::is_lower, usize::MAX);
    if lowers > uppers {
        return Some(lowers);
    }
    // The last letter without case may be the lower one that is needed; those behind it are left for the next piece.
    let both = text[from..uppers].char_indices().rfind(|(_, letter)| kind(*letter).is_lower());
    both.map(|(at, letter)| from + at + letter.len_utf8())
}

/// The end of alternative 2 without its ending, where alternative 1 found nothing: then no lower letter follows.
fn upper_word(text: &str, from: usize) -> Option<usize> {
    let uppers = run(text, from, Kind::is_upper, usize::MAX);
    (uppers > from).then_some(uppers)
}

/// Bytes of the ending that goes with a word, 0 without one.
fn ending(text: &str) -> usize {
    let Some(behind) = text.strip_prefix('\'') else { return 0 };
    let found = ENDINGS.iter().find_map(|ending| {
        let mut letters = behind.chars();
        let mut length = 1;
        for wanted in ending.chars() {
            let letter = letters.next()?;
            let is = letter.eq_ignore_ascii_case(&wanted) || (wanted == 's' && letter == 'ſ');
            length += letter.len_utf8();
            if !is {
                return None;
            }
        }
        Some(length)
    });
    found.unwrap_or(0)
}

/// The end of alternative 4, from behind its blank on.
fn signs(text: &str, from: usize) -> usize {
    let end = run(text, from, Kind::is_sign, usize::MAX);
    end + text[end..].bytes().take_while(|byte| matches!(byte, b'\r' | b'\n' | b'/')).count()
}

/// The end of alternatives 5 to 7.
fn space(text: &str) -> usize {
    let end = run(text, 0, Kind::is_space, usize::MAX);
    if let Some(last) = text[..end].rfind(['\r', '\n']) {
        return last + 1;
    }
    let last = text[..end].chars().next_back().map_or(0, char::len_utf8);
    if end == text.len() || end == last { end } else { end - last }
}
