//! What of the settings is read again while the server runs, for SIGHUP and for `POST /admin/reload`: certificates, the
//! filter of the log, the origins of pages, bans, the listing. The list is [`Reloader::reload`].
//!
//! What the world reads is not taken: a replay would not know of it, so it waits for a hot restart, and is told.
//! Invariants: each part is taken whole or stays as it was; whatever is wrong, the server goes on; no value of a
//! setting is told, because one of them holds a password.

use super::playable::read_playable;
use crate::args::RunArgs;
use crate::limits::Bans;
use crate::lobby::{Asking, Lobby, Retaken, SettingsReader};
use crate::logging;
use crate::moderation;
use crate::restart::Signals;
use crate::transports::browser_origin::Origins;
use crate::transports::tls::Certificate;
use anyhow::Context;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::Arc;

/// Keys of what is taken up here. `public-url` is an origin, and a line of the listing.
const TAKEN: [&str; 5] = ["allowed-origin", "log", "public-url", "tls-cert", "tls-key"];

/// The settings as they were read.
pub struct ReadSettings {
    pub args: RunArgs,
    /// What each key is set to, by name.
    pub values: BTreeMap<String, String>,
}

/// How settings are read again, and what they are now.
pub struct Settings {
    pub read: fn() -> anyhow::Result<ReadSettings>,
    pub now: BTreeMap<String, String>,
}

pub struct Reloader {
    pub settings: Settings,
    pub args: RunArgs,
    /// The one in use.
    pub certificate: Option<Certificate>,
    pub origins: Arc<Origins>,
    pub lobby: Arc<Lobby>,
    /// Fingerprints of the world and of the rule book as they were read at the start. What was edited since is in
    /// neither.
    pub started_with: (u64, u64),
}

/// Has settings read again at each SIGHUP; the log is the answer.
pub async fn on_signal(signals: &Signals, settings: &SettingsReader) -> Infallible {
    loop {
        signals.reload().await;
        // Nobody reads them any more where the server is stopping.
        let _logged = settings.reload().await;
    }
}

impl Reloader {
    /// Answers whoever asks, one after the other, until the server ends.
    pub async fn run(mut self, mut asking: Asking) {
        while let Some(answer) = asking.recv().await {
            let retaken = self.reload().await;
            let Retaken { taken, needs_restart, problems, .. } = &retaken;
            tracing::info!(
                taken = taken.join(", "),
                needs_restart = needs_restart.join(", "),
                "settings are read again"
            );
            for problem in problems {
                tracing::error!("{problem}");
            }
            // It may have hung up meanwhile.
            let _unheard = answer.send(retaken);
        }
    }

    async fn reload(&mut self) -> Retaken {
        let mut came = Retaken::default();
        match (self.settings.read)() {
            Ok(read) => {
                came.needs_restart = changed(&self.settings.now, &read.values);
                self.args = read.args;
            }
            Err(error) => came.problems.push(format!("The settings stay as they were: {error:#}.")),
        }
        self.take_certificate(&mut came);
        came.note("log filter", logging::refilter(&self.args.log));
        let pages = &self.args.transports;
        self.origins.set(pages.allowed_origin.clone(), pages.public_url.clone());
        came.note("origins", Ok(()));
        came.note("bans", self.read_bans().await);
        self.take_listing(&mut came).await;
        came.ok = came.problems.is_empty();
        came
    }

    /// Listeners are opened at a start only, and closed at its end.
    fn take_certificate(&self, came: &mut Retaken) {
        match (&self.certificate, self.args.tls.load()) {
            (Some(running), Ok(Some(read))) => {
                running.become_like(&read);
                came.note("certificate", Ok(()));
            }
            (None, Ok(None)) => {}
            (_, Ok(_)) => came.needs_restart.extend(["tls-cert", "tls-key"].map(str::to_owned)),
            (_, Err(error)) => came.note("certificate", Err(error)),
        }
    }

    async fn read_bans(&self) -> anyhow::Result<()> {
        let bans: &Bans = &self.lobby.bans;
        Ok(moderation::load(self.lobby.accounts.store(), bans).await?)
    }

    /// The files are those of the world that runs: another folder waits for a restart.
    async fn take_listing(&self, came: &mut Retaken) {
        let args = self.args.clone();
        let read = tokio::task::spawn_blocking(move || read_playable(&args)).await.context("reading the world");
        match read.and_then(|read| read) {
            Ok((content, rules)) => {
                let others = [
                    ("the world's files", content.fingerprint() != self.started_with.0),
                    ("the rule book's files", rules.fingerprint() != self.started_with.1),
                ];
                came.needs_restart
                    .extend(others.iter().filter(|(_, is_other)| *is_other).map(|(what, _)| (*what).into()));
                self.lobby.published.set_listing(content.listing);
                self.lobby.published.set_host(self.args.transports.public_host());
                came.note("listing", Ok(()));
            }
            Err(error) => came.note("listing", Err(error)),
        }
    }
}

impl Retaken {
    /// Notes what became of one part.
    fn note(&mut self, part: &str, came: anyhow::Result<()>) {
        match came {
            Ok(()) => self.taken.push(part.to_owned()),
            Err(error) => self.problems.push(format!("The {part} stays as it was: {error:#}.")),
        }
    }
}

/// Keys that are set to something else, or to something at last, and are not taken up here.
fn changed(now: &BTreeMap<String, String>, read: &BTreeMap<String, String>) -> Vec<String> {
    let keys: BTreeSet<&String> = now.keys().chain(read.keys()).collect();
    let others = keys.into_iter().filter(|key| now.get(*key) != read.get(*key) && !TAKEN.contains(&key.as_str()));
    others.cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_taken_is_named_without_its_value() {
        let set =
            |pairs: &[(&str, &str)]| pairs.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        let now = set(&[("log", "info"), ("tick-ms", "2000"), ("db", "postgres://a:hush@b/c"), ("seed", "7")]);
        let read = set(&[("log", "debug"), ("tick-ms", "500"), ("db", "postgres://a:rush@b/c"), ("start-room", "3")]);
        assert_eq!(changed(&now, &read), ["db", "seed", "start-room", "tick-ms"]);
        assert!(changed(&now, &now).is_empty());
    }
}
