//! Where to go, and where not.

use super::*;

#[test]
fn nobody_goes_back_hurt_to_where_they_fled_from_while_there_is_another_way() {
    // 1 home, 2 the fight, 3 behind it; 3 leads home by another way.
    let mut scene = Scene::new();
    scene.step(2, "north", 2_000);
    scene.known.struck = Some(crate::knowledge::Struck { room: 2, at_ms: 2_000, by: Some(7) });
    scene.state.health = Some(20);
    scene.step(3, "north", 3_000);
    assert_eq!(scene.known.fled_room, Some(2), "to walk off after a blow is flight");
    scene.known.refused_actions.hold(3, "home", "No.", 90_000);
    let enters = |scene: &Scene| scene.seen().may_enter(2, &scene.known.map.rooms[&2]);
    assert!(enters(&scene), "there is no other way");
    let room = scene.known.map.rooms.get_mut(&3).expect("here");
    room.exits.insert("east".into(), crate::map::Exit { to: Some(1), blocked_until_ms: 0 });
    assert!(!enters(&scene));
    let back = Perception { chance: 1, ..scene.seen() };
    assert!(!can(&back, named("explore").expect("a row"), "south"), "whichever policy wants it");
    scene.state.health = Some(24);
    scene.known.observe(&scene.state, 4_000);
    assert!(enters(&scene), "fit again");
}

#[test]
fn everybody_goes_its_own_way_and_always_the_same() {
    let mut scene = Scene::new();
    scene.state.room_exits = Some(["north", "east", "south", "west", "up", "down"].map(Into::into).to_vec());
    scene.known.observe(&scene.state, 1_000);
    let mut ways = std::collections::BTreeSet::new();
    for seed in 0..20 {
        scene.nature.seed = crate::nature::draw(7, seed).max(1);
        scene.known.map.own = scene.nature.seed;
        let way = scene.run("explore");
        assert_eq!(scene.run("explore"), way);
        ways.insert(format!("{way:?}"));
    }
    assert!(ways.len() >= 4, "{ways:?}");
}

#[test]
fn who_begin_together_part() {
    let mut scene = Scene::new();
    scene.state.room_exits = Some(["north", "east", "south", "west"].map(Into::into).to_vec());
    scene.known.observe(&scene.state, 1_000);
    let mut ways: std::collections::BTreeMap<String, u32> = Default::default();
    for seed in 0..40 {
        scene.nature.seed = seed;
        *ways.entry(format!("{:?}", scene.run("explore"))).or_default() += 1;
    }
    assert!(ways.len() == 4 && ways.values().all(|count| (3..=20).contains(count)), "{ways:?}");
}

#[test]
fn who_thinks_that_it_is_better_elsewhere_thinks_so_there_too() {
    // 1 with a way to the west that nobody took, 2 to the north of it with one to the east.
    let mut went = 0;
    for seed in 0..40 {
        let mut scene = Scene::new();
        scene.nature.seed = seed;
        scene.state.room_exits = Some(vec!["north".into(), "west".into()]);
        scene.known.observe(&scene.state, 1_000);
        scene.step(2, "north", 2_000);
        scene.state.room_exits = Some(vec!["east".into(), "south".into()]);
        scene.known.observe(&scene.state, 2_000);
        scene.step(1, "south", 3_000);
        scene.state.room_exits = Some(vec!["north".into(), "west".into()]);
        scene.known.observe(&scene.state, 3_000);
        if scene.run("explore") != Proposal::Do("north".into()) {
            scene.does("explore", "west");
            continue;
        }
        went += 1;
        scene.step(2, "north", 4_000);
        scene.state.room_exits = Some(vec!["east".into(), "south".into()]);
        scene.known.observe(&scene.state, 4_000);
        scene.does("explore", "east");
    }
    assert!((1..40).contains(&went), "{went}");
}

