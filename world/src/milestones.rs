//! What a great number of kills brings, once each. Source: game reference §2.7, "Kill milestones".

use crate::arena::CharacterId;
use crate::draws::Draw;
use crate::report::LineKind;
use crate::rng::Stream;
use crate::world::World;

/// These make stronger; what lies between the later ones makes everybody whole.
const GREAT: [u32; 7] = [1_000, 2_000, 10_000, 20_000, 30_000, 40_000, 50_000];
const SMALL: [u32; 5] = [5_000, 15_000, 25_000, 35_000, 45_000];

/// `who` has just been credited with a kill.
pub fn reached(world: &mut World, who: CharacterId) {
    let kills = world.who(who).player().map_or(0, |player| player.kills);
    let great = GREAT.contains(&kills);
    if !great && !SMALL.contains(&kills) {
        return;
    }
    if great {
        // From where it begins, one falls through to the last.
        let from = world.draw_for(who, Stream::Combat, Draw::Amount).range(0, 2);
        let base = &mut world.who_mut(who).base;
        base.hit_max += i32::from(from == 0) + 1;
        base.mana_max += i32::from(from <= 1);
        base.move_max += 1;
        world.recompute(who);
        world.send(who, LineKind::Level, format!("That was your kill number {kills}. You are the stronger for it."));
    }
    let name = world.who(who).shown().clone();
    let everybody: Vec<CharacterId> = world.state.players.values().copied().collect();
    for other in everybody {
        let c = world.who_mut(other);
        (c.hit, c.mana, c.moves) = (c.now.hit_max.max(c.hit), c.now.mana_max.max(c.mana), c.now.move_max.max(c.moves));
        let text = format!("Somewhere {name} has killed for the {kills}th time, and all wounds close.");
        world.send(other, LineKind::Text, text);
    }
}
