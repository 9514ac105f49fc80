//! A grid as text: drawn for eyes, listed for ears.

use crate::cell::{Cell, SIDE};
use crate::grid::Grid;
use crate::kind::Kinds;
use std::collections::BTreeMap;

/// What is drawn where nothing stands.
const EMPTY: char = '.';

/// A line with the numbers of columns, then one a row.
pub fn grid_lines(grid: &Grid, kinds: &Kinds) -> Vec<String> {
    let numbers: Vec<String> = (0..SIDE).map(|col| col.to_string()).collect();
    let mut lines = vec![format!("    {}", numbers.join(" "))];
    for row in 0..SIDE {
        let glyph = |col| {
            let element = Cell::new(row, col).and_then(|cell| grid.at(cell));
            element.map_or(EMPTY, |element| kinds.glyph(&element.kind)).to_string()
        };
        let glyphs: Vec<String> = (0..SIDE).map(glyph).collect();
        lines.push(format!("  {row} {}", glyphs.join(" ")));
    }
    lines
}

/// What the characters mean, with how many there are; empty without any.
pub fn legend_line(grid: &Grid, kinds: &Kinds) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for element in grid.elements() {
        *counts.entry(&element.kind).or_default() += 1;
    }
    let rows: Vec<String> = counts
        .iter()
        .map(|(kind, count)| {
            let many = if *count > 1 { format!(" ×{count}") } else { String::new() };
            format!("{} {kind}{many}", kinds.glyph(kind))
        })
        .collect();
    rows.join(", ")
}

/// One line an element, row by row, without anything drawn.
pub fn list_lines(grid: &Grid) -> Vec<String> {
    let line = |element: &crate::element::Element| {
        let by = element.builder().map_or(String::new(), |by| format!(", by {by}"));
        format!("Row {}, column {}: {}{by}.", element.at.row(), element.at.col(), element.named())
    };
    grid.elements().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{grid, kinds};

    #[test]
    fn a_grid_is_drawn_with_its_legend_and_listed() {
        let grid = grid(&[("house", 0, 0), ("house", 8, 8), ("lost", 4, 4)]);
        let lines = grid_lines(&grid, &kinds());
        assert_eq!(lines.len(), 10);
        assert_eq!(lines[0], "    0 1 2 3 4 5 6 7 8");
        assert_eq!(lines[1], "  0 H . . . . . . . .");
        assert_eq!(lines[5], "  4 . . . . ? . . . .");
        assert_eq!(legend_line(&grid, &kinds()), "H house ×2, ? lost");
        assert_eq!(list_lines(&grid)[0], "Row 0, column 0: house, by Ann.");
    }
}
