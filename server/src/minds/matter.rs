//! What comes to a mind from the world: what it was asked, and what truly happened to it.
//!
//! Invariants: within one report the matters of a character stand in the order of their numbers, as the world gave them
//! out; who only asks takes none and stands before the number that would be next. The same input makes the same matters
//! in a replay, the value of what happened among them: so a recovery writes what would have been written.

use crate::store::canonical;
use mind::{Entry, Event};
use protocol::happening::Happening;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use world::report::{MindRequest, Recorded, Report, Request as Asked};
use world::{CharacterId, InputNumber};

/// A request as the journal brings it back: what was asked, and by which input.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Request {
    /// Canonical.
    pub name: String,
    pub verb: String,
    pub args: String,
    /// The first of the numbers that are set aside for its entries, and how many; 0: it only asks.
    pub first: u64,
    pub numbers: u8,
    pub number: InputNumber,
    pub tick: u64,
    /// When the input came, unix milliseconds: the same in a replay, as the journal has it.
    pub at_ms: i64,
    /// As `MindRequest::present`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub present: Vec<String>,
}

impl Request {
    pub fn new(asked: &MindRequest, number: InputNumber, tick: u64, at_ms: i64) -> Request {
        Request {
            name: canonical(&asked.name),
            verb: asked.verb.to_string(),
            args: asked.args.to_string(),
            first: asked.first,
            numbers: asked.numbers,
            number,
            tick,
            at_ms,
            present: asked.present.iter().map(|key| key.to_string()).collect(),
        }
    }

    /// The last of its numbers.
    pub(super) fn last(&self) -> u64 {
        (self.first + u64::from(self.numbers)).saturating_sub(1)
    }
}

/// Something that truly happened to one character, for its log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Record {
    /// Canonical.
    pub name: String,
    pub seq: u64,
    pub number: InputNumber,
    pub tick: u64,
    /// When the input came, unix milliseconds: the same in a replay, as the journal has it.
    pub at_ms: i64,
    /// With its valence.
    pub happening: Box<Happening>,
}

impl Record {
    /// Of what the world says; appraised, where the world does not say that nothing is worth anything to this one.
    pub fn new(recorded: Recorded, number: InputNumber, tick: u64, at_ms: i64) -> Record {
        let Recorded { name, seq, mut happening, .. } = recorded;
        let valence = happening.valence.unwrap_or_else(|| mind::appraisal::appraise(&happening).valence);
        happening.valence = Some(valence);
        Record { name: canonical(&name), seq, number, tick, at_ms, happening }
    }

    /// As the log has it.
    pub fn entry(&self) -> Entry {
        let event = Event::Happening(self.happening.clone());
        Entry { seq: self.seq, tick: self.tick, at_ms: self.at_ms, turn: self.number, event }
    }
}

/// What comes to a mind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Matter {
    Asked(Arc<Request>),
    Happened(Arc<Record>),
}

impl Matter {
    /// All that a report has for minds, with whose it is. What was recorded is taken out of the report.
    pub fn of(report: &mut Report, at_ms: i64) -> Vec<(CharacterId, Matter)> {
        let (number, tick) = (report.number, report.tick);
        let recorded = std::mem::take(&mut report.recorded);
        let mut matters = Vec::with_capacity(recorded.len());
        for asked in &report.requests {
            if let Asked::Mind(asked) = asked {
                let request = Request::new(asked, number, tick, at_ms);
                matters.push((asked.who, Matter::Asked(Arc::new(request))));
            }
        }
        let in_order = matters.is_empty();
        for recorded in recorded {
            let who = recorded.who;
            matters.push((who, Matter::Happened(Arc::new(Record::new(recorded, number, tick, at_ms)))));
        }
        if !in_order {
            // Stable: who only asks stays before the record that got the number.
            matters.sort_by_key(|(_, matter)| matter.first());
        }
        matters
    }

    /// Those of them that may write.
    pub fn of_replayed(report: &mut Report, at_ms: i64) -> impl Iterator<Item = Matter> {
        Matter::of(report, at_ms).into_iter().map(|(_, matter)| matter).filter(Matter::may_write)
    }

    /// Whose it is, canonical.
    pub fn name(&self) -> &str {
        match self {
            Matter::Asked(request) => &request.name,
            Matter::Happened(record) => &record.name,
        }
    }

    /// The first of its numbers, or the next one where it only asks.
    pub fn first(&self) -> u64 {
        match self {
            Matter::Asked(request) => request.first,
            Matter::Happened(record) => record.seq,
        }
    }

    /// The last of its numbers.
    pub fn last(&self) -> u64 {
        match self {
            Matter::Asked(request) => request.last(),
            Matter::Happened(record) => record.seq,
        }
    }

    /// The input that brought it.
    pub fn number(&self) -> InputNumber {
        match self {
            Matter::Asked(request) => request.number,
            Matter::Happened(record) => record.number,
        }
    }

    pub fn at_ms(&self) -> i64 {
        match self {
            Matter::Asked(request) => request.at_ms,
            Matter::Happened(record) => record.at_ms,
        }
    }

    pub fn may_write(&self) -> bool {
        match self {
            Matter::Asked(request) => request.numbers > 0,
            Matter::Happened(_) => true,
        }
    }

    pub(super) fn is_record(&self) -> bool {
        matches!(self, Matter::Happened(_))
    }
}

/// In the order in which a start takes them up: each character's by rising numbers.
pub fn in_order(matters: &mut [Matter]) {
    matters.sort_by(|a, b| (a.name(), a.first()).cmp(&(b.name(), b.first())));
}
