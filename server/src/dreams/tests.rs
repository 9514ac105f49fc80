//! Dreams of logs in a database, with real files.

use super::one::{Calendar, Came, DreamError, Dreamt, Way, dream_of};
use super::*;
use crate::store::agent_events::{self, AgentEvent, row_of};
use crate::store::logs;
use crate::store::testing::{Place, on_each_store};
use crate::store::{Store, memories, meta};
use crate::times::unix_ms;
use dream_folder::{Folder, GRAPH_FILE, RESULT_FILE, SUMMARY_FILE};
use dreaming::calendar::{MS_PER_DAY, day_of};
use dreaming::records::{Reader, export};
use dreaming::synthetic::{AGENT, Life, Shape};
use dreaming::{Config, Record, Terms, dream};
use jiff::Timestamp;
use mind::{Event, LogEntry};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// Days of a made-up life, long past.
fn life(count: usize) -> Vec<Record> {
    Life::new(Shape { events_per_day: 60, from_ms: 1_704_096_000_000, ..Shape::default() }).take(count).collect()
}

/// A row of a log that holds this record.
pub(crate) fn row(name: &str, record: &Record) -> AgentEvent {
    let event = Event::Happening(Box::new(record.happening.clone()));
    let entry = LogEntry { seq: record.seq, tick: record.tick, at_ms: record.at_ms, input: record.seq, event };
    row_of(name, &entry, Some(record.at_ms / MS_PER_DAY))
}

async fn log(store: &Store, name: &str, records: &[Record]) {
    let rows: Vec<_> = records.iter().map(|record| row(name, record)).collect();
    agent_events::append(store, &rows).await.expect("written");
}

fn way(dir: &Path) -> Way {
    Way { patience: Duration::from_millis(200), ..Way::new(dir.to_path_buf(), Calendar::Of(0)) }
}

async fn dreamt(store: &Store, way: &Way) -> Dreamt {
    match dream_of(store, AGENT, way, &mut |_, _| ()).await {
        Ok(Came::Dreamt(dreamt)) => *dreamt,
        other => panic!("no dream: {other:?}"),
    }
}

async fn graph(store: &Store) -> Vec<u8> {
    let stored = memories::graph(store, AGENT).await.expect("it answers").expect("there is a graph");
    let document = stored.document().expect("it is whole");
    assert_eq!(stored.hash, dreaming::graph::content_hash(&document));
    document
}

/// What the crate makes of a log at once.
fn at_once(records: &[Record], through: i32, offset: i32) -> dreaming::Dream {
    let mut config = Config::new(AGENT, through);
    config.terms = Terms { utc_offset_minutes: offset, ..Terms::default() };
    dream(None, records, &config)
}

fn last_day(records: &[Record], offset: i32) -> i32 {
    day_of(records.last().expect("not empty").at_ms, offset)
}

fn file(dir: &Path, name: &str) -> Vec<u8> {
    std::fs::read(dir.join(AGENT).join(name)).expect("it was written")
}

#[tokio::test]
async fn database_files_and_an_export_give_the_same_graph() {
    on_each_store(async |store| {
        let dir = tempfile::tempdir().expect("a folder");
        let records = life(300);
        log(store, AGENT, &records).await;
        let Dreamt { outcome, trouble, .. } = dreamt(store, &way(dir.path())).await;
        assert_eq!((trouble, outcome.problems_count, outcome.sessions_read), (None, 0, 5));
        assert_eq!((outcome.report.events_extracted, outcome.report.events_dreamt), (300, 300));
        let mut reader = Reader::new(AGENT);
        reader.file("a.jsonl", export(AGENT, true, &records).as_bytes());
        let exported = reader.finish().expect("one kind of log").records;
        let expected = at_once(&exported, last_day(&records, 0), 0);
        assert_eq!(graph(store).await, expected.graph.to_json());
        assert_eq!(file(dir.path(), GRAPH_FILE), expected.graph.to_json());
        assert_eq!(file(dir.path(), SUMMARY_FILE), expected.summary.text.as_bytes());
        let result: serde_json::Value = serde_json::from_slice(&file(dir.path(), RESULT_FILE)).expect("JSON");
        assert_eq!(result["graph_hash"], dreaming::graph::content_hash(&expected.graph.to_json()));
        for what in ["nodes_before", "nodes_after", "pruned", "reinforced", "reflections"] {
            let whole = serde_json::to_value(&expected.report).expect("plain");
            assert_eq!(result[what], whole[what], "{what}: in parts and at once");
        }
        let cursor = memories::cursor(store, AGENT).await.expect("it answers").expect("there is one");
        assert_eq!(cursor.summary, expected.summary.text);
        assert_eq!(cursor.last_seq, records.last().expect("some").seq as i64);
        assert_eq!(cursor.through, i64::from(last_day(&records, 0)));
    })
    .await;
}

