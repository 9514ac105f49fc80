//! Archives of logs in a database, with real files.

use super::command::{ArchiveArgs, Before, run_on};
use super::verifying::verify;
use super::*;
use crate::dreams::one::{Calendar, Came, Way, dream_of};
use crate::dreams::tests::row as deed;
use crate::log_input::{LogInput, Request};
use crate::minds::{Asker, Found, Minds};
use crate::outbox::{Out, Outbox};
use crate::store::agent_events::{AgentEvent, Newest, entry_of, row_of};
use crate::store::testing::{Place, on_each_place};
use crate::store::{happenings, logs, memories, mind_shares};
use dreaming::Record;
use dreaming::log_search::Asked;
use dreaming::synthetic::{Life, Shape};
use mind::sharing::Scope;
use mind::{Event, LogEntry, MindState};
use proptest::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

const DAYS: i64 = 1_704_096_000_000;

fn life() -> impl Iterator<Item = Record> {
    Life::new(Shape { events_per_day: 60, from_ms: DAYS, ..Shape::default() })
}

/// A log of deeds, with an own entry at each third number and words at each tenth; numbers have gaps.
fn log_of(name: &str, count: usize) -> Vec<AgentEvent> {
    let own = |n: u64| match n % 4 {
        0 => Event::TaskSet { text: format!("task {n}") },
        1 => Event::StepAdd { text: format!("step {n}") },
        2 => Event::NoteAdd { text: format!("note {n}") },
        _ => Event::MemorySet { path: format!("seen.n{n}"), value: (n as f64 / 7.0).into(), weight: None },
    };
    let said = |n: u64| {
        let talk = serde_json::json!({"kind": "said", "channel": "say", "text": format!("word {n}")});
        serde_json::from_value(talk).expect("words")
    };
    life()
        .take(count)
        .zip(1_u64..)
        .map(|(mut record, n)| {
            record.seq = n * 2;
            let mut row = deed(name, &record);
            let event = match n {
                n if n % 10 == 0 => Some(said(n)),
                n if n % 3 == 0 => Some(own(n)),
                _ => None,
            };
            if let Some(event) = event {
                let (seq, tick, at_ms, input) = (record.seq, record.tick, record.at_ms, record.seq);
                row = row_of(name, &LogEntry { seq, tick, at_ms, input, event }, row.session);
            }
            row
        })
        .collect()
}

async fn written(place: &Place, state: &Path, rows: &[AgentEvent]) -> Store {
    let store = place.open_in(state).await;
    agent_events::append(&store, rows).await.expect("written");
    store
}

pub(super) fn folder_in(state: &Path) -> PathBuf {
    agent_archives::own_folder(state)
}

async fn archived(store: &Store, state: &Path, upto: Upto) -> Moved {
    let turn = Turn::take(&folder_in(state)).expect("locked").expect("nobody else");
    archive_log(store, &turn, &"ann".into(), upto, unix_ms()).await.expect("archived")
}

async fn whole(store: &Store) -> Vec<AgentEvent> {
    logs::after(store, "ann", 0, i64::MAX).await.expect("read")
}

fn state_of(rows: &[AgentEvent]) -> MindState {
    let entries: Vec<LogEntry> = rows.iter().map(|row| entry_of(row).expect("an entry")).collect();
    MindState::of(&entries)
}

type Reads = (Vec<Vec<AgentEvent>>, Vec<String>);

