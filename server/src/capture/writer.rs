//! Writes decisions: off the tick, in batches, tried again while the database is away (`write_queue.rs`).
//!
//! Invariants: nobody waits for it. What waits is bounded in rows and in bytes; beyond that the oldest are dropped,
//! counted, and the operator is told. A batch that failed comes before what came later. It stops by itself while the
//! disk is nearly full (`room.rs`): the world needs what is left. What a client says of itself is in the record of its
//! session, and in a row only where there is none, or where something else answered than it said there.

use super::usage::Used;
use super::{Replayed, Row, cut};
use crate::session::SessionFacts;
use crate::store::decisions::{self, Decision, KnownSpans};
use crate::store::sessions::{self, SessionRow};
use crate::store::{Store, StoreError};
use crate::write_queue::{Backlog, Failure, Policy, WriteQueue};
use content::words::Position;
use parking_lot::Mutex;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What gathers is also how much of it a crash loses before the replay makes it again. Others who write to the same
/// database wait for no longer than one transaction takes.
const POLICY: Policy = Policy {
    noun: "decisions",
    aside: "it is lost",
    gather: Duration::from_millis(500),
    batch_max: 8_000,
    retry_first: Duration::from_millis(500),
    retry_longest: Duration::from_secs(30),
};
/// Rows that may wait: some seconds of the most that the server can do, and an hour of one agent each second.
pub const ROWS_MAX: usize = 100_000;
/// Memory that may wait, for clients that send long notes with each command.
const BYTES_MAX: usize = 64 << 20;
/// How long a row waits for the word of a mind, unless as much waits as half of what may. A mind that takes longer has
/// trouble with the database.
const VERDICT_LONGEST: Duration = Duration::from_secs(2);

/// Longest arguments of a command that are kept, characters: what others hear is no longer.
const ARGS_MAX: usize = 512;

/// The operator hears of dropped rows no more often.
const WARN_EVERY: Duration = Duration::from_secs(60);

/// Sessions of one character among which that of a replayed command is looked for, and how late their record may be.
const SESSIONS_MAX: i64 = 50;
const SESSION_LATE_MS: i64 = 2_000;

pub struct Writer {
    store: Store,
    waiting: Mutex<Queue>,
    pub queue: WriteQueue,
    known: Mutex<KnownSpans>,
    used: Used,
    /// There is too little room on the disk: nothing is recorded until there is more.
    pub paused: AtomicBool,
    /// Rows that are lost: there was no room for them to wait, or the database would not have them.
    pub dropped: AtomicU64,
    /// Rows that were not recorded because the disk was nearly full.
    pub skipped: AtomicU64,
}

fn facts_of(SessionRow { id, session, .. }: &SessionRow) -> SessionFacts {
    SessionFacts { record: (*id).into(), ..SessionFacts::of(&session.name, &session.client) }
}

#[derive(Default)]
struct Queue {
    rows: VecDeque<Row>,
    bytes: usize,
    /// Rows in hand.
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
            queue: WriteQueue::new(POLICY),
            known: Mutex::default(),
            used: Used::default(),
            paused: AtomicBool::new(false),
            dropped: AtomicU64::new(0),
            skipped: AtomicU64::new(0),
        })
    }

    /// Takes rows to be written soon. Never waits.
    pub(super) fn take(&self, rows: &mut Vec<Row>) {
        if self.paused.load(Ordering::Relaxed) {
            self.skipped.fetch_add(rows.len() as u64, Ordering::Relaxed);
            rows.clear();
            return;
        }
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
            self.queue.wake();
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
        self.waiting()
    }

    /// Writes until the server ends.
    pub async fn run(self: Arc<Self>) {
        self.queue.run(&*self).await;
    }

    /// Waits until everything is written, at most so long. True when it is.
    pub async fn drain(&self, longest: Duration) -> bool {
        let drained = self.queue.drain(self, longest).await;
        self.write_usage().await;
        drained
    }

    /// Waits until all is written that one character did, at most so long, while others play. True when it is.
    pub async fn drain_of(&self, name: &str, longest: Duration) -> bool {
        let has_none = || self.waiting.lock().rows.iter().all(|row| !row.facts.name.eq_ignore_ascii_case(name));
        let _in_time = self.queue.drain_until(has_none, longest).await;
        // The last of them may be in hand.
        drop(self.queue.hold().await);
        self.write_usage().await;
        has_none()
    }

    /// Writes what deciding cost since the last time.
    pub async fn write_usage(&self) {
        if let Err(error) = self.used.flush(&self.store).await {
            tracing::warn!(%error, "what deciding cost was not written; trying again");
        }
    }
}

