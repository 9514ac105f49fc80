//! Which fights are begun, and when one leaves them.

use super::*;

#[test]
fn only_hunting_attacks_idle_mobs_and_never_beside_a_model() {
    let mut scene = Scene::new();
    scene.state.room_mobs = Some(vec![mob("rat", 7)]);
    let kind = scene.known.bestiary.kind(7);
    (kind.level, kind.hp, kind.considered_ms, kind.kills, kind.loss, kind.xp) =
        (Some(2), Some(8), Some(1_000), 3, 2.0, 90);
    scene.does("hunt", "kill rat");
    for policy in POLICIES.iter().filter(|policy| policy.name != "hunt") {
        let step = scene.run(policy.name);
        assert!(!matches!(&step, Proposal::Do(line) if line.starts_with("kill")), "{}: {step:?}", policy.name);
    }
    let wish = |mandate: &Mandate| decide(&scene.seen(), mandate, |policy| policy.name == "hunt", |_, _| true);
    for mandate in [Mandate::Nothing, Mandate::Beside, Mandate::Named(vec!["loot"])] {
        assert_eq!(wish(&mandate), Choice::Nothing, "{mandate:?}");
    }
    let attack = Choice::Do { name: "hunt", power: Power::Policy, line: "kill rat".into() };
    for mandate in [Mandate::All, Mandate::Named(vec!["loot", "hunt"])] {
        assert_eq!(wish(&mandate), attack, "{mandate:?}");
    }
    let may = |_: &Policy, line: &str| !line.starts_with("kill");
    assert_eq!(decide(&scene.seen(), &Mandate::All, |policy| policy.name == "hunt", may), Choice::Nothing);
    assert_eq!(named("hunt").map(|policy| policy.when), Some(Occasion::Alone));
}

#[test]
fn who_is_too_strong_or_was_lost_against_is_left_alone() {
    // An equal that won once or twice had luck.
    for (level, lost_at_level, beaten_by, untouchable, fights) in [
        (2, None, 0, false, true),
        (9, None, 0, false, false),
        (2, Some(3), 2, false, true),
        (2, Some(3), 3, false, false),
        (4, Some(3), 1, false, false),
        (2, None, 0, true, false),
    ] {
        let mut scene = Scene::new();
        scene.state.room_mobs = Some(vec![mob("rat", 7)]);
        let kind = scene.known.bestiary.kind(7);
        (kind.level, kind.hp, kind.considered_ms, kind.xp) = (Some(level), Some(8), Some(1_000), 90);
        (kind.lost_at_level, kind.beaten_by, kind.untouchable) = (lost_at_level, beaten_by, untouchable);
        let kills = matches!(scene.run("hunt"), Proposal::Do(line) if line == "kill rat");
        assert_eq!(kills, fights, "level {level}, lost at {lost_at_level:?}, untouchable {untouchable}");
    }
}

#[test]
fn a_fight_that_is_being_lost_is_left_in_time() {
    let mut scene = Scene::losing();
    scene.does("withdraw", "flee");
    if let Some(fight) = &mut scene.known.fight {
        (fight.dealt, fight.suffered) = (29, 16);
    }
    scene.passes("withdraw");
}

#[test]
fn a_fight_is_not_reckoned_before_its_blows_can_be_weighed() {
    let mut scene = Scene::losing();
    if let Some(fight) = &mut scene.known.fight {
        (fight.dealt, fight.suffered) = (1, 4);
    }
    scene.does("withdraw", "flee");
    scene.now_ms = 3_000;
    scene.passes("withdraw");
    let mut scene = Scene::losing();
    scene.state.health = Some(17);
    scene.passes("withdraw");
}

#[test]
fn beside_a_model_one_leaves_only_what_would_kill_one_before_it_answers() {
    let mut scene = Scene::losing();
    scene.alone = false;
    scene.passes("withdraw");
    // Half of all in one round, and hardly a scratch dealt.
    let blows = |scene: &mut Scene, since_ms: u64| {
        scene.now_ms = since_ms + 2_500;
        scene.state.health = Some(14);
        if let Some(fight) = &mut scene.known.fight {
            (fight.since_ms, fight.dealt, fight.suffered) = (since_ms, 2, 16);
        }
    };
    blows(&mut scene, 1_000);
    scene.does("withdraw", "flee");
    scene.alone = true;
    scene.does("withdraw", "flee");
    // The same in eight rounds is nothing to run from yet.
    scene.alone = false;
    scene.now_ms += 16_000;
    scene.passes("withdraw");
}

#[test]
fn who_could_not_get_away_three_times_fights_on() {
    let mut scene = Scene::losing();
    scene.known.flights_failed = 2;
    scene.does("withdraw", "flee");
    scene.known.flights_failed = 3;
    scene.passes("withdraw");
}

