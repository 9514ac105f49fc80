//! What journal and snapshots cost in the stock tbaMUD world with 5,000 characters: the copy that the engine stands
//! still for, encoding and writing beside it, starting again, and replaying.
//!
//! The world is not part of the repository: without `../shared/worlds/tbamud` the one that ships is used, and a line
//! says so.

use content::Content;
use content::flags::RoomFlags;
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use server::journal::replaying::{Step, replay};
use server::journal::{Fsync, Gauges, Header, Journal, Layout, Snapshot, Unwritten, recovery, write_snapshot};
use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::e2e::root;
use tests::journaling::{DATABASE, write_played};
use tests::simulation::newcomer;
use world::rng::Dice;
use world::rules::Rules;
use world::{Admin, Input, World};

const CHARACTERS: usize = 5_000;
const SEED: u64 = 5;
/// Ticks of the journals that are replayed, and who plays in them.
const PLAYED_TICKS: u64 = 400;
const PLAYERS: usize = 50;

fn stock() -> (PathBuf, Arc<Content>) {
    let mut folder = root().join("../shared/worlds/tbamud");
    if !folder.is_dir() {
        println!("measured in data/world, since {} is not there", folder.display());
        folder = root().join("data/world");
    }
    let content = server::content_files::read_world(&folder, None).expect("it can be read").0;
    (folder, Arc::new(content))
}

/// Everybody somewhere, an hour after the world began.
fn peopled(content: &Arc<Content>) -> World {
    let rules = Arc::new(Rules::built_in());
    let mut world = World::new(content.clone(), rules.clone(), SEED);
    let rooms: Vec<i32> =
        content.rooms.iter().filter(|room| !room.flags.has(RoomFlags::DEATH)).map(|room| room.vnum).collect();
    let mut dice = Dice::new(SEED, 1, 2, 3);
    for n in 0..CHARACTERS {
        let record = Box::new(newcomer(content, &rules, n, &mut dice));
        let report = world.apply(&Input::Enter { record, agent: true });
        let who = report.entered.expect("whoever enters is in the world");
        let room = rooms[dice.range(0, rooms.len() as i32 - 1) as usize];
        world.apply(&Input::Admin(Admin::Place { who, room }));
    }
    for _ in 0..30 {
        world.apply(&Input::Tick);
    }
    world
}

fn header(world: &World, folder: &Path) -> Header {
    Header {
        server: "bench".to_string(),
        needs: server::replay::needs_of(&world.content, &world.rules, folder),
        seed: SEED,
        start: world.state.number,
        start_tick: world.tick(),
        epoch_ms: 0,
        tick_ms: 2_000,
        database: DATABASE.to_string(),
        continues: false,
    }
}

fn snapshots(c: &mut Criterion) {
    let (folder, content) = stock();
    let mut world = peopled(&content);
    let header = header(&world, &folder);
    let (people, objects) = (world.state.characters.len(), world.state.objects.len());
    println!("{} rooms, {people} characters, {objects} things", content.rooms.len());
    let mut group = c.benchmark_group("snapshot");
    group.bench_function("stall (the copy)", |b| {
        b.iter(|| Snapshot::of(&world, header.clone(), Unwritten::default()));
    });
    // What is changed while the copy is being written has to be copied in earnest, once.
    group.bench_function("a tick without a copy being written", |b| {
        b.iter_batched(
            || world.clone(),
            |mut world| {
                world.apply(&Input::Tick);
                world
            },
            BatchSize::PerIteration,
        );
    });
    let mut held = None;
    group.bench_function("the stall and the tick after it", |b| {
        b.iter_custom(|times| {
            let mut took = Duration::ZERO;
            for _ in 0..times {
                // The one before is on disk by then.
                drop(held.take());
                let begun = Instant::now();
                held = Some(Snapshot::of(&world, header.clone(), Unwritten::default()));
                world.apply(&Input::Tick);
                took += begun.elapsed();
            }
            took
        });
    });
    drop(held);
    group.bench_function("ticks in a row", |b| b.iter(|| world.apply(&Input::Tick)));
    let snapshot = Snapshot::of(&world, header.clone(), Unwritten::default());
    group.sample_size(10);
    group.bench_function("encode", |b| b.iter(|| snapshot.encode()));
    println!("{} bytes", snapshot.encode().expect("it encodes").len());
    let state = tempfile::tempdir().expect("a folder");
    let layout = Layout::open(state.path()).expect("it can be made");
    group.bench_function("encode, write and sync", |b| {
        b.iter(|| write_snapshot(&layout, &snapshot, &Gauges::default()).expect("written"));
    });
    let needs = header.needs.clone();
    drop(Journal::begin(layout.clone(), snapshot.header.clone(), Fsync::Tick, Arc::default()).expect("begun"));
    group.bench_function("start from it", |b| {
        b.iter(|| {
            let given = recovery::Given {
                layout: &layout,
                content: content.clone(),
                rules: Arc::new(Rules::built_in()),
                needs: &needs,
                database: DATABASE,
                recover: false,
                capture: world::report::Capture::Nobody,
            };
            recovery::recover(&given).expect("it is whole").world.expect("there is one")
        });
    });
    group.finish();
}

/// Inputs per second of a replay, and of its commands alone: reading, applying and letting go of what they caused.
fn replays(c: &mut Criterion) {
    let own = root().join("data/world");
    let content = Arc::new(server::content_files::read_world(&own, None).expect("it can be read").0);
    let (stock_folder, stock_content) = stock();
    let mut group = c.benchmark_group("replay");
    group.sample_size(10);
    for (name, folder, content) in [("own world", own, content), ("stock world", stock_folder, stock_content)] {
        let state = tempfile::tempdir().expect("a folder");
        write_played(state.path(), &folder, content.clone(), SEED, PLAYERS, PLAYED_TICKS).expect("it is played");
        let layout = Layout::new(state.path());
        let mut listing = layout.list().expect("it can be read");
        let first = listing.snapshots.first_key_value().map(|(_, path)| path.clone()).expect("there is one");
        listing.snapshots.clear();
        let (_, begun, _) = Snapshot::read(&first).expect("it is whole");
        let run = || {
            let mut world = World::resume(content.clone(), Arc::new(Rules::built_in()), begun.clone());
            // As a recovery does it.
            world.unread = true;
            let (mut inputs, mut commands, mut ticks) = (0u64, Duration::ZERO, Duration::ZERO);
            let whole = Instant::now();
            let mut last = Instant::now();
            let ended = replay(&mut world, &listing, &mut |_, step| {
                let Step::Input { input, report, .. } = step else { return ControlFlow::Continue(()) };
                drop(report);
                let now = Instant::now();
                if matches!(input, Input::Tick) {
                    ticks += now - last;
                } else {
                    inputs += 1;
                    commands += now - last;
                }
                last = now;
                ControlFlow::Continue(())
            });
            black_box(ended.expect("it can be read"));
            (inputs, commands, ticks, whole.elapsed())
        };
        let (inputs, commands, ticks, whole) = run();
        println!(
            "{name}: {inputs} inputs and {PLAYED_TICKS} ticks; inputs {} ms, ticks {} ms, all {} ms",
            commands.as_millis(),
            ticks.as_millis(),
            whole.as_millis()
        );
        group.throughput(Throughput::Elements(inputs));
        group.bench_function(format!("{name}, inputs but ticks"), |b| {
            b.iter_custom(|times| (0..times).map(|_| run().1).sum());
        });
        group.bench_function(format!("{name}, all"), |b| b.iter_custom(|times| (0..times).map(|_| run().3).sum()));
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(4));
    targets = snapshots, replays
}
criterion_main!(benches);
