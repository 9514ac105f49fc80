//! The player itself, without IO: frames, answers of the model and times go in, effects come out.
//!
//! The order of a decision: reflexes, then what the model wants, then policies. Invariants: a reflex never waits for
//! anything but its own pace; at most one verb that spends a tick and eight free ones leave per decision; the rate of
//! commands stays under the server's; a line that just failed here is not sent again, but for flight; what the model
//! wants keeps the policies back only while something comes of it. The same frames, answers and times give the same
//! effects.

use crate::knowledge::Knowledge;
use crate::policies::{self, POLICIES, Seen};
use crate::prompt::{Blocks, Moment};
use crate::record::{Source, Tokens, TurnRecord};
use crate::reflexes::{Reflex, Surroundings, reflex};
use crate::state::GameState;
use mind::hud::{Kind, RecentAction};
use mind::prompt::Prompt;
use protocol::frame::{Command, Subscribe};
use protocol::outcome::Who;
use protocol::variables::VARIABLES;
use protocol::{ClientFrame, ErrorCode, Outcome, ServerFrame, ServerMessage};
use std::collections::{BTreeSet, VecDeque};

mod dictated;
mod pace;
mod recalling;
mod thinking;
mod trouble;
mod turns;

#[cfg(test)]
mod tests;

use dictated::Dictated;
use pace::Bucket;
use recalling::Recalling;
pub use thinking::Doubt;
use thinking::{Planned, Thinking};
pub use turns::By;
use turns::Turn;

/// A full dump that was asked for and did not come is asked for again after so long.
const FULL_AGAIN_MS: u64 = 5_000;
/// The same reflex is not sent again before so long, unless the last one was refused.
const REFLEX_MS: u64 = 900;
const REFLEX_REFUSED_MS: u64 = 250;
/// After so many flights on end that did not work one fights on, for so long.
const CORNERED_AFTER: u32 = 4;
const CORNERED_MS: u64 = 4_000;
/// Movement points that a step costs, by the ground: with fewer than the least nobody gets away, and with fewer than
/// the most one refusal tells enough.
const STEP_COST_MIN: i32 = 2;
const STEP_COST_MAX: i32 = 8;
/// Resting begins below so many percent, and ends above.
const TIRED_HP_PERCENT: i32 = 60;
const TIRED_MOVES_PERCENT: i32 = 12;
const FIT_HP_PERCENT: i32 = 92;
const FIT_MOVES_PERCENT: i32 = 45;
/// A server that keeps minds has sent this one by then.
const MIND_COMES_MS: u64 = 3_000;
/// One blow can end many fights, but not more than turns can soon tell.
const ENDED_MAX: usize = 16;
/// What people see of what the agent did, newest last.
const RECENT_MAX: usize = 20;

/// What a player is told before it plays.
#[derive(Clone, PartialEq, Debug)]
pub struct AgentSettings {
    /// Asks a model; without one, policies play alone.
    pub use_model: bool,
    /// Milliseconds from one decision of the model to the next.
    pub think_ms: u64,
    /// Milliseconds from one action of a policy to the next, at least.
    pub act_ms: u64,
    /// Without an answer for so long, policies play alone.
    pub slow_ms: u64,
    /// Seed of the agent's own chances.
    pub seed: u64,
    /// Names of policies that are switched off.
    pub off: BTreeSet<String>,
    pub prompt: mind::prompt::Settings,
    pub kind: Kind,
    /// A character sheet in prose.
    pub persona: String,
    pub operator_prompt: String,
    pub guidelines: Vec<String>,
    /// What the model may use; the model's client keeps to it, the prompt shows it.
    pub tokens_limit: Option<u64>,
    pub cost_limit_micros: Option<u64>,
    /// False records each turn with the valence 0.
    pub valence: bool,
    /// Whether it asks the server what it remembers of a situation; without a model it never does.
    pub recall: bool,
}

impl Default for AgentSettings {
    fn default() -> AgentSettings {
        AgentSettings {
            use_model: true,
            think_ms: 5_000,
            act_ms: 600,
            slow_ms: 4_000,
            seed: 0,
            off: BTreeSet::new(),
            prompt: mind::prompt::Settings::default(),
            kind: Kind::Persona,
            persona: String::new(),
            operator_prompt: String::new(),
            guidelines: Vec::new(),
            tokens_limit: None,
            cost_limit_micros: None,
            valence: true,
            recall: true,
        }
    }
}

