//! The six axes: how what was done, and what stands, leans between INNER's side and OUTER's.

use crate::change::{Change, Sides};
use crate::grid::Grid;
use serde::Serialize;

/// INNER's side and OUTER's; ten together.
pub type Pair = [u8; 2];

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Axes {
    /// Instinct, Reason.
    pub identity: Pair,
    /// Seen, Unseen.
    pub experience: Pair,
    /// Ideas, Ideology.
    pub language: Pair,
    /// Source, Resource.
    pub domain: Pair,
    /// Heart, Head.
    pub purpose: Pair,
    /// Parts, Whole.
    pub order: Pair,
    /// The greatest difference between two sides.
    pub imbalance: u8,
}

/// Elements in a group of so many or more are a whole.
pub const WHOLE: usize = 3;

impl Axes {
    pub fn of<'c>(changes: impl Iterator<Item = &'c Change> + Clone, grid: &Grid) -> Axes {
        let side = |inner: fn(&Sides) -> bool| {
            let count = changes.clone().count();
            let ours = changes.clone().filter(|change| inner(&change.sides)).count();
            pair(ours, count - ours)
        };
        let whole: usize =
            grid.groups(|_| true).iter().map(std::collections::BTreeSet::len).filter(|size| *size >= WHOLE).sum();
        let mut axes = Axes {
            identity: side(|sides| sides.instinct),
            experience: side(|sides| sides.seen),
            language: side(|sides| sides.ideas),
            domain: side(|sides| sides.source),
            purpose: side(|sides| sides.heart),
            order: pair(grid.len() - whole, whole),
            imbalance: 0,
        };
        axes.imbalance = axes.rows().iter().map(|row| row.pair[0].abs_diff(row.pair[1])).max().unwrap_or(0);
        axes
    }

    /// By name, with the names of both sides, in the order in which they are told.
    pub fn rows(&self) -> [AxisRow; 6] {
        let row = |name, inner, outer, pair| AxisRow { name, inner, outer, pair };
        [
            row("identity", "Instinct", "Reason", self.identity),
            row("experience", "Seen", "Unseen", self.experience),
            row("language", "Ideas", "Ideology", self.language),
            row("domain", "Source", "Resource", self.domain),
            row("purpose", "Heart", "Head", self.purpose),
            row("order", "Parts", "Whole", self.order),
        ]
    }

    /// The axis that leans most, the first of several.
    pub fn worst(&self) -> AxisRow {
        let mut worst = self.rows()[0];
        for row in self.rows() {
            if row.lean() > worst.lean() {
                worst = row;
            }
        }
        worst
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AxisRow {
    pub name: &'static str,
    pub inner: &'static str,
    pub outer: &'static str,
    pub pair: Pair,
}

impl AxisRow {
    pub fn lean(&self) -> u8 {
        self.pair[0].abs_diff(self.pair[1])
    }
}

/// Ten shared out by counts, with one more on each side, so that few changes say little; halves round up for INNER.
fn pair(inner: usize, outer: usize) -> Pair {
    let n = inner + outer + 2;
    let ours = (20 * (inner + 1) + n) / (2 * n);
    [ours as u8, 10 - ours as u8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_is_shared_out_as_the_formula_says() {
        for ((inner, outer), expected) in [
            ((0, 0), [5, 5]),
            ((1, 0), [7, 3]),
            ((0, 1), [3, 7]),
            ((5, 0), [9, 1]),
            ((50, 0), [10, 0]),
            ((0, 50), [0, 10]),
            ((25, 25), [5, 5]),
            // 10·(8+1)/20 is 4.5, which rounds up.
            ((8, 10), [5, 5]),
        ] {
            assert_eq!(pair(inner, outer), expected, "{inner}:{outer}");
        }
    }
}
