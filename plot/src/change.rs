//! A change of a plot, with what undoes it and on which side of each axis it was.

use crate::bounds::Text;
use crate::deed::Deed;
use crate::element::Element;
use crate::grid::Grid;
use crate::kind::{Kinds, Purpose};
use serde::{Deserialize, Serialize};

/// On which side of five axes a change was: true on INNER's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Sides {
    /// Instinct: it fulfils no step of a plan.
    pub instinct: bool,
    /// Seen: at or beside what stood.
    pub seen: bool,
    /// Ideas: no other of its type stood.
    pub ideas: bool,
    /// Source: something new.
    pub source: bool,
    pub heart: bool,
}

impl Sides {
    /// Of a deed that is about to be done on a grid. What is moved stands beside nothing merely because it was there
    /// itself, and is not another of its own type.
    pub fn of(deed: &Deed, planned: bool, grid: &Grid, kinds: &Kinds) -> Option<Sides> {
        let (id, kind) = match deed {
            Deed::Add(element) => (None, &element.kind),
            Deed::Remove(element) => (Some(element.id), &element.kind),
            Deed::Move { id, from, .. } => (Some(*id), &grid.at(*from)?.kind),
        };
        let at = deed.at();
        let other = |element: &&Element| Some(element.id) != id;
        let beside = at.around().filter_map(|cell| grid.at(cell)).any(|element| other(&element));
        let class = kinds.class(kind);
        Some(Sides {
            instinct: !planned,
            seen: matches!(deed, Deed::Remove(_)) || beside,
            ideas: !grid.elements().filter(other).any(|element| kinds.class(&element.kind) == class),
            source: matches!(deed, Deed::Add(_)),
            heart: kinds.purpose(kind) == Purpose::Heart,
        })
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Change {
    /// The plot's revision that it made.
    pub revision: u32,
    pub tick: u64,
    /// Whose hand.
    pub by: Text,
    pub why: Text,
    pub deed: Deed,
    pub sides: Sides,
}

/// A change that was made, and what it meant for plans.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Built {
    pub change: Change,
    /// What was added, moved or removed, as it stands or stood.
    pub element: Element,
    /// Plans of which it fulfilled a step, and whether that was the last.
    pub steps: Vec<(u32, bool)>,
}

impl Built {
    /// What was done, as a memo says it.
    pub fn told(&self) -> String {
        let element = &self.element;
        match &self.change.deed {
            Deed::Add(_) => format!("Added {} at {}", element.named(), element.at),
            Deed::Move { from, to, .. } => format!("Moved {} from {from} to {to}", element.named()),
            Deed::Remove(_) => format!("Removed {} from {}", element.named(), element.at),
        }
    }
}
