//! A walk that a model ordered: by the agent's own map to a room, to somebody, or to the nearest way not taken.
//!
//! A step a tick, over the shortest way that is known; a closed door is opened, a locked one with its key. It ends
//! where something happens that a walker would stop for: a fight, a hurt, a word, a way that does not let one through.
//! Invariant: nothing is known here but what the map has seen; what cannot be walked to is refused with what can.

use super::attention::is_spoken_to;
use super::body::Body;
use super::whereabouts::Whereabouts;
use crate::map::{Map, Room, Vnum, direction_of};
use crate::policies::{Proposal, open_door};
use crate::reflexes::get_up;
use crate::state::GameState;
use mind::action::{Destination, TICKS_MAX};
use protocol::Outcome;
use protocol::words::counted;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Lost on the way, percent of the most hit points: then it stops.
const HURT_PERCENT: i32 = 10;
/// Rooms that a refusal names.
const NEAR_MAX: usize = 6;
/// A door that needs more is left alone: unlock, open, and once more for who closed it again.
const OPENINGS_MAX: u32 = 3;
/// Two steps of a walk are so far apart at least, percent of a tick: their length differs by milliseconds.
const STEP_PERCENT: u64 = 90;

/// Where it leads.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Goal {
    Room(Vnum),
    /// A kind of mob or a player, and the room where it was seen last.
    Person {
        name: String,
        room: Vnum,
    },
    /// Through an exit that was never taken, wherever the nearest one is.
    Unknown,
}

/// What to do now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// Nothing yet.
    Rest,
    /// To get up first: upkeep.
    GetUp(String),
    Send(String),
    /// It is over: how, for the model.
    Over(String),
}

#[derive(Clone, Debug)]
pub(super) struct Journey {
    goal: Goal,
    since_tick: u64,
    stepped_ms: Option<u64>,
    /// Rooms that were come to since.
    steps: u32,
    room: Option<Vnum>,
    /// The last step was through an exit that was never taken.
    ventured: bool,
    hp_percent: i32,
    /// Tries to get through a door of this room.
    openings: u32,
    /// The game refused the last line, with this reason.
    refusal: Option<(String, String)>,
    /// What it stops for.
    stop: Option<String>,
}

impl Journey {
    /// Where it is to go; else why it cannot, for the model.
    pub fn plan(body: &Body, whereabouts: &Whereabouts, to: &Destination, now_ms: u64) -> Result<Journey, String> {
        let map = &body.known.map;
        let reach = reach(map, now_ms);
        let goal = match to {
            Destination::Unknown => Goal::Unknown,
            Destination::Room(vnum) if map.rooms.get(vnum).is_some_and(|room| room.visits > 0) => Goal::Room(*vnum),
            Destination::Room(vnum) => return Err(format!("you know no room {vnum}{}", near(map, &reach))),
            Destination::Named(name) => match find(body, whereabouts, &reach, name) {
                Some(goal) => goal,
                None => return Err(format!("you know no room or person called {name}{}", near(map, &reach))),
            },
        };
        let journey = Journey {
            since_tick: body.known.ticks.at(now_ms),
            stepped_ms: None,
            steps: 0,
            room: map.here,
            ventured: false,
            hp_percent: body.state.hp_percent(),
            openings: 0,
            refusal: None,
            stop: None,
            goal,
        };
        if body.state.is_fighting() {
            return Err("you are in a fight".to_string());
        }
        match &journey.goal {
            Goal::Room(vnum) if map.here == Some(*vnum) => Err("you are there".to_string()),
            Goal::Person { name, .. } if is_here(body, name) => Err(format!("{name} is here")),
            Goal::Person { name, room } if map.here == Some(*room) => Err(format!("{name} is no longer here")),
            _ if journey.way(body, now_ms).is_none() => Err(match journey.goal {
                Goal::Unknown => "no way that you have not taken can be reached".to_string(),
                _ => format!("no open way there is known to you{}", near(map, &reach)),
            }),
            _ => Ok(journey),
        }
    }

    /// Something happened.
    pub fn see(&mut self, state: &GameState, outcome: &Outcome) {
        let stop = match outcome {
            Outcome::Attacked { attacker, victim } if state.is_me(victim) => format!("{} attacked you", attacker.name),
            Outcome::Death { victim, .. } if state.is_me(victim) => "you died".to_string(),
            outcome => match is_spoken_to(state, outcome) {
                Some(who) => format!("{who} spoke to you"),
                None => return,
            },
        };
        self.stop.get_or_insert(stop);
    }

    /// The game refused a line of the walk.
    pub fn refused(&mut self, line: &str, reason: &str) {
        self.refusal = Some((line.to_string(), reason.to_string()));
    }

