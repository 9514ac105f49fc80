//! The votes of one mind that was asked several times.

use super::proposal::Proposal;
use super::scene::Scene;

/// The place of the answer that most others mean too, and how many mean it; of several, the one that came first. Who
/// wants no tick votes for spending none: with words, however they are put, or in silence.
pub fn majority(votes: &[Proposal], scene: &Scene) -> Option<(usize, usize)> {
    let meant: Vec<(Option<String>, bool)> = votes.iter().map(|vote| (vote.resolved(scene), vote.is_empty())).collect();
    let count = |at: usize| meant.iter().filter(|other| **other == meant[at]).count();
    let most = (0..votes.len()).map(count).max()?;
    (0..votes.len()).find(|at| count(*at) == most).map(|at| (at, most))
}

#[cfg(test)]
mod tests {
    use super::super::Member::Inner;
    use super::super::examples::{proposal, scene};
    use super::*;

    #[test]
    fn what_most_say_wins_and_the_first_of_as_many() {
        for (votes, expected) in [
            (&[][..], None),
            (&["north"][..], Some((0, 1))),
            (&["north", "kill wolf", "k wolf"], Some((1, 2))),
            (&["north", "kill wolf", "kill 2.wolf"], Some((0, 1))),
            (&["kill wolf", "say no", "say never"], Some((1, 2))),
            (&["kill wolf", "say no", ""], Some((0, 1))),
            (&["", "say no", ""], Some((0, 2))),
            (&["", "say no", "say never"], Some((1, 2))),
            (&["north", "south", "south", "north"], Some((0, 2))),
        ] {
            let votes: Vec<Proposal> = votes.iter().map(|line| proposal(Inner, line)).collect();
            assert_eq!(majority(&votes, &scene()), expected, "{votes:?}");
        }
    }
}
