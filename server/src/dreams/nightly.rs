//! The nights of a running server: everybody dreams, one after the other, away from the tick.
//!
//! Invariants: a night ends when its time is over, and who was not reached comes first in the next (`order.rs`). One
//! that was missed, because no server ran, is made up for soon after the start; a character whose dream fails keeps
//! nobody else from dreaming, and is tried again the next night, with all that has happened since. An entry that cannot
//! be read is told once in a run: no night will read it, and nothing else hangs on it.

use super::one::{Calendar, Came, DreamError, Way, dream_of};
use super::order::{Candidate, PLAYED_MIN, in_order};
use super::{Dreams, Night};
use crate::minds::Minds;
use crate::store::{Store, StoreError, happenings, memories, meta};
use dreaming::calendar::{day_of, iso_day};
use jiff::Timestamp;
use mind::LogId;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// Counter of the time of the last night that was due and is over, unix milliseconds.
pub const LAST_NIGHT: &str = "last_night_ms";
/// How long after a start a missed night is made up for: whoever comes back first is to be let in first.
const MAKE_UP_AFTER: Duration = if cfg!(test) { Duration::ZERO } else { Duration::from_secs(30) };
/// The clock is looked at as often, because it may be set, and a machine may sleep.
const LOOK_EVERY: Duration = Duration::from_secs(60);
/// Between two characters: whoever plays and the disk have the word meanwhile.
const PAUSE: Duration = Duration::from_millis(2);
/// Between two dreams before the night.
const EARLY_PAUSE: Duration = if cfg!(test) { Duration::ZERO } else { Duration::from_secs(10) };

impl Dreams {
    /// Dreams every night, until the server ends.
    pub async fn run(self: Arc<Self>, store: Store) {
        let (schedule, zone) = (&self.args.dream_cron, &self.args.dream_zone);
        if let Some(due) = self.missed(&store).await {
            let soon = Timestamp::now() + MAKE_UP_AFTER;
            // The next one does for both where it comes as soon.
            if schedule.next(Timestamp::now(), zone).is_none_or(|next| next > soon) {
                self.status.lock().next_ms = Some(soon.as_millisecond());
                tokio::time::sleep(MAKE_UP_AFTER).await;
                self.night(&store, due).await;
            }
        }
        while let Some(next) = schedule.next(Timestamp::now(), zone) {
            self.status.lock().next_ms = Some(next.as_millisecond());
            loop {
                let left = next.duration_since(Timestamp::now());
                let Ok(left) = Duration::try_from(left) else { break };
                if left.is_zero() {
                    break;
                }
                tokio::time::sleep(left.min(LOOK_EVERY)).await;
            }
            self.night(&store, next).await;
        }
        self.status.lock().next_ms = None;
    }

    /// The night that was due last, if nobody has slept through it.
    async fn missed(&self, store: &Store) -> Option<Timestamp> {
        let due = self.args.dream_cron.previous(Timestamp::now(), &self.args.dream_zone)?;
        match meta::counter(store, LAST_NIGHT).await {
            Ok(last) => {
                self.last_due_ms.store(last, Relaxed);
                let missed = last < due.as_millisecond();
                if missed && last > 0 {
                    tracing::info!(%due, "a night was missed; it is made up for soon");
                }
                missed.then_some(due)
            }
            Err(error) => {
                tracing::warn!(%error, "whether a night was missed is not known; the next one makes up for it");
                None
            }
        }
    }

    /// Everybody dreams once.
    pub(super) async fn night(&self, store: &Store, due: Timestamp) {
        let began = Timestamp::now();
        let minutes = self.args.dream_zone.calendar_minutes(began);
        let mut way = Way::new(self.folder.clone(), Calendar::Of(minutes));
        let through = day_of(began.as_millisecond(), minutes) - 1;
        way.through = Some(through);
        self.status.lock().under_way = Some(0);
        let (clock, mut night) = (Instant::now(), Night { began_ms: began.as_millisecond(), ..Night::default() });
        let longest = Duration::from_secs(60 * u64::from(self.args.night_minutes));
        let broken = self.all(store, &way, &mut night, (!longest.is_zero()).then_some(longest)).await.err();
        night.seconds = clock.elapsed().as_secs_f64();
        if let Some(error) = broken {
            night.failures += 1;
            self.failures.fetch_add(1, Relaxed);
            tracing::error!(%error, "the night broke off; the next one goes on from here");
        } else {
            self.last_due_ms.fetch_max(due.as_millisecond(), Relaxed);
            if let Err(error) = meta::raise_counter(store, LAST_NIGHT, due.as_millisecond()).await {
                tracing::warn!(%error, "that it is over could not be written down; the next start dreams it again");
            }
        }
        let Night { characters, failures, unreadable, seconds, left, .. } = night;
        // Who tries it by day reads that today waits for the next one.
        let days_up_to = iso_day(through);
        tracing::info!(characters, failures, unreadable, seconds, left, days_up_to, "the night is over");
        self.nights.fetch_add(1, Relaxed);
        let mut status = self.status.lock();
        status.under_way = None;
        status.last = Some(night);
        self.over.notify_one();
    }

