//! Lying down and getting up again for nothing: a player that does it over and over has two minds about one thing.
//!
//! A pair is a command to lie down and one to get up before 20 ticks are over, with no event between: nobody struck it,
//! nobody came or went, nobody spoke, and nothing came of what one lies down for: neither hit points nor moves rose.

use content::words::Position;
use std::collections::BTreeSet;
use world::character::Character;
use world::{CharacterId, World};

/// 20 ticks.
const NEAR_MS: u64 = 40_000;
/// Percent of the most at which one is whole.
const WHOLE_PERCENT: i32 = 95;
const DOWN: [&str; 3] = ["rest", "sleep", "sit"];
const UP: [&str; 2] = ["stand", "wake"];
/// Types of outcomes that are news to who lies.
const NEWS: [&str; 3] = ["\"type\":\"said\"", "\"type\":\"damage\"", "\"type\":\"attacked\""];

/// How things were when it lay down.
#[derive(Clone, Debug)]
struct Down {
    at_ms: u64,
    hit: i32,
    moves: i32,
    company: BTreeSet<CharacterId>,
    /// Something happened since.
    event: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Posture {
    down: Option<Down>,
    pub pairs: u32,
}

impl Down {
    /// Struck, or stronger than it was.
    fn differs(&self, c: &Character) -> bool {
        c.hit != self.hit || c.moves > self.moves
    }
}

fn company(world: &World, who: CharacterId) -> BTreeSet<CharacterId> {
    let Some(c) = world.character(who) else { return BTreeSet::new() };
    world.room(c.room).characters.iter().copied().collect()
}

fn is_whole(world: &World, who: CharacterId) -> bool {
    let Some(c) = world.character(who) else { return false };
    c.hit * 100 >= c.now.hit_max * WHOLE_PERCENT && c.moves * 100 >= c.now.move_max * WHOLE_PERCENT
}

impl Posture {
    /// A command is about to be obeyed.
    pub fn sent(&mut self, world: &World, who: CharacterId, line: &str, now_ms: u64) {
        let Some(c) = world.character(who) else { return };
        if DOWN.contains(&line) && c.position == Position::Standing {
            self.down =
                Some(Down { at_ms: now_ms, hit: c.hit, moves: c.moves, company: company(world, who), event: false });
        } else if UP.contains(&line)
            && let Some(down) = self.down.take()
        {
            let event = down.event || is_whole(world, who) || down.company != company(world, who) || down.differs(c);
            self.pairs += u32::from(!event && now_ms.saturating_sub(down.at_ms) < NEAR_MS);
        }
    }

    pub fn read(&mut self, text: &str) {
        if let Some(down) = &mut self.down {
            down.event |= NEWS.iter().any(|news| text.contains(news));
        }
    }

    /// After each tick.
    pub fn tick(&mut self, world: &World, who: CharacterId) {
        if let Some(down) = &mut self.down {
            let differs = world.character(who).is_none_or(|c| down.differs(c));
            down.event |= differs || is_whole(world, who) || down.company != company(world, who);
        }
    }
}
