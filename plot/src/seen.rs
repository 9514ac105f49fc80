//! A plot as players' programs are told of it: the value of the variable `PLOT`.

use crate::axes::Axes;
use crate::element::Element;
use crate::kind::Kinds;
use crate::memo::{Action, Entry};
use crate::pending::Pending;
use crate::plan::{Plan, Step};
use crate::plot::Plot;
use crate::task::Task;
use protocol::plot::{
    ActionSeen, AxesSeen, ElementSeen, MemoSeen, PendingSeen, PlanSeen, PlanStepSeen, PlotSeen, PlotTaskSeen,
};

/// Plans that have ended and are told still.
const ENDED_TOLD: usize = 3;

impl Plot {
    /// As it is at a tick, with so many entries of its memo; `task`: what it is built for, if there is such a thing.
    pub fn seen(&self, room: i32, tick: u64, kinds: &Kinds, task: Option<&Task>, entries: usize) -> PlotSeen {
        PlotSeen {
            room,
            title: self.title.clone(),
            revision: self.revision(),
            rule: self.rule.word().into(),
            elements: self.grid().elements().map(|element| element_seen(element, kinds)).collect(),
            axes: axes_seen(&self.axes()),
            plans: self.plans_with_ended(ENDED_TOLD).map(plan_seen).collect(),
            pending: self.pending().iter().map(pending_seen).collect(),
            contested: self.contested(tick).into_iter().map(Into::into).collect(),
            task: task.map(|task| PlotTaskSeen { name: task.name.clone(), score: task.score(self.grid(), kinds) }),
            memo: self.memo().last(entries, None).into_iter().map(memo_seen).collect(),
        }
    }
}

impl Action {
    pub fn seen(&self) -> ActionSeen {
        let Action { name, kind, position, from } = self;
        ActionSeen { name: name.clone(), kind: kind.clone(), position: (*position).into(), from: from.map(Into::into) }
    }
}

fn element_seen(element: &Element, kinds: &Kinds) -> ElementSeen {
    ElementSeen {
        id: element.id,
        at: element.at.into(),
        kind: element.kind.clone(),
        class: kinds.class(&element.kind).into(),
        icon: kinds.icon(&element.kind).into(),
        label: element.label.clone(),
        by: element.builder().cloned(),
        tick: element.tick,
        why: element.why.clone(),
    }
}

fn axes_seen(axes: &Axes) -> AxesSeen {
    let Axes { identity, experience, language, domain, purpose, order, imbalance } = *axes;
    AxesSeen { identity, experience, language, domain, purpose, order, imbalance }
}

fn plan_seen(plan: &Plan) -> PlanSeen {
    let step = |(n, step): (u32, &Step)| PlanStepSeen {
        n,
        meant: Some(step.meant.clone()).filter(|meant| !meant.is_empty()),
        text: step.text.clone(),
        done: step.done,
    };
    PlanSeen {
        id: plan.id,
        by: plan.by.clone(),
        text: plan.text.clone(),
        status: plan.status.word().into(),
        steps: (1..).zip(&plan.steps).map(step).collect(),
    }
}

fn pending_seen(pending: &Pending) -> PendingSeen {
    PendingSeen {
        id: pending.id,
        by: pending.by.clone(),
        deed: pending.request.to_string().into(),
        at: pending.request.cells().last().map(Into::into).unwrap_or_default(),
        until_tick: pending.until,
    }
}

fn memo_seen(entry: &Entry) -> MemoSeen {
    MemoSeen {
        n: entry.n,
        tick: entry.tick,
        from: entry.from.clone(),
        to: entry.to.clone(),
        kind: entry.kind.word().into(),
        content: entry.content.clone(),
        reasoning: entry.reasoning.clone(),
        revision: entry.revision,
    }
}
