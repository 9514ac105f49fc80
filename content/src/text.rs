//! Shared texts: equal strings of a world mostly become one allocation ("", "door", "It is closed.").
//!
//! A lossy table: it remembers the first text of each slot only, so it costs one hash and at most one comparison per
//! text and never grows. (To remember the last one instead costs a cold reference count per text.)
//! What it gives depends on nothing but the texts and their order.

use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// Shared immutable text of content. Pointer-sized copies; equal texts may or may not share.
pub type Text = Arc<str>;

const SLOTS: usize = 1 << 16;

pub(crate) struct Texts {
    /// The hash beside the text saves a look at the text where they differ.
    slots: Vec<(u64, Option<Text>)>,
    empty: Text,
}

impl Default for Texts {
    fn default() -> Texts {
        Texts { slots: vec![(0, None); SLOTS], empty: Text::from("") }
    }
}

impl Texts {
    pub fn share(&mut self, text: &str) -> Text {
        if text.is_empty() {
            return self.empty.clone();
        }
        let hash = xxh3_64(text.as_bytes());
        let slot = &mut self.slots[hash as usize % SLOTS];
        match slot {
            (known_hash, Some(known)) if *known_hash == hash && **known == *text => known.clone(),
            (known_hash, free @ None) => {
                *known_hash = hash;
                free.insert(Text::from(text)).clone()
            }
            _ => Text::from(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_share_one_allocation() {
        let mut texts = Texts::default();
        let (a, b) = (texts.share("a door"), texts.share("a door"));
        assert!(Arc::ptr_eq(&a, &b));
        assert!(Arc::ptr_eq(&texts.share(""), &texts.share("")));
        assert_eq!(&*texts.share("a gate"), "a gate");
    }
}