#[tokio::test]
async fn night_by_night_is_the_same_as_at_once_and_twice_is_once() {
    on_each_store(async |store| {
        let dir = tempfile::tempdir().expect("a folder");
        let records = life(400);
        let last = last_day(&records, -300);
        let mut way = Way { calendar: Calendar::Of(-300), ..way(dir.path()) };
        // Days are written as they come, and each is slept through, one of them twice.
        for day in last_day(&records[..1], -300)..=last {
            let new: Vec<Record> = records.iter().filter(|record| day_of(record.at_ms, -300) == day).cloned().collect();
            log(store, AGENT, &new).await;
            way.through = Some(day);
            let first = dreamt(store, &way).await;
            assert_eq!((first.outcome.report.events_dreamt, first.trouble), (new.len() as u64, None));
            let before = (graph(store).await, file(dir.path(), RESULT_FILE));
            let again = dreamt(store, &way).await;
            assert_eq!(again.outcome.report.events_dreamt, 0);
            assert_eq!(graph(store).await, before.0);
        }
        let expected = at_once(&records, last, -300);
        assert_eq!(graph(store).await, expected.graph.to_json());
        assert_eq!(file(dir.path(), GRAPH_FILE), expected.graph.to_json());
        assert_eq!(file(dir.path(), SUMMARY_FILE), expected.summary.text.as_bytes());
    })
    .await;
}

#[tokio::test]
async fn what_is_of_today_waits_and_makes_nothing_yet() {
    on_each_store(async |store| {
        let dir = tempfile::tempdir().expect("a folder");
        let records = life(130);
        log(store, AGENT, &records).await;
        let mut way = way(dir.path());
        way.through = Some(last_day(&records[..1], 0) - 1);
        let came = dream_of(store, AGENT, &way, &mut |_, _| ()).await.expect("nothing is wrong");
        assert!(matches!(came, Came::Nothing { waiting: 130 }), "{came:?}");
        assert!(!dir.path().join(AGENT).exists(), "no folder for who has no memory");
        way.through = Some(last_day(&records, 0) - 1);
        let Dreamt { outcome, .. } = dreamt(store, &way).await;
        assert_eq!((outcome.report.events_dreamt, outcome.report.events_waiting), (120, 10));
        // A night is not taken back.
        way.through = Some(last_day(&records[..1], 0));
        let before = graph(store).await;
        let Dreamt { outcome, .. } = dreamt(store, &way).await;
        assert!(outcome.report.notices.iter().any(|notice| notice.contains("not taken back")));
        assert_eq!(graph(store).await, before);
    })
    .await;
}

#[tokio::test]
async fn a_clock_that_was_ahead_is_set_right_by_the_records_around() {
    let place = Place::sqlite();
    let store = place.open().await;
    let dir = tempfile::tempdir().expect("a folder");
    let mut records = life(200);
    for at in [0, 50, 51, 120] {
        records[at].at_ms += 1_000 * MS_PER_DAY;
    }
    log(&store, AGENT, &records).await;
    let mut way = way(dir.path());
    let last = last_day(&records, 0);
    way.through = Some(last);
    dreamt(&store, &way).await;
    assert_eq!(graph(&store).await, at_once(&records, last, 0).graph.to_json());
    // And one that went back counts as of the one before.
    let mut late = life(230).split_off(200);
    late[3].at_ms -= 900 * MS_PER_DAY;
    log(&store, AGENT, &late).await;
    way.through = Some(last_day(&late, 0));
    let Dreamt { outcome, .. } = dreamt(&store, &way).await;
    assert_eq!(outcome.report.clock_jumps, 1);
    records.extend(late);
    assert_eq!(graph(&store).await, at_once(&records, last_day(&records, 0), 0).graph.to_json());
}

