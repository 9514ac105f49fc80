//! Lying down and getting up.

use super::*;

#[test]
fn one_gets_up_when_whole_unless_one_wants_to_lie() {
    let mut scene = Scene::new();
    scene.state.position = Some("resting".into());
    scene.does("get_up", "stand");
    scene.state.moves = Some(79);
    scene.passes("get_up");
    scene.state.moves = Some(80);
    let settled = Perception { settled: true, ..scene.seen() };
    assert_eq!(get_up::get_up(&settled), Proposal::Pass);
}

#[test]
fn the_hurt_rest_and_the_fit_stand_up() {
    let mut scene = Scene::new();
    scene.state.position = Some("resting".into());
    scene.does("stand", "stand");
    scene.state.health = Some(9);
    scene.known.recovering = true;
    assert_eq!(scene.run("rest"), Proposal::Stay);
    scene.state.position = Some("standing".into());
    scene.does("rest", "rest");
}

#[test]
fn who_cannot_fetch_what_it_had_rests_in_peace() {
    let mut scene = Scene::new();
    let death = Death { room: 9, at_ms: 0, killer: Some(66), settled: false, equipment: 3 };
    scene.known.deaths.push(death);
    scene.now_ms = 10_000;
    scene.state.moves = Some(19);
    scene.does("linger", "rest");
    scene.state.position = Some("resting".into());
    // There is no way to that room: getting up for it would only be to lie down again.
    scene.passes("recovery");
    scene.passes("linger");
}

#[test]
fn one_gets_up_for_what_hunting_would_take_and_for_nothing_else() {
    let mut scene = Scene::new();
    (scene.state.moves, scene.state.health) = (Some(10), Some(27));
    know_rat(&mut scene, 7);
    scene.known.ticks.told(1, 1_000);
    let guard = scene.known.bestiary.kind(8);
    (guard.level, guard.considered_ms) = (Some(9), Some(1_000));
    let fought = RoomMob { fighting: true, ..mob("rat", 7) };
    let shown = RoomMob { attackable: false, ..mob("rat", 7) };
    for (why, mobs, takes) in [
        ("prey", vec![mob("rat", 7)], true),
        ("somebody strong stands by", vec![mob("rat", 7), mob("guard", 8)], false),
        ("somebody else's", vec![fought], false),
        ("not to be fought", vec![shown], false),
        ("nobody", vec![], false),
    ] {
        scene.state.room_mobs = Some(mobs);
        scene.state.position = Some("resting".into());
        assert_eq!(scene.run("stand") == Proposal::Do("stand".into()), takes, "{why}");
        scene.state.position = Some("standing".into());
        assert_eq!(scene.run("hunt") == Proposal::Do("kill rat".into()), takes, "{why}");
    }
    scene.state.room_mobs = Some(vec![mob("rat", 7)]);
    scene.known.refused_actions.hold(1, "kill rat", "No.", 90_000);
    scene.passes("hunt");
    scene.state.position = Some("resting".into());
    assert_eq!(scene.run("stand"), Proposal::Stay);
}

