//! The calls of many agents to one model: `call_queue` says whose turn it is, here they wait for it.

use crate::call_queue::{AgentId, CallQueue, Lateness, Wish};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// One for all agents of a process.
pub struct Calls {
    inner: Mutex<Inner>,
    now_ms: Box<dyn Fn() -> u64 + Send + Sync>,
}

struct Inner {
    queue: CallQueue,
    bells: BTreeMap<AgentId, Arc<Bell>>,
}

/// By which an agent hears that it is its turn.
#[derive(Default)]
struct Bell {
    rung: AtomicBool,
    heard: Notify,
}

/// An agent's place among those who call. Dropping it gives up whatever it has.
pub struct Seat {
    calls: Arc<Calls>,
    who: AgentId,
    bell: Arc<Bell>,
}

/// A call that is under way. Dropping it ends it.
pub struct Call {
    calls: Arc<Calls>,
    who: AgentId,
}

impl Calls {
    /// `now_ms`: of a clock that does not go back, the same by which agents are due.
    pub fn new(in_flight_max: usize, now_ms: impl Fn() -> u64 + Send + Sync + 'static) -> Arc<Calls> {
        let inner = Inner { queue: CallQueue::new(in_flight_max), bells: BTreeMap::new() };
        Arc::new(Calls { inner: Mutex::new(inner), now_ms: Box::new(now_ms) })
    }

    pub fn seat(self: &Arc<Calls>, who: AgentId) -> Seat {
        let bell = Arc::new(Bell::default());
        self.inner().bells.insert(who, bell.clone());
        Seat { calls: self.clone(), who, bell }
    }

    /// `None` before its first call.
    pub fn lateness(&self, who: AgentId) -> Option<Lateness> {
        self.inner().queue.lateness(who).cloned()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // Each change is whole by itself, so what a panicking thread left is usable.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes something, and calls those whose turn it is then.
    fn change(&self, change: impl FnOnce(&mut CallQueue)) {
        let now_ms = (self.now_ms)();
        let mut inner = self.inner();
        change(&mut inner.queue);
        for who in inner.queue.grant(now_ms) {
            match inner.bells.get(&who) {
                Some(bell) => {
                    bell.rung.store(true, Ordering::SeqCst);
                    bell.heard.notify_one();
                }
                None => inner.queue.done(who),
            }
        }
    }
}

impl Seat {
    /// It wants to think.
    pub fn wish(&self, wish: Wish) {
        self.calls.change(|queue| queue.wish(self.who, wish));
    }

    /// It does not, or no longer.
    pub fn withdraw(&self) {
        self.calls.change(|queue| queue.withdraw(self.who));
    }

    /// Returns when it is its turn.
    pub async fn called(&self) {
        self.bell.heard.notified().await;
    }

    /// Its turn, if it is: dropping the call ends it.
    pub fn take_turn(&self) -> Option<Call> {
        let rung = self.bell.rung.swap(false, Ordering::SeqCst);
        rung.then(|| Call { calls: self.calls.clone(), who: self.who })
    }

    pub fn lateness(&self) -> Option<Lateness> {
        self.calls.lateness(self.who)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.calls.inner().bells.remove(&self.who);
        let rung = self.bell.rung.swap(false, Ordering::SeqCst);
        // A call that is under way ends by itself.
        self.calls.change(|queue| {
            queue.withdraw(self.who);
            if rung {
                queue.done(self.who);
            }
        });
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.calls.change(|queue| queue.done(self.who));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WISH: Wish = Wish { due_ms: 0, interval_ms: 5_000 };

    #[tokio::test]
    async fn whoever_waits_is_called_when_a_call_is_over() {
        let calls = Calls::new(1, || 1_000);
        let (one, other) = (calls.seat(1), calls.seat(2));
        one.wish(WISH);
        other.wish(WISH);
        one.called().await;
        let call = one.take_turn().expect("its turn");
        assert!(one.take_turn().is_none() && other.take_turn().is_none(), "one at a time, and once");
        drop(call);
        other.called().await;
        assert!(other.take_turn().is_some());
        assert_eq!(calls.lateness(2).expect("it was called").percentile(50), 1_000);
    }

    #[test]
    fn whoever_leaves_gives_up_its_turn() {
        let calls = Calls::new(1, || 1_000);
        let (one, other) = (calls.seat(1), calls.seat(2));
        one.wish(WISH);
        other.wish(WISH);
        drop(one);
        let call = other.take_turn().expect("the other's turn was given back");
        // Gone in the middle of its call: the place is free when that is over.
        drop(other);
        let third = calls.seat(3);
        third.wish(WISH);
        assert!(third.take_turn().is_none());
        drop(call);
        assert!(third.take_turn().is_some());
        third.withdraw();
    }
}
