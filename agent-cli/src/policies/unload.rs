//! Having hands free: what is of no use is sold where a shop takes it, and thrown away where there is none.
//!
//! Kept are food, drink, light, keys, what holds other things, and what is or may be worn and wielded instead of worse.

use super::{Perception, Proposal};
use crate::objects::{Use, words_of};
use protocol::payload::InventoryItem;

/// With so many things carried, something has to go: the weakest hands hold twelve.
const MANY: usize = 9;
/// Farther than that one does not carry what is worth little.
const WAY_MAX: usize = 20;
const KEPT: &[&str] = &["key", "backpack", "pack", "sack", "bag", "pouch", "scroll", "potion", "vial", "map", "letter"];

pub fn unload(seen: &Perception<'_>) -> Proposal {
    if !seen.stands() {
        return Proposal::Pass;
    }
    let shops = &seen.known.objects.shops;
    let surplus: Vec<String> = seen.state.carried().iter().filter_map(|item| surplus(seen, item)).collect();
    if surplus.is_empty() {
        return Proposal::Pass;
    }
    if shops.contains_key(&seen.room())
        && let Proposal::Do(line) = seen.first_of(surplus.iter().map(|word| format!("sell {word}")))
    {
        return Proposal::Do(line);
    }
    if seen.state.carried().len() < MANY {
        return Proposal::Pass;
    }
    let takes = |vnum: i32| {
        surplus
            .iter()
            .any(|word| seen.known.refused_actions.blocks(vnum, &format!("sell {word}"), seen.now_ms).is_none())
    };
    let shop = seen.known.map.way_to(
        seen.now_ms,
        |vnum, room| seen.may_enter(vnum, room),
        |vnum, _| shops.contains_key(&vnum) && takes(vnum),
    );
    match shop.filter(|way| way.length <= WAY_MAX) {
        Some(way) => seen.walk(&way.step),
        None => seen.first_of(surplus.iter().map(|word| format!("junk {word}"))),
    }
}

/// The word for a thing that one can do without.
fn surplus(seen: &Perception<'_>, item: &InventoryItem) -> Option<String> {
    let objects = &seen.known.objects;
    let words = words_of(&item.name);
    if words.iter().any(|word| KEPT.contains(&word.as_str())) {
        return None;
    }
    let is = |use_| objects.is_for(item.vnum, &item.name, use_);
    if [Use::Food, Use::Drink].into_iter().any(is) || seen.is_light(item) {
        return None;
    }
    let equipment = seen.state.equipment.as_ref()?;
    let worn_alike = || equipment.0.iter().any(|(_, worn)| worn.vnum == item.vnum);
    let tried = |use_| seen.known.tried.contains(&(item.instance_id.to_string(), use_));
    let wanted = (is(Use::Weapon) && !tried(Use::Weapon) && !worn_alike() && equipment.get("wield").is_none())
        || (is(Use::Wear) && !tried(Use::Wear) && !worn_alike());
    if wanted { None } else { objects.target(item) }
}
