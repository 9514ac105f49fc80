//! Buying what one lacks, where shops are known; and asking each shopkeeper once what there is. Who keeps a shop, the
//! server says; where it does not, whoever may keep one is asked.

use super::{Perception, Proposal};
use crate::map::Way;
use crate::objects::{Use, Ware, guess};
use mind::arts::verb_for;
use std::collections::BTreeSet;

/// Of these one wants to carry so many. Of food one more than most begin with: who goes out hunting buys a bite first.
const WANTED: &[(Use, usize)] = &[(Use::Food, 3), (Use::Drink, 1), (Use::Light, 2), (Use::Weapon, 0)];
/// So many coins are kept back, except for food; all of it by the most thrifty.
const KEEP: f64 = 20.0;
/// Better gear is bought when it is at most so many percent of what one has.
const GEAR_PERCENT: i64 = 60;
/// So many potions or scrolls that heal one wants to carry, none of them for more than such a part of what one has.
const REMEDIES: usize = 2;
const REMEDY_PARTS: i64 = 2;
/// Farther than that one does not walk to a shop.
const WAY_MAX: usize = 40;
/// Names of trades by which a keeper of a shop is known.
const KEEPERS: &[&str] = &[
    "smith",
    "armourer",
    "armorer",
    "shop",
    "keeper",
    "merchant",
    "baker",
    "innkeeper",
    "fishwife",
    "pie-man",
    "grocer",
    "trader",
    "chandler",
    "outfitter",
    "tailor",
    "barkeep",
    "landlord",
    "pedlar",
    "peddler",
    "vendor",
    "sutler",
];

pub fn shop(seen: &Perception<'_>) -> Proposal {
    if !seen.stands() {
        return Proposal::Pass;
    }
    let room = seen.room();
    if let Some(wares) = seen.known.objects.shops.get(&room) {
        if let Some(line) = buy(seen, wares).filter(|_| may_trade(seen)) {
            return seen.step(line);
        }
    } else if has_keeper(seen) {
        // A refusal blocks the line here; after three it is no shop for a long time.
        if let Proposal::Do(line) = seen.step("list") {
            return Proposal::Do(line);
        }
    }
    to_shop(seen)
}

/// Somebody here keeps a shop, or may keep one as far as the server says, and nobody said that there is none.
fn has_keeper(seen: &Perception<'_>) -> bool {
    !seen.known.objects.no_shops.contains(&seen.room())
        && match &seen.state.room_offers {
            Some(offers) => offers.keeper.is_some(),
            None => seen.state.mobs().iter().any(|mob| is_keeper(seen, mob.vnum, &mob.name, mob.attackable)),
        }
}

/// One can trade here: the server says that somebody keeps a shop, or, where it does not say, one did before or
/// somebody may keep one.
pub fn may_trade(seen: &Perception<'_>) -> bool {
    match &seen.state.room_offers {
        Some(offers) => offers.keeper.is_some(),
        None => seen.known.objects.shops.contains_key(&seen.room()) || has_keeper(seen),
    }
}

/// Somebody who may keep a shop: by trade, or since nobody may attack them.
fn is_keeper(seen: &Perception<'_>, vnum: i32, name: &str, attackable: bool) -> bool {
    if seen.known.objects.no_keepers.contains(&vnum) {
        return false;
    }
    let name = name.to_lowercase();
    let kind = seen.known.bestiary.get(vnum);
    // Who lacks a light asks whoever is there and is no prey.
    let stranger = || !seen.has_light() && kind.is_some_and(|kind| kind.kills == 0 && !kind.aggressive);
    KEEPERS.iter().any(|trade| name.contains(trade))
        || !attackable
        || kind.is_some_and(|kind| kind.untouchable)
        || stranger()
}

fn count(seen: &Perception<'_>, use_: Use) -> usize {
    *seen.memo.counts.borrow_mut().entry(use_).or_insert_with(|| counted(seen, use_))
}

fn counted(seen: &Perception<'_>, use_: Use) -> usize {
    let objects = &seen.known.objects;
    let of_use = |id: &str, vnum: i32, name: &str| objects.is_for(vnum, name, use_) && !seen.known.burnt.contains(id);
    let carried = seen.state.carried().iter().filter(|item| of_use(&item.instance_id, item.vnum, &item.name)).count();
    let worn = seen.state.equipment.as_ref().map_or(0, |equipment| {
        equipment.0.iter().filter(|(_, item)| of_use(&item.instance_id, item.vnum, &item.name)).count()
    });
    carried + worn
}

