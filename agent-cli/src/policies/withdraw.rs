//! Leaving a fight in time.

use super::{Perception, Proposal};

/// Of the most hit points, percent: where the game itself runs.
const WIMPY_PERCENT: i32 = 30;
/// Set anew when it is off by so many percent of the old one.
const WIMPY_STEP_PERCENT: i32 = 15;
/// Of the most hit points, percent: so many are kept in reserve when the end of a fight is reckoned.
const RESERVE_PERCENT: i64 = 22;
/// No reckoning before so much was suffered and dealt: blows differ.
const ROUNDS_MS: u64 = 5_000;
/// Blows fall once in each of these.
const ROUND_MS: u64 = 2_000;
/// Who would fall in so many rounds more, and not win before, does not wait for what a model says.
const ROUNDS_LEFT: i64 = 3;

pub fn wimpy(seen: &Perception<'_>) -> Proposal {
    let Some(most) = seen.state.max_health.filter(|most| *most > 0) else { return Proposal::Pass };
    let wanted = most * WIMPY_PERCENT / 100;
    let off = (wanted - seen.known.wimpy.unwrap_or(0)).abs() * 100;
    if wanted < 1 || off <= wanted * WIMPY_STEP_PERCENT {
        return Proposal::Pass;
    }
    seen.step(format!("wimpy {wanted}"))
}

/// Reckons from the blows so far who falls first, and runs while there is something left to run with. Beside a model,
/// only from who would kill it before the next answer.
pub fn withdraw(seen: &Perception<'_>) -> Proposal {
    let state = seen.state;
    if !state.is_fighting() || state.position.as_deref() != Some("fighting") || seen.known.flights_failed > 2 {
        return Proposal::Pass;
    }
    let (Some(fight), Some(hp), Some(most)) = (&seen.known.fight, state.health, state.max_health) else {
        return Proposal::Pass;
    };
    let since_ms = seen.now_ms.saturating_sub(fight.since_ms);
    if state.hp_percent() > 55 {
        return Proposal::Pass;
    }
    let attackers = state.attackers().count() as i64;
    let known_hp = fight.vnum.and_then(|vnum| seen.known.bestiary.get(vnum)).and_then(|kind| kind.hp);
    // Of a stranger: that it can take as much as oneself.
    let its_hp = i64::from(known_hp.unwrap_or(most));
    let left = (its_hp - fight.dealt).max(its_hp / 10).max(1) * attackers.max(1);
    let dealt = fight.dealt.max(1);
    let to_suffer = left * fight.suffered / dealt;
    let (hp, most) = (i64::from(hp), i64::from(most));
    let rounds = i64::try_from(since_ms / ROUND_MS).unwrap_or(i64::MAX).max(1);
    if to_suffer >= hp && hp <= fight.suffered * ROUNDS_LEFT / rounds {
        return seen.step("flee");
    }
    // Whether a fight is worth its wounds a model weighs itself.
    let loses = hp - to_suffer < most * RESERVE_PERCENT / 100 && to_suffer > most / 10;
    // Who leaves a fight leaves the others of its group in it.
    let deserts = seen.known.company.here(&seen.known.players).any(|name| seen.known.company.fights(name, seen.now_ms));
    if seen.alone && !deserts && since_ms >= ROUNDS_MS && loses {
        return seen.step("flee");
    }
    Proposal::Pass
}
