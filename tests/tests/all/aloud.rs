//! What somebody reads who has it read aloud: no page of any verb draws with signs.

use tests::scene::{Person, Scene};
use world::commands::VERBS;

/// What rules, bars and frames are drawn with.
const RULES: &str = "-=_|+*#";

fn drawn(text: &str) -> bool {
    let signs: Vec<char> = text.chars().collect();
    signs.windows(3).any(|three| three.iter().all(|sign| RULES.contains(*sign)))
}

/// Ann, who listens, and others to read of, in a room with things.
fn scene(level: i32, aloud: bool) -> Scene {
    let mut scene = Scene::open("green", 5);
    for (name, level) in [("Ann", level), ("Bob", 3), ("Eve", 31)] {
        scene.enter(name, &Person { room: Some(100), level, ..Person::default() });
    }
    if aloud {
        scene.does("Ann", "screenreader on");
    }
    for line in ["follow ann", "description +++ A face ### of scars +++", "title === the Loud ==="] {
        scene.does("Bob", line);
    }
    for line in ["group bob", "alias gr get rope;---;drop rope", "description --- Tall ---"] {
        scene.does("Ann", line);
    }
    scene
}

/// All that Ann reads of each verb, typed alone and with words that it may know.
fn pages(level: i32, aloud: bool) -> Vec<(String, String)> {
    let mut pages = Vec::new();
    for verb in VERBS.iter().filter(|verb| verb.level <= level && !matches!(verb.name, "quit" | "shutdown")) {
        let mut scene = scene(level, aloud);
        let words = ["", " bob", " list", " all", " 1", " 100", " *** hello ***"];
        for line in words.map(|word| format!("{}{word}", verb.name)).into_iter().chain([format!("help {}", verb.name)])
        {
            // It may have sent itself away.
            if scene.world.character(scene.id("Ann")).is_none() {
                break;
            }
            let report = scene.does("Ann", &line);
            pages.push((line, scene.read_by("Ann", &report)));
        }
    }
    pages
}

#[test]
fn no_page_draws_with_signs_for_who_listens() {
    for level in [5, 31] {
        let drawn: Vec<(String, String)> = pages(level, true).into_iter().filter(|(_, text)| drawn(text)).collect();
        assert_eq!(drawn, [], "level {level}");
    }
    let seen = pages(5, false);
    assert!(
        seen.iter().filter(|(_, text)| drawn(text)).count() > 3,
        "others do read such signs, so this looks at something"
    );
}

#[test]
fn help_and_the_map_are_words_for_who_listens() {
    let mut scene = scene(5, true);
    let report = scene.does("Ann", "help");
    let index = scene.read_by("Ann", &report);
    assert!(!drawn(&index) && !index.contains("  "), "{index}");
    let rows = index.lines().filter(|line| !line.ends_with('.')).filter_map(|line| line.split_once(": "));
    let topics: Vec<&str> =
        rows.filter(|(label, _)| *label != "Help on anything").flat_map(|(_, row)| row.split(", ")).collect();
    assert!(topics.contains(&"newbie") && topics.contains(&"minds") && topics.contains(&"verbs"), "{index}");
    for topic in topics {
        let line = if topic == "socials" { topic.to_string() } else { format!("help {topic}") };
        let report = scene.does("Ann", &line);
        let text = scene.read_by("Ann", &report);
        assert!(!text.is_empty() && !drawn(&text) && !text.contains("  "), "{topic}: {text}");
    }
    scene.does("Ann", "north");
    let report = scene.does("Ann", "map");
    let text = scene.read_by("Ann", &report);
    assert!(text.contains("south") && !text.contains('@'), "{text}");
}

/// Weather comes by itself, and is asked for.
#[test]
fn who_listens_is_not_told_of_the_weather() {
    let heard = |aloud: bool| {
        let mut scene = scene(5, aloud);
        let mut told = 0;
        for tick in 0..1_600 {
            let report = scene.tick();
            told += usize::from(scene.read_by("Ann", &report).contains("The sun"));
            // Who stands about for long is let go.
            if tick % 32 == 0 {
                scene.does("Ann", "look");
            }
        }
        told
    };
    assert_eq!((heard(true), heard(false) > 1), (0, true));
}

/// Who has not chosen is asked nothing again, and settings stay over a night in the database.
#[test]
fn the_choice_is_in_the_record() {
    let mut scene = scene(5, true);
    let flags = scene.world.who(scene.id("Ann")).player_flags();
    let record = scene.world.record_of(scene.id("Ann")).expect("she is here");
    assert_eq!(record.player.flags, flags);
    let before = scene.world.hashes().characters;
    scene.does("Ann", "screenreader off");
    let after = scene.world.who(scene.id("Ann")).player_flags();
    assert!(
        after.has(world::character::PlayerFlags::CHOSE_READER) && !after.has(world::character::PlayerFlags::SUMMARY)
    );
    assert_ne!(before, scene.world.hashes().characters);
}
