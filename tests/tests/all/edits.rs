//! Content that is edited while it is played (`Input::Edit`): what follows it and what stays, what is refused, and that
//! snapshots, replays and new content know of it.

use content::edit::RowKind;
use content::{Content, RoomId};
use std::sync::Arc;
use tests::scene::{Person, Scene, read_content, tests_folder};
use world::adopt::Adopted;
use world::input::Input;
use world::report::{Report, Request};
use world::rules::Rules;
use world::world::State;
use world::{CharacterId, World};

/// A new room in the middle of the numbers, and a way to it.
const CELLAR: &str = r#"
[[room]]
vnum = 99
name = "Below"
description = "It is in no zone."
"#;

const GREEN_AND_MAZE: &str = r#"
[[room]]
vnum = 100
name = "The Scorched Green"
description = "The grass is gone."
[room.exits.north]
to = 101
[room.exits.down]
to = 150
keywords = "grate"
door = ["door"]

[[room]]
vnum = 150
name = "The Maze"
description = "Green walls, and a smell of yew."
[room.exits.up]
to = 100
"#;

const SWORD: &str = r#"
[[object]]
vnum = 119
keywords = "sickle"
short = "a sickle"
long = "A sickle lies here."
wear = ["take", "wield"]
[object.kind]
type = "weapon"
dice = 1
sides = 4
attack = "slash"
"#;

fn edit(world: &mut World, rows: &str) -> Report {
    world.apply(&Input::Edit { by: "Mason".into(), rows: rows.into() })
}

fn logged(report: &Report) -> Vec<&str> {
    let log = report.requests.iter().filter_map(|request| match request {
        Request::Log { text } => Some(text.as_str()),
        _ => None,
    });
    log.collect()
}

fn begin() -> Scene {
    let mut scene = Scene::open("green", 5);
    scene.enter("Ann", &Person { level: 20, room: Some(103), ..Person::default() });
    scene.enter("Bob", &Person { level: 20, ..Person::default() });
    scene.does("Ann", "kill Bob");
    scene
}

/// Where everybody and everything is, by numbers that no edit changes.
fn whereabouts(world: &World) -> Vec<String> {
    let vnum = |id: RoomId| world.room_proto(id).vnum;
    let people = world.state.characters.iter().map(|(_, c)| format!("{} {} {}", c.serial, c.name, vnum(c.room)));
    let floors =
        world.state.rooms.iter().map(|(id, room)| format!("{} {:?} {:?}", vnum(id), room.characters, room.objects));
    people.chain(floors.filter(|line| !line.starts_with("150 "))).collect()
}

#[test]
fn a_new_room_is_walked_into_and_nobody_is_moved_by_it() {
    let mut scene = begin();
    let before = whereabouts(&scene.world);
    let report = edit(&mut scene.world, GREEN_AND_MAZE);
    assert_eq!(logged(&report), ["Mason edited room 100, room 150"]);
    assert_eq!(whereabouts(&scene.world), before);
    assert!(scene.world.check_all().is_empty(), "{:#?}", scene.world.check_all());
    for (line, seen) in [
        ("look", "The Scorched Green"),
        ("open grate", "grate"),
        ("down", "a smell of yew"),
        ("up", "The grass is gone"),
    ] {
        let report = scene.does("Bob", line);
        assert!(scene.read_by("Bob", &report).contains(seen), "{line}: {}", scene.read_by("Bob", &report));
    }
    assert!(scene.world.check_all().is_empty(), "{:#?}", scene.world.check_all());
}

#[test]
fn what_was_made_before_keeps_its_values_and_what_is_made_after_has_the_new_ones() {
    let mut scene = begin();
    let room = scene.world.start_room();
    let old = scene.world.make_object(121).expect("there is a short sword");
    scene.world.place_object(old, world::object::Place::Room(room));
    let edited = SWORD.replace("119", "121");
    edit(&mut scene.world, &edited);
    let new = scene.world.make_object(121).expect("there is a prototype");
    scene.world.place_object(new, world::object::Place::Room(room));
    let shorts = [old, new].map(|id| scene.world.get_object(id).expect("it is there").short.to_string());
    assert_eq!(shorts, ["a short sword", "a sickle"]);
    // One below all others moves every index behind it.
    edit(&mut scene.world, SWORD);
    assert!(scene.world.make_object(119).is_some());
    assert!(scene.world.make_object(122).is_some_and(|id| &*scene.world.object(id).short == "a loaf of bread"));
}

#[test]
fn rows_with_an_error_change_nothing_and_say_what_is_wrong() {
    let maze = |old: &str, new: &str| GREEN_AND_MAZE.replace(old, new);
    for (rows, wrong) in [
        (CELLAR.to_string(), "room #99 is in the range of no zone"),
        (maze("to = 150", "to = 151"), "leads to room #151, which does not exist"),
        (maze("vnum = 150", "vnum = 100"), "room #100 is already at edit:2"),
        (maze("name = \"The Maze\"", ""), "edit:13: error: room without name"),
        (maze("[\"door\"]", "[\"gate\"]"), "edit:11: error: door: unknown flag"),
        ("[[room]\nvnum".to_string(), "this is not TOML"),
        ("vnum = 3\n".to_string(), "there is no [[room]], [[mob]] or [[object]] in it"),
        (String::new(), "there is no [[room]], [[mob]] or [[object]] in it"),
    ] {
        let mut scene = begin();
        let before = scene.world.hashes();
        let report = edit(&mut scene.world, &rows);
        let log = logged(&report);
        assert!(log.len() == 1 && log[0].contains(wrong), "{wrong}: {log:?}");
        let after = scene.world.hashes();
        assert_eq!(before.differences(&after), ["clock"], "only the number of the input: {rows}");
        assert!(scene.world.state.edits.is_empty());
        assert!(world::edit::preview(&scene.world, &rows).is_err_and(|p| p.iter().any(|p| p.contains(wrong))));
    }
}

