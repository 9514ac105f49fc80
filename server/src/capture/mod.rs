//! Decision capture: what each command did, from the world's report to a row in the database.
//!
//! The core notes each command's report here (`Capture::note`) and hands over what it gathered when everything else
//! that the inputs caused is released (`Capture::release`); `Writer` does the rest off the tick. Leaves what a command
//! did to the world (`world::report::Ran`) and the table to `store::decisions`.
//! What a command asks of its character's mind is refused there or not, a moment later: the row waits for the word
//! (`Verdict`), but not for long. Rows that a recovery makes again have no such word: whether a mind refused is known
//! only of those that were written before the crash.
//! Invariants: the core does one push per command; texts, JSON and the database are the writer's affair. What is kept
//! of commands that wait for a lag is bounded by the queues of the characters: when a queue is emptied without being
//! run, its entries go with the next tick.

pub mod export;
pub mod room;
pub mod usage;
mod writer;

pub use writer::{ROWS_MAX, Writer};

use crate::session::SessionFacts;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use world::InputNumber;
use world::character::Character;
use world::report::Request;
use world::report::{Capture as Whose, Ran};
use world::{CharacterId, Report, World};

/// Whose commands are recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// Nobody's
    Off,
    /// Those of agents
    #[default]
    Agents,
    /// Everybody's
    All,
}

impl From<Choice> for Whose {
    fn from(choice: Choice) -> Whose {
        match choice {
            Choice::Off => Whose::Nobody,
            Choice::Agents => Whose::Agents,
            Choice::All => Whose::Everybody,
        }
    }
}

/// Longest JSON that a client may note with a command, bytes; of what is longer nothing is kept.
const NOTE_BYTES_MAX: usize = 2_048;

/// A client's text as it is kept.
pub fn storable(text: &str) -> Arc<str> {
    crate::client_info::client_text(text).into()
}

/// The first so many characters.
fn cut(text: &str, chars_max: usize) -> &str {
    text.char_indices().nth(chars_max).map_or(text, |(end, _)| &text[..end])
}

/// JSON that is no longer than it may be.
fn note(value: &Value) -> Option<Arc<str>> {
    let text = value.to_string();
    (text.len() <= NOTE_BYTES_MAX).then(|| text.into())
}

/// What a client noted with a command (`meta`), as it is stored: never interpreted.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Meta {
    /// JSON.
    pub memory_ids: Option<Arc<str>>,
    /// A text as it is, anything else as JSON; so with the next.
    pub source: Option<Arc<str>>,
    /// What answered.
    #[serde(default)]
    pub model: Option<Arc<str>>,
    /// JSON of the other members, or of what is no object.
    pub rest: Option<Arc<str>>,
}

impl Meta {
    pub fn of(meta: Value) -> Meta {
        let Value::Object(mut members) = meta else {
            return Meta { rest: note(&meta), ..Meta::default() };
        };
        let mut member = |name: &str| members.remove(name).filter(|value| !value.is_null());
        let memory_ids = member("memory_ids").and_then(|ids| note(&ids));
        let as_text = |value: Value| match value {
            Value::String(text) => storable(&text),
            other => storable(&other.to_string()),
        };
        let (source, model) = (member("source").map(as_text), member("model").map(as_text));
        let rest = if members.is_empty() { None } else { note(&Value::Object(members)) };
        Meta { memory_ids, source, model, rest }
    }

    fn bytes(&self) -> usize {
        let texts = [&self.memory_ids, &self.source, &self.model, &self.rest];
        texts.into_iter().flatten().map(|text| text.len()).sum()
    }
}

/// Where a command came from: known when its letter is opened.
#[derive(Clone, Debug)]
pub struct Origin {
    pub who: CharacterId,
    /// When the door had it: latency counts from here.
    pub came: Instant,
    pub facts: Arc<SessionFacts>,
    pub meta: Option<Arc<Meta>>,
}

/// What a mind said to a command: set once by whoever answers, read by the writer. When nobody else has it any more, no
/// word will come.
#[derive(Clone, Debug, Default)]
pub struct Verdict(Arc<OnceLock<Option<Box<str>>>>);

impl Verdict {
    /// `refused`: why, where it was.
    pub fn tell(&self, refused: Option<&str>) {
        // A request that comes twice is answered once; the first word stands.
        let _told_before = self.0.set(refused.map(|why| why.chars().take(REASON_MAX).collect()));
    }

    fn refused(&self) -> Option<&str> {
        self.0.get()?.as_deref()
    }

    fn may_come(&self) -> bool {
        self.0.get().is_none() && Arc::strong_count(&self.0) > 1
    }
}

/// Longest reason that is kept of a mind's refusal, characters.
const REASON_MAX: usize = 200;
/// Memory that a verdict may take: four bytes for each character at most.
const VERDICT_BYTES: usize = 64 + 4 * REASON_MAX;

/// One decision that waits to be written.
#[derive(Debug)]
pub(crate) struct Row {
    ran: Ran,
    tick: u64,
    at_ms: i64,
    latency_us: Option<u64>,
    facts: Arc<SessionFacts>,
    meta: Option<Arc<Meta>>,
    /// Of a mind that was asked, and since when the row waits for it.
    verdict: Option<(Verdict, Instant)>,
}

impl Row {
    /// Of the memory that is its own. The same before and after a verdict comes.
    fn bytes(&self) -> usize {
        let refused = self.ran.refused.as_ref().map_or(0, |text| text.len());
        let verdict = self.verdict.as_ref().map_or(0, |_| VERDICT_BYTES);
        size_of::<Row>()
            + self.ran.word.len()
            + self.ran.args.len()
            + refused
            + verdict
            + self.meta.as_ref().map_or(0, |meta| meta.bytes())
    }
}

