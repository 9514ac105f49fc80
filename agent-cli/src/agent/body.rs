//! The body: what is seen and known, what was sent, and what it does by itself, which is reflexes and policies.
//!
//! Invariants: knows no mind; whether one decides just now is told to it. At most one reflex or policy at a time, the
//! rate of commands stays under the server's, and nothing is chance but the seed's.

use super::bills::Bills;
use super::effect::Effect;
use super::origin::Origin;
use super::pace::Bucket;
use super::settings::AgentSettings;
use super::turns::{Turn, TurnStart, Turns};
use crate::knowledge::Knowledge;
use crate::nature::{Nature, draw};
use crate::policies::{self, Choice, Mandate, Memo, Perception, Policy, Power, is_whole};
use crate::record::Source;
use crate::reflexes::{FLEE_PERCENT, Reflex, Surroundings, get_up, reflex};
use crate::state::GameState;
use protocol::ClientFrame;
use protocol::frame::{Command, Subscribe};
use protocol::payload::RoomMob;
use protocol::variables::VARIABLES;
use std::collections::VecDeque;
use std::rc::Rc;

/// A full dump that was asked for and did not come is asked for again after so long.
pub(super) const FULL_AGAIN_MS: u64 = 5_000;
/// The same reflex is not sent again before so long, unless the last one was refused.
pub(super) const REFLEX_MS: u64 = 900;
const REFLEX_REFUSED_MS: u64 = 250;
/// Getting up is not sent again before so long: the line that tells of it comes before the variables that show it.
const GET_UP_MS: u64 = 2_000;
/// While nothing comes from the server, policies that had nothing to do are asked again after so long only.
const ASK_AGAIN_MS: u64 = 1_000;
/// After so many flights on end that did not work one fights on, for so long.
const CORNERED_AFTER: u32 = 4;
const CORNERED_MS: u64 = 4_000;
/// Movement points that a step costs, by the ground: with fewer than the least nobody gets away, and with fewer than
/// the most one refusal tells enough.
const STEP_COST_MIN: i32 = 2;
const STEP_COST_MAX: i32 = 8;
/// Resting begins below so many percent, and ends above.
const TIRED_HP_PERCENT: i32 = 45;
const TIRED_MOVES_PERCENT: i32 = 12;
const FIT_HP_PERCENT: i32 = 75;
const FIT_MOVES_PERCENT: i32 = 25;
/// Who has fewer moves stops to look around for what may be there, until it has so many again.
const SPENT_MOVES_PERCENT: i32 = 25;
const FRESH_MOVES_PERCENT: i32 = 45;
/// Of a reason that is sent along with a line.
const REASON_CHARS: usize = 200;

#[derive(Default)]
pub struct Body {
    pub state: GameState,
    pub known: Knowledge,
    pub(super) turns: Turns,
    pub(super) bucket: Bucket,
    last_policy_ms: Option<u64>,
    /// What was asked when no policy had anything to do, and until when that holds: the mandate, and whether it is let
    /// lie.
    at_rest: Option<(Mandate, bool, u64)>,
    /// When a policy last had something to do or to wait for.
    pub(super) busy_ms: Option<u64>,
    /// It lay down with nothing to heal, so not for that.
    lies_whole: bool,
    lay: bool,
    /// When it was sent to get up, until it stands.
    got_up_ms: Option<u64>,
    last_reflex: Option<(Reflex, u64)>,
    cornered_until_ms: u64,
    full_asked_ms: Option<u64>,
    subscribe: bool,
    started_ms: Option<u64>,
    /// Numbers of the seed's chance that were drawn.
    draws: u64,
    nature: Nature,
    pub(super) bills: Bills,
}

/// What the reflexes have to say.
#[derive(Debug)]
pub(super) enum Reaction {
    /// Nothing: others may decide.
    Pass,
    /// It is decided already, or the rate has no room: nothing else may come between.
    Wait,
    Do(Reflex),
}

