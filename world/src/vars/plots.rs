//! What the variable `PLOT` shows.

use crate::arena::CharacterId;
use crate::world::World;
use plot::{Axes, Element, Entry, Kinds, Pending, Plan};
use protocol::plot::*;

/// Entries of the memo that are told.
const MEMO_TOLD: usize = 5;
/// Plans that have ended and are told still.
const ENDED_TOLD: usize = 3;

impl World {
    /// The plot before somebody who sees it.
    pub fn plot_seen(&self, who: CharacterId) -> Option<PlotSeen> {
        let ground = self.plot_before(who).ok()?;
        Some(self.plot_told(self.room_proto(self.who(who).room).vnum, &ground.plot, MEMO_TOLD))
    }

    /// All of a plot, with so many entries of its memo.
    pub fn plot_told(&self, room: i32, plot: &plot::Plot, entries: usize) -> PlotSeen {
        let kinds = &self.content.plot_kinds;
        PlotSeen {
            room,
            title: plot.title.clone(),
            revision: plot.revision(),
            rule: plot.rule.word().into(),
            elements: plot.grid().elements().map(|element| element_seen(element, kinds)).collect(),
            axes: axes_seen(&plot.axes()),
            plans: plot.plans_with_ended(ENDED_TOLD).map(plan_seen).collect(),
            pending: plot.pending().iter().map(pending_seen).collect(),
            contested: plot.contested(self.tick()).into_iter().map(Into::into).collect(),
            task: self
                .content
                .plot_task(&plot.task)
                .map(|task| PlotTaskSeen { name: task.name.clone(), score: task.score(plot.grid(), kinds) }),
            memo: plot.memo().last(entries, None).into_iter().map(memo_seen).collect(),
        }
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
    let step = |(n, step): (u32, &plot::Step)| PlanStepSeen {
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
