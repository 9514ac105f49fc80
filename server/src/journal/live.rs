//! What the engine holds of the journal: the segment that is written, and the thread that hashes and takes snapshots.
//!
//! Invariants: the engine never waits for a hash or a snapshot, only for a copy of pointers. Hashes come into the
//! journal a little after the state that they are of, and say which. A snapshot that fails costs nothing but itself:
//! the tail that it would have spared stays. Where the disk did not keep what was written, a new segment is begun and a
//! snapshot made at once, and again until one is on the disk.

use super::retention::{self, Keep};
use super::snapshot::{Snapshot, Unwritten};
use super::{Gauges, Header, Journal, Layout};
use crate::files::write_whole;
use parking_lot::Mutex;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use world::hash::StateHashes;
use world::report::MemoryStop;
use world::world::State;
use world::{Input, InputNumber, World};

/// Ticks between two hashes of the whole state: a minute of play.
pub const HASH_EVERY: u64 = 30;
/// States that may wait to be hashed: only worlds that are stepped as fast as they can be ever have more than one.
const HASHES_WAITING: usize = 4;

/// When snapshots are made and what is kept.
#[derive(Clone, Debug)]
pub struct Policy {
    pub snapshot_every: Duration,
    pub snapshot_bytes: u64,
    pub keep: Keep,
}

enum Job {
    Hash {
        number: InputNumber,
        tick: u64,
        state: Box<State>,
    },
    /// `renews`: it makes good for a segment that the disk did not keep.
    Snapshot {
        snapshot: Box<Snapshot>,
        renews: bool,
    },
}

struct Hashed {
    number: InputNumber,
    tick: u64,
    hashes: StateHashes,
}

/// The journal of a running world.
pub struct LiveJournal {
    journal: Journal,
    layout: Layout,
    policy: Policy,
    jobs: Option<mpsc::SyncSender<Job>>,
    hashed: Arc<Mutex<Vec<Hashed>>>,
    scribe: Option<std::thread::JoinHandle<()>>,
    last_snapshot: Instant,
    /// One is wanted before its time.
    snapshot_due: bool,
    /// When one was last wanted because the disk did not keep what was written.
    renewed: Option<Instant>,
    /// Day (since 1970) on which the segment began.
    day: i64,
    pub gauges: Arc<Gauges>,
}

/// Pause between two tries to make good for what the disk did not keep.
const RENEW_AGAIN: Duration = Duration::from_secs(2);
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

impl LiveJournal {
    pub fn new(journal: Journal, layout: Layout, policy: Policy, gauges: Arc<Gauges>) -> LiveJournal {
        let (jobs, to_do) = mpsc::sync_channel(HASHES_WAITING);
        let hashed = Arc::new(Mutex::new(Vec::new()));
        let scribe = Scribe {
            layout: layout.clone(),
            keep: policy.keep.clone(),
            hashed: hashed.clone(),
            gauges: gauges.clone(),
        };
        let scribe = std::thread::spawn(move || scribe.work(to_do));
        let day = journal.header().epoch_ms.div_euclid(DAY_MS);
        LiveJournal {
            journal,
            layout,
            policy,
            jobs: Some(jobs),
            hashed,
            scribe: Some(scribe),
            last_snapshot: Instant::now(),
            snapshot_due: false,
            renewed: None,
            day,
            gauges,
        }
    }

    pub fn header(&self) -> &Header {
        self.journal.header()
    }

    /// Notes an input that is about to be applied.
    pub fn input(&mut self, number: InputNumber, at_ms: i64, input: &Input) {
        self.journal.input(number, at_ms, input);
    }

    /// Where scripts ran out of memory in the input that was taken last.
    pub fn stops(&mut self, stops: &[MemoryStop]) {
        self.journal.stops(stops);
    }

    /// Everything noted so far is on its way to disk when this succeeds.
    pub fn flush(&mut self) -> io::Result<()> {
        for Hashed { number, tick, hashes } in self.hashed.lock().drain(..) {
            self.journal.hashes(number, tick, &hashes);
        }
        self.journal.flush()
    }

    /// Has what was flushed brought to the disk, without waiting for it. Once a tick.
    pub fn sync_soon(&self) {
        self.journal.sync_soon();
    }

