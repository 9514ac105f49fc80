//! Keys of agents, `dp_` and 64 hex digits, and of hosts, `dh_` and as many, from the operating system's randomness,
//! shown once.
//!
//! Keeping them is `crate::store::{keys, owner_keys}`. A key is found by its digest, so no comparison of secrets takes
//! a time that depends on how much of a guess was right.

use super::{digest, random_hex};
use crate::credentials::{HOST_KEY_MARK, KEY_MARK, host_key_digits, key_digits};
use serde::{Deserialize, Serialize};

const PREFIX_DIGITS: usize = 8;

/// A key by its number in lists. Each kind counts by itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum KeyId {
    /// Logs in one character.
    Agent(i64),
    /// Lets a program play all agents of its owner.
    Host(i64),
}

/// As lists show it and `revoke` takes it: `7`, and `h7` for a host's.
impl std::fmt::Display for KeyId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            KeyId::Agent(id) => write!(f, "{id}"),
            KeyId::Host(id) => write!(f, "h{id}"),
        }
    }
}

impl std::str::FromStr for KeyId {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<KeyId, Self::Err> {
        match text.strip_prefix('h') {
            Some(number) => number.parse().map(KeyId::Host),
            None => text.parse().map(KeyId::Agent),
        }
    }
}

/// A whole key. Its `Debug` shows the prefix only.
#[derive(Clone, PartialEq, Eq)]
pub struct IssuedKey {
    /// Private, because it always has the form that `parse` accepts, in lower case.
    key: String,
}

pub fn generate() -> IssuedKey {
    IssuedKey { key: format!("{KEY_MARK}{}", random_hex()) }
}

pub fn generate_for_host() -> IssuedKey {
    IssuedKey { key: format!("{HOST_KEY_MARK}{}", random_hex()) }
}

/// Text that has the form of a key; whether there is such a key is another question. Spaces around it and the case
/// of the digits do not matter.
pub fn parse(text: &str) -> Option<IssuedKey> {
    key_digits(text).map(|digits| IssuedKey { key: format!("{KEY_MARK}{}", digits.to_ascii_lowercase()) })
}

/// The same of a host's key.
pub fn parse_host(text: &str) -> Option<IssuedKey> {
    host_key_digits(text).map(|digits| IssuedKey { key: format!("{HOST_KEY_MARK}{}", digits.to_ascii_lowercase()) })
}

/// Text without the mark of either kind.
pub fn without_mark(text: &str) -> &str {
    text.strip_prefix(KEY_MARK).or_else(|| text.strip_prefix(HOST_KEY_MARK)).unwrap_or(text)
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
        &without_mark(&self.key)[..PREFIX_DIGITS]
    }

    /// The mark and the first 8 digits: what may be shown of it.
    pub fn shown(&self) -> &str {
        &self.key[..KEY_MARK.len().max(HOST_KEY_MARK.len()) + PREFIX_DIGITS]
    }

    /// SHA-256 of the whole key, hex: what is stored.
    pub fn digest(&self) -> String {
        digest(&self.key)
    }
}

impl std::fmt::Debug for IssuedKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}…", self.shown())
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
        let host = generate_for_host();
        assert_eq!((parse_host(host.reveal()), parse(host.reveal())), (Some(host.clone()), None));
        assert_eq!((host.reveal().len(), parse_host(key.reveal())), (67, None));
        assert_eq!(format!("{host:?}"), format!("dh_{}…", host.prefix()));
    }

    #[test]
    fn a_number_of_a_key_says_which_kind_it_is_of() {
        for (text, id) in [("7", KeyId::Agent(7)), ("h7", KeyId::Host(7))] {
            assert_eq!((text.parse(), id.to_string()), (Ok(id), text.to_string()));
        }
        assert!("h".parse::<KeyId>().is_err() && "dh_7".parse::<KeyId>().is_err());
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
