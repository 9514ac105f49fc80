//! How a player fares, measured from outside: in the world after each tick, and in the frames of its seat.
//!
//! Units: experience in points, times in seconds of the game, shares as counts. *Stuck* is the time without any change
//! of room, experience, hit points, things or coins, but for lying down to heal and for fights.

use super::deeds::Deeds;
use super::posture::Posture;
use super::robust::Robust;
use agent_cli::map::direction_of;
use content::Vnum;
use content::words::Position;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use world::character::Character;
use world::{CharacterId, World};

/// Policies that use arts, and nothing else.
pub const OF_ARTS: [&str; 7] = ["strike", "heal", "tend", "buff", "open", "practice", "attend"];

/// Lines that a report of a death shows.
const LAST_LINES: usize = 14;
/// The same line refused so often in a row, in one room, is a fault of the player.
const REPEATED: u32 = 3;

/// Who stands so long without a command does nothing.
const IDLE_MS: u64 = 10_000;

/// What makes a difference.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Mark {
    room: Vnum,
    experience: i32,
    hit: i32,
    objects: usize,
    gold: i32,
}

/// One player's measures while it plays.
pub struct Measure {
    who: CharacterId,
    mark: Mark,
    stuck_ticks: u64,
    deeds: Deeds,
    posture: Posture,
    experience_start: i32,
    level_start: i32,
    deaths: u32,
    gained: i64,
    last_experience: i32,
    /// Ticks by what it was doing.
    spent: BTreeMap<&'static str, u64>,
    by_source: BTreeMap<String, u64>,
    by_policy: BTreeMap<String, u64>,
    refused: BTreeMap<String, u64>,
    sent: VecDeque<String>,
    sent_ms: u64,
    last_refused: (String, Vnum, u32),
    repeated: u64,
    repeated_most: u32,
    rate_limited: u64,
    recent: VecDeque<String>,
    /// Keeps every command, for the report's `trace`.
    pub trace: bool,
    /// What a bad model made of it.
    pub robust: Robust,
    report: Report,
}

/// How one seed went.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub seed: u64,
    pub minutes: f64,
    pub deaths: u32,
    /// Gained, without what deaths and flights cost.
    pub experience: i64,
    pub level_start: i32,
    pub level: i32,
    pub kills: u32,
    pub gold: i32,
    pub rooms: usize,
    /// Times it lay down and got up again though nothing had happened: `posture.rs`.
    pub rest_stand_pairs: u32,
    pub deeds: Deeds,
    pub stuck_longest_s: u64,
    /// Where that was.
    pub stuck_room: Vnum,
    /// Seconds fighting, resting, idle on its feet, and all else.
    pub spent_s: BTreeMap<&'static str, u64>,
    pub by_source: BTreeMap<String, u64>,
    pub by_policy: BTreeMap<String, u64>,
    /// How often policies tried each art.
    pub arts: BTreeMap<String, u64>,
    /// By verb and reason.
    pub refused: BTreeMap<String, u64>,
    /// Commands that failed as the one before them had.
    pub repeated: u64,
    pub repeated_most: u32,
    pub rate_limited: u64,
    pub thoughts: u64,
    pub robust: Robust,
    /// What came before each death, and before the longest time stuck.
    pub stories: Vec<String>,
    /// Every command and refusal, when asked for.
    pub trace: Vec<String>,
}

/// The art that a line uses: a spell by its name, else the verb. A lesson uses none, nor does the way to it.
fn art_of(line: &str) -> Option<&str> {
    let verb = line.split(' ').next().unwrap_or(line);
    match line.split_once('\'').and_then(|(_, rest)| rest.split_once('\'')) {
        Some((spell, _)) => Some(spell),
        None => Some(verb).filter(|verb| !matches!(*verb, "practice" | "help") && direction_of(verb).is_none()),
    }
}

impl Report {
    pub fn per_hour(&self, n: f64) -> f64 {
        if self.minutes > 0.0 { n * 60.0 / self.minutes } else { 0.0 }
    }

    pub fn experience_per_hour(&self) -> f64 {
        self.per_hour(self.experience as f64)
    }

    pub fn deaths_per_hour(&self) -> f64 {
        self.per_hour(f64::from(self.deaths))
    }

    /// The share of its time in which it lay.
    pub fn rest_share(&self) -> f64 {
        let all: u64 = self.spent_s.values().sum();
        self.spent_s.get("resting").copied().unwrap_or(0) as f64 / all.max(1) as f64
    }

    /// The share of its time in which it stood and did nothing.
    pub fn idle_share(&self) -> f64 {
        let all: u64 = self.spent_s.values().sum();
        self.spent_s.get("idle").copied().unwrap_or(0) as f64 / all.max(1) as f64
    }

    pub fn commands(&self) -> u64 {
        self.by_source.values().sum()
    }