impl Body {
    pub fn new(nature: Nature) -> Body {
        Body { nature, ..Body::default() }
    }

    /// A new connection: to be called before its first frame. What was sent to the old one is not answered any more.
    pub(super) fn on_connect(&mut self) -> VecDeque<Turn> {
        self.state.on_connect();
        self.full_asked_ms = None;
        self.turns.on_connect()
    }

    /// A frame came: the clock of the session runs from the first.
    pub(super) fn wake(&mut self, now_ms: u64) {
        self.started_ms.get_or_insert(now_ms);
        self.at_rest = None;
    }

    pub(super) fn logged_in(&mut self) {
        self.subscribe = true;
    }

    /// The full dump came.
    pub(super) fn has_all(&mut self) {
        self.full_asked_ms = None;
    }

    /// Milliseconds since the first frame.
    pub fn elapsed_ms(&self, now_ms: u64) -> u64 {
        now_ms.saturating_sub(self.started_ms.unwrap_or(now_ms))
    }

    /// When the first frame came.
    pub fn started_at_ms(&self) -> i64 {
        i64::try_from(self.started_ms.unwrap_or(0)).unwrap_or(0)
    }

    /// Vnum of the room; 0 where it is not known.
    pub fn room(&self) -> i32 {
        self.state.room_vnum.unwrap_or(0)
    }

    /// Variables came: how it lies, and whether it has got up.
    pub(super) fn note_position(&mut self) {
        if self.known.map.own == 0 && !self.state.name().is_empty() {
            self.known.map.own = self.nature.number(self.state.name(), 0).max(1);
        }
        let lies = get_up(&self.state).is_some();
        if lies && !self.lay {
            self.lies_whole = is_whole(&self.state);
        }
        if !lies {
            self.got_up_ms = None;
        }
        self.lay = lies;
    }

    /// What is to be sent to get up, if it lies and that has not been sent yet.
    pub(super) fn getting_up(&mut self, now_ms: u64) -> Option<String> {
        let up = get_up(&self.state)?;
        if self.got_up_ms.is_some_and(|at| now_ms < at + GET_UP_MS) || self.is_refused(&up.line, now_ms) {
            return None;
        }
        self.got_up_ms = Some(now_ms);
        Some(up.line.into_owned())
    }

