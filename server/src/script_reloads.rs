//! Scripts that are read again while the server runs: for the operator's API, and for immortals in the game (`reload
//! scripts`), who are told there what came of it.

use crate::engine::{AdminAnswer, AdminCall, Engine};
use crate::script_files::{Reloaded, ScriptFolder};
use std::sync::Arc;
use tokio::sync::mpsc;

/// Reads them, and has the world play by them. `Err`: what is wrong with them, and nothing was changed.
pub async fn reload(engine: &Arc<Engine>, folder: ScriptFolder) -> Result<Option<AdminAnswer>, Reloaded> {
    let wrong = |problems| Reloaded { problems, ..Reloaded::default() };
    let read = tokio::task::spawn_blocking(move || folder.read()).await;
    let sources =
        read.map_err(|error| wrong(vec![format!("the folder could not be read: {error}")]))?.map_err(wrong)?;
    Ok(engine.admin(AdminCall::Scripts { sources }).await)
}

/// Reads them for each who asks, by name, until the server ends.
pub async fn answer(engine: Arc<Engine>, folder: ScriptFolder, mut asking: mpsc::UnboundedReceiver<String>) {
    while let Some(by) = asking.recv().await {
        let text = match reload(&engine, folder.clone()).await {
            Err(wrong) => wrong.to_string(),
            Ok(Some(AdminAnswer::Scripts(changed))) => Reloaded::of(&changed).to_string(),
            Ok(Some(AdminAnswer::NoRoom)) => "The disk is full; nothing is done until there is room again.".to_string(),
            Ok(_) => "The server is stopping.".to_string(),
        };
        engine.tell(by, text);
    }
}
