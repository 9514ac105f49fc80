//! What numbers there are in files: beyond these a thing cannot be, or the game could not reckon with it.
//!
//! Wide enough for what the worlds of the Circle family have, whose builders wrote −1 for what never ends and a weight
//! of ten million for what nobody lifts. What is possible and merely odd is a warning of whoever reads it.

use crate::{Behaviour, Dice};
use std::ops::RangeInclusive;

pub(crate) type Numbers = RangeInclusive<i32>;

/// Of rooms, mobs, objects and shops.
pub(super) const VNUM: Numbers = 0..=i32::MAX;
/// Of mobs, of things, and of those that something is for. Players end at 40, of whom 31 and more are immortals.
pub(super) const LEVEL: Numbers = 0..=100;
/// The highest level of a player.
pub(super) const LEVEL_PLAYER_MAX: i32 = 40;
/// Coins of one purse, price or reward; what a mob has varies by a fifth, and still has to be a number.
pub(super) const COINS: Numbers = 0..=100_000_000;
pub(super) const EXPERIENCE: Numbers = 0..=100_000_000;
/// What `set` lets an immortal give.
pub(super) const PRACTICES: Numbers = 0..=999;
/// What mobs and players have of strength and so on.
pub(super) const ABILITY: Numbers = 3..=25;
pub(super) const STRENGTH_ADD: Numbers = 0..=100;
pub(super) const HIT_ROLL: Numbers = -100..=100;
/// Pounds; what somebody carries is summed up.
pub(super) const POUNDS: Numbers = 0..=20_000_000;
/// What containers hold: −1 for ever more.
pub(super) const CAPACITY: Numbers = -1..=20_000_000;
pub(super) const HOURS: Numbers = 0..=100_000;
/// Hours of a light: −1 for ever.
pub(super) const HOURS_OF_LIGHT: Numbers = -1..=100_000;
pub(super) const CHARGES: Numbers = 0..=10_000;
/// −1 and 0: none.
pub(super) const SPELL: Numbers = -1..=10_000;
pub(super) const ARMOR: Numbers = -100..=100;
/// What a thing changes of who wears it.
pub(super) const APPLY: Numbers = -10_000..=10_000;
/// Minutes.
pub(super) const LIFESPAN: Numbers = 0..=100_000;
/// How many of a thing may be in the world.
pub(super) const INSTANCES: Numbers = 0..=1_000_000;
/// More rounds are never done.
pub(super) const ROUNDS: Numbers = 0..=100;
/// Hundredths of what a thing costs: for nothing, to a hundred times as much.
pub(super) const FACTOR: Numbers = 0..=10_000;
/// Hundredths of a percent.
pub(super) const PERCENT: Numbers = 0..=10_000;

/// More dice are never thrown at once.
pub(super) const DICE: Numbers = 0..=1_000;
pub(super) const SIDES: Numbers = 0..=10_000;
const BONUS: Numbers = -1_000_000..=1_000_000;

/// `33.25`, `100`.
pub(super) fn shown_hundredths(hundredths: i32) -> String {
    (f64::from(hundredths) / 100.0).to_string()
}

/// Why nobody can throw such dice, of which the file says `text`.
pub(super) fn unthrowable(dice: Dice, text: &str) -> Option<String> {
    let Dice { count, sides, bonus } = dice;
    if count < 0 || sides < 0 {
        return Some(format!("should look like 2d6+10, not {text:?}: dice and sides are 0 or more"));
    }
    if count > 0 && sides == 0 {
        let fixed = Dice { count: 0, ..dice };
        return Some(format!("has dice without sides; \"{fixed}\" is always {bonus}"));
    }
    for (what, number, numbers) in [("dice", count, DICE), ("sides", sides, SIDES), ("to add", bonus, BONUS)] {
        if !numbers.contains(&number) {
            let (from, to) = (numbers.start(), numbers.end());
            return Some(format!("has {number} {what}, where {from} to {to} can be"));
        }
    }
    None
}

