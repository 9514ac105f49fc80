//! Kinds and grids for the tests.

use crate::bounds::Text;
use crate::cell::Cell;
use crate::element::Element;
use crate::grid::Grid;
use crate::kind::{Kind, Kinds, Purpose};

pub fn kinds() -> Kinds {
    let kind = |name: &str, class: &str, glyph, purpose| Kind {
        name: name.into(),
        class: class.into(),
        glyph,
        icon: "*".into(),
        purpose,
        tint: "#804020".into(),
        shape: "M2 2h20v20H2z".into(),
    };
    Kinds::new(vec![
        kind("house", "BUILDING", 'H', Purpose::Heart),
        kind("mill", "BUILDING", 'm', Purpose::Head),
        kind("well", "WATER", 'w', Purpose::Head),
        kind("road", "ROAD", '=', Purpose::Head),
        kind("tree", "PLANT", 't', Purpose::Heart),
    ])
}

pub fn cell(row: u8, col: u8) -> Cell {
    Cell::new(row, col).expect("a cell of the plot")
}

pub fn element(kind: &str, row: u8, col: u8) -> Element {
    Element {
        id: u32::from(row) * 9 + u32::from(col) + 1,
        at: cell(row, col),
        kind: kind.into(),
        label: Text::from(""),
        by: "Ann".into(),
        tick: 1,
        why: Text::from(""),
    }
}

pub fn grid(elements: &[(&str, u8, u8)]) -> Grid {
    Grid::of(elements.iter().map(|(kind, row, col)| element(kind, *row, *col)))
}
