//! What somebody has done of its tasks, and what it did that may count for one. The tasks themselves are content.
//!
//! Invariants: nothing is both open and unknown for ever: a task that content no longer has is kept aside as it was,
//! and goes on when it is there again. Deeds are made and used within one input; they are not state.

use crate::arena::{CharacterId, ObjectId};
use content::{Text, Vnum};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Tasks that one can be about at a time.
pub const OPEN_MAX: usize = 20;
/// Names on the tablets of a world; the oldest wears off.
pub const HONOURS_MAX: usize = 60;

/// A character's tasks, by their ids, and what else it had of mobs.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Tasks {
    pub open: BTreeMap<Text, OpenTask>,
    pub done: BTreeMap<Text, DoneTask>,
    pub gifts: Gifts,
}

/// What somebody was given by mobs for a word, so that it is given once a day.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Gifts {
    /// The day of the world, from its first.
    pub day: u64,
    /// Mob and object, by their numbers; of that day, so that it is never longer than content has rows.
    pub given: BTreeSet<(Vnum, Vnum)>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct OpenTask {
    /// How much of each step is done, in the order of the steps.
    pub steps: Vec<i32>,
    pub accepted_tick: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct DoneTask {
    pub times: u32,
    /// The day of the world, from its first, on which it was done last.
    pub day: u64,
}

/// A name on the tablets.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Honour {
    pub name: Text,
    /// What stands behind the name.
    pub deed: Text,
    /// The tick at which it was earned.
    pub tick: u64,
}

/// What a player did that a task may ask for.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    Killed(Vnum),
    /// Came to the room that it is in.
    Came,
    /// Has an object in its hands that it had not before.
    Took(Vnum),
    /// Carries what it did before, when a step may have come to ask for that.
    Had,
    Gave {
        to: CharacterId,
        object: ObjectId,
    },
    Paid {
        to: CharacterId,
        coins: i32,
    },
    /// To one, or to all in the room.
    Spoke {
        to: Option<CharacterId>,
        words: Text,
    },
    /// Was in its zone for so many ticks more.
    Lasted(i32),
}
