//! What goes about by night: hunters of people with what brings them, and the gates of the moon.

use crate::Vnum;
use crate::words::MoonPhase;
use serde::{Deserialize, Serialize};

/// A mob that hunts people, and the room that it sets out from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lair {
    pub mob: Vnum,
    pub room: Vnum,
}

/// Who hunts people without a thing that brings it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Hunters {
    /// In the nights of a full moon.
    pub moon: Option<Lair>,
    /// Stirred up by an art.
    pub art: Option<Lair>,
}

/// What comes after whoever carries a thing, in so many hours of a hundred.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hunted {
    pub mob: Vnum,
    pub room: Vnum,
    pub percent: i32,
}

/// What comes after whoever uses a thing, and how many of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Horn {
    pub mob: Vnum,
    pub room: Vnum,
    pub count: i32,
}

impl Hunted {
    pub fn lair(self) -> Lair {
        Lair { mob: self.mob, room: self.room }
    }
}

impl Horn {
    pub fn lair(self) -> Lair {
        Lair { mob: self.mob, room: self.room }
    }
}

/// Where a gate stands in the nights of a phase of the moon, and where it leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Gate {
    pub phase: MoonPhase,
    pub room: Vnum,
    pub to: Vnum,
}
