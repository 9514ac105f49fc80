//! Damaged files: cut, flipped, doubled, out of order, missing, of another format. A start either has exactly what was
//! written before the damage, or refuses and says which file and byte; nothing is cut off but a torn end.

use super::{copy, files, green_content, killed, on, on_with, play, recover};
use server::journal::Record;
use server::journal::format::{Records, begin_segment};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use tests::e2e::Server;
use tests::journaling::{append, ends};
use world::hash::StateHashes;

/// Two lives of a server, both killed: a segment and a snapshot of each.
async fn killed_twice() -> Arc<TempDir> {
    let server = Server::start_with(on(&killed().await));
    play(&server).await;
    let state = server.kill();
    let (segments, snapshots) = files(state.path());
    assert!(segments.len() == 2 && snapshots.len() == 2, "{segments:?} {snapshots:?}");
    state
}

fn hashes_of(state: &Path) -> StateHashes {
    recover(state, &green_content(), false).expect("it starts").world.expect("there is one").hashes()
}

fn flip(path: &Path, at: usize) {
    let mut bytes = std::fs::read(path).expect("it is there");
    bytes[at] ^= 0x10;
    std::fs::write(path, bytes).expect("written");
}

/// Writes the records of a segment anew, in another order or number.
fn reorder(segment: &Path, order: impl FnOnce(Vec<Record>) -> Vec<Record>) {
    let bytes = std::fs::read(segment).expect("it is there");
    let mut records = Records::open(&bytes).expect("it has a head");
    let header = records.header.clone();
    let list = order(records.by_ref().collect());
    let mut out = begin_segment(&header);
    for record in &list {
        append(&mut out, &header, record);
    }
    std::fs::write(segment, out).expect("written");
}

#[tokio::test]
async fn a_journal_cut_anywhere_goes_on_with_what_was_whole_before() {
    let content = green_content();
    let state = killed().await;
    let (segments, _) = files(state.path());
    let segment = &segments[0];
    let bytes = std::fs::read(segment).expect("it is there");
    let ends = ends(&bytes);
    let mut whole = Records::open(&bytes).expect("it has a head");
    let start = whole.header.start;
    let mut number_at: Vec<(usize, u64)> = vec![(whole.at(), start)];
    while whole.next().is_some() {
        number_at.push((whole.at(), whole.newest()));
    }
    assert!(number_at.len() > 40, "there is something to cut");
    let near_ends = ends.iter().flat_map(|end| [end - 1, *end, end + 1, end + 9]);
    let lengths: Vec<usize> =
        near_ends.chain([0, 1, 7, 8, 20]).chain((0..bytes.len()).step_by(97)).filter(|n| *n <= bytes.len()).collect();
    for length in lengths {
        std::fs::write(segment, &bytes[..length]).expect("written");
        let recovered = recover(state.path(), &content, false).unwrap_or_else(|error| panic!("{length}: {error:#}"));
        let expected = number_at.iter().rev().find(|(end, _)| *end <= length).map_or(start, |(_, number)| *number);
        assert_eq!(recovered.world.expect("there is one").state.number, expected, "cut at {length}");
        // What is left is whole, and no more was taken.
        match number_at.iter().rev().find(|(end, _)| *end <= length) {
            Some((end, _)) => assert_eq!(std::fs::metadata(segment).expect("it stays").len(), *end as u64),
            None => assert!(!segment.exists(), "a segment without a head is no segment"),
        }
    }
}

#[tokio::test]
async fn a_torn_end_is_named_in_the_log_and_zeros_are_one() {
    for tail in [vec![0; 4096], vec![7; 13]] {
        // Once more, so that nobody's link is left to be noted as lost.
        let state = Server::start_with(on(&killed().await)).kill();
        let before = hashes_of(state.path());
        let segment = files(state.path()).0.pop().expect("there are two");
        let mut bytes = std::fs::read(&segment).expect("it is there");
        let whole = bytes.len();
        bytes.extend(&tail);
        std::fs::write(&segment, bytes).expect("written");
        let server = Server::start_with(on(&state));
        let log = server.log();
        let said = log.contains("was torn and is cut off") && log.contains(&format!("at={whole}"));
        assert!(said && log.contains(&format!("bytes={}", tail.len())), "{log}");
        let state = server.kill();
        // Each start tells the world the time, which stands with the clock and the records of agents.
        let kept = |hashes: StateHashes| (hashes.rooms, hashes.characters, hashes.objects, hashes.zones);
        assert_eq!(kept(hashes_of(state.path())), kept(before), "nothing else was lost");
    }
}

