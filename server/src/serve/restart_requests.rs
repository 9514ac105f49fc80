//! Until a hot restart may be: who asked, and whether the program on disk is fit. What happens then is in `restart`.

use crate::engine::Engine;
use crate::journal::Gauges;
use crate::restart::{Program, RestartRequest, Signals, Unfit};
use crate::saver::Saver;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How long the database may take for what waits to be saved, before there is no restart.
const SAVE_LONGEST: Duration = Duration::from_secs(5);

/// Returns when a restart was asked for and the program on disk is fit for it. Who asks for an unfit one is told why,
/// and nothing else happens.
pub async fn approved(engine: &Arc<Engine>, program: &Program, saver: &Saver, journal: &Gauges, signals: &Signals) {
    loop {
        let asked = tokio::select! {
            asked = engine.restart.asked() => asked,
            () = signals.restart() => RestartRequest::Signal,
        };
        let by = match &asked {
            RestartRequest::Immortal(name) => name.as_str(),
            RestartRequest::Operator(_) => "the admin API",
            RestartRequest::Signal => "a signal",
        };
        tracing::info!(by, "a restart was asked for; the program on disk is being tried");
        let result = match program.try_next().await {
            // What waits for the journal was shown to nobody, and would be lost.
            Ok(_) if journal.stuck.load(Ordering::Relaxed) => Err(Unfit::NoRoom),
            // The game goes on meanwhile: there is no moment in which nothing waits to be saved.
            Ok(_) if !saver.drain_waiting(SAVE_LONGEST).await => Err(Unfit::Unsaved),
            result => result,
        };
        match &result {
            Ok(fitness) => tracing::info!(version = fitness.version, "the program on disk is fit"),
            Err(unfit) => tracing::error!(by, "no restart: {unfit}"),
        }
        let fit = result.is_ok();
        let answer = result.map(drop).map_err(|unfit| format!("There is no restart: {unfit}."));
        match (asked, answer) {
            (RestartRequest::Operator(reply), answer) => {
                // It may have hung up meanwhile.
                let _unheard = reply.send(answer);
            }
            (RestartRequest::Immortal(name), Err(why)) => {
                let text = format!("The world goes on as it is. {why}");
                engine.tell(name, text);
            }
            (RestartRequest::Immortal(_), Ok(())) | (RestartRequest::Signal, _) => {}
        }
        if fit {
            return;
        }
    }
}
