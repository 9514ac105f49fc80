//! Whoever sees a room alike reads it alike: the server reads a room's variables once for all of them.

use std::collections::BTreeMap;
use world::report::Report;
use world::vars::{Group, Sight, VARS};
use world::{CharacterId, World};

/// What differs in the rooms that a report names, though `Sight` and `reads_as_others` say that it does not.
pub fn differences(world: &World, report: &Report) -> Vec<String> {
    let mut found = Vec::new();
    for room in &report.touched_rooms {
        let mut first: BTreeMap<Sight, (CharacterId, Vec<String>)> = BTreeMap::new();
        for &who in &world.room(*room).characters {
            if !world.who(who).is_player() || !world.reads_as_others(who) {
                continue;
            }
            let read = values(world, who);
            let (other, as_other) = first.entry(world.sight(who)).or_insert_with(|| (who, read.clone()));
            if *as_other != read {
                found.push(format!("{who:?} reads {room:?} as {read:?}, but {other:?} as {as_other:?}"));
            }
        }
    }
    found
}

fn values(world: &World, who: CharacterId) -> Vec<String> {
    let of_room = VARS.iter().filter(|row| row.group == Group::Room);
    let read = |row: &world::vars::VarRow| {
        let mut value = String::new();
        (row.read)(world, who, &mut value);
        value
    };
    of_room.map(read).collect()
}
