//! A line of the feed, as it is told.

use crate::engine::{Deed, Notable};
use protocol::outcome::Who;
use serde::Serialize;
use utoipa::ToSchema;

/// A death, a level, or a mob that was killed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct Happened {
    /// Rises, from 1 at the start of the server.
    pub id: u64,
    pub tick: u64,
    /// `died`, `rose` or `killed`.
    pub what: &'static str,
    /// The key and the name of the player.
    pub key: String,
    pub name: String,
    /// Of `rose`: the new level.
    pub level: Option<u16>,
    /// Of `died`: by whom; of `killed`: whom. `null`: by nobody, or by one whom the viewer does not see.
    pub other: Option<String>,
}

impl Happened {
    pub(super) fn all(one: &Notable) -> Happened {
        let (level, other) = match &one.deed {
            Deed::Died(killer) => (None, killer.as_ref()),
            Deed::Rose(level) => (Some(*level), None),
            Deed::Killed(mob) => (None, Some(mob)),
        };
        let other = other.map(|who| who.name.to_string());
        Happened {
            id: one.id,
            tick: one.tick,
            what: Happened::kind(&one.deed),
            key: key_of(&one.who),
            name: one.who.name.to_string(),
            level,
            other,
        }
    }

    /// As somebody reads it who sees no mobs, and perhaps the player who killed; `None`: it is of mobs alone.
    pub(super) fn without_mobs(one: &Notable, sees_killer: bool) -> Option<Happened> {
        if matches!(one.deed, Deed::Killed(_)) {
            return None;
        }
        let mut happened = Happened::all(one);
        happened.other = happened.other.filter(|_| sees_killer);
        Some(happened)
    }

    pub(super) fn kind(deed: &Deed) -> &'static str {
        match deed {
            Deed::Died(_) => "died",
            Deed::Rose(_) => "rose",
            Deed::Killed(_) => "killed",
        }
    }
}

/// The key of a player.
pub(super) fn key_of(who: &Who) -> String {
    who.id.strip_prefix("player_").unwrap_or_default().to_string()
}
