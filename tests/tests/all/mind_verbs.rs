//! The world and the crate `mind` know the same verbs, each for its own part: they must agree on which lines may write.

use mind::edit::{self, VERBS};
use mind::projects::Shelf;
use mind::{LogEntry, MindState, VerbRequest};
use proptest::prelude::*;
use std::collections::BTreeSet;
use tests::scene::{Person, Scene};
use world::input::KnownPerson;
use world::report::{MindRequest, Request};
use world::{Admin, Input};

fn requests(scene: &mut Scene, line: &str) -> Vec<MindRequest> {
    let requests = scene.does("Ann", line).requests.into_iter();
    requests.filter_map(|request| if let Request::Mind(asked) = request { Some(*asked) } else { None }).collect()
}

fn scene() -> Scene {
    let mut scene = Scene::open("green", 1);
    scene.enter("Ann", &Person::default());
    // What an agent keeps to is for agents.
    let who = KnownPerson { name: "Ann".into(), person: None };
    let record = Admin::Agent { who, owner: None, terms: Box::default() };
    scene.world.apply(&Input::Admin(record));
    scene
}

#[test]
fn each_verb_of_a_mind_is_free_for_everybody_and_comes_to_the_mind() {
    let mut scene = scene();
    for (name, _) in VERBS {
        let verb = world::commands::VERBS.iter().find(|verb| verb.name == *name);
        let verb = verb.unwrap_or_else(|| panic!("the world knows no {name}"));
        assert!(verb.is_free() && verb.level == 0, "{name}");
        let line = match *name {
            "batch" => r#"batch ["note something"]"#.to_string(),
            // The world has to know who is meant.
            "share" => "share stop Bob".to_string(),
            // Which of the minds it is.
            "mind" => "mind inner propose north".to_string(),
            name => format!("{name} set something because it is so"),
        };
        let asked = requests(&mut scene, &line);
        assert_eq!(asked.iter().map(|asked| asked.verb).collect::<Vec<_>>(), [*name]);
    }
}

#[test]
fn what_only_the_server_writes_is_no_verb_and_has_its_number() {
    let mut scene = scene();
    let who = scene.id("Ann");
    for (name, _) in mind::edit::FOUND {
        assert!(world::commands::find_verb(name, world::character::LEVEL_MAX).is_none(), "{name}");
        let report = scene.world.apply(&Input::Found { who, verb: (*name).into(), args: "[]".into() });
        let asked: Vec<_> = report
            .requests
            .iter()
            .filter_map(|request| match request {
                world::report::Request::Mind(asked) => Some((asked.verb, asked.numbers)),
                _ => None,
            })
            .collect();
        assert_eq!(asked, [(*name, 1)]);
    }
}

#[test]
fn no_abbreviation_of_a_verb_means_another_because_of_a_mind() {
    let mind: BTreeSet<&str> = VERBS.iter().map(|(name, _)| *name).collect();
    // It had this place before, as the verb of a setting.
    let is_mind = |name: &str| mind.contains(name) && name != "compact";
    for level in [1, world::character::LEVEL_MAX] {
        for verb in world::commands::VERBS.iter().filter(|verb| !is_mind(verb.name) && !verb.traits.full_word) {
            // Some begin with their short, and with nothing less.
            let least = verb.shorts.iter().map(|short| short.len()).min().unwrap_or(1);
            for end in least..=verb.name.len() {
                let found = world::commands::find_verb(&verb.name[..end], level).map(|found| found.name);
                assert!(
                    verb.level > level || found.is_some_and(|found| !is_mind(found)),
                    "{}: {found:?}",
                    &verb.name[..end]
                );
            }
        }
    }
    let scene = scene();
    for social in &scene.world.content.socials {
        for end in 1..=social.name.len() {
            let found = world::commands::find_verb(&social.name[..end], 1);
            assert!(found.is_none_or(|found| !is_mind(found.name)), "{}", &social.name[..end]);
        }
    }
}

