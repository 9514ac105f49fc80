//! A phrase that is looked for: whole words, in their order, one right behind the other, in any case.
//!
//! A word is a run of letters and digits, so commas, quotes and line breaks between two words part nothing.

/// Words in lower case; at least one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Phrase {
    words: Vec<Box<str>>,
    /// The longest of them: most texts do not have it, and are done with at once.
    longest: usize,
}

impl Phrase {
    /// `None`: there is no word in it.
    pub fn of(text: &str) -> Option<Phrase> {
        let words: Vec<Box<str>> = words(text).map(|word| word.to_lowercase().into()).collect();
        let longest = (0..words.len()).max_by_key(|n| words[*n].len())?;
        Some(Phrase { words, longest })
    }

    pub fn is_in(&self, text: &str) -> bool {
        if text.is_ascii() && !has(text.as_bytes(), self.words[self.longest].as_bytes()) {
            return false;
        }
        let mut rest = words(text);
        loop {
            let mut here = rest.clone();
            if rest.next().is_none() {
                return false;
            }
            if self.words.iter().all(|word| here.next().is_some_and(|other| is_same(other, word))) {
                return true;
            }
        }
    }
}

/// Whether these letters are somewhere in it, in any case.
fn has(text: &[u8], lower: &[u8]) -> bool {
    let first = lower[0];
    text.windows(lower.len()).any(|part| part[0] | 0x20 == first && part.eq_ignore_ascii_case(lower))
}

fn words(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn is_same(word: &str, lower: &str) -> bool {
    match word.is_ascii() {
        true => word.eq_ignore_ascii_case(lower),
        false => word.chars().flat_map(char::to_lowercase).eq(lower.chars()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_in_order_and_in_any_case_are_found() {
        for (phrase, text, is_in) in [
            ("the vault", "Bob says, \"THE Vault, is open.\"", true),
            ("the vault", "the\nvault", true),
            ("the vault", "the the vault", true),
            ("the vault", "The old vault", false),
            ("the vault", "vault the", false),
            ("vault", "vaults", false),
            ("vault", "the_vault", true),
            ("don't go", "Don't go!", true),
            ("ÄRGER im", "ärger IM haus", true),
            ("ärger", "arger", false),
            ("a a b", "a a a b", true),
            ("vault", "", false),
        ] {
            assert_eq!(Phrase::of(phrase).expect("words").is_in(text), is_in, "{phrase:?} in {text:?}");
        }
        assert_eq!((Phrase::of(""), Phrase::of(" -- ! ")), (None, None));
    }
}
