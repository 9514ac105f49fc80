//! The rows of what was decided: numbered, each with what changed since the one before, and closed with what it earned.
//!
//! Invariants: decisions and commands leave in the order of their ids, without gaps; every decision is closed once.

use super::credit::Credit;
use crate::record::{
    AnswerRow, ChannelRow, CommandOutcome, CommandRow, Counsel, DecisionRow, InjectedMemory, OutcomeRow, PromptRef,
    Reward, Row, RowTokens, Source, TurnRecord, timestamp,
};
use crate::state::GameState;
use crate::thought::Thought;
use protocol::Outcome;
use protocol::outcome::EventEntry;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What was decided, and by whom.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Made {
    pub source: Source,
    pub by: String,
    /// Why it was decided now.
    pub asked: &'static str,
    pub actions: Vec<String>,
    latency_ms: u64,
    tokens: RowTokens,
    cost_micros: Option<u64>,
    memories: Vec<InjectedMemory>,
    answer: Option<AnswerRow>,
    pub channels: Vec<ChannelRow>,
    pub prompt: Option<PromptRef>,
    counsel: Counsel,
}

impl Made {
    /// By the agent itself: one line, or none.
    pub fn own(source: Source, by: &str, asked: &'static str, line: Option<&str>) -> Made {
        Made {
            source,
            by: by.to_string(),
            asked,
            actions: line.into_iter().map(str::to_string).collect(),
            latency_ms: 0,
            tokens: RowTokens::default(),
            cost_micros: Some(0),
            memories: Vec::new(),
            answer: None,
            channels: Vec::new(),
            prompt: None,
            counsel: Counsel::default(),
        }
    }

    /// By a model, whose answer may be that it has none.
    pub fn thought(thought: &Thought, asked: &'static str, memories: Vec<InjectedMemory>) -> Made {
        let answer = thought.answer.as_ref();
        let usage = thought.usage;
        Made {
            actions: answer.map_or_else(
                |_| Vec::new(),
                |answer| {
                    let lines = answer.speech.iter().chain(&answer.actions).cloned();
                    lines.chain(answer.order.as_ref().map(ToString::to_string)).collect()
                },
            ),
            latency_ms: u64::try_from(thought.latency.as_millis()).unwrap_or(u64::MAX),
            tokens: RowTokens {
                prompt: usage.prompt,
                cached: usage.cached,
                cache_written: usage.cache_written,
                output: usage.completion,
            },
            cost_micros: thought.cost_micros,
            memories,
            answer: Some(AnswerRow {
                request_id: thought.request_id.clone(),
                model: thought.answered_by.clone(),
                text: thought.text.clone(),
                commentary: answer.ok().and_then(|answer| answer.commentary.clone()),
                repairs: thought.repairs,
                error: answer.err().map(ToString::to_string),
            }),
            counsel: thought.counsel.clone(),
            ..Made::own(Source::Model, &thought.model, asked, None)
        }
    }
}

/// A line that was decided and did not leave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Unsent {
    pub decision: u64,
    pub line: String,
    pub why: String,
}

#[derive(Debug, Default)]
pub(super) struct Decisions {
    count: u64,
    /// The variables as of the decision before.
    state: Map<String, Value>,
    credit: Credit,
    /// Commands that ended before one that was sent earlier.
    ended: BTreeMap<u64, (CommandRow, TurnRecord)>,
    /// How many commands have left.
    commands: u64,
}

impl Decisions {
    /// Nothing was decided yet.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// A decision was made. Its id, and its row. `valence`: whether anything is worth anything to who decided.
    pub fn decide(&mut self, state: &GameState, made: Made, valence: bool, now_ms: u64) -> (u64, Row) {
        self.count += 1;
        let id = self.count;
        self.credit.begin(id, made.source, &made.by, state.tick);
        let known = state.variables();
        let differs = |(name, value): &(&String, &Value)| self.state.get(*name) != Some(*value);
        let changed = known.iter().filter(differs).map(|(name, value)| (name.clone(), value.clone())).collect();
        self.state = known;
        let Made { source, by, asked, actions, latency_ms, tokens, .. } = made;
        let Made { cost_micros, memories, answer, channels, prompt, counsel, .. } = made;
        let row = DecisionRow {
            id,
            tick: state.tick,
            at: timestamp(now_ms),
            at_ms: now_ms,
            asked: asked.to_string(),
            source,
            by,
            state: changed,
            actions,
            latency_ms,
            tokens,
            cost: cost_micros.map(|micros| micros as f64 / 1e6),
            cost_micros,
            memories,
            channels,
            answer,
            prompt,
            council: counsel.council,
            votes: counsel.votes,
            valence: Some(valence),
        };
        (id, Row::Decision(row))
    }

    /// What all decisions earned so far.
    pub fn earned(&self) -> Reward {
        self.credit.total()
    }

    pub fn sent(&mut self, decision: u64, command: u64) {
        self.credit.sent(decision, command);
    }

    /// A line that was decided did not leave.
    pub fn unsent(&self, unsent: Unsent, state: &GameState, now_ms: u64) -> Row {
        Row::Command(CommandRow {
            id: None,
            decision: unsent.decision,
            sent: unsent.line,
            at_ms: now_ms,
            tick: state.tick,
            input: None,
            outcome: CommandOutcome::Unsent,
            reason: Some(unsent.why),
            refused_by: Some("agent".to_string()),
            answer_ms: 0,
        })
    }

    /// A command ended. The rows that may leave now.
    pub fn ended(&mut self, command: CommandRow, turn: TurnRecord) -> Vec<Row> {
        self.credit.settled(command.decision);
        self.ended.insert(turn.turn_number, (command, turn));
        let mut rows = Vec::new();
        while let Some((command, turn)) = self.ended.remove(&(self.commands + 1)) {
            self.commands += 1;
            rows.extend([Row::Command(command), Row::Turn(turn)]);
        }
        rows
    }

    /// What happened, in one frame, with the state behind it.
    pub fn observe(&mut self, state: &GameState, entries: &[EventEntry], room_new: bool, now_ms: u64) -> Vec<Row> {
        self.credit.observe(state, entries, room_new);
        let told = entries.iter().filter(|entry| !matches!(entry.outcome, Outcome::Done { .. }));
        let row = |entry: &EventEntry| {
            Row::Outcome(OutcomeRow {
                commands: entry.cause.and_then(|cause| cause.id).into_iter().collect(),
                decision: self.credit.decision_of(entry.cause),
                input: entry.cause.map(|cause| cause.input),
                tick: state.tick,
                at_ms: now_ms,
                what: entry.outcome.clone(),
            })
        };
        told.map(row).collect()
    }

    /// The decisions of which nothing more can come. `all`: it is the end. `goes_on`: more is to be sent for it.
    pub fn close(&mut self, state: &GameState, all: bool, goes_on: impl Fn(u64) -> bool) -> Vec<Row> {
        self.credit.close(state.tick, all, goes_on).into_iter().map(Row::Closed).collect()
    }
}
