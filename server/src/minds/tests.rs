//! Minds over a database without a world: requests come as the core hands them over.

use super::*;
use crate::engine::Out;
use crate::store::agent_events::AgentEvent;
use crate::store::testing::{Place, on_each_place};
use crate::store::{StoreOptions, decisions, dump};
use mind::Event;
use protocol::frame::FrameKind;
use serde_json::{Value, json};
use std::time::Duration;
use world::report::LineKind;

fn request(name: &str, first: u64, numbers: u8, line: &str) -> Request {
    let (verb, args) = line.split_once(' ').unwrap_or((line, ""));
    let (number, at_ms) = (first * 100, 1_000 + first as i64);
    let (name, verb, args) = (name.into(), verb.into(), args.into());
    Request { name, verb, args, first, numbers, number, tick: first * 20, at_ms, present: Vec::new() }
}

fn asker() -> Asker {
    Asker { outbox: Arc::new(Outbox::new(1 << 20)), facts: Arc::default() }
}

/// What a reader has got since the last time: texts of lines, and the data of `mind` frames.
fn read(outbox: &Outbox) -> Vec<String> {
    let shown = |out: Out| match out {
        Out::Line(shared) => shared.line.text.clone(),
        Out::Frame(frame) => {
            assert_eq!(frame.kind, FrameKind::Mind);
            frame.data.to_string()
        }
        other => panic!("{other:?}"),
    };
    outbox.take().items.into_iter().map(shown).collect()
}

/// Minds at work, with the handle that stops them as a crash does.
fn at_work(store: &Store) -> (Arc<Minds>, tokio::task::JoinHandle<()>) {
    let minds = Minds::new(store.clone());
    let running = tokio::spawn(minds.clone().run());
    (minds, running)
}

async fn drained(minds: &Minds) {
    assert!(minds.drain(Duration::from_secs(30)).await, "{} wait", minds.backlog());
}

async fn log_of(store: &Store, name: &str) -> Vec<Entry> {
    let rows = agent_events::after(store, name, 0, 1_000_000).await.expect("the database answers");
    rows.iter().map(|row| entry_of(row).expect("an entry")).collect()
}

fn kinds(log: &[Entry]) -> Vec<(u64, String)> {
    log.iter().map(|entry| (entry.seq, row_of("", entry, None).kind)).collect()
}