    /// After each tick: every so often the state is hashed.
    pub fn ticked(&mut self, world: &World) {
        if world.tick().is_multiple_of(HASH_EVERY)
            && let Some(jobs) = &self.jobs
        {
            let job = Job::Hash { number: world.state.number, tick: world.tick(), state: Box::new(world.snapshot()) };
            // Waits only where ticks come faster than they can be hashed, in experiments. The thread ends with us.
            let _taken = jobs.send(job);
        }
    }

    /// Wants a snapshot at the end of this batch.
    pub fn snapshot_due(&mut self) {
        self.snapshot_due = true;
    }

    /// Makes a snapshot if one is due, and begins a new segment if the day or the size wants it. Nothing may be
    /// unflushed.
    pub fn look_after(&mut self, world: &World, now_ms: i64, unwritten: impl FnOnce() -> Unwritten) {
        let renews = self.gauges.unsynced.load(Ordering::Relaxed)
            && self.renewed.is_none_or(|last| last.elapsed() >= RENEW_AGAIN);
        if renews {
            self.renewed = Some(Instant::now());
        }
        let due = renews
            || std::mem::take(&mut self.snapshot_due)
            || self.last_snapshot.elapsed() >= self.policy.snapshot_every
            || self.journal.since_snapshot() >= self.policy.snapshot_bytes;
        if due {
            self.make_snapshot(world, now_ms, unwritten(), renews);
        }
    }

    /// Has a snapshot made now: of the state that a segment begins with.
    pub fn snapshot_soon(&mut self, world: &World, now_ms: i64, unwritten: Unwritten) {
        self.make_snapshot(world, now_ms, unwritten, false);
    }

    fn make_snapshot(&mut self, world: &World, now_ms: i64, unwritten: Unwritten, renews: bool) {
        let begun = Instant::now();
        self.last_snapshot = begun;
        self.journal.snapshot_made();
        // A clock that was set back makes a new segment too; nothing depends on it.
        let day = now_ms.div_euclid(DAY_MS);
        if renews || day != self.day || self.journal.segment_bytes() >= self.policy.snapshot_bytes {
            match self.journal.rotate(world.state.number, world.tick(), now_ms) {
                Ok(()) => self.day = day,
                // The old segment goes on; it is tried again with the next snapshot.
                Err(error) => tracing::error!(%error, "no new segment of the journal could be begun"),
            }
        }
        let snapshot = self.snapshot(world, unwritten);
        if let Some(jobs) = &self.jobs
            && jobs.try_send(Job::Snapshot { snapshot: Box::new(snapshot), renews }).is_err()
        {
            // The thread is far behind: the next one will do.
            self.gauges.snapshot_failures.fetch_add(1, Ordering::Relaxed);
        }
        self.gauges.snapshot_stall_us.store(begun.elapsed().as_micros() as u64, Ordering::Relaxed);
    }

    /// The world as it is, to be encoded elsewhere.
    pub fn snapshot(&self, world: &World, unwritten: Unwritten) -> Snapshot {
        Snapshot::of(world, self.header().clone(), unwritten)
    }

    /// The end of a stop: the last hashes are in, and the last snapshot is on disk when this returns. Blocks.
    pub fn finish(mut self, world: &World, unwritten: Unwritten) -> io::Result<()> {
        self.jobs = None;
        if let Some(scribe) = self.scribe.take()
            && scribe.join().is_err()
        {
            tracing::error!("the thread of the journal panicked");
        }
        self.flush()?;
        self.journal.sync_now()?;
        write_snapshot(&self.layout, &self.snapshot(world, unwritten), &self.gauges)
    }
}

/// Encodes and writes a snapshot. Blocks.
pub fn write_snapshot(layout: &Layout, snapshot: &Snapshot, gauges: &Gauges) -> io::Result<()> {
    let begun = Instant::now();
    let bytes = snapshot.encode()?;
    write_whole(&layout.snapshot(snapshot.header.start), &bytes)?;
    gauges.snapshot_number.store(snapshot.header.start, Ordering::Relaxed);
    gauges.snapshot_ms.store(crate::times::unix_ms(), Ordering::Relaxed);
    gauges.snapshot_bytes.store(bytes.len() as u64, Ordering::Relaxed);
    gauges.snapshot_write_ms.store(begun.elapsed().as_millis() as u64, Ordering::Relaxed);
    Ok(())
}