    /// What to do now.
    pub fn next(&mut self, body: &Body, now_ms: u64) -> Step {
        let state = &body.state;
        if state.room_vnum != self.room {
            self.room = state.room_vnum;
            self.steps += 1;
            self.openings = 0;
        }
        if let Some(stop) = self.stops(body) {
            return Step::Over(self.told(body, &stop));
        }
        if let Some(arrived) = self.arrived(body) {
            return Step::Over(arrived);
        }
        if body.turns.waits() {
            return Step::Rest;
        }
        if let Some((line, reason)) = self.refusal.take() {
            return self.past(body, &line, &reason, now_ms);
        }
        let step_ms = body.known.ticks.length_ms() * STEP_PERCENT / 100;
        if self.stepped_ms.is_some_and(|at| now_ms < at + step_ms) {
            return Step::Rest;
        }
        if body.known.ticks.at(now_ms) > self.since_tick.saturating_add(u64::from(TICKS_MAX)) {
            return Step::Over(self.told(body, "it took too long"));
        }
        if let Some(up) = get_up(state) {
            self.stepped_ms = Some(now_ms);
            return Step::GetUp(up.line.into_owned());
        }
        let Some(step) = self.way(body, now_ms) else {
            return Step::Over(self.told(body, "no open way goes on from here"));
        };
        let known = |exit: &str| body.known.map.room().and_then(|room| room.exits.get(exit)?.to).is_some();
        self.ventured = !known(&step);
        self.stepped_ms = Some(now_ms);
        Step::Send(step)
    }

    fn stops(&mut self, body: &Body) -> Option<String> {
        if body.state.is_fighting() || body.state.attackers().next().is_some() {
            return Some(self.stop.take().unwrap_or_else(|| "you are in a fight".to_string()));
        }
        if let Some(stop) = self.stop.take() {
            return Some(stop);
        }
        (body.state.hp_percent() + HURT_PERCENT <= self.hp_percent).then(|| "you were hurt".to_string())
    }

    fn arrived(&self, body: &Body) -> Option<String> {
        let here = body.state.room_vnum?;
        let name = body.state.room_name.as_deref().unwrap_or("?");
        match &self.goal {
            Goal::Room(vnum) if *vnum == here => Some(format!("arrived after {}", counted(self.steps, "step"))),
            Goal::Person { name: person, .. } if is_here(body, person) => {
                Some(format!("arrived after {}: {person} is here, in {name}", counted(self.steps, "step")))
            }
            Goal::Person { name: person, room } if *room == here => {
                Some(format!("arrived after {}: {person} is no longer here", counted(self.steps, "step")))
            }
            Goal::Unknown
                if self.ventured && self.steps > 0 && body.known.map.room().is_some_and(|r| r.visits <= 1) =>
            {
                Some(format!("arrived after {}: {name}, where you had never been", counted(self.steps, "step")))
            }
            _ => None,
        }
    }

    /// A step was refused: the door is opened, or it is over.
    fn past(&mut self, body: &Body, line: &str, reason: &str, now_ms: u64) -> Step {
        let shut = body.known.shut.as_ref().filter(|shut| Some(shut.room) == body.state.room_vnum);
        let meant = shut.is_some_and(|shut| {
            direction_of(line).is_some_and(|direction| direction == shut.direction) || line.ends_with(&*shut.direction)
        });
        let seen = body.seen(true, true, 0, now_ms);
        match open_door(&seen) {
            Proposal::Do(opening) if meant && opening != line && self.openings < OPENINGS_MAX => {
                self.openings += 1;
                // The step through it may be taken as soon as it is open.
                self.stepped_ms = None;
                Step::Send(opening)
            }
            _ => Step::Over(self.told(body, reason)),
        }
    }

    /// The next step of the shortest way that avoids what is dangerous or dark, or else of the shortest one.
    fn way(&self, body: &Body, now_ms: u64) -> Option<String> {
        let (state, map) = (&body.state, &body.known.map);
        let seen = body.seen(true, true, 0, now_ms);
        let to = |wanted: &dyn Fn(Vnum, &Room) -> bool| {
            let safe = map.way_to(now_ms, |vnum, room| seen.may_enter(vnum, room), wanted);
            safe.or_else(|| map.way_to(now_ms, |_, _| true, wanted)).map(|way| way.step.to_string())
        };
        match &self.goal {
            Goal::Room(goal) | Goal::Person { room: goal, .. } => to(&|vnum, _| vnum == *goal),
            Goal::Unknown => {
                let open = |exit: &&str| state.exits().iter().any(|shown| &**shown == *exit);
                let here = map.room().and_then(|room| Map::unseen_exit(room, now_ms)).filter(open);
                here.map(str::to_string).or_else(|| {
                    to(&|vnum, room| seen.may_enter(vnum, room) && Map::unseen_exit(room, now_ms).is_some())
                })
            }
        }
    }

