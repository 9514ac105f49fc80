//! The rows of a session log: what was decided, what was sent, what happened, and what each decision earned.
//!
//! `docs/LOGS.md` says it field by field, `docs/session-log.schema.json` for programs. The first ten fields of a turn
//! are those of the published session log. Fields are added, never renamed.

use mind::council::{By, Conflict, Member};
use protocol::outcome::Outcome;
use protocol::payload::WorldState;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Version 3 has a row for each decision. Logs of the versions before it are turns alone.
pub const SCHEMA_VERSION: u32 = 3;

/// A line of a session log behind its header.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Row {
    Decision(DecisionRow),
    Command(CommandRow),
    Turn(TurnRecord),
    Outcome(OutcomeRow),
    Closed(ClosedRow),
    Note(NoteRow),
}

impl Row {
    /// As it is written.
    pub const fn kind(&self) -> &'static str {
        match self {
            Row::Decision(_) => "decision",
            Row::Command(_) => "command",
            Row::Turn(_) => "turn",
            Row::Outcome(_) => "outcome",
            Row::Closed(_) => "closed",
            Row::Note(_) => "note",
        }
    }
}

/// Somebody decided: to send something, or to send nothing.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DecisionRow {
    /// From 1 in each log, without gaps. The first is that to come into the world.
    pub id: u64,
    /// The world's tick, as it was told last; null before that.
    pub tick: Option<u64>,
    /// RFC 3339, UTC.
    pub at: String,
    pub at_ms: u64,
    /// Why it was decided now.
    pub asked: String,
    pub source: Source,
    /// The reflex or policy by name; the model's name.
    pub by: String,
    /// The variables that differ from those of the decision before, by their names on the wire.
    pub state: Map<String, Value>,
    /// What was decided, as lines of the game, before anything was left out; empty: to do nothing.
    pub actions: Vec<String>,
    /// From the question to the answer; 0 where no model was asked.
    pub latency_ms: u64,
    pub tokens: RowTokens,
    /// In the unit of the configured prices; null where a request went to a model without a price.
    pub cost: Option<f64>,
    /// The same in millionths, as it is counted.
    pub cost_micros: Option<u64>,
    /// What the prompt held of memories.
    pub memories: Vec<InjectedMemory>,
    /// What the prompt held of channels, and what was given there since the decision before. Left out where there are
    /// none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub channels: Vec<ChannelRow>,
    /// The model's answer, where it was one that decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerRow>,
    /// Where the record of the prompt is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<PromptRef>,
    /// How several minds came to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub council: Option<CouncilRow>,
    /// What one mind said that was asked several times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub votes: Option<VotesRow>,
    /// Whether anything was worth anything to the agent. Absent in the first logs of version 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valence: Option<bool>,
}

/// What a model answered.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct AnswerRow {
    /// The endpoint's name for the request, as it sent it.
    pub request_id: Option<String>,
    /// Which model answered, as the endpoint says. Absent where it did not, and in logs of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// As it came, before anything was read of it; null where nothing came.
    pub text: Option<String>,
    pub commentary: Option<String>,
    pub repairs: u32,
    /// Why there is nothing to do.
    pub error: Option<String>,
}

/// How a decision came about that took more than one call of a model.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Counsel {
    pub council: Option<CouncilRow>,
    pub votes: Option<VotesRow>,
}

/// How the minds of a council came to a decision.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CouncilRow {
    /// In the order in which they spoke. A mind that failed has none.
    pub proposals: Vec<ProposalRow>,
    /// Whose was done: `inner`, `outer`, or `own` for OBSERVER's. Null where nobody proposed.
    pub chosen: Option<String>,
    pub by: Option<By>,
    /// The rule, where one decided.
    pub rule: Option<String>,
    /// In what two proposals differed.
    pub conflict: Option<Conflict>,
    pub calls: u32,
    pub tokens: CouncilTokens,
    /// What OBSERVER said to it; told to the server, and no part of the row.
    #[serde(skip)]
    pub observed: String,
}

impl CouncilRow {
    /// Who did not get its will in a conflict; `None`: there was none.
    pub fn gave_way(&self) -> Option<Vec<Member>> {
        self.conflict?;
        let proposed = self.proposals.iter().filter_map(|proposal| Member::named(&proposal.mind));
        Some(proposed.filter(|member| member.acts() && self.chosen.as_deref() != Some(member.word())).collect())
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProposalRow {
    /// `inner`, `outer` or `observer`.
    pub mind: String,
    /// The line that spends the tick, else what is free; empty: nothing.
    pub action: String,
    /// In the mind's own words; told to the server, and no part of the row.
    #[serde(skip)]
    pub why: String,
}

/// Tokens of prompts and answers together, by mind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CouncilTokens {
    pub inner: u64,
    pub outer: u64,
    pub observer: u64,
}

/// What one mind said that was asked several times.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct VotesRow {
    /// In order; a call that failed has none.
    pub cast: Vec<String>,
    pub chosen: Option<String>,
    /// How many meant the same.
    pub alike: u32,
    pub calls: u32,
}

