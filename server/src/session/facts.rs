//! Who a session is: what stands beside each of its commands in the records.

use crate::client_info::ClientInfo;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

/// What is the same for all commands of one session.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct SessionFacts {
    /// Canonical.
    pub name: Arc<str>,
    /// What the client said of itself.
    pub harness: Option<Arc<str>>,
    pub model: Option<Arc<str>>,
    pub version: Option<Arc<str>>,
    /// A session in which nothing is worth anything, since it asked for one or its character is of the flat arm:
    /// records have valence 0, and what was recorded before is remembered with 0.
    pub valence_off: bool,
    /// Id of the session record; it is written when the character is in the world already, so it comes a little later.
    #[serde(skip)]
    pub record: OnceLock<i64>,
}

impl SessionFacts {
    /// Of a session that has no record yet. `name`: canonical.
    pub fn of(name: &str, client: &ClientInfo) -> SessionFacts {
        let shared = |text: &Option<String>| text.as_deref().map(Arc::from);
        SessionFacts {
            name: name.into(),
            harness: shared(&client.harness),
            model: shared(&client.model),
            version: shared(&client.version),
            valence_off: client.valence == Some(false),
            record: OnceLock::new(),
        }
    }
}
