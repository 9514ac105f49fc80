//! Corpses of one's own making.

use super::{Perception, Proposal};

pub fn loot(seen: &Perception<'_>) -> Proposal {
    if !seen.stands() {
        return Proposal::Pass;
    }
    let room = seen.room();
    let corpses = seen.state.items().iter().filter(|item| {
        item.vnum == 0
            && !seen.known.looted.contains(&*item.instance_id)
            && seen.known.kills.iter().any(|kill| kill.room == room && is_of(&item.name, &kill.name))
    });
    let own = super::recovery::own_corpse(seen);
    seen.first_of(
        own.into_iter().chain(corpses.map(|item| item.target_string.to_string())).map(|word| format!("get all {word}")),
    )
}

fn is_of(corpse: &str, name: &str) -> bool {
    corpse.strip_prefix("the corpse of ").is_some_and(|of| of.eq_ignore_ascii_case(name))
}