    /// Dreams of those to whom more has happened in a day than is read at once, before the night, until the server
    /// ends.
    pub async fn dream_early(self: Arc<Self>, store: Store, minds: Arc<Minds>) {
        loop {
            let log = minds.memories.next_overdue().await;
            let minutes = self.args.dream_zone.calendar_minutes(Timestamp::now());
            let way = Way::new(self.folder.clone(), Calendar::Of(minutes));
            let mut night = Night::default();
            self.one(&store, &log, &way, &mut night).await;
            if night.characters > 0 {
                tracing::info!(%log, "dreamt before the night, as much has happened");
            }
            // However fast somebody's log grows, it dreams no more often.
            tokio::time::sleep(EARLY_PAUSE).await;
        }
    }

    pub(super) async fn all(
        &self,
        store: &Store,
        way: &Way,
        night: &mut Night,
        longest: Option<Duration>,
    ) -> Result<(), StoreError> {
        let begun = Instant::now();
        let order = candidates(store).await.map(in_order)?;
        let count = order.len();
        for (at, log) in order.into_iter().enumerate() {
            if longest.is_some_and(|longest| begun.elapsed() >= longest) {
                night.left = (count - at) as u64;
                tracing::warn!(left = night.left, "the night was too short for all; the next begins with the others");
                break;
            }
            self.one(store, &log, way, night).await;
            tokio::time::sleep(PAUSE).await;
        }
        Ok(())
    }

    /// One dream of one log, with what is told of it.
    async fn one(&self, store: &Store, log: &LogId, way: &Way, night: &mut Night) {
        match dream_of(store, log, way, &mut |_, _| ()).await {
            Ok(Came::Dreamt(dreamt)) => {
                self.dreamt.fetch_add(1, Relaxed);
                night.characters += 1;
                if let Some(under_way) = &mut self.status.lock().under_way {
                    *under_way = night.characters;
                }
                let report = &dreamt.outcome.report;
                tracing::debug!(%log, events = report.events_dreamt, nodes = report.nodes_after, "dreamt");
                for notice in &report.notices {
                    tracing::warn!(%log, "{notice}");
                }
                if let Some(why) = &report.rebuilt {
                    tracing::info!(%log, "what is remembered was made anew: {why}");
                }
                let new = self.newly_unreadable(log, &dreamt.unreadable, night);
                if let Some(first) = new.first() {
                    let count = new.len();
                    let problems = &dreamt.outcome.problems;
                    let told = problems.iter().find(|problem| i64::try_from(problem.line) == Ok(*first));
                    let why = told.map_or(String::new(), |problem| format!(": {}", problem.what));
                    tracing::warn!(%log, count, "entries of a log were left out, the first with seq {first}{why}");
                }
                if let Some(trouble) = &dreamt.trouble {
                    self.fail(night);
                    tracing::error!(%log, "the database has the dream, but its files were not written: {trouble}");
                }
            }
            Ok(Came::Nothing { .. } | Came::Gone) => {}
            Err(DreamError::Unreadable { first, seqs }) => {
                if !self.newly_unreadable(log, &seqs, night).is_empty() {
                    let count = seqs.len();
                    tracing::warn!(%log, count, "no entry of a log can be read, the first for this: {first}");
                }
            }
            // It was deleted since the night began.
            Err(DreamError::NoLog { .. }) => {}
            Err(error) => {
                self.fail(night);
                tracing::error!(%log, %error, "a character did not dream; the next night tries again");
            }
        }
    }

    /// Those of the entries that could not be read which were not told of before in this run.
    fn newly_unreadable<'s>(&self, log: &LogId, seqs: &'s [i64], night: &mut Night) -> &'s [i64] {
        let Some(newest) = seqs.last() else { return &[] };
        let mut told = self.told.lock();
        let before = told.get(log.character()).copied().unwrap_or(0);
        let new = &seqs[seqs.partition_point(|seq| *seq <= before)..];
        told.insert(log.character().to_string(), before.max(*newest));
        night.unreadable += new.len() as u64;
        self.unreadable.fetch_add(new.len() as u64, Relaxed);
        new
    }

    fn fail(&self, night: &mut Night) {
        night.failures += 1;
        self.failures.fetch_add(1, Relaxed);
    }
}

/// Every log with happenings. Steps over the entries of each by the key.
async fn candidates(store: &Store) -> Result<Vec<Candidate>, StoreError> {
    let dreams = memories::last_dreams(store).await?;
    let dreams: BTreeMap<LogId, (i64, i64)> =
        dreams.into_iter().map(|dream| (dream.log, (dream.last_seq, dream.dreamt_at))).collect();
    let (mut candidates, mut after) = (Vec::new(), None);
    while let Some(log) = happenings::next_log(store, after.as_ref()).await? {
        let dream = dreams.get(&log);
        let (seq, so_many) = dream.map_or((0, PLAYED_MIN), |(last_seq, _)| (*last_seq, 1));
        let has_played = happenings::newest_from(store, &log, seq, so_many - 1).await?.is_some();
        after = Some(log.clone());
        candidates.push(Candidate { log, dreamt_at: dream.map(|(_, at)| *at), has_played });
    }
    Ok(candidates)
}
