//! What hunting would take: the one answer for whoever attacks, gets up for prey, or walks to it.

use super::errands::is_wanted;
use super::mana::reach;
use super::regions::{Grade, grade};
use super::{Perception, Proposal};
use crate::bestiary::MobKind;
use crate::knowledge::FULL;
use crate::map::{Room, Vnum};
use protocol::payload::RoomMob;

/// Against whom one never fought, one wants to be this fit, in percent.
const FIT_PERCENT: i32 = 75;
/// After a fight against somebody known there shall be so much left, in percent.
const LEFT_PERCENT: i32 = 35;
/// So many percent more or less of either the boldest and the most timid want.
const BOLD_PERCENT: f64 = 30.0;
/// From this on, of 1, the bold take on a stranger who is a level above, and the timid no equal.
const DARING: f64 = 0.75;
const TIMID: f64 = 0.25;
/// Who stands by and is stronger than oneself by more than so many levels may be a guard.
const BYSTANDER_LEVELS: i32 = 2;
/// Fewer hit points than this, and this for each level, are few.
const FRAIL_HP: i32 = 10;
const FRAIL_HP_OF_LEVEL: i32 = 6;
/// So many defeats more than victories against an equal are bad luck; tried again by who is as fit as this, in percent.
const LUCK_MAX: u32 = 2;
const LUCK_HP_PERCENT: i32 = 90;
/// Prey that somebody wants dead is worth so many times as much.
const WANTED: i64 = 2;
/// What the first kill of its kind brings, about: so much times the square of its level.
const XP_OF_LEVEL: i64 = 50;
/// Hit points that a stranger will take, in percent.
const UNKNOWN_COST_PERCENT: i32 = 30;
/// Moves are what one has least of: a fight takes as long as it takes to get back those of so many steps.
const FIGHT_STEPS: f64 = 3.0;
/// So many percent of the hit points come back in the time in which the moves of one step do.
const PERCENT_A_STEP: f64 = 5.0;
/// More than so many make no stronger prey possible.
const COMPANY_MAX: i32 = 3;
/// `consider` is asked again after so long: one grows.
const CONSIDER_MS: u64 = 600_000;

/// What can be said of fighting such a mob.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Suits {
    Unknown,
    No,
    /// With what it is worth, to compare.
    Yes(i64),
}

/// What hunting would attack in this room, were one on one's feet.
pub fn prey<'a>(seen: &Perception<'a>) -> Option<&'a RoomMob> {
    if seen.known.map.room().is_some_and(|room| room.peaceful) {
        return None;
    }
    let mut all: Vec<(i64, &RoomMob)> = Vec::new();
    for mob in may_be_prey(seen) {
        if let Suits::Yes(worth) = suits(seen, mob.vnum)
            && seen.known.refused_actions.blocks(seen.room(), &attack(mob), seen.now_ms).is_none()
            && !has_friends(seen, others(seen, mob))
        {
            all.push((worth, mob));
        }
    }
    all.sort_by_key(|(worth, mob)| (-worth, mob.instance_id.clone()));
    // What somebody was here for first is theirs: each takes one, and who came in later takes of what is left.
    let before_me = seen.known.players.difference(&seen.known.came_later).count();
    all.get(before_me).map(|(_, mob)| *mob)
}

/// Who has to be sized up before it can be said.
pub fn stranger<'a>(seen: &Perception<'a>) -> Option<Proposal> {
    if seen.known.map.room().is_some_and(|room| room.peaceful) {
        return None;
    }
    let unknown = may_be_prey(seen).filter(|mob| suits(seen, mob.vnum) == Suits::Unknown);
    match seen.first_of(unknown.map(|mob| format!("consider {}", mob.target_string))) {
        Proposal::Pass => None,
        step => Some(step),
    }
}

pub fn attack(mob: &RoomMob) -> String {
    format!("kill {}", mob.target_string)
}

/// Mobs that nobody fights and that can be fought.
fn may_be_prey<'a>(seen: &Perception<'a>) -> impl Iterator<Item = &'a RoomMob> {
    seen.state.mobs().iter().filter(|mob| !mob.fighting && mob.attackable)
}

fn others<'a>(seen: &Perception<'a>, target: &RoomMob) -> impl Iterator<Item = i32> + 'a {
    let target = target.instance_id.clone();
    seen.state.mobs().iter().filter(move |mob| mob.instance_id != target).map(|mob| mob.vnum)
}

/// Whether there is prey in a room, as one saw it last, for who has so many percent of its hit points.
pub fn is_ground(seen: &Perception<'_>, vnum: Vnum, room: &Room, hp_percent: i32) -> bool {
    !room.peaceful
        && grade(seen, vnum) != Grade::TooHard
        && !is_full(seen, vnum)
        && quarries_in(seen, room, hp_percent).next().is_some()
}

/// Such prey, by kind.
fn quarries_in(seen: &Perception<'_>, room: &Room, hp_percent: i32) -> impl Iterator<Item = Vnum> {
    room.mobs.iter().enumerate().filter_map(move |(n, mob)| {
        let others = room.mobs.iter().enumerate().filter(|(m, _)| *m != n).map(|(_, vnum)| *vnum);
        (matches!(suits_at(seen, *mob, hp_percent), Suits::Yes(_)) && !has_friends(seen, others)).then_some(*mob)
    })
}

/// Experience for each step that the best prey in a room costs, so many steps off, and with it what the fight and the
/// rest after it cost.
pub fn yields(seen: &Perception<'_>, room: &Room, steps: f64) -> f64 {
    let kinds = quarries_in(seen, room, seen.state.hp_percent());
    let yields = kinds.map(|vnum| {
        let cost = seen.cost_percent(vnum).unwrap_or(UNKNOWN_COST_PERCENT);
        let fight = FIGHT_STEPS + f64::from(cost) / PERCENT_A_STEP;
        experience(seen, vnum) as f64 / (steps.max(0.0) + fight)
    });
    yields.max_by(f64::total_cmp).unwrap_or(0.0)
}

