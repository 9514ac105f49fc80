//! The edge of the engine: whose the numbers in its messages are. A session has an outbox, a call waits for an answer.
//!
//! The engine itself knows only numbers, so that a gateway can be another process: it would keep such a table for its
//! connections, and the engine one of gateways.

use super::message::{Answer, CallId, SessionId};
use crate::outbox::Outbox;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::oneshot;

#[derive(Default)]
pub struct Sessions {
    next: AtomicU64,
    open: Mutex<BTreeMap<SessionId, Arc<Outbox>>>,
    calls: Mutex<BTreeMap<CallId, oneshot::Sender<Answer>>>,
}

impl Sessions {
    fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// What the engine has for this session goes into the outbox, until it is closed.
    pub fn open(&self, outbox: &Arc<Outbox>) -> SessionId {
        let session = SessionId(self.number());
        self.open.lock().insert(session, outbox.clone());
        session
    }

    pub fn close(&self, session: SessionId) {
        self.open.lock().remove(&session);
    }

    /// `None`: it was closed meanwhile.
    pub fn outbox(&self, session: SessionId) -> Option<Arc<Outbox>> {
        self.open.lock().get(&session).cloned()
    }

    /// Begins a call; what is answered comes by the receiver.
    pub fn call(&self) -> (CallId, oneshot::Receiver<Answer>) {
        let (sender, receiver) = oneshot::channel();
        let call = CallId(self.number());
        self.calls.lock().insert(call, sender);
        (call, receiver)
    }

    pub fn answer(&self, call: CallId, answer: Answer) {
        let caller = self.calls.lock().remove(&call);
        if let Some(caller) = caller {
            // It may have hung up meanwhile; a session then tells us that it is lost.
            let _hung_up = caller.send(answer);
        }
    }

    /// No answer will come.
    pub fn hang_up(&self, call: CallId) {
        self.calls.lock().remove(&call);
    }
}
