//! Spells that one knows: to harm whom one fights, and to heal oneself.
//!
//! Which spells are for what the game says in `SKILLS`. Skills of the body are left to who decides: a failure of some
//! leaves one on the ground.

use super::{Perception, Proposal};
use protocol::arts::{ArtKind, ArtUse, KnownArt};

/// With fewer hit points, in percent, a healing spell is worth its mana.
const HEAL_PERCENT: i32 = 55;

pub fn strike(seen: &Perception<'_>) -> Proposal {
    if !seen.state.is_fighting() { Proposal::Pass } else { cast(seen, ArtUse::Harm, "") }
}

pub fn heal(seen: &Perception<'_>) -> Proposal {
    if seen.state.hp_percent() >= HEAL_PERCENT { Proposal::Pass } else { cast(seen, ArtUse::Heal, " self") }
}

/// The spell for this that one knows best and can pay for, of equals the humblest.
fn cast(seen: &Perception<'_>, use_: ArtUse, at: &str) -> Proposal {
    let on_feet = matches!(seen.state.position.as_deref(), None | Some("standing" | "fighting"));
    if !on_feet || seen.state.lag.is_some_and(|ticks| ticks > 0) {
        return Proposal::Pass;
    }
    let mana = seen.state.mana.unwrap_or(0);
    let fits = |art: &&KnownArt| {
        art.kind == ArtKind::Spell
            && art.used_for == use_
            && art.percent > 0
            && art.mana.is_some_and(|cost| cost <= mana)
    };
    let mut arts: Vec<&KnownArt> = seen.state.skills.iter().flatten().filter(fits).collect();
    arts.sort_by_key(|art| (std::cmp::Reverse(art.percent), art.level, art.name.clone()));
    let line = |art: &KnownArt| Some(format!("{} '{}'{at}", art.verb.as_ref()?, art.name));
    seen.first_of(arts.into_iter().filter_map(line))
}
