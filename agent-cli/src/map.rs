//! The map that an agent learns by walking: rooms by vnum, what lies behind their exits, and where it is safe or not.
//!
//! Invariant: only what was seen or stepped through is in it. Ways are found by breadth first, over ordered maps, so
//! the same past gives the same way. Times are the agent's milliseconds.

use crate::nature::draw;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// Vnum of a room.
pub type Vnum = i32;

/// A way out of a room.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Exit {
    /// Where it led when it was taken last.
    pub to: Option<Vnum>,
    /// It did not let one through, until then.
    pub blocked_until_ms: u64,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Room {
    pub name: String,
    /// By direction in full.
    pub exits: BTreeMap<String, Exit>,
    pub visits: u32,
    pub left_ms: u64,
    /// Vnums of mobs at the last visit.
    pub mobs: Vec<i32>,
    /// Nothing attacked here while one rested.
    pub safe: bool,
    /// Of one's own.
    pub kills: u32,
    /// Nobody fights here, the game said.
    pub peaceful: bool,
    /// One was beaten here: not before then.
    pub shun_until_ms: u64,
    pub deaths: u32,
    /// No light without one's own.
    pub dark: bool,
    /// What to drink from.
    pub water: Option<String>,
    /// Other players at the last visit, and when that ended.
    pub others: usize,
    pub others_ms: u64,
    /// Steps to the east and to the north from where the map began, as one came here first; unknown to who was carried.
    pub place: Option<(i32, i32)>,
}

#[derive(Clone, Debug, Default)]
pub struct Map {
    pub rooms: BTreeMap<Vnum, Room>,
    pub here: Option<Vnum>,
    /// Rooms with unknown exits that could not be reached are not counted on again.
    pub steps: u64,
    /// Of ways as long as each other everybody has its own: a number that tells one from another.
    pub own: u64,
}

/// A way to somewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Way {
    pub to: Vnum,
    /// The first step.
    pub step: Rc<str>,
    /// Steps in all, at least 1.
    pub length: usize,
}

pub fn opposite(direction: &str) -> Option<&'static str> {
    Some(match direction {
        "north" => "south",
        "south" => "north",
        "east" => "west",
        "west" => "east",
        "up" => "down",
        "down" => "up",
        _ => return None,
    })
}

/// A step in a direction, as steps to the east and to the north.
pub fn step_of(direction: &str) -> (i32, i32) {
    match direction {
        "north" => (0, 1),
        "east" => (1, 0),
        "south" => (0, -1),
        "west" => (-1, 0),
        _ => (0, 0),
    }
}

/// The direction that a line walks, if it does nothing else: `n`, `north`.
pub fn direction_of(line: &str) -> Option<&'static str> {
    let word = line.trim();
    ["north", "east", "south", "west", "up", "down"]
        .into_iter()
        .find(|name| !word.is_empty() && name.starts_with(&word.to_ascii_lowercase()))
}

impl Map {
    pub fn room(&self) -> Option<&Room> {
        self.rooms.get(&self.here?)
    }

    pub fn room_mut(&mut self) -> Option<&mut Room> {
        self.rooms.get_mut(&self.here?)
    }

    /// One is in this room now; `by` is the step that led here from `from`, if it was one.
    pub fn arrive(&mut self, vnum: Vnum, by: Option<(Vnum, &str)>, now_ms: u64) {
        if let Some(old) = self.here.and_then(|here| self.rooms.get_mut(&here)) {
            old.left_ms = now_ms;
        }
        if let Some((from, direction)) = by.filter(|(from, _)| *from != vnum) {
            let exit = self.rooms.entry(from).or_default().exits.entry(direction.to_string()).or_default();
            *exit = Exit { to: Some(vnum), blocked_until_ms: 0 };
            self.steps += 1;
        }
        let place = match by {
            Some((from, direction)) => self.rooms.get(&from).and_then(|from| from.place).map(|(east, north)| {
                let step = step_of(direction);
                (east.saturating_add(step.0), north.saturating_add(step.1))
            }),
            None => self.rooms.is_empty().then_some((0, 0)),
        };
        let room = self.rooms.entry(vnum).or_default();
        room.place = room.place.or(place);
        room.visits += 1;
        if let Some((from, back)) = by.and_then(|(from, direction)| Some((from, opposite(direction)?))) {
            // Most ways lead back; one that does not is corrected when it is taken.
            let exit = room.exits.entry(back.to_string()).or_default();
            if exit.to.is_none() {
                exit.to = Some(from);
            }
        }
        self.here = Some(vnum);
    }

    /// What can be seen of the room one is in. Exits that are no longer shown are kept: doors close, lights go out.
    pub fn see(&mut self, name: &str, exits: &[protocol::payload::Word]) {
        let Some(room) = self.room_mut() else { return };
        if !name.is_empty() {
            room.name = name.to_string();
        }
        for exit in exits {
            room.exits.entry(exit.to_string()).or_default();
        }
        if !exits.is_empty() {
            // What came in as "the way back" and is not there was never a way.
            room.exits.retain(|direction, exit| exit.to.is_none() || exits.iter().any(|seen| seen == direction));
        }
    }

    /// The exit did not let one through. A direction in which no exit was ever seen stays none.
    pub fn block(&mut self, from: Vnum, direction: &str, until_ms: u64) {
        if let Some(exit) = self.rooms.get_mut(&from).and_then(|room| room.exits.get_mut(direction)) {
            exit.blocked_until_ms = exit.blocked_until_ms.max(until_ms);
        }
    }

