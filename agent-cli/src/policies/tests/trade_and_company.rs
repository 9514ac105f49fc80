//! Selling, and answering a greeting.

use super::*;

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
    scene.known.spent = true;
    assert_ne!(scene.run("unload"), Proposal::Do("south".into()), "what one is tired by nobody pays");
    scene.known.spent = false;
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
        let said = protocol::Outcome::Said {
            speaker,
            channel,
            to: None,
            text: text.into(),
            message_id: None,
            channel_id: None,
        };
        scene.known.learn(&scene.state, &said, 1_000);
    };
    says(&mut scene, "History is dull.");
    scene.passes("greet");
    says(&mut scene, "Hi, all!");
    let Proposal::Do(line) = scene.run("greet") else { panic!("it is polite") };
    assert!(line.starts_with("say ") && line.contains("Wren"), "{line}");
    scene.known.sent(&scene.state, &line, scene.now_ms);
    says(&mut scene, "Hello again, Maud.");
    scene.passes("greet");
    scene.known.greeted.clear();
    scene.known.greeted_by.clear();
    scene.passes("greet");
    scene.nature.tastes.sociable = 0.75;
    scene.does("greet", &line);
}
