//! What a report tells of the commands that were run: who, which, before, after, and why not.

use content::words::Position;
use tests::scene::{Person, Scene};
use world::number::CommandId;
use world::report::{Capture, Ran, Vitals};
use world::{Input, Report};

/// Ada, an agent, and Bob, who is none, on the green.
fn green(capture: Capture) -> Scene {
    let mut scene = Scene::open("green", 5);
    scene.enter("Ada", &Person { agent: true, ..Person::default() });
    scene.enter("Bob", &Person::default());
    scene.world.capture = capture;
    scene
}

/// Verb, arguments, part, room before and after, refusal.
type Row<'a> = (&'a str, &'a str, u32, i32, i32, Option<&'a str>);

fn rows(report: &Report) -> Vec<Row<'_>> {
    fn row(ran: &Ran) -> Row<'_> {
        let Ran { id, word, args, before, after, refused, .. } = ran;
        (word, args, id.part, before.room, after.room, refused.as_deref())
    }
    report.ran.iter().map(row).collect()
}

#[test]
fn a_command_is_told_with_the_character_before_and_after() {
    let mut scene = green(Capture::Agents);
    let ada = scene.id("Ada");
    let before = scene.world.vitals(ada).expect("she is here");
    assert_eq!((before.position, before.room), (Position::Standing, 100));
    let report = scene.does("Ada", "  north ");
    let after = scene.world.vitals(ada).expect("she is here");
    assert_eq!(after, Vitals { room: 101, moves: after.moves, ..before });
    assert!(after.moves < before.moves, "a step costs something");
    let id = CommandId { input: report.number, part: 0 };
    assert_eq!(
        report.ran,
        [Ran { who: ada, id, word: "north".into(), args: "".into(), before, after, refused: None, asks: None }]
    );
    let report = scene.does("Ada", "rest");
    assert_eq!((report.ran[0].before.position, report.ran[0].after.position), (Position::Standing, Position::Resting));
}

#[test]
fn each_command_has_its_own_refusal() {
    let mut scene = green(Capture::Agents);
    scene.does("Ada", "alias go fly;north;west;look");
    let report = scene.does("Ada", "go");
    let refusals: Vec<_> = rows(&report).iter().map(|row| (row.0, row.2, row.5.is_some())).collect();
    assert_eq!(refusals, [("fly", 0, true), ("north", 1, false), ("west", 2, true), ("look", 3, false)]);
    assert_eq!((report.ran[1].after.room, report.ran[2].after.room), (101, 101));
    let fly = scene.does("Ada", "fly");
    assert_eq!(report.ran[0].refused.as_deref(), fly.refused.as_deref(), "the sentence that was shown");
    assert_eq!(report.refused.as_deref(), report.ran[2].refused.as_deref(), "the report keeps the last");
}

#[test]
fn an_empty_line_is_no_command() {
    let mut scene = green(Capture::Agents);
    assert_eq!(scene.does("Ada", "   ").ran, []);
}

#[test]
fn what_waited_is_told_when_it_is_run() {
    let mut scene = green(Capture::Agents);
    let ada = scene.id("Ada");
    scene.world.lag(ada, 2);
    let first = scene.does("Ada", "north");
    let second = scene.does("Ada", "up");
    assert_eq!((first.ran, second.ran), (vec![], vec![]), "they wait");
    assert_eq!(scene.tick().ran, []);
    let report = scene.tick();
    assert_eq!(rows(&report), [("north", "", 0, 100, 101, None), ("up", "", 0, 101, 107, None)]);
    let inputs: Vec<u64> = report.ran.iter().map(|ran| ran.id.input).collect();
    assert_eq!(inputs, [first.number, second.number]);
}

#[test]
fn what_finds_the_queue_full_is_told_at_once() {
    let mut scene = green(Capture::Agents);
    scene.world.lag(scene.id("Ada"), 1);
    for _ in 0..world::world::QUEUE_MAX {
        assert_eq!(scene.does("Ada", "look").ran, []);
    }
    let report = scene.does("Ada", "north");
    assert_eq!(rows(&report), [("north", "", 0, 100, 100, report.refused.as_deref())]);
    assert!(report.refused.is_some_and(|why| why.contains("busy")));
    assert_eq!(scene.tick().ran.len(), world::world::QUEUE_MAX);
}

