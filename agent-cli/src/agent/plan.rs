//! A line of the model between its answer and its turn, and why it is given up when that comes.
//!
//! A model thinks for seconds, and what it decided was meant for the moment it was asked in. Invariant: a plan holds
//! that moment, and is sent only while what matters for it is the same.

use super::body::Body;
use super::origin::Origin;
use crate::state::GameState;
use protocol::verbs;
use std::collections::BTreeMap;

/// A plan that is not carried out by then belongs to another situation.
const PLAN_MS: u64 = 8_000;
/// Lost since the question, percent of the most hit points: such a plan knew nothing of it.
const HURT_PERCENT: i32 = 25;

/// What an answer takes for granted.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Situation {
    room: Option<i32>,
    fighting: bool,
    hp_percent: i32,
    /// Who is meant by which word.
    targets: BTreeMap<String, String>,
}

impl Situation {
    pub fn of(state: &GameState) -> Situation {
        let mobs = state.mobs().iter().map(|mob| (mob.target_string.to_string(), mob.instance_id.to_string()));
        let items = state.items().iter().map(|item| (item.target_string.to_string(), item.instance_id.to_string()));
        Situation {
            room: state.room_vnum,
            fighting: state.is_fighting(),
            hp_percent: state.hp_percent(),
            targets: items.chain(mobs).collect(),
        }
    }
}

/// A line of the model that waits.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub line: String,
    /// It spends no tick.
    pub free: bool,
    pub origin: Origin,
    situation: Situation,
    until_ms: u64,
}

impl Plan {
    pub fn new(line: String, free: bool, origin: Origin, situation: Situation, now_ms: u64) -> Plan {
        Plan { line, free, origin, situation, until_ms: now_ms + PLAN_MS }
    }

    /// Why it is not to be sent now, if it is not.
    pub fn doubt(&self, body: &Body, now_ms: u64) -> Option<Doubt> {
        if body.is_refused(&self.line, now_ms) {
            return Some(Doubt::JustFailed);
        }
        if now_ms > self.until_ms {
            return Some(Doubt::TooLate);
        }
        if self.free && !self.line.starts_with("consider ") {
            return None;
        }
        let now = Situation::of(&body.state);
        if self.situation.room != now.room {
            return Some(Doubt::RoomChanged);
        }
        let target = self.line.split_whitespace().nth(1).unwrap_or("");
        if let Some(meant) = self.situation.targets.get(target)
            && now.targets.get(target) != Some(meant)
        {
            return Some(Doubt::TargetGone);
        }
        let flees = verbs::word_of(&self.line) == "flee";
        if self.situation.fighting != now.fighting && !(flees && now.fighting) {
            let attacks = matches!(verbs::word_of(&self.line), "kill" | "hit" | "k");
            // Turning on whom one fights already is no news; anything else was meant for another moment.
            return Some(if attacks && now.fighting { Doubt::Repeated } else { Doubt::FightChanged });
        }
        if now.hp_percent + HURT_PERCENT < self.situation.hp_percent && !flees {
            return Some(Doubt::Hurt);
        }
        None
    }
}

/// Why a line of the model is not sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doubt {
    /// The one it is about has gone, or the word means another now.
    TargetGone,
    RoomChanged,
    /// A fight began, or ended.
    FightChanged,
    /// Much was suffered since.
    Hurt,
    TooLate,
    /// The same line just failed here.
    JustFailed,
    /// More than one verb that spends a tick, or more than eight that do not.
    TooMany,
    /// It does what is done already.
    Repeated,
    /// It was asked in this turn, and the reply is there.
    AskedBefore,
    /// Somebody else said it, and what it does cannot be taken back.
    Injected,
    /// It repeats what the agent alone is to know.
    Leaks,
    /// The persona never does it.
    Forbidden,
    /// It lies, sits or stands so already.
    Stays,
}

impl Doubt {
    pub const fn reason(self) -> &'static str {
        match self {
            Doubt::TargetGone => "its target has gone",
            Doubt::RoomChanged => "the room is another now",
            Doubt::FightChanged => "a fight has begun or ended since",
            Doubt::Hurt => "much was suffered since",
            Doubt::TooLate => "it came too late",
            Doubt::JustFailed => "it has just failed in the same way",
            Doubt::TooMany => "one action at a time",
            Doubt::Repeated => "it has just been done",
            Doubt::AskedBefore => "it was asked before in this turn; the reply is above",
            Doubt::Injected => "somebody else said it in these words, and it cannot be taken back",
            Doubt::Leaks => "it repeats word for word what only you are to know",
            Doubt::Forbidden => "your character never does that",
            Doubt::Stays => "that is its position already",
        }
    }
}
