//! Taking over other content into a saved state: what stays, what is moved, and what is listed.

use content::flags::{DoorFlags, RoomFlags};
use content::words::{Direction, Position, WearSlot};
use content::{Content, ExitProto, ObjectKind, Reset, ResetAction, RoomProto, ZoneProto};
use std::collections::BTreeSet;
use std::sync::Arc;
use tests::scene::{Person, Scene, read_content, tests_folder};
use tests::simulation::Simulation;
use world::World;
use world::adopt::Adopted;
use world::object::Place;
use world::record::ObjectRecord;
use world::rules::Rules;

fn shipped() -> Content {
    read_content(&tests_folder().join("../data/world"))
}

fn with(content: &Content, edit: impl FnOnce(&mut Content)) -> Arc<Content> {
    let mut content = content.clone();
    edit(&mut content);
    content.build_look_ups();
    Arc::new(content)
}

fn serials(world: &World) -> BTreeSet<u64> {
    world.state.objects.iter().map(|(_, object)| object.serial).collect()
}

fn coins_in(record: &ObjectRecord) -> i64 {
    let own = if let ObjectKind::Money { coins } = record.kind { i64::from(coins) } else { 0 };
    own + record.contents.iter().map(coins_in).sum::<i64>()
}

fn room(vnum: i32, zone: i32) -> RoomProto {
    RoomProto {
        vnum,
        zone,
        name: "A New Place".into(),
        description: "It smells of paint.".into(),
        sector: content::words::Sector::Inside,
        flags: RoomFlags::NONE,
        exits: Vec::new(),
        extras: Vec::new(),
        scripts: Vec::new(),
        foreign_scripts: Vec::new(),
    }
}

/// Adopts in the middle of play, counts everything, and plays on.
fn play_adopt_play(seed: u64, edit: impl FnOnce(&World, &mut Content)) -> (Simulation, Adopted) {
    let content = shipped();
    let mut simulation = Simulation::new(Arc::new(content.clone()), seed, 40);
    simulation.run(60).unwrap_or_else(|failure| panic!("{failure}"));
    let before = simulation.world.clone();
    let content = with(&content, |content| edit(&before, content));
    let adopted = simulation.adopt(content);
    let after = &simulation.world;
    assert_eq!(after.check_all(), Vec::<String>::new(), "seed {seed}");

    let lost: usize = serials(&before).difference(&serials(after)).count();
    let listed: usize = adopted.set_aside.iter().map(|aside| aside.object.count()).sum();
    assert_eq!(lost, listed, "seed {seed}: things that left the world, and things that are listed");
    if adopted.zones_new.is_empty() {
        let coins: i64 = adopted.set_aside.iter().map(|aside| coins_in(&aside.object)).sum();
        assert_eq!(before.coins(), after.coins() + adopted.gold_gone + coins, "seed {seed}");
        let mobs = |world: &World| world.state.characters.iter().filter(|(_, c)| c.is_mob()).count();
        let gone: u32 = adopted.mobs_gone.iter().map(|(_, count)| count).sum();
        assert_eq!(mobs(&before), mobs(after) + gone as usize, "seed {seed}");
    }
    let players = |world: &World| world.state.players.keys().cloned().collect::<Vec<_>>();
    assert_eq!(players(&before), players(after), "seed {seed}: nobody is lost");
    assert_eq!(before.state.number, after.state.number);

    simulation.run(50).unwrap_or_else(|failure| panic!("after the adoption {adopted}: {failure}"));
    (simulation, adopted)
}

#[test]
fn the_same_content_changes_not_one_bit() {
    let mut simulation = Simulation::new(Arc::new(shipped()), 5, 30);
    simulation.run(80).unwrap_or_else(|failure| panic!("{failure}"));
    let before = simulation.world.hashes();
    let adopted = simulation.adopt(Arc::new(shipped()));
    assert_eq!(simulation.world.hashes(), before);
    assert!(adopted.set_aside.is_empty() && adopted.moved.is_empty() && adopted.mobs_gone.is_empty(), "{adopted}");
    let other_texts = with(&shipped(), |content| content.rooms.iter_mut().for_each(|r| r.description = "Fog.".into()));
    simulation.adopt(other_texts);
    assert_eq!(simulation.world.hashes(), before, "texts of rooms are no state");
}

