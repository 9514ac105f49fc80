//! The shutdown: what stops, in order. The list is [`stop`].
//!
//! Invariants: nothing is taken down before what feeds it. What the database does not take is in the last snapshot, and
//! written at the next start; only where there is no journal is it lost, and then the end is an error.

use super::startup::TICKER;
use super::{Server, listeners::Listeners};
use crate::archive::Archive;
use crate::args::JournalMode;
use crate::capture;
use crate::engine::Engine;
use crate::exports::Exports;
use crate::minds::Minds;
use crate::outbox::Close;
use crate::restart::{GATHER_LONGEST, Handover, Program, Use};
use crate::saver::Saver;
use crate::state_dir::Claim;
use anyhow::{Context, bail};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// How long a stop waits for the engine, which may be at a long batch.
const ENGINE_LONGEST: Duration = Duration::from_secs(10);
/// How long a stop waits for the last session files.
const EXPORT_LONGEST: Duration = Duration::from_secs(5);
/// How long a stop waits for the last saves.
const DRAIN_LONGEST: Duration = Duration::from_secs(20);

/// Stops everything. Returns when the process may end; where it becomes the next program it does not return. An error
/// where somebody could not be saved, or the next program could not take over.
pub async fn stop(mut server: Server, close: Close) -> anyhow::Result<()> {
    // What is dreamt is kept whole or not at all, and the next start makes up for the rest of the night.
    server.nights.abort();
    server.early_dreams.abort();
    // What is not archived yet is a row still.
    server.archiving.abort();
    server.tasks.end(TICKER);
    stop_accepting(std::mem::take(&mut server.people)).await;
    // The others are accepted no more either, but our second descriptors keep all addresses for the next program.
    server.programs.close();
    close_sessions(&server.engine, close).await;
    if let Some(exports) = &server.exports {
        export_bodies(&server.engine, exports);
    }
    let drained = drain(&server.saver, &server.minds, &server.archive, &server.decisions).await;
    let journal = finish_journal(&server.engine).await;
    server.programs.finish().await;
    if let (Some(exports), Some(exporting)) = (server.exports, server.exporting) {
        finish_exports(&exports, &exporting).await;
    }
    if let Err(error) = journal {
        server.engine.restart.dismiss();
        server.state.release();
        return Err(error).context("writing the last snapshot; the next start replays the journal instead");
    }
    server.reserved.close(&server.engine, &server.store).await;
    server.store.close().await;
    if server.args.journal.mode == JournalMode::Off
        && let Err(lost) = drained.all_kept(&server.saver, &server.minds)
    {
        server.engine.restart.dismiss();
        server.state.release();
        return Err(lost);
    }
    if close == Close::Restarting {
        let told_to_end = server.signals.hold()?;
        if !told_to_end {
            let error = become_next(&server.program, &server.engine, &server.claim, server.listeners);
            server.state.release();
            return Err(error.context("everybody is saved, but the next program could not take over"));
        }
    }
    server.engine.restart.dismiss();
    server.state.release();
    drained.say(&server.saver, &server.minds);
    Ok(())
}

async fn stop_accepting(people: Vec<JoinHandle<()>>) {
    for accepting in people {
        accepting.abort();
        // Until it is gone, somebody may still come in by it whom nobody would tell.
        let _aborted = accepting.await;
    }
}

/// Stops the world, has everybody saved and all connections told.
async fn close_sessions(engine: &Arc<Engine>, close: Close) {
    engine.restart.begin(close);
    if tokio::time::timeout(ENGINE_LONGEST, engine.stop(close)).await.is_err() {
        tracing::error!("the engine did not stop in time; what it did up to now is in the journal");
    }
    engine.restart.close_all(close);
}

/// What happened to bodies whose connections were gone before; the others are told of as they end.
fn export_bodies(engine: &Arc<Engine>, exports: &Exports) {
    let agents = engine.with_world(|world| world.agents().map(|name| name.to_string()).collect::<Vec<_>>());
    agents.iter().for_each(|name| exports.look_at(name));
}

/// What the database has of what it was to have.
struct Drained {
    /// Of characters.
    saved: bool,
    /// Of the logs of minds.
    noted: bool,
}

async fn drain(saver: &Saver, minds: &Minds, archive: &Archive, decisions: &capture::Writer) -> Drained {
    let (saved, noted, kept, recorded) = tokio::join!(
        saver.drain(DRAIN_LONGEST),
        minds.drain(DRAIN_LONGEST),
        archive.drain(DRAIN_LONGEST),
        decisions.drain(DRAIN_LONGEST)
    );
    if !kept {
        let waiting = archive.backlog();
        tracing::warn!(waiting, "what was said could not be written before the end; the last snapshot has it");
    }
    if !recorded {
        tracing::error!(lost = decisions.backlog(), "decisions could not be written before the end");
    }
    Drained { saved, noted }
}

impl Drained {
    /// For a server without a journal: an error where characters are lost.
    fn all_kept(&self, saver: &Saver, minds: &Minds) -> anyhow::Result<()> {
        if !self.noted {
            tracing::error!(lost = minds.backlog(), "what minds noted could not be written before the end");
        }
        if !self.saved {
            bail!("{} characters could not be saved before the end; the log says why", saver.backlog());
        }
        Ok(())
    }

    fn say(&self, saver: &Saver, minds: &Minds) {
        if !self.noted {
            tracing::warn!(
                requests = minds.backlog(),
                "what minds noted and the database did not take is kept in the last snapshot, and written at the next \
                 start"
            );
        }
        if self.saved {
            tracing::info!("stopped; everybody is saved");
        } else {
            tracing::warn!(
                characters = saver.backlog(),
                "stopped; whom the database did not take is kept in the last snapshot, and written at the next start"
            );
        }
    }
}

/// Waits until sessions have written what waits for their readers, and their farewells. What is unsaved even now is in
/// the last snapshot, which is written meanwhile.
async fn finish_journal(engine: &Arc<Engine>) -> io::Result<()> {
    let all_ended = engine.restart.all_ended(GATHER_LONGEST);
    let (stuck, finished) = tokio::join!(all_ended, engine.finish_journal());
    if stuck > 0 {
        tracing::info!(stuck, "readers that did not take their last lines are cut off");
    }
    finished
}

async fn finish_exports(exports: &Exports, exporting: &JoinHandle<()>) {
    if !exports.drain(EXPORT_LONGEST).await {
        tracing::warn!("not all session files are written; the next start writes the rest");
    }
    exporting.abort();
}

/// The process becomes the program on disk, which takes over the connections. Returns only where that fails.
fn become_next(program: &Program, engine: &Arc<Engine>, claim: &Claim, listeners: Listeners) -> anyhow::Error {
    let handover = || {
        let mut handover = Handover::new()?;
        handover.add(claim.share()?.into(), Use::Lock);
        listeners.hand_over(&mut handover);
        // Whatever was posted is applied or given back after this.
        engine.with_world(|_| ());
        handover.add_people(engine.restart.take_deposits());
        handover.add_streams(engine.restart.take_streams());
        anyhow::Ok(handover)
    };
    match handover() {
        Ok(handover) => program.become_next(handover),
        Err(error) => error,
    }
}
