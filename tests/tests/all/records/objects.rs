//! Things and doors that are remembered: what is taken, given, bought and opened.

use super::*;

#[test]
fn things_are_remembered_by_whose_they_become_and_cease_to_be() {
    let mut scene = scene(&[("Ann", 100), ("Bob", 100)]);
    let room = Place::Room(scene.world.room_by_vnum(100).expect("the green"));
    let ring = object(&mut scene, 128, room);
    let report = scene.does("Ann", "get ring");
    assert_eq!(roles(&report, "acquired"), [("Ann", Role::Did)]);
    let own = of(&report, "acquired", "Ann");
    let What::Acquired { item, from: None, .. } = &own.what else { panic!("{own:?}") };
    assert_eq!((&*item.name, item.vnum, item.level, own.novel), ("a silver ring", 128, 10, true));
    assert_eq!(&*item.id, &*scene.world.object_instance_of(ring));
    let bag = hand(&mut scene, 123, "Ann");
    // What goes into one's own bag and comes out of it stays one's own.
    for line in ["put ring bag", "get ring bag"] {
        assert!(scene.does("Ann", line).recorded.is_empty(), "{line}");
    }
    // To and fro within a minute is one record.
    for line in ["drop ring", "get ring", "drop ring", "get ring"] {
        assert!(scene.does("Ann", line).recorded.is_empty(), "{line}");
    }
    wait(&mut scene);
    let dropped = scene.does("Ann", "drop ring");
    assert_eq!(roles(&dropped, "dropped"), [("Ann", Role::Did)]);
    wait(&mut scene);
    assert!(!of(&scene.does("Ann", "get ring"), "acquired", "Ann").novel, "it had one before");
    scene.does("Ann", "put ring bag");
    scene.world.place_object(bag, room);
    let report = scene.does("Bob", "get ring bag");
    let What::Acquired { from: Some(from), .. } = &of(&report, "acquired", "Bob").what else { panic!("{report:?}") };
    assert_eq!(&**from, "a leather bag");
    hand(&mut scene, 122, "Bob");
    let bob = scene.id("Bob");
    scene.world.player_mut(bob).full = 0;
    for (line, what) in [("eat bread", "used_up"), ("junk ring", "thrown_away")] {
        assert_eq!(roles(&scene.does("Bob", line), what), [("Bob", Role::Did)], "{line}");
    }
    // Coins are no thing.
    scene.does("Ann", "drop 10 coins");
    assert!(scene.does("Bob", "get coins").recorded.is_empty());
}

/// Until what was handled is handled anew.
fn wait(scene: &mut Scene) {
    (0..HANDLED_TICKS).for_each(|_| drop(scene.tick()));
}

#[test]
fn gifts_are_remembered_by_both_and_by_who_sees_them() {
    let mut scene = scene(&[("Ann", 100), ("Bob", 100), ("Cid", 100), ("Eve", 101)]);
    hand(&mut scene, 128, "Ann");
    let report = scene.does("Ann", "give ring bob");
    assert_eq!(roles(&report, "given"), [("Ann", Role::Did), ("Bob", Role::Suffered), ("Cid", Role::Saw)]);
    let own = of(&report, "given", "Bob");
    let What::Given { giver, item: Some(item), gold: 0, .. } = &own.what else { panic!("{own:?}") };
    assert_eq!((&*giver.name, &*item.name, own.novel), ("Ann", "a silver ring", true));
    assert_eq!(names(&own.witnesses), ["Cid"]);
    let report = scene.does("Ann", "give 5 coins bob");
    assert!(matches!(of(&report, "given", "Bob").what, What::Given { gold: 5, item: None, .. }));
}

#[test]
fn trade_is_remembered_by_the_customer() {
    let mut scene = scene(&[("Ann", 102), ("Bob", 102)]);
    let ann = scene.id("Ann");
    scene.world.who_mut(ann).gold = 5_000;
    let report = scene.does("Ann", "buy #1");
    assert_eq!(roles(&report, "bought"), [("Ann", Role::Did)], "{:#?}", report.lines);
    let own = of(&report, "bought", "Ann");
    let What::Bought { seller, item, price, .. } = &own.what else { panic!("{own:?}") };
    assert!(*price > 0 && own.novel && item.vnum > 0);
    assert_eq!((&*seller.name, seller.kind), ("Oswin", WhoKind::Mob));
    let word = item.name.rsplit(' ').next().unwrap_or_default().to_string();
    let report = scene.does("Ann", &format!("sell {word}"));
    assert_eq!(roles(&report, "sold"), [("Ann", Role::Did)], "{:#?}", report.lines);
}

#[test]
fn a_door_is_remembered_where_its_state_is_news() {
    let mut scene = scene(&[("Ann", 101), ("Bob", 101), ("Cid", 100)]);
    let opened = scene.does("Ann", "open trapdoor");
    assert_eq!(roles(&opened, "door"), [("Ann", Role::Did), ("Bob", Role::Saw)]);
    let own = of(&opened, "door", "Bob");
    let What::Door { who: Some(who), direction, state, leads_to: Some(to) } = &own.what else { panic!("{own:?}") };
    assert_eq!((&*who.name, &**direction, *state, to.vnum), ("Ann", "down", DoorChange::Opened, 104));
    assert_eq!(roles(&scene.does("Ann", "close trapdoor"), "door").len(), 2);
    // Opened while nobody looks, and shut again: the same state as before.
    let room = scene.world.room_by_vnum(101).expect("the inn");
    scene.world.set_door(room, content::words::Direction::Down, false, false);
    assert!(roles(&scene.does("Ann", "close trapdoor"), "door").is_empty());
}
