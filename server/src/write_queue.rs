//! The way of rows to the database or the disk, behind the tick: gathered, written in batches, tried again with
//! backoff. Saves, logs of minds, decisions and session files each have a [`WriteQueue`] with a policy; what waits, and
//! how much of it may, is the affair of each ([`Backlog`]).
//!
//! Invariants: nobody who adds a row waits for it. A failure that may pass (a lock, a server that is away, a full disk)
//! is tried again for ever, with pauses that double. A failure that blames a row halves the batch until the bad row
//! stands alone; it is set aside, its name is in the log and in `/health`, and the others go on. Nothing else is ever
//! set aside: a database without its tables is no reason to give anything up.

use crate::store::StoreError;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Names of rows set aside that are remembered for `/health`; all are in the log and counted.
const ASIDE_NAMES_MAX: usize = 100;
/// How often a drain looks again, and hurries a queue that pauses after a failure.
const DRAIN_LOOK: Duration = Duration::from_millis(50);
const DRAIN_HURRY: Duration = Duration::from_millis(500);
/// Pause where something waits but nothing of it may be taken yet.
const NOT_YET: Duration = Duration::from_millis(20);

/// How a queue writes.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// What is written, for the log: `characters`.
    pub noun: &'static str,
    /// What becomes of a row that is set aside, for the log.
    pub aside: &'static str,
    /// How long rows gather before they are written together. Longer is cheaper.
    pub gather: Duration,
    /// Rows in one batch at most.
    pub batch_max: usize,
    /// Pause after a failure, doubled each time up to the longest.
    pub retry_first: Duration,
    pub retry_longest: Duration,
}

/// Why a batch was not written.
#[derive(Debug)]
pub struct Failure {
    /// For the log.
    pub why: String,
    /// A sentence that anybody may read.
    pub in_public: &'static str,
    /// A row of the batch is to blame: trying the same again will not help.
    pub blames_row: bool,
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        Failure { in_public: error.in_public(), blames_row: error.blames_row(), why: error.to_string() }
    }
}

/// What waits to be written, and how it is.
pub(crate) trait Backlog: Send + Sync {
    /// Rows that are written together; never empty.
    type Batch: Send + Sync;

    /// Rows that are not written yet, those in hand among them: a drain waits for 0.
    fn waiting(&self) -> usize;

    /// Rows that could be taken now.
    fn writable(&self) -> usize;

    /// When more will be writable by itself.
    fn due(&self) -> Option<tokio::time::Instant> {
        None
    }

    /// The next rows, at most so many, and how many they are; `None`: nothing may be taken yet.
    fn next_batch(&self, most: usize) -> Option<(Self::Batch, usize)>;

    /// Writes all or nothing. Returns how many rows were new.
    fn write(&self, batch: &Self::Batch) -> impl Future<Output = Result<u64, Failure>> + Send;

    /// These are written.
    fn done(&self, batch: Self::Batch);

    /// These were not: they are the next again.
    fn put_back(&self, batch: Self::Batch);

    /// This row alone cannot be written. Returns whose it is, for the log and `/health`: no words of players.
    fn set_aside(&self, batch: Self::Batch) -> String;
}

/// One way to the database or the disk.
#[derive(Debug)]
pub struct WriteQueue {
    policy: Policy,
    /// Whoever has it writes; nobody else does meanwhile.
    turn: Arc<tokio::sync::Mutex<()>>,
    wake: Notify,
    idle: Notify,
    /// Ends pauses: a stop does not wait for company.
    hurry: Notify,
    /// How many wait for the end of what waits: nothing gathers meanwhile.
    drains: AtomicUsize,
    trouble: Mutex<Trouble>,
    aside: Mutex<BTreeSet<String>>,
    /// Rows written, those that were there already not counted.
    pub written: AtomicU64,
    /// Batches that could not be written when they were tried.
    pub failures: AtomicU64,
    /// Rows set aside since the start.
    pub aside_total: AtomicU64,
}

