//! The table of policies, and single policies in small scenes.

use super::*;
use crate::knowledge::Death;
use crate::objects::Use;
use crate::state::Line;
use protocol::payload::{EquippedItem, InventoryItem, Ordered};

struct Scene {
    state: GameState,
    known: Knowledge,
    now_ms: u64,
    alone: bool,
    nature: Nature,
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
        attackable: true,
        more: 0,
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
        Scene { state, known, now_ms: 1_000, alone: true, nature: Nature::default() }
    }

    fn seen(&self) -> Perception<'_> {
        Perception {
            state: &self.state,
            known: &self.known,
            now_ms: self.now_ms,
            alone: self.alone,
            settled: false,
            nature: self.nature,
            chance: 0,
        }
    }

    fn run(&self, name: &str) -> Proposal {
        let policy = named(name).unwrap_or_else(|| panic!("no policy is called {name}"));
        (policy.run)(&self.seen())
    }

    /// A step that went through, into an empty room.
    fn step(&mut self, to: i32, direction: &str, now_ms: u64) {
        self.known.sent(&self.state, direction);
        self.state.room_vnum = Some(to);
        self.state.room_mobs = Some(Vec::new());
        self.now_ms = now_ms;
        self.known.observe(&self.state, now_ms);
    }

    /// In a fight for eight seconds, with less than half of the hit points, against an ogre that has suffered less.
    fn losing() -> Scene {
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
        scene
    }

    fn does(&self, name: &str, line: &str) {
        assert_eq!(self.run(name), Proposal::Do(line.to_string()), "{name}");
    }

    fn passes(&self, name: &str) {
        assert_eq!(self.run(name), Proposal::Pass, "{name}");
    }
}

#[test]
fn every_policy_has_a_name_of_its_own_and_a_sentence() {
    let names: std::collections::BTreeSet<&str> = POLICIES.iter().map(|policy| policy.name).collect();
    assert_eq!(names.len(), POLICIES.len());
    assert!(POLICIES.iter().all(|policy| policy.does.ends_with('.')));
    let whole = |policy: &&Policy| policy.power == Power::Policy && policy.part_of.is_empty();
    let delegable: std::collections::BTreeSet<&str> = POLICIES.iter().filter(whole).map(|policy| policy.name).collect();
    let told: std::collections::BTreeSet<&str> = mind::action::POLICIES.iter().map(|policy| policy.name).collect();
    assert_eq!(delegable, told, "a model can delegate to each policy that is no part of another");
    assert!(POLICIES.iter().flat_map(|policy| policy.part_of).all(|name| delegable.contains(name)));
}

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
    scene.known.objects.object(5, "a long sword").price = Some(120);
    scene.known.objects.object(6, "a dagger").price = Some(18);
    scene.does("gear", "remove dagger");
    // Where the server says what to type, that is typed.
    dagger.target_string = "2.dagger".into();
    scene.state.equipment = Some(Ordered(vec![("wield".into(), dagger)]));
    scene.does("gear", "remove 2.dagger");
    scene.state.equipment = Some(Ordered(Vec::new()));
    scene.state.inventory = Some(vec![item("a dagger", 6), item("a long sword", 5)]);
    scene.does("gear", "wield sword");
    scene.known.objects.object(5, "").not.insert(Use::Weapon);
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

fn torch(instance: &str) -> InventoryItem {
    InventoryItem { instance_id: instance.into(), ..item("a torch", 5) }
}

/// In the dark, with the first of two torches in hand.
fn by_torchlight() -> Scene {
    let mut scene = Scene::new();
    let worn =
        EquippedItem { name: "a torch".into(), vnum: 5, instance_id: "obj_5_1".into(), target_string: "torch".into() };
    scene.state.equipment = Some(Ordered(vec![("light".into(), worn)]));
    scene.state.inventory = Some(vec![torch("obj_5_2")]);
    scene.state.room_name = Some("Darkness".into());
    scene
}

