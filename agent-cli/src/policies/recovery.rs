//! After a death: wait three seconds, get up, fetch what one had if that is safe, dress again (`gear` does that).

use super::{Perception, Proposal};

const WAIT_MS: u64 = 3_000;
/// A corpse lasts for hours of the game; after so long it is given up.
const FETCH_MS: u64 = 900_000;
/// Farther than that one does not go for it.
const WAY_MAX: usize = 80;
/// Deaths at one place in this time make it a trap.
const TRAP_MS: u64 = 3_600_000;

pub fn recover(seen: &Perception<'_>) -> Proposal {
    let Some(death) = seen.known.deaths.last() else { return Proposal::Pass };
    let since = seen.now_ms.saturating_sub(death.at_ms);
    if since < WAIT_MS {
        return Proposal::Stay;
    }
    if death.settled || since > FETCH_MS {
        return Proposal::Pass;
    }
    // Getting up is part of going: who has nowhere to go rests on.
    if seen.room() == death.room {
        let Some(corpse) = own_corpse(seen) else { return Proposal::Pass };
        return seen.step(format!("get all {corpse}"));
    }
    let again = seen
        .known
        .deaths
        .iter()
        .filter(|other| other.room == death.room && seen.now_ms.saturating_sub(other.at_ms) < TRAP_MS);
    if again.count() > 1 || seen.state.hp_percent() < 85 || !may_face(seen, death.killer) {
        return Proposal::Pass;
    }
    let way = seen.known.map.way_to(seen.now_ms, |vnum, room| seen.may_enter(vnum, room), |vnum, _| vnum == death.room);
    match way {
        Some(way) if way.length <= WAY_MAX => seen.walk(&way.step),
        _ => Proposal::Pass,
    }
}

/// The killer may still be there. One without weapon and armour faces only those who are much weaker.
fn may_face(seen: &Perception<'_>, killer: Option<i32>) -> bool {
    let Some(kind) = killer.and_then(|vnum| seen.known.bestiary.get(vnum)) else { return true };
    // An idle mob lets one come and go, unless it remembers: it had its say.
    kind.level().is_some_and(|level| level <= seen.level() + if kind.aggressive { -1 } else { 2 })
}

/// What to type for one's own corpse, if it lies here and was not emptied yet.
pub fn own_corpse(seen: &Perception<'_>) -> Option<String> {
    let wanted = format!("the corpse of {}", seen.state.name());
    let items = seen.state.items().iter();
    let mut corpses = items.filter(|item| item.vnum == 0 && item.name.eq_ignore_ascii_case(&wanted));
    let corpse = corpses.find(|item| !seen.known.looted.contains(&*item.instance_id))?;
    Some(corpse.target_string.to_string())
}
