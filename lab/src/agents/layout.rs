//! Where the rooms of a world lie on paper: north is up, one step is one cell.
//!
//! Rooms that are joined by level ways share a panel, begun at the room with the lowest vnum of those left; the first
//! panel begins at the start room. A room whose cell is taken begins a panel of its own, so worlds that cannot be drawn
//! in a plane are drawn all the same. A single room above or below another hangs beside it, half a cell off. The same
//! content gives the same layout.

use content::words::Direction;
use content::{Content, RoomProto, Vnum};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Empty cells between two panels.
const GAP: f64 = 1.6;

/// Rooms by vnum, in cells from the upper left corner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    pub rooms: BTreeMap<Vnum, (f64, f64)>,
    /// Lone rooms that hang beside another.
    pub hung: BTreeSet<Vnum>,
    /// Cells across and down.
    pub size: (f64, f64),
    /// What each panel but the first is: the name of its zone, and its upper left corner.
    pub panels: Vec<(String, f64, f64)>,
}

fn room(content: &Content, vnum: Vnum) -> Option<&RoomProto> {
    Some(content.room(content.room_id(vnum)?))
}

fn offset(direction: Direction) -> Option<(i32, i32)> {
    Some(match direction {
        Direction::North => (0, -1),
        Direction::South => (0, 1),
        Direction::East => (1, 0),
        Direction::West => (-1, 0),
        Direction::Up | Direction::Down => return None,
    })
}

/// The rooms of one panel in whole cells, as far as level ways reach from `from`.
fn panel(content: &Content, from: Vnum, placed: &BTreeSet<Vnum>) -> BTreeMap<Vnum, (i32, i32)> {
    let mut cells = BTreeMap::from([(from, (0, 0))]);
    let mut taken = BTreeSet::from([(0, 0)]);
    let mut queue = VecDeque::from([from]);
    while let Some(vnum) = queue.pop_front() {
        let Some(here) = room(content, vnum) else { continue };
        for exit in &here.exits {
            let (Some(to), Some((dx, dy))) = (exit.to, offset(exit.direction)) else { continue };
            let (x, y) = cells[&vnum];
            let cell = (x + dx, y + dy);
            let is_new = !placed.contains(&to) && !cells.contains_key(&to) && room(content, to).is_some();
            if is_new && taken.insert(cell) {
                cells.insert(to, cell);
                queue.push_back(to);
            }
        }
    }
    cells
}

/// The room that a lone room hangs beside: one that a way up or down leads to, with the side to hang on.
fn anchor(content: &Content, vnum: Vnum, rooms: &BTreeMap<Vnum, (f64, f64)>) -> Option<(f64, f64)> {
    let ways = room(content, vnum)?.exits.iter().filter_map(|exit| Some((exit.direction, rooms.get(&exit.to?)?)));
    let mut hung = ways.filter_map(|(direction, (x, y))| match direction {
        Direction::Down => Some((x + 0.5, y - 0.5)),
        Direction::Up => Some((x + 0.5, y + 0.5)),
        _ => None,
    });
    hung.find(|place| !rooms.values().any(|other| other == place))
}

