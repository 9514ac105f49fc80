//! Chance from the operating system: seeds of worlds, dice and sessions. What the world draws is `world::rng`'s.

/// 64 bits that nobody can guess.
pub fn random_u64() -> u64 {
    getrandom::u64().expect("the operating system has random numbers")
}