/// The highest that the dice can come to.
pub(super) fn highest(dice: Dice) -> i64 {
    i64::from(dice.count) * i64::from(dice.sides) + i64::from(dice.bonus)
}

/// What of a behaviour cannot be.
pub(super) fn impossible(behaviour: &Behaviour) -> Option<String> {
    let coins = |coins: &i32| ("coins", i64::from(*coins), COINS);
    let one_in = |one_in: &u32| ("one_in", i64::from(*one_in), 1..=1_000_000);
    let hours = |hours: &i32| ("hours", i64::from(*hours), 1..=*HOURS.end());
    let percent = |key, percent: &i32| (key, i64::from(*percent), 1..=100);
    let numbers: Vec<(&str, i64, Numbers)> = match behaviour {
        Behaviour::Caster { one_in: n, .. }
        | Behaviour::Fighter { one_in: n, .. }
        | Behaviour::Thief { one_in: n }
        | Behaviour::Rescuer { one_in: n } => vec![one_in(n)],
        Behaviour::Venom { hours: h, one_in: n } => vec![hours(h), one_in(n)],
        Behaviour::Gaze { ticks, one_in: n } => {
            vec![("ticks", i64::try_from(*ticks).unwrap_or(i64::MAX), 1..=*HOURS.end()), one_in(n)]
        }
        Behaviour::Breeder { most, one_in: n } => vec![("most", i64::from(*most), INSTANCES), one_in(n)],
        Behaviour::Healer { lost_percent, .. } => vec![percent("lost_percent", lost_percent)],
        Behaviour::Vanisher { percent: p } | Behaviour::Regenerator { percent: p } => vec![percent("percent", p)],
        Behaviour::Restorer { coins: c }
        | Behaviour::Identifier { coins: c }
        | Behaviour::Recharger { coins: c }
        | Behaviour::Mortician { coins: c } => vec![coins(c)],
        Behaviour::Remorter { level, coins: c } => vec![("level", i64::from(*level), LEVEL), coins(c)],
        Behaviour::Stable { coins: c, keep, .. } => vec![coins(c), ("keep", i64::from(*keep), COINS)],
        Behaviour::Recruiter { coins: c, hours: h, .. } => vec![coins(c), hours(h)],
        Behaviour::PetShop { pets } => pets.iter().map(|pet| coins(&pet.coins)).collect(),
        Behaviour::Teacher { .. }
        | Behaviour::Guard { .. }
        | Behaviour::Cleaner {}
        | Behaviour::Tattooist { .. }
        | Behaviour::Jailer {} => Vec::new(),
    };
    let is_in =
        |number: i64, numbers: &Numbers| (i64::from(*numbers.start())..=i64::from(*numbers.end())).contains(&number);
    let (key, number, numbers) = numbers.into_iter().find(|(_, number, numbers)| !is_in(*number, numbers))?;
    Some(format!("{key} should be {} to {}, not {number}", numbers.start(), numbers.end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dice_that_nobody_can_throw_are_told_with_what_to_write() {
        for (text, wanted) in [
            ("-3d4", Some("dice and sides are 0 or more")),
            ("3d-4", Some("dice and sides are 0 or more")),
            ("1d0+2", Some("\"0d0+2\" is always 2")),
            ("999999999d9+1", Some("has 999999999 dice")),
            ("2d10001", Some("has 10001 sides")),
            ("1d4+2000000", Some("has 2000000 to add")),
            ("0d0+100", None),
            ("1000d10000-5", None),
        ] {
            let told = unthrowable(text.parse().expect("dice"), text);
            match wanted {
                Some(wanted) => assert!(told.as_ref().is_some_and(|told| told.contains(wanted)), "{text}: {told:?}"),
                None => assert_eq!(told, None, "{text}"),
            }
        }
    }
}
