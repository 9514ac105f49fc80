//! What holds of every plot, whatever is done on it.
//!
//! Each law compares with what the test reckons for itself, so that it fails where its subject is broken: a bound that
//! the types hold anyway is no law.

use crate::bounds::Text;
use crate::examples::kinds;
use crate::pending::{ASKED_MAX, PENDING_MAX};
use crate::*;
use proptest::prelude::*;
use protocol::names::is_unsafe;
use std::collections::{BTreeMap, BTreeSet};

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
    Plan,
    Expire,
}

fn acts() -> impl Strategy<Value = Vec<(usize, u64, Act)>> {
    let act = prop_oneof![
        16 => requests().prop_map(Act::Build),
        4 => (0..12u32, any::<bool>()).prop_map(|(id, agrees)| Act::Settle(id, agrees)),
        2 => Just(Act::Note),
        1 => Just(Act::Plan),
        2 => Just(Act::Expire),
    ];
    prop::collection::vec((0..HANDS.len(), 0..200u64, act), 0..240)
}

/// Plays it; after each act the plot is told as it is then.
fn play(rule: Rule, acts: &[(usize, u64, Act)], mut told: impl FnMut(&Plot, u64)) {
    let kinds = kinds();
    let corner = Cell::new(0, 0).expect("on the plot");
    let mut plot = Plot::new("Green".into(), rule, "".into(), [("well".into(), corner, "".into())]);
    let mut tick = 0;
    for (hand, passes, act) in acts {
        tick += passes;
        let by = Text::from(HANDS[*hand]);
        let before = plot.clone();
        match act {
            Act::Build(request) => {
                let order = Order { request: request.clone(), why: "".into() };
                match plot.build(&order, &by, tick, &kinds) {
                    Ok(Outcome::Built(Built { change, element, .. })) => assert!(
                        rule == Rule::Free || matches!(change.deed, Deed::Add(_)) || element.by == by,
                        "nobody was asked: {change:?}"
                    ),
                    Ok(Outcome::Waits(_)) => assert!(plot.grid() == before.grid(), "it waits: {order:?}"),
                    Err(wrong) => assert!(plot == before, "what is refused changes nothing: {order:?}, {wrong}"),
                }
            }
            Act::Settle(id, agrees) => {
                let settled = plot.settle(*id, *agrees, &by, tick, &kinds);
                assert_eq!(settled.is_ok(), plot != before, "only what changed nothing is refused: {settled:?}");
                let is_done = matches!(settled, Ok(Settled::Done(..)));
                assert_eq!(is_done, plot.grid() != before.grid(), "{settled:?}");
            }
            Act::Note => plot.note(Note::parse("hello").expect("a note"), &by, tick),
            Act::Plan => {
                let (text, steps) = Plan::parse("x: add house 1,1; remove 1,1", &kinds).expect("a plan");
                let made = plot.plan(text, steps, &by, tick);
                assert_eq!(made.is_ok(), plot != before, "{made:?}");
            }
            Act::Expire => {
                let late = plot.expire(tick);
                assert!(late.iter().all(|pending| pending.until < tick) && !plot.expires(tick), "{late:?}");
                assert_eq!(late.len() + plot.pending().len(), before.pending().len());
            }
        }
        told(&plot, tick);
    }
}

fn rules() -> impl Strategy<Value = Rule> {
    prop::sample::select(Rule::ALL.to_vec())
}

