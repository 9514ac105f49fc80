//! Who looked at whose mind, and what operators did, kept in the table `audit`. One act is one row; a row that cannot
//! be written stops nobody, and is in the log of the server.

use crate::store::Store;
use crate::store::audit::{self, Entry};
use crate::times::unix_ms;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Who has the admin token.
pub const OPERATOR: &str = "operator";
/// Characters of a target and of a detail that are kept.
const CHARS_MAX: usize = 500;

/// Where it was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A call of `/api/v1`.
    Api,
    /// A call of `/admin`.
    Admin,
    /// A verb.
    Game,
}

impl Origin {
    const fn name(self) -> &'static str {
        match self {
            Origin::Api => "api",
            Origin::Admin => "admin",
            Origin::Game => "game",
        }
    }
}

/// So long the same look of the same person is one act.
const ONE_LOOK: Duration = Duration::from_secs(10 * 60);

/// Looks that are noted already: who looked, at what of whom.
#[derive(Debug, Default)]
pub(crate) struct Looks(Mutex<BTreeMap<[String; 3], Instant>>);

impl Looks {
    /// Whether it is another act than what that person has looked at of late.
    pub fn is_new(&self, actor: &str, what: &str, name: &str) -> bool {
        let now = Instant::now();
        let mut noted = self.0.lock();
        noted.retain(|_, since| now.duration_since(*since) < ONE_LOOK);
        let look = [actor, what, name].map(str::to_string);
        let is_new = !noted.contains_key(&look);
        if is_new {
            noted.insert(look, now);
        }
        is_new
    }
}

fn kept(text: &str) -> String {
    protocol::names::clean_text(text).chars().take(CHARS_MAX).collect()
}

pub async fn note(store: &Store, actor: &str, origin: Origin, action: &str, target: &str, detail: &str) {
    let (target, detail) = (kept(target), kept(detail));
    let (at, actor, action) = (unix_ms(), actor.to_string(), action.to_string());
    let entry = Entry { at, actor, origin: origin.name(), action, target, detail };
    if let Err(error) = audit::add(store, &entry).await {
        // Neither whom it was done to nor its words: logs are read by more people than the table is.
        let Entry { at, action, .. } = &entry;
        tracing::error!(%error, at, action, origin = origin.name(), "what an operator did was not noted");
    }
}

#[cfg(test)]
mod tests {
    use super::Looks;

    #[test]
    fn a_page_that_stays_open_is_one_look() {
        let looks = Looks::default();
        assert!(looks.is_new("operator", "mind.hud", "wren"));
        assert!(!looks.is_new("operator", "mind.hud", "wren"));
        let others =
            [("maud", "mind.hud", "wren"), ("operator", "decisions", "wren"), ("operator", "mind.hud", "rook")];
        for (actor, what, name) in others {
            assert!(looks.is_new(actor, what, name), "{actor} {what} {name}");
        }
    }
}
