//! One round for everybody who fights, in the order of their ids.

use crate::arena::CharacterId;
use crate::behaviours;
use crate::world::World;

pub fn run(world: &mut World) {
    let fighters: Vec<CharacterId> = world.state.fighters.iter().copied().collect();
    for fighter in fighters {
        if !behaviours::in_fight(world, fighter) {
            world.fight_round(fighter);
        }
    }
}
