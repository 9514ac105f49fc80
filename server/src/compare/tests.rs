//! Forks of one society, played on differently: where they part, and in what.

use super::*;
use crate::replay::played::Society;

fn args(a: &Society, b: &Society) -> CompareArgs {
    CompareArgs { past: a.past(), with: b.past().state_dir, at: None, json: true }
}

/// Ann and Bob on a plot, where a tree stands.
fn society() -> Society {
    let mut society = Society::new();
    society.persons(200, &["Ann", "Bob"]);
    society.does("Ann", "build add lamp 1,1");
    society
}

#[test]
fn arms_are_the_same_until_somebody_does_otherwise() {
    let source = society();
    let (mut one, mut other) = (source.fork(7), source.fork(7));
    // When a server was started is nothing that anybody did.
    one.apply(&Input::Admin(Admin::Started { unix_ms: 1_000, tick_ms: 2_000, agents_per_owner: 3 }));
    other.apply(&Input::Admin(Admin::Started { unix_ms: 9_000, tick_ms: 2_000, agents_per_owner: 3 }));
    for arm in [&mut one, &mut other] {
        arm.does("Bob", "say well then");
    }
    let same = Same { tick: one.world.tick(), input: one.world.state.number };
    one.does("Ann", "build add house 2,2 called Home");
    other.does("Ann", "build remove 1,1");
    other.place("Bob", 100);
    other.tick(3);

    let compared = compare(&args(&one, &other)).expect("they are compared");
    assert_eq!(compared.same_until, Some(same));
    assert!(compared.parted_by.is_empty() && !compared.is_same, "{compared:?}");
    assert_eq!(compared.tick, one.world.tick(), "the newest that both have");
    let lamp = |kind: &str, label: &str| Some(Standing { kind: kind.into(), label: label.into(), by: "Ann".into() });
    let cells = vec![
        CellRow { at: [1, 1], a: lamp("lamp", ""), b: None },
        CellRow { at: [2, 2], a: lamp("house", "Home"), b: None },
    ];
    assert_eq!(compared.plots, [PlotRow { room: 200, title: "The Far Corner".into(), same: 1, cells }]);
    // One tick after it parted, Bob is still there; later he is not.
    assert!(compared.characters.iter().all(|row| row.name == "Ann" || row.name == "Bob"));
    one.tick(3);
    let later = compare(&args(&one, &other)).expect("they are compared");
    let bob = later.characters.iter().find(|row| row.name == "Bob").expect("he is there");
    let room = |fate: &Option<Fate>| fate.as_ref().map(|fate| fate.place.vnum);
    assert_eq!((bob.same, room(&bob.a), room(&bob.b)), (false, Some(200), Some(100)));
    let score = later.scores.iter().find(|row| row.room == 200).expect("it has a task");
    assert_eq!(score.task, "village");

    let mut page = Vec::new();
    run(&CompareArgs { json: false, ..args(&one, &other) }, &mut page).expect("a page");
    let page = String::from_utf8(page).expect("text");
    for line in [
        format!("They are the same until tick {}, input {}.", same.tick, same.input),
        "The Far Corner, room 200: 2 cells differ, 1 are the same".to_string(),
        "  2,2  house \"Home\" by Ann | nothing".to_string(),
    ] {
        assert!(page.contains(&line), "{line:?} in {page}");
    }
}

#[test]
fn a_source_is_compared_with_its_fork_and_what_the_fork_changed_is_named() {
    let mut source = society();
    let (mut same, other_chance) = (source.fork(7), source.fork(8));
    let begun = Same { tick: source.world.tick(), input: source.world.state.number };
    for arm in [&mut source, &mut same] {
        arm.does("Bob", "say and so on");
    }
    let compared = compare(&args(&source, &same)).expect("they are compared");
    assert!(compared.is_same && compared.plots.is_empty() && compared.parted_by.is_empty(), "{compared:?}");
    assert_eq!(compared.same_until.map(|same| same.input), Some(source.world.state.number));
    // It goes on, and the fork does not.
    let ended = Same { tick: source.world.tick(), input: source.world.state.number };
    source.does("Bob", "say so much for that");
    for (args, ends_first) in [(args(&source, &same), 'b'), (args(&same, &source), 'a')] {
        let compared = compare(&args).expect("they are compared");
        assert_eq!((compared.same_until, compared.ends_first), (Some(ended), Some(ends_first)), "{compared:?}");
        assert!(compared.parted_by.is_empty() && !compared.is_same, "{compared:?}");
    }
    let mut page = Vec::new();
    run(&CompareArgs { json: false, ..args(&source, &same) }, &mut page).expect("a page");
    let told =
        format!("The second is the same to its end, tick {}, input {}; the first goes on.", ended.tick, ended.input);
    assert!(String::from_utf8_lossy(&page).starts_with(&told));
    let compared = compare(&args(&other_chance, &source)).expect("they are compared");
    assert_eq!((compared.same_until, compared.parted_by), (Some(begun), vec!["seed".to_string()]));

    // Worlds that only look alike have no common moment.
    let mut stranger = Society::new();
    stranger.persons(200, &["Ann", "Eve"]);
    stranger.does("Ann", "build add lamp 1,1");
    let compared = compare(&args(&same, &stranger)).expect("they are compared");
    assert_eq!(compared.same_until, None, "{compared:?}");
    assert!(!compared.parted_by.is_empty() && !compared.is_same);
    let late = CompareArgs { at: Some(9_999), ..args(&source, &same) };
    let refused = compare(&late).expect_err("it is still to come").to_string();
    assert!(refused.contains("tick 9999 is still to come"), "{refused}");
}
