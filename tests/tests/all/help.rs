//! HELP has a page for every word that it, the game or the shipped world sends one to.

use content::flags::DoorFlags;
use content::words::{Class, Direction};
use std::collections::BTreeSet;
use std::path::Path;
use tests::scene::{Person, Scene, read_content, tests_folder};
use world::Input;

fn shipped() -> Scene {
    let content = read_content(&tests_folder().join("../data/world"));
    let mut scene = Scene::on(std::sync::Arc::new(content), 1);
    scene.enter("Ann", &Person::default());
    scene
}

fn page(scene: &mut Scene, word: &str) -> String {
    let report = scene.does("Ann", &format!("help {word}"));
    scene.read_by("Ann", &report)
}

fn has_page(scene: &mut Scene, word: &str) -> bool {
    let page = page(scene, word);
    !page.is_empty() && !page.contains("There is no help on")
}

/// The texts of all files of a folder and those below it with such an ending.
fn texts(folder: &Path, ending: &str, into: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("the folder is ours") {
        let path = entry.expect("it is listed").path();
        if path.is_dir() {
            texts(&path, ending, into);
        } else if path.extension().is_some_and(|its| its == ending) {
            into.push(std::fs::read_to_string(&path).expect("it is text"));
        }
    }
}

/// Words that a text sends to help for: `help bank` at the end of a sentence, in brackets or in quotation marks.
fn sent_for(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for (at, _) in text.match_indices("help ") {
        let before = text[..at].chars().next_back();
        let rest = &text[at + 5..];
        let word: String = rest.chars().take_while(char::is_ascii_lowercase).collect();
        let after = rest[word.len()..].chars().next();
        let stands_alone = before.is_none_or(|c| matches!(c, ' ' | '(' | '"' | '\n' | '`'));
        if stands_alone && !word.is_empty() && after.is_none_or(|c| matches!(c, '.' | ')' | '"' | ';' | '\n' | '`')) {
            words.insert(word);
        }
    }
    words
}

#[test]
fn every_word_that_one_is_sent_to_help_for_has_a_page() {
    let root = tests_folder().join("..");
    let mut all = Vec::new();
    for (folder, ending) in [("data", "toml"), ("data", "txt"), ("world/src", "rs")] {
        texts(&root.join(folder), ending, &mut all);
    }
    let words: BTreeSet<String> = all.iter().flat_map(|text| sent_for(text)).collect();
    for known in ["bank", "conditions", "leaving", "news", "pk"] {
        assert!(words.contains(known), "{words:?}");
    }
    let mut scene = shipped();
    let without: Vec<&String> = words.iter().filter(|word| !has_page(&mut scene, word)).collect();
    assert!(without.is_empty(), "no page of help: {without:?}");
    assert!(!has_page(&mut scene, "xyzzyx"));
}

#[test]
fn whatever_a_newcomer_meets_has_a_page() {
    let mut scene = shipped();
    let world = &scene.world;
    let mut words: Vec<String> = world.rules.races.iter().map(|row| row.label.to_lowercase()).collect();
    words.extend(world.rules.classes.iter().filter(|row| row.at_creation).map(|row| row.label.to_lowercase()));
    for word in [
        "strength",
        "intelligence",
        "wisdom",
        "dexterity",
        "constitution",
        "charisma",
        "alignment",
        "armour",
        "armor",
        "ac",
        "mana",
        "bank",
        "inn",
        "map",
        "tasks",
        "settings",
        "rules",
        "gold",
        "experience",
        "death",
        "targets",
        "agents",
        "channels",
        "hunger",
        "magic",
        "news",
    ] {
        words.push(word.to_string());
    }
    let zone = world.room_proto(world.start_room()).zone;
    let rooms = world.content.rooms.iter().filter(|room| room.zone == zone);
    words.extend(rooms.map(|room| room.name.split(',').next().unwrap_or_default().to_string()));
    let without: Vec<&String> = words.iter().filter(|word| !has_page(&mut scene, word)).collect();
    assert!(without.is_empty(), "no page of help: {without:?}");
}

#[test]
fn a_place_says_what_it_is_and_the_way() {
    let mut scene = shipped();
    let yard = page(&mut scene, "the well yard");
    assert!(yard.starts_with("The Well Yard\n") && yard.contains("From here: "), "{yard}");
    let bank = page(&mut scene, "counting house");
    assert!(bank.contains("A counter of the bank"), "{bank}");
    let bakehouse = page(&mut scene, "oatley");
    assert!(bakehouse.contains("A shop, kept by "), "{bakehouse}");
    let street = page(&mut scene, "mill street");
    assert!(street.contains("It goes on: ") && street.contains("inside the South Gate"), "{street}");
    for spot in ["asking house", "the parish pump", "warm row, at the asking house"] {
        let page = page(&mut scene, spot);
        assert!(page.contains(", at the ") && page.contains("From here: "), "help {spot}: {page}");
    }
}

