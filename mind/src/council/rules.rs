//! Who is right where two minds differ and nobody chose.

use super::conflict::carries_out_step;
use super::member::Member;
use super::proposal::Proposal;
use super::scene::{Scene, axes_of, grid_of};
use plot::{AxisRow, Deed, Element, Grid, Kind, Kinds, Purpose, Request, Sides, WHOLE};
use protocol::plot::PlotSeen;
use std::collections::VecDeque;

/// Below this, in percent, an attacked body is in danger.
const HURT_PERCENT: i32 = 50;
/// Conflicts that the balance of who gave way looks back over.
const LOOKS_BACK: usize = 20;

/// Who gave way in the newest conflicts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Overruled(VecDeque<Vec<Member>>);

impl Overruled {
    /// A conflict ended, and these did not get their will.
    pub fn note(&mut self, who: Vec<Member>) {
        if self.0.len() == LOOKS_BACK {
            self.0.pop_front();
        }
        self.0.push_back(who);
    }

    pub fn times(&self, member: Member) -> usize {
        self.0.iter().filter(|who| who.contains(&member)).count()
    }
}

/// One reason to follow one of two proposals.
pub struct Rule {
    pub name: &'static str,
    /// How much it speaks for a proposal, in whatever unit: the greater one is followed, and equal ones decide nothing.
    /// `None`: nothing can be said.
    speaks_for: fn(&Proposal, &Scene, &Overruled) -> Option<f64>,
}

/// The first that decides is followed. Source: the issue of several minds, *Conflicts*.
pub const RULES: &[Rule] = &[
    Rule { name: "danger", speaks_for: |proposal, scene, _| Some(flag(is_in_danger(scene) && withdraws(proposal))) },
    Rule { name: "plan", speaks_for: |proposal, scene, _| Some(flag(carries_out_step(proposal, scene))) },
    Rule { name: "balance", speaks_for: |proposal, scene, _| balances(proposal, scene) },
    Rule { name: "memory", speaks_for: |proposal, scene, _| Some(remembered(proposal, scene)) },
    Rule { name: "turn", speaks_for: |proposal, _, overruled| Some(overruled.times(proposal.member) as f64) },
    Rule { name: "inner", speaks_for: |proposal, _, _| Some(flag(proposal.member == Member::Inner)) },
];

/// The first of two proposals or the second, and by which rule; the last always decides between two minds.
pub fn rule<'p>(
    one: &'p Proposal,
    other: &'p Proposal,
    scene: &Scene,
    overruled: &Overruled,
) -> (&'p Proposal, &'static str) {
    for rule in RULES {
        let (Some(for_one), Some(for_other)) =
            ((rule.speaks_for)(one, scene, overruled), (rule.speaks_for)(other, scene, overruled))
        else {
            continue;
        };
        if for_one > for_other {
            return (one, rule.name);
        }
        if for_other > for_one {
            return (other, rule.name);
        }
    }
    (one, "inner")
}

fn flag(is: bool) -> f64 {
    f64::from(u8::from(is))
}

fn is_in_danger(scene: &Scene) -> bool {
    scene.attacked && scene.hp_percent < HURT_PERCENT
}

fn withdraws(proposal: &Proposal) -> bool {
    proposal.tick.is_some() && proposal.lines().next().is_some_and(|line| line.withdraws())
}

/// Whom danger decides for, even against OBSERVER: of two, the one that withdraws or heals.
pub(super) fn danger_decides<'p>(one: &'p Proposal, other: &'p Proposal, scene: &Scene) -> Option<&'p Proposal> {
    let (decided, by) = rule(one, other, scene, &Overruled::default());
    (by == RULES[0].name).then_some(decided)
}

fn remembered(proposal: &Proposal, scene: &Scene) -> f64 {
    let about = proposal.lines().find_map(|line| line.about(scene));
    about.map_or(0.0, |being| scene.felt_about(&being.name))
}

/// 1 for what brings the axis that leans most nearer to its middle, −1 for what takes it farther off.
fn balances(proposal: &Proposal, scene: &Scene) -> Option<f64> {
    let plot = scene.plot.as_ref()?;
    let worst = axes_of(plot).worst();
    if worst.lean() == 0 {
        return None;
    }
    // What does not build changes nothing.
    let Some(request) = proposal.lines().find_map(|line| line.request()) else { return Some(0.0) };
    let to_inner = leans_to_inner(&request, plot, &worst)?;
    let wants_inner = worst.pair[0] < worst.pair[1];
    Some(if to_inner == wants_inner { 1.0 } else { -1.0 })
}

/// On which side of an axis a change would be; `None` where a client cannot tell: it cannot be done, or the prompt has
/// no word on the purpose or the type of what was never built there.
fn leans_to_inner(request: &Request, plot: &PlotSeen, axis: &AxisRow) -> Option<bool> {
    let (grid, kinds) = (grid_of(plot), kinds_of(plot));
    let deed = deed_of(request, &grid)?;
    if axis.name == "order" {
        return order_leans_to_inner(&deed, grid);
    }
    let is_open = plot.plans.iter().filter(|plan| *plan.status == *"IN_PROGRESS");
    let mut steps = is_open.flat_map(|plan| &plan.steps).filter(|step| !step.done);
    let planned = steps.any(|step| Request::as_typed(&step.text).is_ok_and(|step| step.is_fulfilled_by(&deed)));
    let sides = Sides::of(&deed, planned, &grid, &kinds)?;
    let is_known = match request {
        Request::Add { kind, .. } => kinds.get(kind).is_some() || grid.is_empty(),
        _ => true,
    };
    match axis.name {
        "identity" => Some(sides.instinct),
        "experience" => Some(sides.seen),
        "language" => is_known.then_some(sides.ideas),
        "domain" => Some(sides.source),
        // Which kinds are the heart's no frame says.
        _ => None,
    }
}