/// How long policies wait for a model that is asked so often, `AgentSettings::slow_ms`: less than from one decision to
/// the next, so that one that hangs costs no more than that; but long enough for what models usually take.
pub fn slow_ms(think_ms: u64) -> u64 {
    (think_ms.saturating_mul(4) / 5).clamp(2_000, 10_000)
}

/// What the shell shall do.
#[derive(Debug)]
pub enum Effect {
    /// To the server, in this order.
    Send(ClientFrame),
    /// To the model; the answer goes to `on_thought` with this number.
    Think { id: u64, prompt: Box<Prompt> },
    /// A turn is over: for the session log.
    Log(Box<TurnRecord>),
    /// For people at a terminal.
    Note(String),
}

/// How the agent fared, for the status line and the summary.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Counts {
    pub reflexes: u64,
    pub policies: u64,
    pub model: u64,
    pub refused: u64,
    /// Answers of the model that brought nothing.
    pub thoughts: u64,
    pub thoughts_failed: u64,
    /// Lines of the model that were not sent, because the state had passed or the line had just failed.
    pub doubted: u64,
    pub repairs: u64,
    pub tokens: Tokens,
    pub cost_micros: u64,
    /// The model's requests for another context.
    pub compactions: u64,
    /// Requests to the server for memories of a situation.
    pub recalls: u64,
}

pub struct Agent {
    pub settings: AgentSettings,
    pub state: GameState,
    pub known: Knowledge,
    pub counts: Counts,
    /// The last lines that were sent, with what came of them, oldest first.
    pub recent: VecDeque<RecentAction>,
    blocks: Blocks,
    /// Sent, and not yet answered.
    turns: VecDeque<Turn>,
    /// Lines of the model that wait for their turn.
    planned: VecDeque<Planned>,
    thinking: Option<Thinking>,
    thoughts: u64,
    last_thought_ms: Option<u64>,
    /// The model cannot be counted on: its last answer failed.
    alone_until_thought: bool,
    bucket: Bucket,
    last_policy_ms: Option<u64>,
    last_reflex: Option<(Reflex, u64)>,
    cornered_until_ms: u64,
    full_asked_ms: Option<u64>,
    subscribe: bool,
    /// Variables changed since the last decision.
    fresh: bool,
    started_ms: Option<u64>,
    turn_number: u64,
    /// Fights that ended and that no turn has told of, with the other side: oldest first.
    ended: VecDeque<(&'static str, Option<Who>)>,
    draws: u64,
    troubles: trouble::Troubles,
    notes: Vec<Effect>,
    recalling: Recalling,
    dictated: Dictated,
    stimulus: crate::record::Stimulus,
}

impl Agent {
    pub fn new(settings: AgentSettings) -> Agent {
        let blocks = Blocks::new(settings.prompt.clone());
        Agent {
            settings,
            state: GameState::default(),
            known: Knowledge::default(),
            counts: Counts::default(),
            recent: VecDeque::new(),
            blocks,
            turns: VecDeque::new(),
            planned: VecDeque::new(),
            thinking: None,
            thoughts: 0,
            last_thought_ms: None,
            alone_until_thought: false,
            bucket: Bucket::default(),
            last_policy_ms: None,
            last_reflex: None,
            cornered_until_ms: 0,
            full_asked_ms: None,
            subscribe: false,
            fresh: false,
            started_ms: None,
            turn_number: 0,
            ended: VecDeque::new(),
            draws: 0,
            troubles: trouble::Troubles::default(),
            notes: Vec::new(),
            recalling: Recalling::default(),
            dictated: Dictated::default(),
            stimulus: crate::record::Stimulus::Tick,
        }
    }

    /// A new connection: to be called before its first frame.
    pub fn on_connect(&mut self) {
        self.state.on_connect();
        self.recalling.on_connect();
        self.troubles.on_connect();
        self.turns.clear();
        self.planned.clear();
        self.full_asked_ms = None;
    }

    /// The text of a frame, as it came. What cannot be read is counted; nothing stops the agent.
    pub fn on_text(&mut self, text: &str, now_ms: u64) {
        match ServerMessage::parse(text) {
            Ok(message) => self.on_message(message, now_ms),
            Err(error) => {
                #[derive(serde::Deserialize)]
                struct Numbered {
                    seq: Option<u64>,
                }
                let seq = serde_json::from_str::<Numbered>(text).ok().and_then(|frame| frame.seq);
                self.state.on_unreadable(error.code, seq);
            }
        }
    }

