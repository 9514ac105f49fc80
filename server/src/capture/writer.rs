//! Writes decisions: off the tick, in batches, tried again while the database is away.
//!
//! Invariants: nobody waits for it. What waits is bounded in rows and in bytes; beyond that the oldest are dropped,
//! counted, and the operator is told. A batch that failed comes before what came later.

use super::{Replayed, Row, SessionFacts, storable};
use crate::store::decisions::{self, Decision, KnownSpans};
use crate::store::sessions::{self, SessionRow};
use crate::store::{Store, StoreError};
use content::words::Position;
use parking_lot::Mutex;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// How long rows gather before they are written together, and so how much of them a crash loses. Longer is cheaper.
const GATHER: Duration = Duration::from_millis(500);
/// Rows that may wait: some seconds of the most that the server can do, and an hour of one agent each second.
pub const ROWS_MAX: usize = 100_000;
/// Memory that may wait, for clients that send long notes with each command.
const BYTES_MAX: usize = 64 << 20;
/// Rows in one transaction. Others who write to the same database wait for no longer than it takes.
const BATCH_MAX: usize = 8_000;
/// Pause after a failure, doubled each time up to the longest.
const RETRY_FIRST: Duration = Duration::from_millis(500);
const RETRY_LONGEST: Duration = Duration::from_secs(30);
/// How long a row waits for the word of a mind, unless as much waits as half of what may. A mind that takes longer has
/// trouble with the database.
const VERDICT_LONGEST: Duration = Duration::from_secs(2);
/// Pause where all that waits waits for minds.
const VERDICT_PAUSE: Duration = Duration::from_millis(20);

/// The operator hears of dropped rows no more often.
const WARN_EVERY: Duration = Duration::from_secs(60);

/// Sessions of one character among which that of a replayed command is looked for, and how late their record may be.
const SESSIONS_MAX: i64 = 50;
const SESSION_LATE_MS: i64 = 2_000;

pub struct Writer {
    store: Store,
    waiting: Mutex<Queue>,
    wake: Notify,
    /// Ends pauses: a stop does not wait for company.
    hurry: Notify,
    stopping: AtomicBool,
    idle: Notify,
    /// Rows that are in the database now; those that were there already are not counted again.
    pub written: AtomicU64,
    /// Rows that are lost: there was no room, or the database would not have them.
    pub dropped: AtomicU64,
    /// Batches that could not be written when they were tried.
    pub failures: AtomicU64,
}

fn facts_of(session: &SessionRow) -> SessionFacts {
    let text = |text: &Option<String>| text.as_deref().map(storable);
    SessionFacts {
        name: session.session.name.as_str().into(),
        harness: text(&session.session.harness),
        model: text(&session.session.model),
        version: text(&session.session.version),
        flat: session.session.valence == Some(false),
        record: session.id.into(),
    }
}

#[derive(Default)]
struct Queue {
    rows: VecDeque<Row>,
    bytes: usize,
    /// Rows in the hands of `run`.
    writing: usize,
    warned: Option<Instant>,
}

impl Queue {
    fn shorten(&mut self) -> u64 {
        let mut dropped = 0;
        while self.rows.len() > ROWS_MAX || self.bytes > BYTES_MAX {
            let Some(row) = self.rows.pop_front() else { break };
            self.bytes -= row.bytes();
            dropped += 1;
        }
        dropped
    }
}

impl Writer {
    pub fn new(store: Store) -> Arc<Writer> {
        Arc::new(Writer {
            store,
            waiting: Mutex::default(),
            wake: Notify::new(),
            hurry: Notify::new(),
            stopping: AtomicBool::new(false),
            idle: Notify::new(),
            written: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            failures: AtomicU64::new(0),
        })
    }

