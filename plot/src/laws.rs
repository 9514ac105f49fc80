//! What holds of every plot, whatever is done on it.

use crate::examples::kinds;
use crate::*;
use proptest::prelude::*;

const HANDS: [&str; 3] = ["Ann", "Bob", "Cid"];

fn cells() -> impl Strategy<Value = Cell> {
    // A small corner, so that hands meet.
    (0..3u8, 0..3u8).prop_map(|(row, col)| Cell::new(row, col).expect("on the plot"))
}

fn requests() -> impl Strategy<Value = Request> {
    let kinds = prop::sample::select(vec!["house", "mill", "well", "road", "tree"]);
    prop_oneof![
        4 => (kinds, cells()).prop_map(|(kind, at)| Request::Add { kind: kind.into(), at, label: "".into() }),
        2 => (cells(), cells()).prop_map(|(from, to)| Request::Move { from, to }),
        2 => cells().prop_map(|at| Request::Remove { at }),
    ]
}

#[derive(Clone, Debug)]
enum Act {
    Build(Request),
    Settle(u32, bool),
    Note,
    Expire,
}

fn acts() -> impl Strategy<Value = Vec<(usize, u64, Act)>> {
    let act = prop_oneof![
        8 => requests().prop_map(Act::Build),
        2 => (0..12u32, any::<bool>()).prop_map(|(id, agrees)| Act::Settle(id, agrees)),
        1 => Just(Act::Note),
        1 => Just(Act::Expire),
    ];
    prop::collection::vec((0..HANDS.len(), 0..200u64, act), 0..160)
}

/// Plays it; after each act the grid as it is then is told, with the number of the newest entry.
fn play(rule: Rule, acts: &[(usize, u64, Act)], mut told: impl FnMut(&Plot, u64)) {
    let kinds = kinds();
    let corner = Cell::new(0, 0).expect("on the plot");
    let mut plot = Plot::new("Green".into(), rule, "".into(), [("well".into(), corner, "".into())]);
    let mut tick = 0;
    for (hand, passes, act) in acts {
        tick += passes;
        let by = Text::from(HANDS[*hand]);
        match act {
            Act::Build(request) => {
                let order = Order { request: request.clone(), why: "".into() };
                let before = plot.clone();
                assert!(plot.build(&order, &by, tick, &kinds).is_ok() || plot == before, "{order:?}");
            }
            Act::Settle(id, agrees) => {
                let before = plot.clone();
                let settled = plot.settle(*id, *agrees, &by, tick, &kinds);
                assert_eq!(settled.is_ok(), plot != before, "only what changed nothing is refused: {settled:?}");
            }
            Act::Note => plot.note(Note::parse("hello").expect("a note"), &by, tick),
            Act::Expire => drop(plot.expire(tick)),
        }
        told(&plot, tick);
    }
}

fn rules() -> impl Strategy<Value = Rule> {
    prop::sample::select(Rule::ALL.to_vec())
}

proptest! {
    #[test]
    fn what_was_done_is_undone_by_its_inverse(rule in rules(), acts in acts()) {
        play(rule, &acts, |plot, _| {
            let Some(change) = plot.changes().next_back() else { return };
            let mut grid = plot.grid().clone();
            assert!(grid.apply(&change.deed.inverse()), "{change:?}");
            assert!(grid != *plot.grid());
            assert!(grid.apply(&change.deed), "{change:?}");
            assert!(grid == *plot.grid());
        });
    }

    #[test]
    fn the_scene_of_every_entry_is_the_grid_of_then(rule in rules(), acts in acts()) {
        let mut then: std::collections::BTreeMap<u32, Grid> = Default::default();
        play(rule, &acts, |plot, _| {
            then.entry(plot.revision()).or_insert_with(|| plot.grid().clone());
            for entry in plot.memo().entries() {
                let scene = plot.scene(entry.n).expect("an entry that is kept has its scene");
                assert!(scene == then[&entry.revision], "{entry:?}");
            }
        });
    }

    #[test]
    fn everything_stays_within_its_bounds(rule in rules(), acts in acts()) {
        let of = Which(vec!["any".into()]);
        let measure = Measure::Joined { of, least: 4 };
        let constraint = Constraint { text: "".into(), points: 1000, measure };
        let task = Task { name: "t".into(), title: "T".into(), constraints: vec![constraint] };
        play(rule, &acts, |plot, tick| {
            assert!(plot.changes().len() <= KEPT && plot.memo().entries().len() <= KEPT);
            assert!(plot.memo().head() < KEPT);
            let axes = plot.axes();
            assert!(axes.rows().iter().all(|row| row.pair[0] + row.pair[1] == 10) && axes.imbalance <= 10);
            assert!(task.score(plot.grid(), &kinds()) <= FULL);
            assert!(plot.contested(tick).len() <= 81);
            let ids: std::collections::BTreeSet<u32> = plot.grid().elements().map(|element| element.id).collect();
            assert!(ids.len() == plot.grid().len(), "no id comes twice");
        });
    }

    #[test]
    fn under_own_nobody_loses_what_they_built(acts in acts()) {
        play(Rule::Own, &acts, |plot, _| {
            let Some(Change { deed: Deed::Remove(element), by, .. }) = plot.changes().next_back() else { return };
            assert_eq!(&element.by, by);
        });
    }

    #[test]
    fn no_text_breaks_the_readers(typed in "\\PC{0,60}") {
        let kinds = kinds();
        drop(Cell::parse(&typed));
        drop(Order::parse(&typed, &kinds));
        drop(Note::parse(&typed));
        drop(Plan::parse(&typed, &kinds));
        let added = Order::parse(&format!("add house 1,1 called {typed} because {typed}"), &kinds);
        if let Ok(Order { request: Request::Add { label, .. }, why }) = added {
            assert!(label.chars().count() <= LABEL_MAX && why.chars().count() <= REASON_MAX);
        }
    }
}