    /// A frame came. `now_ms` never goes back.
    pub fn on_message(&mut self, message: ServerMessage, now_ms: u64) {
        self.started_ms.get_or_insert(now_ms);
        let rate_limited = matches!(&message.frame, ServerFrame::Error(error)
            if matches!(error.code, ErrorCode::RateLimited | ErrorCode::QueueFull));
        let change = self.state.merge(message, now_ms);
        if let Some((words, memories)) = self.state.recalled.take() {
            memories.iter().for_each(|memory| self.dictated.hear(&memory.text));
            self.recalling.answered(&words, memories);
        }
        if rate_limited {
            self.bucket.pause(now_ms);
            self.settle_limited(now_ms);
        }
        if change.logged_in {
            self.subscribe = true;
        }
        if change.full {
            self.full_asked_ms = None;
        }
        if change.line && self.recalling.is_echo() {
            self.state.lines.pop_back();
        } else if change.line
            && let Some(line) = self.state.lines.back().cloned()
        {
            self.known.hear(&self.state, &line, now_ms);
            self.blocks.hear(&self.state, &line);
            if !line.text.starts_with("You ") {
                self.dictated.hear(&line.text);
            }
            self.answered(now_ms);
        }
        if change.vars {
            self.fresh = true;
            self.known.observe(&self.state, now_ms);
            let outcomes = self.state.take_events();
            let refused = outcomes.iter().any(|outcome| matches!(outcome, Outcome::Refused { .. }));
            for outcome in &outcomes {
                self.known.learn(&self.state, outcome, now_ms);
                self.blocks.see(&self.state, outcome);
                self.recalling.hear(&self.state, outcome);
                self.react(outcome, now_ms);
            }
            self.recalling.observe(&self.state, &self.known);
            self.note_fitness();
            self.settle(refused, now_ms);
        }
    }

    fn react(&mut self, outcome: &Outcome, now_ms: u64) {
        if let Some(stimulus) = turns::stimulus_of(&self.state, outcome) {
            self.stimulus = stimulus;
        }
        match outcome {
            Outcome::Refused { command, reason } => self.refuse(command, reason, now_ms),
            Outcome::KillCredit { who, victim, .. } if self.state.is_me(who) => {
                self.note_end("killed", Some(victim));
            }
            Outcome::Death { victim, killer } if self.state.is_me(victim) => {
                self.planned.clear();
                self.note_end("died", killer.as_ref());
                self.notes.push(Effect::Note("It died, and wakes where the dead wake.".to_string()));
            }
            Outcome::LevelGained { who, level } if self.state.is_me(who) => {
                self.notes.push(Effect::Note(format!("It reached level {level}.")));
            }
            _ => {}
        }
    }

    /// A fight ended: the next turn tells it.
    fn note_end(&mut self, result: &'static str, other: Option<&Who>) {
        if self.ended.len() == ENDED_MAX {
            self.ended.pop_front();
        }
        self.ended.push_back((result, other.cloned()));
    }

    /// Whether to rest goes by two marks each, so that one does not get up at the first point.
    fn note_fitness(&mut self) {
        let (hp, moves) = (self.state.hp_percent(), self.state.moves_percent());
        if self.known.fight.is_some() {
            self.known.recovering = false;
        } else if hp < TIRED_HP_PERCENT || moves < TIRED_MOVES_PERCENT {
            self.known.recovering = true;
        } else if self.known.recovering && hp >= FIT_HP_PERCENT && moves >= FIT_MOVES_PERCENT {
            self.known.recovering = false;
            // Nobody came in all that time.
            if let Some(room) = self.known.map.room_mut() {
                room.safe = true;
            }
        }
    }

    /// What to do now: to be called after each frame, and at least every 250 ms.
    pub fn next(&mut self, now_ms: u64) -> Vec<Effect> {
        let mut effects = std::mem::take(&mut self.notes);
        self.settle_late(now_ms);
        if self.subscribe {
            self.subscribe = false;
            let variables = VARIABLES.iter().map(|row| row.name.to_string()).collect();
            effects.push(Effect::Send(ClientFrame::Subscribe(Subscribe { variables, full: false })));
        }
        if self.state.wants_full && self.full_asked_ms.is_none_or(|asked| now_ms >= asked + FULL_AGAIN_MS) {
            self.full_asked_ms = Some(now_ms);
            effects.push(Effect::Send(ClientFrame::Subscribe(Subscribe { variables: Vec::new(), full: true })));
        }
        if self.state.is_ready() {
            if !self.reflexes(&mut effects, now_ms) {
                self.recall(&mut effects, now_ms);
                self.think(&mut effects, now_ms);
                self.carry_out(&mut effects, now_ms);
                self.policies(&mut effects, now_ms);
                self.tell_troubles(&mut effects, now_ms);
            }
            self.fresh = false;
        }
        effects.append(&mut self.notes);
        effects
    }