    /// Takes rows to be written soon. Never waits.
    pub(super) fn take(&self, rows: &mut Vec<Row>) {
        let mut waiting = self.waiting.lock();
        let was_empty = waiting.rows.is_empty();
        waiting.bytes += rows.iter().map(Row::bytes).sum::<usize>();
        waiting.rows.extend(rows.drain(..));
        let dropped = waiting.shorten();
        let warn = dropped > 0 && waiting.warned.is_none_or(|last| last.elapsed() >= WARN_EVERY);
        if warn {
            waiting.warned = Some(Instant::now());
        }
        drop(waiting);
        if was_empty {
            self.wake.notify_one();
        }
        let dropped_total = self.dropped.fetch_add(dropped, Ordering::Relaxed) + dropped;
        if warn {
            tracing::warn!(
                dropped_total,
                "decisions come faster than the database takes them; the oldest that waited are lost"
            );
        }
    }

    /// Takes what a recovery played again, so that what a crash left unwritten is written. What is there already stays:
    /// the keys are the same. Clients are those of the sessions of that time.
    pub async fn take_again(&self, replayed: Vec<Replayed>) -> Result<(), StoreError> {
        let mut sessions: BTreeMap<String, Vec<SessionRow>> = BTreeMap::new();
        let mut rows = Vec::with_capacity(replayed.len());
        for one in replayed {
            if !sessions.contains_key(&one.name) {
                sessions.insert(one.name.clone(), sessions::of(&self.store, &one.name, SESSIONS_MAX).await?);
            }
            let of_name = &sessions[&one.name];
            // The record of a session is made a moment after its first command could have come.
            let begun = |session: &&SessionRow| session.session.started_at <= one.at_ms + SESSION_LATE_MS;
            let facts = match of_name.iter().find(begun).or(of_name.last()) {
                Some(session) => facts_of(session),
                None => SessionFacts { name: one.name.as_str().into(), ..SessionFacts::default() },
            };
            rows.push(Row::again(one, Arc::new(facts)));
        }
        self.take(&mut rows);
        Ok(())
    }

    /// Rows that wait to be written.
    pub fn backlog(&self) -> usize {
        let waiting = self.waiting.lock();
        waiting.rows.len() + waiting.writing
    }

    /// Writes until the server ends.
    pub async fn run(self: Arc<Self>) {
        let mut pause = RETRY_FIRST;
        let mut batch_max = BATCH_MAX;
        let mut known = KnownSpans::default();
        loop {
            if self.waiting.lock().rows.is_empty() {
                self.idle.notify_waiters();
                self.wake.notified().await;
            }
            if self.waiting.lock().rows.len() < batch_max && !self.stopping.load(Ordering::Relaxed) {
                self.pause(GATHER).await;
            }
            let batch = self.next_batch(batch_max);
            if batch.is_empty() {
                tokio::time::sleep(VERDICT_PAUSE).await;
                continue;
            }
            let rows: Vec<Decision> = batch.iter().map(decision_of).collect();
            match decisions::insert(&self.store, &rows, &mut known).await {
                Ok(written) => {
                    self.waiting.lock().writing = 0;
                    self.written.fetch_add(written, Ordering::Relaxed);
                    pause = RETRY_FIRST;
                    batch_max = (batch_max * 2).min(BATCH_MAX);
                }
                Err(error) => {
                    batch_max = self.failed(batch, &error, batch_max);
                    self.pause(pause).await;
                    pause = (pause * 2).min(RETRY_LONGEST);
                }
            }
        }
    }

    async fn pause(&self, longest: Duration) {
        let _hurried = tokio::time::timeout(longest, self.hurry.notified()).await;
    }

    fn next_batch(&self, most: usize) -> Vec<Row> {
        let mut waiting = self.waiting.lock();
        let count = waiting.rows.len().min(most);
        let is_patient = waiting.rows.len() < ROWS_MAX / 2;
        let is_settled = |row: &Row| match &row.verdict {
            Some((verdict, since)) => !is_patient || !verdict.may_come() || since.elapsed() >= VERDICT_LONGEST,
            None => true,
        };
        let (batch, unsettled): (Vec<Row>, Vec<Row>) = waiting.rows.drain(..count).partition(is_settled);
        // They stay the oldest.
        unsettled.into_iter().rev().for_each(|row| waiting.rows.push_front(row));
        waiting.bytes -= batch.iter().map(Row::bytes).sum::<usize>();
        waiting.writing = batch.len();
        batch
    }

