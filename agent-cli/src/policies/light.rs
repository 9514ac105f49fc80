//! Light where it is dark.

use super::{Perception, Proposal};
use crate::map::{Room, Way};

pub fn light(seen: &Perception<'_>) -> Proposal {
    let objects = &seen.known.objects;
    if seen.known.light_of(seen.state).is_some() || seen.state.is_in("sleeping") {
        return Proposal::Pass;
    }
    // The way that one is about to go may be as dark as the room.
    let dark = seen.is_dark() || seen.known.map.room().is_some_and(|room| room.dark);
    if !dark {
        return Proposal::Pass;
    }
    let lights = seen.state.carried().iter().filter(|item| seen.is_light(item));
    let words: Vec<String> = lights.filter_map(|item| objects.target(item)).collect();
    // What has burnt out is in the way of the next one.
    let burnt = seen.state.equipment.as_ref().and_then(|equipment| equipment.get("light"));
    let burnt = burnt.filter(|_| !words.is_empty()).and_then(|worn| objects.word(worn.vnum, &worn.name));
    let lines = match burnt {
        Some(word) => vec![format!("remove {word}")],
        None => words.iter().map(|word| format!("hold {word}")).collect(),
    };
    match seen.first_of(lines) {
        // No light: back to where one could see, if one remembers the way.
        Proposal::Pass if seen.alone && seen.is_dark() && seen.stands() => back_to_light(seen),
        step => step,
    }
}

/// To where there is a light to be had, else home, else to the nearest room in which one sees. The nearest comes last:
/// in a lit corner behind dark rooms one would sit for ever.
fn back_to_light(seen: &Perception<'_>) -> Proposal {
    let map = &seen.known.map;
    let way = super::shop::way_to_wares(seen)
        .or_else(|| way_home_in_the_dark(seen))
        .or_else(|| map.way_to(seen.now_ms, |_, _| true, |vnum, room| !room.dark && seen.may_enter(vnum, room)))
        .or_else(|| map.way_to(seen.now_ms, |_, _| true, |_, room| !room.dark));
    way.map_or(Proposal::Pass, |way| seen.walk(&way.step))
}

/// The way home for who needs not see the way.
pub fn way_home_in_the_dark(seen: &Perception<'_>) -> Option<Way> {
    let may = |vnum: i32, _: &Room| seen.may_grope(vnum);
    seen.known.map.way_to(seen.now_ms, may, |vnum, room| is_home(seen, vnum, room))
}

fn is_home(seen: &Perception<'_>, vnum: i32, room: &Room) -> bool {
    Some(vnum) == seen.known.home && !room.dark
}