#[test]
fn a_zone_that_is_gone_takes_nothing_along_unlisted() {
    for seed in 1..=3 {
        let (simulation, adopted) = play_adopt_play(seed, |_, content| {
            content.zones.retain(|zone| zone.number != 81);
            content.rooms.retain(|room| room.zone != 81);
            content.mobs.retain(|mob| !(8100..=8149).contains(&mob.vnum));
            content.objects.retain(|object| !(8100..=8149).contains(&object.vnum));
        });
        assert_eq!(adopted.zones_gone, [81]);
        assert!(adopted.rooms_gone.len() > 20 && adopted.rooms_new.is_empty(), "{adopted}");
        assert!(!adopted.mobs_gone.is_empty() && !adopted.set_aside.is_empty(), "{adopted}");
        assert_eq!(simulation.world.state.zones.len(), 5);
    }
}

#[test]
fn players_of_a_room_that_is_gone_wake_at_the_start() {
    let mut anybody = 0;
    for seed in 4..=6 {
        let mut expected = Vec::new();
        let (_, adopted) = play_adopt_play(seed, |before, content| {
            // Every room with a player in it but the start, and whatever fights there are in them.
            let start = content.start_room;
            let crowded: BTreeSet<i32> = before
                .state
                .players
                .values()
                .map(|id| before.room_proto(before.who(*id).room).vnum)
                .filter(|vnum| *vnum != start)
                .collect();
            expected = before
                .state
                .players
                .values()
                .filter(|id| crowded.contains(&before.room_proto(before.who(**id).room).vnum))
                .map(|id| before.who(*id).name.clone())
                .collect();
            content.rooms.retain(|room| !crowded.contains(&room.vnum));
        });
        expected.sort();
        assert_eq!(adopted.moved, expected);
        anybody += expected.len();
    }
    assert!(anybody > 30, "{anybody} players were moved");
}

#[test]
fn things_without_a_prototype_are_set_aside_wherever_they_are() {
    for seed in 7..=9 {
        let (_, adopted) = play_adopt_play(seed, |_, content| {
            let mut n = 0;
            content.objects.retain(|_| {
                n += 1;
                n % 3 != 0
            });
            content.mobs.retain(|mob| mob.vnum % 5 != 0);
        });
        let from = |mark: &str| adopted.set_aside.iter().filter(|aside| aside.from.starts_with(mark)).count();
        let of_players = adopted.set_aside.len() - from("room ") - from("mob ");
        assert!(from("room ") > 0 && from("mob ") > 0 && of_players > 0, "{adopted}");
    }
}

#[test]
fn indices_may_shift_without_anybody_noticing() {
    for seed in 10..=12 {
        let (simulation, adopted) = play_adopt_play(seed, |_, content| {
            // Before, between and behind what there is.
            for (vnum, zone) in [(1, 1), (2, 1), (8149, 81), (9900, 99)] {
                content.rooms.push(room(vnum, zone));
            }
            let mut first = content.mobs[7].clone();
            first.vnum = 3;
            content.mobs.push(first);
            let mut object = content.objects[7].clone();
            object.vnum = 4;
            content.objects.push(object);
            let actions = [
                ResetAction::Mob { mob: 3, max: 2, room: 1 },
                ResetAction::Object { object: 4, max: 9, room: Some(2) },
            ];
            for (number, rooms) in [(1, (1, 9)), (99, (9900, 9999))] {
                content.zones.push(ZoneProto {
                    number,
                    name: "New".into(),
                    builders: "".into(),
                    first: rooms.0,
                    last: rooms.1,
                    more: Vec::new(),
                    lifespan_minutes: 10,
                    reset_mode: content::words::ResetMode::Always,
                    levels: (0, 0),
                    rumour: "".into(),
                    quarters: Vec::new(),
                    resets: actions.iter().map(|a| Reset { if_last: false, action: a.clone(), line: 0 }).collect(),
                });
            }
        });
        assert_eq!(adopted.zones_new, [1, 99]);
        assert_eq!(adopted.rooms_new, [1, 2, 8149, 9900]);
        assert!(adopted.set_aside.is_empty() && adopted.mobs_gone.is_empty() && adopted.moved.is_empty());
        let content = &simulation.world.content;
        let made = content.mob_index(3).map(|index| simulation.world.state.mob_counts[index as usize]);
        assert_eq!(made, Some(2), "both new zones were reset once, and the count was kept");
    }
}