/// Parts or Whole, by what would stand: elements in small groups against those in groups of three or more.
fn order_leans_to_inner(deed: &Deed, mut grid: Grid) -> Option<bool> {
    let parts_less_whole = |grid: &Grid| {
        let whole: usize =
            grid.groups(|_| true).iter().map(std::collections::BTreeSet::len).filter(|size| *size >= WHOLE).sum();
        grid.len() as i64 - 2 * whole as i64
    };
    let was = parts_less_whole(&grid);
    if !grid.apply(deed) {
        return None;
    }
    match parts_less_whole(&grid) - was {
        0 => None,
        more => Some(more > 0),
    }
}

fn deed_of(request: &Request, grid: &Grid) -> Option<Deed> {
    request.check(grid).ok()?;
    Some(match request {
        Request::Add { kind, at, label } => Deed::Add(Element {
            id: u32::MAX,
            at: *at,
            kind: kind.clone(),
            label: label.clone(),
            by: "".into(),
            tick: 0,
            why: "".into(),
        }),
        Request::Move { from, to } => Deed::Move { id: grid.at(*from)?.id, from: *from, to: *to },
        Request::Remove { at } => Deed::Remove(grid.at(*at)?.clone()),
    })
}

/// The kinds of what stands, as far as a client knows them.
fn kinds_of(plot: &PlotSeen) -> Kinds {
    let kind = |element: &protocol::plot::ElementSeen| Kind {
        name: (&*element.kind).into(),
        class: (&*element.class).into(),
        glyph: plot::UNKNOWN_GLYPH,
        icon: (&*element.icon).into(),
        purpose: Purpose::Head,
        tint: "".into(),
        shape: "".into(),
    };
    Kinds::new(plot.elements.iter().map(kind).collect())
}

#[cfg(test)]
mod tests {
    use super::super::examples::{plan, plot, proposal, scene};
    use super::*;
    use Member::{Inner, Outer};

    fn decided(inner: &str, outer: &str, scene: &Scene, overruled: &Overruled) -> (Member, &'static str) {
        let (inner, outer) = (proposal(Inner, inner), proposal(Outer, outer));
        let (chosen, by) = rule(&inner, &outer, scene, overruled);
        let (again, by_again) = rule(&outer, &inner, scene, overruled);
        assert_eq!((chosen.member, by), (again.member, by_again), "who speaks first does not matter");
        (chosen.member, by)
    }

    #[test]
    fn each_rule_decides_where_those_before_it_do_not() {
        let nobody = Overruled::default();
        let mut scene = scene();
        assert_eq!(decided("kill wolf", "north", &scene, &nobody), (Inner, "inner"));
        let mut outer_gave_way = Overruled::default();
        outer_gave_way.note(vec![Outer]);
        assert_eq!(decided("kill wolf", "north", &scene, &outer_gave_way), (Outer, "turn"));
        scene.memories = vec![super::super::Felt { text: "The grey wolf tore at me.".into(), weight: -2.0 }];
        assert_eq!(decided("kill wolf", "north", &scene, &nobody), (Outer, "memory"));
        scene.memories[0].weight = 1.5;
        assert_eq!(decided("kill wolf", "north", &scene, &outer_gave_way), (Inner, "memory"));
        let mut seen = plot(&[(1, [3, 4], "house")]);
        seen.axes.domain = [9, 1];
        scene.plot = Some(seen.clone());
        let (add, remove) = ("build add house 8,8", "build remove 3,4");
        assert_eq!(decided(add, remove, &scene, &nobody), (Outer, "balance"), "too much Source");
        seen.plans = vec![plan(&[("both", "add house 8,8", false)])];
        scene.plot = Some(seen);
        assert_eq!(decided(add, remove, &scene, &nobody), (Inner, "plan"));
        (scene.attacked, scene.hp_percent) = (true, 49);
        assert_eq!(decided(add, "flee", &scene, &nobody), (Outer, "danger"));
        assert_eq!(decided(add, "cast 'cure light'", &scene, &nobody), (Outer, "danger"));
        assert_eq!(decided("quaff potion", "flee", &scene, &nobody), (Inner, "inner"), "both take it out of danger");
        scene.hp_percent = 50;
        assert_eq!(decided(add, "flee", &scene, &nobody).1, "plan");
    }

    #[test]
    fn balance_says_nothing_of_what_a_client_cannot_know() {
        let mut scene = scene();
        let mut seen = plot(&[(1, [3, 4], "house")]);
        seen.axes.purpose = [9, 1];
        scene.plot = Some(seen.clone());
        let nobody = Overruled::default();
        assert_eq!(decided("build add house 8,8", "build add mill 7,7", &scene, &nobody).1, "inner");
        (seen.axes.purpose, seen.axes.order) = ([5, 5], [9, 1]);
        seen.elements.push(seen.elements[0].clone());
        (seen.elements[1].id, seen.elements[1].at) = (2, [3, 5]);
        scene.plot = Some(seen);
        assert_eq!(decided("build add house 8,8", "build add house 3,6", &scene, &nobody), (Outer, "balance"));
    }

    #[test]
    fn only_the_last_twenty_conflicts_count() {
        let mut overruled = Overruled::default();
        (0..5).for_each(|_| overruled.note(vec![Outer]));
        (0..20).for_each(|_| overruled.note(vec![Inner, Outer]));
        assert_eq!((overruled.times(Inner), overruled.times(Outer)), (20, 20));
    }
}
