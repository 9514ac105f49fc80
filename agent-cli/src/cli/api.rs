//! Calls to the server beside the game: its address, and a client that trusts whom the settings trust.

use crate::cleartext::Kind;
use crate::config::Config;
use crate::server_address::{self, ServerAddress};
use std::time::Duration;

/// How long a call takes at most.
const PATIENCE: Duration = Duration::from_secs(15);

/// An address below that of the server.
pub(super) fn url(config: &Config, rest: &str) -> String {
    let scheme = if config.game_tls { "https" } else { "http" };
    server_address::url(scheme, &config.game_host, config.game_port, rest)
}

/// A text as a part of an address.
pub(super) fn escape(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.~".contains(&b);
    text.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// A client for this address, which carries a secret of this kind.
pub(super) fn client(config: &Config, url: &str, secret: Kind) -> anyhow::Result<reqwest::Client> {
    // What cannot be used of the settings is told as it is when playing.
    ServerAddress::of(config)?;
    let mut builder = crate::model::http::builder(url).timeout(PATIENCE);
    if let Some(path) = &config.game_ca {
        let trusted = server_address::certificates(path)?;
        let trusted: Result<Vec<_>, _> = trusted.iter().map(|one| reqwest::Certificate::from_der(one)).collect();
        builder = builder.tls_certs_only(trusted?);
    }
    if !config.insecure {
        builder = secret.guard(builder, &reqwest::Url::parse(url)?)?;
    }
    Ok(builder.build()?)
}

/// What went wrong, in words that say what to do where the server cannot be trusted.
pub(super) fn failure(config: &Config, error: reqwest::Error) -> anyhow::Error {
    match server_address::untrusted(&error, &config.game_host) {
        Some(untrusted) => untrusted.into(),
        None => error.into(),
    }
}
