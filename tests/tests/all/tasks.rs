//! Tasks: what is done of one is kept, is counted for whom it should be, and is paid for once.

use protocol::outcome::{Outcome, TaskState};
use std::sync::Arc;
use tests::scene::{Person, Scene};
use world::object::Place;
use world::report::Request;
use world::{Input, Report};

fn green(people: &[&str]) -> Scene {
    let mut scene = Scene::open("green", 5);
    for name in people {
        scene.enter(name, &Person { level: 3, room: Some(102), ..Person::default() });
    }
    scene
}

fn states(report: &Report) -> Vec<(String, TaskState)> {
    let told = report.outcomes.iter().filter_map(|outcome| match &**outcome {
        Outcome::Task { who, state, .. } => Some((who.name.to_string(), *state)),
        _ => None,
    });
    told.collect()
}

/// Somebody kills a rat that is put before it.
fn kills_rat(scene: &mut Scene, name: &str) -> Vec<(String, TaskState)> {
    let rat = scene.world.content.mob_index(110).expect("the rat");
    let room = scene.world.room_by_vnum(102).expect("the shop");
    scene.world.make_mob(rat, room);
    let mut told = states(&scene.does(name, "kill rat"));
    for _ in 0..60 {
        if told.iter().any(|(_, state)| *state == TaskState::Step) {
            return told;
        }
        told.extend(states(&scene.tick()));
    }
    panic!("the rat still lives: {told:?}");
}

#[test]
fn what_was_done_of_a_task_is_kept_with_the_character() {
    let mut scene = green(&["Ann"]);
    assert_eq!(states(&scene.does("Ann", "accept rats")), [("Ann".to_string(), TaskState::Accepted)]);
    kills_rat(&mut scene, "Ann");
    let ann = scene.id("Ann");
    // A task of content that is gone is kept aside, and says so.
    scene.world.player_mut(ann).tasks_mut().open.insert("gone".into(), Default::default());
    let report = scene.does("Ann", "quit");
    let saved = report.requests.iter().find_map(|request| match request {
        Request::Save { record, .. } => Some(serde_json::to_string(record).expect("plain")),
        _ => None,
    });
    let record = serde_json::from_str(&saved.expect("who quits is saved")).expect("as it was written");
    let report = scene.world.apply(&Input::Enter { record, agent: false });
    scene.people = vec![("Ann".to_string(), report.entered.expect("she is back"))];
    let page = scene.does("Ann", "tasks");
    let read = scene.read_by("Ann", &page);
    assert!(read.contains("Kill rats (1 of 2)"), "{read}");
    assert!(read.contains("gone: nobody here knows of it any more"), "{read}");
    let told = kills_rat(&mut scene, "Ann");
    assert!(told.contains(&("Ann".to_string(), TaskState::Done)), "{told:?}");
    assert!(!states(&scene.does("Ann", "accept rats")).iter().any(|(_, state)| *state == TaskState::Accepted));
}

#[test]
fn two_who_finish_at_once_are_paid_once_each() {
    let mut scene = green(&["Ann", "Bob", "Eve"]);
    scene.does("Bob", "follow ann");
    scene.does("Ann", "group bob");
    for name in ["Ann", "Bob", "Eve"] {
        scene.does(name, "accept rats");
    }
    let gold = |scene: &Scene| ["Ann", "Bob", "Eve"].map(|name| scene.world.who(scene.id(name)).gold);
    let before = gold(&scene);
    kills_rat(&mut scene, "Ann");
    kills_rat(&mut scene, "Ann");
    scene.tick();
    let after = gold(&scene);
    assert_eq!([0, 1, 2].map(|n| after[n] - before[n]), [5, 5, 0], "Eve is in nobody's group");
    assert!(scene.world.check_all().is_empty(), "coins and places add up");
}

#[test]
fn what_is_given_for_one_task_counts_for_no_other_and_is_gone() {
    let mut scene = green(&["Ann"]);
    let ann = scene.id("Ann");
    scene.world.player_mut(ann).tasks_mut().done.insert("rats".into(), Default::default());
    scene.does("Ann", "accept bread");
    for _ in 0..2 {
        let bread = scene.world.make_object(122).expect("bread");
        scene.world.place_object(bread, Place::Carried(ann));
    }
    let first = scene.does("Ann", "give bread oswin");
    assert_eq!(states(&first), [("Ann".to_string(), TaskState::Step)]);
    let oswin = scene.world.room(scene.world.who(ann).room).characters.iter().find(|id| scene.world.who(**id).is_mob());
    assert!(scene.world.who(*oswin.expect("he is there")).carrying.is_empty(), "he has put it away");
    // With the coins before it, the last loaf ends it.
    scene.does("Ann", "give 10 coins oswin");
    let told = states(&scene.does("Ann", "give bread oswin"));
    assert!(told.contains(&("Ann".to_string(), TaskState::Done)), "{told:?}");
}

#[test]
fn a_world_with_open_tasks_goes_on_alike_from_its_snapshot() {
    let mut scene = green(&["Ann"]);
    scene.does("Ann", "accept rats");
    kills_rat(&mut scene, "Ann");
    let state = scene.world.snapshot();
    let bytes = postcard::to_stdvec(&state).expect("the state encodes");
    let packed = postcard::from_bytes(&bytes).expect("as it was written");
    let rules = scene.world.rules.clone();
    let mut other = world::World::resume(Arc::clone(&scene.world.content), rules, packed);
    for _ in 0..20 {
        scene.world.apply(&Input::Tick);
        other.apply(&Input::Tick);
    }
    assert!(scene.world.hashes().differences(&other.hashes()).is_empty());
}