impl Layout {
    /// All rooms of a world, or those in `shown` if it is not empty.
    pub fn of(content: &Content, shown: &BTreeSet<Vnum>) -> Layout {
        let mut layout = Layout::default();
        let mut placed: BTreeSet<Vnum> = BTreeSet::new();
        let all: Vec<Vnum> = content.rooms.iter().map(|room| room.vnum).collect();
        let mut panels: Vec<BTreeMap<Vnum, (i32, i32)>> = Vec::new();
        for from in [content.start_room].into_iter().chain(all) {
            if room(content, from).is_none() || placed.contains(&from) {
                continue;
            }
            let cells = panel(content, from, &placed);
            placed.extend(cells.keys());
            panels.push(cells);
        }
        let is_shown = |vnum: &Vnum| shown.is_empty() || shown.contains(vnum);
        for cells in &mut panels {
            if !cells.keys().any(is_shown) {
                cells.clear();
            }
        }
        let (lone, mut panels): (Vec<_>, Vec<_>) =
            panels.into_iter().filter(|cells| !cells.is_empty()).partition(|cells| cells.len() == 1);
        if panels.len() > 1 {
            // Below the first, the tallest first, so that a column is filled well.
            let height = |cells: &BTreeMap<Vnum, (i32, i32)>| {
                let rows = cells.values().map(|cell| cell.1);
                rows.clone().max().unwrap_or(0) - rows.min().unwrap_or(0)
            };
            panels[1..].sort_by_key(|cells| std::cmp::Reverse(height(cells)));
        }
        let (mut left, mut top, mut column, mut tallest) = (0.0, 0.0, 0.0f64, 0.0f64);
        for (number, cells) in panels.iter().enumerate() {
            let of = |side: fn(&(i32, i32)) -> i32| {
                let values = cells.values().map(side);
                (values.clone().min().unwrap_or(0), values.max().unwrap_or(0))
            };
            let ((west, east), (north, south)) = (of(|cell| cell.0), of(|cell| cell.1));
            let (wide, high) = (f64::from(east - west + 1), f64::from(south - north + 1));
            if number == 0 {
                tallest = high;
            } else if top + high > tallest && top > 0.0 {
                (left, top, column) = (left + column + GAP, 0.0, 0.0);
            }
            if number > 0 {
                layout.panels.push((zone_name(content, cells), left, top));
            }
            for (vnum, (x, y)) in cells {
                layout.rooms.insert(*vnum, (left + f64::from(x - west), top + f64::from(y - north)));
            }
            column = column.max(wide);
            top += high + GAP;
            tallest = tallest.max(top - GAP);
            if number == 0 {
                (left, top, column) = (left + column + GAP, 0.0, 0.0);
            }
        }
        let (mut x, bottom) = (0.0, tallest + GAP / 2.0);
        let mut deepest = tallest;
        for cells in lone {
            let Some(vnum) = cells.into_keys().next() else { continue };
            let hung = anchor(content, vnum, &layout.rooms);
            layout.hung.extend(hung.map(|_| vnum));
            let place = hung.unwrap_or_else(|| {
                x += 1.0;
                deepest = bottom + 1.0;
                (x - 1.0, bottom)
            });
            layout.rooms.insert(vnum, place);
        }
        let right = layout.rooms.values().map(|place| place.0 + 1.0).fold(0.0, f64::max);
        layout.size = (right, deepest);
        layout
    }
}

fn zone_name(content: &Content, cells: &BTreeMap<Vnum, (i32, i32)>) -> String {
    let zone = cells.keys().next().and_then(|vnum| room(content, *vnum)).map(|room| room.zone);
    let named = content.zones.iter().find(|it| Some(it.number) == zone);
    named.map(|zone| zone.name.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world_folder::{read_content, root};

    #[test]
    fn every_room_of_the_shipped_world_has_a_cell_of_its_own_and_steps_are_a_cell_long() {
        let content = read_content(&root().join("data/world"));
        let layout = Layout::of(&content, &BTreeSet::new());
        assert_eq!(layout.rooms.len(), content.rooms.len());
        let cells: BTreeSet<(i64, i64)> =
            layout.rooms.values().map(|(x, y)| ((x * 2.0).round() as i64, (y * 2.0).round() as i64)).collect();
        assert_eq!(cells.len(), layout.rooms.len(), "no two rooms lie on each other");
        let (wide, high) = layout.size;
        assert!(layout.rooms.values().all(|(x, y)| *x >= 0.0 && *y >= 0.0 && *x + 0.5 < wide && *y < high));
        let steps = content.rooms.iter().flat_map(|room| room.exits.iter().map(move |exit| (room, exit)));
        let level: Vec<f64> = steps
            .filter_map(|(room, exit)| {
                offset(exit.direction)?;
                let ((x, y), (u, v)) = (layout.rooms[&room.vnum], *layout.rooms.get(&exit.to?)?);
                Some((x - u).abs() + (y - v).abs())
            })
            .collect();
        let straight = level.iter().filter(|length| **length == 1.0).count();
        assert!(straight * 100 >= level.len() * 98, "{straight} of {} level ways are one cell long", level.len());
    }

    #[test]
    fn panels_that_nobody_entered_are_not_drawn() {
        let content = read_content(&root().join("data/world"));
        let layout = Layout::of(&content, &BTreeSet::from([content.start_room]));
        assert!(layout.rooms.contains_key(&content.start_room) && layout.panels.is_empty());
        assert!(layout.rooms.len() < content.rooms.len());
    }
}
