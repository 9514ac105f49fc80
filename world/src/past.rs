//! What a player has behind it, as far as the world must know it to tell what is new and what is treason.
//!
//! It is state: saved with the character, hashed and replayed. Invariants: each list is bounded, so a character does
//! not grow with its age; no variable shows anything of it (`World::past_mut` marks nothing as changed).

use crate::ranges::Ranges;
use content::Text;
use protocol::outcome::DoorChange;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// So long a gift or help is trusted in, ticks. Source: specification, "betrayal".
pub const TRUST_TICKS: u64 = 300;
/// Ticks without a blow after which the next one begins another fight.
pub const FIGHT_GAP_TICKS: u64 = 5;
/// Whoever joins within so many ticks of a fight's start defends. Source: specification, "help".
pub const DEFENCE_TICKS: u64 = 5;

/// Players that one has met; the longest forgotten goes first, and is met anew one day.
const PEOPLE_MAX: usize = 2_000;
/// Names of those whom one has reason to trust just now.
const TRUSTED_MAX: usize = 32;
/// Rooms whose visits are counted; the one that was visited least gives way.
const VISITED_MAX: usize = 500;
/// Doors whose last known state is kept.
const DOORS_MAX: usize = 64;
/// Names that are noted about one fight.
const NOTED_MAX: usize = 16;

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Past {
    /// Vnums of rooms that it has seen.
    pub rooms: Ranges,
    /// How often it came to some of them.
    pub visits: Visits,
    /// Vnums of mobs that it has met, and that it has killed.
    pub met: Ranges,
    pub killed: Ranges,
    /// Vnums of things that it has had.
    pub had: Ranges,
    pub people: People,
    /// Lower-case names of players who gave it something or whom it helped, with the tick of the last time.
    trusted: Vec<(Text, u64)>,
    /// The same of those with whom it worked together.
    worked_with: Vec<(Text, u64)>,
    /// Oldest first.
    doors: Vec<Door>,
    pub fight: Fight,
}

/// A door as it was last seen to change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Door {
    room: i32,
    /// `Direction::index`.
    way: u8,
    state: DoorChange,
}

/// The fight that a player is in, or was in last.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Fight {
    /// The tick of its first blow.
    pub began_tick: u64,
    /// The tick at which the player last stopped fighting; `None` when it has never fought.
    pub ended_tick: Option<u64>,
    /// Another struck first.
    pub attacked: bool,
    /// How many of `WOUND_PERCENTS` were passed, as a bit each.
    pub wounds: u8,
    /// Lower-case names of the players who struck this one without having been struck by it, and of those who came to
    /// its defence.
    pub struck_by: Vec<Text>,
    pub defenders: Vec<Text>,
}

impl Fight {
    /// Whether what happens at `tick`, to who fights or does not, belongs to another fight than this one.
    pub fn is_over(&self, fighting: bool, tick: u64) -> bool {
        // A clock that was set back, as in a new world, ends all fights.
        !fighting && self.ended_tick.is_none_or(|ended| tick < ended || tick > ended + FIGHT_GAP_TICKS)
    }

    pub fn begin(&mut self, tick: u64) {
        *self = Fight { began_tick: tick, ended_tick: Some(tick), ..Fight::default() };
    }
}

/// Adds a name to a short list. False when it was there, or there is no room.
pub fn note_name(names: &mut Vec<Text>, name: &Text) -> bool {
    let is_new = names.len() < NOTED_MAX && !names.contains(name);
    if is_new {
        names.push(name.clone());
    }
    is_new
}

/// How often one came to a room, by vnum: 1 where nothing is noted. It is read at every step, so it is one sorted list.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Visits {
    counts: Vec<(i32, u32)>,
}

impl Visits {
    /// Counts one more visit to a room that was seen before. Which one it is at least: the count of a room that gave
    /// way to others begins anew.
    pub fn again(&mut self, room: i32) -> u32 {
        match self.counts.binary_search_by_key(&room, |(vnum, _)| *vnum) {
            Ok(at) => {
                self.counts[at].1 = self.counts[at].1.saturating_add(1);
                self.counts[at].1
            }
            Err(mut at) => {
                if self.counts.len() >= VISITED_MAX
                    && let Some((least, _)) = self.counts.iter().enumerate().min_by_key(|(_, (_, count))| *count)
                {
                    self.counts.remove(least);
                    at -= usize::from(least < at);
                }
                self.counts.insert(at, (room, 2));
                2
            }
        }
    }

    /// Whether a visit of that number is told: each of the first three, then 5, 10, 20, 50, 100 and so on.
    pub fn is_told(count: u32) -> bool {
        let mut step = count;
        while step > 0 && step.is_multiple_of(10) {
            step /= 10;
        }
        count == 3 || matches!(step, 1 | 2 | 5)
    }
}

/// Players whom one has met, by a hash of the name, with the order in which they were met. Asked at every step among
/// others, so it is one sorted list of eight bytes for each. Two of four thousand million names share a hash: whoever
/// has that of an acquaintance is taken for it, and no first meeting is remembered.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct People {
    met: Vec<(u32, u32)>,
}

/// What `People` knows a player by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Face(u32);

impl Face {
    /// Of a lower-case name.
    pub fn of(name: &str) -> Face {
        Face(xxh3_64(name.as_bytes()) as u32)
    }
}

impl People {
    pub fn contains(&self, face: Face) -> bool {
        self.met.binary_search_by_key(&face.0, |(hash, _)| *hash).is_ok()
    }