#[test]
fn rest_and_stand_alternate_once_in_twenty_ticks_without_an_event() {
    let mut scene = Scene::new();
    know_rat(&mut scene, 7);
    scene.state.room_mobs = Some(vec![mob("rat", 7)]);
    scene.state.position = Some("resting".into());
    scene.known.wimpy = Some(9);
    scene.state.tick = Some(33);
    scene.known.observe(&scene.state, 1_000);
    scene.known.sent(&scene.state, "rest", scene.now_ms);
    assert_eq!(decided(&scene), None, "it has just lain down");
    scene.now_ms += 38_000;
    assert_eq!(decided(&scene), None);
    scene.now_ms += 2_000;
    assert_eq!(decided(&scene).as_deref(), Some("stand"), "twenty ticks later");
    // Counted from when one lay down, and not from when one last heard of the world.
    scene.known.sent(&scene.state, "rest", scene.now_ms);
    scene.now_ms += 10_000;
    assert_eq!(decided(&scene), None);
    // An event makes the difference: here what one lay down for, strength.
    scene.now_ms = 1_000;
    scene.state.moves = Some(70);
    scene.known.observe(&scene.state, 1_000);
    scene.known.sent(&scene.state, "rest", scene.now_ms);
    assert_eq!(decided(&scene), None);
    scene.state.moves = Some(80);
    scene.known.observe(&scene.state, 3_000);
    scene.now_ms = 3_000;
    assert_eq!(decided(&scene).as_deref(), Some("stand"));
    scene.known.sent(&scene.state, "stand", scene.now_ms);
    scene.state.position = Some("standing".into());
    // And up again one stays so, however hurt.
    (scene.state.health, scene.known.recovering) = (Some(9), true);
    scene.state.room_mobs = Some(Vec::new());
    scene.known.wimpy = Some(9);
    assert_eq!(scene.run("rest"), Proposal::Do("rest".into()));
    assert_ne!(decided(&scene).as_deref(), Some("rest"));
    scene.known.posture.happened();
    assert_eq!(decided(&scene).as_deref(), Some("rest"));
}

#[test]
fn no_verb_leaves_that_its_position_refuses() {
    for position in ["sleeping", "resting", "sitting", "standing"] {
        for recovering in [false, true] {
            let mut scene = Scene::new();
            scene.state.position = Some(position.into());
            scene.state.health = Some(if recovering { 9 } else { 20 });
            scene.state.inventory = Some(vec![item("a waterskin", 5), item("a long sword", 6), item("a loaf", 8)]);
            (scene.known.recovering, scene.known.hungry, scene.known.thirsty) = (recovering, true, true);
            know_rat(&mut scene, 7);
            scene.state.room_mobs = Some(vec![mob("rat", 7), mob("baker", 9)]);
            // Each row alone, since the first that has something to do hides the others.
            for row in POLICIES {
                let choice = decide(&scene.seen(), &Mandate::All, |policy| policy.name == row.name, |_, _| true);
                let Choice::Do { line, .. } = choice else { continue };
                let verb = protocol::verbs::find(protocol::verbs::word_of(&line), 3).expect("policies know the verbs");
                assert!(verb.works_in(position), "{position}: {line} ({})", row.name);
                let same = [("standing", "stand"), ("resting", "rest"), ("sleeping", "sleep")];
                assert!(!same.contains(&(position, &*line)), "{position}: {line} ({})", row.name);
            }
        }
    }
}

#[test]
fn one_lies_down_where_one_lacks_strength_and_there_is_nothing_else_to_do() {
    let mut scene = Scene::new();
    scene.state.moves = Some(30);
    // There is a way to go, whatever the hour: strength comes in parts of it.
    for tick in [33, 59, 63, 64] {
        scene.known.ticks.told(tick, 1_000);
        scene.passes("linger");
    }
    scene.state.moves = Some(19);
    scene.does("linger", "rest");
    // Where it has been quiet, asleep: sleepers get most.
    scene.known.map.room_mut().expect("a room").safe = true;
    scene.does("linger", "sleep");
    scene.state.room_mobs = Some(vec![mob("stranger", 9)]);
    scene.does("linger", "rest");
    (scene.state.moves, scene.state.room_mobs) = (Some(80), Some(Vec::new()));
    scene.passes("linger");
}

#[test]
fn nobody_lies_down_in_reach_of_the_fierce_or_where_they_were_struck() {
    let mut scene = Scene::new();
    scene.step(2, "north", 2_000);
    (scene.state.health, scene.known.recovering, scene.known.home) = (Some(9), true, Some(2));
    scene.does("rest", "rest");
    let kind = scene.known.bestiary.kind(7);
    (kind.aggressive, kind.level) = (true, Some(5));
    for (level, mobs, lies) in [(5, vec![7], false), (4, vec![7], true), (5, vec![8], true)] {
        scene.known.bestiary.kind(7).level = Some(level);
        scene.known.map.rooms.get_mut(&1).expect("next door").mobs = mobs;
        assert_eq!(scene.run("rest") == Proposal::Do("rest".into()), lies, "level {level}");
    }
    scene.known.struck = Some(crate::knowledge::Struck { room: 2, at_ms: 0, by: None });
    assert_ne!(scene.run("rest"), Proposal::Do("rest".into()), "it was struck here");
}

