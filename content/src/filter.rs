//! `filter.toml` of a rule book: words that are masked for who wants that, and how often an equal line is said.
//!
//! A word is a run of letters, digits and marks on letters in whatever script, and is masked whole: `shitake` has
//! nothing of it. Invariant: masking changes no other sign of a text, and what was masked is not masked again.

use crate::problem::Problems;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Words of one filter.
pub const WORDS_MAX: usize = 1_000;
/// Characters of one of them.
pub const WORD_CHARS: usize = 40;
/// Ticks in which equal lines are counted, at most; and equal lines.
pub const REPEAT_TICKS_MAX: u64 = 1_800;
pub const REPEATS_MAX: u32 = 100;
/// What stands in the place of a word: one that any client shows, and a reader of screens says.
const MASK: &str = "[masked]";

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Filter {
    /// In lower case.
    pub words: BTreeSet<Box<str>>,
    /// So many equal lines of one speaker are said in so many ticks; 0 ticks: as many as it likes.
    pub repeats: u32,
    pub repeat_ticks: u64,
}

impl Default for Filter {
    /// Masks nothing and counts nothing.
    fn default() -> Filter {
        Filter { words: BTreeSet::new(), repeats: REPEATS_MAX, repeat_ticks: 0 }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    #[serde(default)]
    words: Vec<toml::Spanned<String>>,
    repeats: Option<Repeats>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Repeats {
    most: toml::Spanned<u32>,
    ticks: toml::Spanned<u64>,
}

fn is_of_word(sign: char) -> bool {
    sign.is_alphanumeric() || is_mark(sign)
}

/// Marks that stand on the letter before them.
fn is_mark(sign: char) -> bool {
    matches!(sign, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}')
}

/// In lower case, without marks: `Sh\u{301}IT` is no other word.
fn folded(word: &str) -> String {
    word.chars().filter(|sign| !is_mark(*sign)).flat_map(char::to_lowercase).collect()
}

impl Filter {
    /// The text without the words; borrowed where it has none of them.
    pub fn masked<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.words.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut masked = String::new();
        // Up to here the text is taken over.
        let mut taken = 0;
        let mut rest = 0;
        while let Some(from) = text[rest..].find(is_of_word).map(|at| rest + at) {
            let to = text[from..].find(|sign| !is_of_word(sign)).map_or(text.len(), |at| from + at);
            if self.words.contains(&*folded(&text[from..to])) {
                masked.push_str(&text[taken..from]);
                masked.push_str(MASK);
                taken = to;
            }
            rest = to;
        }
        if taken == 0 {
            return Cow::Borrowed(text);
        }
        masked.push_str(&text[taken..]);
        Cow::Owned(masked)
    }
}

/// Reads the text of `file`, with everything that is wrong with it.
pub fn read_filter(file: &str, text: &str) -> (Filter, Problems) {
    let mut problems = Problems::default();
    let line_at = |at: usize| text[..at.min(text.len())].bytes().filter(|byte| *byte == b'\n').count() as u32 + 1;
    let raw: Raw = match toml::from_str(text) {
        Ok(raw) => raw,
        Err(error) => {
            let line = line_at(error.span().map_or(0, |span| span.start));
            problems.error(file, line, error.message());
            return (Filter::default(), problems);
        }
    };
    let mut filter = Filter::default();
    for word in raw.words {
        let line = line_at(word.span().start);
        let word = word.into_inner();
        let wrong = if word.is_empty() || !word.chars().all(char::is_alphanumeric) {
            Some("is not one word of letters and digits".to_string())
        } else if word.chars().count() > WORD_CHARS {
            Some(format!("has more than {WORD_CHARS} characters"))
        } else if folded(&word) != word {
            Some(format!("is not in lower case: {:?}", folded(&word)))
        } else if filter.words.len() == WORDS_MAX {
            Some(format!("is one too many: a filter has at most {WORDS_MAX} words"))
        } else if !filter.words.insert(word.as_str().into()) {
            Some("stands there already".to_string())
        } else {
            None
        };
        if let Some(wrong) = wrong {
            let shown: String = word.chars().take(WORD_CHARS).collect();
            problems.error(file, line, format!("the masked word {shown:?} {wrong}"));
        }
    }
    if let Some(Repeats { most, ticks }) = raw.repeats {
        if !(1..=REPEATS_MAX).contains(most.get_ref()) {
            problems.error(file, line_at(most.span().start), format!("most is 1 to {REPEATS_MAX}"));
        }
        if !(1..=REPEAT_TICKS_MAX).contains(ticks.get_ref()) {
            problems.error(file, line_at(ticks.span().start), format!("ticks is 1 to {REPEAT_TICKS_MAX}"));
        }
        (filter.repeats, filter.repeat_ticks) = (most.into_inner(), ticks.into_inner());
    }
    (filter, problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(words: &[&str]) -> Filter {
        let words = words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ");
        let (filter, problems) = read_filter("filter.toml", &format!("words = [{words}]"));
        assert!(!problems.has_errors(), "{:?}", problems.0);
        filter
    }

    #[test]
    fn whole_words_are_masked_in_any_case_and_script() {
        let filter = filter(&["damn", "\u{434}\u{443}\u{440}\u{430}\u{43a}"]);
        for (text, masked) in [
            ("Damn, DAMN!", "[masked], [masked]!"),
            ("damned goddamn da-mn dam n", "damned goddamn da-mn dam n"),
            ("\u{414}\u{423}\u{420}\u{410}\u{41a} you are", "[masked] you are"),
            ("da\u{301}mn", "[masked]"),
            ("\u{1f600}damn\u{1f600}", "\u{1f600}[masked]\u{1f600}"),
            ("", ""),
        ] {
            assert_eq!(filter.masked(text), masked, "{text}");
            assert_eq!(filter.masked(masked), masked, "again");
        }
        assert!(matches!(filter.masked("nothing of it"), Cow::Borrowed(_)));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let text =
            "words = [\n\"ok\",\n\"two words\",\n\"Ok\",\n\"ok\",\n\"\",\n]\n[repeats]\nmost = 0\nticks = 9999\n";
        let (filter, problems) = read_filter("filter.toml", text);
        let told: Vec<String> = problems.0.iter().map(ToString::to_string).collect();
        let lines: Vec<u32> = problems.0.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [3, 4, 5, 6, 9, 10], "{told:#?}");
        assert_eq!(filter.words.len(), 1);
        for (text, line) in
            [("words = 3", 1), ("words = []\nwrods = []", 2), ("[repeats]\nmost = 1", 1), ("words = [", 1)]
        {
            let (_, problems) = read_filter("filter.toml", text);
            assert_eq!(problems.0.iter().map(|problem| problem.line).collect::<Vec<_>>(), [line], "{text}");
        }
    }
}
