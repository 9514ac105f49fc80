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
    pub moments: Vec<(u64, String)>,
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
            Outcome::KillCredit { who, victim, .. } if me(who) => {
                let before = self.killed.entry(victim.name.to_string()).or_default();
                *before += 1;
                if *before == 1 {
                    self.moments.push((at_s, format!("killed {} for the first time", victim.name)));
                }
                if let Some(room) = self.room() {
                    *self.killed_in.entry(room).or_default() += 1;
                }
            }
            Outcome::LevelGained { who, level } if me(who) => {
                self.moments.push((at_s, format!("reached level {level}")));
            }
            Outcome::Death { victim, killer } if me(victim) => {
                let by = killer.as_ref().map(|who| format!(", killed by {}", who.name)).unwrap_or_default();
                self.moments.push((at_s, format!("died{by}")));
                if let Some(room) = self.room() {
                    *self.died_in.entry(room).or_default() += 1;
                }
            }
            Outcome::Sold { who, price, .. } if me(who) => self.sold = (self.sold.0 + 1, self.sold.1 + price),
            Outcome::Bought { who, price, item, .. } if me(who) => {
                self.bought = (self.bought.0 + 1, self.bought.1 + price);
                self.moments.push((at_s, format!("bought {} for {price} coins", item.name)));
            }
            Outcome::Said { speaker, .. } if me(speaker) => self.said += 1,
            Outcome::Grouped { who, leader } if me(who) != me(leader) => {
                let other = if me(who) { leader } else { who };
                if self.companions.insert(other.name.to_string()) {
                    self.moments.push((at_s, format!("joined a group with {}", other.name)));
                }
            }
            _ => {}
        }
    }

    /// The rooms that it saw in the first so many seconds.
    pub fn rooms_until(&self, at_s: u64) -> BTreeSet<Vnum> {
        self.way.iter().take_while(|stop| stop.at_s <= at_s).map(|stop| stop.room).collect()
    }
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
        let told: Vec<&str> = deeds.moments.iter().map(|(_, what)| what.as_str()).collect();
        assert_eq!(told, ["killed a rat for the first time", "reached level 2", "joined a group with Bob"]);
    }
}
