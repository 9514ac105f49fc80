//! Session files over a database without a world.

use super::*;
use crate::client_info::ClientInfo;
use crate::store::accounts::AccountRow;
use crate::store::agent_events;
use crate::store::agent_events::row_of;
use crate::store::characters::CharacterRow;
use crate::store::sessions::NewSession;
use crate::store::testing::on_each_place;
use dreaming::records::{self, Reader, Record};
use protocol::happening::{Happening, Place, Role, What};
use protocol::outcome::{Who, WhoKind};

const BORN: i64 = 1_790_000_000_000;

fn happening(level: u16, valence: i8) -> Happening {
    let who = Who { id: "wren".into(), name: "Wren".into(), kind: WhoKind::Player, level };
    let what = What::LevelGained { who, level };
    let room = Place { vnum: 8_004, name: "The Yard".into() };
    Happening {
        what,
        role: Role::Did,
        room,
        witnesses: Vec::new(),
        social_event_id: None,
        novel: false,
        valence: Some(valence),
    }
}

fn record(seq: u64, valence: i8) -> Record {
    Record { seq, tick: seq, at_ms: BORN + seq as i64, happening: happening(seq as u16, valence) }
}

async fn born(store: &Store, name: &str, created_at: i64) {
    let account = AccountRow {
        name: canonical(name),
        display_name: name.into(),
        password_hash: None,
        created_at,
        last_login_at: None,
    };
    let character = CharacterRow {
        name: canonical(name),
        data: "{}".into(),
        written_by_input: 1,
        updated_at: created_at,
        level: 1,
        immortal_level: 0,
    };
    accounts::create(store, &account, &character, None).await.expect("it is made");
}

async fn session(store: &Store, name: &str, started_at: i64, valence: Option<bool>) -> i64 {
    let session = NewSession {
        name: name.into(),
        started_at,
        is_agent: true,
        client: ClientInfo { valence, ..ClientInfo::default() },
        ..NewSession::default()
    };
    sessions::begin(store, &session).await.expect("it begins")
}

/// The file that is expected: all entries came by the input that `happen` gives them.
fn export(agent: &str, valence: bool, of: &[Record]) -> String {
    records::export(agent, valence, of).replace("\"turn\":0", "\"turn\":5")
}

async fn happen(store: &Store, records: &[Record], session: Option<i64>) {
    let entry = |record: &Record| mind::LogEntry {
        seq: record.seq,
        tick: record.tick,
        at_ms: record.at_ms,
        input: 5,
        event: mind::Event::Happening(Box::new(record.happening.clone())),
    };
    let rows: Vec<_> = records.iter().map(|record| row_of("wren", &entry(record), session)).collect();
    agent_events::append(store, &rows).await.expect("they are written");
}

fn files(folder: &Path) -> Vec<(String, String)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let read = |path: PathBuf| {
        let name = path.file_name().expect("it has a name").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(&path).expect("it is text"))
    };
    let mut files: Vec<_> = entries.map(|entry| read(entry.expect("it is there").path())).collect();
    files.sort();
    files
}