async fn until(what: &str, mut is: impl FnMut() -> bool) {
    for _ in 0..600 {
        if is() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("it never came to this: {what}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_verb_is_answered_and_its_entries_are_written() {
    on_each_place(async |place| {
        let store = place.open().await;
        let (minds, _) = at_work(&store);
        let ann = asker();
        minds.take(request("ann", 1, 1, "note the guard sells maps"), Some(ann.clone()));
        minds.take(request("ann", 2, 0, "note"), Some(ann.clone()));
        minds.take(request("ann", 2, 1, "note remove 7"), Some(ann.clone()));
        minds.take(request("ann", 3, 1, "task find the key"), Some(ann.clone()));
        minds.take(request("bob", 1, 1, "note mine"), None);
        drained(&minds).await;
        until("all are answered", || minds.answered.load(Ordering::Relaxed) == 5).await;
        let texts = [
            "Noted as #1.",
            "Your notes:\n#1 the guard sells maps",
            "You have no note #7. Those that you have: note.",
            "Your task: find the key",
        ];
        assert_eq!(read(&ann.outbox), texts);
        let log = log_of(&store, "Ann").await;
        assert_eq!(kinds(&log), [(1, "note.add".to_string()), (3, "task.set".to_string())], "a refusal leaves a hole");
        assert_eq!((log[1].tick, log[1].turn, log[1].at_ms), (60, 300, 1_003));
        assert_eq!(kinds(&log_of(&store, "bob").await).len(), 1);
        assert_eq!((minds.refused.load(Ordering::Relaxed), minds.written.load(Ordering::Relaxed)), (1, 3));
        // Another program goes on with what was written.
        let (again, _) = at_work(&store);
        again.take(request("ann", 4, 0, "task"), Some(ann.clone()));
        until("it is answered", || again.answered.load(Ordering::Relaxed) == 1).await;
        assert_eq!(read(&ann.outbox), ["Your task, of tick 60: find the key"]);
        assert_eq!(again.newest("ANN").await.expect("it answers"), agent_events::Newest { seq: 3, number: 300 });
        store.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_simulation_settles_everything_itself() {
    let place = Place::sqlite();
    let store = place.open().await;
    let minds = Minds::new(store.clone());
    let ann = asker();
    minds.watch("ann", &ann.outbox);
    minds.take(request("ann", 1, 1, "note one"), Some(ann.clone()));
    minds.take(request("bob", 1, 1, "note two"), None);
    assert!(minds.is_asked());
    minds.settle().await.expect("it is written");
    assert!(!minds.is_asked());
    assert_eq!((read(&ann.outbox).len(), minds.backlog()), (3, 0));
    assert_eq!((log_of(&store, "ann").await.len(), log_of(&store, "bob").await.len()), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_an_outcome_too() {
    let place = Place::sqlite();
    let store = place.open().await;
    let (minds, _) = at_work(&store);
    let ann = asker();
    minds.take(request("ann", 1, 1, "forget it"), Some(ann.clone()));
    drained(&minds).await;
    until("it is answered", || minds.answered.load(Ordering::Relaxed) == 1).await;
    let taken = ann.outbox.take();
    let Some(Out::Line(line)) = taken.items.front() else { panic!("{taken:?}") };
    assert_eq!(line.line.kind, LineKind::Refusal);
    let Some(protocol::Outcome::Refused { command, reason }) = line.line.outcome.as_deref() else {
        panic!("{:?}", line.line.outcome)
    };
    assert_eq!((&**command, &**reason), ("forget", &*line.line.text));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_watches_is_told_the_state_and_then_each_entry_in_order() {
    let place = Place::sqlite();
    let store = place.open().await;
    let (minds, _) = at_work(&store);
    minds.take(request("ann", 1, 1, "note one"), None);
    let (first, second) = (asker(), asker());
    minds.watch("Ann", &first.outbox);
    for n in 2..40 {
        minds.take(request("ann", n, 1, &format!("task number {n}")), Some(first.clone()));
    }
    minds.watch("Ann", &second.outbox);
    minds.take(request("ann", 40, 2, "compact"), Some(second.clone()));
    drained(&minds).await;
    let told = read(&first.outbox);
    let state: Value = serde_json::from_str(&told[0]).expect("a frame");
    assert_eq!((&state["kind"], &state["log_seq"]), (&json!("snapshot"), &json!(1)));
    assert_eq!(state["state"]["notes"][0]["text"], "one");
    let mut seq = 1;
    for pair in told[1..].chunks(2) {
        seq += 1;
        let event: Value = serde_json::from_str(&pair[0]).expect("a frame");
        let entry: Entry = serde_json::from_value(event["event"].clone()).expect("the event is the entry");
        assert_eq!((&event["kind"], &event["log_seq"], entry.seq), (&json!("event"), &json!(seq), seq));
        assert_eq!(pair[1], format!("Your task: number {seq}"), "the answer stands behind the entry");
    }
    assert_eq!(seq, 39, "whoever came later watches instead");
    let told = read(&second.outbox);
    assert_eq!(told.len(), 4, "{told:?}");
    let state: Value = serde_json::from_str(&told[0]).expect("a frame");
    assert_eq!((&state["log_seq"], &state["state"]["task"]["text"]), (&json!(39), &json!("number 39")));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_crash_left_is_written_once_however_often_it_comes_again() {
    on_each_place(async |place| {
        let store = place.open().await;
        let lines = ["note one", "note remove 9", "remember a.b = 1", "note two", "task go on"];
        let requests = || (1..).zip(lines).map(|(n, line)| Arc::new(request("ann", n, 1, line)));
        // The first program wrote the beginning.
        let (minds, running) = at_work(&store);
        minds.take_over(requests().take(3).collect());
        drained(&minds).await;
        running.abort();
        // The next two have all of it from the journal.
        for _ in 0..2 {
            let (minds, running) = at_work(&store);
            minds.take_over(requests().collect());
            drained(&minds).await;
            running.abort();
        }
        let log = log_of(&store, "ann").await;
        let expected = [(1, "note.add"), (3, "memory.set"), (4, "note.add"), (5, "task.set")];
        assert_eq!(kinds(&log), expected.map(|(seq, kind)| (seq, kind.to_string())));
        store.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_away_loses_nothing_and_keeps_nobody_waiting() {
    let place = Place::sqlite();
    let short = StoreOptions { busy_ms: 100, answer_ms: 400, ..StoreOptions::default() };
    let store = Store::connect(&place.address, &short).await.expect("it opens");
    let (minds, _) = at_work(&store);
    let ann = asker();
    minds.take(request("ann", 1, 0, "task"), Some(ann.clone()));
    until("her log is read", || minds.answered.load(Ordering::Relaxed) == 1).await;
    // Somebody else writes, and does not stop.
    let other = Store::connect(&place.address, &StoreOptions::default()).await.expect("it opens");
    let lock = decisions::lock(&other).await;
    for n in 1..=20 {
        minds.take(request("ann", n, 1, &format!("note number {n}")), Some(ann.clone()));
    }
    until("she has all answers", || minds.answered.load(Ordering::Relaxed) == 21).await;
    assert_eq!(read(&ann.outbox).len(), 21);
    until("the trouble is known", || minds.failing_for().is_some()).await;
    assert_eq!((minds.backlog(), minds.unwritten().len()), (20, 20));
    assert!(minds.last_error().is_some_and(|what| what.starts_with("The database")), "{:?}", minds.last_error());
    assert_eq!(minds.newest("ann").await.expect("reading goes on").seq, 20, "numbers on their way count");
    drop(lock);
    drained(&minds).await;
    assert_eq!(minds.failing_for(), None);
    assert_eq!(log_of(&store, "ann").await.len(), 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn beyond_a_bound_nothing_more_is_kept_and_whoever_asks_is_told() {
    let place = Place::sqlite();
    let store = place.open().await;
    let (minds, _) = at_work(&store);
    let ann = asker();
    let hold = minds.hold().await;
    let most = UNWRITTEN_MAX as u64;
    for n in 1..=most {
        minds.take(request("ann", n, 1, "task go on"), Some(ann.clone()));
    }
    until("all are answered", || minds.answered.load(Ordering::Relaxed) == most).await;
    ann.outbox.take();
    minds.take(request("ann", most + 1, 1, "task too much"), Some(ann.clone()));
    minds.take(request("ann", most + 2, 0, "task"), Some(ann.clone()));
    until("both are answered", || minds.answered.load(Ordering::Relaxed) == most + 2).await;
    let told = read(&ann.outbox);
    assert!(told[0].contains("no more can be kept") && told[1].ends_with("go on"), "{told:?}");
    assert_eq!(minds.backlog() as u64, most);
    drop(hold);
    drained(&minds).await;
    minds.take(request("ann", most + 3, 1, "task again"), Some(ann.clone()));
    drained(&minds).await;
    let newest = minds.newest("ann").await.expect("it answers");
    assert_eq!((newest.seq, minds.refused.load(Ordering::Relaxed)), (most + 3, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_cannot_be_read_is_answered_from_later() {
    let place = Place::sqlite();
    let store = place.open().await;
    store.close().await;
    let (minds, _) = at_work(&store);
    let ann = asker();
    minds.take(request("ann", 1, 1, "note one"), Some(ann.clone()));
    until("she is told to wait", || !ann.outbox.take().items.is_empty()).await;
    assert_eq!((minds.answered.load(Ordering::Relaxed), minds.unwritten().len()), (0, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_character_leaves_no_log() {
    let place = Place::sqlite();
    let store = place.open().await;
    let (minds, _) = at_work(&store);
    minds.take(request("ann", 1, 1, "note one"), None);
    drained(&minds).await;
    let hold = minds.hold().await;
    minds.take(request("ann", 2, 1, "note two"), None);
    until("it is on its way", || minds.inner.lock().to_write.len() == 1).await;
    drop(hold);
    minds.forget("Ann").await.expect("it is deleted");
    drained(&minds).await;
    assert_eq!(log_of(&store, "ann").await, []);
    // A new one of this name begins anew.
    let ann = asker();
    minds.take(request("ann", 1, 1, "note mine"), Some(ann.clone()));
    minds.take(request("ann", 2, 0, "note"), Some(ann.clone()));
    drained(&minds).await;
    until("both are answered", || ann.outbox.bytes() > 100).await;
    assert_eq!(read(&ann.outbox), ["Noted as #1.", "Your notes:\n#1 mine"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_not_asked_for_long_is_forgotten_and_read_again() {
    let place = Place::sqlite();
    let store = place.open().await;
    let (minds, _) = at_work(&store);
    let many = KEPT_MAX + 50;
    for n in 0..many {
        minds.take(request(&format!("nobody{n}"), 1, 1, "note one"), None);
    }
    drained(&minds).await;
    for n in 0..many {
        minds.take(request(&format!("nobody{n}"), 2, 0, "note"), None);
    }
    until("all are answered", || minds.answered.load(Ordering::Relaxed) == 2 * many as u64).await;
    let kept = minds.inner.lock().slots.len();
    assert!((KEPT_MAX / 2..=KEPT_MAX).contains(&kept), "{kept}");
    let ann = asker();
    minds.take(request("nobody0", 2, 0, "note"), Some(ann.clone()));
    until("it is answered", || ann.outbox.bytes() > 0).await;
    assert_eq!(read(&ann.outbox), ["Your notes:\n#1 one"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_log_is_read_in_its_time() {
    let place = Place::sqlite();
    let store = place.open().await;
    const ROWS: u64 = 100_000;
    let event = |seq: u64| match seq % 4 {
        0 => Event::TaskSet { text: format!("a task like others, number {seq}") },
        1 => Event::NoteAdd { text: format!("the guard at the gate of mill {seq} sells maps of the lower road") },
        2 => Event::NoteRemove { id: seq - 1 },
        _ => Event::MemorySet { path: format!("place{}", seq % 50), value: json!(seq), weight: None },
    };
    let rows: Vec<_> = (1..=ROWS)
        .map(|seq| row_of("ann", &Entry { seq, tick: seq, at_ms: 1, turn: seq, event: event(seq) }, None))
        .collect();
    agent_events::append(&store, &rows).await.expect("they are written");
    let begun = std::time::Instant::now();
    let mind = working::read(&store, "ann").await.expect("it is read");
    eprintln!("{ROWS} entries were read in {:?}", begun.elapsed());
    assert_eq!((mind.last, mind.state.seq, mind.state.notes.len(), mind.recent.len()), (ROWS, ROWS, 0, 50));
    // Loose, for a busy machine: what counts is that nobody waits for minutes.
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[test]
fn an_entry_comes_back_from_its_row() {
    let entry = |event| Entry { seq: 7, tick: 8, at_ms: -9, turn: 10, event };
    for event in [
        Event::TaskDone,
        Event::NoteUpdate { id: 3, text: "a \"quoted\" text \\ of 日本 {}".into() },
        Event::MemorySet { path: "a.b".into(), value: json!({"kind": "inner", "x": [1, 0.1]}), weight: Some(0.25) },
        Event::CompactBefore { state: json!({}) },
    ] {
        let entry = entry(event);
        let row = row_of("ann", &entry, Some(4));
        assert!(!row.payload.contains("note.update"), "{}", row.payload);
        assert_eq!(entry_of(&row).expect("it reads"), entry);
    }
    let row = AgentEvent { kind: "of.tomorrow".into(), ..row_of("ann", &entry(Event::TaskDone), None) };
    assert_eq!(entry_of(&row).expect("it reads").event, Event::Other);
    for payload in ["", "null", "[1]"] {
        entry_of(&AgentEvent { payload: payload.into(), ..row.clone() }).expect_err(payload);
    }
}

#[tokio::test]
async fn a_dump_carries_the_logs() {
    let place = Place::sqlite();
    let store = place.open().await;
    let found = dump::Dump::begin(&store).await.expect("a dump").tables().any(|table| table == "agent_event");
    assert!(found);
}