    pub fn json(&self) -> Value {
        json!({
            "seed": self.seed, "minutes": self.minutes, "deaths": self.deaths,
            "deaths_per_hour": self.deaths_per_hour(), "experience": self.experience,
            "experience_per_hour": self.experience_per_hour(), "level_start": self.level_start, "level": self.level,
            "kills": self.kills, "gold": self.gold, "rooms": self.rooms,
            "rest_stand_pairs": self.rest_stand_pairs, "rest_share": self.rest_share(), "idle_share": self.idle_share(), "stuck_longest_s": self.stuck_longest_s,
            "stuck_room": self.stuck_room, "spent_s": self.spent_s, "by_source": self.by_source,
            "by_policy": self.by_policy, "refused": self.refused, "repeated": self.repeated,
            "repeated_most": self.repeated_most, "rate_limited": self.rate_limited, "thoughts": self.thoughts,
            "robust": self.robust.json(),
        })
    }
}

fn mark_of(world: &World, who: CharacterId) -> Option<Mark> {
    let c = world.character(who)?;
    Some(Mark {
        room: world.room_proto(c.room).vnum,
        experience: c.player().map_or(0, |player| player.experience),
        hit: c.hit,
        objects: c.carrying.len() * 100 + c.worn.len(),
        gold: c.gold,
    })
}

/// Lies or sits down, and has something to heal or to gather strength for; or cannot do anything else.
fn heals(c: &Character) -> bool {
    if c.position < Position::Sleeping {
        return true;
    }
    let down = matches!(c.position, Position::Sitting | Position::Resting | Position::Sleeping);
    down && (c.hit < c.now.hit_max || c.moves < c.now.move_max)
}

impl Measure {
    pub fn new(world: &World, who: CharacterId) -> Measure {
        let mark = mark_of(world, who).expect("it has just come in");
        let c = world.who(who);
        Measure {
            who,
            stuck_ticks: 0,
            deeds: Deeds::new(&c.name, mark.room),
            posture: Posture::default(),
            experience_start: mark.experience,
            last_experience: mark.experience,
            level_start: c.level,
            deaths: c.player().map_or(0, |player| player.deaths),
            gained: 0,
            mark,
            spent: BTreeMap::new(),
            by_source: BTreeMap::new(),
            by_policy: BTreeMap::new(),
            refused: BTreeMap::new(),
            sent: VecDeque::new(),
            sent_ms: 0,
            last_refused: (String::new(), 0, 0),
            repeated: 0,
            repeated_most: 0,
            rate_limited: 0,
            recent: VecDeque::new(),
            trace: false,
            robust: Robust::default(),
            report: Report::default(),
        }
    }

    fn note(&mut self, text: String) {
        if self.trace {
            self.report.trace.push(text.clone());
        }
        if self.recent.len() == LAST_LINES {
            self.recent.pop_front();
        }
        self.recent.push_back(text);
    }

    fn tell(&mut self, what: &str) {
        let lines: Vec<&str> = self.recent.iter().map(String::as_str).collect();
        self.report.stories.push(format!("{what}\n    {}", lines.join("\n    ")));
    }

    /// A command was sent. `by`: source, and the name of the reflex or policy.
    pub fn sent(&mut self, world: &World, line: &str, source: &str, by: &str, now_ms: u64) {
        *self.by_source.entry(source.to_string()).or_default() += 1;
        *self.by_policy.entry(format!("{source}:{by}")).or_default() += 1;
        if OF_ARTS.contains(&by)
            && let Some(art) = art_of(line)
        {
            *self.report.arts.entry(art.to_string()).or_default() += 1;
        }
        if let Some(c) = world.character(self.who) {
            let (hp, most, moves, room) = (c.hit, c.now.hit_max, c.moves, world.room_proto(c.room).vnum);
            self.robust.sent(line, source, room, now_ms);
            let pairs = self.posture.pairs;
            self.posture.sent(world, self.who, line, now_ms);
            self.note(format!("{:>6} s {hp}/{most} hp {moves} mv room {room}: {line} ({by})", now_ms / 1_000));
            if self.posture.pairs > pairs {
                self.tell(&format!("lay down and got up for nothing at {} s:", now_ms / 1_000));
            }
        }
        if self.sent.len() == 16 {
            self.sent.pop_front();
        }
        self.sent.push_back(line.to_string());
        self.sent_ms = now_ms;
    }

    /// A frame came for its seat.
    pub fn read(&mut self, world: &World, text: &str, now_ms: u64) {
        self.deeds.read(text, now_ms / 1_000);
        self.posture.read(text);
        if !text.contains("\"type\":\"refused\"") && !text.contains("\"type\":\"rate_limited\"") {
            return;
        }
        let Ok(frame) = serde_json::from_str::<Value>(text) else { return };
        let Some(events) = frame["data"]["EVENTS"].as_array() else { return };
        for event in events {
            match event["type"].as_str() {
                Some("refused") => {
                    let (verb, reason) = (event["command"].as_str(), event["reason"].as_str());
                    self.refuse(world, verb.unwrap_or(""), reason.unwrap_or(""));
                }
                Some("rate_limited") => self.rate_limited += 1,
                _ => {}
            }
        }
    }

