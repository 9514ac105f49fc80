//! The signals that end or restart the server.
//!
//! Invariant: none is lost and none meets a process that would die of it, not even while one program becomes the next.
//! For that the main thread alone takes them, and only between `listen` and `hold`; what comes otherwise waits in the
//! kernel, across the exec, for the next `listen`.

use anyhow::Context;
use nix::sys::signal::{SigSet, Signal as Number};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Notify;

/// SIGTERM and SIGINT: the server is to end.
#[derive(Clone, Default)]
pub struct EndSignal(Arc<Ending>);

#[derive(Default)]
struct Ending {
    told: AtomicBool,
    wake: Notify,
}

/// SIGUSR2: the server is to restart.
pub struct RestartSignal(Signal);

/// How long one that was taken before `hold` may be on its way to `EndSignal`.
const ON_ITS_WAY: Duration = Duration::from_millis(5);

fn ours() -> SigSet {
    SigSet::from_iter([Number::SIGTERM, Number::SIGINT, Number::SIGUSR2])
}

/// Keeps them waiting. For the main thread before there are others, which do as it does.
pub fn keep_waiting() -> anyhow::Result<()> {
    ours().thread_block().context("keeping signals waiting")
}

/// Keeps them waiting again, for the next program. On the main thread, after which `EndSignal` tells all that came
/// before.
pub async fn hold() -> anyhow::Result<()> {
    keep_waiting()?;
    tokio::time::sleep(ON_ITS_WAY).await;
    Ok(())
}

/// Listens from now on: within a runtime, on the main thread.
pub fn listen() -> anyhow::Result<(EndSignal, RestartSignal)> {
    let listen = |kind| signal(kind).context("listening for signals");
    let (mut terminate, mut interrupt) = (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
    let restart = RestartSignal(listen(SignalKind::user_defined2())?);
    let end = EndSignal::default();
    let telling = end.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        telling.0.told.store(true, Ordering::SeqCst);
        telling.0.wake.notify_one();
    });
    ours().thread_unblock().context("listening for signals")?;
    Ok((end, restart))
}

impl EndSignal {
    /// For one waiter.
    pub async fn heard(&self) {
        while !self.was_heard() {
            self.0.wake.notified().await;
        }
    }

    pub fn was_heard(&self) -> bool {
        self.0.told.load(Ordering::SeqCst)
    }
}

impl RestartSignal {
    pub async fn heard(&mut self) {
        if self.0.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}
