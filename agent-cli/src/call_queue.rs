//! Who of many agents asks the model next, and how late each was.
//!
//! So many calls are under way at a time. A free place goes to whoever is latest, measured by its own interval: of two
//! that have waited for a second, the one that thinks every second comes before the one that thinks every ten. So
//! every agent keeps its share, however many calls others would like to make, and nobody is served by who came first.
//! Invariants: pure, times are given; never more calls than places; an agent has one call at a time.

use std::collections::{BTreeMap, BTreeSet};

/// How many lates are kept of an agent: at one thought in five seconds, the last 20 minutes.
const LATES_MAX: usize = 256;

/// An agent, by its id on the server.
pub type AgentId = u32;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wish {
    /// Since when it may think.
    pub due_ms: u64,
    /// From one thought to the next.
    pub interval_ms: u64,
}

/// How late the newest calls of an agent were, in milliseconds from when they were due.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lateness {
    newest: Vec<u64>,
    next: usize,
    /// Of all calls, also those that are no longer kept.
    pub calls: u64,
}

impl Lateness {
    fn note(&mut self, late_ms: u64) {
        if self.newest.len() < LATES_MAX {
            self.newest.push(late_ms);
        } else {
            self.newest[self.next] = late_ms;
        }
        self.next = (self.next + 1) % LATES_MAX;
        self.calls += 1;
    }

    /// The lateness that so many percent of the calls did not exceed; 0 before the first.
    pub fn percentile(&self, percent: usize) -> u64 {
        let mut sorted = self.newest.clone();
        sorted.sort_unstable();
        let rank = (sorted.len() * percent).div_ceil(100).max(1) - 1;
        sorted.get(rank).copied().unwrap_or(0)
    }
}

/// `late p50 0.2 s, p99 1.4 s`.
impl std::fmt::Display for Lateness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seconds = |percent| self.percentile(percent) as f64 / 1_000.0;
        write!(f, "late p50 {:.1} s, p99 {:.1} s", seconds(50), seconds(99))
    }
}

#[derive(Debug)]
pub struct CallQueue {
    in_flight_max: usize,
    waiting: BTreeMap<AgentId, Wish>,
    in_flight: BTreeSet<AgentId>,
    lates: BTreeMap<AgentId, Lateness>,
}

impl CallQueue {
    /// With so many places, one at least.
    pub fn new(in_flight_max: usize) -> CallQueue {
        CallQueue {
            in_flight_max: in_flight_max.max(1),
            waiting: BTreeMap::new(),
            in_flight: BTreeSet::new(),
            lates: BTreeMap::new(),
        }
    }

    /// It wants to think; or still wants to, for another reason. Nothing where its call is under way.
    pub fn wish(&mut self, who: AgentId, wish: Wish) {
        if !self.in_flight.contains(&who) {
            self.waiting.insert(who, wish);
        }
    }

    /// It does not want to any more.
    pub fn withdraw(&mut self, who: AgentId) {
        self.waiting.remove(&who);
    }

    /// Its call is over, or was not made after all. Whoever is gone withdraws too.
    pub fn done(&mut self, who: AgentId) {
        self.in_flight.remove(&who);
    }

    /// The calls that may be made now, the latest first.
    pub fn grant(&mut self, now_ms: u64) -> Vec<AgentId> {
        let mut granted = Vec::new();
        while self.in_flight.len() < self.in_flight_max {
            let Some(who) = self.latest(now_ms) else { break };
            let wish = self.waiting.remove(&who).expect("it waits");
            self.in_flight.insert(who);
            self.lates.entry(who).or_default().note(now_ms.saturating_sub(wish.due_ms));
            granted.push(who);
        }
        granted
    }

    /// Of equals, the one with the smaller id.
    fn latest(&self, now_ms: u64) -> Option<AgentId> {
        // a/b > c/d as a*d > c*b: no fraction is rounded.
        let late = |wish: &Wish| u128::from(now_ms.saturating_sub(wish.due_ms));
        let interval = |wish: &Wish| u128::from(wish.interval_ms.max(1));
        let mut best: Option<(AgentId, &Wish)> = None;
        for (who, wish) in &self.waiting {
            let later = |best: &Wish| late(wish) * interval(best) > late(best) * interval(wish);
            if best.is_none_or(|(_, best)| later(best)) {
                best = Some((*who, wish));
            }
        }
        best.map(|(who, _)| who)
    }

    /// `None` before its first call.
    pub fn lateness(&self, who: AgentId) -> Option<&Lateness> {
        self.lates.get(&who)
    }

    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }
}

