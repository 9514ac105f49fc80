//! The signals that end or restart the server, or have it read its settings again.
//!
//! Invariant: none is lost and none meets a process that would die of it, not even while one program becomes the next.
//! For that every thread blocks them, and one alone takes them, by `sigwait` between `listen` and `hold`; what comes
//! otherwise waits in the kernel, across the exec, for the next `listen`. (A handler would not do: whichever thread has
//! the signal unblocked may run it after the last look at what was heard.)

use anyhow::Context;
use nix::errno::Errno;
use nix::sys::pthread::pthread_kill;
use nix::sys::signal::{SigSet, Signal};
use std::os::unix::thread::JoinHandleExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use tokio::sync::Notify;

/// What signals have asked for since `listen`. For one waiter of each kind.
pub struct Signals {
    heard: Arc<Heard>,
    listener: JoinHandle<()>,
}

#[derive(Default)]
struct Heard {
    end: Flag,
    restart: Flag,
    reload: Flag,
    /// The listener is to take no more.
    holding: AtomicBool,
}

#[derive(Default)]
struct Flag {
    up: AtomicBool,
    wake: Notify,
}

impl Flag {
    fn raise(&self) {
        self.up.store(true, Ordering::SeqCst);
        self.wake.notify_one();
    }
}

fn ours() -> SigSet {
    SigSet::from_iter([Signal::SIGTERM, Signal::SIGINT, Signal::SIGUSR2, Signal::SIGHUP])
}

/// Keeps them waiting. For the main thread before there are others, which inherit it.
pub fn keep_waiting() -> anyhow::Result<()> {
    ours().thread_block().context("keeping signals waiting")
}

/// Listens from now on.
pub fn listen() -> anyhow::Result<Signals> {
    let heard = Arc::new(Heard::default());
    let hearing = heard.clone();
    let listener = std::thread::Builder::new()
        .name("signals".into())
        .spawn(move || take(&hearing))
        .context("starting the thread that listens for signals")?;
    Ok(Signals { heard, listener })
}

fn take(heard: &Heard) {
    let ours = ours();
    while !heard.holding.load(Ordering::SeqCst) {
        match ours.wait() {
            // It may be the one with which `hold` wakes us.
            Ok(Signal::SIGUSR2) => heard.restart.raise(),
            Ok(Signal::SIGHUP) => heard.reload.raise(),
            Ok(_) => heard.end.raise(),
            // The set is right, and nothing else can be wrong with it.
            Err(error) => {
                tracing::error!(%error, "the server does not hear signals any more");
                return;
            }
        }
    }
}

impl Signals {
    /// SIGTERM or SIGINT: the server is to end.
    pub async fn end(&self) {
        while !self.heard.end.up.load(Ordering::SeqCst) {
            self.heard.end.wake.notified().await;
        }
    }

    /// SIGUSR2: the server is to restart. Returns once for all that came before it.
    pub async fn restart(&self) {
        while !self.heard.restart.up.swap(false, Ordering::SeqCst) {
            self.heard.restart.wake.notified().await;
        }
    }

    /// SIGHUP: the server is to read its settings again. Returns once for all that came before it.
    pub async fn reload(&self) {
        while !self.heard.reload.up.swap(false, Ordering::SeqCst) {
            self.heard.reload.wake.notified().await;
        }
    }

    /// Takes no more: what comes from now on waits for the next program. True where the server was told to end before.
    pub fn hold(self) -> anyhow::Result<bool> {
        self.heard.holding.store(true, Ordering::SeqCst);
        // To that thread alone.
        match pthread_kill(self.listener.as_pthread_t(), Signal::SIGUSR2) {
            Ok(()) | Err(Errno::ESRCH) => {}
            Err(error) => return Err(error).context("waking the thread that listens for signals"),
        }
        if self.listener.join().is_err() {
            tracing::error!("the thread that listens for signals had panicked");
        }
        Ok(self.heard.end.up.load(Ordering::SeqCst))
    }
}
