//! Every state of the folder that a kill can leave between the steps of a new segment, a snapshot and the tidying
//! after it: a start from each comes to the same world, and what is kept of the past can still be replayed.
//!
//! The library does each step for real, as the engine and its thread do, and the kernel tells what was done to the
//! folder in which order; the states between are made of that and of the folders before and after. A test says what it
//! expects to be done, so another order needs another look. A real server is killed while it writes, too.

use super::{files, green, green_content, recover};
use content::Content;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;
use serde_json::json;
use server::journal::retention::{Keep, tidy};
use server::journal::{Fsync, Header, Journal, Layout, Snapshot, runs, write_snapshot};
use server::replay::{Past, compare};
use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tests::e2e::{Agent, Options, PATIENCE, Server, root};
use tests::torture::replayed;
use world::hash::StateHashes;
use world::rules::Rules;
use world::{Input, World};

/// One thing that is done to the folder, by the name of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Step {
    /// Written beside, synced and renamed.
    Write(String),
    Remove(String),
}

type Folder = BTreeMap<String, Vec<u8>>;

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

fn read_folder(layout: &Layout) -> Folder {
    let entries = std::fs::read_dir(layout.folder()).expect("a folder");
    entries
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("it has a name").to_string_lossy().into_owned();
            (name, std::fs::read(&path).expect("it is readable"))
        })
        .collect()
}

/// The kernel's account of what is done to a folder.
struct Watch(OwnedFd);

impl Watch {
    fn on(folder: &Path) -> Watch {
        let events = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).expect("the kernel tells");
        let kinds = WatchFlags::CREATE | WatchFlags::MODIFY | WatchFlags::MOVE | WatchFlags::DELETE;
        inotify::add_watch(&events, folder, kinds).expect("it is a folder");
        Watch(events)
    }

    /// All since the beginning. Whatever is written must be written beside its place.
    fn steps(self) -> Vec<Step> {
        let mut space = [MaybeUninit::uninit(); 16 * 1024];
        let mut events = inotify::Reader::new(&self.0, &mut space);
        let mut steps = Vec::new();
        loop {
            let event = match events.next() {
                Ok(event) => event,
                Err(Errno::AGAIN) => return steps,
                Err(error) => panic!("{error}"),
            };
            let name = event.file_name().expect("of a file in the folder").to_string_lossy().into_owned();
            match event.events() {
                ReadFlags::MOVED_TO => steps.push(Step::Write(name)),
                ReadFlags::DELETE => steps.push(Step::Remove(name)),
                kind => assert!(name.ends_with(".new"), "{name} is not beside its place: {kind:?}"),
            }
        }
    }
}

/// Every state between the folder before and the folder after, which itself is the last.
fn states_between(before: &Folder, after: &Folder, steps: &[Step]) -> Vec<(String, Folder)> {
    let mut now = before.clone();
    let mut states = vec![("nothing yet".to_string(), now.clone())];
    for step in steps {
        match step {
            Step::Write(name) => {
                let whole = &after[name];
                for length in [0, 1, whole.len() / 2, whole.len() - 1, whole.len()] {
                    let mut state = now.clone();
                    state.insert(format!("{name}.new"), whole[..length].to_vec());
                    states.push((format!("{length} bytes of {name}.new"), state));
                }
                now.insert(name.clone(), whole.clone());
            }
            Step::Remove(name) => assert!(now.remove(name).is_some(), "{name} was there"),
        }
        states.push((format!("{step:?} is done"), now.clone()));
    }
    let names = |folder: &Folder| folder.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&now), names(after), "this is all that was done");
    assert!(now == *after, "and no file was changed otherwise");
    states
}

/// A small world whose journal is written by hand, one call of the library at a time.
struct Life {
    state: TempDir,
    layout: Layout,
    content: Arc<Content>,
    world: World,
    journal: Journal,
    day: i64,
}

impl Life {
    fn begin() -> Life {
        let state = tempfile::tempdir().expect("a folder");
        let layout = Layout::open(state.path()).expect("it can be made");
        let content = green_content();
        let world = World::new(content.clone(), Arc::new(Rules::built_in()), 7);
        let header = Header {
            server: "test".to_string(),
            needs: server::replay::needs_of(&content, &world.rules, &root().join("tests/scenes/green")),
            seed: 7,
            start: 0,
            start_tick: 0,
            epoch_ms: 0,
            tick_ms: 2_000,
            database: "none".to_string(),
            continues: false,
        };
        let journal = Journal::begin(layout.clone(), header, Fsync::Tick, Arc::default()).expect("it begins");
        let mut life = Life { state, layout, content, world, journal, day: 0 };
        life.snapshot();
        life
    }