/// What to buy here, if anything.
fn buy(seen: &Perception<'_>, wares: &[Ware]) -> Option<String> {
    let (gold, keep) = (seen.state.gold.unwrap_or(0), (KEEP * seen.nature.tastes.thrifty) as i64);
    for (use_, most) in WANTED {
        if count(seen, *use_) >= *most {
            continue;
        }
        let fitting =
            wares.iter().filter(|ware| guess(&ware.name) == Some(*use_) && ware.price <= gold - keep.min(gold / 2));
        if let Some(ware) = fitting.min_by_key(|ware| (ware.price, ware.number)) {
            return Some(format!("buy #{}", ware.number));
        }
    }
    let bare = |use_: Use| match use_ {
        Use::Weapon => {
            seen.state.equipment.as_ref().is_some_and(|e| e.get("wield").is_none()) && count(seen, use_) == 0
        }
        _ => false,
    };
    let better = wares.iter().filter(|ware| ware.price <= (gold - keep) * GEAR_PERCENT / 100).filter(|ware| {
        let names_it = |name: &str| name.eq_ignore_ascii_case(&ware.name);
        let worn = seen.state.equipment.as_ref().is_some_and(|e| e.0.iter().any(|(_, item)| names_it(&item.name)));
        let has = worn || seen.state.carried().iter().any(|item| names_it(&item.name));
        match guess(&ware.name) {
            _ if has => false,
            Some(Use::Weapon) => bare(Use::Weapon) || is_dearer(seen, ware),
            Some(Use::Wear) => place_is_free(seen, &ware.name),
            _ => false,
        }
    });
    let gear = better.max_by_key(|ware| (guess(&ware.name) == Some(Use::Weapon), ware.price));
    gear.or_else(|| remedy(seen, wares, gold - keep)).map(|ware| format!("buy #{}", ware.number))
}

/// The cheapest thing that heals, where one has few and can well pay for it.
fn remedy<'a>(seen: &Perception<'_>, wares: &'a [Ware], gold: i64) -> Option<&'a Ware> {
    let heals = |ware: &&Ware| {
        guess(&ware.name) == Some(Use::Heal) && verb_for(&ware.name) != "use" && ware.price * REMEDY_PARTS <= gold
    };
    let few = count(seen, Use::Heal) < REMEDIES;
    wares.iter().filter(heals).min_by_key(|ware| (ware.price, ware.number)).filter(|_| few)
}

/// The weapon in hand is known to be worth much less.
fn is_dearer(seen: &Perception<'_>, ware: &Ware) -> bool {
    let Some(wielded) = seen.state.equipment.as_ref().and_then(|e| e.get("wield")) else { return true };
    seen.known.objects.price(wielded.vnum, &wielded.name).is_some_and(|price| ware.price > price * 3 / 2)
}

/// Nothing is worn or carried that is of the same sort, by the last word of its name.
fn place_is_free(seen: &Perception<'_>, name: &str) -> bool {
    let place = |name: &str| -> Option<&'static str> {
        let words = crate::objects::words_of(name);
        PLACES
            .iter()
            .find(|(_, names)| words.iter().any(|word| names.contains(&word.as_str())))
            .map(|(place, _)| *place)
    };
    let Some(wanted) = place(name) else { return false };
    let worn = seen.state.equipment.iter().flat_map(|e| e.0.iter().map(|(_, item)| &item.name));
    let carried = seen.state.carried().iter().map(|item| &item.name);
    !worn.chain(carried).any(|name| place(name) == Some(wanted))
}

const PLACES: &[(&str, &[&str])] = &[
    ("body", &["tunic", "jerkin", "mail", "tabard", "corselet", "jack", "robe", "coat", "vest", "breastplate"]),
    ("head", &["cap", "coif", "hat", "helm", "helmet", "hood", "crown"]),
    ("legs", &["leggings", "chausses", "hose", "greaves", "breeches"]),
    ("feet", &["boots", "clogs", "shoes"]),
    ("hands", &["gloves", "gauntlets", "mittens"]),
    ("arms", &["sleeves", "vambraces"]),
    ("shield", &["buckler", "shield"]),
    ("about", &["cloak", "cape", "mantle"]),
    ("waist", &["belt", "girdle", "sash"]),
];

/// To a shop that sells what is lacking, when it is near and one can pay.
fn to_shop(seen: &Perception<'_>) -> Proposal {
    let lacking = !seen.has_light()
        || (seen.known.hungry && count(seen, Use::Food) == 0)
        || (seen.known.thirsty && count(seen, Use::Drink) == 0);
    let rich = seen.state.gold.unwrap_or(0) >= 40;
    if !lacking && !rich {
        return Proposal::Pass;
    }
    match way_to_wares(seen) {
        Some(way) if way.length <= WAY_MAX => seen.walk(&way.step),
        _ => Proposal::Pass,
    }
}

/// To the nearest shop where there is something to buy. Who has no light gropes its way there.
pub fn way_to_wares(seen: &Perception<'_>) -> Option<Way> {
    let gropes = !seen.has_light();
    let sells = |vnum: i32, wares: &[Ware]| {
        buy(seen, wares).is_some_and(|line| seen.known.refused_actions.blocks(vnum, &line, seen.now_ms).is_none())
    };
    let shops = seen.known.objects.shops.iter().filter(|(vnum, wares)| sells(**vnum, wares));
    let shops: BTreeSet<i32> = shops.map(|(vnum, _)| *vnum).collect();
    if shops.is_empty() {
        return None;
    }
    seen.known.map.way_to(
        seen.now_ms,
        |vnum, room| seen.may_enter(vnum, room) || (gropes && seen.may_grope(vnum)),
        |vnum, _| shops.contains(&vnum),
    )
}
