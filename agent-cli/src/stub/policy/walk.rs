//! What a conversation has shown so far: rooms and the ways between them, and how fights went.
//!
//! All of it comes from the texts of prompts, one after the other. It is what a model would keep in its head or in its
//! notes; the memories that the prompt itself shows are weighed elsewhere.

use super::seen::Seen;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub const DIRECTIONS: [(&str, &str); 6] =
    [("north", "south"), ("east", "west"), ("south", "north"), ("west", "east"), ("up", "down"), ("down", "up")];

/// Ticks after which what was killed may be back.
const RESPAWN_TICKS: u64 = 400;
/// Ticks for which a room is shunned where it went badly.
const SHUN_TICKS: u64 = 1_200;
/// Ticks for which an exit is left alone behind which it was driven back.
const BOUNCE_TICKS: u64 = 20;
/// Steps that a goal may be away.
const WAY_MAX: usize = 40;

#[derive(Clone, Debug, Default)]
pub struct Room {
    pub exits: BTreeSet<String>,
    pub closed: BTreeSet<String>,
    to: BTreeMap<String, i32>,
    refused: BTreeSet<String>,
    /// Exits behind which something drove it back at once, and until when they are left alone.
    bounced: BTreeMap<String, u64>,
    /// Nobody may be attacked here.
    pub peaceful: bool,
    pub visits: u32,
    pub last_tick: u64,
    /// The worth of the best prey that was here, and when.
    prey: Option<(f64, u64)>,
    shunned_until: u64,
}

impl Room {
    fn is_shut(&self, exit: &str, tick: u64) -> bool {
        self.refused.contains(exit)
            || self.closed.contains(exit)
            || self.bounced.get(exit).is_some_and(|until| *until > tick)
    }
}

/// How fights against mobs of one name went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fights {
    pub won: u32,
    pub lost: u32,
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

/// One conversation.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    pub turns: u64,
    pub rooms: BTreeMap<i32, Room>,
    pub fights: BTreeMap<String, Fights>,
    fight: Option<Fight>,
    last_room: Option<i32>,
    /// The direction that was answered last, from where.
    stepped: Option<(i32, String)>,
    /// Where it is going, and how many decisions that may still take.
    goal: Option<(i32, u32)>,
    /// What was answered to, so that nothing is answered twice.
    pub answered: VecDeque<String>,
    pub last_talk_turn: u64,
    pub considered: BTreeMap<String, u64>,
    pub compacted_turn: u64,
    /// Those who cannot be fought, by name.
    pub untouchable: BTreeSet<String>,
    /// Whom the last answer attacked: target and name.
    pub attacked: Option<(String, String)>,
    /// By a hundred of room numbers: rooms with prey, and rooms with those who are too strong.
    regions: BTreeMap<i32, (u32, u32)>,
    pub has_task: bool,
}

impl Walk {
    /// Takes in what a prompt shows.
    pub fn see(&mut self, seen: &Seen) {
        self.turns += 1;
        self.end_of_fight(seen);
        self.end_of_attack(seen);
        let Some(vnum) = seen.room else { return };
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
                        room.refused.insert(direction);
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
        if self.goal.is_some_and(|(goal, _)| goal == vnum) {
            self.goal = None;
        }
    }

