//! Floors and rooms with thousands in them: what is shown of them, and what becomes of them.

use content::ObjectKind;
use content::flags::ObjectFlags;
use content::words::WearSlot;
use tests::scene::{Person, Scene};
use world::character::Link;
use world::clock::TICKS_PER_HOUR;
use world::object::Place;
use world::phases::floors::FLOOR_MAX;
use world::phases::links::NAMED_MAX;
use world::sight::SEEN_MAX;
use world::{Admin, CharacterId, Input, ObjectId, World};

const INN: i32 = 101;
/// Nothing falls into it but what somebody carries.
const CELLAR: i32 = 104;
const TORCH: i32 = 126;
/// Ticks in which a floor of ten thousand things is cleared.
const CLEARED_TICKS: usize = 300;

/// The inn with so many things on its floor, put there as a version without limits left them.
fn littered(objects: usize) -> (Scene, CharacterId, Vec<ObjectId>) {
    let mut scene = Scene::open("green", 5);
    let (ann, _) = scene.enter("Ann", &Person { room: Some(INN), agent: true, ..Person::default() });
    let inn = scene.world.room_by_vnum(INN).expect("the inn");
    let vnums = [121, 122, 124];
    let litter = (0..objects)
        .map(|n| {
            let id = scene.world.make_object(vnums[n % vnums.len()]).expect("a thing of the scene");
            scene.world.place_object(id, Place::Room(inn));
            id
        })
        .collect();
    (scene, ann, litter)
}

#[test]
fn a_heap_is_shown_up_to_a_number_and_the_rest_is_counted() {
    let (mut scene, ann, litter) = littered(10_000);
    let items = scene.world.room_items(ann);
    let lying = scene.world.room(scene.world.who(ann).room).objects.len();
    assert_eq!(items.len(), SEEN_MAX);
    assert_eq!(items.iter().map(|item| item.more as usize).collect::<Vec<_>>()[SEEN_MAX - 2..], [0, lying - SEEN_MAX]);
    for item in items.iter().step_by(17) {
        let found = scene.world.find_on_floor(ann, &item.target_string).expect("what is listed is found");
        assert_eq!(scene.world.object_instance_of(found), item.instance_id, "{}", item.target_string);
    }
    // Only the last row of a list that was cut says so.
    let json = serde_json::to_string(&items).expect("plain");
    assert_eq!(json.matches("\"more\"").count(), 1);
    let report = scene.does("Ann", "look");
    assert!(scene.read_by("Ann", &report).lines().count() < SEEN_MAX);
    assert!(litter.iter().all(|id| scene.world.get_object(*id).is_some()), "looking takes nothing");
}

#[test]
fn a_crowd_is_shown_up_to_a_number_and_the_rest_is_counted() {
    let mut scene = Scene::open("green", 5);
    let (ann, _) = scene.enter("Ann", &Person { room: Some(INN), agent: true, ..Person::default() });
    let inn = scene.world.room_by_vnum(INN).expect("the inn");
    let proto = scene.world.content.mob_index(112).expect("a mob of the scene");
    for _ in 0..SEEN_MAX + 50 {
        scene.world.make_mob(proto, inn);
    }
    let mobs = scene.world.room_mobs(ann);
    let here = scene.world.room(inn).characters.iter().filter(|id| scene.world.who(**id).is_mob()).count();
    assert_eq!((mobs.len(), mobs.last().map(|mob| mob.more as usize)), (SEEN_MAX, Some(here - SEEN_MAX)));
    for mob in mobs.iter().step_by(11) {
        let found = scene.world.find_here(ann, &mob.target_string).expect("who is listed is found");
        assert_eq!(scene.world.instance_of(found), mob.instance_id, "{}", mob.target_string);
    }
    // Who looks alike is counted, and takes one line of those that are shown.
    let report = scene.does("Ann", "look");
    let counted = format!("({here}) A red bull paws the ground.");
    assert!(scene.read_by("Ann", &report).ends_with(&counted), "{}", scene.read_by("Ann", &report));
    let letters = || 'a'..='z';
    let names = letters().flat_map(|first| letters().map(move |second| format!("P{first}{second}x")));
    for name in names.take(SEEN_MAX + 50) {
        scene.enter(&name, &Person { room: Some(INN), ..Person::default() });
    }
    let report = scene.does("Ann", "look");
    let read = scene.read_by("Ann", &report);
    assert!(read.contains(&counted) && read.ends_with("There are 51 more in the crowd."), "{read}");
}

