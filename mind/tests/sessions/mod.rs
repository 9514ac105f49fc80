//! Play that nobody played: sessions and views made from a seed, for tests, benchmarks and the table of costs.
//!
//! Invariant: the same seed gives the same session on any machine.

// Each user of this module takes what it needs.
#![allow(dead_code, unused_imports)]

pub mod cost;
pub mod furnished;
pub mod undertaking;
pub mod wild;

pub use wild::{text, wild};

use mind::arts::ArtsView;
use mind::hud::*;
use mind::prompt::{Block, Done};
use mind::{Event, LogEntry, MindState};
use protocol::arts::{ArtKind, ArtUse, KnownArt};
use serde_json::json;

/// A small generator of numbers (splitmix64): good enough to make up a game, and the same everywhere.
#[derive(Clone, Debug)]
pub struct Chance(pub u64);

impl Chance {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// `0..below`.
    pub fn below(&mut self, below: usize) -> usize {
        (self.next() % below.max(1) as u64) as usize
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

pub const MOBS: [(&str, &str); 8] = [
    ("goblin", "a scarred goblin"),
    ("rat", "a grey sewer rat"),
    ("wolf", "a lean wolf"),
    ("bandit", "a masked bandit"),
    ("guard", "a sleepy gate guard"),
    ("spider", "a pale cave spider"),
    ("beggar", "a blind beggar"),
    ("boar", "a bristling wild boar"),
];
const THINGS: [(&str, &str); 8] = [
    ("dagger", "a bone-handled dagger"),
    ("bread", "a loaf of dark bread"),
    ("torch", "a pitch torch"),
    ("skin", "a leather waterskin"),
    ("cap", "a padded cap"),
    ("ring", "a dull copper ring"),
    ("key", "a rusty iron key"),
    ("pelt", "a torn wolf pelt"),
];
const ROOMS: [&str; 8] = [
    "The Crooked Lane",
    "Under the Old Bridge",
    "The Market Square",
    "A Narrow Cellar",
    "The Southern Gate",
    "A Trampled Field",
    "The Edge of the Marsh",
    "Before the Temple",
];
const PLAYERS: [&str; 4] = ["Mira", "Aldo", "Brenda", "Tovik"];
const SPEECH: [&str; 6] = [
    "Has anybody seen the smith today?",
    "Careful, there is something large under the bridge.",
    "I have a spare torch, if you need one.",
    "Who wants to go to the marsh with me?",
    "That was a good fight.",
    "Goblins again. They come every night.",
];
const WAYS: [&str; 6] = ["north", "east", "south", "west", "up", "down"];

/// One decision: what was added to the log of events, and the moment after it.
#[derive(Clone, Debug)]
pub struct Step {
    pub block: Block,
    pub live: LiveView,
    pub recent: Vec<RecentAction>,
    pub state: MindState,
}

/// A session in progress.
#[derive(Clone, Debug)]
pub struct Session {
    pub chance: Chance,
    pub entries: Vec<LogEntry>,
    pub live: LiveView,
    pub recent: Vec<RecentAction>,
    pub state: MindState,
    /// It has projects and goals that go on (`furnished`).
    pub undertakes: bool,
}

/// Who plays in all of them.
pub fn hero() -> SelfView {
    SelfView {
        name: "Corvin".into(),
        class: "Warrior".into(),
        race: "Human".into(),
        level: 3,
        persona: "A ferryman's son who left the river after the flood. Slow to trust, quick to help, hates waste.\n\
                  He talks little and plainly, and keeps count of what he owes and is owed.\n\
                  He wants to find out who broke the dam."
            .into(),
        guidelines: vec!["Never fight two at once.".into(), "Ask before taking what others killed.".into()],
        memory_bootstrap: "You fought a grey sewer rat in A Narrow Cellar and won.\nMira gave you a torch.".into(),
        memory_summary: "Three sessions. You learned the lanes by the market and were beaten once by the bandit under \
                         the bridge. Mira is a friend; Tovik cheated you over a ring."
            .into(),
        ..SelfView::default()
    }
}

/// What a magic-user of the third level knows and could learn.
pub fn arts() -> ArtsView {
    let art = |name: &str, used_for: ArtUse, percent: i32, mana: Option<i32>, damage: Option<i32>| KnownArt {
        name: name.into(),
        kind: if mana.is_some() { ArtKind::Spell } else { ArtKind::Skill },
        used_for,
        verb: Some(if mana.is_some() { "cast" } else { name }.into()),
        percent,
        level: Some(1),
        mana,
        damage,
        risky: name == "bash",
    };
    let rows = vec![
        art("magic missile", ArtUse::Harm, 47, Some(23), Some(9)),
        art("armor", ArtUse::Protect, 30, Some(28), None),
        art("chill touch", ArtUse::Harm, 0, Some(26), Some(14)),
        art("bash", ArtUse::Harm, 15, None, Some(4)),
    ];
    ArtsView { rows, teacher: "Ives, The Hall of Embers (8021)".into(), more: 0 }
}

impl Session {
    pub fn new(seed: u64) -> Session {
        let mut session = Session {
            chance: Chance(seed),
            entries: Vec::new(),
            live: LiveView::default(),
            recent: Vec::new(),
            state: MindState::default(),
            undertakes: false,
        };
        session.live.tick = 1_000;
        session.live.vars = VarsView {
            hp: Some(34),
            hp_max: Some(34),
            mana: Some(100),
            mana_max: Some(100),
            moves: Some(82),
            moves_max: Some(82),
            level: Some(3),
            exp: Some(4_210),
            gold: Some(57),
            position: Some("standing".into()),
            ..VarsView::default()
        };
        session.walk();
        for place in ["light", "body", "wield"] {
            let (_, name) = THINGS[session.chance.below(THINGS.len())];
            session.live.equipment.push(WornView { place: place.into(), name: name.into() });
        }
        session.note(Event::TaskSet { text: "Find out what lives under the old bridge.".into() });
        session.note(Event::StepAdd { text: "Reach level 5 in the lanes.".into() });
        session.note(Event::StepAdd { text: "Buy a better blade.".into() });
        session
    }

    fn note(&mut self, event: Event) -> LogEntry {
        let seq = self.entries.last().map_or(1, |entry| entry.seq + 1);
        let tick = self.live.tick;
        let entry = LogEntry { seq, tick, at_ms: tick as i64 * 2_000, input: tick, event };
        self.state.project(&entry);
        self.entries.push(entry.clone());
        entry
    }

    fn walk(&mut self) {
        let n = self.chance.below(ROOMS.len());
        let vars = &mut self.live.vars;
        vars.room = Some(ROOMS[n].into());
        vars.room_vnum = Some(3_000 + n as i32);
        let first = self.chance.below(4);
        vars.exits = Some(WAYS[first..first + 2].iter().map(|way| way.to_string()).collect());
        self.live.mobs = (0..self.chance.below(4))
            .map(|_| {
                let n = self.chance.below(MOBS.len());
                MobView { target: MOBS[n].0.into(), name: MOBS[n].1.into(), ..MobView::default() }
            })
            .collect();
        let mobs = &mut self.live.mobs;
        for n in 0..mobs.len() {
            let before = mobs[..n].iter().filter(|mob| mob.name == mobs[n].name).count();
            if before > 0 {
                mobs[n].target = format!("{}.{}", before + 1, mobs[n].target);
            }
        }
        self.live.items = (0..self.chance.below(3)).map(|_| self.thing()).collect();
        self.live.players = (0..self.chance.below(2))
            .map(|_| PersonView { name: self.chance.pick(&PLAYERS).into(), fighting: false })
            .collect();
    }

    fn thing(&mut self) -> ItemView {
        let (target, name) = THINGS[self.chance.below(THINGS.len())];
        ItemView { target: target.into(), name: name.into() }
    }

    /// The next decision.
    pub fn step(&mut self) -> Step {
        self.live.tick += 1 + self.chance.below(4) as u64;
        let mut block = Block { tick: self.live.tick, ..Block::default() };
        let (action, outcome) = self.act(&mut block);
        block.did.push(Done { source: "model".into(), action: action.clone(), outcome: outcome.clone() });
        if self.chance.one_in(4) {
            let said = SaidView {
                from: self.chance.pick(&PLAYERS).into(),
                channel: self.chance.pick(&["say", "gossip", "tell"]).into(),
                text: self.chance.pick(&SPEECH).into(),
            };
            block.heard.push(said);
        }
        if self.chance.one_in(6) {
            let entry = self.think();
            block.mind.push(entry);
        }
        if self.undertakes && self.chance.one_in(6) {
            let entry = self.undertake();
            block.mind.push(entry);
        }
        self.recent.push(RecentAction { tick: self.live.tick, source: "model".into(), action, outcome });
        if self.recent.len() > 20 {
            self.recent.remove(0);
        }
        Step { block, live: self.live.clone(), recent: self.recent.clone(), state: self.state.clone() }
    }

    fn act(&mut self, block: &mut Block) -> (String, String) {
        let vars = &mut self.live.vars;
        if vars.fighting.is_some() {
            let hurt = self.chance.below(6) as i32;
            vars.hp = vars.hp.map(|hp| (hp - hurt).max(3));
            block.seen.push(format!("You hit {} hard.", vars.fighting.as_deref().unwrap_or("it")));
            if self.chance.one_in(4) {
                vars.fighting = None;
                vars.position = Some("standing".into());
                vars.exp = vars.exp.map(|exp| exp + 75);
                self.live.mobs.retain(|mob| !mob.fighting_me);
                return ("get all corpse".into(), "ok".into());
            }
            return ("consider bandit".into(), "ok".into());
        }
        match self.chance.below(8) {
            0..=2 => {
                self.walk();
                (self.chance.pick(&WAYS).into(), "ok".into())
            }
            3 | 4 if !self.live.mobs.is_empty() => {
                let n = self.chance.below(self.live.mobs.len());
                let mob = &mut self.live.mobs[n];
                (mob.fighting, mob.fighting_me) = (true, true);
                self.live.vars.fighting = Some(mob.name.clone());
                self.live.vars.position = Some("fighting".into());
                (format!("kill {}", mob.target), "ok".into())
            }
            5 if !self.live.items.is_empty() => {
                let item = self.live.items.remove(0);
                let action = format!("get {}", item.target);
                self.live.inventory.push(item);
                if self.live.inventory.len() > 10 {
                    self.live.inventory.remove(0);
                }
                (action, "ok".into())
            }
            6 => {
                self.live.vars.hp = self.live.vars.hp_max;
                ("rest".into(), "ok".into())
            }
            _ => ("open gate".into(), "refused: You see no gate here.".into()),
        }
    }

    /// Something is written into the mind.
    fn think(&mut self) -> LogEntry {
        let n = self.chance.below(40);
        let event = match self.chance.below(7) {
            0 => Event::NoteAdd { text: format!("The smith pays {n} coins for a pelt.") },
            1 => Event::DecisionRecord { summary: format!("Leave the marsh until level {n}."), details: None },
            2 => Event::StepAdd { text: format!("Look behind door {n} in the cellar.") },
            3 => match self.state.steps.iter().find(|step| !step.done) {
                Some(step) => Event::StepComplete { id: step.id },
                None => Event::StepAdd { text: "Rest at the temple.".into() },
            },
            4 => match self.state.notes.first() {
                Some(note) if self.state.notes.len() > 5 => Event::NoteRemove { id: note.id },
                _ => Event::BlockerAdd { text: format!("Gate {n} is locked.") },
            },
            5 => match self.state.open_blockers().next() {
                Some(blocker) => Event::BlockerRemove { id: blocker.id },
                None => Event::ErrorEncountered { message: format!("No exit {n}.") },
            },
            _ => Event::MemorySet {
                path: format!("people.{}.seen{}", self.chance.pick(&PLAYERS), self.chance.below(5)),
                value: json!(format!("in the market, {n} times")),
                weight: Some(0.1 * (n % 10) as f64),
            },
        };
        self.note(event)
    }
}

/// Some of the shipped world's words.
pub fn words() -> protocol::payload::Words {
    let names = |names: &str| names.split(' ').map(Into::into).collect();
    protocol::payload::Words {
        socials: names("bow grin laugh nod shrug smile thank wave"),
        channels: names("shout holler gossip auction grats newbie"),
    }
}