#[tokio::test]
async fn an_empty_last_segment_is_the_torn_end_of_its_beginning() {
    let state = killed_twice().await;
    let (segments, snapshots) = files(state.path());
    // The snapshot with which the second life began, and nothing of that life.
    std::fs::write(&segments[1], b"").expect("written");
    let recovered = recover(state.path(), &green_content(), false).expect("it starts");
    let number = recovered.world.expect("there is one").state.number;
    assert!(snapshots[1].display().to_string().contains(&number.to_string()), "{number} {snapshots:?}");
    assert!(!segments[1].exists());
}

#[tokio::test]
async fn a_flipped_bit_in_the_middle_is_refused_by_file_and_byte() {
    let state = killed().await;
    let (segments, _) = files(state.path());
    let bytes = std::fs::read(&segments[0]).expect("it is there");
    let ends = ends(&bytes);
    let place = ends[ends.len() / 2];
    // The first byte of its payload.
    flip(&segments[0], place + 8);
    let before = std::fs::read(&segments[0]).expect("it is there");
    let failed = Server::fails_to_start(on(&state));
    let name = segments[0].file_name().expect("it has one").to_string_lossy().into_owned();
    assert_eq!(failed.code, Some(1), "{failed:?}");
    let said = failed.err.contains(&name) && failed.err.contains(&format!("at byte {place}"));
    assert!(said && failed.err.contains("--recover"), "{}", failed.err);
    assert_eq!(std::fs::read(&segments[0]).expect("it is there"), before, "a refusal changes nothing");

    let server = Server::start_with(on_with(&state, &["--recover"]));
    let log = server.log();
    assert!(log.contains("is left out from here on") && log.contains(&name), "{log}");
    assert!(log.contains("lost: input"), "what stands behind the damage is listed: {log}");
    // And it can be played in, killed and started as ever.
    play(&server).await;
    let state = server.kill();
    drop(Server::start_with(on(&state)));
}

#[tokio::test]
async fn doubled_missing_and_swapped_records_are_refused() {
    type Order = fn(Vec<Record>) -> Vec<Record>;
    let orders: [(&str, Order); 4] = [
        ("doubled", |mut list| {
            list.insert(20, list[20].clone());
            list
        }),
        ("missing", |mut list| {
            list.remove(20);
            list
        }),
        ("swapped", |mut list| {
            list.swap(20, 21);
            list
        }),
        ("all twice", |list| list.iter().chain(&list).cloned().collect()),
    ];
    let state = killed().await;
    for (what, order) in orders {
        let state = copy(state.path());
        let (segments, _) = files(state.path());
        reorder(&segments[0], order);
        let refusal = recover(state.path(), &green_content(), false).err().unwrap_or_else(|| panic!("{what}"));
        let text = format!("{refusal:#}");
        assert!(text.contains("stands where") && text.contains("belongs"), "{what}: {text}");
        assert!(recover(state.path(), &green_content(), true).expect("by leave").lost, "{what}");
    }
}

#[tokio::test]
async fn a_missing_segment_is_refused_unless_a_snapshot_spares_it() {
    let server = Server::start_with(on(&killed_twice().await));
    play(&server).await;
    let state = server.kill();
    let (segments, snapshots) = files(state.path());
    let spared = copy(state.path());
    let first = spared.path().join("journal").join(segments[0].file_name().expect("it has one"));
    std::fs::remove_file(first).expect("it was there");
    assert_eq!(hashes_of(spared.path()), hashes_of(state.path()), "the newest snapshot needs it no more");

    for snapshot in &snapshots[1..] {
        std::fs::remove_file(snapshot).expect("it was there");
    }
    let whole = hashes_of(state.path());
    std::fs::remove_file(&segments[1]).expect("it was there");
    let refusal = format!("{:#}", recover(state.path(), &green_content(), false).err().expect("it is missing"));
    let name = segments[2].file_name().expect("it has one").to_string_lossy().into_owned();
    assert!(refusal.contains(&name) && refusal.contains("but what was read before it ends with"), "{refusal}");
    let recovered = recover(state.path(), &green_content(), true).expect("by leave");
    assert!(recovered.lost && recovered.world.expect("there is one").hashes() != whole);
}