    /// Puts a batch back in line. Where trying again will not help, smaller batches find the row that is to blame, and
    /// it alone is given up. Returns how many rows the next batch may have.
    fn failed(&self, batch: Vec<Row>, error: &StoreError, batch_max: usize) -> usize {
        self.failures.fetch_add(1, Ordering::Relaxed);
        let hopeless = !error.is_passing();
        let mut waiting = self.waiting.lock();
        waiting.writing = 0;
        if hopeless && batch.len() == 1 {
            drop(waiting);
            self.dropped.fetch_add(1, Ordering::Relaxed);
            tracing::error!(%error, row = ?batch[0], "a decision could not be written, and is lost");
            return 1;
        }
        let smaller = if hopeless { batch.len().min(batch_max).div_ceil(4) } else { batch_max };
        waiting.bytes += batch.iter().map(Row::bytes).sum::<usize>();
        for row in batch.into_iter().rev() {
            waiting.rows.push_front(row);
        }
        let dropped = waiting.shorten();
        let backlog = waiting.rows.len();
        drop(waiting);
        self.dropped.fetch_add(dropped, Ordering::Relaxed);
        tracing::error!(%error, backlog, dropped, "decisions could not be written; trying again");
        smaller
    }

    /// Waits until everything is written, at most so long. True when it is. For a stop: from here on nothing gathers.
    pub async fn drain(&self, longest: Duration) -> bool {
        self.stopping.store(true, Ordering::Relaxed);
        let all_written = async {
            loop {
                let idle = self.idle.notified();
                if self.backlog() == 0 {
                    return;
                }
                self.hurry.notify_one();
                // `idle` may have been told just before we looked; look again soon.
                let _either = tokio::time::timeout(Duration::from_millis(50), idle).await;
            }
        };
        tokio::time::timeout(longest, all_written).await.is_ok()
    }
}

/// Positions and the commonest of all arguments, which is none, are shared by all rows.
struct Words {
    /// By `Position::index`.
    positions: Vec<Arc<str>>,
    nothing: Arc<str>,
}

static WORDS: std::sync::LazyLock<Words> = std::sync::LazyLock::new(|| Words {
    positions: Position::ALL.iter().map(|position| position.name().into()).collect(),
    nothing: "".into(),
});

fn position(of: Position) -> Arc<str> {
    WORDS.positions[of.index()].clone()
}

fn decision_of(row: &Row) -> Decision {
    let Row { ran, tick, at_ms, latency_us, facts, meta, verdict } = row;
    let by_mind = verdict.as_ref().and_then(|(verdict, _)| verdict.refused());
    let (before, after) = (&ran.before, &ran.after);
    let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let meta = meta.as_deref();
    Decision {
        name: facts.name.clone(),
        at: *at_ms,
        number: count(ran.id.input),
        part: i64::from(ran.id.part),
        tick: count(*tick),
        session: facts.record.get().copied(),
        command: (&*ran.word).into(),
        args: if ran.args.is_empty() { WORDS.nothing.clone() } else { (&*ran.args).into() },
        pre_hp: i64::from(before.hit),
        pre_mana: i64::from(before.mana),
        pre_move: i64::from(before.moves),
        pre_position: position(before.position),
        pre_room: i64::from(before.room),
        post_hp: i64::from(after.hit),
        post_mana: i64::from(after.mana),
        post_move: i64::from(after.moves),
        post_position: position(after.position),
        post_room: i64::from(after.room),
        error: ran.refused.as_deref().or(by_mind).map(Arc::from),
        latency_us: latency_us.map(count),
        model: facts.model.clone(),
        harness: facts.harness.clone(),
        version: facts.version.clone(),
        memory_ids: meta.and_then(|meta| meta.memory_ids.clone()),
        source: meta.and_then(|meta| meta.source.clone()),
        meta: meta.and_then(|meta| meta.rest.clone()),
    }
}
