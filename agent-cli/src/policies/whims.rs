//! What one likes about places, beside what they are good for: of rooms that are about as near everybody prefers
//! others, so that ten agents are not one agent ten times.

use super::Perception;
use super::regions::region_of;
use crate::map::Way;
use crate::nature::share;

/// So many steps one room is nearer than another by a whim, and one part of the world.
const WHIM: f64 = 6.0;
/// Whims about parts of the world, beside those about rooms.
const REGIONS: u64 = 1 << 32;
/// So many steps each other in a room is worth, to who likes them most or least.
const COMPANY: f64 = 4.0;

/// How far it seems: everybody leans to its own rooms and parts of the world; the sociable go where others are, the
/// others elsewhere.
pub fn whim(seen: &Perception<'_>, way: &Way) -> f64 {
    let room = share(seen.own(u64::from(way.to.unsigned_abs())));
    way.length as f64 + WHIM * room + whim_of_part(seen, way.to)
}

/// Of that what is due to the part of the world, and to who is there.
pub fn whim_of_part(seen: &Perception<'_>, vnum: i32) -> f64 {
    let region = share(seen.own(REGIONS + u64::from(region_of(vnum).unsigned_abs())));
    let company = seen.known.others_in(vnum, seen.now_ms) as f64;
    WHIM * region + company * COMPANY * (1.0 - 2.0 * seen.nature.tastes.sociable)
}