impl Backlog for Writer {
    type Batch = Vec<Row>;

    fn waiting(&self) -> usize {
        let waiting = self.waiting.lock();
        waiting.rows.len() + waiting.writing
    }

    fn writable(&self) -> usize {
        self.waiting.lock().rows.len()
    }

    fn next_batch(&self, most: usize) -> Option<(Vec<Row>, usize)> {
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
        let count = batch.len();
        (count > 0).then_some((batch, count))
    }

    async fn write(&self, batch: &Vec<Row>) -> Result<u64, Failure> {
        let rows: Vec<Decision> = batch.iter().map(decision_of).collect();
        // Nobody else writes decisions meanwhile: whoever writes has the turn.
        let mut known = std::mem::take(&mut *self.known.lock());
        let written = decisions::insert(&self.store, &rows, &mut known).await;
        *self.known.lock() = known;
        let written = written?;
        // Rows that come again, after a failure or a crash, may have been counted: better too little than twice.
        if usize::try_from(written) == Ok(rows.len()) {
            self.used.count(&rows);
        }
        Ok(written)
    }

    fn done(&self, _: Vec<Row>) {
        self.waiting.lock().writing = 0;
    }

    fn put_back(&self, batch: Vec<Row>) {
        let mut waiting = self.waiting.lock();
        waiting.writing = 0;
        waiting.bytes += batch.iter().map(Row::bytes).sum::<usize>();
        for row in batch.into_iter().rev() {
            waiting.rows.push_front(row);
        }
        let dropped = waiting.shorten();
        drop(waiting);
        self.dropped.fetch_add(dropped, Ordering::Relaxed);
    }

    fn set_aside(&self, batch: Vec<Row>) -> String {
        self.waiting.lock().writing = 0;
        self.dropped.fetch_add(batch.len() as u64, Ordering::Relaxed);
        // Whose and which, not what: the words are the player's own.
        if let Some(row) = batch.first() {
            let (name, input, part) = (&row.facts.name, row.ran.id.input, row.ran.id.part);
            tracing::error!(%name, input, part, "a decision is lost");
        }
        batch.first().map(|row| row.facts.name.to_string()).unwrap_or_default()
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
    let session = facts.record.get().copied();
    // Once in the record of the session is enough.
    let of_client = |text: &Option<Arc<str>>| if session.is_some() { None } else { text.clone() };
    // What answered is another than the client said at login, or it is said there already.
    let answered = meta.and_then(|meta| meta.model.clone()).filter(|model| facts.model.as_ref() != Some(model));
    Decision {
        name: facts.name.clone(),
        at: *at_ms,
        number: count(ran.id.input),
        part: i64::from(ran.id.part),
        tick: count(*tick),
        session,
        command: cut(&ran.word, ARGS_MAX).into(),
        args: if ran.args.is_empty() { WORDS.nothing.clone() } else { cut(&ran.args, ARGS_MAX).into() },
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
        model: answered.or_else(|| of_client(&facts.model)),
        harness: of_client(&facts.harness),
        version: of_client(&facts.version),
        memory_ids: meta.and_then(|meta| meta.memory_ids.clone()),
        source: meta.and_then(|meta| meta.source.clone()),
        meta: meta.and_then(|meta| meta.rest.clone()),
        pre_exp: Some(before.exp),
        post_exp: Some(after.exp),
        pre_gold: Some(before.gold),
        post_gold: Some(after.gold),
        valence: Some(i64::from(!facts.valence_off)),
        world: None,
        seed: None,
    }
}
