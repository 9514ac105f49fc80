//! A place on the grid: row and column, from 0 to 8 each.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Rows, and columns, of a plot.
pub const SIDE: u8 = 9;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(into = "[u8; 2]", try_from = "[u8; 2]")]
pub struct Cell {
    row: u8,
    col: u8,
}

impl Cell {
    /// None off the grid.
    pub fn new(row: u8, col: u8) -> Option<Cell> {
        (row < SIDE && col < SIDE).then_some(Cell { row, col })
    }

    pub fn row(self) -> u8 {
        self.row
    }

    pub fn col(self) -> u8 {
        self.col
    }

    /// `3,4`, `3 4`, `[3,4]` or `(3, 4)`.
    pub fn parse(typed: &str) -> Result<Cell, NoCell> {
        let typed = typed.trim();
        let inner = [('[', ']'), ('(', ')')]
            .into_iter()
            .find_map(|(open, close)| typed.strip_prefix(open)?.strip_suffix(close))
            .unwrap_or(typed);
        let parts: Vec<&str> =
            inner.split(|c: char| c == ',' || c.is_whitespace()).filter(|part| !part.is_empty()).collect();
        let number = |part: &str| part.parse::<i64>().ok();
        let no_cell = || NoCell::NotRead(typed.chars().take(20).collect());
        let [row, col] = parts[..] else { return Err(no_cell()) };
        let (Some(row), Some(col)) = (number(row), number(col)) else { return Err(no_cell()) };
        let on_grid = |n: i64| u8::try_from(n).ok();
        on_grid(row).zip(on_grid(col)).and_then(|(row, col)| Cell::new(row, col)).ok_or(NoCell::Off(row, col))
    }

    /// All of them, row by row.
    pub fn all() -> impl Iterator<Item = Cell> {
        (0..SIDE).flat_map(|row| (0..SIDE).map(move |col| Cell { row, col }))
    }

    /// The cells that share a side with it.
    pub fn sides(self) -> impl Iterator<Item = Cell> {
        self.near([(-1, 0), (0, -1), (0, 1), (1, 0)])
    }

    /// The cells that share a side or a corner with it.
    pub fn around(self) -> impl Iterator<Item = Cell> {
        self.near([(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)])
    }

    fn near<const N: usize>(self, steps: [(i8, i8); N]) -> impl Iterator<Item = Cell> {
        steps.into_iter().filter_map(move |(down, right)| {
            Cell::new(self.row.checked_add_signed(down)?, self.col.checked_add_signed(right)?)
        })
    }

    /// The cell on the other side of the middle column.
    pub fn mirrored(self) -> Cell {
        Cell { row: self.row, col: SIDE - 1 - self.col }
    }
}

/// What was typed for a cell and is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoCell {
    NotRead(String),
    Off(i64, i64),
}

impl fmt::Display for NoCell {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            NoCell::NotRead(typed) if typed.is_empty() => {
                f.write_str("Name a cell as row,column, both from 0 to 8: 3,4.")
            }
            NoCell::NotRead(typed) => {
                write!(f, "\"{typed}\" is no cell. Name one as row,column, both from 0 to 8: 3,4.")
            }
            NoCell::Off(row, col) => {
                write!(f, "The cell {row},{col} is off the plot: rows and columns go from 0 to 8.")
            }
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{},{}", self.row, self.col)
    }
}

impl From<Cell> for [u8; 2] {
    fn from(cell: Cell) -> [u8; 2] {
        [cell.row, cell.col]
    }
}

impl TryFrom<[u8; 2]> for Cell {
    type Error = String;

    fn try_from([row, col]: [u8; 2]) -> Result<Cell, String> {
        Cell::new(row, col).ok_or_else(|| NoCell::Off(row.into(), col.into()).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_read_in_every_way_they_are_typed() {
        for typed in ["3,4", "3 4", "[3,4]", "(3, 4)", " 3 , 4 ", "[3 4]"] {
            assert_eq!(Cell::parse(typed), Ok(Cell { row: 3, col: 4 }), "{typed}");
        }
        for (typed, wrong) in [("9,0", (9, 0)), ("0,-1", (0, -1)), ("300 2", (300, 2))] {
            assert_eq!(Cell::parse(typed), Err(NoCell::Off(wrong.0, wrong.1)), "{typed}");
        }
        for typed in ["", "3", "3,4,5", "[3,4", "three four", "3;4", "99999999999999999999,1"] {
            assert!(matches!(Cell::parse(typed), Err(NoCell::NotRead(_))), "{typed}");
        }
    }

    #[test]
    fn corners_have_fewer_neighbours() {
        let corner = Cell { row: 0, col: 8 };
        assert_eq!(corner.sides().count(), 2);
        assert_eq!(corner.around().count(), 3);
        assert_eq!(corner.mirrored(), Cell { row: 0, col: 0 });
        assert_eq!(Cell::all().count(), 81);
    }
}
