//! What a client says of itself at login, as it is kept: in the record of its session, beside each of its commands, and
//! over a restart.

use serde::{Deserialize, Serialize};

/// Longest text that a client may say of itself, characters, and how many features it may name; the rest is not kept.
pub const CLIENT_TEXT_MAX: usize = 100;
const FEATURES_MAX: usize = 16;

/// What a client said of itself at login.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientInfo {
    pub harness: Option<String>,
    pub model: Option<String>,
    pub version: Option<String>,
    pub tier: Option<String>,
    pub valence: Option<bool>,
    pub features: Vec<String>,
    /// It does not want to take the character from another connection. A wish of that login alone, which is not kept.
    #[serde(skip)]
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

/// A text of a client, cut, and without what PostgreSQL cannot store.
pub fn client_text(text: &str) -> String {
    text.chars().filter(|letter| *letter != '\0').take(CLIENT_TEXT_MAX).collect()
}
