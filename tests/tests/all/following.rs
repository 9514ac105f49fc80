//! Followers: how many there may be, who goes along, and what an old save may hold of them.

use tests::scene::{Person, Scene};
use world::character::{Kind, Link};
use world::followers::{FOLLOWERS_MAX, FOLLOWING_DEPTH_MAX, PARTY_MAX};
use world::world::State;
use world::{CharacterId, Input, World};

const GREEN: i32 = 100;
const INN: i32 = 101;
/// What an old save may hold: versions before had no limit.
const CROWD: usize = 6_000;
/// Far less than a thread of the server has, and enough for anything that does not recurse.
const STACK_BYTES: usize = 512 << 10;

fn scene(names: &[&str]) -> Scene {
    let mut scene = Scene::open("green", 1);
    for name in names {
        scene.enter(name, &Person { room: Some(GREEN), ..Person::default() });
    }
    scene
}

/// Ann, and others like her beside her, written straight into the state, each linked: `leader_of` says behind whom.
fn crowd(leader_of: impl Fn(&[CharacterId]) -> CharacterId) -> (World, Vec<CharacterId>) {
    let mut world = scene(&["Ann"]).world;
    let ann = world.find_player("ann").expect("she is here");
    let mut people = vec![ann];
    for n in 1..CROWD {
        let mut other = world.who(ann).clone();
        other.name = format!("Ann{n}").into();
        other.keywords = format!("ann{n}").into();
        other.serial = world.state.next_serial;
        other.instance = Default::default();
        world.state.next_serial += 1;
        let leader = leader_of(&people);
        other.leader = Some(leader);
        other.followers.clear();
        let (room, key) = (other.room, other.keywords.clone());
        let id = world.state.characters.insert(other);
        world.state.rooms.get_mut(room).characters.push(id);
        world.state.players.insert(key, id);
        world.who_mut(leader).followers.push(id);
        people.push(id);
    }
    let bytes = postcard::to_stdvec(&world.state).expect("a state can be saved");
    let state: State = postcard::from_bytes(&bytes).expect("and loaded");
    (World::resume(world.content, world.rules, state), people)
}

fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(test).expect("a thread");
    thread.join().expect("the stack holds it");
}

fn in_room(world: &World, people: &[CharacterId], vnum: i32) -> usize {
    let room = world.room_by_vnum(vnum).expect("a room of the scene");
    people.iter().filter(|id| world.character(**id).is_some_and(|c| c.room == room)).count()
}

#[test]
fn a_chain_of_thousands_in_an_old_save_takes_a_step_without_end_of_stack_or_patience() {
    on_a_small_stack(|| {
        let (mut world, people) = crowd(|people| people[people.len() - 1]);
        let report = world.apply(&Input::Command { who: people[0], line: "north".into() });
        assert_eq!(in_room(&world, &people, INN), PARTY_MAX);
        let lost: Vec<CharacterId> = report
            .lines
            .iter()
            .filter(|(_, line)| line.text == "There are too many in the way, and you lose her.")
            .map(|(to, _)| to)
            .collect();
        assert_eq!(lost, [people[PARTY_MAX]], "whom the crowd held back knows it");
        // One who goes away tears the chain in two; the others go on following.
        world.apply(&Input::Command { who: people[1], line: "quit".into() });
        assert!(world.character(people[1]).is_none());
        assert_eq!(world.who(people[3]).leader, Some(people[2]));
        world.apply(&Input::Tick);
    });
}

#[test]
fn a_crowd_behind_one_leader_in_an_old_save_lets_it_walk_and_go() {
    on_a_small_stack(|| {
        let (mut world, people) = crowd(|people| people[0]);
        world.apply(&Input::Command { who: people[0], line: "north".into() });
        assert_eq!(in_room(&world, &people, INN), PARTY_MAX);
        let report = world.apply(&Input::Command { who: people[0], line: "quit".into() });
        assert!(people[1..].iter().all(|id| world.who(*id).leader.is_none()));
        let most = 6 * CROWD;
        assert!(report.lines.len() < most, "{} lines for {CROWD} people", report.lines.len());
    });
}

