//! The sessions of one thread, from login to the end of the run.
//!
//! Invariant: a thread shares nothing with others but the plan; what its sessions counted comes back when it ends.

use super::bench::{Bench, LoadPlan, Part, Phase, Placing, Stage, Tally};
use super::session::play;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// The tally of each session, and whether it is an agent's.
type Tallies = Rc<RefCell<Vec<(bool, Rc<Tally>)>>>;

/// What a thread hands back.
pub struct Counted {
    /// By number.
    pub stages: Vec<Stage>,
    /// In the order of its parts.
    pub sessions: Vec<(bool, Tally)>,
}

/// Plays parts until the phase is `End`; to be called on a thread of its own.
pub fn play_parts(
    run: Arc<LoadPlan>,
    parts: Vec<Part>,
    phase: watch::Receiver<Phase>,
    ready: mpsc::UnboundedSender<()>,
    place: mpsc::UnboundedSender<Placing>,
) -> anyhow::Result<Counted> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let local = tokio::task::LocalSet::new();
    let tallies: Tallies = Rc::default();
    let kept = tallies.clone();
    let stages = local.block_on(&runtime, async move {
        let bench = Rc::new(Bench::new(run, phase.clone(), ready, place));
        let mut tasks = Vec::new();
        for part in parts {
            let tally = Rc::new(Tally::default());
            kept.borrow_mut().push((part.agent, tally.clone()));
            tasks.push(tokio::task::spawn_local(play(bench.clone(), part, tally)));
            // Not all at once: the server's queue of connections is finite.
            if tasks.len() % 32 == 0 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
        let mut phase = phase;
        // The sender lives until the end of the run.
        let _ended = phase.wait_for(|phase| *phase == Phase::End).await;
        for task in &tasks {
            task.abort();
        }
        for task in tasks {
            let _aborted = task.await;
        }
        bench.stages.take()
    });
    drop(local);
    let sessions = std::mem::take(&mut *tallies.borrow_mut());
    let sessions = sessions.into_iter().map(|(agent, tally)| (agent, Rc::into_inner(tally).unwrap_or_default()));
    Ok(Counted { stages, sessions: sessions.collect() })
}