    /// Whether to rest goes by two marks each, so that one does not get up at the first point.
    pub(super) fn note_fitness(&mut self) {
        let (hp, moves) = (self.state.hp_percent(), self.state.moves_percent());
        self.known.spent = moves < SPENT_MOVES_PERCENT || (self.known.spent && moves < FRESH_MOVES_PERCENT);
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

    /// What it asks of the server before it can play: variables, and all of them after a gap.
    pub(super) fn subscribe(&mut self, effects: &mut Vec<Effect>, now_ms: u64) {
        if self.subscribe {
            self.subscribe = false;
            let variables = VARIABLES.iter().map(|row| row.name.to_string()).collect();
            effects.push(Effect::Send(ClientFrame::Subscribe(Subscribe { variables, full: false })));
        }
        if self.state.wants_full && self.full_asked_ms.is_none_or(|asked| now_ms >= asked + FULL_AGAIN_MS) {
            self.full_asked_ms = Some(now_ms);
            effects.push(Effect::Send(ClientFrame::Subscribe(Subscribe { variables: Vec::new(), full: true })));
        }
    }

    /// What the reflexes have to do now; the rate is charged for it.
    pub(super) fn react(&mut self, now_ms: u64) -> Reaction {
        let moves = self.state.moves.unwrap_or(i32::MAX);
        let tries = if moves < STEP_COST_MAX { 1 } else { CORNERED_AFTER };
        if self.known.flights_failed >= tries {
            self.known.flights_failed = 0;
            self.cornered_until_ms = now_ms + CORNERED_MS;
        }
        let Some(reflex) = self.reflex_now(now_ms) else { return Reaction::Pass };
        if let Some((last, at)) = &self.last_reflex {
            let refused = self.turns.is_empty() && self.is_refused(&last.line, now_ms);
            let pace = if refused { REFLEX_REFUSED_MS } else { REFLEX_MS };
            if *last == reflex && now_ms < at + pace {
                return Reaction::Wait;
            }
        }
        // A mob that cannot be fought back is no reason to stop playing.
        if reflex.name == "counter" && self.is_refused(&reflex.line, now_ms) {
            return Reaction::Pass;
        }
        if !self.bucket.take(now_ms) {
            return Reaction::Wait;
        }
        self.last_reflex = Some((reflex.clone(), now_ms));
        Reaction::Do(reflex)
    }

    fn reflex_now(&self, now_ms: u64) -> Option<Reflex> {
        let level = self.state.level.unwrap_or(1);
        let bestiary = &self.known.bestiary;
        let fierce = |mob: &RoomMob| {
            bestiary.is_dangerous(mob.vnum, level)
                || bestiary.get(mob.vnum).is_some_and(|kind| kind.aggressive && !kind.untouchable)
        };
        let hurt = self.state.hp_percent() < FLEE_PERCENT;
        let way_out = if hurt && !self.state.is_fighting() {
            policies::way_of_flight(&self.seen(true, false, self.draws, now_ms))
        } else {
            None
        };
        let moves = self.state.moves.unwrap_or(i32::MAX);
        let cornered = now_ms < self.cornered_until_ms || moves < STEP_COST_MIN;
        let around = Surroundings { way_out: way_out.as_deref(), attacks_unprovoked: &fierce, cornered };
        reflex(&self.state, &around)
    }

    /// `settled`: it is to be let lie.
    pub(super) fn seen(&self, alone: bool, settled: bool, chance: u64, now_ms: u64) -> Perception<'_> {
        let (state, known, nature, memo) = (&self.state, &self.known, self.nature, Rc::<Memo>::default());
        Perception { state, known, now_ms, alone, settled, nature, chance, memo }
    }

    /// Whether a line has just failed here.
    pub(super) fn is_refused(&self, line: &str, now_ms: u64) -> bool {
        self.known.refused_actions.blocks(self.room(), line, now_ms).is_some()
    }

