//! Archives of decisions in each database, with real files.

use super::command::{ArchiveArgs, Before, run_on};
use super::decisions::{Archived, archive_before};
use super::tests::folder_in;
use super::verifying::verify;
use super::*;
use crate::client_info::ClientInfo;
use crate::retention::tests::make;
use crate::store::decisions::{Cursor, Decision, KnownSpans, count, insert};
use crate::store::sessions::NewSession;
use crate::store::testing::{Place, on_each_place};
use crate::store::{decision_archives, decision_tests, logs, sessions};
use std::ops::Range;

/// 2026-01-01T00:00:00Z.
const JANUARY: i64 = 1_767_225_600_000;
const HOUR: i64 = 3_600_000;
/// 2026-03-01T00:00:00Z.
const MARCH: i64 = JANUARY + 59 * 24 * HOUR;

fn decision(name: &str, number: i64) -> Decision {
    let at = JANUARY + number * 17 * HOUR;
    Decision {
        part: number % 2,
        session: None,
        error: (number % 4 == 0).then(|| "You cannot.".into()),
        model: (number % 5 == 0).then(|| "m".into()),
        pre_exp: Some(number),
        valence: None,
        ..decision_tests::decision(name, at, number)
    }
}

async fn write(store: &Store, rows: &[Decision]) {
    insert(store, rows, &mut KnownSpans::default()).await.expect("written");
}

/// These inputs, by turns of these characters.
async fn lived(store: &Store, names: &[&str], numbers: Range<i64>) {
    let rows: Vec<Decision> = numbers.map(|n| decision(names[n as usize % names.len()], n)).collect();
    write(store, &rows).await;
}

async fn opened(place: &Place, state: &Path) -> Store {
    let store = place.open_in(state).await;
    for name in ["ann", "bob"] {
        make(&store, name, JANUARY, |_| ()).await;
    }
    store
}

/// Everything that is read of a character, in pages of a few.
async fn all(store: &Store, name: &str) -> Vec<Decision> {
    between(store, name, i64::MIN, i64::MAX).await
}

async fn between(store: &Store, name: &str, since: i64, until: i64) -> Vec<Decision> {
    let (mut found, mut after) = (Vec::new(), Cursor::from(since));
    loop {
        let page = decision_archives::page(store, name, after, until, 7).await.expect("read");
        let Some(last) = page.last() else { return found };
        assert!(page.len() <= 7 && page.iter().all(|row| Cursor::behind(row) > after && row.at < until));
        after = Cursor::behind(last);
        found.extend(page);
    }
}

async fn archived(store: &Store, state: &Path, before_ms: i64) -> Archived {
    let turn = Turn::take(&folder_in(state)).expect("locked").expect("nobody else");
    archive_before(store, &turn, before_ms).await.expect("archived")
}

#[tokio::test(flavor = "multi_thread")]
async fn months_go_into_files_and_are_read_as_if_they_were_rows() {
    on_each_place(async |place| {
        let state = tempfile::tempdir().expect("a folder");
        let store = opened(place, state.path()).await;
        // January to April; somebody was deleted.
        lived(&store, &["ann", "bob", "gone"], 0..160).await;
        let before = [all(&store, "ann").await, all(&store, "bob").await];
        assert_eq!(before[0].len(), 54);

        let moved = archived(&store, state.path(), MARCH + 10 * HOUR).await;
        let old = |rows: &[Decision]| rows.iter().filter(|row| row.at < MARCH).count() as u64;
        assert_eq!(moved.decisions, old(&before[0]) + old(&before[1]), "{moved:?}");
        assert!(moved.files >= 4, "two months of two characters: {moved:?}");
        assert_eq!(count(&store).await.expect("counted"), 160 - decision_count_before(MARCH), "nothing young went");
        assert_eq!([all(&store, "ann").await, all(&store, "bob").await], before);
        assert!(all(&store, "gone").await.iter().all(|row| row.at >= MARCH), "who was deleted leaves no file");
        // Any part of it, across files and rows.
        for (since, until) in [(100, 900), (0, 1), (700, 1_500), (1_360, 1_420), (2_000, 9_000)] {
            let (since, until) = (JANUARY + since * HOUR, JANUARY + until * HOUR);
            let wanted: Vec<Decision> =
                before[0].iter().filter(|row| (since..until).contains(&row.at)).cloned().collect();
            assert_eq!(between(&store, "Ann", since, until).await, wanted, "{since} to {until}");
        }
        assert_eq!(archived(&store, state.path(), MARCH).await, Archived::default(), "nothing is left to do");
        let verified = verify(&store, &folder_in(state.path()), None).await.expect("verified");
        assert_eq!((verified.decisions, verified.files), (moved.decisions, moved.files));
        assert!(verified.troubles.is_empty() && verified.unnamed.is_empty(), "{verified:?}");

        // A deleted character takes its files along.
        logs::delete(&store, "bob").await.expect("deleted");
        assert!(!folder_in(state.path()).join("bob").exists());
        assert!(decision_archives::of(&store, "bob").await.expect("listed").is_empty());
        assert_eq!(all(&store, "ann").await, before[0]);
        store.close().await;
    })
    .await;
}

