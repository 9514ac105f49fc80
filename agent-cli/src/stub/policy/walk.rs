//! What a conversation has shown so far: rooms and the ways between them, and how fights went.
//!
//! All of it comes from the texts of prompts, one after the other. It is what a model would keep in its head or in its
//! notes; the memories that the prompt itself shows are weighed elsewhere.

use super::building::Site;
use super::prompt_view::PromptView;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub const DIRECTIONS: [(&str, &str); 6] =
    [("north", "south"), ("east", "west"), ("south", "north"), ("west", "east"), ("up", "down"), ("down", "up")];

/// Ticks after which what was killed is back for certain.
const RESPAWN_TICKS: f64 = 450.0;
/// Ticks after which what was left alive has likely wandered off.
const WANDER_TICKS: f64 = 600.0;
/// So many ticks without a victory are a dry spell.
const DRY_TICKS: u64 = 15;
/// How much a room with somebody too strong speaks against its region.
const FEAR: f64 = 3.0;
/// Ticks for which a room is shunned where it went badly.
const SHUN_TICKS: u64 = 300;
/// Ticks for which an exit that refused is left alone; four times as long each time more.
const REFUSED_TICKS: u64 = 25;
/// What an unseen room promises where nothing is known of its region, in experience by level; and how many rooms seen
/// weigh as much as that guess.
const PROMISE: f64 = 60.0;
const PROMISE_ROOMS: f64 = 3.0;
/// Steps that a way costs besides its own: what is near is not everything.
const NEAR: f64 = 3.0;
/// So many fights more lost than won against a kind mean that it is too strong, and not bad luck.
pub const LOSSES: u32 = 2;
/// Ticks for which an exit is left alone behind which it was driven back.
const BOUNCE_TICKS: u64 = 150;
/// Steps that a goal may be away.
const WAY_MAX: usize = 40;

#[derive(Clone, Debug, Default)]
pub struct Room {
    pub exits: BTreeSet<String>,
    pub closed: BTreeSet<String>,
    to: BTreeMap<String, i32>,
    /// Exits that refused: until when they are left alone, and how often they did.
    refused: BTreeMap<String, (u64, u32)>,
    /// Exits behind which something drove it back at once, and until when they are left alone.
    bounced: BTreeMap<String, u64>,
    /// Nobody may be attacked here.
    pub peaceful: bool,
    pub visits: u32,
    pub last_tick: u64,
    counted: bool,
    /// The most that prey here was ever worth.
    best: f64,
    strong: bool,
    /// What the prey here was worth, since when it is as it is, and whether it was still there.
    prey: Option<(f64, u64, bool)>,
    shunned_until: u64,
}

impl Room {
    fn is_shut(&self, exit: &str, tick: u64) -> bool {
        self.refused.get(exit).is_some_and(|(until, _)| *until > tick)
            || self.closed.contains(exit)
            || self.bounced.get(exit).is_some_and(|until| *until > tick)
    }
}

/// How fights against mobs of one name went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fights {
    pub won: u32,
    pub lost: u32,
    /// Own level when it was lost last: one grows.
    pub lost_level: i32,
    /// Hit points lost in a fight, percent of the most, a running mean.
    pub cost_percent: f64,
    pub exp: f64,
}

#[derive(Clone, Debug)]
struct Fight {
    name: String,
    hp_percent: i32,
    exp: i64,
    room: Option<i32>,
    level: i32,
}

/// A hundred of room numbers, which are a part of the world.
#[derive(Clone, Copy, Debug, Default)]
struct Region {
    rooms: f64,
    /// Of the prey in them, when they were seen first.
    worth: f64,
    /// Rooms in which there was prey, and rooms with somebody too strong at one's present level.
    prey: f64,
    strong: f64,
}

/// One conversation.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    pub turns: u64,
    /// What is known of the plot that it builds on.
    pub site: Site,
    pub rooms: BTreeMap<i32, Room>,
    pub fights: BTreeMap<String, Fights>,
    fight: Option<Fight>,
    last_room: Option<i32>,
    /// The direction that was answered last, from where.
    stepped: Option<(i32, String)>,
    /// Where it is going, how many decisions that may still take, and by which exit it goes on from there.
    goal: Option<(i32, u32, Option<String>)>,
    /// A number of this walk's own, 0..1: others like other ways.
    luck: Option<f64>,
    /// What was answered to, so that nothing is answered twice.
    pub answered: VecDeque<String>,
    pub last_talk_turn: u64,
    pub considered: BTreeMap<String, u64>,
    pub compacted_turn: u64,
    /// Those who cannot be fought, by name.
    pub untouchable: BTreeSet<String>,
    /// Whom the last answer attacked: target and name.
    pub attacked: Option<(String, String)>,
    /// By a hundred of room numbers.
    regions: BTreeMap<i32, Region>,
    level: i32,
    /// The region of the first room.
    home: Option<i32>,
    /// Experience at the last prompt, and the tick at which it grew last.
    exp: Option<i64>,
    gained_tick: Option<u64>,
    pub has_task: bool,
}

