//! Minds over a database without a world: requests come as the core hands them over.

mod council;
mod sharing;

use super::*;
use crate::log_input::Request;
use crate::outbox::Out;
use crate::store::agent_events::{AgentEvent, entry_of, row_of};
use crate::store::logs;
use crate::store::testing::{Place, on_each_place};
use crate::store::{StoreOptions, decisions, dump, mind_shares};
use mind::Event;
use mind::story::Cause;
use protocol::frame::FrameKind;
use protocol::happening::{Happening, Place as Room, Role, What};
use protocol::outcome::{Who, WhoKind};
use serde_json::{Value, json};
use std::time::Duration;
use world::report::{LineKind, Reads};

fn request(name: &str, first: u64, numbers: u8, line: &str) -> LogInput {
    let (verb, args) = line.split_once(' ').unwrap_or((line, ""));
    let (input, at_ms) = (first * 100, 1_000 + first as i64);
    let (log, verb, args) = (name.into(), verb.into(), args.into());
    let (present, place) = (Vec::new(), None);
    let (tick, reads) = (first * 20, None);
    LogInput::Request(Arc::new(Request { log, verb, args, first, numbers, input, tick, at_ms, present, place, reads }))
}

fn asker() -> Asker {
    Asker { outbox: Arc::new(Outbox::new(1 << 20)), facts: Arc::default(), verdict: None, cause: None }
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
    // PostgreSQL on a busy machine has taken longer than half a minute.
    assert!(minds.drain(Duration::from_secs(120)).await, "{} wait", minds.backlog());
}

async fn log_of(store: &Store, name: &str) -> Vec<LogEntry> {
    let rows = logs::after(store, name, 0, 1_000_000).await.expect("the database answers");
    rows.iter().map(|row| entry_of(row).expect("an entry")).collect()
}

