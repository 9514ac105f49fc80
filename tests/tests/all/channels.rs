//! Channels are content: a world's own one is heard, coloured, switched off, explained and told to programs without a
//! line of Rust; and whoever switched one off before channels were content is deaf to it still.

use content::words::{ChannelEvent, Colour};
use content::{ReadOptions, Source};
use protocol::payload::{EventKind, Words};
use std::sync::Arc;
use tests::scene::{Person, Scene, read_content, tests_folder};
use world::character::PlayerFlags;
use world::report::{LineKind, Report};
use world::{CharacterId, Input};

const WORLD: &[(&str, &str)] = &[
    ("world.toml", "name = \"Moot\"\nstart_room = 100\n"),
    ("zones/1_green/zone.toml", "number = 1\nname = \"Green\"\nfirst = 100\nlast = 199\n"),
    ("zones/1_green/rooms.toml", "[[room]]\nvnum = 100\nname = \"A Green\"\ndescription = \"Grass.\"\n"),
    (
        "channels.toml",
        "[[channel]]\nname = \"trade\"\nspeak = \"cry your wares\"\nspeaks = \"cries wares\"\nhelp = \"Sell.\"\n\
         colour = \"bright_cyan\"\nlevel = 3\nmoves = 7\non = \"You hear traders.\"\noff = \"No more traders.\"\n",
    ),
    ("socials.toml", "[[social]]\nname = \"tango\"\nactor = \"You tango.\"\n"),
    ("sentences.toml", "quit = \"The moot lets you go.\"\n"),
];

fn moot() -> Scene {
    let (content, problems) = content::read(&Source::of(WORLD.iter().copied()), &ReadOptions::default());
    assert!(!problems.has_errors(), "{:#?}", problems.0);
    let mut scene = Scene::on(Arc::new(content), 1);
    for (name, level) in [("Ann", 5), ("Bob", 5), ("Cid", 1)] {
        scene.enter(name, &Person { level, agent: name == "Bob", ..Person::default() });
    }
    scene
}

fn line_of(report: &Report, who: CharacterId) -> Option<&world::report::Line> {
    report.lines.iter().find(|(to, _)| *to == who).map(|(_, line)| &**line)
}

#[test]
fn a_channel_of_the_world_s_own_works_without_a_line_of_rust() {
    let mut scene = moot();
    let (ann, bob, cid) = (scene.id("Ann"), scene.id("Bob"), scene.id("Cid"));
    let moves = scene.world.vitals(ann).expect("she is here").moves;
    let report = scene.does("Ann", "tr Two cows, cheap");
    assert_eq!(scene.read_by("Ann", &report), "You cry your wares, \"Two cows, cheap\"");
    let line = line_of(&report, bob).expect("he hears it");
    assert_eq!((&*line.text, line.from.as_deref()), ("Ann cries wares, \"Two cows, cheap\"", Some("Ann")));
    let LineKind::Channel(on) = line.kind else { panic!("{:?}", line.kind) };
    assert_eq!((on.event, on.colour), (ChannelEvent::Channel, Colour::BrightCyan));
    assert_eq!(line.kind.event_kind(), EventKind::Channel);
    assert!(line_of(&report, cid).is_some(), "who may not speak may hear");
    assert_eq!(scene.world.vitals(ann).expect("she is here").moves, moves - 7);
    // The level floor, the setting, help and the list.
    assert_eq!(scene.does("Cid", "trade eggs").refused.as_deref(), Some("You must be of level 3 to use this channel."));
    let report = scene.does("Bob", "toggle trade off");
    assert_eq!(scene.read_by("Bob", &report), "No more traders.");
    assert!(line_of(&scene.does("Ann", "trade A pig"), bob).is_none(), "he is deaf to it");
    let refused = scene.does("Bob", "trade Mine").refused;
    assert!(refused.as_deref().is_some_and(|why| why.contains("toggle trade")), "{refused:?}");
    let report = scene.does("Ann", "help trade");
    assert!(scene.read_by("Ann", &report).contains("Sell."), "{}", scene.read_by("Ann", &report));
    let report = scene.does("Ann", "help verbs");
    assert!(scene.read_by("Ann", &report).contains("trade"), "{}", scene.read_by("Ann", &report));
    // No channel of another world is here, and no verb of mortals means another because of this one.
    assert!(scene.does("Ann", "gossip hello").refused.is_some());
    assert!(scene.does("Ann", "t bob hello").refused.is_none(), "to tell");
}

#[test]
fn programs_are_told_of_the_words_of_the_world_at_hand() {
    let scene = moot();
    let state = scene.world.state_for(scene.id("Bob"), None);
    assert_eq!(state.words, Some(Words { socials: vec!["tango".into()], channels: vec!["trade".into()] }));
}

#[test]
fn a_world_says_farewell_in_its_own_voice_or_plainly() {
    let mut scene = moot();
    let report = scene.does("Ann", "quit");
    assert!(scene.read_by("Ann", &report).contains("The moot lets you go."));
    let mut plain = Scene::open("green", 1);
    plain.enter("Ann", &Person::default());
    let report = plain.does("Ann", "quit");
    assert!(plain.read_by("Ann", &report).contains("You let go of the world."));
    let shipped = read_content(&tests_folder().join("../data/world"));
    assert!(shipped.sentences.quit.contains("Flame"), "the shipped world has its own");
}

