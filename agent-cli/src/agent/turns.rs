//! Turns: from a line that is sent to what came of it, and the record of both.
//!
//! A server that acknowledges says when a command is done and whether it was refused; with others that is guessed from
//! what comes next. Invariant: a turn ends once. What its end means for knowledge, plans and counts is the caller's.

use super::bills::Bill;
use super::origin::Origin;
use crate::knowledge::Knowledge;
use crate::record::{
    CommandOutcome, CommandRow, Decision, FightEnd, NoteRow, SCHEMA_VERSION, Source, Stimulus, TurnRecord, Vitals,
    timestamp,
};
use crate::state::GameState;
use protocol::Outcome;
use protocol::outcome::{Who, WhoKind};
use protocol::verbs::{Category, category_of};
use std::collections::VecDeque;

/// What is not answered after so long will not be.
const LATE_MS: u64 = 2_500;
/// The same where the server acknowledges: the longest lag, and a slow line.
const ACKNOWLEDGED_LATE_MS: u64 = 15_000;
/// A line came, and no word of a refusal for so long: it went well.
const WELL_MS: u64 = 400;
/// Turns that are open at a time; of more, the oldest has no answer.
const OPEN_MAX: usize = 32;
/// Of more, the oldest went well when variables come.
const SETTLED_ABOVE: usize = 8;
/// One blow can end many fights, but not more than turns can soon tell.
const ENDED_MAX: usize = 16;

/// A line that was sent.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Turn {
    /// The `id` that went to the server.
    pub id: u64,
    pub line: String,
    pub room: i32,
    pub sent_ms: u64,
    pub origin: Origin,
    /// What was told with it of what the model took.
    pub told: Bill,
    /// Its answer may come later than others.
    is_async: bool,
    /// Something came after it.
    answered: bool,
    answered_ms: Option<u64>,
    /// At which it was run, and the number of its input.
    acknowledged: Option<(u64, u64)>,
    record: Box<TurnRecord>,
    exp: i64,
    gold: i64,
}

/// How a turn ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum End {
    Well,
    /// The game said no, with this reason.
    Refused(String),
    /// The server dropped the line.
    RateLimited,
    Unanswered,
    /// Its answer may come later, and did not come in so many seconds.
    TimedOut(u64),
}

impl End {
    /// As records and prompts say it.
    pub fn outcome(&self) -> String {
        match self {
            End::Well => "ok".to_string(),
            End::Refused(reason) => format!("refused: {reason}"),
            End::RateLimited => "rate_limited".to_string(),
            End::Unanswered => "no answer".to_string(),
            End::TimedOut(seconds) => format!("error: no answer in {seconds} s"),
        }
    }
}