#[tokio::test]
async fn a_dry_run_writes_nothing() {
    let place = Place::sqlite();
    let store = place.open().await;
    let dir = tempfile::tempdir().expect("a folder");
    log(&store, AGENT, &life(100)).await;
    let dry = Way { dry_run: true, ..way(dir.path()) };
    assert_eq!(dreamt(&store, &dry).await.outcome.report.events_dreamt, 100);
    assert_eq!(memories::graph(&store, AGENT).await.expect("it answers"), None);
    assert_eq!(std::fs::read_dir(dir.path()).expect("it is there").count(), 0);
}

#[tokio::test]
async fn a_damaged_or_newer_graph_is_kept_aside_and_made_anew() {
    on_each_store(async |store| {
        let dir = tempfile::tempdir().expect("a folder");
        log(store, AGENT, &life(100)).await;
        dreamt(store, &way(dir.path())).await;
        let good = graph(store).await;
        let cursor = memories::cursor(store, AGENT).await.expect("it answers").expect("there is one");
        let text = String::from_utf8(good.clone()).expect("text");
        let version = dreaming::document::VERSION;
        let newer = text.replacen(&format!("\"version\":{version}"), &format!("\"version\":{}", version + 1), 1);
        let altered = text.replacen("\"visits\":1", "\"visits\":2", 1);
        for (i, bad) in [&text[..text.len() / 2], &newer, &altered, "[]"].iter().enumerate() {
            let hash = dreaming::graph::content_hash(&good);
            let stored =
                memories::StoredGraph::of(|to| to.write_all(bad.as_bytes()).map(|()| hash)).expect("compressed");
            memories::save(store, AGENT, &stored, &cursor).await.expect("written");
            let Dreamt { outcome, trouble, .. } = dreamt(store, &way(dir.path())).await;
            let notice = outcome.report.notices.concat();
            let kept = format!("{GRAPH_FILE}.kept-{}", i + 1);
            assert!(notice.contains(&format!("kept aside as {kept}")) && trouble.is_none(), "{notice}");
            assert_eq!((graph(store).await, file(dir.path(), &kept)), (good.clone(), bad.as_bytes().to_vec()));
        }
        // What cannot be unpacked is kept as it is; where it cannot be kept, nothing is done.
        let torn = memories::StoredGraph { compressed: b"torn".to_vec(), hash: "x".into() };
        memories::save(store, AGENT, &torn, &cursor).await.expect("written");
        let nowhere = dir.path().join("file");
        std::fs::write(&nowhere, "no folder").expect("written");
        let error = dream_of(store, AGENT, &way(&nowhere), &mut |_, _| ()).await.expect_err("it cannot be kept");
        assert!(error.to_string().contains("could not be kept aside"), "{error}");
        assert_eq!(memories::graph(store, AGENT).await.expect("it answers"), Some(torn));
        dreamt(store, &way(dir.path())).await;
        assert_eq!(file(dir.path(), &format!("{GRAPH_FILE}.kept-5")), b"torn");
        assert_eq!(graph(store).await, good);
    })
    .await;
}

#[tokio::test]
async fn another_calendar_makes_the_graph_anew_from_the_whole_log() {
    let place = Place::sqlite();
    let store = place.open().await;
    let dir = tempfile::tempdir().expect("a folder");
    let records = life(300);
    log(&store, AGENT, &records).await;
    dreamt(&store, &way(dir.path())).await;
    let kept = Way { calendar: Calendar::Kept(-300), ..way(dir.path()) };
    assert_eq!(dreamt(&store, &kept).await.outcome.report.rebuilt, None);
    let of = Way { calendar: Calendar::Of(-300), ..way(dir.path()) };
    let Dreamt { outcome, .. } = dreamt(&store, &of).await;
    assert_eq!(outcome.report.rebuilt.as_deref(), Some("the terms of the dream are others"));
    assert_eq!(outcome.report.events_dreamt, 300);
    assert_eq!(graph(&store).await, at_once(&records, last_day(&records, 0), -300).graph.to_json());
}