#[test]
fn who_was_deaf_by_a_flag_is_deaf_by_name() {
    let mut scene = Scene::open("green", 1);
    scene.enter("Ann", &Person { level: 5, ..Person::default() });
    scene.enter("Bob", &Person::default());
    let bob = scene.id("Bob");
    let mut record = scene.world.record_of(bob).expect("he is here");
    scene.does("Bob", "quit");
    // As the server before wrote it: flags, and no `deaf_to`.
    record.player.flags.insert(PlayerFlags::NO_GOSSIP.with(PlayerFlags::DEAF));
    let mut old = serde_json::to_value(&record).expect("a record is JSON");
    let removed = old["player"].as_object_mut().expect("a player").remove("deaf_to");
    assert!(removed.is_some());
    let record: world::record::CharacterRecord = serde_json::from_value(old).expect("records of before are read");
    let bob = scene.world.apply(&Input::Enter { record: Box::new(record), agent: false }).entered.expect("he enters");
    for (typed, hears) in
        [("gossip hello", false), ("shout hello", false), ("holler hello", false), ("auction hi", true)]
    {
        assert_eq!(line_of(&scene.does("Ann", typed), bob).is_some(), hears, "{typed}");
    }
    let now = scene.world.record_of(bob).expect("he is here").player;
    assert_eq!(now.deaf_to.iter().map(|name| &**name).collect::<Vec<_>>(), ["gossip", "shout"]);
    assert!(!now.flags.any(PlayerFlags::NO_GOSSIP.with(PlayerFlags::DEAF)), "said once");
}

#[test]
fn a_channel_that_nobody_could_use_is_a_problem() {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in WORLD {
        let text = text.replace("name = \"trade\"", "name = \"look\"");
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("it is made");
        std::fs::write(path, text).expect("it is written");
    }
    let (_, problems) = server::content_files::read_world(folder.path(), None).expect("it is read");
    let said: Vec<String> = problems.0.iter().map(ToString::to_string).collect();
    assert!(problems.has_errors() && said.iter().any(|what| what.contains("\"look\"")), "{said:?}");
}

#[test]
fn what_a_program_says_to_a_person_goes_before_what_it_says_to_others() {
    let mut scene = Scene::open("green", 1);
    for (name, agent) in [("Ann", false), ("Bob", true)] {
        scene.enter(name, &Person { level: 5, agent, ..Person::default() });
    }
    for (name, line) in [
        ("Ann", "channel create Pair".to_string()),
        ("Ann", "channel access open in pair".to_string()),
        ("Bob", "channel join pair".to_string()),
        ("Bob", format!("chat pair {}", "spent ".repeat(195))),
        ("Bob", format!("chat pair {}", "before ".repeat(15))),
        ("Bob", format!("chat pair {}", "behind ".repeat(11))),
    ] {
        assert_eq!(scene.does(name, &line).refused, None, "{line}");
    }
    let asked = scene.world.state.channels.next_message();
    scene.does("Ann", "chat pair Bob, are you there?");
    scene.does("Bob", &format!("reply {asked} {}", "here ".repeat(12)));
    scene.does("Bob", &format!("reply {asked} {}", "still ".repeat(12)));
    for _ in 0..30 {
        scene.tick();
    }
    let channels = &scene.world.state.channels;
    let said: Vec<&str> =
        (asked + 1..channels.next_message()).filter_map(|id| channels.message(id)?.1.text.split(' ').next()).collect();
    assert_eq!(said, ["here", "still", "before", "behind"]);
}

/// Takes fields out of a value, wherever they stand.
fn without(value: &mut serde_json::Value, fields: &[&str]) {
    match value {
        serde_json::Value::Object(members) => {
            members.retain(|name, _| !fields.contains(&&**name));
            members.values_mut().for_each(|value| without(value, fields));
        }
        serde_json::Value::Array(list) => list.iter_mut().for_each(|value| without(value, fields)),
        _ => {}
    }
}

#[test]
fn a_state_of_before_newer_fields_is_read() {
    let mut scene = Scene::open("green", 1);
    for name in ["Ann", "Bob"] {
        scene.enter(name, &Person { level: 5, ..Person::default() });
    }
    let known = |name: &str| world::input::KnownPerson { name: name.into(), person: None };
    let terms = world::agent::AgentTerms { seed: Some("You count.".into()), ..Default::default() };
    let record = world::Admin::Agent { who: known("Bob"), owner: Some(known("Ann")), terms: terms.into() };
    scene.world.apply(&Input::Admin(record));
    for line in ["channel access open", "chat home Come in.", "gossip Anybody?"] {
        scene.does("Ann", line);
    }
    scene.does("Bob", "channel join ann");
    scene.does("Bob", "agent sleep 10m");
    let state = &scene.world.state;
    let mut channels = serde_json::to_value(&state.channels).expect("channels are JSON");
    without(&mut channels, &["older", "parted", "named_tick", "wrong_keys", "told_by", "veiled", "acquainted"]);
    let channels: world::channel::Channels = serde_json::from_value(channels).expect("what was saved before is read");
    assert_eq!(channels.check(), [""; 0]);
    assert_eq!(channels.next_message(), state.channels.next_message());
    let mut agents = serde_json::to_value(&state.agents).expect("agents are JSON");
    let newer =
        ["wakes_ms", "thumbs", "elapsed_ds", "permitted", "architect", "epoch", "per_owner", "orders", "ordered"];
    without(&mut agents, &newer);
    let agents: world::agent::Agents = serde_json::from_value(agents).expect("what was saved before is read");
    assert_eq!(agents.check(|id| channels.person(id).is_some()), [""; 0]);
    let bob = channels.named("bob").expect("he is known");
    let record = agents.get(bob).expect("he has a record");
    assert!(&*record.seed == "You count." && record.sleeps(scene.world.tick()), "{record:?}");
}
