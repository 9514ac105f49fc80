//! An order of the model that runs: a delegation or a wait, from its beginning to its end. Walking is in `journey`.
//!
//! Invariant: it ends, at the latest when its ticks are over. What ended it is told to the model in a sentence.

use super::attention::is_spoken_to;
use super::body::Body;
use crate::knowledge::Knowledge;
use crate::policies::{Mandate, is_whole};
use crate::state::{GameState, Line};
use mind::action::{Order, Until};
use protocol::Outcome;
use protocol::payload::EventKind;
use protocol::words::counted;
use std::collections::BTreeSet;

/// Lost since the order, percent of the most hit points: that is to be hurt.
const HURT_PERCENT: i32 = 25;
/// So long without anything to do, a delegation has nothing more to do.
const IDLE_MS: u64 = 10_000;
/// By these words the sky tells of day and night to whoever is under it.
const DAY: &str = "It is day.";
const NIGHT: &str = "It is night.";

pub(super) struct RunningOrder {
    pub order: Order,
    since_ms: u64,
    /// In thousandths of ticks of the world, which may be of any length.
    since: u64,
    until: u64,
    level: Option<i32>,
    room: Option<i32>,
    /// The most hit points since, in percent.
    hp_percent: i32,
    met: Met,
    /// The first of its events that happened, and whatever else ends it.
    over: Option<String>,
}

/// Whom and what it had met when the order was given.
#[derive(Default)]
struct Met {
    mobs: BTreeSet<i32>,
    players: BTreeSet<String>,
    objects: BTreeSet<i32>,
}

impl Met {
    fn of(state: &GameState, known: &Knowledge) -> Met {
        let mobs = known.bestiary.kinds.keys().copied().chain(state.mobs().iter().map(|mob| mob.vnum));
        Met {
            mobs: mobs.collect(),
            players: known.players.clone(),
            objects: known.objects.known.keys().copied().chain(objects(state)).collect(),
        }
    }

    /// Somebody or something that is not among them.
    fn news(&self, state: &GameState, known: &Knowledge) -> Option<String> {
        let mob = state.mobs().iter().find(|mob| !self.mobs.contains(&mob.vnum)).map(|mob| mob.name.to_string());
        let player = || known.players.iter().find(|name| !self.players.contains(*name)).cloned();
        // What lies in a room may be a lamp post: a thing is found by who has it in hand.
        let object = || {
            let new = |vnum: i32| vnum != 0 && !self.objects.contains(&vnum);
            state.carried().iter().find(|item| new(item.vnum)).map(|item| item.name.to_string())
        };
        mob.or_else(player).or_else(object)
    }
}

fn objects(state: &GameState) -> impl Iterator<Item = i32> {
    let carried = state.carried().iter().map(|item| item.vnum);
    carried.chain(state.items().iter().map(|item| item.vnum))
}

impl RunningOrder {
    pub fn begin(order: Order, state: &GameState, known: &Knowledge, now_ms: u64) -> RunningOrder {
        let ticks = match &order {
            Order::Delegate { ticks, .. } => *ticks,
            Order::Wait { until, .. } if until.contains(&Until::Tick) => 1,
            Order::Wait { ticks, .. } => *ticks,
            Order::Goto { .. } => 0,
        };
        RunningOrder {
            since_ms: now_ms,
            since: known.ticks.thousandths_at(now_ms),
            until: known.ticks.thousandths_at(now_ms).saturating_add(u64::from(ticks) * 1_000),
            level: state.level,
            room: state.room_vnum,
            hp_percent: state.hp_percent(),
            met: Met::of(state, known),
            over: None,
            order,
        }
    }

    fn until(&self) -> &[Until] {
        match &self.order {
            Order::Delegate { until, .. } | Order::Wait { until, .. } => until,
            Order::Goto { .. } => &[],
        }
    }

    fn ends_with(&mut self, until: Until, what: impl Into<String>) {
        if self.over.is_none() && self.until().contains(&until) {
            self.over = Some(what.into());
        }
    }