    /// Ticks, with the hashes after the last of them.
    fn play(&mut self, ticks: u64) {
        for _ in 0..ticks {
            self.journal.input(self.world.state.number + 1, self.now_ms(), &Input::Tick);
            self.world.apply(&Input::Tick);
        }
        self.journal.hashes(self.world.state.number, self.world.tick(), &self.world.hashes());
        self.journal.flush().expect("there is room");
    }

    fn now_ms(&self) -> i64 {
        self.day * DAY_MS
    }

    fn rotate(&mut self) {
        self.day += 1;
        let now_ms = self.now_ms();
        self.journal.rotate(self.world.state.number, self.world.tick(), now_ms).expect("a new segment");
    }

    fn taken(&self) -> Snapshot {
        Snapshot::of(&self.world, self.journal.header().clone(), server::journal::Unwritten::default())
    }

    fn snapshot(&mut self) {
        write_snapshot(&self.layout, &self.taken(), &Arc::default()).expect("there is room");
    }

    fn tidy(&self, keep_days: u32) {
        tidy(&self.layout, &Keep { days: keep_days }, self.now_ms()).expect("it can be tidied");
    }

    /// Does something to the folder, and looks at all that a kill may leave of it. How many states there were.
    fn survives(&mut self, what: &str, steps: Vec<Step>, act: impl FnOnce(&mut Life)) -> usize {
        let before = read_folder(&self.layout);
        let watch = Watch::on(self.layout.folder());
        act(self);
        assert_eq!(watch.steps(), steps, "{what}");
        let after = read_folder(&self.layout);
        let wanted = self.world.hashes();
        let states = states_between(&before, &after, &steps);
        for (state, folder) in &states {
            self.comes_back(folder, &wanted, &format!("{what}: {state}"));
        }
        states.len()
    }

    /// A start on this folder has the same world, replays nothing twice, can be killed, and the past is there.
    fn comes_back(&self, folder: &Folder, wanted: &StateHashes, what: &str) {
        let state = tempfile::tempdir().expect("a folder");
        let layout = Layout::new(state.path());
        std::fs::create_dir_all(layout.folder()).expect("it can be made");
        for (name, bytes) in folder {
            std::fs::write(layout.folder().join(name), bytes).expect("written");
        }
        // The tools read it as it is, before any start has cleared it.
        self.replays(state.path(), wanted, what);
        let layout = Layout::open(state.path()).expect("it opens");
        let names: Vec<String> = read_folder(&layout).into_keys().collect();
        assert!(!names.iter().any(|name| name.ends_with(".new")), "{what}: {names:?}");
        let recovered = recover(state.path(), &self.content, false).unwrap_or_else(|error| panic!("{what}: {error:#}"));
        let world = recovered.world.expect("there is one");
        assert_eq!(world.hashes(), *wanted, "{what}");
        assert!(recovered.continues && !recovered.lost, "{what}");
        assert_eq!(recovered.last_number, world.state.number, "{what}");
        // As a start goes on: a segment, some play, a snapshot, and what the kill left undone is done.
        let header = Header {
            start: world.state.number,
            start_tick: world.tick(),
            epoch_ms: self.now_ms(),
            continues: true,
            ..self.journal.header().clone()
        };
        let journal = Journal::begin(layout.clone(), header, Fsync::Tick, Arc::default()).expect("it begins");
        let mut next = Life { state, layout, content: self.content.clone(), world, journal, day: self.day };
        next.play(3);
        next.snapshot();
        next.tidy(0);
        let hashes = next.world.hashes();
        next.replays(next.state.path(), &hashes, &format!("{what}, and after the next start"));
        let again = recover(next.state.path(), &self.content, false).expect("it starts");
        assert_eq!(again.world.expect("there is one").hashes(), hashes, "{what}, after the next start");
    }

