//! What nodes and edges are.

use super::{ME, NOBODY, NameId};
use protocol::happening::{Role, Tone, What};
use protocol::outcome::DoorChange;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeKind {
    Event,
    Entity,
    Room,
    Item,
    Reflection,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// event → room
    OccurredIn,
    /// event → entity or item
    Involved,
    /// room → room, walked
    TransitionedTo,
    /// entity → entity
    Killed,
    /// item → entity that it came from
    TookFrom,
    /// entity → entity
    Fought,
    /// entity → entity: gifts, help, words, betrayal
    Social,
    /// event → the last event of the same kind with the same other, while that is remembered
    SimilarTo,
    /// reflection → event of its evidence that is remembered
    DerivedFrom,
}

/// The kind of an event, without its actors.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deed {
    Killed,
    Assisted,
    Fought,
    Fled,
    Wounded,
    Acquired,
    Dropped,
    UsedUp,
    Given,
    Stolen,
    Bought,
    Sold,
    Betrayed,
    Healed,
    Rescued,
    Grouped,
    Defended,
    Cooperated,
    Parted,
    Said,
    SaidKindly,
    Insulted,
    Threatened,
    Met,
    RoomSeen,
    LevelGained,
    DoorOpened,
    DoorClosed,
    DoorLocked,
    DoorUnlocked,
}

impl Deed {
    pub fn of(what: &What) -> Deed {
        use protocol::happening::Help;
        match what {
            What::Killed { .. } => Deed::Killed,
            What::Assisted { .. } => Deed::Assisted,
            What::Fought { .. } => Deed::Fought,
            What::Fled { .. } => Deed::Fled,
            What::Wounded { .. } => Deed::Wounded,
            What::Acquired { .. } => Deed::Acquired,
            What::Dropped { .. } => Deed::Dropped,
            What::UsedUp { .. } => Deed::UsedUp,
            What::Given { .. } => Deed::Given,
            What::Stolen { .. } => Deed::Stolen,
            What::Bought { .. } => Deed::Bought,
            What::Sold { .. } => Deed::Sold,
            What::Betrayed { .. } => Deed::Betrayed,
            What::Helped { how: Help::Healed, .. } => Deed::Healed,
            What::Helped { how: Help::Rescued, .. } => Deed::Rescued,
            What::Helped { how: Help::Grouped, .. } => Deed::Grouped,
            What::Helped { how: Help::Defended, .. } => Deed::Defended,
            What::Helped { how: Help::Cooperated, .. } => Deed::Cooperated,
            What::Parted { .. } => Deed::Parted,
            What::Spoke { tone: Tone::Neutral, .. } => Deed::Said,
            What::Spoke { tone: Tone::Kind, .. } => Deed::SaidKindly,
            What::Spoke { tone: Tone::Insult, .. } => Deed::Insulted,
            What::Spoke { tone: Tone::Threat, .. } => Deed::Threatened,
            What::Met { .. } => Deed::Met,
            What::RoomSeen { .. } => Deed::RoomSeen,
            What::LevelGained { .. } => Deed::LevelGained,
            What::Door { state: DoorChange::Opened, .. } => Deed::DoorOpened,
            What::Door { state: DoorChange::Closed, .. } => Deed::DoorClosed,
            What::Door { state: DoorChange::Locked, .. } => Deed::DoorLocked,
            What::Door { state: DoorChange::Unlocked, .. } => Deed::DoorUnlocked,
        }
    }

    /// Whether it was a fight with the other one.
    pub const fn is_fight(self) -> bool {
        matches!(self, Deed::Killed | Deed::Assisted | Deed::Fought | Deed::Fled | Deed::Wounded)
    }

    pub const fn is_help(self) -> bool {
        matches!(self, Deed::Healed | Deed::Rescued | Deed::Grouped | Deed::Defended | Deed::Cooperated)
    }

    /// Whether it lies between two who may like each other or not.
    pub const fn is_social(self) -> bool {
        use Deed::*;
        self.is_help() || matches!(self, Given | Stolen | Betrayed | Parted | Said | SaidKindly | Insulted | Threatened)
    }
}

/// The seqs that something stands on: the first, and the newest ones. In one piece, as there are many of these.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    pub first: u64,
    /// Rising, without the first; only the first `kept` count.
    latest: [u64; Evidence::LATEST_MAX],
    kept: u8,
    /// How many there were in all.
    pub count: u32,
}

impl Evidence {
    pub const LATEST_MAX: usize = 7;

    pub fn new(seq: u64) -> Evidence {
        Evidence { first: seq, latest: [0; Evidence::LATEST_MAX], kept: 0, count: 1 }
    }

    /// What a document says: `seqs` as `Evidence::seqs` gave them; None without any.
    pub(super) fn restore(seqs: &[u64], count: u32) -> Option<Evidence> {
        let (first, latest) = seqs.split_first()?;
        let newest = &latest[latest.len().saturating_sub(Self::LATEST_MAX)..];
        let mut evidence = Evidence { kept: newest.len() as u8, count, ..Evidence::new(*first) };
        evidence.latest[..newest.len()].copy_from_slice(newest);
        Some(evidence)
    }

