//! Where minds meet memories: the verb `recall` in its place among the requests of a character, and what a login wants
//! to know.
//!
//! Leaves memories to `memories`. Invariant: a request to recall is answered behind all that came before it, and what
//! those wrote is remembered, be it in the database yet or not. It writes nothing.

use super::{Asker, Job, Matter, Minds, Request};
use crate::memories::{self, Held, Now, record_of};
use crate::outbox::{Out, Wake};
use crate::store::canonical;
use dreaming::Record;
use mind::{MindState, Reply};
use protocol::frame::{Encoded, ServerFrame};
use std::sync::Arc;
use tokio::sync::oneshot;

/// The verb that is answered from memories, not from the state of a mind.
pub(super) const RECALL: &str = "recall";

impl Minds {
    /// What an agent is about to do, most urgent first: its task, then the steps that are open. Empty where its log
    /// cannot be read.
    pub async fn goals(&self, name: &str) -> Vec<String> {
        let (reply, goals) = oneshot::channel();
        self.put(&canonical(name), Job::Goals(reply));
        goals.await.unwrap_or_default()
    }

    /// What somebody remembers now.
    pub async fn memories_of(&self, name: &str, now: Now) -> anyhow::Result<Arc<Held>> {
        let name = canonical(name);
        self.memories.of(&name, now, || self.on_the_way(&name)).await
    }

    /// Happenings of somebody that the database may not have yet, oldest first.
    fn on_the_way(&self, name: &str) -> Vec<Record> {
        let inner = self.inner.lock();
        let own = inner.slots.get(name).into_iter().flat_map(|slot| slot.unwritten.values());
        own.filter_map(|matter| match matter {
            Matter::Happened(record) => record_of(&record.entry()),
            Matter::Asked(_) => None,
        })
        .collect()
    }

    /// Answers a request to recall. Whoever asked for frames gets the memories as one, right before the line.
    pub(super) async fn recall(&self, request: &Request, asker: Option<Asker>) {
        let Some(asker) = asker else { return };
        let answer = memories::answer(&self.memories, request, || self.on_the_way(&request.name)).await;
        Self::count(&self.answered, 1);
        Self::count(&self.refused, u64::from(answer.refused));
        asker.tell_verdict(answer.refused.then_some(&answer.text));
        let watcher = self.inner.lock().watchers.get(&request.name).and_then(|watcher| watcher.upgrade());
        let watches = watcher.is_some_and(|watcher| Arc::ptr_eq(&watcher, &asker.outbox));
        let mut out = Vec::new();
        if let Some(frame) = answer.frame.filter(|_| watches) {
            out.push(Out::Frame(Encoded::new(&ServerFrame::Mind(frame))));
        }
        let reply = Reply { text: answer.text, refused: answer.refused, ..Reply::default() };
        out.push(super::working::line_of(RECALL, reply));
        // In one go, so that nothing comes between the two.
        asker.outbox.release(&mut out, Vec::new(), None, Wake::Now);
    }
}

pub(super) fn goals_of(state: &MindState) -> Vec<String> {
    let steps = state.steps.iter().filter(|step| !step.done).map(|step| step.text.clone());
    state.task.iter().map(|task| task.text.clone()).chain(steps).collect()
}
