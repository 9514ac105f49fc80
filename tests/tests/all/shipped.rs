//! The world that ships is as `dp-server check` would have it, and what its rooms speak of can be looked at.

use content::{Problem, ReadOptions};
use protocol::places;
use server::content_files::read_with;
use std::collections::BTreeSet;
use tests::documents::path;
use tests::load::places::quiet_rooms;
use tests::scene::tests_folder;

fn said(options: ReadOptions) -> Vec<String> {
    let (_, problems) = read_with(&path("data/world"), &options).expect("a readable world");
    problems.0.iter().map(Problem::to_string).collect()
}

/// Of the other zones at most one thing in five goes without a description, or `check` would say so.
#[test]
fn nothing_is_wrong_with_the_shipped_world() {
    assert_eq!(said(ReadOptions::default()), [] as [&str; 0]);
}

#[test]
fn the_load_generator_finds_quiet_rooms_in_it() {
    let (content, _) = read_with(&path("data/world"), &ReadOptions::default()).expect("a readable world");
    let quiet = quiet_rooms(&content);
    assert!(quiet.len() >= 100, "{} quiet rooms", quiet.len());
    // The ash maid's, and the one from which one would walk in on her.
    assert!(!quiet.iter().any(|place| [8696, 8697].contains(&place.room)));
}

#[test]
fn whatever_a_newcomers_rooms_speak_of_can_be_looked_at() {
    let open = said(ReadOptions { nouns: true, ..ReadOptions::default() });
    let of_newcomers = |line: &&String| line.contains("/80_") || line.contains("/81_");
    assert_eq!(open.iter().filter(of_newcomers).collect::<Vec<_>>(), [] as [&String; 0]);
}

/// A reagent that the world has one of its own for would be bought for nothing.
#[test]
fn shops_sell_the_reagents_that_this_world_uses() {
    const OF_THE_RULES: i32 = 100_001;
    let (content, _) = read_with(&path("data/world"), &ReadOptions::default()).expect("a readable world");
    let sold = content.shops.iter().flat_map(|shop| &shop.products).filter(|vnum| **vnum >= OF_THE_RULES);
    let useless: Vec<_> = sold.filter(|vnum| !content.conjured.values().any(|used| used == *vnum)).collect();
    assert_eq!(useless, [] as [&i32; 0]);
}

/// How memories, stories and refusals speak of each room; `UPDATE=1` writes the list anew, for somebody to read.
#[test]
fn each_room_stands_in_a_sentence_as_one_would_write_it() {
    let (content, _) = read_with(&path("data/world"), &ReadOptions::default()).expect("a readable world");
    let told: BTreeSet<String> = content.rooms.iter().map(|room| places::at(&room.name)).collect();
    for place in &told {
        let (first, rest) = place.split_once(' ').expect("a word before the name");
        let is_bare = ["The ", "A ", "An "].iter().any(|article| rest.starts_with(article));
        assert!(first.chars().all(char::is_lowercase) && !is_bare, "{place}");
    }
    let told = told.into_iter().collect::<Vec<_>>().join("\n") + "\n";
    let golden = tests_folder().join("golden/places.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&golden, &told).expect("it can be written");
    }
    assert_eq!(std::fs::read_to_string(&golden).unwrap_or_default(), told, "read it, and run this with UPDATE=1");
}
