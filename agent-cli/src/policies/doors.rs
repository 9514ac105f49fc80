//! A door in the way: open it; unlock it when the key is at hand; else it is a wall.

use super::{Perception, Proposal};

/// A door that was met longer ago is no longer in the way.
const OLD_MS: u64 = 10_000;

pub fn doors(seen: &Perception<'_>) -> Proposal {
    let Some(shut) = &seen.known.shut else { return Proposal::Pass };
    if shut.room != seen.room() || seen.now_ms.saturating_sub(shut.at_ms) > OLD_MS || !seen.stands() {
        return Proposal::Pass;
    }
    let door = format!("{} {}", shut.word, shut.direction);
    if !shut.locked {
        return seen.step(format!("open {door}"));
    }
    let key = seen.state.carried().iter().any(|item| item.name.to_lowercase().contains("key"));
    if key { seen.step(format!("unlock {door}")) } else { Proposal::Pass }
}
