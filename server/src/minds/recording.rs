//! Records on their way into the logs.
//!
//! They need no answer, so most go past the queue: nothing is read, and no task is made. Leaves their order to the
//! rules in `mod.rs`. Invariant: a slot that was made for records alone goes when they are written.

use super::working::{event_frame, send};
use super::{Asker, Job, Matter, Minds, RECORDS_MAX, Record, Slot, Written};
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

impl Minds {
    /// Never waits.
    pub(super) fn record(&self, record: Arc<Record>, asker: Option<Asker>) {
        let (name, seq) = (&record.name, record.seq);
        let matter = Matter::Happened(record.clone());
        let (watcher, begins) = {
            let mut inner = self.inner.lock();
            let inner = &mut *inner;
            if inner.records >= RECORDS_MAX {
                // The first of them, and then now and again.
                let lost = self.records_lost.fetch_add(1, Ordering::Relaxed);
                if lost.is_multiple_of(10_000) {
                    tracing::error!(
                        name,
                        lost = lost + 1,
                        "too many records wait to be written: new ones are lost until the database takes them again"
                    );
                }
                return;
            }
            let slot = inner.slot(name);
            if !slot.lets_pass() {
                if slot.unwritten.insert(seq, matter.clone()).is_none() {
                    slot.jobs.push_back(Job::Answer(matter, asker));
                    inner.records += 1;
                    Self::count(&self.recorded, 1);
                }
                return;
            }
            if slot.mind.as_ref().is_some_and(|mind| seq <= mind.last) {
                return;
            }
            if slot.unwritten.insert(seq, matter.clone()).is_some() {
                return;
            }
            if let Some(mind) = &mut slot.mind {
                mind.note(&record.entry());
            }
            inner.records += 1;
            let facts = asker.map(|asker| asker.facts);
            let begins = inner.to_write.is_empty();
            inner.to_write.push_back(Written { matter, entries: Arc::new([]), facts });
            (inner.watchers.get(name).cloned(), begins)
        };
        Self::count(&self.recorded, 1);
        if begins {
            self.wake_writer.notify_one();
        }
        if let Some(watcher) = watcher.and_then(|watcher| watcher.upgrade()) {
            send(&watcher, &event_frame(&record.entry()));
        }
    }

    /// After its last entry was written: who asks nothing needs no place in memory.
    pub(super) fn let_go(inner: &mut super::Inner, name: &str) {
        if inner.slots.get(name).is_some_and(Slot::is_bare) {
            inner.slots.remove(name);
        }
    }
}
