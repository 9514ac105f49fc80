//! The content readers and the writer from outside: what is read of small worlds of each dialect, what is said about
//! wrong ones, and that no text makes them panic.

mod builders;
mod circle;
mod native;
mod plots;
mod properties;
mod samples;
mod stock;
mod strategies;
mod tasks;
mod things;
mod writing;

use content::flags::*;
use content::words::*;
use content::*;
use samples::*;

fn read_all<'t>(files: impl IntoIterator<Item = (&'t str, &'t str)>) -> (Content, Problems) {
    read(&Source::of(files), &ReadOptions::default())
}

/// The files with one of them replaced or added.
fn with<'t>(files: &[(&'t str, &'t str)], path: &'t str, text: &'t str) -> Vec<(&'t str, &'t str)> {
    files.iter().copied().filter(|(p, _)| *p != path).chain([(path, text)]).collect()
}

fn said(problems: &Problems) -> Vec<String> {
    problems.0.iter().map(Problem::to_string).collect()
}

/// What `write` keeps: everything but the lines of resets.
fn without_lines(mut content: Content) -> Content {
    content.zones.iter_mut().flat_map(|zone| &mut zone.resets).for_each(|reset| reset.line = 0);
    content
}

fn assert_same(left: &Content, right: &Content) {
    assert_eq!(left.name, right.name);
    assert_eq!(left.zones, right.zones);
    assert_eq!(left.rooms, right.rooms);
    // What the rules bring forth is written nowhere, and read with every world.
    let mobs =
        |content: &Content| content.mobs.iter().filter(|mob| mob.vnum < CONJURED_FIRST).cloned().collect::<Vec<_>>();
    let objects =
        |content: &Content| content.objects.iter().filter(|o| o.vnum < CONJURED_FIRST).cloned().collect::<Vec<_>>();
    assert_eq!(mobs(left), mobs(right));
    assert_eq!(objects(left), objects(right));
    assert_eq!(left.shops, right.shops);
    assert_eq!((&left.answers, &left.trades), (&right.answers, &right.trades));
    assert_eq!((&left.tasks, &left.notices), (&right.tasks, &right.notices));
    assert_eq!(left.plots, right.plots);
    assert_eq!(left.socials, right.socials);
    assert_eq!(left.channels, right.channels);
    assert_eq!((&left.story, &left.sentences), (&right.story, &right.sentences));
    assert_eq!((&left.hometowns, left.jail), (&right.hometowns, right.jail));
    assert_eq!((left.hunters, &left.gates, left.art_gate), (right.hunters, &right.gates, right.art_gate));
    assert_eq!(left.dreams, right.dreams);
    assert_eq!(left.listing, right.listing);
    assert_eq!(left.start_room, right.start_room);
    assert_eq!((&left.greeting, &left.motd), (&right.greeting, &right.motd));
}

fn texts(names: &[&Text]) -> Vec<String> {
    names.iter().map(|text| text.to_string()).collect()
}

/// Reads what was written; errors are allowed, since references need not exist.
fn written_and_read(content: &Content) -> Content {
    read(&Source::of(write(content)), &ReadOptions::default()).0
}

/// What holds of whatever `read` returns.
fn assert_sound(content: &Content, problems: &Problems) {
    for room in &content.rooms {
        assert!(content.zone_index(room.zone).is_some(), "room #{} has zone {}", room.vnum, room.zone);
        assert!(room.exits.is_sorted_by(|a, b| a.direction < b.direction), "exits of #{}", room.vnum);
    }
    assert!(content.rooms.is_empty() || content.room_id(content.start_room).is_some());
    assert!(!content.rooms.is_empty() || problems.has_errors());
}
