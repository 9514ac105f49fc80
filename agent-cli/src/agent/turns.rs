//! Turns: from a line that is sent to what came of it, and the record of both.

use super::{Agent, Effect, thinking, trouble};
use crate::record::{Decision, InjectedMemory, SCHEMA_VERSION, Source, Stimulus, Tokens, TurnRecord, Vitals};
use crate::state::GameState;
use mind::hud::RecentAction;
use protocol::Outcome;
use protocol::outcome::WhoKind;

/// What is not answered after so long will not be.
const LATE_MS: u64 = 2_500;
/// A line came, and no word of a refusal for so long: it went well.
const WELL_MS: u64 = 400;

/// Who decided, and what it cost.
#[derive(Clone, PartialEq, Debug)]
pub struct By {
    pub source: Source,
    pub name: String,
    pub latency_ms: u64,
    pub tokens: Tokens,
    pub cost_micros: u64,
    pub memories: Vec<InjectedMemory>,
    pub bootstrap_tokens: u64,
}

impl Default for By {
    fn default() -> By {
        By {
            source: Source::Policy,
            name: String::new(),
            latency_ms: 0,
            tokens: Tokens::default(),
            cost_micros: 0,
            memories: Vec::new(),
            bootstrap_tokens: 0,
        }
    }
}

impl By {
    pub fn memory_ids(&self) -> Vec<&str> {
        self.memories.iter().map(|memory| memory.memory_id.as_str()).collect()
    }
}

/// A line that was sent.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Turn {
    pub line: String,
    pub room: i32,
    pub sent_ms: u64,
    pub by: By,
    /// Something came after it.
    pub answered: bool,
    answered_ms: Option<u64>,
    record: Box<TurnRecord>,
    exp: i64,
    gold: i64,
}

