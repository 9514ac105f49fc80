//! Where a token is looked for in the table of slots. The table is made by `build.rs` with the very same code.
//!
//! Invariant: depends on nothing but the bytes, whatever machine builds and whatever machine runs.

/// Slots of the table, a power of two: a good third of them is in use, so what is no token is known as such at the
/// first or second look.
pub const SLOTS: usize = 1 << 19;
/// A slot holds the rank plus one (0: it is free) in its low bits, and bits of the hash in the others, so that another
/// token's bytes are hardly ever compared.
pub const RANK_BITS: u32 = 18;

/// The slot at which to begin, and the high bits of what it holds if the token is there.
pub fn place(bytes: &[u8]) -> (usize, u32) {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = bytes.len() as u64;
    for part in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        hash = (hash.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(FACTOR);
        hash ^= hash >> 32;
    }
    hash = hash.wrapping_mul(FACTOR);
    // Other bits choose the slot than are compared in it.
    ((hash >> 28) as usize % SLOTS, (hash >> 32) as u32 >> RANK_BITS << RANK_BITS)
}