fn hears(scene: &mut Scene, text: &str) {
    let kind = protocol::payload::EventKind::Text;
    let line = Line { number: 1, at_ms: scene.now_ms, kind, from: None, text: text.into() };
    scene.known.hear(&scene.state, &line, scene.now_ms);
}

#[test]
fn a_light_that_went_out_gives_way_to_a_new_one() {
    let mut scene = by_torchlight();
    hears(&mut scene, "A lantern flickers once more and goes out.");
    scene.passes("light");
    hears(&mut scene, "A torch flickers once more and goes out.");
    scene.does("light", "remove torch");
    scene.state.equipment = Some(Ordered(Vec::new()));
    scene.state.inventory = Some(vec![torch("obj_5_1"), torch("obj_5_2")]);
    scene.known.refused(&scene.state, 1, "hold torch", "A torch has burnt out, and nothing is left to light.", 1_000);
    assert_eq!(scene.known.burnt.iter().collect::<Vec<_>>(), ["obj_5_1"], "the other one is as good as new");
    assert!(scene.seen().has_light());
    scene.state.inventory = Some(vec![torch("obj_5_1")]);
    assert!(!scene.seen().has_light());
}

#[test]
fn a_light_that_shows_nothing_is_known_to_be_out_after_a_while() {
    let mut scene = by_torchlight();
    for (now_ms, line) in [(1_000, None), (3_900, None), (4_000, Some("remove torch"))] {
        scene.now_ms = now_ms;
        scene.known.observe(&scene.state, now_ms);
        let does = if let Proposal::Do(line) = scene.run("light") { Some(line) } else { None };
        assert_eq!(does.as_deref(), line, "at {now_ms}");
    }
    // Behind closed eyes it is dark too.
    let mut scene = by_torchlight();
    scene.state.position = Some("sleeping".into());
    for now_ms in [1_000, 9_000] {
        scene.known.observe(&scene.state, now_ms);
    }
    assert!(scene.known.burnt.is_empty());
}

#[test]
fn without_a_light_dark_rooms_are_left_and_not_entered() {
    let mut scene = by_torchlight();
    scene.state.inventory = Some(Vec::new());
    scene.state.room_name = Some("Here".into());
    scene.step(2, "north", 2_000);
    scene.state.room_name = Some("Darkness".into());
    hears(&mut scene, "A torch flickers once more and goes out.");
    scene.known.observe(&scene.state, 2_000);
    scene.does("light", "south");
    scene.step(1, "south", 3_000);
    scene.state.room_name = Some("Here".into());
    scene.known.observe(&scene.state, 3_000);
    assert!(!scene.seen().may_enter(2, &scene.known.map.rooms[&2]));
    // By day one may.
    scene.step(2, "north", 4_000);
    assert!(scene.seen().may_enter(2, &scene.known.map.rooms[&2]));
}

#[test]
fn out_of_a_lit_corner_one_gropes_home() {
    // 1 home, 2 dark, 3 a lit corner.
    let mut scene = Scene::new();
    for (to, name) in [(2, "Darkness"), (3, "Here")] {
        scene.state.room_name = Some(name.into());
        scene.state.room_exits = Some(Vec::new());
        scene.step(to, "north", i64::from(to).unsigned_abs() * 1_000);
    }
    scene.state.room_exits = Some(vec!["east".into(), "south".into()]);
    scene.passes("stuck");
    scene.now_ms = 40_000;
    scene.does("stuck", "south");
    scene.state.room_name = Some("Darkness".into());
    scene.state.room_exits = Some(Vec::new());
    scene.step(2, "south", 41_000);
    // Not back to the corner, which is as near.
    scene.does("light", "south");
}