impl Walk {
    /// Takes in what a prompt shows.
    pub fn see(&mut self, seen: &PromptView) {
        self.turns += 1;
        self.grow(seen.level);
        if self.exp.replace(seen.exp).is_some_and(|before| seen.exp > before) {
            self.gained_tick = Some(seen.tick);
        }
        self.end_of_fight(seen);
        self.end_of_attack(seen);
        let Some(vnum) = seen.room else { return };
        self.home.get_or_insert(vnum / 100);
        let stepped = self.stepped.take();
        if let Some((from, direction)) = stepped {
            // Only if no other step was taken since: a reflex may have run somewhere.
            let last_step = seen
                .recent
                .iter()
                .rev()
                .map(|(_, action, _)| action.as_str())
                .find(|action| is_move(action) || *action == "flee");
            if from == vnum {
                let tried = seen.recent.iter().rev().find(|(ago, action, _)| *ago <= 6 && *action == direction);
                let room = self.rooms.entry(from).or_default();
                match tried.map(|(_, _, outcome)| outcome.as_str()) {
                    Some("ok") => {
                        room.bounced.insert(direction, seen.tick + BOUNCE_TICKS);
                        self.goal = None;
                    }
                    Some(refused) if !refused.is_empty() => {
                        let (until, times) = room.refused.entry(direction).or_default();
                        *until = seen.tick + (REFUSED_TICKS << (2 * (*times).min(4)));
                        *times += 1;
                        self.goal = None;
                    }
                    _ => {}
                }
            } else if last_step == Some(direction.as_str()) {
                self.rooms.entry(from).or_default().to.insert(direction.clone(), vnum);
                // Where it is too dark to see exits, there is the one that it came by.
                if let Some((_, back)) = DIRECTIONS.iter().find(|(there, _)| *there == direction)
                    && (seen.exits.is_empty() || seen.exits.iter().any(|(exit, _)| exit == back))
                {
                    self.rooms.entry(vnum).or_default().to.entry(back.to_string()).or_insert(from);
                }
            }
        }
        let room = self.rooms.entry(vnum).or_default();
        if self.last_room != Some(vnum) {
            room.visits += 1;
        }
        room.last_tick = seen.tick;
        room.exits = seen.exits.iter().map(|(exit, _)| exit.clone()).collect();
        room.closed = seen.exits.iter().filter(|(_, closed)| *closed).map(|(exit, _)| exit.clone()).collect();
        self.last_room = Some(vnum);
        if let Some((goal, _, exit)) = &self.goal
            && *goal == vnum
            && (exit.is_none() || room.exits.is_empty())
        {
            self.goal = None;
        }
    }

    /// Whether nothing was won for long, or ever: what one knows of the world is not worth much then.
    pub fn is_dry(&self, tick: u64) -> bool {
        self.gained_tick.is_none_or(|at| tick > at + DRY_TICKS)
    }

    /// What came of the last attack, where it was refused.
    fn end_of_attack(&mut self, seen: &PromptView) {
        let Some((target, name)) = self.attacked.take() else { return };
        let line = format!("kill {target}");
        let tried = seen.recent.iter().rev().find(|(ago, action, _)| *ago <= 6 && *action == line);
        match (tried.map(|(_, _, outcome)| outcome.as_str()), seen.room) {
            (Some(outcome), Some(vnum)) if outcome.contains("peace") => {
                self.rooms.entry(vnum).or_default().peaceful = true;
            }
            (Some(outcome), _) if outcome.starts_with("refused") => {
                self.untouchable.insert(name);
            }
            _ => {}
        }
    }

    /// What an unseen room behind this one promises. Where more are too strong than are prey, and behind a room with
    /// somebody too strong, hardly anything.
    fn promise(&self, vnum: i32) -> f64 {
        let region = self.regions.get(&(vnum / 100)).copied().unwrap_or_default();
        let fear = if self.home == Some(vnum / 100) {
            // The guards of one's own town mean one no harm.
            1.0
        } else {
            let too_hard = region.strong >= 2.0 && region.strong > region.prey;
            let guarded = self.rooms.get(&vnum).is_some_and(|room| room.strong);
            let known = 1.0 / (1.0 + FEAR * region.strong / (1.0 + region.rooms));
            known * if too_hard { 0.1 } else { 1.0 } * if guarded { 0.2 } else { 1.0 }
        };
        (region.worth + PROMISE * PROMISE_ROOMS) / (region.rooms + PROMISE_ROOMS) * fear
    }