    /// Nothing will come of it any more: logs what is open. To be called at the end.
    pub fn finish(&mut self, now_ms: u64) -> Vec<Effect> {
        while let Some(turn) = self.turns.pop_front() {
            self.close(turn, "no answer".to_string(), now_ms);
        }
        std::mem::take(&mut self.notes)
    }

    /// Milliseconds since the first frame.
    pub fn elapsed_ms(&self, now_ms: u64) -> u64 {
        now_ms.saturating_sub(self.started_ms.unwrap_or(now_ms))
    }

    /// No model decides just now: there is none, it failed, or it takes too long.
    pub fn is_alone(&self, now_ms: u64) -> bool {
        !self.settings.use_model
            || self.alone_until_thought
            || self.thinking.as_ref().is_some_and(|thinking| now_ms >= thinking.since_ms + self.settings.slow_ms)
    }

    /// A prompt of this moment, as the model would get it.
    pub fn prompt(&mut self, now_ms: u64) -> Prompt {
        self.blocks.set_mind(self.state.has_mind || self.elapsed_ms(now_ms) < MIND_COMES_MS);
        let moment = Moment {
            state: &self.state,
            known: &self.known,
            recent: &self.recent,
            memories: &self.recalling.memories,
            counts: self.counts,
            now_ms,
        };
        self.blocks.prompt(&moment, &self.settings)
    }

    /// Asks the server what comes to mind, where there is a model to tell it to.
    fn recall(&mut self, effects: &mut Vec<Effect>, now_ms: u64) {
        let wanted = self.settings.recall && self.settings.use_model && self.state.recalls;
        if !wanted || !self.bucket.spares(recalling::SPARE, now_ms) {
            return;
        }
        if let Some(command) = self.recalling.due(now_ms) {
            self.bucket.take(now_ms);
            self.counts.recalls += 1;
            effects.push(Effect::Send(ClientFrame::Command(command)));
        }
    }

    fn reflexes(&mut self, effects: &mut Vec<Effect>, now_ms: u64) -> bool {
        let moves = self.state.moves.unwrap_or(i32::MAX);
        let tries = if moves < STEP_COST_MAX { 1 } else { CORNERED_AFTER };
        if self.known.flights_failed >= tries {
            self.known.flights_failed = 0;
            self.cornered_until_ms = now_ms + CORNERED_MS;
        }
        let Some(reflex) = self.reflex_now(now_ms) else { return false };
        if let Some((last, at)) = &self.last_reflex {
            let refused = self.turns.is_empty() && self.known.breaker.blocks(self.room(), &last.line, now_ms).is_some();
            let pace = if refused { REFLEX_REFUSED_MS } else { REFLEX_MS };
            if *last == reflex && now_ms < at + pace {
                // Decided already: nothing else may come between.
                return true;
            }
        }
        // A mob that cannot be fought back is no reason to stop playing.
        if reflex.name == "counter" && self.known.breaker.blocks(self.room(), &reflex.line, now_ms).is_some() {
            return false;
        }
        if !self.bucket.take(now_ms) {
            return true;
        }
        self.planned.clear();
        let by = By { source: Source::Reflex, name: reflex.name.to_string(), ..By::default() };
        self.send(effects, reflex.line.clone().into_owned(), by, now_ms);
        self.counts.reflexes += 1;
        self.last_reflex = Some((reflex, now_ms));
        true
    }

    fn reflex_now(&self, now_ms: u64) -> Option<Reflex> {
        let level = self.state.level.unwrap_or(1);
        let lore = &self.known.lore;
        let fierce = |mob: &protocol::payload::RoomMob| {
            lore.is_dangerous(mob.vnum, level)
                || lore.get(mob.vnum).is_some_and(|kind| kind.aggressive && !kind.untouchable)
        };
        let hurt = self.state.hp_percent() < crate::reflexes::FLEE_PERCENT;
        let way_out = if hurt && !self.state.is_fighting() {
            let seen = Seen { state: &self.state, known: &self.known, now_ms, alone: true, chance: self.draws };
            policies::way_of_flight(&seen)
        } else {
            None
        };
        let moves = self.state.moves.unwrap_or(i32::MAX);
        let cornered = now_ms < self.cornered_until_ms || moves < STEP_COST_MIN;
        let around = Surroundings { way_out: way_out.as_deref(), attacks_unprovoked: &fierce, cornered };
        reflex(&self.state, &around)
    }

