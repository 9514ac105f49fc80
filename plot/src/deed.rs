//! What is done to a grid, and what undoes it.

use crate::cell::Cell;
use crate::element::Element;
use serde::{Deserialize, Serialize};

/// What is done to a grid. Whole elements stand in it, so that the inverse brings back what was there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Deed {
    Add(Element),
    Move { id: u32, from: Cell, to: Cell },
    Remove(Element),
}

impl Deed {
    pub(crate) fn element_mut(&mut self) -> Option<&mut Element> {
        match self {
            Deed::Add(element) | Deed::Remove(element) => Some(element),
            Deed::Move { .. } => None,
        }
    }

    pub fn inverse(&self) -> Deed {
        match self {
            Deed::Add(element) => Deed::Remove(element.clone()),
            Deed::Move { id, from, to } => Deed::Move { id: *id, from: *to, to: *from },
            Deed::Remove(element) => Deed::Add(element.clone()),
        }
    }

    /// `add`, `move` or `remove`.
    pub fn verb(&self) -> &'static str {
        match self {
            Deed::Add(_) => "add",
            Deed::Move { .. } => "move",
            Deed::Remove(_) => "remove",
        }
    }

    /// Where something stands afterwards, or stood.
    pub fn at(&self) -> Cell {
        match self {
            Deed::Add(element) | Deed::Remove(element) => element.at,
            Deed::Move { to, .. } => *to,
        }
    }

    /// Whether it changed what stands in a cell.
    pub fn touches(&self, cell: Cell) -> bool {
        match self {
            Deed::Add(element) | Deed::Remove(element) => element.at == cell,
            Deed::Move { from, to, .. } => *from == cell || *to == cell,
        }
    }

    pub fn cells(&self) -> impl Iterator<Item = Cell> {
        let from = match self {
            Deed::Move { from, .. } => Some(*from),
            _ => None,
        };
        from.into_iter().chain([self.at()])
    }
}