    /// Who has grown is afraid anew, of others.
    fn grow(&mut self, level: i32) {
        if level != self.level {
            self.level = level;
            self.regions.values_mut().for_each(|region| region.strong = 0.0);
            self.rooms.values_mut().for_each(|room| room.strong = false);
        }
    }

    /// Notes what the prey here is worth, 0 where there is none just now. `strong`: somebody is too strong.
    pub fn prey(&mut self, vnum: i32, worth: f64, strong: bool, tick: u64) {
        let room = self.rooms.entry(vnum).or_default();
        let region = self.regions.entry(vnum / 100).or_default();
        if !room.counted {
            room.counted = true;
            region.rooms += 1.0;
        }
        // What was not known at first sight is added when it is.
        region.worth += (worth - room.best).max(0.0);
        region.prey += f64::from(u8::from(worth > 0.0 && room.best <= 0.0));
        room.best = room.best.max(worth);
        if strong && !room.strong {
            room.strong = true;
            region.strong += 1.0;
        }
        room.prey = match room.prey {
            _ if worth > 0.0 => Some((worth, tick, true)),
            // It is gone: it comes back in time.
            Some((before, _, true)) => Some((before, tick, false)),
            before => before,
        };
    }

    /// What is to be expected in a room that was seen: the prey that was left there, or what has come back since. Mobs
    /// wander, so a part of it is what its region holds in the mean.
    fn expected(&self, vnum: i32, room: &Room, tick: u64) -> f64 {
        if let Some((worth, at, true)) = room.prey
            && room.last_tick <= at + 1
        {
            return worth * (1.0 - tick.saturating_sub(at) as f64 / WANDER_TICKS).max(0.4);
        }
        let region = self.regions.get(&(vnum / 100)).copied().unwrap_or_default();
        let mean = region.worth / region.rooms.max(1.0);
        let age = tick.saturating_sub(room.last_tick) as f64;
        (room.best + mean) / 2.0 * (age / RESPAWN_TICKS).min(1.0)
    }

    pub fn shun(&mut self, vnum: i32, tick: u64) {
        self.rooms.entry(vnum).or_default().shunned_until = tick + SHUN_TICKS;
        self.goal = None;
    }

    fn end_of_fight(&mut self, seen: &PromptView) {
        let now = seen.fighting.as_deref();
        if let Some(fight) = self.fight.take_if(|fight| now != Some(fight.name.as_str())) {
            let gained = seen.exp - fight.exp;
            let cost = (fight.hp_percent - seen.hp_percent()).max(0);
            let fights = self.fights.entry(fight.name).or_default();
            let n = f64::from(fights.won + fights.lost + 1).min(6.0);
            fights.cost_percent += (f64::from(cost) - fights.cost_percent) / n;
            if gained > 0 || seen.level > fight.level {
                fights.won += 1;
                fights.exp += (gained.max(0) as f64 - fights.exp) / n;
            } else if gained < 0 || seen.room != fight.room {
                // Fled, or died.
                fights.lost += 1;
                fights.lost_level = fight.level;
                fights.cost_percent = fights.cost_percent.max(60.0);
                if let Some(room) = fight.room.filter(|_| fights.lost > fights.won + LOSSES) {
                    self.shun(room, seen.tick);
                }
            }
        }
        if let (Some(name), None) = (now, &self.fight) {
            self.fight = Some(Fight {
                name: name.to_string(),
                hp_percent: seen.hp_percent(),
                exp: seen.exp,
                room: seen.room,
                level: seen.level,
            });
        }
    }

    /// What the answer says to do.
    pub fn stepped(&mut self, seen: &PromptView, line: &str) {
        if let (Some(vnum), true) = (seen.room, is_move(line)) {
            self.stepped = Some((vnum, line.to_string()));
        }
    }