#[test]
fn the_curious_see_what_is_new_and_the_others_what_they_know() {
    // 1 here, with a way that nobody took; 2 to 9 in line, with a rat in the last.
    let mut scene = Scene::new();
    know_rat(&mut scene, 7);
    scene.known.bestiary.kind(7).xp = 900;
    scene.state.room_exits = Some(vec!["north".into(), "west".into()]);
    scene.known.observe(&scene.state, 1_000);
    let line = |back: bool| if back { "south" } else { "north" };
    scene.state.room_exits = Some(vec!["north".into(), "south".into()]);
    for to in 2..=11 {
        scene.step(to, line(false), 1_000 + i64::from(to).unsigned_abs());
    }
    scene.state.room_exits = Some(vec!["south".into()]);
    scene.known.observe(&scene.state, 1_011);
    scene.known.map.rooms.get_mut(&11).expect("seen").mobs = vec![7];
    for to in (1..=10).rev() {
        scene.state.room_exits = Some(if to == 1 { vec!["north".into(), "west".into()] } else { Vec::new() });
        scene.step(to, line(true), 2_000);
    }
    scene.now_ms = 100_000;
    scene.nature.tastes.curious = 0.0;
    scene.does("explore", "north");
    scene.nature.tastes.curious = 1.0;
    scene.does("explore", "west");
}

/// 1 here; a rat to the north, and a goat two steps to the south.
fn between_rat_and_goat() -> Scene {
    let mut scene = Scene::new();
    scene.state.room_exits = Some(vec!["north".into(), "south".into()]);
    know_rat(&mut scene, 7);
    know_rat(&mut scene, 8);
    scene.known.bestiary.kind(8).xp = 400;
    for (to, way) in [(2, "north"), (1, "south"), (3, "south"), (4, "south"), (3, "north"), (1, "north")] {
        scene.step(to, way, 1_500);
    }
    for (room, kind) in [(2, 7), (4, 8)] {
        scene.known.map.rooms.get_mut(&room).expect("it was seen").mobs = vec![kind];
    }
    scene.now_ms = 100_000;
    scene
}

#[test]
fn prey_that_yields_more_for_its_steps_comes_first() {
    for seed in 0..20 {
        let mut scene = between_rat_and_goat();
        scene.nature.seed = seed;
        scene.does("explore", "south");
        // It costs most of what one has, and so a long rest.
        scene.known.bestiary.kind(8).xp = 100;
        scene.known.bestiary.kind(8).loss = 14.0;
        scene.known.bestiary.kind(7).xp = 900;
        scene.does("explore", "north");
    }
}

#[test]
fn poor_prey_keeps_nobody_from_looking_for_better_while_it_is_fresh() {
    let mut scene = between_rat_and_goat();
    scene.known.map.rooms.get_mut(&4).expect("it was seen").mobs.clear();
    scene.known.bestiary.kind(7).xp = 20;
    scene.state.room_exits = Some(vec!["north".into(), "south".into(), "west".into()]);
    scene.known.observe(&scene.state, 100_000);
    let room = scene.known.map.rooms.get_mut(&2).expect("it was seen");
    room.mobs = vec![7];
    let goes = |scene: &Scene| scene.run("explore");
    assert_ne!(goes(&scene), Proposal::Do("north".into()));
    scene.known.spent = true;
    scene.does("explore", "north");
    scene.known.spent = false;
    scene.known.bestiary.kind(7).xp = 900;
    scene.does("explore", "north");
}

#[test]
fn the_sociable_go_where_others_are() {
    // 1 here; a rat to the north, where somebody is, and one to the south, where nobody is.
    let mut scene = Scene::new();
    know_rat(&mut scene, 7);
    for (to, way, back) in [(2, "north", "south"), (3, "south", "north")] {
        scene.step(to, way, 1_500);
        scene.step(1, back, 1_600);
        scene.known.map.rooms.get_mut(&to).expect("seen").mobs = vec![7];
    }
    scene.now_ms = 100_000;
    let room = scene.known.map.rooms.get_mut(&2).expect("seen");
    (room.others, room.others_ms) = (2, 100_000);
    scene.nature.tastes.sociable = 1.0;
    scene.does("explore", "north");
    scene.nature.tastes.sociable = 0.0;
    scene.does("explore", "south");
}

#[test]
fn a_room_with_somebody_dangerous_is_left_towards_safety() {
    let mut scene = beside_a_wolf();
    scene.does("retreat", "south");
    scene.state.room_mobs = Some(vec![mob("sheep", 8)]);
    scene.passes("retreat");
}

#[test]
fn who_runs_to_and_fro_between_two_rooms_stops() {
    let mut scene = beside_a_wolf();
    for at in 0..2 {
        scene.step(1, "south", 3_000 + at);
        scene.step(2, "north", 4_000 + at);
    }
    scene.state.room_mobs = Some(vec![mob("wolf", 7)]);
    scene.passes("retreat");
    // From a third room one has come on.
    scene.step(3, "north", 5_000);
    scene.state.room_mobs = Some(vec![mob("wolf", 7)]);
    scene.does("retreat", "south");
}

