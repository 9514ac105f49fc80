//! Scripts that immortals have read again in the game (`reload scripts`). What comes of it is told there.

use crate::engine::{AdminAnswer, AdminCall, Engine};
use crate::script_files::{Reloaded, ScriptFolder};
use std::sync::Arc;
use tokio::sync::mpsc;

/// Reads them for each who asks, by name, until the server ends.
pub async fn answer(engine: Arc<Engine>, folder: ScriptFolder, mut asking: mpsc::UnboundedReceiver<String>) {
    while let Some(by) = asking.recv().await {
        let folder = folder.clone();
        let text = match tokio::task::spawn_blocking(move || folder.read()).await {
            Ok(Err(problems)) => Reloaded { problems, ..Reloaded::default() }.to_string(),
            Ok(Ok(sources)) => match engine.admin(AdminCall::Scripts { sources }).await {
                Some(AdminAnswer::Scripts(changed)) => {
                    let changed = changed.iter().map(ToString::to_string).collect();
                    Reloaded { ok: true, changed, ..Reloaded::default() }.to_string()
                }
                Some(AdminAnswer::NoRoom) => "The disk is full; nothing is done until there is room again.".to_string(),
                _ => "The server is stopping.".to_string(),
            },
            Err(error) => format!("The folder could not be read: {error}."),
        };
        engine.tell(by, text);
    }
}
