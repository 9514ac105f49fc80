//! Texts that recur, read once: the same name in ten thousand records is one text in memory.
//!
//! For fields of shapes that are read in masses, as `#[serde(deserialize_with = "crate::shared::text")]`. Each thread
//! keeps a small table of what it read last; a text that is not there any more is simply made anew.
//!
//! Invariant: it changes no value, only where its bytes are.

use serde::Deserializer;
use serde::de::{Error, Visitor};
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

/// Texts that a thread keeps; a power of two.
const PLACES: usize = 4_096;
/// Longest text that is kept, bytes: names, not speeches.
const LENGTH_MAX: usize = 64;

thread_local! {
    static KEPT: RefCell<Vec<Option<Arc<str>>>> = const { RefCell::new(Vec::new()) };
}

/// Where a text is kept: the multiplicative hash of its bytes, eight at a time.
fn place_of(text: &str) -> usize {
    let mut hash = text.len() as u64;
    let mut chunks = text.as_bytes().chunks_exact(8);
    let mut mix = |word: u64| hash = (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for chunk in &mut chunks {
        mix(chunk.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
    }
    mix(chunks.remainder().iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
    (hash >> 52) as usize % PLACES
}

/// A text with these words, shared with others that this thread made of late.
pub fn of(text: &str) -> Arc<str> {
    if text.len() > LENGTH_MAX {
        return text.into();
    }
    KEPT.with_borrow_mut(|kept| {
        if kept.is_empty() {
            kept.resize(PLACES, None);
        }
        match &mut kept[place_of(text)] {
            Some(known) if **known == *text => known.clone(),
            place => {
                let made: Arc<str> = text.into();
                *place = Some(made.clone());
                made
            }
        }
    })
}

struct Shared;

impl Visitor<'_> for Shared {
    type Value = Arc<str>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Arc<str>, E> {
        Ok(of(text))
    }
}

/// Reads a text.
pub fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<str>, D::Error> {
    deserializer.deserialize_str(Shared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reads_alike_is_one_text_and_what_does_not_is_not() {
        let read = |json: &str| text(&mut serde_json::Deserializer::from_str(json)).expect("a string");
        let (a, b, other) = (read(r#""The Dark Cave""#), read(r#""The Dark \u0043ave""#), read(r#""The Dark Care""#));
        assert!(Arc::ptr_eq(&a, &b) && *other == *"The Dark Care");
        // Twice as many names as there are places: some push others out, none turns into another.
        for number in 0..2 * PLACES {
            let name = format!("name {number}");
            assert_eq!(*of(&name), *name);
        }
        assert_eq!(*a, *of("The Dark Cave"));
        let long = "x".repeat(LENGTH_MAX + 1);
        assert!(!Arc::ptr_eq(&of(&long), &of(&long)));
        assert!(text(&mut serde_json::Deserializer::from_str("7")).is_err());
    }
}
