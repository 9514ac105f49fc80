//! Goals: a tree in the order in which they are to be done. A goal without others under it is a step.
//!
//! What a parent has done follows from what is under it (`settle`), through all levels: its progress is the mean of its
//! children that are not abandoned, rounded down; it is completed when all of those are, and open again when one is.
//! Source: *Hierarchical Rollup* of the document on self-management. Invariants: siblings stand in the list in their
//! order; an entry that names what is not there, or would put a goal under itself, changes nothing.

use serde::{Deserialize, Serialize};

/// Goals of one project, steps among them, and how deep they go.
pub const GOALS_MAX: usize = 100;
pub const DEPTH_MAX: usize = 5;
/// Parts that a goal is split into.
pub const PARTS: std::ops::RangeInclusive<usize> = 3..=7;
/// Ways that were tried, of one goal.
pub const STRATEGIES_MAX: usize = 8;
/// Of a goal that is done.
pub const DONE_PERCENT: u8 = 100;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    High,
    #[default]
    Medium,
    Low,
}

impl Priority {
    pub const fn name(self) -> &'static str {
        match self {
            Priority::High => "high",
            Priority::Medium => "medium",
            Priority::Low => "low",
        }
    }

    pub fn named(word: &str) -> Option<Priority> {
        [Priority::High, Priority::Medium, Priority::Low]
            .into_iter()
            .find(|priority| priority.name().eq_ignore_ascii_case(word))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoalStatus {
    #[default]
    Active,
    Completed,
    Abandoned,
}

impl GoalStatus {
    pub const fn name(self) -> &'static str {
        match self {
            GoalStatus::Active => "active",
            GoalStatus::Completed => "completed",
            GoalStatus::Abandoned => "abandoned",
        }
    }
}

/// What became of a way that was tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Works,
    Failed,
}

/// A way to a goal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Strategy {
    pub id: u64,
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Goal {
    pub id: u64,
    /// `goal_{tick}_{index}`: the document's name, taken wherever an id is.
    pub key: String,
    pub text: String,
    pub priority: Priority,
    pub status: GoalStatus,
    /// 0..=100.
    pub progress: u8,
    pub parent: Option<u64>,
    /// In their order.
    pub children: Vec<u64>,
    /// A model split its parent; nobody typed it.
    pub auto: bool,
    /// When it was set, unix milliseconds.
    pub created: i64,
    /// Tick of the last change.
    pub tick: u64,
    pub strategies: Vec<Strategy>,
}

impl Goal {
    pub fn is_open(&self) -> bool {
        self.status == GoalStatus::Active
    }

    pub fn is_done(&self) -> bool {
        self.status == GoalStatus::Completed
    }
}

/// Where a goal is to be: under another one, or at the top, and at which place among those, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    pub parent: Option<u64>,
    pub place: Option<u32>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Goals(Vec<Goal>);