    fn replays(&self, state: &Path, wanted: &StateHashes, what: &str) {
        let all = runs::runs(&Layout::new(state)).unwrap_or_else(|error| panic!("{what}: {error:#}"));
        assert_eq!(all.len(), 1, "{what}: it is one run");
        let past = Past { run: all[0].clone(), content: self.content.clone(), rules: Arc::new(Rules::built_in()) };
        let base = past.run.oldest().unwrap_or_else(|error| panic!("{what}: {error:#}"));
        let compared = compare(&past, base, None).expect("it can be read");
        assert!(compared.outcome.ok, "{what}: {:?} {:?}", compared.outcome, compared.end);
        let last = compared.outcome.hashes.last().expect("at least that of the end");
        assert_eq!(last.hash, format!("{:016x}", wanted.all), "{what}");
    }

    fn name(&self, path: PathBuf) -> String {
        path.file_name().expect("it has a name").to_string_lossy().into_owned()
    }
}

#[test]
fn whatever_a_kill_leaves_of_a_snapshot_comes_back_as_the_same_world() {
    let mut life = Life::begin();
    let mut states = 0;
    life.play(10);
    life.rotate();
    life.snapshot();
    life.tidy(0);
    // Snapshots in between, one more than stay.
    for _ in 0..3 {
        life.play(5);
        life.snapshot();
    }
    life.play(5);
    let number = life.world.state.number;
    let (segment, snapshot) = (life.name(life.layout.segment(number)), life.name(life.layout.snapshot(number)));
    states += life.survives("a new segment", vec![Step::Write(segment)], Life::rotate);
    // The engine goes on in it while the snapshot is taken; what is written is of before.
    let taken = life.taken();
    life.play(4);
    states += life.survives("its snapshot", vec![Step::Write(snapshot)], |life| {
        write_snapshot(&life.layout, &taken, &Arc::default()).expect("there is room");
    });
    let (open, packed) = (life.name(life.layout.segment(10)), life.name(life.layout.packed(10)));
    let between = life.name(life.layout.snapshot(15));
    let steps = vec![Step::Remove(between), Step::Write(packed), Step::Remove(open)];
    states += life.survives("tidying", steps, |life| life.tidy(0));

    // A snapshot in between alone.
    life.play(2);
    let snapshot = life.name(life.layout.snapshot(life.world.state.number));
    states += life.survives("a snapshot in between", vec![Step::Write(snapshot)], Life::snapshot);

    // Days later the oldest goes, and what was open is packed.
    life.day += 3;
    life.rotate();
    life.snapshot();
    life.play(2);
    let remove = |path: PathBuf| Step::Remove(path.file_name().expect("a name").to_string_lossy().into_owned());
    let mut steps = vec![
        Step::Write(life.name(life.layout.packed(number))),
        remove(life.layout.segment(number)),
        remove(life.layout.snapshot(0)),
        remove(life.layout.packed(0)),
    ];
    let listing = life.layout.list().expect("it can be read");
    steps.extend(listing.snapshots.range(10..number).map(|(_, path)| remove(path.clone())));
    steps.push(remove(life.layout.packed(10)));
    states += life.survives("deleting what is old", steps, |life| life.tidy(2));
    assert!(states > 40, "{states}");
}

#[test]
fn a_disk_that_loses_the_order_of_removals_leaves_nothing_that_is_in_the_way() {
    let mut life = Life::begin();
    for _ in 0..3 {
        life.play(5);
        life.rotate();
        life.snapshot();
    }
    life.play(5);
    life.tidy(0);
    let wanted = life.world.hashes();
    let whole = read_folder(&life.layout);
    // Of each old segment its snapshot alone, or itself alone; of the newest, itself without its snapshot.
    let without = |paths: &[PathBuf]| {
        let mut folder = whole.clone();
        for path in paths {
            assert!(folder.remove(&life.name(path.clone())).is_some(), "{} was there", path.display());
        }
        folder
    };
    let layout = &life.layout;
    for (what, paths) in [
        ("the first segment is gone", vec![layout.packed(0)]),
        ("its snapshot is gone", vec![layout.snapshot(0)]),
        ("both are, and the next segment", vec![layout.packed(0), layout.snapshot(0), layout.packed(5)]),
        ("both are, and the next snapshot", vec![layout.packed(0), layout.snapshot(0), layout.snapshot(5)]),
        ("the newest snapshot is gone", vec![layout.snapshot(15)]),
        ("the two newest are", vec![layout.snapshot(15), layout.snapshot(10)]),
    ] {
        life.comes_back(&without(&paths), &wanted, what);
    }
}