/// Jain's index of fairness: 1 where all have the same, 1/n where one has everything.
pub fn jain(shares: &[f64]) -> f64 {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|share| share * share).sum();
    if squares == 0.0 { 1.0 } else { sum * sum / (shares.len() as f64 * squares) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECOND: u64 = 1_000;

    /// An hour of agents that always have something to think about. Returns their thoughts and the queue.
    fn an_hour(
        intervals_ms: &[u64],
        in_flight: usize,
        answer_ms: impl Fn(AgentId, u64) -> u64,
    ) -> (Vec<u64>, CallQueue) {
        let mut queue = CallQueue::new(in_flight);
        let mut due: Vec<u64> = vec![0; intervals_ms.len()];
        let mut thoughts = vec![0; intervals_ms.len()];
        let mut ends: BTreeMap<AgentId, u64> = BTreeMap::new();
        for now_ms in (0..3_600 * SECOND).step_by(50) {
            for who in ends.iter().filter(|(_, end)| now_ms >= **end).map(|(who, _)| *who).collect::<Vec<_>>() {
                ends.remove(&who);
                queue.done(who);
            }
            for (at, interval_ms) in intervals_ms.iter().enumerate() {
                let who = at as AgentId;
                if now_ms >= due[at] && !ends.contains_key(&who) {
                    queue.wish(who, Wish { due_ms: due[at], interval_ms: *interval_ms });
                }
            }
            for who in queue.grant(now_ms) {
                let at = who as usize;
                thoughts[at] += 1;
                ends.insert(who, now_ms + answer_ms(who, now_ms));
                due[at] = now_ms + intervals_ms[at];
            }
            assert!(queue.in_flight() <= in_flight);
        }
        (thoughts, queue)
    }

    fn fairness(thoughts: &[u64], intervals_ms: &[u64]) -> f64 {
        let wanted = intervals_ms.iter().map(|ms| 3_600.0 * SECOND as f64 / *ms as f64);
        jain(&thoughts.iter().zip(wanted).map(|(had, wanted)| *had as f64 / wanted).collect::<Vec<_>>())
    }

    #[test]
    fn fifty_agents_share_two_calls_at_a_time_fairly() {
        let same = vec![5 * SECOND; 50];
        // Ten calls a second are wanted, and ten are to be had.
        let (thoughts, _) = an_hour(&same, 2, |_, _| 200);
        assert!(fairness(&thoughts, &same) >= 0.99, "{thoughts:?}");
        // Half of what is wanted, and who asks for more often gets it more often.
        let mixed: Vec<u64> = (0..50).map(|at| [1, 2, 5, 10][at % 4] * SECOND).collect();
        let (thoughts, _) = an_hour(&mixed, 2, |_, _| 200);
        assert!(fairness(&thoughts, &mixed) >= 0.98, "{thoughts:?}");
        // Answers that take long to some do not cost the others their turn.
        let (thoughts, _) = an_hour(&same, 2, |who, _| if who % 5 == 0 { 1_000 } else { 100 });
        assert!(fairness(&thoughts, &same) >= 0.98, "{thoughts:?}");
    }

    #[test]
    fn nobody_is_late_by_an_interval_while_there_is_capacity_to_spare() {
        let mixed: Vec<u64> = (0..50).map(|at| [5, 8, 10][at % 3] * SECOND).collect();
        let (thoughts, queue) = an_hour(&mixed, 2, |_, _| 200);
        for (at, interval_ms) in mixed.iter().enumerate() {
            let late = queue.lateness(at as AgentId).expect("it thought");
            // Once, when all began together, each waited for those before it.
            assert!(late.percentile(99) <= *interval_ms, "{at}: {late}");
            assert_eq!(late.calls, thoughts[at]);
        }
    }

    #[test]
    fn lateness_counts_by_the_interval_and_not_by_who_came_first() {
        let mut queue = CallQueue::new(1);
        queue.wish(1, Wish { due_ms: 0, interval_ms: 10 * SECOND });
        queue.wish(2, Wish { due_ms: 1_500, interval_ms: SECOND });
        assert_eq!(queue.grant(2_000), [2], "half of its interval late, the other a fifth");
        queue.wish(2, Wish { due_ms: 2_000, interval_ms: SECOND });
        assert_eq!((queue.grant(9_000), queue.waiting()), (vec![], 1), "its call is under way");
        queue.done(2);
        assert_eq!(queue.grant(9_000), [1]);
        queue.done(1);
        queue.wish(3, Wish { due_ms: 0, interval_ms: SECOND });
        queue.withdraw(3);
        assert_eq!((queue.grant(10_000), queue.in_flight(), queue.lateness(3)), (vec![], 0, None));
    }

    #[test]
    fn percentiles_are_those_of_the_newest_calls() {
        let mut late = Lateness::default();
        assert_eq!((late.percentile(50), late.percentile(99)), (0, 0));
        for ms in 1..=100 {
            late.note(ms);
        }
        assert_eq!((late.percentile(50), late.percentile(99), late.percentile(100)), (50, 99, 100));
        (0..LATES_MAX).for_each(|_| late.note(7_000));
        assert_eq!(late.to_string(), "late p50 7.0 s, p99 7.0 s");
        assert_eq!(late.calls, 100 + LATES_MAX as u64);
    }

    #[test]
    fn jain_s_index_is_1_for_equals_and_1_nth_for_one_alone() {
        assert_eq!((jain(&[3.0, 3.0, 3.0]), jain(&[0.0, 5.0]), jain(&[])), (1.0, 0.5, 1.0));
    }

    proptest! {
        #[test]
        fn places_are_never_given_twice_and_none_is_left_empty_while_somebody_waits(
            places in 1usize..5,
            steps in prop::collection::vec((0u8..4, 0u32..6, 1u64..9_000), 0..200),
        ) {
            let mut queue = CallQueue::new(places);
            let mut out = BTreeSet::new();
            let mut now_ms = 0;
            for (what, who, ms) in steps {
                now_ms += ms;
                match what {
                    0 | 1 => queue.wish(who, Wish { due_ms: now_ms - ms.min(now_ms), interval_ms: ms }),
                    2 => { queue.withdraw(who); }
                    _ => { queue.done(who); out.remove(&who); }
                }
                for granted in queue.grant(now_ms) {
                    prop_assert!(out.insert(granted), "{} has a call already", granted);
                }
                prop_assert!(out.len() <= places && out.len() == queue.in_flight());
                prop_assert!(queue.waiting() == 0 || out.len() == places);
            }
        }
    }
}