/// What keeps a queue from writing, or last did.
#[derive(Debug, Default)]
struct Trouble {
    /// Since when nothing can be written; `None` while all is well.
    since: Option<Instant>,
    last: Option<&'static str>,
}

/// Keeps a queue from writing.
#[must_use = "dropping it lets the queue write again"]
pub struct Hold {
    _turn: tokio::sync::OwnedMutexGuard<()>,
}

impl WriteQueue {
    pub fn new(policy: Policy) -> WriteQueue {
        WriteQueue {
            policy,
            turn: Arc::default(),
            wake: Notify::new(),
            idle: Notify::new(),
            hurry: Notify::new(),
            drains: AtomicUsize::new(0),
            trouble: Mutex::default(),
            aside: Mutex::default(),
            written: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            aside_total: AtomicU64::new(0),
        }
    }

    /// Something waits. Never waits itself.
    pub fn wake(&self) {
        self.wake.notify_one();
    }

    /// Something that waited is gone without having been written: whoever drains looks again.
    pub fn changed(&self) {
        self.idle.notify_waiters();
    }

    /// Waits for the write in hand and keeps further ones back until the hold is dropped; rows queue meanwhile. So what
    /// the store lacks is what waits, and both can be taken at one moment.
    pub async fn hold(&self) -> Hold {
        Hold { _turn: self.turn.clone().lock_owned().await }
    }

    /// How long nothing could be written; `None` while all is well.
    pub fn failing_for(&self) -> Option<Duration> {
        self.trouble.lock().since.map(|since| since.elapsed())
    }