#[test]
fn each_has_a_resting_place_of_its_own_of_those_that_are_near() {
    let mut scene = Scene::new();
    scene.step(2, "north", 2_000);
    scene.step(3, "north", 3_000);
    scene.step(2, "south", 4_000);
    scene.step(1, "south", 5_000);
    scene.step(4, "south", 6_000);
    scene.step(1, "north", 7_000);
    for vnum in [3, 4] {
        scene.known.map.rooms.get_mut(&vnum).expect("it was seen").safe = true;
    }
    (scene.state.health, scene.known.recovering, scene.known.home) = (Some(14), true, Some(99));
    let names = ["Wren", "Alder", "Maud", "Brack", "Edda", "Ulf", "Tilda", "Gorm"];
    let mut ways = std::collections::BTreeSet::new();
    for name in names {
        scene.state.player = called(name);
        let Proposal::Do(way) = scene.run("rest") else { panic!("{name} has a way to go") };
        ways.insert(way);
    }
    assert_eq!(ways.into_iter().collect::<Vec<_>>(), ["north", "south"], "two steps north, or one south");
    // Badly hurt, all take the nearest.
    scene.state.health = Some(9);
    for name in names {
        scene.state.player = called(name);
        scene.does("rest", "south");
    }
}

#[test]
fn who_is_only_tired_lies_down_where_it_is() {
    let mut scene = Scene::new();
    scene.step(2, "north", 2_000);
    scene.known.map.rooms.get_mut(&1).expect("it was seen").safe = true;
    (scene.state.moves, scene.known.recovering, scene.known.home) = (Some(9), true, Some(99));
    scene.does("rest", "rest");
    scene.state.health = Some(17);
    scene.does("rest", "south");
    // Nor does it stay where it was struck.
    scene.state.health = Some(30);
    scene.known.struck = Some(crate::knowledge::Struck { room: 2, at_ms: 2_000, by: None });
    scene.does("rest", "south");
}

#[test]
fn nobody_lies_down_nearly_beaten_where_they_are_hunted() {
    let hunted = |health: i32| {
        let mut scene = beside_a_wolf();
        scene.state.room_mobs = Some(Vec::new());
        scene.state.health = Some(health);
        (scene.known.recovering, scene.known.home) = (true, Some(99));
        scene.known.attacked_ms = Some(scene.now_ms.saturating_sub(500));
        scene
    };
    hunted(4).does("rest", "home");
    let mut scene = hunted(4);
    scene.now_ms += 60_000;
    scene.does("rest", "rest");
    let mut scene = hunted(4);
    let kill = crate::knowledge::Kill { name: "a wolf".into(), room: 2, at_ms: scene.now_ms };
    scene.known.kills.push_back(kill);
    scene.does("rest", "rest");
    // A third left: to rest at hand, but not back through the room where it was struck.
    hunted(9).does("rest", "rest");
    let mut scene = hunted(9);
    if let Some(room) = scene.known.map.rooms.get_mut(&1) {
        room.safe = true;
    }
    scene.does("rest", "home");
    scene.known.attacked_ms = None;
    scene.does("rest", "south");
}

#[test]
fn beside_a_model_one_rests_by_oneself_only_when_it_is_dire_and_lets_it_decide_when_to_get_up() {
    let mut scene = Scene::new();
    scene.alone = false;
    scene.known.recovering = true;
    scene.state.health = Some(11);
    scene.passes("rest");
    scene.state.health = Some(10);
    scene.does("rest", "rest");
    scene.state.position = Some("resting".into());
    scene.passes("rest");
    scene.alone = true;
    assert_eq!(scene.run("rest"), Proposal::Stay);
    assert_eq!(named("stand").map(|policy| policy.when), Some(Occasion::Alone));
}
