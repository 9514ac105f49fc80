//! What a plot is built for: constraints in rows, and how far what stands meets them, in thousandths.

use crate::bounds::Text;
use crate::cell::{Cell, SIDE};
use crate::element::Element;
use crate::grid::Grid;
use crate::kind::{Kinds, Purpose};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The whole of a score.
pub const FULL: u32 = 1000;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Task {
    pub name: Text,
    /// As players read it.
    pub title: Text,
    pub constraints: Vec<Constraint>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Constraint {
    /// As players read it: "five homes or more".
    pub text: Text,
    /// What it is worth when it is met whole; those of a task are 1000 together.
    pub points: u16,
    pub measure: Measure,
}

/// Which elements: names of kinds, types, `heart`, `head` or `any`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Which(pub Vec<Text>);

impl Which {
    pub fn includes(&self, kind: &str, kinds: &Kinds) -> bool {
        self.0.iter().any(|word| {
            **word == *kind
                || **word == *kinds.class(kind)
                || match &**word {
                    "any" => true,
                    "heart" => kinds.purpose(kind) == Purpose::Heart,
                    "head" => kinds.purpose(kind) == Purpose::Head,
                    _ => false,
                }
        })
    }

    /// Words that mean nothing among those kinds.
    pub fn unknown<'w>(&'w self, kinds: &'w Kinds) -> impl Iterator<Item = &'w Text> {
        self.0.iter().filter(|word| {
            let known = ["any", "heart", "head"].contains(&&***word);
            !known && !kinds.iter().any(|kind| kind.name == **word || kind.class == **word)
        })
    }
}

/// How a constraint is measured. What asks for a share asks of `least` elements at the fewest, so that one house with a
/// road is not a village with roads.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Measure {
    /// So many of them; each above `most` takes one back.
    Count { of: Which, least: u8, most: u8 },
    /// So many different kinds of them.
    Variety { of: Which, least: u8 },
    /// The share of them that has one of the others at one of its sides.
    Beside { of: Which, to: Which, least: u8 },
    /// The share of them that has none of the others at its sides and corners.
    Apart { of: Which, to: Which, least: u8 },
    /// The share of them that hangs together by sides, in the largest group.
    Joined { of: Which, least: u8 },
    /// How far a way of them leads from the western edge towards the eastern one.
    Across { of: Which },
    /// The share of them whose mirrored cell, left and right of the middle column, has one of the same kind.
    Mirrored { of: Which, least: u8 },
    /// So many of them between two corners, both included.
    Within { of: Which, from: Cell, to: Cell, least: u8 },
}

impl Measure {
    /// All words for elements in it.
    pub fn which(&self) -> impl Iterator<Item = &Which> {
        let (of, to) = match self {
            Measure::Count { of, .. }
            | Measure::Variety { of, .. }
            | Measure::Joined { of, .. }
            | Measure::Across { of }
            | Measure::Mirrored { of, .. }
            | Measure::Within { of, .. } => (of, None),
            Measure::Beside { of, to, .. } | Measure::Apart { of, to, .. } => (of, Some(to)),
        };
        [of].into_iter().chain(to)
    }

    /// How much of how much is met.
    fn met(&self, grid: &Grid, kinds: &Kinds) -> (u32, u32) {
        let among = |of: &Which| -> Vec<&Element> {
            grid.elements().filter(|element| of.includes(&element.kind, kinds)).collect()
        };
        let is = |cell: Cell, of: &Which| grid.at(cell).is_some_and(|element| of.includes(&element.kind, kinds));
        let share = |of: &Which, least: u8, good: &dyn Fn(&Element) -> bool| {
            let all = among(of);
            let met = all.iter().filter(|element| good(element)).count();
            (met as u32, (all.len() as u32).max(least.into()))
        };
        match self {
            Measure::Count { of, least, most } => {
                let count = among(of).len() as u32;
                let over = count.saturating_sub((*most).into());
                (count.min((*least).into()).saturating_sub(over), (*least).into())
            }
            Measure::Variety { of, least } => {
                let kinds: BTreeSet<&Text> = among(of).iter().map(|element| &element.kind).collect();
                (kinds.len() as u32, (*least).into())
            }
            Measure::Beside { of, to, least } => {
                share(of, *least, &|element| element.at.sides().any(|cell| is(cell, to)))
            }
            Measure::Apart { of, to, least } => {
                share(of, *least, &|element| !element.at.around().any(|cell| is(cell, to)))
            }
            Measure::Joined { of, least } => {
                let groups = grid.groups(|element| of.includes(&element.kind, kinds));
                let largest = groups.iter().map(BTreeSet::len).max().unwrap_or(0);
                (largest as u32, (among(of).len() as u32).max((*least).into()))
            }
            Measure::Across { of } => {
                let groups = grid.groups(|element| of.includes(&element.kind, kinds));
                let from_west = groups.iter().filter(|group| group.iter().any(|cell| cell.col() == 0));
                let reached = from_west.flatten().map(|cell| u32::from(cell.col()) + 1).max().unwrap_or(0);
                (reached, SIDE.into())
            }
            Measure::Mirrored { of, least } => share(of, *least, &|element| {
                grid.at(element.at.mirrored()).is_some_and(|other| other.kind == element.kind)
            }),
            Measure::Within { of, from, to, least } => {
                let inside = |cell: Cell| {
                    (from.row()..=to.row()).contains(&cell.row()) && (from.col()..=to.col()).contains(&cell.col())
                };
                (among(of).iter().filter(|element| inside(element.at)).count() as u32, (*least).into())
            }
        }
    }
}

