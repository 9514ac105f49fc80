//! Regeneration: the hit points, mana and moves that an hour gives back. Source: game reference §2.6.

use crate::arena::CharacterId;
use crate::character::{Character, Player};
use crate::clock::TICKS_PER_HOUR;
use crate::skill::SkillId;
use crate::world::World;
use content::flags::*;
use content::words::*;

/// A veteran has played for 30 days of 24 hours, and killed so many.
const VETERAN_TICKS: u64 = 30 * 24 * 3_600 / 2;
const VETERAN_KILLS: u32 = 10_000;

/// Points that one hour gives back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gain {
    pub hit: i32,
    pub mana: i32,
    pub moves: i32,
}

/// One of the equal parts in which an hour gives its points back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// From 1.
    number: u64,
    of: u64,
}

impl Part {
    /// The part that ends with this tick of an hour (0: its last), where an hour has so many; `None` between two.
    pub fn ending(tick: u64, parts: u64) -> Option<Part> {
        let parts = parts.clamp(1, TICKS_PER_HOUR);
        let tick = if tick == 0 { TICKS_PER_HOUR } else { tick };
        let number = (tick * parts).div_ceil(TICKS_PER_HOUR);
        (number * TICKS_PER_HOUR / parts == tick).then_some(Part { number, of: parts })
    }

    /// Its share of an hour's points. The shares of an hour's parts add up to them.
    pub fn of(self, hourly: i32) -> i32 {
        let up_to = |number: u64| i64::from(hourly) * number as i64 / self.of as i64;
        (up_to(self.number) - up_to(self.number - 1)) as i32
    }
}

impl World {
    /// What an hour as it is now would give back, before the maxima. Source: game reference §2.6.
    pub fn hourly_gain(&self, who: CharacterId) -> Gain {
        let c = self.who(who);
        gain(c, self.room_flags(c.room).has(RoomFlags::REGEN))
    }
}

fn gain(c: &Character, regen_room: bool) -> Gain {
    let Gain { mut hit, mut mana, mut moves } = match c.player() {
        Some(player) => player_gain(c, player),
        None => {
            let hit = if c.level < 23 { c.level * 5 / 2 } else { c.level * 4 };
            Gain { hit, mana: c.level, moves: c.level }
        }
    };
    let starving = c.player().is_some_and(|p| p.full == 0 || p.thirst == 0);
    let poisoned = c.is(AffectFlags::POISON);
    let flaming = c.is(AffectFlags::FLAMING);
    for hampered in [poisoned, flaming, c.is(AffectFlags::CUTTHROAT), starving] {
        if hampered {
            hit /= 4;
            mana /= 4;
        }
    }
    for hampered in [poisoned || flaming, c.is(AffectFlags::CUTTHROAT), starving] {
        if hampered {
            moves /= 4;
        }
    }
    if regen_room {
        (hit, mana, moves) = (hit * 3 / 2, mana * 3 / 2, moves * 3 / 2);
    }
    Gain { hit, mana, moves }
}

/// A player's gain by position, class, equipment and experience.
fn player_gain(c: &Character, player: &Player) -> Gain {
    let veteran = player.played_ticks >= VETERAN_TICKS && player.kills >= VETERAN_KILLS;
    let (mut hit, mut mana, mut moves) = if veteran { (32, 18, 24) } else { (20, 14, 20) };
    // In eighths.
    let (of_hit, of_mana, of_moves) = match c.position {
        Position::Sleeping => (12, 16, 12),
        Position::Resting => (10, 12, 10),
        Position::Sitting => (9, 10, 9),
        _ => (8, 8, 8),
    };
    let asleep = c.position == Position::Sleeping;
    if asleep {
        moves += c.now.move_regen;
    }
    hit = hit * of_hit / 8;
    mana = mana * of_mana / 8;
    moves = moves * of_moves / 8;
    if asleep {
        hit += c.now.hit_regen;
    }
    if asleep || c.now.mana_regen < 0 {
        mana += c.now.mana_regen;
    }
    match c.class {
        Class::MagicUser | Class::Cleric | Class::Magus | Class::Avatar | Class::Mystic => mana *= 2,
        Class::Psionic | Class::Ninja => mana = mana * 5 / 4,
        _ => {}
    }
    if matches!(c.class, Class::MagicUser | Class::Cleric) {
        hit /= 2;
    }
    let sealed = |seal: &SkillId| c.fighting.is_none() && c.affects.iter().any(|affect| *affect.kind == *seal.name());
    if sealed(&SkillId::SEAL_OF_BLOOD) {
        hit = hit * 5 / 4;
    }
    if sealed(&SkillId::SEAL_OF_BREATH) {
        moves = moves * 5 / 4;
    }
    Gain { hit: hit.max(0), mana: mana.max(0), moves: moves.max(0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_an_hour_add_up_to_it() {
        for parts in 1..=TICKS_PER_HOUR + 3 {
            let all: Vec<Part> = (0..TICKS_PER_HOUR).filter_map(|tick| Part::ending(tick, parts)).collect();
            assert_eq!(all.len() as u64, parts.min(TICKS_PER_HOUR), "{parts} parts");
            for hourly in [-7, 0, 1, 5, 20, 97, 10_000] {
                assert_eq!(all.iter().map(|part| part.of(hourly)).sum::<i32>(), hourly, "{hourly} in {parts} parts");
            }
        }
    }

    #[test]
    fn parts_are_about_as_far_from_each_other() {
        let ends: Vec<u64> =
            (1..=TICKS_PER_HOUR).filter(|tick| Part::ending(tick % TICKS_PER_HOUR, 6).is_some()).collect();
        assert_eq!(ends, [5, 10, 16, 21, 26, 32]);
    }
}