#[tokio::test(flavor = "multi_thread")]
async fn each_session_has_a_file_and_each_record_is_in_one() {
    on_each_place(async |place| {
        let store = place.open().await;
        let folder = tempfile::tempdir().expect("a folder");
        let exports = Exports::new(store.clone(), Minds::new(store.clone()), folder.path().to_path_buf());
        let of_wren = folder.path().join("Wren");
        born(&store, "Wren", BORN).await;
        let first = session(&store, "wren", BORN + 500, None).await;
        happen(&store, &[record(1, 2), record(2, 2)], Some(first)).await;
        exports.export("wren").await.expect("it is looked at");
        assert_eq!(files(&of_wren), [], "it is not over");
        sessions::end(&store, first, BORN + 900).await.expect("it ends");
        exports.export("wren").await.expect("it is written");
        let name = "2026-09-21-141320.jsonl";
        assert_eq!(files(&of_wren), [(name.to_string(), export("Wren", true, &[record(1, 2), record(2, 2)]))]);
        // It fell when nobody was there; the next session begins in the same second, and nothing has a value in it.
        happen(&store, &[record(3, -2)], None).await;
        let second = session(&store, "wren", BORN + 990, Some(false)).await;
        happen(&store, &[record(4, 0)], Some(second)).await;
        exports.export("wren").await.expect("it is written");
        let first_file = (name.to_string(), export("Wren", true, &[record(1, 2), record(2, 2), record(3, -2)]));
        assert_eq!(files(&of_wren), std::slice::from_ref(&first_file));
        sessions::end(&store, second, BORN + 9_000).await.expect("it ends");
        exports.export("wren").await.expect("it is written");
        let second_file = ("2026-09-21-141320_2.jsonl".to_string(), export("Wren", false, &[record(4, 0)]));
        let mut wanted = vec![first_file, second_file];
        wanted.sort();
        assert_eq!(files(&of_wren), wanted);
        let written = exports.files.load(Ordering::Relaxed);
        exports.export("wren").await.expect("there is nothing to do");
        assert_eq!((written, exports.files.load(Ordering::Relaxed)), (3, 3));
        // Who reads them finds each once.
        let mut reader = Reader::new("wren");
        files(&of_wren).iter().for_each(|(name, text)| reader.file(name, text.as_bytes()));
        let log = reader.finish().expect("one kind of log");
        assert_eq!((log.problems, log.duplicates), (Vec::new(), 0));
        assert_eq!(log.records, [record(1, 2), record(2, 2), record(3, -2), record(4, 0)]);
        store.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_taken_over_and_noted_as_gone_later_has_its_records_in_its_own_file_alone() {
    on_each_place(async |place| {
        let store = place.open().await;
        let folder = tempfile::tempdir().expect("a folder");
        let exports = Exports::new(store.clone(), Minds::new(store.clone()), folder.path().to_path_buf());
        let of_wren = folder.path().join("Wren");
        born(&store, "Wren", BORN).await;
        let first = session(&store, "wren", BORN + 500, Some(false)).await;
        happen(&store, &[record(1, 0)], Some(first)).await;
        let second = session(&store, "wren", BORN + 60_500, None).await;
        happen(&store, &[record(2, 2)], Some(second)).await;
        // The end of the second one is in the database before that of the first: a busy machine, or a kill.
        sessions::end(&store, second, BORN + 70_000).await.expect("it ends");
        exports.export("wren").await.expect("it is looked at");
        assert_eq!(files(&of_wren), [], "it waits for the one before it");
        sessions::end(&store, first, BORN + 71_000).await.expect("it ends");
        for _ in 0..2 {
            exports.export("wren").await.expect("it is written");
            let texts: Vec<String> = files(&of_wren).into_iter().map(|(_, text)| text).collect();
            assert_eq!(texts, [export("Wren", false, &[record(1, 0)]), export("Wren", true, &[record(2, 2)])]);
        }
        store.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_crash_left_is_written_at_the_next_start() {
    on_each_place(async |place| {
        let store = place.open().await;
        let folder = tempfile::tempdir().expect("a folder");
        born(&store, "Wren", BORN).await;
        let mut sessions_of = Vec::new();
        for n in 0..3 {
            let id = session(&store, "wren", BORN + n * 60_000, None).await;
            let seq = 1 + 2 * n as u64;
            happen(&store, &[record(seq, 1), record(seq + 1, 1)], Some(id)).await;
            sessions_of.push(id);
        }
        // A person's hours are in the file of the session that came after, and have none of their own.
        sessions::begin(&store, &NewSession { name: "ann".into(), started_at: BORN, ..NewSession::default() })
            .await
            .expect("it begins");
        sessions::end_all(&store, BORN + 200_000).await.expect("a start ends them");
        // An empty file stands where the folder should be.
        let blocked = folder.path().join("blocked");
        std::fs::write(&blocked, "").expect("it is written");
        let exports = Exports::new(store.clone(), Minds::new(store.clone()), blocked);
        let running = tokio::spawn(exports.clone().run());
        while exports.queue.failures.load(Ordering::Relaxed) == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert!(exports.failing());
        running.abort();
        let exports = Exports::new(store.clone(), Minds::new(store.clone()), folder.path().to_path_buf());
        let running = tokio::spawn(exports.clone().run());
        while exports.files.load(Ordering::Relaxed) < 3 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert!(exports.drain(Duration::from_secs(20)).await);
        running.abort();
        let found = files(&folder.path().join("Wren"));
        let names: Vec<&str> = found.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["2026-09-21-141320.jsonl", "2026-09-21-141420.jsonl", "2026-09-21-141520.jsonl"]);
        assert_eq!(found[1].1, export("Wren", true, &[record(3, 1), record(4, 1)]));
        assert!(sessions::unexported(&store).await.expect("it answers").is_empty());
        assert!(!folder.path().join("Ann").exists());
        store.close().await;
    })
    .await;
}

/// Runs a server's exports as long as `done` needs, and then ends them as a kill does.
async fn running_until(exports: &Arc<Exports>, done: impl Fn() -> bool) {
    let running = tokio::spawn(exports.clone().run());
    let deadline = Instant::now() + Duration::from_secs(30);
    while !done() {
        assert!(Instant::now() < deadline, "it does not happen");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    running.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happens_to_a_body_without_a_connection_comes_into_its_file_when_it_has_left_or_after_a_kill() {
    on_each_place(async |place| {
        let store = place.open().await;
        let folder = tempfile::tempdir().expect("a folder");
        let minds = Minds::new(store.clone());
        let exports = Exports::new(store.clone(), minds.clone(), folder.path().to_path_buf());
        let of_wren = folder.path().join("Wren");
        let text = || files(&of_wren).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        born(&store, "Wren", BORN).await;
        let id = session(&store, "wren", BORN + 500, None).await;
        happen(&store, &[record(1, 2)], Some(id)).await;
        sessions::end(&store, id, BORN + 900).await.expect("it ends");
        exports.export("wren").await.expect("it is written");
        // The body is there still, and then it leaves.
        happen(&store, &[record(2, -2)], None).await;
        exports.look_at("Wren");
        let all = |count: u64| {
            export("Wren", true, &(1..=count).map(|seq| record(seq, if seq == 1 { 2 } else { -2 })).collect::<Vec<_>>())
        };
        running_until(&exports, || text() == [all(2)]).await;
        // Killed at each of these moments, the next start writes the rest, once: before the file was written, ...
        happen(&store, &[record(3, -2)], None).await;
        assert_eq!(sessions::unexported(&store).await.expect("it answers"), ["wren"]);
        let next = Exports::new(store.clone(), Minds::new(store.clone()), folder.path().to_path_buf());
        running_until(&next, || text() == [all(3)]).await;
        // ... and between the file and the note how far it is.
        sessions::exported(&store, id, 1).await.expect("noted");
        let next = Exports::new(store.clone(), Minds::new(store.clone()), folder.path().to_path_buf());
        let up_to_date = || text() == [all(3)] && next.files.load(Ordering::Relaxed) == 1;
        running_until(&next, up_to_date).await;
        let deadline = Instant::now() + Duration::from_secs(30);
        while !sessions::unexported(&store).await.expect("it answers").is_empty() {
            assert!(Instant::now() < deadline, "there is nothing more to write");
            exports.export("wren").await.expect("it is noted");
        }
        store.close().await;
    })
    .await;
}

/// Brings files up to date until the work has waited `waits` times, and then dies with all that belongs to it.
fn export_and_die(place: &crate::store::testing::Place, folder: &Path, waits: usize) -> bool {
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    runtime.block_on(async {
        let store = place.open().await;
        let exports = Exports::new(store.clone(), Minds::new(store), folder.to_path_buf());
        let mut work = std::pin::pin!(exports.export("wren"));
        let mut waited = 0;
        std::future::poll_fn(|context| match work.as_mut().poll(context) {
            std::task::Poll::Ready(done) => std::task::Poll::Ready(done.is_ok()),
            std::task::Poll::Pending if waited == waits => std::task::Poll::Ready(false),
            std::task::Poll::Pending => {
                waited += 1;
                std::task::Poll::Pending
            }
        })
        .await
    })
}

#[test]
fn wherever_it_is_killed_each_record_is_in_one_file() {
    let place = crate::store::testing::Place::sqlite();
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = || tokio::runtime::Runtime::new().expect("threads");
    runtime().block_on(async { born(&place.open().await, "Wren", BORN).await });
    let (mut seq, mut finished) = (0, 0);
    for round in 0..40 {
        // A session, its end, and what happens to the body afterwards; killed at another moment in each round.
        runtime().block_on(async {
            let store = place.open().await;
            let id = session(&store, "wren", BORN + 1_000 * (round + 1), None).await;
            happen(&store, &[record(seq + 1, 1)], Some(id)).await;
            sessions::end(&store, id, BORN + 1_000 * (round + 1) + 500).await.expect("it ends");
        });
        finished += usize::from(export_and_die(&place, folder.path(), 1_000));
        runtime().block_on(async { happen(&place.open().await, &[record(seq + 2, 1)], None).await });
        finished += usize::from(export_and_die(&place, folder.path(), round as usize));
        seq += 2;
    }
    assert!((41..80).contains(&finished), "some of the rounds are cut short: {finished}");
    assert!(export_and_die(&place, folder.path(), 1_000));
    let mut reader = Reader::new("wren");
    files(&folder.path().join("Wren")).iter().for_each(|(name, text)| reader.file(name, text.as_bytes()));
    let log = reader.finish().expect("one kind of log");
    assert_eq!((log.problems, log.duplicates), (Vec::new(), 0));
    assert_eq!(log.records, (1..=seq).map(|seq| record(seq, 1)).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_could_not_be_written_is_tried_again_without_a_new_session() {
    let place = crate::store::testing::Place::sqlite();
    let store = place.open().await;
    let folder = tempfile::tempdir().expect("a folder");
    born(&store, "Wren", BORN).await;
    let id = session(&store, "wren", BORN, None).await;
    happen(&store, &[record(1, 1)], Some(id)).await;
    sessions::end(&store, id, BORN + 2_000).await.expect("it ends");
    // An empty file stands where the folder should be, and is taken away after the second attempt.
    let blocked = folder.path().join("blocked");
    std::fs::write(&blocked, "").expect("it is written");
    let exports = Exports::new(store.clone(), Minds::new(store.clone()), blocked.clone());
    let running = tokio::spawn(exports.clone().run());
    let until = async |done: &dyn Fn() -> bool| {
        let deadline = Instant::now() + Duration::from_secs(30);
        while !done() {
            assert!(Instant::now() < deadline, "it does not happen");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    until(&|| exports.queue.failures.load(Ordering::Relaxed) >= 2).await;
    assert!(exports.failing());
    std::fs::remove_file(&blocked).expect("it is there");
    until(&|| exports.files.load(Ordering::Relaxed) == 1).await;
    until(&|| !exports.failing()).await;
    assert_eq!(files(&blocked.join("Wren"))[0].1, export("Wren", true, &[record(1, 1)]));
    running.abort();
    store.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_character_leaves_no_files_and_the_next_of_its_name_begins_anew() {
    on_each_place(async |place| {
        let store = place.open().await;
        let folder = tempfile::tempdir().expect("a folder");
        let minds = Minds::new(store.clone());
        let exports = Exports::new(store.clone(), minds.clone(), folder.path().to_path_buf());
        let of_wren = folder.path().join("Wren");
        born(&store, "Wren", BORN).await;
        let first = session(&store, "wren", BORN + 1_000, None).await;
        happen(&store, &[record(1, 1), record(9, 1)], Some(first)).await;
        sessions::end(&store, first, BORN + 2_000).await.expect("it ends");
        exports.export("wren").await.expect("it is written");
        std::fs::write(of_wren.join("mine.txt"), "notes of the operator").expect("it is written");
        minds.forget("wren").await.expect("its log goes");
        crate::store::characters::delete(&store, "wren").await.expect("it goes");
        accounts::delete(&store, "wren").await.expect("it goes");
        exports.forget("wren").await;
        assert_eq!(files(&of_wren).len(), 1, "what is not ours stays");
        born(&store, "Wren", BORN + 60_000).await;
        let second = session(&store, "wren", BORN + 61_000, None).await;
        happen(&store, &[record(2, 1)], Some(second)).await;
        sessions::end(&store, second, BORN + 62_000).await.expect("it ends");
        exports.export("wren").await.expect("it is written");
        assert_eq!(files(&of_wren)[0].1, export("Wren", true, &[record(2, 1)]));
        store.close().await;
    })
    .await;
}

#[test]
fn session_files_are_in_the_state_folder_unless_a_flag_says_otherwise() {
    let state = Path::new("/var/lib/dp-server");
    for (named, wanted) in [
        (None, Some("/var/lib/dp-server/sessions")),
        (Some("data/sessions"), Some("data/sessions")),
        (Some("none"), None),
        (Some(""), None),
    ] {
        assert_eq!(folder(named.map(Path::new), state), wanted.map(PathBuf::from), "{named:?}");
    }
}
