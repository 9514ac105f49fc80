//! A made-up life: records as a server would write them, for evaluation, benches and tests.
//!
//! Deterministic by seed. It is a stand-in for play, not a model of it: what matters is that it holds every kind of
//! record, that names recur as they do in play, and that things change hands, doors change and people die.

use crate::record::Record;
use protocol::happening::{Happening, Help, Item, Place, Role, Tone, What};
use protocol::outcome::{DoorChange, Who, WhoKind};
use std::sync::Arc;

/// A small generator of numbers (splitmix64): the same on any machine.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// 0..n.
    pub fn below(&mut self, n: usize) -> usize {
        (self.roll() % n.max(1) as u64) as usize
    }

    /// True in `percent` of a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

const SIZES: [&str; 12] =
    ["small", "huge", "grey", "mad", "old", "wild", "pale", "black", "hungry", "lame", "scarred", "quiet"];
const BEASTS: [&str; 24] = [
    "goblin", "wolf", "rat", "troll", "bear", "spider", "ogre", "bat", "snake", "orc", "kobold", "ghoul", "boar",
    "bandit", "imp", "lizard", "wraith", "crow", "hound", "crab", "beetle", "toad", "guard", "cultist",
];
const PLACES: [&str; 20] = [
    "Corridor", "Square", "Cave", "Tower", "Garden", "Bridge", "Crypt", "Market", "Ford", "Cellar", "Hall", "Pass",
    "Clearing", "Mine", "Dock", "Chapel", "Road", "Gate", "Well", "Library",
];
const MOODS: [&str; 20] = [
    "Dark", "Narrow", "Sunken", "Old", "Broken", "Silent", "Windy", "Misty", "Golden", "Burnt", "Hidden", "Long",
    "Frozen", "Crooked", "Lower", "Upper", "Western", "Eastern", "Flooded", "Empty",
];
const WARES: [&str; 20] = [
    "sword", "torch", "cloak", "ring", "shield", "potion", "scroll", "dagger", "helmet", "boots", "lantern", "rope",
    "axe", "bow", "amulet", "gloves", "mace", "key", "flask", "belt",
];
const SYLLABLES: [&str; 16] =
    ["bren", "dal", "mor", "ka", "lin", "thar", "ves", "ol", "ri", "gun", "sha", "per", "wyn", "dor", "eli", "zan"];

/// How a life is made up.
#[derive(Clone, Debug)]
pub struct Shape {
    pub seed: u64,
    pub events_per_day: u32,
    pub mobs: usize,
    pub players: usize,
    pub rooms: usize,
    pub items: usize,
    /// Milliseconds since 1970 of the first morning.
    pub from_ms: i64,
    /// It tells when it comes to a room again, and what it throws away.
    pub visits: bool,
}

impl Default for Shape {
    fn default() -> Shape {
        let from_ms = 1_767_254_400_000; // 2026-01-01, 8 in the morning, UTC
        Shape { seed: 1, events_per_day: 400, mobs: 120, players: 40, rooms: 400, items: 240, from_ms, visits: false }
    }
}

/// An endless iterator of records.
#[derive(Clone, Debug)]
pub struct Life {
    shape: Shape,
    dice: Dice,
    me: Who,
    mobs: Vec<Who>,
    players: Vec<Who>,
    rooms: Vec<Place>,
    items: Vec<Item>,
    room: usize,
    seq: u64,
    met: Vec<bool>,
    /// How often it came to each room.
    seen: Vec<u32>,
    serial: u64,
    /// What it carries, and what lies in its last corpse, by number.
    carried: Vec<usize>,
    lost: Vec<usize>,
}

pub const AGENT: &str = "Brenda";

/// A name like those that players choose, by number; each number has its own.
pub fn player_name(number: usize) -> String {
    let n = SYLLABLES.len();
    let mut name = format!("{}{}", SYLLABLES[number % n], SYLLABLES[number / n % n]);
    if number >= n * n {
        name.push_str(SYLLABLES[number / n / n % n]);
    }
    name[..1].to_uppercase() + &name[1..]
}

/// A name of two words, and of three where there are more things than those make: each number has its own.
fn two_words(article: &str, first: &[&str], second: &[&str], number: usize) -> Arc<str> {
    let (n, m) = (first.len(), second.len());
    let name = format!("{article} {} {}", first[number / m % n], second[number % m]);
    match number / m / n {
        0 => name.into(),
        more => format!("{name} of {}ia", player_name(more)).into(),
    }
}

