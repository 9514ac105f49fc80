//! Strength comes back: hit points, mana and moves, in equal parts of an hour, so that a rest of half a minute is worth
//! something. The parts of an hour add up to what the hour gives.
//!
//! How many parts there are is `regeneration_parts` of the rule book. Only who is not whole is touched.

use crate::act::Scene;
use crate::arena::CharacterId;
use crate::clock::TICKS_PER_HOUR;
use crate::regeneration::Part;
use crate::report::LineKind;
use crate::world::World;
use content::words::Position;

pub fn run(world: &mut World) {
    let Some(part) = Part::ending(world.tick() % TICKS_PER_HOUR, world.rules.regeneration_parts) else { return };
    for index in 0..world.state.characters.span() {
        let Some(id) = world.state.characters.id_at(index) else { continue };
        let c = world.who(id);
        let whole = c.hit >= c.now.hit_max && c.mana >= c.now.mana_max && c.moves >= c.now.move_max;
        // The stunned come to, however whole they are; the dying do not.
        if c.position >= Position::Stunned && (!whole || c.position == Position::Stunned) {
            recover(world, id, part);
        }
    }
}

/// A part of an hour's points come back, up to their maxima.
fn recover(world: &mut World, who: CharacterId, part: Part) {
    let gain = world.hourly_gain(who);
    let [hit, mana, moves] = [gain.hit, gain.mana, gain.moves].map(|hourly| part.of(hourly));
    let c = world.who(who);
    let was_down = c.position == Position::Stunned;
    let back = |now: i32, gain: i32, max: i32| now.saturating_add(gain).min(max);
    let after =
        (back(c.hit, hit, c.now.hit_max), back(c.mana, mana, c.now.mana_max), back(c.moves, moves, c.now.move_max));
    // A part of little may be nothing.
    if after != (c.hit, c.mana, c.moves) {
        let c = world.who_mut(who);
        (c.hit, c.mana, c.moves) = after;
    }
    if was_down {
        world.update_position(who);
        if world.who(who).position > Position::Stunned {
            let scene = Scene::new(who, LineKind::Position);
            world.show(&scene, "Your head clears, and you get to your feet.", "", "$n gets to $s feet, unsteadily.");
        }
    }
}
