//! How long the verb `recall` takes: figures for `docs/PERFORMANCE.md`, in an optimised build. Not among the tests of
//! each day, for it proves nothing on a busy machine.

use super::Now;
use super::tests::{asker, asks, request_at, write};
use crate::minds::Minds;
use crate::store::testing::Place;
use dreaming::Record;
use dreaming::log_search::{LogIndex, counted};
use dreaming::synthetic::{Life, Shape};
use mind::session::Trust;
use mind::{Event, LogEntry};
use protocol::outcome::WhoKind;
use protocol::talk::Heard;
use std::time::{Duration, Instant};

const RECORDS: u64 = 10_000;
const QUESTIONS: u64 = 300;

/// A record of a made-up life as an entry of a log.
fn entry(record: Record) -> LogEntry {
    let Record { seq, tick, at_ms, happening } = record;
    LogEntry { seq, tick, at_ms, input: seq, event: Event::Happening(Box::new(happening)) }
}

fn told(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let of = |percent: usize| times[times.len() * percent / 100].as_secs_f64() * 1_000.0;
    println!("{what}: p50 {:.2} ms, p99 {:.2} ms, of {}", of(50), of(99), times.len());
}

/// `cargo test --release -p server --lib -- --ignored --nocapture ten_thousand_records`
#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures, and asserts no time"]
async fn questions_to_ten_thousand_records_are_timed() {
    // A month of an agent that is on all the time, and all on one day, so that no night has made it less.
    for events_per_day in [400, 20_000] {
        println!("{RECORDS} records, {events_per_day} a day");
        time(Shape { events_per_day, ..Shape::default() }).await;
    }
}

/// What a log holds beside records, four for each: talk, notes, a journal, values.
fn own(seq: u64) -> Event {
    match seq % 4 {
        0 => Event::NoteAdd { text: format!("Stone {seq} of the north wall is loose, and the mason knows it.") },
        1 => {
            let (from, channel) = (format!("Bob{}", seq % 50).into(), "tell".into());
            let text = format!("The ferry leaves at hour {}, and costs {} coins.", seq % 24, seq % 90).into();
            Event::Heard(Box::new(Heard { from, channel, text, message: None, missed: 0 }))
        }
        2 => {
            let text = format!("They say that cellar {} floods when the moon is full.", seq % 700);
            Event::JournalAdd { text, source: Trust::Hearsay, importance: 4 }
        }
        _ => Event::MemorySet { path: format!("places.p{}.seen", seq % 90), value: seq.into(), weight: None },
    }
}

/// `cargo test --release -p server --lib -- --ignored --nocapture fifty_thousand_entries`
#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures, and asserts no time"]
async fn questions_to_fifty_thousand_entries_are_timed() {
    let place = Place::sqlite();
    let store = place.open().await;
    let life = Life::new(Shape { events_per_day: 400, ..Shape::default() }).take(RECORDS as usize);
    let entries: Vec<LogEntry> = life
        .flat_map(|record| {
            let LogEntry { seq, tick, at_ms, event, .. } = entry(record);
            let of = |seq, event| LogEntry { seq, tick, at_ms, input: seq, event };
            let beside = (1..5).map(move |n| of(seq * 5 + n, own(seq * 5 + n)));
            std::iter::once(of(seq * 5, event)).chain(beside).collect::<Vec<_>>()
        })
        .collect();
    for chunk in entries.chunks(1_000) {
        write(&store, "ann", chunk).await;
    }
    let begun = Instant::now();
    let mut index = LogIndex::new();
    entries.iter().for_each(|entry| index.take(counted(entry.clone(), None)));
    println!("{} entries indexed in {:?}: {:.1} MB", entries.len(), begun.elapsed(), index.bytes() as f64 / 1e6);
    let (minds, ann) = (Minds::new(store.clone()), asker());
    let newest = entries.last().expect("there are some");
    let asked = async |line: &str| {
        let now = Now { tick: newest.tick, at_ms: newest.at_ms };
        let begun = Instant::now();
        let (text, _) = asks(&minds, &ann, request_at("ann", line, now, &[])).await;
        assert!(text.contains("In your log:"), "{line}: {text}");
        begun.elapsed()
    };
    told("the first question, everything read", vec![asked("recall ferry coins").await]);
    let mut warm = Vec::new();
    for n in 0..QUESTIONS {
        warm.push(asked(&format!("recall who said that cellar {} floods, and what the ferry costs", n * 2)).await);
    }
    told("a question to log and memories", warm);
    store.close().await;
}

async fn time(shape: Shape) {
    let place = Place::sqlite();
    let store = place.open().await;
    let life: Vec<Record> = Life::new(shape).take((RECORDS + QUESTIONS) as usize).collect();
    let mut players = life.iter().flat_map(|record| record.happening.others().cloned().collect::<Vec<_>>());
    let friend = players.find(|who| who.kind == WhoKind::Player).expect("one meets people");
    let (question, present) = (format!("recall {}", friend.name), format!("player:{}", friend.name.to_lowercase()));
    let life: Vec<LogEntry> = life.into_iter().map(entry).collect();
    let (before, after) = life.split_at(RECORDS as usize);
    for chunk in before.chunks(1_000) {
        write(&store, "ann", chunk).await;
    }
    let (minds, ann) = (Minds::new(store.clone()), asker());
    let asked = async |line: &str, after: &LogEntry| {
        let now = Now { tick: after.tick, at_ms: after.at_ms };
        let begun = Instant::now();
        let (text, _) = asks(&minds, &ann, request_at("ann", line, now, &[&present])).await;
        let took = begun.elapsed();
        assert!(text.starts_with("You remember:"), "{line}: {text}");
        took
    };
    let newest = before.last().expect("there are some");
    told("the first question, everything read", vec![asked(&question, newest).await]);
    println!("nodes: {}", minds.memories.nodes());
    let (mut settled, mut moments, mut fresh) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..QUESTIONS {
        settled.push(asked(&question, newest).await);
    }
    for entry in after {
        write(&store, "ann", std::slice::from_ref(entry)).await;
        moments.push(asked("recall", entry).await);
        fresh.push(asked(&question, entry).await);
    }
    told("a question, nothing new", settled);
    told("a moment, a new record before each", moments);
    told("a question, a new record before each", fresh);
    store.close().await;
}