#[test]
fn numbers_rise_and_outlive_the_character_s_leaving() {
    let mut scene = scene();
    let firsts = |scene: &mut Scene, line: &str| -> Vec<(u64, u8)> {
        requests(scene, line).iter().map(|asked| (asked.first, asked.numbers)).collect()
    };
    scene.does("Ann", "alias both note one;compact;note");
    // The first number is that of the room in which she woke.
    assert_eq!(firsts(&mut scene, "both"), [(2, 1), (3, 2), (5, 0)]);
    assert_eq!(firsts(&mut scene, "note two"), [(5, 1)]);
    let who = scene.id("Ann");
    let record = scene.world.record_of(who).expect("she is here");
    assert_eq!(record.player.log_seq, 5);
    let older = serde_json::to_string(&record).expect("a record").replace("\"log_seq\":5,", "");
    let older: world::record::CharacterRecord = serde_json::from_str(&older).expect("records of before are read");
    assert_eq!(older.player.log_seq, 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn who_writes_has_a_number_for_each_entry(
        lines in prop::collection::vec(
            (0..VERBS.len(), "|[a-c.]{1,5}|(done|edit|move|remove|clear|update) [0-9]{1,2}( [1-3x])?|[a-c]( weight)? ?(=|\\+=) ?[0-9a]{0,2}| .{0,12}"),
            1..40,
        ),
    ) {
        let mut scene = scene();
        let mut log: Vec<LogEntry> = Vec::new();
        let mut last = scene.world.who(scene.id("Ann")).player().expect("she is one").log_seq;
        for (verb, args) in lines {
            let line = format!("{} {args}", VERBS[verb].0);
            for MindRequest { verb, args, first, numbers, .. } in requests(&mut scene, &line) {
                prop_assert!(first == last + 1, "{line}: {first} after {last}");
                last += u64::from(numbers);
                let tick = first * 20;
                // As if there were numbers enough, so that nothing is refused for want of them.
                let shelf = Shelf::of(&log);
                let asked = VerbRequest::new(verb, &args, first, 7, tick);
                let asked = VerbRequest { recent: &log, shelf: &shelf, ..asked };
                let reply = edit::answer(&MindState::of(&log), &asked);
                prop_assert!(reply.events.len() <= usize::from(numbers), "{line}: {reply:?}");
                for (seq, event) in (first..).zip(reply.events) {
                    log.push(LogEntry { seq, tick, at_ms: 0, input: seq, event });
                }
            }
        }
    }
}

#[test]
fn a_line_of_another_mind_comes_to_its_log_and_what_minds_say_to_each_other_to_the_body_s() {
    use protocol::minds::MindName::{self, Body, Inner, Outer};
    let mut scene = scene();
    let mut asked = |line: &str| -> Vec<(MindName, &'static str, String, u8)> {
        let asked = requests(&mut scene, line).into_iter();
        asked.map(|asked| (asked.mind, asked.verb, asked.args.to_string(), asked.numbers)).collect()
    };
    for (line, mind, verb, args, numbers) in [
        ("mind", Body, "mind", "", 0),
        ("mind INNER 5", Body, "mind", "inner 5", 0),
        ("mind outer mind inner", Body, "mind", "outer mind inner", 0),
        ("mind inner recall wolf", Body, "mind", "inner recall wolf", 0),
        ("mind inner memo outer: a wolf", Body, "mind", "inner memo outer: a wolf", 1),
        ("mind inner memo 3", Body, "mind", "inner memo 3", 0),
        ("mind inner propose", Body, "mind", "inner propose", 0),
        ("mind observer choose inner", Body, "mind", "observer choose inner", 2),
        ("mind inner note a wolf", Inner, "note", "a wolf", 1),
        ("mind outer plan done 3 1", Outer, "plan", "done 3 1", 2),
        ("mind outer plan", Outer, "plan", "", 0),
        ("mind body note a wolf", Body, "note", "a wolf", 1),
        ("mind outer batch [\"note a\", \"think b\"]", Outer, "batch", "[\"note a\",\"think b\"]", 2),
        ("memo from inner", Body, "memo", "from inner", 0),
        ("memo from the north", Body, "memo", "from the north", 1),
    ] {
        assert_eq!(asked(line), [(mind, verb, args.to_string(), numbers)], "{line}");
    }
    for line in ["mind bob", "mind inner kill rat", "mind inner share stop Bob", "mind outer batch [\"memo a\"]"] {
        assert_eq!(asked(line), [], "{line}");
    }
}

#[test]
fn what_the_server_found_out_takes_its_numbers_and_nothing_else() {
    let mut scene = scene();
    let who = scene.id("Ann");
    let newest = |scene: &Scene| scene.world.who(who).player().expect("a player").log_seq;
    let before = newest(&scene);
    let mut found = |verb: &str, args: &str| {
        let report = scene.world.apply(&Input::Found { who, verb: verb.into(), args: args.into() });
        assert_eq!((report.lines.iter().count(), report.ran.len(), report.done.len()), (0, 0, 0), "{verb}");
        let asked = report.requests.into_iter().filter_map(|request| match request {
            Request::Mind(asked) => Some((asked.verb, asked.first, asked.numbers)),
            _ => None,
        });
        let asked: Vec<_> = asked.collect();
        (asked, newest(&scene))
    };
    let trouble = found("trouble", "\"open gate\" was refused 3 times in The Hall (room 7): It is locked.");
    assert_eq!(trouble, (vec![("trouble", before + 1, 1)], before + 1));
    assert_eq!(found("tidy", ""), (vec![("tidy", before + 2, 1)], before + 2));
    for verb in ["say", "recall", "", "quit"] {
        assert_eq!(found(verb, "anything"), (vec![], before + 2), "{verb}");
    }
    scene.does("Ann", "quit");
    let report = scene.world.apply(&Input::Found { who, verb: "tidy".into(), args: "".into() });
    assert!(report.requests.is_empty(), "who is gone has no mind here");
}
