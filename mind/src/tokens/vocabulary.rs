//! The tokens of the vocabulary, in three flat tables: the bytes of all, one behind the other by rank; where each ends;
//! and a hash table of slots (`hash.rs`). Numbers are of 32 bits, little-endian.

use super::hash::{RANK_BITS, SLOTS, place};

static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/token_bytes"));
static ENDS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/token_ends"));
static TABLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/token_slots"));

const RANK_MASK: u32 = (1 << RANK_BITS) - 1;

fn number(table: &[u8], at: usize) -> u32 {
    let bytes = table[4 * at..4 * at + 4].first_chunk().expect("four bytes are four bytes");
    u32::from_le_bytes(*bytes)
}

fn token(rank: u32) -> &'static [u8] {
    let rank = rank as usize;
    let begin = if rank == 0 { 0 } else { number(ENDS, rank - 1) };
    &BYTES[begin as usize..number(ENDS, rank) as usize]
}

/// The rank of these bytes, which is the token's id; `None` where they are no token.
pub fn rank(bytes: &[u8]) -> Option<u32> {
    let (mut slot, high) = place(bytes);
    loop {
        let held = number(TABLE, slot);
        if held == 0 {
            return None;
        }
        let rank = (held & RANK_MASK) - 1;
        if held & !RANK_MASK == high && token(rank) == bytes {
            return Some(rank);
        }
        slot = (slot + 1) % SLOTS;
    }
}
