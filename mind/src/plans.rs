//! What a mind plans, in steps. It stands beside task, goals and steps, which are the workspace's: a plan is made once,
//! ticked off, and ends.
//!
//! Invariant: a step that is not there changes nothing, and neither does a plan that has ended.

use plot::PlanStatus;
use serde::{Deserialize, Serialize};

/// Steps of a plan, and open plans of a mind: as on plots.
pub use plot::{OPEN_MAX, STEPS_MAX};
/// Plans that have ended and are still known, the newest.
pub const ENDED_KEPT: usize = 10;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlanStep {
    /// Whom it is meant for: `inner`, `outer`, `both` or a name; empty: whoever comes to it.
    #[serde(rename = "for", default, skip_serializing_if = "String::is_empty")]
    pub meant: String,
    pub text: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub done: bool,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Plan {
    pub id: u64,
    pub text: String,
    pub steps: Vec<PlanStep>,
    pub status: PlanStatus,
    pub tick: u64,
}

impl Plan {
    pub fn is_open(&self) -> bool {
        self.status == PlanStatus::InProgress
    }

    /// How many of its steps are done.
    pub fn done(&self) -> usize {
        self.steps.iter().filter(|step| step.done).count()
    }
}

/// In the order in which they were made.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Plans(pub Vec<Plan>);

impl Plans {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn open(&self) -> impl Iterator<Item = &Plan> {
        self.0.iter().filter(|plan| plan.is_open())
    }

    pub fn get(&self, id: u64) -> Option<&Plan> {
        self.0.iter().find(|plan| plan.id == id)
    }

    pub fn make(&mut self, plan: Plan) {
        self.0.push(plan);
    }

    /// `step` counts from 1.
    pub fn tick_off(&mut self, id: u64, step: u32, tick: u64) {
        let open = self.0.iter_mut().find(|plan| plan.id == id && plan.is_open());
        let Some(plan) = open else { return };
        let at = (step as usize).checked_sub(1);
        if let Some(step) = at.and_then(|at| plan.steps.get_mut(at)) {
            (step.done, plan.tick) = (true, tick);
        }
    }

    pub fn end(&mut self, id: u64, status: PlanStatus, tick: u64) {
        if let Some(plan) = self.0.iter_mut().find(|plan| plan.id == id && plan.is_open()) {
            (plan.status, plan.tick) = (status, tick);
        }
        let ended = self.0.iter().filter(|plan| !plan.is_open()).count();
        if ended > ENDED_KEPT
            && let Some(oldest) = self.0.iter().position(|plan| !plan.is_open())
        {
            self.0.remove(oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(id: u64) -> Plan {
        let step = |text: &str| PlanStep { meant: String::new(), text: text.into(), done: false };
        let steps = vec![step("dig"), step("rest")];
        Plan { id, text: "a well".into(), steps, status: PlanStatus::InProgress, tick: 1 }
    }

    #[test]
    fn what_is_not_there_changes_nothing() {
        let mut plans = Plans::default();
        plans.make(plan(1));
        let before = plans.clone();
        plans.tick_off(1, 0, 5);
        plans.tick_off(1, 3, 5);
        plans.tick_off(2, 1, 5);
        assert_eq!(plans, before);
        plans.tick_off(1, 2, 5);
        plans.end(1, PlanStatus::Abandoned, 6);
        plans.tick_off(1, 1, 7);
        plans.end(1, PlanStatus::Done, 8);
        let plan = plans.get(1).expect("it is known");
        assert_eq!((plan.done(), plan.status, plan.tick), (1, PlanStatus::Abandoned, 6));
    }

    #[test]
    fn of_those_that_ended_the_newest_are_known() {
        let mut plans = Plans::default();
        for id in 1..=30 {
            plans.make(plan(id));
            plans.end(id, PlanStatus::Done, id);
        }
        assert_eq!((plans.0.len(), plans.0[0].id), (ENDED_KEPT, 21));
    }
}
