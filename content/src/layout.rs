//! Where the rooms of a zone lie on a map: a place for each, found by its directions, and no two at one place.
//!
//! Zones bend: a way north may lead to where another room is already. Then the map is stretched, so that the room finds
//! a place where the way points, as long as that stays within bounds; behind these it gets the nearest place that is
//! free. Invariant: the same ways make the same map.

use crate::words::Direction;
use std::collections::{BTreeMap, VecDeque};

/// To the east, to the north, upwards.
pub type Place = [i32; 3];

/// So often one map is stretched: a zone of a maze grows by a row for each bend.
const STRETCHED_MAX: usize = 200;

/// The axis of a way, and whether it goes up on it.
const fn axis(way: Direction) -> (usize, i32) {
    match way {
        Direction::East => (0, 1),
        Direction::West => (0, -1),
        Direction::North => (1, 1),
        Direction::South => (1, -1),
        Direction::Up => (2, 1),
        Direction::Down => (2, -1),
    }
}

pub fn step(mut place: Place, way: Direction) -> Place {
    let (axis, by) = axis(way);
    place[axis] += by;
    place
}

/// A part of a zone whose rooms hang together.
#[derive(Default)]
struct Sheet {
    at: BTreeMap<Place, usize>,
    places: BTreeMap<usize, Place>,
}

impl Sheet {
    fn put(&mut self, room: usize, place: Place) {
        self.at.insert(place, room);
        self.places.insert(room, place);
    }

    /// Makes room for a row or column where that way leads from there.
    fn stretch(&mut self, from: Place, way: Direction) {
        let (axis, by) = axis(way);
        for place in self.places.values_mut() {
            if (place[axis] - from[axis]) * by > 0 {
                place[axis] += by;
            }
        }
        self.at = self.places.iter().map(|(room, place)| (*place, *room)).collect();
    }

    /// The free place of that level that is nearest to one.
    fn nearest(&self, [x, y, z]: Place) -> Place {
        let mut reach = 0_i32;
        loop {
            let side = -reach..=reach;
            let ring = side.clone().flat_map(|dy| side.clone().map(move |dx| (dx, dy)));
            let mut free = ring
                .filter(|&(dx, dy): &(i32, i32)| dx.abs().max(dy.abs()) == reach)
                .map(|(dx, dy)| [x + dx, y + dy, z])
                .filter(|place| !self.at.contains_key(place));
            if let Some(place) = free.next() {
                return place;
            }
            reach += 1;
        }
    }
}

/// A place for each of the rooms of one zone, from the first one on. `ways` are those from each room to others of them.
pub fn lay_out(ways: &[Vec<(Direction, usize)>]) -> Vec<Place> {
    let ways = both_ways(ways);
    let mut laid: Vec<Option<Place>> = vec![None; ways.len()];
    // Where the next part begins, to the east of those before it.
    let mut east = 0;
    let mut stretched = 0;
    for first in 0..ways.len() {
        if laid[first].is_some() {
            continue;
        }
        let mut sheet = Sheet::default();
        sheet.put(first, [0; 3]);
        let mut waiting = VecDeque::from([first]);
        while let Some(room) = waiting.pop_front() {
            for &(way, to) in &ways[room] {
                if sheet.places.contains_key(&to) {
                    continue;
                }
                let from = sheet.places[&room];
                let mut place = step(from, way);
                if sheet.at.contains_key(&place) {
                    let flat = !matches!(way, Direction::Up | Direction::Down);
                    if flat && stretched < STRETCHED_MAX {
                        stretched += 1;
                        sheet.stretch(from, way);
                    } else {
                        place = sheet.nearest(place);
                    }
                }
                sheet.put(to, place);
                waiting.push_back(to);
            }
        }
        let columns = || sheet.places.values().map(|place| place[0]);
        let (west, last) = (columns().min().unwrap_or(0), columns().max().unwrap_or(0));
        // The first room of all lies at the middle of its map.
        let shift = if first == 0 { 0 } else { east - west };
        for (room, [x, y, z]) in sheet.places {
            laid[room] = Some([x + shift, y, z]);
        }
        east = last + shift + 2;
    }
    laid.into_iter().map(Option::unwrap_or_default).collect()
}

/// Whoever is led to from somewhere lies beside it, also where no way leads back.
fn both_ways(ways: &[Vec<(Direction, usize)>]) -> Vec<Vec<(Direction, usize)>> {
    let mut both = ways.to_vec();
    for (room, ways_out) in ways.iter().enumerate() {
        for &(way, to) in ways_out {
            if to != room && !ways[to].iter().any(|(_, back)| *back == room) {
                both[to].push((way.opposite(), room));
            }
        }
    }
    both
}

#[cfg(test)]
mod tests {
    use super::*;
    use Direction::*;
    use std::collections::BTreeSet;

    fn apart(places: &[Place]) -> bool {
        places.iter().collect::<BTreeSet<_>>().len() == places.len()
    }

    #[test]
    fn rooms_lie_where_the_ways_point() {
        let ways = [
            vec![(North, 1), (Up, 3)],
            vec![(South, 0), (East, 2)],
            vec![(West, 1)],
            vec![(Down, 0)],
            // Nobody leads there, but it leads to the first.
            vec![(East, 0)],
            // No way joins it to the rest.
            vec![],
        ];
        let laid = lay_out(&ways);
        assert_eq!(laid, [[0, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [-1, 0, 0], [3, 0, 0]]);
    }

    #[test]
    fn where_ways_bend_the_map_is_stretched_and_the_way_still_points_there() {
        // Four steps around do not lead back to the first.
        let ways = [vec![(North, 1)], vec![(East, 2)], vec![(South, 3)], vec![(West, 4)], vec![]];
        let laid = lay_out(&ways);
        assert!(apart(&laid), "{laid:?}");
        assert_eq!(laid[4][1], laid[3][1], "west is on the same line: {laid:?}");
        assert!(laid[4][0] < laid[3][0], "{laid:?}");
    }

    #[test]
    fn no_two_rooms_of_a_maze_share_a_place() {
        let all = [North, East, South, West, Up, Down];
        for rooms in [1, 7, 60, 700] {
            let way = |room: usize, n: usize| (all[n], (room * 31 + n * 17 + 5) % rooms);
            let ways: Vec<Vec<_>> = (0..rooms).map(|room| (0..6).map(|n| way(room, n)).collect()).collect();
            let laid = lay_out(&ways);
            assert!(laid.len() == rooms && apart(&laid), "{rooms}");
            assert_eq!(laid, lay_out(&ways));
        }
    }
}
