//! How sure a share is that was counted: the interval of Wilson (1927) for a proportion.
//!
//! Invariant: only additions, multiplications, divisions and square roots, which are the same bits on every machine.

use serde::Serialize;

/// The normal deviate that 95 % lie within.
const DEVIATE: f64 = 1.959_963_984_540_054;

/// In how many of all samples something happened, and between what the true share lies with 95 % certainty.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Share {
    pub p: f64,
    pub low: f64,
    pub high: f64,
}

impl Share {
    /// `of` is not 0.
    pub fn of(count: u64, of: u64) -> Share {
        let (n, p) = (of as f64, count as f64 / of as f64);
        let z2 = DEVIATE * DEVIATE;
        let middle = p + z2 / (2.0 * n);
        let half = DEVIATE * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
        let bound = |at: f64| rounded((at / (1.0 + z2 / n)).clamp(0.0, 1.0));
        // Exact at the ends, where the sums are only nearly so.
        let low = if count == 0 { 0.0 } else { bound(middle - half) };
        let high = if count == of { 1.0 } else { bound(middle + half) };
        Share { p: rounded(p), low, high }
    }
}

/// To six places: a sample of 100,000 changes the fifth.
pub fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures of the formula by hand, and of Newcombe (1998), table I, for 81 of 263, 15 of 148, 0 of 20, 1 of 29.
    #[test]
    fn the_interval_is_wilsons() {
        for (count, of, low, high) in
            [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
        {
            let share = Share::of(count, of);
            let near = |one: f64, other: f64| (one - other).abs() < 0.000_05;
            assert!(near(share.low, low) && near(share.high, high), "{count} of {of}: {share:?}");
        }
    }

    #[test]
    fn it_holds_the_share_and_ends_where_shares_end() {
        for of in [1, 2, 7, 1_000, 100_000] {
            for count in [0, 1, of / 2, of] {
                let Share { p, low, high } = Share::of(count, of);
                assert!((0.0..=p).contains(&low) && (p..=1.0).contains(&high), "{count} of {of}: {low} {p} {high}");
                assert_eq!((low == 0.0, high == 1.0), (count == 0, count == of), "{count} of {of}");
            }
        }
    }
}