#[test]
fn what_little_is_left_to_suffer_is_no_reason_to_run() {
    let mut scene = Scene::losing();
    // It falls with the next blow or two.
    scene.known.bestiary.kind(7).hp = Some(20);
    if let Some(fight) = &mut scene.known.fight {
        (fight.dealt, fight.suffered) = (20, 18);
    }
    scene.state.health = Some(5);
    scene.passes("withdraw");
}

#[test]
fn two_attackers_take_twice_as_long() {
    let mut scene = Scene::losing();
    scene.state.health = Some(13);
    if let Some(fight) = &mut scene.known.fight {
        (fight.dealt, fight.suffered) = (24, 16);
    }
    // Six more to deal: four more to suffer, and with two of them eight.
    scene.passes("withdraw");
    let two = ["ogre", "2.ogre"].map(|target| RoomMob { fighting: true, fighting_me: true, ..mob(target, 7) });
    scene.state.room_mobs = Some(two.to_vec());
    scene.does("withdraw", "flee");
}

#[test]
fn the_cost_of_a_fight_is_learned_though_it_was_over_when_its_end_was_told() {
    let mut scene = Scene::new();
    scene.state.room_mobs = Some(vec![RoomMob { fighting: true, fighting_me: true, ..mob("rat", 7) }]);
    scene.state.fighting = Some(true);
    scene.known.observe(&scene.state, 1_000);
    scene.known.fight.as_mut().expect("a fight").suffered = 12;
    (scene.state.fighting, scene.state.room_mobs) = (Some(false), Some(Vec::new()));
    scene.known.observe(&scene.state, 2_000);
    let (me, rat) = (who("player_me", "Me"), who("mob_7_1", "a rat"));
    scene.state.player = called("Me");
    scene.known.learn(&scene.state, &protocol::Outcome::KillCredit { who: me, victim: rat, xp: 90 }, 2_000);
    let kind = scene.known.bestiary.get(7).expect("a kind");
    assert_eq!((kind.kills, kind.loss), (1, 12.0));
}

#[test]
fn two_in_a_room_hunt_different_mobs_and_a_full_room_is_nobodys_ground() {
    let mut scene = Scene::new();
    know_rat(&mut scene, 7);
    know_rat(&mut scene, 8);
    scene.known.bestiary.kind(8).xp = 60;
    scene.state.room_mobs = Some(vec![mob("mouse", 8), mob("rat", 7)]);
    scene.state.player = called("Maud");
    scene.does("hunt", "kill rat");
    // Whoever comes in later leaves it what it was here for, whatever their names.
    scene.known.players.insert("Alder".into());
    scene.known.came_later.insert("Alder".into());
    scene.does("hunt", "kill rat");
    scene.known.players.insert("Wren".into());
    scene.does("hunt", "kill mouse");
    scene.known.players.insert("Brack".into());
    scene.passes("hunt");
    // Rooms: 1 here, 2 with a rat and nobody, 2 with a rat and three.
    let mut scene = Scene::new();
    know_rat(&mut scene, 7);
    scene.known.bestiary.kind(7).xp = 900;
    scene.step(2, "north", 2_000);
    scene.step(1, "south", 3_000);
    let now_ms = 60_000;
    scene.now_ms = now_ms;
    let room = scene.known.map.rooms.get_mut(&2).expect("it was seen");
    (room.mobs, room.others, room.others_ms) = (vec![7], 2, now_ms);
    scene.does("explore", "north");
    scene.known.map.rooms.get_mut(&2).expect("it was seen").others = 3;
    assert!(!prey::is_ground(&scene.seen(), 2, &scene.known.map.rooms[&2], 100));
    let room = scene.known.map.rooms.get_mut(&2).expect("it was seen");
    room.others_ms = 0;
    scene.now_ms = 200_000;
    assert!(prey::is_ground(&scene.seen(), 2, &scene.known.map.rooms[&2], 100), "that was long ago");
}

#[test]
fn the_bold_take_on_more_and_the_timid_less() {
    let takes = |bold: f64, level: i32, health: i32| {
        let mut scene = Scene::new();
        scene.nature.tastes.bold = bold;
        scene.state.health = Some(health);
        scene.state.room_mobs = Some(vec![mob("rat", 7)]);
        let kind = scene.known.bestiary.kind(7);
        (kind.level, kind.hp, kind.considered_ms) = (Some(level), Some(8), Some(1_000));
        scene.run("hunt") == Proposal::Do("kill rat".into())
    };
    // At level 3, with 30 hit points.
    assert_eq!([0.0, 0.5, 1.0].map(|bold| takes(bold, 4, 30)), [false, false, true]);
    assert_eq!([0.0, 0.5, 1.0].map(|bold| takes(bold, 3, 30)), [false, true, true]);
    assert_eq!([0.0, 0.5, 1.0].map(|bold| takes(bold, 2, 19)), [false, false, true]);
}