    pub fn insert(&mut self, face: Face) {
        if self.contains(face) {
            return;
        }
        // Found by a walk over all: this happens once for each new acquaintance of somebody who has two thousand.
        if self.met.len() >= PEOPLE_MAX
            && let Some((oldest, _)) = self.met.iter().enumerate().min_by_key(|(_, (_, order))| *order)
        {
            self.met.remove(oldest);
        }
        let order = self.met.iter().map(|(_, order)| order + 1).max().unwrap_or(0);
        let at = self.met.partition_point(|(hash, _)| *hash < face.0);
        self.met.insert(at, (face.0, order));
    }

    pub fn len(&self) -> usize {
        self.met.len()
    }

    pub fn is_empty(&self) -> bool {
        self.met.is_empty()
    }
}

fn is_lately(since: u64, tick: u64) -> bool {
    since <= tick && tick <= since + TRUST_TICKS
}

/// What makes somebody the same or another to who meets it: of mobs the kind, of players the name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KnownAs {
    /// By its vnum.
    Mob(i32),
    Player(Face),
}

impl Past {
    /// All is new again, as to somebody without memories. Who trusts whom and the fight at hand are no memories but
    /// what the rules of treason and of wounds go by.
    pub fn forget(&mut self) {
        *self = Past {
            trusted: std::mem::take(&mut self.trusted),
            fight: std::mem::take(&mut self.fight),
            ..Past::default()
        };
    }

    pub fn has_met(&self, other: KnownAs) -> bool {
        match other {
            KnownAs::Mob(vnum) => self.met.contains(vnum),
            KnownAs::Player(face) => self.people.contains(face),
        }
    }

    pub fn meet(&mut self, other: KnownAs) {
        match other {
            KnownAs::Mob(vnum) => {
                self.met.insert(vnum);
            }
            KnownAs::Player(face) => self.people.insert(face),
        }
    }

    /// From now on for `TRUST_TICKS`, a blow by that player would be treason.
    pub fn trust(&mut self, name: &Text, tick: u64) {
        self.trusted.retain(|(other, since)| other != name && is_lately(*since, tick));
        if self.trusted.len() == TRUSTED_MAX {
            self.trusted.remove(0);
        }
        self.trusted.push((name.clone(), tick));
    }

    /// It works together with that player. False where it did so lately: once in `TRUST_TICKS` is told.
    pub fn work_with(&mut self, name: &Text, tick: u64) -> bool {
        self.worked_with.retain(|(_, since)| is_lately(*since, tick));
        if self.worked_with.iter().any(|(other, _)| other == name) {
            return false;
        }
        if self.worked_with.len() == TRUSTED_MAX {
            self.worked_with.remove(0);
        }
        self.worked_with.push((name.clone(), tick));
        true
    }

    pub fn trusts(&self, name: &str, tick: u64) -> bool {
        self.trusted.iter().any(|(other, since)| &**other == name && is_lately(*since, tick))
    }

    /// Whether that is another state than the one it was last seen to come into.
    pub fn is_news_of_door(&self, room: i32, way: u8, state: DoorChange) -> bool {
        self.doors.iter().find(|door| (door.room, door.way) == (room, way)).is_none_or(|door| door.state != state)
    }

    pub fn note_door(&mut self, room: i32, way: u8, state: DoorChange) {
        self.doors.retain(|door| (door.room, door.way) != (room, way));
        if self.doors.len() == DOORS_MAX {
            self.doors.remove(0);
        }
        self.doors.push(Door { room, way, state });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_ends_after_its_time_and_a_renewed_one_does_not() {
        let mut past = Past::default();
        past.trust(&"bob".into(), 10);
        assert!(past.trusts("bob", 310) && !past.trusts("bob", 311) && !past.trusts("eve", 10));
        past.trust(&"bob".into(), 300);
        assert!(past.trusts("bob", 600) && past.trusted.len() == 1);
        for n in 0..100 {
            past.trust(&format!("n{n}").into(), 600);
        }
        assert!(past.trusted.len() == TRUSTED_MAX && !past.trusts("bob", 600) && past.trusts("n99", 600));
    }

    #[test]
    fn to_whom_forgets_all_is_new() {
        let mut past = Past::default();
        past.rooms.insert(8004);
        past.visits.again(8004);
        past.met.insert(3);
        past.fight.begin(7);
        past.forget();
        assert_eq!(past, Past { fight: past.fight.clone(), ..Past::default() });
        assert_eq!(past.fight.began_tick, 7);
    }

    #[test]
    fn visits_are_counted_and_seldom_told() {
        let mut visits = Visits::default();
        let told: Vec<u32> = (0..120).map(|_| visits.again(8004)).filter(|count| Visits::is_told(*count)).collect();
        assert_eq!(told, [2, 3, 5, 10, 20, 50, 100]);
        for room in 0..2_000 {
            assert_eq!(visits.again(room), 2, "a count that was given up begins anew");
        }
        assert!(visits.counts.len() == VISITED_MAX && visits.counts.is_sorted());
        assert_eq!(visits.again(8004), 122, "where one is at home is not given up");
    }

    #[test]
    fn a_crowd_of_acquaintances_is_bounded_and_the_oldest_is_forgotten() {
        let mut people = People::default();
        for n in 0..PEOPLE_MAX + 5 {
            people.insert(Face::of(&format!("n{n}")));
        }
        let knows = |n: usize| people.contains(Face::of(&format!("n{n}")));
        assert!(people.len() == PEOPLE_MAX && !knows(4) && (5..PEOPLE_MAX + 5).all(knows));
    }
}
