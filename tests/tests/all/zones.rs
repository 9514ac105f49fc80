//! Resets, command by command, in a world of two rooms.

use content::words::{Direction, WearSlot};
use content::{Content, ReadOptions, Source};
use std::sync::Arc;
use world::rules::Rules;
use world::{Input, World};

const WORLD: &str = "name = \"Two Rooms\"\nstart_room = 100\n";
const ZONE: &str =
    "number = 1\nname = \"Two Rooms\"\nfirst = 100\nlast = 199\nlifespan_minutes = 1\nreset = \"always\"\n";
const ROOMS: &str = r#"
[[room]]
vnum = 100
name = "Here"
description = "Here."
[room.exits.north]
to = 101
keywords = "door"
door = ["door"]
[[room]]
vnum = 101
name = "There"
description = "There."
[room.exits.south]
to = 100
keywords = "door"
door = ["door"]
"#;
const MOBS: &str = r#"
[[mob]]
vnum = 110
keywords = "man"
short = "a man"
long = "A man is here."
level = 1
hit_points = "1d1+9"
damage = "1d1+0"
flags = ["sentinel"]
"#;
const OBJECTS: &str = r#"
[[object]]
vnum = 120
keywords = "box"
short = "a box"
long = "A box is here."
wear = ["take"]
[object.kind]
type = "container"
capacity = 100
[[object]]
vnum = 121
keywords = "cap"
short = "a cap"
long = "A cap is here."
wear = ["take", "head"]
[object.kind]
type = "worn"
[[object]]
vnum = 122
keywords = "gem"
short = "a gem"
long = "A gem is here."
wear = ["take"]
load_percent = 0.0
[object.kind]
type = "treasure"
"#;

/// A world whose one zone has these reset commands, one row of TOML each.
fn world(commands: &[&str]) -> World {
    let resets: String = commands.iter().map(|c| format!("[[command]]\n{c}\n")).collect();
    let zone = "zones/1_two_rooms";
    let files = [
        ("world.toml".to_string(), WORLD.to_string()),
        (format!("{zone}/zone.toml"), ZONE.to_string()),
        (format!("{zone}/rooms.toml"), ROOMS.to_string()),
        (format!("{zone}/mobs.toml"), MOBS.to_string()),
        (format!("{zone}/objects.toml"), OBJECTS.to_string()),
        (format!("{zone}/resets.toml"), resets),
    ];
    let (content, problems) = content::read(&Source::of(files), &ReadOptions::default());
    assert!(!problems.has_errors(), "{:#?}", problems.0);
    let content: Arc<Content> = Arc::new(content);
    World::new(content, Arc::new(Rules::built_in()), 1)
}

fn alive(world: &World, vnum: i32) -> usize {
    world.state.objects.iter().filter(|(_, o)| o.vnum == vnum).count()
}

const MAN: &str = "mob = { mob = 110, max = 1, room = 100 }";
const CAP: &str = "if_last = true\nequip = { object = 121, max = 9, slot = \"head\" }";

#[test]
fn the_most_in_the_world_are_not_exceeded_by_a_second_reset() {
    let mut world = world(&["mob = { mob = 110, max = 2, room = 100 }"]);
    assert_eq!(world.mobs_alive(0), 1);
    for expected in [2, 2] {
        world.reset_zone(0);
        assert_eq!(world.mobs_alive(0), expected);
    }
}

#[test]
fn what_hangs_on_a_mob_that_did_not_come_is_left_out() {
    let mut world = world(&[MAN, CAP]);
    world.reset_zone(0);
    assert_eq!((world.mobs_alive(0), alive(&world, 121)), (1, 1));
    let (_, man) = world.state.characters.iter().next().expect("the man");
    assert!(man.wears(WearSlot::Head).is_some());
}

#[test]
fn a_dependent_command_that_fails_does_not_stop_those_after_it() {
    let gem = "if_last = true\ngive = { object = 122, max = 9 }";
    let world = world(&[MAN, gem, CAP]);
    assert_eq!((alive(&world, 122), alive(&world, 121)), (0, 1));
}

#[test]
fn a_removal_counts_at_once() {
    let remove = "remove_mob = { room = 100, mob = 110 }";
    let mut world = world(&[remove, MAN]);
    let before = world.state.characters.iter().next().expect("the man").1.serial;
    world.reset_zone(0);
    let after = world.state.characters.iter().next().expect("another man").1.serial;
    assert_eq!(world.mobs_alive(0), 1);
    assert_ne!(before, after);
}

#[test]
fn a_loop_is_done_as_often_as_it_says() {
    let put = "object = { object = 121, max = 99, room = 101 }";
    let world = world(&["loop_start = { count = 3 }", put, "loop_end = {}", put]);
    assert_eq!(alive(&world, 121), 4);
}

#[test]
fn things_go_into_the_newest_container() {
    let boxed = "object = { object = 120, max = 9, room = 100 }";
    let put = "if_last = true\nput = { object = 121, max = 9, container = 120 }";
    let world = world(&[boxed, put, boxed, put, put]);
    let mut held: Vec<usize> =
        world.state.objects.iter().filter(|(_, o)| o.vnum == 120).map(|(_, o)| o.contents.len()).collect();
    held.sort_unstable();
    assert_eq!(held, [1, 2]);
}

#[test]
fn a_reset_shuts_one_side_of_a_door_and_only_that() {
    let mut world = world(&["door = { room = 100, direction = \"north\", closed = true, locked = true }"]);
    let here = world.room_by_vnum(100).expect("it is there");
    let there = world.room_by_vnum(101).expect("it is there");
    assert!(world.open_way(here, Direction::North).is_none());
    assert!(world.open_way(there, Direction::South).is_some());
    world.set_door(here, Direction::North, false, false);
    for _ in 0..30 {
        world.apply(&Input::Tick);
    }
    assert!(world.open_way(here, Direction::North).is_none(), "a zone of one minute is reset after 30 ticks");
}
