//! Hashes of the state: two worlds with equal hashes are the same world, and what differs is named by its section.
//!
//! Each section is XXH3-64 over its postcard encoding, streamed entity by entity, so that no encoding is ever held in
//! memory. Free lists, generations and counters are part of it, as they decide what comes next; lists of touched
//! entities and caches are not. Equal on every machine, as postcard writes integers in one order.

use crate::world::{State, World};
use content::hash::of;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StateHashes {
    pub rooms: u64,
    /// With the lists that name characters: players, fighters, those who wait, counts of mobs.
    pub characters: u64,
    /// With the counts of objects.
    pub objects: u64,
    /// With what was edited of the content.
    pub zones: u64,
    /// Clock, weather, seed, number of the last input, the next serial, acts of nobody, loaded dice, tablets.
    pub clock: u64,
    /// Persons, channels, their messages and counters, records of agents.
    pub channels: u64,
    /// Sources of scripts, and what they keep and wait for.
    #[serde(default)]
    pub scripts: u64,
    /// What was built in rooms.
    #[serde(default)]
    pub plots: u64,
    /// Of the eight above.
    pub all: u64,
}

impl StateHashes {
    /// Each section with its name.
    pub fn sections(&self) -> [(&'static str, u64); 8] {
        [
            ("rooms", self.rooms),
            ("characters", self.characters),
            ("objects", self.objects),
            ("zones", self.zones),
            ("clock", self.clock),
            ("channels", self.channels),
            ("scripts", self.scripts),
            ("plots", self.plots),
        ]
    }

    /// Names of the sections that differ; empty when the hashes are equal.
    pub fn differences(&self, other: &StateHashes) -> Vec<&'static str> {
        let both = self.sections().into_iter().zip(other.sections());
        both.filter(|((_, one), (_, other))| one != other).map(|((name, _), _)| name).collect()
    }
}

impl World {
    pub fn hashes(&self) -> StateHashes {
        self.state.hashes()
    }

    /// The state as it is now: a copy of pointers, to be hashed or written on another thread.
    pub fn snapshot(&self) -> State {
        self.state.clone()
    }
}

impl State {
    /// Takes about as long as encoding the whole state; never needed while a tick waits.
    pub fn hashes(&self) -> StateHashes {
        let rooms = of(&self.rooms);
        let characters = of(&(&self.characters, &self.waiting, &self.fighters, &self.players, &self.mob_counts));
        let objects = of(&(&self.objects, &self.object_counts));
        let zones = of(&(&self.zones, &self.edits));
        let clock = of(&(
            (&self.clock, &self.weather, self.seed, self.number, self.next_serial, self.acts),
            (&self.loaded, &self.honours),
        ));
        let channels = of(&(&self.channels, &self.agents));
        let scripts = of(&self.scripts);
        let plots = of(&self.plots);
        let all = of(&[rooms, characters, objects, zones, clock, channels, scripts, plots]);
        StateHashes { rooms, characters, objects, zones, clock, channels, scripts, plots, all }
    }
}
