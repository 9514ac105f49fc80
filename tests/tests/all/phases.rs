//! What a tick does to everybody, counted.

use tests::scene::{Person, Scene};
use world::report::{Goodbye, Request};

#[test]
fn everybody_is_saved_once_in_thirty_ticks() {
    let mut scene = Scene::open("green", 1);
    for name in ["Ann", "Bob", "Cid", "Dan", "Eve"] {
        scene.enter(name, &Person::default());
    }
    let mut saved: Vec<String> = Vec::new();
    for _ in 0..30 {
        let report = scene.tick();
        saved.extend(report.requests.iter().filter_map(|request| match request {
            Request::Save { record, left: false } => Some(record.name.to_string()),
            _ => None,
        }));
    }
    saved.sort();
    assert_eq!(saved, ["Ann", "Bob", "Cid", "Dan", "Eve"]);
}

#[test]
fn a_tick_touches_no_player_to_whom_nothing_happens() {
    let mut scene = Scene::open("green", 1);
    scene.enter("Ann", &Person { room: Some(101), ..Person::default() });
    for tick in 1..32 {
        let report = scene.tick();
        assert!(report.touched.is_empty(), "tick {tick}: {:?}", report.touched);
    }
}

#[test]
fn who_is_let_go_for_idleness_leaves_saved() {
    let mut scene = Scene::open("green", 1);
    let (ann, _) = scene.enter("Ann", &Person { room: Some(101), ..Person::default() });
    let (god, _) = scene.enter("God", &Person { level: 38, room: Some(101), ..Person::default() });
    let mut gone = Vec::new();
    for _ in 0..1_000 {
        for request in scene.tick().requests {
            match request {
                Request::Save { record, left: true } => gone.push(record.name.to_string()),
                Request::Disconnect { who, reason } => assert_eq!((who, reason), (ann, Goodbye::Idle)),
                _ => {}
            }
        }
    }
    assert_eq!(gone, ["Ann"]);
    assert!(scene.world.character(god).is_some());
}

#[test]
fn a_snooper_who_loses_the_rank_sees_no_more() {
    let mut scene = Scene::open("green", 1);
    let (god, _) = scene.enter("God", &Person { level: 34, ..Person::default() });
    scene.enter("Ann", &Person { room: Some(101), ..Person::default() });
    scene.does("God", "snoop ann");
    assert!(scene.does("Ann", "look").lines.iter().any(|(reader, _)| reader == god));
    scene.enter("Top", &Person { level: 40, room: Some(101), ..Person::default() });
    scene.does("Top", "advance god 5");
    assert!(!scene.does("Ann", "look").lines.iter().any(|(reader, _)| reader == god));
}