    /// The direction to walk to: where most is to be had for the steps that it takes.
    pub fn way(&mut self, seen: &PromptView, chance: f64) -> Option<String> {
        let here = seen.room?;
        let luck_of_all = *self.luck.get_or_insert(chance);
        if let Some((goal, left, exit)) = self.goal.take()
            && left > 0
        {
            if goal == here {
                let open = |exit: &String| {
                    self.rooms.get(&here).is_some_and(|room| {
                        room.exits.contains(exit) && !room.to.contains_key(exit) && !room.is_shut(exit, seen.tick)
                    })
                };
                if let Some(exit) = exit.filter(open) {
                    return Some(exit);
                }
            } else if let Some(step) = self.step_to(here, goal, seen.tick) {
                self.goal = Some((goal, left - 1, exit));
                return Some(step);
            }
        }
        let (found, from) = self.reach(here, seen.tick);
        // Worth a step, where, and the unseen exit to take there, if it is for one.
        let mut best: Option<(f64, i32, Option<String>)> = None;
        let mut offer = |rate: f64, vnum: i32, exit: Option<&String>| {
            if best.as_ref().is_none_or(|(most, _, _)| rate > *most) {
                best = Some((rate, vnum, exit.cloned()));
            }
        };
        for (vnum, length) in &found {
            let Some(room) = self.rooms.get(vnum) else { continue };
            let cost = *length as f64 + NEAR;
            if *vnum != here {
                offer(self.expected(*vnum, room, seen.tick) / cost, *vnum, None);
            }
            for exit in &room.exits {
                if room.to.contains_key(exit) || room.is_shut(exit, seen.tick) {
                    continue;
                }
                // A little by chance, so that agents with other seeds see other things first.
                let luck =
                    0.8 + 0.4 * ((luck_of_all * 7919.0 + f64::from(*vnum) * 0.37 + exit.len() as f64 * 0.11) % 1.0);
                offer(self.promise(*vnum) * luck / (cost + 1.0), *vnum, Some(exit));
            }
        }
        if let Some((rate, vnum, exit)) = best
            && rate > 0.0
        {
            if vnum == here {
                return exit;
            }
            self.goal = Some((vnum, WAY_MAX as u32, exit));
            return first_step(&from, here, vnum);
        }
        // Everything is known and nothing is to be had: to where it was longest not, the nearer the better.
        let age = |vnum: &i32, length: &usize| {
            let last = self.rooms.get(vnum).map_or(0, |room| room.last_tick);
            seen.tick.saturating_sub(last) as f64 * 0.97f64.powi(*length as i32)
        };
        let others = found.iter().filter(|(vnum, _)| **vnum != here);
        if let Some((vnum, _)) = others.max_by(|a, b| age(a.0, a.1).total_cmp(&age(b.0, b.1))) {
            let vnum = *vnum;
            self.goal = Some((vnum, WAY_MAX as u32, None));
            return first_step(&from, here, vnum);
        }
        // Cut off: through any exit that is open.
        let room = self.rooms.get(&here)?;
        let bounced = |exit: &str| room.bounced.get(exit).is_some_and(|until| *until > seen.tick);
        let all = room.exits.iter().chain(room.to.keys());
        let open: Vec<&String> = all.filter(|exit| !room.closed.contains(*exit) && !bounced(exit)).collect();
        let any = open.get((chance * open.len() as f64) as usize)?;
        Some(any.to_string())
    }

    fn step_to(&self, here: i32, goal: i32, tick: u64) -> Option<String> {
        first_step(&self.reach(here, tick).1, here, goal)
    }

    /// All rooms that can be walked to, with their distance, and for each from where and by which exit.
    #[allow(clippy::type_complexity)]
    fn reach(&self, here: i32, tick: u64) -> (BTreeMap<i32, usize>, BTreeMap<i32, (i32, String)>) {
        let mut found = BTreeMap::from([(here, 0)]);
        let mut from = BTreeMap::new();
        let mut queue = VecDeque::from([here]);
        while let Some(vnum) = queue.pop_front() {
            let length = found[&vnum];
            let Some(room) = self.rooms.get(&vnum) else { continue };
            if length >= WAY_MAX {
                continue;
            }
            for (exit, to) in &room.to {
                let shunned = self.rooms.get(to).is_some_and(|room| room.shunned_until > tick);
                if room.is_shut(exit, tick) || shunned || found.contains_key(to) {
                    continue;
                }
                found.insert(*to, length + 1);
                from.insert(*to, (vnum, exit.clone()));
                queue.push_back(*to);
            }
        }
        (found, from)
    }
}

fn first_step(from: &BTreeMap<i32, (i32, String)>, here: i32, goal: i32) -> Option<String> {
    let mut at = goal;
    loop {
        let (before, exit) = from.get(&at)?;
        if *before == here {
            return Some(exit.clone());
        }
        at = *before;
    }
}

pub fn is_move(line: &str) -> bool {
    DIRECTIONS.iter().any(|(direction, _)| *direction == line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(tick: u64, moves: i32) -> PromptView {
        PromptView { tick, moves: Some((moves, 90)), level: 1, exp: 10, room: Some(8_000), ..PromptView::default() }
    }

    #[test]
    fn a_spell_without_victories_is_dry() {
        let mut walk = Walk::default();
        walk.see(&seen(1, 60));
        assert!(walk.is_dry(1));
        walk.see(&PromptView { exp: 120, ..seen(4, 60) });
        assert!(!walk.is_dry(4) && walk.is_dry(4 + DRY_TICKS + 1));
    }
}