impl Life {
    pub fn new(shape: Shape) -> Life {
        let player = |name: &str, level| Who {
            id: format!("player_{}", name.to_lowercase()).into(),
            name: name.into(),
            kind: WhoKind::Player,
            level,
        };
        let mob = |i: usize| Who {
            id: format!("mob_{}_1", 3_000 + i).into(),
            name: two_words("a", &SIZES, &BEASTS, i),
            kind: WhoKind::Mob,
            level: (i % 30 + 1) as u16,
        };
        let room = |i: usize| Place { vnum: 8_000 + i as i32, name: two_words("The", &MOODS, &PLACES, i) };
        let item = |i: usize| Item {
            id: format!("obj_{}_1", 1_000 + i).into(),
            name: two_words("a", &SIZES, &WARES, i),
            vnum: 1_000 + i as i32,
            level: (i * 7 % 101) as u8,
        };
        Life {
            dice: Dice::new(shape.seed),
            me: player(AGENT, 12),
            mobs: (0..shape.mobs.max(1)).map(mob).collect(),
            players: (0..shape.players.max(2)).map(|i| player(&player_name(i), (i % 30 + 1) as u16)).collect(),
            rooms: (0..shape.rooms.max(2)).map(room).collect(),
            items: (0..shape.items.max(1)).map(item).collect(),
            room: 0,
            seq: 0,
            met: vec![false; shape.players.max(2)],
            seen: vec![0; shape.rooms.max(2)],
            serial: 0,
            carried: Vec::new(),
            lost: Vec::new(),
            shape,
        }
    }

    /// The players that it may meet.
    pub fn players(&self) -> &[Who] {
        &self.players
    }

    /// A day is played from 8 to 22, in two sessions with a break of an hour.
    fn at_ms(&self) -> i64 {
        let per_day = u64::from(self.shape.events_per_day.max(1));
        let (day, of_day) = (self.seq / per_day, self.seq % per_day);
        let step = 13 * 3_600_000 / per_day;
        let pause = if of_day * 2 >= per_day { 3_600_000 } else { 0 };
        self.shape.from_ms + (day * 86_400_000 + of_day * step + pause) as i64
    }

    fn mob(&mut self) -> Who {
        // The first kinds are met most often, as it is in play.
        let n = self.mobs.len();
        let i = self.dice.below(n).min(self.dice.below(n));
        let mut mob = self.mobs[i].clone();
        if self.dice.chance(30) {
            self.serial += 1;
            mob.id = format!("mob_{}_{}", 3_000 + i, self.serial).into();
        }
        mob
    }

    fn player(&mut self) -> (usize, Who) {
        let n = self.players.len();
        let i = self.dice.below(n).min(self.dice.below(n));
        (i, self.players[i].clone())
    }

    /// A thing of somebody else, or that lies about.
    fn item(&mut self) -> usize {
        let i = self.dice.below(self.items.len());
        self.lost.retain(|lost| *lost != i);
        i
    }

    /// A thing that comes to it.
    fn new_item(&mut self) -> Item {
        let i = self.item();
        if !self.carried.contains(&i) {
            self.carried.push(i);
        }
        self.items[i].clone()
    }

    /// A thing that it carries and that goes from it now; `None` when it has none.
    fn own_item(&mut self) -> Option<Item> {
        if self.carried.is_empty() {
            return None;
        }
        let place = self.dice.below(self.carried.len());
        Some(self.items[self.carried.swap_remove(place)].clone())
    }