/// What an outcome is as a stimulus, if it is one.
pub(super) fn stimulus_of(state: &GameState, outcome: &Outcome) -> Option<Stimulus> {
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

impl Agent {
    pub(super) fn open(&mut self, line: String, by: By, now_ms: u64) -> Turn {
        self.turn_number += 1;
        let state = &self.state;
        let room = state.room_vnum.unwrap_or(0);
        let mut words = line.split_whitespace().map(str::to_string);
        let command = words.next().unwrap_or_default();
        let args: Vec<String> = words.collect();
        let target = args.first().and_then(|word| {
            let mob = state.mobs().iter().find(|mob| *mob.target_string == **word);
            mob.map(|mob| mob.name.to_string()).or_else(|| {
                state.items().iter().find(|item| *item.target_string == **word).map(|item| item.name.to_string())
            })
        });
        let fighting = state.is_fighting().then(|| self.opponent());
        let ended = self.ended.pop_front();
        let vitals = Vitals { hp: state.health.unwrap_or(0), max_hp: state.max_health.unwrap_or(0) };
        let record = TurnRecord {
            timestamp: crate::record::timestamp(now_ms),
            room_vnum: room,
            room_name: state.room_name.as_deref().unwrap_or("").to_string(),
            hp: vitals.hp,
            max_hp: vitals.max_hp,
            agent_level: state.level.unwrap_or(0),
            mobs_present: state.mobs().len(),
            fighting,
            action: line.clone(),
            latency_ms: by.latency_ms,
            schema_version: SCHEMA_VERSION,
            turn_number: self.turn_number,
            at_ms: now_ms,
            session_elapsed_minutes: self.elapsed_ms(now_ms) as f64 / 60_000.0,
            stimulus_type: std::mem::take(&mut self.stimulus),
            decision: Decision { source: by.source, by: by.name.clone(), command, args },
            target_entity: target,
            agents_present: self.known.players.iter().cloned().collect(),
            memory_injected: by.memories.clone(),
            bootstrap_tokens: by.bootstrap_tokens,
            tokens: by.tokens,
            cost: by.cost_micros as f64 / 1_000_000.0,
            outcome: String::new(),
            answer_ms: 0,
            exp_gained: 0,
            gold_gained: 0,
            agent_state: vitals,
            combat_result: ended.as_ref().map(|(result, _)| result.to_string()),
            combat_target: ended.as_ref().and_then(|(_, who)| Some(who.as_ref()?.name.to_string())),
            mob_level: ended.as_ref().and_then(|(_, who)| Some(who.as_ref()?.level)),
            valence: (!self.settings.valence).then_some(0),
        };
        let (exp, gold) = (state.exp.unwrap_or(0), state.gold.unwrap_or(0));
        Turn {
            line,
            room,
            sent_ms: now_ms,
            by,
            answered: false,
            answered_ms: None,
            record: Box::new(record),
            exp,
            gold,
        }
    }

    /// The name of whom one fights, as far as it can be told; empty when it cannot.
    fn opponent(&self) -> String {
        let fight = self.known.fight.as_ref();
        fight
            .filter(|fight| !fight.name.is_empty())
            .map(|fight| fight.name.clone())
            .or_else(|| self.state.attackers().next().map(|mob| mob.name.to_string()))
            .unwrap_or_default()
    }

    /// A line came: whatever was sent has likely been read.
    pub(super) fn answered(&mut self, now_ms: u64) {
        if let Some(turn) = self.turns.iter_mut().find(|turn| !turn.answered) {
            turn.answered = true;
            turn.answered_ms = Some(now_ms);
        }
    }

    /// Variables came, and perhaps a refusal with them. They are of what was refused or answered already, else of the
    /// oldest turn: of several lines that were sent at once the later ones may still be refused.
    pub(super) fn settle(&mut self, refused: bool, now_ms: u64) {
        if !refused && self.turns.iter().all(|turn| !turn.answered) {
            self.answered(now_ms);
        }
        let many = self.turns.len() > 8;
        while self.turns.front().is_some_and(|turn| (turn.answered && now_ms > turn.sent_ms) || many) {
            let turn = self.turns.pop_front().expect("it is there");
            self.well(turn, now_ms);
        }
    }

    /// What has waited long enough.
    pub(super) fn settle_late(&mut self, now_ms: u64) {
        while let Some(turn) = self.turns.front() {
            let well = turn.answered_ms.is_some_and(|at| now_ms >= at + WELL_MS);
            let late = now_ms >= turn.sent_ms + LATE_MS;
            if !well && !late {
                return;
            }
            let turn = self.turns.pop_front().expect("it is there");
            if turn.answered {
                self.well(turn, now_ms);
            } else {
                self.close(turn, "no answer".to_string(), now_ms);
            }
        }
    }

    /// The server dropped the newest one.
    pub(super) fn settle_limited(&mut self, now_ms: u64) {
        let newest = self.turns.back().map(|turn| turn.sent_ms);
        if self.recalling.open_since().is_some_and(|since| newest.is_none_or(|sent| sent <= since)) {
            return self.recalling.dropped();
        }
        if let Some(turn) = self.turns.pop_back() {
            self.close(turn, "rate_limited".to_string(), now_ms);
        }
    }

    /// The game refused a command: the oldest one of that word that is open.
    pub(super) fn refuse(&mut self, command: &str, reason: &str, now_ms: u64) {
        let word = command.split_whitespace().next().unwrap_or("");
        let of = |line: &str| protocol::verbs::word_of(line).eq_ignore_ascii_case(word);
        let Some(at) = self.turns.iter().position(|turn| of(&turn.line)) else { return };
        let turn = self.turns.remove(at).expect("it was found");
        self.counts.refused += 1;
        // What the model wanted did not happen: the policies go on until it wants something else.
        self.alone_until_thought |= turn.by.source == Source::Model && !thinking::is_free(&turn.line, 1);
        if turn.line != "flee" {
            self.known.breaker.failed(turn.room, &turn.line, reason, now_ms);
        }
        if turn.by.source == Source::Model {
            self.known.breaker.insisted(turn.room, &turn.line, now_ms);
        }
        let line = turn.line.clone();
        self.troubles.refused(turn.room, &turn.record.room_name, &line, reason);
        self.known.refused(&self.state, turn.room, &line, reason, now_ms);
        self.close(turn, format!("refused: {reason}"), now_ms);
    }

    fn well(&mut self, turn: Turn, now_ms: u64) {
        self.known.breaker.succeeded(turn.room, &turn.line);
        self.troubles.went_well(&self.state.mind, turn.room, &turn.line);
        if crate::map::direction_of(&turn.line).is_some() && self.state.room_vnum != Some(turn.room) {
            // Another room: what failed there may work when one comes back.
            self.known.breaker.forgive(turn.room);
        }
        self.close(turn, "ok".to_string(), now_ms);
    }

    pub(super) fn close(&mut self, turn: Turn, outcome: String, now_ms: u64) {
        let Turn { line, sent_ms, by, mut record, exp, gold, .. } = turn;
        record.outcome = outcome.clone();
        record.answer_ms = now_ms.saturating_sub(sent_ms);
        record.exp_gained = self.state.exp.unwrap_or(exp) - exp;
        record.gold_gained = self.state.gold.unwrap_or(gold) - gold;
        let source = by.source.name().to_string();
        // What goes to its own log comes back as an entry of it.
        if !trouble::is_own(&line) {
            self.blocks.did(&source, &line, &outcome);
            self.remember(RecentAction { tick: self.blocks.tick(now_ms), source, action: line, outcome });
        }
        self.notes.push(Effect::Log(record));
    }
}
