//! The kinds of nodes and edges, as documents name them.

use protocol::happening::{Help, Tone, What};
use protocol::outcome::DoorChange;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeKind {
    Event,
    Entity,
    Room,
    Item,
    Reflection,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// event → room
    OccurredIn,
    /// event → entity or item
    Involved,
    /// room → room, walked
    TransitionedTo,
    /// entity → entity
    Killed,
    /// item → entity that it came from
    TookFrom,
    /// entity → entity
    Fought,
    /// entity → entity: gifts, help, words, betrayal
    Social,
    /// event → the last event of the same kind with the same other, while that is remembered
    SimilarTo,
    /// reflection → event of its evidence that is remembered
    DerivedFrom,
}

/// The kind of an event, without its actors.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deed {
    Killed,
    Assisted,
    Fought,
    Fled,
    Wounded,
    Acquired,
    Dropped,
    UsedUp,
    Given,
    Stolen,
    Bought,
    Sold,
    Betrayed,
    Healed,
    Rescued,
    Grouped,
    Defended,
    Cooperated,
    Parted,
    Said,
    SaidKindly,
    Insulted,
    Threatened,
    Met,
    RoomSeen,
    LevelGained,
    DoorOpened,
    DoorClosed,
    DoorLocked,
    DoorUnlocked,
}

impl Deed {
    pub fn of(what: &What) -> Deed {
        match what {
            What::Killed { .. } => Deed::Killed,
            What::Assisted { .. } => Deed::Assisted,
            What::Fought { .. } => Deed::Fought,
            What::Fled { .. } => Deed::Fled,
            What::Wounded { .. } => Deed::Wounded,
            What::Acquired { .. } => Deed::Acquired,
            What::Dropped { .. } => Deed::Dropped,
            What::UsedUp { .. } => Deed::UsedUp,
            What::Given { .. } => Deed::Given,
            What::Stolen { .. } => Deed::Stolen,
            What::Bought { .. } => Deed::Bought,
            What::Sold { .. } => Deed::Sold,
            What::Betrayed { .. } => Deed::Betrayed,
            What::Helped { how: Help::Healed, .. } => Deed::Healed,
            What::Helped { how: Help::Rescued, .. } => Deed::Rescued,
            What::Helped { how: Help::Grouped, .. } => Deed::Grouped,
            What::Helped { how: Help::Defended, .. } => Deed::Defended,
            What::Helped { how: Help::Cooperated, .. } => Deed::Cooperated,
            What::Parted { .. } => Deed::Parted,
            What::Spoke { tone: Tone::Neutral, .. } => Deed::Said,
            What::Spoke { tone: Tone::Kind, .. } => Deed::SaidKindly,
            What::Spoke { tone: Tone::Insult, .. } => Deed::Insulted,
            What::Spoke { tone: Tone::Threat, .. } => Deed::Threatened,
            What::Met { .. } => Deed::Met,
            What::RoomSeen { .. } => Deed::RoomSeen,
            What::LevelGained { .. } => Deed::LevelGained,
            What::Door { state: DoorChange::Opened, .. } => Deed::DoorOpened,
            What::Door { state: DoorChange::Closed, .. } => Deed::DoorClosed,
            What::Door { state: DoorChange::Locked, .. } => Deed::DoorLocked,
            What::Door { state: DoorChange::Unlocked, .. } => Deed::DoorUnlocked,
        }
    }

    /// Whether it was a fight with the other one.
    pub const fn is_fight(self) -> bool {
        matches!(self, Deed::Killed | Deed::Assisted | Deed::Fought | Deed::Fled | Deed::Wounded)
    }

    pub const fn is_help(self) -> bool {
        matches!(self, Deed::Healed | Deed::Rescued | Deed::Grouped | Deed::Defended | Deed::Cooperated)
    }

    /// Whether it lies between two who may like each other or not.
    pub const fn is_social(self) -> bool {
        use Deed::*;
        self.is_help() || matches!(self, Given | Stolen | Betrayed | Parted | Said | SaidKindly | Insulted | Threatened)
    }
}
