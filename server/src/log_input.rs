//! What comes to a character's log from the world: what its mind was asked, and what truly happened to it. Plain data,
//! on its way from the core to `minds`, and kept in snapshots until the database has what came of it.
//!
//! Invariants: within one report the inputs of a character stand in the order of their numbers, as the world gave them
//! out; who only asks takes none and stands before the number that would be next. The same input of the world makes the
//! same ones in a replay, the value of what happened among them: so a recovery writes what would have been written.

use mind::{Event, LogEntry, LogId, MindNumber};
use protocol::happening::{Happening, Place};
use protocol::outcome::Who;
use protocol::talk::Talk;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;
use world::report::{MindRequest, Overheard, Reads, Recorded, Report, Request as WorldRequest};
use world::{CharacterId, InputNumber};

/// What a mind is asked, as the journal brings it back too: what, and by which input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    pub log: LogId,
    pub verb: String,
    pub args: String,
    /// The first of the numbers that are set aside for its entries, and how many; 0: it only asks.
    pub first: u64,
    pub numbers: u8,
    pub input: InputNumber,
    pub tick: u64,
    /// When the input came, unix milliseconds: the same in a replay, as the journal has it.
    pub at_ms: i64,
    /// As `MindRequest::present`.
    pub present: Vec<String>,
    /// As `MindRequest::place`.
    pub place: Option<Place>,
    /// As `MindRequest::reads`. Whoever reads writes nothing, so no snapshot has it.
    pub reads: Option<Reads>,
}

impl Request {
    pub fn new(asked: &MindRequest, input: InputNumber, tick: u64, at_ms: i64) -> Request {
        Request {
            log: LogId::of(&asked.name, asked.mind),
            verb: asked.verb.to_string(),
            args: asked.args.to_string(),
            first: asked.first,
            numbers: asked.numbers,
            input,
            tick,
            at_ms,
            present: asked.present.iter().map(|key| key.to_string()).collect(),
            place: asked.place.clone(),
            reads: asked.reads.clone(),
        }
    }

    /// What stands behind `hud at`: the moment at which the mind is to be shown.
    pub fn moment(&self) -> Option<&str> {
        self.hud("at")
    }

    /// What stands behind `hud of`: the word for whose mind is to be shown.
    pub fn of(&self) -> Option<&str> {
        self.hud("of")
    }

    /// What follows this word behind `hud`.
    fn hud(&self, form: &str) -> Option<&str> {
        let args = self.args.trim();
        let (word, rest) = args.split_once(char::is_whitespace).unwrap_or((args, ""));
        (self.verb == "hud" && word.eq_ignore_ascii_case(form)).then_some(rest.trim())
    }

    /// The last of its numbers.
    fn last(&self) -> u64 {
        (self.first + u64::from(self.numbers)).saturating_sub(1)
    }
}

/// The entry of something that happened to a character: appraised, where the world does not say that nothing is worth
/// anything to this one.
pub fn entry_of(recorded: Recorded, input: InputNumber, tick: u64, at_ms: i64) -> LogEntry {
    let Recorded { seq, mut happening, .. } = recorded;
    let valence = happening.valence.unwrap_or_else(|| mind::appraisal::appraise(&happening).valence);
    happening.valence = Some(valence);
    LogEntry { seq, tick, at_ms, input, event: Event::Happening(happening) }
}

/// The entry of words that were heard or said.
fn entry_of_talk(overheard: Overheard, input: InputNumber, tick: u64, at_ms: i64) -> LogEntry {
    let Overheard { seq, talk, .. } = overheard;
    LogEntry { seq, tick, at_ms, input, event: Event::of_talk(*talk) }
}

/// What comes to a log.
#[derive(Clone, PartialEq, Debug)]
pub enum LogInput {
    /// To be answered; what comes of it is written.
    Request(Arc<Request>),
    /// Written as it is: an [`Event::Happening`] with its valence, or words ([`Event::is_talk`]).
    Record(LogId, Arc<LogEntry>),
}