    /// What a reflex or policy has to do now, had no model a say in it and were there no pace to keep: its name. For
    /// measuring whether the agent stands still for nothing.
    pub fn wish(&self, now_ms: u64) -> Option<&'static str> {
        if !self.state.is_ready() {
            return None;
        }
        if let Some(reflex) = self.reflex_now(now_ms)
            && self.known.breaker.blocks(self.room(), &reflex.line, now_ms).is_none()
        {
            return Some(reflex.name);
        }
        let chance = draw(self.settings.seed, self.draws.wrapping_add(1));
        let seen = Seen { state: &self.state, known: &self.known, now_ms, alone: true, chance };
        let off = &self.settings.off;
        let decided = policies::decide(&seen, |policy| policy.on && !off.contains(policy.name));
        decided.filter(|(_, line)| self.can_be(line)).map(|(name, _)| name)
    }

    /// Nobody runs who cannot take a step: that would only be refused, again and again.
    fn can_be(&self, line: &str) -> bool {
        line != "flee" || self.state.moves.is_none_or(|moves| moves >= STEP_COST_MIN)
    }

    fn policies(&mut self, effects: &mut Vec<Effect>, now_ms: u64) {
        let waits = self.turns.iter().any(|turn| !turn.answered);
        let paced = self.last_policy_ms.is_none_or(|last| now_ms >= last + self.settings.act_ms);
        if waits || !paced || !self.planned.is_empty() || !self.bucket.has(now_ms) {
            return;
        }
        self.draws = self.draws.wrapping_add(1);
        let chance = draw(self.settings.seed, self.draws);
        let alone = self.is_alone(now_ms);
        let seen = Seen { state: &self.state, known: &self.known, now_ms, alone, chance };
        let off = &self.settings.off;
        let decided = policies::decide(&seen, |policy| policy.on && !off.contains(policy.name));
        let Some((name, line)) = decided.filter(|(_, line)| self.can_be(line)) else { return };
        self.bucket.take(now_ms);
        self.last_policy_ms = Some(now_ms);
        let by = By { source: Source::Policy, name: name.to_string(), ..By::default() };
        self.send(effects, line, by, now_ms);
        self.counts.policies += 1;
    }

    /// What is told to the agent's own log, where a mind is kept and nothing else is under way.
    fn tell_troubles(&mut self, effects: &mut Vec<Effect>, now_ms: u64) {
        let busy = self.state.is_fighting() || !self.turns.is_empty() || !self.planned.is_empty();
        if busy || !self.state.has_mind || !self.bucket.has(now_ms) {
            return;
        }
        if let Some((name, line)) = self.troubles.next(&self.state.mind, now_ms) {
            self.bucket.take(now_ms);
            let by = By { source: Source::Policy, name: name.to_string(), ..By::default() };
            self.send(effects, line, by, now_ms);
            self.counts.policies += 1;
        }
    }

    fn room(&self) -> i32 {
        self.state.room_vnum.unwrap_or(0)
    }

    /// One line to the server, noted as a turn.
    fn send(&mut self, effects: &mut Vec<Effect>, line: String, by: By, now_ms: u64) {
        let meta = serde_json::json!({
            "memory_ids": by.memory_ids(),
            "source": by.source.name(),
            "by": by.name,
        });
        self.known.sent(&self.state, &line);
        let mut words = line.split_whitespace();
        let command = words.next().unwrap_or("").to_string();
        let args = words.map(str::to_string).collect();
        effects.push(Effect::Send(ClientFrame::Command(Command { command, args, meta: Some(meta) })));
        let turn = self.open(line, by, now_ms);
        if self.turns.len() >= 32 {
            let oldest = self.turns.pop_front().expect("there are 32");
            self.close(oldest, "no answer".to_string(), now_ms);
        }
        self.turns.push_back(turn);
    }

    /// Whether a policy is asked at all.
    pub fn policy_is_on(&self, name: &str) -> bool {
        POLICIES.iter().any(|policy| policy.name == name && policy.on) && !self.settings.off.contains(name)
    }

    fn remember(&mut self, action: RecentAction) {
        if self.recent.len() == RECENT_MAX {
            self.recent.pop_front();
        }
        self.recent.push_back(action);
    }
}

/// The `n`th number of a seed. Source: SplitMix64.
fn draw(seed: u64, n: u64) -> u64 {
    let mut z = seed.wrapping_add(n.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
