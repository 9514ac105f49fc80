//! First meetings and first rooms, and the past that a veteran brings along.

use super::*;

#[test]
fn first_meetings_and_first_rooms_come_once() {
    let mut scene = scene(&[("Ann", 100)]);
    let report = {
        let (_, reports) = scene.enter("Bob", &Person { room: Some(100), ..Person::default() });
        reports.into_iter().next().expect("he came")
    };
    assert_eq!(roles(&report, "met"), [("Bob", Role::Did), ("Ann", Role::Did)]);
    let met = of(&report, "met", "Ann");
    assert!(matches!(&met.what, What::Met { other, .. } if &*other.name == "Bob") && met.novel);
    assert!(matches!(&of(&report, "room_seen", "Bob").what, What::RoomSeen { from: None, .. }));
    let report = scene.does("Bob", "west");
    let seen = of(&report, "room_seen", "Bob");
    let What::RoomSeen { from: Some(from), .. } = &seen.what else { panic!("{seen:?}") };
    assert_eq!((from.vnum, seen.room.vnum, seen.novel), (100, 106, true));
    // A known room is news again by its number: the second and third visit, the fifth, the tenth.
    let mut told = Vec::new();
    for line in ["east", "west"].repeat(10) {
        for recorded in scene.does("Bob", line).recorded {
            let What::Visited { times, from: Some(_), .. } = &recorded.happening.what else { panic!("{recorded:?}") };
            told.push((recorded.happening.room.vnum, *times));
        }
    }
    assert_eq!(told, [(100, 2), (106, 2), (100, 3), (106, 3), (100, 5), (106, 5), (100, 10), (106, 10)]);
    scene.does("Bob", "east");
    // Of mobs one meets the kind.
    mob(&mut scene, 112, 100);
    let report = scene.tick();
    assert_eq!(roles(&report, "met"), [("Ann", Role::Did), ("Bob", Role::Did)], "{:#?}", report.recorded);
    mob(&mut scene, 112, 100);
    assert!(of_kind(&scene.tick(), "met").is_empty());
    // In the dark there is nothing to see, and nobody to meet.
    mob(&mut scene, 113, 104);
    scene.does("Ann", "north");
    scene.does("Ann", "open trapdoor");
    let report = scene.does("Ann", "down");
    assert!(report.recorded.is_empty(), "{:#?}", report.recorded);
}

#[test]
fn a_veteran_comes_back_with_what_it_knows() {
    let mut scene = scene(&[("Ann", 100), ("Bob", 100)]);
    let report = scene.does("Bob", "quit");
    let record = report.requests.iter().find_map(|request| match request {
        world::report::Request::Save { record, left: true } => Some(record.clone()),
        _ => None,
    });
    let record = record.expect("he left");
    let json = serde_json::to_string(&record).expect("plain");
    let again: world::record::CharacterRecord = serde_json::from_str(&json).expect("it is read");
    assert_eq!(again.player.past, record.player.past);
    let report = scene.world.apply(&Input::Enter { record: Box::new(again), agent: false });
    assert!(report.recorded.is_empty(), "{:#?}", report.recorded);
    // One from before there was a past meets all anew.
    let mut value: serde_json::Value = serde_json::from_str(&json).expect("json");
    value["player"].as_object_mut().expect("an object").remove("past");
    let older: world::record::CharacterRecord = serde_json::from_value(value).expect("an older record is read");
    scene.does("Bob", "quit");
    scene.people.pop();
    let who = scene.world.find_player("bob").expect("he is here");
    scene.world.apply(&Input::Command { who, line: "quit".into() });
    let report = scene.world.apply(&Input::Enter { record: Box::new(older), agent: false });
    assert_eq!(roles(&report, "met"), [("Bob", Role::Did)]);
    assert_eq!(roles(&report, "room_seen"), [("Bob", Role::Did)]);
}

#[test]
fn the_past_of_a_veteran_fits_into_its_save() {
    let mut past = world::past::Past::default();
    // As in the stock world: zones of a hundred numbers, of which some sixty-seven are rooms, with holes.
    let mut rooms = 0;
    for zone in 0..190 {
        for room in (0..100).filter(|room| room % 10 < 6 || room % 7 == 0) {
            rooms += i32::from(past.rooms.insert(zone * 100 + room));
        }
    }
    for mob in (0..19_000).step_by(9) {
        past.met.insert(mob);
    }
    assert!(rooms > 12_000, "{rooms}");
    let without_people = serde_json::to_string(&past).expect("plain").len();
    for n in 0..3_000 {
        past.people.insert(world::past::Face::of(&format!("player{n}")));
    }
    let whole = serde_json::to_string(&past).expect("plain");
    assert!(without_people < 70_000 && whole.len() < 110_000, "{without_people} and {} bytes", whole.len());
    assert_eq!(serde_json::from_str::<world::past::Past>(&whole).expect("it is read again"), past);
    assert_eq!(past.people.len(), 2_000);
}