impl LogInput {
    /// All that a report has for logs, with whose it is. What was recorded is taken out of the report.
    pub fn of(report: &mut Report, at_ms: i64) -> Vec<(CharacterId, LogInput)> {
        let (number, tick) = (report.number, report.tick);
        let recorded = std::mem::take(&mut report.recorded);
        let mut inputs = Vec::with_capacity(recorded.len());
        for asked in &report.requests {
            if let WorldRequest::Mind(asked) = asked {
                let request = Request::new(asked, number, tick, at_ms);
                inputs.push((asked.who, LogInput::Request(Arc::new(request))));
            }
        }
        let in_order = inputs.is_empty() && (recorded.is_empty() || report.overheard.is_empty());
        for overheard in std::mem::take(&mut report.overheard) {
            let (who, log) = (overheard.who, LogId::from(&*overheard.name));
            inputs.push((who, LogInput::Record(log, Arc::new(entry_of_talk(overheard, number, tick, at_ms)))));
        }
        for recorded in recorded {
            let (who, log) = (recorded.who, LogId::from(&*recorded.name));
            inputs.push((who, LogInput::Record(log, Arc::new(entry_of(recorded, number, tick, at_ms)))));
        }
        if !in_order {
            // Stable: who only asks stays before the record that got the number.
            inputs.sort_by_key(|(_, input)| input.first());
        }
        inputs
    }

    /// Those of them that may write.
    pub fn of_replayed(report: &mut Report, at_ms: i64) -> impl Iterator<Item = LogInput> {
        LogInput::of(report, at_ms).into_iter().map(|(_, input)| input).filter(LogInput::may_write)
    }

    pub fn log(&self) -> &LogId {
        match self {
            LogInput::Request(request) => &request.log,
            LogInput::Record(log, _) => log,
        }
    }

    /// The first of its numbers, or the next one where it only asks.
    pub fn first(&self) -> u64 {
        match self {
            LogInput::Request(request) => request.first,
            LogInput::Record(_, entry) => entry.seq,
        }
    }

    /// The last of its numbers.
    pub fn last(&self) -> u64 {
        match self {
            LogInput::Request(request) => request.last(),
            LogInput::Record(_, entry) => entry.seq,
        }
    }

    /// Number of the world's input that brought it.
    pub fn input(&self) -> InputNumber {
        match self {
            LogInput::Request(request) => request.input,
            LogInput::Record(_, entry) => entry.input,
        }
    }

    pub fn at_ms(&self) -> i64 {
        match self {
            LogInput::Request(request) => request.at_ms,
            LogInput::Record(_, entry) => entry.at_ms,
        }
    }

    /// Bytes that it takes while it waits, about. Names that others share count too: nobody knows how long they will.
    pub fn bytes(&self) -> usize {
        match self {
            LogInput::Request(request) => {
                let words = request.verb.len() + request.args.len();
                let present: usize = request.present.iter().map(|key| size_of::<String>() + key.len()).sum();
                size_of::<Request>() + words + present
            }
            LogInput::Record(_, entry) => {
                let happening = match &entry.event {
                    Event::Happening(happening) => happening,
                    Event::Heard(heard) => {
                        return size_of::<LogEntry>() + size_of_val(&**heard) + heard.from.len() + heard.text.len();
                    }
                    Event::Said(said) => {
                        return size_of::<LogEntry>() + size_of_val(&**said) + said.text.len();
                    }
                    _ => unreachable!("a record is a happening or talk"),
                };
                let who = |who: &Who| size_of::<Who>() + who.id.len() + who.name.len();
                let witnesses: usize = happening.witnesses.iter().map(who).sum();
                let words = happening.what.text().map_or(0, |text| text.len()) + happening.room.name.len();
                size_of::<LogEntry>() + size_of::<Happening>() + witnesses + words
            }
        }
    }

    pub fn may_write(&self) -> bool {
        match self {
            LogInput::Request(request) => request.numbers > 0,
            LogInput::Record(..) => true,
        }
    }

    pub fn is_record(&self) -> bool {
        matches!(self, LogInput::Record(..))
    }
}

/// In the order in which a start takes them up: each log's by rising numbers.
pub fn in_order(inputs: &mut [LogInput]) {
    inputs.sort_by(|a, b| (a.log(), a.first()).cmp(&(b.log(), b.first())));
}