#[test]
fn only_so_many_follow_one_leader_and_only_so_deep() {
    let names: Vec<String> = (0..FOLLOWERS_MAX + 2).map(|n| format!("N{}", letters(n))).collect();
    let mut wide = scene(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let answer = |scene: &mut Scene, who: &str, leader: &str| {
        let report = scene.does(who, &format!("follow {leader}"));
        scene.read_by(who, &report)
    };
    for name in &names[1..=FOLLOWERS_MAX] {
        assert!(answer(&mut wide, name, &names[0]).starts_with("You follow"), "{name}");
    }
    assert_eq!(answer(&mut wide, &names[FOLLOWERS_MAX + 1], &names[0]), "Too many follow her already.");
    let mut deep = scene(&names.iter().map(String::as_str).collect::<Vec<_>>());
    // From the back, so that each brings what is behind it along.
    for n in 0..FOLLOWING_DEPTH_MAX {
        let (who, leader) = (&names[FOLLOWING_DEPTH_MAX - n], &names[FOLLOWING_DEPTH_MAX - n - 1]);
        assert!(answer(&mut deep, who, leader).starts_with("You follow"), "{who}");
    }
    let too_long = "That line is long enough: nobody at its end could see who walks in front.";
    assert_eq!(answer(&mut deep, &names[10], &names[FOLLOWING_DEPTH_MAX]), too_long);
    assert_eq!(answer(&mut deep, &names[0], &names[10]), too_long, "nor may the whole line go behind another");
    assert!(deep.world.check_all().is_empty());
}

#[test]
fn a_party_has_an_end_but_its_members_may_change_places() {
    let names: Vec<String> = (0..=PARTY_MAX).map(|n| format!("N{}", letters(n))).collect();
    let mut scene = scene(&names.iter().map(String::as_str).collect::<Vec<_>>());
    // Half behind the first, the others behind the second.
    for (n, name) in names.iter().enumerate().take(PARTY_MAX).skip(1) {
        let leader = if n <= FOLLOWERS_MAX { &names[0] } else { &names[1] };
        scene.does(name, &format!("follow {leader}"));
    }
    let (last, late) = (&names[PARTY_MAX - 1], &names[PARTY_MAX]);
    let report = scene.does(late, &format!("follow {}", names[2]));
    assert_eq!(scene.read_by(late, &report), "Too many walk together already.");
    scene.does(last, &format!("follow {}", names[2]));
    assert_eq!(scene.world.who(scene.id(last)).leader, Some(scene.id(&names[2])));
    let report = scene.does(&names[0], "north");
    let people: Vec<CharacterId> = names.iter().map(|name| scene.id(name)).collect();
    assert_eq!(in_room(&scene.world, &people, INN), PARTY_MAX, "all but the one who was too late");
    // Each hears of each, and reads one room: no more than that.
    assert!(report.lines.len() <= PARTY_MAX * (2 * PARTY_MAX + 3), "{}", report.lines.len());
}

/// A name of letters for a number.
fn letters(n: usize) -> String {
    let letter = |n: usize| char::from(b'a' + n as u8);
    [letter(n / 26), letter(n % 26)].iter().collect()
}

#[test]
fn a_body_without_a_connection_stays_and_follows_again_when_its_owner_is_back() {
    let mut scene = scene(&["Ann", "Bob"]);
    scene.does("Bob", "follow ann");
    let bob = scene.id("Bob");
    let since_tick = scene.world.tick();
    scene.world.apply(&Input::Link { who: bob, link: Link::Lost { since_tick }, agent: false });
    scene.does("Ann", "north");
    assert_eq!(in_room(&scene.world, &[bob], GREEN), 1);
    scene.does("Ann", "south");
    scene.world.apply(&Input::Link { who: bob, link: Link::Linked, agent: false });
    scene.does("Ann", "north");
    assert_eq!(in_room(&scene.world, &[bob], INN), 1);
}

#[test]
fn whoever_is_followed_unseen_is_told_by_whom_it_cannot_see() {
    let mut scene = scene(&["Ann", "Bob"]);
    let bob = scene.id("Bob");
    scene.world.who_mut(bob).base.flags.insert(content::flags::AffectFlags::INVISIBLE);
    scene.world.recompute(bob);
    let report = scene.does("Bob", "follow ann");
    assert_eq!(scene.read_by("Ann", &report), "Someone follows you now.");
    assert!(matches!(scene.world.who(bob).kind, Kind::Player(_)));
}
