//! What a client says of itself at login, cut to what is kept.

use crate::store::sessions::{FEATURES_MAX, client_text};
use serde::{Deserialize, Serialize};

/// What a client said of itself at login.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ClientInfo {
    pub harness: Option<String>,
    pub model: Option<String>,
    pub version: Option<String>,
    pub tier: Option<String>,
    pub valence: Option<bool>,
    pub features: Vec<String>,
    /// It does not want to take the character from another connection.
    pub yields: bool,
}

impl ClientInfo {
    /// What a login frame says; texts are cut to what is kept.
    pub fn of(login: &protocol::frame::Login) -> ClientInfo {
        let cut = |text: &String| client_text(text);
        ClientInfo {
            harness: login.harness.as_ref().map(cut),
            model: login.model.as_ref().map(cut),
            version: login.version.as_ref().map(cut),
            tier: login.tier.as_ref().map(cut),
            valence: login.valence,
            features: login.features.iter().take(FEATURES_MAX).map(cut).collect(),
            yields: login.takeover == Some(false),
        }
    }
}