/// What waits, as snapshots hold it: a list of each kind. The shapes are older than [`LogEntry`] and [`LogId`]; fields
/// are added to them, never renamed.
#[derive(Default, Serialize, Deserialize)]
pub struct Kept<'k> {
    pub minds: Vec<KeptRequest<'k>>,
    pub records: Vec<KeptRecord<'k>>,
    #[serde(default)]
    pub talk: Vec<KeptTalk>,
}

#[derive(Serialize, Deserialize)]
pub struct KeptRequest<'k> {
    name: Cow<'k, str>,
    /// Not there before minds were numbered: the first.
    #[serde(default)]
    mind: MindNumber,
    verb: Cow<'k, str>,
    args: Cow<'k, str>,
    first: u64,
    numbers: u8,
    number: InputNumber,
    tick: u64,
    at_ms: i64,
    #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
    present: Cow<'k, [String]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<Place>,
}

#[derive(Serialize, Deserialize)]
pub struct KeptRecord<'k> {
    name: Cow<'k, str>,
    #[serde(default)]
    mind: MindNumber,
    seq: u64,
    number: InputNumber,
    tick: u64,
    at_ms: i64,
    happening: Cow<'k, Happening>,
}

#[derive(Serialize, Deserialize)]
pub struct KeptTalk {
    name: String,
    mind: MindNumber,
    seq: u64,
    number: InputNumber,
    tick: u64,
    at_ms: i64,
    talk: Talk,
}

impl<'k> Kept<'k> {
    pub fn of(inputs: &'k [LogInput]) -> Kept<'k> {
        let mut kept = Kept::default();
        for input in inputs {
            match input {
                LogInput::Request(request) => kept.minds.push(KeptRequest {
                    name: request.log.character().into(),
                    mind: request.log.mind(),
                    verb: request.verb.as_str().into(),
                    args: request.args.as_str().into(),
                    first: request.first,
                    numbers: request.numbers,
                    number: request.input,
                    tick: request.tick,
                    at_ms: request.at_ms,
                    present: request.present.as_slice().into(),
                    place: request.place.clone(),
                }),
                LogInput::Record(log, entry) => {
                    let happening = match &entry.event {
                        Event::Happening(happening) => happening,
                        event => {
                            kept.talk.push(KeptTalk {
                                name: log.character().to_string(),
                                mind: log.mind(),
                                seq: entry.seq,
                                number: entry.input,
                                tick: entry.tick,
                                at_ms: entry.at_ms,
                                talk: event.talk().expect("a record is a happening or talk"),
                            });
                            continue;
                        }
                    };
                    kept.records.push(KeptRecord {
                        name: log.character().into(),
                        mind: log.mind(),
                        seq: entry.seq,
                        number: entry.input,
                        tick: entry.tick,
                        at_ms: entry.at_ms,
                        happening: Cow::Borrowed(happening),
                    });
                }
            }
        }
        kept
    }

    /// In the order in which a start takes them up.
    pub fn inputs(self) -> Vec<LogInput> {
        let requests = self.minds.into_iter().map(|kept| {
            LogInput::Request(Arc::new(Request {
                log: LogId::new(&kept.name, kept.mind),
                verb: kept.verb.into_owned(),
                args: kept.args.into_owned(),
                first: kept.first,
                numbers: kept.numbers,
                input: kept.number,
                tick: kept.tick,
                at_ms: kept.at_ms,
                present: kept.present.into_owned(),
                place: kept.place,
                reads: None,
            }))
        });
        let records = self.records.into_iter().map(|kept| {
            let KeptRecord { name, mind, seq, number, tick, at_ms, happening } = kept;
            let event = Event::Happening(Box::new(happening.into_owned()));
            LogInput::Record(LogId::new(&name, mind), Arc::new(LogEntry { seq, tick, at_ms, input: number, event }))
        });
        let talk = self.talk.into_iter().map(|kept| {
            let KeptTalk { name, mind, seq, number, tick, at_ms, talk } = kept;
            let event = Event::of_talk(talk);
            LogInput::Record(LogId::new(&name, mind), Arc::new(LogEntry { seq, tick, at_ms, input: number, event }))
        });
        let mut inputs: Vec<LogInput> = requests.chain(records).chain(talk).collect();
        in_order(&mut inputs);
        inputs
    }
}