#[test]
fn who_is_nearly_beaten_prays_where_that_is_heard_and_else_takes_the_door() {
    let mut scene = beside_a_wolf();
    scene.known.home = None;
    assert_eq!(way_of_flight(&scene.seen()).as_deref(), Some("south"), "it has no home");
    scene.known.home = Some(2);
    assert_eq!(way_of_flight(&scene.seen()).as_deref(), Some("south"), "it is at home");
    scene.known.home = Some(99);
    assert_eq!(way_of_flight(&scene.seen()).as_deref(), Some("home"));
    for at in 0..3 {
        let why = "You pray, but this place lets nothing out.";
        scene.known.refused_actions.failed(2, "home", why, scene.now_ms + at);
    }
    assert_eq!(way_of_flight(&scene.seen()).as_deref(), Some("south"), "nobody hears it here");
}

#[test]
fn a_region_is_graded_by_what_was_considered_there() {
    /// Level, whether it attacks, own level at a defeat.
    type Known = (i32, bool, Option<i32>);
    let cases: &[(&str, &[Known], regions::Grade)] = &[
        ("nothing is known", &[], regions::Grade::Unknown),
        ("one of one's own kind", &[(3, false, None)], regions::Grade::Fit),
        ("one that is too strong is not enough", &[(5, false, None)], regions::Grade::Unknown),
        ("two are", &[(5, false, None), (6, false, None)], regions::Grade::TooHard),
        ("as many fit as do not", &[(5, false, None), (6, false, None), (3, false, None), (2, false, None)], FIT),
        ("a little stronger says nothing", &[(4, false, None), (4, false, None)], regions::Grade::Unknown),
        ("lords mind their own affairs", &[(10, false, None), (30, false, None)], regions::Grade::Unknown),
        ("who attacks counts for three", &[(4, true, None), (3, false, None)], regions::Grade::TooHard),
        ("who attacks and is weaker does not", &[(2, true, None)], regions::Grade::Fit),
        ("who won counts until one has grown", &[(4, false, Some(3))], regions::Grade::TooHard),
        ("and then no more", &[(3, false, Some(2))], regions::Grade::Fit),
    ];
    const FIT: regions::Grade = regions::Grade::Fit;
    for (why, kinds, expected) in cases {
        let mut scene = Scene::new();
        for (n, (level, aggressive, lost_at_level)) in kinds.iter().enumerate() {
            let kind = scene.known.bestiary.kind(500 + n as i32);
            (kind.level, kind.aggressive, kind.lost_at_level) = (Some(*level), *aggressive, *lost_at_level);
        }
        assert_eq!(regions::grade(&scene.seen(), 512), *expected, "{why}");
        // At home nobody is afraid.
        scene.known.home = Some(599);
        assert_eq!(regions::grade(&scene.seen(), 512), FIT, "{why}, at home");
    }
    // Who cannot be fought is nobody's measure.
    let mut scene = Scene::new();
    for vnum in [500, 501] {
        let kind = scene.known.bestiary.kind(vnum);
        (kind.level, kind.untouchable) = (Some(6), true);
    }
    assert_eq!(regions::grade(&scene.seen(), 512), regions::Grade::Unknown);
}

#[test]
fn who_goes_about_is_not_feared_for_ever_where_it_was_seen_once() {
    let mut scene = Scene::new();
    for (to, direction, at_ms) in [(2, "north", 2_000), (3, "north", 3_000), (2, "south", 4_000), (1, "south", 5_000)] {
        scene.step(to, direction, at_ms);
    }
    let kind = scene.known.bestiary.kind(9);
    (kind.aggressive, kind.level) = (true, Some(12));
    let shuns = |scene: &Scene, room, now_ms| scene.known.is_shunned(room, 3, now_ms);
    // In one room alone: it stands there.
    scene.known.map.rooms.get_mut(&3).expect("seen").mobs = vec![9];
    assert!(shuns(&scene, 3, 6_000) && shuns(&scene, 3, 900_000));
    // In two: it goes about.
    scene.known.map.rooms.get_mut(&2).expect("seen").mobs = vec![9];
    assert!(shuns(&scene, 2, 6_000) && shuns(&scene, 3, 6_000));
    assert!(!shuns(&scene, 2, 900_000) && !shuns(&scene, 3, 900_000));
    // Here it is before one's eyes.
    scene.known.map.room_mut().expect("here").mobs = vec![9];
    assert!(shuns(&scene, 1, 900_000));
}
