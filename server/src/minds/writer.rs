//! Entries on their way to the database: in batches, off the tick, tried again until they are there (`write_queue.rs`).
//!
//! Invariants: entries of one request are written in one transaction, so that the newest number of a log tells which
//! requests were done. Those of one log are written in order, records among them.

use super::{Append, Minds};
use crate::log_input::LogInput;
use crate::store::agent_events::{self, AgentEvent, row_of};
use crate::write_queue::{Backlog, Failure, Policy};
use mind::{LogEntry, LogId};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Rows are requests and records here. Records come all the time: without gathering each would have a transaction of
/// its own.
pub(super) const POLICY: Policy = Policy {
    noun: "entries of logs",
    aside: "it is lost",
    gather: Duration::from_millis(100),
    batch_max: 1_024,
    retry_first: Duration::from_millis(500),
    retry_longest: Duration::from_secs(10),
};

impl Backlog for Minds {
    /// They stay where they are until they are written: a log that is read meanwhile looks for them there.
    type Batch = Vec<Append>;

    /// With what has to be answered first.
    fn waiting(&self) -> usize {
        let inner = self.inner.lock();
        inner.requests.count + inner.records.count
    }

    fn writable(&self) -> usize {
        self.inner.lock().to_write.len()
    }

    fn next_batch(&self, most: usize) -> Option<(Self::Batch, usize)> {
        let mut inner = self.inner.lock();
        let inner = &mut *inner;
        if std::mem::take(&mut inner.has_dropped) {
            let (kept, dropped): (VecDeque<Append>, VecDeque<Append>) =
                std::mem::take(&mut inner.to_write).into_iter().partition(|append| inner.is_unwritten(append));
            inner.to_write = kept;
            dropped.iter().for_each(|append| Minds::let_go(inner, append.input.log()));
        }
        let batch: Vec<Append> = inner.to_write.iter().take(most).cloned().collect();
        let count = batch.len();
        (count > 0).then_some((batch, count))
    }

    async fn write(&self, batch: &Self::Batch) -> Result<u64, Failure> {
        let rows: Vec<AgentEvent> = batch.iter().flat_map(Append::rows).collect();
        Ok(agent_events::append(&self.store, &rows).await?)
    }

    fn done(&self, batch: Self::Batch) {
        let mut inner = self.inner.lock();
        let inner = &mut *inner;
        // Whoever has the turn takes out what is first; nobody else does.
        let count = batch.len().min(inner.to_write.len());
        for append in inner.to_write.drain(..count).collect::<Vec<_>>() {
            inner.remove_unwritten(&append.input);
            Minds::let_go(inner, append.input.log());
        }
    }

    fn put_back(&self, _: Self::Batch) {}

    fn set_aside(&self, batch: Self::Batch) -> String {
        let Some(append) = batch.first() else { return String::new() };
        let (log, seq) = (append.input.log().clone(), append.input.first());
        // Whose and which, not what: the words are the player's own.
        match &append.input {
            LogInput::Request(request) => {
                tracing::error!(%log, seq, verb = request.verb, "what a mind noted is lost");
                Minds::count(&self.lost, 1);
            }
            LogInput::Record(..) => {
                tracing::error!(%log, seq, "a record is lost");
                Minds::count(&self.records_lost, 1);
            }
        }
        self.done(batch);
        log.to_string()
    }
}

impl Minds {
    /// Waits until everything of one log that is here now is written, at most so long. True when it is.
    pub async fn wait_for(&self, log: impl Into<LogId>, longest: Duration) -> bool {
        let log = log.into();
        let of_slot = |pick: fn(&BTreeMap<u64, LogInput>) -> Option<u64>| {
            self.inner.lock().slots.get(&log).and_then(|slot| pick(&slot.unwritten))
        };
        let Some(last) = of_slot(|unwritten| unwritten.keys().next_back().copied()) else { return true };
        let written = async {
            while of_slot(|unwritten| unwritten.keys().next().copied()).is_some_and(|first| first <= last) {
                self.queue.wake();
                tokio::time::sleep(POLICY.gather / 2).await;
            }
        };
        tokio::time::timeout(longest, written).await.is_ok()
    }

    /// Waits until everything is answered and written, at most so long. True when it is.
    pub async fn drain(&self, longest: Duration) -> bool {
        self.queue.drain(self, longest).await
    }
}

impl Append {
    /// What it adds to its log.
    pub(super) fn entries(&self) -> &[LogEntry] {
        match &self.input {
            LogInput::Request(_) => &self.entries,
            LogInput::Record(_, entry) => std::slice::from_ref(entry),
        }
    }

    fn rows(&self) -> Vec<AgentEvent> {
        // It may have come since this was handed over.
        let session = self.facts.as_ref().and_then(|facts| facts.record.get().copied());
        match &self.input {
            LogInput::Request(request) => {
                self.entries.iter().map(|entry| row_of(&request.log, entry, session)).collect()
            }
            LogInput::Record(log, entry) => vec![row_of(log, entry, session)],
        }
    }
}

impl std::fmt::Debug for Minds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Minds").field("written", &self.queue.written.load(Ordering::Relaxed)).finish_non_exhaustive()
    }
}
