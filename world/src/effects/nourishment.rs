//! Hunger, thirst and drunkenness: what goes down the throat of a player. Mobs have no stomachs.
//!
//! Source: game reference §2.6. What an hour takes of them again is in `phases/bodies.rs`.

use crate::arena::CharacterId;
use crate::report::LineKind;
use crate::world::World;

/// Hunger, thirst and drunkenness run from 0 to this.
const CONDITION_MAX: i32 = 48;
/// Above it nothing more goes down.
pub const FULL: i32 = 40;
/// From here on one feels the drink, and now and then misses the cup.
pub const DRUNK: i32 = 10;

/// Hours that are added to each condition; may be negative.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Nourishment {
    pub drunk: i32,
    pub full: i32,
    pub thirst: i32,
}

/// A stomach takes something in. Immunity (−1) stays.
fn changed(condition: i32, by: i32) -> i32 {
    if condition < 0 { condition } else { (condition + by).clamp(0, CONDITION_MAX) }
}

/// The conditions of a player as they are; `None` for mobs.
pub fn stomach(world: &World, who: CharacterId) -> Option<Nourishment> {
    world.who(who).player().map(|p| Nourishment { drunk: p.drunk, full: p.full, thirst: p.thirst })
}

/// Adds to the conditions of a player, and says what it feels of that.
pub(super) fn nourish(world: &mut World, who: CharacterId, by: Nourishment) {
    let Some(before) = stomach(world, who) else { return };
    let after = Nourishment {
        drunk: changed(before.drunk, by.drunk),
        full: changed(before.full, by.full),
        thirst: changed(before.thirst, by.thirst),
    };
    let player = world.player_mut(who);
    (player.drunk, player.full, player.thirst) = (after.drunk, after.full, after.thirst);
    let crossed = |before: i32, after: i32, mark: i32| before <= mark && after > mark;
    if crossed(before.drunk, after.drunk, DRUNK) {
        world.send(who, LineKind::Text, "The world has grown soft at the edges. You are drunk.");
    }
    if crossed(before.full, after.full, FULL) {
        world.send(who, LineKind::Text, "You are full.");
    }
    if crossed(before.thirst, after.thirst, FULL) {
        world.send(who, LineKind::Text, "You are not thirsty any more.");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_stays_within_its_bounds_and_immunity_stays() {
        for (condition, by, after) in [(0, 10, 10), (45, 10, 48), (3, -8, 0), (-1, 10, -1), (-1, -8, -1)] {
            assert_eq!(changed(condition, by), after, "{condition} {by}");
        }
    }
}
