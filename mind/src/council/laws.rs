//! What holds whatever is proposed.

use super::examples::{plan, plot, scene};
use super::*;
use proptest::prelude::*;

const LINES: &[&str] = &[
    "",
    "north",
    "flee",
    "kill wolf",
    "kill 2.wolf",
    "give bread bob",
    "kill bob",
    "say hello",
    "quaff potion",
    "build add house 1,1",
    "build add tree 1,1",
    "build remove 3,4",
    "build move 3,4 to 2,2",
    "build add road 5,4",
    "build",
    "build remove",
    "cast",
    "cast 'cure light' bob",
    "🏠 \u{202e}",
    "give",
];

fn any_proposal(member: Member) -> impl Strategy<Value = Proposal> {
    let line = || proptest::sample::select(LINES);
    (line(), proptest::collection::vec(line(), 0..4)).prop_map(move |(tick, free)| Proposal {
        member,
        tick: Some(tick.to_string()).filter(|tick| !tick.is_empty()),
        free: free.into_iter().filter(|line| !line.is_empty()).map(str::to_string).collect(),
        why: String::new(),
    })
}

fn any_scene() -> impl Strategy<Value = Scene> {
    let axis = || (0..=10u8).prop_map(|inner| [inner, 10 - inner]);
    (0..=100i32, any::<bool>(), proptest::option::of((axis(), axis(), axis())), -3.0..3.0f64).prop_map(
        |(hp_percent, attacked, axes, weight)| {
            let plot = axes.map(|(experience, domain, order)| {
                let mut seen = plot(&[(1, [3, 4], "house"), (2, [4, 4], "well")]);
                (seen.axes.experience, seen.axes.domain, seen.axes.order) = (experience, domain, order);
                seen.plans = vec![plan(&[("inner", "add house 3,4", true), ("", "add road 5,4", false)])];
                seen
            });
            let memories = vec![Felt { text: "the grey wolf".into(), weight }];
            Scene { hp_percent, attacked, plot, memories, ..scene() }
        },
    )
}

fn any_overruled() -> impl Strategy<Value = Overruled> {
    proptest::collection::vec(any::<(bool, bool)>(), 0..30).prop_map(|all| {
        let mut overruled = Overruled::default();
        for (inner, outer) in all {
            let who = [(inner, Member::Inner), (outer, Member::Outer)];
            overruled.note(who.into_iter().filter(|(is, _)| *is).map(|(_, member)| member).collect());
        }
        overruled
    })
}

proptest! {
    #[test]
    fn who_spoke_first_changes_neither_the_conflict_nor_who_is_right(
        inner in any_proposal(Member::Inner),
        outer in any_proposal(Member::Outer),
        scene in any_scene(),
        overruled in any_overruled(),
    ) {
        prop_assert_eq!(conflict(&inner, &outer, &scene), conflict(&outer, &inner, &scene));
        let (one, by) = rule(&inner, &outer, &scene, &overruled);
        let (other, also_by) = rule(&outer, &inner, &scene, &overruled);
        prop_assert_eq!((one.member, by), (other.member, also_by));
    }

    #[test]
    fn a_conflict_is_decided_and_what_is_none_is_agreed(
        inner in any_proposal(Member::Inner),
        outer in any_proposal(Member::Outer),
        own in any_proposal(Member::Observer),
        word in proptest::sample::select(&["inner", "outer", "own", "none", "what"][..]),
        scene in any_scene(),
        overruled in any_overruled(),
    ) {
        let proposals = [inner.clone(), outer.clone()];
        let found = conflict(&inner, &outer, &scene);
        let observed = Observed { choose: Some(word), own: &own };
        let out = outcome(&proposals, Some(observed), &scene, &overruled).expect("somebody proposed");
        prop_assert_eq!(out.conflict, found);
        prop_assert_eq!(out.by == By::Agreed, found.is_none());
        prop_assert_eq!(out.rule.is_some(), out.by == By::Rule);
        prop_assert!(found.is_some() || !wants_observer(&proposals, 2, &scene));
        // Nobody is chosen who wants nothing.
        prop_assert!(found.is_none() || out.chosen != Member::Observer || !own.is_empty());
        // Alike is no conflict.
        let twin = Proposal { member: Member::Outer, ..inner.clone() };
        prop_assert!(inner.tick.is_none() || conflict(&inner, &twin, &scene).is_none());
    }
}