/// What happens before, at and after two edits.
fn story(ann: CharacterId, bob: CharacterId) -> Vec<Input> {
    let say = |who, line: &str| Input::Command { who, line: line.into() };
    let mut inputs = vec![say(bob, "look"), Input::Tick];
    inputs.push(Input::Edit { by: "Mason".into(), rows: GREEN_AND_MAZE.into() });
    inputs.extend([say(bob, "open grate"), say(bob, "down"), Input::Tick, say(ann, "flee")]);
    inputs.push(Input::Edit { by: "Mason".into(), rows: SWORD.into() });
    inputs.extend([say(ann, "look"), Input::Tick, say(bob, "up"), Input::Tick]);
    inputs
}

#[test]
fn a_replay_edits_again_from_any_snapshot() {
    let mut scene = begin();
    let base = Arc::new(read_content(&tests_folder().join("scenes/green")));
    let inputs = story(scene.id("Ann"), scene.id("Bob"));
    let mut snapshots: Vec<Vec<u8>> = Vec::new();
    for input in &inputs {
        snapshots.push(postcard::to_stdvec(&scene.world.snapshot()).expect("the state encodes"));
        scene.world.apply(input);
    }
    let end = scene.world.hashes();
    for (at, bytes) in snapshots.iter().enumerate() {
        let state: State = postcard::from_bytes(bytes).expect("it decodes");
        let mut world = World::resume(base.clone(), Arc::new(Rules::built_in()), state);
        for input in &inputs[at..] {
            world.apply(input);
        }
        assert_eq!(end.differences(&world.hashes()), [""; 0], "from before input {at}");
        assert_eq!(world.content.fingerprint(), scene.world.content.fingerprint(), "from before input {at}");
    }
    assert_ne!(scene.world.content.fingerprint(), base.fingerprint());
}

fn adopt(scene: &Scene, content: Content) -> (World, Adopted) {
    let old = scene.world.content.index();
    let (world, adopted) = World::adopt(Arc::new(content), Arc::new(Rules::built_in()), scene.world.snapshot(), &old);
    assert!(world.check_all().is_empty(), "{:#?}", world.check_all());
    (world, adopted)
}

#[test]
fn new_content_keeps_the_edits_but_those_whose_rows_their_builder_changed() {
    let mut scene = begin();
    for input in story(scene.id("Ann"), scene.id("Bob")) {
        scene.world.apply(&input);
    }
    let base = read_content(&tests_folder().join("scenes/green"));
    let kept = |world: &World| -> Vec<String> { world.state.edits.iter().map(ToString::to_string).collect() };

    let (same, adopted) = adopt(&scene, base.clone());
    assert_eq!(kept(&same), ["room 100", "room 150", "object 119"]);
    assert_eq!(scene.world.hashes(), same.hashes(), "not one bit differs");
    assert!(adopted.edits_gone.is_empty());

    // Another row was changed: nothing follows for the edits.
    let mut changed = base.clone();
    changed.rooms[1].name = "The Old Inn".into();
    let (world, adopted) = adopt(&scene, changed);
    assert_eq!((kept(&world).len(), adopted.edits_gone.len()), (3, 0));

    // This row was changed where it is written: that counts, and the maze is still there.
    let mut changed = base.clone();
    changed.rooms[0].name = "The Mown Green".into();
    let (world, adopted) = adopt(&scene, changed);
    assert_eq!(adopted.edits_gone, ["room 100"]);
    assert_eq!(kept(&world), ["room 150", "object 119"]);
    assert_eq!(&*world.room_proto(world.start_room()).name, "The Mown Green");
    assert!(adopted.to_string().contains("edits that hold no more: room 100"), "{adopted}");

    // What an edit needs is gone: the room that the maze leads to, so the maze, so the green.
    let mut changed = base;
    changed.zones.retain(|zone| zone.number != 1);
    changed.rooms.retain(|room| room.zone != 1);
    changed.start_room = changed.rooms[0].vnum;
    changed.build_look_ups();
    let (world, adopted) = adopt(&scene, changed);
    assert_eq!(adopted.edits_gone, ["room 100", "room 150"]);
    assert_eq!(kept(&world), ["object 119"]);
}

#[test]
fn an_edit_of_an_edit_is_one_row_and_written_as_a_file_has_it() {
    let mut scene = begin();
    edit(&mut scene.world, GREEN_AND_MAZE);
    edit(&mut scene.world, &GREEN_AND_MAZE.replace("The Scorched Green", "The Sown Green"));
    let edits = &scene.world.state.edits;
    assert_eq!(
        edits.iter().map(|row| (row.kind, row.vnum)).collect::<Vec<_>>(),
        [(RowKind::Room, 100), (RowKind::Room, 150)]
    );
    assert!(edits[0].text.starts_with("[[room]]\nvnum = 100\nname = \"The Sown Green\"\n"), "{}", edits[0].text);
    // It is still the builder's file that the first edit replaced.
    assert!(!content::edit::is_outdated(&edits[0], &read_content(&tests_folder().join("scenes/green"))));
}
