//! Where the discs and names of a picture go. All lengths are units of the picture's view box.
//!
//! Discs are moved by a fixed number of steps of springs (Fruchterman and Reingold 1991, with a pull to the middle, so
//! that what hangs together with nothing stays near) from fixed beginnings, then stretched to fill the canvas, then
//! pushed off each other. The same discs and edges give the same places.

/// The canvas is a square of this side.
pub const SIZE: f64 = 1_000.0;
/// What stays free along each side: the widest disc, and half a short name.
const MARGIN: f64 = 50.0;
/// Between the edges of two discs, where there is room for that.
const GAP: f64 = 6.0;
const STEPS: usize = 240;
const SEPARATIONS: usize = 80;
/// Share of the distance to the middle that a disc is pulled by, against 1 of its springs.
const GRAVITY: f64 = 0.35;

pub const FONT: f64 = 11.0;
/// Of a letter of a sans-serif font, on the average and a little more, in parts of its size.
pub const LETTER: f64 = 0.56;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    pub x: f64,
    pub y: f64,
    pub r: f64,
}

/// A sunflower: even, and no two in one place.
fn sunflower(i: usize, n: usize) -> (f64, f64) {
    let (turn, reach) = (i as f64 * 2.399_963, libm::sqrt((i as f64 + 0.5) / n as f64) * 0.5 * SIZE);
    (reach * libm::cos(turn), reach * libm::sin(turn))
}

/// Places for discs of these radii that these edges hold together.
pub fn lay_out(radii: &[f64], edges: &[(usize, usize)]) -> Vec<Disc> {
    let mut discs: Vec<Disc> = radii
        .iter()
        .enumerate()
        .map(|(i, r)| {
            let (x, y) = sunflower(i, radii.len());
            Disc { x, y, r: *r }
        })
        .collect();
    spring(&mut discs, edges);
    fill(&mut discs);
    for _ in 0..SEPARATIONS {
        if !separate(&mut discs) {
            break;
        }
    }
    discs
}

fn spring(discs: &mut [Disc], edges: &[(usize, usize)]) {
    let apart = SIZE / libm::sqrt(discs.len().max(1) as f64);
    let mut ties = vec![0_u32; discs.len()];
    for (i, j) in edges {
        ties[*i] += 1;
        ties[*j] += 1;
    }
    for step in 0..STEPS {
        let heat = 0.06 * SIZE * (1.0 - step as f64 / STEPS as f64);
        let mut moves: Vec<(f64, f64)> = discs.iter().map(|disc| (-disc.x * GRAVITY, -disc.y * GRAVITY)).collect();
        for i in 0..discs.len() {
            for j in 0..i {
                let (dx, dy) = (discs[i].x - discs[j].x, discs[i].y - discs[j].y);
                let push = apart * apart / (dx * dx + dy * dy).max(1.0);
                moves[i] = (moves[i].0 + dx * push, moves[i].1 + dy * push);
                moves[j] = (moves[j].0 - dx * push, moves[j].1 - dy * push);
            }
        }
        for (i, j) in edges {
            let (dx, dy) = (discs[*i].x - discs[*j].x, discs[*i].y - discs[*j].y);
            // What hangs together with everything would else pull everything into one heap.
            let pull = libm::sqrt(dx * dx + dy * dy) / apart / libm::sqrt(f64::from(ties[*i].max(ties[*j])));
            moves[*i] = (moves[*i].0 - dx * pull, moves[*i].1 - dy * pull);
            moves[*j] = (moves[*j].0 + dx * pull, moves[*j].1 + dy * pull);
        }
        for (disc, (dx, dy)) in discs.iter_mut().zip(moves) {
            let far = libm::sqrt(dx * dx + dy * dy).max(1e-9);
            let step = far.min(heat) / far;
            (disc.x, disc.y) = (disc.x + dx * step, disc.y + dy * step);
        }
    }
}

/// Stretches each axis by itself, so that the canvas is used up to its margin.
fn fill(discs: &mut [Disc]) {
    let stretch = |values: Vec<f64>| {
        let (low, high) =
            values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
        let by = (SIZE - 2.0 * MARGIN) / (high - low).max(1e-9);
        // One disc alone, or all in a line: in the middle.
        values
            .iter()
            .map(|v| if high - low < 1.0 { SIZE / 2.0 } else { (MARGIN + (v - low) * by).min(SIZE - MARGIN) })
            .collect::<Vec<f64>>()
    };
    let (xs, ys) = (stretch(discs.iter().map(|d| d.x).collect()), stretch(discs.iter().map(|d| d.y).collect()));
    for (disc, (x, y)) in discs.iter_mut().zip(xs.into_iter().zip(ys)) {
        (disc.x, disc.y) = (x, y);
    }
}