impl Goals {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, id: u64) -> Option<&Goal> {
        self.0.iter().find(|goal| goal.id == id)
    }

    fn get_mut(&mut self, id: u64) -> Option<&mut Goal> {
        self.0.iter_mut().find(|goal| goal.id == id)
    }

    pub fn keyed(&self, key: &str) -> Option<&Goal> {
        self.0.iter().find(|goal| goal.key.eq_ignore_ascii_case(key))
    }

    /// Those under a goal, or at the top, in their order.
    pub fn under(&self, parent: Option<u64>) -> impl Iterator<Item = &Goal> {
        self.0.iter().filter(move |goal| goal.parent == parent)
    }

    /// All, each before what is under it, with how deep it is: 0 at the top.
    pub fn in_order(&self) -> Vec<(usize, &Goal)> {
        fn walk<'g>(goals: &'g Goals, parent: Option<u64>, depth: usize, all: &mut Vec<(usize, &'g Goal)>) {
            for goal in goals.under(parent) {
                all.push((depth, goal));
                walk(goals, Some(goal.id), depth + 1, all);
            }
        }
        let mut all = Vec::with_capacity(self.0.len());
        walk(self, None, 0, &mut all);
        all
    }

    /// What is to be done itself: goals with nothing under them that is not abandoned.
    pub fn leaves(&self) -> impl Iterator<Item = &Goal> {
        let is_leaf = |goal: &Goal| self.under(Some(goal.id)).all(|child| child.status == GoalStatus::Abandoned);
        let all = self.in_order().into_iter().map(|(_, goal)| goal);
        all.filter(move |goal| goal.status != GoalStatus::Abandoned && is_leaf(goal))
    }

    /// There is more to show than a list of steps.
    pub fn is_tree(&self) -> bool {
        let is_plain = |goal: &Goal| {
            goal.parent.is_none()
                && goal.priority == Priority::Medium
                && goal.strategies.is_empty()
                && (goal.progress == 0 || goal.is_done())
                && goal.status != GoalStatus::Abandoned
        };
        !self.0.iter().all(is_plain)
    }

    /// How deep a goal is: 1 at the top.
    pub fn depth(&self, id: u64) -> usize {
        let mut depth = 1;
        let mut parent = self.get(id).and_then(|goal| goal.parent);
        while let Some(above) = parent.and_then(|id| self.get(id)) {
            depth += 1;
            parent = above.parent;
        }
        depth
    }

    /// Levels of a goal with all that is under it.
    pub fn height(&self, id: u64) -> usize {
        1 + self.under(Some(id)).map(|child| self.height(child.id)).max().unwrap_or(0)
    }

    /// Whether a goal is another one, or below it.
    pub fn is_within(&self, id: u64, top: u64) -> bool {
        let mut at = Some(id);
        while let Some(id) = at {
            if id == top {
                return true;
            }
            at = self.get(id).and_then(|goal| goal.parent);
        }
        false
    }

    /// The mean of the goals at the top that are not abandoned, in percent, rounded down.
    pub fn progress(&self) -> u8 {
        mean(self.under(None))
    }

    /// How many are done, and how many are not abandoned, of what is to be done itself.
    pub fn counts(&self) -> (usize, usize) {
        (self.leaves().filter(|goal| goal.is_done()).count(), self.leaves().count())
    }

    /// The next key of a tick.
    fn key(&self, tick: u64) -> String {
        let prefix = format!("goal_{tick}_");
        let taken = self.0.iter().filter_map(|goal| goal.key.strip_prefix(&prefix)?.parse::<u64>().ok());
        format!("{prefix}{}", taken.max().map_or(0, |most| most + 1))
    }

    /// Puts a new goal last among its siblings. Nothing where its parent is not there.
    pub fn add(&mut self, goal: Goal) {
        if goal.parent.is_some_and(|parent| self.get(parent).is_none()) {
            return;
        }
        let goal = Goal { key: self.key(goal.tick), ..goal };
        if let Some(parent) = goal.parent {
            self.reopen(parent, goal.tick);
        }
        self.0.push(goal);
        self.settle();
    }

    pub fn edit(&mut self, id: u64, text: Option<&str>, priority: Option<Priority>, tick: u64) {
        if let Some(goal) = self.get_mut(id) {
            goal.tick = tick;
            if let Some(text) = text {
                goal.text = text.to_string();
            }
            goal.priority = priority.unwrap_or(goal.priority);
        }
    }

    /// Puts a goal elsewhere, with all that is under it.
    pub fn put(&mut self, id: u64, spot: Spot, tick: u64) {
        let is_there = spot.parent.is_none_or(|parent| self.get(parent).is_some() && !self.is_within(parent, id));
        let Some(at) = self.0.iter().position(|goal| goal.id == id).filter(|_| is_there) else { return };
        let mut goal = self.0.remove(at);
        (goal.parent, goal.tick) = (spot.parent, tick);
        let siblings: Vec<usize> =
            self.0.iter().enumerate().filter(|(_, other)| other.parent == spot.parent).map(|(n, _)| n).collect();
        let place = spot.place.map_or(siblings.len(), |place| (place as usize).saturating_sub(1));
        let before = siblings.get(place).copied().unwrap_or(self.0.len());
        let is_open = goal.is_open();
        self.0.insert(before, goal);
        if let Some(parent) = spot.parent.filter(|_| is_open) {
            self.reopen(parent, tick);
        }
        self.settle();
    }

    /// Takes a goal out for good, if nothing is under it.
    pub fn remove(&mut self, id: u64) {
        if self.under(Some(id)).next().is_none() {
            self.0.retain(|goal| goal.id != id);
            self.settle();
        }
    }

    /// Says how far a goal is; one with others under it knows that by itself.
    pub fn advance(&mut self, id: u64, percent: u8, tick: u64) {
        if self.under(Some(id)).any(|child| child.status != GoalStatus::Abandoned) {
            return;
        }
        let Some(goal) = self.get_mut(id) else { return };
        (goal.progress, goal.tick) = (percent.min(DONE_PERCENT), tick);
        goal.status = if goal.progress == DONE_PERCENT { GoalStatus::Completed } else { GoalStatus::Active };
        self.reopened_above(id, tick);
        self.settle();
    }

    /// Gives a goal up, with all that is open under it.
    pub fn abandon(&mut self, id: u64, tick: u64) {
        let within: Vec<u64> = self.0.iter().map(|goal| goal.id).filter(|other| self.is_within(*other, id)).collect();
        for other in within {
            if let Some(goal) = self.get_mut(other).filter(|goal| goal.is_open() || goal.id == id) {
                (goal.status, goal.tick) = (GoalStatus::Abandoned, tick);
            }
        }
        self.settle();
    }

    /// Takes a goal up again, and those above it.
    pub fn reopen(&mut self, id: u64, tick: u64) {
        let mut at = Some(id);
        while let Some(goal) = at.and_then(|id| self.get_mut(id)) {
            if !goal.is_open() {
                (goal.status, goal.tick) = (GoalStatus::Active, tick);
                if goal.progress == DONE_PERCENT {
                    goal.progress = 0;
                }
            }
            at = goal.parent;
        }
        self.settle();
    }

    /// What is above an open goal is open.
    fn reopened_above(&mut self, id: u64, tick: u64) {
        let above = self.get(id).filter(|goal| goal.is_open()).and_then(|goal| goal.parent);
        if let Some(parent) = above {
            self.reopen(parent, tick);
        }
    }

    pub fn try_strategy(&mut self, id: u64, strategy: Strategy, tick: u64) {
        if let Some(goal) = self.get_mut(id) {
            goal.tick = tick;
            goal.strategies.push(strategy);
            if goal.strategies.len() > STRATEGIES_MAX {
                goal.strategies.remove(0);
            }
        }
    }

    /// The goal that a way belongs to, with the way.
    pub fn strategy(&self, id: u64) -> Option<(&Goal, &Strategy)> {
        let of = |goal: &'_ Goal| goal.strategies.iter().any(|strategy| strategy.id == id);
        let goal = self.0.iter().find(|goal| of(goal))?;
        Some((goal, goal.strategies.iter().find(|strategy| strategy.id == id)?))
    }

    pub fn judge(&mut self, id: u64, verdict: Verdict, why: Option<&str>, tick: u64) {
        for goal in &mut self.0 {
            if let Some(strategy) = goal.strategies.iter_mut().find(|strategy| strategy.id == id) {
                (strategy.verdict, strategy.why) = (Some(verdict), why.map(str::to_string));
                goal.tick = tick;
            }
        }
    }

    /// Makes parents what their children are.
    fn settle(&mut self) {
        let deepest_first: Vec<u64> = self.in_order().into_iter().rev().map(|(_, goal)| goal.id).collect();
        for id in deepest_first {
            let children: Vec<u64> = self.under(Some(id)).map(|child| child.id).collect();
            let counted: Vec<&Goal> =
                self.under(Some(id)).filter(|child| child.status != GoalStatus::Abandoned).collect();
            let rolled_up = (!counted.is_empty()).then(|| {
                let status = if counted.iter().all(|child| child.is_done()) {
                    GoalStatus::Completed
                } else {
                    GoalStatus::Active
                };
                (mean(counted.iter().copied()), status)
            });
            let Some(goal) = self.get_mut(id) else { continue };
            goal.children = children;
            // What was given up stays so, whatever had been reached below it.
            if let Some((progress, status)) = rolled_up {
                goal.progress = progress;
                if goal.status != GoalStatus::Abandoned {
                    goal.status = status;
                }
            }
        }
    }
}

