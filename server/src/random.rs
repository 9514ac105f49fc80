//! Chance from the operating system, for what is not the world's: seeds, dice of a character that is being made.

/// From the operating system.
pub fn random_u64() -> u64 {
    getrandom::u64().expect("the operating system has random numbers")
}
