//! Fights that go on, what they cost, and places that are shunned for them.

use super::Knowledge;
use crate::bestiary::vnum_of;
use crate::map::Room;
use crate::state::GameState;
use protocol::outcome::Who;

/// A place where one died is shunned so long.
const SHUN_DIED_MS: u64 = 900_000;
/// Somebody dangerous who goes about is believed to be where one saw it for so long.
const ROAMS_MS: u64 = 240_000;

/// A fight that goes on.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Fight {
    pub id: String,
    pub vnum: Option<i32>,
    pub name: String,
    pub since_ms: u64,
    /// Hit points at its beginning.
    pub hp_before: i32,
    /// Dealt to the opponent, suffered from anybody, so far.
    pub dealt: i64,
    pub suffered: i64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Death {
    pub room: i32,
    pub at_ms: u64,
    pub killer: Option<i32>,
    /// The corpse was fetched, or given up.
    pub settled: bool,
    pub equipment: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kill {
    pub name: String,
    pub room: i32,
    pub at_ms: u64,
}

/// A blow that nobody paid for yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Struck {
    pub room: i32,
    pub at_ms: u64,
    /// The kind of mob that struck.
    pub by: Option<i32>,
}

impl Knowledge {
    pub(super) fn strike(&mut self, attacker: &Who, now_ms: u64) {
        self.posture.happened();
        if let Some(room) = self.map.here {
            self.struck = Some(Struck { room, at_ms: now_ms, by: vnum_of(&attacker.id) });
        }
    }

    pub(super) fn kill(&mut self, state: &GameState, victim: &Who, xp: i64, now_ms: u64) {
        self.tallies.kills += 1;
        let room = state.room_vnum.unwrap_or(0);
        self.kills.push_back(Kill { name: victim.name.to_string(), room, at_ms: now_ms });
        if let Some(room) = self.map.room_mut() {
            room.kills += 1;
        }
        let Some(vnum) = vnum_of(&victim.id) else { return };
        let together = self.company.here(&self.players).next().is_some();
        if self.struck.is_some_and(|struck| struck.by == Some(vnum)) {
            self.struck = None;
        }
        let fight =
            self.fight.take().or(self.ended.take()).filter(|fight| fight.id == *victim.id || fight.vnum == Some(vnum));
        if together {
            // What it costs one alone nobody knows yet.
            return;
        }
        let kind = self.bestiary.kind(vnum);
        kind.kills += 1;
        kind.xp = xp;
        if let Some(fight) = fight {
            let lost = fight.suffered as f64;
            kind.loss = if kind.kills == 1 { lost } else { kind.loss * 0.7 + lost * 0.3 };
            let dealt = i32::try_from(fight.dealt).unwrap_or(i32::MAX);
            kind.hp = Some(if kind.kills == 1 { dealt } else { kind.hp.unwrap_or(0).max(dealt) });
        }
    }

    pub(super) fn lose(&mut self, shun_ms: u64, level: Option<i32>, now_ms: u64) {
        let Some(fight) = self.fight.as_ref().or(self.ended.as_ref()) else { return };
        if let Some(vnum) = fight.vnum {
            let kind = self.bestiary.kind(vnum);
            kind.beaten_by += 1;
            kind.lost_at_level = level;
            // What it cost to lose is what it would cost at least to win.
            kind.loss = kind.loss.max(fight.suffered as f64);
        }
        // The flight may have changed the room already; where the fight was is the last but one on the trail then.
        let room = self.fight_room();
        if let Some(room) = room.and_then(|vnum| self.map.rooms.get_mut(&vnum)) {
            room.shun_until_ms = room.shun_until_ms.max(now_ms + shun_ms);
            room.safe = false;
        }
    }

    pub(super) fn fight_room(&self) -> Option<i32> {
        let since = self.fight.as_ref().or(self.ended.as_ref())?.since_ms;
        if self.here_ms > since && self.trail.len() > 1 {
            self.trail.get(self.trail.len() - 2).copied()
        } else {
            self.map.here
        }
    }

    pub(super) fn die(&mut self, state: &GameState, killer: Option<&Who>, now_ms: u64) {
        self.tallies.deaths += 1;
        let room = match self.fight_room() {
            Some(room) => room,
            // The frame that told of the death showed the altar already.
            None if self.here_ms == now_ms && self.trail.len() > 1 => self.trail[self.trail.len() - 2],
            None => self.map.here.unwrap_or(0),
        };
        self.lose(SHUN_DIED_MS, state.level, now_ms);
        if let Some(known) = self.map.rooms.get_mut(&room) {
            known.deaths += 1;
            known.safe = false;
            known.shun_until_ms = now_ms + SHUN_DIED_MS;
        }
        let killer = killer.and_then(|who| vnum_of(&who.id));
        if let Some(vnum) = killer {
            let level = state.level;
            let kind = self.bestiary.kind(vnum);
            kind.beaten_by += 1;
            kind.lost_at_level = level;
        }
        self.deaths.push(Death { room, at_ms: now_ms, killer, settled: false, equipment: 0 });
        (self.fight, self.ended, self.struck, self.fled_room) = (None, None, None, None);
        self.steps.clear();
        self.recovering = false;
        self.flights_failed = 0;
        self.tried.clear();
    }

    /// Whether a room is to be stayed out of, at this level.
    pub fn is_shunned(&self, vnum: i32, level: i32, now_ms: u64) -> bool {
        self.map.rooms.get(&vnum).is_some_and(|room| self.is_room_shunned(vnum, room, level, now_ms))
    }

    /// The same of a room at hand.
    pub fn is_room_shunned(&self, vnum: i32, room: &Room, level: i32, now_ms: u64) -> bool {
        let old = self.map.here != Some(vnum) && now_ms.saturating_sub(room.left_ms) > ROAMS_MS;
        let may_be_there = |mob: &i32| self.bestiary.is_dangerous(*mob, level) && !(old && self.roams(*mob));
        room.shun_until_ms > now_ms || room.mobs.iter().any(may_be_there)
    }

    /// Such a mob was met in more than one room.
    fn roams(&self, vnum: i32) -> bool {
        self.map.rooms.values().filter(|room| room.mobs.contains(&vnum)).nth(1).is_some()
    }
}
