//! A set of numbers as ranges: what a character has seen of rooms, mobs and things, by vnum.
//!
//! Zones number their rooms one after the other, so that a veteran's twelve thousand rooms are some hundreds of ranges.
//! Invariant: `spans` is sorted, and there is a gap of at least one number between two neighbours.

use serde::{Deserialize, Serialize};

/// First and last number of each range.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ranges {
    spans: Vec<(i32, i32)>,
}

impl Ranges {
    pub fn contains(&self, number: i32) -> bool {
        let at = self.spans.partition_point(|(_, last)| *last < number);
        self.spans.get(at).is_some_and(|(first, _)| *first <= number)
    }

    /// All that is in the other.
    pub fn insert_all(&mut self, other: &Ranges) {
        let mut all: Vec<(i32, i32)> = self.spans.iter().chain(&other.spans).copied().collect();
        all.sort_unstable();
        self.spans.clear();
        for (first, last) in all {
            match self.spans.last_mut() {
                Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
                _ => self.spans.push((first, last)),
            }
        }
    }

    /// False when it was there already.
    pub fn insert(&mut self, number: i32) -> bool {
        let at = self.spans.partition_point(|(_, last)| *last < number);
        let next = self.spans.get(at).map(|(first, _)| *first);
        if next.is_some_and(|first| first <= number) {
            return false;
        }
        let joins_before = at > 0 && self.spans[at - 1].1.checked_add(1) == Some(number);
        let joins_next = next.is_some() && next == number.checked_add(1);
        match (joins_before, joins_next) {
            (true, true) => {
                self.spans[at - 1].1 = self.spans[at].1;
                self.spans.remove(at);
            }
            (true, false) => self.spans[at - 1].1 = number,
            (false, true) => self.spans[at].0 = number,
            (false, false) => self.spans.insert(at, (number, number)),
        }
        true
    }

    /// How many ranges it takes.
    pub fn spans(&self) -> usize {
        self.spans.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Dice;
    use std::collections::BTreeSet;

    #[test]
    fn it_holds_what_was_put_in_and_keeps_neighbours_together() {
        let mut dice = Dice::new(1, 2, 3, 4);
        let (mut ranges, mut set) = (Ranges::default(), BTreeSet::new());
        for _ in 0..3_000 {
            let number = dice.range(-200, 1_500);
            assert_eq!(ranges.insert(number), set.insert(number), "{number}");
        }
        for number in -210..1_510 {
            assert_eq!(ranges.contains(number), set.contains(&number), "{number}");
        }
        let gaps = set.iter().zip(set.iter().skip(1)).filter(|(a, b)| *b - *a > 1).count();
        assert_eq!(ranges.spans(), gaps + 1);
    }

    #[test]
    fn two_together_hold_what_each_held_and_no_gap_between_neighbours() {
        let mut dice = Dice::new(4, 3, 2, 1);
        let of = |numbers: &BTreeSet<i32>| {
            let mut ranges = Ranges::default();
            numbers.iter().for_each(|number| _ = ranges.insert(*number));
            ranges
        };
        for _ in 0..200 {
            let some = |dice: &mut Dice| (0..20).map(|_| dice.range(-30, 30)).collect::<BTreeSet<i32>>();
            let (one, other) = (some(&mut dice), some(&mut dice));
            let mut both = of(&one);
            both.insert_all(&of(&other));
            assert_eq!(both, of(&one.union(&other).copied().collect()));
        }
        let mut ends = of(&[i32::MAX].into());
        ends.insert_all(&of(&[i32::MIN, i32::MAX - 1].into()));
        assert_eq!(ends.spans(), 2);
    }

    #[test]
    fn the_ends_of_all_numbers_are_numbers_too() {
        let mut ranges = Ranges::default();
        for number in [i32::MAX, i32::MIN, i32::MAX - 1, i32::MIN + 1, 0] {
            assert!(ranges.insert(number) && !ranges.insert(number) && ranges.contains(number));
        }
        assert_eq!(ranges.spans(), 3);
    }
}
