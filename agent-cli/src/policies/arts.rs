//! Arts that one knows: to harm whom one fights, to heal oneself, and to learn more of from those who teach.
//!
//! What an art is for, what it costs and what it takes the game says in `SKILLS`.

use super::{Perception, Proposal};
use protocol::arts::{ArtKind, ArtUse, KnownArt, Practices};
use std::cmp::Reverse;

/// With fewer hit points, in percent, a healing spell is worth its mana.
const HEAL_PERCENT: i32 = 55;
/// Mana that is kept for healing and flight, percent of all.
const RESERVE_PERCENT: i32 = 30;
/// With fewer hit points, in percent, one keeps one's breath: who waits for its next command cannot run.
const BRAWL_PERCENT: i32 = 50;

/// The spell that takes most for its mana, down to the reserve; else the art of the body that takes most.
pub fn strike(seen: &Perception<'_>) -> Proposal {
    if !seen.state.is_fighting() {
        return Proposal::Pass;
    }
    let reserve = seen.state.max_mana.unwrap_or(0).max(0) * RESERVE_PERCENT / 100;
    match cast(seen, ArtUse::Harm, reserve, "") {
        Proposal::Pass => brawl(seen),
        cast => cast,
    }
}

pub fn heal(seen: &Perception<'_>) -> Proposal {
    if seen.state.hp_percent() >= HEAL_PERCENT { Proposal::Pass } else { cast(seen, ArtUse::Heal, 0, " self") }
}

fn may_act(seen: &Perception<'_>) -> bool {
    let on_feet = matches!(seen.state.position.as_deref(), None | Some("standing" | "fighting"));
    on_feet && seen.state.lag.unwrap_or(0) == 0
}

/// Hit points to expect of it, in hundredths: what it takes, as often as it succeeds.
fn worth(art: &KnownArt) -> i64 {
    i64::from(art.damage.unwrap_or(0)) * i64::from(art.percent)
}

/// The spell for this that gives most for its mana, of equals the one known best, then the humblest; paid for without
/// the reserve.
fn cast(seen: &Perception<'_>, use_: ArtUse, reserve: i32, at: &str) -> Proposal {
    if !may_act(seen) {
        return Proposal::Pass;
    }
    let mana = seen.state.mana.unwrap_or(0).saturating_sub(reserve);
    let fits = |art: &&KnownArt| {
        art.kind == ArtKind::Spell
            && art.used_for == use_
            && art.percent > 0
            && !art.risky
            && art.mana.is_some_and(|cost| cost <= mana)
    };
    let mut arts: Vec<&KnownArt> = seen.state.skills.iter().flatten().filter(fits).collect();
    let for_mana = |art: &KnownArt| worth(art) / i64::from(art.mana.unwrap_or(1).max(1));
    arts.sort_by_key(|art| (Reverse(for_mana(art)), Reverse(art.percent), art.level, art.name.clone()));
    let line = |art: &KnownArt| Some(format!("{} '{}'{at}", art.verb.as_ref()?, art.name));
    seen.first_of(arts.into_iter().filter_map(line))
}

/// An art of the body that takes something and throws nobody down but its victim.
fn brawl(seen: &Perception<'_>) -> Proposal {
    if !may_act(seen) || seen.state.hp_percent() < BRAWL_PERCENT {
        return Proposal::Pass;
    }
    let fits =
        |art: &&KnownArt| art.kind == ArtKind::Skill && art.used_for == ArtUse::Harm && !art.risky && worth(art) > 0;
    let mut arts: Vec<&KnownArt> = seen.state.skills.iter().flatten().filter(fits).collect();
    arts.sort_by_key(|art| (Reverse(worth(art)), art.level, art.name.clone()));
    seen.first_of(arts.into_iter().filter_map(|art| Some(art.verb.as_ref()?.to_string())))
}

/// Better than this, percent, nobody is taught anything, whatever its class.
const TAUGHT_MAX: i32 = 95;

/// A session with somebody who teaches here: in what one wounds and heals with, and of that in what one knows best.
pub fn practice(seen: &Perception<'_>) -> Proposal {
    let has_sessions = |practices: &Practices| practices.left > 0 && practices.teacher.is_some();
    if !seen.state.practices.as_ref().is_some_and(has_sessions) {
        return Proposal::Pass;
    }
    // What somebody's class does not learn nobody teaches it.
    let fits = |art: &&KnownArt| art.level.is_some() && art.percent < TAUGHT_MAX;
    let mut arts: Vec<&KnownArt> = seen.state.skills.iter().flatten().filter(fits).collect();
    let rank = |art: &KnownArt| match art.used_for {
        ArtUse::Harm if !art.risky => 0,
        ArtUse::Heal => 1,
        ArtUse::Harm | ArtUse::Cure | ArtUse::Protect => 2,
        ArtUse::Travel | ArtUse::Other => 3,
    };
    arts.sort_by_key(|art| (rank(art), Reverse(art.percent), art.level, art.name.clone()));
    seen.first_of(arts.into_iter().map(|art| format!("practice {}", art.name)))
}