    fn waits(&self) -> bool {
        matches!(self.order, Order::Wait { .. })
    }

    /// What policies may decide while it runs; `None`: as without it.
    pub fn mandate(&self) -> Option<Mandate> {
        match &self.order {
            Order::Delegate { policies, .. } if policies.is_empty() => Some(Mandate::All),
            Order::Delegate { policies, .. } => Some(Mandate::Named(policies.clone())),
            Order::Wait { .. } | Order::Goto { .. } => None,
        }
    }

    /// Whether the model may be asked meanwhile, when somebody speaks: whoever waits decided for what.
    pub fn hears(&self) -> bool {
        !self.waits()
    }

    /// Whether one lies there because the model wants it so.
    pub fn lets_lie(&self) -> bool {
        self.waits() && !self.until().contains(&Until::Rested)
    }

    /// Ticks that are left.
    pub fn ticks_left(&self, known: &Knowledge, now_ms: u64) -> u64 {
        self.until.saturating_sub(known.ticks.thousandths_at(now_ms)).div_ceil(1_000)
    }

    /// Something happened.
    pub fn see(&mut self, state: &GameState, outcome: &Outcome) {
        match outcome {
            Outcome::Death { victim, .. } if state.is_me(victim) => {
                self.over.get_or_insert("you died".to_string());
            }
            Outcome::Attacked { attacker, victim } if state.is_me(victim) && self.waits() => {
                self.over.get_or_insert(format!("{} attacked you", attacker.name));
            }
            Outcome::Entered { who, .. } if !state.is_me(who) => {
                self.ends_with(Until::SomebodyEnters, format!("{} came in", who.name));
            }
            outcome => {
                if let Some(who) = is_spoken_to(state, outcome) {
                    self.ends_with(Until::SpokenTo, format!("{who} spoke to you"));
                }
            }
        }
    }

    /// A line came.
    pub fn hear(&mut self, line: &Line) {
        if line.kind == EventKind::Outdoor {
            if line.text.contains(DAY) {
                self.ends_with(Until::Day, "it is day");
            } else if line.text.contains(NIGHT) {
                self.ends_with(Until::Night, "it is night");
            }
        }
    }

    /// Variables came.
    pub fn observe(&mut self, state: &GameState, known: &Knowledge) {
        self.hp_percent = self.hp_percent.max(state.hp_percent());
        if state.hp_percent() + HURT_PERCENT <= self.hp_percent {
            self.ends_with(Until::Hurt, "you lost a quarter of your hit points");
        }
        if state.level > self.level && self.level.is_some() {
            self.ends_with(Until::Level, "you gained a level");
        }
        if is_whole(state) {
            self.ends_with(Until::Rested, "you are rested");
        }
        if state.is_fighting() && self.waits() {
            self.over.get_or_insert("you are in a fight".to_string());
        }
        if state.room_vnum != self.room && known.map.room().is_some_and(|room| room.visits <= 1) {
            self.ends_with(Until::Arrived, "you came to where you had never been");
        }
        if self.until().contains(&Until::Found)
            && let Some(new) = self.met.news(state, known)
        {
            self.ends_with(Until::Found, format!("you found {new}"));
        }
    }

    /// Why it is over, if it is: `over after 12 ticks: Bob spoke to you`.
    pub fn end(&self, body: &Body, now_ms: u64) -> Option<String> {
        let now = body.known.ticks.thousandths_at(now_ms);
        let idle_ms = now_ms.saturating_sub(body.busy_ms.unwrap_or(0).max(self.since_ms));
        let why = match &self.over {
            Some(why) => why.as_str(),
            None if now >= self.until && self.until().contains(&Until::Tick) => "the next tick came",
            None if now >= self.until => "its time is over",
            None if !self.waits() && idle_ms >= IDLE_MS => "there was nothing more to do",
            None => return None,
        };
        Some(match now.saturating_sub(self.since) / 1_000 {
            0 => format!("over at once: {why}"),
            ticks => format!("over after {}: {why}", counted(ticks, "tick")),
        })
    }
}