fn kinds(log: &[LogEntry]) -> Vec<(u64, String)> {
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
        assert_eq!((log[1].tick, log[1].input, log[1].at_ms), (60, 300, 1_003));
        assert_eq!(kinds(&log_of(&store, "bob").await).len(), 1);
        assert_eq!((minds.refused.load(Ordering::Relaxed), minds.queue.written.load(Ordering::Relaxed)), (1, 3));
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
    minds.watch("ann", None, &ann.outbox);
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
    minds.watch("Ann", None, &first.outbox);
    for n in 2..40 {
        minds.take(request("ann", n, 1, &format!("task number {n}")), Some(first.clone()));
    }
    minds.watch("Ann", None, &second.outbox);
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
        let entry: LogEntry = serde_json::from_value(event["event"].clone()).expect("the event is the entry");
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
        let requests = || (1..).zip(lines).map(|(n, line)| request("ann", n, 1, line));
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
    until("the trouble is known", || minds.queue.failing_for().is_some()).await;
    assert_eq!((minds.backlog(), minds.unwritten().len()), (20, 20));
    assert!(
        minds.queue.last_error().is_some_and(|what| what.starts_with("The database")),
        "{:?}",
        minds.queue.last_error()
    );
    assert_eq!(minds.newest("ann").await.expect("reading goes on").seq, 20, "numbers on their way count");
    drop(lock);
    drained(&minds).await;
    assert_eq!(minds.queue.failing_for(), None);
    assert_eq!(log_of(&store, "ann").await.len(), 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn beyond_a_bound_nothing_more_is_kept_and_whoever_asks_is_told() {
    let place = Place::sqlite();
    let store = place.open().await;
    let (minds, _) = at_work(&store);
    let ann = asker();
    let hold = minds.hold().await;
    let most = UNWRITTEN_MAX.count as u64;
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
        .map(|seq| row_of("ann", &LogEntry { seq, tick: seq, at_ms: 1, input: seq, event: event(seq) }, None))
        .collect();
    agent_events::append(&store, &rows).await.expect("they are written");
    let begun = std::time::Instant::now();
    let mind = worker::read(&store, &"ann".into(), &[]).await.expect("it is read");
    eprintln!("{ROWS} entries were read in {:?}", begun.elapsed());
    assert_eq!((mind.last, mind.state.seq, mind.state.notes.len()), (ROWS, ROWS, 0));
    // Loose, for a busy machine: what counts is that nobody waits for minutes.
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[test]
fn an_entry_comes_back_from_its_row() {
    let entry = |event| LogEntry { seq: 7, tick: 8, at_ms: -9, input: 10, event };
    for event in [
        Event::TaskDone,
        Event::NoteUpdate { id: 3, text: "a \"quoted\" text \\ of 日本 {}".into() },
        Event::MemorySet { path: "a.b".into(), value: json!({"kind": "inner", "x": [1, 0.1]}), weight: Some(0.25) },
        Event::CompactBefore { cause: Cause::Asked, hash: String::new(), state: Some(json!({})) },
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

/// Somebody gives her something, worth +2 by the table.
fn happened(name: &str, seq: u64) -> LogInput {
    let (valence, social) = (None, Some(seq * 1_024));
    happened_as(name, seq, valence, social)
}

fn happened_as(name: &str, seq: u64, valence: Option<i8>, social_event_id: Option<u64>) -> LogInput {
    let what = What::Given { giver: who("Bob"), receiver: who(name), item: None, gold: seq as i64 };
    suffered(name, seq, what, valence, social_event_id)
}

fn who(name: &str) -> Who {
    Who { id: name.to_lowercase().into(), name: name.into(), kind: WhoKind::Player, level: 3 }
}

fn suffered(name: &str, seq: u64, what: What, valence: Option<i8>, social_event_id: Option<u64>) -> LogInput {
    let room = Room { vnum: 3_001, name: "The Square".into() };
    let witnesses = vec![who("Cat")];
    let happening = Happening { what, role: Role::Suffered, room, witnesses, social_event_id, novel: true, valence };
    let who = world::CharacterId { index: 1, generation: 1 };
    let recorded = world::report::Recorded { who, name: name.into(), seq, happening: Box::new(happening) };
    let entry = crate::log_input::entry_of(recorded, seq * 100, seq * 20, 1_000 + seq as i64);
    LogInput::Record(name.into(), Arc::new(entry))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happened_is_written_without_a_look_at_the_log() {
    on_each_place(async |place| {
        let store = place.open().await;
        let (minds, _) = at_work(&store);
        // Else a quick writer has them gone before they are looked at.
        let hold = minds.hold().await;
        let ann = asker();
        ann.facts.record.set(77).expect("nobody has set it");
        minds.take(happened("Ann", 1), Some(ann.clone()));
        minds.take(happened_as("Ann", 4, Some(0), None), None);
        let slot_is_bare =
            minds.inner.lock().slots.get(&LogId::from("ann")).is_some_and(|slot| slot.mind.is_none() && !slot.busy);
        assert!(slot_is_bare, "nobody reads her log for it");
        assert_eq!((minds.backlog(), minds.records_waiting(), minds.unwritten().len()), (2, 2, 2));
        assert_eq!(minds.newest("ann").await.expect("it answers").seq, 4, "what is on its way counts");
        drop(hold);
        drained(&minds).await;
        assert!(minds.inner.lock().slots.is_empty(), "who asks nothing is not kept in memory");
        let rows = logs::after(&store, "ann", 0, 9).await.expect("it answers");
        let first = &rows[0];
        assert_eq!((first.seq, first.session, &*first.kind), (1, Some(77), mind::HAPPENING));
        assert_eq!((first.valence, first.importance, first.novel), (Some(2), Some(8), Some(1)));
        assert_eq!(first.salience0, Some(0.5 + 0.2 + 0.15 + 0.1));
        assert_eq!((first.evidence.as_deref(), first.social_event_id.as_deref()), (Some("[1]"), Some("1024")));
        let flat = &rows[1];
        assert_eq!((flat.seq, flat.session, flat.valence, flat.importance), (4, None, Some(0), Some(2)));
        let Event::Happening(happening) = happened_event("ann", 1) else { panic!("it is a happening") };
        assert_eq!(happening.valence, Some(2));
        assert_eq!(entry_of(first).expect("an entry").event, happened_event("Ann", 1));
        store.close().await;
    })
    .await;
}

fn happened_event(name: &str, seq: u64) -> Event {
    let LogInput::Record(_, entry) = happened(name, seq) else { panic!("it is a record") };
    entry.event.clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn records_and_requests_are_written_in_the_order_of_their_numbers() {
    on_each_place(async |place| {
        let store = place.open().await;
        let (minds, _) = at_work(&store);
        let ann = asker();
        minds.watch("ann", None, &ann.outbox);
        for n in 0..300 {
            minds.take(request("ann", 3 * n + 1, 1, &format!("task number {n}")), None);
            minds.take(happened("ann", 3 * n + 2), None);
            minds.take(happened("ann", 3 * n + 3), None);
            if n % 50 == 0 {
                // Now and again there is nothing under way.
                drained(&minds).await;
            }
        }
        drained(&minds).await;
        let log = log_of(&store, "ann").await;
        let kinds = kinds(&log);
        let wanted = (1..=900).map(|seq| (seq, if seq % 3 == 1 { "task.set" } else { "happening" }.to_string()));
        assert!(kinds.iter().cloned().eq(wanted), "{kinds:?}");
        let told = read(&ann.outbox);
        let frames: Vec<Value> = told.iter().map(|text| serde_json::from_str(text).expect("a frame")).collect();
        let seqs: Vec<u64> = frames[1..].iter().map(|frame| frame["log_seq"].as_u64().expect("a number")).collect();
        let before = frames[0]["log_seq"].as_u64().expect("a number");
        assert!(seqs.into_iter().eq(before + 1..=900), "who watches is told each, once and in order");
        store.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mind_in_memory_takes_in_what_happens() {
    let place = Place::sqlite();
    let store = place.open().await;
    let (minds, _) = at_work(&store);
    let ann = asker();
    minds.take(request("ann", 1, 1, "note one"), Some(ann.clone()));
    drained(&minds).await;
    // Held, so that the database cannot have told of it.
    let hold = minds.hold().await;
    minds.take(happened("Ann", 2), Some(ann.clone()));
    minds.take(request("ann", 3, 0, "history"), Some(ann.clone()));
    until("both are answered", || minds.answered.load(Ordering::Relaxed) == 2).await;
    let told = read(&ann.outbox).pop().expect("a history");
    assert!(
        told.contains("On 1 Coldwake 612:") && told.contains("note: one") && told.contains("you 2 coins"),
        "{told}"
    );
    drop(hold);
    drained(&minds).await;
    // Another program reads both, what is on its way among them.
    let (again, _) = at_work(&store);
    let hold = again.hold().await;
    again.take(happened("Ann", 5), None);
    again.take(request("ann", 6, 0, "history"), Some(ann.clone()));
    until("it is answered", || again.answered.load(Ordering::Relaxed) == 1).await;
    let told = read(&ann.outbox).pop().expect("a history");
    assert!(told.contains("note: one") && told.contains(" 2 coins") && told.contains(" 5 coins"), "{told}");
    drop(hold);
    drained(&again).await;
    assert_eq!(log_of(&store, "ann").await.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn neither_notes_nor_records_push_the_others_out_of_the_history() {
    on_each_place(async |place| {
        let store = place.open().await;
        let (minds, running) = at_work(&store);
        let ann = asker();
        // Sixty notes, two hundred records, and one more note.
        for n in 1..=60 {
            minds.take(request("ann", n, 1, &format!("note number {n}")), Some(ann.clone()));
        }
        (61..=260).for_each(|n| minds.take(happened("ann", n), None));
        // A full workspace refuses the last twenty: forty are in the log.
        let told = async |minds: &Arc<Minds>, args: &str| {
            let before = minds.answered.load(Ordering::Relaxed);
            minds.take(request("ann", 261, 0, &format!("history {args}")), Some(ann.clone()));
            until("it is answered", || minds.answered.load(Ordering::Relaxed) > before).await;
            read(&ann.outbox).pop().expect("a history")
        };
        drained(&minds).await;
        let numbers = |told: &str| -> Vec<u64> {
            let of_line = |line: &str| line.strip_prefix("  ")?.split(' ').find_map(|word| word.parse().ok());
            told.replace("\\n", "\n").lines().filter_map(of_line).collect()
        };
        let check = async |minds: &Arc<Minds>| {
            assert_eq!(numbers(&told(minds, "mind 50").await), (1..=40).collect::<Vec<u64>>());
            assert_eq!(numbers(&told(minds, "deeds 50").await), (211..=260).collect::<Vec<u64>>());
            assert_eq!(numbers(&told(minds, "").await), (251..=260).collect::<Vec<u64>>());
        };
        check(&minds).await;
        running.abort();
        // Another program reads the same from the database.
        let (again, _) = at_work(&store);
        check(&again).await;
        store.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_crash_at_any_point_records_and_requests_are_there_once() {
    on_each_place(async |place| {
        let store = place.open().await;
        let matters = |name: &str| -> Vec<LogInput> {
            let one = |n: u64| match n % 4 {
                1 => request(name, n, 1, &format!("note number {n}")),
                2 => request(name, n, 1, "note remove 1"),
                _ => happened(name, n),
            };
            (1..=24).map(one).collect()
        };
        let whole = {
            let (minds, running) = at_work(&store);
            minds.take_over(matters("whole"));
            drained(&minds).await;
            running.abort();
            log_of(&store, "whole").await
        };
        assert!(whole.len() > 18, "{whole:?}");
        for at in 0..=24 {
            let name = format!("crash{at}");
            let (minds, running) = at_work(&store);
            minds.take_over(matters(&name).drain(..at).collect());
            drained(&minds).await;
            // Some of what follows is answered, and perhaps written, when it ends.
            minds.take_over(matters(&name).split_off(at));
            tokio::task::yield_now().await;
            running.abort();
            // A process that was killed writes nothing any more: what was under way is done or undone before the next
            // one reads. There is one connection that writes, and this waits for it.
            let _aborted = running.await;
            crate::store::tokens::delete_expired(&store, 0).await.expect("the database answers");
            // A snapshot holds all or the end of it.
            for from in [0, at / 2] {
                let (minds, running) = at_work(&store);
                minds.take_over(matters(&name).split_off(from));
                drained(&minds).await;
                running.abort();
            }
            let log = log_of(&store, &name).await;
            assert_eq!(kinds(&log), kinds(&whole), "after a crash at {at}");
        }
        store.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn beyond_a_bound_records_are_lost_and_counted() {
    let place = Place::sqlite();
    let store = place.open().await;
    let (minds, _) = at_work(&store);
    let hold = minds.hold().await;
    let most = RECORDS_PER_LOG_MAX.count as u64;
    let all: Vec<LogInput> = (1..=most + 7).map(|seq| happened("ann", seq)).collect();
    let begun = std::time::Instant::now();
    for input in all {
        minds.take(input, None);
    }
    eprintln!("{most} records were taken in {:?}", begun.elapsed());
    assert_eq!((minds.records_waiting() as u64, minds.records_lost.load(Ordering::Relaxed)), (most, 7));
    // Requests have a bound of their own.
    let ann = asker();
    minds.take(request("ann", most + 8, 1, "note one"), Some(ann.clone()));
    until("it is answered", || ann.outbox.bytes() > 0).await;
    assert_eq!(read(&ann.outbox), [format!("Noted as #{}.", most + 8)]);
    drop(hold);
    drained(&minds).await;
    assert_eq!(log_of(&store, "ann").await.len() as u64, most + 1);
}

/// The same, of a place whose name is that long.
fn happened_at_length(name: &str, seq: u64, letters: usize) -> LogInput {
    let LogInput::Record(log, entry) = happened(name, seq) else { panic!("it is a record") };
    let mut entry = (*entry).clone();
    let Event::Happening(happening) = &mut entry.event else { panic!("it happened") };
    happening.room.name = "x".repeat(letters).into();
    LogInput::Record(log, Arc::new(entry))
}

#[tokio::test(flavor = "multi_thread")]
async fn few_large_records_are_bounded_as_many_small_ones_are() {
    const LETTERS: usize = 50_000;
    let place = Place::sqlite();
    let store = place.open().await;
    let (minds, _) = at_work(&store);
    let hold = minds.hold().await;
    for seq in 1..=40 {
        for name in ["ann", "bob", "cid", "dee", "eve"] {
            minds.take(happened_at_length(name, seq, LETTERS), None);
        }
    }
    {
        let inner = minds.inner.lock();
        // The last that fits may reach over the bound.
        assert!(inner.records.bytes < RECORDS_MAX.bytes + 2 * LETTERS, "{} bytes wait", inner.records.bytes);
        for (log, slot) in &inner.slots {
            let bytes = slot.records.bytes;
            assert!(bytes < RECORDS_PER_LOG_MAX.bytes + 2 * LETTERS, "{log}: {bytes} bytes wait");
        }
    }
    assert!(minds.records_lost.load(Ordering::Relaxed) > 100, "of 10 MB at most 4 wait");
    drop(hold);
    drained(&minds).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_characters_flood_of_records_costs_nobody_else_a_memory() {
    let place = Place::sqlite();
    let store = place.open().await;
    let (minds, _) = at_work(&store);
    let hold = minds.hold().await;
    // Two who do nothing but pick up and drop, and a crowd that lives, while the database is away.
    let crowd: Vec<String> = (0..40).map(|n| format!("nobody{n}")).collect();
    for seq in 1..=2 * RECORDS_MAX.count as u64 {
        minds.take(happened("flood", seq), None);
        minds.take(happened("torrent", seq), None);
        if seq.is_multiple_of(100) {
            crowd.iter().for_each(|name| minds.take(happened(name, seq), None));
        }
        assert!(minds.records_waiting() <= RECORDS_MAX.count);
    }
    let lost = minds.records_lost.load(Ordering::Relaxed);
    assert!(lost > 0);
    drop(hold);
    drained(&minds).await;
    for name in &crowd {
        assert_eq!(log_of(&store, name).await.len(), 2 * RECORDS_MAX.count / 100, "{name} has lost nothing");
    }
    let kept = (log_of(&store, "flood").await.len() + log_of(&store, "torrent").await.len()) as u64;
    assert_eq!(kept + lost, 4 * RECORDS_MAX.count as u64, "every record is written or counted");
    assert_eq!((minds.backlog(), minds.inner.lock().slots.len()), (0, 0), "nothing stays behind");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_log_of_records_is_not_read() {
    let place = Place::sqlite();
    let store = place.open().await;
    const ROWS: u64 = 30_000;
    let mut rows = Vec::new();
    for seq in 1..=ROWS {
        let event = if seq % 1_000 == 0 { Event::NoteAdd { text: "a note".into() } } else { happened_event("Ann", 1) };
        rows.push(row_of("ann", &LogEntry { seq, tick: seq, at_ms: 1, input: seq, event }, None));
    }
    let begun = std::time::Instant::now();
    for batch in rows.chunks(1_024) {
        agent_events::append(&store, batch).await.expect("they are written");
    }
    eprintln!("{ROWS} records were written in {:?}", begun.elapsed());
    let own = logs::without_records(&store, "ann", (0, i64::MAX), 1_000_000).await.expect("it answers");
    assert_eq!(own.len(), 30, "so many rows are looked at");
    let begun = std::time::Instant::now();
    let mind = worker::read(&store, &"ann".into(), &[]).await.expect("it is read");
    eprintln!("a log of {ROWS} was read in {:?}", begun.elapsed());
    assert_eq!((mind.last, mind.state.seq, mind.state.notes.len()), (ROWS, ROWS, 30));
    assert!(mind.recent.is_none(), "nobody has asked for the history");
    let recent = worker::recent(&store, &"ann".into(), &[]).await.expect("it is read").0;
    assert_eq!(recent.len(), 80);
    let records = recent.iter().filter(|entry| entry.is_record());
    assert!(records.clone().count() == 50 && records.clone().all(|entry| entry.seq > ROWS - 52), "the newest");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mind_is_told_as_it_was_and_what_a_fold_dropped_is_kept() {
    on_each_place(async |place| {
        let store = place.open().await;
        let (minds, ann) = (Minds::new(store.clone()), asker());
        let asks = async |line: &str, first: u64, numbers: u8| {
            minds.take(request("ann", first, numbers, line), Some(ann.clone()));
            minds.settle().await.expect("answered");
            read(&ann.outbox).join("\n")
        };
        assert_eq!(asks("hud at #1", 1, 0).await, "Nothing is in the log yet.");
        asks("note The gate is shut.", 2, 1).await;
        asks("task Open the gate", 3, 1).await;
        asks("note edit 2 The gate is open.", 4, 1).await;
        let then = asks("hud at #3", 5, 0).await;
        assert!(then.starts_with("After #3, at tick ") && then.contains("The gate is shut."), "{then}");
        let now = asks("hud at #4", 5, 0).await;
        assert!(now.contains("The gate is open.") && !now.contains("shut"), "{now}");
        for (moment, why) in [
            ("#1", "That is before all that is in the log: it begins with #2."),
            ("#9", "That is still to come: the newest entry is #4."),
            ("99999999t", "That is still to come."),
            ("2999-01-01T00:00:00Z", "That is still to come."),
            ("noon", "At which moment?"),
            ("", "At which moment?"),
            ("2h", "At which moment?"),
        ] {
            let told = asks(&format!("hud at {moment}"), 5, 0).await;
            assert!(told.starts_with(why), "{moment}: {told}");
        }
        assert_eq!(asks("compact fold #2-#3 300", 5, 2).await, "Noted: a prompt no longer shows #2 to #3.");
        let again = asks("compact fold #3-#4 300", 7, 2).await;
        assert_eq!(again, "What came up to #3 was folded before.");
        // A fold of what waits to be written, on a mind that is not in memory.
        asks("note The well is dry.", 9, 1).await;
        minds.inner.lock().slots.clear();
        assert_eq!(asks("compact fold #4-#9 300", 10, 2).await, "Noted: a prompt no longer shows #4 to #9.");
        let told = asks("history compactions", 12, 0).await;
        assert_eq!(told.lines().count(), 3, "a day and two folds: {told}");
        assert!(told.contains("a prompt dropped #2 to #3 (2 entries, 0 of talk, 0 deeds)"), "{told}");
        let log = log_of(&store, "ann").await;
        let whole = log.iter().filter(|entry| matches!(entry.event, Event::CompactBefore { state: Some(_), .. }));
        assert_eq!(whole.count(), 0, "a state that follows from the log is not copied at each fold");
        store.close().await;
    })
    .await;
}
