//! Entries go to the database: in batches, off the tick, tried again until they are there.
//!
//! Invariants: entries of one request are written in one transaction, so that the newest number of a log tells which
//! requests were done. Those of one character are written in order, records among them.

use super::{Matter, Minds, Written, row_of};
use crate::store::agent_events::{self, AgentEvent};
use crate::store::{StoreError, canonical};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How long entries gather before they are written together.
pub(super) const GATHER: Duration = Duration::from_millis(100);
/// Requests and records that are written in one transaction at most. Where more wait, nobody waits for company.
const BATCH_MAX: usize = 1_024;
/// Pause after a failure, doubled each time up to the longest.
pub(super) const RETRY_FIRST: Duration = Duration::from_millis(500);
pub(super) const RETRY_LONGEST: Duration = Duration::from_secs(10);

/// Keeps entries from being written.
#[must_use = "dropping it lets entries be written again"]
pub struct Hold {
    _turn: tokio::sync::OwnedMutexGuard<()>,
}

impl Minds {
    /// Writes until the server ends.
    pub(super) async fn write(self: Arc<Self>) {
        let mut pause = RETRY_FIRST;
        let mut batch_max = BATCH_MAX;
        loop {
            if self.inner.lock().to_write.is_empty() {
                self.idle.notify_waiters();
                self.wake_writer.notified().await;
            }
            // Records come all the time: without a pause each would have a transaction of its own.
            if self.inner.lock().to_write.len() < BATCH_MAX && batch_max == BATCH_MAX {
                tokio::time::sleep(GATHER).await;
            }
            match self.write_waiting(batch_max).await {
                Ok(()) => {
                    pause = RETRY_FIRST;
                    batch_max = (batch_max * 2).min(BATCH_MAX);
                    if let Some(time) = self.trouble.passed() {
                        tracing::info!(after_s = time.as_secs(), "minds are written down again");
                    }
                }
                Err(error) => {
                    Self::count(&self.failures, 1);
                    self.trouble.failed(error.in_public());
                    let backlog = self.backlog();
                    tracing::error!(%error, backlog, "what minds noted could not be written; trying again");
                    if !error.is_passing() {
                        // Trying again will not help: smaller batches find the request that is to blame.
                        if batch_max == 1 {
                            self.give_up_first();
                        }
                        batch_max = batch_max.div_ceil(4);
                    }
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(RETRY_LONGEST);
                }
            }
        }
    }

    /// Writes what waits now. The first failure ends it.
    pub(super) async fn write_all(&self) -> Result<(), StoreError> {
        while !self.inner.lock().to_write.is_empty() {
            self.write_waiting(BATCH_MAX).await?;
        }
        Ok(())
    }

    async fn write_waiting(&self, batch_max: usize) -> Result<(), StoreError> {
        let _turn = self.turn.lock().await;
        let batch: Vec<Written> = self.inner.lock().to_write.iter().take(batch_max).cloned().collect();
        let rows: Vec<_> = batch.iter().flat_map(Written::rows).collect();
        let new = agent_events::append(&self.store, &rows).await?;
        Self::count(&self.written, new);
        self.done(batch.len());
        Ok(())
    }

    /// The first in line are done with. For whoever has the turn: nobody else takes any out.
    fn done(&self, count: usize) {
        let mut inner = self.inner.lock();
        let inner = &mut *inner;
        let count = count.min(inner.to_write.len());
        for written in inner.to_write.drain(..count).collect::<Vec<_>>() {
            let matter = written.matter;
            let slot = inner.slots.get_mut(matter.name());
            if slot.is_some_and(|slot| slot.unwritten.remove(&matter.first()).is_some()) {
                *inner.count(&matter) -= 1;
            }
            Self::let_go(inner, matter.name());
        }
    }

    fn give_up_first(&self) {
        let Some(written) = self.inner.lock().to_write.front().cloned() else { return };
        match &written.matter {
            Matter::Asked(request) => {
                tracing::error!(?request, "what a mind noted could not be written, and is lost");
                Self::count(&self.lost, 1);
            }
            Matter::Happened(record) => {
                let (name, seq, what) = (&record.name, record.seq, mind::happenings::brief(&record.happening));
                tracing::error!(name, seq, ?what, "a record could not be written, and is lost");
                Self::count(&self.records_lost, 1);
            }
        }
        self.done(1);
    }

    /// Waits for the write in hand and keeps further ones back until the hold is dropped; requests queue meanwhile. So
    /// what the store lacks is what waits, and both can be taken at one moment.
    pub async fn hold(&self) -> Hold {
        Hold { _turn: self.turn.clone().lock_owned().await }
    }

    /// Waits until everything of one character that is here now is written, at most so long. True when it is.
    pub async fn wait_for(&self, name: &str, longest: Duration) -> bool {
        let name = canonical(name);
        let of_slot = |pick: fn(&BTreeMap<u64, Matter>) -> Option<u64>| {
            self.inner.lock().slots.get(&name).and_then(|slot| pick(&slot.unwritten))
        };
        let Some(last) = of_slot(|unwritten| unwritten.keys().next_back().copied()) else { return true };
        let written = async {
            while of_slot(|unwritten| unwritten.keys().next().copied()).is_some_and(|first| first <= last) {
                self.wake_writer.notify_one();
                tokio::time::sleep(GATHER / 2).await;
            }
        };
        tokio::time::timeout(longest, written).await.is_ok()
    }

    /// How long nothing could be written; `None` while all is well.
    pub fn failing_for(&self) -> Option<Duration> {
        self.trouble.lasts()
    }

    /// What last kept entries from being written, in a sentence that anybody may read.
    pub fn last_error(&self) -> Option<&'static str> {
        self.trouble.last()
    }

    /// Waits until everything is answered and written, at most so long. True when it is.
    pub async fn drain(&self, longest: Duration) -> bool {
        let all_written = async {
            loop {
                let idle = self.idle.notified();
                if self.backlog() == 0 {
                    return;
                }
                self.wake_writer.notify_one();
                // `idle` may have been told just before we looked; look again soon.
                let _either = tokio::time::timeout(Duration::from_millis(50), idle).await;
            }
        };
        tokio::time::timeout(longest, all_written).await.is_ok()
    }
}

impl Written {
    fn rows(&self) -> Vec<AgentEvent> {
        // It may have come since this was handed over.
        let session = self.facts.as_ref().and_then(|facts| facts.record.get().copied());
        match &self.matter {
            Matter::Asked(request) => self.entries.iter().map(|entry| row_of(&request.name, entry, session)).collect(),
            Matter::Happened(record) => vec![row_of(&record.name, &record.entry(), session)],
        }
    }
}

impl std::fmt::Debug for Minds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Minds").field("written", &self.written.load(Ordering::Relaxed)).finish_non_exhaustive()
    }
}