#[test]
fn what_has_lain_longest_on_a_full_floor_falls_to_dust_before_peoples_eyes() {
    let (mut scene, _, litter) = littered(10_000);
    scene.enter("Bob", &Person { room: Some(INN), ..Person::default() });
    scene.does("Bob", "sleep");
    let coins = scene.world.coins();
    let (mut made, mut told) = (0, 0);
    for _ in 0..CLEARED_TICKS {
        let report = scene.tick();
        made += report.coins_made;
        let read = scene.read_by("Ann", &report);
        told += usize::from(read.contains("Too much lies about here. What has lain longest falls to dust: "));
        assert!(!scene.read_by("Bob", &report).contains("Too much lies"), "he is asleep");
    }
    let inn = scene.world.room_by_vnum(INN).expect("the inn");
    assert_eq!(scene.world.room(inn).objects.len(), FLOOR_MAX);
    assert!(told >= (10_000 - FLOOR_MAX) / FLOOR_MAX, "a word each time: {told}");
    let newest = litter.iter().rev().take(FLOOR_MAX / 2);
    assert!(newest.into_iter().all(|id| scene.world.get_object(*id).is_some()), "the oldest go first");
    assert!(scene.world.get_object(litter[0]).is_none());
    assert_eq!(scene.world.coins() - coins, made, "not a coin is lost on the way");
    assert!(scene.world.check_all().is_empty(), "{:#?}", scene.world.check_all());
}

#[test]
fn what_is_rare_or_somebodys_own_or_the_last_of_its_kind_is_spared() {
    let mut scene = Scene::open("green", 5);
    let inn = scene.world.room_by_vnum(INN).expect("the inn");
    let floor = Place::Room(inn);
    let lay = |scene: &mut Scene, vnum: i32| {
        let id = scene.world.make_object(vnum).expect("a thing of the scene");
        scene.world.place_object(id, floor);
        id
    };
    let (rare, quest, own, timed) =
        (lay(&mut scene, 122), lay(&mut scene, 122), lay(&mut scene, 122), lay(&mut scene, 122));
    scene.world.object_mut(rare).flags.insert(ObjectFlags::RARE);
    scene.world.object_mut(quest).flags.insert(ObjectFlags::QUEST);
    scene.world.object_mut(own).short = "a loaf with Bob's teeth in it".into();
    scene.world.object_mut(timed).timer_hours = 100;
    let coins = scene.world.make_money(30);
    scene.world.place_object(coins, floor);
    // A full bag goes after everything that is loose, and leaves what is to be spared.
    let bags: Vec<ObjectId> = (0..FLOOR_MAX + 20).map(|_| lay(&mut scene, 123)).collect();
    let bread = scene.world.make_object(122).expect("a thing of the scene");
    scene.world.place_object(bread, Place::Inside(bags[0]));
    let ring = scene.world.make_object(128).expect("a thing of the scene");
    scene.world.place_object(ring, Place::Inside(bags[0]));
    scene.world.object_mut(ring).flags.insert(ObjectFlags::QUEST);
    let spared = [rare, quest, own, timed, coins, ring];
    for _ in 0..CLEARED_TICKS {
        scene.tick();
    }
    for id in spared {
        assert!(scene.world.get_object(id).is_some(), "{id:?}");
    }
    assert!(scene.world.get_object(bags[0]).is_some(), "there was enough that is loose");
    assert!(scene.world.get_object(bags[1]).is_none() && scene.world.get_object(bags[FLOOR_MAX]).is_some());
    // Now nothing but full bags: the oldest goes, with the bread; the ring stays.
    let content = scene.world.content.clone();
    for id in bags.iter().copied().filter(|id| *id != bags[0]) {
        if scene.world.get_object(id).is_some() {
            let vnum = content.object(122).expect("bread").vnum;
            let bread = scene.world.make_object(vnum).expect("a thing of the scene");
            scene.world.place_object(bread, Place::Inside(id));
        }
    }
    let loose: Vec<ObjectId> = (0..10).map(|_| lay(&mut scene, 123)).collect();
    for id in loose {
        let bread = scene.world.make_object(122).expect("a thing of the scene");
        scene.world.place_object(bread, Place::Inside(id));
    }
    (0..10).for_each(|_| drop(scene.tick()));
    assert!(scene.world.get_object(bags[0]).is_none() && scene.world.get_object(bread).is_none());
    assert_eq!(scene.world.object(ring).place, floor);
    assert!(scene.world.check_all().is_empty(), "{:#?}", scene.world.check_all());
}