/// Attention to a channel against its use.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ChannelRow {
    pub id: u32,
    /// Its share of attention, percent.
    pub attention: f64,
    /// Of its messages in the prompt, and of those that the prompt before did not have.
    pub tokens: u64,
    pub tokens_new: u64,
    pub words: u64,
    pub replies: u64,
    pub reactions: u64,
}

/// A prompt that is recorded elsewhere.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PromptRef {
    /// Which question to the model it was, from 1.
    pub id: u64,
    /// Of the texts of the system and the user message, with a zero byte between them.
    pub sha256: String,
    /// As they were counted here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// What had no room in full, a sentence each, as the prompt itself says it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RowTokens {
    pub prompt: u64,
    pub cached: u64,
    pub cache_written: u64,
    pub output: u64,
}

/// A command of a decision, and whether it was done.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CommandRow {
    /// From 1 in each log, without gaps; the `id` that went to the server. Null for one that was never sent.
    pub id: Option<u64>,
    pub decision: u64,
    /// The line that was sent, or was to be.
    pub sent: String,
    /// When it was sent, or given up.
    pub at_ms: u64,
    /// The world's tick at which it was run, and the number of the input that brought it, as the server acknowledged
    /// it; null where it did not.
    pub tick: Option<u64>,
    pub input: Option<u64>,
    pub outcome: CommandOutcome,
    /// Why it was refused, or was not sent.
    pub reason: Option<String>,
    /// `game`, `server` (its rate limit) or `agent` (it was not sent).
    pub refused_by: Option<String>,
    /// Milliseconds from the command to its end.
    pub answer_ms: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandOutcome {
    Ok,
    Refused,
    RateLimited,
    /// Nobody said what came of it: the connection broke, or it is of a server that acknowledges nothing.
    Unanswered,
    /// It was decided and never left: its moment had passed, or it must not.
    Unsent,
}

impl CommandOutcome {
    pub const fn name(self) -> &'static str {
        match self {
            CommandOutcome::Ok => "ok",
            CommandOutcome::Refused => "refused",
            CommandOutcome::RateLimited => "rate_limited",
            CommandOutcome::Unanswered => "unanswered",
            CommandOutcome::Unsent => "unsent",
        }
    }
}

/// Something happened that the agent was told.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct OutcomeRow {
    /// The commands that it follows from, by their ids; empty where it follows from none of the agent's own.
    pub commands: Vec<u64>,
    /// The decision of these; null where there is none.
    pub decision: Option<u64>,
    /// The number of the world's input that the commands came by.
    pub input: Option<u64>,
    pub tick: Option<u64>,
    pub at_ms: u64,
    /// As in `EVENTS`.
    pub what: Outcome,
}

/// Nothing more can come of a decision.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ClosedRow {
    pub decision: u64,
    /// Who decided.
    pub source: Source,
    pub by: String,
    /// The window in which something came of it.
    pub from_tick: Option<u64>,
    pub to_tick: Option<u64>,
    pub reward: Reward,
    /// The part of the reward that no outcome names a command for: it came while this decision was in force.
    pub inferred: Reward,
}

/// Something that is no decision, and that a reader has to know: a file was read, a new connection began.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct NoteRow {
    /// RFC 3339, UTC.
    pub at: String,
    pub at_ms: u64,
    /// `login` for a connection behind the first, `resumed` where one only went on; `p0` where the rules in the prompt
    /// are others from here on; `fight` for one that ended behind the last turn; else what was read: `knowledge`,
    /// `prompts`.
    pub what: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Of the file's format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// How much was in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entries: Option<u64>,
    /// What people were told of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// The world that a connection came into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world: Option<WorldState>,
    /// As in the header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p0_sha256: Option<String>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub fight: Option<FightEnd>,
}

/// A fight that ended and that no turn tells of, with the fields that a turn has for it: who reads turns reads it too.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FightEnd {
    pub room_vnum: i32,
    pub room_name: String,
    pub hp: i32,
    pub max_hp: i32,
    pub agent_level: i32,
    /// `killed` or `died`.
    pub combat_result: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub combat_target: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mob_level: Option<u16>,
}

/// What a decision earned, or cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Reward {
    pub exp: i64,
    pub gold: i64,
    pub hp: i64,
    pub deaths: i64,
    pub kills: i64,
    pub levels: i64,
    pub rooms_new: i64,
}

impl Reward {
    pub fn add(&mut self, more: &Reward) {
        self.exp += more.exp;
        self.gold += more.gold;
        self.hp += more.hp;
        self.deaths += more.deaths;
        self.kills += more.kills;
        self.levels += more.levels;
        self.rooms_new += more.rooms_new;
    }
}

