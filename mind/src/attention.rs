//! How many tokens of a prompt each channel's messages have, by the attention that is given to it.
//!
//! The shares are those of `protocol::attention`. A fold fills a part of the grant, newest first (`fill`); until the
//! next fold each channel may grow to its share of all of it (`has_room`). What does not fit is counted elsewhere.
//!
//! Invariants: what is chosen never takes more than the room; but for messages to the agent itself, what a channel has
//! of it is within one message of its share where it has enough to show.

use protocol::attention::WHOLE;

/// What a fold fills of the grant, percent. The rest is for what is said until the next.
pub const FILLED_PERCENT: usize = 50;
/// What messages to the agent itself may take of a fold's room before all others, percent.
const URGENT_PERCENT: usize = 50;

/// A share of so many tokens, rounded down.
pub fn part_of(share: u32, tokens: usize) -> usize {
    // No grant has so many tokens that this overflows.
    tokens.saturating_mul(share as usize) / WHOLE as usize
}

/// A message that could be shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Candidate {
    pub id: u64,
    pub tokens: usize,
    /// It is to the agent itself, and was never shown.
    pub urgent: bool,
}

/// A channel with what it could show.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Shelf {
    pub share: u32,
    /// Newest first.
    pub candidates: Vec<Candidate>,
}

/// Which candidates of each shelf are shown, by their places. First what is urgent, in all shelves from the newest on;
/// then of each shelf the newest that its share holds; then one more each of those that have most left of it.
pub fn fill(shelves: &[Shelf], room: usize) -> Vec<Vec<bool>> {
    let mut taken: Vec<Vec<bool>> = shelves.iter().map(|shelf| vec![false; shelf.candidates.len()]).collect();
    let mut used = vec![0; shelves.len()];
    let mut all = 0;
    let mut urgent: Vec<(usize, usize)> = Vec::new();
    for (n, shelf) in shelves.iter().enumerate() {
        urgent.extend((0..shelf.candidates.len()).filter(|at| shelf.candidates[*at].urgent).map(|at| (n, at)));
    }
    urgent.sort_by_key(|(n, at)| std::cmp::Reverse(shelves[*n].candidates[*at].id));
    for (n, at) in urgent {
        let tokens = shelves[n].candidates[at].tokens;
        if all + tokens > room * URGENT_PERCENT / 100 {
            break;
        }
        (taken[n][at], used[n], all) = (true, used[n] + tokens, all + tokens);
    }
    // Where each shelf goes on.
    let mut next = vec![0; shelves.len()];
    for (n, shelf) in shelves.iter().enumerate() {
        for (at, offer) in shelf.candidates.iter().enumerate() {
            if taken[n][at] {
                next[n] = at + 1;
                continue;
            }
            next[n] = at;
            if used[n] + offer.tokens > part_of(shelf.share, room) || all + offer.tokens > room {
                break;
            }
            (taken[n][at], used[n], all) = (true, used[n] + offer.tokens, all + offer.tokens);
            next[n] = at + 1;
        }
    }
    let left = |n: usize, used: &[usize]| part_of(shelves[n].share, room).saturating_sub(used[n]);
    let mut order: Vec<usize> = (0..shelves.len()).filter(|n| left(*n, &used) > 0).collect();
    order.sort_by_key(|n| (std::cmp::Reverse(left(*n, &used)), *n));
    for n in order {
        let at = next[n];
        if let Some(offer) = shelves[n].candidates.get(at).filter(|offer| all + offer.tokens <= room) {
            (taken[n][at], used[n], all) = (true, used[n] + offer.tokens, all + offer.tokens);
        }
    }
    taken
}

/// Whether a message that is new since the fold is shown now. `used`: what its channel has already, `all`: what all
/// have, both of a grant of `most`.
pub fn has_room(offer: Candidate, share: u32, used: usize, all: usize, most: usize) -> bool {
    all + offer.tokens <= most && (offer.urgent || used + offer.tokens <= part_of(share, most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use protocol::attention::split;

    fn shelf(share: u32, tokens: &[usize]) -> Shelf {
        let offer = |(n, tokens): (usize, &usize)| Candidate { id: 1_000 - n as u64, tokens: *tokens, urgent: false };
        Shelf { share, candidates: tokens.iter().enumerate().map(offer).collect() }
    }

    fn used(shelf: &Shelf, taken: &[bool]) -> usize {
        shelf.candidates.iter().zip(taken).filter(|(_, taken)| **taken).map(|(offer, _)| offer.tokens).sum()
    }

    #[test]
    fn the_newest_are_shown_as_far_as_the_share_goes() {
        let shelves = [shelf(500, &[10; 9]), shelf(300, &[10; 9]), shelf(200, &[10; 9])];
        let counts: Vec<usize> = fill(&shelves, 100).iter().map(|taken| taken.iter().filter(|t| **t).count()).collect();
        assert_eq!(counts, [5, 3, 2]);
        let long = [shelf(500, &[60, 10]), shelf(500, &[10, 10])];
        assert_eq!(fill(&long, 100), [vec![true, false], vec![true, true]], "one more where there is room");
        assert_eq!(fill(&long, 70), [vec![false, false], vec![true, true]], "none where there is none");
    }

    #[test]
    fn what_is_to_the_agent_itself_comes_first() {
        let mut small = shelf(50, &[10, 10, 10, 10]);
        small.candidates[2].urgent = true;
        let taken = fill(&[shelf(950, &[10; 20]), small], 100);
        assert_eq!(taken[1], [false, false, true, false]);
        assert_eq!(taken[0].iter().filter(|taken| **taken).count(), 9);
    }

    fn offers() -> impl Strategy<Value = Vec<(usize, bool)>> {
        prop::collection::vec((1..60_usize, prop::bool::weighted(0.1)), 0..50)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn what_is_shown_follows_the_shares(
            weights in prop::collection::vec(0..1_000_u32, 1..33), all in prop::collection::vec(offers(), 33),
            room in 0..4_000_usize, urgent in any::<bool>(),
        ) {
            let shares = split(1_000, &weights);
            let shelves: Vec<Shelf> = shares.iter().zip(&all).map(|(share, offers)| Shelf {
                share: *share,
                candidates: offers.iter().enumerate()
                    .map(|(n, (tokens, to))| Candidate { id: 100 - n as u64, tokens: *tokens, urgent: *to && urgent })
                    .collect(),
            }).collect();
            let taken = fill(&shelves, room);
            let total: usize = shelves.iter().zip(&taken).map(|(shelf, taken)| used(shelf, taken)).sum();
            prop_assert!(total <= room);
            for (shelf, taken) in shelves.iter().zip(&taken).filter(|_| !urgent) {
                let (used, part) = (used(shelf, taken), part_of(shelf.share, room));
                let largest = shelf.candidates.iter().map(|offer| offer.tokens).max().unwrap_or(0);
                prop_assert!(used < part + largest.max(1), "{used} of {part}");
                let is_full = shelf.candidates.iter().map(|offer| offer.tokens).sum::<usize>() >= part;
                prop_assert!(!is_full || used + largest.max(1) > part, "{used} of {part}, and there is more");
                // The newest, without gaps.
                let shown = taken.iter().filter(|taken| **taken).count();
                prop_assert!(taken[..shown].iter().all(|taken| *taken));
            }
        }
    }
}