#[test]
fn who_leaves_by_a_command_is_told_as_it_left() {
    let mut scene = green(Capture::Agents);
    scene.does("Ada", "north");
    scene.does("Ada", "rest");
    let left = scene.world.vitals(scene.id("Ada"));
    let report = scene.does("Ada", "quit");
    assert_eq!(scene.world.character(scene.id("Ada")).map(|_| ()), None);
    assert_eq!(Some(report.ran[0].after), left);
    assert_eq!(rows(&report), [("quit", "", 0, 101, 101, None)]);
}

#[test]
fn only_those_asked_for_are_told_of() {
    for (capture, ada, bob) in [(Capture::Nobody, 0, 0), (Capture::Agents, 1, 0), (Capture::Everybody, 1, 1)] {
        let mut scene = green(capture);
        let told = (scene.does("Ada", "look").ran.len(), scene.does("Bob", "look").ran.len());
        assert_eq!(told, (ada, bob), "{capture:?}");
    }
}

#[test]
fn what_somebody_is_forced_to_do_is_no_decision_of_its_own() {
    let mut scene = green(Capture::Everybody);
    scene.enter("Zoe", &Person { level: 40, ..Person::default() });
    let report = scene.does("Zoe", "force ada north");
    assert_eq!(rows(&report), [("force", "ada north", 0, 100, 100, None)]);
    assert_eq!(scene.world.vitals(scene.id("Ada")).map(|vitals| vitals.room), Some(101), "she went all the same");
    // Nor is its refusal the refusal of the one who forces.
    let report = scene.does("Zoe", "force ada fly");
    assert_eq!(report.ran[0].refused, None);
}

#[test]
fn an_alias_cannot_carry_a_password_into_a_row() {
    let mut scene = green(Capture::Agents);
    let report = scene.does("Ada", "alias pw look;password $*");
    assert!(report.ran[0].refused.as_deref().is_some_and(|why| why.contains("password")), "{:?}", report.ran);
    assert!(world::commands::strip_secret("alias pw look;password old new").secret.is_some(), "the edge keeps it");
}

#[test]
fn nothing_in_the_world_depends_on_what_is_captured() {
    let mut scenes = [green(Capture::Nobody), green(Capture::Agents), green(Capture::Everybody)];
    let lines = ["look", "north", "fly", "alias x south;kill rat;fly", "x", "kill bob", "north", "flee", "quit"];
    for n in 0..60 {
        let inputs = scenes[0].world.state.number;
        let mut ends = Vec::new();
        for scene in &mut scenes {
            assert_eq!(scene.world.state.number, inputs);
            let (name, line) = (["Ada", "Bob"][n % 2], lines[n / 2 % lines.len()]);
            let input = match n % 5 {
                4 => Input::Tick,
                _ => Input::Command { who: scene.id(name), line: line.to_string() },
            };
            let mut report = scene.world.apply(&input);
            report.ran.clear();
            ends.push((scene.world.hashes().all, format!("{report:?}")));
        }
        assert_eq!(ends[0], ends[1], "step {n}");
        assert_eq!(ends[0], ends[2], "step {n}");
    }
}

#[test]
fn a_character_that_was_stored_before_queues_had_numbers_still_loads() {
    let mut scene = green(Capture::Nobody);
    let ada = scene.id("Ada");
    scene.world.lag(ada, 3);
    scene.does("Ada", "north");
    let record = scene.world.record_of(ada).expect("she is here");
    let text = serde_json::to_string(&record).expect("a record is JSON");
    assert!(text.contains(r#""queue":[]"#), "what waits is not stored with the character: {text}");
    let read: world::record::CharacterRecord = serde_json::from_str(&text).expect("it is read again");
    assert!(read.player.queue.is_empty());
}
