//! What stands where. One element a cell; a deed is applied whole or not at all.

use crate::cell::Cell;
use crate::deed::Deed;
use crate::element::Element;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Grid {
    cells: BTreeMap<Cell, Element>,
}

/// A list of its elements.
impl Serialize for Grid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.cells.values())
    }
}

impl<'de> Deserialize<'de> for Grid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Grid, D::Error> {
        Vec::<Element>::deserialize(deserializer).map(Grid::of)
    }
}

impl Grid {
    /// Of elements in the same cell the first stays.
    pub fn of(elements: impl IntoIterator<Item = Element>) -> Grid {
        let mut grid = Grid::default();
        for element in elements {
            grid.cells.entry(element.at).or_insert(element);
        }
        grid
    }

    pub fn at(&self, cell: Cell) -> Option<&Element> {
        self.cells.get(&cell)
    }

    /// Row by row.
    pub fn elements(&self) -> impl Iterator<Item = &Element> {
        self.cells.values()
    }

    pub(crate) fn elements_mut(&mut self) -> impl Iterator<Item = &mut Element> {
        self.cells.values_mut()
    }

    pub fn len(&self) -> usize {
        self.cells.len()
    }

    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Does it, if everything is where the deed has it; else nothing changes.
    #[must_use]
    pub fn apply(&mut self, deed: &Deed) -> bool {
        match deed {
            Deed::Add(element) => {
                let free = !self.cells.contains_key(&element.at);
                if free {
                    self.cells.insert(element.at, element.clone());
                }
                free
            }
            Deed::Move { id, from, to } => {
                let there = self.cells.get(from).is_some_and(|element| element.id == *id);
                if !there || self.cells.contains_key(to) {
                    return false;
                }
                if let Some(element) = self.cells.remove(from) {
                    self.cells.insert(*to, Element { at: *to, ..element });
                }
                true
            }
            Deed::Remove(element) => {
                let there = self.cells.get(&element.at) == Some(element);
                if there {
                    self.cells.remove(&element.at);
                }
                there
            }
        }
    }

    /// Groups of cells that hang together by their sides, of the elements asked for.
    pub fn groups(&self, counts: impl Fn(&Element) -> bool) -> Vec<BTreeSet<Cell>> {
        let mut left: BTreeSet<Cell> =
            self.cells.values().filter(|element| counts(element)).map(|element| element.at).collect();
        let mut groups = Vec::new();
        while let Some(first) = left.pop_first() {
            let (mut group, mut front) = (BTreeSet::from([first]), vec![first]);
            while let Some(cell) = front.pop() {
                for side in cell.sides() {
                    if left.remove(&side) {
                        group.insert(side);
                        front.push(side);
                    }
                }
            }
            groups.push(group);
        }
        groups
    }
}