#[test]
fn everything_may_change_at_once() {
    for seed in 13..=18 {
        let (_, adopted) = play_adopt_play(seed, |_, content| {
            content.zones.retain(|zone| zone.number != 80 && zone.number != 84);
            content.rooms.retain(|room| room.zone != 84 && room.vnum % 7 != 0);
            content.objects.retain(|object| object.vnum % 2 == 0);
            content.mobs.retain(|mob| mob.vnum % 3 != 0);
            content.rooms.push(room(1, 80));
            content.start_room = 1;
            for (n, room) in content.rooms.iter_mut().enumerate() {
                match n % 3 {
                    0 => room.exits.clear(),
                    1 => room.exits.iter_mut().for_each(|exit| exit.door = DoorFlags::DOOR),
                    _ => {}
                }
            }
        });
        assert!(adopted.set_aside.len() > 20, "{adopted}");
    }
}

#[test]
fn a_world_may_lose_all_its_mobs_and_things() {
    let (simulation, _) = play_adopt_play(19, |_, content| {
        content.mobs.clear();
        content.objects.clear();
        content.rooms.truncate(1);
        content.zones.truncate(1);
        content.start_room = content.rooms[0].vnum;
    });
    assert_eq!(simulation.world.state.rooms.len(), 1);
}

/// The green, with Ann and Bob in its shed, fighting.
fn green() -> (Scene, Content) {
    let content = read_content(&tests_folder().join("scenes/green"));
    let mut scene = Scene::on(Arc::new(content.clone()), 3);
    let shed = Some(103);
    scene.enter("Ann", &Person { level: 20, room: shed, ..Person::default() });
    scene.enter("Bob", &Person { level: 20, room: shed, ..Person::default() });
    (scene, content)
}

fn adopt(scene: &Scene, content: Arc<Content>) -> (World, Adopted) {
    let old = scene.world.content.index();
    World::adopt(content, Arc::new(Rules::built_in()), scene.world.snapshot(), &old)
}

#[test]
fn what_is_set_aside_says_where_it_was() {
    let (mut scene, content) = green();
    let (ann, bob) = (scene.id("Ann"), scene.id("Bob"));
    let shed = scene.world.who(ann).room;
    let world = &mut scene.world;
    let make = |world: &mut World, vnum: i32, place: Place| {
        let object = world.make_object(vnum).expect("it has a prototype");
        world.place_object(object, place);
        object
    };
    let bag = make(world, 123, Place::Carried(ann));
    let loaf = make(world, 122, Place::Inside(bag));
    make(world, 125, Place::Worn(bob, WearSlot::Head));
    make(world, 122, Place::Room(shed));
    let lobby = world.start_room();
    let heap = world.make_money(30);
    world.place_object(heap, Place::Room(shed));
    let pouch = make(world, 142, Place::Room(lobby));
    make(world, 121, Place::Inside(pouch));
    let armor = world.who(bob).now.armor;
    scene.does("Ann", "murder bob");
    assert_eq!(scene.world.who(bob).position, Position::Fighting);

    let (after, adopted) = adopt(
        &scene,
        with(&content, |content| {
            content.rooms.retain(|room| room.vnum != 103);
            content.objects.retain(|object| ![122, 125, 142].contains(&object.vnum));
        }),
    );
    assert_eq!(after.check_all(), Vec::<String>::new());
    let mut list: Vec<(String, i32, usize)> =
        adopted.set_aside.iter().map(|a| (a.from.clone(), a.object.vnum, a.object.count())).collect();
    list.sort();
    let expected = [
        ("Ann, in a leather bag", 122, 1),
        ("Bob", 125, 1),
        ("room 100", 142, 2), // the sword in it stays with it, though swords are still made
        ("room 103", 122, 1),
    ];
    assert_eq!(list, expected.map(|(from, vnum, count)| (from.to_string(), vnum, count)));
    assert_eq!(*adopted.set_aside[1].object.texts[1], *"a loaf of bread");
    assert!(after.get_object(loaf).is_none() && after.get_object(bag).is_some());
    assert_eq!(after.object(heap).place, Place::Room(after.start_room()), "coins outlast their room");
    assert!(after.who(bob).now.armor > armor, "what is not worn protects nobody");
    for who in [ann, bob] {
        assert_eq!(after.who(who).room, after.start_room());
        assert_eq!((after.who(who).fighting, after.who(who).position), (None, Position::Standing));
    }
    assert_eq!(adopted.moved.iter().map(|name| name.to_string()).collect::<Vec<_>>(), ["Ann", "Bob"]);
    let said = adopted.to_string();
    assert!(said.contains("moved to the start room: Ann, Bob;"), "{said}");
    assert!(said.contains("a small pouch (object 142), from room 100, with 1 more in it"), "{said}");
}

