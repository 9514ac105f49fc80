//! The nearest of what is looked for, over ways that can be gone, and the first step there.

use crate::world::World;
use content::RoomId;
use content::words::Direction;
use std::collections::VecDeque;

/// Looks from room to room, the nearest first, at `most` rooms at most. `step` says where a way leads that can be gone.
/// `look` is asked of each room but the first, with the first step there; what it finds ends the search.
pub fn nearest<T>(
    world: &World,
    from: RoomId,
    most: usize,
    step: impl Fn(RoomId, Direction) -> Option<RoomId>,
    mut look: impl FnMut(RoomId, Direction) -> Option<T>,
) -> Option<T> {
    let mut seen = vec![false; world.state.rooms.len()];
    seen[from.0 as usize] = true;
    let mut waiting: VecDeque<(RoomId, Option<Direction>)> = VecDeque::from([(from, None)]);
    for _ in 0..most {
        let (room, first) = waiting.pop_front()?;
        if let Some(found) = first.and_then(|first| look(room, first)) {
            return Some(found);
        }
        for way in Direction::ALL {
            let Some(next) = step(room, *way) else { continue };
            if !seen[next.0 as usize] {
                seen[next.0 as usize] = true;
                waiting.push_back((next, first.or(Some(*way))));
            }
        }
    }
    None
}
