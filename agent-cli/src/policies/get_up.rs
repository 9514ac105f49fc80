//! Getting up when there is nothing left to lie down for: upkeep, so that whoever decides finds it on its feet.

use super::{Perception, Proposal};
use crate::state::GameState;

pub fn get_up(seen: &Perception<'_>) -> Proposal {
    if seen.settled || !is_whole(seen.state) {
        return Proposal::Pass;
    }
    seen.get_up().unwrap_or(Proposal::Pass)
}

/// Hit points, mana and moves are as many as they can be. What is not known counts as whole.
pub fn is_whole(state: &GameState) -> bool {
    let full = |now: Option<i32>, most: Option<i32>| now.zip(most).is_none_or(|(now, most)| now >= most);
    full(state.health, state.max_health) && full(state.mana, state.max_mana) && full(state.moves, state.max_moves)
}