    /// What came of the last attack, where it was refused.
    fn end_of_attack(&mut self, seen: &Seen) {
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

    /// How much a region is to its taste, 0.1..=3.7, 1 where nothing is known: by the prey and the danger seen there.
    fn taste(&self, vnum: i32) -> f64 {
        let (prey, strong) = self.regions.get(&(vnum / 100)).copied().unwrap_or_default();
        let share = f64::from(prey + 1) / f64::from(prey + strong + 2);
        0.1 + 3.6 * share * share
    }

    /// Notes the worth of the best prey here; `None`: there is none just now. `strong`: somebody is too strong.
    pub fn prey(&mut self, vnum: i32, worth: Option<f64>, strong: bool, tick: u64) {
        let region = self.regions.entry(vnum / 100).or_default();
        region.0 += u32::from(worth.is_some());
        region.1 += u32::from(strong && worth.is_none());
        let room = self.rooms.entry(vnum).or_default();
        match worth {
            Some(worth) => room.prey = Some((worth, tick.saturating_sub(RESPAWN_TICKS))),
            // It is gone: it may come back later.
            None => {
                if let Some((_, at)) = &mut room.prey
                    && *at + RESPAWN_TICKS <= tick
                {
                    *at = tick;
                }
            }
        }
    }

    pub fn shun(&mut self, vnum: i32, tick: u64) {
        self.rooms.entry(vnum).or_default().shunned_until = tick + SHUN_TICKS;
        self.goal = None;
    }

    fn end_of_fight(&mut self, seen: &Seen) {
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
                fights.cost_percent = fights.cost_percent.max(60.0);
                if let Some(room) = fight.room {
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
    pub fn stepped(&mut self, seen: &Seen, line: &str) {
        if let (Some(vnum), true) = (seen.room, is_move(line)) {
            self.stepped = Some((vnum, line.to_string()));
        }
    }

    /// The direction to walk to, with how much it draws: towards prey, then to what is unseen.
    pub fn way(&mut self, seen: &Seen, chance: f64) -> Option<(String, f64)> {
        let here = seen.room?;
        if let Some((goal, left)) = self.goal {
            if left > 0
                && let Some(step) = self.step_to(here, goal, seen.tick)
            {
                self.goal = Some((goal, left - 1));
                return Some((step, 3.0));
            }
            self.goal = None;
        }
        let (found, from) = self.reach(here, seen.tick);
        let mut best: Option<(f64, i32, usize)> = None;
        let mut frontier: Option<(f64, String, i32)> = None;
        for (vnum, length) in &found {
            let Some(room) = self.rooms.get(vnum) else { continue };
            let far = 0.9f64.powi(*length as i32);
            if let Some((worth, at)) = room.prey
                && *vnum != here
            {
                let back = (seen.tick.saturating_sub(at) as f64 / RESPAWN_TICKS as f64).min(1.0);
                let draw = worth * back * far;
                if back > 0.6 && best.is_none_or(|(most, _, _)| draw > most) {
                    best = Some((draw, *vnum, *length));
                }
            }
            for exit in &room.exits {
                if room.to.contains_key(exit) || room.is_shut(exit, seen.tick) {
                    continue;
                }
                // A little by chance, so that agents with other seeds see other things first.
                let draw = 4.0
                    * far
                    * (0.8 + 0.4 * ((chance * 7919.0 + f64::from(*vnum) * 0.37 + exit.len() as f64 * 0.11) % 1.0));
                if frontier.as_ref().is_none_or(|(most, _, _)| draw > *most) {
                    frontier = Some((draw, exit.clone(), *vnum));
                }
            }
        }
        let prey = best.map_or(0.0, |(draw, _, _)| draw);
        if let Some((draw, exit, vnum)) = frontier
            && draw >= prey
        {
            if vnum == here {
                return Some((exit, 3.0));
            }
            self.goal = Some((vnum, WAY_MAX as u32));
            return first_step(&from, here, vnum).map(|step| (step, 3.0));
        }
        if let Some((_, vnum, length)) = best {
            self.goal = Some((vnum, length as u32 * 2 + 2));
            return first_step(&from, here, vnum).map(|step| (step, 3.0));
        }
        // Everything is known and nothing is back: to where it was longest not, the nearer the better.
        let age = |vnum: &i32, length: &usize| {
            let last = self.rooms.get(vnum).map_or(0, |room| room.last_tick);
            seen.tick.saturating_sub(last) as f64 * self.taste(*vnum) * 0.97f64.powi(*length as i32)
        };
        let others = found.iter().filter(|(vnum, _)| **vnum != here);
        if let Some((vnum, _)) = others.max_by(|a, b| age(a.0, a.1).total_cmp(&age(b.0, b.1))) {
            let vnum = *vnum;
            self.goal = Some((vnum, WAY_MAX as u32));
            return first_step(&from, here, vnum).map(|step| (step, 2.0));
        }
        // Cut off: through any exit that is open.
        let room = self.rooms.get(&here)?;
        let bounced = |exit: &str| room.bounced.get(exit).is_some_and(|until| *until > seen.tick);
        let all = room.exits.iter().chain(room.to.keys());
        let open: Vec<&String> = all.filter(|exit| !room.closed.contains(*exit) && !bounced(exit)).collect();
        let any = open.get((chance * open.len() as f64) as usize)?;
        Some((any.to_string(), 2.0))
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
