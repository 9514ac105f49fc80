//! Light where it is dark.

use super::{Seen, Step};
use crate::things::Use;

pub fn light(seen: &Seen<'_>) -> Step {
    let things = &seen.known.things;
    let lit = seen.state.equipment.as_ref().is_some_and(|equipment| equipment.get("light").is_some());
    if lit || seen.state.is_in("sleeping") {
        return Step::Pass;
    }
    // The way that one is about to go may be as dark as the room.
    let dark = seen.is_dark() || seen.known.map.room().is_some_and(|room| room.dark);
    if !dark {
        return Step::Pass;
    }
    let lights = seen.state.carried().iter().filter(|item| things.is_for(item.vnum, &item.name, Use::Light));
    let words = lights.filter_map(|item| things.target(item));
    match seen.first_of(words.map(|word| format!("hold {word}"))) {
        // No light: back to where one could see, if one remembers the way.
        Step::Pass if seen.alone && seen.is_dark() && seen.stands() => back_to_light(seen),
        step => step,
    }
}

fn back_to_light(seen: &Seen<'_>) -> Step {
    let map = &seen.known.map;
    let way = map
        .way_to(seen.now_ms, |_, _| true, |vnum, room| !room.dark && seen.may_enter(vnum, room))
        .or_else(|| map.way_to(seen.now_ms, |_, _| true, |_, room| !room.dark));
    way.map_or(Step::Pass, |way| seen.walk(&way.step))
}
