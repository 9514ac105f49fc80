//! The classic ability tables. Source: game reference §2.2.

use crate::character::Abilities;

/// What strength gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strength {
    pub to_hit: i32,
    pub damage: i32,
    /// Pounds.
    pub carry: i32,
    /// Heaviest weapon, pounds.
    pub wield: i32,
}

/// Rows 0..=18, then 18/01-50, /51-75, /76-90, /91-99, /100, then 19..=25.
const STRENGTH: [(i32, i32, i32, i32); 31] = [
    (-5, -4, 0, 0),
    (-5, -4, 3, 1),
    (-3, -2, 3, 2),
    (-3, -1, 10, 3),
    (-2, -1, 25, 4),
    (-2, -1, 55, 5),
    (-1, 0, 80, 6),
    (-1, 0, 90, 7),
    (0, 0, 100, 8),
    (0, 0, 100, 9),
    (0, 0, 115, 10),
    (0, 0, 115, 11),
    (0, 0, 140, 12),
    (0, 0, 140, 13),
    (0, 0, 170, 14),
    (0, 0, 170, 15),
    (0, 1, 195, 16),
    (1, 1, 220, 18),
    (1, 2, 255, 20),
    (1, 3, 280, 22),
    (2, 3, 305, 24),
    (2, 4, 330, 26),
    (2, 5, 380, 28),
    (3, 6, 480, 30),
    (3, 7, 640, 40),
    (3, 8, 700, 40),
    (4, 9, 810, 40),
    (4, 10, 970, 40),
    (5, 11, 1130, 40),
    (6, 12, 1440, 40),
    (7, 14, 1750, 40),
];

pub fn strength(abilities: &Abilities) -> Strength {
    let row = match (abilities.strength.clamp(0, 25), abilities.strength_add) {
        (18, 1..=50) => 19,
        (18, 51..=75) => 20,
        (18, 76..=90) => 21,
        (18, 91..=99) => 22,
        (18, 100..) => 23,
        (n @ 0..=18, _) => n as usize,
        (n, _) => (n + 5) as usize,
    };
    let (to_hit, damage, carry, wield) = STRENGTH[row];
    Strength { to_hit, damage, carry, wield }
}

/// Reaction, missile to-hit, defence in tens of armour points, by dexterity 0..=25.
const DEXTERITY: [(i32, i32, i32); 26] = [
    (-7, -7, 6),
    (-6, -6, 5),
    (-4, -4, 5),
    (-3, -3, 4),
    (-2, -2, 3),
    (-1, -1, 2),
    (0, 0, 1),
    (0, 0, 0),
    (0, 0, 0),
    (0, 0, 0),
    (0, 0, 0),
    (0, 0, 0),
    (0, 0, 0),
    (0, 0, 0),
    (0, 0, 0),
    (0, 0, -1),
    (1, 1, -2),
    (2, 2, -3),
    (2, 2, -4),
    (3, 3, -4),
    (3, 3, -4),
    (4, 4, -5),
    (4, 4, -5),
    (4, 4, -5),
    (5, 5, -6),
    (5, 5, -6),
];

/// What is added to the chance that a missile hits, in steps of ten percent.
pub fn dexterity_missile(dexterity: i32) -> i32 {
    DEXTERITY[dexterity.clamp(0, 25) as usize].1
}

/// How soon one is out of a missile's way, in the same steps.
pub fn dexterity_reaction(dexterity: i32) -> i32 {
    DEXTERITY[dexterity.clamp(0, 25) as usize].0
}

/// Change of armour class, in tens of points; negative is better.
pub fn dexterity_defence(dexterity: i32) -> i32 {
    DEXTERITY[dexterity.clamp(0, 25) as usize].2
}

/// Bonus to opening locks, percent, by dexterity.
pub fn dexterity_locks(dexterity: i32) -> i32 {
    match dexterity {
        ..=8 => -99,
        9 => -10,
        10 => -5,
        11..=15 => 0,
        16 => 5,
        17 => 10,
        18 => 15,
        19..=20 => 20,
        21..=23 => 25,
        _ => 30,
    }
}

/// Bonus to picking pockets, percent, by dexterity.
pub fn dexterity_pockets(dexterity: i32) -> i32 {
    match dexterity {
        ..=8 => -99,
        9 => -15,
        10 => -10,
        11 => -5,
        12..=16 => 0,
        17 => 5,
        18 => 10,
        19..=20 => 15,
        21..=22 => 20,
        _ => 25,
    }
}

/// Bonus to hiding, percent, by dexterity.
pub fn dexterity_hide(dexterity: i32) -> i32 {
    match dexterity {
        ..=8 => -99,
        9 => -10,
        10 => -5,
        11..=16 => 0,
        17 => 5,
        18 => 10,
        19..=20 => 15,
        21..=23 => 20,
        _ => 25,
    }
}

/// Bonus to walking without a sound, percent, by dexterity.
pub fn dexterity_sneak(dexterity: i32) -> i32 {
    match dexterity {
        ..=8 => -99,
        9 => -20,
        10 => -15,
        11 => -10,
        12 => -5,
        13..=16 => 0,
        17 => 5,
        18 => 10,
        19..=21 => 15,
        22..=23 => 20,
        _ => 25,
    }
}

/// Hit points more (or fewer) at each level.
pub fn constitution_hit(constitution: i32) -> i32 {
    match constitution {
        ..=0 => -4,
        1 => -3,
        2..=3 => -2,
        4..=6 => -1,
        7..=14 => 0,
        15 => 1,
        16..=17 => 2,
        18..=19 => 3,
        20 => 4,
        21..=23 => 5,
        _ => 6,
    }
}

/// Percent that one learns in a practice session.
pub fn intelligence_learn(intelligence: i32) -> i32 {
    match intelligence {
        ..=0 => 3,
        1..=4 => 5,
        5 => 10,
        6..=8 => 13,
        9 => 15,
        10 => 17,
        11 => 19,
        12 => 22,
        13 => 25,
        14 => 30,
        15 => 35,
        16 => 40,
        17 => 45,
        18 => 50,
        19 => 53,
        20 => 55,
        21 => 56,
        22 => 57,
        23 => 58,
        24 => 59,
        _ => 60,
    }
}

/// Practices at each level, for those who learn by wisdom.
pub fn wisdom_practices(wisdom: i32) -> i32 {
    match wisdom {
        ..=11 => 0,
        12..=13 => 2,
        14..=16 => 3,
        17 => 4,
        18 => 5,
        19..=22 => 6,
        _ => 7,
    }
}

/// How many things fit in the hands and on the back.
pub fn carry_items(dexterity: i32, level: i32) -> i32 {
    5 + dexterity / 2 + level / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptional_strength_lies_between_18_and_19() {
        let with = |strength_value, add| {
            strength(&Abilities { strength: strength_value, strength_add: add, ..Abilities::default() })
        };
        assert_eq!(with(18, 0), Strength { to_hit: 1, damage: 2, carry: 255, wield: 20 });
        assert_eq!(with(18, 50).damage, 3);
        assert_eq!(with(18, 100), Strength { to_hit: 3, damage: 6, carry: 480, wield: 30 });
        assert_eq!(with(19, 0).damage, 7);
        assert_eq!(with(25, 0).carry, 1750);
        assert_eq!(with(-3, 0).carry, 0);
    }
}