/// The thread beside the engine.
struct Scribe {
    layout: Layout,
    keep: Keep,
    hashed: Arc<Mutex<Vec<Hashed>>>,
    gauges: Arc<Gauges>,
}

impl Scribe {
    fn work(self, jobs: mpsc::Receiver<Job>) {
        for job in jobs {
            match job {
                Job::Hash { number, tick, state } => {
                    let hashes = state.hashes();
                    self.hashed.lock().push(Hashed { number, tick, hashes });
                }
                Job::Snapshot { snapshot, renews } => {
                    let number = snapshot.header.start;
                    if let Err(error) = write_snapshot(&self.layout, &snapshot, &self.gauges) {
                        self.gauges.snapshot_failures.fetch_add(1, Ordering::Relaxed);
                        tracing::error!(%error, number, "a snapshot could not be written; the journal goes on without");
                        continue;
                    }
                    tracing::debug!(number, "a snapshot is on disk");
                    if renews {
                        self.gauges.unsynced.store(false, Ordering::Relaxed);
                        tracing::warn!(number, "what the disk did not keep of the journal is in a snapshot now");
                    }
                    drop(snapshot);
                    let now_ms = crate::times::unix_ms();
                    if let Err(error) = retention::tidy(&self.layout, &self.keep, now_ms) {
                        tracing::warn!(%error, "old segments of the journal could not be packed or removed");
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::format::tests::header;
    use super::super::writer::{Fsync, Sink};
    use super::*;
    use std::fs::File;
    use world::rules::Rules;

    /// Takes everything, and then the disk does not keep it: a device can be written to, not synced.
    struct Forgetful;

    impl Sink for Forgetful {
        fn append(&mut self, _: &[u8]) -> io::Result<()> {
            Ok(())
        }

        fn truncate(&mut self, _: u64) -> io::Result<()> {
            Ok(())
        }

        fn sync(&self) -> io::Result<()> {
            Err(io::Error::other("it was not kept"))
        }

        fn to_sync(&self) -> io::Result<Option<File>> {
            File::open("/dev/null").map(Some)
        }
    }

    #[test]
    fn what_the_disk_did_not_keep_is_in_a_new_segment_and_a_snapshot_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let layout = Layout::open(folder.path()).expect("it can be made");
        let scene = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenes/green");
        let (content, _) = crate::content_files::read_world(&scene, None).expect("a world of tests");
        let mut world = World::new(Arc::new(content), Arc::new(Rules::built_in()), 7);
        let gauges = Arc::new(Gauges::default());
        let journal = Journal::on(Box::new(Forgetful), layout.clone(), header(0), Fsync::Tick, gauges.clone());
        let policy =
            Policy { snapshot_every: Duration::from_secs(3_600), snapshot_bytes: 1 << 30, keep: Keep { days: 7 } };
        let mut journal = LiveJournal::new(journal, layout.clone(), policy, gauges.clone());
        let day = journal.day * DAY_MS;
        let mut tick = |journal: &mut LiveJournal| {
            let report = world.apply(&Input::Tick);
            journal.input(report.number, day, &Input::Tick);
            journal.flush().expect("it takes everything");
            report.number
        };
        tick(&mut journal);
        // On a thread of its own, so nobody looks after it before its failure is told.
        journal.sync_soon();
        let deadline = Instant::now() + Duration::from_secs(20);
        while !gauges.unsynced.load(Ordering::Relaxed) {
            assert!(Instant::now() < deadline, "a failed sync is told");
            std::thread::sleep(Duration::from_millis(5));
        }
        let number = tick(&mut journal);
        journal.look_after(&world, day, Unwritten::default);
        while gauges.unsynced.load(Ordering::Relaxed) {
            assert!(Instant::now() < deadline, "until a snapshot is on the disk");
            std::thread::sleep(Duration::from_millis(5));
        }
        let listing = layout.list().expect("it can be read");
        assert!(listing.segments.contains_key(&number) && listing.snapshots.contains_key(&number), "{listing:?}");
        assert_eq!(journal.header().start, number, "the world goes on in the new one, which is synced");
    }
}