    fn told(&self, body: &Body, why: &str) -> String {
        let room = body.state.room_name.as_deref().unwrap_or("?");
        format!("stopped after {} in {room}: {}", counted(self.steps, "step"), why.trim_end_matches('.'))
    }
}

/// Whether somebody of that name is in the room: a player, or a mob.
fn is_here(body: &Body, name: &str) -> bool {
    body.known.players.iter().any(|player| player.eq_ignore_ascii_case(name))
        || body.state.mobs().iter().any(|mob| mob.name.eq_ignore_ascii_case(name))
}

/// All rooms that can be walked to, with the steps to them.
fn reach(map: &Map, now_ms: u64) -> BTreeMap<Vnum, usize> {
    let mut found = BTreeMap::new();
    let mut queue: VecDeque<(Vnum, usize)> = map.here.map(|here| (here, 0)).into_iter().collect();
    while let Some((vnum, steps)) = queue.pop_front() {
        if found.contains_key(&vnum) {
            continue;
        }
        found.insert(vnum, steps);
        let exits = map.rooms.get(&vnum).into_iter().flat_map(|room| room.exits.values());
        queue.extend(
            exits.filter(|exit| exit.blocked_until_ms <= now_ms).filter_map(|exit| Some((exit.to?, steps + 1))),
        );
    }
    found
}

/// `; near you know The Smithy (2 steps), Well Yard (1 step)`, the nearest first.
fn near(map: &Map, reach: &BTreeMap<Vnum, usize>) -> String {
    let mut rooms: Vec<(usize, &str)> = reach
        .iter()
        .filter_map(|(vnum, steps)| Some((*steps, map.rooms.get(vnum)?.name.as_str())))
        .filter(|(steps, name)| *steps > 0 && !name.is_empty())
        .collect();
    rooms.sort_unstable();
    let mut named = BTreeSet::new();
    rooms.retain(|(_, name)| named.insert(*name));
    let told = |(steps, name): &(usize, &str)| format!("{name} ({})", counted(*steps as u64, "step"));
    let rooms: Vec<String> = rooms.iter().take(NEAR_MAX).map(told).collect();
    if rooms.is_empty() { String::new() } else { format!("; near you know {}", rooms.join(", ")) }
}

/// A name without its article, in lower case.
fn essence(name: &str) -> String {
    let lower = name.trim().to_lowercase();
    let bare = ["a ", "an ", "the ", "some "].iter().find_map(|article| lower.strip_prefix(article));
    bare.unwrap_or(&lower).trim().to_string()
}

/// The nearest room of that name, or else the person, or else the nearest room or mob that has these words in its name.
fn find(body: &Body, whereabouts: &Whereabouts, reach: &BTreeMap<Vnum, usize>, name: &str) -> Option<Goal> {
    let map = &body.known.map;
    let wanted = essence(name);
    if wanted.is_empty() {
        return None;
    }
    let steps = |vnum: &Vnum| reach.get(vnum).copied().unwrap_or(usize::MAX);
    let nearest_room = |fits: &dyn Fn(&str) -> bool| {
        let rooms = map.rooms.iter().filter(|(_, room)| room.visits > 0 && fits(&essence(&room.name)));
        rooms.map(|(vnum, _)| *vnum).min_by_key(|vnum| (steps(vnum), *vnum))
    };
    let nearest_mob = |fits: &dyn Fn(&str) -> bool| {
        let kinds = body.known.bestiary.kinds.iter().filter(|(_, kind)| fits(&essence(&kind.name)));
        let seen = kinds.flat_map(|(kind, row)| {
            let rooms = map.rooms.iter().filter(move |(_, room)| room.mobs.contains(kind));
            rooms.map(move |(vnum, _)| (steps(vnum), *vnum, row.name.clone()))
        });
        seen.min().map(|(_, room, name)| Goal::Person { name, room })
    };
    let same = |known: &str| known == wanted;
    // Words of a name, in any order: "smith" is no part of "smithy".
    let holds = |known: &str| {
        let known: BTreeSet<&str> = known.split(|c: char| !c.is_alphanumeric() && c != '\'').collect();
        wanted.split(' ').all(|word| known.contains(word))
    };
    let player = body.known.players.iter().find(|player| player.to_lowercase() == wanted);
    let player = player.zip(map.here).map(|(name, room)| Goal::Person { name: name.clone(), room });
    let absent = || whereabouts.of(&wanted).map(|seen| Goal::Person { name: seen.name.clone(), room: seen.room });
    player
        .or_else(|| nearest_room(&same).map(Goal::Room))
        .or_else(absent)
        .or_else(|| nearest_mob(&same))
        .or_else(|| nearest_room(&holds).map(Goal::Room))
        .or_else(|| nearest_mob(&holds))
}