#[test]
fn followers_and_fighters_of_a_mob_that_is_gone_are_free() {
    let (mut scene, content) = green();
    scene.does("Ann", "group");
    let (ann, bob) = (scene.id("Ann"), scene.id("Bob"));
    let rat = scene.world.content.mob_index(110).expect("a rat");
    let room = scene.world.who(ann).room;
    let rat = scene.world.make_mob(rat, room);
    scene.world.start_following(rat, ann);
    scene.world.set_fighting(bob, rat);
    scene.world.set_fighting(rat, bob);
    assert_eq!(scene.world.check_all(), Vec::<String>::new());
    let (after, adopted) = adopt(&scene, with(&content, |content| content.mobs.retain(|mob| mob.vnum != 110)));
    assert_eq!(after.check_all(), Vec::<String>::new());
    assert_eq!(adopted.mobs_gone, [(110, 1)]);
    assert!(after.character(rat).is_none() && after.who(ann).followers.is_empty());
    assert_eq!((after.who(bob).fighting, after.who(bob).room), (None, room));
}

#[test]
fn doors_stay_as_they_are_until_their_builder_changes_them() {
    let (mut scene, content) = green();
    // The trapdoor of the inn is shut by a reset, and open now.
    let inn = scene.world.room_by_vnum(101).expect("an inn");
    let down = scene.world.exit_index(inn, Direction::Down).expect("a trapdoor");
    scene.world.state.rooms.get_mut(inn).doors[down] = DoorFlags::DOOR;
    let (after, _) = adopt(&scene, with(&content, |content| content.rooms.push(room(1, 1))));
    let inn_after = after.room_by_vnum(101).expect("an inn");
    assert_ne!(inn_after, inn, "its index is another one");
    assert_eq!(after.room(inn_after).doors[down], DoorFlags::DOOR);
    let (after, _) = adopt(
        &scene,
        with(&content, |content| {
            let inn = content.rooms.iter_mut().find(|room| room.vnum == 101).expect("an inn");
            inn.exits[down].door = DoorFlags::DOOR.with(DoorFlags::PICKPROOF);
            inn.exits.push(ExitProto {
                direction: Direction::West,
                to: Some(100),
                description: "".into(),
                keywords: "hatch".into(),
                door: DoorFlags::DOOR,
                key: None,
            });
        }),
    );
    assert_eq!(after.check_all(), Vec::<String>::new());
    assert_eq!(after.room(inn).doors[down], DoorFlags::DOOR.with(DoorFlags::PICKPROOF));
}

#[test]
fn what_came_from_an_older_world_than_the_last_stays() {
    let (mut scene, content) = green();
    let ann = scene.id("Ann");
    let relic = scene.world.make_object(121).expect("a sword");
    scene.world.place_object(relic, Place::Carried(ann));
    let without = |more: i32| with(&content, |content| content.objects.retain(|o| o.vnum != 121 && o.vnum != more));
    let mut record = scene.world.record_of(ann).expect("she is a player");
    record.name = "Cara".into();
    // A stored character comes into a world that has no such sword any more.
    let mut later = Scene::on(without(0), 3);
    let enter = world::Input::Enter { record: Box::new(record), agent: false };
    let cara = later.world.apply(&enter).entered.expect("she comes in");
    let (after, adopted) = adopt(&later, without(122));
    assert!(adopted.set_aside.iter().all(|aside| aside.object.vnum != 121), "{adopted}");
    assert_eq!(after.who(cara).carrying.iter().map(|id| after.object(*id).vnum).collect::<Vec<_>>(), [121]);
    assert_eq!(after.check_all(), Vec::<String>::new());
}