#[tokio::test]
async fn without_a_folder_the_database_still_gets_the_dream() {
    on_each_store(async |store| {
        let dir = tempfile::tempdir().expect("a folder");
        log(store, AGENT, &life(100)).await;
        let nowhere = dir.path().join("file");
        std::fs::write(&nowhere, "no folder").expect("written");
        let Dreamt { trouble, .. } = dreamt(store, &way(&nowhere)).await;
        let trouble = trouble.expect("it is told");
        assert!(trouble.contains("making the folder") && trouble.contains("can it be written to?"), "{trouble}");
        let kept = graph(store).await;
        // The next dream brings the files.
        assert_eq!(dreamt(store, &way(dir.path())).await.trouble, None);
        assert_eq!((file(dir.path(), GRAPH_FILE), graph(store).await), (kept.clone(), kept));
    })
    .await;
}

#[tokio::test]
async fn the_second_of_two_dreams_waits_or_says_so() {
    let place = Place::sqlite();
    let store = place.open().await;
    let dir = tempfile::tempdir().expect("a folder");
    log(&store, AGENT, &life(100)).await;
    let held = Folder::open(dir.path(), AGENT).expect("a name").lock().expect("it is free");
    let error = dream_of(&store, AGENT, &way(dir.path()), &mut |_, _| ()).await.expect_err("it is held");
    assert!(matches!(error, DreamError::Dreaming(_)) && error.to_string().contains("dreaming already"), "{error}");
    assert_eq!(memories::graph(&store, AGENT).await.expect("it answers"), None);
    let patient = Way { patience: Duration::from_secs(20), ..way(dir.path()) };
    let (dreamt, ()) = tokio::join!(dreamt(&store, &patient), async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        drop(held);
    });
    assert_eq!(dreamt.outcome.report.events_dreamt, 100);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_deleted_while_dreaming_leaves_nothing_behind() {
    on_each_store(async |store| {
        let dir = tempfile::tempdir().expect("a folder");
        log(store, AGENT, &life(100)).await;
        dreamt(store, &way(dir.path())).await;
        log(store, AGENT, &life(200)[100..]).await;
        let runtime = tokio::runtime::Handle::current();
        let mut deleted = false;
        let mut told = |read, of| {
            if std::mem::replace(&mut deleted, true) {
                return;
            }
            assert!(read < of, "in the middle");
            let (runtime, store) = (runtime.clone(), store.clone());
            let deleting = move || runtime.block_on(logs::delete(&store, AGENT));
            std::thread::spawn(deleting).join().expect("it runs").expect("it is deleted");
        };
        let came = dream_of(store, AGENT, &way(dir.path()), &mut told).await.expect("nothing is wrong");
        assert!(matches!(came, Came::Gone), "{came:?}");
        assert_eq!(memories::graph(store, AGENT).await.expect("it answers"), None);
        assert_eq!(memories::cursor(store, AGENT).await.expect("it answers"), None);
        assert!(!dir.path().join(AGENT).exists(), "the files are gone with it");
        let error = dream_of(store, AGENT, &way(dir.path()), &mut |_, _| ()).await.expect_err("nobody");
        assert!(error.to_string().contains("no such character"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn entries_that_cannot_be_read_are_told_and_the_rest_is_dreamt() {
    let place = Place::sqlite();
    let store = place.open().await;
    let dir = tempfile::tempdir().expect("a folder");
    let records = life(100);
    let mut rows: Vec<_> = records.iter().map(|record| row(AGENT, record)).collect();
    rows[10].payload = "{\"what\":{\"danced\":{}}}".into();
    rows[70].payload = "torn".into();
    agent_events::append(&store, &rows[..1]).await.expect("written");
    agent_events::append(&store, &rows[1..]).await.expect("written");
    let Dreamt { outcome, .. } = dreamt(&store, &way(dir.path())).await;
    assert_eq!((outcome.problems_count, outcome.report.events_dreamt, outcome.lines_read), (2, 98, 100));
    let told = outcome.problems[0].to_string();
    assert!(told.starts_with(&format!("the log in the database, line {}: ", records[10].seq)), "{told}");
    let rest = records.iter().enumerate().filter(|(i, _)| ![10, 70].contains(i)).map(|(_, r)| r.clone());
    assert_eq!(graph(&store).await, at_once(&rest.collect::<Vec<_>>(), last_day(&records, 0), 0).graph.to_json());
    // A log of which nothing can be read is an error, and makes no memory.
    let torn = rows.iter().map(|row| AgentEvent { name: "bob".into(), payload: "x".into(), ..row.clone() });
    agent_events::append(&store, &torn.collect::<Vec<_>>()).await.expect("written");
    let error = dream_of(&store, "Bob", &way(dir.path()), &mut |_, _| ()).await.expect_err("nothing is readable");
    assert!(error.to_string().contains("no entry of the log can be read"), "{error}");
    assert_eq!(memories::graph(&store, "bob").await.expect("it answers"), None);
}

fn dreams(dir: &Path, cron: &str) -> Arc<Dreams> {
    let (dream_cron, dream_zone) = (cron.parse().expect("a schedule"), "UTC".parse().expect("a zone"));
    let args = DreamsArgs { dreaming_dir: None, dream_cron, dream_zone, night_minutes: 0 };
    Arc::new(Dreams::new(args, dir.to_path_buf()))
}

async fn until(what: &str, done: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !done() {
        assert!(Instant::now() < deadline, "{what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn everybody_dreams_night_after_night_whoever_fails() {
    let place = Place::sqlite();
    let store = place.open().await;
    let dir = tempfile::tempdir().expect("a folder");
    for name in ["ann", AGENT, "carl", "zoe"] {
        log(&store, name, &life(70)).await;
    }
    std::fs::write(dir.path().join("Carl"), "in the way").expect("written");
    // What happened just now is of no night yet.
    let now = Record { at_ms: unix_ms(), ..life(71)[70].clone() };
    log(&store, "zoe", &[now]).await;
    // Nothing of bob's log can be read, and not the end of ann's.
    let torn = |name: &str, seq| AgentEvent { seq, payload: "x".into(), ..row(name, &life(1)[0]) };
    agent_events::append(&store, &[torn("bob", 1), torn("ann", 71), torn("ann", 72)]).await.expect("written");
    let dreams = dreams(dir.path(), "* * * * * *");
    let nights = tokio::spawn(dreams.clone().run(store.clone()));
    until("two nights pass", || dreams.nights.load(Relaxed) >= 2).await;
    nights.abort();
    let _aborted = nights.await;
    let night = dreams.status().last.expect("there was one");
    assert_eq!((night.characters, night.failures), (4, 1), "{night:?}");
    assert!(dreams.dreamt.load(Relaxed) >= 8 && dreams.failures.load(Relaxed) >= 2);
    // What cannot be read is told in the first night only; another one of the same name is told of again.
    assert_eq!((night.unreadable, dreams.unreadable.load(Relaxed)), (0, 3));
    agent_events::append(&store, &[torn("ann", 73)]).await.expect("written");
    dreams.night(&store, Timestamp::now()).await;
    assert_eq!(dreams.status().last.map(|night| night.unreadable), Some(1));
    dreams.forget("bob").await;
    dreams.night(&store, Timestamp::now()).await;
    assert_eq!(dreams.status().last.map(|night| night.unreadable), Some(1));
    for (name, file) in [("Ann", SUMMARY_FILE), ("Brenda", GRAPH_FILE), ("Zoe", RESULT_FILE)] {
        assert!(dir.path().join(name).join(file).is_file(), "{name}");
    }
    let result = std::fs::read(dir.path().join("Zoe").join(RESULT_FILE)).expect("written");
    let result: serde_json::Value = serde_json::from_slice(&result).expect("JSON");
    let yesterday = dreaming::calendar::iso_day(day_of(night.began_ms, 0) - 1);
    assert_eq!((&result["events_waiting"], result["through"].as_str()), (&1.into(), Some(yesterday.as_str())));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_night_that_was_missed_is_made_up_for_at_the_start() {
    let place = Place::sqlite();
    let store = place.open().await;
    let dir = tempfile::tempdir().expect("a folder");
    log(&store, AGENT, &life(70)).await;
    // Once a year: it will not come while this runs, unless it runs at the turn of the year.
    let first = dreams(dir.path(), "0 0 1 1 *");
    let running = tokio::spawn(first.clone().run(store.clone()));
    until("the missed night passes", || first.nights.load(Relaxed) == 1 && first.status().next_ms.is_some()).await;
    running.abort();
    assert_eq!(first.status().last.expect("a night").characters, 1);
    let due = meta::counter(&store, super::nightly::LAST_NIGHT).await.expect("it answers");
    assert_eq!(
        first.args.dream_cron.previous(Timestamp::now(), &first.args.dream_zone).map(|at| at.as_millisecond()),
        { Some(due) }
    );
    let second = dreams(dir.path(), "0 0 1 1 *");
    let running = tokio::spawn(second.clone().run(store.clone()));
    until("it waits for the next", || second.status().next_ms.is_some()).await;
    running.abort();
    assert_eq!(second.nights.load(Relaxed), 0, "that night is over");
    let off = dreams(dir.path(), "off");
    tokio::time::timeout(Duration::from_secs(10), off.clone().run(store.clone())).await.expect("it ends at once");
    assert_eq!((off.nights.load(Relaxed), off.status().next_ms), (0, None));
}

#[tokio::test]
async fn a_deleted_character_takes_its_files_along() {
    let place = Place::sqlite();
    let store = place.open().await;
    let dir = tempfile::tempdir().expect("a folder");
    log(&store, AGENT, &life(70)).await;
    dreamt(&store, &way(dir.path())).await;
    assert!(dir.path().join(AGENT).is_dir());
    let dreams = dreams(dir.path(), "off");
    dreams.forget("../x").await;
    dreams.forget(&AGENT.to_lowercase()).await;
    assert!(!dir.path().join(AGENT).exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_night_ends_when_its_time_is_over_and_the_next_begins_with_the_others() {
    let place = Place::sqlite();
    let store = place.open().await;
    let dir = tempfile::tempdir().expect("a folder");
    for name in ["ann", AGENT, "zoe"] {
        log(&store, name, &life(70)).await;
    }
    let (dreams, way) = (dreams(dir.path(), "off"), way(dir.path()));
    let mut night = Night::default();
    dreams.all(&store, &way, &mut night, Some(Duration::ZERO)).await.expect("it answers");
    assert_eq!((night.characters, night.left), (0, 3));
    // Ann has slept since; something new has happened to all of them.
    dream_of(&store, "ann", &way, &mut |_, _| ()).await.expect("dreamt");
    for name in ["ann", AGENT, "zoe"] {
        log(&store, name, &life(80)[70..]).await;
    }
    let mut night = Night::default();
    dreams.all(&store, &way, &mut night, None).await.expect("it answers");
    assert_eq!((night.characters, night.left), (3, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn to_whom_too_much_happens_dreams_before_the_night() {
    let place = Place::sqlite();
    let store = place.open().await;
    let dir = tempfile::tempdir().expect("a folder");
    log(&store, AGENT, &life(260)).await;
    let minds = crate::minds::Minds::new(store.clone());
    let dreams = dreams(dir.path(), "off");
    let early = tokio::spawn(dreams.clone().dream_early(store.clone(), minds.clone()));
    let now = crate::memories::Now { tick: 1, at_ms: unix_ms() };
    minds.glance(AGENT, dreaming::Valence::Recorded, now).await.expect("read");
    until("it dreams", || dreams.dreamt.load(Relaxed) == 1).await;
    early.abort();
    let cursor = memories::cursor(&store, AGENT).await.expect("it answers").expect("it has dreamt");
    assert_eq!(cursor.last_seq, i64::try_from(life(260)[259].seq).expect("small"), "of all of it");
}
