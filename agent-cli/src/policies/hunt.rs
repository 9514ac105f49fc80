//! Choosing fights that can be won.

use super::prey::{attack, prey, stranger};
use super::{Perception, Proposal};

pub fn hunt(seen: &Perception<'_>) -> Proposal {
    if seen.state.is_in("sleeping") {
        return Proposal::Pass;
    }
    // To size somebody up one need not get up.
    if let Some(step) = stranger(seen) {
        return step;
    }
    if !seen.stands() {
        return Proposal::Pass;
    }
    prey(seen).map_or(Proposal::Pass, |mob| seen.step(attack(mob)))
}