/// What decided.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    Reflex,
    /// What keeps the body going: food, light, better gear, standing up.
    Upkeep,
    Policy,
    Model,
}

impl Source {
    pub const fn name(self) -> &'static str {
        match self {
            Source::Reflex => "reflex",
            Source::Upkeep => "upkeep",
            Source::Policy => "policy",
            Source::Model => "model",
        }
    }
}

/// What moved the agent to act. Source: the record's list, and two for the rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stimulus {
    EntityEnteredRoom,
    PlayerSpoke,
    CombatStarted,
    ItemLooted,
    DamageTaken,
    EntityDied,
    /// It came into another room.
    RoomEntered,
    /// Nothing in particular: time went by.
    #[default]
    Tick,
}

impl Stimulus {
    pub const fn name(self) -> &'static str {
        match self {
            Stimulus::EntityEnteredRoom => "entity_entered_room",
            Stimulus::PlayerSpoke => "player_spoke",
            Stimulus::CombatStarted => "combat_started",
            Stimulus::ItemLooted => "item_looted",
            Stimulus::DamageTaken => "damage_taken",
            Stimulus::EntityDied => "entity_died",
            Stimulus::RoomEntered => "room_entered",
            Stimulus::Tick => "tick",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Decision {
    pub source: Source,
    /// The reflex or policy by name; the model's name.
    pub by: String,
    pub command: String,
    pub args: Vec<String>,
}

/// A memory that was in the prompt of a decision.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct InjectedMemory {
    /// As the server names it: `event:17`. `memory_summary` is the story as a whole.
    pub memory_id: String,
    /// `bootstrap` and `summary` came at the login, `recalled` in the situation.
    #[serde(rename = "type")]
    pub kind: String,
    /// −3..=3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valence: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_sessions: Option<u32>,
    /// Of the world's time, when it was handed over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_hours: Option<f64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Vitals {
    pub hp: i32,
    pub max_hp: i32,
}

/// Tokens of the model call that brought the decision; all 0 for reflexes and policies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Tokens {
    pub prompt: u64,
    pub cached: u64,
    pub cache_written: u64,
    pub completion: u64,
}

impl std::ops::AddAssign for Tokens {
    fn add_assign(&mut self, more: Tokens) {
        self.prompt += more.prompt;
        self.cached += more.cached;
        self.cache_written += more.cache_written;
        self.completion += more.completion;
    }
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TurnRecord {
    /// RFC 3339, UTC, of the moment the command was sent.
    pub timestamp: String,
    pub room_vnum: i32,
    pub room_name: String,
    pub hp: i32,
    pub max_hp: i32,
    pub agent_level: i32,
    pub mobs_present: usize,
    /// Name of the opponent; null out of fights.
    pub fighting: Option<String>,
    /// The whole line that was sent.
    pub action: String,
    /// From when the decision began to when it was sent: the model's time, or almost none.
    pub latency_ms: u64,

    pub schema_version: u32,
    /// From 1; the `id` of its command.
    pub turn_number: u64,
    /// The `id` of its decision; absent in logs before version 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision_id: Option<u64>,
    pub at_ms: u64,
    pub session_elapsed_minutes: f64,
    pub stimulus_type: Stimulus,
    pub decision: Decision,
    pub target_entity: Option<String>,
    /// Players known to be here.
    pub agents_present: Vec<String>,
    pub memory_injected: Vec<InjectedMemory>,
    /// Tokens of memory texts in the prompt of the decision.
    pub bootstrap_tokens: u64,
    /// How several minds came to the decision, with its first line alone; so are `votes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub council: Option<CouncilRow>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub votes: Option<VotesRow>,
    pub tokens: Tokens,
    /// Money of the model call, in the unit of the configured prices; null where that is not known.
    pub cost: Option<f64>,
    /// `ok`, `refused: …`, `rate_limited`, `no answer`.
    pub outcome: String,
    /// Milliseconds from the command to its outcome.
    pub answer_ms: u64,
    /// What changed of experience and gold while the command was answered. What a decision earned is in its `closed`.
    pub exp_gained: i64,
    pub gold_gained: i64,
    pub agent_state: Vitals,
    /// A fight ended since the turn before: `killed` or `died`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub combat_result: Option<String>,
    /// Whom the agent killed, or who killed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub combat_target: Option<String>,
    /// The level of that one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mob_level: Option<u16>,
    /// 0 where recording of valence is off; null where nothing has appraised the turn yet.
    pub valence: Option<i32>,
}

/// RFC 3339 in UTC with milliseconds, of unix milliseconds.
pub fn timestamp(unix_ms: u64) -> String {
    let ms = i64::try_from(unix_ms).unwrap_or(i64::MAX);
    match jiff::Timestamp::from_millisecond(ms) {
        Ok(at) => format!("{at:.3}"),
        Err(_) => String::new(),
    }
}
