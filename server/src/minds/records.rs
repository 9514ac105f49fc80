//! Records on their way into the logs.
//!
//! They need no answer, so most go past the queue: nothing is read, and no task is made. Leaves their order to the
//! rules in `mod.rs`. Invariant: a slot that was made for records alone goes when they are written.

use super::worker::{event_frame, send};
use super::{Append, Asker, Inner, Job, Minds, RECORDS_MAX, RECORDS_PER_LOG_MAX, Slot};
use crate::log_input::LogInput;
use mind::{LogEntry, LogId};
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Slot {
    /// Nothing is under way that a record would have to wait for: what waits to be written was answered before it.
    fn lets_pass(&self) -> bool {
        !self.busy && self.jobs.is_empty()
    }

    /// There is nothing in it that is not in the database too.
    fn is_bare(&self) -> bool {
        self.is_idle() && self.mind.is_none()
    }
}

impl Inner {
    /// Makes room for one more record of this log. What does not fit is lost: the newest of whoever has most waiting,
    /// half of them at once, so that this is not looked for with each record. `false`: there is no room for this one.
    fn make_room(&mut self, log: &LogId) -> (bool, u64) {
        if self.slots.get(log).is_some_and(|slot| slot.records.fills(RECORDS_PER_LOG_MAX)) {
            return (false, 1);
        }
        if !self.records.fills(RECORDS_MAX) {
            return (true, 0);
        }
        let longest = self.slots.iter().max_by_key(|(_, slot)| slot.records.bytes).map(|(log, _)| log.clone());
        let Some(longest) = longest.filter(|longest| longest != log) else { return (false, 1) };
        let slot = self.slots.get_mut(&longest).expect("it was found just now");
        let newest = slot.unwritten.iter().rev().filter(|(_, input)| input.is_record()).map(|(first, _)| *first);
        let lost: Vec<u64> = newest.take(slot.records.count.div_ceil(2)).collect();
        for lost in lost.iter().filter_map(|first| slot.unwritten.remove(first)) {
            slot.records.remove(&lost);
            self.records.remove(&lost);
        }
        self.has_dropped = true;
        (true, lost.len() as u64)
    }
}

impl Minds {
    /// Never waits.
    pub(super) fn record(&self, log: LogId, entry: Arc<LogEntry>, asker: Option<Asker>) {
        let input = LogInput::Record(log.clone(), entry.clone());
        let (watcher, begins) = {
            let mut inner = self.inner.lock();
            let inner = &mut *inner;
            let (fits, lost) = inner.make_room(&log);
            self.lose(lost);
            if !fits {
                return;
            }
            let slot = inner.slot(&log);
            if !slot.lets_pass() {
                if inner.add_unwritten(&input) {
                    inner.slot(&log).jobs.push_back(Job::Answer(input, asker));
                    Self::count(&self.recorded, 1);
                }
                return;
            }
            if slot.mind.as_ref().is_some_and(|mind| entry.seq <= mind.last) || !inner.add_unwritten(&input) {
                return;
            }
            if let Some(mind) = &mut inner.slot(&log).mind {
                mind.note(&entry);
            }
            let facts = asker.map(|asker| asker.facts);
            let begins = inner.to_write.is_empty();
            inner.to_write.push_back(Append { input, entries: Arc::new([]), facts });
            (inner.watchers.get(&log).cloned(), begins)
        };
        Self::count(&self.recorded, 1);
        if begins {
            self.queue.wake();
        }
        if let Some((watcher, of)) = watcher.and_then(|watcher| Some((watcher.upgrade()?, watcher.mind(&log)))) {
            send(&watcher, &event_frame(&entry, of));
        }
    }

    /// Counts records that no log will ever have. The operator hears of the first, and then now and again.
    fn lose(&self, more: u64) {
        if more == 0 {
            return;
        }
        let before = self.records_lost.fetch_add(more, Ordering::Relaxed);
        if before == 0 || before / 10_000 != (before + more) / 10_000 {
            let lost = before + more;
            tracing::error!(lost, "too many records wait to be written: those of whoever has most are lost");
        }
    }

    /// After its last entry was written: who asks nothing needs no place in memory.
    pub(super) fn let_go(inner: &mut Inner, log: &LogId) {
        if inner.slots.get(log).is_some_and(Slot::is_bare) {
            inner.slots.remove(log);
        }
    }
}