impl Constraint {
    /// Of its points, those that what stands is worth.
    pub fn score(&self, grid: &Grid, kinds: &Kinds) -> u16 {
        let (met, of) = self.measure.met(grid, kinds);
        // Nothing is asked for: nothing is met by it.
        (u32::from(self.points) * met.min(of)).checked_div(of).unwrap_or(0) as u16
    }
}

impl Task {
    /// From 0 to 1000, if the points of its constraints are 1000.
    pub fn score(&self, grid: &Grid, kinds: &Kinds) -> u32 {
        let sum: u32 = self.constraints.iter().map(|constraint| u32::from(constraint.score(grid, kinds))).sum();
        sum.min(FULL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{grid, kinds};

    fn which(words: &[&str]) -> Which {
        Which(words.iter().map(|word| Text::from(*word)).collect())
    }

    #[test]
    fn each_measure_counts_what_it_says() {
        let kinds = kinds();
        let village = grid(&[("house", 3, 3), ("house", 3, 5), ("well", 4, 4), ("road", 3, 4), ("road", 0, 0)]);
        let homes = || which(&["house"]);
        let road = || which(&["ROAD"]);
        let corner = |row, col| Cell::new(row, col).expect("a cell");
        for (measure, met) in [
            (Measure::Count { of: homes(), least: 4, most: 81 }, (2, 4)),
            (Measure::Count { of: which(&["any"]), least: 4, most: 4 }, (3, 4)),
            (Measure::Variety { of: which(&["any"]), least: 5 }, (3, 5)),
            (Measure::Beside { of: homes(), to: road(), least: 2 }, (2, 2)),
            (Measure::Beside { of: homes(), to: road(), least: 5 }, (2, 5)),
            (Measure::Apart { of: homes(), to: which(&["well"]), least: 1 }, (0, 2)),
            (Measure::Joined { of: road(), least: 1 }, (1, 2)),
            (Measure::Across { of: road() }, (1, 9)),
            (Measure::Mirrored { of: homes(), least: 1 }, (2, 2)),
            (Measure::Within { of: which(&["well"]), from: corner(3, 3), to: corner(5, 5), least: 1 }, (1, 1)),
            (Measure::Within { of: which(&["well"]), from: corner(0, 0), to: corner(2, 2), least: 1 }, (0, 1)),
            (Measure::Count { of: which(&["heart"]), least: 3, most: 81 }, (2, 3)),
            (Measure::Count { of: which(&["head"]), least: 3, most: 81 }, (3, 3)),
        ] {
            assert_eq!(measure.met(&village, &kinds), met, "{measure:?}");
        }
    }

    #[test]
    fn a_way_counts_from_the_western_edge() {
        let kinds = kinds();
        let way = |cells: &[(u8, u8)]| {
            let cells: Vec<(&str, u8, u8)> = cells.iter().map(|(row, col)| ("road", *row, *col)).collect();
            Measure::Across { of: which(&["road"]) }.met(&grid(&cells), &kinds)
        };
        assert_eq!(way(&[(4, 0), (4, 1), (3, 1), (3, 2), (3, 4)]), (3, 9));
        assert_eq!(way(&[(4, 7), (4, 8)]), (0, 9));
        let whole: Vec<(u8, u8)> = (0..9).map(|col| (4, col)).collect();
        assert_eq!(way(&whole), (9, 9));
    }

    #[test]
    fn an_empty_plot_is_worth_nothing() {
        let measures = [
            Measure::Joined { of: which(&["road"]), least: 0 },
            Measure::Beside { of: which(&["house"]), to: which(&["road"]), least: 0 },
        ];
        for measure in measures {
            let constraint = Constraint { text: "".into(), points: 100, measure };
            assert_eq!(constraint.score(&Grid::default(), &kinds()), 0);
        }
    }
}
