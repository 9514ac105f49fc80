//! Agent keys: `dp_` and 64 hex digits, from the operating system's randomness, shown once.
//!
//! Keeping them is `crate::store::keys`. A key is found by its digest, so no comparison of secrets takes a time that
//! depends on how much of a guess was right.

use super::{digest, random_hex};
use crate::credentials::key_digits;

pub use crate::credentials::KEY_MARK as MARK;
const PREFIX_DIGITS: usize = 8;

/// A whole key. Its `Debug` shows the prefix only.
#[derive(Clone, PartialEq, Eq)]
pub struct IssuedKey {
    /// Private, because it always has the form that `parse` accepts, in lower case.
    key: String,
}

pub fn generate() -> IssuedKey {
    IssuedKey { key: format!("{MARK}{}", random_hex()) }
}

/// Text that has the form of a key; whether there is such a key is another question. Spaces around it and the case
/// of the digits do not matter.
pub fn parse(text: &str) -> Option<IssuedKey> {
    key_digits(text).map(|digits| IssuedKey { key: format!("{MARK}{}", digits.to_ascii_lowercase()) })
}

/// Whether the text has the form of the digits that lists show, in lower case.
pub fn is_prefix(text: &str) -> bool {
    text.len() == PREFIX_DIGITS && text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

impl IssuedKey {
    /// The whole key, for the one time it is shown.
    pub fn reveal(&self) -> &str {
        &self.key
    }

    /// The first 8 hex digits.
    pub fn prefix(&self) -> &str {
        &self.key[MARK.len()..MARK.len() + PREFIX_DIGITS]
    }

    /// SHA-256 of the whole key, hex: what is stored.
    pub fn digest(&self) -> String {
        digest(&self.key)
    }
}

impl std::fmt::Debug for IssuedKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{MARK}{}…", self.prefix())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_key_parses_and_no_two_are_alike() {
        let key = generate();
        assert_eq!(parse(key.reveal()), Some(key.clone()));
        assert_eq!(key.reveal().len(), 67);
        assert!(is_prefix(key.prefix()));
        assert_ne!(key, generate());
        assert!(!format!("{key:?}").contains(&key.reveal()[11..]), "a log shows its prefix only");
    }

    #[test]
    fn only_the_form_of_a_key_is_a_key() {
        let digits = "0123456789abcdef".repeat(4);
        let upper = format!("  dp_{}\n", digits.to_uppercase());
        assert_eq!(parse(&upper).map(|key| key.reveal().to_owned()), Some(format!("dp_{digits}")));
        for (text, why) in [
            (digits.clone(), "without its mark"),
            (format!("dp_{}", &digits[1..]), "a digit short"),
            (format!("dp_{digits}0"), "a digit long"),
            (format!("dp_{}g", &digits[1..]), "not hex"),
            (format!("DP_{digits}"), "the mark is small"),
            (format!("dp_{}é", &digits[2..]), "64 bytes, not all digits"),
            (String::new(), "nothing"),
        ] {
            assert_eq!(parse(&text), None, "{why}");
        }
    }

    #[test]
    fn the_digest_is_sha_256_of_the_whole_key() {
        let key = parse(&format!("dp_{}", "00".repeat(32))).expect("it has the form");
        assert_eq!(key.digest(), digest(&format!("dp_{}", "0".repeat(64))));
        assert_eq!(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
