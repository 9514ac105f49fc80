//! Hashes of the state: two worlds with equal hashes are the same world, and what differs is named by its section.
//!
//! Each section is XXH3-64 over its postcard encoding, streamed entity by entity, so that no encoding is ever held in
//! memory. Free lists, generations and counters are part of it, as they decide what comes next; lists of touched
//! entities and caches are not. Equal on every machine, as postcard writes integers in one order.

use crate::world::{State, World};
use postcard::ser_flavors::Flavor;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StateHashes {
    pub rooms: u64,
    /// With the lists that name characters: players, fighters, those who wait, counts of mobs.
    pub characters: u64,
    /// With the counts of objects.
    pub objects: u64,
    pub zones: u64,
    /// Clock, weather, seed, number of the last input, the next serial.
    pub clock: u64,
    /// Of the five above.
    pub all: u64,
}

impl StateHashes {
    /// Names of the sections that differ; empty when the hashes are equal.
    pub fn differences(&self, other: &StateHashes) -> Vec<&'static str> {
        [
            ("rooms", self.rooms, other.rooms),
            ("characters", self.characters, other.characters),
            ("objects", self.objects, other.objects),
            ("zones", self.zones, other.zones),
            ("clock", self.clock, other.clock),
        ]
        .into_iter()
        .filter(|(_, a, b)| a != b)
        .map(|(name, _, _)| name)
        .collect()
    }
}

impl World {
    pub fn hashes(&self) -> StateHashes {
        self.state.hashes()
    }

    /// The state as it is now: a copy of pointers, to be hashed or written on another thread.
    pub fn snapshot(&self) -> State {
        self.state.clone()
    }
}

impl State {
    /// Takes about as long as encoding the whole state; never needed while a tick waits.
    pub fn hashes(&self) -> StateHashes {
        let rooms = of(&self.rooms);
        let characters = of(&(&self.characters, &self.waiting, &self.fighters, &self.players, &self.mob_counts));
        let objects = of(&(&self.objects, &self.object_counts));
        let zones = of(&self.zones);
        let clock = of(&(&self.clock, &self.weather, self.seed, self.number, self.next_serial));
        let all = of(&[rooms, characters, objects, zones, clock]);
        StateHashes { rooms, characters, objects, zones, clock, all }
    }
}

/// XXH3-64 of a value's postcard encoding. Its lists must know their length, as those of the standard library do.
pub(crate) fn of<T: Serialize>(value: &T) -> u64 {
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