/// What a kill of such a kind brings, as far as one knows.
fn experience(seen: &Perception<'_>, vnum: Vnum) -> i64 {
    let kind = seen.known.bestiary.get(vnum);
    match kind.map_or(0, |kind| kind.xp) {
        0 => of_level(kind.and_then(MobKind::level).unwrap_or(1)),
        known => known,
    }
}

/// What a kill at a level brings, about.
pub fn of_level(level: i32) -> i64 {
    i64::from(level.max(1)).pow(2) * XP_OF_LEVEL
}

/// There are so many others in a room already that one goes elsewhere.
pub fn is_full(seen: &Perception<'_>, vnum: Vnum) -> bool {
    seen.known.others_in(vnum, seen.now_ms) >= FULL
}

/// Whether a kind of mob is to be hunted now, fit as one is.
fn suits(seen: &Perception<'_>, vnum: i32) -> Suits {
    suits_at(seen, vnum, seen.state.hp_percent())
}

/// The same for who has so many percent of its hit points.
fn suits_at(seen: &Perception<'_>, vnum: i32, hp_percent: i32) -> Suits {
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
    let bold = seen.nature.tastes.bold;
    // The same wounds weigh less for the bold.
    let hp_percent = hp_percent + ((bold - 0.5) * BOLD_PERCENT) as i32;
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
            // What its arts take of the other nobody has to take by blows.
            let reach = reach(seen);
            let armed = kind.hp.is_some_and(|hp| reach >= hp);
            let frail = is_frail(seen) && !armed;
            let as_tough = if frail { 1 } else { 2 };
            let tough = kind.hp.zip(seen.state.max_health).is_some_and(|(hp, own)| hp - reach > own * as_tough);
            let daring = armed || (bold >= DARING && !frail);
            let most = own + i32::from(daring) - i32::from((bold <= TIMID || frail) && own > 1);
            if hp_percent < FIT_PERCENT || tough || level > most {
                return Suits::No;
            }
        }
    }
    let worth = experience(seen, vnum);
    // What costs little is worth more: less resting.
    let cost = seen.cost_percent(vnum).unwrap_or(UNKNOWN_COST_PERCENT).max(5);
    let wanted = if is_wanted(seen, &kind.name) { WANTED } else { 1 };
    Suits::Yes(wanted * worth * 100 / i64::from(cost + 20))
}

/// Who has few hit points for its level, as those have who live by spells, is beaten by bad luck with an equal.
fn is_frail(seen: &Perception<'_>) -> bool {
    seen.state.max_health.is_some_and(|most| most < FRAIL_HP + FRAIL_HP_OF_LEVEL * seen.level())
}

/// What so many together would attack in this room, and one alone would not.
pub fn company_prey<'a>(seen: &Perception<'a>, many: usize) -> Option<&'a RoomMob> {
    if seen.known.map.room().is_some_and(|room| room.peaceful) {
        return None;
    }
    may_be_prey(seen).find(|mob| {
        suits_company(seen, mob.vnum, many)
            && seen.known.refused_actions.blocks(seen.room(), &attack(mob), seen.now_ms).is_none()
            && !has_friends(seen, others(seen, mob))
    })
}

/// Such prey in a room, as one saw it last: its kind.
pub fn is_company_ground(seen: &Perception<'_>, room: &Room, many: usize) -> Option<i32> {
    let mut mobs = room.mobs.iter().enumerate().filter(|_| !room.peaceful);
    let fits = |(n, mob): &(usize, &i32)| {
        let others = room.mobs.iter().enumerate().filter(|(m, _)| m != n).map(|(_, vnum)| *vnum);
        suits_company(seen, **mob, many) && !has_friends(seen, others)
    };
    mobs.find(fits).map(|(_, vnum)| *vnum)
}

/// Too strong for one, whole, and not for so many.
fn suits_company(seen: &Perception<'_>, vnum: i32, many: usize) -> bool {
    let Some(kind) = seen.known.bestiary.get(vnum).filter(|kind| !kind.untouchable) else { return false };
    let (Some(level), own) = (kind.level(), seen.level()) else { return false };
    let many = i32::try_from(many).unwrap_or(i32::MAX).min(COMPANY_MAX);
    let tough = kind.hp.zip(seen.state.max_health).is_some_and(|(hp, own)| hp > own.saturating_mul(many));
    let beaten = kind.beaten_by > kind.kills + LUCK_MAX;
    (own..=own + many).contains(&level) && !tough && !beaten && suits_at(seen, vnum, 100) == Suits::No
}

/// What one has outgrown by far teaches nothing.
fn is_worth_it(kind: &MobKind, level: i32, own: i32) -> bool {
    level >= own - 6 || kind.xp > i64::from(own) * 20
}

/// Whether one of the others beside it may join in: all that are known to help or to attack, and all that are so
/// strong that one does not want to find out.
fn has_friends(seen: &Perception<'_>, mut others: impl Iterator<Item = i32>) -> bool {
    let level = seen.level();
    others.any(|vnum| {
        let Some(kind) = seen.known.bestiary.get(vnum).filter(|kind| !kind.untouchable) else { return false };
        let weak = kind.level().is_some_and(|its| its <= level - 3);
        let strong = kind.level().is_some_and(|its| its > level + BYSTANDER_LEVELS);
        (kind.helper || kind.aggressive || (strong && kind.kills == 0)) && !weak
    })
}