#[test]
fn no_way_that_help_tells_leads_through_a_hidden_door() {
    let mut scene = Scene::open("shipped", 1);
    scene.enter("Ann", &Person { room: Some(8057), ..Person::default() });
    let bell = scene.world.content.room_id(8057).expect("the Drowned Bell");
    assert!(scene.world.door(bell, Direction::North).has(DoorFlags::HIDDEN), "the panel");
    let pocket = page(&mut scene, "pocket");
    let way = pocket.split("From here: ").nth(1).unwrap_or_else(|| panic!("{pocket}"));
    assert!(!way.starts_with("north"), "{pocket}");
}

#[test]
fn every_art_has_its_page_by_its_whole_name() {
    let mut scene = shipped();
    let rules = scene.world.rules.clone();
    let spells = rules.spells.iter().map(|row| row.name.to_string());
    let skills = rules.skills.iter().filter(|row| row.is_usable()).map(|row| row.name.name().to_string());
    let names: Vec<String> = spells.chain(skills).collect();
    assert!(names.len() > 140, "{}", names.len());
    for name in names {
        let heading = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
        for typed in [name.clone(), name.to_uppercase(), format!("'{name}'")] {
            let page = page(&mut scene, &typed);
            let art = page.split_once(&format!("{heading}\n")).map(|(_, art)| art).unwrap_or_default();
            let is_learned = art.contains("Learned at level: ") || art.contains("Nobody learns it.");
            assert!(is_learned, "help {typed}: {page}");
            // Before it stands at most what one types, and never a topic of another name.
            assert!(name.contains(' ') <= page.starts_with(&heading), "help {typed}: {page}");
        }
    }
}

#[test]
fn a_name_of_another_game_leads_to_the_art() {
    let mut scene = shipped();
    for (typed, begins) in [
        ("magic missile", "Flame arrow\nSo magic missile is called here.\n"),
        ("magic mirror", "There is no help on \"magic mirror\", but on magic:\n"),
        ("detect mag", "Detect magic\n"),
    ] {
        let page = page(&mut scene, typed);
        assert!(page.starts_with(begins), "help {typed}: {page}");
    }
    let report = scene.does("Ann", "cast 'magic missile' rat");
    assert!(scene.read_by("Ann", &report).contains("Here it is called flame arrow."));
}

#[test]
fn bare_help_is_short_and_laid_out_for_the_window() {
    let mut scene = shipped();
    let who = scene.id("Ann");
    for (columns, lines_max) in [(76, 20), (40, 40), (30, 50)] {
        scene.world.apply(&Input::Window { who, columns: Some(columns) });
        let page = page(&mut scene, "");
        assert!(page.lines().count() <= lines_max, "{columns}: {page}");
        // What is a list is broken here, what is a sentence by the window.
        let lists = page.lines().filter(|line| line.contains(',') && !line.ends_with('.'));
        assert!(lists.clone().count() >= 8, "{page}");
        for line in lists {
            assert!(line.chars().count() <= usize::from(columns), "{columns}: {line}");
        }
        assert!(page.contains("help newbie") && page.contains("Beginning  newbie, "), "{page}");
    }
}

#[test]
fn the_lists_of_help_show_nobody_the_arts_of_others() {
    let mut scene = shipped();
    scene.enter("Bob", &Person { class: Class::Thief, ..Person::default() });
    let mut verbs = |name: &str| {
        let report = scene.does(name, "help verbs");
        scene.read_by(name, &report)
    };
    let (warrior, thief) = (verbs("Ann"), verbs("Bob"));
    for (page, own, others) in [(&warrior, "kick", "backstab"), (&thief, "backstab", "kick")] {
        let shows = |verb: &str| page.split([' ', ',', '\n']).any(|word| word == verb);
        assert!(shows(own) && !shows(others) && !shows("cast") && !shows("kuji"), "{page}");
        assert!(shows("look") && shows("gossip") && shows("quaff"), "{page}");
    }
    for list in ["places", "peoples", "callings"] {
        let page = page(&mut scene, list);
        assert!(page.matches(", ").count() >= 5, "{page}");
    }
}
