//! The engine: the one owner of the world. It takes letters from sessions, applies them in one order, and hands each
//! reader what that reader may know.
//!
//! There is no world thread. Whoever posts a letter and finds the core free applies what waits, its own letter among
//! the rest; whoever finds it busy leaves its letter to the one at work. So a lone player is answered without a change
//! of thread, a crowd is served in batches, and nobody ever waits for a lock.
//! Invariants: letters are applied in the order of the mailbox. A letter in the mailbox is always somebody's to apply:
//! the one at work looks again after it has let go of the core.

mod core;
mod letter;
mod readers;
mod schedule;

pub use letter::{AdminAnswer, AdminCall, Entered, Entry, Freshness, Letter};
pub use schedule::Schedule;

use self::core::Core;
use crate::capture::{Capture, Meta, Writer};
use crate::exports::Exports;
use crate::journal::{Chronicle, Gauges, Snapshot};
use crate::metrics::TickSeconds;
use crate::minds::Minds;
use crate::outbox::{Close, Outbox};
use crate::restart::{Asked, Restart};
use crate::saving::Saver;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, oneshot};
use world::{CharacterId, World};

/// Letters that one go applies before it wakes the readers. A batch of looks takes about half a millisecond.
const BATCH_MAX: usize = 128;
/// Batches that one caller applies before it hands the rest to a task of its own, so that its own session is not kept
/// from its reader.
const BATCHES_MAX: usize = 4;
/// How long what other sessions' commands caused may wait for company.
const RIDE_ALONG: Duration = Duration::from_millis(40);

/// Shared by all sessions.
pub struct Engine {
    core: Mutex<Core>,
    mailbox: Mutex<VecDeque<Letter>>,
    /// Outboxes whose lines may wait for company.
    lazy: Mutex<Vec<Arc<Outbox>>>,
    lazy_wake: Notify,
    pub stats: Stats,
    /// Who writes down what agents decide; for its counts.
    pub decisions: Arc<Writer>,
    /// The minds of the characters.
    pub minds: Arc<Minds>,
    /// How the journal goes; `None` where nothing is written down.
    pub journal: Option<Arc<Gauges>>,
    next_session: AtomicU64,
    shutdown: Notify,
    stopping: AtomicBool,
    pub restart: Arc<Restart>,
}

/// What `/health` and the log tell, kept outside the core so that asking costs nothing.
#[derive(Debug, Default)]
pub struct Stats {
    pub tick: AtomicU64,
    /// How late the newest tick began, in milliseconds.
    pub lag_ms: AtomicU64,
    /// Ticks that began more than 50 ms late.
    pub late_ticks: AtomicU64,
    pub commands: AtomicU64,
    /// How long the newest tick took, in microseconds.
    pub tick_us: AtomicU64,
    /// How long all ticks of this run took.
    pub tick_seconds: TickSeconds,
    pub schedule: Schedule,
    pub players: AtomicU64,
    /// Of the newest input.
    pub number: AtomicU64,
}

impl Stats {
    /// How far the world is behind its schedule: as late as the newest tick began, or more if the next is overdue.
    pub fn lag(&self, now: Instant) -> Duration {
        Duration::from_millis(self.lag_ms.load(Ordering::Relaxed)).max(self.schedule.overdue(now))
    }
}

/// A tick is late when it starts more than this after its schedule.
const LATE_MS: u64 = 50;

impl Engine {
    /// Without a chronicle nothing is written down: for experiments that need none, and to measure what it costs.
    pub fn new(
        world: World,
        saver: Arc<Saver>,
        minds: Arc<Minds>,
        capture: Capture,
        chronicle: Option<Chronicle>,
    ) -> Arc<Engine> {
        let stats = Stats::default();
        stats.tick.store(world.tick(), Ordering::Relaxed);
        stats.number.store(world.state.number, Ordering::Relaxed);
        Arc::new(Engine {
            decisions: capture.writer().clone(),
            journal: chronicle.as_ref().map(|chronicle| chronicle.gauges.clone()),
            core: Mutex::new(Core::new(world, saver, minds.clone(), capture, chronicle)),
            minds,
            mailbox: Mutex::new(VecDeque::new()),
            lazy: Mutex::new(Vec::new()),
            lazy_wake: Notify::new(),
            stats,
            next_session: AtomicU64::new(1),
            shutdown: Notify::new(),
            stopping: AtomicBool::new(false),
            restart: Arc::default(),
        })
    }

    /// A number that no other session of this run has.
    pub fn next_session(&self) -> u64 {
        self.next_session.fetch_add(1, Ordering::Relaxed)
    }

    /// Posts a letter; it has been applied, or somebody is at it, when this returns.
    pub fn post(self: &Arc<Self>, letter: Letter) {
        self.mailbox.lock().push_back(letter);
        self.work();
    }