    fn refuse(&mut self, world: &World, verb: &str, reason: &str) {
        *self.refused.entry(format!("{verb}: {reason}")).or_default() += 1;
        let of_verb = |line: &&String| line.split_whitespace().next() == Some(verb);
        let line = self.sent.iter().rev().find(of_verb).cloned().unwrap_or_else(|| verb.to_string());
        self.note(format!("         refused: {reason}"));
        let room = world.character(self.who).map_or(0, |c| world.room_proto(c.room).vnum);
        self.robust.refused(&line, verb, reason);
        if self.last_refused.0 == line && self.last_refused.1 == room {
            self.last_refused.2 += 1;
            self.repeated += u64::from(self.last_refused.2 >= REPEATED);
        } else {
            self.last_refused = (line, room, 1);
        }
        self.repeated_most = self.repeated_most.max(self.last_refused.2);
    }

    /// After each step: whether it stands still though it has something to do.
    pub fn watch(&mut self, world: &World, has_wish: bool, think_ms: u64, slow_ms: u64, now_ms: u64) {
        let Some(c) = world.character(self.who) else { return };
        let before = self.robust.stalls;
        self.robust.watch(has_wish && !heals(c), think_ms, slow_ms, now_ms);
        if self.robust.stalls > before {
            self.tell(&format!("stalled at {} s:", now_ms / 1_000));
        }
    }

    /// After each step: players take several between two ticks.
    pub fn step(&mut self, world: &World, now_ms: u64) {
        if let Some(c) = world.character(self.who) {
            self.deeds.is_in(world.room_proto(c.room).vnum, now_ms / 1_000);
        }
    }

    /// After each tick.
    pub fn tick(&mut self, world: &World, now_ms: u64) {
        let (Some(mark), Some(c)) = (mark_of(world, self.who), world.character(self.who)) else { return };
        self.posture.tick(world, self.who);
        let doing = if c.fighting.is_some() {
            "fighting"
        } else if c.position < Position::Sitting || c.position == Position::Resting {
            "resting"
        } else if now_ms.saturating_sub(self.sent_ms) > IDLE_MS {
            "idle"
        } else {
            "other"
        };
        *self.spent.entry(doing).or_default() += 1;
        self.gained += i64::from((mark.experience - self.last_experience).max(0));
        self.last_experience = mark.experience;
        let deaths = c.player().map_or(0, |player| player.deaths);
        if deaths > self.deaths {
            self.deaths = deaths;
            self.report.deaths += 1;
            self.tell(&format!("died at {} s, level {}:", now_ms / 1_000, c.level));
        }
        if mark == self.mark && !heals(c) && c.fighting.is_none() {
            self.stuck_ticks += 1;
            let seconds = self.stuck_ticks * 2;
            if seconds > self.report.stuck_longest_s {
                self.report.stuck_longest_s = seconds;
                self.report.stuck_room = mark.room;
            }
            if seconds == 60 {
                let (position, room) = (c.position, mark.room);
                self.tell(&format!("stuck at {} s in room {room}, {position:?}:", now_ms / 1_000));
            }
        } else {
            self.stuck_ticks = 0;
        }
        self.mark = mark;
    }

    pub fn finish(mut self, world: &World, seed: u64, minutes: f64, thoughts: u64) -> Report {
        let seconds = |(doing, ticks): (&'static str, u64)| (doing, ticks * 2);
        self.report.seed = seed;
        self.report.minutes = minutes;
        self.report.experience = self.gained;
        self.report.level_start = self.level_start;
        self.report.rooms = self.deeds.rooms_until(u64::MAX).len();
        self.report.deeds = self.deeds;
        self.report.rest_stand_pairs = self.posture.pairs;
        self.report.spent_s = self.spent.into_iter().map(seconds).collect();
        self.report.by_source = self.by_source;
        self.report.by_policy = self.by_policy;
        self.report.refused = self.refused;
        self.report.repeated = self.repeated;
        self.report.repeated_most = self.repeated_most;
        self.report.rate_limited = self.rate_limited;
        self.report.thoughts = thoughts;
        self.report.robust = self.robust;
        if let Some(c) = world.character(self.who) {
            self.report.level = c.level;
            self.report.kills = c.player().map_or(0, |player| player.kills);
            self.report.gold = c.gold;
            // What a level gained or a death cost within one tick is not seen by ticks; the end is.
            let net = i64::from(self.last_experience - self.experience_start);
            self.report.experience = self.report.experience.max(net);
        }
        self.report
    }
}
