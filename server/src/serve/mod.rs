//! `dp-server run`: what starts ([`startup`]), until when it runs ([`Server::ended`]), and what stops ([`shutdown`]).
//!
//! Each of the two is one list of named steps, in the order in which they happen. Invariant: whatever ends the server,
//! it ends by the list of `shutdown`, so that everybody is saved; only a start that fails ends without it.

mod counters;
mod listeners;
mod playable;
mod reloading;
mod restart_requests;
mod shutdown;
mod startup;
mod tasks;
mod watches;

pub use reloading::{ReadSettings, Settings};
pub use startup::preflight;

use self::counters::Reserved;
use self::listeners::{Listeners, Programs};
use self::tasks::Tasks;
use crate::archive::Archive;
use crate::args::RunArgs;
use crate::capture;
use crate::engine::Engine;
use crate::exports::Exports;
use crate::journal::Gauges;
use crate::lobby::SettingsReader;
use crate::minds::Minds;
use crate::outbox::Close;
use crate::restart::{Program, Signals};
use crate::saver::Saver;
use crate::state_dir::{Claim, StateDir};
use crate::store::Store;
use anyhow::{Context, bail};
use std::sync::Arc;
use tokio::task::JoinHandle;

/// Runs until the process is asked to end. An error where it did not start, ended by a failure of its own, or could
/// not save everybody.
pub async fn run(args: RunArgs, settings: Settings) -> anyhow::Result<()> {
    let mut server = startup::start(args, settings).await?;
    let end = server.ended().await?;
    let failed = end.failed.clone();
    shutdown::stop(server, end.close).await?;
    match failed {
        Some(task) => bail!("the server stopped because its {task} had failed; everything up to then is kept"),
        None => Ok(()),
    }
}

/// A server that runs.
struct Server {
    args: RunArgs,
    signals: Signals,
    program: Program,
    state: StateDir,
    /// The lock on the state folder.
    claim: Claim,
    store: Store,
    saver: Arc<Saver>,
    minds: Arc<Minds>,
    archive: Arc<Archive>,
    decisions: Arc<capture::Writer>,
    exports: Option<Arc<Exports>>,
    engine: Arc<Engine>,
    gauges: Arc<Gauges>,
    reserved: Reserved,
    settings: SettingsReader,
    /// Second descriptors of what listens: they keep the addresses ours when nobody accepts by them any more.
    listeners: Listeners,
    /// Tasks that accept people.
    people: Vec<JoinHandle<()>>,
    programs: Programs,
    /// Tasks that must not end before the server does.
    tasks: Tasks,
    nights: JoinHandle<()>,
    early_dreams: JoinHandle<()>,
    archiving: JoinHandle<()>,
    exporting: Option<JoinHandle<()>>,
}

/// Why a server ends.
struct End {
    close: Close,
    /// The task of ours that failed, where that is why.
    failed: Option<String>,
}

impl From<Close> for End {
    fn from(close: Close) -> End {
        End { close, failed: None }
    }
}

impl Server {
    /// Returns when the server is to stop or to restart. An error where the listener for programs closed by itself.
    async fn ended(&mut self) -> anyhow::Result<End> {
        let end = tokio::select! {
            () = self.reserved.keep_ahead(&self.engine, &self.store) => Close::Stopping.into(),
            () = self.engine.shutdown_requested() => {
                tracing::info!("stopping: asked for");
                Close::Stopping.into()
            }
            () = self.signals.end() => {
                tracing::info!("stopping: signalled");
                Close::Stopping.into()
            }
            () = restart_requests::approved(&self.engine, &self.program, &self.saver, &self.gauges, &self.signals) => {
                tracing::info!("restarting: the program on disk takes over");
                Close::Restarting.into()
            }
            never = reloading::on_signal(&self.signals, &self.settings) => match never {},
            task = self.tasks.failed() => {
                tracing::error!(task, "stopping: a task that the world needs has ended; the log says why");
                End { close: Close::Stopping, failed: Some(task.to_string()) }
            }
            closed = self.programs.closed() => {
                closed.context("the HTTP listener failed")?;
                bail!("the HTTP listener closed by itself");
            }
        };
        Ok(end)
    }
}