    fn work(self: &Arc<Self>) {
        let mut batches = 0;
        loop {
            if self.mailbox.lock().is_empty() {
                return;
            }
            if batches == BATCHES_MAX {
                let engine = self.clone();
                tokio::spawn(async move { engine.work() });
                return;
            }
            let Some(mut core) = self.core.try_lock() else { return };
            let batch: Vec<Letter> = {
                let mut mailbox = self.mailbox.lock();
                let count = mailbox.len().min(BATCH_MAX);
                mailbox.drain(..count).collect()
            };
            for letter in core.begin_batch().into_iter().chain(batch) {
                // A mistake of ours in one letter must not cost the others theirs, nor the ticker its task. The hook
                // has written where it happened.
                let applied = std::panic::catch_unwind(AssertUnwindSafe(|| core.apply(letter, &self.stats)));
                if applied.is_err() {
                    tracing::error!(input = core.world().state.number, "an input was given up half-way");
                    core.given_up();
                }
            }
            let lazy = core.finish_batch();
            if core.take_shutdown() {
                self.request_shutdown();
            }
            for name in core.take_restarts() {
                self.restart.ask(Asked::Immortal(name));
            }
            drop(core);
            if !lazy.is_empty() {
                self.lazy.lock().extend(lazy);
                self.lazy_wake.notify_one();
            }
            batches += 1;
        }
    }

    /// Wakes the readers of what rode along. Runs as a task until the server ends.
    pub async fn flush_lazily(self: Arc<Self>) {
        loop {
            self.lazy_wake.notified().await;
            tokio::time::sleep(RIDE_ALONG).await;
            let outboxes = std::mem::take(&mut *self.lazy.lock());
            for outbox in outboxes {
                outbox.wake_lazy();
            }
        }
    }

    /// Ticks every `interval` until the server ends. Ticks are never skipped: after a pause the missed ones are made
    /// up.
    pub async fn tick_steadily(self: Arc<Self>, interval: Duration) {
        let mut timer = tokio::time::interval_at(tokio::time::Instant::now() + interval, interval);
        timer.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Burst);
        self.stats.schedule.begin(interval);
        loop {
            let scheduled = timer.tick().await;
            self.post(Letter::Tick { scheduled: Some(scheduled), done: None });
        }
    }

    /// Steps the world `count` times, and tells the tick that it then is at.
    pub async fn step(self: &Arc<Self>, count: u64) -> Option<u64> {
        let mut answer = None;
        for n in 0..count {
            let (done, at_end) = oneshot::channel();
            self.post(Letter::Tick { scheduled: None, done: Some(done) });
            answer = at_end.await.ok();
            // Others have a turn between the steps of a long run.
            if n % 64 == 63 {
                tokio::task::yield_now().await;
            }
        }
        answer.or_else(|| Some(self.stats.tick.load(Ordering::Relaxed)))
    }

    pub async fn enter(self: &Arc<Self>, entry: Entry) -> Option<Entered> {
        let (reply, answer) = oneshot::channel();
        self.post(Letter::Enter(Box::new(entry), reply));
        answer.await.ok()
    }

    pub async fn admin(self: &Arc<Self>, call: AdminCall) -> Option<AdminAnswer> {
        let (reply, answer) = oneshot::channel();
        self.post(Letter::Admin(call, reply));
        answer.await.ok()
    }

    pub fn command(self: &Arc<Self>, who: CharacterId, session: u64, line: String, meta: Option<Arc<Meta>>) {
        self.stats.commands.fetch_add(1, Ordering::Relaxed);
        self.post(Letter::Command { who, session, line, meta, came: Instant::now() });
    }

    /// Letters that wait for the core.
    pub fn waiting(&self) -> usize {
        self.mailbox.lock().len()
    }

    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    pub fn request_shutdown(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        self.shutdown.notify_waiters();
        self.shutdown.notify_one();
    }

    /// Waits until somebody asked the server to end.
    pub async fn shutdown_requested(&self) {
        while !self.stopping.load(Ordering::SeqCst) {
            self.shutdown.notified().await;
        }
    }

    /// Saves everybody and closes all connections, for this reason. After this nothing is applied any more.
    pub async fn stop(self: &Arc<Self>, close: Close) {
        let (reply, answer) = oneshot::channel();
        self.post(Letter::Stop(close, reply));
        // A dropped answer means that the core has stopped already.
        let _stopped = answer.await;
    }

    /// Whoever the last server had connected is link-dead now, but for those whose connections live on. Before any door
    /// is opened.
    pub fn unlink(&self, but: &dyn Fn(&str) -> bool) {
        let lazy = self.core.lock().unlink(but);
        self.lazy.lock().extend(lazy);
        self.lazy_wake.notify_one();
    }

    /// The world as it is between two inputs, for a backup. `None` where there is no journal or the server stops.
    pub async fn snapshot(self: &Arc<Self>) -> Option<Snapshot> {
        let (reply, answer) = oneshot::channel();
        self.post(Letter::Snapshot(reply));
        answer.await.ok().flatten()
    }

    /// After `stop`: the last snapshot is on disk when this returns.
    pub async fn finish_journal(self: &Arc<Self>) -> std::io::Result<()> {
        let engine = self.clone();
        tokio::task::spawn_blocking(move || engine.core.lock().finish()).await.map_err(std::io::Error::other)?
    }

    /// From now on these are told of those who leave the world.
    pub fn export_to(&self, exports: Arc<Exports>) {
        self.core.lock().exports = Some(exports);
    }

    /// Looks at the world from outside the game, for pages and the operator. Waits for the core.
    pub fn with_world<T>(self: &Arc<Self>, look: impl FnOnce(&World) -> T) -> T {
        let seen = look(self.core.lock().world());
        // Whoever posted meanwhile found the core taken and left its letter to us.
        self.work();
        seen
    }
}
