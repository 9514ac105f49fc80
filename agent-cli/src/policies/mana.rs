//! What mana is worth: which spells one can pay for, and how far they reach.

use super::Perception;
use protocol::arts::{ArtKind, ArtUse, KnownArt};
use std::cmp::Reverse;

/// Mana that who knows how to heal keeps for that, percent of all.
const RESERVE_PERCENT: i32 = 30;

/// Mana that no blow is worth: none where there is nothing else to spend it on.
pub fn reserve(seen: &Perception<'_>) -> i32 {
    let heals = |art: &KnownArt| art.kind == ArtKind::Spell && art.used_for == ArtUse::Heal && art.percent > 0;
    if !seen.state.skills.iter().flatten().any(heals) {
        return 0;
    }
    (i64::from(seen.state.max_mana.unwrap_or(0).max(0)) * i64::from(RESERVE_PERCENT) / 100) as i32
}

/// Hit points to expect of it, in hundredths: what it takes, as often as it succeeds.
pub fn worth(art: &KnownArt) -> i64 {
    i64::from(art.damage.unwrap_or(0)) * i64::from(art.percent)
}

/// The spells for this that one can pay for without the reserve, once one is on one's feet: first what gives most for
/// its mana, of equals the one known best, then the humblest.
pub fn payable<'a>(seen: &Perception<'a>, use_: ArtUse, reserve: i32) -> Vec<&'a KnownArt> {
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
    arts
}

/// Hit points to expect of the spell that one would strike with, cast until the mana is gone.
pub fn reach(seen: &Perception<'_>) -> i32 {
    let reserve = reserve(seen);
    let Some(art) = payable(seen, ArtUse::Harm, reserve).into_iter().next() else { return 0 };
    let times = seen.state.mana.unwrap_or(0).saturating_sub(reserve) / art.mana.unwrap_or(1).max(1);
    i32::try_from(i64::from(times) * worth(art) / 100).unwrap_or(i32::MAX)
}
