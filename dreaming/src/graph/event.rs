//! An event as the graph keeps it: names by their numbers, and what it was worth.

use super::circumstances::Circumstances;
use super::names::{ME, NOBODY, NameId};
use mind::happenings::Deed;
use protocol::happening::Role;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct EventBody {
    pub seq: u64,
    pub at_ms: i64,
    pub tick: u64,
    /// 0: none.
    pub social_event_id: u64,
    pub session: u32,
    pub doer: NameId,
    pub sufferer: NameId,
    pub third: NameId,
    pub item: NameId,
    pub room: NameId,
    /// Percent of hit points, the new level, gold or price, by the deed; −1: none.
    pub number: i32,
    pub deed: Deed,
    pub role: Role,
    pub valence: i8,
    pub importance: u8,
    /// Of what ended well or ill.
    pub circumstances: Circumstances,
    /// What was said; the direction of a door.
    pub text: Option<Arc<str>>,
    /// The seq of the last event of the same kind with the same other; 0: none was remembered then.
    pub alike: u64,
}

impl EventBody {
    /// It is the end of the one who remembers.
    pub fn is_own_death(&self) -> bool {
        self.deed == Deed::Killed && self.role == Role::Suffered
    }

    /// The one it was about who is not the owner; `NOBODY` when it was about nobody.
    pub fn other(&self) -> NameId {
        let other = match (self.doer, self.sufferer) {
            (ME, other) | (other, ME) | (NOBODY, other) | (other, _) => other,
        };
        if other == ME { NOBODY } else { other }
    }

    /// Whom and what it names, each once, the owner too; not its room.
    pub fn things(&self) -> impl Iterator<Item = NameId> + use<> {
        let all = [self.doer, self.sufferer, self.third, self.item];
        (0..all.len())
            .map(move |i| (i, all[i]))
            .filter(move |(i, name)| *name != NOBODY && !all[..*i].contains(name))
            .map(|(_, name)| name)
    }
}
