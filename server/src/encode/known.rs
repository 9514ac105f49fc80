//! What is known of a player and its place, for what stands beside a person's text (`gmcp`, `msdp`).

use crate::outbox::{Delivery, Value};
use content::Content;
use content::words::Direction;
use protocol::variables::{Variable, VariableSet};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The values are kept as the texts that they came in: those of a room are shared by all who read it, and most are
/// replaced before anybody looks into them.
pub struct Known {
    pub content: Arc<Content>,
    /// Empty before it plays.
    pub name: String,
    values: BTreeMap<Variable, Value>,
}

/// The room that a player is in, as far as it may know it: its number in the dark too.
pub struct Place<'k> {
    pub number: i32,
    /// A string of JSON.
    pub name: &'k RawValue,
    pub area: &'k str,
    pub terrain: &'static str,
    /// On the map of its zone: to the east, to the north, upwards.
    pub coords: [i32; 3],
    /// Those that it sees, by their first letter, with the numbers of rooms.
    pub exits: Exits,
}

pub type Exits = BTreeMap<char, i32>;

/// What a place is made of.
pub const PLACE: &[Variable] = &[Variable::RoomVnum, Variable::RoomName, Variable::RoomExits];

impl Known {
    pub fn new(content: Arc<Content>) -> Known {
        Known { content, name: String::new(), values: BTreeMap::new() }
    }

    /// A value, or a part of it. `None` until it was told, or where it is of another shape.
    pub fn read<'k, T: Deserialize<'k>>(&'k self, variable: Variable) -> Option<T> {
        serde_json::from_str(self.values.get(&variable)?.json()).ok()
    }

    /// Takes what is new, and tells which variables are. Much of what comes is as it was: a room's variables are read
    /// together, whichever of them has changed.
    pub fn learn(&mut self, taken: &Delivery) -> VariableSet {
        let mut learned = VariableSet::EMPTY;
        for (variable, value) in &taken.vars {
            if self.values.get(variable).is_none_or(|before| before.hash() != value.hash()) {
                self.values.insert(*variable, value.clone());
                learned.insert(*variable);
            }
        }
        learned
    }

    /// Forgets what nobody tells any more: it would grow old.
    pub fn forget_all_but(&mut self, set: VariableSet) {
        self.values.retain(|variable, _| set.contains(*variable));
    }

    pub fn place(&self) -> Option<Place<'_>> {
        let number: i32 = self.read(Variable::RoomVnum)?;
        let name = self.read(Variable::RoomName)?;
        let seen: Vec<&str> = self.read(Variable::RoomExits)?;
        let id = self.content.room_id(number);
        let coords = id.map_or([0; 3], |id| self.content.place(id));
        let room = id.map(|id| self.content.room(id));
        let zone = room.and_then(|room| self.content.zone_index(room.zone)).map(|at| &self.content.zones[at]);
        let mut exits = Exits::new();
        for way in seen {
            let Some(direction) = Direction::named(way) else { continue };
            let exit = room.and_then(|room| room.exits.iter().find(|exit| exit.direction == direction));
            if let Some(to) = exit.and_then(|exit| exit.to) {
                exits.extend(way.chars().next().map(|letter| (letter, to)));
            }
        }
        let area = zone.map_or("", |zone| &zone.name);
        Some(Place { number, name, area, terrain: room.map_or("", |room| room.sector.name()), coords, exits })
    }
}

#[cfg(test)]
const WORLD: [(&str, &str); 3] = [
    ("world.toml", "name = \"T\"\nstart_room = 100\n"),
    ("zones/1_green/zone.toml", "number = 1\nname = \"Green\"\nfirst = 100\nlast = 199\n"),
    (
        "zones/1_green/rooms.toml",
        "[[room]]\nvnum = 100\nname = \"A Green\"\nsector = \"field\"\ndescription = \"Grass.\"\n\
         [room.exits.north]\nto = 101\n[room.exits.up]\nto = 101\n\
         [[room]]\nvnum = 101\nname = \"A Lane\"\ndescription = \"Mud.\"\n",
    ),
];

/// A green with a lane to the north of it and above.
#[cfg(test)]
pub fn example() -> Arc<Content> {
    let (content, problems) = content::read(&content::Source::of(WORLD), &content::ReadOptions::default());
    assert!(!problems.has_errors(), "{:?}", problems.0);
    Arc::new(content)
}