fn decision_count_before(at: i64) -> i64 {
    (0..160).filter(|n| decision("ann", *n).at < at).count() as i64
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_late_and_what_a_kill_left_is_there_once() {
    on_each_place(async |place| {
        let state = tempfile::tempdir().expect("a folder");
        let store = opened(place, state.path()).await;
        let every_other = |n: &Decision| n.number % 2 == 0;
        let life: Vec<Decision> = (0..160).map(|n| decision("ann", n)).collect();
        let (first, late): (Vec<Decision>, Vec<Decision>) = life.clone().into_iter().partition(every_other);
        write(&store, &first).await;
        archived(&store, state.path(), MARCH).await;
        let once = decision_archives::of(&store, "ann").await.expect("listed");
        // As a kill leaves it that came before the rows were taken away.
        write(&store, &first).await;
        assert_eq!(all(&store, "ann").await, first);
        let again = archived(&store, state.path(), MARCH).await;
        assert!(again.files == 0 && again.removed.is_some(), "{again:?}");
        assert_eq!(decision_archives::of(&store, "ann").await.expect("listed"), once);
        // A recovery long after a crash: what was decided between the others.
        write(&store, &late).await;
        assert_eq!(all(&store, "ann").await, life, "rows among files");
        let moved = archived(&store, state.path(), MARCH).await;
        assert_eq!(moved.decisions, late.iter().filter(|row| row.at < MARCH).count() as u64);
        assert_eq!(all(&store, "ann").await, life, "files among files");
        let verified = verify(&store, &folder_in(state.path()), None).await.expect("verified");
        assert!(verified.troubles.is_empty() && verified.unnamed.is_empty(), "{verified:?}");
        store.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_record_of_a_session_said_stays_when_it_is_gone() {
    on_each_place(async |place| {
        let state = tempfile::tempdir().expect("a folder");
        let store = opened(place, state.path()).await;
        let begun = NewSession {
            name: "ann".into(),
            started_at: JANUARY,
            client: ClientInfo { model: Some("gpt-x".into()), ..ClientInfo::default() },
            seed: Some(7),
            ..NewSession::default()
        };
        let session = sessions::begin(&store, &begun).await.expect("begun");
        write(&store, &[Decision { session: Some(session), model: None, ..decision("ann", 1) }]).await;
        let before = all(&store, "ann").await;
        assert_eq!((before[0].model.as_deref(), before[0].seed), (Some("gpt-x"), Some(7)));
        archived(&store, state.path(), MARCH).await;
        sessions::remove_before(&store, i64::MAX).await.expect("removed");
        assert_eq!(all(&store, "ann").await, before);
        store.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_gone_or_altered_is_named_and_the_rest_works() {
    let (place, state) = (Place::sqlite(), tempfile::tempdir().expect("a folder"));
    let store = opened(&place, state.path()).await;
    lived(&store, &["ann", "bob"], 0..160).await;
    let before = [all(&store, "ann").await, all(&store, "bob").await];
    let args = ArchiveArgs { name: None, before: Some(Before::Days(1)), verify: false, restore: false, json: true };
    assert!(run_on(&store, &folder_in(state.path()), &args).await.expect("archived"));
    let files = decision_archives::of(&store, "ann").await.expect("listed");
    let path = folder_in(state.path()).join(&files[0].file);
    let mut bytes = std::fs::read(&path).expect("it is there");
    bytes[30] ^= 1;
    std::fs::write(&path, &bytes).expect("altered");
    // Another process has nothing in memory.
    store.close().await;
    let store = place.open_in(state.path()).await;
    let refused = decision_archives::page(&store, "ann", Cursor::from(i64::MIN), i64::MAX, 7).await;
    let refused = refused.expect_err("it is altered").to_string();
    assert!(refused.contains("2026-01") && refused.contains("altered"), "{refused}");
    let later = files[0].last_at + 1;
    let wanted: Vec<Decision> = before[0].iter().filter(|row| row.at >= later).cloned().collect();
    assert_eq!(between(&store, "ann", later, i64::MAX).await, wanted);
    assert_eq!(all(&store, "bob").await, before[1]);
    let verify = ArchiveArgs { before: None, verify: true, ..args };
    assert!(!run_on(&store, &folder_in(state.path()), &verify).await.expect("verified"));
    store.close().await;
}
