//! What a player did, told from outside: its way from room to room, whom it killed, what it traded, and the moments
//! that one would tell of afterwards. Times are seconds of the game since the play began.

use content::Vnum;
use protocol::Outcome;
use protocol::outcome::{EventEntry, Who};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Types of outcomes that tell of deeds. Frames without any of these are not read: most tell of blows only.
const TYPES: [&str; 7] = ["kill_credit", "level_gained", "death", "sold", "bought", "said", "grouped"];

/// A room that somebody came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stop {
    pub at_s: u64,
    pub room: Vnum,
}

/// Something that one would tell of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moment {
    pub at_s: u64,
    pub what: String,
    /// How much it matters, in points of experience.
    pub weight: i64,
}

/// What a new companion is worth, a coin that was spent, and a turn of a life.
const COMPANION: i64 = 250;
const COIN: i64 = 6;
const TURN: i64 = i64::MAX;

#[derive(Clone, Default, Debug, PartialEq)]
pub struct Deeds {
    pub name: String,
    pub way: Vec<Stop>,
    /// By name of the victim.
    pub killed: BTreeMap<String, u32>,
    pub killed_in: BTreeMap<Vnum, u32>,
    pub died_in: BTreeMap<Vnum, u32>,
    /// How many things, and coins for all.
    pub sold: (u32, i64),
    pub bought: (u32, i64),
    pub said: u32,
    /// Players with whom it was in a group.
    pub companions: BTreeSet<String>,
    pub moments: Vec<Moment>,
}

impl Deeds {
    pub fn new(name: &str, room: Vnum) -> Deeds {
        Deeds { name: name.into(), way: vec![Stop { at_s: 0, room }], ..Deeds::default() }
    }

    /// Where it is now.
    pub fn is_in(&mut self, room: Vnum, at_s: u64) {
        if self.room() != Some(room) {
            self.way.push(Stop { at_s, room });
        }
    }

    fn room(&self) -> Option<Vnum> {
        self.way.last().map(|stop| stop.room)
    }

    /// A frame came for its seat, as text.
    pub fn read(&mut self, text: &str, at_s: u64) {
        if !TYPES.iter().any(|name| text.contains(name)) {
            return;
        }
        let Ok(frame) = serde_json::from_str::<Value>(text) else { return };
        let Some(events) = frame["data"]["EVENTS"].as_array() else { return };
        for event in events {
            if let Ok(entry) = serde_json::from_value::<EventEntry>(event.clone()) {
                self.note(&entry.outcome, at_s);
            }
        }
    }

    fn note(&mut self, outcome: &Outcome, at_s: u64) {
        let name = self.name.clone();
        let me = |who: &Who| *who.name == *name;
        match outcome {
            Outcome::KillCredit { who, victim, xp } if me(who) => {
                let before = self.killed.entry(victim.name.to_string()).or_default();
                *before += 1;
                if *before == 1 {
                    let what = format!("killed {}, of level {}, for the first time", victim.name, victim.level);
                    self.tell(at_s, what, *xp);
                }
                if let Some(room) = self.room() {
                    *self.killed_in.entry(room).or_default() += 1;
                }
            }
            Outcome::LevelGained { who, level } if me(who) => {
                self.tell(at_s, format!("reached level {level}"), TURN);
            }
            Outcome::Death { victim, killer } if me(victim) => {
                let by = killer.as_ref().map(|who| format!(", killed by {}", who.name)).unwrap_or_default();
                self.tell(at_s, format!("died{by}"), TURN);
                if let Some(room) = self.room() {
                    *self.died_in.entry(room).or_default() += 1;
                }
            }
            Outcome::Sold { who, price, .. } if me(who) => self.sold = (self.sold.0 + 1, self.sold.1 + price),
            Outcome::Bought { who, price, item, .. } if me(who) => {
                self.bought = (self.bought.0 + 1, self.bought.1 + price);
                self.tell(at_s, format!("bought {} for {price} coins", item.name), price * COIN);
            }
            Outcome::Said { speaker, .. } if me(speaker) => self.said += 1,
            Outcome::Grouped { who, leader } if me(who) != me(leader) => {
                let other = if me(who) { leader } else { who };
                if self.companions.insert(other.name.to_string()) {
                    self.tell(at_s, format!("joined a group with {}", other.name), COMPANION);
                }
            }
            _ => {}
        }
    }

    fn tell(&mut self, at_s: u64, what: String, weight: i64) {
        self.moments.push(Moment { at_s, what, weight });
    }

    /// So many of its moments that matter most, in the order in which they came; the turns of its life are all there.
    pub fn highlights(&self, most: usize) -> Vec<&Moment> {
        let mut told: Vec<(usize, &Moment)> = self.moments.iter().enumerate().collect();
        told.sort_by_key(|(n, moment)| (std::cmp::Reverse(moment.weight), *n));
        let turns = told.iter().filter(|(_, moment)| moment.weight == TURN).count();
        told.truncate(most.max(turns));
        told.sort_unstable_by_key(|(n, _)| *n);
        told.into_iter().map(|(_, moment)| moment).collect()
    }