/// What the system calls a file system in memory.
const TMPFS: u64 = 0x0102_1994;

/// What is being written beside its place now.
fn half_written(layout: &Layout) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(layout.folder()) else { return Vec::new() };
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()));
    names.filter(|name| name.ends_with(".new")).collect()
}

/// Says a lot, and then how many coins she has by now, again and again until the server is gone: what she was shown to
/// have, and what she had asked for.
async fn chatter(mut ann: Agent, from: u64) -> (u64, u64) {
    let long = format!("say {}", "The Flame burns low tonight. ".repeat(30));
    let (mut shown, mut asked) = (from, from);
    loop {
        for _ in 0..200 {
            if !ann.try_send(json!({"type": "command", "data": {"command": long}})).await {
                return (shown, asked);
            }
        }
        let coins = asked + 1;
        if !ann.try_send(json!({"type": "command", "data": {"command": format!("set ann gold {coins}")}})).await {
            return (shown, asked);
        }
        asked = coins;
        let answer = format!("Gold of Ann is {coins} now.");
        loop {
            match ann.next_or_end().await {
                Ok(frame) if frame["data"]["text"] == answer => break,
                Ok(_) => {}
                Err(_) => return (shown, asked),
            }
        }
        shown = coins;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_server_killed_while_it_writes_snapshots_has_all_that_was_shown() {
    let often = |state: &Arc<TempDir>| Options { state: Some(state.clone()), ..with(&["--snapshot-mb", "1"]) };
    let mut state = Arc::new(tempfile::tempdir().expect("a folder"));
    let layout = Layout::new(state.path());
    let mut coins = 0;
    let mut left = Vec::new();
    for round in 0..8 {
        let server = Server::start_with(often(&state));
        let key = server.key("Ann").await;
        let mut ann = server.connect().await;
        ann.log_in("Ann", &key).await;
        if round == 0 {
            server.promote("Ann", 39).await;
        } else {
            coins = ann.vars["GOLD"].as_u64().expect("a number");
        }
        server.tick(31).await;
        // What a start writes by itself is over.
        let deadline = Instant::now() + PATIENCE;
        while !half_written(&layout).is_empty() {
            assert!(Instant::now() < deadline, "it never ends");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let before = files(state.path()).1.len();
        let chatting = tokio::spawn(chatter(ann, coins));
        // A kind of file each time: a segment's head, a snapshot, a packed segment.
        let kind = [".snapshot.new", ".journal.zst.new", ".snapshot.new", ".journal.new"][round % 4];
        let deadline = Instant::now() + PATIENCE;
        while !half_written(&layout).iter().any(|name| name.ends_with(kind)) {
            assert!(
                Instant::now() < deadline,
                "no {kind} was seen; {before} snapshots then, {:?}",
                files(state.path())
            );
            std::hint::spin_loop();
        }
        state = server.kill();
        left.extend(half_written(&layout));
        let (shown, asked) = chatting.await.expect("Ann is well");
        let replay = replayed(state.path()).expect("it can be replayed");
        assert_eq!(replay["ok"], true, "{replay}");
        let server = Server::start_with(often(&state));
        let log = server.log();
        assert!(!log.contains("cannot be used") && !log.contains("lost"), "{log}");
        let mut ann = server.connect().await;
        ann.log_in("Ann", &key).await;
        let has = ann.vars["GOLD"].as_u64().expect("a number");
        assert!(has == shown || has == asked, "she was shown {shown}, asked for {asked} and has {has}");
        state = server.kill();
    }
    // A disk in memory has the whole file so soon that every kill may come too late.
    let disk = rustix::fs::statfs(layout.folder()).expect("it is on some disk").f_type as u64;
    assert!(!left.is_empty() || disk == TMPFS, "every kill came too late to leave anything half-written");
    let stopped = Server::start_with(often(&state)).stop();
    assert_eq!((stopped.code, half_written(&layout)), (Some(0), Vec::new()), "{}", stopped.log);
}

fn with(words: &[&str]) -> Options {
    Options { more: words.iter().map(|word| word.to_string()).collect(), ..green() }
}
