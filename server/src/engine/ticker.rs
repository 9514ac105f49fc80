//! What keeps the world's time: a thread that posts a tick whenever one is due.
//!
//! It is no task of the runtime's, which looks at its timers only once in 61 turns of its tasks. In a crowd each of
//! those may apply four batches, and a tick came more than a second late.
//! Invariant: ticks are never skipped; after a pause the missed ones are made up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// Ends the thread when it is dropped.
struct Stop {
    stopped: Arc<AtomicBool>,
    thread: Thread,
}

impl Drop for Stop {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.thread.unpark();
    }
}

/// Calls `tick` every `interval` until it is dropped. Comes back only if the thread cannot start, or panics.
pub(super) async fn each(interval: Duration, mut tick: impl FnMut() + Send + 'static) {
    let stopped = Arc::new(AtomicBool::new(false));
    let (ends, ended) = oneshot::channel::<()>();
    let (runtime, stops) = (Handle::current(), stopped.clone());
    let thread = std::thread::Builder::new().name("ticker".into()).spawn(move || {
        let _ends = ends;
        // Whoever posts may have to hand the rest of the mailbox to a task.
        let _entered = runtime.enter();
        let mut due = Instant::now() + interval;
        while !stops.load(Ordering::Relaxed) {
            match due.checked_duration_since(Instant::now()) {
                Some(wait) if !wait.is_zero() => std::thread::park_timeout(wait),
                _ => {
                    due += interval;
                    tick();
                }
            }
        }
    });
    match thread {
        Ok(thread) => {
            let _stop = Stop { stopped, thread: thread.thread().clone() };
            let _ended = ended.await;
        }
        Err(error) => tracing::error!(%error, "no thread can be started to keep the world's time"),
    }
}
