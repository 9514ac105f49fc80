//! Where two minds want what does not go together.

use super::lines::{Line, Stance};
use super::member::Member;
use super::proposal::Proposal;
use super::scene::Scene;
use crate::counsel::Conflict;
use plot::{Cell, Request};
use protocol::plot::{PlanSeen, PlanStepSeen};

/// How two proposals conflict; `None`: both can be had, or they are the same.
pub fn conflict(one: &Proposal, other: &Proposal, scene: &Scene) -> Option<Conflict> {
    let same = one.tick.is_some() && one.resolved(scene) == other.resolved(scene);
    if one.is_empty() || other.is_empty() || same {
        // Who wants nothing has nothing against it.
        return None;
    }
    let undoes = |a: &Proposal, b: &Proposal| a.lines().any(|line| undoes_step(&line, b.member, scene));
    if undoes(one, other) || undoes(other, one) {
        return Some(Conflict::Plan);
    }
    if differ_in_stance(one, other, scene) || differ_in_stance(other, one, scene) {
        return Some(Conflict::Stance);
    }
    let cells = |proposal: &Proposal| -> Vec<Cell> {
        proposal.lines().filter_map(|line| line.request()).flat_map(|r| r.cells().collect::<Vec<_>>()).collect()
    };
    let theirs = cells(other);
    if cells(one).iter().any(|cell| theirs.contains(cell)) {
        return Some(Conflict::Place);
    }
    (one.tick.is_some() && other.tick.is_some()).then_some(Conflict::Command)
}

fn differ_in_stance(attacker: &Proposal, helper: &Proposal, scene: &Scene) -> bool {
    let whom = |proposal: &Proposal, stance: Stance| -> Vec<String> {
        let lines = proposal.lines().filter(|line| line.stance() == Some(stance));
        lines.filter_map(|line| line.about(scene).map(|being| being.id.clone())).collect()
    };
    let helped = whom(helper, Stance::Help);
    whom(attacker, Stance::Attack).iter().any(|id| helped.contains(id))
}

/// The open plans that this body's own hand made.
pub(super) fn open_plans(scene: &Scene) -> impl Iterator<Item = &PlanSeen> {
    let plans = scene.plot.iter().flat_map(|plot| &plot.plans);
    plans.filter(|plan| *plan.status == *"IN_PROGRESS" && plan.by.eq_ignore_ascii_case(&scene.me))
}

/// Whether a step is this mind's business: its own, or everybody's.
fn is_meant_for(step: &PlanStepSeen, member: Member) -> bool {
    match step.meant.as_deref() {
        Some("inner") => member == Member::Inner,
        Some("outer") => member == Member::Outer,
        _ => true,
    }
}

fn request_of(step: &PlanStepSeen) -> Option<Request> {
    Request::as_typed(&step.text).ok()
}

/// Whether a line takes away what a step of this mind's plan has made, or blocks one that is still to be done.
fn undoes_step(line: &Line<'_>, of: Member, scene: &Scene) -> bool {
    let Some(wanted) = line.request() else { return false };
    let steps = open_plans(scene).flat_map(|plan| &plan.steps).filter(|step| is_meant_for(step, of));
    let mut steps = steps.filter_map(|step| Some((step.done, request_of(step)?)));
    let taken = match &wanted {
        Request::Remove { at } | Request::Move { from: at, .. } => Some(*at),
        Request::Add { .. } => None,
    };
    let filled = match &wanted {
        Request::Add { at, .. } | Request::Move { to: at, .. } => Some(*at),
        Request::Remove { .. } => None,
    };
    steps.any(|(done, step)| {
        let makes = match &step {
            Request::Add { at, .. } | Request::Move { to: at, .. } => Some(*at),
            Request::Remove { .. } => None,
        };
        match done {
            true => (makes.is_some() && makes == taken) || matches!(step, Request::Remove { at } if filled == Some(at)),
            false => makes.is_some() && makes == filled && !carries_out(&wanted, &step),
        }
    })
}

/// Whether a request is the step itself, whatever it is called.
fn carries_out(request: &Request, step: &Request) -> bool {
    match (request, step) {
        (Request::Add { kind, at, .. }, Request::Add { kind: wanted, at: there, .. }) => kind == wanted && at == there,
        (request, step) => request == step,
    }
}

/// Whether a proposal carries out an open step of a plan that is its mind's business.
pub(super) fn carries_out_step(proposal: &Proposal, scene: &Scene) -> bool {
    let steps = || open_plans(scene).flat_map(|plan| &plan.steps);
    let is_open = |step: &&PlanStepSeen| !step.done && is_meant_for(step, proposal.member);
    proposal
        .lines()
        .filter_map(|line| line.request())
        .any(|request| steps().filter(is_open).filter_map(request_of).any(|step| carries_out(&request, &step)))
}

#[cfg(test)]
mod tests {
    use super::super::examples::{plan, plot, proposal, scene};
    use super::*;
    use Member::{Inner, Outer};

    #[test]
    fn each_kind_of_conflict_is_found() {
        let mut scene = scene();
        let mut seen = plot(&[(1, [3, 4], "house"), (2, [4, 4], "well")]);
        seen.plans = vec![plan(&[("outer", "add well 4,4", true), ("", "add road 5,4", false)])];
        scene.plot = Some(seen);
        for (inner, outer, found) in [
            ("kill wolf", "kill wolf", None),
            ("kill wolf", "k wolf", None),
            ("kill wolf", "kill 2.wolf", Some(Conflict::Command)),
            ("kill wolf", "north", Some(Conflict::Command)),
            ("", "north", None),
            ("say hello", "north", None),
            ("build add house 1,1 called Ann's because it is cold", "build add a house at [1,1]", None),
            ("build add house 1,1", "build add tree 1 1", Some(Conflict::Place)),
            ("build move 3,4 to 1,1", "build remove 3,4", Some(Conflict::Place)),
            ("build add house 1,1", "build add tree 2,2", Some(Conflict::Command)),
            ("kill bob", "give bread bob", Some(Conflict::Stance)),
            ("give bread bob", "cast 'fireball' bob", Some(Conflict::Stance)),
            ("kill wolf", "cast 'cure light' bob", Some(Conflict::Command)),
            ("build remove 4,4", "build add house 1,1", Some(Conflict::Plan)),
            ("build add house 5,4", "say a road goes there", Some(Conflict::Plan)),
            ("build add road 5,4", "build add house 1,1", Some(Conflict::Command)),
            ("build remove 3,4", "build add house 1,1", Some(Conflict::Command)),
        ] {
            let (one, other) = (proposal(Inner, inner), proposal(Outer, outer));
            assert_eq!(conflict(&one, &other, &scene), found, "{inner} against {outer}");
            assert_eq!(conflict(&other, &one, &scene), found, "{outer} against {inner}");
        }
    }

    #[test]
    fn a_step_belongs_to_whom_it_is_meant_for_and_plans_of_others_are_theirs() {
        let mut scene = scene();
        let mut seen = plot(&[(2, [4, 4], "well")]);
        seen.plans = vec![plan(&[("inner", "add well 4,4", true)])];
        let (inner, outer) = (proposal(Inner, "build remove 4,4"), proposal(Outer, "build add house 1,1"));
        scene.plot = Some(seen.clone());
        assert_eq!(conflict(&inner, &outer, &scene), Some(Conflict::Command), "one may undo what is one's own");
        seen.plans[0].by = "Bob".into();
        seen.plans[0].steps[0].meant = None;
        scene.plot = Some(seen);
        assert_eq!(conflict(&inner, &outer, &scene), Some(Conflict::Command));
    }
}
