//! What is found out about minds beside the world becomes an input of it, so that the journal has it, and a replay and
//! a fork too.

use crate::engine::{AdminCall, Engine};
use crate::legacies;
use crate::minds::Find;
use crate::store::Store;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Makes inputs of what is found out until the server ends. Of who is not in the world any more nothing comes.
pub async fn note(engine: Arc<Engine>, store: Store, mut finds: mpsc::UnboundedReceiver<Find>) {
    while let Some(find) = finds.recv().await {
        let call = match find {
            Find::Line { name, verb, args } => AdminCall::Found { name, verb: verb.into(), args: args.as_str().into() },
            Find::Open { name, open } => AdminCall::FoundOpen { name, open },
            Find::Read { name } => {
                if let Err(error) = legacies::deliver(&engine, &store, &name).await {
                    tracing::warn!(name, error = %format!("{error:#}"), "what was handed down waits on");
                }
                continue;
            }
        };
        let _done = engine.admin(call).await;
    }
}
