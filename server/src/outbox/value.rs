//! A variable's value as it was read: JSON that several agents may share, with what it is compared by.

use std::hash::Hasher;
use std::sync::Arc;

/// JSON text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    json: Arc<str>,
    hash: u64,
}

impl Value {
    pub fn json(&self) -> &str {
        &self.json
    }

    /// Values of the same hash count as equal; never 0.
    pub fn hash(&self) -> u64 {
        self.hash
    }
}

impl From<&str> for Value {
    fn from(json: &str) -> Value {
        Value { hash: hash_of(json), json: json.into() }
    }
}

/// A fixed hash, never 0: equal texts are equal on any machine, though here it only has to be quick.
pub fn hash_of(text: &str) -> u64 {
    struct Fnv(u64);
    impl Hasher for Fnv {
        fn finish(&self) -> u64 {
            self.0
        }
        fn write(&mut self, bytes: &[u8]) {
            for chunk in bytes.chunks(8) {
                let mut word = [0u8; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                self.0 = (self.0.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x517c_c1b7_2722_0a95);
                self.0 ^= self.0 >> 29;
            }
        }
    }
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325 ^ text.len() as u64);
    hasher.write(text.as_bytes());
    hasher.finish().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_differ_anywhere_have_other_hashes() {
        let long = "x".repeat(100);
        let texts = ["", "0", "1", "10", "[]", &long, &long[1..], &format!("{}y", &long[1..])];
        for (n, a) in texts.iter().enumerate() {
            assert_ne!(Value::from(*a).hash(), 0);
            for (m, b) in texts.iter().enumerate() {
                assert_eq!(Value::from(*a).hash() == Value::from(*b).hash(), n == m, "{a:?} {b:?}");
            }
        }
    }
}