/// What is known when a turn begins.
pub(super) struct TurnStart<'a> {
    pub state: &'a GameState,
    pub known: &'a Knowledge,
    pub elapsed_ms: u64,
    /// False records the turn with the valence 0.
    pub valence: bool,
    pub now_ms: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Turns {
    /// Sent, and not yet settled; oldest first.
    open: VecDeque<Turn>,
    /// How many there were.
    count: u64,
    /// The server says what came of each.
    acknowledges: bool,
    /// Fights that ended and that no turn has told of, with the other side: oldest first.
    ended: VecDeque<(&'static str, Option<Who>)>,
    stimulus: Stimulus,
    /// Milliseconds that an answer may take which may come later.
    patience_ms: u64,
}

impl Turns {
    /// A new connection: nothing of what is open will be answered.
    pub fn on_connect(&mut self) -> VecDeque<Turn> {
        self.acknowledges = false;
        self.take_all()
    }

    /// How long an answer that may come later is waited for.
    pub fn set_patience(&mut self, ms: u64) {
        self.patience_ms = ms;
    }

    /// Verbs of the model whose answers are to come, where they may come later.
    pub fn pending(&self) -> impl Iterator<Item = &str> {
        let own = self.open.iter().filter(|turn| turn.is_async && turn.origin.source == Source::Model);
        own.map(|turn| protocol::verbs::word_of(&turn.line))
    }

    /// Whether a line of a decision is out.
    pub fn has_of(&self, decision: u64) -> bool {
        self.open.iter().any(|turn| turn.origin.decision == decision)
    }

    /// The `id` of the next line.
    pub fn next_id(&self) -> u64 {
        self.count + 1
    }

    /// The open line of this `id`, which the server says something of.
    pub fn take(&mut self, id: u64) -> Option<Turn> {
        let at = self.open.iter().position(|turn| turn.id == id)?;
        self.open.remove(at)
    }

    /// The server says that the line of this `id` was run, at a tick, by an input. Whether it was refused is said
    /// beside that.
    pub fn acknowledge(&mut self, id: u64, tick: u64, input: u64) {
        self.acknowledges = true;
        if let Some(turn) = self.open.iter_mut().find(|turn| turn.id == id) {
            turn.acknowledged = Some((tick, input));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether a line is out to which nothing has come, though it should by now.
    pub fn waits(&self) -> bool {
        self.open.iter().any(|turn| !turn.answered && !turn.is_async)
    }

    /// When the newest open one was sent.
    pub fn newest_ms(&self) -> Option<u64> {
        self.open.back().map(|turn| turn.sent_ms)
    }

    /// What happens moves the next turn.
    pub fn notice(&mut self, state: &GameState, outcome: &Outcome) {
        if let Some(stimulus) = stimulus_of(state, outcome) {
            self.stimulus = stimulus;
        }
    }

    /// A fight ended, `killed` or `died`: the next turn tells it.
    pub fn note_fight_end(&mut self, result: &'static str, other: Option<&Who>) {
        if self.ended.len() == ENDED_MAX {
            self.ended.pop_front();
        }
        self.ended.push_back((result, other.cloned()));
    }

    /// Fights that ended and that no turn will tell of, since the session is over.
    pub fn untold(&mut self, state: &GameState, now_ms: u64) -> Vec<NoteRow> {
        let note = |(result, other): (&str, Option<Who>)| NoteRow {
            at: timestamp(now_ms),
            at_ms: now_ms,
            what: "fight".to_string(),
            fight: Some(FightEnd {
                room_vnum: state.room_vnum.unwrap_or(0),
                room_name: state.room_name.as_deref().unwrap_or("").to_string(),
                hp: state.health.unwrap_or(0),
                max_hp: state.max_health.unwrap_or(0),
                agent_level: state.level.unwrap_or(0),
                combat_result: result.to_string(),
                combat_target: other.as_ref().map(|who| who.name.to_string()),
                mob_level: other.as_ref().map(|who| who.level),
            }),
            ..NoteRow::default()
        };
        self.ended.drain(..).map(note).collect()
    }

    /// A line was sent. Returns the oldest turn when there are too many: it has no answer.
    pub fn begin(&mut self, at: &TurnStart<'_>, line: String, origin: Origin, told: Bill) -> Option<Turn> {
        self.count += 1;
        let ended = self.ended.pop_front();
        let turn = Turn::new(at, line, origin, told, self.count, std::mem::take(&mut self.stimulus), ended);
        let oldest = if self.open.len() >= OPEN_MAX { self.open.pop_front() } else { None };
        self.open.push_back(turn);
        oldest
    }

    /// A line came: whatever was sent has likely been read.
    pub fn answered(&mut self, now_ms: u64) {
        if let Some(turn) = self.open.iter_mut().find(|turn| !turn.answered) {
            turn.answered = true;
            turn.answered_ms = Some(now_ms);
        }
    }

    /// Variables came, and perhaps a refusal with them. They are of what was refused or answered already, else of the
    /// oldest turn: of several lines that were sent at once the later ones may still be refused. Returns what went
    /// well.
    pub fn settle(&mut self, refused: bool, now_ms: u64) -> Vec<Turn> {
        if self.acknowledges {
            return Vec::new();
        }
        if !refused && self.open.iter().all(|turn| !turn.answered) {
            self.answered(now_ms);
        }
        let many = self.open.len() > SETTLED_ABOVE;
        let mut well = Vec::new();
        while self.open.front().is_some_and(|turn| (turn.answered && now_ms > turn.sent_ms) || many) {
            well.extend(self.open.pop_front());
        }
        well
    }

    /// What has waited long enough.
    pub fn settle_late(&mut self, now_ms: u64) -> Vec<(Turn, End)> {
        let mut settled = Vec::new();
        let mut place = 0;
        while let Some(turn) = self.open.get(place) {
            let well = !self.acknowledges && turn.answered_ms.is_some_and(|at| now_ms >= at + WELL_MS);
            let patience_ms = match turn.is_async {
                true => self.patience_ms,
                false if self.acknowledges => ACKNOWLEDGED_LATE_MS,
                false => LATE_MS,
            };
            if !well && now_ms < turn.sent_ms + patience_ms {
                if !turn.is_async {
                    break;
                }
                // What came after it may be answered before it.
                place += 1;
                continue;
            }
            let end = match turn.answered && !self.acknowledges {
                true => End::Well,
                false if turn.is_async => End::TimedOut(patience_ms / 1_000),
                false => End::Unanswered,
            };
            settled.extend(self.open.remove(place).map(|turn| (turn, end)));
        }
        settled
    }

    /// The newest one, which the server dropped.
    pub fn take_newest(&mut self) -> Option<Turn> {
        self.open.pop_back()
    }

    /// The oldest open one of the verb of `command`, which the game refused.
    pub fn take_refused(&mut self, command: &str) -> Option<Turn> {
        let word = command.split_whitespace().next().unwrap_or("");
        let of = |line: &str| protocol::verbs::word_of(line).eq_ignore_ascii_case(word);
        let at = self.open.iter().position(|turn| of(&turn.line))?;
        self.open.remove(at)
    }

    /// All that are open, oldest first.
    pub fn take_all(&mut self) -> VecDeque<Turn> {
        std::mem::take(&mut self.open)
    }
}

impl Turn {
    fn new(
        at: &TurnStart<'_>,
        line: String,
        origin: Origin,
        told: Bill,
        number: u64,
        stimulus: Stimulus,
        ended: Option<(&'static str, Option<Who>)>,
    ) -> Turn {
        let TurnStart { state, known, elapsed_ms, valence, now_ms } = *at;
        let room = state.room_vnum.unwrap_or(0);
        let is_async = category_of(&line, state.level.unwrap_or(1)) == Some(Category::AsyncRequired);
        let mut words = line.split_whitespace().map(str::to_string);
        let command = words.next().unwrap_or_default();
        let args: Vec<String> = words.collect();
        let target = args.first().and_then(|word| {
            let mob = state.mobs().iter().find(|mob| *mob.target_string == **word);
            mob.map(|mob| mob.name.to_string()).or_else(|| {
                state.items().iter().find(|item| *item.target_string == **word).map(|item| item.name.to_string())
            })
        });
        let fighting = state.is_fighting().then(|| opponent(state, known));
        let vitals = Vitals { hp: state.health.unwrap_or(0), max_hp: state.max_health.unwrap_or(0) };
        let record = TurnRecord {
            timestamp: timestamp(now_ms),
            room_vnum: room,
            room_name: state.room_name.as_deref().unwrap_or("").to_string(),
            hp: vitals.hp,
            max_hp: vitals.max_hp,
            agent_level: state.level.unwrap_or(0),
            mobs_present: state.mobs().len(),
            fighting,
            action: line.clone(),
            latency_ms: origin.latency_ms,
            schema_version: SCHEMA_VERSION,
            turn_number: number,
            decision_id: Some(origin.decision),
            at_ms: now_ms,
            session_elapsed_minutes: elapsed_ms as f64 / 60_000.0,
            stimulus_type: stimulus,
            decision: Decision { source: origin.source, by: origin.name.clone(), command, args },
            target_entity: target,
            agents_present: known.players.iter().cloned().collect(),
            memory_injected: origin.memories.clone(),
            bootstrap_tokens: origin.bootstrap_tokens,
            council: origin.counsel.council.clone(),
            votes: origin.counsel.votes.clone(),
            tokens: origin.tokens,
            cost: origin.cost_micros.map(|micros| micros as f64 / 1e6),
            outcome: String::new(),
            answer_ms: 0,
            exp_gained: 0,
            gold_gained: 0,
            agent_state: vitals,
            combat_result: ended.as_ref().map(|(result, _)| result.to_string()),
            combat_target: ended.as_ref().and_then(|(_, who)| Some(who.as_ref()?.name.to_string())),
            mob_level: ended.as_ref().and_then(|(_, who)| Some(who.as_ref()?.level)),
            valence: (!valence).then_some(0),
        };
        let (exp, gold) = (state.exp.unwrap_or(0), state.gold.unwrap_or(0));
        Turn {
            id: number,
            line,
            room,
            sent_ms: now_ms,
            origin,
            told,
            is_async,
            answered: false,
            answered_ms: None,
            acknowledged: None,
            record: Box::new(record),
            exp,
            gold,
        }
    }

    /// The records of the command and of the turn, with what came of it.
    pub fn close(self, end: End, state: &GameState, now_ms: u64) -> (CommandRow, TurnRecord) {
        let Turn { id, line, sent_ms, origin, acknowledged, mut record, exp, gold, .. } = self;
        record.outcome = end.outcome();
        let (outcome, refused_by) = match &end {
            End::Well => (CommandOutcome::Ok, None),
            End::Refused(_) => (CommandOutcome::Refused, Some("game")),
            End::RateLimited => (CommandOutcome::RateLimited, Some("server")),
            End::Unanswered | End::TimedOut(_) => (CommandOutcome::Unanswered, None),
        };
        let command = CommandRow {
            id: Some(id),
            decision: origin.decision,
            sent: line,
            at_ms: sent_ms,
            tick: acknowledged.map(|(tick, _)| tick),
            input: acknowledged.map(|(_, input)| input),
            outcome,
            reason: if let End::Refused(reason) = end { Some(reason) } else { None },
            refused_by: refused_by.map(str::to_string),
            answer_ms: now_ms.saturating_sub(sent_ms),
        };
        record.answer_ms = now_ms.saturating_sub(sent_ms);
        record.exp_gained = state.exp.unwrap_or(exp) - exp;
        record.gold_gained = state.gold.unwrap_or(gold) - gold;
        (command, *record)
    }
}

/// What an outcome is as a stimulus, if it is one.
fn stimulus_of(state: &GameState, outcome: &Outcome) -> Option<Stimulus> {
    Some(match outcome {
        Outcome::Entered { who, .. } if state.is_me(who) => Stimulus::RoomEntered,
        Outcome::Entered { .. } => Stimulus::EntityEnteredRoom,
        Outcome::Said { speaker, .. } if speaker.kind == WhoKind::Player && !state.is_me(speaker) => {
            Stimulus::PlayerSpoke
        }
        Outcome::Attacked { .. } => Stimulus::CombatStarted,
        Outcome::Got { who, from: Some(_), .. } if state.is_me(who) => Stimulus::ItemLooted,
        Outcome::Damage { victim, .. } | Outcome::Hurt { victim, .. } if state.is_me(victim) => Stimulus::DamageTaken,
        Outcome::Death { .. } => Stimulus::EntityDied,
        _ => return None,
    })
}

/// The name of whom one fights, as far as it can be told; empty when it cannot.
fn opponent(state: &GameState, known: &Knowledge) -> String {
    let fight = known.fight.as_ref();
    fight
        .filter(|fight| !fight.name.is_empty())
        .map(|fight| fight.name.clone())
        .or_else(|| state.attackers().next().map(|mob| mob.name.to_string()))
        .unwrap_or_default()
}