    /// What a reflex or policy has to do now, had no mind a say in it and were there no pace to keep: its name. For
    /// measuring whether the agent stands still for nothing.
    pub fn wish(&self, settings: &AgentSettings, now_ms: u64) -> Option<&'static str> {
        if !self.state.is_ready() {
            return None;
        }
        if let Some(reflex) = self.reflex_now(now_ms)
            && !self.is_refused(&reflex.line, now_ms)
        {
            return Some(reflex.name);
        }
        if self.lies_whole {
            // It waits, as it was told to.
            return None;
        }
        let chance = draw(settings.seed, self.draws.wrapping_add(1));
        match self.decide(settings, &Mandate::All, false, chance, now_ms) {
            Choice::Do { name, .. } => Some(name),
            Choice::Stay | Choice::Nothing => None,
        }
    }

    fn decide(&self, settings: &AgentSettings, mandate: &Mandate, settled: bool, chance: u64, now_ms: u64) -> Choice {
        let seen = self.seen(true, settled || self.lies_whole, chance, now_ms);
        let AgentSettings { off, forbidden, .. } = settings;
        // What keeps body and soul together no persona forbids.
        let needs = |policy: &Policy| matches!(policy.name, "eat" | "drink" | "get_up" | "stand" | "withdraw");
        let is_on = |policy: &Policy| {
            let forbidden = forbidden.policies.contains(policy.name) && !needs(policy);
            policy.on && !off.contains(policy.name) && !forbidden
        };
        let may = |policy: &Policy, line: &str| needs(policy) || forbidden.verb_of(line).is_none();
        let choice = policies::decide(&seen, mandate, is_on, may);
        match &choice {
            Choice::Do { line, .. } if !self.can_be(line) => Choice::Nothing,
            _ => choice,
        }
    }

    /// Nobody runs who cannot take a step: that would only be refused, again and again.
    fn can_be(&self, line: &str) -> bool {
        line != "flee" || self.state.moves.is_none_or(|moves| moves >= STEP_COST_MIN)
    }

    /// What upkeep or a policy that the mandate covers has to do now, if anything: its name, its power and its line;
    /// the rate is charged for it. `settled`: it is to be let lie.
    pub(super) fn policy(
        &mut self,
        settings: &AgentSettings,
        mandate: &Mandate,
        settled: bool,
        now_ms: u64,
    ) -> Option<(&'static str, Source, String)> {
        if self.state.is_fighting() || !self.turns.is_empty() {
            self.busy_ms = Some(now_ms);
        }
        let paced = self.last_policy_ms.is_none_or(|last| now_ms >= last + settings.act_ms);
        if self.turns.waits() || !paced || !self.bucket.has(now_ms) {
            return None;
        }
        let holds =
            |(of, lies, until_ms): &(Mandate, bool, u64)| of == mandate && *lies == settled && now_ms < *until_ms;
        if self.at_rest.as_ref().is_some_and(holds) {
            return None;
        }
        self.draws = self.draws.wrapping_add(1);
        let choice = self.decide(settings, mandate, settled, draw(settings.seed, self.draws), now_ms);
        if choice != Choice::Nothing {
            self.busy_ms = Some(now_ms);
        }
        let asked = || (mandate.clone(), settled, now_ms + ASK_AGAIN_MS);
        let at_rest = *mandate == Mandate::All && !matches!(choice, Choice::Do { .. });
        self.at_rest = at_rest.then(asked);
        let Choice::Do { name, power, line } = choice else { return None };
        if get_up(&self.state).is_some_and(|up| up.line == line) {
            // A walk gets up first, too: never twice.
            self.getting_up(now_ms)?;
        }
        self.bucket.take(now_ms);
        self.last_policy_ms = Some(now_ms);
        let source = match power {
            Power::Reflex => Source::Reflex,
            Power::Upkeep => Source::Upkeep,
            Power::Policy => Source::Policy,
        };
        Some((name, source, line))
    }

    /// One line to the server, noted as a turn. Returns the oldest turn when too many are open: it has no answer.
    pub(super) fn send(
        &mut self,
        effects: &mut Vec<Effect>,
        line: String,
        origin: Origin,
        valence: bool,
        now_ms: u64,
    ) -> Option<Turn> {
        let mut meta = serde_json::json!({
            "memory_ids": origin.memory_ids(),
            "source": origin.source.name(),
            "by": origin.name,
            "decision": origin.decision,
        });
        if let Some(prompt) = &origin.prompt {
            meta["prompt"] = prompt.as_str().into();
        }
        if !origin.reason.is_empty() {
            meta["reason"] = origin.reason.chars().take(REASON_CHARS).collect::<String>().into();
        }
        if let Some(model) = &origin.answered_by {
            meta["model"] = model.as_str().into();
        }
        // A decision may send several lines; what it took is told with the first, so that sums are right.
        let told = self.bills.tell(&origin, &mut meta);
        self.known.sent(&self.state, &line, now_ms);
        let mut words = line.split_whitespace();
        let command = words.next().unwrap_or("").to_string();
        let args = words.map(str::to_string).collect();
        let id = Some(self.turns.next_id());
        effects.push(Effect::Send(ClientFrame::Command(Command { command, args, id, meta: Some(meta) })));
        let elapsed_ms = self.elapsed_ms(now_ms);
        let at = TurnStart { state: &self.state, known: &self.known, elapsed_ms, valence, now_ms };
        self.turns.begin(&at, line, origin, told)
    }
}
