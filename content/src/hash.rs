//! The hash of a value: XXH3-64 over its postcard encoding, for fingerprints of content and rules and for hashes of the
//! world's state.
//!
//! Streamed, so that no encoding is ever held in memory. Equal on every machine, as postcard writes integers in one
//! order.

use postcard::ser_flavors::Flavor;
use serde::Serialize;
use xxhash_rust::xxh3::Xxh3;

/// XXH3-64 of a value's postcard encoding. Its lists must know their length, as those of the standard library do.
pub fn of<T: Serialize>(value: &T) -> u64 {
    let sink = Hasher { state: Box::default(), waiting: [0; CHUNK], filled: 0 };
    postcard::serialize_with_flavor(value, sink)
        .expect("nothing here has a sequence of unknown length, and a hash no end")
}

/// Bytes gathered before the hash takes them: postcard hands over single bytes, which XXH3 is slow at.
const CHUNK: usize = 1024;

/// A place to write an encoding to, of which only the hash stays.
struct Hasher {
    state: Box<Xxh3>,
    waiting: [u8; CHUNK],
    filled: usize,
}

impl Hasher {
    fn flush(&mut self) {
        self.state.update(&self.waiting[..self.filled]);
        self.filled = 0;
    }
}

impl Flavor for Hasher {
    type Output = u64;

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        if self.filled == CHUNK {
            self.flush();
        }
        self.waiting[self.filled] = byte;
        self.filled += 1;
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        if self.filled + bytes.len() > CHUNK {
            self.flush();
        }
        if bytes.len() > CHUNK {
            self.state.update(bytes);
        } else {
            self.waiting[self.filled..self.filled + bytes.len()].copy_from_slice(bytes);
            self.filled += bytes.len();
        }
        Ok(())
    }

    fn finalize(mut self) -> postcard::Result<u64> {
        self.flush();
        Ok(self.state.digest())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streamed_in_pieces_a_hash_is_that_of_the_whole_encoding() {
        let value: (Vec<u32>, String, Vec<String>) =
            ((0..5_000).collect(), "long ".repeat(700), (0..900).map(|n| "ab".repeat(n % 40)).collect());
        let encoded = postcard::to_stdvec(&value).expect("it encodes");
        assert_eq!(of(&value), xxhash_rust::xxh3::xxh3_64(&encoded));
    }
}
