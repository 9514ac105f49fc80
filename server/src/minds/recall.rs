//! Where minds meet memories: the verb `recall` in its place among the requests of a character, and what a login wants
//! to know.
//!
//! Leaves memories to `memories`. Invariant: a request to recall is answered behind all that came before it, and what
//! those wrote is remembered, be it in the database yet or not. It writes nothing.

use super::worker::{RECALL, line_of};
use super::{Asker, Job, Minds};
use crate::log_input::{LogInput, Request};
use crate::memories::{self, Now, Remembered, record_of};
use crate::outbox::Out;
use dreaming::{Record, Valence};
use mind::{LogId, Reply};
use protocol::frame::{Encoded, ServerFrame};
use std::sync::Arc;
use tokio::sync::oneshot;

impl Minds {
    /// What an agent is about to do, most urgent first: its task, then the steps that are open. Empty where its log
    /// cannot be read.
    pub async fn goals(&self, log: impl Into<LogId>) -> Vec<String> {
        let (reply, goals) = oneshot::channel();
        self.put(&log.into(), Job::Goals(reply));
        goals.await.unwrap_or_default()
    }

    /// What somebody remembers now, to be looked at once.
    pub async fn glance(&self, log: impl Into<LogId>, valence: Valence, now: Now) -> anyhow::Result<Remembered> {
        let log = log.into();
        self.memories.glance(&log, valence, now, || self.on_the_way(&log)).await
    }

    /// Happenings of a log that the database may not have yet, oldest first.
    fn on_the_way(&self, log: &LogId) -> Vec<Record> {
        let inner = self.inner.lock();
        let own = inner.slots.get(log).into_iter().flat_map(|slot| slot.unwritten.values());
        own.filter_map(|input| match input {
            LogInput::Record(_, entry) => record_of(entry),
            LogInput::Request(_) => None,
        })
        .collect()
    }

    /// Answers a request to recall. Whoever asked for frames gets the memories as one, right before the line.
    pub(super) async fn recall(&self, request: &Request, asker: Option<Asker>) {
        let Some(asker) = asker else { return };
        let valence = memories::arm(asker.facts.valence_off);
        let answer = memories::answer(&self.memories, request, valence, || self.on_the_way(&request.log)).await;
        let refused = u64::from(answer.refused);
        asker.tell_verdict(answer.refused.then_some(&answer.text));
        let watcher = self.inner.lock().watchers.get(&request.log).and_then(|watcher| watcher.upgrade());
        let watches = watcher.is_some_and(|watcher| Arc::ptr_eq(&watcher, &asker.outbox));
        let frame = answer.frame.filter(|_| watches).map(|frame| Out::Frame(Encoded::new(&ServerFrame::Mind(frame))));
        let reply = Reply { text: answer.text, refused: answer.refused, ..Reply::default() };
        asker.answer(frame, line_of(RECALL, reply));
        // Counted last: whoever sees the number finds the answer delivered.
        Self::count(&self.refused, refused);
        Self::count(&self.answered, 1);
    }
}
