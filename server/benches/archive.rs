//! How fast logs are archived, how fast a mind opens behind a long archive and is told as it was, and what a year of an
//! agent takes.
//!
//! `cargo bench -p server --bench archive`; with `-- 200000` for fewer entries than 1,050,000, with `-- 0` for the year
//! alone. Each figure stands behind its aim.

use dreaming::log_search::Asked;
use dreaming::synthetic::{Life, Shape};
use mind::{Event, LogEntry};
use server::dreams::one::{Calendar, Way, dream_of};
use server::log_archives::{Turn, Upto, archive_log};
use server::minds::Minds;
use server::minds::past::Moment;
use server::store::agent_events::{self, AgentEvent, row_of};
use server::store::{Store, StoreOptions, agent_archives};
use std::path::Path;
use std::time::{Duration, Instant};

const ENTRIES: u64 = 1_050_000;
/// Entries that stay rows, and each how many of them is the mind's own.
const HOT: u64 = 50_000;
const OWN: u64 = 5;
const A_DAY: u32 = 1_500;
const DAYS: u32 = 365;
const DAY_MS: i64 = 86_400_000;
const FROM_MS: i64 = 1_704_096_000_000;

fn rows(count: u64) -> impl Iterator<Item = AgentEvent> {
    let shape = Shape { events_per_day: A_DAY, from_ms: FROM_MS, ..Shape::default() };
    Life::new(shape).zip(1..=count).map(|(record, seq)| {
        let event = match seq % OWN {
            0 if seq % 50 == 0 => Event::TaskSet { text: format!("Find the key number {seq} of the tower.") },
            0 => Event::MemorySet { path: format!("places.p{}.seen", seq % 90), value: seq.into(), weight: None },
            _ => Event::Happening(Box::new(record.happening)),
        };
        row_of("ann", &LogEntry { seq, tick: record.tick, at_ms: record.at_ms, input: seq, event }, Some(1))
    })
}

async fn open(folder: &Path) -> Store {
    let address = format!("sqlite:{}", folder.join("bench.sqlite").display());
    Store::connect(&address, &StoreOptions { answer_ms: 60_000, ..StoreOptions::of_state(folder) }).await.expect("open")
}

async fn filled(store: &Store, rows: impl Iterator<Item = AgentEvent>) {
    let mut batch = Vec::new();
    for row in rows {
        batch.push(row);
        if batch.len() == 20_000 {
            agent_events::append(store, &std::mem::take(&mut batch)).await.expect("written");
        }
    }
    agent_events::append(store, &batch).await.expect("written");
}

#[tokio::main]
async fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let count = words.first().and_then(|word| word.parse().ok()).unwrap_or(ENTRIES);
    if count > HOT {
        long_log(count).await;
    }
    a_year().await;
}

async fn long_log(count: u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path()).await;
    filled(&store, rows(count)).await;
    let turn = Turn::take(&agent_archives::own_folder(folder.path())).expect("locked").expect("nobody else");
    let begun = Instant::now();
    let before = i64::try_from(count - HOT + 1).expect("small");
    let moved = archive_log(&store, &turn, &"ann".into(), Upto::Entry(before), 0).await.expect("archived");
    let seconds = begun.elapsed().as_secs_f64();
    let each = moved.entries as f64 / seconds;
    println!("archiving (aim >= 200,000 entries/s): {each:.0}, {} bytes of {} entries", moved.bytes, moved.entries);
    store.close().await;
    for round in 1..=5 {
        let store = open(folder.path()).await;
        let minds = Minds::new(store.clone());
        let running = tokio::spawn(minds.clone().run());
        let begun = Instant::now();
        let goals = minds.goals("ann").await;
        let took = begun.elapsed();
        assert!(!goals.is_empty(), "it has a task");
        println!("opening a mind, {} archived, {HOT} hot (aim < 80 ms), {round}: {took:.1?}", count - HOT);
        let begun = Instant::now();
        let asked = Asked::parse("in:all key tower 1234", 0).expect("a question").log.expect("of the log");
        let found = minds.found_in_log(&"ann".into(), asked).await.expect("answered").found.len();
        println!("recall, as many (aim < 3 s), {round}: {:.2?}, {found} found", begun.elapsed());
        hud_at(&minds, count).await;
        running.abort();
        store.close().await;
    }
}

/// A mind at moments that lie far apart, in rows and in archives.
async fn hud_at(minds: &Minds, count: u64) {
    for (what, first, last, moments) in
        [("hot (aim: p99 < 60 ms)", count - HOT + 2, count, 200), ("archived (aim < 400 ms)", 10, count - HOT, 40)]
    {
        let mut times = Vec::new();
        for n in 0..moments {
            let seq = first + (last - first) * n / moments;
            let begun = Instant::now();
            let moment = minds.hud_after(&"ann".into(), Some(seq), None).await.expect("read");
            times.push(begun.elapsed());
            assert!(matches!(moment, Moment::Was { state, .. } if state.seq == seq), "#{seq}");
        }
        times.sort_unstable();
        let of = |percent: usize| times[times.len() * percent / 100];
        println!("hud at, {what}: p50 {:.1?}, p99 {:.1?}", of(50), of(99));
    }
}

/// A night after each day, as the server has them.
async fn a_year() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path()).await;
    let archives = agent_archives::own_folder(folder.path());
    let turn = Turn::take(&archives).expect("locked").expect("nobody else");
    let dreams = folder.path().join("dreaming");
    let mut life = rows(u64::from(A_DAY * DAYS));
    let (mut most, mut bytes, mut slept) = (0, 0, Duration::ZERO);
    for day in 0..DAYS {
        filled(&store, life.by_ref().take(A_DAY as usize)).await;
        let begun = Instant::now();
        let through = i32::try_from(FROM_MS / DAY_MS).expect("small") + i32::try_from(day).expect("small");
        let way = Way { through: Some(through), ..Way::new(dreams.clone(), Calendar::Of(0)) };
        dream_of(&store, "ann", &way, &mut |_, _| ()).await.expect("dreamt");
        slept += begun.elapsed();
        let now_ms = FROM_MS + (i64::from(day) + 1) * DAY_MS;
        let moved = archive_log(&store, &turn, &"ann".into(), Upto::Kept(30), now_ms).await.expect("archived");
        bytes += moved.bytes;
        let hot = agent_events::count_below(&store, "ann", i64::MAX).await.expect("counted");
        most = most.max(hot);
    }
    let base: i64 = agent_archives::base_bytes(&store).await.expect("counted");
    println!(
        "a year of {A_DAY} entries a day: at most {most} hot (aim <= 50,000), {} bytes of archive a day and {} of \
         bases (aim <= 1 MB); dreams took {slept:.1?}",
        bytes / u64::from(DAYS),
        base / i64::from(DAYS)
    );
    store.close().await;
}
