//! Choosing fights that can be won.

use super::{Perception, Proposal};
use crate::bestiary::MobKind;
use protocol::payload::RoomMob;

/// Against whom one never fought, one wants to be this fit, in percent.
const FIT_PERCENT: i32 = 75;
/// After a fight against somebody known there shall be so much left, in percent.
const LEFT_PERCENT: i32 = 35;
/// Who stands by and is stronger than oneself by more than so many levels may be a guard.
const BYSTANDER_LEVELS: i32 = 2;
/// So many defeats more than victories against an equal are bad luck; tried again by who is as fit as this, in percent.
const LUCK_MAX: u32 = 2;
const LUCK_HP_PERCENT: i32 = 90;
/// `consider` is asked again after so long: one grows.
const CONSIDER_MS: u64 = 600_000;

pub fn hunt(seen: &Perception<'_>) -> Proposal {
    if seen.known.recovering || !seen.stands() || seen.known.map.room().is_some_and(|room| room.peaceful) {
        return Proposal::Pass;
    }
    let mut best: Option<(i64, &RoomMob)> = None;
    for mob in seen.state.mobs().iter().filter(|mob| !mob.fighting) {
        if seen.known.refused_actions.blocks(seen.room(), &format!("kill {}", mob.target_string), seen.now_ms).is_some()
        {
            continue;
        }
        match suits(seen, mob.vnum) {
            Suits::Unknown => {
                if let Proposal::Do(line) = seen.step(format!("consider {}", mob.target_string)) {
                    return Proposal::Do(line);
                }
            }
            Suits::Yes(worth) => {
                let friends = friends(seen, mob);
                if friends == 0 && best.is_none_or(|(most, _)| worth > most) {
                    best = Some((worth, mob));
                }
            }
            Suits::No => {}
        }
    }
    best.map_or(Proposal::Pass, |(_, mob)| seen.step(format!("kill {}", mob.target_string)))
}

/// What can be said of fighting such a mob.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Suits {
    Unknown,
    No,
    /// With what it is worth, to compare.
    Yes(i64),
}

/// Whether a kind of mob is to be hunted now, fit as one is.
pub fn suits(seen: &Perception<'_>, vnum: i32) -> Suits {
    suits_at(seen, vnum, seen.state.hp_percent())
}

/// The same for who has so many percent of its hit points.
pub fn suits_at(seen: &Perception<'_>, vnum: i32, hp_percent: i32) -> Suits {
    let Some(kind) = seen.known.bestiary.get(vnum) else { return Suits::Unknown };
    if kind.untouchable {
        return Suits::No;
    }
    let known = kind.level.is_some() || kind.considered_ms.is_some();
    let old = kind.considered_ms.is_none_or(|at| seen.now_ms.saturating_sub(at) > CONSIDER_MS);
    if !known || (kind.level.is_none() && old) {
        return Suits::Unknown;
    }
    let Some(level) = kind.level() else { return Suits::Unknown };
    let own = seen.level();
    // Who ran from an equal once or twice had bad luck, and the other one is wounded still.
    let luck = level <= own && kind.beaten_by <= kind.kills + LUCK_MAX && hp_percent >= LUCK_HP_PERCENT;
    let afraid = !luck && kind.lost_at_level.is_some_and(|at| own <= at);
    if afraid || level > own + 1 || !is_worth_it(kind, level, own) {
        return Suits::No;
    }
    match seen.cost_percent(vnum) {
        Some(cost) if hp_percent < cost * 5 / 4 + LEFT_PERCENT => return Suits::No,
        Some(_) => {}
        None => {
            if kind.considered_ms.is_none() {
                // Its level is known by what others did to it, but not how tough it is.
                return Suits::Unknown;
            }
            let tough = kind.hp.zip(seen.state.max_health).is_some_and(|(hp, own)| hp > own * 2);
            if hp_percent < FIT_PERCENT || tough || level > own {
                return Suits::No;
            }
        }
    }
    let worth = if kind.xp > 0 { kind.xp } else { i64::from(level.max(1)) * 100 };
    // What costs little is worth more: less resting.
    let cost = seen.cost_percent(vnum).unwrap_or(30).max(5);
    Suits::Yes(worth * 100 / i64::from(cost + 20))
}

/// What one has outgrown by far teaches nothing.
fn is_worth_it(kind: &MobKind, level: i32, own: i32) -> bool {
    level >= own - 6 || kind.xp > i64::from(own) * 20
}

/// Mobs in the room that may join in: all that are known to help or to attack, and all that are so strong that one
/// does not want to find out.
fn friends(seen: &Perception<'_>, target: &RoomMob) -> usize {
    let level = seen.level();
    let others = seen.state.mobs().iter().filter(|mob| mob.instance_id != target.instance_id);
    let mut helpers = 0;
    for mob in others {
        let Some(kind) = seen.known.bestiary.get(mob.vnum) else { continue };
        let weak = kind.level().is_some_and(|its| its <= level - 3);
        let strong = kind.level().is_some_and(|its| its > level + BYSTANDER_LEVELS);
        let hostile = kind.helper || kind.aggressive || (strong && kind.kills == 0);
        helpers += usize::from(hostile && !weak && !kind.untouchable);
    }
    helpers
}
