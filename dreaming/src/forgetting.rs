//! How memories fade: the formula of decay by nights, and the night in which one is gone.
//!
//! Invariant: nothing is stored as it is now. Salience follows from the strength on one night and the nights since, so
//! sleeping costs nothing and looking changes nothing.

use crate::config::Terms;

/// The salience, 0..=1, of a memory of `strength` after `nights`, felt as strongly as `felt` (|valence|, 0..=3): a
/// night takes `decay_rate` of what is neutral, and as much of what is felt in 1 + `felt` nights.
/// Source: agent-mind §1 row 21.
pub fn salience(terms: &Terms, strength: f64, felt: f64, nights: i32) -> f64 {
    if nights <= 0 {
        return strength;
    }
    strength * libm::pow(1.0 - terms.decay_rate, f64::from(nights) / (1.0 + felt))
}

/// The first night after which a memory of `strength` on day `day` is below the threshold.
pub fn last_night(terms: &Terms, strength: f64, felt: f64, day: i32) -> i32 {
    let threshold = terms.prune_threshold;
    if strength < threshold {
        return day - 1;
    }
    /// Later than this is never.
    const NEVER: i32 = i32::MAX / 2;
    let kept = 1.0 - terms.decay_rate;
    if !(kept > 0.0 && kept < 1.0 && threshold > 0.0) {
        return NEVER;
    }
    let guess = libm::log(threshold / strength) / libm::log(kept) * (1.0 + felt);
    let mut nights = (libm::floor(guess) as i32).max(0);
    // The logarithm gives the place; the very formula that is used elsewhere decides.
    while nights > 0 && salience(terms, strength, felt, nights) < threshold {
        nights -= 1;
    }
    while salience(terms, strength, felt, nights) >= threshold {
        nights += 1;
    }
    day + nights - 1
}