/// Whether those are tenths of a side, with one more on each: the nearest whole number, halves up.
fn is_share(pair: Pair, inner: usize, outer: usize) -> bool {
    let (ours, n) = (i64::from(pair[0]), (inner + outer + 2) as i64);
    let off = 2 * (ours * n - 10 * (inner as i64 + 1));
    -n < off && off <= n && pair[0] + pair[1] == 10
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
        let mut then: BTreeMap<u32, Grid> = Default::default();
        play(rule, &acts, |plot, _| {
            then.entry(plot.revision()).or_insert_with(|| plot.grid().clone());
            for entry in plot.memo().entries() {
                let scene = plot.scene(entry.n).expect("an entry that is kept has its scene");
                assert!(scene == then[&entry.revision], "{entry:?}");
            }
        });
    }

    #[test]
    fn the_newest_is_kept_in_order_and_the_rest_let_go(rule in rules(), acts in acts()) {
        play(rule, &acts, |plot, tick| {
            let revision = plot.revision();
            let kept: Vec<u32> = plot.changes().map(|change| change.revision).collect();
            let expected: Vec<u32> = (revision.saturating_sub(KEPT as u32) + 1..=revision).collect();
            assert_eq!(kept, expected);
            let entries: Vec<u32> = plot.memo().entries().map(|entry| entry.n).collect();
            let written = entries.last().copied().unwrap_or(0);
            let expected: Vec<u32> = (written.saturating_sub(KEPT as u32) + 1..=written).collect();
            assert_eq!(entries, expected);
            assert_eq!(plot.memo().head(), written as usize % KEPT, "the next one overwrites the oldest");
            assert!(plot.pending().len() <= PENDING_MAX);
            for hand in HANDS {
                let asked = plot.pending().iter().filter(|pending| &*pending.by == hand && pending.until >= tick);
                assert!(asked.count() <= ASKED_MAX);
                assert!(plot.plans().iter().filter(|plan| &*plan.by == hand && plan.is_open()).count() <= OPEN_MAX);
            }
        });
    }

    #[test]
    fn no_id_comes_twice(rule in rules(), acts in acts()) {
        let (mut elements, mut newest) = (BTreeMap::new(), (0, 0));
        play(rule, &acts, |plot, _| {
            if let Some(Change { revision, deed: Deed::Add(element), .. }) = plot.changes().next_back() {
                assert_eq!(elements.entry(element.id).or_insert(*revision), revision, "{element:?}");
            }
            let ids: BTreeSet<u32> = plot.grid().elements().map(|element| element.id).collect();
            assert_eq!(ids.len(), plot.grid().len());
            let plans: Vec<u32> = plot.plans().iter().map(|plan| plan.id).collect();
            let pending: Vec<u32> = plot.pending().iter().map(|pending| pending.id).collect();
            assert!(plans.is_sorted_by(|one, next| one < next) && pending.is_sorted_by(|one, next| one < next));
            let now = (plans.last().copied().unwrap_or(0), pending.last().copied().unwrap_or(0));
            assert!(plans.is_empty() || now.0 >= newest.0);
            assert!(pending.is_empty() || now.1 >= newest.1 || pending.iter().all(|id| *id <= newest.1));
            newest = (newest.0.max(now.0), newest.1.max(now.1));
        });
    }

    #[test]
    fn axes_are_the_shares_of_what_was_done(rule in rules(), acts in acts()) {
        play(rule, &acts, |plot, _| {
            let axes = plot.axes();
            let adds = plot.changes().filter(|change| matches!(change.deed, Deed::Add(_))).count();
            assert!(is_share(axes.domain, adds, plot.changes().len() - adds), "{axes:?}");
            let heart = |deed: &Deed| match deed {
                Deed::Add(element) | Deed::Remove(element) => ["house", "tree"].contains(&&*element.kind),
                Deed::Move { .. } => unreachable!("these are not looked at"),
            };
            if plot.changes().all(|change| !matches!(change.deed, Deed::Move { .. })) {
                let hearts = plot.changes().filter(|change| heart(&change.deed)).count();
                assert!(is_share(axes.purpose, hearts, plot.changes().len() - hearts), "{axes:?}");
            }
            let worst = axes.rows().iter().map(AxisRow::lean).max();
            assert_eq!((Some(axes.imbalance), Some(axes.worst().lean())), (worst, worst));
        });
    }

    #[test]
    fn a_cell_is_contested_as_its_own_history_says(rule in rules(), acts in acts()) {
        play(rule, &acts, |plot, tick| {
            let contested: Vec<Cell> = Cell::all().filter(|cell| plot.is_contested(*cell, tick)).collect();
            assert_eq!(plot.contested(tick), contested);
            for cell in Cell::all() {
                let late = plot.changes().filter(|change| change.tick + CONTEST_TICKS > tick);
                let touching = late.filter(|change| change.deed.touches(cell));
                let hands: Vec<&Text> = touching.map(|change| &change.by).collect();
                let is_quarrel = hands.len() >= 3 && hands.iter().collect::<BTreeSet<_>>().len() > 1;
                assert_eq!(contested.contains(&cell), is_quarrel, "{cell}: {hands:?}");
            }
        });
    }

    #[test]
    fn a_task_is_worth_what_its_constraints_are(rule in rules(), acts in acts()) {
        let of = Which(vec!["any".into()]);
        let constraint = |points, measure| Constraint { text: "".into(), points, measure };
        let task = Task {
            name: "t".into(),
            title: "T".into(),
            constraints: vec![
                constraint(600, Measure::Count { of: of.clone(), least: 9, most: 81 }),
                constraint(400, Measure::Variety { of, least: 2 }),
            ],
        };
        play(rule, &acts, |plot, _| {
            let stands = plot.grid().len() as u32;
            let types: BTreeSet<&Text> = plot.grid().elements().map(|element| &element.kind).collect();
            let expected = 600 * stands.min(9) / 9 + 400 * (types.len() as u32).min(2) / 2;
            assert_eq!(task.score(plot.grid(), &kinds()), expected);
        });
    }

    #[test]
    fn under_own_nobody_loses_what_they_built(acts in acts()) {
        play(Rule::Own, &acts, |plot, _| {
            let Some(change) = plot.changes().next_back() else { return };
            let owner = match &change.deed {
                Deed::Add(element) | Deed::Remove(element) => Some(&element.by),
                Deed::Move { to, .. } => plot.grid().at(*to).map(|element| &element.by),
            };
            assert_eq!(owner, Some(&change.by), "{change:?}");
        });
    }

    #[test]
    fn no_text_breaks_the_readers(typed in "(?s)[\\PC\\p{Cf}\"\n]{0,260}") {
        let kinds = kinds();
        drop(Cell::parse(&typed));
        drop(Order::parse(&typed, &kinds));
        drop(Plan::parse(&typed, &kinds));
        if let Ok(Note { content, .. }) = Note::parse(&typed) {
            assert!(is_sound(&content, REASON_MAX), "{content:?}");
        }
        let why = Order::parse(&format!("add house 1,1 because {typed}"), &kinds).map(|order| order.why);
        if let Ok(why) = why {
            assert!(is_sound(&why, REASON_MAX), "{why:?}");
        }
    }

    #[test]
    fn a_label_closes_no_quotation(typed in "(?s)[\\PC\\p{Cf}\"]{0,60}") {
        let request = Request::parse(&format!("add house 1,1 called {typed}"), &kinds());
        if let Ok(request @ Request::Add { .. }) = request {
            let Request::Add { label, .. } = &request else { unreachable!("it is one") };
            assert!(is_sound(label, LABEL_MAX), "{label:?}");
            let told = request.to_string();
            let inner = told.strip_prefix("add house 1,1 called \"").and_then(|rest| rest.strip_suffix('"'));
            assert!(inner.is_some_and(|inner| !inner.contains('"')), "{told}");
        }
    }
}

fn is_sound(text: &str, max: usize) -> bool {
    (1..=max).contains(&text.chars().count()) && !text.chars().any(is_unsafe)
}
