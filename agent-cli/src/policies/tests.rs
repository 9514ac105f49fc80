//! The table of policies, and single policies in small scenes.

use super::*;
use crate::knowledge::Death;
use crate::things::Use;
use protocol::payload::{EquippedItem, InventoryItem, Ordered};

struct Scene {
    state: GameState,
    known: Knowledge,
    now_ms: u64,
    alone: bool,
}

fn item(name: &str, vnum: i32) -> InventoryItem {
    InventoryItem { name: name.into(), vnum, instance_id: format!("obj_{vnum}_1").into(), target_string: "".into() }
}

fn mob(target: &str, vnum: i32) -> RoomMob {
    RoomMob {
        name: format!("a {target}").into(),
        instance_id: format!("mob_{vnum}_1").into(),
        target_string: target.into(),
        vnum,
        fighting: false,
        fighting_me: false,
    }
}

impl Scene {
    fn new() -> Scene {
        let state = GameState {
            health: Some(30),
            max_health: Some(30),
            moves: Some(80),
            max_moves: Some(80),
            level: Some(3),
            gold: Some(0),
            position: Some("standing".into()),
            room_vnum: Some(1),
            room_name: Some("Here".into()),
            room_exits: Some(vec!["north".into(), "south".into()]),
            room_mobs: Some(Vec::new()),
            room_items: Some(Vec::new()),
            fighting: Some(false),
            inventory: Some(Vec::new()),
            equipment: Some(Ordered(Vec::new())),
            tells_fighting_me: true,
            ..GameState::default()
        };
        let mut known = Knowledge::default();
        known.observe(&state, 1_000);
        Scene { state, known, now_ms: 1_000, alone: true }
    }

    fn run(&self, name: &str) -> Step {
        let policy = named(name).unwrap_or_else(|| panic!("no policy is called {name}"));
        let seen = Seen { state: &self.state, known: &self.known, now_ms: self.now_ms, alone: self.alone, chance: 0 };
        (policy.run)(&seen)
    }

    fn does(&self, name: &str, line: &str) {
        assert_eq!(self.run(name), Step::Do(line.to_string()), "{name}");
    }

    fn passes(&self, name: &str) {
        assert_eq!(self.run(name), Step::Pass, "{name}");
    }
}

#[test]
fn every_policy_has_a_name_of_its_own_and_a_sentence() {
    let names: std::collections::BTreeSet<&str> = POLICIES.iter().map(|policy| policy.name).collect();
    assert_eq!(names.len(), POLICIES.len());
    assert!(POLICIES.iter().all(|policy| policy.does.ends_with('.')));
}

#[test]
fn only_hunting_attacks_idle_mobs_and_never_beside_a_model() {
    let mut scene = Scene::new();
    scene.state.room_mobs = Some(vec![mob("rat", 7)]);
    let kind = scene.known.lore.kind(7);
    (kind.level, kind.hp, kind.considered_ms, kind.kills, kind.loss, kind.xp) =
        (Some(2), Some(8), Some(1_000), 3, 2.0, 90);
    scene.does("hunt", "kill rat");
    for policy in POLICIES.iter().filter(|policy| policy.name != "hunt") {
        let step = scene.run(policy.name);
        assert!(!matches!(&step, Step::Do(line) if line.starts_with("kill")), "{}: {step:?}", policy.name);
    }
    let seen = Seen { state: &scene.state, known: &scene.known, now_ms: 1_000, alone: false, chance: 0 };
    let wish = decide(&seen, |policy| policy.name == "hunt");
    assert_eq!(wish, None);
    assert_eq!(named("hunt").map(|policy| policy.when), Some(When::Alone));
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
        let kind = scene.known.lore.kind(7);
        (kind.level, kind.hp, kind.considered_ms, kind.xp) = (Some(level), Some(8), Some(1_000), 90);
        (kind.lost_at_level, kind.beaten_by, kind.untouchable) = (lost_at_level, beaten_by, untouchable);
        let kills = matches!(scene.run("hunt"), Step::Do(line) if line == "kill rat");
        assert_eq!(kills, fights, "level {level}, lost at {lost_at_level:?}, untouchable {untouchable}");
    }
}

#[test]
fn it_eats_when_hungry_and_tries_other_words() {
    let mut scene = Scene::new();
    scene.state.inventory = Some(vec![item("a loaf of bread", 5)]);
    scene.passes("eat");
    scene.known.hungry = true;
    scene.does("eat", "eat bread");
    scene.known.refused(&scene.state, 1, "eat bread", "You carry no bread.", 1_000);
    scene.does("eat", "eat loaf");
}

