//! What to wield and wear. A thing is better when a shop asks more for it; what no shop knows is put on where the place
//! is empty.

use super::{Perception, Proposal};
use crate::objects::Use;
use protocol::payload::InventoryItem;

/// So many percent dearer it has to be, to be worth the change.
const BETTER_PERCENT: i64 = 120;

pub fn gear(seen: &Perception<'_>) -> Proposal {
    if seen.state.is_in("sleeping") {
        return Proposal::Pass;
    }
    let objects = &seen.known.objects;
    let Some(equipment) = &seen.state.equipment else { return Proposal::Pass };
    // The dearest first: else what was just taken off would be put on again.
    let mut carried: Vec<(&InventoryItem, Use)> = Vec::new();
    for item in seen.state.carried() {
        let uses = [Use::Weapon, Use::Wear].into_iter();
        carried.extend(uses.filter(|use_| objects.is_for(item.vnum, &item.name, *use_)).map(|use_| (item, use_)));
    }
    carried.sort_by_cached_key(|(item, _)| std::cmp::Reverse(objects.price(item.vnum, &item.name).unwrap_or(0)));
    for (item, use_) in carried {
        if seen.known.tried.contains(&(item.instance_id.to_string(), use_)) {
            continue;
        }
        let Some(word) = objects.target(item) else { continue };
        let verb = if use_ == Use::Weapon { "wield" } else { "wear" };
        let slot = match use_ {
            Use::Weapon => Some("wield"),
            _ => objects.known.get(&item.vnum).and_then(|object| object.slot.as_deref()),
        };
        let worn = slot.and_then(|slot| equipment.get(slot));
        if let Some(worn) = worn {
            if worn.vnum == item.vnum {
                continue;
            }
            let (Some(new), Some(old)) = (objects.price(item.vnum, &item.name), objects.price(worn.vnum, &worn.name))
            else {
                continue;
            };
            if new * 100 < old * BETTER_PERCENT {
                continue;
            }
            let Some(old_word) = objects.worn_target(worn) else { continue };
            if let Proposal::Do(line) = seen.step(format!("remove {old_word}")) {
                return Proposal::Do(line);
            }
            continue;
        }
        if let Proposal::Do(line) = seen.step(format!("{verb} {word}")) {
            return Proposal::Do(line);
        }
    }
    Proposal::Pass
}
