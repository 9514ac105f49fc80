//! Channels of persons: who has spent its words has spent them, who is silenced is silent, and an invisible speaker
//! stays unknown to whoever does not see it, now and later.

use content::flags::AffectFlags;
use tests::scene::{Person, Scene};
use world::Report;
use world::character::PlayerFlags;

fn green() -> Scene {
    let mut scene = Scene::open("green", 1);
    for (name, agent) in [("Ann", false), ("Bob", false), ("Wren", true)] {
        scene.enter(name, &Person { level: 5, agent, ..Person::default() });
    }
    scene
}

fn person(scene: &Scene, name: &str) -> u32 {
    scene.world.person_of(scene.id(name)).expect("a player")
}

fn hide(scene: &mut Scene, name: &str) {
    let who = scene.id(name);
    scene.world.who_mut(who).base.flags.insert(AffectFlags::INVISIBLE);
    scene.world.recompute(who);
}

fn words(count: usize) -> String {
    vec!["word"; count].join(" ")
}

fn ticks(scene: &mut Scene, count: usize) -> Vec<Report> {
    let reports = (0..count).map(|_| scene.tick()).collect();
    assert_eq!(scene.world.check_all(), Vec::<String>::new());
    reports
}

#[test]
fn who_leaves_and_comes_back_has_no_more_words_than_before() {
    let mut scene = green();
    scene.does("Ann", "channel create Night Watch");
    scene.does("Ann", "channel access open in nightwatch");
    let id = scene.world.any_channel(person(&scene, "Ann"), "nightwatch").expect("she made it");
    let bob = person(&scene, "Bob");
    scene.does("Bob", "channel join nightwatch");
    scene.does("Bob", &format!("chat nightwatch {}", words(150)));
    assert_eq!(scene.world.word_budget(id, bob), 50);
    scene.does("Bob", "channel leave nightwatch");
    scene.does("Bob", "channel join nightwatch");
    assert_eq!(scene.world.word_budget(id, bob), 50);
    // What comes in meanwhile is his, and nothing is kept of him when he could have come as a newcomer.
    scene.does("Bob", "channel leave nightwatch");
    ticks(&mut scene, 200);
    assert!(scene.world.state.channels.get(id).expect("it is there").parted.is_empty());
    scene.does("Bob", "channel join nightwatch");
    assert_eq!(scene.world.word_budget(id, bob), 200);
}

#[test]
fn who_is_silenced_gets_back_what_it_has_not_said() {
    let mut scene = green();
    scene.does("Bob", &format!("gossip {}", words(190)));
    let report = scene.does("Bob", "gossip and many more words than there are in an account that is nearly empty");
    assert!(scene.read_by("Bob", &report).contains("14 words of yours wait"), "{}", scene.read_by("Bob", &report));
    let bob = scene.id("Bob");
    scene.world.player_mut(bob).flags.insert(PlayerFlags::MUTED);
    let reports = ticks(&mut scene, 20);
    let read = |name: &str| -> String { reports.iter().map(|report| scene.read_by(name, report)).collect() };
    assert!(read("Bob").contains("silenced before your words were said: \"and many more"), "{}", read("Bob"));
    assert!(!read("Ann").contains("gossips"), "{}", read("Ann"));
}

#[test]
fn a_holler_that_is_refused_costs_no_breath() {
    let mut scene = green();
    let bob = scene.id("Bob");
    let moves = |scene: &Scene| scene.world.vitals(bob).expect("he is here").moves;
    for _ in 0..2 {
        scene.does("Bob", &format!("holler {}", words(180)));
    }
    let before = moves(&scene);
    let report = scene.does("Bob", &format!("holler {}", words(399)));
    assert!(report.refused.as_deref().is_some_and(|why| why.contains("would wait there")), "{:?}", report.refused);
    assert_eq!(moves(&scene), before);
}

#[test]
fn an_invisible_speaker_stays_unknown() {
    let mut scene = green();
    hide(&mut scene, "Bob");
    let (ann, bob) = (person(&scene, "Ann"), person(&scene, "Bob"));
    let unknown = |scene: &Scene, what: &str| {
        let frame = serde_json::to_string(&scene.world.channels_frame(ann, None)).expect("a frame");
        let home = format!("\"owner\":{bob}");
        assert!(!frame.contains("Bob") && !frame.contains(&home), "{what}: {frame}");
    };
    scene.does("Bob", "gossip Boo!");
    unknown(&scene, "gossip");
    let report = scene.does("Ann", "channel history gossip");
    assert!(scene.read_by("Ann", &report).contains("Someone: Boo!"), "{}", scene.read_by("Ann", &report));
    let report = scene.does("Bob", "channel history gossip");
    assert!(scene.read_by("Bob", &report).contains("Bob: Boo!"), "{}", scene.read_by("Bob", &report));

    scene.does("Bob", "tell ann I see you");
    unknown(&scene, "tell");
    let report = scene.does("Ann", "reply Who is there?");
    assert_eq!(scene.read_by("Ann", &report), "You tell Someone, \"Who is there?\"");
    unknown(&scene, "an answer");
    let report = scene.does("Ann", "channel");
    assert!(scene.read_by("Ann", &report).contains("Someone"), "{}", scene.read_by("Ann", &report));
    let report = scene.does("Bob", "react last heart");
    let read = scene.read_by("Ann", &report);
    assert!(read.contains("Someone gives your words a heart"), "{read}");
    let told = report.lines.iter().filter(|(to, _)| *to == scene.id("Ann"));
    assert!(told.into_iter().all(|(_, line)| line.reaction.is_none()), "the frame would say who");

    // He shows himself: from his next word on she knows whom she talks to.
    let who = scene.id("Bob");
    scene.world.who_mut(who).base.flags.remove(AffectFlags::INVISIBLE);
    scene.world.recompute(who);
    scene.does("Bob", "tell ann It was me.");
    let report = scene.does("Ann", "channel");
    let read = scene.read_by("Ann", &report);
    assert!(read.contains("Bob") && !read.contains("Someone"), "{read}");
}