#[test]
fn it_drinks_from_what_is_at_hand() {
    let mut scene = Scene::new();
    scene.known.thirsty = true;
    scene.state.inventory = Some(vec![item("a waterskin", 5)]);
    scene.does("drink", "drink waterskin");
}

#[test]
fn better_things_take_the_place_of_worse_ones() {
    let mut scene = Scene::new();
    scene.state.inventory = Some(vec![item("a long sword", 5)]);
    scene.does("gear", "wield sword");
    let mut dagger =
        EquippedItem { name: "a dagger".into(), vnum: 6, instance_id: "obj_6_1".into(), target_string: "".into() };
    scene.state.equipment = Some(Ordered(vec![("wield".into(), dagger.clone())]));
    scene.passes("gear");
    scene.known.things.thing(5, "a long sword").price = Some(120);
    scene.known.things.thing(6, "a dagger").price = Some(18);
    scene.does("gear", "remove dagger");
    // Where the server says what to type, that is typed.
    dagger.target_string = "2.dagger".into();
    scene.state.equipment = Some(Ordered(vec![("wield".into(), dagger)]));
    scene.does("gear", "remove 2.dagger");
    scene.state.equipment = Some(Ordered(Vec::new()));
    scene.state.inventory = Some(vec![item("a dagger", 6), item("a long sword", 5)]);
    scene.does("gear", "wield sword");
    scene.known.things.thing(5, "").not.insert(Use::Weapon);
    scene.does("gear", "wield dagger");
}

#[test]
fn a_light_is_lit_in_the_dark_only() {
    let mut scene = Scene::new();
    scene.state.inventory = Some(vec![item("a torch", 5)]);
    scene.passes("light");
    scene.state.room_name = Some("Darkness".into());
    scene.does("light", "hold torch");
}

#[test]
fn a_door_is_opened_and_unlocked_with_its_key() {
    let mut scene = Scene::new();
    scene.known.refused(&scene.state, 1, "north", "The gate is closed.", 1_000);
    scene.does("doors", "open gate north");
    scene.state.inventory = Some(vec![item("an iron key", 5)]);
    scene.known.refused(&scene.state, 1, "open gate north", "The gate is locked.", 1_000);
    scene.does("doors", "unlock gate north");
    scene.known.refused(&scene.state, 1, "unlock gate north", "That key does not fit.", 1_000);
    scene.passes("doors");
    assert!(scene.known.map.rooms[&1].exits["north"].blocked_until_ms > 1_000, "it is a wall for a while");
}

#[test]
fn the_hurt_rest_and_the_fit_stand_up() {
    let mut scene = Scene::new();
    scene.state.position = Some("resting".into());
    scene.does("stand", "stand");
    scene.state.health = Some(9);
    scene.known.recovering = true;
    assert_eq!(scene.run("rest"), Step::Stay);
    scene.state.position = Some("standing".into());
    scene.does("rest", "rest");
}

#[test]
fn who_cannot_fetch_what_it_had_rests_in_peace() {
    let mut scene = Scene::new();
    let death = Death { room: 9, at_ms: 0, killer: Some(66), settled: false, equipment: 3 };
    scene.known.deaths.push(death);
    scene.now_ms = 10_000;
    scene.state.moves = Some(20);
    scene.does("linger", "rest");
    scene.state.position = Some("resting".into());
    // There is no way to that room: getting up for it would only be to lie down again.
    scene.passes("recovery");
    scene.passes("linger");
}

#[test]
fn a_fight_that_is_being_lost_is_left_in_time() {
    let mut scene = Scene::new();
    scene.state.room_mobs = Some(vec![RoomMob { fighting: true, fighting_me: true, ..mob("ogre", 7) }]);
    scene.state.fighting = Some(true);
    scene.state.position = Some("fighting".into());
    scene.known.observe(&scene.state, 1_000);
    scene.now_ms = 10_000;
    scene.state.health = Some(14);
    if let Some(fight) = &mut scene.known.fight {
        (fight.dealt, fight.suffered) = (3, 16);
    }
    scene.does("withdraw", "flee");
    if let Some(fight) = &mut scene.known.fight {
        (fight.dealt, fight.suffered) = (29, 16);
    }
    scene.passes("withdraw");
}