#[tokio::test]
async fn a_damaged_snapshot_falls_back_to_the_one_before_and_comes_to_the_same() {
    let state = killed_twice().await;
    let whole = hashes_of(state.path());
    let (_, snapshots) = files(state.path());
    let length = std::fs::metadata(&snapshots[1]).expect("it is there").len() as usize;
    // In its head, in its body, and cut short.
    for at in [12, length / 2, length - 1] {
        let state = copy(state.path());
        flip(&files(state.path()).1[1], at);
        assert_eq!(hashes_of(state.path()), whole, "flipped at {at}");
    }
    let bytes = std::fs::read(&snapshots[1]).expect("it is there");
    for length in [0, 5, length / 2, length - 1] {
        std::fs::write(&snapshots[1], &bytes[..length]).expect("written");
        assert_eq!(hashes_of(state.path()), whole, "cut to {length}");
    }
    let server = Server::start_with(on(&state));
    let log = server.log();
    let name = snapshots[1].file_name().expect("it has one").to_string_lossy().into_owned();
    assert!(log.contains(&name) && log.contains("trying the one before"), "{log}");
}

#[tokio::test]
async fn without_any_good_snapshot_a_start_refuses_and_recover_makes_a_new_world() {
    let state = killed().await;
    for snapshot in files(state.path()).1 {
        flip(&snapshot, 40);
    }
    let failed = Server::fails_to_start(on(&state));
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert!(failed.err.contains("no snapshot that can be read") && failed.err.contains("--recover"), "{}", failed.err);
    let server = Server::start_with(on_with(&state, &["--recover"]));
    assert!(server.log().contains("lost: "), "{}", server.log());
    let lists: Vec<PathBuf> = std::fs::read_dir(state.path().join("journal"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "txt"))
        .collect();
    let text = std::fs::read_to_string(&lists[0]).expect("the list of what was lost");
    assert!(text.contains("say Somebody was here."), "{text}");
    // Who plays has what the database has.
    let mut ann = server.connect().await;
    let key = server.key("Ann").await;
    ann.log_in("Ann", &key).await;
}

#[tokio::test]
async fn files_of_a_newer_format_are_named_so_and_foreign_ones_left_alone() {
    let state = killed_twice().await;
    let whole = hashes_of(state.path());
    let foreign = state.path().join("journal").join("notes.txt");
    std::fs::write(&foreign, "mine").expect("written");
    let newer = |path: &Path| {
        let mut bytes = std::fs::read(path).expect("it is there");
        bytes[7] = 2;
        std::fs::write(path, bytes).expect("written");
    };
    newer(&files(state.path()).1[1]);
    assert_eq!(hashes_of(state.path()), whole, "the snapshot before does as well");
    let tail = copy(state.path());
    let none = copy(state.path());
    let server = Server::start_with(on(&state));
    assert!(server.log().contains("it is of format version 2"), "{}", server.log());
    let state = server.kill();
    assert_eq!(std::fs::read_to_string(state.path().join("journal/notes.txt")).expect("it stays"), "mine");
    // The tail is needed, so a newer format of it is refused.
    newer(&files(tail.path()).0[1]);
    let refusal = format!("{:#}", recover(tail.path(), &green_content(), false).err().expect("the tail is newer"));
    assert!(refusal.contains("format version 2") && refusal.contains("--recover"), "{refusal}");
    newer(&files(none.path()).1[0]);
    let refusal = format!("{:#}", recover(none.path(), &green_content(), false).err().expect("nothing to begin with"));
    assert!(refusal.contains("no snapshot that can be read"), "{refusal}");
}