/// A decision that a recovery played again. Who sent it is gone, and how long it took with it.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// Canonical.
    pub name: String,
    pub ran: Ran,
    pub tick: u64,
    /// Of the input that brought it, as the journal has it: the same as when it was first recorded.
    pub at_ms: i64,
}

/// A command that waits in its character's queue: the input that brought it, and when that was.
#[derive(Clone, Debug)]
struct Waiting {
    input: InputNumber,
    at_ms: i64,
    origin: Origin,
}

/// The core's part.
pub struct Capture {
    writer: Arc<Writer>,
    rows: Vec<Row>,
    /// Oldest first.
    waiting: BTreeMap<CharacterId, VecDeque<Waiting>>,
    /// Of the newest report: what its commands asked of minds, by whom and with which first number.
    asked: Vec<(CharacterId, u64, Verdict)>,
    /// The tick at which `waiting` was last compared with the queues.
    tidied_tick: u64,
}

impl Capture {
    pub fn new(writer: Arc<Writer>) -> Capture {
        Capture { writer, rows: Vec::new(), waiting: BTreeMap::new(), asked: Vec::new(), tidied_tick: 0 }
    }

    pub fn writer(&self) -> &Arc<Writer> {
        &self.writer
    }

    /// Takes `ran` out of the report of an input that has just been applied. `input_at_ms`: when the input came, unix
    /// milliseconds; together with its number it is the row's key, so the same input must always come with the same
    /// time. `origin`: of a client's command; without one the input's own commands are the server's and no decisions.
    pub fn note(&mut self, world: &World, report: &mut Report, input_at_ms: i64, origin: Option<Origin>) {
        self.asked.clear();
        if !report.ran.is_empty() {
            let now = Instant::now();
            for ran in report.ran.drain(..) {
                let asks = ran.asks;
                let mut row = if ran.id.input == report.number {
                    let Some(origin) = &origin else { continue };
                    Row::new(ran, report.tick, input_at_ms, now, origin)
                } else {
                    self.row_of_waiting(world, ran, report.tick, input_at_ms, now)
                };
                if let Some(Request::Mind(request)) = asks.and_then(|asks| report.requests.get(asks)) {
                    let verdict = Verdict::default();
                    self.asked.push((request.who, request.first, verdict.clone()));
                    row.verdict = Some((verdict, now));
                }
                self.rows.push(row);
            }
        }
        if let Some(origin) = origin
            && queue_of(world, origin.who)
                .is_some_and(|queue| queue.back().is_some_and(|q| q.id.input == report.number))
            && world.is_captured(origin.who)
        {
            let waiting = Waiting { input: report.number, at_ms: input_at_ms, origin };
            self.waiting.entry(waiting.origin.who).or_default().push_back(waiting);
        }
        if report.tick != self.tidied_tick {
            self.tidied_tick = report.tick;
            self.tidy(world);
        }
    }

    /// Where the answer to a request of the report that was noted last is told; `None` where nobody records it.
    /// `first`: as in the request. Those of one character with the same number are given out in their order.
    pub fn verdict(&mut self, who: CharacterId, first: u64) -> Option<Verdict> {
        let of_it = |(asker, number, _): &(CharacterId, u64, Verdict)| (*asker, *number) == (who, first);
        let index = self.asked.iter().position(of_it)?;
        Some(self.asked.remove(index).2)
    }

    /// A command that waited for a lag.
    fn row_of_waiting(&self, world: &World, ran: Ran, tick: u64, now_ms: i64, now: Instant) -> Row {
        let of_input = |waiting: &&Waiting| waiting.input == ran.id.input;
        if let Some(waiting) = self.waiting.get(&ran.who).and_then(|queue| queue.iter().find(of_input)) {
            return Row::new(ran, tick, waiting.at_ms, now, &waiting.origin);
        }
        // It waited over a restart, and who sent it went with the process before.
        let name = world.character(ran.who).map_or("".into(), |character| crate::store::canonical(&character.name));
        let facts = Arc::new(SessionFacts { name: name.into(), ..SessionFacts::default() });
        Row { ran, tick, at_ms: now_ms, latency_us: None, facts, meta: None, verdict: None }
    }

    /// Forgets what no queue holds any more: it was run, or lost with a death or a departure.
    fn tidy(&mut self, world: &World) {
        self.waiting.retain(|who, waiting| {
            let oldest = queue_of(world, *who).and_then(|queue| queue.front()).map(|queued| queued.id.input);
            waiting.retain(|waiting| oldest.is_some_and(|oldest| waiting.input >= oldest));
            !waiting.is_empty()
        });
    }

    /// Hands what was noted to the writer.
    pub fn release(&mut self) {
        self.asked.clear();
        if !self.rows.is_empty() {
            self.writer.take(&mut self.rows);
        }
    }
}

impl Row {
    fn again(replayed: Replayed, facts: Arc<SessionFacts>) -> Row {
        let Replayed { ran, tick, at_ms, .. } = replayed;
        Row { ran, tick, at_ms, latency_us: None, facts, meta: None, verdict: None }
    }

    fn new(ran: Ran, tick: u64, at_ms: i64, now: Instant, origin: &Origin) -> Row {
        let latency_us = Some(now.duration_since(origin.came).as_micros() as u64);
        let (facts, meta) = (origin.facts.clone(), origin.meta.clone());
        Row { ran, tick, at_ms, latency_us, facts, meta, verdict: None }
    }
}

fn queue_of(world: &World, who: CharacterId) -> Option<&VecDeque<world::character::Queued>> {
    world.character(who).and_then(Character::player).map(|player| &player.queue)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