    /// What last kept a batch from being written, in a sentence that anybody may read; also when it is over.
    pub fn last_error(&self) -> Option<&'static str> {
        self.trouble.lock().last
    }

    /// Whose rows are set aside now, by name; of very many the first.
    pub fn aside(&self) -> Vec<String> {
        self.aside.lock().iter().cloned().collect()
    }

    /// A later row of this name was written.
    pub fn no_longer_aside(&self, name: &str) {
        let mut aside = self.aside.lock();
        if !aside.is_empty() {
            aside.remove(name);
        }
    }

    /// Writes until the server ends.
    pub(crate) async fn run(&self, backlog: &impl Backlog) {
        let Policy { noun, gather, batch_max, retry_first, retry_longest, .. } = self.policy;
        let (mut most, mut pause) = (batch_max, retry_first);
        loop {
            if backlog.writable() == 0 {
                self.idle.notify_waiters();
                let woken = self.wake.notified();
                match backlog.due() {
                    Some(at) => drop(tokio::time::timeout_at(at, woken).await),
                    None => woken.await,
                }
                if backlog.writable() == 0 {
                    continue;
                }
            }
            // A single row would have a transaction of its own. Where much waits, nobody waits for company.
            if backlog.writable() < most && most == batch_max && self.drains.load(Ordering::Relaxed) == 0 {
                self.pause(gather).await;
            }
            match self.write_next(backlog, most).await {
                Ok(0) => tokio::time::sleep(NOT_YET).await,
                Ok(_) => {
                    (pause, most) = (retry_first, (most * 2).min(batch_max));
                    let since = self.trouble.lock().since.take();
                    if let Some(since) = since {
                        tracing::info!(after_s = since.elapsed().as_secs(), "{noun} are written again");
                    }
                }
                Err((failure, rows)) => {
                    self.failures.fetch_add(1, Ordering::Relaxed);
                    most = rows.div_ceil(2);
                    if failure.blames_row {
                        tracing::warn!(error = %failure.why, "a row is refused; smaller batches of {noun} find it");
                        continue;
                    }
                    {
                        let mut trouble = self.trouble.lock();
                        trouble.since.get_or_insert_with(Instant::now);
                        trouble.last = Some(failure.in_public);
                    }
                    let backlog = backlog.waiting();
                    tracing::error!(error = %failure.why, backlog, "{noun} could not be written; trying again");
                    self.pause(pause).await;
                    pause = (pause * 2).min(retry_longest);
                }
            }
        }
    }

    /// Writes what is writable now, without a task that runs: for simulations. The first failure ends it.
    pub(crate) async fn write_all(&self, backlog: &impl Backlog) -> Result<(), Failure> {
        while backlog.writable() > 0 {
            if self.write_next(backlog, self.policy.batch_max).await.map_err(|(failure, _)| failure)? == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Writes one batch, or sets the one row aside that it was. Returns how many rows are dealt with, or were not.
    async fn write_next(&self, backlog: &impl Backlog, most: usize) -> Result<usize, (Failure, usize)> {
        let _turn = self.turn.lock().await;
        let Some((batch, rows)) = backlog.next_batch(most) else { return Ok(0) };
        match backlog.write(&batch).await {
            Ok(new) => {
                self.written.fetch_add(new, Ordering::Relaxed);
                backlog.done(batch);
                Ok(rows)
            }
            Err(failure) if failure.blames_row && rows == 1 => {
                let (noun, becomes) = (self.policy.noun, self.policy.aside);
                let name = backlog.set_aside(batch);
                tracing::error!(%name, error = %failure.why, "one of the {noun} cannot be written: {becomes}");
                self.failures.fetch_add(1, Ordering::Relaxed);
                self.aside_total.fetch_add(1, Ordering::Relaxed);
                self.trouble.lock().last = Some(failure.in_public);
                let mut aside = self.aside.lock();
                if aside.len() < ASIDE_NAMES_MAX {
                    aside.insert(name);
                }
                Ok(1)
            }
            Err(failure) => {
                backlog.put_back(batch);
                Err((failure, rows))
            }
        }
    }

    async fn pause(&self, longest: Duration) {
        let _hurried = tokio::time::timeout(longest, self.hurry.notified()).await;
    }

    /// Waits until everything is written, at most so long. True when it is. Where rows keep coming, that moment may
    /// never be: see [`WriteQueue::drain_until`].
    pub(crate) async fn drain(&self, backlog: &impl Backlog, longest: Duration) -> bool {
        self.drain_until(|| backlog.waiting() == 0, longest).await
    }

    /// Waits until so much is written, at most so long. True when it is.
    pub(crate) async fn drain_until(&self, is_written: impl Fn() -> bool, longest: Duration) -> bool {
        self.drains.fetch_add(1, Ordering::Relaxed);
        let all_written = async {
            let mut hurried: Option<Instant> = None;
            loop {
                let idle = self.idle.notified();
                if is_written() {
                    return;
                }
                self.wake.notify_one();
                if hurried.is_none_or(|at| at.elapsed() >= DRAIN_HURRY) {
                    self.hurry.notify_one();
                    hurried = Some(Instant::now());
                }
                // `idle` may have been told just before we looked; look again soon.
                let _either = tokio::time::timeout(DRAIN_LOOK, idle).await;
            }
        };
        let drained = tokio::time::timeout(longest, all_written).await.is_ok();
        self.drains.fetch_sub(1, Ordering::Relaxed);
        drained
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    const POLICY: Policy = Policy {
        noun: "numbers",
        aside: "it stays where it is",
        gather: Duration::ZERO,
        batch_max: 64,
        retry_first: Duration::from_millis(1),
        retry_longest: Duration::from_millis(4),
    };

    /// Numbers on their way to a shelf that takes some never, and for a while none.
    #[derive(Default)]
    struct Numbers {
        waiting: Mutex<VecDeque<u32>>,
        in_hand: AtomicUsize,
        shelf: Mutex<Vec<u32>>,
        bad: Vec<u32>,
        away: AtomicUsize,
        aside: Mutex<Vec<u32>>,
    }

    impl Backlog for Numbers {
        type Batch = Vec<u32>;

        fn waiting(&self) -> usize {
            self.waiting.lock().len() + self.in_hand.load(Ordering::Relaxed)
        }

        fn writable(&self) -> usize {
            self.waiting.lock().len()
        }

        fn next_batch(&self, most: usize) -> Option<(Vec<u32>, usize)> {
            let mut waiting = self.waiting.lock();
            let count = waiting.len().min(most);
            let batch: Vec<u32> = waiting.drain(..count).collect();
            self.in_hand.store(count, Ordering::Relaxed);
            (count > 0).then_some((batch, count))
        }

        async fn write(&self, batch: &Vec<u32>) -> Result<u64, Failure> {
            let failed = |why: &str, blames_row| Err(Failure { why: why.into(), in_public: "It failed.", blames_row });
            if self.away.load(Ordering::Relaxed) > 0 {
                self.away.fetch_sub(1, Ordering::Relaxed);
                return failed("it is away", false);
            }
            if batch.iter().any(|number| self.bad.contains(number)) {
                return failed("one of them is bad", true);
            }
            self.shelf.lock().extend(batch);
            Ok(batch.len() as u64)
        }

        fn done(&self, _: Vec<u32>) {
            self.in_hand.store(0, Ordering::Relaxed);
        }

        fn put_back(&self, batch: Vec<u32>) {
            let mut waiting = self.waiting.lock();
            batch.into_iter().rev().for_each(|number| waiting.push_front(number));
            self.in_hand.store(0, Ordering::Relaxed);
        }

        fn set_aside(&self, batch: Vec<u32>) -> String {
            self.in_hand.store(0, Ordering::Relaxed);
            self.aside.lock().extend(&batch);
            format!("number {}", batch[0])
        }
    }

    #[tokio::test]
    async fn bad_rows_are_set_aside_by_name_and_all_others_are_written_in_order() {
        let numbers = Numbers { bad: vec![0, 77, 78, 499], ..Numbers::default() };
        numbers.waiting.lock().extend(0..500);
        let queue = WriteQueue::new(POLICY);
        tokio::select! {
            () = queue.run(&numbers) => unreachable!("it runs for ever"),
            drained = queue.drain(&numbers, Duration::from_secs(20)) => assert!(drained),
        }
        let wanted: Vec<u32> = (0..500).filter(|number| !numbers.bad.contains(number)).collect();
        assert_eq!(*numbers.shelf.lock(), wanted);
        assert_eq!(*numbers.aside.lock(), numbers.bad);
        assert_eq!(queue.aside(), ["number 0", "number 499", "number 77", "number 78"]);
        assert_eq!((queue.written.load(Ordering::Relaxed), queue.aside_total.load(Ordering::Relaxed)), (496, 4));
        assert_eq!(queue.failing_for(), None, "a bad row is no outage");
        queue.no_longer_aside("number 77");
        assert_eq!(queue.aside().len(), 3);
    }

    #[tokio::test]
    async fn an_outage_gives_nothing_up_however_long_it_lasts() {
        let numbers = Numbers { away: AtomicUsize::new(30), ..Numbers::default() };
        numbers.waiting.lock().extend(0..3);
        let queue = WriteQueue::new(POLICY);
        tokio::select! {
            () = queue.run(&numbers) => unreachable!("it runs for ever"),
            () = async {
                while queue.failing_for().is_none() {
                    tokio::task::yield_now().await;
                }
            } => {}
        }
        assert_eq!(queue.last_error(), Some("It failed."));
        assert!(numbers.waiting() == 3 && queue.aside().is_empty());
        tokio::select! {
            () = queue.run(&numbers) => unreachable!("it runs for ever"),
            drained = queue.drain(&numbers, Duration::from_secs(20)) => assert!(drained),
        }
        assert_eq!(*numbers.shelf.lock(), [0, 1, 2]);
        assert_eq!((queue.failing_for(), queue.failures.load(Ordering::Relaxed)), (None, 30));
    }
}