#[test]
fn who_lacks_a_light_asks_whoever_may_sell_one() {
    let mut scene = Scene::new();
    scene.state.room_mobs = Some(vec![mob("warden", 7)]);
    scene.passes("shop");
    scene.known.bestiary.kind(7).level = Some(12);
    scene.does("shop", "list");
    scene.state.inventory = Some(vec![torch("obj_5_2")]);
    scene.passes("shop");
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
    scene.state.moves = Some(20);
    scene.does("linger", "rest");
    scene.state.position = Some("resting".into());
    // There is no way to that room: getting up for it would only be to lie down again.
    scene.passes("recovery");
    scene.passes("linger");
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

/// A rat that was beaten three times without a scratch worth the name.
fn know_rat(scene: &mut Scene, vnum: i32) {
    let kind = scene.known.bestiary.kind(vnum);
    (kind.level, kind.hp, kind.considered_ms, kind.kills, kind.loss, kind.xp) =
        (Some(2), Some(8), Some(1_000), 3, 2.0, 90);
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

fn decided(scene: &Scene) -> Option<String> {
    match decide(&scene.seen(), &Mandate::All, |_| true, |_, _| true) {
        Choice::Do { line, .. } => Some(line),
        Choice::Nothing | Choice::Stay => None,
    }
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
    scene.known.sent(&scene.state, "rest");
    assert_eq!(decided(&scene), None, "it has just lain down");
    scene.now_ms += 38_000;
    assert_eq!(decided(&scene), None);
    scene.now_ms += 2_000;
    assert_eq!(decided(&scene).as_deref(), Some("stand"), "twenty ticks later");
    // An event makes the difference: here what one lay down for, strength.
    scene.now_ms = 1_000;
    scene.state.moves = Some(70);
    scene.known.observe(&scene.state, 1_000);
    scene.known.sent(&scene.state, "rest");
    assert_eq!(decided(&scene), None);
    scene.state.moves = Some(80);
    scene.known.observe(&scene.state, 3_000);
    scene.now_ms = 3_000;
    assert_eq!(decided(&scene).as_deref(), Some("stand"));
    scene.known.sent(&scene.state, "stand");
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
fn one_lies_down_when_the_hour_is_about_to_strike_or_there_is_nothing_else_to_do() {
    let mut scene = Scene::new();
    scene.state.moves = Some(30);
    for (tick, lies) in [(33, false), (58, false), (59, true), (63, true), (64, false)] {
        scene.known.ticks = Default::default();
        scene.known.ticks.told(tick, 1_000);
        assert_eq!(scene.run("linger") == Proposal::Do("rest".into()), lies, "tick {tick}");
    }
    scene.known.ticks.told(95, 1_000);
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

fn called(name: &str) -> Option<protocol::payload::PlayerState> {
    let stats = protocol::payload::Stats::default();
    let (class, race) = ("Warrior".into(), "Human".into());
    Some(protocol::payload::PlayerState { name: name.into(), health: 30, max_health: 30, level: 3, class, race, stats })
}

fn who(id: &str, name: &str) -> protocol::outcome::Who {
    let kind = if id.starts_with("mob") { protocol::outcome::WhoKind::Mob } else { protocol::outcome::WhoKind::Player };
    serde_json::from_value(serde_json::json!({"id": id, "name": name, "kind": kind, "level": 3})).expect("somebody")
}

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
    scene.known.players.insert("Wren".into());
    scene.does("hunt", "kill rat");
    scene.known.players.insert("Alder".into());
    scene.does("hunt", "kill mouse");
    scene.known.players.insert("Brack".into());
    scene.passes("hunt");
    // Rooms: 1 here, 2 with a rat and nobody, 2 with a rat and three.
    let mut scene = Scene::new();
    know_rat(&mut scene, 7);
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

#[test]
fn everybody_goes_its_own_way_and_always_the_same() {
    let mut scene = Scene::new();
    scene.state.room_exits = Some(["north", "east", "south", "west", "up", "down"].map(Into::into).to_vec());
    scene.known.observe(&scene.state, 1_000);
    let mut ways = std::collections::BTreeSet::new();
    for seed in 0..20 {
        scene.known.map.own = crate::nature::draw(7, seed).max(1);
        let way = scene.run("explore");
        assert_eq!(scene.run("explore"), way);
        ways.insert(format!("{way:?}"));
    }
    assert!(ways.len() >= 4, "{ways:?}");
}

#[test]
fn the_curious_see_what_is_new_and_the_others_what_they_know() {
    // 1 here, with a way that nobody took; 2 to 9 in line, with a rat in the last.
    let mut scene = Scene::new();
    know_rat(&mut scene, 7);
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
fn a_thing_is_sold_to_the_first_who_buys_its_kind_and_let_go_only_after_a_long_way() {
    let mut scene = Scene::new();
    scene.state.room_mobs = Some(vec![RoomMob { attackable: false, ..mob("warden", 9) }]);
    let tails: Vec<InventoryItem> = (0..9)
        .map(|n| InventoryItem { instance_id: format!("obj_20_{n}").into(), ..item("a rat's tail", 20) })
        .collect();
    scene.state.inventory = Some(tails);
    scene.known.observe(&scene.state, 1_000);
    scene.does("unload", "value tail");
    // Refused once is refused for its kind, in other words too.
    let mut elsewhere = Scene { state: scene.state.clone(), known: scene.known.clone(), ..Scene::new() };
    elsewhere.known.refused(&scene.state, 1, "value tail", "The smith tells you, \"No edge, no trade.\"", 1_000);
    elsewhere.state.inventory.as_mut().expect("things")[0].name = "a long tail".into();
    elsewhere.passes("unload");
    let tell = Line {
        number: 1,
        at_ms: 1_000,
        kind: protocol::payload::EventKind::Tell,
        from: None,
        text: "The warden tells you, \"For a rat's tail you would get 3 coins from me.\"".into(),
    };
    scene.known.hear(&scene.state, &tell, 1_000);
    scene.does("unload", "sell tail");
    // With a buyer near and hands full one walks there.
    scene.step(2, "north", 2_000);
    scene.does("unload", "south");
    // Nobody buys: kept for fifty rooms, then dropped, and never destroyed.
    elsewhere.known.map.steps += 49;
    elsewhere.passes("unload");
    elsewhere.known.map.steps += 1;
    elsewhere.does("unload", "drop tail");
}

#[test]
fn a_greeting_is_answered_once_and_only_the_sociable_greet_first() {
    let mut scene = Scene::new();
    scene.state.player = called("Maud");
    let says = |scene: &mut Scene, text: &str| {
        let (speaker, channel) = (who("player_wren", "Wren"), "say".into());
        let said = protocol::Outcome::Said { speaker, channel, to: None, text: text.into() };
        scene.known.learn(&scene.state, &said, 1_000);
    };
    says(&mut scene, "History is dull.");
    scene.passes("greet");
    says(&mut scene, "Hi, all!");
    let Proposal::Do(line) = scene.run("greet") else { panic!("it is polite") };
    assert!(line.starts_with("say ") && line.contains("Wren"), "{line}");
    scene.known.sent(&scene.state, &line);
    says(&mut scene, "Hello again, Maud.");
    scene.passes("greet");
    scene.known.greeted.clear();
    scene.known.greeted_by.clear();
    scene.passes("greet");
    scene.nature.tastes.sociable = 0.75;
    scene.does("greet", &line);
}

/// Rooms 1 and 2, in line, with a wolf that attacks where one is.
fn beside_a_wolf() -> Scene {
    let mut scene = Scene::new();
    scene.step(2, "north", 2_000);
    let kind = scene.known.bestiary.kind(7);
    (kind.aggressive, kind.level) = (true, Some(9));
    scene.state.room_mobs = Some(vec![mob("wolf", 7)]);
    scene
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