    fn what(&mut self) -> (What, Role) {
        let me = self.me.clone();
        let roll = self.dice.below(1000);
        match roll {
            0..=289 => (What::Killed { victim: self.mob(), killer: Some(me), xp: 30 }, Role::Did),
            290..=329 => {
                let (_, ally) = self.player();
                (What::Assisted { who: me, victim: self.mob(), killer: Some(ally) }, Role::Did)
            }
            330..=369 => {
                let hp_percent = self.dice.below(100) as u8;
                (What::Fled { who: me, hp_percent, from: Some(self.mob()) }, Role::Did)
            }
            370..=439 => {
                let hp_percent = self.dice.below(31) as u8;
                (What::Wounded { who: me, hp_percent, by: Some(self.mob()) }, Role::Suffered)
            }
            440..=529 => (What::Acquired { who: me, item: self.new_item(), from: None }, Role::Did),
            530..=549 => match self.lost.pop() {
                Some(i) => {
                    self.carried.push(i);
                    let from = Some(format!("the corpse of {AGENT}").into());
                    (What::Acquired { who: me, item: self.items[i].clone(), from }, Role::Did)
                }
                None => (What::Acquired { who: me, item: self.new_item(), from: None }, Role::Did),
            },
            550..=559 => {
                let ((_, who), item) = (self.player(), self.lost.pop());
                let from = item.map(|_| format!("the corpse of {AGENT}").into());
                let item = item.unwrap_or_else(|| self.item());
                self.carried.retain(|carried| *carried != item);
                (What::Acquired { who, item: self.items[item].clone(), from }, Role::Saw)
            }
            560..=609 => match self.own_item() {
                Some(item) => (What::Dropped { who: me, item }, Role::Did),
                None => (What::Acquired { who: me, item: self.new_item(), from: None }, Role::Did),
            },
            610..=619 => match self.own_item() {
                Some(item) if self.shape.visits && item.vnum % 2 == 0 => {
                    (What::ThrownAway { who: me, item }, Role::Did)
                }
                Some(item) => (What::UsedUp { who: me, item }, Role::Did),
                None => (What::Acquired { who: me, item: self.new_item(), from: None }, Role::Did),
            },
            620..=634 => {
                let ((_, receiver), item) = (self.player(), self.own_item());
                let gold = if item.is_some() { 0 } else { 10 };
                (What::Given { giver: me, receiver, item, gold }, Role::Did)
            }
            635..=649 => {
                let (_, giver) = self.player();
                (What::Given { giver, receiver: me, item: Some(self.new_item()), gold: 0 }, Role::Suffered)
            }
            650..=654 => {
                let ((_, thief), item) = (self.player(), self.own_item());
                let gold = if item.is_some() { 0 } else { 10 };
                (What::Stolen { thief, victim: me, item, gold }, Role::Suffered)
            }
            655..=684 => {
                let (item, seller) = (self.new_item(), self.mobs[0].clone());
                (What::Bought { who: me, seller, price: i64::from(item.vnum), item }, Role::Did)
            }
            685..=699 => match self.own_item() {
                Some(item) => (What::Sold { who: me, buyer: self.mobs[0].clone(), price: 5, item }, Role::Did),
                None => (What::Acquired { who: me, item: self.new_item(), from: None }, Role::Did),
            },
            700..=702 => {
                let (_, by) = self.player();
                (What::Betrayed { by, victim: me }, Role::Suffered)
            }
            703..=704 => {
                let ((_, by), (_, victim)) = (self.player(), self.player());
                (What::Betrayed { by, victim }, Role::Saw)
            }
            705..=744 => {
                let (_, helper) = self.player();
                let how = [Help::Healed, Help::Rescued, Help::Grouped, Help::Defended][self.dice.below(4)];
                let hp_percent = Some(self.dice.below(100) as u8);
                (What::Helped { helper, helped: me, how, hp_percent }, Role::Suffered)
            }
            745..=754 => {
                let (_, from) = self.player();
                (What::Parted { who: me, from }, Role::Did)
            }
            755..=884 => {
                let (_, speaker) = self.player();
                let tone = [Tone::Neutral, Tone::Neutral, Tone::Neutral, Tone::Kind, Tone::Insult, Tone::Threat]
                    [self.dice.below(6)];
                let text: Arc<str> = format!("the {} is near", BEASTS[self.dice.below(BEASTS.len())]).into();
                (What::Spoke { speaker, to: Some(me), tone, text }, Role::Suffered)
            }
            885..=889 => (What::LevelGained { who: me, level: 13 }, Role::Did),
            890..=899 => {
                // What it had lies in the corpse; what lay in the last one has crumbled.
                self.lost = std::mem::take(&mut self.carried);
                (What::Killed { victim: me, killer: Some(self.mob()), xp: 0 }, Role::Suffered)
            }
            900..=904 => {
                let ((_, victim), killer) = (self.player(), self.mob());
                (What::Killed { victim, killer: Some(killer), xp: 0 }, Role::Saw)
            }
            905..=934 => {
                let state = [DoorChange::Opened, DoorChange::Closed, DoorChange::Locked, DoorChange::Unlocked]
                    [self.dice.below(4)];
                (What::Door { who: Some(me), direction: "north".into(), state, leads_to: None }, Role::Did)
            }
            _ => {
                let (i, other) = self.player();
                if std::mem::replace(&mut self.met[i], true) {
                    return (What::Killed { victim: self.mob(), killer: Some(me), xp: 30 }, Role::Did);
                }
                (What::Met { who: me, other }, Role::Did)
            }
        }
    }
}

impl Iterator for Life {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        let at_ms = self.at_ms();
        let tick = ((at_ms - self.shape.from_ms) / 2_000) as u64;
        let mut found = None;
        if self.dice.chance(25) {
            let from = self.room;
            let n = self.rooms.len();
            self.room = self.dice.below(n).min(self.dice.below(n));
            let times = self.seen[self.room] + u32::from(self.seen[self.room] == 0 || from != self.room);
            let came = times > self.seen[self.room];
            self.seen[self.room] = times;
            let (who, from) = (self.me.clone(), Some(self.rooms[from].clone()));
            if times == 1 && came {
                found = Some((What::RoomSeen { who, from }, Role::Did));
            } else if came && self.shape.visits && (times <= 3 || times.is_multiple_of(5)) {
                found = Some((What::Visited { who, times, from }, Role::Did));
            }
        }
        let (what, role) = match found {
            Some(found) => found,
            None => self.what(),
        };
        self.seq += 1;
        let happening = Happening {
            what,
            role,
            room: self.rooms[self.room].clone(),
            witnesses: Vec::new(),
            social_event_id: Some(self.seq * 1024),
            novel: false,
            valence: None,
        };
        Some(Record { seq: self.seq, tick, at_ms, happening })
    }
}