    pub fn add(&mut self, seq: u64) {
        if seq == self.last() {
            return;
        }
        self.count = self.count.saturating_add(1);
        let kept = usize::from(self.kept);
        if kept == Self::LATEST_MAX {
            self.latest.copy_within(1.., 0);
            self.latest[kept - 1] = seq;
        } else {
            self.latest[kept] = seq;
            self.kept += 1;
        }
    }

    /// Rising.
    pub fn seqs(&self) -> Vec<u64> {
        std::iter::once(self.first).chain(self.latest[..usize::from(self.kept)].iter().copied()).collect()
    }

    pub fn last(&self) -> u64 {
        match self.kept {
            0 => self.first,
            kept => self.latest[usize::from(kept) - 1],
        }
    }
}

/// One memory. `strength` is its salience on the day `night`, before that night.
#[derive(Clone, Debug)]
pub struct Node {
    pub strength: f64,
    pub night: i32,
    /// The night in which it is to be looked at, no later than the one in which it will have faded. Follows from the
    /// rest; kept by `Dreamer`.
    pub(crate) due: i32,
    pub body: Body,
}

#[derive(Clone, Debug)]
pub enum Body {
    Event(EventBody),
    /// An entity, a room or an item.
    Thing(Box<ThingBody>),
    Reflection(Box<ReflectionBody>),
    Gone,
}

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
    /// What was said; the direction of a door.
    pub text: Option<Arc<str>>,
    /// The seq of the last event of the same kind with the same other; 0: none was remembered then.
    pub alike: u64,
}

impl EventBody {
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

/// A deed that sticks to somebody even when the event itself has faded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Mark {
    pub seq: u64,
    pub at_ms: i64,
}

#[derive(Clone, Debug)]
pub struct ThingBody {
    pub name: NameId,
    pub kind: NodeKind,
    /// Blend of what happened with it, −3..=3.
    pub valence: f64,
    /// Blend of what it did to the owner, −3..=3.
    pub liking: f64,
    /// Records that said something of that.
    pub likes: u32,
    /// Encounters: times met.
    pub visits: u32,
    pub first_at: i64,
    pub last_at: i64,
    pub last_tick: u64,
    /// Where it was last; `NOBODY` for rooms.
    pub room: NameId,
    /// The last instance met, where one is known.
    pub instance: Arc<str>,
    /// The newest betrayal by it, and the newest time that it saved the owner.
    pub betrayed: Option<Mark>,
    pub saved: Option<Mark>,
    pub evidence: Evidence,
}

#[derive(Clone, Debug)]
pub struct ReflectionBody {
    /// `reflection:mob:3001`.
    pub key: Arc<str>,
    pub about: NameId,
    pub text: Arc<str>,
    pub valence: f64,
    pub at_ms: i64,
    pub tick: u64,
    pub visits: u32,
    /// Rising; the newest, at most `reflect::EVIDENCE_MAX`. Of another agent's log where it is inherited.
    pub evidence: Vec<u64>,
    pub tally: crate::reflect::Tally,
    /// Generations that it has been handed down.
    pub wisdom: u8,
    /// Whose insight it was, where it is not the owner's.
    pub from_agent: Option<Arc<str>>,
}

impl Node {
    pub fn new(strength: f64, night: i32, body: Body) -> Node {
        Node { strength, night, due: i32::MAX, body }
    }

    pub fn kind(&self) -> Option<NodeKind> {
        match &self.body {
            Body::Event(_) => Some(NodeKind::Event),
            Body::Thing(thing) => Some(thing.kind),
            Body::Reflection(_) => Some(NodeKind::Reflection),
            Body::Gone => None,
        }
    }

    pub fn valence(&self) -> f64 {
        match &self.body {
            Body::Event(event) => f64::from(event.valence),
            Body::Thing(thing) => thing.valence,
            Body::Reflection(reflection) => reflection.valence,
            Body::Gone => 0.0,
        }
    }

    /// |valence| as forgetting counts it. Somebody hated or loved stays, whatever came of the meetings.
    pub fn felt(&self) -> f64 {
        match &self.body {
            Body::Thing(thing) => thing.valence.abs().max(thing.liking.abs()),
            _ => self.valence().abs(),
        }
    }

    pub fn is_me(&self) -> bool {
        matches!(&self.body, Body::Thing(thing) if thing.name == ME)
    }

    pub fn last_at(&self) -> i64 {
        match &self.body {
            Body::Event(event) => event.at_ms,
            Body::Thing(thing) => thing.last_at,
            Body::Reflection(reflection) => reflection.at_ms,
            Body::Gone => i64::MIN,
        }
    }
}

/// An edge. Between names it counts records (`link`); an edge of an event stands on that event alone.
#[derive(Clone, Debug)]
pub struct Edge {
    pub kind: EdgeKind,
    pub link: Option<Box<Link>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Link {
    /// Records that it stands on.
    pub weight: u32,
    pub first_at: i64,
    pub last_at: i64,
    pub evidence: Evidence,
}
