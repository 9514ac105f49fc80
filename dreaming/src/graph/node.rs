//! What nodes and edges are.

use super::event::EventBody;
use super::kind::{EdgeKind, NodeKind};
use super::names::{ME, NameId};
use super::tally::Tally;
pub use mind::legacy::{Sort, Verdict};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

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
    pub(crate) fn restore(seqs: &[u64], count: u32) -> Option<Evidence> {
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
    /// Encounters: times met. Of a room: how often the owner came to it, at least.
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
    /// What happened with it or in it since then, counted. Of items nothing is.
    pub counted_from: i64,
    pub tally: Tally,
}

/// What an insight of another comes down to, to be set against one's own.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Lesson {
    /// The key of whom or what it is about, and the class that is part of: `principles::class_of`.
    pub about: Arc<str>,
    pub class: Arc<str>,
    pub verdict: Verdict,
}

#[derive(Clone, Debug)]
pub struct ReflectionBody {
    pub sort: Sort,
    /// `reflection:mob:3001`, `why:lose:mob:3001`.
    pub key: Arc<str>,
    pub about: NameId,
    pub text: Arc<str>,
    pub valence: f64,
    pub at_ms: i64,
    pub tick: u64,
    pub visits: u32,
    /// Rising; the newest, at most `reflect::EVIDENCE_MAX`. Of another agent's log where it is inherited.
    pub evidence: Vec<u64>,
    /// What it says, counted since `counted_from`.
    pub tally: Tally,
    pub counted_from: i64,
    /// Hands that it has gone through.
    pub wisdom: u32,
    /// Of whoever found it, where it was handed down: 0 for one who had inherited nothing.
    pub generation: u32,
    /// What it comes down to, where it is an insight of another.
    pub lesson: Option<Box<Lesson>>,
    /// Ids of the insights that a principle was drawn from.
    pub cites: Vec<Arc<str>>,
    /// Whose insight it was, where it is not the owner's.
    pub from_agent: Option<Arc<str>>,
}

impl ReflectionBody {
    /// One that its owner has just drawn itself: nothing is counted or cited yet.
    pub fn drawn(
        sort: Sort,
        key: Arc<str>,
        about: NameId,
        text: Arc<str>,
        (at_ms, tick): (i64, u64),
    ) -> ReflectionBody {
        ReflectionBody {
            sort,
            key,
            about,
            text,
            valence: 0.0,
            at_ms,
            tick,
            visits: 1,
            evidence: Vec::new(),
            tally: Tally::default(),
            counted_from: at_ms,
            wisdom: 0,
            generation: 0,
            lesson: None,
            cites: Vec::new(),
            from_agent: None,
        }
    }
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

    /// Bytes of what was said in an event. What insights say is of one length and counts with the node.
    pub(crate) fn words(&self) -> usize {
        match &self.body {
            Body::Event(event) => event.text.as_ref().map_or(0, |text| text.len()),
            _ => 0,
        }
    }

    /// Whether it was handed down: such a memory does not fade.
    pub fn is_handed_down(&self) -> bool {
        matches!(&self.body, Body::Reflection(body) if body.from_agent.is_some())
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