    /// The own order of the ways out of a room. Without a number of one's own: that of their names.
    pub fn order(&self, vnum: Vnum, direction: &str) -> u64 {
        let first = u64::from(direction.as_bytes().first().copied().unwrap_or(0));
        if self.own == 0 { first } else { draw(self.own, u64::from(vnum.unsigned_abs()) * 256 + first) }
    }

    /// The ways to all rooms that can be reached through rooms that `may` be entered, the shortest first. Never to the
    /// room one is in.
    pub fn ways(&self, now_ms: u64, may: impl Fn(Vnum, &Room) -> bool) -> Vec<Way> {
        let mut found = Vec::new();
        self.search(now_ms, may, &mut |_, way| {
            found.push(way.clone());
            false
        });
        found
    }

    /// The shortest way to a room that is wanted, through rooms that `may` be entered. Never the room one is in.
    pub fn way_to(
        &self,
        now_ms: u64,
        may: impl Fn(Vnum, &Room) -> bool,
        wanted: impl Fn(Vnum, &Room) -> bool,
    ) -> Option<Way> {
        let mut found = None;
        let open = |vnum: Vnum, room: &Room| may(vnum, room) || wanted(vnum, room);
        self.search(now_ms, open, &mut |room, way| {
            found = wanted(way.to, room).then(|| way.clone());
            found.is_some()
        });
        found
    }

    /// Breadth first from the room one is in; `visit` says with `true` that it is enough.
    fn search(&self, now_ms: u64, may: impl Fn(Vnum, &Room) -> bool, visit: &mut dyn FnMut(&Room, &Way) -> bool) {
        let Some((here, room)) = self.here.and_then(|here| Some((here, self.rooms.get(&here)?))) else { return };
        // Of a room that may not be entered it is asked once, too.
        let mut seen = BTreeSet::from([here]);
        let mut queue: VecDeque<(&Room, Vnum, Option<Way>)> = VecDeque::from([(room, here, None)]);
        let mut exits: Vec<(u64, &String, Vnum)> = Vec::new();
        while let Some((room, vnum, way)) = queue.pop_front() {
            if way.as_ref().is_some_and(|way| visit(room, way)) {
                return;
            }
            let open = room.exits.iter().filter(|(_, exit)| exit.blocked_until_ms <= now_ms);
            exits.clear();
            exits.extend(open.filter_map(|(name, exit)| Some((self.order(vnum, name), name, exit.to?))));
            exits.sort_unstable();
            for (_, direction, to) in &exits {
                if seen.insert(*to)
                    && let Some(next) = self.rooms.get(to).filter(|next| may(*to, next))
                {
                    let (step, length) = match &way {
                        Some(way) => (way.step.clone(), way.length + 1),
                        None => (direction.as_str().into(), 1),
                    };
                    queue.push_back((next, *to, Some(Way { to: *to, step, length })));
                }
            }
        }
    }

    /// An exit of this room that was never taken and is not blocked, other than those in `not`.
    pub fn unseen_exit(room: &Room, now_ms: u64) -> Option<&str> {
        let mut exits = room.exits.iter();
        exits.find(|(_, exit)| exit.to.is_none() && exit.blocked_until_ms <= now_ms).map(|(name, _)| &**name)
    }

    /// The shortest way to a given room, whatever is on it.
    pub fn way_home(&self, to: Vnum, now_ms: u64) -> Option<Way> {
        self.way_to(now_ms, |_, _| true, |vnum, _| vnum == to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 - 2 - 3 from west to east, 2 - 4 north; 4 has an exit up that nobody took.
    fn map() -> Map {
        let mut map = Map::default();
        map.arrive(1, None, 0);
        map.see("One", &["east".into()]);
        map.arrive(2, Some((1, "east")), 1);
        map.see("Two", &["north".into(), "east".into(), "west".into()]);
        map.arrive(3, Some((2, "east")), 2);
        map.see("Three", &["west".into()]);
        map.arrive(2, Some((3, "west")), 3);
        map.arrive(4, Some((2, "north")), 4);
        map.see("Four", &["south".into(), "up".into()]);
        map.arrive(2, Some((4, "south")), 5);
        map
    }

    #[test]
    fn the_shortest_way_is_found_and_what_is_shunned_is_not_walked() {
        let mut map = map();
        map.arrive(1, Some((2, "west")), 6);
        let way = map.way_home(4, 6).expect("known");
        assert_eq!((&*way.step, way.length), ("east", 2));
        assert_eq!(map.way_to(6, |vnum, _| vnum != 2, |vnum, _| vnum == 4), None);
        map.block(1, "east", 10);
        assert_eq!(map.way_home(4, 6), None);
        assert!(map.way_home(4, 10).is_some());
    }

    #[test]
    fn the_nearest_unseen_exit_is_found() {
        let map = map();
        let way = map.way_to(6, |_, _| true, |_, room| Map::unseen_exit(room, 6).is_some()).expect("there is one");
        assert_eq!((way.to, &*way.step), (4, "north"));
    }

    #[test]
    fn a_way_back_that_is_none_is_dropped_when_the_room_is_seen() {
        let mut map = map();
        map.arrive(9, Some((4, "up")), 7);
        map.see("A slide", &["east".into()]);
        assert_eq!(map.rooms[&9].exits.keys().collect::<Vec<_>>(), ["east"]);
    }

    #[test]
    fn short_words_are_directions() {
        assert_eq!(direction_of("n"), Some("north"));
        assert_eq!(direction_of(" EAST "), Some("east"));
        assert_eq!(direction_of("north 2"), None);
        assert_eq!(direction_of(""), None);
    }
}
