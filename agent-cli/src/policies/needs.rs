//! Hunger and thirst. The game tells of both in words only.

use super::{Perception, Proposal};
use crate::objects::Use;

pub fn eat(seen: &Perception<'_>) -> Proposal {
    if !seen.known.hungry || seen.state.is_in("sleeping") {
        return Proposal::Pass;
    }
    seen.first_of(words(seen, Use::Food).map(|word| format!("eat {word}")))
}

pub fn drink(seen: &Perception<'_>) -> Proposal {
    if seen.state.is_in("sleeping") {
        return Proposal::Pass;
    }
    let fountain = seen.known.map.room().and_then(|room| room.water.clone());
    let fountain = fountain.filter(|word| seen.state.items().iter().any(|item| *item.target_string == **word));
    if let Some(fountain) = &fountain {
        if seen.known.thirsty {
            return seen.step(format!("drink {fountain}"));
        }
        // A fountain is met now and then: fill what was drunk from.
        let drunk = words(seen, Use::Drink).filter(|word| seen.known.drunk_from.contains(word));
        return seen.first_of(drunk.map(|word| format!("fill {word} {fountain}")));
    }
    if !seen.known.thirsty {
        return Proposal::Pass;
    }
    match seen.first_of(words(seen, Use::Drink).map(|word| format!("drink {word}"))) {
        Proposal::Pass if seen.alone && seen.stands() => to_water(seen),
        step => step,
    }
}

/// Nothing to drink at hand: to the next fountain that one knows.
fn to_water(seen: &Perception<'_>) -> Proposal {
    let way = seen.way_to(|_, room| room.water.is_some());
    way.map_or(Proposal::Pass, |way| seen.walk(&way.step))
}

/// Words for what one carries that is good for it.
fn words<'a>(seen: &'a Perception<'_>, use_: Use) -> impl Iterator<Item = String> + 'a {
    let objects = &seen.known.objects;
    let carried = seen.state.carried().iter().filter(move |item| objects.is_for(item.vnum, &item.name, use_));
    carried.filter_map(move |item| objects.target(item))
}
