//! Having hands free: what is of no use is sold to the first who buys it, and dropped after a long way if nobody does.
//!
//! Kept are food, drink, light, keys, what holds other things, and what is or may be worn and wielded instead of worse.
//! What has a price is never destroyed.

use super::errands::is_for_somebody;
use super::shop::may_trade;
use super::{Perception, Proposal};
use crate::objects::{Kind, Use, words_of};
use protocol::payload::InventoryItem;

/// With so many things carried, something has to go: the weakest hands hold twelve. The thrifty sell sooner.
const MANY: f64 = 9.0;
const MANY_BY_THRIFT: f64 = 4.0;
/// With so many one does not wait for a buyer.
const FULL: usize = 11;
/// So many rooms one carries what nobody buys.
const ROOMS_CARRIED: u64 = 50;
/// Farther than that one does not carry what is worth little.
const WAY_MAX: usize = 20;
const KEPT: &[&str] = &["key", "backpack", "pack", "sack", "bag", "pouch", "scroll", "potion", "vial", "map", "letter"];

/// Something to do without: its word, its kind, and how long it was carried.
struct Surplus {
    word: String,
    kind: Kind,
    rooms: u64,
}

pub fn unload(seen: &Perception<'_>) -> Proposal {
    if !seen.stands() {
        return Proposal::Pass;
    }
    let surplus: Vec<Surplus> = seen.state.carried().iter().filter_map(|item| surplus(seen, item)).collect();
    if surplus.is_empty() {
        return Proposal::Pass;
    }
    if let Some(step) = trade(seen, &surplus) {
        return step;
    }
    let carried = seen.state.carried().len();
    let many = MANY + (0.5 - seen.nature.tastes.thrifty) * MANY_BY_THRIFT;
    if (carried as f64) < many {
        return Proposal::Pass;
    }
    let objects = &seen.known.objects;
    let buyer = seen.known.map.way_to(
        seen.now_ms,
        |vnum, room| seen.may_enter(vnum, room),
        |vnum, _| !is_closed(seen, vnum) && surplus.iter().any(|it| objects.may_deal_in(vnum, &it.kind)),
    );
    // What one is tired by, nobody pays.
    if let Some(way) = buyer.filter(|way| way.length <= WAY_MAX && !seen.known.spent && !seen.known.recovering) {
        return seen.walk(&way.step);
    }
    // Nobody near buys it. What was carried longest goes first, what somebody far off buys last.
    let goes = |it: &&Surplus| it.rooms >= ROOMS_CARRIED || carried >= FULL;
    let mut gone: Vec<&Surplus> = surplus.iter().filter(goes).collect();
    gone.sort_by_key(|it| (objects.has_buyer(&it.kind), std::cmp::Reverse(it.rooms)));
    seen.first_of(gone.into_iter().map(|it| format!("drop {}", it.word)))
}

/// What to sell here, or to ask a price for, if somebody here keeps a shop.
fn trade(seen: &Perception<'_>, surplus: &[Surplus]) -> Option<Proposal> {
    let (room, objects) = (seen.room(), &seen.known.objects);
    if !may_trade(seen) || is_closed(seen, room) {
        return None;
    }
    let line = |it: &Surplus| match objects.deals_in(room, &it.kind) {
        Some(true) => Some(format!("sell {}", it.word)),
        Some(false) => None,
        // To ask costs nothing.
        None => Some(format!("value {}", it.word)),
    };
    Some(seen.first_of(surplus.iter().filter_map(line))).filter(|step| *step != Proposal::Pass)
}

fn is_closed(seen: &Perception<'_>, room: i32) -> bool {
    seen.known.closed_until_ms.get(&room).is_some_and(|until| seen.now_ms < *until)
}

/// A thing that one can do without.
fn surplus(seen: &Perception<'_>, item: &InventoryItem) -> Option<Surplus> {
    let objects = &seen.known.objects;
    let words = words_of(&item.name);
    if words.iter().any(|word| KEPT.contains(&word.as_str())) || is_for_somebody(seen, &item.name) {
        return None;
    }
    let is = |use_| objects.is_for(item.vnum, &item.name, use_);
    if [Use::Food, Use::Drink, Use::Heal].into_iter().any(is) || seen.is_light(item) {
        return None;
    }
    let equipment = seen.state.equipment.as_ref()?;
    let worn_alike = || equipment.0.iter().any(|(_, worn)| worn.vnum == item.vnum);
    let tried = |use_| seen.known.tried.contains(&(item.instance_id.to_string(), use_));
    let wanted = (is(Use::Weapon) && !tried(Use::Weapon) && !worn_alike() && equipment.get("wield").is_none())
        || (is(Use::Wear) && !tried(Use::Wear) && !worn_alike());
    if wanted {
        return None;
    }
    let (word, kind) = (objects.target(item)?, objects.kind(item.vnum, &item.name));
    Some(Surplus { word, kind, rooms: seen.known.rooms_carried(&item.instance_id) })
}