impl FromIterator<Goal> for Goals {
    fn from_iter<I: IntoIterator<Item = Goal>>(goals: I) -> Goals {
        let mut all = Goals(goals.into_iter().collect());
        all.settle();
        all
    }
}

fn mean<'g>(goals: impl Iterator<Item = &'g Goal>) -> u8 {
    let counted: Vec<u64> =
        goals.filter(|goal| goal.status != GoalStatus::Abandoned).map(|goal| u64::from(goal.progress)).collect();
    if counted.is_empty() { 0 } else { (counted.iter().sum::<u64>() / counted.len() as u64) as u8 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn goal(id: u64, parent: Option<u64>) -> Goal {
        Goal { id, text: format!("goal {id}"), parent, tick: 42, ..Goal::default() }
    }

    /// 1 with 2 (with 3 and 4) and 5.
    fn tavern() -> Goals {
        let mut goals = Goals::default();
        for (id, parent) in [(1, None), (2, Some(1)), (3, Some(2)), (4, Some(2)), (5, Some(1))] {
            goals.add(goal(id, parent));
        }
        goals
    }

    fn state(goals: &Goals, id: u64) -> (u8, GoalStatus) {
        let goal = goals.get(id).expect("it is there");
        (goal.progress, goal.status)
    }

    #[test]
    fn what_is_done_below_rolls_up_through_all_levels() {
        use GoalStatus::{Abandoned, Active, Completed};
        let mut goals = tavern();
        assert_eq!(goals.get(2).expect("it is there").children, [3, 4]);
        assert_eq!(goals.get(5).expect("it is there").key, "goal_42_4");
        goals.advance(3, 100, 50);
        assert_eq!((state(&goals, 2), state(&goals, 1)), ((50, Active), (25, Active)));
        goals.advance(4, 33, 50);
        assert_eq!((state(&goals, 2), state(&goals, 1)), ((66, Active), (33, Active)), "rounded down");
        goals.advance(1, 90, 51);
        assert_eq!(state(&goals, 1), (33, Active), "nobody sets what follows from others");
        goals.advance(4, 100, 52);
        goals.advance(5, 100, 53);
        assert_eq!((state(&goals, 1), goals.progress()), ((100, Completed), 100));
        // A child that is added, or taken up again, opens all above it.
        goals.add(goal(6, Some(2)));
        assert_eq!((state(&goals, 2), state(&goals, 1)), ((66, Active), (83, Active)));
        goals.abandon(6, 54);
        assert_eq!(state(&goals, 1), (100, Completed), "what was given up does not count");
        goals.reopen(3, 55);
        assert_eq!((state(&goals, 3), state(&goals, 2), state(&goals, 1)), ((0, Active), (50, Active), (75, Active)));
        // All under it given up: it is left as it is, to be decided by whoever set it.
        for id in [4, 3] {
            goals.abandon(id, 56);
        }
        assert_eq!((state(&goals, 4).1, state(&goals, 2)), (Abandoned, (0, Active)));
        goals.abandon(1, 57);
        assert_eq!((state(&goals, 2).1, state(&goals, 5)), (Abandoned, (100, Completed)), "what was reached stays");
    }

    #[test]
    fn a_goal_is_put_elsewhere_with_what_is_under_it_and_never_under_itself() {
        let mut goals = tavern();
        let ids = |goals: &Goals| -> Vec<(usize, u64)> {
            goals.in_order().into_iter().map(|(depth, goal)| (depth, goal.id)).collect()
        };
        goals.put(5, Spot { parent: Some(1), place: Some(1) }, 50);
        assert_eq!(ids(&goals), [(0, 1), (1, 5), (1, 2), (2, 3), (2, 4)]);
        goals.put(2, Spot { parent: None, place: Some(1) }, 50);
        assert_eq!(ids(&goals), [(0, 2), (1, 3), (1, 4), (0, 1), (1, 5)]);
        let before = goals.clone();
        for (id, parent) in [(2, Some(4)), (2, Some(2)), (2, Some(99)), (99, None)] {
            goals.put(id, Spot { parent, place: None }, 60);
        }
        assert_eq!(goals, before);
        assert_eq!((goals.depth(4), goals.height(2), goals.is_within(4, 2)), (2, 2, true));
        let leaves: Vec<u64> = goals.leaves().map(|goal| goal.id).collect();
        assert_eq!(leaves, [3, 4, 5]);
    }

    proptest! {
        #[test]
        fn parents_are_always_what_their_children_are(
            deeds in proptest::collection::vec((0u8..6, 1u64..20, 1u64..20, 0u8..=100), 1..60),
        ) {
            let mut goals = Goals::default();
            for (n, (deed, one, other, percent)) in (1u64..).zip(deeds) {
                match deed {
                    0 | 1 => goals.add(goal(n, (other < n && percent > 30).then_some(other))),
                    2 => goals.advance(one, percent, n),
                    3 => goals.abandon(one, n),
                    4 => goals.reopen(one, n),
                    _ => goals.put(one, Spot { parent: (percent > 30).then_some(other), place: Some(1) }, n),
                }
                prop_assert_eq!(goals.in_order().len(), goals.len(), "all hang together");
                for (_, goal) in goals.in_order() {
                    let children: Vec<&Goal> = goals.under(Some(goal.id)).collect();
                    let counted: Vec<&&Goal> =
                        children.iter().filter(|child| child.status != GoalStatus::Abandoned).collect();
                    prop_assert_eq!(&goal.children, &children.iter().map(|child| child.id).collect::<Vec<_>>());
                    if counted.is_empty() || goal.status == GoalStatus::Abandoned {
                        continue;
                    }
                    let sum: u32 = counted.iter().map(|child| u32::from(child.progress)).sum();
                    prop_assert_eq!(u32::from(goal.progress), sum / counted.len() as u32);
                    prop_assert_eq!(goal.is_done(), counted.iter().all(|child| child.is_done()));
                }
                let again: Goals = goals.0.iter().cloned().collect();
                prop_assert_eq!(&again, &goals, "it stands as it is");
            }
        }
    }
}