/// Told by the number of what was read, as whole logs are too long to look at.
fn same((rows, numbers): &Reads, (expected, expected_numbers): &Reads, when: &str) {
    for (at, (rows, expected)) in rows.iter().zip(expected).enumerate() {
        let seqs = |rows: &[AgentEvent]| rows.iter().map(|row| row.seq).collect::<Vec<_>>();
        assert_eq!(seqs(rows), seqs(expected), "{when}: read {at}");
        let other = rows.iter().zip(expected).find(|(row, expected)| row != expected);
        assert_eq!(other, None, "{when}: read {at}");
    }
    assert_eq!(numbers, expected_numbers, "{when}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_reads_the_same_wherever_it_lies() {
    on_each_place(async |place| {
        let state = tempfile::tempdir().expect("a folder");
        let rows = log_of("ann", 150);
        let store = written(place, state.path(), &rows).await;
        let log = LogId::from("ann");
        let expected = whole(&store).await;
        assert_eq!(expected, rows, "as it was written");
        let reads = async || {
            let mut told = Vec::new();
            for after in [0, 1, 98, 100, 101, 250, 299, 300, 301] {
                for most in [1, 7, 40, 1_000] {
                    told.push(logs::after(&store, &log, after, most).await.expect("read"));
                    told.push(logs::without_records(&store, &log, (after, i64::MAX), most).await.expect("read"));
                    // Dreams ask for the columns that they need.
                    let bare = |row: AgentEvent| AgentEvent {
                        valence: None,
                        importance: None,
                        salience0: None,
                        novel: None,
                        evidence: None,
                        social_event_id: None,
                        ..row
                    };
                    let deeds = happenings::between(&store, &log, after, 260, most).await.expect("read");
                    told.push(deeds.into_iter().map(bare).collect());
                }
            }
            for sort in Sort::ALL {
                told.push(logs::last_of(&store, &log, sort, 45).await.expect("read"));
            }
            told.push(logs::these(&store, &log, &[2, 50, 51, 120, 290, 300, 999]).await.expect("read"));
            let mut numbers = Vec::new();
            for (after, end_day) in [(0, 1), (0, 9), (70, 2), (300, 9)] {
                let end_ms = DAYS + end_day * DAY_MS;
                numbers.push(format!("{:?}", happenings::span(&store, &log, after, end_ms).await.expect("read")));
            }
            for (after, most) in [(0, 3), (0, 60), (50, 60), (0, 90), (100, 30), (0, 10_000)] {
                numbers.push(format!("{:?}", happenings::newest_from(&store, &log, after, most).await.expect("read")));
            }
            numbers.push(format!("{:?}", happenings::latest_at(&store, &log).await.expect("read")));
            (told, numbers)
        };
        let as_rows = reads().await;
        for before in [40, 130, 260, 1_000] {
            let moved = archived(&store, state.path(), Upto::Entry(before)).await;
            assert!(moved.entries > 0 && moved.held_back.is_none(), "{moved:?}");
            same(&reads().await, &as_rows, &format!("archived before #{before}"));
            let base = log_base::newest(&store, &log).await.expect("it is there");
            let end = agent_archives::end(&store, &log).await.expect("read");
            let upto: Vec<AgentEvent> = rows.iter().filter(|row| row.seq <= end).cloned().collect();
            assert_eq!(base.state, state_of(&upto), "the base is what the log gives");
            let newest = agent_events::newest(&store, &log).await.expect("read");
            assert_eq!(newest, Newest { seq: 300, number: 300 }, "the newest entry stays a row");
        }
        assert_eq!(agent_archives::end(&store, &log).await.expect("read"), 298, "all but the newest");
        let count = agent_archives::count(&store, &log).await.expect("read");
        assert_eq!(count, 149);
        let verified = verify(&store, &folder_in(state.path()), None).await.expect("verified");
        assert_eq!((verified.entries, verified.troubles.len(), verified.unnamed.len()), (149, 0, 0), "{verified:?}");
        // And back.
        let args = ArchiveArgs { name: None, before: None, verify: false, restore: true, json: true };
        assert!(run_on(&store, &folder_in(state.path()), &args).await.expect("restored"));
        same(&reads().await, &as_rows, "restored");
        assert_eq!(agent_archives::end(&store, &log).await.expect("read"), 0);
        assert_eq!(agent_events::rows_after(&store, &log, 0, 1_000).await.expect("read"), rows, "rows as they were");
        store.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_night_takes_what_is_old_or_too_much_and_was_read_by_dreams() {
    on_each_place(async |place| {
        let state = tempfile::tempdir().expect("a folder");
        let store = written(place, state.path(), &log_of("ann", 150)).await;
        let moved = archived(&store, state.path(), Upto::Kept(30)).await;
        assert_eq!(moved, Moved::default(), "nobody has dreamt of it");
        let dreams = tempfile::tempdir().expect("a folder");
        let way = Way { through: Some(19_724), ..Way::new(dreams.path().to_path_buf(), Calendar::Of(0)) };
        assert!(matches!(dream_of(&store, "ann", &way, &mut |_, _| ()).await, Ok(Came::Dreamt(_))));
        let cursor = memories::cursor(&store, "ann").await.expect("read").expect("dreamt").last_seq;
        let moved = archived(&store, state.path(), Upto::Kept(30)).await;
        let end = agent_archives::end(&store, &"ann".into()).await.expect("read");
        assert!(moved.files > 1 && (cursor..cursor + 6).contains(&end), "{moved:?} {cursor} {end}");
        assert_eq!(archived(&store, state.path(), Upto::Kept(30)).await, Moved::default(), "there is no more");
        // What was dreamt goes on, and so does a dream of the whole.
        let way = Way { through: Some(19_730), ..way };
        assert!(matches!(dream_of(&store, "ann", &way, &mut |_, _| ()).await, Ok(Came::Dreamt(_))));
        let graph = memories::graph(&store, "ann").await.expect("read").expect("there").hash;
        memories::delete(&store, "ann").await.expect("deleted");
        let anew = tempfile::tempdir().expect("a folder");
        let way = Way { dir: anew.path().to_path_buf(), ..way };
        assert!(matches!(dream_of(&store, "ann", &way, &mut |_, _| ()).await, Ok(Came::Dreamt(_))));
        assert_eq!(
            memories::graph(&store, "ann").await.expect("read").expect("there").hash,
            graph,
            "from archives too"
        );
        // Young, but too many rows.
        let rows: Vec<AgentEvent> = log_of("bob", 100)
            .into_iter()
            .map(|row| AgentEvent { at: unix_ms(), kind: "note.add".into(), payload: "{\"text\":\"x\"}".into(), ..row })
            .collect();
        agent_events::append(&store, &rows).await.expect("written");
        let turn = Turn::take(&folder_in(state.path())).expect("locked").expect("nobody else");
        let moved = archive_log(&store, &turn, &"bob".into(), Upto::Kept(30), unix_ms()).await.expect("archived");
        assert_eq!(moved.entries, 40, "60 stay");
        store.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_an_archive_is_named_and_the_rest_is_there() {
    on_each_place(async |place| {
        let state = tempfile::tempdir().expect("a folder");
        let rows = log_of("ann", 150);
        let store = written(place, state.path(), &rows).await;
        archived(&store, state.path(), Upto::Entry(200)).await;
        let log = LogId::from("ann");
        let files = agent_archives::files_after(&store, &log, 0).await.expect("read");
        assert_eq!(files.len(), 4);
        let path = folder_in(state.path()).join(&files[1].file);
        let good = std::fs::read(&path).expect("it is there");
        #[cfg(unix)]
        assert_eq!(
            std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).expect("there").permissions()) & 0o777,
            0o600
        );
        let mut altered = good.clone();
        altered[30] ^= 1;
        for (bytes, what) in
            [(None, "missing"), (Some(&good[..50]), "cut or altered"), (Some(&altered[..]), "cut or altered")]
        {
            match bytes {
                None => std::fs::remove_file(&path).expect("removed"),
                Some(bytes) => std::fs::write(&path, bytes).expect("written"),
            }
            // Another program has nothing in memory.
            let again = place.open_in(state.path()).await;
            let verified = verify(&again, &folder_in(state.path()), Some(&log)).await.expect("verified");
            assert_eq!(verified.troubles.len(), 1, "{verified:?}");
            assert!(
                verified.troubles[0].contains(what) && verified.troubles[0].contains(&files[1].file),
                "{verified:?}"
            );
            let error = logs::after(&again, &log, 0, 1_000).await.expect_err("it cannot").to_string();
            assert!(error.contains(&files[1].file) && error.contains(what), "{error}");
            // The mind, and what lies behind it.
            assert_eq!(log_base::newest(&again, &log).await.expect("it opens").seq, 198);
            assert_eq!(logs::after(&again, &log, 100, 1_000).await.expect("read"), rows[50..].to_vec());
            // Nothing more is archived over it, or it is: the base is known.
            again.close().await;
        }
        std::fs::write(&path, &good).expect("put back");
        assert_eq!(whole(&store).await, rows, "as if nothing had been");
        // A row that names another file, and a header that was made for another place.
        let swapped = std::fs::read(folder_in(state.path()).join(&files[0].file)).expect("read");
        std::fs::write(&path, &swapped).expect("written");
        let verified = verify(&store, &folder_in(state.path()), None).await.expect("verified");
        assert_eq!(verified.troubles.len(), 1, "{verified:?}");
        store.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_between_file_and_transaction_costs_nothing() {
    on_each_place(async |place| {
        let state = tempfile::tempdir().expect("a folder");
        let rows = log_of("ann", 60);
        let store = written(place, state.path(), &rows).await;
        // The file of a run that ended there: its entries are rows still.
        let made = make_file(&folder_in(state.path()), &"ann".into(), rows[..10].to_vec(), Base::default(), None);
        let (made, unknown) = made.expect("made");
        let orphan = made.expect("a file").row.file;
        assert!(unknown.is_none() && folder_in(state.path()).join(&orphan).exists());
        let verified = verify(&store, &folder_in(state.path()), None).await.expect("verified");
        assert_eq!((verified.unnamed, verified.files), (vec![orphan.clone()], 0));
        assert_eq!(whole(&store).await, rows);
        archived(&store, state.path(), Upto::Entry(60)).await;
        assert_eq!(whole(&store).await, rows);
        let verified = verify(&store, &folder_in(state.path()), None).await.expect("verified");
        assert_eq!((verified.unnamed.len(), verified.troubles.len()), (0, 0), "{verified:?}");
        assert!(!folder_in(state.path()).join(&orphan).exists(), "its entries are in another file now");
        // What a recovery brings back is in the archive already.
        agent_events::append(&store, &rows[..3]).await.expect("written again");
        assert_eq!(whole(&store).await, rows, "read once");
        store.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_archives_at_a_time_and_readers_never_miss_an_entry() {
    on_each_place(async |place| {
        let state = tempfile::tempdir().expect("a folder");
        let rows = log_of("ann", 150);
        let store = written(place, state.path(), &rows).await;
        let folder = folder_in(state.path());
        let turn = Turn::take(&folder).expect("locked").expect("nobody else");
        assert!(Turn::take(&folder).expect("asked").is_none(), "a second one waits for another time");
        let args = ArchiveArgs { name: None, before: Some(Before::Days(0)), verify: false, restore: false, json: true };
        let error = run_on(&store, &folder, &args).await.expect_err("refused").to_string();
        assert!(error.contains("somebody else archives"), "{error}");
        let (reading, expected) = (store.clone(), rows.clone());
        let reader = tokio::spawn(async move {
            for _ in 0..30 {
                assert_eq!(whole(&reading).await, expected);
            }
        });
        for before in (20..300).step_by(20) {
            archive_log(&store, &turn, &"ann".into(), Upto::Entry(before), unix_ms()).await.expect("archived");
        }
        reader.await.expect("all were there, all the time");
        // One who has another folder, and no lock in common, changes nothing.
        let elsewhere = tempfile::tempdir().expect("a folder");
        let other = Turn::take(elsewhere.path()).expect("locked").expect("nobody else");
        let row = make_file(elsewhere.path(), &"ann".into(), rows[..5].to_vec(), Base::default(), None);
        let made = row.expect("made").0.expect("a file");
        assert!(!agent_archives::move_out(&store, &made.row, &made.packed_base).await.expect("asked"));
        drop(other);
        assert_eq!(whole(&store).await, rows);
        store.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_leaves_everything_as_it_was() {
    let place = Place::sqlite();
    let state = tempfile::tempdir().expect("a folder");
    let rows = log_of("ann", 60);
    let store = written(&place, state.path(), &rows).await;
    // A file where the folder should be is as good as a disk that takes nothing.
    let turn = Turn::take(&folder_in(state.path())).expect("locked").expect("nobody else");
    std::fs::write(folder_in(state.path()).join("ann"), "in the way").expect("written");
    let error = archive_log(&store, &turn, &"ann".into(), Upto::Entry(60), unix_ms()).await.expect_err("it cannot");
    assert!(format!("{error:#}").contains("writing the archive"), "{error:#}");
    assert_eq!(agent_events::rows_after(&store, &"ann".into(), 0, 100).await.expect("read"), rows);
    drop(turn);
    let archiver = Archiver::new(store.clone(), folder_in(state.path()), 30);
    memories_as_if_dreamt(&store).await;
    archiver.all().await;
    assert_eq!((archiver.failing.load(Ordering::Relaxed), archiver.failures.load(Ordering::Relaxed)), (1, 1));
    std::fs::remove_file(folder_in(state.path()).join("ann")).expect("there is room again");
    archiver.all().await;
    assert_eq!(archiver.failing.load(Ordering::Relaxed), 0);
    assert!(archiver.entries.load(Ordering::Relaxed) > 0);
    assert_eq!(whole(&store).await, rows);
}

async fn memories_as_if_dreamt(store: &Store) {
    let dreams = tempfile::tempdir().expect("a folder");
    let way = Way::new(dreams.path().to_path_buf(), Calendar::Of(0));
    assert!(matches!(dream_of(store, "ann", &way, &mut |_, _| ()).await, Ok(Came::Dreamt(_))));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_newer_program_wrote_stays_a_row_with_all_behind_it() {
    let place = Place::sqlite();
    let state = tempfile::tempdir().expect("a folder");
    let mut rows = log_of("ann", 60);
    rows[29].kind = "dance.begin".into();
    rows[29].payload = "{\"with\":\"bob\"}".into();
    let store = written(&place, state.path(), &rows).await;
    let moved = archived(&store, state.path(), Upto::Entry(1_000)).await;
    assert_eq!(moved.entries, 29);
    let why = moved.held_back.expect("it says why");
    assert!(why.contains("#60") && why.contains("dance.begin"), "{why}");
    assert_eq!(whole(&store).await, rows);
    let again = archived(&store, state.path(), Upto::Entry(1_000)).await;
    assert_eq!(again.entries, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_base_of_another_program_is_made_anew_from_the_files() {
    let place = Place::sqlite();
    let state = tempfile::tempdir().expect("a folder");
    let rows = log_of("ann", 90);
    let store = written(&place, state.path(), &rows).await;
    archived(&store, state.path(), Upto::Entry(120)).await;
    let log = LogId::from("ann");
    let good = log_base::newest(&store, &log).await.expect("there");
    let files = agent_archives::files_after(&store, &log, 0).await.expect("read");
    let (packed, hash) = log_base::packed(&Base { version: 0, ..Base::default() }).expect("packed");
    agent_archives::replace_base(&store, files.last().expect("one"), &packed, &hash).await.expect("replaced");
    assert_eq!(log_base::newest(&store, &log).await.expect("made anew"), good);
    archived(&store, state.path(), Upto::Entry(150)).await;
    let newest = agent_archives::files_after(&store, &log, 0).await.expect("read");
    let behind = log_base::stored(&store, &newest[files.len() - 1]).await.expect("read");
    assert_eq!(behind, Some(good), "and noted by the next run");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_the_same_from_rows_an_index_and_files() {
    on_each_place(async |place| {
        let state = tempfile::tempdir().expect("a folder");
        let store = written(place, state.path(), &log_of("ann", 150)).await;
        let log = LogId::from("ann");
        let questions =
            ["task", "step 51", "in:talk word", "in:notes", "in:all seen", "in:deeds", "note 62 since:#100"];
        let ask = async || {
            let minds = Minds::new(store.clone());
            let mut told = Vec::new();
            for text in questions {
                let query = Asked::parse(text, 0).expect("a question").log.expect("of the log");
                told.push(minds.found_in_log(&log, query).await.expect("answered"));
            }
            told
        };
        let as_rows = ask().await;
        assert!(as_rows.iter().all(|findings| !findings.found.is_empty()), "{as_rows:?}");
        // Up to a hundred archived entries of a log are indexed, beyond it is looked through.
        for (before, count) in [(100, 49), (280, 139)] {
            archived(&store, state.path(), Upto::Entry(before)).await;
            assert_eq!(agent_archives::count(&store, &log).await.expect("counted"), count);
            assert_eq!(ask().await, as_rows, "{count} archived");
        }
        // Of a file that is gone it is said what was not looked through.
        let file = agent_archives::files_after(&store, &log, 0).await.expect("read").remove(1);
        std::fs::remove_file(folder_in(state.path()).join(&file.file)).expect("removed");
        for (findings, expected) in ask().await.iter().zip(&as_rows) {
            assert_eq!(findings.lacks, [(file.first_seq, file.last_seq)]);
            let is_there = |found: &&Found| !(file.first_seq..=file.last_seq).contains(&(found.entry.seq as i64));
            let rest: Vec<_> = expected.found.iter().filter(is_there).map(|found| found.entry.seq).collect();
            assert!(rest.iter().all(|seq| findings.found.iter().any(|found| found.entry.seq == *seq)), "{rest:?}");
        }
        store.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_character_takes_its_folder_along() {
    on_each_place(async |place| {
        let state = tempfile::tempdir().expect("a folder");
        let store = written(place, state.path(), &log_of("ann", 60)).await;
        archived(&store, state.path(), Upto::Entry(100)).await;
        assert!(folder_in(state.path()).join("ann").exists());
        Minds::new(store.clone()).forget("Ann").await.expect("forgotten");
        assert!(!folder_in(state.path()).join("ann").exists());
        assert_eq!(whole(&store).await, []);
        assert_eq!(agent_archives::all(&store).await.expect("read"), []);
        store.close().await;
    })
    .await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_archived_when_the_state_is_that_of_the_whole_log(
        count in 1..120_usize,
        cuts in prop::collection::vec(1..260_i64, 0..6),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let (place, state) = (Place::sqlite(), tempfile::tempdir().expect("a folder"));
            let rows = log_of("ann", count);
            let store = written(&place, state.path(), &rows).await;
            for cut in cuts {
                archived(&store, state.path(), Upto::Entry(cut)).await;
            }
            let log = LogId::from("ann");
            let base = log_base::newest(&store, &log).await.expect("there");
            let end = i64::try_from(base.seq).expect("small");
            let rest = agent_events::rows_after(&store, &log, end, 1_000).await.expect("read");
            let (base, _, why) = go_on(base, &rest);
            assert!(why.is_none());
            assert_eq!(base.state, state_of(&rows));
            assert_eq!(whole(&store).await, rows);
            store.close().await;
        });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_shared_is_read_from_archives_too() {
    on_each_place(async |place| {
        let state = tempfile::tempdir().expect("a folder");
        let grant = Event::ShareGrant { to: "Bob".into(), person: 105, scopes: vec![Scope::Task, Scope::Notes] };
        let mut rows = log_of("ann", 150);
        let LogEntry { tick, at_ms, input, .. } = entry_of(&rows[0]).expect("an entry");
        rows.insert(0, row_of("ann", &LogEntry { seq: 1, tick, at_ms, input, event: grant }, None));
        let store = written(place, state.path(), &rows).await;
        let asks = async |line: &str| {
            let (verb, args) = line.split_once(' ').expect("two words");
            let request = Request {
                log: "bob".into(),
                verb: verb.into(),
                args: args.into(),
                first: 1,
                numbers: 0,
                input: 1,
                tick: 1_000,
                at_ms: unix_ms(),
                present: Vec::new(),
                place: None,
                reads: Some(world::report::Reads { reader: 105, whose: "Ann".into() }),
            };
            let outbox = Arc::new(Outbox::new(1 << 20));
            let asker = Asker { outbox: outbox.clone(), facts: Arc::default(), verdict: None, cause: None };
            let minds = Minds::new(store.clone());
            minds.take(LogInput::Request(Arc::new(request)), Some(asker));
            minds.settle().await.expect("answered");
            let told = outbox.take().items.into_iter().filter_map(|out| match out {
                Out::Line(shared) => Some(shared.line.text.clone()),
                _ => None,
            });
            told.collect::<Vec<_>>().join("\n")
        };
        let before = (asks("hud of ann").await, asks("recall of:ann note 6").await, asks("recall of:ann step").await);
        assert!(before.0.starts_with("Ann shares with you: task, notes.\n| Task: task "), "{}", before.0);
        assert!(before.1.starts_with("In what Ann shares with you:\n 1. note: note 6 ["), "{}", before.1);
        assert!(before.2.starts_with("Nothing of that is in what Ann shares"), "{}", before.2);
        assert!(!before.0.contains("step "), "{}", before.0);
        let moved = archived(&store, state.path(), Upto::Days(10)).await;
        assert!(moved.entries > 100, "{moved:?}");
        assert_eq!(
            (asks("hud of ann").await, asks("recall of:ann note 6").await, asks("recall of:ann step").await),
            before
        );
        assert_eq!(mind_shares::owners(&store, 105, 9).await.expect("it answers"), ["ann"]);
        store.close().await;
    })
    .await;
}