    /// Of its first so many seconds, how many it spent in which room.
    fn seconds_until(&self, until_s: u64) -> BTreeMap<Vnum, u64> {
        let mut spent = BTreeMap::new();
        for (n, stop) in self.way.iter().enumerate() {
            let left_s = self.way.get(n + 1).map_or(until_s, |next| next.at_s).min(until_s);
            *spent.entry(stop.room).or_default() += left_s.saturating_sub(stop.at_s);
        }
        spent
    }

    /// The rooms that it saw in the first so many seconds.
    pub fn rooms_until(&self, at_s: u64) -> BTreeSet<Vnum> {
        self.way.iter().take_while(|stop| stop.at_s <= at_s).map(|stop| stop.room).collect()
    }
}

/// How much several players were where the others were, whenever that was: of its first `until_s` seconds, the share
/// that one spent in rooms where another spent as long, as a mean over all pairs. What one only walks through counts
/// for as long as that takes.
pub fn time_in_common(players: &[&Deeds], until_s: u64) -> f64 {
    let spent: Vec<BTreeMap<Vnum, u64>> = players.iter().map(|deeds| deeds.seconds_until(until_s)).collect();
    let mut shares = Vec::new();
    for (n, own) in spent.iter().enumerate() {
        for other in &spent[n + 1..] {
            let both = own.iter().map(|(room, seconds)| seconds.min(other.get(room).unwrap_or(&0)));
            shares.push(both.sum::<u64>() as f64 / until_s.max(1) as f64);
        }
    }
    shares.iter().sum::<f64>() / (shares.len().max(1) as f64)
}

/// How much the ways of several players are one way: of the rooms that one saw in the first `until_s` seconds, the
/// share that another saw too, as a mean over all ordered pairs. 0: nobody met a room of another's; 1: all saw the
/// same.
pub fn rooms_in_common(players: &[&Deeds], until_s: u64) -> f64 {
    let seen: Vec<BTreeSet<Vnum>> = players.iter().map(|deeds| deeds.rooms_until(until_s)).collect();
    let mut shares = Vec::new();
    for (n, own) in seen.iter().enumerate() {
        for (m, other) in seen.iter().enumerate() {
            if n != m && !own.is_empty() {
                shares.push(own.intersection(other).count() as f64 / own.len() as f64);
            }
        }
    }
    shares.iter().sum::<f64>() / (shares.len().max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn went(rooms: &[(u64, Vnum)]) -> Deeds {
        let mut deeds = Deeds::new("Wren", rooms[0].1);
        rooms.iter().for_each(|(at_s, room)| deeds.is_in(*room, *at_s));
        deeds
    }

    #[test]
    fn the_share_of_rooms_in_common_is_that_of_each_of_the_other() {
        let (one, two) = (went(&[(0, 1), (2, 2), (4, 3), (6, 2)]), went(&[(0, 1), (2, 4)]));
        // One third of the rooms of the first, half of those of the second.
        assert!((rooms_in_common(&[&one, &two], 600) - (1.0 / 3.0 + 0.5) / 2.0).abs() < 1e-12);
        assert_eq!(rooms_in_common(&[&one, &two], 1), 1.0, "at first they stood in one room");
        assert_eq!(rooms_in_common(&[&one], 600), 0.0, "one alone shares nothing");
        assert_eq!(time_in_common(&[&one, &one], 600), 1.0);
        let (here, there) = (went(&[(0, 1), (10, 2), (90, 3)]), went(&[(0, 1), (30, 2), (40, 4)]));
        assert_eq!(time_in_common(&[&here, &there], 100), 0.2, "ten seconds in one, ten in another");
    }

    #[test]
    fn deeds_are_one_s_own() {
        let mut deeds = went(&[(0, 8100)]);
        let who = |name: &str, kind: &str| serde_json::json!({"id": "x", "name": name, "kind": kind, "level": 1});
        let (wren, bob, rat) = (who("Wren", "player"), who("Bob", "player"), who("a rat", "mob"));
        let frame = serde_json::json!({"type": "vars", "data": {"EVENTS": [
            {"type": "kill_credit", "who": wren, "victim": rat, "xp": 90},
            {"type": "kill_credit", "who": bob, "victim": rat, "xp": 90},
            {"type": "level_gained", "who": wren, "level": 2},
            {"type": "grouped", "who": bob, "leader": wren},
        ]}});
        deeds.read(&frame.to_string(), 30);
        assert_eq!(deeds.killed, BTreeMap::from([("a rat".to_string(), 1)]));
        assert_eq!(deeds.killed_in, BTreeMap::from([(8100, 1)]));
        let told = |most| deeds.highlights(most).into_iter().map(|moment| moment.what.as_str()).collect::<Vec<_>>();
        let all = ["killed a rat, of level 1, for the first time", "reached level 2", "joined a group with Bob"];
        assert_eq!(told(3), all);
        assert_eq!(told(2), all[1..], "the least matters least");
        assert_eq!(told(0), all[1..2], "a level always does");
    }
}
