//! How many tokens a text is: `o200k_base`, the vocabulary of OpenAI's current models, exactly.
//!
//! The vocabulary is made into flat tables when this crate is built (`build.rs`) and is part of the program: nothing is
//! loaded or unpacked, and of its 4 MB only the pages that are looked into take memory, which all processes share.
//! `pieces` cuts a text as the vocabulary's pattern does, `vocabulary` knows its tokens, `merging` makes tokens of a
//! piece that is none. Other makers' models cut text differently; for them a count is raised by
//! `OTHER_MODELS_PERCENT`, so that a prompt that fits here fits there too.
//!
//! Invariants: the tokens are those of the crate `tiktoken-rs`, which the tests compare them with. Counts add up over
//! pieces that end in a line break and go on with neither white space nor `/`, since no token of this vocabulary
//! crosses such a place. That lets a prompt be measured piece by piece.

mod hash;
mod merging;
mod pieces;
mod vocabulary;

use pieces::Pieces;

/// What 100 tokens of `o200k_base` may be with a model that is not OpenAI's, at most, in English prose and tables.
pub const OTHER_MODELS_PERCENT: usize = 115;

/// The number of tokens. Marks such as `<|endoftext|>` count as the plain text that they are here.
pub fn count(text: &str) -> usize {
    let mut count = 0;
    each(text, |_| count += 1);
    count
}

/// Whether a text has no more tokens than there is room for. Reads no further than it must, which for what is far too
/// long costs as little as for what just fits.
pub fn fits(text: &str, room: usize) -> bool {
    // No token is shorter than a byte.
    if text.len() <= room {
        return true;
    }
    let mut count = 0;
    for piece in Pieces::of(text) {
        of_piece(piece, &mut |_| count += 1);
        if count > room {
            return false;
        }
    }
    true
}

/// The tokens themselves, for measures such as the longest common beginning of two prompts.
pub fn ids(text: &str) -> Vec<u32> {
    let mut ids = Vec::new();
    each(text, |rank| ids.push(rank));
    ids
}

fn each(text: &str, mut token: impl FnMut(u32)) {
    Pieces::of(text).for_each(|piece| of_piece(piece, &mut token));
}

fn of_piece(piece: &[u8], token: &mut impl FnMut(u32)) {
    match vocabulary::rank(piece) {
        Some(rank) => token(rank),
        None => merging::tokens(piece, token),
    }
}

/// Whether `count` is this model's own count, by its name: `gpt-5-mini`, `openai/o4`, `chatgpt-4o-latest`.
pub fn counts_exactly(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    let reasoning = name.strip_prefix('o').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    reasoning || name.starts_with("gpt-") || name.starts_with("chatgpt-")
}

/// How many tokens of ours fit where the model allows `limit` of its own.
pub fn room_of(limit: usize, model: &str) -> usize {
    if counts_exactly(model) { limit } else { limit * 100 / OTHER_MODELS_PERCENT }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tiktoken_rs::o200k_base_singleton;

    /// Letters of each class of the pattern and signs that it names, among them what looks like another.
    const LETTERS: &[char] = &[
        'a',
        'b',
        's',
        't',
        'r',
        'e',
        'v',
        'm',
        'l',
        'd',
        'S',
        'T',
        'R',
        'E',
        'L',
        'Z',
        'é',
        'ß',
        'ſ',
        'İ',
        'Ǆ',
        'ǅ',
        'ʰ',
        'ª',
        '中',
        '界',
        'ア',
        '한',
        'ا',
        'ख',
        '\u{301}',
        '\u{903}',
        '\u{20dd}',
        '0',
        '7',
        '٣',
        '½',
        'Ⅷ',
        '²',
        '\'',
        '’',
        '/',
        '.',
        ',',
        '!',
        '-',
        '_',
        '<',
        '|',
        '>',
        '€',
        '🙂',
        '\u{200d}',
        '\u{fe0f}',
        '\u{0}',
        '\u{7f}',
        ' ',
        '\t',
        '\n',
        '\r',
        '\u{b}',
        '\u{85}',
        '\u{a0}',
        '\u{2003}',
        '\u{2028}',
        '\u{3000}',
        '\u{200b}',
        '\u{feff}',
        '\u{e000}',
        '\u{378}',
        '\u{10ffff}',
        'Ꙁ',
        'ꙁ',
        '𐐀',
        '𐐨',
        '𝒜',
    ];

    fn same(text: &str) -> Result<(), TestCaseError> {
        let wanted = o200k_base_singleton().encode_ordinary(text);
        prop_assert_eq!(count(text), wanted.len(), "{:?}", text);
        prop_assert_eq!(ids(text), wanted, "{:?}", text);
        Ok(())
    }

    #[test]
    fn each_letter_there_is_has_the_same_tokens_alone_and_beside_others() {
        let mut text = String::new();
        for letter in char::MIN..=char::MAX {
            text.extend([letter, 'a', letter, 'B', '1', letter, letter, '.', letter, '\'', 's', ' ', letter, '\n']);
            if text.len() > 4_096 {
                same(&text).expect("the same tokens");
                text.clear();
            }
        }
        same(&text).expect("the same tokens");
    }

    #[test]
    fn a_long_word_that_nobody_knows_is_cut_as_elsewhere() {
        for (word, times) in [("a", 20_000), ("xq", 3_000), ("中", 2_000), ("  ", 5_000), ("=-", 400), ("\n\r", 300)] {
            same(&word.repeat(times)).expect("the same tokens");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn tokens_are_those_of_the_reference(
            letters in prop::collection::vec(prop::sample::select(LETTERS), 0..40), any in "\\PC{0,20}", ascii in "[ -~\n]{0,60}"
        ) {
            let text: String = letters.into_iter().collect();
            same(&text)?;
            same(&any)?;
            same(&ascii)?;
            same(&format!("{text}{ascii}{any}{text}"))?;
            let tokens = count(&ascii);
            prop_assert!(fits(&ascii, tokens) && (tokens == 0 || !fits(&ascii, tokens - 1)));
        }
    }
}
