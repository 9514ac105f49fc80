//! Food, drink, gear, light and doors.

use super::*;

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
fn a_skin_is_filled_once_until_it_was_drunk_from() {
    let mut scene = Scene::new();
    scene.state.inventory = Some(vec![item("a waterskin", 5)]);
    scene.state.room_items = Some(vec![protocol::payload::RoomItem {
        name: "a well".into(),
        instance_id: "obj_9_1".into(),
        target_string: "well".into(),
        vnum: 9,
        more: 0,
    }]);
    scene.known.map.room_mut().expect("it is somewhere").water = Some("well".into());
    // It is as full as it was sold.
    scene.passes("drink");
    scene.known.sent(&scene.state, "drink waterskin", scene.now_ms);
    scene.does("drink", "fill waterskin well");
    scene.known.sent(&scene.state, "fill waterskin well", 1_000);
    scene.known.refused(
        &scene.state,
        1,
        "fill waterskin well",
        "There is water in a waterskin. Pour it out first.",
        1_000,
    );
    scene.now_ms = 3_600_000;
    scene.passes("drink");
    scene.known.sent(&scene.state, "drink waterskin", scene.now_ms);
    scene.does("drink", "fill waterskin well");
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
    // Where one does not dare to go home through the dark, one would be turned back: home by prayer.
    scene.known.map.rooms.get_mut(&2).expect("seen").shun_until_ms = 200_000;
    scene.state.room_name = Some("A corner".into());
    scene.state.room_exits = Some(vec!["east".into(), "south".into()]);
    scene.step(3, "north", 42_000);
    scene.now_ms = 80_000;
    scene.does("stuck", "home");
}

#[test]
fn who_lacks_a_light_asks_whoever_may_sell_one() {
    let mut scene = Scene::new();
    scene.state.room_mobs = Some(vec![mob("warden", 7)]);
    scene.passes("shop");
    scene.known.bestiary.kind(7).level = Some(12);
    scene.does("shop", "list");
    // Whoever comes into a room where the game said that there is no shop is not asked.
    let mut told = Scene::new();
    told.known.refused(&told.state, 1, "list", "Nobody keeps a shop here.", 1_000);
    told.state.room_mobs = Some(vec![mob("baker", 8)]);
    told.passes("shop");
    // Neither where the list is of what is done for coins, and of nothing that could be carried away, however it reads.
    let mut done = Scene::new();
    done.state.room_mobs = Some(vec![mob("baker", 8)]);
    for _ in 0..2 {
        done.does("shop", "list");
        done.known.sent(&done.state, "list", done.now_ms);
        hears(&mut done, "Songs that are sung here:\n  The Long Way Home, for 2 gold coins: buy song");
    }
    done.passes("shop");
    // A list that is known to be such is read at once.
    let mut served = Scene::new();
    served.state.room_mobs = Some(vec![mob("baker", 8)]);
    served.does("shop", "list");
    served.known.sent(&served.state, "list", served.now_ms);
    hears(&mut served, "Animals that serve:\n  A terrier, of level 2, for 120 gold coins: buy terrier [<name>]");
    served.passes("shop");
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
