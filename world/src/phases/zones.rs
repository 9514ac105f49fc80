//! Zones grow old and are reset: one in each run, of those that are due the one that has waited longest.
//!
//! Source: game reference §3, "Zone reset". An age is the time since the last reset, so nothing is counted here.

use crate::world::World;
use content::words::ResetMode;

/// A zone's lifespan is in minutes of 30 ticks.
const TICKS_PER_MINUTE: u64 = 30;

pub fn run(world: &mut World) {
    let mut occupied: Option<Vec<bool>> = None;
    let mut next: Option<(u64, usize)> = None;
    let content = world.content.clone();
    for (index, zone) in content.zones.iter().enumerate() {
        let age = world.tick() - world.state.zones[index].reset_tick;
        let lifespan = (zone.lifespan_minutes.max(1) as u64) * TICKS_PER_MINUTE;
        if zone.reset_mode == ResetMode::Never || age < lifespan || next.is_some_and(|(wait, _)| wait >= age - lifespan)
        {
            continue;
        }
        if zone.reset_mode == ResetMode::Empty && occupied.get_or_insert_with(|| zones_with_players(world))[index] {
            continue;
        }
        next = Some((age - lifespan, index));
    }
    if let Some((_, index)) = next {
        world.reset_zone(index);
    }
}

/// For each zone whether a player is in it.
fn zones_with_players(world: &World) -> Vec<bool> {
    let mut occupied = vec![false; world.content.zones.len()];
    for player in world.state.players.values() {
        let zone = world.room_proto(world.who(*player).room).zone;
        if let Some(index) = world.content.zone_index(zone) {
            occupied[index] = true;
        }
    }
    occupied
}
