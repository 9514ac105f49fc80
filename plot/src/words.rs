//! Texts that hands write on a plot: bounded, and without characters that are not seen or that turn others round.

use crate::bounds::{LABEL_MAX, Text};
use crate::refusal::Refusal;
use protocol::names::is_unsafe;

/// The text without blanks around it. Empty texts, long ones and characters that play tricks are refused: control
/// characters, marks of direction, and what has no width. The joiner of emoji is one of these, too: a label is words,
/// and its kind has a picture of its own.
pub fn checked(text: &str, what: &'static str, max: usize) -> Result<Text, Refusal> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Refusal::NothingSaid(what));
    }
    if text.chars().any(is_unsafe) {
        return Err(Refusal::Characters(what));
    }
    let is = text.chars().count();
    if is > max {
        return Err(Refusal::TooLong { what, max, is });
    }
    Ok(Text::from(text))
}

/// Words of a hand between quotation marks, which they cannot close: whoever reads them, a model too, knows where they
/// end and that they are not the game's.
pub fn quoted(words: &str) -> String {
    format!("\"{}\"", words.replace('"', "'"))
}

/// The names' nearest to a word: a beginning, or a slip or two.
pub(crate) fn nearest<'n>(word: &str, names: impl Iterator<Item = &'n Text>) -> Option<&'n Text> {
    let word: String = word.chars().take(LABEL_MAX).flat_map(char::to_lowercase).collect();
    let longest = word.chars().count();
    let near = names.filter_map(|name| {
        let begins = longest > 2 && (name.starts_with(&word) || word.starts_with(&**name));
        let slips = if begins { 0 } else { slips(&word, name) };
        // A short word has few letters that could be right.
        (slips * 2 < longest.max(1) && slips <= 3).then_some((slips, name))
    });
    near.min().map(|(_, name)| name)
}

/// Letters to change, add or leave out to get from one to the other.
fn slips(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let changed = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::REASON_MAX;

    #[test]
    fn a_label_is_words_and_nothing_that_plays_tricks() {
        assert_eq!(checked("  Anna's house ", "label", LABEL_MAX).as_deref(), Ok("Anna's house"));
        assert_eq!(checked(" ", "label", LABEL_MAX), Err(Refusal::NothingSaid("label")));
        for trick in ["a\u{1b}[31mb", "a\u{202e}b", "a\u{200d}b", "a\nb", "a\u{2066}b", "\u{feff}a"] {
            assert_eq!(checked(trick, "label", LABEL_MAX), Err(Refusal::Characters("label")), "{trick:?}");
        }
        assert!(checked(&"ä".repeat(40), "label", LABEL_MAX).is_ok());
        assert_eq!(
            checked(&"ä".repeat(41), "label", LABEL_MAX),
            Err(Refusal::TooLong { what: "label", max: 40, is: 41 })
        );
        assert_eq!(
            checked(&"x".repeat(201), "reason", REASON_MAX),
            Err(Refusal::TooLong { what: "reason", max: 200, is: 201 })
        );
    }

    #[test]
    fn the_nearest_name_is_found_through_slips() {
        let names: Vec<Text> = ["house", "hut", "market", "well"].map(Text::from).into();
        for (word, meant) in [
            ("hose", Some("house")),
            ("Huose", Some("house")),
            ("marketplace", Some("market")),
            ("wel", Some("well")),
            ("zzz", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, names.iter()).map(|name| &**name), meant, "{word}");
        }
    }
}