/// Lets so many people with names of their own stand in a room.
fn crowd(scene: &mut Scene, room: i32, count: usize) -> Vec<CharacterId> {
    let person = Person { room: Some(room), ..Person::default() };
    (0..count).map(|n| scene.enter(&format!("Guest{n}"), &person).0).collect()
}

#[test]
fn a_room_is_as_dark_as_the_lights_in_it_say_however_they_come_and_go() {
    let mut scene = Scene::open("green", 5);
    let people = crowd(&mut scene, CELLAR, 40);
    let (ann, bob) = (people[0], people[39]);
    let [cellar, inn] = [CELLAR, INN].map(|vnum| scene.world.room_by_vnum(vnum).expect("a room of the scene"));
    let torch = |world: &mut World, hours: i32| {
        let torch = world.make_object(TORCH).expect("a torch of the scene");
        world.object_mut(torch).kind = ObjectKind::Light { hours };
        torch
    };
    let is_dark = |scene: &Scene, why: &str| {
        assert!(scene.world.check_all().is_empty(), "{why}: {:#?}", scene.world.check_all());
        scene.world.is_dark(cellar)
    };
    assert!(is_dark(&scene, "nobody has a light"));
    let first = torch(&mut scene.world, 100);
    scene.world.place_object(first, Place::Carried(ann));
    assert!(is_dark(&scene, "it is in her pack"));
    scene.world.place_object(first, Place::Worn(ann, WearSlot::Light));
    assert!(!is_dark(&scene, "she lit it"));
    let second = torch(&mut scene.world, 1);
    scene.world.place_object(second, Place::Worn(bob, WearSlot::Hold));
    scene.world.move_character(ann, inn);
    assert!(!is_dark(&scene, "the other still burns"));
    (0..TICKS_PER_HOUR).for_each(|_| drop(scene.tick()));
    assert!(is_dark(&scene, "it burnt out"));
    scene.world.move_character(ann, cellar);
    assert!(!is_dark(&scene, "she is back"));
    let restored = World::resume(scene.world.content.clone(), scene.world.rules.clone(), scene.world.state.clone());
    assert!(!restored.is_dark(cellar) && restored.check_all().is_empty(), "it is counted from the state");
    scene.world.apply(&Input::Admin(Admin::Remove { who: ann, reason: "Enough.".into() }));
    assert!(is_dark(&scene, "she left the world, and her light with her"));
}

#[test]
fn a_crowd_that_leaves_at_once_is_counted_and_not_named_to_each_other() {
    const GUESTS: usize = 60;
    let mut scene = Scene::open("green", 5);
    let guests = crowd(&mut scene, INN, GUESTS);
    scene.enter("Ann", &Person { room: Some(INN), ..Person::default() });
    let since_tick = scene.world.tick();
    for who in &guests {
        scene.world.apply(&Input::Link { who: *who, link: Link::Lost { since_tick }, agent: false });
    }
    let mut report = scene.tick();
    for _ in 0..1_000 {
        if guests.iter().all(|id| scene.world.character(*id).is_none()) {
            break;
        }
        report = scene.tick();
    }
    let read = scene.read_by("Ann", &report);
    assert_eq!(read.matches("has left the world.").count(), NAMED_MAX, "{read}");
    assert!(read.ends_with(&format!("{} more have left the world.", GUESTS - NAMED_MAX)), "{read}");
    let lines = report.lines.iter().filter(|(_, line)| line.text.contains("left the world")).count();
    assert!(lines <= GUESTS * (NAMED_MAX + 1), "{lines} lines for {GUESTS} people");
    assert!(scene.world.check_all().is_empty(), "{:#?}", scene.world.check_all());
}