/// Pushes what overlaps half the way apart; false when nothing does any more.
fn separate(discs: &mut [Disc]) -> bool {
    let mut moved = false;
    for i in 0..discs.len() {
        for j in 0..i {
            let (dx, dy) = (discs[i].x - discs[j].x, discs[i].y - discs[j].y);
            let far = libm::sqrt(dx * dx + dy * dy);
            let lack = discs[i].r + discs[j].r + GAP - far;
            if lack <= 0.01 {
                continue;
            }
            moved = true;
            // In one place there is no direction to go: apart along the x axis.
            let (ux, uy) = if far < 1e-6 { (1.0, 0.0) } else { (dx / far, dy / far) };
            let by = lack / 2.0;
            for (k, sign) in [(i, by), (j, -by)] {
                discs[k].x = (discs[k].x + ux * sign).clamp(MARGIN, SIZE - MARGIN);
                discs[k].y = (discs[k].y + uy * sign).clamp(MARGIN, SIZE - MARGIN);
            }
        }
    }
    moved
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Area {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Area {
    fn meets(&self, other: &Area) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }

    fn inside(&self) -> bool {
        self.left >= 2.0 && self.top >= 2.0 && self.right <= SIZE - 2.0 && self.bottom <= SIZE - 2.0
    }

    fn of(disc: &Disc) -> Area {
        Area { left: disc.x - disc.r, top: disc.y - disc.r, right: disc.x + disc.r, bottom: disc.y + disc.r }
    }
}

/// Where the names begin (left end, base line), in the order given, so that the first come first: above, below, right
/// or left of their discs, across no other name and no disc, wholly on the canvas. None where there is no such place.
pub fn place_names(discs: &[Disc], names: &[(usize, &str)]) -> Vec<Option<(f64, f64)>> {
    let discs_at: Vec<Area> = discs.iter().map(Area::of).collect();
    let mut taken: Vec<Area> = Vec::new();
    let mut places = Vec::with_capacity(names.len());
    for (of, name) in names {
        let (disc, wide) = (&discs[*of], name.chars().count() as f64 * LETTER * FONT);
        let room = disc.r + 3.0;
        let free = [
            (disc.x - wide / 2.0, disc.y - room),
            (disc.x - wide / 2.0, disc.y + room + FONT * 0.8),
            (disc.x + room, disc.y + FONT * 0.35),
            (disc.x - room - wide, disc.y + FONT * 0.35),
        ]
        .into_iter()
        .map(|(x, y)| (x, y, Area { left: x, top: y - FONT * 0.9, right: x + wide, bottom: y + FONT * 0.3 }))
        .find(|(_, _, area)| {
            area.inside()
                && !taken.iter().any(|other| other.meets(area))
                && !discs_at.iter().enumerate().any(|(i, other)| i != *of && other.meets(area))
        });
        places.push(free.map(|(x, y, area)| {
            taken.push(area);
            (x, y)
        }));
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn overlaps(discs: &[Disc]) -> usize {
        let pairs = (0..discs.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        pairs
            .filter(|(i, j)| {
                let (a, b) = (discs[*i], discs[*j]);
                libm::sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)) < a.r + b.r
            })
            .count()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// However memories hang together: on the canvas, not piled up, and not in a crowd along its sides.
        #[test]
        fn discs_use_the_canvas(
            n in 2_usize..160,
            radii in proptest::collection::vec(4.0_f64..16.0, 160),
            picks in proptest::collection::vec((0_usize..160, 0_usize..160), 0..300),
        ) {
            let edges: Vec<(usize, usize)> =
                picks.into_iter().filter(|(i, j)| *i < n && *j < n && i != j).collect();
            let discs = lay_out(&radii[..n], &edges);
            for disc in &discs {
                prop_assert!((MARGIN..=SIZE - MARGIN).contains(&disc.x) && (MARGIN..=SIZE - MARGIN).contains(&disc.y));
            }
            prop_assert!(overlaps(&discs) * 50 <= n, "{} overlaps of {n} discs", overlaps(&discs));
            let near = |v: f64| v - MARGIN < 5.0 || SIZE - MARGIN - v < 5.0;
            let edge = discs.iter().filter(|disc| near(disc.x) || near(disc.y)).count();
            prop_assert!(edge <= 6 + n / 6, "{edge} of {n} discs at the sides");
            prop_assert_eq!(lay_out(&radii[..n], &edges), discs);
        }
    }

    #[test]
    fn names_do_not_cross() {
        let discs = [Disc { x: 500.0, y: 500.0, r: 10.0 }, Disc { x: 510.0, y: 524.0, r: 10.0 }];
        let crowd: Vec<(usize, &str)> = vec![(0, "Mallory"), (1, "Bob"), (0, "Oskar the smith"), (1, "Wren")];
        let places = place_names(&discs, &crowd);
        assert_eq!(places[0].map(|(_, y)| y), Some(487.0), "above, where that is free");
        assert!(places[1].is_some_and(|(_, y)| y > 534.0), "above is a disc, so below");
        let areas: Vec<Area> = places
            .iter()
            .zip(&crowd)
            .filter_map(|(at, (_, name))| {
                let ((x, y), wide) = ((*at)?, name.len() as f64 * LETTER * FONT);
                Some(Area { left: x, top: y - FONT * 0.9, right: x + wide, bottom: y + FONT * 0.3 })
            })
            .collect();
        for (i, area) in areas.iter().enumerate() {
            assert!(areas[..i].iter().all(|other| !other.meets(area)));
        }
    }

    #[test]
    fn a_name_stays_on_the_canvas_or_is_left_out() {
        let corner = [Disc { x: 16.0, y: 12.0, r: 16.0 }];
        assert!(place_names(&corner, &[(0, "Bob")])[0].is_some_and(|(_, y)| y > 28.0), "no room above, so below");
        let long = "x".repeat(400);
        assert_eq!(place_names(&corner, &[(0, long.as_str())]), [None]);
    }

    #[test]
    fn one_disc_stands_in_the_middle() {
        assert_eq!(lay_out(&[5.0], &[]), [Disc { x: 500.0, y: 500.0, r: 5.0 }]);
        assert!(lay_out(&[], &[]).is_empty());
    }
}
