//! Hashes and snapshots: what is equal hashes equally, what differs does not, and a restored world goes on as if it had
//! never stopped.

use std::sync::Arc;
use tests::scene::{Person, Scene};
use world::clock::Clock;
use world::object::Place;
use world::world::State;
use world::{Input, Report, World};

/// People in the green scene, and what they do there.
fn begin() -> Scene {
    let mut scene = Scene::open("green", 11);
    scene.enter("Ann", &Person { level: 5, ..Person::default() });
    scene.enter("Bob", &Person::default());
    scene
}

const LINES: [(&str, &str); 8] = [
    ("Ann", "look"),
    ("Bob", "north"),
    ("Ann", "kill rat"),
    ("Bob", "south"),
    ("Ann", "flee"),
    ("Bob", "sit"),
    ("Ann", "home"),
    ("Bob", "stand"),
];

/// The nth input: lines in turn, with a tick after every third.
fn input(scene: &Scene, n: usize) -> Input {
    if n % 4 == 3 {
        return Input::Tick;
    }
    let (name, line) = LINES[n % LINES.len()];
    Input::Command { who: scene.id(name), line: line.into() }
}

fn said(report: &Report) -> String {
    format!("{report:?}")
}

#[test]
fn the_same_inputs_give_the_same_hashes_at_each_step() {
    let (mut one, mut two) = (begin(), begin());
    for n in 0..100 {
        let input = input(&one, n);
        assert_eq!(said(&one.world.apply(&input)), said(&two.world.apply(&input)), "input {n}");
        assert_eq!(one.world.hashes(), two.world.hashes(), "input {n}");
    }
    assert!(one.world.check_all().is_empty(), "{:#?}", one.world.check_all());
}

#[test]
fn a_world_restored_from_bytes_goes_on_as_if_it_had_never_stopped() {
    let mut scene = begin();
    for n in 0..37 {
        let input = input(&scene, n);
        scene.world.apply(&input);
    }
    // A gap in the arenas, so that the free lists matter.
    let object = scene.world.make_object(scene.world.content.objects[0].vnum).expect("a prototype's own vnum");
    scene.world.place_object(object, Place::Room(scene.world.start_room()));
    scene.world.extract_object(object);
    scene.world.apply(&Input::Tick);
    let bytes = postcard::to_stdvec(&scene.world.snapshot()).expect("the state encodes");
    let state: State = postcard::from_bytes(&bytes).expect("what was encoded decodes");
    assert_eq!(state.hashes(), scene.world.hashes());
    let mut restored = World::resume(scene.world.content.clone(), scene.world.rules.clone(), state);
    for n in 37..150 {
        let input = input(&scene, n);
        assert_eq!(said(&scene.world.apply(&input)), said(&restored.apply(&input)), "input {n}");
        assert_eq!(scene.world.hashes(), restored.hashes(), "input {n}");
    }
    let vnum = scene.world.content.objects[0].vnum;
    assert_eq!(scene.world.make_object(vnum), restored.make_object(vnum), "the next id");
}

#[test]
fn a_snapshot_does_not_change_with_the_world() {
    let mut scene = begin();
    let snapshot = scene.world.snapshot();
    let before = snapshot.hashes();
    scene.does("Ann", "north");
    scene.tick();
    assert_ne!(scene.world.hashes().all, before.all);
    let later = std::thread::spawn(move || snapshot.hashes()).join().expect("hashing does not panic");
    assert_eq!(later, before);
}

#[test]
fn a_change_shows_in_the_hash_of_its_section() {
    let scene = begin();
    let ann = scene.id("Ann");
    let mut with_thing = scene.world.clone();
    let vnum = with_thing.content.objects[0].vnum;
    let object = with_thing.make_object(vnum).expect("a prototype's own vnum");
    with_thing.place_object(object, Place::Room(with_thing.start_room()));
    let before = with_thing.hashes();
    type Change = fn(&mut State, world::CharacterId, world::ObjectId);
    let changes: [(&str, &[&str], Change); 9] = [
        ("a hit point", &["characters"], |s, ann, _| s.characters.get_mut(ann).expect("she is here").hit -= 1),
        ("who fights", &["characters"], |s, ann, _| assert!(s.fighters.insert(ann))),
        ("a count of mobs", &["characters"], |s, _, _| s.mob_counts[0] += 1),
        ("a weight", &["objects"], |s, _, object| s.objects.get_mut(object).expect("it is here").weight += 1),
        ("a free slot", &["objects"], |s, _, object| drop(s.objects.remove(object))),
        ("the order in a room", &["rooms"], |s, _, _| s.rooms.get_mut(content::RoomId(0)).characters.reverse()),
        ("a zone's age", &["zones"], |s, _, _| s.zones[0].reset_tick += 1),
        ("the clock", &["clock"], |s, _, _| s.clock = Clock { tick: s.clock.tick + 1 }),
        ("the next serial", &["clock"], |s, _, _| s.next_serial += 1),
    ];
    for (what, sections, change) in changes {
        let mut state = with_thing.snapshot();
        change(&mut state, ann, object);
        let after = state.hashes();
        assert_eq!(after.differences(&before), sections, "{what}");
        assert_ne!(after.all, before.all, "{what}");
    }
    // What is touched, but not changed, hashes as before.
    let mut state = with_thing.snapshot();
    state.characters.get_mut(ann).expect("she is here");
    state.rooms.touch(content::RoomId(0));
    assert_eq!(state.hashes(), before);
    assert!(Arc::strong_count(&scene.world.content) >= 2, "worlds share their content");
}
